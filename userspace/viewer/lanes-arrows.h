/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrows over lanes: flows that programs marked, and who woke whom. */
#ifndef SPT_LANES_ARROWS_H
#define SPT_LANES_ARROWS_H

#include "lanes-draw.h"

void spt_lanes_arrows_draw(const SptLanesDrawing *drawing, GtkSnapshot *snapshot);
/* What the arrow at that place is; NULL: there is none.  To be freed. */
char *spt_lanes_arrows_describe(const SptLanesDrawing *drawing, double x, double y);
/* How many there are, and why none is drawn; "": there are none.  To be freed. */
char *spt_lanes_arrows_count(const SptLanesPicture *picture);

#endif
