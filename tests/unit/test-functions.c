/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions without names lie: those of this very program without its symbols, as the linker
 * knew them before; and assembly without call frame information, which is known by who calls it.
 */
#include "unwind/functions.h"

#include <gelf.h>
#include <glib/gstdio.h>
#include <string.h>

#include "../gen/peak.h"
#include "symbols/dwarf/symtab.h"
#include "symbols/unnamed.h"

#ifdef __x86_64__
/* Padding before each, none of it described; all but the first are reached in one way each. */
asm(".pushsection .text.handmade, \"ax\"\n"
    ".balign 64\n"
    "handmade_first: push %rbx\n .fill 40, 1, 0x90\n pop %rbx\n ret\n"
    ".balign 16, 0xcc\n"
    "handmade_called: sub $8, %rsp\n .fill 30, 1, 0x90\n add $8, %rsp\n ret\n"
    ".balign 16, 0xcc\n"
    "handmade_taken: mov $1, %eax\n .fill 20, 1, 0x90\n ret\n"
    ".balign 16, 0xcc\n"
    "handmade_stored: mov $2, %eax\n .fill 25, 1, 0x90\n ret\n"
    /* An address within unfinished code is no start. */
    "handmade_tail: mov $3, %eax\n .fill 5, 1, 0x0f\n"
    "handmade_within: .fill 5, 1, 0x0f\n ret\n"
    "handmade_end:\n"
    ".popsection\n");

extern const char handmade_first[], handmade_called[], handmade_taken[], handmade_stored[],
	handmade_within[], handmade_end[];
/* Not static: it stays, and with it what the dynamic linker writes. */
const void *const volatile handmade_table[] = { handmade_stored, handmade_within };

static __attribute__((noinline)) const void *refer(void)
{
	const void *taken;

	asm volatile("jmp 1f\n call handmade_called\n 1: lea handmade_taken(%%rip), %0"
		     : "=r"(taken));
	return taken;
}
#endif

static char *directory, *bare;

static SptObject *open_self(void)
{
	g_autoptr(GError) error = NULL;
	SptObject *object = spt_object_open("/proc/self/exe", &error);

	g_assert_no_error(error);
	return object;
}

static SptObject *open_bare(void)
{
	g_autoptr(GError) error = NULL;
	SptObject *object = spt_object_open(bare, &error);

	g_assert_no_error(error);
	return object;
}

/* Sections of C code, not those that crt files are made of. */
static bool is_told(const char *name)
{
	static const char *const crt[] = { "_init", "_fini", "_start", "deregister_tm_clones",
					   "register_tm_clones", "__do_global_dtors_aux",
					   "frame_dummy" };

	for (unsigned i = 0; i < G_N_ELEMENTS(crt); i++)
		if (strcmp(name, crt[i]) == 0)
			return false;
	return !g_str_has_prefix(name, "handmade") && !strstr(name, ".cold") &&
	       !strstr(name, ".part") && !g_str_has_suffix(name, "@plt");
}

/* With its own symbol table as the oracle: each function begins where its symbol does. */
static void test_told(void)
{
	g_autoptr(SptObject) self = open_self(), without = open_bare();
	g_autoptr(SptSymtab) symtab = spt_symtab_new(self, NULL);
	g_autoptr(SptFunctions) functions = spt_functions_new();
	unsigned checked = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(spt_object_elf(self), scn))) {
		uint64_t offset;

		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR) ||
		    !spt_object_address_to_offset(self, shdr.sh_addr, &offset))
			continue;
		for (uint64_t end = offset + shdr.sh_size; offset < end; offset += 3) {
			SptSymbol symbol;
			SptRange range;

			if (!spt_symtab_find(symtab, offset, &symbol) || !is_told(symbol.name))
				continue;
			g_assert_true(spt_functions_find(functions, without, offset, &range));
			if (range.start != offset - symbol.distance)
				g_error("%s begins at 0x%" G_GINT64_MODIFIER
					"x, not 0x%" G_GINT64_MODIFIER "x",
					symbol.name, offset - symbol.distance, range.start);
			g_assert_cmphex(offset - range.start, <, range.bytes);
			checked++;
		}
	}
	g_assert_cmpuint(checked, >, 1000);
}

#ifdef __x86_64__
static uint64_t offset_of(const SptObject *self, const char *place)
{
	extern const char __executable_start[];
	uint64_t offset;

	g_assert_true(spt_object_address_to_offset(
		self, (uint64_t)(place - __executable_start), &offset));
	return offset;
}

static void expect(const SptObject *self, const SptObject *without, SptFunctions *functions,
		   const char *start, unsigned distance, const char *end)
{
	SptRange range;

	/* This code may not take the address itself: that would make a start of it. */
	g_assert_true(spt_functions_find(functions, without, offset_of(self, start) + distance,
					 &range));
	g_assert_cmphex(range.start, ==, offset_of(self, start));
	if (end)
		g_assert_cmphex(range.start + range.bytes, ==, offset_of(self, end));
}

static void test_untold(void)
{
	g_autoptr(SptObject) self = open_self(), without = open_bare();
	g_autoptr(SptFunctions) functions = spt_functions_new();

	g_assert_nonnull(handmade_table[0]);
	g_assert_true(refer() == handmade_taken);
	expect(self, without, functions, handmade_called, 0, handmade_taken);
	expect(self, without, functions, handmade_called, 20, handmade_taken);
	expect(self, without, functions, handmade_taken, 3, handmade_stored);
	expect(self, without, functions, handmade_stored, 3, NULL);
	expect(self, without, functions, handmade_stored, 44, NULL);
}
#endif

/* A symbol comes before what lies there, which ends where the symbol begins. */
static void test_symbols_first(void)
{
	g_autoptr(SptObject) self = open_self(), without = open_bare();
	g_autoptr(SptSymtab) none = spt_symtab_new(without, NULL),
			     symtab = spt_symtab_new(self, NULL);
	g_autoptr(SptFunctions) functions = spt_functions_new();
	uint64_t offset, within;
	SptSymbol symbol;

	g_assert_true(spt_object_address_to_offset(
		self, (uint64_t)((const char *)test_told - ({
					 extern const char __executable_start[];
					 __executable_start;
				 })),
		&offset));
	within = offset + 5;
	g_assert_true(spt_unnamed_find(symtab, functions, without, within, &symbol));
	g_assert_cmpstr(symbol.name, ==, "test_told");
	g_assert_true(spt_unnamed_find(none, functions, without, within, &symbol));
	g_assert_null(symbol.name);
	g_assert_cmpuint(symbol.distance, ==, 5);
	g_assert_cmpuint(symbol.bytes, >, 5);
	g_assert_cmpuint(symbol.source, ==, SPT_SOURCE_NONE);
	g_assert_false(spt_unnamed_find(none, functions, without, UINT64_MAX / 2, &symbol));
}

/* Headers may promise more code than there is in the file: that is no reason to list its stubs. */
static void test_endless_stubs(void)
{
	g_autofree char *data = NULL;
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(SptFunctions) functions = spt_functions_new();
	Elf64_Ehdr *ehdr;
	SptObject *object;
	SptRange range;
	size_t size, begin;
	bool found = false;

	g_assert_true(g_file_get_contents(bare, &data, &size, NULL));
	ehdr = (Elf64_Ehdr *)(void *)data;
	Elf64_Phdr *segments = (Elf64_Phdr *)(void *)(data + ehdr->e_phoff);
	Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(data + ehdr->e_shoff);
	const char *names = data + sections[ehdr->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < ehdr->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X)
			segments[i].p_filesz = segments[i].p_memsz = 1u << 31;
	for (unsigned i = 0; i < ehdr->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, ".plt") == 0) {
			sections[i].sh_size = 1u << 30;
			found = true;
		}
	g_assert_true(found);
	bytes = g_bytes_new_take(g_steal_pointer(&data), size);
	object = spt_object_open_bytes(bytes, "endless", NULL);
	g_assert_nonnull(object);
	begin = peak_begin();
	spt_functions_find(functions, object, 0, &range);
	g_assert_cmpuint(peak_since(begin), <, 16u << 20);
	spt_object_free(object);
}

int main(int argc, char **argv)
{
	int status, result;

	peak_watch();

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("spt-functions-XXXXXX", NULL);
	bare = g_build_filename(directory, "bare", NULL);
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	char *command[] = { "strip", "-o", bare, self, NULL };

	g_assert_true(g_spawn_sync(NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
				   &status, NULL));
	g_assert_cmpint(status, ==, 0);
	g_test_add_func("/functions/told", test_told);
#ifdef __x86_64__
	g_test_add_func("/functions/untold", test_untold);
#endif
	g_test_add_func("/functions/symbols-first", test_symbols_first);
	g_test_add_func("/functions/endless-stubs", test_endless_stubs);
	result = g_test_run();
	g_unlink(bare);
	g_rmdir(directory);
	g_free(bare);
	g_free(directory);
	return result;
}
