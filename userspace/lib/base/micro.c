/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/micro.h"

#include <string.h>

const char *spt_micro_unit(void)
{
	return g_get_charset(NULL) ? "\xc2\xb5s" : "us";
}

char *spt_micro_text(const char *text)
{
	const char *unit = strstr(text, " us");

	if (!unit)
		return g_strdup(text);
	return g_strdup_printf("%.*s %s%s", (int)(unit - text), text, spt_micro_unit(), unit + 3);
}
