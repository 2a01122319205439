/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --tui: the tree of calls, browsed with the arrow keys. */
#ifndef SPT_REPORT_TUI_H
#define SPT_REPORT_TUI_H

#include "profile/shape.h"
#include "report.h"

/*
 * Shows the tree of the report's profile until the user ends it; @by: below the groups of that
 * grouping, NULL: below programs.  @shape: what the profile has.  False: complained.
 */
bool spt_report_tui(const struct spt_report *report, const char *by, const SptShape *shape);

#endif
