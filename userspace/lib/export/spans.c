/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/spans.h"

#include <inttypes.h>
#include <string.h>

#include "capture/stream-rows.h"
#include "events/facts.h"
#include "export/json-text.h"
#include "profile/events.h"
#include "profile/selection.h"
#include "profile/waits.h"

struct SptSpans {
	const SptCapture *capture;
	struct spt_selection selection;
	GHashTable *names;	 /* of events: struct place -> text of the capture */
	SptStreamReader *reader; /* NULL: before the first row */
	bool is_at_events;
	union {
		const void *rows; /* those that were read and not returned yet */
		const SptWaitRow *waits;
		const SptEventRow *events;
	};
	uint32_t n_rows;
};

static guint span_hash_place(gconstpointer data)
{
	const SptFrame *place = data;
	uint64_t hash = (place->offset ^ (uint64_t)place->object << 40) * 0x9e3779b97f4a7c15u;

	return (guint)(hash >> 32);
}

static gboolean span_is_same_place(gconstpointer a, gconstpointer b)
{
	const SptFrame *x = a, *y = b;

	return x->offset == y->offset && x->object == y->object;
}

static bool span_is_event_object(const SptCapture *capture, uint32_t object)
{
	return object < capture->n_objects && capture->objects[object].path &&
	       strcmp(capture->objects[object].path, SPT_EVENT_OBJECT) == 0;
}

/* The innermost frame of an event says what it was, in an object that has only such names. */
static GHashTable *spans_find_names(const SptCapture *capture)
{
	GHashTable *names =
		g_hash_table_new_full(span_hash_place, span_is_same_place, g_free, NULL);

	for (uint64_t i = 0; i < capture->n_names; i++) {
		const SptNameRow *row = &capture->names[i];
		const SptFrame place = { .object = row->object, .offset = row->offset };

		if (span_is_event_object(capture, row->object) && *row->symbol)
			g_hash_table_insert(names, g_memdup2(&place, sizeof(place)),
					    (gpointer)row->symbol);
	}
	return names;
}

SptSpans *spt_spans_new(const SptCapture *capture, const SptFilter *filter)
{
	SptSpans *spans = g_new0(SptSpans, 1);

	spans->capture = capture;
	spans->names = spans_find_names(capture);
	spt_selection_init(&spans->selection, capture, filter);
	return spans;
}

void spt_spans_free(SptSpans *spans)
{
	if (!spans)
		return;
	spt_stream_reader_free(spans->reader);
	spt_selection_clear(&spans->selection);
	g_hash_table_unref(spans->names);
	g_free(spans);
}

const char *spt_span_kind_name(const SptEventKind *kind)
{
	return kind ? kind->name : "wait";
}

/* False: the last row of the last stream was returned. */
static bool spans_fill(SptSpans *spans)
{
	while (!spans->n_rows) {
		if (!spans->reader)
			spans->reader = spt_stream_reader_new(spans->capture,
							      spans->is_at_events ? SPT_ROW_EVENT :
										    SPT_ROW_WAIT);
		spans->rows = spt_stream_reader_next(spans->reader, &spans->n_rows);
		if (spans->rows)
			break;
		spans->n_rows = 0;
		g_clear_pointer(&spans->reader, spt_stream_reader_free);
		spans->is_at_events = !spans->is_at_events;
		if (!spans->is_at_events)
			return false;
	}
	return true;
}

static SptSpan span_of_wait(const SptWaitRow *wait)
{
	uint64_t duration_ns = MIN(wait->duration_ns, wait->time);

	return (SptSpan){
		.begin_ns = wait->time - duration_ns,
		.duration_ns = duration_ns,
		.runnable_ns = MIN(wait->runnable_ns, duration_ns),
		.weight = wait->weight_ns,
		.thread = wait->thread,
		.cpu = wait->cpu,
		.cpu_before = wait->cpu_before,
		.other = wait->waker,
		.state = wait->state,
		.context = wait->waker_context,
		.flags = wait->flags,
	};
}

static SptSpan span_of_event(const SptSpans *spans, const SptEventRow *event)
{
	const SptCapture *capture = spans->capture;
	uint64_t duration_ns = MIN(event->duration_ns, event->time);

	return (SptSpan){
		.begin_ns = event->time - duration_ns,
		.duration_ns = duration_ns,
		.value = event->value,
		.weight = event->weight,
		.kind = spt_event_kind_of(event->kind),
		.what = event->node < capture->n_nodes ?
				g_hash_table_lookup(spans->names,
						    &capture->nodes[event->node].frame) :
				NULL,
		.thread = event->thread,
		.cpu = event->cpu,
		.other = event->holder,
		.context = event->context,
	};
}

static bool span_is_wanted(const SptSpans *spans, const SptSpan *span)
{
	const struct spt_selection *selection = &spans->selection;

	return spt_selection_has_place(selection, span->thread, span->cpu) &&
	       span->begin_ns + span->duration_ns >= selection->begin_ns &&
	       span->begin_ns < selection->end_ns && (!spans->is_at_events || span->kind) &&
	       (!selection->moments || spt_moments_have(selection->moments, span->thread,
							span->begin_ns));
}

bool spt_spans_next(SptSpans *spans, SptSpan *ret)
{
	while (spans_fill(spans)) {
		spans->n_rows--;
		*ret = spans->is_at_events ? span_of_event(spans, spans->events++) :
					     span_of_wait(spans->waits++);
		if (span_is_wanted(spans, ret))
			return true;
	}
	return false;
}

unsigned spt_span_kind_number(const SptEventKind *kind)
{
	unsigned i = 0;

	while (kind && spt_event_kind(i) && spt_event_kind(i) != kind)
		i++;
	return kind ? i + 1 : 0;
}

/* The metric that shows the value: one of the column with that name, or the first one. */
static const SptEventMetric *span_metric(const SptEventKind *kind)
{
	const SptEventMetric *metric = kind->metrics;

	while (metric && metric->name && metric->weight != SPT_EVENT_VALUE)
		metric++;
	return metric && metric->name ? metric : kind->metrics;
}

SptUnit spt_span_value_unit(const SptEventKind *kind)
{
	const SptEventMetric *metric = span_metric(kind);

	return metric ? metric->unit : SPT_UNIT_EVENTS;
}

/* "name (tid)" */
static void span_append_thread(const SptCapture *capture, uint32_t thread, const char *key,
			       GString *text)
{
	const SptThreadRow *row = &capture->threads[thread];
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	g_autofree char *name =
		g_strdup_printf("%s (%" PRIu32 ")",
				row->name && *row->name ? row->name : spt_process_label(process),
				row->tid);

	g_string_append_printf(text, ",\"%s\":", key);
	spt_json_append_text(text, name);
}

static void span_append_wait_fields(const SptCapture *capture, const SptSpan *span, GString *text)
{
	g_string_append_printf(text, ",\"state\":\"%s\",\"runnable_ns\":%" PRIu64,
			       spt_wait_state_name(span->state), span->runnable_ns);
	if (span->other && span->other < capture->n_threads)
		span_append_thread(capture, span->other, "waker", text);
	else if (span->state >= SPT_STATE_SLEEP && span->state <= SPT_STATE_OTHER &&
		 span->context != SPT_IN_TASK)
		g_string_append_printf(text, ",\"waker\":\"%s\"", spt_context_name(span->context));
}

void spt_span_append_fields(const SptCapture *capture, const SptSpan *span, GString *text)
{
	const SptEventMetric *metric = span->kind ? span_metric(span->kind) : NULL;

	g_string_append_printf(text, ",\"cpu\":%" PRIu32, span->cpu);
	if (!span->kind) {
		span_append_wait_fields(capture, span, text);
		return;
	}
	if (span->what) {
		g_string_append(text, ",\"what\":");
		spt_json_append_text(text, span->what);
	}
	g_string_append_printf(text, ",\"value\":%" PRIu64 ",\"context\":\"%s\"",
			       metric && metric->weight == SPT_EVENT_VALUE ? span->value :
									     span->weight,
			       spt_context_name(span->context));
	if (span->other && span->other < capture->n_threads)
		span_append_thread(capture, span->other, "holder", text);
}
