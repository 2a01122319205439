/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How regularly a thread is woken, and how soon it runs after that, from its wake-ups in a
 * recording with waits.  A wait that ended without a waking, as after preemption, does not count.
 */
#ifndef SPT_JITTER_H
#define SPT_JITTER_H

#include "profile/wait-index.h"

G_BEGIN_DECLS

typedef enum {
	SPT_JITTER_DELAY,  /* from a waking until it ran */
	SPT_JITTER_PERIOD, /* from one waking to the next */
} SptJitterKind;

typedef struct {
	uint64_t ns;
	uint64_t time; /* when it was woken */
} SptJitterValue;

typedef struct {
	SptJitterValue *values; /* the shortest first */
	uint32_t n;
	/* Statistics of the values; 0: there are none. */
	uint64_t least_ns, low_ns, median_ns, high_ns, most_ns; /* low: 1 %, high: 99 % of them */
	bool is_regular; /* half of them are within a quarter of the median */
} SptJitter;

/* The wake-ups of @thread in [@begin_ns, @end_ns). */
SptJitter *spt_jitter_new(const SptWaitIndex *waits, uint32_t thread, SptJitterKind kind,
			  uint64_t begin_ns, uint64_t end_ns);
void spt_jitter_free(SptJitter *jitter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJitter, spt_jitter_free)

/*
 * Number of values in each of @n equal parts from @from_ns to @to_ns.  Values outside count in the
 * first and the last part.
 */
void spt_jitter_count(const SptJitter *jitter, uint64_t from_ns, uint64_t to_ns, uint32_t n,
		      uint32_t *ret);

G_END_DECLS

#endif
