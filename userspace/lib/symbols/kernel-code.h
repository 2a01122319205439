/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a kernel or a module, with debug information.  A recording has names of kernel code,
 * and no addresses.  So a place is found by its symbol and the distance from there.  If several
 * symbols have that name, the distances of the other symbols decide.
 */
#ifndef SPT_KERNEL_CODE_H
#define SPT_KERNEL_CODE_H

#include "capture/capture.h"
#include "symbols/code.h"
#include "symbols/dwarf/debug-info.h"

G_BEGIN_DECLS

typedef struct SptKernelCode SptKernelCode;

/*
 * The part that a file must have: debug information, or the instructions.  Distributions have them
 * in two files.
 */
typedef enum { SPT_KERNEL_LINES, SPT_KERNEL_INSTRUCTIONS } SptKernelPart;

/*
 * @names: the @n names in the recording for this code; @build_id (may be NULL): that of the code
 * that ran.  @fd is the file @path, and is taken over.  NULL: @ret_problem says why.
 */
SptKernelCode *spt_kernel_code_new(int fd, const char *path, SptKernelPart part,
				   const SptNameRow *const *names, uint32_t n,
				   const uint8_t *build_id, unsigned build_id_bytes,
				   const char **ret_problem);
void spt_kernel_code_free(SptKernelCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptKernelCode, spt_kernel_code_free)

/*
 * The file's address for @offset of a recording, whose name is @name.  False: the file does not
 * have that symbol.
 */
bool spt_kernel_code_address(const SptKernelCode *code, const SptNameRow *name, uint64_t offset,
			     uint64_t *ret);
/* As spt_debug_info_find(), by such an address. */
unsigned spt_kernel_code_find(SptKernelCode *code, uint64_t address, SptPlace ret[SPT_INLINES_MAX]);
/* Up to @bytes of instructions from such an address on; NULL: there are none. */
SptCode *spt_kernel_code_read(const SptKernelCode *code, uint64_t address, uint64_t bytes);
/* "symbol" or "symbol+0x10"; the caller frees it.  NULL: there is none. */
char *spt_kernel_code_name(const SptKernelCode *code, uint64_t address);

G_END_DECLS

#endif
