/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-elf DIR: writes small ELF files with known functions, whose places in the file and in memory
 * have nothing in common.
 *
 *	whole			.symtab and a build-id
 *	stripped		the same build-id, no symbols; debug/.build-id/ab/....debug has them
 *	linked			no build-id, .gnu_debuglink to .debug/linked.debug
 *	badlink			the same, but the CRC is another
 *	mini			no build-id, symbols packed into .gnu_debugdata
 *	badmini			the same, but damaged
 *	otherid			stripped, and below debug/.build-id/ lies a file of another build-id at its place
 *	bare			no symbols anywhere
 *	anonymous		.symtab, no build-id
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTE_OFFSET 0x100
#define LINK_OFFSET 0x140
#define TEXT_OFFSET 0x1080
#define TEXT_ADDRESS 0x203080
#define TEXT_BYTES 0x1000
#define DATA_ADDRESS 0x404000
#define SYMTAB_OFFSET 0x3000
#define SHDR_OFFSET 0x6000

enum { NOTE = 1, LINK, TEXT, DATA, SYMTAB, STRTAB, SHSTRTAB };	/* sections */

struct spec {
	const char *path;
	uint8_t build_id_first;		/* of 20 bytes; 0: none */
	const char *link;
	uint32_t link_crc;
	const uint8_t *packed;		/* instead of the link: .gnu_debugdata */
	size_t packed_bytes;
	bool has_symbols, is_debug;
};

static const struct {
	const char *name;
	uint64_t offset, bytes;		/* in .text */
	uint8_t bind, type, section;
} symbols[] = {
	{ "file.c", 0, 0, STB_LOCAL, STT_FILE, 0 },
	{ "local_alias", 0x100, 0x40, STB_LOCAL, STT_FUNC, TEXT },
	{ "$x", 0x100, 0, STB_LOCAL, STT_NOTYPE, TEXT },
	{ "label_in_main", 0x20, 0, STB_LOCAL, STT_NOTYPE, TEXT },
	{ "assembly", 0x300, 0, STB_LOCAL, STT_NOTYPE, TEXT },
	{ ".Lhidden", 0x310, 0, STB_LOCAL, STT_NOTYPE, TEXT },
	{ "main", 0, 0x80, STB_GLOBAL, STT_FUNC, TEXT },
	{ "__global_alias", 0x100, 0x40, STB_GLOBAL, STT_FUNC, TEXT },
	{ "_global_b", 0x100, 0x40, STB_GLOBAL, STT_FUNC, TEXT },
	{ "_a_global_longer", 0x100, 0x40, STB_GLOBAL, STT_FUNC, TEXT },
	{ "_global_a", 0x100, 0x40, STB_GLOBAL, STT_FUNC, TEXT },
	{ "a_weak_alias", 0x100, 0x40, STB_WEAK, STT_FUNC, TEXT },
	{ "aaa_label", 0x100, 0, STB_GLOBAL, STT_NOTYPE, TEXT },
	{ "_ZN5outer5innerEiPKc", 0x200, 0x80, STB_GLOBAL, STT_FUNC, TEXT },
	{ "chosen", 0x400, 0x40, STB_GLOBAL, STT_GNU_IFUNC, TEXT },
	{ "versioned@@V_1.0", 0x480, 0x40, STB_GLOBAL, STT_FUNC, TEXT },
	{ "wide", 0x500, 0x100, STB_GLOBAL, STT_FUNC, TEXT },
	{ "nested", 0x540, 0x20, STB_GLOBAL, STT_FUNC, TEXT },
	{ "data_object", 0, 0x10, STB_GLOBAL, STT_OBJECT, DATA },
	{ "data_label", 0, 0, STB_GLOBAL, STT_NOTYPE, DATA },
	{ "undefined", 0, 0, STB_GLOBAL, STT_FUNC, 0 },
	{ "end_of_text", TEXT_BYTES, 0, STB_GLOBAL, STT_NOTYPE, TEXT },
	{ "last_assembly", 0xf00, 0, STB_GLOBAL, STT_NOTYPE, TEXT },
};

static const char section_names[] =
	"\0.note.gnu.build-id\0.gnu_debuglink\0.gnu_debugdata\0.text\0.data\0.symtab\0.strtab\0.shstrtab";

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "gen-elf: cannot %s: %s\n", what, elf_errmsg(-1));
	exit(1);
}

static void add_section(Elf *elf, const char *name, GElf_Shdr header, Elf_Type type,
			const void *bytes)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);
	const char *at = memmem(section_names, sizeof(section_names), name, strlen(name) + 1);

	data->d_type = type;
	data->d_size = header.sh_size;
	data->d_buf = (void *)bytes;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	header.sh_name = at - section_names;
	header.sh_addralign = 1;
	check(gelf_update_shdr(scn, &header), "lay out a section");
}

static void add_program_headers(Elf *elf, const struct spec *spec)
{
	GElf_Phdr load = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = TEXT_OFFSET,
		.p_vaddr = TEXT_ADDRESS,
		.p_filesz = TEXT_BYTES,
		.p_memsz = TEXT_BYTES,
		.p_align = 0x1000,
	};
	GElf_Phdr note = { .p_type = PT_NOTE,
			   .p_flags = PF_R,
			   .p_offset = NOTE_OFFSET,
			   .p_filesz = 36,
			   .p_align = 4 };

	check(gelf_newphdr(elf, 2), "add program headers");
	if (!spec->build_id_first)
		note.p_type = PT_NULL;
	/* As objcopy leaves it: a debug file's segments lead nowhere. */
	if (spec->is_debug)
		load.p_filesz = load.p_offset = 0;
	check(gelf_update_phdr(elf, 0, &load) && gelf_update_phdr(elf, 1, &note),
	      "write program headers");
}

static void write_elf(const struct spec *spec)
{
	static uint8_t text[TEXT_BYTES];
	Elf64_Sym table[G_N_ELEMENTS(symbols) + 1] = { 0 };
	g_autoptr(GString) strings = g_string_new_len("", 1);
	uint8_t note[36] = { 4,
			     0,
			     0,
			     0,
			     20,
			     0,
			     0,
			     0,
			     NT_GNU_BUILD_ID,
			     0,
			     0,
			     0,
			     'G',
			     'N',
			     'U',
			     0,
			     spec->build_id_first };
	uint8_t link[TEXT_OFFSET - LINK_OFFSET] = { 0 };
	size_t link_bytes = 0;
	GElf_Ehdr header = { .e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_shstrndx = SHSTRTAB };
	int fd = open(spec->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;

	check(elf != NULL, spec->path);
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	for (unsigned i = 0; i < G_N_ELEMENTS(symbols); i++) {
		uint64_t base = symbols[i].section == TEXT ? TEXT_ADDRESS :
				symbols[i].section == DATA ? DATA_ADDRESS :
							     0;

		table[i + 1] = (Elf64_Sym){ strings->len,
					    ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
					    0,
					    symbols[i].section,
					    base + symbols[i].offset,
					    symbols[i].bytes };
		g_string_append_len(strings, symbols[i].name, strlen(symbols[i].name) + 1);
	}
	for (unsigned i = 1; i < 20; i++)
		note[16 + i] = i * 7;
	if (spec->link) {
		memcpy(link, spec->link, strlen(spec->link));
		link_bytes = (strlen(spec->link) / 4 + 1) * 4 + 4;
		for (unsigned i = 0; i < 4; i++)
			link[link_bytes - 4 + i] = spec->link_crc >> (8 * i);
	} else if (spec->packed) {
		check(spec->packed_bytes <= sizeof(link), "pack symbols into so little room");
		memcpy(link, spec->packed, spec->packed_bytes);
		link_bytes = spec->packed_bytes;
	}

	check(gelf_newehdr(elf, ELFCLASS64), "add a header");
	header.e_shoff = SHDR_OFFSET;
	header.e_phoff = sizeof(Elf64_Ehdr);
	memcpy(header.e_ident, ELFMAG "\2\1\1", EI_OSABI);
	check(gelf_update_ehdr(elf, &header), "write the header");
	add_program_headers(elf, spec);

	add_section(elf, ".note.gnu.build-id",
		    (GElf_Shdr){
			    .sh_type = spec->build_id_first ? SHT_NOTE : SHT_PROGBITS,
			    .sh_offset = NOTE_OFFSET,
			    .sh_size = sizeof(note),
		    },
		    ELF_T_BYTE, note);
	add_section(elf, spec->packed ? ".gnu_debugdata" : ".gnu_debuglink", (GElf_Shdr){
		.sh_type = SHT_PROGBITS, .sh_offset = LINK_OFFSET, .sh_size = link_bytes,
	}, ELF_T_BYTE, link);
	add_section(elf, ".text",
		    (GElf_Shdr){
			    .sh_type = spec->is_debug ? SHT_NOBITS : SHT_PROGBITS,
			    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			    .sh_addr = TEXT_ADDRESS,
			    .sh_offset = TEXT_OFFSET,
			    .sh_size = TEXT_BYTES,
		    },
		    ELF_T_BYTE, text);
	add_section(elf, ".data",
		    (GElf_Shdr){
			    .sh_type = SHT_NOBITS,
			    .sh_flags = SHF_ALLOC | SHF_WRITE,
			    .sh_addr = DATA_ADDRESS,
			    .sh_offset = SYMTAB_OFFSET,
			    .sh_size = 0x100,
		    },
		    ELF_T_BYTE, NULL);
	add_section(elf, ".symtab",
		    (GElf_Shdr){
			    .sh_type = spec->has_symbols ? SHT_SYMTAB : SHT_PROGBITS,
			    .sh_offset = SYMTAB_OFFSET,
			    .sh_link = STRTAB,
			    .sh_size = sizeof(table),
			    .sh_entsize = sizeof(Elf64_Sym),
			    .sh_info = 7,
		    },
		    ELF_T_SYM, table);
	add_section(elf, ".strtab",
		    (GElf_Shdr){
			    .sh_type = SHT_STRTAB,
			    .sh_offset = SYMTAB_OFFSET + sizeof(table),
			    .sh_size = strings->len,
		    },
		    ELF_T_BYTE, strings->str);
	add_section(elf, ".shstrtab", (GElf_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = SYMTAB_OFFSET + sizeof(table) + strings->len,
		.sh_size = sizeof(section_names),
	}, ELF_T_BYTE, section_names);
	check(elf_update(elf, ELF_C_WRITE) > 0, spec->path);
	elf_end(elf);
	close(fd);
}

/* Bit by bit, so that it shares nothing with the library's. */
static uint32_t crc_of(const char *path)
{
	g_autofree char *bytes = NULL;
	uint32_t crc = ~0u;
	gsize n = 0;

	check(g_file_get_contents(path, &bytes, &n, NULL), path);
	for (gsize i = 0; i < n * 8; i++) {
		uint32_t bit = ((uint8_t)bytes[i / 8] >> (i % 8) ^ crc) & 1;

		crc = crc >> 1 ^ (bit ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* Two files with the symbols of the third packed into them, one of them badly. */
static void write_packed(const char *path)
{
	g_autofree char *bytes = NULL;
	uint8_t packed[TEXT_OFFSET - LINK_OFFSET];
	size_t packed_bytes = 0;
	gsize n = 0;

	check(g_file_get_contents(path, &bytes, &n, NULL), path);
	check(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (uint8_t *)bytes, n, packed,
				      &packed_bytes, sizeof(packed)) == LZMA_OK,
	      "pack symbols");
	write_elf(&(struct spec){ .path = "mini", .packed = packed, .packed_bytes = packed_bytes });
	packed[packed_bytes / 2] ^= 0x55;
	write_elf(&(struct spec){
		.path = "badmini", .packed = packed, .packed_bytes = packed_bytes });
}

/* Where the debug file of build-id FIRST 07 0e ... belongs. */
static char *debug_path(uint8_t first)
{
	GString *path = g_string_new(NULL);

	g_string_printf(path, "debug/.build-id/%02x", first);
	g_mkdir_with_parents(path->str, 0755);
	g_string_append_c(path, '/');
	for (unsigned i = 1; i < 20; i++)
		g_string_append_printf(path, "%02x", i * 7);
	g_string_append(path, ".debug");
	return g_string_free(path, FALSE);
}

int main(int argc, char **argv)
{
	g_autofree char *stripped_debug = NULL;
	g_autofree char *other_debug = NULL;
	uint32_t crc;

	elf_version(EV_CURRENT);
	if (argc != 2 || g_mkdir_with_parents(argv[1], 0755) != 0 || chdir(argv[1]) != 0) {
		fprintf(stderr, "Usage: gen-elf DIR (a directory that can be made)\n");
		return 2;
	}
	g_mkdir_with_parents(".debug", 0755);
	stripped_debug = debug_path(0xab);
	other_debug = debug_path(0xcd);
	write_elf(&(struct spec){ .path = "whole", .build_id_first = 0xab, .has_symbols = true });
	write_elf(&(struct spec){ .path = "stripped", .build_id_first = 0xab });
	write_elf(&(struct spec){ .path = stripped_debug,
				  .build_id_first = 0xab,
				  .has_symbols = true,
				  .is_debug = true });
	write_elf(&(struct spec){
		.path = ".debug/linked.debug", .has_symbols = true, .is_debug = true });
	crc = crc_of(".debug/linked.debug");
	write_elf(&(struct spec){ .path = "linked", .link = "linked.debug", .link_crc = crc });
	write_elf(&(struct spec){ .path = "badlink", .link = "linked.debug", .link_crc = crc + 1 });
	write_packed(".debug/linked.debug");
	write_elf(&(struct spec){ .path = "otherid", .build_id_first = 0xcd });
	write_elf(&(struct spec){ .path = other_debug,
				  .build_id_first = 0xce,
				  .has_symbols = true,
				  .is_debug = true });
	write_elf(&(struct spec){ .path = "bare" });
	write_elf(&(struct spec){ .path = "anonymous", .has_symbols = true });
	return 0;
}
