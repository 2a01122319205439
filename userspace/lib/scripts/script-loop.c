/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/script-loop.h"

#include <elf.h>
#include <gelf.h>

#include "unwind/functions.h"

#define RELOCATIONS_MAX_BYTES (64u << 20)

#ifdef __aarch64__
#define R_RELATIVE R_AARCH64_RELATIVE
#else
#define R_RELATIVE R_X86_64_RELATIVE
#endif

/* A table: addresses one after the other, in memory and in the order of relocations. */
struct run {
	SptRange function;
	uint64_t next;			/* where the next address of it is */
	unsigned n;
};

static void script_loop_add(SptFunctions *functions, const SptObject *object, struct run *run,
			    const GElf_Rela *relocation)
{
	uint64_t offset;
	bool is_next = run->n && relocation->r_offset == run->next;
	SptRange function;

	run->next = relocation->r_offset + sizeof(uint64_t);
	if (GELF_R_TYPE(relocation->r_info) != R_RELATIVE ||
	    !spt_object_address_to_offset(object, (uint64_t)relocation->r_addend, &offset)) {
		run->n = 0;
		return;
	}
	if (is_next && offset > run->function.start &&
	    offset - run->function.start < run->function.bytes) {
		run->n++;
		return;
	}
	/* The address of a function itself is in tables of another kind. */
	run->n = spt_functions_find(functions, object, offset, &function) &&
		 offset > function.start;
	if (run->n)
		run->function = function;
}

bool spt_script_loop_find(const SptObject *object, unsigned least, SptRange *ret)
{
	g_autoptr(SptFunctions) functions = spt_functions_new();
	Elf *elf = spt_object_elf(object);
	Elf_Scn *section = NULL;
	unsigned longest = 0;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_RELA ?
					 spt_object_section(object, section, ELF_T_RELA,
							    RELOCATIONS_MAX_BYTES) :
					 NULL;
		size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
		struct run run = { 0 };
		GElf_Rela relocation;

		for (size_t i = 0; i < n && gelf_getrela(data, (int)i, &relocation); i++) {
			script_loop_add(functions, object, &run, &relocation);
			if (run.n <= longest)
				continue;
			longest = run.n;
			*ret = run.function;
		}
	}
	return longest >= least;
}
