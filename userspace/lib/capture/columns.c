/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/columns.h"

#include <string.h>

void spt_columns_restart(SptColumns *columns)
{
	columns->n = 0;
	memset(columns->are_same, true, sizeof(columns->are_same));
}

void spt_columns_begin(SptColumns *columns, uint64_t *values, size_t room)
{
	columns->room = room;
	columns->values = values;
	spt_columns_restart(columns);
}

static inline uint64_t columns_number_at(SptFieldType type, const uint8_t *member)
{
	uint64_t wide;
	uint32_t narrow;

	switch (type) {
	case SPT_FIELD_U64:
		memcpy(&wide, member, sizeof(wide));
		return wide;
	case SPT_FIELD_U32:
		memcpy(&narrow, member, sizeof(narrow));
		return narrow;
	default:
		return *member;
	}
}

/* A member of some rows.  Inline, so that the loop has no switch: @type is a constant there. */
static inline void gather_as(SptFieldType type, const uint8_t *member, size_t stride, size_t n,
			     uint64_t *ret_values)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < n; i++, member += stride)
		ret_values[i] = columns_number_at(type, member);
}

static void gather(SptFieldType type, const uint8_t *member, size_t stride, size_t n,
		   uint64_t *ret_values)
{
	if (type == SPT_FIELD_U64)
		gather_as(SPT_FIELD_U64, member, stride, n, ret_values);
	else if (type == SPT_FIELD_U32)
		gather_as(SPT_FIELD_U32, member, stride, n, ret_values);
	else
		gather_as(SPT_FIELD_U8, member, stride, n, ret_values);
}

static inline bool are_all_as(SptFieldType type, const uint8_t *member, size_t stride, size_t n,
			      uint64_t value)
{
	uint64_t differing = 0;

#pragma GCC unroll 8
	for (size_t i = 0; i < n; i++, member += stride)
		differing |= columns_number_at(type, member) ^ value;
	return !differing;
}

static bool are_all(SptFieldType type, const uint8_t *member, size_t stride, size_t n,
		    uint64_t value)
{
	if (type == SPT_FIELD_U64)
		return are_all_as(SPT_FIELD_U64, member, stride, n, value);
	if (type == SPT_FIELD_U32)
		return are_all_as(SPT_FIELD_U32, member, stride, n, value);
	return are_all_as(SPT_FIELD_U8, member, stride, n, value);
}

/*
 * Adds the rows from @at on to a column.  As long as all of its numbers are the same, only the
 * first of them is there.  Returns whether they still are.
 */
static bool add_tile(const SptField *field, const uint8_t *member, size_t stride, size_t at,
		     size_t n, bool is_same, uint64_t *values)
{
	if (at == 0)
		values[0] = columns_number_at(field->type, member);
	if (is_same && are_all(field->type, member, stride, n, values[0]))
		return true;
	for (size_t i = 1; is_same && i < at; i++)
		values[i] = values[0];
	gather(field->type, member, stride, n, values + at);
	return false;
}

void spt_columns_add(SptColumns *columns, const SptSchema *schema, const void *rows, size_t n)
{
	for (unsigned i = 0; i < schema->n_fields; i++) {
		const SptField *field = &schema->fields[i];

		if (spt_field_is_number(field))
			columns->are_same[i] = add_tile(field, (const uint8_t *)rows + field->at,
							schema->row_bytes, columns->n, n,
							columns->are_same[i],
							columns->values + i * columns->room);
	}
	columns->n += n;
}

void spt_columns_encode(const SptColumns *columns, unsigned i, unsigned id, size_t from, size_t n,
			SptTableBuilder *builder)
{
	const uint64_t *first = columns->values + i * columns->room, *values = first + from;

	if (n == 0 || (columns->are_same[i] && !*first))
		return;
	if (columns->are_same[i])
		spt_table_add_const(builder, id, *first);
	else if (i > 0 && !columns->are_same[i - 1] && n == columns->n &&
		 memcmp(values, values - columns->room, n * sizeof(*values)) == 0)
		spt_table_add_same(builder, id);
	else
		spt_table_add_numbers(builder, id, values);
}

void spt_columns_range(const SptColumns *columns, unsigned i, size_t from, size_t n,
		       uint64_t *ret_least, uint64_t *ret_highest)
{
	const uint64_t *values = columns->values + i * columns->room;
	uint64_t least = values[columns->are_same[i] ? 0 : from], highest = least;

	for (size_t at = from; !columns->are_same[i] && at < from + n; at++) {
		least = MIN(least, values[at]);
		highest = MAX(highest, values[at]);
	}
	*ret_least = least;
	*ret_highest = highest;
}
