/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session asks of each stack. */
#ifndef _SYSPROF_STACK_WISH_H
#define _SYSPROF_STACK_WISH_H

#include <linux/types.h>

/**
 * struct sysprof_stack_wish - how much of a stack is wanted
 * @max_kernel: frames
 * @max_user: frames
 * @addresses: user frames as they are
 * @places: user frames resolved
 * @raw_bytes: of the user stack, as they are
 */
struct sysprof_stack_wish {
	u32 max_kernel;
	u32 max_user;
	bool addresses;
	bool places;
	u32 raw_bytes;
};

/* The kinds of user frames: as they are; resolved, by frame pointers; resolved, by tables. */
enum sysprof_user_kind {
	SYSPROF_KIND_ADDRESSES,
	SYSPROF_KIND_PLACES,
	SYSPROF_KIND_TABLED,
	SYSPROF_KINDS
};

#endif /* _SYSPROF_STACK_WISH_H */
