/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack that a call is on.  Beyond its end memory may disappear while the call goes on. */
#ifndef SPT_PRELOAD_STACK_H
#define SPT_PRELOAD_STACK_H

#include "thread.h"

/* The end of the stack that @sp is on; 0: it is not known. */
uint64_t spt_stack_end(struct spt_thread *thread, uint64_t sp);
/* Whether @sp is on the first thread's stack, or on the one that was asked for last. */
bool spt_stack_is_known(const struct spt_thread *thread, uint64_t sp);

#endif
