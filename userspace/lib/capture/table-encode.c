/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing half of the column codec.  The block is compressed afterwards by a coder that gives
 * each byte value its own length: predictable bytes matter more than few bytes.  So numbers that
 * need more than a varint of one byte are cut into planes, all lowest bytes first.  The
 * transformation whose planes have the least entropy is chosen.
 */
#include "capture/table.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define VARINT_MAX_BYTES 10
/* With fewer rows, the tables that make planes small cost too much. */
#define LEAST_PLANE_ROWS 32
#define LEAST_CUT_BYTES 192
/* Number of rows for the choice, from the middle: enough to judge a column. */
#define TRIED_ROWS 2048
/* Cost of a byte value in the table, in bits times 256. */
#define SYMBOL_COST (4 << 8)
/* One in this number of rows must be a step upwards, so that the steps are worth a byte a row. */
#define LEAST_RISING_SHARE 8

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

/* Appends to @array. */
static uint8_t *room_for(GByteArray *array, size_t bytes)
{
	guint before = array->len;

	g_byte_array_set_size(array, (guint)(before + bytes));
	return array->data + before;
}

/* Cuts off the part of the room that was not needed. */
static void ends_at(GByteArray *array, const uint8_t *end)
{
	g_byte_array_set_size(array, (guint)(end - array->data));
}

void spt_table_builder_init(SptTableBuilder *builder)
{
	*builder = (SptTableBuilder){
		.payload = g_byte_array_new(),
		.data = g_byte_array_new(),
		.cuts = g_array_new(FALSE, FALSE, sizeof(guint)),
		.data_cuts = g_array_new(FALSE, FALSE, sizeof(guint)),
	};
}

void spt_table_builder_clear(SptTableBuilder *builder)
{
	g_clear_pointer(&builder->payload, g_byte_array_unref);
	g_clear_pointer(&builder->data, g_byte_array_unref);
	g_clear_pointer(&builder->cuts, g_array_unref);
	g_clear_pointer(&builder->data_cuts, g_array_unref);
	for (unsigned i = 0; i < SPT_TABLE_ROOMS; i++)
		g_clear_pointer(&builder->rooms[i], g_free);
}

void spt_table_begin(SptTableBuilder *builder, size_t rows)
{
	g_byte_array_set_size(builder->payload, 0);
	append_varint(builder->payload, rows);
	/* The number of columns, known at the end: it takes one byte. */
	append_varint(builder->payload, 0);
	builder->head_bytes = builder->payload->len;
	g_array_set_size(builder->cuts, 0);
	builder->rows = rows;
	builder->n_columns = 0;
}

uint64_t *spt_table_room(SptTableBuilder *builder, enum spt_table_room room, unsigned columns)
{
	if (builder->room_numbers[room] < builder->rows * columns) {
		g_free(builder->rooms[room]);
		builder->rooms[room] = g_new(uint64_t, builder->rows * columns);
		builder->room_numbers[room] = builder->rows * columns;
	}
	return builder->rooms[room];
}

static void put_byte(GByteArray *array, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	g_byte_array_append(array, &byte, 1);
}

/* Notes a position where the compressor should begin anew. */
static void table_encode_cut(GArray *cuts, guint at)
{
	guint before = cuts->len ? g_array_index(cuts, guint, cuts->len - 1) : 0;

	if (at - before >= LEAST_CUT_BYTES)
		g_array_append_val(cuts, at);
}

/* The same in the column that is being built. */
static void cut_data(SptTableBuilder *builder)
{
	table_encode_cut(builder->data_cuts, builder->data->len);
}

/* Appends the column that was built: the coding and its data. */
static void table_encode_add_column(SptTableBuilder *builder, unsigned id)
{
	GByteArray *payload = builder->payload;
	guint begin;

	table_encode_cut(builder->cuts, payload->len - builder->head_bytes);
	append_varint(payload, id);
	g_byte_array_append(payload, builder->data->data, 1);
	append_varint(payload, builder->data->len - 1);
	begin = payload->len - builder->head_bytes - 1;
	for (guint i = 0; i < builder->data_cuts->len; i++)
		table_encode_cut(builder->cuts,
				 begin + g_array_index(builder->data_cuts, guint, i));
	g_byte_array_append(payload, builder->data->data + 1, builder->data->len - 1);
	builder->n_columns++;
}

static void table_encode_begin_column(SptTableBuilder *builder, SptCoding coding)
{
	g_byte_array_set_size(builder->data, 0);
	g_array_set_size(builder->data_cuts, 0);
	put_byte(builder->data, coding);
}

void spt_table_add_const(SptTableBuilder *builder, unsigned id, uint64_t value)
{
	table_encode_begin_column(builder, SPT_CODING_CONST);
	append_varint(builder->data, value);
	table_encode_add_column(builder, id);
}

/* 256 times the binary logarithm, linear between powers of two. */
static uint64_t log2_256(uint64_t value)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(value);

	return ((uint64_t)power << 8) + ((value << 8 >> power) & 0xff);
}

/* Approximate compressed size of @n bytes in bits, times 256, with the table of lengths. */
static uint64_t plane_cost(const uint32_t counts[256], size_t n)
{
	uint64_t cost = 0, whole = log2_256(n);

	for (unsigned value = 0; value < 256; value++)
		if (counts[value] > 0)
			cost += counts[value] * (whole - log2_256(counts[value])) + SYMBOL_COST;
	return cost;
}

static inline uint64_t difference(const uint64_t *values, size_t i)
{
	return spt_zigzag(values[i] - values[i - 1]);
}

/*
 * Returns the transformed numbers, which are @values themselves or in @room.  *@ret_all: all of
 * their bits but those of the first: the first delta is the number itself, unlike all others.
 */
static const uint64_t *transform(const uint64_t *values, size_t n, SptCoding coding, uint64_t *room,
				 uint64_t *ret_all)
{
	uint64_t all = 0;

	room[0] = spt_zigzag(values[0]);
	if (coding == SPT_CODING_ZIGZAG)
		for (size_t i = 1; i < n; i++)
			all |= room[i] = spt_zigzag(values[i]);
	else if (coding == SPT_CODING_DELTA)
		for (size_t i = 1; i < n; i++)
			all |= room[i] = difference(values, i);
	else
		for (size_t i = 1; i < n; i++)
			all |= values[i];
	*ret_all = all;
	return coding == SPT_CODING_VARINT ? values : room;
}

static unsigned planes_of(uint64_t all)
{
	return all ? (unsigned)(71 - __builtin_clzll(all)) / 8 : 0;
}

static uint64_t transform_cost(const uint64_t *values, size_t n, SptCoding coding)
{
	uint32_t counts[sizeof(uint64_t)][256] = { 0 };
	uint64_t room[TRIED_ROWS], all, cost = 0;
	const uint64_t *transformed = transform(values, n, coding, room, &all);
	unsigned n_planes = planes_of(all);

	for (size_t i = 1; i < n && n_planes > 0; i++) {
		uint64_t value = transformed[i];

		for (unsigned k = 0; k < n_planes; k++, value >>= 8)
			counts[k][value & 0xff]++;
	}
	for (unsigned k = 0; k < n_planes; k++)
		cost += plane_cost(counts[k], n - 1);
	return cost;
}

static bool has_negative(const uint64_t *values, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= values[i];
	return all >> 63;
}

static SptCoding choose_transform(const uint64_t *values, size_t n, uint64_t *ret_cost)
{
	size_t tried = MIN(n, TRIED_ROWS);
	SptCoding best = SPT_CODING_VARINT;

	values += (n - tried) / 2;
	*ret_cost = transform_cost(values, tried, best);
	for (SptCoding coding = SPT_CODING_ZIGZAG; coding <= SPT_CODING_DELTA; coding++) {
		uint64_t cost = coding == SPT_CODING_ZIGZAG && !has_negative(values, tried) ?
					UINT64_MAX :
					transform_cost(values, tried, coding);

		if (cost < *ret_cost) {
			*ret_cost = cost;
			best = coding;
		}
	}
	return best;
}

/* Most factors are powers of two, which need no division: one takes as long as all else. */
static bool is_power_of_2(uint64_t factor)
{
	return factor && !(factor & (factor - 1));
}

/* The greatest common divisor of all @values, one of which is not 0. */
static uint64_t find_factor(const uint64_t *values, size_t n)
{
	uint64_t factor = 0, all = 0, least;

	for (size_t i = 0; i < n; i++)
		all |= values[i];
	/* The power of two in it: mostly, a few numbers have no other common divisor. */
	least = all & -all;
	for (size_t i = 0; i < n && factor != least; i++)
		factor = spt_common_divisor(values[i], factor);
	return factor;
}

static void scale(const uint64_t *values, size_t n, uint64_t factor, uint64_t *ret)
{
	if (is_power_of_2(factor))
		for (size_t i = 0; i < n; i++)
			ret[i] = values[i] >> __builtin_ctzll(factor);
	else
		for (size_t i = 0; i < n; i++)
			ret[i] = values[i] / factor;
}

#ifdef __SSE2__
/*
 * Up to four planes of eight numbers, @stride apart: bytes of rows are interleaved until those of a
 * plane are side by side.
 */
static inline void put_eight(const __m128i *values, int shift, unsigned n_planes, uint8_t *to,
			     size_t stride)
{
	__m128i rows01 = _mm_srli_epi64(_mm_loadu_si128(values), shift),
		rows23 = _mm_srli_epi64(_mm_loadu_si128(values + 1), shift),
		rows45 = _mm_srli_epi64(_mm_loadu_si128(values + 2), shift),
		rows67 = _mm_srli_epi64(_mm_loadu_si128(values + 3), shift),
		even = _mm_unpacklo_epi8(_mm_unpacklo_epi8(rows01, rows45),
					 _mm_unpacklo_epi8(rows23, rows67)),
		odd = _mm_unpacklo_epi8(_mm_unpackhi_epi8(rows01, rows45),
					_mm_unpackhi_epi8(rows23, rows67)),
		low = _mm_unpacklo_epi8(even, odd), high = _mm_unpackhi_epi8(even, odd);

	_mm_storel_epi64((__m128i *)to, low);
	if (n_planes > 1)
		_mm_storel_epi64((__m128i *)(to + stride), _mm_unpackhi_epi64(low, low));
	if (n_planes > 2)
		_mm_storel_epi64((__m128i *)(to + 2 * stride), high);
	if (n_planes > 3)
		_mm_storel_epi64((__m128i *)(to + 3 * stride), _mm_unpackhi_epi64(high, high));
}
#endif

/* Up to four planes, from byte @first of the numbers on. */
static void put_some_planes(const uint64_t *values, size_t n, unsigned first, unsigned n_planes,
			    uint8_t *to)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; i + 8 <= n; i += 8)
		put_eight((const __m128i *)(values + i), (int)(8 * first), n_planes, to + i, n);
#endif
	for (; i < n; i++)
		for (unsigned k = 0; k < n_planes; k++)
			to[k * n + i] = (uint8_t)(values[i] >> 8 * (first + k));
}

/* @all: the bits of all numbers but the first. */
static void put_varints(SptTableBuilder *builder, const uint64_t *values, size_t n, uint64_t all)
{
	uint8_t *to = room_for(builder->data, n * VARINT_MAX_BYTES);

	to = put_varint(to, values[0]);
	if (all < 0x80)
		put_some_planes(values + 1, n - 1, 0, 1, to);
	for (size_t i = 1; i < n && all >= 0x80; i++)
		to = put_varint(to, values[i]);
	ends_at(builder->data, all < 0x80 ? to + n - 1 : to);
}

static void put_planes(SptTableBuilder *builder, const uint64_t *values, size_t n,
		       unsigned n_planes)
{
	guint begin = builder->data->len;
	uint8_t *planes = room_for(builder->data, n * n_planes);

	for (unsigned k = 0; k < n_planes; k += 4)
		put_some_planes(values, n, k, MIN(n_planes - k, 4), planes + k * n);
	for (unsigned k = 0; k < n_planes; k++)
		table_encode_cut(builder->data_cuts, (guint)(begin + k * n));
}

/* The three codings of plain numbers, one at least, in planes if they need more than a byte. */
static void put_plain(SptTableBuilder *builder, SptCoding coding, const uint64_t *values, size_t n)
{
	uint64_t all, *room = spt_table_room(builder, SPT_TABLE_ROOM_TRANSFORMED, 1);
	const uint64_t *transformed = transform(values, n, coding, room, &all);
	unsigned n_planes;

	if (all < 0x80 || n < LEAST_PLANE_ROWS) {
		put_byte(builder->data, coding);
		put_varints(builder, transformed, n, all);
		return;
	}
	all |= coding == SPT_CODING_DELTA ? 0 : transformed[0];
	n_planes = planes_of(all);
	put_byte(builder->data, SPT_CODING_PLANES);
	put_byte(builder->data, n_planes);
	put_byte(builder->data, coding);
	if (coding == SPT_CODING_DELTA) {
		append_varint(builder->data, values[0]);
		room[0] = 0;
	}
	put_planes(builder, transformed, n, n_planes);
}

/*
 * Splits @values into steps from one maximum to the next and the rest, as SPT_CODING_RISING stores
 * them; returns the number of the rest.
 */
static size_t split_rising(const uint64_t *values, size_t n, uint8_t *steps, uint64_t *rest)
{
	uint64_t highest = 0;
	size_t n_rest = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_step = values[i] > highest && values[i] - highest <= UINT8_MAX;

		steps[i] = is_step ? (uint8_t)(values[i] - highest) : 0;
		if (!is_step)
			rest[n_rest++] = values[i];
		highest = MAX(highest, values[i]);
	}
	return n_rest;
}

static uint64_t rising_cost(const uint8_t *steps, const uint64_t *rest, size_t n, size_t n_rest,
			    SptCoding *ret_coding)
{
	uint32_t counts[256] = { 0 };
	size_t tried = MIN(n_rest, TRIED_ROWS);
	uint64_t cost = 0;

	for (size_t i = 0; i < n; i++)
		counts[steps[i]]++;
	*ret_coding = SPT_CODING_VARINT;
	if (n_rest > 1)
		*ret_coding = choose_transform(rest, n_rest, &cost);
	/* The part that was tried represents all of the rest. */
	return plane_cost(counts, n) + (tried ? cost * n_rest / tried : 0);
}

/*
 * For numbers that mostly exceed all before them, mixed with older ones: ids in order of
 * appearance.  False if another coding is better.
 */
static bool put_rising(SptTableBuilder *builder, const uint64_t *values, size_t n,
		       uint64_t plain_cost)
{
	uint8_t *steps = (uint8_t *)spt_table_room(builder, SPT_TABLE_ROOM_STEPS, 1);
	uint64_t *rest = spt_table_room(builder, SPT_TABLE_ROOM_REST, 1);
	size_t tried = MIN(n, TRIED_ROWS), n_rest;
	SptCoding coding;

	if (split_rising(values, tried, steps, rest) > tried - tried / LEAST_RISING_SHARE)
		return false;
	n_rest = split_rising(values, n, steps, rest);
	if (n_rest > n - n / LEAST_RISING_SHARE ||
	    rising_cost(steps, rest, n, n_rest, &coding) >= plain_cost)
		return false;
	put_byte(builder->data, SPT_CODING_RISING);
	g_byte_array_append(builder->data, steps, (guint)n);
	cut_data(builder);
	if (n_rest)
		put_plain(builder, coding, rest, n_rest);
	else
		put_byte(builder->data, SPT_CODING_VARINT);
	return true;
}

static bool all_same(const uint64_t *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

static void add_varied(SptTableBuilder *builder, unsigned id, const uint64_t *values, size_t n)
{
	uint64_t factor = find_factor(values, n), cost;
	SptCoding coding;

	table_encode_begin_column(builder, SPT_CODING_SCALED);
	if (factor > 1) {
		uint64_t *scaled = spt_table_room(builder, SPT_TABLE_ROOM_SCALED, 1);

		scale(values, n, factor, scaled);
		values = scaled;
		append_varint(builder->data, factor);
	} else {
		g_byte_array_set_size(builder->data, 0);
	}
	coding = choose_transform(values, n, &cost);
	if (n < LEAST_PLANE_ROWS || !put_rising(builder, values, n, cost * n / MIN(n, TRIED_ROWS)))
		put_plain(builder, coding, values, n);
	table_encode_add_column(builder, id);
}

void spt_table_add_numbers(SptTableBuilder *builder, unsigned id, const uint64_t *values)
{
	if (builder->rows == 0)
		return;
	if (!all_same(values, builder->rows))
		add_varied(builder, id, values, builder->rows);
	else if (values[0] != 0)
		spt_table_add_const(builder, id, values[0]);
}

void spt_table_add_same(SptTableBuilder *builder, unsigned id)
{
	table_encode_add_column(builder, id);
}

void spt_table_add_bytes(SptTableBuilder *builder, unsigned id, const SptBytes *values)
{
	size_t all = 0;
	uint8_t *to;

	for (size_t i = 0; i < builder->rows; i++)
		all += values[i].bytes;
	if (all == 0)
		return;
	table_encode_begin_column(builder, SPT_CODING_BYTES);
	to = room_for(builder->data, all + builder->rows * VARINT_MAX_BYTES);
	for (size_t i = 0; i < builder->rows; i++) {
		to = put_varint(to, values[i].bytes);
		if (values[i].bytes > 0)
			memcpy(to, values[i].data, values[i].bytes);
		to += values[i].bytes;
	}
	ends_at(builder->data, to);
	table_encode_add_column(builder, id);
}

void spt_table_end(SptTableBuilder *builder)
{
	builder->payload->data[builder->head_bytes - 1] = (uint8_t)builder->n_columns;
	for (guint i = 0; i < builder->cuts->len; i++)
		g_array_index(builder->cuts, guint, i) += builder->head_bytes;
}
