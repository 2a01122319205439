/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel frames: addresses of kernel code, encoded so that they reveal none. */
#ifndef _SYSPROF_KERNEL_FRAME_H
#define _SYSPROF_KERNEL_FRAME_H

#include <linux/types.h>

/* Process context, once, before the first tick. */
void sysprof_kernel_frame_init(void);

/*
 * The kernel frame of @ip; 0 if that is neither in the kernel image nor in the module area.  Any
 * context.
 */
u64 sysprof_kernel_frame_encode(unsigned long ip);
/*
 * The instruction pointer of a kernel frame.  0 if it is neither in the kernel image nor in the
 * module area.  Unless @privileged, also 0 in a part of that area of which no sample had a frame.
 */
unsigned long sysprof_kernel_frame_decode(u64 frame, bool privileged);

#endif /* _SYSPROF_KERNEL_FRAME_H */
