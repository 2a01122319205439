/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines against libdw's, for all rows of all units: of this program, and of a library that is
 * compiled in several ways.  test-line-table FILE...: of these files, which may be large.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <glib.h>
#include <inttypes.h>
#include <unistd.h>

#include "symbols/dwarf/line-table.h"

struct counts {
	uint64_t n, n_wrong, n_ended;
};

/* Below lie functions that the linker removed. */
static uint64_t lowest_code(Dwarf *dwarf)
{
	Elf_Scn *scn = NULL;
	uint64_t lowest = UINT64_MAX;

	while ((scn = elf_nextscn(dwarf_getelf(dwarf), scn))) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR)
			lowest = MIN(lowest, shdr.sh_addr);
	}
	return lowest;
}

static const char *directory_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(cu, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/*
 * @ended: at the row's address a sequence ends, too, which libdw sorts before all that is there:
 * what belongs to that sequence then hides what follows.
 */
static void compare_place(struct spt_line_table *table, Dwarf_Line *line, uint64_t address,
			  bool ended, struct counts *counts)
{
	const char *file = NULL, *wanted_file;
	uint32_t number = 0;
	int wanted_number;
	uint64_t index;
	bool is_end, found = spt_line_table_find(table, address, &index, &number);

	g_assert_cmpint(dwarf_lineendsequence(line, &is_end), ==, 0);
	g_assert_cmpint(dwarf_lineno(line, &wanted_number), ==, 0);
	wanted_file = dwarf_linesrc(line, NULL, NULL);
	if (found)
		file = spt_line_table_file(table, index);
	counts->n++;
	if (found != is_end &&
	    (is_end || (number == (uint32_t)wanted_number && g_strcmp0(file, wanted_file) == 0)))
		return;
	if (ended)
		counts->n_ended++;
	else if (counts->n_wrong++ < 10)
		g_test_message("0x%" PRIx64 ": %s:%u instead of %s:%d%s", address,
			       found ? file : "none", number, wanted_file, wanted_number,
			       is_end ? " (end)" : "");
}

static void compare_unit(const struct spt_line_sections *sections, Dwarf_Die *cu, uint64_t lowest,
			 struct counts *counts)
{
	struct spt_line_table *table = spt_line_table_new(sections, cu, directory_of(cu));
	Dwarf_Lines *lines;
	bool ended = false;
	size_t n;

	if (dwarf_getsrclines(cu, &lines, &n) != 0)
		n = 0;
	g_assert_true(n == 0 || table);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr address, next = UINT64_MAX;
		bool is_end;

		dwarf_lineaddr(line, &address);
		dwarf_lineendsequence(line, &is_end);
		ended |= is_end;
		if (i + 1 < n)
			dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &next);
		if (next == address || address < lowest)
			continue;
		compare_place(table, line, address, ended, counts);
		if (next > address + 1)
			compare_place(table, line, address + 1, ended, counts);
		ended = false;
	}
	spt_line_table_free(table);
}

static void compare_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct counts counts = { 0 };
	struct spt_line_sections sections;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	g_assert_nonnull(dwarf);
	sections = spt_line_sections_of(dwarf);
	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		compare_unit(&sections, &die, lowest_code(dwarf), &counts);
	g_test_message("%s: %" PRIu64 " of %" PRIu64 " places differ, %" PRIu64
		       " are behind an end",
		       path, counts.n_wrong, counts.n, counts.n_ended);
	g_assert_cmpuint(counts.n, >, 1000);
	g_assert_cmpuint(counts.n_wrong, ==, 0);
	g_assert_cmpuint(counts.n_ended, <, counts.n / 100);
	dwarf_end(dwarf);
	close(fd);
}

static void test_itself(void)
{
	compare_file("/proc/self/exe");
}

static void test_compiled(const void *compiler)
{
	g_autofree char *dir = g_dir_make_tmp("sysprof-lines-XXXXXX", NULL),
			*path = g_build_filename(dir, "library", NULL);
	g_autofree char *command = g_strdup_printf(
		"%s -O2 -shared -nostdlib -fPIC -o %s -Iuserspace/lib -Imodule $(pkg-config --cflags glib-2.0) "
		"userspace/lib/symbols/dwarf/line-table.c userspace/lib/symbols/dwarf/die-walk.c userspace/lib/base/sorted-starts.c",
		(const char *)compiler, path);
	const char *arguments[] = { "sh", "-c", command, NULL };
	g_autoptr(GError) error = NULL;
	int status;

	g_assert_true(g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
				   NULL, NULL, &status, &error));
	g_assert_cmpint(status, ==, 0);
	compare_file(path);
	g_assert_cmpint(unlink(path), ==, 0);
	g_assert_cmpint(rmdir(dir), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (int i = 1; i < argc; i++)
		compare_file(argv[i]);
	if (argc > 1)
		return 0;
	g_test_add_func("/lines/itself", test_itself);
	g_test_add_data_func("/lines/dwarf-3", "gcc -gdwarf-3", test_compiled);
	g_test_add_data_func("/lines/dwarf-4", "gcc -gdwarf-4 -ffunction-sections", test_compiled);
	g_test_add_data_func("/lines/dwarf-5",
			     "gcc -gdwarf-5 -ffunction-sections -Wl,--gc-sections", test_compiled);
	g_test_add_data_func("/lines/dwarf64", "gcc -gdwarf-5 -gdwarf64", test_compiled);
	g_test_add_data_func("/lines/clang-dwarf-4", "clang -gdwarf-4", test_compiled);
	g_test_add_data_func("/lines/clang-dwarf-5", "clang -gdwarf-5 -ffunction-sections",
			     test_compiled);
	return g_test_run();
}
