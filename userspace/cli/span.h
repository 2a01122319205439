/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a recording is, and of how many CPUs, for the first lines of reports and of info. */
#ifndef SPT_CLI_SPAN_H
#define SPT_CLI_SPAN_H

#include "profile/summary.h"

/* "in 3.25 s on 2 CPUs"; @in: what stands before the time.  What is not known is skipped. */
char *spt_cli_span(const SptCapture *capture, const SptSummary *summary, const char *in);

#endif
