/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and numbers as the window shows them. */
#include "text.h"

#include <glib/gi18n.h>
#include <stdbool.h>
#include <string.h>

#include "base/micro.h"

#define NAME_MAX_BYTES 400
#define MANY_BYTES     10000 /* shown in larger units from here on */

const char *spt_text_cli(void)
{
	const char *called = g_get_prgname();

	if (!called || (strcmp(called, "sysprof") != 0 && strcmp(called, "sysprof-trace") != 0))
		return SPT_CLI;
	return strcmp(called, "sysprof") == 0 ? "sysprof-cli" : "sysprof-trace-cli";
}

void spt_text_align(PangoLayout *layout, GtkWidget *widget, PangoAlignment side)
{
	/* Pango's sides are those of the direction. */
	if (gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL)
		side = side == PANGO_ALIGN_LEFT ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT;
	pango_layout_set_alignment(layout, side);
}

const char *spt_text_name(const char *text, char **ret_made)
{
	size_t bytes = strlen(text);
	bool is_plain = bytes <= NAME_MAX_BYTES && g_utf8_validate(text, (gssize)bytes, NULL);
	g_autofree char *valid = NULL;
	GString *shown;

	*ret_made = NULL;
	for (size_t i = 0; is_plain && i < bytes; i++)
		is_plain = !g_ascii_iscntrl(text[i]);
	if (is_plain)
		return text;

	valid = g_utf8_make_valid(text, (gssize)MIN(bytes, NAME_MAX_BYTES));
	shown = g_string_new(valid);
	for (size_t i = 0; i < shown->len; i++) {
		if (g_ascii_iscntrl(shown->str[i]))
			shown->str[i] = '?';
	}
	if (bytes > NAME_MAX_BYTES)
		g_string_append(shown, "\xe2\x80\xa6");
	*ret_made = g_string_free(shown, FALSE);
	return *ret_made;
}

char *spt_text_count(uint64_t n)
{
	g_autofree char *digits = g_strdup_printf("%" G_GUINT64_FORMAT, n);
	GString *text = g_string_new(digits);

	for (gssize at = (gssize)text->len - 3; at > 0; at -= 3)
		g_string_insert_c(text, at, ',');
	return g_string_free(text, FALSE);
}

char *spt_text_duration(uint64_t ns)
{
	if (ns >= 1000000000)
		return g_strdup_printf("%.2f s", (double)ns / 1e9);
	if (ns >= 1000000)
		return g_strdup_printf("%.2f ms", (double)ns / 1e6);
	if (ns >= 1000)
		return g_strdup_printf("%.1f %s", (double)ns / 1e3, spt_micro_unit());
	return g_strdup_printf("%" G_GUINT64_FORMAT " ns", ns);
}

char *spt_text_took(uint64_t ns)
{
	return ns ? spt_text_duration(ns) : g_strdup("");
}

char *spt_text_moment(uint64_t time, uint64_t start_ns)
{
	return time < start_ns ? g_strdup("") :
				 g_strdup_printf("%.3f s", (double)(time - start_ns) / 1e9);
}

char *spt_text_weight(const SptMetric *metric, uint64_t weight)
{
	g_autofree char *count = spt_text_count(weight);

	if (metric->is_cpu)
		return g_strdup_printf(_("%s periods"), count);
	if (metric->unit == SPT_UNIT_NS)
		return spt_text_duration(weight);
	if (metric->unit != SPT_UNIT_BYTES)
		return g_steal_pointer(&count);
	return weight < MANY_BYTES ? g_strdup_printf(_("%s bytes"), count) :
				     g_format_size_full(weight, G_FORMAT_SIZE_IEC_UNITS);
}

char *spt_text_rate(uint64_t period_ns, uint64_t delivered, uint64_t budget)
{
	/* The grid has no round numbers; nobody wants to know that here. */
	bool is_ms = period_ns > 970000 && period_ns < 1030000;
	g_autofree char *period = is_ms ? g_strdup("ms") : spt_text_duration(period_ns);

	if (!budget)
		return g_strdup_printf(_("1 sample per %s of CPU time"), period);
	return g_strdup_printf(
		_("1 sample per %s of CPU time, lowered to %.1f %% of that to keep to the budget"),
		period, 100 * (double)delivered / (double)(delivered + budget));
}
