/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel of a recording and its modules lie on this machine, with debug information and
 * with instructions.
 */
#ifndef SPT_SYMBOLS_KERNEL_H
#define SPT_SYMBOLS_KERNEL_H

#include "symbols/kernel-code.h"

G_BEGIN_DECLS

typedef struct SptKernel SptKernel;

/*
 * GArray of uint64_t: the offsets that the recording has in a module (""; the image), ascending,
 * each once.
 */
typedef GArray *(*SptKernelLister)(const char *module, void *data);

/*
 * @vmlinux (may be NULL): the image, instead of where distributions put it below @debug_dirs.
 * @list has the files that are going to be asked for.
 */
SptKernel *spt_kernel_new(const SptCapture *capture, const char *const *debug_dirs,
			  const char *vmlinux, SptKernelLister list, void *data);
void spt_kernel_free(SptKernel *kernel);

/*
 * As spt_debug_info_find(): what debug information says of @offset, which is called @name; read by
 * a helper, all that the recording has in this module at once.  If that fails, in @ret_problem why,
 * else NULL.
 */
unsigned spt_kernel_places(SptKernel *kernel, const SptNameRow *name, uint64_t offset,
			   SptPlace ret[SPT_INLINES_MAX], const char **ret_problem);
/* Has more of the module of @name read, which is going to be asked for: ascending, each once. */
void spt_kernel_prepare(SptKernel *kernel, const SptNameRow *name, const uint64_t *offsets,
			uint32_t n);
/*
 * Why what was read of the image, or of any @modules, could not be, if the reader failed; else
 * NULL.
 */
const char *spt_kernel_failure(const SptKernel *kernel, bool modules);
/*
 * The instructions that a name of the recording is of, opened when they are first asked for; NULL:
 * they are not here, and in @ret_problem why.
 */
SptKernelCode *spt_kernel_get(SptKernel *kernel, const SptNameRow *name, const char **ret_problem);

G_END_DECLS

#endif
