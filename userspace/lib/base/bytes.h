/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the numbers of DWARF one after the other.  Each call moves forward, never beyond the end.
 *
 * spt_bytes_*() return whether there was such a number.  spt_take_*() return the number, or zero
 * past the end: the reader checks is_bad after it has taken all that it needs.
 */
#ifndef SPT_BYTES_H
#define SPT_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct spt_bytes {
	const uint8_t *at, *end;
	bool other_order;		/* not in this machine's byte order */
	bool is_bad;			/* a reader took more than there is */
};

static inline struct spt_bytes spt_bytes_of(const uint8_t *start, uint64_t n)
{
	return (struct spt_bytes){ .at = start, .end = start + n };
}

/* All of these return false if the bytes end too early. */
static inline bool spt_bytes_pass(struct spt_bytes *bytes, uint64_t n)
{
	if (n > (uint64_t)(bytes->end - bytes->at))
		return false;
	bytes->at += n;
	return true;
}

/* A number of 1, 2, 4 or 8 bytes. */
static inline bool spt_bytes_number(struct spt_bytes *bytes, unsigned n, uint64_t *ret)
{
	uint8_t number[sizeof(*ret)] = { 0 };

	if (n > sizeof(number) || n > (size_t)(bytes->end - bytes->at))
		return false;
	/* Built in, also where memcpy() is not, as in libraries that programs load. */
	if (!bytes->other_order)
		__builtin_memcpy(number, bytes->at, n);
	for (unsigned i = 0; i < n && bytes->other_order; i++)
		number[n - 1 - i] = bytes->at[i];
	__builtin_memcpy(ret, number, sizeof(*ret));
	*ret = le64toh(*ret);
	bytes->at += n;
	return true;
}

/* The bits of a LEB128, and their number. */
static inline bool spt_bytes_bits(struct spt_bytes *bytes, uint64_t *ret, unsigned *ret_n)
{
	const uint8_t *at = bytes->at;

	*ret = 0;
	for (*ret_n = 0; at < bytes->end;) {
		if (*ret_n < 64)
			*ret |= (uint64_t)(*at & 0x7f) << *ret_n;
		*ret_n += 7;
		if (*at++ < 0x80) {
			bytes->at = at;
			return true;
		}
	}
	return false;
}

static inline bool spt_bytes_leb(struct spt_bytes *bytes, uint64_t *ret)
{
	unsigned n;

	if (bytes->at < bytes->end && *bytes->at < 0x80) {
		*ret = *bytes->at++;
		return true;
	}
	return spt_bytes_bits(bytes, ret, &n);
}

static inline bool spt_bytes_signed_leb(struct spt_bytes *bytes, int64_t *ret)
{
	uint64_t value;
	unsigned n;

	if (!spt_bytes_bits(bytes, &value, &n))
		return false;
	if (n < 64 && value >> (n - 1) & 1)
		value |= ~0ull << n;
	*ret = (int64_t)value;
	return true;
}

static inline bool spt_bytes_string(struct spt_bytes *bytes, const char **ret)
{
	const uint8_t *nul =
		bytes->at < bytes->end ? memchr(bytes->at, '\0', bytes->end - bytes->at) : NULL;

	*ret = (const char *)bytes->at;
	return nul && spt_bytes_pass(bytes, nul + 1 - bytes->at);
}

static inline uint64_t spt_take_number(struct spt_bytes *from, unsigned n)
{
	uint64_t value = 0;

	from->is_bad = from->is_bad || !spt_bytes_number(from, n, &value);
	return value;
}

static inline uint64_t spt_take_leb(struct spt_bytes *from)
{
	uint64_t value = 0;

	from->is_bad = from->is_bad || !spt_bytes_leb(from, &value);
	return from->is_bad ? 0 : value;
}

static inline int64_t spt_take_signed_leb(struct spt_bytes *from)
{
	int64_t value = 0;

	from->is_bad = from->is_bad || !spt_bytes_signed_leb(from, &value);
	return value;
}

/* The next @n bytes, as a reader of their own. */
static inline struct spt_bytes spt_take_bytes(struct spt_bytes *from, uint64_t n)
{
	struct spt_bytes part = *from;

	part.end = part.at;
	from->is_bad = part.is_bad = from->is_bad || !spt_bytes_pass(from, n);
	if (!part.is_bad)
		part.end = from->at;
	return part;
}

#endif
