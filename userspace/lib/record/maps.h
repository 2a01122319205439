/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of processes that have samples, as far as the recorder may see them.  The source may
 * report every new mapping.  If it does not, /proc is read once, within a second of a process's
 * first sample; it shows what this user may see.
 */
#ifndef SPT_MAPS_H
#define SPT_MAPS_H

#include "base/proc-files.h"
#include "process/spaces.h"
#include "process/tasks.h"
#include "record/output.h"
#include "record/stage.h"
#include "trace/perf/maps.h"

G_BEGIN_DECLS

typedef struct SptMaps SptMaps;

/* Listens to @spaces.  @has_records: the source reports mappings.  All arguments outlive it. */
SptMaps *spt_maps_new(SptOutput *output, SptSpaces *spaces, SptProcFiles *files, bool has_records);
void spt_maps_free(SptMaps *maps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMaps, spt_maps_free)

/* Reports the first sample of a process. */
void spt_maps_sampled(SptMaps *maps, const SptProcess *process);

/* The object that a mapping of /proc/PID/maps is of; 0: none of those that have been reported. */
uint32_t spt_maps_object_of(const SptMaps *maps, const struct spt_perf_map *map);

extern const SptStage spt_maps_stage;

G_END_DECLS

#endif
