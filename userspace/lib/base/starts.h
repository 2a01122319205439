/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things begin, ascending, and a table that leads to about the right place among them: a
 * look-up touches few lines of the cache.
 */
#ifndef SPT_STARTS_H
#define SPT_STARTS_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

struct spt_starts {
	/*
	 * each begins with its start, a uint64_t: what is found with it is beside it in the cache
	 */
	void *rows;
	size_t row_bytes;
	uint32_t n;
	/* In steps of 1 << shift from the first start, first[i] of them lie before step i. */
	uint32_t n_steps;
	unsigned shift;
	uint32_t *first;
};

/* Of @rows, which it takes; starts may be equal. */
void spt_starts_init(struct spt_starts *starts, void *rows, size_t row_bytes, uint32_t n);
void spt_starts_clear(struct spt_starts *starts);
/* How many of them are at or before @place. */
uint32_t spt_starts_until(const struct spt_starts *starts, uint64_t place);

G_END_DECLS

#endif
