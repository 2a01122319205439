/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-capture [--bundled] OUT: writes the capture that capture-example.h describes; with what was
 * bundled, but then without what nobody understands.
 */
#include <stdio.h>

#include "capture-example.h"

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	bool bundled = argc == 3 && strcmp(argv[1], "--bundled") == 0;

	if (argc != 2 && !bundled) {
		fprintf(stderr, "Usage: gen-capture [--bundled] OUT\n");
		return 2;
	}
	if (!(bundled ? example_write_bundle : example_write)(argv[argc - 1], &error)) {
		fprintf(stderr, "gen-capture: %s\n", error->message);
		return 1;
	}
	return 0;
}
