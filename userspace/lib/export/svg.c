/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/svg.h"

#include <stdbool.h>

static bool is_xml(gunichar c)
{
	return c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) && (c & 0xfffe) != 0xfffe &&
	       g_unichar_type(c) != G_UNICODE_FORMAT;
}

void spt_svg_append_text(GString *out, const char *text)
{
	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);
		bool is_valid = c != (gunichar)-1 && c != (gunichar)-2;

		text = is_valid ? g_utf8_next_char(text) : text + 1;
		if (!is_valid || !is_xml(c))
			g_string_append_c(out, '?');
		else if (c == '<')
			g_string_append(out, "&lt;");
		else if (c == '>')
			g_string_append(out, "&gt;");
		else if (c == '&')
			g_string_append(out, "&amp;");
		else
			g_string_append_unichar(out, c);
	}
}
