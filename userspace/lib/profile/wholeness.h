/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether call stacks are whole: one line, and what would help. */
#ifndef SPT_WHOLENESS_H
#define SPT_WHOLENESS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* Below this share of whole stacks there is something to say. */
#define SPT_WHOLE_ENOUGH_PCT 95

/*
 * Of the processes, threads, CPUs and time that @filter asks for; NULL: of all.  False: how stacks
 * end was not recorded, or there are none.  @ret_line (may be NULL): NULL if nothing is to be said.
 */
bool spt_wholeness(const SptCapture *capture, const SptFilter *filter, double *ret_pct,
		   char **ret_line);
/* The line alone. */
char *spt_wholeness_line(const SptCapture *capture, const SptFilter *filter);

G_END_DECLS

#endif
