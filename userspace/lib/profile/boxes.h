/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes of a picture of stacks: where they lie, in its own units, whatever draws them. */
#ifndef SPT_BOXES_H
#define SPT_BOXES_H

#include <stdint.h>

typedef struct {
	uint32_t node;
	/*
	 * > 0: not @node alone, but so many boxes from it on that are too narrow to stand by
	 * themselves
	 */
	uint32_t n_more;
	uint32_t depth;			/* the outermost's is 0 */
	uint64_t begin, weight;		/* across, from the left edge */
} SptFlameBox;

#endif
