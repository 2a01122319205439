/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Section headers for a program that has none. */
#ifndef SPT_SECTIONS_H
#define SPT_SECTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Bytes that spt_sections_add() may need behind the file. */
#define SPT_SECTIONS_ROOM_BYTES 8192

/* Whether the header of the program @file, of @bytes, leads to section headers with names. */
bool spt_sections_exist(const uint8_t *file, uint64_t bytes);
/*
 * Writes section headers behind the @bytes of the program @file, by what its loader goes by: its
 * segments, .eh_frame_hdr, and its dynamic section.  There is room for them.  Symbols get the
 * numbers of these sections.  Returns the new size; 0: it is no program of this machine's word size
 * and byte order.
 */
uint64_t spt_sections_add(uint8_t *file, uint64_t bytes);

G_END_DECLS

#endif
