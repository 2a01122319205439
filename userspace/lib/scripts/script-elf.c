/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/script-elf.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define SYMBOLS_MAX_BYTES (64u << 20)

typedef void (*SymbolFunc)(const char *name, const SptScriptSymbol *symbol, void *data);

/* Files have hundreds of thousands: names are looked up by hand. */
static void script_elf_each_in(const SptObject *object, Elf_Scn *section, const GElf_Shdr *header,
			       SymbolFunc func, void *data)
{
	Elf_Data *symbols = spt_object_section(object, section, ELF_T_SYM, SYMBOLS_MAX_BYTES);
	Elf_Scn *names = elf_getscn(spt_object_elf(object), header->sh_link);
	Elf_Data *strings =
		names ? spt_object_section(object, names, ELF_T_BYTE, SYMBOLS_MAX_BYTES) : NULL;
	size_t n = symbols ? symbols->d_size / sizeof(Elf64_Sym) : 0,
	       bytes = strings && strings->d_buf ? strings->d_size : 0;
	GElf_Sym symbol;

	if (!bytes || ((const char *)strings->d_buf)[bytes - 1] != '\0')
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getsym(symbols, (int)i, &symbol) && symbol.st_shndx != SHN_UNDEF &&
		    symbol.st_name < bytes)
			func((const char *)strings->d_buf + symbol.st_name,
			     &(SptScriptSymbol){ symbol.st_value, symbol.st_size }, data);
}

void spt_script_elf_each(const SptObject *object, SymbolFunc func, void *data)
{
	Elf *elf = spt_object_elf(object);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
			script_elf_each_in(object, section, &header, func, data);
}

static bool script_elf_find(const SptObject *object, Elf_Scn *section, const GElf_Shdr *header,
			    const char *name, SptScriptSymbol *ret)
{
	Elf_Data *data = spt_object_section(object, section, ELF_T_SYM, SYMBOLS_MAX_BYTES);
	size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		const char *its;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		its = elf_strptr(spt_object_elf(object), header->sh_link, symbol.st_name);
		if (!its || strcmp(its, name) != 0)
			continue;
		*ret = (SptScriptSymbol){ symbol.st_value, symbol.st_size };
		return true;
	}
	return false;
}

bool spt_script_elf_symbol(const SptObject *object, const char *name, SptScriptSymbol *ret)
{
	static const GElf_Word kinds[] = { SHT_DYNSYM, SHT_SYMTAB };
	Elf *elf = spt_object_elf(object);

	for (unsigned i = 0; elf && i < G_N_ELEMENTS(kinds); i++) {
		Elf_Scn *section = NULL;
		GElf_Shdr header;

		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) && header.sh_type == kinds[i] &&
			    script_elf_find(object, section, &header, name, ret))
				return true;
	}
	return false;
}

/* The segment that has @address in its part of the file. */
static bool find_segment(const SptObject *object, uint64_t address, GElf_Phdr *ret)
{
	Elf *elf = spt_object_elf(object);
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(elf, (int)i, ret) && ret->p_type == PT_LOAD &&
		    address - ret->p_vaddr < ret->p_filesz)
			return true;
	return false;
}

bool spt_script_elf_read(const SptObject *object, uint64_t address, void *to, size_t bytes)
{
	GElf_Phdr segment;

	return find_segment(object, address, &segment) &&
	       bytes <= segment.p_filesz - (address - segment.p_vaddr) &&
	       pread(spt_object_fd(object), to, bytes,
		     (off_t)(segment.p_offset + (address - segment.p_vaddr))) == (ssize_t)bytes;
}

bool spt_script_elf_segment(const SptObject *object, uint64_t address, uint64_t *ret_start,
			    uint64_t *ret_bytes)
{
	GElf_Phdr segment;

	if (!find_segment(object, address, &segment))
		return false;
	*ret_start = segment.p_vaddr;
	*ret_bytes = segment.p_filesz;
	return true;
}

bool spt_script_elf_code(const SptObject *object, uint64_t address, int64_t *ret_difference)
{
	GElf_Phdr segment;

	if (!find_segment(object, address, &segment))
		return false;
	*ret_difference = (int64_t)(segment.p_vaddr - segment.p_offset);
	return true;
}
