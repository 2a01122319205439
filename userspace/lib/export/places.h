/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of addresses in files, as formats have them that name the place of each.  A profile has
 * one address space, in which each file is mapped whole, at a place of its own.
 */
#ifndef SPT_EXPORT_PLACES_H
#define SPT_EXPORT_PLACES_H

#include "export/export.h"

G_BEGIN_DECLS

/* Offsets in files are below it: an object begins at its id << this. */
#define SPT_ADDRESS_BITS 40
/* Deeper stacks count for one function, as in profiles; a small file can claim many of them. */
#define SPT_PLACES_DEEPEST 2048
#define SPT_BUILD_ID_TEXT_BYTES (2 * sizeof(((SptObjectRow *)0)->build_id) + 1)

/* The bytes of address space of an object; 0: its places have no addresses. */
uint64_t spt_object_room(const SptObjectRow *object);
/* In hexadecimal; "": it has none. */
void spt_object_build_id_text(const SptObjectRow *object, char ret[SPT_BUILD_ID_TEXT_BYTES]);
/* The path of a place's source file, the caller's; "": not known. */
char *spt_place_file(const SptNamedPlace *place);
/* By node: the frames of its stack, saturating above the deepest; the caller's. */
uint16_t *spt_places_depths(const SptCapture *capture);
/* By frame: whether a stack of @sums has it that is not too deep; the caller's. */
bool *spt_places_used(const SptCapture *capture, const uint16_t *depths, const GArray *sums);
/* When what is exported began, since 1970 (0: not known), and how long it is. */
void spt_places_time(const SptExportInput *input, uint64_t *ret_begin_ns,
		     uint64_t *ret_duration_ns);

G_END_DECLS

#endif
