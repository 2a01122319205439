/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that programs are made of, kept open for a moment: a program may be gone, and its file
 * deleted, by the time its records are handed on.  They come from two sides: map records are looked
 * at as soon as they are read from the ring, and the kernel is asked for every file that is
 * executed (fanotify; for who has CAP_SYS_ADMIN), which misses none.
 */
#ifndef SPT_PERF_FILES_H
#define SPT_PERF_FILES_H

#include "object/object.h"

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

typedef struct SptPerfFiles SptPerfFiles;

SptPerfFiles *spt_perf_files_new(void);
void spt_perf_files_free(SptPerfFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfFiles, spt_perf_files_free)

/* From now on executed files are reported, as far as that is allowed. */
void spt_perf_files_watch(SptPerfFiles *files);
/*
 * Takes those that were executed since the last call, and lets go of what is old.  @now:
 * CLOCK_MONOTONIC, ns.
 */
void spt_perf_files_read(SptPerfFiles *files, uint64_t now);
/* Was mapped just now: opened and kept, if it can be and was not before. */
void spt_perf_files_look(SptPerfFiles *files, const struct spt_perf_file *file);
/* The very file that was mapped, as far as it can still be had and is ELF; else NULL. */
SptObject *spt_perf_files_open(SptPerfFiles *files, const struct spt_perf_file *file);
/* The generation of an open file's inode; false if its file system has none. */
bool spt_perf_files_generation(const SptObject *object, uint64_t *ret);

G_END_DECLS

#endif
