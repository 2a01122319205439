/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids for the files and regions in perf's map records and /proc/PID/maps.  A file is identified by
 * device, inode, generation and path.  Its build-id, size and time are read from the file itself,
 * as long as it is available.
 */
#ifndef SPT_PERF_OBJECTS_H
#define SPT_PERF_OBJECTS_H

#include "trace/perf/files.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptPerfObjects SptPerfObjects;

SptPerfObjects *spt_perf_objects_new(void);
void spt_perf_objects_free(SptPerfObjects *objects);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfObjects, spt_perf_objects_free)

/* From now on no file is opened: records say what there is to know. */
void spt_perf_objects_close(SptPerfObjects *objects);
/* Opens a file for a later get(), while that is possible. */
void spt_perf_objects_look(SptPerfObjects *objects, const struct spt_perf_file *file);
/*
 * The object's id.  If it is new, @ret_record is its OBJECT record without time and CPU, the
 * caller's to free; else NULL.
 */
uint32_t spt_perf_objects_get(SptPerfObjects *objects, const struct spt_perf_file *file,
			      struct sysprof_object **ret_record);
/*
 * The object of executable memory without a file at @address in the address space @mm, and the
 * offset there.  @ret_is_new: the object has not been reported.  An address space has one object
 * for each 2^39 bytes, so that offsets stay below 2^40.
 */
uint32_t spt_perf_objects_region(SptPerfObjects *objects, uint64_t mm, uint64_t address,
				 uint64_t *ret_offset, bool *ret_is_new);
bool spt_perf_objects_region_start(const SptPerfObjects *objects, uint32_t id, uint64_t *ret);
/*
 * A descriptor of the file of an OBJECT record, the caller's to close; available only until the
 * next record.  Else -1 and errno.
 */
int spt_perf_objects_fd(const SptPerfObjects *objects, uint32_t id);
SptPerfFiles *spt_perf_objects_files(SptPerfObjects *objects);

G_END_DECLS

#endif
