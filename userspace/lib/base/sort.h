/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stable sort by number, digit by digit. */
#ifndef SPT_SORT_H
#define SPT_SORT_H

#include <stdint.h>

struct spt_item {
	uint64_t key;
	uint32_t index;
};

/* Sorts by rising key.  @spare has room for as many items; the two arrays may be swapped. */
void spt_sort_items(struct spt_item **items, struct spt_item **spare, uint32_t n);

#endif
