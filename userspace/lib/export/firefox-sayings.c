/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks, lines of logs and the like as markers of a Firefox profile, behind waits and events. */
#include <inttypes.h>

#include "events/event.h"
#include "export/firefox.h"
#include "export/json-text.h"

#define TYPE "said"

static void saying_append_data(GString *text, const SptSaying *saying)
{
	g_string_append(text, "{\"type\":\"" TYPE "\",\"kind\":");
	spt_json_append_text(text, saying->kind->title);
	g_string_append(text, ",\"category\":");
	spt_json_append_text(text, saying->category);
	g_string_append(text, ",\"text\":");
	spt_json_append_text(text, saying->text);
	if (saying->side != SPT_FLOW_NONE)
		g_string_append_printf(text, ",\"flow\":\"%" PRIu64 "\"", saying->flow);
	g_string_append_c(text, '}');
}

static void saying_append(const struct spt_firefox *firefox, GString *text, const SptSaying *saying,
			  SptFirefoxColumn column)
{
	switch (column) {
	case SPT_FIREFOX_NAME:
		g_string_append_printf(text, "%" PRIu32,
				       firefox->first_saying_name + saying->name_number);
		break;
	case SPT_FIREFOX_BEGIN:
		spt_json_append_ms(text, saying->begin_ns, firefox->input->start_ns);
		break;
	case SPT_FIREFOX_END:
		if (saying->duration_ns)
			spt_json_append_ms(text, saying->begin_ns + saying->duration_ns,
					   firefox->input->start_ns);
		else
			g_string_append(text, "null");
		break;
	case SPT_FIREFOX_PHASE:
		g_string_append_c(text, saying->duration_ns ? '1' : '0');
		break;
	case SPT_FIREFOX_CATEGORY:
		g_string_append_printf(text, "%u", FIREFOX_MARK);
		break;
	case SPT_FIREFOX_DATA:
		saying_append_data(text, saying);
		break;
	}
}

void spt_firefox_write_sayings(struct spt_firefox *firefox, uint32_t thread,
			       SptFirefoxColumn column, bool is_first)
{
	const SptSaying *saying;

	spt_by_thread_begin(firefox->sayings, thread);
	while ((saying = spt_by_thread_next(firefox->sayings))) {
		GString *text = spt_out_text(firefox->out);

		if (!is_first)
			g_string_append_c(text, ',');
		is_first = false;
		saying_append(firefox, text, saying, column);
	}
}

void spt_firefox_append_saying_schema(GString *text)
{
	g_string_append(
		text,
		"{\"name\":\"" TYPE "\",\"tableLabel\":\"{marker.name} {marker.data.text}\","
		"\"chartLabel\":\"{marker.name}\","
		"\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":["
		"{\"key\":\"kind\",\"label\":\"Kind\",\"format\":\"string\"},"
		"{\"key\":\"category\",\"label\":\"Category\",\"format\":\"string\"},"
		"{\"key\":\"text\",\"label\":\"Text\",\"format\":\"string\"},"
		"{\"key\":\"flow\",\"label\":\"Flow\",\"format\":\"string\"}]}");
}

/* Behind those of waits and events. */
void spt_firefox_append_saying_names(struct spt_firefox *firefox)
{
	unsigned n_kinds = 1;

	while (spt_event_kind(n_kinds - 1))
		n_kinds++;
	firefox->first_saying_name = firefox->first_marker_name + n_kinds;
	for (unsigned i = 0; i < firefox->saying_names->len; i++) {
		g_string_append_c(spt_out_text(firefox->out), ',');
		spt_json_append_text(spt_out_text(firefox->out), firefox->saying_names->pdata[i]);
	}
}
