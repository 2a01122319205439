/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unsigned LEB128 numbers, as captures and protobuf have them: seven bits in each byte. */
#ifndef SPT_VARINT_H
#define SPT_VARINT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sets *@ret to the number at *@next, and *@next behind it.  At most 10 bytes and 64 bits; the
 * common single byte first.  False: it is longer, or does not end before @end.
 */
static inline bool spt_get_varint(const uint8_t **next, const uint8_t *end, uint64_t *ret)
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

#endif
