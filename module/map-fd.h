/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the file of an object for a reader, with the rights of the session's opener. */
#ifndef _SYSPROF_MAP_FD_H
#define _SYSPROF_MAP_FD_H

#include <linux/types.h>

#include "rights.h"

struct file;
struct sysprof_session;

/*
 * Holds the opened @file of object @id for a moment; @mapper: the process that has mapped it.
 * Process context.
 */
void sysprof_map_fd_hold(u32 id, struct file *file, const struct sysprof_rights *mapper);
/* Releases all files.  Process context; nobody calls hold() any more. */
void sysprof_map_fd_forget(void);

/*
 * Opens the file of object @id for reading, with the rights of the opener of @session.  If the
 * session can see addresses, any process may have it mapped.  Process context, hooks armed.  Error
 * pointers: -ENOENT, -EACCES, or the error of opening.
 */
struct file *sysprof_map_fd_open(const struct sysprof_session *session, u32 id);
/*
 * Sets @start to the address of offset 0 of region @id.  A process that sysprof_traced_may() allows
 * must have it; any process if @session can see addresses.  Else -ENOENT.  Context as above.
 */
int sysprof_map_fd_region(const struct sysprof_session *session, u32 id, u64 *start);

#endif /* _SYSPROF_MAP_FD_H */
