/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/verdict.h"

#include "base/words.h"

char *spt_verdict(bool module, bool perf, const char *fix)
{
	if (module)
		return g_strdup(spt_words("You can record (kernel module)."));
	if (perf && fix)
		return g_strdup_printf(
			spt_words("You can record (perf events). Better with the module: %s"), fix);
	if (perf)
		return g_strdup(spt_words("You can record (perf events)."));
	if (fix)
		return g_strdup_printf(spt_words("You cannot record yet. What helps: %s"), fix);
	return g_strdup(spt_words("You cannot record here."));
}
