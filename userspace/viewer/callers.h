/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The callers of the selected function, and how much of its time each has. */
#ifndef SPT_CALLERS_H
#define SPT_CALLERS_H

#include "document.h"
#include "pane.h"

#define SPT_TYPE_CALLERS (spt_callers_get_type())
G_DECLARE_FINAL_TYPE(SptCallers, spt_callers, SPT, CALLERS, SptPane)

/* @edges: SptEdge.  @function UINT32_MAX: none is selected. */
void spt_callers_show(SptCallers *callers, SptDocument *document, uint32_t function, GArray *edges);

#endif
