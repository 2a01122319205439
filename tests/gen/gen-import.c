/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-import DIRECTORY: seeds for fuzz-import, files of each format that is imported; of packed
 * ones also the unpacked bytes, since what is changed in a packed file seldom comes through.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "capture-example.h"
#include "export/export.h"
#include "import/unpack.h"
#include "perf-example.h"

static void put_seed(const char *directory, const char *name, const void *bytes, size_t n)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);

	g_file_set_contents(path, bytes, (gssize)n, NULL);
}

#ifdef SPT_HAS_PPROF
static void put_unpacked(const char *directory, const char *from, const char *name)
{
	g_autofree char *path = g_build_filename(directory, from, NULL);
	FILE *file = fopen(path, "rb");
	g_autoptr(GByteArray) bytes = file ? spt_import_unpack(fileno(file), 1u << 20, NULL) : NULL;

	if (file)
		fclose(file);
	if (bytes)
		put_seed(directory, name, bytes->data, bytes->len);
}
#endif

static void put_exports(const char *directory, const SptCapture *capture)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(capture, symbols, NULL, NULL);
	const SptExportInput input = { .profile = profile, .capture = capture, .symbols = symbols };
	const SptExport *const formats[] = { &spt_export_folded, &spt_export_pprof };

	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		g_autoptr(SptOut) out = spt_out_new_memory(text);

		if (formats[i]->write(&input, out, NULL) && spt_out_finish(out, NULL))
			put_seed(directory, formats[i]->name, text->str, text->len);
	}
#ifdef SPT_HAS_PPROF
	put_unpacked(directory, "pprof", "pprof-unpacked");
#endif
}

static void put_perf_data(const char *directory)
{
	static const struct {
		const char *name;
		unsigned flags;
	} files[] = {
		{ "perf.data", 0 },
		{ "perf-pipe", PERF_EXAMPLE_PIPE },
		{ "perf-packed", PERF_EXAMPLE_PACKED },
		{ "perf-copies", PERF_EXAMPLE_COPIES },
		{ "perf-events", PERF_EXAMPLE_EVENTS },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(GByteArray) file = perf_example_new(files[i].flags);

		put_seed(directory, files[i].name, file->data, file->len);
	}
}

/* As perf script prints it: with stacks, and one line a sample. */
static void put_perf_script(const char *directory)
{
	static const char stacks[] =
		"busy 10/11 [001]     1.000001:    1000000 cpu-clock:ppp:\n"
		"\t    55aa f(int)+0x1f (/tmp/a (deleted))\n"
		"\t    55ab inlined_one (inlined)\n"
		"\t    55ac main+0x2 (/tmp/busy)\n"
		"\tffffffff81000000 do_syscall_64+0x3 ([kernel.kallsyms])\n"
		"\n"
		"busy 10/11     1.000002:    1000000 cpu-clock:ppp:\n"
		"\t    7f00 [unknown] ([unknown])\n"
		"\n",
		line[] = "   a b   12 [000]   1.5:   7 cycles:P:   55aa main+0x1 (/tmp/busy)\n";

	put_seed(directory, "perf-script", stacks, strlen(stacks));
	put_seed(directory, "perf-script-line", line, strlen(line));
}

int main(int argc, char **argv)
{
	g_autofree char *path = argc == 2 ? g_build_filename(argv[1], "example", NULL) : NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = NULL;

	if (!path) {
		fprintf(stderr, "Usage: gen-import DIRECTORY\n");
		return 2;
	}
	if (example_write_bundle(path, &error))
		capture = spt_capture_open(path, &error);
	if (!capture) {
		fprintf(stderr, "gen-import: %s\n", error->message);
		return 1;
	}
	g_unlink(path);
	put_exports(argv[1], capture);
	put_perf_data(argv[1]);
	put_perf_script(argv[1]);
	return 0;
}
