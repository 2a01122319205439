/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel of a recording and its modules lie on this machine, with debug information and with instructions. */
#ifndef SPT_SYMBOLS_KERNEL_H
#define SPT_SYMBOLS_KERNEL_H

#include "symbols/kernel-code.h"

G_BEGIN_DECLS

typedef struct SptKernel SptKernel;

/* @vmlinux (may be NULL): the image, instead of where distributions put it below @debug_dirs. */
SptKernel *spt_kernel_new(const SptCapture *capture, const char *const *debug_dirs, const char *vmlinux);
void spt_kernel_free(SptKernel *kernel);

/* The code that a name of the recording is of, opened when it is first asked for; NULL: it is not here, and why, if @ret_problem is not NULL. */
SptKernelCode *spt_kernel_get(SptKernel *kernel, const SptNameRow *name, SptKernelPart part, const char **ret_problem);

G_END_DECLS

#endif
