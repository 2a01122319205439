/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branches ROUNDS: an interpreter whose rarest operations come first, so that a compiler that knows
 * how often each runs makes it faster.  It is in the C library, too, for a tenth of the time or so.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t code[1 << 16], copy[1 << 20];

static uint64_t slow(uint64_t a, uint64_t b)
{
	for (int i = 0; i < 50; i++)
		a = a * 6364136223846793005u + (b ^ (uint64_t)i);
	return a;
}

static inline uint64_t step(uint8_t op, uint64_t a, uint64_t b)
{
	if (op > 250)
		return slow(a, b);
	if (op > 249)
		return slow(b, a) ^ a;
	if (op > 248)
		return slow(a ^ b, a) + b;
	if (op < 200)
		return a + b;
	if (op < 220)
		return a ^ (b << 3);
	if (op < 240)
		return a - (b >> 2);
	return a * 3 + b;
}

__attribute__((noinline)) uint64_t run_code(uint64_t a)
{
	uint64_t b = 7;

	for (size_t i = 0; i < sizeof(code); i++) {
		uint64_t next = step(code[i], a, b);

		b = a;
		a = next;
	}
	return a;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	unsigned seed = 1;
	uint64_t a = 1;

	for (size_t i = 0; i < sizeof(code); i++) {
		seed = seed * 1103515245 + 12345;
		code[i] = (seed >> 16) % 249;
	}
	for (int i = 0; i < rounds; i++) {
		a = run_code(a);
		memset(copy, (int)a, sizeof(copy));
		a += copy[a % sizeof(copy)];
	}
	printf("%lx\n", (unsigned long)a);
	return 0;
}
