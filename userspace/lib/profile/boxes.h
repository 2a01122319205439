/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes of a picture of stacks: where they lie, in its own units, whatever draws them. */
#ifndef SPT_BOXES_H
#define SPT_BOXES_H

#include <stdint.h>

typedef struct {
	uint32_t node;
	/*
	 * > 0: not @node alone, but that number of boxes from it on, each too narrow to
	 * be drawn alone
	 */
	uint32_t n_more;
	uint32_t depth;			/* the outermost's is 0 */
	uint64_t begin, weight;		/* across, from the left edge */
} SptFlameBox;

#endif
