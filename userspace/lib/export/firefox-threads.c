/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of a Firefox profile: who it is, and its samples, column by column. */
#include <inttypes.h>

#include "export/firefox.h"
#include "export/json-text.h"
#include "profile/rows.h"
#include "profile/selection.h"

typedef void (*firefox_append_row)(const struct spt_firefox *firefox, GString *text,
				   const SptProfileRow *row);

bool spt_firefox_has_thread(const struct spt_firefox *firefox, uint32_t thread)
{
	return spt_by_thread_n(firefox->rows, thread) || spt_by_thread_n(firefox->spans, thread) ||
	       spt_by_thread_n(firefox->sayings, thread);
}

static void thread_append_stack(const struct spt_firefox *firefox, GString *text,
				const SptProfileRow *row)
{
	uint32_t node = firefox->numbers.node[row->leaf];

	if (node == SPT_NO_NUMBER)
		g_string_append(text, "null");
	else
		g_string_append_printf(text, "%" PRIu32, node);
}

static void thread_append_time(const struct spt_firefox *firefox, GString *text,
			       const SptProfileRow *row)
{
	spt_json_append_ms(text, row->time, firefox->input->start_ns);
}

/* Times are milliseconds there, exact to the nanosecond. */
static void thread_append_weight(const struct spt_firefox *firefox, GString *text,
				 const SptProfileRow *row)
{
	const SptMetric *metric = spt_profile_metric(firefox->input->profile);

	spt_json_append_decimal(text, row->weight,
				metric->unit == SPT_UNIT_NS && !metric->is_cpu ? 6 : 0);
}

static void thread_append_cpu_time(const struct spt_firefox *firefox, GString *text,
				   const SptProfileRow *row)
{
	g_string_append_printf(text, "%" PRIu64, row->weight * firefox->period_ns);
}

static void thread_write_rows(struct spt_firefox *firefox, uint32_t thread, const char *key,
			      firefox_append_row append)
{
	const SptProfileRow *row;
	bool is_first = true;

	g_string_append_printf(spt_out_text(firefox->out), "\"%s\":[", key);
	spt_by_thread_begin(firefox->rows, thread);
	while ((row = spt_by_thread_next(firefox->rows))) {
		GString *text = spt_out_text(firefox->out);

		if (!is_first)
			g_string_append_c(text, ',');
		is_first = false;
		append(firefox, text, row);
	}
	g_string_append(spt_out_text(firefox->out), "],\n");
}

static const char *thread_weight_type(const SptMetric *metric)
{
	if (metric->unit == SPT_UNIT_BYTES)
		return "bytes";
	return metric->unit == SPT_UNIT_NS && !metric->is_cpu ? "tracing-ms" : "samples";
}

static void thread_write_samples(struct spt_firefox *firefox, uint32_t thread)
{
	g_string_append(spt_out_text(firefox->out), "\"samples\":{");
	thread_write_rows(firefox, thread, "stack", thread_append_stack);
	thread_write_rows(firefox, thread, "time", thread_append_time);
	thread_write_rows(firefox, thread, "weight", thread_append_weight);
	if (firefox->period_ns)
		thread_write_rows(firefox, thread, "threadCPUDelta", thread_append_cpu_time);
	g_string_append_printf(spt_out_text(firefox->out),
			       "\"weightType\":\"%s\",\"length\":%" PRIu64 "},\n",
			       thread_weight_type(spt_profile_metric(firefox->input->profile)),
			       spt_by_thread_n(firefox->rows, thread));
}

static void thread_append_end(GString *text, uint64_t end_time, uint64_t start_ns)
{
	if (end_time)
		spt_json_append_ms(text, end_time, start_ns);
	else
		g_string_append(text, "null");
}

/* A process image and a thread end where the next one of their number may begin. */
static void thread_append_identity(const struct spt_firefox *firefox, GString *text,
				   uint32_t thread)
{
	const SptCapture *capture = firefox->input->capture;
	const SptThreadRow *row = &capture->threads[thread];
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	const char *label = spt_process_label(process);
	uint32_t pid = process ? process->pid : 0;
	uint64_t start_ns = firefox->input->start_ns;

	g_string_append(text, "{\"name\":");
	spt_json_append_text(text, row->name && *row->name ? row->name : label);
	g_string_append(text, ",\"processName\":");
	spt_json_append_text(text, label);
	g_string_append_printf(text,
			       ",\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32
			       ",\"isMainThread\":%s,\"processType\":\"default\","
			       "\"pausedRanges\":[],\n\"processStartupTime\":",
			       pid, row->tid, row->tid == pid ? "true" : "false");
	spt_json_append_ms(text, process ? process->start_time : 0, start_ns);
	g_string_append(text, ",\"processShutdownTime\":");
	thread_append_end(text, process ? process->end_time : 0, start_ns);
	g_string_append(text, ",\"registerTime\":");
	spt_json_append_ms(text, row->start_time, start_ns);
	g_string_append(text, ",\"unregisterTime\":");
	thread_append_end(text, row->end_time, start_ns);
	g_string_append(text, ",\n");
}

void spt_firefox_write_thread(struct spt_firefox *firefox, uint32_t thread)
{
	thread_append_identity(firefox, spt_out_text(firefox->out), thread);
	thread_write_samples(firefox, thread);
	spt_firefox_write_markers(firefox, thread);
	g_string_append_c(spt_out_text(firefox->out), '}');
}
