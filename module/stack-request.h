/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session requests of each stack. */
#ifndef _SYSPROF_STACK_REQUEST_H
#define _SYSPROF_STACK_REQUEST_H

#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct sysprof_stack_request - the parts of a stack that are requested
 * @max_kernel: most kernel frames
 * @max_user: most user frames
 * @addresses: user frames as addresses
 * @places: user frames as {object, offset}
 * @raw_bytes: bytes of the user stack to copy
 */
struct sysprof_stack_request {
	u32 max_kernel;
	u32 max_user;
	bool addresses;
	bool places;
	u32 raw_bytes;
};

/* Adds what @own requests to @request. */
static inline void sysprof_stack_request_add(struct sysprof_stack_request *request,
					     const struct sysprof_stack_request *own)
{
	request->max_kernel = max(request->max_kernel, own->max_kernel);
	request->max_user = max(request->max_user, own->max_user);
	request->addresses |= own->addresses;
	request->places |= own->places;
	request->raw_bytes = max(request->raw_bytes, own->raw_bytes);
}

/* The kinds of user frames: addresses; resolved, by frame pointers; resolved, by tables. */
enum sysprof_user_kind {
	SYSPROF_KIND_ADDRESSES,
	SYSPROF_KIND_PLACES,
	SYSPROF_KIND_TABLED,
	SYSPROF_KINDS
};

#endif /* _SYSPROF_STACK_REQUEST_H */
