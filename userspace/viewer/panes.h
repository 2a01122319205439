/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in three panes: functions, below them the callers of the selected one, beside them
 * its descendants.
 */
#ifndef SPT_PANES_H
#define SPT_PANES_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_PANES (spt_panes_get_type())
G_DECLARE_FINAL_TYPE(SptPanes, spt_panes, SPT, PANES, GtkWidget)

/*
 * Signals "function-selected" (uint function; UINT32_MAX: none), "way-selected" as that of
 * SptDescendants.
 */

/*
 * @surroundings of the selected function in the document that will be shown next, taken over; NULL:
 * not known yet.
 */
void spt_panes_expect(SptPanes *panes, SptSurroundings *surroundings);
void spt_panes_focus_search(SptPanes *panes);
void spt_panes_focus_list(SptPanes *panes);
void spt_panes_select(SptPanes *panes, uint32_t function);
/* The functions listed, in their order; borrowed. */
const uint32_t *spt_panes_list(SptPanes *panes, uint32_t *ret_n);
/* UINT32_MAX: none. */
uint32_t spt_panes_selected(SptPanes *panes);

#endif
