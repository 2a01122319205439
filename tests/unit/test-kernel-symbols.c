/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of the kernel are kept while it has the same ones, for users who may see them. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "import/kernel-symbols.h"

#define LINES	  "ffffffff81000000 T _stext\nffffffff81000010 t f\t[m]\n"
#define MORE	  LINES "ffffffff81000020 W g\n"
#define BOOT	  "one boot\n\n"
#define NEXT_BOOT "next boot\n\n"
#define LOADED	  "next boot\nm 4096 Live 0xffffffffc0000000\n\n"
#define MADE	  "ffffffffc0200000 t bpf_prog_1234567890abcdef\t[bpf]\n" \
		  "ffffffffc0300000 t ftrace_trampoline\t[__builtin__ftrace]\n"

struct place {
	char *directory, *kept, *symbols;
};

static void set_up(struct place *place, gconstpointer data G_GNUC_UNUSED)
{
	place->directory = g_dir_make_tmp("test-kernel-symbols-XXXXXX", NULL);
	g_assert_nonnull(place->directory);
	/* A cache that is not there yet. */
	place->kept = g_build_filename(place->directory, "cache", "kernel-symbols", NULL);
	place->symbols = g_build_filename(place->directory, "kallsyms", NULL);
}

static void tear_down(struct place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *cache = g_path_get_dirname(place->kept);

	g_unlink(place->kept);
	g_unlink(place->symbols);
	g_rmdir(cache);
	g_assert_cmpint(g_rmdir(place->directory), ==, 0);
	g_free(place->directory);
	g_free(place->kept);
	g_free(place->symbols);
}

static void write_symbols(const struct place *place, const char *text)
{
	g_assert_true(g_file_set_contents(place->symbols, text, -1, NULL));
}

static void assert_symbols(const struct place *place, const char *state, const char *expected)
{
	int fd = spt_import_kept_symbols(place->kept, state, place->symbols);
	char found[1024];
	ssize_t n;

	g_assert_cmpint(fd, >=, 0);
	n = read(fd, found, sizeof(found) - 1);
	g_assert_cmpint(n, >=, 0);
	found[n] = '\0';
	g_assert_cmpstr(found, ==, expected);
	close(fd);
}

/*
 * Only text of the kernel and of modules is kept; under a new state, also one that begins as the
 * old one, all is new.
 */
static void test_kept(struct place *place, gconstpointer data G_GNUC_UNUSED)
{
	GStatBuf kept;

	write_symbols(place, "0000000000000000 A first\nffffffff80000000 D data\n" LINES MADE);
	assert_symbols(place, BOOT, LINES);
	g_assert_cmpint(g_stat(place->kept, &kept), ==, 0);
	g_assert_cmphex(kept.st_mode & 07777, ==, 0600);
	write_symbols(place, MORE);
	assert_symbols(place, BOOT, LINES);
	assert_symbols(place, NEXT_BOOT, MORE);
	write_symbols(place, LINES);
	assert_symbols(place, NEXT_BOOT, MORE);
	assert_symbols(place, LOADED, LINES);
	write_symbols(place, MORE);
	assert_symbols(place, NEXT_BOOT, MORE);
}

static void test_hidden(struct place *place, gconstpointer data G_GNUC_UNUSED)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 t f\n";

	write_symbols(place, hidden);
	assert_symbols(place, BOOT, hidden);
	g_assert_false(g_file_test(place->kept, G_FILE_TEST_EXISTS));
	write_symbols(place, LINES);
	assert_symbols(place, BOOT, LINES);
}

/* What others could have written is replaced. */
static void test_of_others(struct place *place, gconstpointer data G_GNUC_UNUSED)
{
	GStatBuf kept;

	write_symbols(place, LINES);
	assert_symbols(place, BOOT, LINES);
	g_assert_cmpint(g_chmod(place->kept, 0620), ==, 0);
	write_symbols(place, MORE);
	assert_symbols(place, BOOT, MORE);
	g_assert_cmpint(g_stat(place->kept, &kept), ==, 0);
	g_assert_cmphex(kept.st_mode & 07777, ==, 0600);
}

/* How often a module is used, and by whom, changes no symbol; that it is still loaded, does. */
static void test_modules(void)
{
	g_autofree char *state = spt_import_modules_state(
				"a 4096 0 - Live 0xffffffffc0000000\n"
				"b 8192 1 a, Live 0xffffffffc0100000 (OE)\n"),
			*used = spt_import_modules_state(
				"a 4096 5 c,b, Live 0xffffffffc0000000\n"
				"b 8192 0 - Live 0xffffffffc0100000 (OE)\n"),
			*loading = spt_import_modules_state(
				"a 4096 5 c,b, Live 0xffffffffc0000000\n"
				"b 8192 0 - Loading 0xffffffffc0100000 (OE)\n"),
			*none = spt_import_modules_state("");

	g_assert_cmpstr(state, ==, "a 4096 Live 0xffffffffc0000000\n"
				   "b 8192 Live 0xffffffffc0100000\n");
	g_assert_cmpstr(used, ==, state);
	g_assert_cmpstr(loading, !=, state);
	g_assert_cmpstr(none, ==, "");
}

#define ADD(name, function)                                                                        \
	g_test_add("/kernel-symbols/" name, struct place, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("kept", test_kept);
	ADD("hidden", test_hidden);
	ADD("of-others", test_of_others);
	g_test_add_func("/kernel-symbols/modules", test_modules);
	return g_test_run();
}
