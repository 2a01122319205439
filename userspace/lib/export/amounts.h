/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What formats with whole numbers write: of times that are not periods, microseconds. */
#ifndef SPT_EXPORT_AMOUNTS_H
#define SPT_EXPORT_AMOUNTS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* By node of the tree. */
typedef struct {
	uint64_t *self, *total;
} SptAmounts;

/*
 * What is left of a microsecond is carried to the next node, so that sums hold: a total is its self
 * and its children's totals, and that of the root is all there is, without the rest.
 */
void spt_amounts_init(SptAmounts *amounts, const SptProfile *profile);
void spt_amounts_clear(SptAmounts *amounts);
/* "period" or "periods", ... after this amount. */
const char *spt_amounts_unit(const SptProfile *profile, uint64_t amount);

G_END_DECLS

#endif
