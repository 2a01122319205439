/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The present state, from /proc: events report changes only. */
#ifndef SPT_PERF_SNAPSHOT_H
#define SPT_PERF_SNAPSHOT_H

#include "base/proc-files.h"
#include "trace/perf/records.h"

G_BEGIN_DECLS

typedef struct SptPerfSnapshot SptPerfSnapshot;

/* Reads /proc through @files. */
SptPerfSnapshot *spt_perf_snapshot_read(SptProcFiles *files, GError **error);
void spt_perf_snapshot_free(SptPerfSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfSnapshot, spt_perf_snapshot_free)
/*
 * A record that is still to come says that a thread of @pid has another name since @time, or that
 * it exec'ed then.  If that was read, the record alone reports it: it would seem to be an exec
 * whose record was lost.
 */
void spt_perf_snapshot_renamed(SptPerfSnapshot *snapshot, uint32_t pid, uint64_t time,
			       bool is_exec);
/* Reports the whole snapshot. */
void spt_perf_snapshot_put(const SptPerfSnapshot *snapshot, SptPerfRecords *records,
			   const struct spt_perf_sink *sink);

G_END_DECLS

#endif
