/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distances are exponential: the next one does not depend on earlier ones. */
#include "picked.h"

struct spt_picked spt_picked[SPT_PICKED_BUCKETS];
uint8_t spt_picked_counts[SPT_PICKED_HASHES];

/* -log2(x / 2^64) of x != 0, times 2^32.  Each squaring of the rest says one bit. */
static uint64_t minus_log2(uint64_t x)
{
	unsigned zeros = (unsigned)__builtin_clzll(x);
	uint64_t rest = x << zeros, bits = 0;	/* 1 <= rest / 2^63 < 2 */

	for (int i = 0; i < 32; i++) {
		unsigned __int128 square = (unsigned __int128)rest * rest;
		bool is_above = square >> 127;

		rest = (uint64_t)(square >> (63 + is_above));
		bits = bits << 1 | is_above;
	}
	return ((uint64_t)(zeros + 1) << 32) - bits;
}

int64_t spt_picked_draw(struct spt_thread *thread)
{
	const uint64_t ln_2 = 0xb17217f7;	/* times 2^32 */
	uint64_t random = thread->random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	thread->random = random;
	return (int64_t)((unsigned __int128)minus_log2(random) * ln_2 * thread->mean_bytes >> 64) +
	       1;
}

static void count(uint64_t hash, int change)
{
	uint8_t *at = spt_picked_count(hash), n = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (n != SPT_PICKED_MANY &&
	       !__atomic_compare_exchange_n(at, &n, (uint8_t)(n + change), false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

void spt_picked_add(struct spt_thread *thread, const void *pointer)
{
	uint64_t hash = spt_picked_hash(pointer);
	struct spt_picked *bucket = spt_picked_bucket(hash);

	thread->left = spt_picked_draw(thread);
	count(hash, 1);
	for (unsigned i = 0; i < SPT_PICKED_PLACES; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&bucket->pointers[i], &none, (uint64_t)pointer,
						false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
	__atomic_store_n(&bucket->pointers[SPT_PICKED_PLACES - 1], SPT_PICKED_ALL,
			 __ATOMIC_RELAXED);
	__atomic_store_n(spt_picked_count(hash), SPT_PICKED_MANY, __ATOMIC_RELAXED);
}

bool spt_picked_take(const void *pointer, uint64_t hash)
{
	struct spt_picked *bucket = spt_picked_bucket(hash);
	uint64_t last;

	for (unsigned i = 0; i < SPT_PICKED_PLACES; i++) {
		uint64_t value = (uint64_t)pointer;

		if (!__atomic_compare_exchange_n(&bucket->pointers[i], &value, 0, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		count(hash, -1);
		return true;
	}
	last = __atomic_load_n(&bucket->pointers[SPT_PICKED_PLACES - 1], __ATOMIC_RELAXED);
	return last == SPT_PICKED_ALL;
}
