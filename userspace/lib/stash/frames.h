/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a stash, sorted. */
#ifndef SPT_STASH_FRAMES_H
#define SPT_STASH_FRAMES_H

#include <stdbool.h>

#include "base/sort.h"
#include "stash/stash.h"

/*
 * The first node of each frame of a capture, sorted by object and offset.  @used: takes only frames
 * for which it is set; NULL: all.  The keys of the result mean nothing.
 */
struct spt_item *spt_sort_frames(const SptNode *nodes, uint32_t n_nodes, uint32_t n_frames,
				 const bool *used, uint32_t *ret_n);

#endif
