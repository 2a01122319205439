/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an ELF file from which its unwind table is made. */
#ifndef SPT_UNWIND_EXTRACT_H
#define SPT_UNWIND_EXTRACT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_EXTRACT_KEY_BYTES 32
#define SPT_EXTRACT_LARGE_GAP_BYTES 32
/*
 * Whether code without call frame information in [@at, @to), before a function at @to, is looked at
 * even if it has no symbol, and is not the end of its section.  Less is padding, unless it aligns
 * nothing: assembly may leave out a few instructions, as clone() does from its system call on.
 */
static inline bool spt_extract_is_gap(uint64_t at, uint64_t to)
{
	return to > at && (to - at >= SPT_EXTRACT_LARGE_GAP_BYTES || (to - at >= 4 && to % 16));
}

/* Names of the section by which Go walks its stacks. */
#define SPT_EXTRACT_GO 2
extern const char *const spt_extract_go[SPT_EXTRACT_GO];

/*
 * Reads headers, notes and call frame information (Go's, too) of the file @fd, and the code that
 * they do not describe, as far as .eh_frame_hdr says where that is.  Reads each byte once.
 * @ret_key: a SHA-256 of these parts.  Files with the same key have the same table, whatever
 * build-id they state.  False: it is not an ELF file of this machine's word size and byte order, or
 * it is too large.
 */
bool spt_extract_key(int fd, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES]);
/*
 * The same.  Returns a copy of these parts as a file in memory, at their offsets, which nobody can
 * change.  So a table that is made from it belongs to the key, whatever happens to the file.  -1:
 * as above, or there is no memory.
 */
int spt_extract(int fd, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES]);

G_END_DECLS

#endif
