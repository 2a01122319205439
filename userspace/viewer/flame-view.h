/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of a flame graph: boxes as wide as their weight, callees below their callers (or
 * above them), the heaviest on the left.  Inside a GtkScrolledWindow, which is as high as the
 * picture is deep.
 */
#ifndef SPT_FLAME_VIEW_H
#define SPT_FLAME_VIEW_H

#include "call-tree.h"

#include <gtk/gtk.h>

#define SPT_TYPE_FLAME_VIEW (spt_flame_view_get_type())
G_DECLARE_FINAL_TYPE(SptFlameView, spt_flame_view, SPT, FLAME_VIEW, GtkWidget)

/*
 * Signals: "changed": another box is selected or zoomed to.
 * "menu" (double x, double y): a menu about the selected box is requested there.
 * "function-activated" (uint function): details of the selected box are requested.
 */

/*
 * @nodes: SptTreeNode of @calls' functions.  Stays zoomed to the same call path, if it is still
 * there.
 */
void spt_flame_view_show(SptFlameView *view, SptCallTree *calls, GArray *nodes);
/* The root at the bottom. */
void spt_flame_view_set_upward(SptFlameView *view, gboolean is_upward);
/* Highlights functions; @matches as from spt_order_match(), taken over; NULL: none. */
void spt_flame_view_light(SptFlameView *view, bool *matches);
/* Weight of the highlighted boxes in the zoomed part, and in @ret_all of all of that part. */
uint64_t spt_flame_view_lit(SptFlameView *view, uint64_t *ret_all);
void spt_flame_view_zoom(SptFlameView *view, uint32_t node);
/* Goes back by one zoom; false: there is none. */
gboolean spt_flame_view_step_back(SptFlameView *view);
/* UINT32_MAX: none. */
uint32_t spt_flame_view_selected(SptFlameView *view);
uint32_t spt_flame_view_function(SptFlameView *view);
uint32_t spt_flame_view_zoomed(SptFlameView *view);
/* "NAME (OBJECT): total 12.00 %, self 3.00 %" */
char *spt_flame_view_describe(SptFlameView *view, uint32_t node);

#endif
