/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bridge from the library, whose calls block, to the widgets, which must not block. */
#include "document.h"

#include <glib/gi18n.h>

#include "preferences.h"
#include "import/import.h"
#include "profile/command.h"
#include "profile/culprit.h"
#include "profile/declared.h"
#include "profile/faster.h"
#include "profile/lock-waits.h"
#include "profile/selection.h"
#include "profile/sentences.h"
#include "text.h"
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
	g_clear_pointer(&document->shaped, spt_restrictions_unref);
	g_clear_pointer(&document->folded, spt_document_unref);
	if (document->recording) {
		spt_document_unref(document->recording);
		return;
	}
	spt_symbols_free(document->symbols);
	g_clear_object(&document->fetches);
	spt_summary_clear(&document->summary);
	g_ptr_array_unref(document->tracks);
	g_array_unref(document->coverage);
	spt_lanes_free(document->lanes);
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

void spt_document_replace(SptDocument **place, SptDocument *document)
{
	SptDocument *before = *place;

	*place = spt_document_ref(document);
	if (before)
		spt_document_unref(before);
}

SptDocument *spt_document_whole(SptDocument *document)
{
	return document->whole ? document->whole : document;
}

SptDocument *spt_document_recording(SptDocument *document)
{
	SptDocument *whole = spt_document_whole(document);

	return whole->recording ? whole->recording : whole;
}

bool spt_document_is_same(SptDocument *a, SptDocument *b)
{
	return spt_document_recording(a) == spt_document_recording(b);
}

/* The list of functions, and their callers. */
static bool is_arranged_alike(const SptLook *a, const SptLook *b)
{
	return a->metric == b->metric && a->arrangement.roots == b->arrangement.roots &&
	       a->arrangement.hides_system == b->arrangement.hides_system;
}

bool spt_document_has_shape(SptDocument *document, const SptRestrictions *restrictions)
{
	const SptRestrictions *shaped = spt_document_whole(document)->shaped;

	return shaped ? spt_restrictions_have_same_shape(shaped, restrictions) :
			spt_shape_is_plain(spt_restrictions_shape(restrictions));
}

bool spt_document_is_arranged_as(SptDocument *a, SptDocument *b)
{
	return spt_document_is_same(a, b) && is_arranged_alike(&a->look, &b->look) &&
	       a->look.is_bottom_up == b->look.is_bottom_up &&
	       spt_document_has_shape(a, b->look.restrictions);
}

uint32_t spt_document_translate(const SptDocument *document, const SptDocument *old,
				uint32_t function)
{
	if (function == UINT32_MAX || is_arranged_alike(&document->look, &old->look))
		return function;
	if (old->functions[function].is_process || function >= document->n_functions)
		return UINT32_MAX;
	return function;
}

const SptMetric *spt_document_metric(const SptDocument *document, unsigned i)
{
	const GPtrArray *declared = spt_declared_metrics(document->capture);
	const SptMetric *metric;

	for (unsigned row = 0; (metric = spt_metric(row)); row++)
		if (spt_metric_is_in(metric, document->capture) && i-- == 0)
			return metric;
	return i < declared->len ? declared->pdata[i] : NULL;
}

/* Fills in fields that depend on its profile. */
static void document_complete(SptDocument *document)
{
	document->functions = spt_profile_functions(document->profile, &document->n_functions);
	document->total = spt_profile_total(document->profile);
	document->tree = document->look.is_bottom_up ?
				 spt_profile_bottom_up(document->profile, UINT32_MAX) :
				 spt_profile_descendants(document->profile, UINT32_MAX);
	document->words = spt_sentences_line(
		document->profile, document->capture,
		spt_sentences_find_part(spt_restrictions_filter(document->look.restrictions)));
}

static gpointer copy_text(gpointer text, G_GNUC_UNUSED gpointer data)
{
	return g_strdup(text);
}

char *spt_document_open_doing(GCancellable *cancellable)
{
	return g_object_dup_data(G_OBJECT(cancellable), "doing", copy_text, NULL);
}

/* Approximate part of each step in the opening. */
#define READING_SHARE 0.2
#define FOLDING_SHARE 0.6

struct opening {
	GCancellable *cancellable;	/* or NULL */
	double begin, share;		/* of the present step */
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

/* Called while files are read for names, which can also be after the opening. */
static bool tell_download(const char *path, uint64_t done_bytes, uint64_t total_bytes, void *data)
{
	GCancellable *cancellable = data;
	g_autofree char *name = g_path_get_basename(path), *made = NULL,
			*done = g_format_size_full(done_bytes, G_FORMAT_SIZE_IEC_UNITS),
			*total = g_format_size_full(total_bytes, G_FORMAT_SIZE_IEC_UNITS);
	const char *shown = spt_text_name(name, &made);
	bool goes_on = total_bytes == 0 || done_bytes < total_bytes;

	g_object_set_data_full(
		G_OBJECT(cancellable), "doing",
		!goes_on    ? NULL :
		total_bytes ? g_strdup_printf(_("Fetching debug information of %s: %s of %s"), shown,
					      done, total) :
			      g_strdup_printf(_("Fetching debug information of %s: %s"), shown, done),
		g_free);
	return !g_cancellable_is_cancelled(cancellable);
}

/* The download lives as long as the symbols, and so does the object that cancels it. */
static void download(SptDocument *document, GCancellable *cancellable)
{
	g_autofree char *servers = spt_preferences_servers();

	if (!servers || !cancellable)
		return;
	document->fetches = g_object_ref(cancellable);
	spt_symbols_set_servers(document->symbols, servers);
	spt_symbols_set_download(document->symbols, tell_download, cancellable);
}

static SptDocument *begin_with_command(SptDocument *whole);
static SptDocument *begin_with_subject(SptDocument *begin);

static void open_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer path,
			   GCancellable *cancellable)
{
	struct opening reading = { cancellable, 0, READING_SHARE },
		       folding = { cancellable, READING_SHARE, FOLDING_SHARE };
	SptDocument *document;
	GError *error = NULL;
	SptCapture *capture = spt_capture_open_watched(path, tell_opening, &reading, &error);

	if (!capture)
		capture = spt_import_instead(path, &error);
	if (!capture) {
		g_task_return_error(task, error);
		return;
	}
	document = g_atomic_rc_box_new0(SptDocument);
	document->capture = capture;
	document->symbols = spt_symbols_new(capture, NULL);
	download(document, cancellable);
	document->profile = spt_profile_new_base_watched(capture, document->symbols, NULL,
							 tell_opening, &folding);
	document->order = spt_order_new(document->profile);
	spt_summary_init(&document->summary, capture);
	document->tracks = spt_tracks_new(capture);
	document->coverage = spt_coverage_new(capture, document->symbols);
	document->look =
		(SptLook){ .restrictions = spt_restrictions_new(), .metric = SPT_METRIC_CPU };
	document_complete(document);
	g_task_return_pointer(task, begin_with_subject(begin_with_command(document)),
			      (GDestroyNotify)spt_document_unref);
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

/* A document never changes, but its symbols learn. */
static GMutex symbols_lock;

/* The whole recording, as it is folded. */
static SptDocument *document_fold(SptDocument *document, const SptMetric *metric)
{
	const SptLook wanted = { .metric = metric };
	SptDocument *whole = spt_document_whole(document);
	SptDocument *recording = spt_document_recording(document), *folded;

	if (is_arranged_alike(&recording->look, &wanted))
		return spt_document_ref(recording);
	if (is_arranged_alike(&whole->look, &wanted))
		return spt_document_ref(whole);
	if (whole->folded && is_arranged_alike(&whole->folded->look, &wanted))
		return spt_document_ref(whole->folded);
	folded = g_atomic_rc_box_dup(sizeof(*folded), recording);
	folded->recording = spt_document_ref(recording);
	folded->spare = NULL;
	folded->look = wanted;
	folded->look.restrictions = spt_restrictions_new();
	g_mutex_lock(&symbols_lock);
	folded->profile = spt_profile_new_base(folded->capture, folded->symbols, metric);
	g_mutex_unlock(&symbols_lock);
	folded->order = spt_order_new(folded->profile);
	document_complete(folded);
	return folded;
}

/* The same in the requested arrangement. */
static SptDocument *document_arrange(SptDocument *document, const SptLook *look)
{
	SptDocument *whole = spt_document_whole(document);
	SptDocument *recording = spt_document_recording(document), *arranged;
	const SptShape *shape = spt_restrictions_shape(look->restrictions);
	SptArrangement arrangement = look->arrangement;
	g_autoptr(SptDocument) folded = NULL;

	if (is_arranged_alike(&whole->look, look) &&
	    spt_document_has_shape(whole, look->restrictions))
		return spt_document_ref(whole);
	folded = document_fold(document, look->metric);
	if (is_arranged_alike(&folded->look, look) && spt_shape_is_plain(shape))
		return g_steal_pointer(&folded);
	arranged = g_atomic_rc_box_dup(sizeof(*arranged), recording);
	arranged->recording = spt_document_ref(recording);
	arranged->spare = NULL;
	arranged->look = (SptLook){ .restrictions = spt_restrictions_new(),
				    .metric = look->metric,
				    .arrangement = look->arrangement };
	arrangement.shape = *shape;
	arranged->profile = spt_profile_arrange(folded->profile, &arrangement);
	if (!spt_shape_is_plain(shape))
		arranged->shaped = spt_restrictions_ref(look->restrictions);
	if (folded != recording)
		arranged->folded = g_steal_pointer(&folded);
	arranged->order = spt_order_new(arranged->profile);
	document_complete(arranged);
	return arranged;
}

static SptDocument *document_take_part(SptDocument *whole, const SptLook *look)
{
	SptDocument *part = g_atomic_rc_box_dup(sizeof(*part), whole);
	SptProfile *spare = g_atomic_pointer_exchange(&whole->spare, NULL);

	part->whole = spt_document_ref(whole);
	part->spare = NULL;
	part->shaped = NULL;
	part->look = *look;
	spt_restrictions_ref(look->restrictions);
	part->profile = spt_profile_refilter(whole->profile,
					     spt_restrictions_filter(look->restrictions), spare);
	part->order = spt_order_new_like(whole->order, part->profile);
	document_complete(part);
	return part;
}

/* Takes over @whole.  A command without samples is not shown at first. */
static SptDocument *begin_with_command(SptDocument *whole)
{
	g_autoptr(SptRestrictions) everything = spt_restrictions_new(), restrictions = NULL;
	g_autoptr(SptDocument) all = whole, part = NULL;
	SptRestriction command;

	if (!spt_command_leads(whole->capture) ||
	    !spt_restriction_to_command(whole->capture, &command))
		return g_steal_pointer(&all);
	restrictions = spt_restrictions_add(everything, &command);
	g_free((char *)command.text);
	g_free((bool *)command.processes);
	part = document_take_part(whole, &(SptLook){ .restrictions = restrictions,
						     .metric = whole->look.metric });
	return part->total ? g_steal_pointer(&part) : g_steal_pointer(&all);
}

SptDocument *spt_document_look(SptDocument *document, const SptLook *look)
{
	double begin_ms = spt_work_ms();
	SptDocument *seen = document_arrange(document, look);

	if (spt_restrictions_filter(look->restrictions) || look->is_bottom_up) {
		g_autoptr(SptDocument) whole = seen;

		seen = document_take_part(whole, look);
	}
	g_debug("a part in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return seen;
}

/*
 * Who records memory asks about it: CPU time of such a recording is not least that of the library
 * which follows the allocations.
 */
static SptDocument *begin_with_subject(SptDocument *begin)
{
	g_autoptr(SptDocument) first = begin, of_memory = NULL;
	SptLook look = first->look;

	look.metric = spt_metric_find("allocated");
	if (!spt_capture_host(first->capture, "memory_mean_bytes") ||
	    !spt_metric_is_in(look.metric, first->capture))
		return g_steal_pointer(&first);
	of_memory = spt_document_look(first, &look);
	return of_memory->total ? g_steal_pointer(&of_memory) : g_steal_pointer(&first);
}

void spt_surroundings_free(SptSurroundings *surroundings)
{
	g_array_unref(surroundings->callers);
	g_array_unref(surroundings->descendants);
	g_free(surroundings);
}

SptSurroundings *spt_document_surround(const SptDocument *document, uint32_t function)
{
	SptSurroundings *answer = g_new0(SptSurroundings, 1);
	double begin_ms = spt_work_ms();

	answer->function = function;
	if (function == UINT32_MAX) {
		answer->callers = g_array_new(FALSE, FALSE, sizeof(SptEdge));
		answer->descendants = g_array_ref(document->tree);
	} else {
		answer->callers = spt_profile_callers(document->profile, function);
		answer->descendants = document->look.is_bottom_up ?
					      spt_profile_bottom_up(document->profile, function) :
					      spt_profile_descendants(document->profile, function);
	}
	g_debug("a function's surroundings in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return answer;
}

SptAnnotation *spt_document_annotate(const SptDocument *document, uint32_t function)
{
	const SptFunction *of = &document->functions[function];
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	double begin_ms = spt_work_ms();
	g_auto(GStrv) source_paths = NULL;
	SptAnnotation *annotation;

	g_mutex_lock(&symbols_lock);
	source_paths = spt_preferences_source_paths();
	annotation = spt_annotation_new(document->capture, document->symbols,
					spt_profile_metric(document->profile), filter, of->name,
					of->object, (const char *const *)source_paths);
	g_mutex_unlock(&symbols_lock);
	g_debug("a function annotated in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return annotation;
}

/* Lanes are those of the selected time. */
static SptExportInput find_export_input(SptDocument *document, SptExportNeeds needs)
{
	const SptSummary *summary = &document->summary;
	const SptRestrictions *restrictions = document->look.restrictions;
	const SptRestriction *time = spt_restrictions_find(restrictions, SPT_RESTRICT_TIME);

	return (SptExportInput){
		.profile = document->profile,
		.base = spt_document_whole(document)->profile,
		.filter = spt_restrictions_filter(restrictions),
		.capture = document->capture,
		.symbols = document->symbols,
		.lanes = needs == SPT_EXPORT_NEEDS_LANES ? spt_document_lanes(document) : NULL,
		.start_ns = summary->start_ns,
		.begin_ns = time ? MAX(time->begin_ns, summary->start_ns) : summary->start_ns,
		.end_ns = time ? MIN(time->end_ns, summary->end_ns) : summary->end_ns,
	};
}

bool spt_document_export(SptDocument *document, const SptExport *format, SptOut *out,
			 GError **error)
{
	const SptExportInput input = find_export_input(document, format->needs);
	bool needs_names = format->needs == SPT_EXPORT_NEEDS_STACKS, ok;

	if (needs_names)
		g_mutex_lock(&symbols_lock);
	ok = format->write(&input, out, error);
	if (needs_names)
		g_mutex_unlock(&symbols_lock);
	return ok;
}

/* With the samples, which a part does not have. */
static const SptProfile *document_base_of(const SptDocument *document)
{
	return document->whole ? document->whole->profile : document->profile;
}

SptTimeline *spt_document_timeline(const SptDocument *document, const SptTimelineRequest *request)
{
	double begin_ms = spt_work_ms();
	SptTimeline *timeline = spt_timeline_new(document_base_of(document), request);

	g_debug("a timeline in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return timeline;
}

const SptLanes *spt_document_lanes(SptDocument *document)
{
	static GMutex lock;
	SptDocument *recording = spt_document_recording(document);
	double begin_ms = spt_work_ms();

	g_mutex_lock(&lock);
	if (!recording->lanes) {
		recording->lanes = spt_lanes_new(recording->profile);
		g_debug("lanes of %u threads in %.2f ms of CPU time", recording->lanes->n_threads,
			spt_work_ms() - begin_ms);
	}
	g_mutex_unlock(&lock);
	return recording->lanes;
}

static void stack_frame_free(gpointer data)
{
	SptStackFrame *frame = data;

	g_free(frame->text);
	g_free(frame);
}

static SptStackFrame *stack_frame_new(const SptName *name, bool is_kernel)
{
	SptStackFrame *frame = g_new(SptStackFrame, 1);

	*frame = (SptStackFrame){
		.text = g_strdup_printf("%s (%s)", name->function, name->object),
		.is_machinery = spt_culprit_is_machinery(name->function, name->object, is_kernel),
		.takes_lock = spt_culprit_takes_lock(name->function),
	};
	return frame;
}

GPtrArray *spt_document_stack(SptDocument *document, uint32_t node)
{
	const SptCapture *capture = document->capture;
	GPtrArray *frames = g_ptr_array_new_with_free_func(stack_frame_free);

	g_mutex_lock(&symbols_lock);
	for (; node; node = capture->nodes[node].parent) {
		SptNamedPlace places[SPT_INLINES_MAX];
		const SptFrame *frame = &capture->nodes[node].frame;
		unsigned n = spt_symbols_functions(document->symbols, frame, places);

		uint32_t kind = capture->objects[frame->object].kind;
		bool is_kernel = kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES;

		for (unsigned i = 0; i < n; i++)
			g_ptr_array_add(frames, stack_frame_new(&places[i].name, is_kernel));
	}
	g_mutex_unlock(&symbols_lock);
	return frames;
}

GPtrArray *spt_document_lock_waits(SptDocument *document)
{
	GPtrArray *waits;

	g_mutex_lock(&symbols_lock);
	waits = spt_lock_waits(document->capture, document->symbols,
			       spt_restrictions_filter(document->look.restrictions));
	g_mutex_unlock(&symbols_lock);
	return waits;
}

GArray *spt_document_chart(const SptDocument *document, const SptChartRequest *request)
{
	double begin_ms = spt_work_ms();
	GArray *boxes = spt_chart_new(document_base_of(document), request->tid, request->begin_ns,
				      request->end_ns, request->least_ns);

	g_debug("a chart of %u boxes in %.2f ms of CPU time", boxes->len, spt_work_ms() - begin_ms);
	return boxes;
}

GArray *spt_document_groups(const SptDocument *document, SptGroupKind kind)
{
	return spt_groups_new(document_base_of(document),
			      spt_restrictions_filter(document->look.restrictions), kind);
}

GArray *spt_document_threads(const SptDocument *document)
{
	double begin_ms = spt_work_ms();
	GArray *threads = spt_document_groups(document, SPT_GROUP_THREAD);

	for (unsigned i = threads->len; i > 0; i--)
		if (g_array_index(threads, SptGroupRow, i - 1).tid == SPT_ID_EXITED)
			g_array_remove_index(threads, i - 1);
	g_debug("%u threads in %.2f ms of CPU time", threads->len, spt_work_ms() - begin_ms);
	return threads;
}

/* The length of one of its periods, or of the metric's unit, in seconds. */
static double worth_of_period(const SptDocument *document)
{
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);
	uint64_t begin = time ? time->begin_ns : document->summary.start_ns,
		 end = time ? time->end_ns : document->summary.end_ns;

	uint64_t worth = MAX(spt_metric_worth(document->look.metric, document->capture), 1);

	return end > begin ? (double)worth / (double)(end - begin) : 0;
}

static bool is_of_command(const SptDocument *document)
{
	return spt_sentences_find_part(spt_restrictions_filter(document->look.restrictions)) ==
	       SPT_SENTENCES_OF_COMMAND;
}

static char *compare_in_words(const SptDocument *before, const SptDocument *after)
{
	g_autoptr(GPtrArray) said = spt_faster_new(&(SptFasterInput){
		.profiles = { before->profile, after->profile },
		.captures = { before->capture, after->capture },
		.is_command = is_of_command(before) && is_of_command(after),
	});

	g_ptr_array_add(said, NULL);
	return g_strjoinv("  ", (char **)said->pdata);
}

SptDocument *spt_document_compare(SptDocument *before, SptDocument *after, bool by_time)
{
	const double worth[SPT_SIDES] = { worth_of_period(before), worth_of_period(after) };
	SptDocument *document = g_atomic_rc_box_new0(SptDocument);

	document->sides[SPT_BEFORE] = spt_document_ref(before);
	document->sides[SPT_AFTER] = spt_document_ref(after);
	document->differences =
		spt_diff_tree(before->profile, after->profile, by_time ? worth : NULL);
	document->changed = spt_diff_order(document->differences->rows, false);
	document->functions = (const SptFunction *)document->differences->functions->data;
	document->n_functions = document->differences->functions->len;
	document->tree = g_array_ref(document->differences->tree);
	document->total = SPT_DIFF_WHOLE;
	document->words = compare_in_words(before, after);
	return document;
}

uint32_t spt_document_first_function(const SptDocument *document)
{
	return spt_culprit_first(document->profile, document->capture);
}
