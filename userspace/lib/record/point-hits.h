/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hits of points (trace/points/point.h): each point is a declared kind, each hit a row of it. */
#ifndef SPT_HITS_H
#define SPT_HITS_H

#include "process/tasks.h"
#include "record/output.h"
#include "record/stage.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptHits SptHits;

/*
 * @points and @trace, their source, outlive it.  @only_counts: no hit has a row, each point is a
 * counter of hits a second.
 */
SptHits *spt_hits_new(const GPtrArray *points, bool only_counts, SptTrace *trace,
		      SptOutput *output);
void spt_hits_free(SptHits *hits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptHits, spt_hits_free)
/* @node is that of the capture. */
void spt_hits_take(SptHits *hits, const SptTraceHit *hit, const SptThread *thread, uint32_t node);
/*
 * Called before a stack is unwound: puts return addresses back into the copy in @sample that
 * probes have replaced.
 */
void spt_hits_mend(const SptHits *hits, const struct sysprof_sample *sample);
/* Takes sums of a point that the module reports, on one CPU. */
void spt_hits_account(SptHits *hits, const SptSourceAccountRow *row);
/* Calls that have not returned, or whose return the kernel did not see. */
uint64_t spt_hits_open(const SptHits *hits);
/* How many hits found no room in the source's rings; after finish(). */
uint64_t spt_hits_lost(const SptHits *hits);
/*
 * Reads how often each point was hit, and notes it in the file.  Returns a sentence without a full
 * stop on counters that were shared, and points that came too often, to be freed; NULL: none.
 * @start_ns: of the recording; @stop_ns: when its source was stopped, before all that it had
 * reported was read.
 */
char *spt_hits_finish(SptHits *hits, uint64_t start_ns, uint64_t stop_ns);
/* Of points that are only counted (SptHitCount), by point; after finish(). */
const GArray *spt_hits_counts(const SptHits *hits);

extern const SptStage spt_hits_stage;

G_END_DECLS

#endif
