/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of an ELF file that lead to names: what symtab.c gathers from. */
#ifndef SPT_ELF_PARTS_H
#define SPT_ELF_PARTS_H

#include <gelf.h>

#include "object/object.h"

G_BEGIN_DECLS

/* The first section called @name and its header; NULL if there is none. */
Elf_Scn *spt_elf_section(const SptObject *object, const char *name, GElf_Shdr *ret_header);

/* Whether the sections of debug information are, unpacked, no more than can be read. */
bool spt_debug_sections_fit(const SptObject *object);
/*
 * Unpacks those that are packed, from now on for all who ask libelf for them; what they become has
 * to outlive that, and is freed with the array.
 */
GPtrArray *spt_debug_sections_unpack(const SptObject *object);
/* Whether @object has debug information, and no more than can be read. */
bool spt_elf_has_debug_info(const SptObject *object);

/* The file packed into @object's .gnu_debugdata; NULL if there is none that can be read. */
SptObject *spt_minidebug_open(const SptObject *object);

/* A stub of the procedure linkage table. */
typedef struct {
	uint64_t address;
	uint32_t bytes;
	const char *name;		/* of what it leads to; lives as long as the object */
} SptPltEntry;

/* GArray of the stubs of @object that lead to a name; x86-64 and arm64. */
GArray *spt_plt_entries(const SptObject *object);

G_END_DECLS

#endif
