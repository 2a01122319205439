/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table from pairs of numbers to numbers.  Folding and naming use it for every node. */
#ifndef SPT_PAIRS_H
#define SPT_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

struct spt_pair {
	uint64_t a, b;
	uint32_t value;
};

/*
 * Half of the hash is beside the number of the pair (from 1), so that most other pairs are skipped
 * without being read.
 */
struct spt_pair_slot {
	uint32_t hash, pair;
};

/* Begins zeroed. */
struct spt_pairs {
	struct spt_pair *pairs;		/* in order of appearance */
	struct spt_pair_slot *slots;
	uint64_t n_slots;		/* a power of two, or 0 */
	uint64_t n;
};

/* The value of (a, b); UINT32_MAX: it is not in the table. */
uint32_t spt_pairs_get(const struct spt_pairs *pairs, uint64_t a, uint64_t b);
/*
 * A pointer to the value of (a, b), which is added as UINT32_MAX if it is not in the table.  Valid
 * until another pair is added.
 */
uint32_t *spt_pairs_at(struct spt_pairs *pairs, uint64_t a, uint64_t b);
void spt_pairs_clear(struct spt_pairs *pairs);

#endif
