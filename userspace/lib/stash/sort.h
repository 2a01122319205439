/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stable sort by number, digit by digit; nodes by frame. */
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
/* Nodes but the root by object and offset, so that equal frames lie side by side; @used: only those for which it holds, NULL: all.  Keys mean
 * nothing. */
struct spt_item *spt_sort_nodes(const SptNode *nodes, uint32_t n_nodes, const bool *used, uint32_t *ret_n);

#endif
