/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of kernel code by the names that a recording has of it.  This program acts as the
 * kernel, and an object file of the library for a module: they lie at other addresses than the
 * recording's, as kernels do.
 */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/symbols.h"

#define MOVED 0x12340000u
#define MODULE_START 0xff00000100ull	/* of the 40 bits that offsets have, near the end */

static volatile int sink;

static const int line_before = __LINE__;
static __attribute__((noinline)) void scheduler(int depth)
{
	sink = depth;
}
static __attribute__((noinline)) void interrupt(int depth)
{
	sink = depth + 1;
}

struct recording {
	SptCapture capture;
	SptObjectRow objects[3];
	SptNameRow names[3];
	char *dir;			/* of debug files */
	char *other_dir;
	const char *dirs[3];
};

static void recording_init(struct recording *recording)
{
	*recording = (struct recording){ .dir = g_dir_make_tmp("sysprof-kernel-XXXXXX", NULL) };
	g_assert_nonnull(recording->dir);
	recording->other_dir = g_build_filename(recording->dir, "other", NULL);
	recording->dirs[0] = recording->dir;
	recording->dirs[1] = recording->other_dir;
	recording->objects[1] = (SptObjectRow){ .id = 1, .kind = SPT_OBJECT_KERNEL, .path = "" };
	recording->objects[2] = (SptObjectRow){ .id = 2, .kind = SPT_OBJECT_MODULES, .path = "" };
	/* Both exact, at the functions' first instructions. */
	recording->names[0] = (SptNameRow){ .object = 1,
					    .offset = (uintptr_t)scheduler + MOVED,
					    .symbol = "scheduler",
					    .symbol_bytes = 4,
					    .module = "" };
	recording->names[1] = (SptNameRow){ .object = 1,
					    .offset = (uintptr_t)interrupt + MOVED,
					    .symbol = "interrupt",
					    .symbol_bytes = 4,
					    .module = "" };
	recording->names[2] = (SptNameRow){ .object = 2,
					    .offset = MODULE_START + 1,
					    .distance = 1,
					    .symbol = "spt_sort_frames",
					    .symbol_bytes = 64,
					    .module = "sort_it" };
	recording->capture = (SptCapture){
		.path = "made",
		.objects = recording->objects,
		.n_objects = 3,
		.names = recording->names,
		.n_names = 3,
		.fd = -1,
		.host = g_hash_table_new(g_str_hash, g_str_equal),
	};
	g_hash_table_insert(recording->capture.host, (char *)"kernel", (char *)"6.1-test");
}

static void recording_clear(struct recording *recording)
{
	g_hash_table_unref(recording->capture.host);
	g_rmdir(recording->dir);
	g_free(recording->dir);
	g_free(recording->other_dir);
}

/* The innermost place of a frame. */
static SptNamedPlace place_at(SptSymbols *symbols, uint32_t object, uint64_t offset)
{
	SptFrame frame = { .object = object, .offset = offset, .kind = SPT_FRAME_EXACT };
	SptNamedPlace places[SPT_INLINES_MAX];

	g_assert_cmpuint(spt_symbols_places(symbols, &frame, places), >=, 1);
	return places[0];
}

static SptSymbols *symbols_with(struct recording *recording, const char *vmlinux)
{
	SptSymbols *symbols = spt_symbols_new(&recording->capture, recording->dirs);

	spt_symbols_set_vmlinux(symbols, vmlinux);
	return symbols;
}

static void test_image(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) symbols = NULL;
	SptNamedPlace place;

	scheduler(1);
	interrupt(1);
	recording_init(&recording);
	symbols = symbols_with(&recording, "/proc/self/exe");
	g_assert_null(spt_symbols_vmlinux_problem(symbols));
	place = place_at(symbols, 1, recording.names[0].offset);
	g_assert_cmpstr(place.name.function, ==, "scheduler");
	g_assert_true(g_str_has_suffix(place.file, "test-kernel.c"));
	/* Compilers take the name, the brace or the first statement for the beginning. */
	g_assert_cmpuint(place.line - (line_before + 1), <=, 2);
	g_assert_cmpuint(place_at(symbols, 1, recording.names[1].offset + 1).line -
				 (line_before + 5),
			 <=, 2);
	/* No name, no line. */
	g_assert_null(place_at(symbols, 1, recording.names[1].offset + 100).file);
	recording_clear(&recording);
}

static void test_other_image(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) by_places = NULL;
	g_autoptr(SptSymbols) by_id = NULL;
	g_autoptr(SptSymbols) by_file = NULL;
	g_autoptr(SptSymbols) by_nothing = NULL;

	recording_init(&recording);
	recording.names[1].offset += 16;
	by_places = symbols_with(&recording, "/proc/self/exe");
	g_assert_nonnull(
		strstr(spt_symbols_vmlinux_problem(by_places), "its functions are at other addresses"));
	g_assert_null(place_at(by_places, 1, recording.names[0].offset).file);
	recording.names[1].offset -= 16;
	g_hash_table_insert(recording.capture.host, (char *)"build-id", (char *)"00112233");
	by_id = symbols_with(&recording, "/proc/self/exe");
	g_assert_nonnull(strstr(spt_symbols_vmlinux_problem(by_id), "its build-id differs"));
	by_file = symbols_with(&recording, "/proc/self/maps");
	g_assert_nonnull(strstr(spt_symbols_vmlinux_problem(by_file), "cannot be read"));
	by_nothing = symbols_with(&recording, NULL);
	g_assert_null(place_at(by_nothing, 1, recording.names[0].offset).file);
	recording_clear(&recording);
}

static unsigned line_with(const char *path, const char *words)
{
	g_autofree char *text = NULL;
	const char *found;
	unsigned line = 1;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	found = strstr(text, words);
	g_assert_nonnull(found);
	for (const char *c = text; c < found; c++)
		line += *c == '\n';
	return line;
}

/* Of the function's code: as it is in the object file, and what will be put into it. */
static void expect_code(SptSymbols *symbols, const char *object)
{
	static const SptFrame frame = { .object = 2,
					.offset = MODULE_START,
					.kind = SPT_FRAME_EXACT };
	g_autofree char *problem = NULL;
	g_autoptr(SptCode) code = spt_symbols_code(symbols, &frame, 1024, &problem);
	g_autofree char *command =
		g_strdup_printf("objdump -dr --disassemble=spt_sort_frames '%s'", object);
	g_autofree char *output = NULL;
	g_auto(GStrv) lines = NULL;
	uint64_t start = 0;
	unsigned n_references = 0, byte;

	g_assert_cmpstr(problem, ==, NULL);
	g_assert_cmpuint(code->bytes->len, ==, 1024);
	g_assert_true(g_spawn_command_line_sync(command, &output, NULL, NULL, NULL));
	lines = g_strsplit(output, "\n", -1);
	for (char **line = lines; *line; line++) {
		char type[64], name[200];
		uint64_t at;

		if (strstr(*line, " <spt_sort_frames>:"))
			start = g_ascii_strtoull(*line, NULL, 16);
		if (sscanf(*line, " %" G_GINT64_MODIFIER "x: R_%63[A-Z0-9_] %199[^+-]", &at, type,
			   name) == 3 &&
		    at - start < 1024) {
			const char *known =
				spt_code_reference(code, code->address + (at - start), 1);

			/* Sections are called after what lies there. */
			g_assert_nonnull(known);
			if (name[0] != '.')
				g_assert_true(g_str_has_prefix(known, name));
			n_references++;
		} else if (sscanf(*line, " %" G_GINT64_MODIFIER "x:\t%x", &at, &byte) == 2 &&
			   at - start < 1024) {
			g_assert_cmphex(code->bytes->data[at - start], ==, byte);
		}
	}
	g_assert_cmpuint(n_references, >, 2);
}

/* Debian's modules are files, others' are packed. */
static void test_module(gconstpointer pack)
{
	struct recording recording;
	g_autofree char *object =
		g_canonicalize_filename("build/asan/obj/userspace/lib/stash/frames.o", NULL);
	g_autofree char *below = NULL;
	g_autofree char *command = NULL;
	g_autofree char *remove = NULL;
	g_autoptr(SptSymbols) symbols = NULL;
	SptNamedPlace place;

	recording_init(&recording);
	below = g_build_filename(recording.dir, "lib/modules/6.1-test/kernel/fs", NULL);
	g_assert_no_errno(g_mkdir_with_parents(below, 0700));
	command = g_strdup_printf(pack, object, below);
	g_assert_cmpint(system(command), ==, 0);
	symbols = symbols_with(&recording, NULL);
	place = place_at(symbols, 2, MODULE_START);
	g_assert_cmpstr(place.name.function, ==, "spt_sort_frames");
	g_assert_cmpstr(place.name.object, ==, "[sort_it]");
	g_assert_nonnull(place.file);
	g_assert_true(g_str_has_suffix(place.file, "stash/frames.c"));
	g_assert_cmpuint(place.line - line_with("userspace/lib/stash/frames.c",
						"const bool *used, uint32_t *ret_n)"),
			 <=, 1);
	expect_code(symbols, object);
	remove = g_strdup_printf("rm -r '%s'", recording.dir);
	g_assert_cmpint(system(remove), ==, 0);
	recording_clear(&recording);
}

/* As distributions have it: one file has what runs, another debug information. */
static void test_module_in_two(void)
{
	test_module(
		"cd '%2$s' && objcopy --only-keep-debug '%1$s' sort-it.ko.debug && other=../../../../../other/lib/modules/6.1-test && "
		"mkdir -p $other && strip -g -o $other/sort_it.ko '%1$s'");
}

/* What a copy of this program does, beside which lies a reader that dies. */
static int live_without_helper(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) symbols = NULL;
	const char *problem;
	SptNamedPlace place;

	recording_init(&recording);
	symbols = symbols_with(&recording, "/proc/self/exe");
	problem = spt_symbols_vmlinux_problem(symbols);
	place = place_at(symbols, 1, recording.names[0].offset);
	recording_clear(&recording);
	return problem && strstr(problem, "the process that reads it crashed (Segmentation fault)") &&
			       g_strcmp0(spt_symbols_failure(symbols, 1), problem) == 0 &&
			       strcmp(place.name.function, "scheduler") == 0 && !place.file ?
		       0 :
		       1;
}

/* Whatever is in a kernel's files, names of the recording are left. */
static void test_crash(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *dir = g_dir_make_tmp("sysprof-kernel-XXXXXX", NULL);
	g_autofree char *command = g_strdup_printf(
		"cd '%s' && cp '%s' copy && printf '#!/bin/sh\nkill -SEGV $$\n' >sysprof-helper && "
		"chmod +x sysprof-helper && ./copy --without-helper && rm -r '%s'",
		dir, self, dir);

	g_assert_cmpint(system(command), ==, 0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--without-helper") == 0)
		return live_without_helper();
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kernel/image", test_image);
	g_test_add_func("/kernel/other-image", test_other_image);
	g_test_add_data_func("/kernel/module", "ln -s '%1$s' '%2$s/sort-it.ko'", test_module);
	g_test_add_data_func("/kernel/packed-module", "xz -c '%1$s' >'%2$s/sort_it.ko.xz'",
			     test_module);
	g_test_add_func("/kernel/module-in-two", test_module_in_two);
	g_test_add_func("/kernel/crash", test_crash);
	return g_test_run();
}
