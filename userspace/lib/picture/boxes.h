/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes of a picture of stacks: their places, in its own units, for any way of drawing. */
#ifndef SPT_BOXES_H
#define SPT_BOXES_H

#include <stdint.h>

typedef struct {
	uint32_t node;
	/* > 0: this number of boxes from @node on, each too narrow to be drawn alone */
	uint32_t n_more;
	uint32_t depth;			/* the outermost's is 0 */
	uint64_t begin, weight;		/* across, from the left edge */
} SptFlameBox;

#endif
