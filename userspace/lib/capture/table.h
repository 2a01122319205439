/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column codec: the content of every block (format.md, "Payload").  Encoding chooses the
 * smallest coding of each column.  Decoding trusts nothing, and reads no byte outside the payload.
 */
#ifndef SPT_CAPTURE_TABLE_H
#define SPT_CAPTURE_TABLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/byte-span.h"
#include "capture/format.h"

G_BEGIN_DECLS

/* Encoding: begin, the columns, end. */
enum spt_table_room {
	SPT_TABLE_ROOM_VALUES,		/* for the caller of spt_table_add_numbers() */
	SPT_TABLE_ROOM_SCALED,
	SPT_TABLE_ROOM_STEPS,
	SPT_TABLE_ROOM_REST,
	SPT_TABLE_ROOM_TRANSFORMED,
	SPT_TABLE_ROOMS
};

typedef struct {
	GByteArray *payload;	/* the table, whole after the end */
	guint head_bytes;	/* before its columns */
	GByteArray *data;	/* of one column */
	/* Guint: where in the payload columns and planes begin, for spt_block_pack() */
	GArray *cuts;
	GArray *data_cuts;	/* the same in data */
	size_t rows;
	unsigned n_columns;
	/* Room for numbers of each row, kept for the next column: one of each use. */
	uint64_t *rooms[SPT_TABLE_ROOMS];
	size_t room_numbers[SPT_TABLE_ROOMS];
} SptTableBuilder;

void spt_table_builder_init(SptTableBuilder *builder);
void spt_table_builder_clear(SptTableBuilder *builder);
void spt_table_begin(SptTableBuilder *builder, size_t rows);
/* Room for @columns numbers of each row, until it is requested again. */
uint64_t *spt_table_room(SptTableBuilder *builder, enum spt_table_room room, unsigned columns);
/*
 * There are as many @values as rows.  A column with only zeros, or without any byte, is not
 * written.
 */
void spt_table_add_numbers(SptTableBuilder *builder, unsigned id, const uint64_t *values);
/* A column of the same numbers as the one that was just added; not all of them are the same. */
void spt_table_add_same(SptTableBuilder *builder, unsigned id);
void spt_table_add_const(SptTableBuilder *builder, unsigned id, uint64_t value);
void spt_table_add_bytes(SptTableBuilder *builder, unsigned id, const SptBytes *values);
void spt_table_end(SptTableBuilder *builder);

/* Decoding.  Columns point into the payload. */
typedef struct {
	uint64_t id;
	const uint8_t *data;
	size_t bytes;
	SptCoding coding;
} SptColumn;

typedef struct {
	uint32_t rows;
	unsigned n_columns;
	SptColumn columns[SPT_TABLE_MAX_COLUMNS];
} SptTable;

/*
 * Errors are SPT_CAPTURE_ERROR_DAMAGED, a clause that fits behind a colon.  Checks sizes, not the
 * columns' data.
 */
bool spt_table_parse(SptTable *table, const uint8_t *payload, size_t bytes, GError **error);
/* NULL: it is not there. */
const SptColumn *spt_table_column(const SptTable *table, uint64_t id);

/*
 * Reads the values of a column, some rows at a time.  After the last row, spt_column_done() returns
 * whether the data ended there.
 */
typedef struct {
	const uint8_t *next, *end;
	const uint8_t *steps;		/* with RISING, one per row; NULL: none */
	uint64_t value;			/* with CONST the value, with DELTA the last one */
	uint64_t highest, factor;
	SptCoding coding;		/* the innermost */
	unsigned n_planes;		/* 0: varints */
	uint32_t plane_rows;
} SptColumnCursor;

bool spt_column_begin(SptColumnCursor *cursor, const SptColumn *column, uint32_t rows);
bool spt_column_next_numbers(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n);
bool spt_column_next_bytes(SptColumnCursor *cursor, SptBytes *ret);
bool spt_column_done(const SptColumnCursor *cursor);

/* The greatest common divisor; that of 0 and a number is the number. */
static inline uint64_t spt_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static inline uint64_t spt_zigzag(uint64_t value)
{
	return value << 1 ^ (uint64_t)-(value >> 63);
}

static inline uint64_t spt_unzigzag(uint64_t zigzag)
{
	return zigzag >> 1 ^ -(zigzag & 1);
}

G_END_DECLS

#endif
