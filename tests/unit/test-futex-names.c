/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is at an address of a process whose maps are known, and what a program can make of that. */
#include "record/futex-names.h"

#include <glib/gstdio.h>
#include <string.h>

#define OBJECT 3

struct fixture {
	char *root, *directory, *maps;
	SptProcFiles *files;
	SptSpaces *spaces;
	SptMaps *objects;
	SptFutexNames *names;
};

static const char maps_of_program[] =
	"5500000000-5500001000 r--p 00000000 fe:00 11                     /opt/app\n"
	"5500001000-5500002000 r-xp 00001000 fe:00 11                     /opt/app\n"
	"5500003000-5500004000 rw-p 00002000 fe:00 11                     /opt/app\n"
	"5500004000-5500006000 rw-p 00000000 00:00 0 \n"
	"5500100000-5500200000 rw-p 00000000 00:00 0                      [heap]\n"
	"7f00000000-7f00001000 rw-s 00000000 00:01 22                     /dev/shm/x (deleted)\n"
	"7f00001000-7f00002000 rw-p 00000000 00:00 0 \n"
	"7f10000000-7f10001000 rw-p 00001000 fe:00 12                     /opt/data\n"
	"7ffc000000-7ffc100000 rw-p 00000000 00:00 0                      [stack]\n";

static void begin(struct fixture *f, const char *text)
{
	const SptObjectRow program = { .id = OBJECT, .kind = SPT_OBJECT_FILE, .path = "/opt/app",
				       .dev_major = 0xfe, .inode = 11 };

	f->root = g_dir_make_tmp("futex-names-XXXXXX", NULL);
	f->directory = g_build_filename(f->root, "42", NULL);
	f->maps = g_build_filename(f->directory, "maps", NULL);
	g_assert_cmpint(g_mkdir(f->directory, 0700), ==, 0);
	g_assert_true(g_file_set_contents(f->maps, text, -1, NULL));
	f->files = spt_proc_files_new(f->root);
	f->spaces = spt_spaces_new();
	f->objects = spt_maps_new(NULL, f->spaces, f->files, true);
	spt_maps_stage.object(f->objects, &program);
	f->names = spt_futex_names_new(f->files);
}

static void end(struct fixture *f)
{
	spt_futex_names_free(f->names);
	spt_maps_free(f->objects);
	spt_spaces_free(f->spaces);
	spt_proc_files_free(f->files);
	g_unlink(f->maps);
	g_rmdir(f->directory);
	g_rmdir(f->root);
	g_free(f->maps);
	g_free(f->directory);
	g_free(f->root);
}

static SptFutexPlace find(struct fixture *f, uint64_t address)
{
	return spt_futex_names_find(f->names, 42, f->objects, address);
}

/* A busy machine may have the maps of the process a moment later. */
static void wait_for_maps(struct fixture *f, uint64_t address)
{
	for (unsigned i = 0; i < 1000; i++) {
		const char *name = find(f, address).name;

		if (!name || strcmp(name, SPT_NO_LOCK_KNOWN) != 0)
			return;
		g_usleep(20000);
	}
}

static void check_variable(struct fixture *f, uint64_t address, uint64_t offset)
{
	SptFutexPlace place = find(f, address);

	g_assert_null(place.name);
	g_assert_cmpuint(place.object, ==, OBJECT);
	g_assert_cmphex(place.offset, ==, offset);
}

static void check_name(struct fixture *f, uint64_t address, const char *name)
{
	SptFutexPlace place = find(f, address);

	g_assert_cmpstr(place.name, ==, name);
	g_assert_cmpuint(place.object, ==, 0);
}

static void test_places(void)
{
	struct fixture f;

	begin(&f, maps_of_program);
	wait_for_maps(&f, 0x5500003010);
	check_variable(&f, 0x5500003010, 0x2010);
	/* Zeroed data: behind what the file has. */
	check_variable(&f, 0x5500004020, 0x3020);
	check_name(&f, 0x5500100030, "0x5500100030 in heap of 42");
	check_name(&f, 0x7ffc000040, "0x7ffc000040 in stack of 42");
	/* What follows a file that is shared, or has no code, is no data of a program. */
	check_name(&f, 0x7f00000050, "0x7f00000050 in a file of 42");
	check_name(&f, 0x7f00001060, "0x7f00001060 in memory of 42");
	check_name(&f, 0x7f10000070, "0x7f10000070 in a file of 42");
	/* Code is no lock, whatever a program says. */
	check_name(&f, 0x5500001080, "0x5500001080 in a file of 42");
	check_name(&f, 0x10, SPT_NO_LOCK_KNOWN);
	end(&f);
}

/* A library that is loaded later; but the maps are not read for each wrong address. */
static void test_again(void)
{
	struct fixture f;

	begin(&f, maps_of_program);
	wait_for_maps(&f, 0x5500003010);
	check_name(&f, 0x6600000000, SPT_NO_LOCK_KNOWN);
	g_assert_true(g_file_set_contents(
		f.maps, "6600000000-6600001000 rw-p 00000000 00:00 0     [heap]\n", -1, NULL));
	check_name(&f, 0x5500100030, "0x5500100030 in heap of 42");
	/* Reading waits for a multiple of what it took before. */
	for (unsigned i = 0; i < 1000; i++) {
		if (strcmp(find(&f, 0x6600000000).name, SPT_NO_LOCK_KNOWN) != 0)
			break;
		g_usleep(20000);
	}
	check_name(&f, 0x6600000000, "0x6600000000 in heap of 42");
	/* Another program. */
	spt_futex_names_forget(f.names, 42);
	check_name(&f, 0x5500100030, SPT_NO_LOCK_KNOWN);
	end(&f);
}

/* A thread that waits at ever other addresses. */
static void test_many(void)
{
	struct fixture f;
	unsigned n = 0;

	begin(&f, maps_of_program);
	wait_for_maps(&f, 0x5500003010);
	for (uint64_t i = 0; i < 20000; i++) {
		SptFutexPlace place = find(&f, 0x5500100000 + 4 * i);

		g_assert_nonnull(place.name);
		n += strcmp(place.name, "heap") == 0;
	}
	g_assert_cmpuint(n, ==, 20000 - 1024);
	end(&f);
}

/* As many mappings as a process can have: they are read seldom, and searched fast. */
static void test_hostile_maps(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	gint64 start = g_get_monotonic_time();
	struct fixture f;

	for (uint64_t i = 0; i < 65530; i++)
		g_string_append_printf(text, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER
					     "x rw-p 00000000 00:00 0\n",
				       0x10000 * (i + 1), 0x10000 * (i + 1) + 0x1000);
	begin(&f, text->str);
	wait_for_maps(&f, 0x10000 * 30000 + 8);
	check_name(&f, 0x10000 * 30000 + 8, "0x75300008 in memory of 42");
	for (unsigned i = 0; i < 200000; i++)
		g_assert_nonnull(find(&f, 0x10000 * 3 + 0x2000 + 4 * (i % 16)).name);
	g_test_message("%" G_GINT64_FORMAT " us", g_get_monotonic_time() - start);
	end(&f);
}

static void test_no_maps(void)
{
	struct fixture f;

	begin(&f, "nothing that maps have\n-\n5500-\n");
	check_name(&f, 0x5500100030, SPT_NO_LOCK_KNOWN);
	g_assert_nonnull(spt_futex_names_find(f.names, 43, NULL, 0x5500100030).name);
	end(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/futex-names/places", test_places);
	g_test_add_func("/futex-names/again", test_again);
	g_test_add_func("/futex-names/many", test_many);
	g_test_add_func("/futex-names/hostile-maps", test_hostile_maps);
	g_test_add_func("/futex-names/no-maps", test_no_maps);
	return g_test_run();
}
