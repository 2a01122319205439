/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bridge from the library, whose calls block, to the widgets, which must not block. */
#include "document.h"

#include "preferences.h"
#include "profile/culprit.h"
#include "profile/lock-waits.h"
#include "profile/selection.h"
#include "profile/sentences.h"
#include "work.h"

static bool is_part(const SptDocument *document)
{
	return document->profile != document->whole->profile;
}

static SptSentencesOf part_of(const SptDocument *document)
{
	return spt_sentences_find_part(spt_restrictions_filter(document->look.restrictions));
}

static void document_clear(gpointer data)
{
	SptDocument *document = data;

	g_free(document->words);
	if (document->order != document->whole->order)
		spt_order_free(document->order);
	if (is_part(document))
		spt_whole_give_back(document->whole, document->profile);
	spt_restrictions_unref(document->look.restrictions);
	spt_whole_unref(document->whole);
	spt_recording_unref(document->recording);
}

/* What tables draw, and the words. */
static void document_complete(SptDocument *document)
{
	const SptLook *look = &document->look;
	const SptCapture *capture = document->recording->capture;
	SptCallTree *calls = &document->calls;

	calls->clear = document_clear;
	calls->subject = document->recording;
	calls->functions = spt_profile_functions(document->profile, &calls->n_functions);
	calls->total = spt_profile_total(document->profile);
	calls->tree = look->is_bottom_up ? spt_profile_bottom_up(document->profile, UINT32_MAX) :
					   spt_profile_descendants(document->profile, UINT32_MAX);
	calls->is_bottom_up = look->is_bottom_up;
	calls->categories = document->whole->arrangement.categories;
	calls->category_of = document->whole->category_of;
	calls->metric = look->metric;
	calls->worth = spt_metric_worth(look->metric, capture);
	g_mutex_lock(&document->recording->symbols_lock);
	document->words = spt_sentences_line(document->profile, capture,
					     document->recording->symbols, part_of(document));
	g_mutex_unlock(&document->recording->symbols_lock);
}

static SptDocument *document_of(SptRecording *recording, SptWhole *whole, const SptLook *look)
{
	const SptFilter *filter = spt_restrictions_filter(look->restrictions);
	SptDocument *document = g_atomic_rc_box_new0(SptDocument);
	g_autofree uint64_t *lead = NULL;

	document->recording = spt_recording_ref(recording);
	document->whole = spt_whole_ref(whole);
	document->look = *look;
	spt_restrictions_ref(look->restrictions);
	document->profile = filter ? spt_whole_take_part(whole, filter) : whole->profile;
	lead = spt_sentences_lead(document->profile, recording->capture, part_of(document));
	document->order = filter || lead ?
				  spt_order_new_like(whole->order, document->profile, lead) :
				  whole->order;
	document_complete(document);
	return document;
}

SptDocument *spt_document_new(SptRecording *recording)
{
	g_autoptr(SptRestrictions) everything = spt_restrictions_new();

	return document_of(recording, recording->whole,
			   &(SptLook){ .restrictions = everything,
				       .metric = SPT_METRIC_CPU,
				       .arrangement = recording->whole->arrangement });
}

SptDocument *spt_document_ref(SptDocument *document)
{
	spt_call_tree_ref(&document->calls);
	return document;
}

void spt_document_unref(SptDocument *document)
{
	spt_call_tree_unref(&document->calls);
}

void spt_document_replace(SptDocument **place, SptDocument *document)
{
	SptDocument *before = *place;

	*place = spt_document_ref(document);
	if (before)
		spt_document_unref(before);
}

bool spt_document_is_same(const SptDocument *a, const SptDocument *b)
{
	return a->recording == b->recording;
}

/* Whether functions have the same numbers, roots among them. */
static bool has_same_roots(const SptDocument *a, const SptDocument *b)
{
	return spt_whole_is(a->whole, b->whole->metric, &b->whole->arrangement);
}

bool spt_document_is_arranged_as(const SptDocument *a, const SptDocument *b)
{
	return spt_document_is_same(a, b) && has_same_roots(a, b) &&
	       a->look.is_bottom_up == b->look.is_bottom_up &&
	       spt_whole_has_shape(a->whole, b->look.restrictions);
}

uint32_t spt_document_translate(const SptDocument *document, const SptDocument *old,
				uint32_t function)
{
	if (function == UINT32_MAX || has_same_roots(document, old))
		return function;
	if (old->calls.functions[function].is_process || function >= document->calls.n_functions)
		return UINT32_MAX;
	return function;
}

/* The whole in @metric, as folded; if it has to be made, with these categories. */
static SptWhole *find_plain(const SptDocument *document, const SptMetric *metric,
			    const SptCategories *categories)
{
	SptRecording *recording = document->recording;
	SptProfile *profile;

	if (recording->whole->metric == metric)
		return spt_whole_ref(recording->whole);
	if (document->whole->metric == metric)
		return spt_whole_ref(document->whole->plain);
	g_mutex_lock(&recording->symbols_lock);
	profile = spt_profile_new_base(recording->capture, recording->symbols, metric);
	g_mutex_unlock(&recording->symbols_lock);
	return spt_whole_new(profile, categories);
}

static SptWhole *find_whole(const SptDocument *document, const SptLook *look)
{
	g_autoptr(SptWhole) plain = NULL;

	if (spt_whole_is(document->whole, look->metric, &look->arrangement) &&
	    spt_whole_has_shape(document->whole, look->restrictions))
		return spt_whole_ref(document->whole);
	plain = find_plain(document, look->metric, look->arrangement.categories);
	if (spt_whole_is(plain, look->metric, &look->arrangement) &&
	    spt_whole_has_shape(plain, look->restrictions))
		return g_steal_pointer(&plain);
	return spt_whole_arrange(plain, &look->arrangement, look->restrictions);
}

SptDocument *spt_document_look(SptDocument *document, const SptLook *look)
{
	double begin_ms = spt_work_ms();
	g_autoptr(SptWhole) whole = find_whole(document, look);
	SptDocument *seen = document_of(document->recording, whole, look);

	g_debug("a part in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return seen;
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
		answer->descendants = g_array_ref(document->calls.tree);
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
	const SptFunction *of = &document->calls.functions[function];
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	double begin_ms = spt_work_ms();
	g_auto(GStrv) source_paths = NULL;
	SptAnnotation *annotation;

	g_mutex_lock(&document->recording->symbols_lock);
	source_paths = spt_preferences_source_paths();
	annotation = spt_annotation_new(document->recording->capture, document->recording->symbols,
					spt_profile_metric(document->profile), filter, of->name,
					of->object, (const char *const *)source_paths);
	g_mutex_unlock(&document->recording->symbols_lock);
	g_debug("a function annotated in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return annotation;
}

/* Lanes are those of the selected time. */
static SptExportInput find_export_input(SptDocument *document, SptExportNeeds needs)
{
	const SptSummary *summary = &document->recording->summary;
	const SptRestrictions *restrictions = document->look.restrictions;
	const SptRestriction *time = spt_restrictions_find(restrictions, SPT_RESTRICT_TIME);

	return (SptExportInput){
		.profile = document->profile,
		.base = document->whole->profile,
		.filter = spt_restrictions_filter(restrictions),
		.capture = document->recording->capture,
		.symbols = document->recording->symbols,
		.lanes = needs == SPT_EXPORT_NEEDS_LANES ?
				 spt_recording_lanes(document->recording) :
				 NULL,
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
		g_mutex_lock(&document->recording->symbols_lock);
	ok = format->write(&input, out, error);
	if (needs_names)
		g_mutex_unlock(&document->recording->symbols_lock);
	return ok;
}

SptTimeline *spt_document_timeline(const SptDocument *document, const SptTimelineRequest *request)
{
	double begin_ms = spt_work_ms();
	SptTimeline *timeline = spt_timeline_new(document->whole->profile, request);

	g_debug("a timeline in %.2f ms of CPU time", spt_work_ms() - begin_ms);
	return timeline;
}

GPtrArray *spt_document_lock_waits(SptDocument *document)
{
	GPtrArray *waits;

	g_mutex_lock(&document->recording->symbols_lock);
	waits = spt_lock_waits(document->recording->capture, document->recording->symbols,
			       spt_restrictions_filter(document->look.restrictions));
	g_mutex_unlock(&document->recording->symbols_lock);
	return waits;
}

GArray *spt_document_chart(const SptDocument *document, const SptChartRequest *request)
{
	double begin_ms = spt_work_ms();
	GArray *boxes = spt_chart_new(document->whole->profile, request->tid, request->begin_ns,
				      request->end_ns, request->least_ns);

	g_debug("a chart of %u boxes in %.2f ms of CPU time", boxes->len, spt_work_ms() - begin_ms);
	return boxes;
}

GArray *spt_document_groups(const SptDocument *document, SptGroupKind kind)
{
	return spt_groups_new(document->whole->profile,
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

uint32_t spt_document_first_function(const SptDocument *document)
{
	const SptCapture *capture = document->recording->capture;
	g_autoptr(SptProfile) rest =
		spt_sentences_rest(document->profile, capture, part_of(document));

	return spt_culprit_first(rest ? rest : document->profile, capture);
}
