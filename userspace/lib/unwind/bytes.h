/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes to be read one after the other, little endian; past the end there are zeros, and it shows.
 */
#ifndef SPT_UNWIND_BYTES_H
#define SPT_UNWIND_BYTES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
	bool is_bad;
};

static inline uint64_t take_number(struct bytes *from, unsigned n)
{
	uint64_t value = 0;

	if (from->is_bad || (size_t)(from->end - from->at) < n) {
		from->is_bad = true;
		return 0;
	}
	memcpy(&value, from->at, n);
	from->at += n;
	return GUINT64_FROM_LE(value);
}

/* Bits beyond 64 are dropped. */
static inline uint64_t take_leb(struct bytes *from, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = take_number(from, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 140);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t take_uleb(struct bytes *from)
{
	return take_leb(from, false);
}

static inline int64_t take_sleb(struct bytes *from)
{
	return take_leb(from, true);
}

/* The next @n bytes, by themselves. */
static inline struct bytes take_bytes(struct bytes *from, uint64_t n)
{
	struct bytes part = { from->at, from->at, from->is_bad };

	if (from->is_bad || n > (uint64_t)(from->end - from->at)) {
		from->is_bad = part.is_bad = true;
		return part;
	}
	part.end = from->at += n;
	return part;
}

#endif
