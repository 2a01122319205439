/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a recording's call stacks are whole: one line, and what would help. */
#ifndef SPT_WHOLENESS_H
#define SPT_WHOLENESS_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* Below this share of whole stacks there is something to say. */
#define SPT_WHOLE_ENOUGH_PCT 95

/* False: how stacks end was not recorded. */
bool spt_wholeness(const SptCapture *capture, double *ret_pct);
/* The line; NULL: nothing is to be said. */
char *spt_wholeness_line(const SptCapture *capture);

G_END_DECLS

#endif
