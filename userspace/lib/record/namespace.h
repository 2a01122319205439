/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of processes and threads that are in another PID namespace, and whose processes are. */
#ifndef SPT_NAMESPACE_H
#define SPT_NAMESPACE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* The inode of this process's own; 0: there is no /proc. */
uint64_t spt_pid_namespace(void);
/* The device of /proc, if that has the same numbers for processes as this one; else 0. */
uint64_t spt_proc_device(void);
/*
 * What process @pid of some other namespace is in this one, if it has mapped the file @inode; 0: it
 * has exited, or there are several.
 */
uint32_t spt_namespace_process(uint32_t pid, uint64_t inode);
/* Whether process @pid is of the recorder's own namespace, and has mapped the file @inode. */
bool spt_namespace_is_own(uint32_t pid, uint64_t inode);
/* The same of its thread @tid; @process: what the call above has returned. */
uint32_t spt_namespace_thread(uint32_t process, uint32_t tid);

/* The effective user of process @pid; false: it has exited. */
bool spt_process_user(uint32_t pid, uint32_t *ret);

/* How many filters of system calls this process has; of an older kernel: whether it has any. */
uint32_t spt_self_filters(void);

G_END_DECLS

#endif
