/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stubs for calls of other objects.  They have no symbols: a stub is recognised by the slot it
 * jumps through, and the slot by the relocation that fills it.  This is true for lazy stubs, stubs
 * that are bound at once, and stubs for IBT.
 */
#include "symbols/dwarf/elf-parts.h"

#include <string.h>

#define TABLE_MAX_BYTES (64ull << 20)
#define X86_JUMP_BYTES 6		/* jmp *displacement(%rip) */

/* One layout of stubs. */
struct machine {
	unsigned number, jump_slot, glob_dat;
	/* The slot through which the stub at @code jumps; 0: it is not a stub. */
	uint64_t (*slot)(const uint8_t *code, unsigned bytes, uint64_t address);
};

static uint32_t read_u32(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

/* jmp *displacement(%rip), somewhere behind endbr64 or bnd. */
static uint64_t slot_x86(const uint8_t *code, unsigned bytes, uint64_t address)
{
	for (unsigned i = 0; i + X86_JUMP_BYTES <= bytes; i++) {
		if (code[i] == 0xff && code[i + 1] == 0x25)
			return address + i + X86_JUMP_BYTES +
			       (uint64_t)(int32_t)read_u32(&code[i + 2]);
	}
	return 0;
}

/* adrp x16, page; ldr x17, [x16, offset]; perhaps behind bti c. */
static uint64_t slot_arm64(const uint8_t *code, unsigned bytes, uint64_t address)
{
	for (unsigned i = 0; i + 8 <= bytes; i += 4) {
		uint32_t adrp = read_u32(&code[i]), ldr = read_u32(&code[i + 4]);
		uint64_t pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pages = (pages ^ 1u << 20) - (1u << 20);
		return ((address + i) & ~0xfffull) + (pages << 12) + ((ldr >> 10 & 0xfff) << 3);
	}
	return 0;
}

static const struct machine machines[] = {
	{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, slot_x86 },
	{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, slot_arm64 },
};

static const struct machine *machine_of(const SptObject *object)
{
	GElf_Ehdr header;

	for (unsigned i = 0;
	     gelf_getehdr(spt_object_elf(object), &header) && i < G_N_ELEMENTS(machines); i++) {
		if (header.e_machine == machines[i].number &&
		    header.e_ident[EI_CLASS] == ELFCLASS64 &&
		    header.e_ident[EI_DATA] == ELFDATA2LSB)
			return &machines[i];
	}
	return NULL;
}

/*
 * Adds slot -> number in .dynsym for each slot that section @name fills with a function's address.
 */
static void add_slots(GHashTable *slots, const SptObject *object, const struct machine *machine,
		      const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = spt_elf_section(object, name, &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_RELA ?
				 spt_object_section(object, scn, ELF_T_RELA, TABLE_MAX_BYTES) :
				 NULL;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		unsigned type = GELF_R_TYPE(rela.r_info);

		if (type == machine->jump_slot || type == machine->glob_dat)
			g_hash_table_insert(slots, GSIZE_TO_POINTER(rela.r_offset),
					    GSIZE_TO_POINTER(GELF_R_SYM(rela.r_info)));
	}
}

struct names {
	Elf_Data *symbols, *strings;
};

/* NULL, or a name that ends within its table. */
static const char *plt_name_of(const struct names *names, size_t number)
{
	GElf_Sym symbol;

	if (number == 0 || number > INT_MAX || !gelf_getsym(names->symbols, (int)number, &symbol) ||
	    symbol.st_name >= names->strings->d_size)
		return NULL;

	const char *name = (const char *)names->strings->d_buf + symbol.st_name;

	return *name && memchr(name, '\0', names->strings->d_size - symbol.st_name) ? name : NULL;
}

static void plt_add_stubs(GArray *entries, const SptObject *object, const struct machine *machine,
			  const char *section, GHashTable *slots, const struct names *names)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = spt_elf_section(object, section, &shdr);
	Elf_Data *data = scn ? spt_object_section(object, scn, ELF_T_BYTE, TABLE_MAX_BYTES) : NULL;
	unsigned bytes = strcmp(section, ".plt.got") == 0 && machine->number == EM_X86_64 &&
					 shdr.sh_entsize == 8 ?
				 8 :
				 16;

	for (size_t at = 0; data && at + bytes <= data->d_size; at += bytes) {
		SptPltEntry entry = { .address = shdr.sh_addr + at, .bytes = bytes };
		uint64_t slot =
			machine->slot((const uint8_t *)data->d_buf + at, bytes, entry.address);

		entry.name = slot ? plt_name_of(names, GPOINTER_TO_SIZE(g_hash_table_lookup(
							       slots, GSIZE_TO_POINTER(slot)))) :
				    NULL;
		if (entry.name)
			g_array_append_val(entries, entry);
	}
}

GArray *spt_plt_entries(const SptObject *object)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(SptPltEntry));
	g_autoptr(GHashTable) slots = g_hash_table_new(NULL, NULL);
	const struct machine *machine = machine_of(object);
	GElf_Shdr shdr;
	Elf_Scn *scn = machine ? spt_elf_section(object, ".dynsym", &shdr) : NULL;
	struct names names = { NULL, NULL };

	if (scn) {
		names.symbols = spt_object_section(object, scn, ELF_T_SYM, TABLE_MAX_BYTES);
		scn = elf_getscn(spt_object_elf(object), shdr.sh_link);
		names.strings =
			scn ? spt_object_section(object, scn, ELF_T_BYTE, TABLE_MAX_BYTES) : NULL;
	}
	if (!names.symbols || !names.strings)
		return entries;
	add_slots(slots, object, machine, ".rela.plt");
	add_slots(slots, object, machine, ".rela.dyn");
	for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++)
		plt_add_stubs(entries, object, machine, sections[i], slots, &names);
	return entries;
}
