/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-import DIRECTORY: seeds for fuzz-import, a file of each format that is imported; of packed
 * ones also the unpacked bytes, since what is changed in a packed file seldom comes through.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "capture-example.h"
#include "export/export.h"
#include "import/unpack.h"

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
	return 0;
}
