/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/dwarf/elf-parts.h"

#include <string.h>

/* Packed as it was before there were flags for it, ".debug_info" is called ".zdebug_info". */
static bool elf_parts_is_called(const char *found, const char *name)
{
	return !strcmp(found, name) || (g_str_has_prefix(found, ".zdebug_") &&
					name[0] == '.' && !strcmp(found + 2, name + 1));
}

Elf_Scn *spt_elf_section(const SptObject *object, const char *name, GElf_Shdr *ret_header)
{
	Elf *elf = spt_object_elf(object);
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found = gelf_getshdr(scn, ret_header) ?
					    elf_strptr(elf, names, ret_header->sh_name) :
					    NULL;

		if (found && elf_parts_is_called(found, name))
			return scn;
	}
	return NULL;
}
