/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and texts as people read them. */
#include "cmd.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/micro.h"
#include "symbols/plain-names.h"

/* Less says nothing of a function. */
#define NAME_LEAST_COLUMNS 20

char *spt_format_count(uint64_t n)
{
	g_autofree char *digits = g_strdup_printf("%" PRIu64, n);
	GString *text = g_string_new(digits);

	for (gssize at = (gssize)text->len - 3; at > 0; at -= 3)
		g_string_insert_c(text, at, ',');
	return g_string_free(text, FALSE);
}

char *spt_format_ns(uint64_t ns)
{
	if (ns >= 1000000000)
		return g_strdup_printf("%.2f s", ns / 1e9);
	if (ns >= 1000000)
		return g_strdup_printf("%.2f ms", ns / 1e6);
	if (ns >= 10000)
		return g_strdup_printf("%.1f %s", ns / 1e3, spt_micro_unit());
	return g_strdup_printf("%" PRIu64 " ns", ns);
}

char *spt_format_took(uint64_t ns)
{
	return ns ? spt_format_ns(ns) : g_strdup("-");
}

int spt_format_width(const char *text, int columns)
{
	return columns + (int)strlen(text) - (int)g_utf8_strlen(text, -1);
}

char *spt_format_period(const SptCapture *capture)
{
	const char *joined = spt_capture_host(capture, "periods_ns");
	g_autofree char *period = spt_format_ns(spt_capture_period_ns(capture));
	g_auto(GStrv) periods = joined ? g_strsplit(joined, " + ", -1) : NULL;
	g_autofree char *all = NULL;

	if (!spt_capture_period_ns(capture))
		return g_strdup("how long a period is is not known");
	if (!periods)
		return g_strdup_printf("one period is %s", period);
	for (char **one = periods; *one; one++) {
		/* The two values may differ a little. */
		char *text =
			g_strdup_printf("%.6g ms", (double)g_ascii_strtoull(*one, NULL, 10) / 1e6);

		g_free(*one);
		*one = text;
	}
	all = g_strjoinv(", ", periods);
	return g_strdup_printf("recordings with periods of %s, counted here in ones of %s", all,
			       period);
}

char *spt_format_bytes(uint64_t bytes)
{
	if (bytes >= 1ull << 30)
		return g_strdup_printf("%.1f GiB", bytes / (double)(1ull << 30));
	if (bytes >= 1ull << 20)
		return g_strdup_printf("%.1f MiB", bytes / (double)(1ull << 20));
	if (bytes >= 1ull << 10)
		return g_strdup_printf("%.1f KiB", bytes / (double)(1ull << 10));
	return g_strdup_printf("%" PRIu64 " bytes", bytes);
}

char *spt_format_list(const GPtrArray *items, const char *last)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < items->len; i++) {
		if (i > 0 && i + 1 == items->len)
			g_string_append_printf(text, " %s ", last);
		else if (i > 0)
			g_string_append(text, ", ");
		g_string_append(text, items->pdata[i]);
	}
	return g_string_free(text, FALSE);
}

static unsigned format_columns_of(gunichar c)
{
	return g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
}

/* A number stays on the line of its sign: "1 %". */
static unsigned columns_of_unit(char *const *word, unsigned columns)
{
	bool is_number = columns && g_ascii_isdigit((*word)[columns - 1]);

	return is_number && word[1] && word[1][0] == '%' ? 2 : 0;
}

char *spt_format_wrap(const char *text, unsigned indent, unsigned width)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	GString *wrapped = g_string_new(NULL);
	unsigned column = indent, blanks = 0;

	for (char **word = words; *word; word++, blanks++) {
		unsigned columns = (unsigned)g_utf8_strlen(*word, -1),
			 unit = columns_of_unit(word, columns);

		/* Several blanks, which begin no line: there are empty words between them. */
		if (!columns && word > words && word[1])
			continue;
		if (word > words && width > indent && column + blanks + columns + unit > width) {
			g_string_append_printf(wrapped, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			g_string_append_printf(wrapped, "%*s", (int)blanks, "");
			column += blanks;
		}
		blanks = 0;
		g_string_append(wrapped, *word);
		column += columns;
	}
	return g_string_free(wrapped, FALSE);
}

char *spt_format_cut(const char *text, unsigned width)
{
	size_t fits = 0, plain = 0;	/* fits: number of bytes that leave room for the dots */
	unsigned columns = 0;
	GString *shown;

	/* Most names are only printable ASCII, with one column per byte. */
	while (text[plain] >= ' ' && text[plain] <= '~')
		plain++;
	if (text[plain] == '\0' && (width == 0 || plain <= width))
		return g_strndup(text, plain);
	shown = g_string_new(NULL);
	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);

		if (c == (gunichar)-1 || c == (gunichar)-2) {
			c = '?';
			text++;
		} else {
			text = g_utf8_next_char(text);
			if (c == '\n' || c == '\t')
				c = ' ';
			else if (g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT ||
				 g_unichar_type(c) == G_UNICODE_LINE_SEPARATOR ||
				 g_unichar_type(c) == G_UNICODE_PARAGRAPH_SEPARATOR)
				c = '?';
		}
		if (columns + format_columns_of(c) + 3 <= width)
			fits = shown->len + g_unichar_to_utf8(c, NULL);
		columns += format_columns_of(c);
		if (width > 0 && columns > width) {
			g_string_truncate(shown, fits);
			g_string_append(shown, width >= 3 ? "..." : "");
			break;
		}
		g_string_append_unichar(shown, c);
	}
	return g_string_free(shown, FALSE);
}

char *spt_format_name(const char *before, const char *name, const char *after, unsigned width)
{
	g_autofree char *whole = g_strconcat(before, name, after, NULL), *fitted = NULL;
	unsigned begin = (unsigned)g_utf8_strlen(before, -1),
		 others = begin + (unsigned)g_utf8_strlen(after, -1);

	if (width == 0 || g_utf8_strlen(whole, -1) <= (glong)width)
		return spt_format_cut(whole, width);
	/* Where there is hardly room for both, the name has it. */
	if (others + NAME_LEAST_COLUMNS > width)
		others = begin;
	fitted = spt_fit_name(name, width > others ? width - others : 0);
	g_free(whole);
	whole = g_strconcat(before, fitted, after, NULL);
	return spt_format_cut(whole, width);
}

void spt_format_print_sentence(const char *sentence)
{
	g_auto(GStrv) parts = g_strsplit(sentence, "\xc2\xa0", -1);
	g_autofree char *text = g_strjoinv(" ", parts), *shown = spt_format_cut(text, 0);

	printf("%s\n", shown);
}
