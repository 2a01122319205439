/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of /proc/PID that have to do with a process's memory (cmdline, maps).  Reading them waits
 * for a lock that the process can hold as long as it likes, with a page fault that nobody answers.
 * So helpers read them, and who asks waits no longer than it has patience.
 */
#ifndef SPT_PROC_FILES_H
#define SPT_PROC_FILES_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptProcFiles SptProcFiles;

/* @root: "/proc".  For one thread at a time. */
SptProcFiles *spt_proc_files_new(const char *root);
/* Waits for nobody: a helper that is held ends when it is let go, or with the program. */
void spt_proc_files_free(SptProcFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptProcFiles, spt_proc_files_free)

/*
 * The first @most bytes at most of a process's file @name, with a nul behind them; NULL: it cannot
 * be read, is empty, or did not come in time.  Waits SPT_PROC_WAIT_MS at most, in the long run a
 * part of the time that passes, and not at all while SPT_PROC_HELPERS processes hold their helpers.
 */
char *spt_proc_files_read(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			  size_t *ret_bytes);

#define SPT_PROC_WAIT_MS 250
#define SPT_PROC_HELPERS 16

G_END_DECLS

#endif
