/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of an ELF file that have names, for symtab.c. */
#ifndef SPT_ELF_PARTS_H
#define SPT_ELF_PARTS_H

#include <gelf.h>

#include "object/object.h"

G_BEGIN_DECLS

/* The first section called @name, packed or not, and its header; NULL: there is none. */
Elf_Scn *spt_elf_section(const SptObject *object, const char *name, GElf_Shdr *ret_header);

/* Whether the sections of debug information, unpacked, are within the limits for reading. */
bool spt_debug_sections_fit(const SptObject *object);
/*
 * Unpacks compressed sections for all later users of libelf.  The returned array owns the results
 * and must outlive those users.
 */
GPtrArray *spt_debug_sections_unpack(const SptObject *object);
/* Whether @object has debug information within the limits for reading. */
bool spt_elf_has_debug_info(const SptObject *object);

/* The file packed into @object's .gnu_debugdata; NULL: there is none that can be read. */
SptObject *spt_minidebug_open(const SptObject *object);

/* A stub of the procedure linkage table. */
typedef struct {
	uint64_t address;
	uint32_t bytes;
	const char *name;		/* name of its target; valid as long as the object */
} SptPltEntry;

/* GArray of the stubs of @object whose targets have names; x86-64 and arm64. */
GArray *spt_plt_entries(const SptObject *object);

G_END_DECLS

#endif
