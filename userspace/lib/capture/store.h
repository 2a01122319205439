/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing flat array of rows of one schema.  A row with an id is at that index, and a hole has id
 * 0.
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

/* @first_rows: 1 if rows have ids, for row 0. */
SptStore spt_store_new(const SptSchema *schema, unsigned first_rows);
/* The room that there will be after @n rows are reserved. */
uint64_t spt_store_next_room(const SptStore *store, uint64_t n);
/* Additional memory for that. */
uint64_t spt_store_more_bytes(const SptStore *store, uint64_t n);
/* Makes room for @n rows; new ones are zero.  Error: a clause. */
bool spt_store_reserve(SptStore *store, uint64_t n, GError **error);
/* Sets empty strings in the holes, so that no text of the array is NULL. */
void spt_store_fill_holes(SptStore *store);
/* Returns the array without its spare room, and empties the store. */
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
