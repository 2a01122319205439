/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From one thread to another: flows that programs marked, and wakings. */
#ifndef SPT_LANE_ARROWS_H
#define SPT_LANE_ARROWS_H

#include "profile/lanes.h"

G_BEGIN_DECLS

/* Of more than these none is drawn: nobody could distinguish them. */
#define SPT_LANE_ARROWS_MOST 100u

typedef struct {
	uint64_t begin, end;		/* of a waking: when it was woken, and ran */
	uint32_t from, to;		/* threads of the capture */
	uint32_t from_row, to_row;	/* of the picture, which are two */
	const char *name;		/* of a flow; NULL: a waking */
} SptLaneArrow;

/* Finds those between rows of @made in its time. */
void spt_lane_arrows_find(const SptLanes *lanes, SptLanesPicture *made);

G_END_DECLS

#endif
