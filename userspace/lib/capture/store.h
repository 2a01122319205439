/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing flat array of rows of one schema; those with ids lie at their id, and a hole has id 0.
 */
#ifndef SPT_CAPTURE_STORE_H
#define SPT_CAPTURE_STORE_H

#include "capture/schema.h"

G_BEGIN_DECLS

typedef struct {
	uint8_t *data;
	uint64_t n, room;
	uint64_t clean;			/* rows behind the last one up to this are zero */
	const SptSchema *schema;
} SptStore;

/* @first_rows: 1 for the row 0 of what has ids. */
SptStore spt_store_new(const SptSchema *schema, unsigned first_rows);
/* How much room there will be once there must be room for @n rows. */
uint64_t spt_store_next_room(const SptStore *store, uint64_t n);
/* By how much more memory. */
uint64_t spt_store_more_bytes(const SptStore *store, uint64_t n);
/* Room for @n rows, of which those that are not there are zero.  Error: a clause. */
bool spt_store_reserve(SptStore *store, uint64_t n, GError **error);
/* Empty strings for the holes, so that nobody who walks the array meets NULL. */
void spt_store_fill_holes(SptStore *store);
/* The array without its spare room; the store is empty then. */
void *spt_store_steal(SptStore *store, uint64_t *ret_n);

static inline void *spt_store_row(const SptStore *store, uint64_t index)
{
	return store->data + index * store->schema->row_bytes;
}

static inline uint64_t spt_store_bytes(const SptStore *store)
{
	return store->room * store->schema->row_bytes;
}

/* The id is the first member of every row that has one. */
static inline uint32_t spt_store_id(const SptStore *store, uint64_t index)
{
	return *(const uint32_t *)spt_store_row(store, index);
}

static inline bool spt_store_has(const SptStore *store, uint32_t id)
{
	return id != 0 && id < store->n && spt_store_id(store, id) == id;
}

G_END_DECLS

#endif
