/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bundled names in a capture: reading them, passing them on, and making them fit for sharing. */
#include "rewrite/bundle.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../gen/capture-example.h"
#include "opened.h"
#include "profile/coverage.h"
#include "rewrite/merge.h"
#include "rewrite/anonymize.h"

static SptCapture *open_example(bool bundled)
{
	g_autofree char *directory = g_dir_make_tmp("spt-bundle-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(directory, "example", NULL);
	SptCapture *capture;

	g_assert_true((bundled ? example_write_bundle : example_write)(path, NULL));
	capture = open_sound(path);
	g_unlink(path);
	g_rmdir(directory);
	return capture;
}

static unsigned places_at(SptSymbols *symbols, uint64_t offset, SptNamedPlace *ret)
{
	return spt_symbols_places(symbols, &(SptFrame){ .object = EXAMPLE_BUSY, .offset = offset },
				  ret);
}

static void check_place(const SptNamedPlace *place, const char *function, SptSource source,
			const char *file, uint32_t line)
{
	g_assert_cmpstr(place->name.function, ==, function);
	g_assert_cmpstr(place->name.object, ==, "busy");
	g_assert_cmpstr(spt_source_name(place->name.source), ==, spt_source_name(source));
	g_assert_cmpstr(place->file, ==, file);
	g_assert_cmpuint(place->line, ==, line);
}

static void check_symbols(const SptCapture *capture)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	SptNamedPlace places[SPT_INLINES_MAX];
	uint64_t start, bytes;

	g_assert_cmpuint(places_at(symbols, 0x1200, places), ==, 3);
	check_place(&places[0], "innermost", SPT_SOURCE_DEBUG_INFO, "busy.h", 7);
	check_place(&places[1], "inlined", SPT_SOURCE_DEBUG_INFO, "busy.h", 17);
	check_place(&places[2], "hot", SPT_SOURCE_BUNDLE, "busy.c", 27);
	g_assert_cmpstr(places[2].directory, ==, "/src");
	/* A line by itself does not remove a name. */
	g_assert_cmpuint(places_at(symbols, 0x1000, places), ==, 1);
	check_place(&places[0], "main", SPT_SOURCE_CAPTURE, "busy.c", 99);
	g_assert_null(places[0].directory);
	g_assert_cmpuint(places_at(symbols, 0x1100, places), ==, 1);
	check_place(&places[0], "work", SPT_SOURCE_CAPTURE, NULL, 0);
	g_assert_true(spt_symbols_extent(
		symbols, &(SptFrame){ .object = EXAMPLE_BUSY, .offset = 0x1200 }, &start, &bytes));
	g_assert_cmpuint(start, ==, 0x1200);
	g_assert_cmpuint(bytes, ==, 0x80);
	spt_symbols_set_detail(symbols, 0);
	g_assert_cmpuint(places_at(symbols, 0x1200, places), ==, 1);
	check_place(&places[0], "hot", SPT_SOURCE_BUNDLE, NULL, 0);
}

static void test_read(void)
{
	g_autoptr(SptCapture) capture = open_example(true);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(GArray) coverage = spt_coverage_new(capture, symbols);

	check_symbols(capture);
	g_assert_cmpuint(spt_coverage_from(coverage, SPT_SOURCE_BUNDLE), ==, 180);
	g_assert_cmpuint(spt_coverage_from(coverage, SPT_SOURCE_CAPTURE), ==, 120);
	g_assert_cmpuint(spt_coverage_from(coverage, SPT_SOURCE_SYMTAB), ==, 0);
}

/* Through a merger, and bundled once more where the file is not. */
static void test_passed_on(void)
{
	g_autofree char *directory = g_dir_make_tmp("spt-bundle-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(directory, "merged", NULL);
	g_autoptr(SptCapture) one = open_example(true);
	g_autoptr(SptCapture) other = open_example(false);
	const SptCapture *const captures[] = { other, one };
	g_autoptr(SptCapture) merged = NULL;
	g_autoptr(GError) error = NULL;

	g_assert_true(spt_merge_captures(captures, 2, path, &error));
	g_assert_no_error(error);
	merged = open_sound(path);
	g_assert_cmpuint(merged->n_bundled, ==, 4);
	check_symbols(merged);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(merged, NULL);

	spt_bundle(merged, symbols);
	g_assert_cmpuint(merged->n_bundled, ==, 4);
	check_symbols(merged);
	g_unlink(path);
	g_rmdir(directory);
}

static void set_text(const char **member, SptCapture *capture, const char *text)
{
	g_ptr_array_add(capture->texts, g_strdup(text));
	*member = capture->texts->pdata[capture->texts->len - 1];
}

static void note(SptCapture *capture, const char *key, const char *value)
{
	g_hash_table_insert(capture->host, (gpointer)key, (gpointer)value);
}

static void test_strip_paths(void)
{
	g_autoptr(SptCapture) capture = open_example(true);

	note(capture, "command", "/opt/me/run --file=/srv/me/a.txt ../b.txt 'c d' x=/y");
	set_text(
		&capture->names[1].symbol, capture,
		"LazyCompile:*run /srv/me/run.js:3 py::work:/srv/me/run.py operator/ Lorg/Some;::work");
	spt_strip_paths(capture);
	g_assert_cmpstr(spt_capture_host(capture, "command"), ==,
			"run --file=a.txt b.txt 'c d' x=y");
	g_assert_cmpstr(capture->objects[EXAMPLE_BUSY].path, ==, "busy");
	g_assert_cmpuint(capture->objects[EXAMPLE_BUSY].build_id_bytes, ==, 20);
	g_assert_cmpstr(capture->names[1].symbol, ==,
			"LazyCompile:*run run.js:3 py::work:run.py operator/ Lorg/Some;::work");
	g_assert_cmpstr(capture->bundled[0].directory, ==, "");
	g_assert_cmpstr(capture->bundled[0].file, ==, "busy.h");
	g_assert_cmpstr(capture->bundled[0].function, ==, "innermost");
	g_assert_cmpstr(capture->processes[2].name, ==, "busy");
	/* Of the same object, and still found. */
	set_text(&capture->names[1].symbol, capture, "main");
	capture->bundled[0].directory = capture->bundled[1].directory =
		capture->bundled[2].directory = "/src";
	check_symbols(capture);
}

static void test_anonymize(void)
{
	g_autoptr(SptCapture) capture = open_example(true);

	note(capture, "command", "/opt/me/run");
	note(capture, "no_frame_pointers", "/opt/me/run");
	note(capture, "suspend@17", "4");
	capture->processes[1].flags = SPT_PROCESS_KTHREAD;
	spt_anonymize(capture);
	g_assert_null(spt_capture_host(capture, "host"));
	g_assert_null(spt_capture_host(capture, "command"));
	g_assert_null(spt_capture_host(capture, "no_frame_pointers"));
	g_assert_null(spt_capture_host(capture, "future-key"));
	g_assert_cmpstr(spt_capture_host(capture, "suspend@17"), ==, "4");
	g_assert_cmpstr(spt_capture_host(capture, "kernel"), ==, "6.1.0");
	g_assert_cmpstr(capture->processes[1].name, ==, "init");
	g_assert_cmpstr(capture->processes[2].name, ==, "process-1");
	g_assert_cmpstr(capture->threads[1].name, ==, "process-1");
	g_assert_cmpstr(capture->threads[2].name, ==, "thread-1");
	g_assert_cmpstr(capture->objects[EXAMPLE_BUSY].path, ==, "object-1");
	g_assert_cmpuint(capture->objects[EXAMPLE_BUSY].build_id_bytes, ==, 0);
	g_assert_cmpuint(capture->objects[EXAMPLE_BUSY].mtime_ns, ==, 0);
	g_assert_cmpstr(capture->names[0].symbol, ==, "do_syscall");
	for (unsigned i = 1; i < capture->n_names; i++) {
		g_assert_true(g_str_has_prefix(capture->names[i].symbol, "function-"));
		/* "hot" is one name in both. */
		g_assert_true(
			(capture->names[i].offset == 0x1200) ==
			(strcmp(capture->names[i].symbol, capture->bundled[2].function) == 0));
	}
	g_assert_true(g_str_has_prefix(capture->bundled[0].function, "function-"));
	g_assert_cmpstr(capture->bundled[0].function, !=, capture->bundled[1].function);
	g_assert_cmpstr(capture->bundled[0].file, ==, "file-1");
	g_assert_cmpstr(capture->bundled[1].file, ==, "file-1");
	g_assert_cmpstr(capture->bundled[2].file, ==, "file-2");
	g_assert_cmpstr(capture->bundled[0].directory, ==, "");
	g_assert_cmpuint(capture->bundled[0].line, ==, 7);
}

/* Names of events are those of files, too. */
static void test_events(void)
{
	g_autoptr(SptCapture) capture = open_example(true);

	set_text(&capture->objects[EXAMPLE_BUSY].path, capture, "[event]");
	capture->objects[EXAMPLE_BUSY].kind = SPT_OBJECT_UNKNOWN;
	spt_anonymize(capture);
	g_assert_cmpstr(capture->objects[EXAMPLE_BUSY].path, ==, "[event]");
	for (unsigned i = 1; i < capture->n_names; i++)
		g_assert_true(g_str_has_prefix(capture->names[i].symbol, "function-"));
}

/* Objects that belong to the system by their path, and similar ones. */
static void test_system_libraries(void)
{
	static const struct {
		const char *path, *told;	/* NULL: a number */
	} cases[] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6" },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6 (deleted)", "libc.so.6 (deleted)" },
		{ "/lib64/ld-linux-x86-64.so.2", "ld-linux-x86-64.so.2" },
		{ "/usr/lib/firefox/libxul.so", "libxul.so" },
		{ "/usr/lib/jvm/java", NULL },
		{ "/usr/lib/me/my.sock", NULL },
		{ "/usr/bin/python3", NULL },
		{ "/srv/me/usr/lib/libc.so.6", NULL },
		{ "/usr/local/lib/libmine.so", NULL },
		{ "/opt/lib.so", NULL },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptCapture) capture = open_example(true);

		set_text(&capture->objects[EXAMPLE_BUSY].path, capture, cases[i].path);
		spt_anonymize(capture);
		g_assert_cmpstr(capture->objects[EXAMPLE_BUSY].path, ==,
				cases[i].told ? cases[i].told : "object-1");
		g_assert_cmpint(strcmp(capture->bundled[2].function, "hot") == 0, ==,
				cases[i].told != NULL);
		g_assert_cmpint(strcmp(capture->bundled[2].file, "busy.c") == 0, ==,
				cases[i].told != NULL);
		g_assert_cmpstr(capture->bundled[2].directory, ==, "");
		g_assert_cmpuint(capture->objects[EXAMPLE_BUSY].inode, ==, 0);
	}
}

/* Streams and files of which nobody knows what they hold. */
static void test_other_streams(void)
{
	g_autofree char *directory = g_dir_make_tmp("spt-bundle-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(directory, "shared", NULL);
	g_autoptr(SptCapture) capture = open_example(false);
	g_autoptr(SptCapture) shared = NULL;

	g_assert_cmpuint(capture->n_places, >, 0);
	spt_anonymize(capture);
	g_assert_true(spt_merge_captures((const SptCapture *const[]){ capture }, 1, path, NULL));
	shared = open_sound(path);
	g_assert_cmpuint(shared->n_samples, ==, 305);
	g_assert_cmpuint(shared->n_places, ==, 0);
	g_assert_cmpuint(shared->n_streams, ==, 2);
	g_unlink(path);
	g_rmdir(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bundle/read", test_read);
	g_test_add_func("/bundle/passed-on", test_passed_on);
	g_test_add_func("/bundle/strip-paths", test_strip_paths);
	g_test_add_func("/bundle/anonymize", test_anonymize);
	g_test_add_func("/bundle/events", test_events);
	g_test_add_func("/bundle/system-libraries", test_system_libraries);
	g_test_add_func("/bundle/other-streams", test_other_streams);
	return g_test_run();
}
