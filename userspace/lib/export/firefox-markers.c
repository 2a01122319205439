/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits and events of a thread as markers of a Firefox profile, column by column.  A marker's type
 * is its kind, and its schema says how the fields are shown.
 */
#include <inttypes.h>

#include "export/firefox.h"
#include "export/json-text.h"
#include "export/spans.h"
#include "profile/events.h"
#include "profile/selection.h"
#include "profile/waits.h"

typedef void (*firefox_append_span)(const struct spt_firefox *firefox, GString *text,
				    const SptSpan *span);

static void marker_append_name(const struct spt_firefox *firefox, GString *text,
			       const SptSpan *span)
{
	g_string_append_printf(text, "%" PRIu32,
			       firefox->first_marker_name + spt_span_kind_number(span->kind));
}

static void marker_append_begin(const struct spt_firefox *firefox, GString *text,
				const SptSpan *span)
{
	spt_json_append_ms(text, span->begin_ns, firefox->input->start_ns);
}

static void marker_append_end(const struct spt_firefox *firefox, GString *text, const SptSpan *span)
{
	if (span->duration_ns)
		spt_json_append_ms(text, span->begin_ns + span->duration_ns,
				   firefox->input->start_ns);
	else
		g_string_append(text, "null");
}

/* 0: an instant, 1: an interval. */
static void marker_append_phase(G_GNUC_UNUSED const struct spt_firefox *firefox, GString *text,
				const SptSpan *span)
{
	g_string_append_c(text, span->duration_ns ? '1' : '0');
}

static void marker_append_category(G_GNUC_UNUSED const struct spt_firefox *firefox, GString *text,
				   const SptSpan *span)
{
	g_string_append_printf(text, "%u", span->kind ? FIREFOX_EVENT : FIREFOX_WAIT);
}

static void marker_append_data(const struct spt_firefox *firefox, GString *text,
			       const SptSpan *span)
{
	g_string_append_printf(text, "{\"type\":\"%s\"", spt_span_kind_name(span->kind));
	spt_span_append_fields(firefox->input->capture, span, text);
	g_string_append_c(text, '}');
}

static void marker_write_column(struct spt_firefox *firefox, uint32_t thread, const char *key,
				firefox_append_span append, SptFirefoxColumn column)
{
	const SptSpan *span;
	bool is_first = true;

	g_string_append_printf(spt_out_text(firefox->out), "\"%s\":[", key);
	spt_by_thread_begin(firefox->spans, thread);
	while ((span = spt_by_thread_next(firefox->spans))) {
		GString *text = spt_out_text(firefox->out);

		if (!is_first)
			g_string_append_c(text, ',');
		is_first = false;
		append(firefox, text, span);
	}
	spt_firefox_write_sayings(firefox, thread, column, is_first);
	g_string_append(spt_out_text(firefox->out), "],\n");
}

void spt_firefox_write_markers(struct spt_firefox *firefox, uint32_t thread)
{
	g_string_append(spt_out_text(firefox->out), "\"markers\":{");
	marker_write_column(firefox, thread, "name", marker_append_name,
			    SPT_FIREFOX_NAME);
	marker_write_column(firefox, thread, "startTime", marker_append_begin,
			    SPT_FIREFOX_BEGIN);
	marker_write_column(firefox, thread, "endTime", marker_append_end,
			    SPT_FIREFOX_END);
	marker_write_column(firefox, thread, "phase", marker_append_phase,
			    SPT_FIREFOX_PHASE);
	marker_write_column(firefox, thread, "category", marker_append_category,
			    SPT_FIREFOX_CATEGORY);
	marker_write_column(firefox, thread, "data", marker_append_data,
			    SPT_FIREFOX_DATA);
	g_string_append_printf(spt_out_text(firefox->out), "\"length\":%" PRIu64 "}",
			       spt_by_thread_n(firefox->spans, thread) +
				       spt_by_thread_n(firefox->sayings, thread));
}

static void marker_append_schema(GString *text, const SptEventKind *kind)
{
	static const char *const formats[] = {
		[SPT_UNIT_NS] = "nanoseconds",
		[SPT_UNIT_BYTES] = "bytes",
		[SPT_UNIT_EVENTS] = "integer",
		[SPT_UNIT_NUMBER] = "integer",
	};

	g_string_append_printf(text,
			       "{\"name\":\"%s\",\"tableLabel\":\"{marker.data.%s}\","
			       "\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":["
			       "{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"},",
			       spt_span_kind_name(kind), kind ? "what" : "state");
	if (kind)
		g_string_append_printf(
			text,
			"{\"key\":\"what\",\"label\":\"What\",\"format\":\"string\"},"
			"{\"key\":\"value\",\"label\":\"Value\",\"format\":\"%s\"},"
			"{\"key\":\"context\",\"label\":\"Interrupted\",\"format\":\"string\"},"
			"{\"key\":\"holder\",\"label\":\"Holder\",\"format\":\"string\"}]}",
			formats[spt_span_value_unit(kind)]);
	else
		g_string_append(
			text,
			"{\"key\":\"state\",\"label\":\"State\",\"format\":\"string\"},"
			"{\"key\":\"runnable_ns\",\"label\":\"Runnable\",\"format\":\"nanoseconds\"},"
			"{\"key\":\"waker\",\"label\":\"Waker\",\"format\":\"string\"}]}");
}

void spt_firefox_write_schemas(struct spt_firefox *firefox)
{
	g_string_append(spt_out_text(firefox->out), "\"markerSchema\":[");
	marker_append_schema(spt_out_text(firefox->out), NULL);
	for (unsigned i = 0; spt_event_kind(i); i++) {
		if (!spt_event_kind(i)->number)
			continue;
		g_string_append(spt_out_text(firefox->out), ",\n");
		marker_append_schema(spt_out_text(firefox->out), spt_event_kind(i));
	}
	g_string_append(spt_out_text(firefox->out), ",\n");
	spt_firefox_append_saying_schema(spt_out_text(firefox->out));
	g_string_append(spt_out_text(firefox->out), "]");
}

void spt_firefox_append_marker_names(struct spt_firefox *firefox, bool is_first)
{
	g_string_append_printf(spt_out_text(firefox->out), "%s\"%s\"", is_first ? "" : ",\n",
			       spt_span_kind_name(NULL));
	for (unsigned i = 0; spt_event_kind(i); i++)
		g_string_append_printf(spt_out_text(firefox->out), ",\"%s\"",
				       spt_span_kind_name(spt_event_kind(i)));
	spt_firefox_append_saying_names(firefox);
}
