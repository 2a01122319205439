/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of what glibc's allocator has in its arenas (profile/arenas.h), for each process a kind
 * for each number that is not always 0: "malloc.NAME.PID.heaps".
 */
#ifndef SPT_ARENA_COUNTS_H
#define SPT_ARENA_COUNTS_H

#include "process/tasks.h"
#include "record/output.h"
#include "trace/points/point.h"

G_BEGIN_DECLS

typedef struct SptArenaCounts SptArenaCounts;

/* @points outlive it.  NULL: none of them is a mark of the allocator. */
SptArenaCounts *spt_arena_counts_new(const GPtrArray *points, SptOutput *output);
void spt_arena_counts_free(SptArenaCounts *counts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptArenaCounts, spt_arena_counts_free)
/* A hit of any of the points, with its values. */
void spt_arena_counts_take(SptArenaCounts *counts, unsigned point, const SptThread *thread,
			   const SptDeclaredRow *row);
void spt_arena_counts_process(SptArenaCounts *counts, const SptProcess *process);
/* Processes whose counters found no room. */
unsigned spt_arena_counts_left_out(const SptArenaCounts *counts);

G_END_DECLS

#endif
