/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a stack begins that a hook takes of its own task. */
#ifndef _SYSPROF_ORIGIN_H
#define _SYSPROF_ORIGIN_H

#include <linux/types.h>

/**
 * struct sysprof_origin - where a stack begins that a hook takes of its own task
 * @frame: frame of a function that runs, of the hook if possible, whose caller is the first one of
 *	the stack; NULL: it begins where it is taken
 * @site: anything that often differs where such stacks differ; 0: nothing is known
 */
struct sysprof_origin {
	unsigned long *frame;
	u64 site;
};

/* In a function that returns after the stack was taken. */
#define SYSPROF_ORIGIN(at)                                                                         \
	((struct sysprof_origin){ .frame = __builtin_frame_address(0), .site = (at) })

#endif /* _SYSPROF_ORIGIN_H */
