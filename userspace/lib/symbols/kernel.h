/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files of a recording's kernel and its modules on this machine, with debug information
 * and with instructions.
 */
#ifndef SPT_SYMBOLS_KERNEL_H
#define SPT_SYMBOLS_KERNEL_H

#include "symbols/kernel-code.h"

G_BEGIN_DECLS

typedef struct SptKernel SptKernel;

/*
 * Returns a GArray of uint64_t: the recording's offsets in a module ("": the image), ascending,
 * each once.
 */
typedef GArray *(*SptKernelLister)(const char *module, void *data);

/*
 * @vmlinux (may be NULL): the image, instead of the usual places of distributions below
 * @debug_dirs.  @list returns the offsets that will be needed.
 */
SptKernel *spt_kernel_new(const SptCapture *capture, const char *const *debug_dirs,
			  const char *vmlinux, SptKernelLister list, void *data);
void spt_kernel_free(SptKernel *kernel);

/*
 * As spt_debug_info_find(), for @offset with @name.  A helper reads all places that the recording
 * has in this module at once.  @ret_problem: why that failed, else NULL.
 */
unsigned spt_kernel_places(SptKernel *kernel, const SptNameRow *name, uint64_t offset,
			   SptPlace ret[SPT_INLINES_MAX], const char **ret_problem);
/* Reads more places of the module of @name, which will be needed: ascending, each once. */
void spt_kernel_prepare(SptKernel *kernel, const SptNameRow *name, const uint64_t *offsets,
			uint32_t n);
/* Why the reader of the image, or of any module if @modules, failed; else NULL. */
const char *spt_kernel_failure(const SptKernel *kernel, bool modules);
/*
 * The instructions of a name of the recording, opened when they are first needed.  NULL:
 * @ret_problem says why.
 */
SptKernelCode *spt_kernel_get(SptKernel *kernel, const SptNameRow *name, const char **ret_problem);

G_END_DECLS

#endif
