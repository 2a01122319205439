/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "empty.h"

#include <glib/gi18n.h>

void spt_empty_say(SptTable *table, const SptDocument *document, const char *text)
{
	bool may_hide = spt_restrictions_n(document->look.restrictions) > 0;
	g_autofree char *reason =
		g_strdup_printf("%s\n%s", text, _("The conditions above may hide some"));

	spt_table_say_empty(table, may_hide ? reason : text);
}
