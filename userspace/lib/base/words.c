/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/words.h"

static SptTranslate translation;

void spt_words_set_translation(SptTranslate translate)
{
	translation = translate;
}

const char *spt_words(const char *text)
{
	return translation ? translation(text) : text;
}

void spt_set_error(GError **error, GQuark domain, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(error, g_error_new_valist(domain, code, spt_words(format), arguments));
	va_end(arguments);
}

/* Most names have only such characters. */
static size_t plain_bytes(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] <= '~')
		n++;
	return n;
}

void spt_append_one_line(GString *line, const char *text)
{
	size_t plain = plain_bytes(text);

	g_string_append_len(line, text, (gssize)plain);
	text += plain;
	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);

		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append_unichar(line, 0xfffd);
			text++;
			continue;
		}
		text = g_utf8_next_char(text);
		if (c == '\n' || c == '\r' || c == '\t')
			c = ' ';
		else if (g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT ||
			 g_unichar_type(c) == G_UNICODE_LINE_SEPARATOR ||
			 g_unichar_type(c) == G_UNICODE_PARAGRAPH_SEPARATOR)
			c = '?';
		g_string_append_unichar(line, c);
	}
}

bool spt_lines_have(const char *lines, const char *line)
{
	size_t bytes = strlen(line);

	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
		if ((size_t)(end - lines) == bytes && memcmp(lines, line, bytes) == 0)
			return true;
	return false;
}

bool spt_is_word(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	return true;
}

char *spt_one_line(const char *text)
{
	GString *line = g_string_new(NULL);

	spt_append_one_line(line, text);
	return g_string_free(line, FALSE);
}
