/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table from pairs of numbers to numbers given in order of appearance: what folding does for every node. */
#ifndef SPT_PAIRS_H
#define SPT_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

struct spt_pair {
	uint64_t a, b;
	uint32_t value;
	bool used;
};

/* Zero it to begin. */
struct spt_pairs {
	struct spt_pair *slots;
	uint64_t n_slots;		/* a power of two, or 0 */
	uint64_t n;
};

/* The value of (a, b); UINT32_MAX if it is not there. */
uint32_t spt_pairs_get(const struct spt_pairs *pairs, uint64_t a, uint64_t b);
/* Adds (a, b), which must not be there. */
void spt_pairs_add(struct spt_pairs *pairs, uint64_t a, uint64_t b, uint32_t value);
void spt_pairs_clear(struct spt_pairs *pairs);

#endif
