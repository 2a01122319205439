/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing half of the column codec.  The block is compressed afterwards by a coder that gives each byte value its own
 * length: what counts is not how many bytes a coding has but how predictable they are.  So numbers that need more
 * than a varint of one byte are cut into planes, all lowest bytes first, and the transformation is chosen whose
 * planes have the least entropy.
 */
#include "capture/table.h"

#define VARINT_MAX_BYTES 10
/* Fewer rows do not pay for the tables that make planes small. */
#define LEAST_PLANE_ROWS 32
#define LEAST_CUT_BYTES 192
/* Rows that are looked at to choose: enough to know a column by, cheap once a second. */
#define TRIED_ROWS 4096
/* What a byte value adds to the table, in bits times 256. */
#define SYMBOL_COST (4 << 8)

static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

static void append_varint(GByteArray *array, uint64_t value)
{
	uint8_t bytes[VARINT_MAX_BYTES];

	g_byte_array_append(array, bytes, (guint)(put_varint(bytes, value) - bytes));
}

void spt_table_builder_init(SptTableBuilder *builder)
{
	*builder = (SptTableBuilder) {
		.columns = g_byte_array_new(), .trial = g_byte_array_new(), .cuts = g_array_new(FALSE, FALSE, sizeof(guint)),
	};
}

void spt_table_builder_clear(SptTableBuilder *builder)
{
	g_clear_pointer(&builder->columns, g_byte_array_unref);
	g_clear_pointer(&builder->trial, g_byte_array_unref);
	g_clear_pointer(&builder->cuts, g_array_unref);
}

void spt_table_begin(SptTableBuilder *builder, size_t rows)
{
	g_byte_array_set_size(builder->columns, 0);
	g_array_set_size(builder->cuts, 0);
	builder->rows = rows;
	builder->n_columns = 0;
}

static void add_column(SptTableBuilder *builder, unsigned id, SptCoding coding, const void *data, size_t bytes)
{
	uint8_t byte = (uint8_t)coding;

	append_varint(builder->columns, id);
	g_byte_array_append(builder->columns, &byte, 1);
	append_varint(builder->columns, bytes);
	g_byte_array_append(builder->columns, data, (guint)bytes);
	builder->n_columns++;
}

void spt_table_add_const(SptTableBuilder *builder, unsigned id, uint64_t value)
{
	uint8_t bytes[VARINT_MAX_BYTES];

	add_column(builder, id, SPT_CODING_CONST, bytes, (size_t)(put_varint(bytes, value) - bytes));
}

static uint64_t transform(const uint64_t *values, size_t i, SptCoding coding)
{
	switch (coding) {
	case SPT_CODING_ZIGZAG:
		return spt_zigzag(values[i]);
	case SPT_CODING_DELTA:
		return spt_zigzag(values[i] - (i ? values[i - 1] : 0));
	default:
		return values[i];
	}
}

/* 256 times the binary logarithm, between powers of two along a straight line. */
static uint64_t log2_256(uint64_t value)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(value);

	return ((uint64_t)power << 8) + ((value << 8 >> power) & 0xff);
}

/* About how many bits @n bytes take once compressed, times 256, with the table that tells the lengths. */
static uint64_t plane_cost(const uint32_t counts[256], size_t n)
{
	uint64_t cost = 0, whole = log2_256(n);

	for (unsigned value = 0; value < 256; value++)
		if (counts[value] > 0)
			cost += counts[value] * (whole - log2_256(counts[value])) + SYMBOL_COST;
	return cost;
}

static uint64_t transform_cost(const uint64_t *values, size_t n, SptCoding coding)
{
	uint32_t counts[sizeof(uint64_t)][256] = { 0 };
	uint64_t cost = 0, all = 0;

	/* The first delta is a whole number, and alone in that. */
	for (size_t i = 1; i < n; i++) {
		uint64_t value = transform(values, i, coding);

		all |= value;
		for (unsigned k = 0; k < sizeof(uint64_t); k++, value >>= 8)
			counts[k][value & 0xff]++;
	}
	for (unsigned k = 0; k < sizeof(uint64_t) && all > 0; k++, all >>= 8)
		cost += plane_cost(counts[k], n - 1);
	return cost;
}

static SptCoding choose_transform(const uint64_t *values, size_t n)
{
	size_t tried = MIN(n, TRIED_ROWS);
	SptCoding best = SPT_CODING_VARINT;
	uint64_t least = transform_cost(values, tried, best);

	for (SptCoding coding = SPT_CODING_ZIGZAG; coding <= SPT_CODING_DELTA; coding++) {
		uint64_t cost = transform_cost(values, tried, coding);

		if (cost < least) {
			least = cost;
			best = coding;
		}
	}
	return best;
}

/* Where the compressor had better begin anew. */
static void cut(SptTableBuilder *builder, size_t at)
{
	guint n = builder->cuts->len;
	guint before = n ? g_array_index(builder->cuts, guint, n - 1) : 0, here = (guint)at;

	if (here - before >= LEAST_CUT_BYTES)
		g_array_append_val(builder->cuts, here);
}

static void add_planes(SptTableBuilder *builder, unsigned id, SptCoding coding, const uint64_t *transformed,
		       unsigned n_planes)
{
	size_t rows = builder->rows, data_at;
	uint8_t *to = builder->trial->data;

	*to++ = (uint8_t)n_planes;
	*to++ = (uint8_t)coding;
	for (unsigned k = 0; k < n_planes; k++)
		for (size_t i = 0; i < rows; i++)
			*to++ = (uint8_t)(transformed[i] >> 8 * k);
	add_column(builder, id, SPT_CODING_PLANES, builder->trial->data, (size_t)(to - builder->trial->data));
	data_at = builder->columns->len - rows * n_planes;
	for (unsigned k = 0; k < n_planes; k++)
		cut(builder, data_at + k * rows);
}

static void add_varints(SptTableBuilder *builder, unsigned id, SptCoding coding, const uint64_t *transformed)
{
	uint8_t *to = builder->trial->data;

	for (size_t i = 0; i < builder->rows; i++)
		to = put_varint(to, transformed[i]);
	add_column(builder, id, coding, builder->trial->data, (size_t)(to - builder->trial->data));
}

static bool all_same(const uint64_t *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

void spt_table_add_numbers(SptTableBuilder *builder, unsigned id, const uint64_t *values)
{
	g_autofree uint64_t *transformed = NULL;
	uint64_t all = 0;
	SptCoding coding;

	if (builder->rows == 0)
		return;
	if (all_same(values, builder->rows)) {
		if (values[0] != 0)
			spt_table_add_const(builder, id, values[0]);
		return;
	}
	cut(builder, builder->columns->len);
	transformed = g_new(uint64_t, builder->rows);
	coding = choose_transform(values, builder->rows);
	for (size_t i = 0; i < builder->rows; i++) {
		transformed[i] = transform(values, i, coding);
		all |= i ? transformed[i] : 0;
	}
	g_byte_array_set_size(builder->trial, (guint)(builder->rows * VARINT_MAX_BYTES));
	if (all < 0x80 || builder->rows < LEAST_PLANE_ROWS)
		add_varints(builder, id, coding, transformed);
	else
		add_planes(builder, id, coding, transformed, (unsigned)(71 - __builtin_clzll(all | transformed[0])) / 8);
}

void spt_table_add_bytes(SptTableBuilder *builder, unsigned id, const SptBytes *values)
{
	size_t all = 0;

	g_byte_array_set_size(builder->trial, 0);
	for (size_t i = 0; i < builder->rows; i++) {
		append_varint(builder->trial, values[i].bytes);
		g_byte_array_append(builder->trial, values[i].data, (guint)values[i].bytes);
		all += values[i].bytes;
	}
	if (all == 0)
		return;
	cut(builder, builder->columns->len);
	add_column(builder, id, SPT_CODING_BYTES, builder->trial->data, builder->trial->len);
}

void spt_table_end(SptTableBuilder *builder, GByteArray *payload)
{
	guint head_bytes;

	g_byte_array_set_size(payload, 0);
	append_varint(payload, builder->rows);
	append_varint(payload, builder->n_columns);
	head_bytes = payload->len;
	g_byte_array_append(payload, builder->columns->data, builder->columns->len);
	for (guint i = 0; i < builder->cuts->len; i++)
		g_array_index(builder->cuts, guint, i) += head_bytes;
}

