/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that compilers call by themselves.  The C library's own may be those of a sanitizer or
 * of another library, which are not ready yet at the loader's first call of malloc().
 */
#include "plain.h"

void *memset(void *to, int value, size_t bytes)
{
	uint8_t *at = to;

#ifdef __x86_64__
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
#else
	uint64_t word = (uint8_t)value * 0x0101010101010101ULL;

	for (; bytes >= 8; bytes -= 8, at += 8)
		*(volatile uint64_t *)at = word;
	while (bytes--)
		*(volatile uint8_t *)at++ = (uint8_t)value;
#endif
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	uint8_t *at = to;

#ifdef __x86_64__
	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
#else
	const uint8_t *next = from;

	while (bytes--)
		*(volatile uint8_t *)at++ = *next++;
#endif
	return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const uint8_t *x = a, *y = b;

	for (; bytes; bytes--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

bool spt_is_same_text(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return *a == *b;
}

bool spt_text_begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

size_t spt_text_bytes(const char *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n])
		n++;
	return n;
}
