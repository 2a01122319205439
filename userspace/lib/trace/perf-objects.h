/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids for the files that perf's map records and /proc/PID/maps speak of.  A file is device, inode, generation and path.  Its
 * build-id, size and time are taken from the file itself, as long as somebody still has it.
 */
#ifndef SPT_PERF_OBJECTS_H
#define SPT_PERF_OBJECTS_H

#include "trace/trace.h"

G_BEGIN_DECLS

struct spt_perf_file {
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	uint64_t generation;
	bool has_generation;		/* false: not known, any will do */
	const char *path;		/* "" or "//anon": no file */
	/* Where and by whom it is mapped: a way to a file whose path does not lead to it. */
	uint32_t pid;
	uint64_t start, end;
};

typedef struct SptPerfObjects SptPerfObjects;

SptPerfObjects *spt_perf_objects_new(void);
void spt_perf_objects_free(SptPerfObjects *objects);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfObjects, spt_perf_objects_free)

/* The object's id.  If it is new, @ret_record is its OBJECT record, to be freed and without time and CPU; else NULL. */
uint32_t spt_perf_objects_get(SptPerfObjects *objects, const struct spt_perf_file *file,
			      struct sysprof_object **ret_record);

G_END_DECLS

#endif
