/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables are arrays of entries with pointers to names, which relocations say.  Since OpenJDK 17
 * offsets are put into them when the library is loaded: each by an instruction of its own, which is
 * looked for.
 */
#include "scripts/hotspot-vm.h"

#include <gelf.h>
#include <string.h>

#include "scripts/script-elf.h"

#define RELOCATIONS_MAX_BYTES (64u << 20)
#define CODE_MAX_BYTES (64u << 20)
#define ENTRIES_MAX 8192
#define NAME_BYTES 128
#define WORD 8

/* Entries as vmStructs.hpp has them. */
#define MEMBER_BYTES 48
#define MEMBER_NAME_AT 8
#define MEMBER_STATIC_AT 24
#define MEMBER_OFFSET_AT 32
#define MEMBER_ADDRESS_AT 40
#define TYPE_BYTES 40
#define TYPE_SIZE_AT 32
#define CONSTANT_BYTES 16
#define CONSTANT_VALUE_AT 8

/* movq $imm, disp(%rip) */
#define STORE "\x48\xc7\x05"
#define STORE_OPCODE_BYTES 3
#define STORE_BYTES 11

struct SptHotspotVm {
	const SptObject *file;
	GHashTable *pointers;		/* address -> what is put there */
	GHashTable *stores;		/* address of an offset -> the offset, and 1 */
	GHashTable *values;		/* name -> value */
	uint64_t members, members_end;
	const char *missing;
};

void spt_hotspot_vm_free(SptHotspotVm *vm)
{
	if (!vm)
		return;
	g_hash_table_unref(vm->pointers);
	g_hash_table_unref(vm->stores);
	g_hash_table_unref(vm->values);
	g_free(vm);
}

static void hotspot_vm_read_section(SptHotspotVm *vm, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = header->sh_type == SHT_RELA ?
				 spt_object_section(vm->file, section, ELF_T_RELA,
						    RELOCATIONS_MAX_BYTES) :
				 NULL;
	size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
	GElf_Rela relocation;

	for (size_t i = 0; i < n && gelf_getrela(data, (int)i, &relocation); i++)
		if (GELF_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE)
			g_hash_table_insert(vm->pointers, GSIZE_TO_POINTER(relocation.r_offset),
					    GSIZE_TO_POINTER(relocation.r_addend));
}

static void hotspot_vm_read_pointers(SptHotspotVm *vm)
{
	Elf *elf = spt_object_elf(vm->file);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header))
			hotspot_vm_read_section(vm, section, &header);
}

/* The pointer at @address; 0: there is none. */
static uint64_t hotspot_vm_pointer(const SptHotspotVm *vm, uint64_t address)
{
	uint64_t word = GPOINTER_TO_SIZE(
		g_hash_table_lookup(vm->pointers, GSIZE_TO_POINTER(address)));

	if (!word && !spt_script_elf_read(vm->file, address, &word, sizeof(word)))
		return 0;
	return word;
}

static bool hotspot_vm_name(const SptHotspotVm *vm, uint64_t address, char to[NAME_BYTES])
{
	uint64_t at = hotspot_vm_pointer(vm, address);

	/* The end of a segment is not near. */
	return at && spt_script_elf_read(vm->file, at, to, NAME_BYTES) &&
	       memchr(to, '\0', NAME_BYTES);
}

/* Where the table to which the variable called @name points is; 0: there is none. */
static uint64_t hotspot_vm_table(const SptHotspotVm *vm, const char *name)
{
	SptScriptSymbol symbol;

	return spt_script_elf_symbol(vm->file, name, &symbol) ?
		       hotspot_vm_pointer(vm, symbol.address) :
		       0;
}

static void hotspot_vm_take_stores(SptHotspotVm *vm, const uint8_t *code, size_t bytes,
				   uint64_t address)
{
	const uint8_t *at = code, *end = code + bytes;

	while ((at = memmem(at, (size_t)(end - at), STORE, STORE_OPCODE_BYTES)) &&
	       end - at >= STORE_BYTES) {
		int32_t numbers[2];
		uint64_t to;

		memcpy(numbers, at + STORE_OPCODE_BYTES, sizeof(numbers));
		to = address + (uint64_t)(at - code) + STORE_BYTES + (uint64_t)(int64_t)numbers[0];
		if (to - vm->members < vm->members_end - vm->members)
			g_hash_table_insert(vm->stores, GSIZE_TO_POINTER(to),
					    GSIZE_TO_POINTER((gsize)(uint32_t)numbers[1] + 1));
		at++;
	}
}

static void hotspot_vm_read_stores(SptHotspotVm *vm)
{
	Elf *elf = spt_object_elf(vm->file);
	GElf_Phdr segment;
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		g_autofree uint8_t *code = NULL;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) || segment.p_filesz > CODE_MAX_BYTES)
			continue;
		code = g_malloc(segment.p_filesz);
		if (spt_script_elf_read(vm->file, segment.p_vaddr, code, segment.p_filesz))
			hotspot_vm_take_stores(vm, code, segment.p_filesz, segment.p_vaddr);
	}
}

static void hotspot_vm_set(SptHotspotVm *vm, char *name, uint64_t value)
{
	/* A small number; false ones are refused by who makes a program of them. */
	g_hash_table_insert(vm->values, name, GINT_TO_POINTER((int32_t)value));
}

static void hotspot_vm_read_member(SptHotspotVm *vm, uint64_t entry)
{
	char type[NAME_BYTES], name[NAME_BYTES];
	uint64_t offset, address = hotspot_vm_pointer(vm, entry + MEMBER_ADDRESS_AT), stored;
	int32_t is_static;

	if (!hotspot_vm_name(vm, entry, type) ||
	    !hotspot_vm_name(vm, entry + MEMBER_NAME_AT, name) ||
	    !spt_script_elf_read(vm->file, entry + MEMBER_STATIC_AT, &is_static,
				 sizeof(is_static)) ||
	    !spt_script_elf_read(vm->file, entry + MEMBER_OFFSET_AT, &offset, sizeof(offset)))
		return;
	stored = GPOINTER_TO_SIZE(
		g_hash_table_lookup(vm->stores, GSIZE_TO_POINTER(entry + MEMBER_OFFSET_AT)));
	if (!is_static && !stored && g_hash_table_size(vm->stores))
		return;
	hotspot_vm_set(vm, g_strconcat(type, "::", name, NULL),
		       is_static ? address : stored ? stored - 1 : offset);
}

static void hotspot_vm_read_size(SptHotspotVm *vm, uint64_t entry)
{
	char name[NAME_BYTES];
	uint64_t bytes;

	if (hotspot_vm_name(vm, entry, name) &&
	    spt_script_elf_read(vm->file, entry + TYPE_SIZE_AT, &bytes, sizeof(bytes)))
		hotspot_vm_set(vm, g_strdup(name), bytes);
}

static void hotspot_vm_read_constant(SptHotspotVm *vm, uint64_t entry)
{
	char name[NAME_BYTES];
	int32_t value;

	if (hotspot_vm_name(vm, entry, name) &&
	    spt_script_elf_read(vm->file, entry + CONSTANT_VALUE_AT, &value, sizeof(value)))
		hotspot_vm_set(vm, g_strdup(name), (uint64_t)value);
}

/* Returns the address behind the table at @table. */
static uint64_t hotspot_vm_read_table(SptHotspotVm *vm, uint64_t table, unsigned bytes,
				      void (*read)(SptHotspotVm *vm, uint64_t entry))
{
	uint64_t entry = table;

	for (unsigned i = 0; entry && i < ENTRIES_MAX && hotspot_vm_pointer(vm, entry); i++) {
		if (read)
			read(vm, entry);
		entry += bytes;
	}
	return entry;
}

SptHotspotVm *spt_hotspot_vm_new(const SptObject *file)
{
	SptHotspotVm *vm = g_new0(SptHotspotVm, 1);

	vm->file = file;
	vm->pointers = g_hash_table_new(NULL, NULL);
	vm->stores = g_hash_table_new(NULL, NULL);
	vm->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	hotspot_vm_read_pointers(vm);
	vm->members = hotspot_vm_table(vm, "gHotSpotVMStructs");
	if (!vm->members) {
		spt_hotspot_vm_free(vm);
		return NULL;
	}
	vm->members_end = hotspot_vm_read_table(vm, vm->members, MEMBER_BYTES, NULL);
	hotspot_vm_read_stores(vm);
	hotspot_vm_read_table(vm, vm->members, MEMBER_BYTES, hotspot_vm_read_member);
	hotspot_vm_read_table(vm, hotspot_vm_table(vm, "gHotSpotVMTypes"), TYPE_BYTES,
			      hotspot_vm_read_size);
	hotspot_vm_read_table(vm, hotspot_vm_table(vm, "gHotSpotVMIntConstants"), CONSTANT_BYTES,
			      hotspot_vm_read_constant);
	return vm;
}

bool spt_hotspot_vm_has(const SptHotspotVm *vm, const char *name)
{
	return g_hash_table_contains(vm->values, name);
}

int32_t spt_hotspot_vm_get(SptHotspotVm *vm, const char *name)
{
	if (!spt_hotspot_vm_has(vm, name) && !vm->missing)
		vm->missing = name;
	return GPOINTER_TO_INT(g_hash_table_lookup(vm->values, name));
}

const char *spt_hotspot_vm_missing(const SptHotspotVm *vm)
{
	return vm->missing;
}
