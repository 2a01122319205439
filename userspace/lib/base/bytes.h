/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of DWARF one after the other.  Each step goes forward, and none beyond the end. */
#ifndef SPT_BYTES_H
#define SPT_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct spt_bytes {
	const uint8_t *at, *end;
	bool other_order;		/* than this machine's */
};

/* All of these: false if it does not end. */
static inline bool spt_bytes_pass(struct spt_bytes *bytes, uint64_t n)
{
	if (n > (uint64_t)(bytes->end - bytes->at))
		return false;
	bytes->at += n;
	return true;
}

/* Of 1, 2, 4 or 8 bytes. */
static inline bool spt_bytes_number(struct spt_bytes *bytes, unsigned n, uint64_t *ret)
{
	uint8_t number[sizeof(*ret)] = { 0 };

	if (n > sizeof(number) || n > (size_t)(bytes->end - bytes->at))
		return false;
	for (unsigned i = 0; i < n; i++)
		number[bytes->other_order ? n - 1 - i : i] = bytes->at[i];
	memcpy(ret, number, sizeof(*ret));
	*ret = le64toh(*ret);
	bytes->at += n;
	return true;
}

/* The bits of a LEB128 and how many there are of them. */
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

#endif
