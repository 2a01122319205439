/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC32C by a table of 256 words, or by the instruction that x86 has for it since SSE4.2.  The
 * polynomial was chosen for that instruction: a capture is checked faster than it is read from the
 * page cache.
 */
#include "capture/crc32c.h"

#include <glib.h>
#include <string.h>

#define POLYNOMIAL_REFLECTED 0x82f63b78u

static uint32_t by_table(uint32_t crc, const uint8_t *data, size_t bytes)
{
	static uint32_t table[256];
	static gsize made;

	if (g_once_init_enter(&made)) {
		for (unsigned i = 0; i < 256; i++) {
			uint32_t value = i;

			for (unsigned bit = 0; bit < 8; bit++)
				value = value >> 1 ^ (value & 1 ? POLYNOMIAL_REFLECTED : 0);
			table[i] = value;
		}
		g_once_init_leave(&made, 1);
	}
	while (bytes--)
		crc = crc >> 8 ^ table[(crc ^ *data++) & 0xff];
	return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2")))
static uint32_t by_instruction(uint32_t crc, const uint8_t *data, size_t bytes)
{
	for (; bytes >= 8; bytes -= 8, data += 8) {
		uint64_t word;

		memcpy(&word, data, 8);
		crc = (uint32_t)__builtin_ia32_crc32di(crc, word);
	}
	while (bytes--)
		crc = __builtin_ia32_crc32qi(crc, *data++);
	return crc;
}
#endif

uint32_t spt_crc32c(uint32_t crc, const void *data, size_t bytes)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return ~by_instruction(~crc, data, bytes);
#endif
	return ~by_table(~crc, data, bytes);
}
