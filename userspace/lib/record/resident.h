/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory of the recorded processes is resident, over time.  /proc/PID/statm is read some
 * times a second, which does not wait for a process, and a row is put where the number has changed.
 * What a process has for a shorter time is not seen.
 */
#ifndef SPT_RESIDENT_H
#define SPT_RESIDENT_H

#include "process/tasks.h"
#include "record/output.h"
#include "record/stage.h"

G_BEGIN_DECLS

typedef struct SptResident SptResident;

SptResident *spt_resident_new(SptOutput *output);
void spt_resident_free(SptResident *resident);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptResident, spt_resident_free)

/* The memory of @process is not recorded; that of its later images and children is. */
void spt_resident_pass(SptResident *resident, const SptProcess *process);
/* @process has begun, changed, or ended (end_time).  It is read until it ends. */
void spt_resident_process(SptResident *resident, const SptProcess *process);

extern const SptStage spt_resident_stage;

G_END_DECLS

#endif
