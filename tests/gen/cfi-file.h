/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes ELF files in memory that have call frame information and no code. */
#ifndef SPT_TESTS_CFI_FILE_H
#define SPT_TESTS_CFI_FILE_H

#include <dwarf.h>
#include <elf.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where its code would be. */
#define CFI_TEXT_OFFSET 0x1000
#define CFI_TEXT_ADDRESS 0x401000
#define CFI_TEXT_BYTES 0x10000
#define CFI_FRAME_ADDRESS 0x500000

struct cfi_function {
	uint32_t start, bytes;		/* from CFI_TEXT_* */
	const char *augmentation;	/* of its CIE: "zR" or "zRS" */
	const char *code;		/* its instructions */
	size_t n;
};

/* Instructions as a string: "\x0e\x10" and the like, which may have zeros in it. */
#define CFI(start, bytes, augmentation, code) { start, bytes, augmentation, code, sizeof(code) - 1 }

static inline void cfi_put(GByteArray *to, uint64_t value, unsigned n)
{
	value = GUINT64_TO_LE(value);
	g_byte_array_append(to, (const uint8_t *)&value, n);
}

/* Fills up to a multiple of 8 and writes the length in front of an entry. */
static inline void cfi_end_entry(GByteArray *to, guint at)
{
	while ((to->len - at) % 8)
		cfi_put(to, DW_CFA_nop, 1);
	uint32_t length = GUINT32_TO_LE(to->len - at - 4);
	memcpy(to->data + at, &length, 4);
}

/* One CIE and FDE for each function. */
static inline GByteArray *cfi_section(unsigned machine, const struct cfi_function *functions,
				      unsigned n, bool is_debug)
{
	/* def_cfa sp 8, ra at CFA - 8; or def_cfa sp 0. */
	static const uint8_t x86[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 },
			     arm64[] = { DW_CFA_def_cfa, 31, 0 };
	GByteArray *to = g_byte_array_new();

	for (unsigned i = 0; i < n; i++) {
		const struct cfi_function *function = &functions[i];
		guint cie = to->len, fde;

		cfi_put(to, 0, 4);
		cfi_put(to, is_debug ? UINT32_MAX : 0, 4);
		cfi_put(to, 1, 1);
		g_byte_array_append(to, (const uint8_t *)(is_debug ? "" : function->augmentation),
				    is_debug ? 1 : strlen(function->augmentation) + 1);
		cfi_put(to, machine == EM_X86_64 ? 1 : 4, 1);	/* code alignment */
		cfi_put(to, 0x78, 1);				/* data: -8 */
		cfi_put(to, machine == EM_X86_64 ? 16 : 30, 1);	/* return address */
		if (!is_debug) {
			cfi_put(to, 1, 1);
			cfi_put(to, DW_EH_PE_pcrel | DW_EH_PE_sdata4, 1);
		}
		if (machine == EM_X86_64)
			g_byte_array_append(to, x86, sizeof(x86));
		else
			g_byte_array_append(to, arm64, sizeof(arm64));
		cfi_end_entry(to, cie);
		fde = to->len;
		cfi_put(to, 0, 4);
		cfi_put(to, is_debug ? cie : to->len - cie, 4);
		if (is_debug) {
			cfi_put(to, CFI_TEXT_ADDRESS + function->start, 8);
			cfi_put(to, function->bytes, 8);
		} else {
			cfi_put(to,
				CFI_TEXT_ADDRESS + function->start - (CFI_FRAME_ADDRESS + to->len),
				4);
			cfi_put(to, function->bytes, 4);
			cfi_put(to, 0, 1);
		}
		g_byte_array_append(to, (const uint8_t *)function->code, function->n);
		cfi_end_entry(to, fde);
	}
	return to;
}

/* The file, with its information in .eh_frame or in .debug_frame. */
static inline GBytes *cfi_file(unsigned machine, const struct cfi_function *functions, unsigned n,
			       bool is_debug)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab\0.zdebug_frame";
	g_autoptr(GByteArray) section = cfi_section(machine, functions, n, is_debug);
	GByteArray *to = g_byte_array_new();
	uint64_t section_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
		 names_at = section_at + section->len;
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
		.e_shoff = names_at + 56,
	};
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_offset = CFI_TEXT_OFFSET,
			    .p_vaddr = CFI_TEXT_ADDRESS,
			    .p_filesz = CFI_TEXT_BYTES,
			    .p_memsz = CFI_TEXT_BYTES };
	Elf64_Shdr headers[3] = {
		{ 0 },
		{ .sh_name = is_debug ? 11 : 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_addr = is_debug ? 0 : CFI_FRAME_ADDRESS,
		  .sh_offset = section_at,
		  .sh_size = section->len },
		{ .sh_name = 24,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = names_at,
		  .sh_size = sizeof(names) },
	};

	G_STATIC_ASSERT(sizeof(names) <= 56);
	g_byte_array_append(to, (const uint8_t *)&header, sizeof(header));
	g_byte_array_append(to, (const uint8_t *)&load, sizeof(load));
	g_byte_array_append(to, section->data, section->len);
	g_byte_array_append(to, (const uint8_t *)names, sizeof(names));
	while (to->len < header.e_shoff)
		cfi_put(to, 0, 1);
	g_byte_array_append(to, (const uint8_t *)headers, sizeof(headers));
	return g_byte_array_free_to_bytes(to);
}

/* Functions as they are found in programs, on x86-64. */
static const struct cfi_function cfi_x86[] = {
	/*
	 * 0x000: push rbp; mov rsp, rbp; ... pop rbp; ret, and below it the slow path after
	 * remember_state
	 */
	CFI(0x000, 0x100, "zR",
	    "\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x80\x0a\xc6\x0c\x07\x08\x41\x0b"),
	/* 0x100: two registers saved, 0x40 bytes of locals */
	CFI(0x100, 0x80, "zR", "\x41\x0e\x10\x8c\x02\x41\x0e\x18\x83\x03\x44\x0e\x58"),
	/* 0x200: a PLT of 16 entries: at 0x200 the first one, then those of 16 bytes */
	CFI(0x200, 0x100, "zR",
	    "\x0e\x10\x46\x0e\x18\x4a\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"),
	/* 0x300: realigns its stack: CFA and rbx are found from rbp, which is at rbp */
	CFI(0x300, 0x80, "zR", "\x48\x10\x06\x02\x76\x00\x10\x03\x02\x76\x78\x0f\x03\x76\x70\x06"),
	/* 0x3ff: the way back from a signal handler, beginning one byte before it */
	CFI(0x3ff, 0x10, "zRS", "\x0f\x04\x77\xa0\x01\x06\x10\x10\x03\x77\xa8\x01"),
	/* 0x500: where threads start */
	CFI(0x500, 0x40, "zR", "\x07\x10"),
	/* 0x580: an expression that nobody writes */
	CFI(0x580, 0x20, "zR", "\x0f\x02\x9c\x06"),
	/* 0x0f0: overlaps the first one */
	CFI(0x0f0, 0x10, "zR", "\x0e\x20"),
	/* 0x600: not to be understood behind its first byte */
	CFI(0x600, 0x20, "zR", "\x41\x3f\x41\x0e\x10"),
	/* 0x640: its CFA is the word at rsp + 8, + 16 */
	CFI(0x640, 0x20, "zR", "\x0f\x05\x77\x08\x06\x23\x10"),
	/* 0x660: the word at rsp + 8 + 8 * r9, + 8 */
	CFI(0x660, 0x20, "zR", "\x0f\x0a\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08"),
	/* 0x6c0: has taken its return address from the stack, into rdi */
	CFI(0x6c0, 0x20, "zR", "\x0e\x00\x09\x10\x05"),
	/* 0x680: keeps rbx in a register, and r12 too far away */
	CFI(0x680, 0x20, "zR", "\x09\x03\x00\x8c\x80\x80\x80\x01"),
};

/* And on AArch64. */
static const struct cfi_function cfi_arm64[] = {
	/*
	 * 0x000: stp x29, x30, [sp, -32]!; mov x29, sp; str x19, [sp, 16], with a signed return
	 * address
	 */
	CFI(0x000, 0x40, "zR", "\x41\x2d\x41\x0e\x20\x9d\x04\x9e\x03\x42\x93\x02\x41\x0d\x1d"),
	/* 0x100: a leaf */
	CFI(0x100, 0x40, "zR", ""),
	/* 0x200: a signal's way back */
	CFI(0x1fc, 0x10, "zRS", ""),
	CFI(0x300, 0x10, "zR", "\x07\x1e"),
};

#endif
