/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables made beside the recorder by a helper, and kept on disk: the same as made at once, whatever
 * is in the directory and becomes of the helper.
 */
#include "record/tables.h"

#include <dwarf.h>
#include <gelf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../gen/cfi-file.h"
#include "record/table-cache.h"
#include "unwind/extract.h"

#define OBJECTS 32
#define NO_FILE 1000
#define IN_MEMORY 1001
#define NOT_KEPT 1002
#define PATIENT_MS 100000

/* Where debug files are looked for, too. */
static char *debug_dir;

struct fixture {
	char *dir;
	/*
	 * this program, which has a build-id; an image without descriptor; another program, or NULL
	 */
	SptObject *self, *memory, *other;
	SptUnwindTable *right;		/* of @self */
	SptHelpers *helpers;
	unsigned opened;
	GString *failures;		/* "OBJECT PROBLEM\n" */
};

static const SptObject *open_file(uint32_t object, void *data)
{
	struct fixture *fixture = data;

	fixture->opened++;
	return object == NO_FILE   ? NULL :
	       object == IN_MEMORY ? fixture->memory :
	       object == NOT_KEPT  ? fixture->other :
				     fixture->self;
}

static void on_failed(uint32_t object, const char *problem, void *data)
{
	struct fixture *fixture = data;

	g_string_append_printf(fixture->failures, "%u %s\n", object, problem);
}

/*
 * @path: of a directory to keep them in; NULL: they are not kept.  @helper NULL: the one that
 * belongs to this program.
 */
static SptTables *new_tables(struct fixture *fixture, const char *path, SptHelpers *helpers)
{
	return spt_tables_new(open_file, on_failed, fixture,
			      path ? spt_table_cache_new(path, 1 << 28) : NULL,
			      helpers ? helpers : spt_tables_helpers());
}

static void set_up(struct fixture *fixture, const void *data)
{
	g_autoptr(GBytes) image = cfi_file(EM_X86_64, cfi_x86, G_N_ELEMENTS(cfi_x86), false);
	g_autoptr(GError) error = NULL;
	unsigned n;

	(void)data;
	fixture->dir = g_dir_make_tmp("tables-XXXXXX", &error);
	g_assert_no_error(error);
	fixture->self = spt_object_open("/proc/self/exe", &error);
	g_assert_no_error(error);
	g_assert_nonnull(spt_object_build_id(fixture->self, &n));
	fixture->memory = spt_object_open_bytes(image, "image", NULL);
	fixture->failures = g_string_new(NULL);
	fixture->helpers = spt_tables_helpers();
	fixture->right = spt_unwind_table_new(fixture->self, &error);
	g_assert_no_error(error);
}

/* Empties the directory; how many files there were, and how large they were together. */
static unsigned empty(const char *path, uint64_t *ret_bytes, bool is_to_go)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	unsigned n = 0;

	*ret_bytes = 0;
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);
		GStatBuf stat;

		g_assert_cmpint(g_lstat(file, &stat), ==, 0);
		*ret_bytes += (uint64_t)stat.st_size;
		n++;
		if (is_to_go)
			g_remove(file);
	}
	return n;
}

static void tear_down(struct fixture *fixture, const void *data)
{
	uint64_t bytes;

	(void)data;
	empty(fixture->dir, &bytes, true);
	g_rmdir(fixture->dir);
	g_free(fixture->dir);
	spt_object_free(fixture->self);
	spt_object_free(fixture->memory);
	spt_object_free(fixture->other);
	spt_unwind_table_unref(fixture->right);
	g_string_free(fixture->failures, TRUE);
	spt_helpers_free(fixture->helpers);
}

static void is_right(const struct fixture *fixture, const SptUnwindTable *table)
{
	g_assert_nonnull(table);
	g_assert_true(g_bytes_equal(spt_unwind_table_bytes(table),
				    spt_unwind_table_bytes(fixture->right)));
}

static void test_made(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTables) tables = new_tables(fixture, NULL, NULL);

	(void)data;
	for (uint32_t i = 0; i < OBJECTS; i += 2)
		spt_tables_expect(tables, i, false);
	spt_tables_expect(tables, NO_FILE, false);
	/* From the back, so that most are taken before their turn, or while they are being made. */
	for (uint32_t i = OBJECTS; i-- > 0;)
		is_right(fixture, spt_tables_get(tables, i));
	g_assert_null(spt_tables_get(tables, NO_FILE));
	g_assert_nonnull(spt_tables_get(tables, IN_MEMORY));
	g_assert_cmpuint(fixture->opened, ==, OBJECTS + 2);
	spt_tables_expect(tables, 0, false);
	g_assert_true(spt_tables_get(tables, 0) == spt_tables_get(tables, 0));
	g_assert_cmpuint(fixture->opened, ==, OBJECTS + 2);
	g_assert_false(spt_tables_renew(tables));
	g_assert_cmpstr(fixture->failures->str, ==, "");
}

/* A helper of a few words; to be freed. */
static SptHelpers *script(const struct fixture *fixture, const char *text, unsigned patience_ms)
{
	g_autofree char *path = g_build_filename(fixture->dir, "helper", NULL),
			*whole = g_strdup_printf("#!/bin/sh\n%s\n", text);

	g_assert_true(
		g_file_set_contents_full(path, whole, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
	return spt_helpers_new(path, 1, patience_ms, NULL);
}

static void test_helper_fails(struct fixture *fixture, const void *data)
{
	static const struct {
		const char *text;
		unsigned patience_ms;
		const char *failure;
	} helpers[] = {
		{ "kill -SEGV $$", PATIENT_MS,
		  "1 cannot be read: the process that reads it crashed (Segmentation fault)\n" },
		{ "exec sleep 1000", 300, "1 cannot be read: the process that reads it took too long\n" },
		{ "head -c 96 /dev/zero >&0; exec sleep 1000", PATIENT_MS,
		  "1 cannot be read: the process that reads it crashed (Killed)\n" },
		/* A head of 64 bytes of table, and they are none. */
		{ "{ printf 'sppu\\0\\0\\0\\0@'; head -c 87 /dev/zero; } >&0; exec sleep 1000",
		  PATIENT_MS, "1 cannot be read: the process that reads it returned no table\n" },
	};

	(void)data;
	for (unsigned i = 0; i < G_N_ELEMENTS(helpers); i++) {
		g_autoptr(SptTables) tables =
			new_tables(fixture, NULL,
				   script(fixture, helpers[i].text, helpers[i].patience_ms));
		const SptUnwindTable *table;

		g_string_truncate(fixture->failures, 0);
		/* A loaded machine may take longer to run it than who asks waits. */
		while (!fixture->failures->len)
			g_assert_null(spt_tables_get(tables, 1));
		g_assert_cmpstr(fixture->failures->str, ==, helpers[i].failure);
		g_assert_true(spt_tables_is_done(tables, 1, &table));
		g_assert_null(table);
		g_assert_false(spt_tables_keep_frame_pointer(tables, 1));
		/* Told once. */
		g_assert_cmpstr(fixture->failures->str, ==, helpers[i].failure);
	}
}

/* One object's failure is not the next one's. */
static void test_next_object(struct fixture *fixture, const void *data)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL),
			*home = g_path_get_dirname(self);
	g_autofree char *text = g_strdup_printf(
		"[ -e %s/flag ] && exec %s/../sysprof-helper; touch %s/flag; kill -SEGV $$",
		fixture->dir, home, fixture->dir);
	g_autoptr(SptTables) tables = new_tables(fixture, NULL, script(fixture, text, PATIENT_MS));

	(void)data;
	while (!fixture->failures->len)
		g_assert_null(spt_tables_get(tables, 1));
	while (!spt_tables_get(tables, 2))
		;
	is_right(fixture, spt_tables_get(tables, 2));
	g_assert_null(spt_tables_get(tables, 1));
	g_assert_cmpstr(fixture->failures->str, ==,
			"1 cannot be read: the process that reads it crashed (Segmentation fault)\n");
}

/* Who ends does not wait for what hangs. */
static void test_ends_while_it_hangs(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTables) tables =
		new_tables(fixture, NULL, script(fixture, "exec sleep 100000", 50000000));

	(void)data;
	g_assert_null(spt_tables_get(tables, 1));
}

/* Who asks goes on without one that takes long, and hears of it when it has come. */
static void test_late(struct fixture *fixture, const void *data)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL),
			*home = g_path_get_dirname(self);
	g_autofree char *flag = g_build_filename(fixture->dir, "flag", NULL);
	g_autofree char *text =
		g_strdup_printf("while ! [ -e %s ]; do sleep 0.1; done; exec %s/../sysprof-helper",
				flag, home);
	g_autoptr(SptTables) tables = new_tables(fixture, NULL, script(fixture, text, PATIENT_MS));

	(void)data;
	g_assert_null(spt_tables_get(tables, 1));
	g_assert_null(spt_tables_get(tables, 2));
	g_assert_false(spt_tables_renew(tables));
	g_assert_true(g_file_set_contents(flag, "", 0, NULL));
	while (!spt_tables_renew(tables))
		g_usleep(1000);
	while (!spt_tables_get(tables, 1) || !spt_tables_get(tables, 2))
		g_usleep(1000);
	is_right(fixture, spt_tables_get(tables, 1));
	is_right(fixture, spt_tables_get(tables, 2));
	g_assert_cmpstr(fixture->failures->str, ==, "");
}

/* What is kept is there at once, whatever is being made meanwhile. */
static void test_kept_beside(struct fixture *fixture, const void *data)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL),
			*home = g_path_get_dirname(self);
	g_autofree char *path = g_build_filename(home, "..", "sysprof-helper", NULL);
	g_autoptr(SptTables) tables = NULL;
	const SptUnwindTable *table;
	SptUnwindTable *now;
	uint8_t key[SPT_EXTRACT_KEY_BYTES];
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, 1 << 24);

	(void)data;
	g_assert_true(spt_extract_key(spt_object_fd(fixture->self), key));
	spt_table_cache_put(cache, key, sizeof(key), 'e', fixture->right);
	fixture->other = spt_object_open(path, NULL);
	g_assert_nonnull(fixture->other);
	tables = new_tables(fixture, fixture->dir, script(fixture, "exec sleep 100000", 50000000));
	g_assert_null(spt_tables_get(tables, NOT_KEPT));
	spt_tables_expect(tables, 1, false);
	while (!spt_tables_is_done(tables, 1, &table))
		g_usleep(1000);
	is_right(fixture, table);
	g_assert_false(spt_tables_is_done(tables, NOT_KEPT, &table));
	/* Nobody waits for it who need not. */
	g_assert_false(spt_tables_get_now(tables, NOT_KEPT, &now));
	g_assert_true(spt_tables_get_now(tables, 1, &now));
	is_right(fixture, now);
}

/* Ends with work in the queue. */
static void test_not_waited_for(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTables) tables = new_tables(fixture, NULL, NULL);

	(void)data;
	for (uint32_t i = 0; i < OBJECTS; i++)
		spt_tables_expect(tables, i, false);
}

static char *only_file(const struct fixture *fixture)
{
	g_autoptr(GDir) dir = g_dir_open(fixture->dir, 0, NULL);

	return g_build_filename(fixture->dir, g_dir_read_name(dir), NULL);
}

/* Then @n files are kept. */
static void get_by(struct fixture *fixture, unsigned n)
{
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, 1 << 28);
	g_autoptr(SptUnwindTable) table =
		spt_tables_make(cache, fixture->helpers, fixture->self, NULL);
	uint64_t bytes;

	is_right(fixture, table);
	g_assert_cmpuint(empty(fixture->dir, &bytes, false), ==, n);
}

static const SptUnwindTable *wait_for(SptTables *tables, uint32_t object)
{
	const SptUnwindTable *table;

	while (!spt_tables_is_done(tables, object, &table))
		g_usleep(1000);
	return table;
}

/* What is only looked for is not made, until somebody asks, or does not mind. */
static void test_kept_only(struct fixture *fixture, const void *data)
{
	(void)data;
	for (unsigned round = 0; round < 2; round++) {
		g_autoptr(SptTables) tables = new_tables(fixture, fixture->dir, NULL);

		for (uint32_t i = 0; i < OBJECTS; i++)
			g_assert_true(spt_tables_expect(tables, i, true));
		g_assert_false(spt_tables_expect(tables, 0, true));
		if (round == 1) {
			is_right(fixture, wait_for(tables, 0));
			continue;
		}
		g_assert_null(wait_for(tables, 0));
		is_right(fixture, spt_tables_get(tables, 1));
		/* The first time it is found now. */
		g_assert_true(spt_tables_expect(tables, 0, false));
		g_assert_false(spt_tables_expect(tables, 0, false));
		is_right(fixture, wait_for(tables, 0));
		for (uint32_t i = 2; i < OBJECTS; i++)
			spt_tables_expect(tables, i, false);
	}
}

static void test_kept(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, 1 << 24);
	g_autoptr(SptUnwindTable) kept = NULL;
	g_autofree char *file = NULL, *others = NULL;
	const unsigned n = SPT_EXTRACT_KEY_BYTES;
	uint8_t key[SPT_EXTRACT_KEY_BYTES], other[SPT_EXTRACT_KEY_BYTES];

	(void)data;
	g_assert_true(spt_extract_key(spt_object_fd(fixture->self), key));
	memcpy(other, key, n);
	g_assert_null(spt_table_cache_get(cache, key, n, 'e'));
	get_by(fixture, 1);
	kept = spt_table_cache_get(cache, key, n, 'e');
	is_right(fixture, kept);
	/* Its pages come again, also once the file is removed. */
	spt_unwind_table_rest(kept);
	is_right(fixture, kept);
	g_assert_null(spt_table_cache_get(cache, key, n - 1, 'e'));
	g_assert_null(spt_table_cache_get(cache, key, n, 'd'));
	/* Another object's, under this one's name. */
	file = only_file(fixture);
	g_remove(file);
	spt_unwind_table_rest(kept);
	is_right(fixture, kept);
	other[0] ^= 1;
	spt_table_cache_put(cache, other, n, 'e', fixture->right);
	others = only_file(fixture);
	g_assert_cmpint(g_rename(others, file), ==, 0);
	g_assert_null(spt_table_cache_get(cache, key, n, 'e'));
}

/* This program with other call frame information; its build-id is the same. */
static SptObject *forge(const struct fixture *fixture)
{
	g_autofree char *path = g_strconcat(fixture->dir, "-forged", NULL), *content = NULL;
	Elf *elf = spt_object_elf(fixture->self);
	Elf_Scn *scn = NULL;
	SptObject *forged;
	size_t names;
	gsize bytes;

	g_assert_true(g_file_get_contents("/proc/self/exe", &content, &bytes, NULL));
	g_assert_cmpint(elf_getshdrstrndx(elf, &names), ==, 0);
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;

		g_assert_nonnull(gelf_getshdr(scn, &shdr));
		if (!strcmp(elf_strptr(elf, names, shdr.sh_name), ".eh_frame"))
			for (size_t i = 0; i + 1 < shdr.sh_size; i++)
				if (content[shdr.sh_offset + i] == DW_CFA_def_cfa_offset)
					content[shdr.sh_offset + i + 1] ^= 0x40;
	}
	g_assert_true(g_file_set_contents(path, content, (gssize)bytes, NULL));
	forged = spt_object_open(path, NULL);
	g_remove(path);
	return forged;
}

/* A file that states the build-id of another gets neither its table nor its place. */
static void test_forged(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, 1 << 28);
	g_autoptr(SptObject) forged = forge(fixture);
	g_autoptr(SptUnwindTable) theirs = NULL;
	const uint8_t *id, *its_id;
	unsigned n, its_n;
	uint64_t bytes;

	(void)data;
	id = spt_object_build_id(fixture->self, &n);
	its_id = spt_object_build_id(forged, &its_n);
	g_assert_cmpmem(id, n, its_id, its_n);
	theirs = spt_tables_make(cache, fixture->helpers, forged, NULL);
	g_assert_nonnull(theirs);
	g_assert_false(g_bytes_equal(spt_unwind_table_bytes(theirs),
				     spt_unwind_table_bytes(fixture->right)));
	get_by(fixture, 2);
	empty(fixture->dir, &bytes, true);
}

/*
 * Once a debug file is there, what was made without it does not do any more; what was made with it
 * does when it was deleted.
 */
static void test_debug_file(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, 1 << 28);
	g_autoptr(GString) path = g_string_new(debug_dir);
	g_autofree char *content = NULL, *dir = NULL,
			*above = g_build_filename(debug_dir, ".build-id", NULL);
	unsigned n;
	const uint8_t *build_id = spt_object_build_id(fixture->self, &n);
	uint8_t key[SPT_EXTRACT_KEY_BYTES];
	SptUnwindTable *kept;
	uint64_t bytes;
	gsize size;

	(void)data;
	g_assert_true(spt_extract_key(spt_object_fd(fixture->self), key));
	g_string_append_printf(path, "/.build-id/%02x/", build_id[0]);
	for (unsigned i = 1; i < n; i++)
		g_string_append_printf(path, "%02x", build_id[i]);
	g_string_append(path, ".debug");
	dir = g_path_get_dirname(path->str);
	get_by(fixture, 1);
	g_assert_cmpint(g_mkdir_with_parents(dir, 0700), ==, 0);
	g_assert_true(g_file_get_contents("/proc/self/exe", &content, &size, NULL));
	g_assert_true(g_file_set_contents(path->str, content, (gssize)size, NULL));
	get_by(fixture, 2);
	kept = spt_table_cache_get(cache, key, sizeof(key), 'd');
	is_right(fixture, kept);
	empty(fixture->dir, &bytes, true);
	spt_table_cache_put(cache, key, sizeof(key), 'd', kept);
	spt_unwind_table_unref(kept);
	g_remove(path->str);
	g_rmdir(dir);
	g_rmdir(above);
	get_by(fixture, 1);
}

static void test_damaged(struct fixture *fixture, const void *data)
{
	g_autofree char *file = NULL, *content = NULL;
	gsize n;

	(void)data;
	get_by(fixture, 1);
	file = only_file(fixture);
	g_assert_true(g_file_get_contents(file, &content, &n, NULL));
	for (unsigned i = 0; i < 400; i++) {
		size_t at = i < 128 ? i : i * 7919u % n;
		g_autofree char *damaged = g_memdup2(content, n), *repaired = NULL;
		gsize bytes;

		damaged[at] ^= 1 << i % 8;
		g_assert_true(
			g_file_set_contents(file, damaged, i % 3 ? (gssize)n : (gssize)at, NULL));
		get_by(fixture, 1);
		/* It was made anew, and is right again. */
		g_assert_true(g_file_get_contents(file, &repaired, &bytes, NULL));
		g_assert_cmpmem(repaired, bytes, content, n);
	}
	/* What is no file of ours. */
	g_remove(file);
	g_assert_cmpint(symlink("/dev/zero", file), ==, 0);
	get_by(fixture, 1);
	g_remove(file);
	g_assert_cmpint(mkfifo(file, 0600), ==, 0);
	get_by(fixture, 1);
}

static void test_bounded(struct fixture *fixture, const void *data)
{
	uint64_t one = g_bytes_get_size(spt_unwind_table_bytes(fixture->right)), most = one * 4,
		 bytes;
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, most),
				 small = spt_table_cache_new(fixture->dir, one - 1);
	uint8_t build_id[20] = { 0 };

	(void)data;
	for (build_id[0] = 0; build_id[0] < 40; build_id[0]++) {
		g_autoptr(SptUnwindTable) kept = NULL;

		spt_table_cache_put(cache, build_id, sizeof(build_id), 'e', fixture->right);
		g_assert_cmpuint(empty(fixture->dir, &bytes, false), <=, 4);
		g_assert_cmpuint(bytes, <=, most);
		kept = spt_table_cache_get(cache, build_id, sizeof(build_id), 'e');
		is_right(fixture, kept);
	}
	empty(fixture->dir, &bytes, true);
	spt_table_cache_put(small, build_id, sizeof(build_id), 'e', fixture->right);
	g_assert_cmpuint(empty(fixture->dir, &bytes, false), ==, 0);
}

/* A key belongs to one state of a file that does not change just now. */
static void test_keys(struct fixture *fixture, const void *data)
{
	g_autoptr(SptTableCache) cache = spt_table_cache_new(fixture->dir, 1 << 24);
	uint8_t key[SPT_EXTRACT_KEY_BYTES] = "a key", found[SPT_EXTRACT_KEY_BYTES] = "";
	struct stat file = { .st_dev = 7, .st_ino = 8, .st_size = 9,
			     .st_ctim = { g_get_real_time() / G_USEC_PER_SEC, 5 } };

	(void)data;
	spt_table_cache_put_key(cache, &file, key, sizeof(key));
	g_assert_false(spt_table_cache_get_key(cache, &file, found, sizeof(found)));
	file.st_ctim.tv_sec -= 10;
	spt_table_cache_put_key(cache, &file, key, sizeof(key));
	g_assert_true(spt_table_cache_get_key(cache, &file, found, sizeof(found)));
	g_assert_cmpmem(key, sizeof(key), found, sizeof(found));
	file.st_ctim.tv_nsec++;
	g_assert_false(spt_table_cache_get_key(cache, &file, found, sizeof(found)));
	file.st_ctim.tv_nsec--;
	file.st_size++;
	g_assert_false(spt_table_cache_get_key(cache, &file, found, sizeof(found)));
	file.st_size--;
	file.st_ino++;
	g_assert_false(spt_table_cache_get_key(cache, &file, found, sizeof(found)));
	file.st_ctim.tv_nsec = 0;
	spt_table_cache_put_key(cache, &file, key, sizeof(key));
	g_assert_false(spt_table_cache_get_key(cache, &file, found, sizeof(found)));
}

static void test_directory(struct fixture *fixture, const void *data)
{
	g_autofree char *link = g_strconcat(fixture->dir, "-link", NULL);
	SptTableCache *cache = spt_table_cache_new(fixture->dir, 1);

	(void)data;
	g_assert_nonnull(cache);
	spt_table_cache_free(cache);
	g_assert_cmpint(symlink(fixture->dir, link), ==, 0);
	g_assert_null(spt_table_cache_new(link, 1));
	g_remove(link);
	g_assert_cmpint(g_chmod(fixture->dir, 0770), ==, 0);
	g_assert_null(spt_table_cache_new(fixture->dir, 1));
	g_assert_null(spt_table_cache_new("/proc/self/unwind", 1));
}

static void add(const char *path, void (*test)(struct fixture *, const void *))
{
	g_test_add(path, struct fixture, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	debug_dir = g_dir_make_tmp("tables-debug-XXXXXX", NULL);
	g_setenv("SYSPROF_DEBUG_DIRS", debug_dir, TRUE);
	add("/tables/made", test_made);
	add("/tables/not-waited-for", test_not_waited_for);
	add("/tables/helper-fails", test_helper_fails);
	add("/tables/next-object", test_next_object);
	add("/tables/late", test_late);
	add("/tables/kept-beside", test_kept_beside);
	add("/tables/ends-while-it-hangs", test_ends_while_it_hangs);
	add("/tables/kept", test_kept);
	add("/tables/forged", test_forged);
	add("/tables/kept-only", test_kept_only);
	add("/tables/debug-file", test_debug_file);
	add("/tables/damaged", test_damaged);
	add("/tables/bounded", test_bounded);
	add("/tables/keys", test_keys);
	add("/tables/directory", test_directory);
	status = g_test_run();
	g_rmdir(debug_dir);
	g_free(debug_dir);
	return status;
}
