/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-helper: reads files for a program of Sysprof, which has its other end, so that a hostile
 * file cannot harm that program.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debuginfod.h"
#include "import/import.h"

int main(int argc, char **argv)
{
	int type, status;
	socklen_t bytes = sizeof(type);

	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0) {
		fprintf(stderr,
			"sysprof-helper: nobody asks; sysprof-cli and sysprof run this by themselves.\n");
		return 2;
	}
	if (spt_import_run(STDIN_FILENO, argc, argv, &status))
		return status;
	return spt_helper_run(STDIN_FILENO, argc, argv, spt_debuginfod_fetch) ? 0 : 2;
}
