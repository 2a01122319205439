/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of programs, kept open for a moment: a program may have exited, and its file been deleted,
 * before its records are handed on.  They come from two sides.  Map records are looked at as soon
 * as they are read from the ring.  And the kernel reports every file that is executed (fanotify,
 * with CAP_SYS_ADMIN), which misses none.
 */
#ifndef SPT_PERF_FILES_H
#define SPT_PERF_FILES_H

#include "object/object.h"

G_BEGIN_DECLS

struct spt_perf_file {
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	uint64_t generation;
	bool has_generation;		/* false: it is not known, and any matches */
	const char *path;		/* "" or "//anon": no file */
	const uint8_t *build_id;	/* build_id_bytes of it; 0: the record does not say it */
	unsigned build_id_bytes;
	/*
	 * A process that maps it, and where: another way to a file whose path does not lead to it.
	 */
	uint32_t pid;
	uint64_t start, end;
};

typedef struct SptPerfFiles SptPerfFiles;

SptPerfFiles *spt_perf_files_new(void);
void spt_perf_files_free(SptPerfFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfFiles, spt_perf_files_free)

/* Executed files are reported from now on, if that is allowed. */
void spt_perf_files_watch(SptPerfFiles *files);
/*
 * Takes files that were executed since the last call, and drops old ones.  @now: CLOCK_MONOTONIC,
 * ns.
 */
void spt_perf_files_read(SptPerfFiles *files, uint64_t now);
/* @file was mapped just now: opens and keeps it, if that is possible and it is not open yet. */
void spt_perf_files_look(SptPerfFiles *files, const struct spt_perf_file *file);
/* The file that was mapped, if it is still available and is ELF; else NULL. */
SptObject *spt_perf_files_open(SptPerfFiles *files, const struct spt_perf_file *file);
/* The generation of an open file's inode; false if its file system has none. */
bool spt_perf_files_generation(const SptObject *object, uint64_t *ret);

G_END_DECLS

#endif
