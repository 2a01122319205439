/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gen-mappings DIRECTORY: calls of mmap() and munmap() as fuzz-mappings reads them. */
#include <glib.h>

#define CALLS	   200u
#define CALL_BYTES 3u

int main(int argc, char **argv)
{
	g_autofree char *path = argc > 1 ? g_build_filename(argv[1], "1", NULL) : NULL;
	guint32 number = 1;
	char calls[CALLS * CALL_BYTES];

	for (unsigned i = 0; i < sizeof(calls); i++) {
		number = number * 1103515245 + 12345;
		calls[i] = (char)(number >> 16);
	}
	return path && g_file_set_contents(path, calls, sizeof(calls), NULL) ? 0 : 1;
}
