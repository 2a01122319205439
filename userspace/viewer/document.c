/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bridge from the library, which blocks, to the widgets, which must not. */
#include "document.h"

#include "profile/words.h"
#include "work.h"

static void clear_document(gpointer data)
{
	SptDocument *document = data;

	g_free(document->words);
	g_clear_pointer(&document->tree, g_array_unref);
	if (document->differences) {
		spt_diff_tree_free(document->differences);
		g_free(document->changed);
		spt_document_unref(document->sides[SPT_BEFORE]);
		spt_document_unref(document->sides[SPT_AFTER]);
		return;
	}
	spt_order_free(document->order);
	g_clear_pointer(&document->look.restrictions, spt_restrictions_unref);
	if (document->whole) {
		spt_profile_free(
			g_atomic_pointer_exchange(&document->whole->spare, document->profile));
		spt_document_unref(document->whole);
		return;
	}
	spt_profile_free(document->spare);
	spt_profile_free(document->profile);
	if (document->recording) {
		spt_document_unref(document->recording);
		return;
	}
	spt_symbols_free(document->symbols);
	spt_summary_clear(&document->summary);
	g_ptr_array_unref(document->tracks);
	g_array_unref(document->coverage);
	spt_capture_free(document->capture);
}

SptDocument *spt_document_ref(SptDocument *document)
{
	return g_atomic_rc_box_acquire(document);
}

void spt_document_unref(SptDocument *document)
{
	g_atomic_rc_box_release_full(document, clear_document);
}

static const SptDocument *recording_of(const SptDocument *document)
{
	const SptDocument *whole = document->whole ? document->whole : document;

	return whole->recording ? whole->recording : whole;
}

bool spt_document_is_same(const SptDocument *a, const SptDocument *b)
{
	return recording_of(a) == recording_of(b);
}

static bool is_arranged_alike(const SptLook *a, const SptLook *b)
{
	return a->arrangement.roots == b->arrangement.roots &&
	       a->arrangement.hides_system == b->arrangement.hides_system;
}

uint32_t spt_document_translate(const SptDocument *document, const SptDocument *old,
				uint32_t function)
{
	if (function == UINT32_MAX || is_arranged_alike(&document->look, &old->look))
		return function;
	return old->functions[function].is_process ? UINT32_MAX : function;
}

/* Fills in what follows from its profile. */
static void complete(SptDocument *document)
{
	document->functions = spt_profile_functions(document->profile, &document->n_functions);
	document->total = spt_profile_total(document->profile);
	document->tree = document->look.is_bottom_up ?
				 spt_profile_bottom_up(document->profile, UINT32_MAX) :
				 spt_profile_descendants(document->profile, UINT32_MAX);
	document->words = spt_words_where(document->profile);
}

/* What of the opening each part is, about. */
#define READING_SHARE 0.2
#define FOLDING_SHARE 0.6

struct opening {
	GCancellable *cancellable;	/* or NULL */
	double begin, share;		/* of the part that is under way */
};

static bool tell_opening(double done, void *data)
{
	const struct opening *opening = data;
	double all = opening->begin + opening->share * done;

	if (!opening->cancellable)
		return true;
	g_object_set_data(G_OBJECT(opening->cancellable), "permille",
			  GUINT_TO_POINTER((unsigned)(1000 * all)));
	return !g_cancellable_is_cancelled(opening->cancellable);
}

double spt_document_open_done(GCancellable *cancellable)
{
	return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(cancellable), "permille")) / 1000.0;
}

static void open_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer path,
			   GCancellable *cancellable)
{
	struct opening reading = { cancellable, 0, READING_SHARE },
		       folding = { cancellable, READING_SHARE, FOLDING_SHARE };
	SptDocument *document;
	GError *error = NULL;
	SptCapture *capture = spt_capture_open_watched(path, tell_opening, &reading, &error);

	if (!capture) {
		g_task_return_error(task, error);
		return;
	}
	document = g_atomic_rc_box_new0(SptDocument);
	document->capture = capture;
	document->symbols = spt_symbols_new(capture, NULL);
	document->profile =
		spt_profile_new_base_watched(capture, document->symbols, tell_opening, &folding);
	document->order = spt_order_new(document->profile);
	spt_summary_init(&document->summary, capture);
	document->tracks = spt_tracks_new(capture);
	document->coverage = spt_coverage_new(capture, document->symbols);
	document->look.restrictions = spt_restrictions_new();
	complete(document);
	g_task_return_pointer(task, document, (GDestroyNotify)spt_document_unref);
}

void spt_document_open_async(const char *path, GCancellable *cancellable,
			     GAsyncReadyCallback callback, gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, data);

	g_task_set_task_data(task, g_strdup(path), g_free);
	g_task_run_in_thread(task, open_in_thread);
}

SptDocument *spt_document_open_finish(GAsyncResult *result, GError **error)
{
	return g_task_propagate_pointer(G_TASK(result), error);
}

struct wish {
	SptDocument *document;
	SptLook look;
};

static void free_wish(gpointer data)
{
	struct wish *wish = data;

	spt_document_unref(wish->document);
	spt_restrictions_unref(wish->look.restrictions);
	g_free(wish);
}

/* All of the recording, in the arrangement wanted. */
static SptDocument *arrange(SptDocument *document, const SptLook *look)
{
	SptDocument *whole = document->whole ? document->whole : document;
	SptDocument *recording = whole->recording ? whole->recording : whole, *arranged;

	if (is_arranged_alike(&whole->look, look))
		return spt_document_ref(whole);
	if (is_arranged_alike(&recording->look, look))
		return spt_document_ref(recording);
	arranged = g_atomic_rc_box_dup(sizeof(*arranged), recording);
	arranged->recording = spt_document_ref(recording);
	arranged->spare = NULL;
	arranged->look = (SptLook){ .restrictions = spt_restrictions_new(),
				    .arrangement = look->arrangement };
	arranged->profile = spt_profile_arrange(recording->profile, &look->arrangement);
	arranged->order = spt_order_new(arranged->profile);
	complete(arranged);
	return arranged;
}

static SptDocument *take_part(SptDocument *whole, const SptLook *look)
{
	SptDocument *part = g_atomic_rc_box_dup(sizeof(*part), whole);
	SptProfile *spare = g_atomic_pointer_exchange(&whole->spare, NULL);

	part->whole = spt_document_ref(whole);
	part->spare = NULL;
	part->look = *look;
	spt_restrictions_ref(look->restrictions);
	part->profile = spt_profile_refilter(whole->profile,
					     spt_restrictions_filter(look->restrictions), spare);
	part->order = spt_order_new_like(whole->order, part->profile);
	complete(part);
	return part;
}

static void look_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			   G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct wish *wish = data;
	double begin_ms = spt_work_ms();
	SptDocument *document = arrange(wish->document, &wish->look);

	if (spt_restrictions_filter(wish->look.restrictions) || wish->look.is_bottom_up) {
		g_autoptr(SptDocument) whole = document;

		document = take_part(whole, &wish->look);
	}
	g_debug("a part in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	g_task_return_pointer(task, document, (GDestroyNotify)spt_document_unref);
}

void spt_document_look_async(SptDocument *document, const SptLook *look,
			     GAsyncReadyCallback callback, gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, data);
	struct wish *wish = g_new(struct wish, 1);

	*wish = (struct wish){ spt_document_ref(document), *look };
	spt_restrictions_ref(look->restrictions);
	g_task_set_task_data(task, wish, free_wish);
	g_task_run_in_thread(task, look_in_thread);
}

SptDocument *spt_document_look_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

void spt_surroundings_free(SptSurroundings *surroundings)
{
	g_array_unref(surroundings->callers);
	g_array_unref(surroundings->descendants);
	g_free(surroundings);
}

/* Something asked of a document that does not change it. */
struct job {
	SptDocument *document;
	union {
		uint32_t function;
		SptTimelineWish timeline;
		SptChartWish chart;
	};
	GArray *way;			/* of stacks; else NULL */
};

static void free_job(gpointer data)
{
	struct job *job = data;

	spt_document_unref(job->document);
	g_clear_pointer(&job->way, g_array_unref);
	g_free(job);
}

static void start_job(const struct job *wanted, GTaskThreadFunc work, GAsyncReadyCallback callback,
		      gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, data);
	struct job *job = g_memdup2(wanted, sizeof(*wanted));

	spt_document_ref(job->document);
	g_task_set_task_data(task, job, free_job);
	g_task_run_in_thread(task, work);
}

static void surround_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			       G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct job *job = data;
	const SptDocument *document = job->document;
	SptSurroundings *answer = g_new0(SptSurroundings, 1);
	double begin_ms = spt_work_ms();

	if (job->function == UINT32_MAX) {
		answer->callers = g_array_new(FALSE, FALSE, sizeof(SptEdge));
		answer->descendants = g_array_ref(document->tree);
	} else {
		answer->callers = spt_profile_callers(document->profile, job->function);
		answer->descendants =
			document->look.is_bottom_up ?
				spt_profile_bottom_up(document->profile, job->function) :
				spt_profile_descendants(document->profile, job->function);
	}
	g_debug("a function's surroundings in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	g_task_return_pointer(task, answer, (GDestroyNotify)spt_surroundings_free);
}

void spt_document_surround_async(SptDocument *document, uint32_t function,
				 GAsyncReadyCallback callback, gpointer data)
{
	start_job(&(struct job){ .document = document, .function = function }, surround_in_thread,
		  callback, data);
}

SptSurroundings *spt_document_surround_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

static void annotate_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			       G_GNUC_UNUSED GCancellable *cancellable)
{
	/* A document never changes, but the symbols it was made with learn. */
	static GMutex symbols_lock;
	const struct job *job = data;
	const SptFunction *function = &job->document->functions[job->function];
	const SptFilter *filter = spt_restrictions_filter(job->document->look.restrictions);
	double begin_ms = spt_work_ms();
	SptAnnotation *annotation;

	g_mutex_lock(&symbols_lock);
	annotation = spt_annotation_new(job->document->capture, job->document->symbols, filter,
					function->name, function->object, NULL);
	g_mutex_unlock(&symbols_lock);
	g_debug("a function annotated in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	g_task_return_pointer(task, annotation, (GDestroyNotify)spt_annotation_free);
}

void spt_document_annotate_async(SptDocument *document, uint32_t function,
				 GAsyncReadyCallback callback, gpointer data)
{
	start_job(&(struct job){ .document = document, .function = function }, annotate_in_thread,
		  callback, data);
}

SptAnnotation *spt_document_annotate_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

static void stacks_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			     G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct job *job = data;

	g_task_return_pointer(task,
			      spt_profile_stacks(job->document->profile,
						 (const uint32_t *)job->way->data, job->way->len),
			      (GDestroyNotify)g_array_unref);
}

void spt_document_stacks_async(SptDocument *document, GArray *way, GAsyncReadyCallback callback,
			       gpointer data)
{
	start_job(&(struct job){ .document = document, .way = g_array_ref(way) }, stacks_in_thread,
		  callback, data);
}

GArray *spt_document_stacks_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

/* With the samples, which a part does not have. */
static const SptProfile *base_of(const SptDocument *document)
{
	return document->whole ? document->whole->profile : document->profile;
}

SptTimeline *spt_document_timeline(const SptDocument *document, const SptTimelineWish *wish)
{
	return spt_timeline_new(base_of(document), wish);
}

static void timeline_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			       G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct job *job = data;
	double begin_ms = spt_work_ms();
	SptTimeline *timeline = spt_document_timeline(job->document, &job->timeline);

	g_debug("a timeline in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	g_task_return_pointer(task, timeline, (GDestroyNotify)spt_timeline_free);
}

void spt_document_timeline_async(SptDocument *document, const SptTimelineWish *wish,
				 GAsyncReadyCallback callback, gpointer data)
{
	start_job(&(struct job){ .document = document, .timeline = *wish }, timeline_in_thread,
		  callback, data);
}

SptTimeline *spt_document_timeline_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

static void chart_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			    G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct job *job = data;
	const SptChartWish *wish = &job->chart;
	double begin_ms = spt_work_ms();
	GArray *boxes = spt_chart_new(base_of(job->document), wish->tid, wish->begin_ns,
				      wish->end_ns, wish->least_ns);

	g_debug("a chart of %u boxes in %.2f ms of CPU time", boxes->len, spt_work_ms() - begin_ms);
	g_task_return_pointer(task, boxes, (GDestroyNotify)g_array_unref);
}

void spt_document_chart_async(SptDocument *document, const SptChartWish *wish,
			      GAsyncReadyCallback callback, gpointer data)
{
	start_job(&(struct job){ .document = document, .chart = *wish }, chart_in_thread, callback,
		  data);
}

/* Who asked may be at another document by now. */
static void *finish_of(GAsyncResult *result, SptDocument **ret_document)
{
	*ret_document =
		spt_document_ref(((struct job *)g_task_get_task_data(G_TASK(result)))->document);
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

GArray *spt_document_chart_finish(GAsyncResult *result, SptDocument **ret_document)
{
	return finish_of(result, ret_document);
}

static void threads_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			      G_GNUC_UNUSED GCancellable *cancellable)
{
	const SptDocument *document = ((struct job *)data)->document;
	double begin_ms = spt_work_ms();
	GArray *threads = spt_groups_new(base_of(document),
					 spt_restrictions_filter(document->look.restrictions),
					 SPT_GROUP_THREAD);

	g_debug("%u threads in %.2f ms of CPU time", threads->len, spt_work_ms() - begin_ms);
	g_task_return_pointer(task, threads, (GDestroyNotify)g_array_unref);
}

void spt_document_threads_async(SptDocument *document, GAsyncReadyCallback callback, gpointer data)
{
	start_job(&(struct job){ .document = document }, threads_in_thread, callback, data);
}

GArray *spt_document_threads_finish(GAsyncResult *result, SptDocument **ret_document)
{
	return finish_of(result, ret_document);
}

struct pair {
	SptDocument *sides[SPT_SIDES];
	bool by_time;
};

static void free_pair(gpointer data)
{
	struct pair *pair = data;

	spt_document_unref(pair->sides[SPT_BEFORE]);
	spt_document_unref(pair->sides[SPT_AFTER]);
	g_free(pair);
}

/* The part of a second that one of its periods is. */
static double worth_of_period(const SptDocument *document)
{
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);
	uint64_t begin = time ? time->begin_ns : document->summary.start_ns,
		 end = time ? time->end_ns : document->summary.end_ns;

	return end > begin ? (double)MAX(document->summary.period_ns, 1) / (double)(end - begin) :
			     0;
}

static void compare_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			      G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct pair *pair = data;
	const double worth[SPT_SIDES] = { worth_of_period(pair->sides[SPT_BEFORE]),
					  worth_of_period(pair->sides[SPT_AFTER]) };
	SptDocument *document = g_atomic_rc_box_new0(SptDocument);

	for (unsigned side = 0; side < SPT_SIDES; side++)
		document->sides[side] = spt_document_ref(pair->sides[side]);
	document->differences =
		spt_diff_tree(pair->sides[SPT_BEFORE]->profile, pair->sides[SPT_AFTER]->profile,
			      pair->by_time ? worth : NULL);
	document->changed = spt_diff_order(document->differences->rows, false);
	document->functions = (const SptFunction *)document->differences->functions->data;
	document->n_functions = document->differences->functions->len;
	document->tree = g_array_ref(document->differences->tree);
	document->total = SPT_DIFF_WHOLE;
	g_task_return_pointer(task, document, (GDestroyNotify)spt_document_unref);
}

void spt_document_compare_async(SptDocument *before, SptDocument *after, bool by_time,
				GAsyncReadyCallback callback, gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, data);
	struct pair *pair = g_new(struct pair, 1);

	*pair = (struct pair){ { spt_document_ref(before), spt_document_ref(after) }, by_time };
	g_task_set_task_data(task, pair, free_pair);
	g_task_run_in_thread(task, compare_in_thread);
}

SptDocument *spt_document_compare_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

uint32_t spt_document_first_function(const SptDocument *document)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < document->n_functions; i++) {
		if (!document->functions[i].is_process &&
		    (best == UINT32_MAX ||
		     document->functions[i].total > document->functions[best].total))
			best = i;
	}
	return best;
}
