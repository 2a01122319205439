/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks and the like in Chrome's JSON: slices of their thread, instants, and arrows of flows.
 * Slices of one thread must not cross, and what belongs to no thread has none: those are
 * asynchronous.
 */
#include "export/chrome.h"

#include <inttypes.h>

#include "export/json-text.h"
#include "export/sayings.h"

static void append_begin(struct spt_chrome *chrome, const SptSaying *saying, const char *phase,
			 uint64_t time)
{
	g_autofree char *category =
		*saying->category ? g_strdup_printf("%s,%s", saying->kind->name, saying->category) :
				    g_strdup(saying->kind->name);
	GString *text = spt_chrome_next_event(chrome);

	g_string_append_printf(text, "{\"ph\":\"%s\",\"cat\":", phase);
	spt_json_append_text(text, category);
	g_string_append(text, ",\"name\":");
	spt_json_append_text(text, saying->name);
	spt_chrome_append_thread(chrome, text, saying->thread);
	spt_chrome_append_us(chrome, text, "ts", time);
}

static void append_args(struct spt_chrome *chrome, const SptSaying *saying)
{
	GString *text = spt_out_text(chrome->out);

	g_string_append(text, ",\"args\":{\"text\":");
	spt_json_append_text(text, saying->text);
	g_string_append(text, "}}");
}

static void write_async(struct spt_chrome *chrome, const SptSaying *saying)
{
	uint64_t id = ++chrome->n_overlapping;

	append_begin(chrome, saying, "b", saying->begin_ns);
	g_string_append_printf(spt_out_text(chrome->out), ",\"id\":%" PRIu64, id);
	append_args(chrome, saying);
	append_begin(chrome, saying, "e", saying->begin_ns + saying->duration_ns);
	g_string_append_printf(spt_out_text(chrome->out), ",\"id\":%" PRIu64 "}", id);
}

/* An arrow needs a slice on both sides, if only a short one. */
static void write_flow(struct spt_chrome *chrome, const SptSaying *saying)
{
	bool is_begin = saying->side == SPT_FLOW_BEGIN;

	append_begin(chrome, saying, "X", saying->begin_ns);
	g_string_append(spt_out_text(chrome->out), ",\"dur\":0.001");
	append_args(chrome, saying);
	append_begin(chrome, saying, is_begin ? "s" : "f", saying->begin_ns);
	g_string_append_printf(spt_out_text(chrome->out), ",\"id\":%" PRIu64 "%s}", saying->flow,
			       is_begin ? "" : ",\"bp\":\"e\"");
}

static void write_saying(struct spt_chrome *chrome, const SptSaying *saying)
{
	uint64_t start_ns = chrome->input->start_ns,
		 end = saying->begin_ns + saying->duration_ns;

	if (saying->side != SPT_FLOW_NONE) {
		write_flow(chrome, saying);
	} else if (saying->duration_ns && (!saying->thread || saying->crosses)) {
		write_async(chrome, saying);
	} else {
		append_begin(chrome, saying, saying->duration_ns ? "X" : "i", saying->begin_ns);
		if (saying->duration_ns) {
			g_string_append(spt_out_text(chrome->out), ",\"dur\":");
			spt_json_append_decimal(spt_out_text(chrome->out),
						end - MIN(MAX(saying->begin_ns, start_ns), end), 3);
		} else {
			g_string_append(spt_out_text(chrome->out), ",\"s\":\"t\"");
		}
		append_args(chrome, saying);
	}
}

void spt_chrome_write_sayings(struct spt_chrome *chrome)
{
	g_autoptr(SptSayings) sayings =
		spt_sayings_new(chrome->input->capture, chrome->input->filter);
	SptSaying saying;

	while (spt_sayings_next(sayings, &saying)) {
		chrome->is_seen[saying.thread] = true;
		write_saying(chrome, &saying);
	}
}
