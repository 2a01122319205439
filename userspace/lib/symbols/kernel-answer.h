/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names in a recording for a kernel's code, which a helper needs to read its files.  One side
 * packs them, the other uses them.
 */
#ifndef SPT_KERNEL_ANSWER_H
#define SPT_KERNEL_ANSWER_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* Packs @n @names, which are all of one image or module, and its build-id (0 bytes: not known). */
GByteArray *spt_kernel_pack_names(const SptNameRow *const *names, uint32_t n,
				  const uint8_t *build_id, unsigned build_id_bytes);
/* A place table for @offsets of the recording, from the file @fd, which it takes over. */
GByteArray *spt_kernel_answer(int fd, const char *path, const uint8_t *packed, uint32_t bytes,
			      const uint64_t *offsets, uint32_t n);

G_END_DECLS

#endif
