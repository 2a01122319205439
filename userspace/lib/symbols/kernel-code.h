/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a kernel or of one of its modules, with debug information.  A recording has no
 * addresses of kernel code, but names: a place is found by its symbol and the distance from there,
 * and where several symbols are called so, by how far the others have moved.
 */
#ifndef SPT_KERNEL_CODE_H
#define SPT_KERNEL_CODE_H

#include "capture/capture.h"
#include "symbols/code.h"
#include "symbols/dwarf/debug-info.h"

G_BEGIN_DECLS

typedef struct SptKernelCode SptKernelCode;

/*
 * What a file has to have: what debug information says, or what runs.  Distributions have them in
 * two.
 */
typedef enum { SPT_KERNEL_LINES, SPT_KERNEL_INSTRUCTIONS } SptKernelPart;

/* @names: what the recording says of this code, @n of them; @build_id (may be NULL): that of the
 *	code that ran; @fd is
 * the file @path, and taken.  NULL, and in @ret_problem why. */
SptKernelCode *spt_kernel_code_new(int fd, const char *path, SptKernelPart part,
				   const SptNameRow *const *names, uint32_t n,
				   const uint8_t *build_id, unsigned build_id_bytes,
				   const char **ret_problem);
void spt_kernel_code_free(SptKernelCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptKernelCode, spt_kernel_code_free)

/*
 * The address, as the file has it, of @offset of a recording, whose name is @name.  False: that
 * symbol is not in the file.
 */
bool spt_kernel_code_address(const SptKernelCode *code, const SptNameRow *name, uint64_t offset,
			     uint64_t *ret);
/* As spt_debug_info_find(), by such an address. */
unsigned spt_kernel_code_find(SptKernelCode *code, uint64_t address, SptPlace ret[SPT_INLINES_MAX]);
/* Up to @bytes of instructions from such an address on; NULL: there are none. */
SptCode *spt_kernel_code_read(const SptKernelCode *code, uint64_t address, uint64_t bytes);
/* "symbol" or "symbol+0x10", to be freed; NULL: there is none. */
char *spt_kernel_code_name(const SptKernelCode *code, uint64_t address);

G_END_DECLS

#endif
