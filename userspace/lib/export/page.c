/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page by itself, to be mailed: the summary, the use of CPUs over time, where a range can be
 * chosen, a flame graph, the functions, and the call tree.  It refers to nothing outside of it, and
 * its policy forbids all but its own script, which is named by its hash.  Without scripts there are
 * still the summary and the heaviest functions.
 */
#include <inttypes.h>
#include <string.h>

#include "base/words.h"
#include "export/json-text.h"
#include "export/page-data.h"
#include "export/page-script.h"
#include "export/svg.h"
#include "profile/command.h"
#include "profile/sentences.h"
#include "profile/span.h"
#include "profile/summary.h"
#include "profile/wholeness.h"

#define TOP_SHOWN 100

struct page {
	const SptExportInput *input;
	SptPageData data;
	SptOut *out;
};

static void page_add(struct page *page, const char *markup)
{
	g_string_append(spt_out_text(page->out), markup);
}

/* @text between <@tag> and its end. */
static void page_add_element(struct page *page, const char *tag, const char *text)
{
	const char *blank = strchr(tag, ' ');
	int name = blank ? (int)(blank - tag) : (int)strlen(tag);
	GString *out = spt_out_text(page->out);

	g_string_append_printf(out, "<%s>", tag);
	spt_svg_append_text(out, text);
	g_string_append_printf(out, "</%.*s>\n", name, tag);
}

/* As policies name a script. */
static char *page_hash_of(const char *script)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize bytes = sizeof(digest);

	g_checksum_update(sum, (const guchar *)script, -1);
	g_checksum_get_digest(sum, digest, &bytes);
	return g_base64_encode(digest, bytes);
}

static void page_write_head(struct page *page, const char *title)
{
	g_autofree char *hash = page_hash_of(page_script);

	g_string_append_printf(
		spt_out_text(page->out),
		"<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src 'sha256-%s'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n",
		hash);
	page_add_element(page, "title", title);
	page_add(page, "<style>\n");
	page_add(page, page_style);
	page_add(page, "</style>\n</head>\n<body>\n");
	page_add_element(page, "h1", title);
}

static char *page_find_title(const SptExportInput *input)
{
	g_autofree char *command = spt_command_name(input->capture),
			*file = g_path_get_basename(input->capture->path);

	return g_strconcat("Sysprof: ", command ? command : file, NULL);
}

/* "Recorded 2026-11-27 16:21 UTC, Linux 6.12" */
static char *page_find_origin(const SptCapture *capture)
{
	uint64_t ns = spt_command_fact(capture, "start_realtime_ns");
	const char *kernel = spt_capture_host(capture, "kernel");
	g_autoptr(GDateTime) time =
		ns ? g_date_time_new_from_unix_utc((int64_t)(ns / 1000000000)) : NULL;
	g_autofree char *date = time ? g_date_time_format(time, "%Y-%m-%d %H:%M UTC") : NULL;

	if (!date)
		return NULL;
	return kernel ? g_strdup_printf(spt_words("Recorded %s on Linux %s."), date, kernel) :
			g_strdup_printf(spt_words("Recorded %s."), date);
}

/* "in 3.25 s on 2 CPUs", as far as that is known. */
static char *page_find_span(const SptCapture *capture, const SptSummary *summary)
{
	double seconds = (double)(summary->end_ns - summary->start_ns) / 1e9;

	if (!spt_span_is_known(capture))
		return g_strdup(spt_words("without times"));
	return summary->n_cpus ?
		       g_strdup_printf(spt_words("in %.2f s on %u CPUs"), seconds, summary->n_cpus) :
		       g_strdup_printf(spt_words("in %.2f s"), seconds);
}

/* "1,809 of 5,726 samples, 0 lost, in 3.25 s on 2 CPUs" */
static char *page_find_counts(const SptExportInput *input)
{
	const SptMetric *metric = spt_profile_metric(input->profile);
	g_autofree char *span = NULL;
	SptSummary summary;
	char *text;

	spt_summary_init(&summary, input->capture);
	span = page_find_span(input->capture, &summary);
	if (metric->is_cpu)
		text = g_strdup_printf(spt_words("%s: %lu of %lu samples, %lu lost, %s."),
				       spt_words(metric->title),
				       (unsigned long)spt_profile_n_samples(input->profile),
				       (unsigned long)spt_profile_n_samples(input->base),
				       (unsigned long)summary.lost, span);
	else
		text = g_strdup_printf(spt_words("%s: %lu of %lu events, %s."),
				       spt_words(metric->title),
				       (unsigned long)spt_profile_n_samples(input->profile),
				       (unsigned long)spt_profile_n_samples(input->base), span);
	spt_summary_clear(&summary);
	return text;
}

static void page_write_summary(struct page *page)
{
	const SptExportInput *input = page->input;
	g_autofree char *origin = page_find_origin(input->capture),
			*counts = page_find_counts(input),
			*where = spt_sentences_line(input->profile, input->capture, NULL,
						    spt_sentences_find_part(input->filter)),
			*whole = NULL;
	double pct;

	spt_wholeness_of(input->profile, input->capture, input->filter, &pct, &whole);
	if (origin)
		page_add_element(page, "p class=\"dim\"", origin);
	page_add_element(page, "p class=\"dim\"", counts);
	page_add_element(page, "p", where);
	if (whole)
		page_add_element(page, "p", whole);
}

static void page_write_bar(struct page *page)
{
	GString *out;

	page_add(
		page,
		"<div class=\"bar script\" hidden><input type=\"search\" id=\"search\" placeholder=\"");
	out = spt_out_text(page->out);
	spt_svg_append_text(out, spt_words("Search functions and objects"));
	g_string_append(out, "\"> <b id=\"found\"></b> <span id=\"range\"></span> ");
	page_add_element(page, "button id=\"whole\" hidden", spt_words("Whole Time"));
	page_add(page, "</div>\n");
}

static void page_write_pictures(struct page *page)
{
	page_add_element(page, "h2 class=\"script\" hidden", spt_words("Time"));
	page_add(page, "<div class=\"script\" hidden><p class=\"dim key\">");
	spt_svg_append_text(spt_out_text(page->out), spt_words("Drag to choose a range of time."));
	page_add(page, "<i style=\"background:var(--user)\"></i>");
	spt_svg_append_text(spt_out_text(page->out), spt_words("user"));
	page_add(page, "<i style=\"background:var(--kernel)\"></i>");
	spt_svg_append_text(spt_out_text(page->out), spt_words("kernel"));
	page_add(page, "</p>\n<canvas id=\"times\" class=\"script\" hidden></canvas></div>\n");
	page_add(page, "<div id=\"warm\" hidden><p class=\"dim\">");
	spt_svg_append_text(spt_out_text(page->out),
			    spt_words("Second by second, each from top to bottom:"));
	page_add(page, "</p>\n<canvas id=\"heat\"></canvas></div>\n");
	page_add_element(page, "h2 class=\"script\" hidden", spt_words("Flame Graph"));
	page_add(
		page,
		"<div id=\"frame\"><div id=\"flame\"></div></div>\n<p id=\"status\" class=\"dim\"></p>\n");
}

static void page_append_percent(GString *out, uint64_t part, uint64_t whole)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(number, sizeof(number), "%.2f",
			whole ? 100.0 * (double)part / (double)whole : 0);
	g_string_append_printf(out, "<td class=\"n\">%s</td>", number);
}

static void page_append_name(GString *out, const char *name)
{
	g_autofree char *line = spt_one_line(name);
	size_t bytes = SPT_PAGE_NAME_BYTES;

	if (strlen(line) > bytes) {
		/* Does not cut within a character. */
		while (((unsigned char)line[bytes] & 0xc0) == 0x80)
			bytes--;
		line[bytes] = '\0';
	}
	spt_svg_append_text(out, line);
}

static void page_write_function(struct page *page, const SptFunction *function)
{
	uint64_t whole = spt_profile_total(page->input->profile);
	GString *out = spt_out_text(page->out);

	g_string_append(out, "<tr>");
	page_append_percent(out, function->self, whole);
	page_append_percent(out, function->total, whole);
	g_string_append(out, "<td class=\"n\"></td><td>");
	page_append_name(out, function->name);
	g_string_append(out, "</td><td>");
	page_append_name(out, function->object);
	g_string_append(out, "</td></tr>\n");
}

static void page_write_functions(struct page *page)
{
	const SptPageData *data = &page->data;
	g_autofree uint32_t *order = spt_profile_order(page->input->profile, true);

	page_add_element(page, "h2", spt_words("Functions"));
	page_add(page, "<table id=\"functions\"><thead><tr><th class=\"n\">");
	page_add_element(page, "button id=\"by-self\"", spt_words("Self %"));
	page_add(page, "</th><th class=\"n\">");
	page_add_element(page, "button id=\"by-total\"", spt_words("Total %"));
	page_add(page, "</th><th class=\"n\"></th>");
	page_add_element(page, "th", spt_words("Function"));
	page_add_element(page, "th", spt_words("Object"));
	page_add(page, "</tr></thead><tbody>\n");
	for (uint32_t i = 0, n = 0; i < data->n_functions && n < TOP_SHOWN; i++) {
		const SptFunction *function = &data->functions[order[i]];

		if (function->total == 0)
			break;
		if (function->is_process)
			continue;
		page_write_function(page, function);
		n++;
	}
	page_add(page, "</tbody></table>\n<button id=\"more\" hidden></button>\n");
}

static void page_write_rest(struct page *page)
{
	const SptPageData *data = &page->data;
	uint64_t whole = spt_profile_total(page->input->profile);
	g_autofree char *text = NULL;

	if (data->n_left_nodes)
		text = g_strdup_printf(
			spt_words("The flame graph and the tree are without %u light branches, "
				  "in which %.2f %% of all was spent."),
			data->n_left_nodes,
			whole ? 100.0 * (double)data->left_weight / (double)whole : 0);
	page_add_element(page, "h2 class=\"script\" hidden", spt_words("Call Tree"));
	page_add(page, "<div id=\"tree\"></div>\n");
	if (text)
		page_add_element(page, "p class=\"dim\"", text);
	page_add_element(page, "noscript",
			 spt_words("With scripts, this page has a flame graph, the "
				   "call tree, and a choice of time."));
}

static void page_append_word(struct page *page, const char *key, const char *text)
{
	GString *out = spt_out_text(page->out);

	g_string_append_printf(out, "%s\"%s\":", *key == 'a' ? "{" : ",", key);
	spt_json_append_for_page(out, text, SIZE_MAX);
}

static void page_write_script(struct page *page)
{
	page_add(page, "<script type=\"application/json\" id=\"words\">");
	page_append_word(page, "all", spt_words("all"));
	page_append_word(page, "process", spt_words("(process)"));
	page_append_word(page, "self", spt_words("self"));
	page_append_word(page, "total", spt_words("total"));
	page_append_word(page, "more", spt_words("%d more"));
	page_append_word(page, "hint", spt_words("Click: zoom in; /: search; Escape: back."));
	page_add(page, "}</script>\n<script type=\"application/json\" id=\"data\">");
	spt_page_data_write(&page->data, page->out);
	page_add(page, "</script>\n<script>");
	page_add(page, page_script);
	page_add(page, "</script>\n</body>\n</html>\n");
}

static bool write_html(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	struct page page = { .input = input, .out = out };
	g_autofree char *title = page_find_title(input);

	spt_page_data_init(&page.data, input);
	page_write_head(&page, title);
	page_write_summary(&page);
	page_write_bar(&page);
	page_write_pictures(&page);
	page_write_functions(&page);
	page_write_rest(&page);
	page_write_script(&page);
	spt_page_data_clear(&page.data);
	return true;
}

const SptExport spt_export_html = {
	.name = "html",
	.ending = ".html",
	.help = "a page to look at and to mail: summary, timeline, flame graph, functions, tree",
	.menu = SPT_WORDS("Export Page (_HTML)…"),
	.needs = SPT_EXPORT_NEEDS_SAMPLES,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_TIMES,
	.write = write_html,
};
