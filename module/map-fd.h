/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_MAP_FD_H
#define _SYSPROF_MAP_FD_H

#include <linux/types.h>

#include "rights.h"

struct file;
struct sysprof_session;

/*
 * Keeps what @file of object @id was opened from for a moment; @mapper: who has mapped it.  Process
 * context.
 */
void sysprof_map_fd_hold(u32 id, struct file *file, const struct sysprof_rights *mapper);
/* Lets go of all.  Process context; nobody holds any more. */
void sysprof_map_fd_forget(void);

/*
 * Opens the file of object @id for reading, with the rights of the opener of @session, and whoever
 * has it mapped if that session can see addresses.  Process context, hooks armed.  An error
 * pointer: -ENOENT, -EACCES, or what opening gave.
 */
struct file *sysprof_map_fd_open(const struct sysprof_session *session, u32 id);
/*
 * The address of offset 0 of region @id, if a process has it that sysprof_traced_may() allows, or
 * any if @session may see addresses; else -ENOENT.  As above.
 */
int sysprof_map_fd_region(const struct sysprof_session *session, u32 id, u64 *start);

#endif /* _SYSPROF_MAP_FD_H */
