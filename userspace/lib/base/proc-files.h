/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of /proc/PID about a process's memory (cmdline, maps).  Reading them waits for a lock.  The
 * process can hold that lock as long as it likes, by a page fault that nobody answers.  So helper
 * threads read the files, and the caller waits for a limited time.
 */
#ifndef SPT_PROC_FILES_H
#define SPT_PROC_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptProcFiles SptProcFiles;

/* @root: "/proc".  For one thread at a time. */
SptProcFiles *spt_proc_files_new(const char *root);
/*
 * Where a file cannot be opened for lack of rights, @func is asked for a descriptor of it, or -1,
 * by the helper threads.  @data is destroyed once none of them is left.
 */
typedef int (*SptProcFilesOpener)(uint32_t pid, const char *name, void *data);
void spt_proc_files_set_opener(SptProcFiles *files, SptProcFilesOpener func, void *data,
			       GDestroyNotify destroy);
/* Does not wait.  A helper that is held up ends when it is let go, or with the program. */
void spt_proc_files_free(SptProcFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptProcFiles, spt_proc_files_free)

/*
 * At most @most bytes from the start of a process's file @name, with a nul behind them.  NULL: it
 * cannot be read, is empty, or did not come in time.  Waits at most SPT_PROC_WAIT_MS, and in the
 * long run only for a part of the elapsed time.  Does not wait at all while SPT_PROC_HELPERS
 * processes hold up their helpers.
 */
char *spt_proc_files_read(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			  size_t *ret_bytes);

/* The same of what is at @offset in the file, "mem" for one. */
char *spt_proc_files_read_at(SptProcFiles *files, uint32_t pid, const char *name, uint64_t offset,
			     size_t most, size_t *ret_bytes);

/*
 * As spt_proc_files_read(), but it waits for 50 ms at most, and what does not come in time can be
 * fetched: the last request of a process, and those of the 64 processes that were asked last.
 */
char *spt_proc_files_request(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			     size_t *ret_bytes);
/*
 * What was requested of the process and has come since then; NULL: nothing, yet if
 * @ret_is_awaited.  Does not wait.
 */
char *spt_proc_files_fetch(SptProcFiles *files, uint32_t pid, bool *ret_is_awaited,
			   size_t *ret_bytes);
/* What was requested of the process is of no use any more. */
void spt_proc_files_forget(SptProcFiles *files, uint32_t pid);

#define SPT_PROC_WAIT_MS 250
#define SPT_PROC_HELPERS 16

G_END_DECLS

#endif
