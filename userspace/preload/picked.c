/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distances are exponential: the next one does not depend on earlier ones. */
#include "picked.h"

#include <string.h>

struct spt_picked spt_picked[SPT_PICKED_BUCKETS];
uint8_t spt_picked_counts[SPT_PICKED_HASHES];

/* -ln(x) of 0 < x <= 1, without a library. */
static double minus_log(double x)
{
	uint64_t bits;
	double s, square, sum = 0;
	int exponent;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((1ULL << 52) - 1)) | 1023ULL << 52;
	memcpy(&x, &bits, sizeof(x));
	/* Of 1 <= x < 2: 2 artanh((x - 1) / (x + 1)). */
	s = (x - 1) / (x + 1);
	square = s * s;
	for (int i = 19; i > 0; i -= 2)
		sum = sum * square + 1.0 / i;
	return -(2 * s * sum + exponent * 0.69314718055994530942);
}

int64_t spt_picked_draw(struct spt_thread *thread)
{
	uint64_t random = thread->random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	thread->random = random;
	return (int64_t)(minus_log((double)((random >> 11) + 1) * 0x1p-53) *
			 (double)thread->mean_bytes) +
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
