/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chrome's trace event JSON, for chrome://tracing, Perfetto and speedscope.  Programs that read it
 * take a sample for the state of its thread until the next one.  So each sample is at the beginning
 * of what it represents, and where nothing follows, there is one of an idle thread, without weight.
 */
#include <inttypes.h>

#include "base/words.h"
#include "export/chrome.h"
#include "export/cpu-use.h"
#include "export/json-text.h"
#include "export/spans.h"
#include "profile/rows.h"
#include "profile/selection.h"
#include "profile/tracks.h"

#define IDLE	    "[idle]"
#define MACHINE_PID 0

GString *spt_chrome_next_event(struct spt_chrome *chrome)
{
	GString *text = spt_out_text(chrome->out);

	g_string_append(text, chrome->has_events ? ",\n" : "\n");
	chrome->has_events = true;
	return text;
}

void spt_chrome_append_us(const struct spt_chrome *chrome, GString *text, const char *key,
			     uint64_t time)
{
	uint64_t start_ns = chrome->input->start_ns;

	g_string_append_printf(text, ",\"%s\":", key);
	spt_json_append_decimal(text, time > start_ns ? time - start_ns : 0, 3);
}

void spt_chrome_append_thread(const struct spt_chrome *chrome, GString *text, uint32_t thread)
{
	const SptCapture *capture = chrome->input->capture;
	const SptProcessRow *process = spt_process_of_thread(capture, thread);

	g_string_append_printf(text, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
			       process ? process->pid : 0, capture->threads[thread].tid);
}

/* Waits and events. */

static void chrome_append_fields(const struct spt_chrome *chrome, GString *text,
				 const SptSpan *span)
{
	g_string_append_printf(text, ",\"args\":{\"kind\":\"%s\"", spt_span_kind_name(span->kind));
	spt_span_append_fields(chrome->input->capture, span, text);
	g_string_append(text, "}}");
}

static void chrome_write_part(struct spt_chrome *chrome, const SptSpan *span, const char *phase,
			      uint64_t time)
{
	GString *text = spt_chrome_next_event(chrome);

	g_string_append_printf(text, "{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":", phase,
			       spt_span_kind_name(span->kind));
	spt_json_append_text(text, span->what ? span->what : spt_span_kind_name(span->kind));
	spt_chrome_append_thread(chrome, text, span->thread);
	spt_chrome_append_us(chrome, text, "ts", time);
}

/* Requests to a disk overlap, which slices of one thread must not. */
static void chrome_write_overlapping(struct spt_chrome *chrome, const SptSpan *span)
{
	uint64_t id = ++chrome->n_overlapping;

	chrome_write_part(chrome, span, "b", span->begin_ns);
	g_string_append_printf(spt_out_text(chrome->out), ",\"id\":%" PRIu64, id);
	chrome_append_fields(chrome, spt_out_text(chrome->out), span);
	chrome_write_part(chrome, span, "e", span->begin_ns + span->duration_ns);
	g_string_append_printf(spt_out_text(chrome->out), ",\"id\":%" PRIu64 "}", id);
}

static void chrome_write_span(struct spt_chrome *chrome, const SptSpan *span)
{
	uint64_t start_ns = chrome->input->start_ns, end = span->begin_ns + span->duration_ns;
	GString *text;

	if (span->kind && span->duration_ns && span->kind->detail == SPT_EVENT_DEPTH) {
		chrome_write_overlapping(chrome, span);
		return;
	}
	chrome_write_part(chrome, span, span->duration_ns ? "X" : "i", span->begin_ns);
	text = spt_out_text(chrome->out);
	if (span->duration_ns) {
		/* What began before the recording is cut there. */
		g_string_append(text, ",\"dur\":");
		spt_json_append_decimal(text, end - MIN(MAX(span->begin_ns, start_ns), end), 3);
	} else {
		g_string_append(text, ",\"s\":\"t\"");
	}
	chrome_append_fields(chrome, text, span);
}

static void chrome_write_spans(struct spt_chrome *chrome)
{
	const SptCapture *capture = chrome->input->capture;
	g_autoptr(SptSpans) spans = spt_spans_new(capture, chrome->input->filter);
	SptSpan span;

	while (spt_spans_next(spans, &span)) {
		if (span.thread >= capture->n_threads)
			continue;
		chrome->is_seen[span.thread] = true;
		chrome_write_span(chrome, &span);
	}
}

/* Counters. */

static GString *chrome_begin_counter(struct spt_chrome *chrome, const char *name, uint64_t time)
{
	GString *text = spt_chrome_next_event(chrome);

	g_string_append(text, "{\"ph\":\"C\",\"name\":");
	spt_json_append_text(text, name);
	g_string_append_printf(text, ",\"pid\":%d", MACHINE_PID);
	spt_chrome_append_us(chrome, text, "ts", time);
	return text;
}

static void chrome_write_track(struct spt_chrome *chrome, const SptTrack *track)
{
	for (unsigned i = 0; i < track->events->len; i++) {
		const SptTrackEvent *event = &g_array_index(track->events, SptTrackEvent, i);
		GString *text = chrome_begin_counter(chrome, track->name, event->time);

		g_string_append(text, ",\"args\":{");
		spt_json_append_text(text, track->unit ? track->unit : "value");
		g_string_append_c(text, ':');
		spt_json_append_double(text, event->value);
		g_string_append(text, "}}");
	}
}

static void chrome_write_tracks(struct spt_chrome *chrome)
{
	g_autoptr(GPtrArray) tracks = spt_tracks_new(chrome->input->capture);

	for (unsigned i = 0; i < tracks->len; i++) {
		const SptTrack *track = tracks->pdata[i];

		if (track->kind == SPT_STREAM_COUNTER)
			chrome_write_track(chrome, track);
	}
}

static void chrome_write_use(gpointer data, uint32_t cpu, uint64_t time, unsigned user,
			     unsigned kernel)
{
	g_autofree char *name = g_strdup_printf("CPU %" PRIu32, cpu);

	g_string_append_printf(chrome_begin_counter(data, name, time),
			       ",\"args\":{\"user %%\":%u,\"kernel %%\":%u}}", user, kernel);
}

/* Samples. */

static void chrome_write_sample(struct spt_chrome *chrome, uint32_t thread, uint32_t cpu,
				uint64_t time, uint32_t frame, uint64_t weight)
{
	GString *text = spt_out_text(chrome->out);

	g_string_append(text, chrome->has_samples ? ",\n{\"name\":" : "\n{\"name\":");
	chrome->has_samples = true;
	spt_json_append_text(text, chrome->metric->name);
	g_string_append_printf(text, ",\"cpu\":%" PRIu32, cpu);
	spt_chrome_append_thread(chrome, text, thread);
	spt_chrome_append_us(chrome, text, "ts", time);
	g_string_append_printf(text, ",\"sf\":%" PRIu32 ",\"weight\":%" PRIu64 "}", frame, weight);
}

/* Frames count from 1: some programs take 0 for none.  The last one is of an idle thread. */
static uint32_t chrome_frame_of(const struct spt_chrome *chrome, uint32_t leaf)
{
	uint32_t node = chrome->numbers.node[leaf];

	return node == SPT_NO_NUMBER ? 0 : node + 1;
}

static uint32_t chrome_idle_frame(const struct spt_chrome *chrome)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < chrome->numbers.n_nodes; i++)
		n += chrome->numbers.node[i] != SPT_NO_NUMBER;
	return n + 1;
}

/*
 * A tick is a little early or late, by less than half of a period: so neighbours are still side by
 * side.
 */
static void chrome_write_row(struct spt_chrome *chrome, const SptProfileRow *row, uint32_t idle)
{
	uint32_t first = chrome->first[row->thread];
	uint64_t length_ns = chrome->period_ns ? row->weight * chrome->period_ns : row->duration_ns,
		 begin = row->time - MIN(length_ns, row->time), *end = &chrome->ends[first];

	if (length_ns == 0) {
		begin = row->time;
	} else if (*end && begin > *end + chrome->period_ns / 2) {
		chrome_write_sample(chrome, first, row->cpu, *end, idle, 0);
	} else if (*end) {
		begin = *end;
	}
	chrome_write_sample(chrome, row->thread, row->cpu, begin,
			    chrome_frame_of(chrome, row->leaf), row->weight);
	*end = row->time;
	chrome->is_seen[row->thread] = true;
}

static void chrome_write_samples(struct spt_chrome *chrome)
{
	const SptExportInput *input = chrome->input;
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(input->base, input->filter);
	uint32_t idle = chrome_idle_frame(chrome);
	SptProfileRow row;

	while (spt_profile_rows_next(rows, &row))
		if (row.thread < input->capture->n_threads)
			chrome_write_row(chrome, &row, idle);
	for (uint32_t i = 0; i < input->capture->n_threads; i++)
		if (chrome->ends[i])
			chrome_write_sample(chrome, i, 0, chrome->ends[i], idle, 0);
}

static void chrome_write_frames(struct spt_chrome *chrome)
{
	const SptNumbers *numbers = &chrome->numbers;

	for (uint32_t i = 0; i < numbers->n_nodes; i++) {
		const SptFunction *function;
		uint32_t parent;
		GString *text;

		if (numbers->node[i] == SPT_NO_NUMBER)
			continue;
		text = spt_out_text(chrome->out);
		function = &numbers->functions[numbers->nodes[i].function];
		parent = spt_numbers_parent(numbers, i);
		g_string_append_printf(text, "\"%" PRIu32 "\":{\"name\":", numbers->node[i] + 1);
		spt_json_append_text(text, function->name);
		g_string_append(text, ",\"category\":");
		spt_json_append_text(text, function->object);
		if (parent != SPT_NO_NUMBER)
			g_string_append_printf(text, ",\"parent\":%" PRIu32, parent + 1);
		g_string_append(text, "},\n");
	}
	g_string_append_printf(spt_out_text(chrome->out),
			       "\"%" PRIu32 "\":{\"name\":\"" IDLE "\",\"category\":\"\"}",
			       chrome_idle_frame(chrome));
}

/* Names. */

static void chrome_write_name(struct spt_chrome *chrome, const char *what, uint32_t thread,
			      const char *name)
{
	GString *text = spt_chrome_next_event(chrome);

	g_string_append_printf(text, "{\"ph\":\"M\",\"name\":\"%s\"", what);
	spt_chrome_append_thread(chrome, text, thread);
	g_string_append(text, ",\"args\":{\"name\":");
	spt_json_append_text(text, name);
	g_string_append(text, "}}");
}

/* A process that execs has several names; the last one counts. */
static void chrome_write_names(struct spt_chrome *chrome)
{
	const SptCapture *capture = chrome->input->capture;

	for (uint32_t i = 0; i < capture->n_threads; i++) {
		const char *name = capture->threads[i].name,
			   *label = spt_process_label(spt_process_of_thread(capture, i));

		if (!chrome->is_seen[i])
			continue;
		chrome_write_name(chrome, "process_name", i, label);
		chrome_write_name(chrome, "thread_name", i, name && *name ? name : label);
	}
}

static bool write_chrome(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	const SptCapture *capture = input->capture;
	const SptMetric *metric = spt_profile_metric(input->profile);
	struct spt_chrome chrome = {
		.input = input,
		.out = out,
		.metric = metric,
		.period_ns = metric->is_cpu ? spt_capture_period_ns(capture) : 0,
		.first = spt_first_threads(capture),
		.ends = g_new0(uint64_t, (size_t)capture->n_threads + 1),
		.is_seen = g_new0(bool, (size_t)capture->n_threads + 1),
	};

	spt_numbers_init(&chrome.numbers, input->profile);
	g_string_append(spt_out_text(out), "{\"samples\":[");
	chrome_write_samples(&chrome);
	g_string_append(spt_out_text(out), "],\n\"stackFrames\":{\n");
	chrome_write_frames(&chrome);
	g_string_append(spt_out_text(out), "},\n\"otherData\":{\"metric\":");
	spt_json_append_text(spt_out_text(out), metric->name);
	g_string_append_printf(spt_out_text(out),
			       ",\"unit\":\"%s\",\"period_ns\":%" PRIu64
			       "},\n\"traceEvents\":[",
			       metric->is_cpu ? "periods" : spt_unit_name(metric->unit),
			       spt_capture_period_ns(capture));
	chrome_write_spans(&chrome);
	spt_chrome_write_sayings(&chrome);
	chrome_write_names(&chrome);
	spt_cpu_use_walk(input, chrome_write_use, &chrome);
	chrome_write_tracks(&chrome);
	g_string_append(spt_out_text(out), "]}\n");
	spt_numbers_clear(&chrome.numbers);
	g_free(chrome.first);
	g_free(chrome.ends);
	g_free(chrome.is_seen);
	return true;
}

const SptExport spt_export_chrome = {
	.name = "chrome",
	.ending = ".trace.json",
	.help = "the same for chrome://tracing and speedscope",
	.menu = SPT_WORDS("Export Chro_me Trace (JSON)…"),
	.needs = SPT_EXPORT_NEEDS_SAMPLES,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_TIMES |
		   SPT_EXPORT_CARRIES_WAITS | SPT_EXPORT_CARRIES_COUNTERS,
	.write = write_chrome,
};
