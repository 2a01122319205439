/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a stash, by place. */
#ifndef SPT_STASH_FRAMES_H
#define SPT_STASH_FRAMES_H

#include <stdbool.h>

#include "base/sort.h"
#include "stash/stash.h"

/*
 * Of a capture's nodes, the first one of each frame, by object and offset; @used: only frames for
 * which it holds, NULL: all.  Keys mean nothing.
 */
struct spt_item *spt_sort_frames(const SptNode *nodes, uint32_t n_nodes, uint32_t n_frames,
				 const bool *used, uint32_t *ret_n);

#endif
