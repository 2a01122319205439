/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has begun and not ended yet: waits for locks, page faults, blocks of memory.  A table has a
 * bound, and says when it was reached.
 */
#ifndef SPT_PERF_KERNEL_PAIRS_H
#define SPT_PERF_KERNEL_PAIRS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint64_t a, b;			/* together they are the key */
	uint64_t since;			/* time at which it began */
	uint64_t value, extra;		/* the user's own */
} SptPair;

typedef struct SptPairs SptPairs;

/*
 * At most @most.  When it is full, those of more than @stale_ns ago are dropped, as their end has
 * been missed; 0: they may last for any time.
 */
SptPairs *spt_pairs_new(unsigned most, uint64_t stale_ns);
void spt_pairs_free(SptPairs *pairs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPairs, spt_pairs_free)

/* NULL: nothing of that key has begun. */
SptPair *spt_pairs_find(const SptPairs *pairs, uint64_t a, uint64_t b);
/* In place of what has that key.  NULL: there is no room. */
SptPair *spt_pairs_add(SptPairs *pairs, uint64_t a, uint64_t b, uint64_t since);
/* Removes it.  False: nothing of that key has begun. */
bool spt_pairs_take(SptPairs *pairs, uint64_t a, uint64_t b, SptPair *ret);
/* Whether some found no room, or were dropped. */
bool spt_pairs_was_full(const SptPairs *pairs);

G_END_DECLS

#endif
