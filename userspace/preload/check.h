/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: counts calls and bytes besides the rings, and compares each stack with that of
 * libgcc's unwinder.  The installed library does not have it.
 */
#ifndef SPT_PRELOAD_CHECK_H
#define SPT_PRELOAD_CHECK_H

#include <stddef.h>

#include "walk.h"

#ifdef SPT_CHECK
void spt_check_allocation(size_t bytes);
void spt_check_free(void);
void spt_check_undo(void);
void spt_check_node(struct spt_thread *thread, uint32_t node, uint32_t parent, uint64_t pc);
/* Compares the stack of @node, from @caller on. */
void spt_check_stack(struct spt_thread *thread, struct spt_place caller, uint32_t node);
#else
static inline void spt_check_allocation(size_t bytes)
{
	(void)bytes;
}

static inline void spt_check_free(void)
{
}

static inline void spt_check_undo(void)
{
}

static inline void spt_check_node(struct spt_thread *thread, uint32_t node, uint32_t parent,
				  uint64_t pc)
{
	(void)thread;
	(void)node;
	(void)parent;
	(void)pc;
}

static inline void spt_check_stack(struct spt_thread *thread, struct spt_place caller,
				   uint32_t node)
{
	(void)thread;
	(void)caller;
	(void)node;
}
#endif

#endif
