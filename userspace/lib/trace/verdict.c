/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/verdict.h"

#include "base/words.h"

static const char *seen_by(const SptTrace *perf)
{
	if (!spt_trace_shows_only_own(perf))
		return spt_words("the whole system");
	return spt_trace_shows_only_user(perf) ? spt_words("your own processes, in user mode,") :
						 spt_words("your own processes");
}

char *spt_verdict(bool module, const SptTrace *perf, const char *fix)
{
	if (module)
		return g_strdup(spt_words("You can record (kernel module)."));
	if (perf && fix)
		return g_strdup_printf(
			spt_words("You can record %s with perf events. Better with the module: %s"),
			seen_by(perf), fix);
	if (perf)
		return g_strdup_printf(spt_words("You can record %s with perf events."),
				       seen_by(perf));
	if (fix)
		return g_strdup_printf(spt_words("You cannot record yet. What helps: %s"), fix);
	return g_strdup(spt_words("You cannot record here."));
}
