/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gen-capture OUT: writes the capture that capture-example.h describes. */
#include <stdio.h>

#include "capture-example.h"

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;

	if (argc != 2) {
		fprintf(stderr, "Usage: gen-capture OUT\n");
		return 2;
	}
	if (!example_write(argv[1], &error)) {
		fprintf(stderr, "gen-capture: %s\n", error->message);
		return 1;
	}
	return 0;
}
