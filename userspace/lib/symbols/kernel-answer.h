/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a helper has to know of a kernel to read its files: what the recording calls its code.
 * Packed by one side, used by the other.
 */
#ifndef SPT_KERNEL_ANSWER_H
#define SPT_KERNEL_ANSWER_H

#include "capture/capture.h"

G_BEGIN_DECLS

/*
 * Of @names, @n of them, which are all of one image or module, and of the build-id that it had (0
 * bytes: not known).
 */
GByteArray *spt_kernel_pack_names(const SptNameRow *const *names, uint32_t n,
				  const uint8_t *build_id, unsigned build_id_bytes);
/* A place table of @offsets of the recording, from the file @fd, which it takes. */
GByteArray *spt_kernel_answer(int fd, const char *path, const uint8_t *packed, uint32_t bytes,
			      const uint64_t *offsets, uint32_t n);

G_END_DECLS

#endif
