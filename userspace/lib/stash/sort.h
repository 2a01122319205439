/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stable sort by number, digit by digit; frames by place. */
#ifndef SPT_SORT_H
#define SPT_SORT_H

#include <stdbool.h>

#include "stash/stash.h"

struct spt_item {
	uint64_t key;
	uint32_t index;
};

/* Ascending.  @spare has room for as many; the two may change places. */
void spt_sort_items(struct spt_item **items, struct spt_item **spare, uint32_t n);
/*
 * Of a capture's nodes, the first one of each frame, by object and offset; @used: only frames for
 * which it holds, NULL: all.  Keys mean nothing.
 */
struct spt_item *spt_sort_frames(const SptNode *nodes, uint32_t n_nodes, uint32_t n_frames,
				 const bool *used, uint32_t *ret_n);

#endif
