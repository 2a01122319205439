/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flat arrays whose sizes come from a file: growing may fail, and says so. */
#include "capture/store.h"

#include <string.h>

#include "base/words.h"

#define CLEAN_ROWS 256			/* at once */

SptStore spt_store_new(const SptSchema *schema, unsigned first_rows)
{
	return (SptStore){
		.data = g_malloc0_n(first_rows, schema->row_bytes),
		.n = first_rows,
		.room = first_rows,
		.clean = first_rows,
		.schema = schema,
	};
}

uint64_t spt_store_next_room(const SptStore *store, uint64_t n)
{
	return MAX(n, store->room + store->room / 2);
}

uint64_t spt_store_more_bytes(const SptStore *store, uint64_t n)
{
	return n <= store->room ?
		       0 :
		       (spt_store_next_room(store, n) - store->room) * store->schema->row_bytes;
}

bool spt_store_reserve(SptStore *store, uint64_t n, GError **error)
{
	size_t row_bytes = store->schema->row_bytes;
	uint64_t room = spt_store_next_room(store, n);
	uint8_t *data;

	if (n > store->room) {
		data = room <= SIZE_MAX / row_bytes ?
			       g_try_realloc(store->data, (size_t)room * row_bytes) :
			       NULL;
		if (!data) {
			spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
				      "there is not enough memory for its rows");
			return false;
		}
		store->data = data;
		store->room = room;
	}
	/* Not the whole room: untouched memory costs nothing. */
	if (n > store->clean) {
		n = MIN(n + CLEAN_ROWS, store->room);
		memset(store->data + store->clean * row_bytes, 0,
		       (size_t)(n - store->clean) * row_bytes);
		store->clean = n;
	}
	return true;
}

void spt_store_fill_holes(SptStore *store)
{
	static const char *const empty = "";

	for (unsigned i = 0; i < store->schema->n_fields; i++) {
		const SptField *field = &store->schema->fields[i];

		if (field->type != SPT_FIELD_TEXT)
			continue;
		for (uint64_t id = 0; id < store->n; id++)
			if (spt_store_id(store, id) == 0)
				memcpy((uint8_t *)spt_store_row(store, id) + field->at, &empty,
				       sizeof(empty));
	}
}

void *spt_store_steal(SptStore *store, uint64_t *ret_n)
{
	*ret_n = store->n;
	store->n = store->room = store->clean = 0;
	return g_realloc_n(g_steal_pointer(&store->data), *ret_n, store->schema->row_bytes);
}
