/* SPDX-License-Identifier: GPL-2.0-only */
/* The device's file, and what each of its calls does. */
#ifndef _SYSPROF_DEVICE_H
#define _SYSPROF_DEVICE_H

#include <linux/types.h>

/*
 * Make and remove /dev/sysprof-trace.  Open files pin the module, so unregister() finds no session.
 */
int sysprof_device_register(void);
void sysprof_device_unregister(void);
/*
 * Arguments of calls, of this node and of the other one (marks.c): structs that begin with their
 * size, a u32.  get() reads the caller's as far as both sides know it; members that only the caller
 * knows must be zero.  put() writes as much as the caller has room for.  Return 0, -EFAULT, -EINVAL
 * for another size, or get() -E2BIG.  Process context.
 */
int sysprof_device_get_arg(void *arg, size_t bytes, void __user *user);
int sysprof_device_put_arg(const void *arg, size_t bytes, void __user *user);

#endif /* _SYSPROF_DEVICE_H */
