/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mapped in the processes that have samples, as far as the recorder is allowed to see it:
 * the source's records of mappings report every new one.  Where there are none, /proc is asked
 * once, within a second of a process's first sample, and shows what this user is allowed to see.
 */
#ifndef SPT_MAPS_H
#define SPT_MAPS_H

#include "base/proc-files.h"
#include "process/spaces.h"
#include "process/tasks.h"
#include "record/output.h"

G_BEGIN_DECLS

typedef struct SptMaps SptMaps;

/* Listens to @spaces.  @has_records: the source reports mappings.  All outlive it. */
SptMaps *spt_maps_new(SptOutput *output, SptSpaces *spaces, SptProcFiles *files, bool has_records);
void spt_maps_free(SptMaps *maps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMaps, spt_maps_free)

/* An object that may be mapped. */
void spt_maps_object(SptMaps *maps, const SptObjectRow *row);
/* The first sample of a process. */
void spt_maps_sampled(SptMaps *maps, const SptProcess *process);
void spt_maps_ended(SptMaps *maps, const SptProcess *process);
/* Before a flush: asks /proc where that is to be done. */
void spt_maps_read(SptMaps *maps);

G_END_DECLS

#endif
