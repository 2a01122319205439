/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an ELF file that its unwind table is made of. */
#ifndef SPT_UNWIND_EXTRACT_H
#define SPT_UNWIND_EXTRACT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_EXTRACT_KEY_BYTES 32
/* Of code that no call frame information is of: less is not looked at. */
#define SPT_EXTRACT_GAP_MIN_BYTES 32

/* What the section is called that Go walks its stacks by. */
#define SPT_EXTRACT_GO 2
extern const char *const spt_extract_go[SPT_EXTRACT_GO];

/*
 * Reads headers, notes and call frame information (Go's, too) of the file @fd, and code that this
 * does not describe, as far as .eh_frame_hdr says where that is; each byte once.  @ret_key: a
 * SHA-256 of them: files with the same key have the same table, whatever build-id they state.
 * False: it is no ELF file of this machine's word size and byte order, or too large.
 */
bool spt_extract_key(int fd, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES]);
/*
 * The same, and a copy of these parts as a file in memory, at their offsets, which nobody can
 * change: a table that is made of it belongs to the key, whatever becomes of the file.  -1: as
 * above, or there is no memory.
 */
int spt_extract(int fd, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES]);

G_END_DECLS

#endif
