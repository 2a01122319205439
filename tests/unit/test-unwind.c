/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables from call frame information, and stacks by tables, with known answers. */
#include "unwind/stepper.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "../gen/cfi-file.h"

#define BASE 0x7f0000000000ULL		/* the object's code lies there */
#define SP 0x7ffe00001000ULL
#define WORDS 256
#define NOWHERE 0x1234567ULL

struct fixture {
	SptUnwindTable *table;
	SptUnwinder *unwinder;
	struct sysprof_raw *raw;
	uint64_t *stack;
	SptUnwindFrame frames[16];
	SptUnwindEnd end;
	unsigned n, asked;
};

/* The space's number is where its code lies; what lies 1 MiB further on has no table. */
static bool find(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	struct fixture *fixture = data;

	fixture->asked++;
	if (address - space < CFI_TEXT_BYTES)
		*ret = (SptUnwindPlace){ .table = fixture->table,
					 .offset = CFI_TEXT_OFFSET + address - space };
	return address - space < 1 << 21;
}

static SptUnwindTable *table_of(GBytes *bytes)
{
	g_autoptr(SptObject) object = spt_object_open_bytes(bytes, "test", NULL);
	g_autoptr(GError) error = NULL;
	SptUnwindTable *table = spt_unwind_table_new(object, &error);

	g_assert_no_error(error);
	return table;
}

static void set_up(struct fixture *fixture, unsigned machine)
{
	bool is_x86 = machine == EM_X86_64;
	g_autoptr(GBytes) bytes =
		is_x86 ? cfi_file(machine, cfi_x86, G_N_ELEMENTS(cfi_x86), false) :
			 cfi_file(machine, cfi_arm64, G_N_ELEMENTS(cfi_arm64), false);
	unsigned n_regs = is_x86 ? 24 : 33;

	fixture->table = table_of(bytes);
	fixture->unwinder = spt_unwinder_new(find, fixture);
	fixture->raw = g_malloc0(sizeof(*fixture->raw) + (n_regs + WORDS) * 8);
	fixture->raw->arch = machine;
	fixture->raw->n_regs = n_regs;
	fixture->raw->stack_bytes = WORDS * 8;
	fixture->raw->wanted_bytes = WORDS * 16;
	fixture->raw->regs[is_x86 ? 7 : 31] = SP;
	fixture->stack = (uint64_t *)&fixture->raw->regs[n_regs];
}

static void set_up_x86(struct fixture *fixture, const void *data)
{
	(void)data;
	set_up(fixture, EM_X86_64);
}

static void set_up_arm64(struct fixture *fixture, const void *data)
{
	(void)data;
	set_up(fixture, EM_AARCH64);
}

static void tear_down(struct fixture *fixture, const void *data)
{
	(void)data;
	spt_unwinder_free(fixture->unwinder);
	spt_unwind_table_unref(fixture->table);
	g_free(fixture->raw);
}

static void walk(struct fixture *fixture, uint64_t offset)
{
	fixture->raw->regs[fixture->raw->arch == EM_X86_64 ? 8 : 32] = BASE + offset;
	g_assert_true(spt_unwind_raw_is_whole(fixture->raw, sizeof(*fixture->raw) +
								    fixture->raw->n_regs * 8 +
								    fixture->raw->stack_bytes));
	fixture->n = spt_unwinder_walk(fixture->unwinder, BASE, fixture->raw, fixture->frames,
				       G_N_ELEMENTS(fixture->frames), &fixture->end);
}

/* Callers, by their offsets; and the end. */
static void expect_callers(struct fixture *fixture, SptUnwindEnd end, unsigned n,
			   const uint64_t *offsets)
{
	g_assert_cmpuint(fixture->n, ==, n + 1);
	for (unsigned i = 0; i < n; i++)
		g_assert_cmphex(fixture->frames[i + 1].ip - BASE, ==, offsets[i]);
	g_assert_cmpint(fixture->end, ==, end);
}

#define expect(fixture, end, ...)                                                                  \
	expect_callers(fixture, end, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,                      \
		       (uint64_t[]){ __VA_ARGS__ })

/* Tables. */

static const SptUnwindRule *rule_at(struct fixture *fixture, uint64_t offset)
{
	return spt_unwind_table_find(fixture->table, CFI_TEXT_OFFSET + offset);
}

static void test_rules(struct fixture *fixture, const void *data)
{
	const SptUnwindRule *rule = rule_at(fixture, 0);

	(void)data;
	g_assert_cmpint(rule->cfa, ==, SYSPROF_CFA_REGISTER);
	g_assert_cmpint(rule->cfa_offset, ==, 8);
	g_assert_cmpint(rule->ra_offset, ==, -8);
	rule = rule_at(fixture, 4);
	g_assert_cmpint(rule->cfa_register, ==, 6);
	g_assert_cmpint(rule->cfa_offset, ==, 16);
	g_assert_cmpint(rule->at_cfa, ==, 1 << 1);
	g_assert_cmpint(rule->saved[1], ==, -2);
	/* Back to what it was, and forth again. */
	g_assert_cmpint(rule_at(fixture, 0x84)->cfa_register, ==, 7);
	g_assert_cmpint(rule_at(fixture, 0x84)->at_cfa, ==, 0);
	g_assert_true(rule_at(fixture, 0x85) == rule);
	g_assert_true(rule_at(fixture, 0xff) == rule);
	g_assert_cmpint(rule_at(fixture, 0x210)->cfa, ==, SYSPROF_CFA_PLT);
	g_assert_cmpint(rule_at(fixture, 0x210)->plt_from, ==, 11);
	g_assert_cmpint(rule_at(fixture, 0x308)->cfa, ==, SYSPROF_CFA_MEMORY);
	g_assert_cmpint(rule_at(fixture, 0x308)->at_fp, ==, 1 << 0 | 1 << 1);
	g_assert_cmpint(rule_at(fixture, 0x3ff)->cfa, ==, SYSPROF_CFA_SIGNAL);
	g_assert_cmpint(rule_at(fixture, 0x500)->ra, ==, SYSPROF_RA_NONE);
	g_assert_cmpint(rule_at(fixture, 0x644)->cfa_add, ==, 16);
	g_assert_cmpint(rule_at(fixture, 0x664)->cfa, ==, SYSPROF_CFA_INDEXED);
	g_assert_cmpint(rule_at(fixture, 0x664)->index_register, ==, 9);
	g_assert_cmpint(rule_at(fixture, 0x680)->lost, ==, 1 << 0 | 1 << 2);
	/*
	 * Nothing is known between functions, of what is not understood, and before and behind all
	 * of it.
	 */
	g_assert_cmpint(rule_at(fixture, 0x100 - 1)->cfa, !=, SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(rule_at(fixture, 0x180)->cfa, ==, SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(rule_at(fixture, 0x580)->cfa, ==, SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(rule_at(fixture, 0x600)->cfa, ==, SYSPROF_CFA_REGISTER);
	g_assert_cmpint(rule_at(fixture, 0x602)->cfa, ==, SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(rule_at(fixture, 0x6a0)->cfa, ==, SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(spt_unwind_table_find(fixture->table, 0)->cfa, ==, SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(spt_unwind_table_find(fixture->table, UINT64_MAX)->cfa, ==,
			SYSPROF_CFA_UNKNOWN);
}

/* The same rules from the other section. */
static void test_debug_frame(struct fixture *fixture, const void *data)
{
	g_autoptr(GBytes) bytes = cfi_file(EM_X86_64, cfi_x86, G_N_ELEMENTS(cfi_x86), true);
	g_autoptr(SptUnwindTable) table = table_of(bytes);

	(void)data;
	for (uint64_t at = 0; at < 0x3ff; at++)
		g_assert_cmpmem(spt_unwind_table_find(table, CFI_TEXT_OFFSET + at),
				sizeof(SptUnwindRule), rule_at(fixture, at), sizeof(SptUnwindRule));
}

/*
 * What the object says of a function comes before what its debug file says; of others that is all
 * there is.
 */
static void test_debug_file(void)
{
	static const struct cfi_function own[] = { CFI(0x100, 0x80, "zR", "\x41\x0e\x10") };
	static const struct cfi_function debugs[] = { CFI(0x100, 0x80, "zR", "\x41\x0e\x20"),
						      CFI(0x200, 0x80, "zR", "\x41\x0e\x30") };
	g_autoptr(GBytes) bytes = cfi_file(EM_X86_64, own, G_N_ELEMENTS(own), false);
	g_autoptr(GBytes) debug_bytes = cfi_file(EM_X86_64, debugs, G_N_ELEMENTS(debugs), true);
	g_autoptr(SptObject) object = spt_object_open_bytes(bytes, "object", NULL),
			     debug = spt_object_open_bytes(debug_bytes, "debug", NULL);
	g_autoptr(SptUnwindTable) without = spt_unwind_table_new(object, NULL),
				  with = spt_unwind_table_new_with_debug(object, debug, NULL);

	g_assert_cmpint(spt_unwind_table_find(with, CFI_TEXT_OFFSET + 0x110)->cfa_offset, ==, 0x10);
	g_assert_cmpint(spt_unwind_table_find(without, CFI_TEXT_OFFSET + 0x210)->cfa, ==,
			SYSPROF_CFA_UNKNOWN);
	g_assert_cmpint(spt_unwind_table_find(with, CFI_TEXT_OFFSET + 0x210)->cfa_offset, ==, 0x30);
	g_assert_cmpint(spt_unwind_table_find(with, CFI_TEXT_OFFSET + 0x280)->cfa, ==,
			SYSPROF_CFA_UNKNOWN);
}

/* The same rules from a section that is packed, in both ways. */
static void test_packed(void)
{
	g_autoptr(GBytes) bytes = cfi_file(EM_X86_64, cfi_x86, G_N_ELEMENTS(cfi_x86), true);
	g_autoptr(SptUnwindTable) plain = table_of(bytes);

	elf_version(EV_CURRENT);
	for (unsigned way = 0; way < 2; way++) {
		g_autofree char *path = NULL;
		int fd = g_file_open_tmp(NULL, &path, NULL);
		gsize n;
		const void *data = g_bytes_get_data(bytes, &n);
		Elf *elf;
		Elf_Scn *scn;
		GElf_Shdr shdr;

		g_assert_cmpint(write(fd, data, n), ==, n);
		elf = elf_begin(fd, ELF_C_RDWR, NULL);
		scn = elf_getscn(elf, 1);
		if (way == 0) {
			g_assert_cmpint(elf_compress(scn, ELFCOMPRESS_ZLIB, ELF_CHF_FORCE), ==, 1);
		} else {
			g_assert_cmpint(elf_compress_gnu(scn, 1, ELF_CHF_FORCE), ==, 1);
			g_assert_nonnull(gelf_getshdr(scn, &shdr));
			/* Behind all other names. */
			shdr.sh_name = 34;
			g_assert_cmpint(gelf_update_shdr(scn, &shdr), !=, 0);
		}
		g_assert_cmpint(elf_update(elf, ELF_C_WRITE), >, 0);
		elf_end(elf);
		g_autoptr(SptObject) object = spt_object_open_fd(fd, path, NULL);
		g_autoptr(SptUnwindTable) table = spt_unwind_table_new(object, NULL);

		g_assert_nonnull(table);
		g_assert_true(g_bytes_equal(spt_unwind_table_bytes(table),
					    spt_unwind_table_bytes(plain)));
		unlink(path);
	}
}

static bool is_start(const SptUnwindTable *table, uint64_t offset)
{
	uint32_t n;
	const uint32_t *starts = spt_unwind_table_starts(table, &n);

	for (uint32_t i = 0; i < n; i++)
		if (starts[i] == offset)
			return true;
	return false;
}

/*
 * Neighbours of the same rule are two functions; of what overlaps, one begins where the other has
 * ended.
 */
static void test_starts(void)
{
	static const struct cfi_function functions[] = {
		CFI(0x100, 0x80, "zR", ""), CFI(0x180, 0x80, "zR", ""),
		CFI(0x300, 0x100, "zR", ""), CFI(0x380, 0x100, "zR", ""),
		CFI(0x3c0, 0x20, "zR", ""),
	};
	static const uint32_t expected[] = { 0x100, 0x180, 0x300, 0x400 };
	g_autoptr(GBytes) bytes =
		cfi_file(EM_X86_64, functions, G_N_ELEMENTS(functions), false);
	g_autoptr(SptUnwindTable) table = table_of(bytes);
	uint32_t n;
	const uint32_t *starts = spt_unwind_table_starts(table, &n);

	g_assert_cmpuint(n, ==, G_N_ELEMENTS(expected));
	for (uint32_t i = 0; i < n; i++)
		g_assert_cmphex(starts[i], ==, CFI_TEXT_OFFSET + expected[i]);
}

static bool is_told(const SptUnwindRule *rule)
{
	return rule->cfa != SYSPROF_CFA_UNKNOWN &&
	       (rule->cfa > SYSPROF_CFA_MEMORY || !rule->is_guess);
}

/*
 * Of a program as compilers and linkers make them, this one: what its symbols call a function
 * begins where the table says, if that knows the place at all, and so does each entry of the PLT.
 */
static void test_starts_of_program(void)
{
	g_autoptr(SptObject) object = spt_object_open("/proc/self/exe", NULL);
	g_autoptr(SptUnwindTable) table = spt_unwind_table_new(object, NULL);
	Elf *elf = spt_object_elf(object);
	unsigned functions = 0, entries = 0;
	Elf_Scn *scn = NULL;
	uint64_t offset;
	GElf_Shdr shdr;
	size_t names;

	g_assert_nonnull(table);
	g_assert_cmpint(elf_getshdrstrndx(elf, &names), ==, 0);
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &shdr)) {
		const char *name = elf_strptr(elf, names, shdr.sh_name);
		Elf_Data *data = shdr.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
		GElf_Sym symbol;

		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size ||
			    !spt_object_address_to_offset(object, symbol.st_value, &offset) ||
			    !is_told(spt_unwind_table_find(table, offset)))
				continue;
			g_assert_true(is_start(table, offset));
			functions++;
		}
		for (uint64_t at = 0; strcmp(name, ".plt") == 0 && at < shdr.sh_size; at += 16) {
			g_assert_true(is_start(table, shdr.sh_offset + at));
			entries++;
		}
	}
	g_assert_cmpuint(functions, >, 20);
	g_assert_cmpuint(entries, >, 1);
}

/*
 * Most of the code has its CFA by rbp, or, where calls do not push, its return address above x29.
 */
static void test_keeps_frame_pointer(void)
{
	static const struct cfi_function with_x86[] = { CFI(0x000, 0x100, "zR",
							    "\x41\x0e\x10\x86\x02\x43\x0d\x06") };
	static const struct cfi_function without_x86[] = {
		CFI(0x000, 0x100, "zR", "\x41\x0e\x10\x86\x02\x44\x0e\x40")
	};
	static const struct cfi_function with_arm64[] = {
		CFI(0x000, 0x100, "zR", "\x41\x0e\x20\x9d\x04\x9e\x03"), CFI(0x100, 0x400, "zR", "")
	};
	static const struct cfi_function without_arm64[] = { CFI(0x000, 0x100, "zR",
								 "\x41\x0e\x20\x9d\x02\x9e\x03") };
	const struct {
		unsigned machine;
		const struct cfi_function *functions;
		unsigned n;
		bool keeps;
	} files[] = {
		{ EM_X86_64, with_x86, G_N_ELEMENTS(with_x86), true },
		{ EM_X86_64, without_x86, G_N_ELEMENTS(without_x86), false },
		{ EM_AARCH64, with_arm64, G_N_ELEMENTS(with_arm64), true },
		{ EM_AARCH64, without_arm64, G_N_ELEMENTS(without_arm64), false },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(GBytes) bytes =
			cfi_file(files[i].machine, files[i].functions, files[i].n, false);
		g_autoptr(SptUnwindTable) table = table_of(bytes);

		g_assert_cmpint(spt_unwind_table_keeps_frame_pointer(table), ==, files[i].keeps);
	}
}

static void test_bytes(struct fixture *fixture, const void *data)
{
	GBytes *bytes = spt_unwind_table_bytes(fixture->table);
	g_autoptr(SptUnwindTable) again = spt_unwind_table_new_from_bytes(bytes, NULL);
	SptUnwindHeader header = *spt_unwind_table_header(fixture->table);
	size_t rules_at = sizeof(header) + (header.n_rows * 6 + 7) / 8 * 8;
	size_t starts_at = rules_at + header.n_rules * sizeof(SptUnwindRule);
	const struct { size_t at; uint8_t value;
	} damages[] = {
		{ 0, 0 },
		{ 4, 9 },
		{ 6, 3 },
		{ 8, 0xff },
		{ 12, 0xff },
		{ 11, 0x7f },
		{ 16, 0xff },
		{ 20, 1 },
		/* The first function behind the others */
		{ starts_at + 3, 0xff },
		/* The first row behind the others */
		{ sizeof(header) + 3, 0xff },
		/* A rule that there is not */
		{ sizeof(header) + header.n_rows * 4 + 1, 0xff },
		{ sizeof(header) + header.n_rows * 6 - 2, 1 }, /* an end that is none */
		/* Nothing that is something */
		{ rules_at, 1 },
		{ rules_at + 48, 77 },
		{ rules_at + 48 + 1, 16 },
		{ rules_at + 48 + 6, 0xff },
		{ rules_at + 48 + 7, 0xff },
	};

	(void)data;
	for (uint64_t at = 0; at < 0x800; at++)
		g_assert_cmpmem(spt_unwind_table_find(again, CFI_TEXT_OFFSET + at),
				sizeof(SptUnwindRule), rule_at(fixture, at), sizeof(SptUnwindRule));
	for (unsigned i = 0; i < G_N_ELEMENTS(damages); i++) {
		gsize n = g_bytes_get_size(bytes);
		uint8_t *copy = g_memdup2(g_bytes_get_data(bytes, NULL), n);
		g_autoptr(GBytes) damaged = g_bytes_new_take(copy, n);
		g_autoptr(GError) error = NULL;

		copy[damages[i].at] = damages[i].value;
		g_assert_null(spt_unwind_table_new_from_bytes(damaged, &error));
		g_assert_error(error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_BAD_TABLE);
	}
}

static void test_no_information(void)
{
	g_autoptr(GBytes) other = cfi_file(EM_RISCV, NULL, 0, false);
	g_autoptr(SptObject) object = spt_object_open_bytes(other, "other", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_null(spt_unwind_table_new(object, &error));
	g_assert_error(error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_NO_INFO);
}

/* Stacks. */

/* main at 0x500, which starts the thread, called 0x100, called 0x000, called the leaf at 0x120. */
static void test_whole_stack(struct fixture *fixture, const void *data)
{
	uint64_t bp = SP + 20 * 8;

	(void)data;
	fixture->raw->regs[6] = bp;
	fixture->stack[10] = BASE + 0x40;	/* the leaf's: 0x58 bytes of frame */
	fixture->stack[20] = bp + 10 * 8;	/* of 0x000, where its rbp points */
	fixture->stack[21] = BASE + 0x130;
	fixture->stack[32] = BASE + 0x510;
	walk(fixture, 0x120);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x130, 0x510);
	g_assert_true(fixture->frames[0].is_exact);
	g_assert_false(fixture->frames[1].is_exact);
	/* Once more, and nobody is asked. */
	fixture->asked = 0;
	walk(fixture, 0x120);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x130, 0x510);
	g_assert_cmpuint(fixture->asked, ==, 0);
	/* A call that is a function's last instruction returns into the next one. */
	fixture->stack[32] = BASE + 0x540;
	walk(fixture, 0x120);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x130, 0x540);
	/* No room. */
	g_assert_cmpuint(spt_unwinder_walk(fixture->unwinder, BASE, fixture->raw, fixture->frames,
					   2, &fixture->end),
			 ==, 2);
	g_assert_cmpint(fixture->end, ==, SPT_UNWIND_LIMIT);
}

static void follow(struct fixture *fixture, unsigned n, const uint64_t *offsets)
{
	__u64 chain[8];

	for (unsigned i = 0; i < n; i++)
		chain[i] = BASE + offsets[i];
	walk(fixture, 0x120);
	fixture->n = spt_unwinder_follow(fixture->unwinder, BASE, fixture->raw, chain, n,
					 fixture->frames, fixture->n, 5, &fixture->end);
}

#define follow(fixture, ...)                                                                       \
	follow(fixture, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

/* The leaf at 0x120 was called by 0x000, whose frame pointer leads beyond the copy. */
static void test_beyond_copy(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->wanted_bytes = fixture->raw->stack_bytes;
	fixture->raw->regs[6] = SP + 2 * WORDS * 8;
	fixture->stack[10] = BASE + 0x40;
	follow(fixture, 0x120, 0x40, 0x44, 0x510);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x44, 0x510);
	/* On another stack. */
	fixture->raw->regs[6] = SP + (1ULL << 40);
	follow(fixture, 0x120, 0x40, 0x510);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x510);
	/* The kernel's walk went astray before it, or ended. */
	follow(fixture, 0x120, 0x44, 0x510);
	expect(fixture, SPT_UNWIND_BAD_MEMORY, 0x40);
	follow(fixture, 0x120, 0x40);
	expect(fixture, SPT_UNWIND_BAD_MEMORY, 0x40);
	/* What it found beyond a function without frame pointer is not believed. */
	follow(fixture, 0x120, 0x40, 0x130, 0x510);
	expect(fixture, SPT_UNWIND_BAD_MEMORY, 0x40, 0x130);
	follow(fixture, 0x120, 0x40, NOWHERE);
	expect(fixture, SPT_UNWIND_UNMAPPED, 0x40);
	follow(fixture, 0x120, 0x40, 0x44, 0x44, 0x44, 0x510);
	expect(fixture, SPT_UNWIND_LIMIT, 0x40, 0x44, 0x44, 0x44);
	/* What called without a frame left the frame pointer in place: its caller is missing. */
	follow(fixture, 0x120, 0x40, 0x101, 0x510);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x101, 0x510);
	/* Called twice, the second time from beyond the copy. */
	fixture->raw->regs[6] = SP + 20 * 8;
	fixture->stack[20] = SP + (1ULL << 40);
	fixture->stack[21] = BASE + 0x40;
	follow(fixture, 0x120, 0x40, 0x40, 0x44, 0x510);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x40, 0x44, 0x510);
	/* A stack that is whole stays as it is. */
	fixture->stack[21] = BASE + 0x510;
	follow(fixture, 0x120, 0x40, 0x44, 0x510);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x510);
}

/* Where the stack pointer has passed a saved register already, its value is the caller's. */
static void test_register_taken_back(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->regs[1] = 0xb;
	/* The 0x58 bytes are given back, and CFI still says where r12 and rbx were. */
	fixture->raw->regs[6] = SP + 80;
	fixture->stack[0] = BASE + 0x20;	/* into 0x000, which needs rbp */
	fixture->stack[10] = 0;
	fixture->stack[11] = BASE + 0x520;
	walk(fixture, 0x100);
	expect(fixture, SPT_UNWIND_ROOT, 0x20, 0x520);
}

static void test_plt(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->stack[0] = BASE + 0x510;
	fixture->stack[1] = BASE + 0x520;
	walk(fixture, 0x210);
	expect(fixture, SPT_UNWIND_ROOT, 0x510);
	walk(fixture, 0x21b);
	expect(fixture, SPT_UNWIND_ROOT, 0x520);
}

/* The stack pointer is kept behind an array of r9 words. */
static void test_indexed(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->regs[17] = 20;
	fixture->stack[21] = SP + 40 * 8;
	fixture->stack[40] = BASE + 0x510;
	walk(fixture, 0x664);
	expect(fixture, SPT_UNWIND_ROOT, 0x510);
	fixture->raw->regs[17] = UINT64_MAX;
	walk(fixture, 0x664);
	expect(fixture, SPT_UNWIND_BAD_MEMORY);
}

/* The return address is in a register, and nothing on the stack. */
static void test_nothing_on_stack(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->regs[5] = BASE + 0x510;
	walk(fixture, 0x6c4);
	expect(fixture, SPT_UNWIND_ROOT, 0x510);
	/* Not of one that has called: this could go on for ever. */
	fixture->stack[0] = BASE + 0x6c4;
	walk(fixture, 0x100);
	expect(fixture, SPT_UNWIND_BAD_MEMORY, 0x6c4);
}

static void test_realigned(struct fixture *fixture, const void *data)
{
	uint64_t bp = SP + 30 * 8;

	(void)data;
	fixture->raw->regs[6] = bp;
	fixture->stack[30] = SP + 50 * 8;	/* the caller's rbp */
	fixture->stack[28] = SP + 40 * 8;	/* the CFA */
	fixture->stack[39] = BASE + 0x40;
	fixture->stack[51] = BASE + 0x510;
	walk(fixture, 0x320);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x510);
}

/* The CFA lies below the stack pointer, of which there is no copy, and once more in the frame. */
static void test_kept_below(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->regs[6] = SP + 8;
	/* The caller's rbp, and what leads to no code: neither is the CFA. */
	fixture->stack[1] = SP + 50 * 8;
	fixture->stack[5] = SP + 20 * 8;
	fixture->stack[19] = 12345;
	fixture->stack[10] = SP + 40 * 8;
	fixture->stack[39] = BASE + 0x40;
	fixture->stack[51] = BASE + 0x510;
	walk(fixture, 0x320);
	expect(fixture, SPT_UNWIND_ROOT, 0x40, 0x510);
	/* Not where it would be further down. */
	fixture->raw->regs[6] = SP - 200;
	walk(fixture, 0x320);
	expect_callers(fixture, SPT_UNWIND_BAD_MEMORY, 0, NULL);
}

/* The handler has interrupted the very first instruction of 0x000, which has no frame yet. */
static void test_signal(struct fixture *fixture, const void *data)
{
	uint64_t *context = fixture->stack + 1;

	(void)data;
	fixture->stack[0] = BASE + 0x400;
	context[168 / 8] = BASE + 0x000;
	context[160 / 8] = SP + 100 * 8;
	fixture->stack[100] = BASE + 0x510;
	walk(fixture, 0x100);
	expect(fixture, SPT_UNWIND_ROOT, 0x400, 0x000, 0x510);
	g_assert_false(fixture->frames[1].is_exact);
	g_assert_true(fixture->frames[2].is_exact);
}

/*
 * A return address at a function's first byte.  If a call can have left it, its function ends
 * there; else that function is the first one of its stack, or returns from a signal.
 */
static void test_put_there(void)
{
	static const struct cfi_function functions[] = {
		/* Its last byte is a ret. */
		CFI(0x100, 0x80, "zR", "\x41\x0e\x10\x02\x7e\x0e\x08"),
		CFI(0x180, 0x80, "zR", "\x41\x0e\x10"),
		CFI(0x200, 0x80, "zR", "\x41\x0e\x10"),
		CFI(0x300, 0x80, "zRS", "\x0f\x04\x77\xa0\x01\x06\x10\x10\x03\x77\xa8\x01"),
		CFI(0x400, 0x80, "zR", "\x41\x0e\x10"),
		/* Of the bytes in its middle nothing is known. */
		CFI(0x500, 0x80, "zR", "\x41\x0f\x02\x9c\x06\x41\x0e\x08"),
		CFI(0x600, 0x10, "zR", "\x07\x10"),
	};
	g_autoptr(GBytes) bytes = cfi_file(EM_X86_64, functions, G_N_ELEMENTS(functions), false);
	struct fixture fixture;

	set_up(&fixture, EM_X86_64);
	spt_unwind_table_unref(fixture.table);
	fixture.table = table_of(bytes);
	fixture.stack[1] = BASE + 0x608;
	fixture.stack[2] = BASE + 0x608;
	fixture.stack[3] = BASE + 0x608;

	fixture.stack[0] = BASE + 0x400;
	walk(&fixture, 0x180);
	expect(&fixture, SPT_UNWIND_ROOT, 0x400);
	g_assert_true(fixture.frames[1].is_exact);
	fixture.stack[0] = BASE + 0x180;
	walk(&fixture, 0x180);
	expect(&fixture, SPT_UNWIND_ROOT, 0x180);
	g_assert_true(fixture.frames[1].is_exact);
	/* A call that does not return is the last instruction of 0x180. */
	fixture.stack[0] = BASE + 0x200;
	walk(&fixture, 0x200);
	expect(&fixture, SPT_UNWIND_ROOT, 0x200, 0x608);
	g_assert_false(fixture.frames[1].is_exact);
	fixture.stack[0] = BASE + 0x502;
	fixture.raw->regs[6] = SP + 80;
	fixture.stack[10] = 0;
	fixture.stack[11] = BASE + 0x608;
	walk(&fixture, 0x180);
	expect(&fixture, SPT_UNWIND_ROOT, 0x502, 0x608);
	/* Interrupted there: it is where it is. */
	walk(&fixture, 0x3ff);
	expect(&fixture, SPT_UNWIND_ROOT, 0x608);
	/* By frame pointers, which may be wrong. */
	fixture.stack[10] = 1;
	fixture.stack[11] = BASE + 0x400;
	walk(&fixture, 1 << 20);
	expect(&fixture, SPT_UNWIND_NO_INFO, 0x400);
	g_assert_false(fixture.frames[1].is_exact);
	/* Back from a signal. */
	fixture.stack[0] = BASE + 0x300;
	fixture.stack[1 + 168 / 8] = BASE + 0x180;
	fixture.stack[1 + 160 / 8] = SP + 100 * 8;
	fixture.stack[100] = BASE + 0x608;
	walk(&fixture, 0x180);
	expect(&fixture, SPT_UNWIND_ROOT, 0x300, 0x180, 0x608);
	tear_down(&fixture, NULL);
}

static void test_ends(struct fixture *fixture, const void *data)
{
	(void)data;
	/* The caller is no code. */
	fixture->stack[0] = NOWHERE;
	walk(fixture, 0x100);
	expect(fixture, SPT_UNWIND_UNMAPPED);
	/* Not even the frame itself is. */
	walk(fixture, 0x7fffffff);
	expect(fixture, SPT_UNWIND_UNMAPPED);
	/* An address of 0 is the end of the way, too. */
	fixture->stack[0] = 0;
	walk(fixture, 0x100);
	expect(fixture, SPT_UNWIND_ROOT);
	/* Above the copy; and the same where the copy has all there was. */
	fixture->raw->stack_bytes = fixture->raw->wanted_bytes = 64;
	walk(fixture, 0x120);
	expect(fixture, SPT_UNWIND_CUT);
	fixture->raw->wanted_bytes = 128;
	walk(fixture, 0x120);
	expect(fixture, SPT_UNWIND_BAD_MEMORY);
	/* A frame pointer that leads back. */
	fixture->raw->regs[6] = SP - 64;
	walk(fixture, 0x20);
	expect(fixture, SPT_UNWIND_BAD_MEMORY);
	/* No copy at all. */
	fixture->raw->stack_bytes = 0;
	walk(fixture, 0x20);
	expect(fixture, SPT_UNWIND_BAD_MEMORY);
}

/* Without information: by the frame pointer, if what it leads to is code. */
static void test_frame_pointer(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->regs[6] = SP + 80;
	fixture->stack[10] = 0;
	fixture->stack[11] = BASE + 0x510;
	walk(fixture, 1 << 20);
	expect(fixture, SPT_UNWIND_ROOT, 0x510);
	walk(fixture, 0x580);
	expect(fixture, SPT_UNWIND_ROOT, 0x510);
	fixture->stack[11] = NOWHERE;
	walk(fixture, 0x580);
	expect(fixture, SPT_UNWIND_NO_INFO);
	fixture->raw->regs[6] = SP + 81;
	walk(fixture, 0x580);
	expect(fixture, SPT_UNWIND_NO_INFO);
	/* Called with a frame pointer of 0: nobody is above. */
	fixture->raw->regs[6] = 0;
	walk(fixture, 0x580);
	expect(fixture, SPT_UNWIND_NO_INFO);
	fixture->stack[0] = BASE + 0x590;
	walk(fixture, 0x100);
	expect(fixture, SPT_UNWIND_ROOT, 0x590);
}

static void test_not_whole(struct fixture *fixture, const void *data)
{
	struct sysprof_raw *raw = fixture->raw;
	size_t bytes = sizeof(*raw) + 24 * 8 + WORDS * 8;

	(void)data;
	g_assert_true(spt_unwind_raw_is_whole(raw, bytes));
	g_assert_false(spt_unwind_raw_is_whole(raw, bytes - 1));
	g_assert_false(spt_unwind_raw_is_whole(raw, sizeof(*raw) - 1));
	raw->stack_bytes = UINT32_MAX;
	g_assert_false(spt_unwind_raw_is_whole(raw, bytes));
	raw->stack_bytes = 0;
	raw->n_regs = 23;
	g_assert_false(spt_unwind_raw_is_whole(raw, bytes));
	raw->n_regs = 24;
	raw->arch = EM_RISCV;
	g_assert_false(spt_unwind_raw_is_whole(raw, bytes));
}

/* A leaf, interrupted in a signal handler's stead, and a caller whose return address is signed. */
static void test_arm64(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->raw->regs[30] = 0x002a000000000000 | (BASE + 0x20);
	fixture->raw->regs[29] = SP;
	fixture->stack[0] = 0;
	fixture->stack[1] = 0x0033000000000000 | (BASE + 0x308);
	walk(fixture, 0x110);
	expect(fixture, SPT_UNWIND_ROOT, 0x20, 0x308);
	/* Who is called by it would be in the register no longer. */
	fixture->stack[1] = BASE + 0x120;
	walk(fixture, 0x110);
	expect(fixture, SPT_UNWIND_BAD_MEMORY, 0x20, 0x120);
	/* Through a signal: back to the leaf, and its caller. */
	fixture->raw->regs[30] = BASE + 0x200;
	fixture->stack[(312 + 30 * 8) / 8] = BASE + 0x308;
	fixture->stack[(312 + 31 * 8) / 8] = SP + 800;
	fixture->stack[568 / 8] = BASE + 0x118;
	walk(fixture, 0x110);
	expect(fixture, SPT_UNWIND_ROOT, 0x200, 0x118, 0x308);
	g_assert_true(fixture->frames[2].is_exact);
}

static void add(const char *path, unsigned machine, void (*test)(struct fixture *, const void *))
{
	g_test_add(path, struct fixture, NULL, machine == EM_X86_64 ? set_up_x86 : set_up_arm64,
		   test, tear_down);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	add("/unwind/rules", EM_X86_64, test_rules);
	add("/unwind/debug-frame", EM_X86_64, test_debug_frame);
	add("/unwind/table-as-bytes", EM_X86_64, test_bytes);
	g_test_add_func("/unwind/debug-file", test_debug_file);
	g_test_add_func("/unwind/keeps-frame-pointer", test_keeps_frame_pointer);
	g_test_add_func("/unwind/no-information", test_no_information);
	g_test_add_func("/unwind/packed", test_packed);
	g_test_add_func("/unwind/put-there", test_put_there);
	g_test_add_func("/unwind/starts", test_starts);
	g_test_add_func("/unwind/starts-of-program", test_starts_of_program);
	add("/unwind/whole-stack", EM_X86_64, test_whole_stack);
	add("/unwind/beyond-copy", EM_X86_64, test_beyond_copy);
	add("/unwind/register-taken-back", EM_X86_64, test_register_taken_back);
	add("/unwind/plt", EM_X86_64, test_plt);
	add("/unwind/indexed", EM_X86_64, test_indexed);
	add("/unwind/nothing-on-stack", EM_X86_64, test_nothing_on_stack);
	add("/unwind/realigned", EM_X86_64, test_realigned);
	add("/unwind/kept-below", EM_X86_64, test_kept_below);
	add("/unwind/signal", EM_X86_64, test_signal);
	add("/unwind/ends", EM_X86_64, test_ends);
	add("/unwind/frame-pointer", EM_X86_64, test_frame_pointer);
	add("/unwind/not-whole", EM_X86_64, test_not_whole);
	add("/unwind/arm64", EM_AARCH64, test_arm64);
	return g_test_run();
}
