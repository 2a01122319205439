// SPDX-License-Identifier: GPL-2.0-only
/*
 * All sessions take the numbers of codes from one counter, so that a number is of one code only.
 * What they get is the count enciphered (a Feistel network of four rounds), or a session could see
 * from its own numbers how much code others execute.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "code-number.h"
#include "sysprof-chain.h"

#define ROUNDS	  4
#define HALF_BITS ((SYSPROF_CODE_NUMBER_BITS + 1) / 2)
#define HALF	  GENMASK_ULL(HALF_BITS - 1, 0)

static siphash_key_t number_key;
static atomic64_t numbered = ATOMIC64_INIT(0);

static u64 encipher(u64 count)
{
	u64 left = count >> HALF_BITS, right = count & HALF, next;
	u64 i;

	for (i = 0; i < ROUNDS; i++) {
		next = left ^ (siphash_1u64(i << HALF_BITS | right, &number_key) & HALF);
		left = right;
		right = next;
	}
	return left << HALF_BITS | right;
}

u64 sysprof_code_number_new(void)
{
	u64 count = atomic64_inc_return(&numbered), number = count;

	/* That takes a century. */
	if (count >> SYSPROF_CODE_NUMBER_BITS)
		return 0;
	/* What is enciphered again and again comes back to where it began: some number is one. */
	do {
		number = encipher(number);
	} while (!number || number >> SYSPROF_CODE_NUMBER_BITS);
	return number;
}

void sysprof_code_number_init(void)
{
	get_random_bytes(&number_key, sizeof(number_key));
}
