/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The starts of things, ascending, with a table that leads near the right one, so that a look-up
 * touches few cache lines.
 */
#ifndef SPT_SORTED_STARTS_H
#define SPT_SORTED_STARTS_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

struct spt_sorted_starts {
	/*
	 * each row begins with its start, a uint64_t, so that the rest of the row is beside it in
	 * the cache
	 */
	void *rows;
	size_t row_bytes;
	uint32_t n;
	/* Steps of 1 << shift begin at the first start; first[i] starts are before step i. */
	uint32_t n_steps;
	unsigned shift;
	uint32_t *first;
};

/* Takes over @rows.  Starts may be equal. */
void spt_sorted_starts_init(struct spt_sorted_starts *starts, void *rows, size_t row_bytes,
			    uint32_t n);
void spt_sorted_starts_clear(struct spt_sorted_starts *starts);
/* Number of starts at or before @place. */
uint32_t spt_sorted_starts_until(const struct spt_sorted_starts *starts, uint64_t place);

G_END_DECLS

#endif
