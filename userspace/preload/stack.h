/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack that a call is on.  Beyond its end memory may disappear while the call goes on. */
#ifndef SPT_PRELOAD_STACK_H
#define SPT_PRELOAD_STACK_H

#include "thread.h"

/* The end of the stack that @sp is on; 0: it is not known. */
uint64_t spt_stack_end(struct spt_thread *thread, uint64_t sp);
/* Whether both are on the first thread's stack, or on that which the thread was started with. */
bool spt_stack_is_same(struct spt_thread *thread, uint64_t sp, uint64_t other);
/*
 * Whether there is a word at @address, to which a step from @sp leads.  The thread's own stack is
 * there as long as the thread.  Any other memory is asked for, and thread->has_left says so.
 */
bool spt_stack_has(struct spt_thread *thread, uint64_t sp, uint64_t address);
/* Reads memory that may not exist; false: it does not, or nobody may be asked. */
bool spt_read_safely(uint64_t address, void *to, size_t bytes);

#endif
