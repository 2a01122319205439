/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts for formats with whole numbers: periods, or microseconds for other times. */
#ifndef SPT_EXPORT_AMOUNTS_H
#define SPT_EXPORT_AMOUNTS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* By node of the tree. */
typedef struct {
	uint64_t *self, *total;
} SptAmounts;

/*
 * The rest of a microsecond is carried to the next node, so that sums hold: a total is its self and
 * its children's totals, and the root's total is the whole sum, rounded down.
 */
void spt_amounts_init(SptAmounts *amounts, const SptProfile *profile);
void spt_amounts_clear(SptAmounts *amounts);
/* The unit that follows @amount: "period" or "periods", ... */
const char *spt_amounts_unit(const SptProfile *profile, uint64_t amount);

G_END_DECLS

#endif
