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
