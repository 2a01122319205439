/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each thread has few values: they are sorted, and every result is an index in the sorted array. */
#include "profile/jitter.h"

#include <stdlib.h>
#include <string.h>

#include "events/facts.h"

/* Fewer values do not show a period. */
#define LEAST_REGULAR 8

static bool is_wake_up(const SptWaitRow *wait)
{
	return !(wait->flags & (SPT_WAIT_CUT_BEGIN | SPT_WAIT_CUT_END | SPT_WAIT_NO_WAKING)) &&
	       wait->state != SPT_STATE_PREEMPTED && wait->state != SPT_STATE_NEW;
}

static int shortest_first(const void *a, const void *b)
{
	const SptJitterValue *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static void add_values(SptJitter *jitter, const SptWaitIndex *waits, uint32_t thread,
		       SptJitterKind kind, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t before = 0;

	for (uint64_t i = waits->first[thread]; i < waits->first[thread + 1]; i++) {
		const SptWaitRow *wait = &waits->waits[i];
		uint64_t woken = spt_wait_woken(wait);

		if (!is_wake_up(wait) || woken < begin_ns || woken >= end_ns)
			continue;
		if (kind == SPT_JITTER_DELAY)
			jitter->values[jitter->n++] = (SptJitterValue){ wait->time - woken, woken };
		else if (before)
			jitter->values[jitter->n++] = (SptJitterValue){ woken - before, woken };
		before = woken;
	}
}

/* That part of all is not above it: 99 % of three values end with the longest. */
static uint64_t at_percent(const SptJitter *jitter, unsigned percent)
{
	uint64_t at = ((uint64_t)jitter->n * percent + 99) / 100;

	return jitter->values[at ? at - 1 : 0].ns;
}

SptJitter *spt_jitter_new(const SptWaitIndex *waits, uint32_t thread, SptJitterKind kind,
			  uint64_t begin_ns, uint64_t end_ns)
{
	SptJitter *jitter = g_new0(SptJitter, 1);
	uint64_t n = waits->first[thread + 1] - waits->first[thread];

	jitter->values = g_new(SptJitterValue, MAX(n, 1));
	add_values(jitter, waits, thread, kind, begin_ns, end_ns);
	if (!jitter->n)
		return jitter;
	qsort(jitter->values, jitter->n, sizeof(*jitter->values), shortest_first);
	jitter->least_ns = at_percent(jitter, 0);
	jitter->low_ns = at_percent(jitter, 1);
	jitter->median_ns = at_percent(jitter, 50);
	jitter->high_ns = at_percent(jitter, 99);
	jitter->most_ns = at_percent(jitter, 100);
	jitter->is_regular = jitter->n >= LEAST_REGULAR &&
			     at_percent(jitter, 75) <= jitter->median_ns * 5 / 4 &&
			     at_percent(jitter, 25) >= jitter->median_ns * 3 / 4;
	return jitter;
}

void spt_jitter_free(SptJitter *jitter)
{
	if (!jitter)
		return;
	g_free(jitter->values);
	g_free(jitter);
}

void spt_jitter_count(const SptJitter *jitter, uint64_t from_ns, uint64_t to_ns, uint32_t n,
		      uint32_t *ret)
{
	double length = (double)(MAX(to_ns, from_ns + 1) - from_ns);

	memset(ret, 0, n * sizeof(*ret));
	for (uint32_t i = 0; i < jitter->n; i++) {
		double at = ((double)jitter->values[i].ns - (double)from_ns) / length * n;

		ret[(uint32_t)CLAMP(at, 0, n - 1)]++;
	}
}
