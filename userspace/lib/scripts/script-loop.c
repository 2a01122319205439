/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/script-loop.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "base/sort.h"
#include "unwind/cfi.h"
#include "unwind/functions.h"

#define RELOCATIONS_MAX_BYTES (64u << 20)
#define FRAMES_MAX_BYTES (64u << 20)

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

static bool script_loop_note(uint64_t start, uint64_t end, bool is_signal, void *ranges)
{
	SptRange range = { start, end - start };

	(void)is_signal;
	g_array_append_val((GArray *)ranges, range);
	return false;
}

/* SptRange: functions that .eh_frame describes, in addresses. */
static GArray *script_loop_described(const SptObject *object)
{
	GArray *ranges = g_array_new(FALSE, FALSE, sizeof(SptRange));
	SptCfiSink sink = { script_loop_note, NULL, ranges };
	Elf *elf = spt_object_elf(object);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr ehdr;
	size_t names;

	if (!elf || !gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) != 0)
		return ranges;
	while ((section = elf_nextscn(elf, section))) {
		const SptUnwindArch *arch = spt_unwind_arch(ehdr.e_machine);
		const char *name = gelf_getshdr(section, &header) ?
					   elf_strptr(elf, names, header.sh_name) :
					   NULL;
		Elf_Data *data = name && arch && !strcmp(name, ".eh_frame") ?
					 spt_object_section(object, section, ELF_T_BYTE,
							    FRAMES_MAX_BYTES) :
					 NULL;

		if (data && data->d_buf)
			spt_cfi_read(&(SptCfiSection){ data->d_buf, data->d_size, header.sh_addr,
						       false },
				     arch, &sink);
	}
	return ranges;
}

bool spt_script_loop_undescribed(const SptObject *object, uint64_t least, SptScriptSymbol *ret)
{
	g_autoptr(GArray) ranges = script_loop_described(object);
	const SptRange *range = (const SptRange *)(void *)ranges->data;
	struct spt_item *items = g_new(struct spt_item, MAX(ranges->len, 1)),
			*spare = g_new(struct spt_item, MAX(ranges->len, 1));
	uint64_t end = ranges->len ? UINT64_MAX : 0;
	int64_t difference;

	*ret = (SptScriptSymbol){ 0 };
	for (uint32_t i = 0; i < ranges->len; i++)
		items[i] = (struct spt_item){ range[i].start, i };
	spt_sort_items(&items, &spare, ranges->len);
	for (uint32_t i = 0; i < ranges->len; i++) {
		const SptRange *at = &range[items[i].index];

		if (at->start > end && at->start - end > ret->bytes)
			*ret = (SptScriptSymbol){ end, at->start - end };
		end = end == UINT64_MAX ? at->start + at->bytes :
					  MAX(end, at->start + at->bytes);
	}
	g_free(items);
	g_free(spare);
	return ret->bytes >= least && spt_script_elf_code(object, ret->address, &difference) &&
	       spt_script_elf_code(object, ret->address + ret->bytes - 1, &difference);
}
