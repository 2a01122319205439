/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reading half of the column codec.  Nothing is trusted: every length is compared with the rest
 * of the data before it is used, and a column that does not have exactly the data of its rows is an
 * error.
 */
#include "capture/table.h"

#include <string.h>

#include "base/varint.h"
#include "base/words.h"
#include "capture/capture.h"

static bool table_decode_damaged(GError **error, const char *clause)
{
	g_set_error_literal(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED, spt_words(clause));
	return false;
}

bool spt_table_parse(SptTable *table, const uint8_t *payload, size_t bytes, GError **error)
{
	const uint8_t *next = payload, *end = payload + bytes;
	uint64_t rows, n_columns;

	if (!spt_get_varint(&next, end, &rows) || !spt_get_varint(&next, end, &n_columns))
		return table_decode_damaged(error, "its table has no head");
	if (rows > SPT_TABLE_MAX_ROWS)
		return table_decode_damaged(error,
					    "its table has more rows than the format allows");
	if (n_columns > SPT_TABLE_MAX_COLUMNS)
		return table_decode_damaged(error,
					    "its table has more columns than the format allows");
	table->rows = (uint32_t)rows;
	table->n_columns = (unsigned)n_columns;
	for (unsigned i = 0; i < table->n_columns; i++) {
		SptColumn *column = &table->columns[i];
		uint64_t data_bytes;

		if (!spt_get_varint(&next, end, &column->id) || next == end)
			return table_decode_damaged(error, "its table ends inside a column's head");
		column->coding = *next++;
		if (!spt_get_varint(&next, end, &data_bytes) || data_bytes > (size_t)(end - next))
			return table_decode_damaged(error, "a column is longer than its block");
		for (unsigned before = 0; before < i; before++)
			if (table->columns[before].id == column->id)
				return table_decode_damaged(error, "a column is there twice");
		column->data = next;
		column->bytes = (size_t)data_bytes;
		next += data_bytes;
	}
	return next == end || table_decode_damaged(error, "there are bytes after its table");
}

const SptColumn *spt_table_column(const SptTable *table, uint64_t id)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		if (table->columns[i].id == id)
			return &table->columns[i];
	return NULL;
}

static bool begin_planes(SptColumnCursor *cursor, uint32_t rows)
{
	if (cursor->end - cursor->next < SPT_PLANES_HEAD_BYTES)
		return false;
	cursor->n_planes = *cursor->next++;
	cursor->coding = *cursor->next++;
	cursor->plane_rows = rows;
	if (cursor->coding == SPT_CODING_DELTA &&
	    !spt_get_varint(&cursor->next, cursor->end, &cursor->value))
		return false;
	return cursor->n_planes >= 1 && cursor->n_planes <= sizeof(uint64_t) &&
	       cursor->coding <= SPT_CODING_DELTA &&
	       (uint64_t)cursor->n_planes * rows == (size_t)(cursor->end - cursor->next);
}

/* The inner coding's number is a byte before its data. */
static bool next_coding(SptColumnCursor *cursor)
{
	if (cursor->next == cursor->end)
		return false;
	cursor->coding = *cursor->next++;
	return cursor->coding != SPT_CODING_CONST && cursor->coding != SPT_CODING_BYTES;
}

/* @rows is reduced to the rows of the inner coding. */
static bool begin_rising(SptColumnCursor *cursor, uint32_t *rows)
{
	uint32_t n_rest = 0;

	if (*rows > (size_t)(cursor->end - cursor->next))
		return false;
	cursor->steps = cursor->next;
	cursor->next += *rows;
	for (uint32_t i = 0; i < *rows; i++)
		n_rest += cursor->steps[i] == 0;
	*rows = n_rest;
	return next_coding(cursor);
}

bool spt_column_begin(SptColumnCursor *cursor, const SptColumn *column, uint32_t rows)
{
	*cursor = (SptColumnCursor){
		.next = column->data,
		.end = column->data + column->bytes,
		.coding = column->coding,
		.factor = 1,
	};
	if (cursor->coding == SPT_CODING_SCALED &&
	    !(spt_get_varint(&cursor->next, cursor->end, &cursor->factor) && next_coding(cursor)))
		return false;
	if (cursor->coding == SPT_CODING_RISING && !begin_rising(cursor, &rows))
		return false;
	if (cursor->coding == SPT_CODING_PLANES)
		return begin_planes(cursor, rows);
	if (cursor->coding == SPT_CODING_CONST)
		return spt_get_varint(&cursor->next, cursor->end, &cursor->value);
	return cursor->coding <= SPT_CODING_BYTES;
}

/*
 * The cursor walks along the first plane.  The next planes each start a column's rows further on.
 * Few planes are worth a loop of their own.
 */
static void next_from_planes(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n)
{
	const uint8_t *plane = cursor->next;
	size_t rows = cursor->plane_rows;

	cursor->next += n;
	switch (cursor->n_planes) {
	case 1:
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = plane[i];
		return;
	case 2:
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = plane[i] | (uint32_t)plane[rows + i] << 8;
		return;
	case 3:
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = plane[i] | (uint32_t)plane[rows + i] << 8 |
					(uint32_t)plane[2 * rows + i] << 16;
		return;
	}
	for (unsigned i = 0; i < n; i++)
		ret_values[i] = plane[i];
	for (unsigned k = 1; k < cursor->n_planes; k++) {
		plane += rows;
		for (unsigned i = 0; i < n; i++)
			ret_values[i] |= (uint64_t)plane[i] << 8 * k;
	}
}

/*
 * Whether the next @n numbers have one byte each, as they mostly do; then they are the bytes.
 */
static bool next_single_bytes(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n)
{
	const uint8_t *bytes = cursor->next;
	uint8_t all = 0;

	if (n > (size_t)(cursor->end - bytes))
		return false;
	for (unsigned i = 0; i < n; i++)
		all |= bytes[i];
	if (all >= 0x80)
		return false;
	for (unsigned i = 0; i < n; i++)
		ret_values[i] = bytes[i];
	cursor->next += n;
	return true;
}

static bool next_plain(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n)
{
	if (cursor->n_planes > 0)
		next_from_planes(cursor, ret_values, n);
	else if (!next_single_bytes(cursor, ret_values, n))
		for (unsigned i = 0; i < n; i++)
			if (!spt_get_varint(&cursor->next, cursor->end, &ret_values[i]))
				return false;
	if (cursor->coding != SPT_CODING_VARINT)
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = spt_unzigzag(ret_values[i]);
	if (cursor->coding == SPT_CODING_DELTA)
		for (unsigned i = 0; i < n; i++)
			ret_values[i] = cursor->value += ret_values[i];
	return true;
}

/*
 * The rest is decoded to the end of @ret_values.  From there it moves forward, never past the
 * position where it is needed.
 */
static bool next_rising(SptColumnCursor *cursor, uint64_t *ret_values, unsigned n)
{
	const uint8_t *steps = cursor->steps;
	uint64_t highest = cursor->highest;
	const uint64_t *rest;
	unsigned n_rest = 0;

	for (unsigned i = 0; i < n; i++)
		n_rest += steps[i] == 0;
	rest = ret_values + n - n_rest;
	if (!next_plain(cursor, ret_values + n - n_rest, n_rest))
		return false;
	for (unsigned i = 0; i < n; i++) {
		uint64_t value = steps[i] ? highest + steps[i] : *rest;

		rest += steps[i] == 0;
		ret_values[i] = value;
		highest = MAX(highest, value);
	}
	cursor->highest = highest;
	cursor->steps += n;
	return true;
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
	if (!(cursor->steps ? next_rising : next_plain)(cursor, ret_values, n))
		return false;
	if (cursor->factor != 1)
		for (unsigned i = 0; i < n; i++)
			ret_values[i] *= cursor->factor;
	return true;
}

bool spt_column_next_bytes(SptColumnCursor *cursor, SptBytes *ret)
{
	uint64_t bytes;

	if (cursor->coding != SPT_CODING_BYTES ||
	    !spt_get_varint(&cursor->next, cursor->end, &bytes) ||
	    bytes > (size_t)(cursor->end - cursor->next))
		return false;
	*ret = (SptBytes) { cursor->next, (size_t)bytes };
	cursor->next += bytes;
	return true;
}

bool spt_column_done(const SptColumnCursor *cursor)
{
	return cursor->next +
		       (size_t)(cursor->n_planes ? cursor->n_planes - 1 : 0) * cursor->plane_rows ==
	       cursor->end;
}
