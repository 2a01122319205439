/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Imported files may lack CPUs, or times. */
#include "span.h"

#include "cmd.h"
#include "profile/span.h"

char *spt_cli_span(const SptCapture *capture, const SptSummary *summary, const char *in)
{
	g_autofree char *duration = spt_format_ns(summary->end_ns - summary->start_ns);

	if (!spt_span_is_known(capture))
		return g_strdup("without times");
	if (!summary->n_cpus)
		return g_strdup_printf("%s%s", in, duration);
	return g_strdup_printf("%s%s on %u %s", in, duration, summary->n_cpus,
			       summary->n_cpus == 1 ? "CPU" : "CPUs");
}
