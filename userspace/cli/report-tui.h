/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPT_REPORT_TUI_H
#define SPT_REPORT_TUI_H

#include "report.h"

/* Shows the tree of the report's profile until the user ends it.  False: complained. */
bool spt_report_tui(const struct spt_report *report);

#endif
