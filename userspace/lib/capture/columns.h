/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of numbers become columns some at a time, while they are in the cache.  A column whose
 * numbers are all the same takes a single one.
 */
#ifndef SPT_CAPTURE_COLUMNS_H
#define SPT_CAPTURE_COLUMNS_H

#include "capture/schema.h"

G_BEGIN_DECLS

/* Rows that are turned into columns together. */
#define SPT_COLUMNS_TILE 128

typedef struct {
	size_t n, room;			/* rows */
	/* Room for each field; of one whose numbers are the same only the first. */
	uint64_t *values;
	bool are_same[SPT_TABLE_MAX_COLUMNS];
} SptColumns;

/* Begins without rows; @values has room for @room numbers of each field, and is the caller's. */
void spt_columns_begin(SptColumns *columns, uint64_t *values, size_t room);
/* Drops the rows. */
void spt_columns_restart(SptColumns *columns);
/* Adds at most a tile of rows; fields of @schema that are not numbers are skipped. */
void spt_columns_add(SptColumns *columns, const SptSchema *schema, const void *rows, size_t n);
/*
 * Adds rows @from to @from + @n of field @i, a number, to the table as column @id, after those of
 * the fields before it.
 */
void spt_columns_encode(const SptColumns *columns, unsigned i, unsigned id, size_t from, size_t n,
			SptTableBuilder *builder);
/* The least and the highest of these rows' numbers. */
void spt_columns_range(const SptColumns *columns, unsigned i, size_t from, size_t n,
		       uint64_t *ret_least, uint64_t *ret_highest);

G_END_DECLS

#endif
