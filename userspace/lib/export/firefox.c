/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile for the Firefox Profiler (profiler.firefox.com, profiler-cli): its "processed" JSON, in
 * the oldest version in which threads share their tables.  Newer programs upgrade it.
 */
#include <inttypes.h>

#include "base/words.h"
#include "export/firefox.h"
#include "export/json-text.h"
#include "export/spans.h"
#include "profile/command.h"
#include "profile/rows.h"
#include "profile/selection.h"
#include "profile/tracks.h"

#define FORMAT_VERSION 60
#define GECKO_VERSION  29
#define NS_PER_MS      1000000

static bool firefox_next_row(gpointer rows, gpointer ret)
{
	return spt_profile_rows_next(rows, ret);
}

static bool firefox_next_span(gpointer spans, gpointer ret)
{
	return spt_spans_next(spans, ret);
}

static const SptWalkType rows_walk = { firefox_next_row, sizeof(SptProfileRow),
				       offsetof(SptProfileRow, thread) };
static const SptWalkType spans_walk = { firefox_next_span, sizeof(SptSpan),
					offsetof(SptSpan, thread) };

static bool firefox_next_saying(gpointer sayings, gpointer ret)
{
	return spt_sayings_next(sayings, ret);
}

static const SptWalkType sayings_walk = { firefox_next_saying, sizeof(SptSaying),
					  offsetof(SptSaying, thread) };

static GHashTable *firefox_find_files(const SptCapture *capture)
{
	GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (uint32_t i = 1; i < capture->n_objects; i++) {
		const SptObjectRow *object = &capture->objects[i];
		char *name;

		if (object->kind != SPT_OBJECT_FILE || !object->path)
			continue;
		name = g_path_get_basename(object->path);
		g_hash_table_insert(files, name,
				    GUINT_TO_POINTER(g_hash_table_contains(files, name) ? 0 : i));
	}
	return files;
}

static void firefox_append_host(GString *text, const SptCapture *capture, const char *key,
				const char *from)
{
	const char *value = spt_capture_host(capture, from);

	if (!value)
		return;
	g_string_append_printf(text, "\"%s\":", key);
	spt_json_append_text(text, value);
	g_string_append(text, ",");
}

static void firefox_append_product(GString *text, const SptCapture *capture)
{
	g_autofree char *command = spt_command_name(capture);

	g_string_append(text, "\"product\":");
	spt_json_append_text(text, command ? command : "Sysprof");
	g_string_append(text, ",");
}

/* The name of what the weights are, and what is missing, on the page about the profile. */
static void firefox_append_extra(GString *text, const SptExportInput *input)
{
	const SptCapture *capture = input->capture;
	uint64_t lost = 0;

	for (uint64_t i = 0; i < capture->n_losses; i++)
		lost += capture->losses[i].weight;
	g_string_append(text, "\"extra\":[{\"label\":\"Sysprof\",\"entries\":["
			      "{\"label\":\"Metric\",\"format\":\"string\",\"value\":");
	spt_json_append_text(text, spt_profile_metric(input->profile)->name);
	g_string_append_printf(
		text,
		"},{\"label\":\"Lost periods\",\"format\":\"integer\",\"value\":%" PRIu64 "}]}],\n",
		lost);
}

static void firefox_write_meta(struct spt_firefox *firefox)
{
	const SptExportInput *input = firefox->input;
	const SptCapture *capture = input->capture;
	GString *text = spt_out_text(firefox->out);
	uint64_t period_ns = spt_capture_period_ns(capture);

	if (!period_ns)
		period_ns = NS_PER_MS;
	g_string_append_printf(text,
			       "{\"meta\":{\"preprocessedProfileVersion\":%d,\"version\":%d,"
			       "\"interval\":",
			       FORMAT_VERSION, GECKO_VERSION);
	spt_json_append_decimal(text, period_ns, 6);
	g_string_append(text, ",\"startTime\":");
	spt_json_append_decimal(text, spt_command_fact(capture, "start_realtime_ns"), 6);
	g_string_append_printf(text, ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":%" PRIu64,
			       input->start_ns);
	g_string_append(text, ",\"profilingStartTime\":");
	spt_json_append_ms(text, input->begin_ns, input->start_ns);
	/* What is at the very end is no part of the range there. */
	g_string_append(text, ",\"profilingEndTime\":");
	spt_json_append_ms(text, input->end_ns + period_ns, input->start_ns);
	g_string_append(text, ",\n");
	firefox_append_product(text, capture);
	firefox_append_host(text, capture, "oscpu", "kernel");
	firefox_append_host(text, capture, "arguments", "command");
	if (spt_command_fact(capture, "cpus"))
		g_string_append_printf(text, "\"logicalCPUs\":%" PRIu64 ",",
				       spt_command_fact(capture, "cpus"));
	firefox_append_extra(text, input);
	g_string_append(
		text,
		"\"importedFrom\":\"Sysprof\",\"stackwalk\":1,\"processType\":0,\"debug\":false,"
		"\"symbolicated\":true,\"symbolicationNotSupported\":true,"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n"
		"\"categories\":["
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"User\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Wait\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Event\",\"color\":\"purple\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Mark\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],\n");
	spt_firefox_write_schemas(firefox);
	g_string_append(spt_out_text(firefox->out), "},\n");
}

/* The values of a counter are differences there. */
static void firefox_write_counter(struct spt_firefox *firefox, const SptTrack *track,
				  const char *pid)
{
	bool is_bytes = g_strcmp0(track->unit, "bytes") == 0;
	GString *text = spt_out_text(firefox->out);
	uint64_t last = 0;

	g_string_append(text, "{\"name\":");
	spt_json_append_text(text, track->name);
	g_string_append_printf(text,
			       ",\"category\":\"%s\",\"description\":\"\",\"pid\":\"%s\","
			       "\"mainThreadIndex\":0,\n\"display\":{\"graphType\":"
			       "\"line-accumulated\",\"unit\":\"%s\",\"color\":\"%s\","
			       "\"markerSchemaLocation\":null,\"sortWeight\":20,\"label\":",
			       is_bytes ? "Memory" : "Counter", pid, is_bytes ? "bytes" : "",
			       is_bytes ? "orange" : "blue");
	spt_json_append_text(text, track->name);
	g_string_append(text, "},\n\"samples\":{\"time\":[");
	for (unsigned i = 0; i < track->events->len; i++) {
		text = spt_out_text(firefox->out);
		g_string_append(text, i ? "," : "");
		spt_json_append_ms(text, g_array_index(track->events, SptTrackEvent, i).time,
				   firefox->input->start_ns);
	}
	g_string_append(spt_out_text(firefox->out), "],\n\"count\":[");
	for (unsigned i = 0; i < track->events->len; i++) {
		uint64_t value = g_array_index(track->events, SptTrackEvent, i).value;

		g_string_append_printf(spt_out_text(firefox->out), "%s%" PRId64, i ? "," : "",
				       (int64_t)(value - last));
		last = value;
	}
	g_string_append_printf(spt_out_text(firefox->out), "],\"length\":%u}}", track->events->len);
}

/* Counters are of the whole machine; each needs a thread to stand beside. */
static void firefox_write_counters(struct spt_firefox *firefox, uint32_t first_thread)
{
	const SptCapture *capture = firefox->input->capture;
	g_autoptr(GPtrArray) tracks = spt_tracks_new(capture);
	const SptProcessRow *process = spt_process_of_thread(capture, first_thread);
	g_autofree char *pid = g_strdup_printf("%" PRIu32, process ? process->pid : 0);
	bool is_first = true;

	g_string_append(spt_out_text(firefox->out), ",\n\"counters\":[");
	for (unsigned i = 0; i < tracks->len; i++) {
		const SptTrack *track = tracks->pdata[i];

		if (track->kind != SPT_STREAM_COUNTER)
			continue;
		g_string_append(spt_out_text(firefox->out), is_first ? "" : ",\n");
		firefox_write_counter(firefox, track, pid);
		is_first = false;
	}
	g_string_append(spt_out_text(firefox->out), "]");
}

static void firefox_write_threads(struct spt_firefox *firefox)
{
	uint32_t first = UINT32_MAX;

	g_string_append(spt_out_text(firefox->out), "\"threads\":[\n");
	for (uint32_t i = 0; i < firefox->input->capture->n_threads; i++) {
		if (!spt_firefox_has_thread(firefox, i))
			continue;
		g_string_append(spt_out_text(firefox->out), first == UINT32_MAX ? "" : ",\n");
		first = MIN(first, i);
		spt_firefox_write_thread(firefox, i);
	}
	g_string_append(spt_out_text(firefox->out), "]");
	if (first != UINT32_MAX)
		firefox_write_counters(firefox, first);
	g_string_append(spt_out_text(firefox->out), "}\n");
}

static bool write_firefox(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	const SptCapture *capture = input->capture;
	const SptMetric *metric = spt_profile_metric(input->profile);
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(input->base, input->filter);
	g_autoptr(SptSpans) spans = spt_spans_new(capture, input->filter);
	g_autoptr(SptSayings) sayings = spt_sayings_new(capture, input->filter);
	struct spt_firefox firefox = {
		.input = input,
		.out = out,
		.files = firefox_find_files(capture),
		.period_ns = metric->is_cpu ? spt_capture_period_ns(capture) : 0,
		.rows = spt_by_thread_new(&rows_walk, rows, capture->n_threads),
		.spans = spt_by_thread_new(&spans_walk, spans, capture->n_threads),
		.sayings = spt_by_thread_new(&sayings_walk, sayings, capture->n_threads),
		.saying_names = spt_sayings_names(sayings),
	};

	spt_numbers_init(&firefox.numbers, input->profile);
	firefox_write_meta(&firefox);
	spt_firefox_write_libs(&firefox);
	spt_firefox_write_shared(&firefox);
	firefox_write_threads(&firefox);
	spt_numbers_clear(&firefox.numbers);
	g_hash_table_unref(firefox.files);
	spt_by_thread_free(firefox.rows);
	spt_by_thread_free(firefox.spans);
	spt_by_thread_free(firefox.sayings);
	return true;
}

const SptExport spt_export_firefox = {
	.name = "firefox",
	.ending = ".firefox.json",
	.help = "threads, samples, waits and events for profiler.firefox.com",
	.menu = SPT_WORDS("Export Firef_ox Profile (JSON)…"),
	.needs = SPT_EXPORT_NEEDS_SAMPLES,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_TIMES |
		   SPT_EXPORT_CARRIES_WAITS | SPT_EXPORT_CARRIES_COUNTERS,
	.write = write_firefox,
};
