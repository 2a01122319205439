/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of time, each of one thread or of all, as a filter selects them: for instance all that
 * marks of one name last.  Ranges of a thread may overlap; together they are one.
 */
#ifndef SPT_MOMENTS_H
#define SPT_MOMENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptMoments SptMoments;

typedef struct {
	uint64_t begin_ns, end_ns;	/* [begin, end) */
} SptMoment;

/* @is_of_all: each range is one of all threads. */
SptMoments *spt_moments_new(bool is_of_all);
bool spt_moments_are_of_all(const SptMoments *moments);
/* Another reference; each is given up by spt_moments_free(). */
SptMoments *spt_moments_ref(SptMoments *moments);
void spt_moments_free(SptMoments *moments);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMoments, spt_moments_free)
void spt_moments_add(SptMoments *moments, uint32_t thread, uint64_t begin_ns, uint64_t end_ns);
/* After the last one, and before the questions below. */
void spt_moments_settle(SptMoments *moments);
/*
 * The ranges of @thread that end after @time, the earliest first: @ret_n of them, which do not
 * overlap.
 */
const SptMoment *spt_moments_after(const SptMoments *moments, uint32_t thread, uint64_t time,
				   uint32_t *ret_n);

static inline bool spt_moments_have(const SptMoments *moments, uint32_t thread, uint64_t time)
{
	uint32_t n;
	const SptMoment *next = spt_moments_after(moments, thread, time, &n);

	return n && next->begin_ns <= time;
}

G_END_DECLS

#endif
