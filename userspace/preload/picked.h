/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording by bytes: on average one allocation for each mean_bytes is picked, as by a
 * Poisson process, and only frees of picked ones are recorded.
 */
#ifndef SPT_PRELOAD_PICKED_H
#define SPT_PRELOAD_PICKED_H

#include "thread.h"

#define SPT_PICKED_BUCKETS (1u << 13)
#define SPT_PICKED_PLACES  8u

/* A bucket is a cache line.  A bucket that was once full has SPT_PICKED_ALL in its last place. */
struct spt_picked {
	uint64_t pointers[SPT_PICKED_PLACES];
} __attribute__((aligned(64)));
#define SPT_PICKED_ALL UINT64_MAX

extern struct spt_picked spt_picked[SPT_PICKED_BUCKETS];
/* Number of picked allocations for each hash; SPT_PICKED_MANY: no longer counted. */
#define SPT_PICKED_HASHES (1u << 14)
#define SPT_PICKED_MANY	  255u
extern uint8_t spt_picked_counts[SPT_PICKED_HASHES];

static inline uint64_t spt_picked_hash(const void *pointer)
{
	return (uint64_t)pointer * 0x9e3779b97f4a7c15ULL;
}

static inline uint8_t *spt_picked_count(uint64_t hash)
{
	return &spt_picked_counts[hash >> 50];
}

static inline struct spt_picked *spt_picked_bucket(uint64_t hash)
{
	return &spt_picked[hash >> 37 & (SPT_PICKED_BUCKETS - 1)];
}

/* Draws the number of bytes to the next pick. */
int64_t spt_picked_draw(struct spt_thread *thread);
/* Notes a picked allocation, so that its free is recorded, and draws the thread's next pick. */
void spt_picked_add(struct spt_thread *thread, const void *pointer);

/* Looks @pointer up and removes it; called if its hash has a count. */
bool spt_picked_take(const void *pointer, uint64_t hash);

static inline bool spt_picked_may_have(const void *pointer)
{
	return __atomic_load_n(spt_picked_count(spt_picked_hash(pointer)), __ATOMIC_RELAXED);
}

/* Whether @pointer was perhaps picked; removes it. */
static inline bool spt_picked_remove(const void *pointer)
{
	return __builtin_expect(spt_picked_may_have(pointer), 0) &&
	       spt_picked_take(pointer, spt_picked_hash(pointer));
}

#endif
