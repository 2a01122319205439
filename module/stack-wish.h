/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session requests of each stack. */
#ifndef _SYSPROF_STACK_WISH_H
#define _SYSPROF_STACK_WISH_H

#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct sysprof_stack_wish - the parts of a stack that are requested
 * @max_kernel: most kernel frames
 * @max_user: most user frames
 * @addresses: user frames as addresses
 * @places: user frames as {object, offset}
 * @raw_bytes: bytes of the user stack to copy
 */
struct sysprof_stack_wish {
	u32 max_kernel;
	u32 max_user;
	bool addresses;
	bool places;
	u32 raw_bytes;
};

/* Adds what @own requests to @wish. */
static inline void sysprof_stack_wish_add(struct sysprof_stack_wish *wish,
					  const struct sysprof_stack_wish *own)
{
	wish->max_kernel = max(wish->max_kernel, own->max_kernel);
	wish->max_user = max(wish->max_user, own->max_user);
	wish->addresses |= own->addresses;
	wish->places |= own->places;
	wish->raw_bytes = max(wish->raw_bytes, own->raw_bytes);
}

/* The kinds of user frames: addresses; resolved, by frame pointers; resolved, by tables. */
enum sysprof_user_kind {
	SYSPROF_KIND_ADDRESSES,
	SYSPROF_KIND_PLACES,
	SYSPROF_KIND_TABLED,
	SYSPROF_KINDS
};

#endif /* _SYSPROF_STACK_WISH_H */
