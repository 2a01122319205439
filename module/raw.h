/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of user stacks and registers, for sessions that unwind by themselves. */
#ifndef _SYSPROF_RAW_H
#define _SYSPROF_RAW_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "sysprof.h"

#define SYSPROF_MAX_RAW_BYTES		(64U << 10)
#define SYSPROF_DEFAULT_RAW_BYTES	(16U << 10)

struct sysprof_raw_requests;

/*
 * Gets the memory for copies, which exists as long as somebody holds it, and memory for the
 * holder's requests, of which there are none yet.  Process context; NULL: no memory.
 */
struct sysprof_raw_requests *sysprof_raw_get(void);
void sysprof_raw_put(struct sysprof_raw_requests *requests);

/*
 * Requests @bytes of the stacks of tasks with this name (at most SYSPROF_COMM_BYTES; "": all
 * without a request of their own), rounded up to a whole KiB.  Any context.
 */
void sysprof_raw_set_bytes(struct sysprof_raw_requests *requests, const char *comm, u32 bytes);
/* Bytes that are requested of current's stack; @most if there is no request.  Any context. */
u32 sysprof_raw_requested(const struct sysprof_raw_requests *requests, u32 most);

/*
 * Copies the user context @regs of current and at most @bytes of its stack into memory of this CPU,
 * where the copy stays until the tick is over.  In the sampling context, NMI too, while somebody
 * holds the memory.
 */
const struct sysprof_raw *sysprof_raw_take(const struct pt_regs *regs, u32 bytes);

/*
 * The part of @raw for a session that gets @bytes of the stack: its size, and a copy of it into
 * @to, where there are @room bytes, which is the size for the same @bytes.
 */
u32 sysprof_raw_size(const struct sysprof_raw *raw, u32 bytes);
void sysprof_raw_put_into(void *to, u32 room, const struct sysprof_raw *raw, u32 bytes);

#endif /* _SYSPROF_RAW_H */
