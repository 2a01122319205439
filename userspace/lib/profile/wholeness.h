/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether call stacks are whole, in one line, with what helps. */
#ifndef SPT_WHOLENESS_H
#define SPT_WHOLENESS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* Below this percentage of whole stacks the line says why. */
#define SPT_WHOLE_ENOUGH_PCT 95

/*
 * For the processes, threads, CPUs and time of @filter; NULL: for all.  False: the recording has no
 * stacks, or not how they end.  @ret_line (may be NULL): NULL if there is nothing to say.
 */
bool spt_wholeness(const SptCapture *capture, const SptFilter *filter, double *ret_pct,
		   char **ret_line);
/*
 * The same for what @profile has: stacks of other metrics than CPU time are not those of samples.
 * Of these nothing is said unless some are cut.
 */
bool spt_wholeness_of(const SptProfile *profile, const SptCapture *capture,
		      const SptFilter *filter, double *ret_pct, char **ret_line);
/* The line for samples alone. */
char *spt_wholeness_line(const SptCapture *capture, const SptFilter *filter);

G_END_DECLS

#endif
