/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control groups of processes, read by a thread of their own: a reader can have to wait while
 * groups are changed, and handing over each process by itself costs more than reading.
 */
#ifndef SPT_RECORD_CGROUPS_H
#define SPT_RECORD_CGROUPS_H

#include "process/tasks.h"
#include "record/output.h"
#include "record/stage.h"

G_BEGIN_DECLS

typedef struct SptCgroups SptCgroups;

/* @root: "/proc". */
SptCgroups *spt_cgroups_new(SptOutput *output, const char *root);
/* Waits for the file that is being read. */
void spt_cgroups_free(SptCgroups *cgroups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCgroups, spt_cgroups_free)
/* Its group is wanted.  Does not wait. */
void spt_cgroups_expect(SptCgroups *cgroups, const SptProcess *process);
/* It has ended at process->end_time: what was read later is the next owner's of its number. */
void spt_cgroups_ended(SptCgroups *cgroups, const SptProcess *process);
/*
 * Puts the groups that were read since the last call, and hands over who is expected.  Waits at
 * most @wait_ms until all are there.  @cgroups may be NULL: nobody wants them.
 */
void spt_cgroups_step(SptCgroups *cgroups, const SptTasks *tasks, unsigned wait_ms);
#define SPT_CGROUPS_MS 50		/* at the end of a window: the last ones have just begun */
extern const SptStage spt_cgroups_stage;

G_END_DECLS

#endif
