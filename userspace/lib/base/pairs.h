/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table from pairs of numbers to numbers: what folding and naming do for every node. */
#ifndef SPT_PAIRS_H
#define SPT_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

struct spt_pair {
	uint64_t a, b;
	uint32_t value;
};

/*
 * Half of the hash stands beside the number of the pair, from 1: most that are not meant are passed
 * by without a look at them.
 */
struct spt_pair_slot {
	uint32_t hash, pair;
};

/* Zero it to begin. */
struct spt_pairs {
	struct spt_pair *pairs;		/* in order of appearance */
	struct spt_pair_slot *slots;
	uint64_t n_slots;		/* a power of two, or 0 */
	uint64_t n;
};

/* The value of (a, b); UINT32_MAX if it is not there. */
uint32_t spt_pairs_get(const struct spt_pairs *pairs, uint64_t a, uint64_t b);
/*
 * The place of the value of (a, b), which is made with UINT32_MAX if it is not there.  Valid until
 * the next is made.
 */
uint32_t *spt_pairs_at(struct spt_pairs *pairs, uint64_t a, uint64_t b);
void spt_pairs_clear(struct spt_pairs *pairs);

#endif
