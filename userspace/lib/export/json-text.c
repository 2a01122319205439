/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/json-text.h"

#include <math.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/words.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* @line is valid; '<' is an escape, too, if @is_in_page. */
static void json_append_line(GString *out, const char *line, bool is_in_page)
{
	g_string_append_c(out, '"');
	for (; *line; line++) {
		if (*line == '"' || *line == '\\')
			g_string_append_c(out, '\\');
		if (*line == '<' && is_in_page)
			g_string_append(out, "\\u003c");
		else
			g_string_append_c(out, *line);
	}
	g_string_append_c(out, '"');
}

void spt_json_append_text(GString *out, const char *text)
{
	g_autofree char *line = spt_one_line(text);

	json_append_line(out, line, false);
}

void spt_json_append_for_page(GString *out, const char *text, size_t most_bytes)
{
	g_autofree char *line = spt_one_line(text), *cut = NULL;
	size_t bytes = most_bytes;

	if (strlen(line) <= most_bytes) {
		json_append_line(out, line, true);
		return;
	}
	/* Does not cut within a character. */
	while (bytes > 0 && ((unsigned char)line[bytes] & 0xc0) == 0x80)
		bytes--;
	cut = g_strdup_printf("%.*s" ELLIPSIS, (int)bytes, line);
	json_append_line(out, cut, true);
}

void spt_json_append_decimal(GString *out, uint64_t value, unsigned digits)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	g_string_append_printf(out, "%" PRIu64, value / unit);
	if (value % unit == 0)
		return;
	g_string_append_printf(out, ".%0*" PRIu64, (int)digits, value % unit);
	while (out->str[out->len - 1] == '0')
		g_string_truncate(out, out->len - 1);
}

void spt_json_append_double(GString *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(out, isfinite(value) ? g_ascii_dtostr(text, sizeof(text), value) : "null");
}

void spt_json_append_ms(GString *out, uint64_t time, uint64_t start_ns)
{
	spt_json_append_decimal(out, time > start_ns ? time - start_ns : 0, 6);
}
