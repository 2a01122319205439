/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The present state, from /proc, for who hears of changes only. */
#ifndef SPT_PERF_SNAPSHOT_H
#define SPT_PERF_SNAPSHOT_H

#include "base/proc-files.h"
#include "trace/perf/records.h"

G_BEGIN_DECLS

typedef struct SptPerfSnapshot SptPerfSnapshot;

/* Reads /proc, what @files are of. */
SptPerfSnapshot *spt_perf_snapshot_read(SptProcFiles *files, GError **error);
void spt_perf_snapshot_free(SptPerfSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfSnapshot, spt_perf_snapshot_free)
/*
 * @pid has exec'ed at @time, by a record that is still to be given: what was read of it is of that
 * future.
 */
void spt_perf_snapshot_forget_maps(SptPerfSnapshot *snapshot, uint32_t pid, uint64_t time);
/* Reports all of it. */
void spt_perf_snapshot_put(const SptPerfSnapshot *snapshot, SptPerfRecords *records,
			   const struct spt_perf_sink *sink);

G_END_DECLS

#endif
