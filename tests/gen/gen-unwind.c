/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-unwind DIR: writes small ELF files with call frame information of either kind and machine,
 * and the table of one.
 */
#include <stdio.h>

#include "cfi-file.h"
#include "unwind/table.h"

static void put(const char *dir, const char *name, GBytes *bytes)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autoptr(GError) error = NULL;
	gsize n;
	const char *data = g_bytes_get_data(bytes, &n);

	if (!g_file_set_contents(path, data, n, &error)) {
		fprintf(stderr, "gen-unwind: %s\n", error->message);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	g_autoptr(GBytes) x86 = cfi_file(EM_X86_64, cfi_x86, G_N_ELEMENTS(cfi_x86), false);
	g_autoptr(GBytes) debug = cfi_file(EM_X86_64, cfi_x86, G_N_ELEMENTS(cfi_x86), true);
	g_autoptr(GBytes) arm64 = cfi_file(EM_AARCH64, cfi_arm64, G_N_ELEMENTS(cfi_arm64), false);
	g_autoptr(SptObject) object = spt_object_open_bytes(x86, "x86", NULL);
	g_autoptr(SptUnwindTable) table = spt_unwind_table_new(object, NULL);

	if (argc != 2 || !table) {
		fprintf(stderr, "Usage: gen-unwind DIR\n");
		return 2;
	}
	put(argv[1], "x86", x86);
	put(argv[1], "debug", debug);
	put(argv[1], "arm64", arm64);
	put(argv[1], "table", spt_unwind_table_bytes(table));
	return 0;
}
