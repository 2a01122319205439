/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/dwarf/elf-parts.h"

#include <string.h>

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

		if (found && strcmp(found, name) == 0)
			return scn;
	}
	return NULL;
}
