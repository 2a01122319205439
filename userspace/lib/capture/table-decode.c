/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reading half of the column codec.  Nothing is believed: every length is compared with what is left before it
 * is used, and a column that does not hold exactly what its rows need is an error.
 */
#include "capture/table.h"

#include <string.h>

#include "capture/capture.h"

/* At most 10 bytes and 64 bits; the common single byte first. */
static inline bool get_varint(const uint8_t **next, const uint8_t *end, uint64_t *ret)
{
	const uint8_t *from = *next;
	uint64_t value;
	unsigned shift = 7;

	if (from == end)
		return false;
	value = *from++;
	if (value >= 0x80) {
		value &= 0x7f;
		for (;; shift += 7) {
			if (from == end || (shift == 63 && *from > 1))
				return false;
			value |= (uint64_t)(*from & 0x7f) << shift;
			if (*from++ < 0x80)
				break;
		}
	}
	*next = from;
	*ret = value;
	return true;
}

static bool damaged(GError **error, const char *clause)
{
	g_set_error_literal(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED, clause);
	return false;
}

bool spt_table_parse(SptTable *table, const uint8_t *payload, size_t bytes, GError **error)
{
	const uint8_t *next = payload, *end = payload + bytes;
	uint64_t rows, n_columns;

	if (!get_varint(&next, end, &rows) || !get_varint(&next, end, &n_columns))
		return damaged(error, "its table has no head");
	if (rows > SPT_TABLE_MAX_ROWS)
		return damaged(error, "its table has more rows than the format allows");
	if (n_columns > SPT_TABLE_MAX_COLUMNS)
		return damaged(error, "its table has more columns than the format allows");
	table->rows = (uint32_t)rows;
	table->n_columns = (unsigned)n_columns;
	for (unsigned i = 0; i < table->n_columns; i++) {
		SptColumn *column = &table->columns[i];
		uint64_t data_bytes;

		if (!get_varint(&next, end, &column->id) || next == end)
			return damaged(error, "its table ends inside a column's head");
		column->coding = *next++;
		if (!get_varint(&next, end, &data_bytes) || data_bytes > (size_t)(end - next))
			return damaged(error, "a column is longer than its block");
		for (unsigned before = 0; before < i; before++)
			if (table->columns[before].id == column->id)
				return damaged(error, "a column is there twice");
		column->data = next;
		column->bytes = (size_t)data_bytes;
		next += data_bytes;
	}
	return next == end || damaged(error, "there are bytes behind its table");
}

const SptColumn *spt_table_column(const SptTable *table, uint64_t id)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		if (table->columns[i].id == id)
			return &table->columns[i];
	return NULL;
}

static bool begin_planes(SptColumnCursor *cursor, const SptColumn *column, uint32_t rows)
{
	if (column->bytes < SPT_PLANES_HEAD_BYTES)
		return false;
	cursor->n_planes = column->data[0];
	cursor->coding = column->data[1];
	cursor->rows = rows;
	cursor->next += SPT_PLANES_HEAD_BYTES;
	return cursor->n_planes >= 1 && cursor->n_planes <= sizeof(uint64_t) && cursor->coding <= SPT_CODING_DELTA &&
		(uint64_t)cursor->n_planes * rows == column->bytes - SPT_PLANES_HEAD_BYTES;
}

bool spt_column_begin(SptColumnCursor *cursor, const SptColumn *column, uint32_t rows)
{
	*cursor = (SptColumnCursor) {
		.next = column->data, .end = column->data + column->bytes, .coding = column->coding,
	};
	if (column->coding == SPT_CODING_PLANES)
		return begin_planes(cursor, column, rows);
	return column->coding != SPT_CODING_CONST || get_varint(&cursor->next, cursor->end, &cursor->value);
}

/* The cursor walks along the first plane; the others lie a column's rows apart. */
static void next_from_planes(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n)
{
	const uint8_t *plane = cursor->next;

	memset(ret_values, 0, n * sizeof(*ret_values));
	for (unsigned k = 0; k < cursor->n_planes; k++, plane += cursor->rows)
		for (unsigned i = 0; i < n; i++)
			ret_values[i] |= (uint64_t)plane[i] << 8 * k;
	cursor->next += n;
}

bool spt_column_next_numbers(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n)
{
	if (cursor->coding > SPT_CODING_CONST)
		return false;
	if (cursor->coding == SPT_CODING_CONST) {
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = cursor->value;
		return true;
	}
	if (cursor->n_planes > 0)
		next_from_planes(cursor, ret_values, n);
	else
		for (unsigned i = 0; i < n; i++)
			if (!get_varint(&cursor->next, cursor->end, &ret_values[i]))
				return false;
	if (cursor->coding != SPT_CODING_VARINT)
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = spt_unzigzag(ret_values[i]);
	if (cursor->coding == SPT_CODING_DELTA)
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = cursor->value += ret_values[i];
	return true;
}

bool spt_column_next_bytes(SptColumnCursor *cursor, SptBytes *ret)
{
	uint64_t bytes;

	if (cursor->coding != SPT_CODING_BYTES || !get_varint(&cursor->next, cursor->end, &bytes) ||
	    bytes > (size_t)(cursor->end - cursor->next))
		return false;
	*ret = (SptBytes) { cursor->next, (size_t)bytes };
	cursor->next += bytes;
	return true;
}

bool spt_column_done(const SptColumnCursor *cursor)
{
	return cursor->next + (size_t)(cursor->n_planes ? cursor->n_planes - 1 : 0) * cursor->rows == cursor->end;
}
