/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli mark: marks from shells, in a recording that runs the shell. */
#include <spt/mark.h>
#include <stdio.h>

#include "cmd.h"

#define SHELL "shell"

static bool leave_mark(const char *what, const char *name)
{
	if (strcmp(what, "begin") == 0)
		spt_mark_open(SHELL, name);
	else if (strcmp(what, "end") == 0)
		spt_mark_close(name);
	else if (strcmp(what, "instant") == 0)
		spt_mark_instant(SHELL, name, NULL);
	else
		return false;
	return true;
}

static int run_mark(int argc, char **argv)
{
	const GOptionEntry none[] = { { 0 } };
	const char *what;

	if (!spt_cli_parse(&cmd_mark, none, &argc, &argv))
		return SPT_EXIT_USAGE;
	what = argc == 3 ? argv[1] : "instant";
	if ((argc == 2 || argc == 3) && leave_mark(what, argv[argc - 1]))
		return SPT_EXIT_OK;
	spt_cli_complain("mark takes a name, and before it begin, end or instant, as in \"" SPT_CLI
			 " mark begin build\"");
	return SPT_EXIT_USAGE;
}

const struct spt_command cmd_mark = {
	.name = "mark",
	.usage = "[begin|end|instant] NAME",
	.help = "Mark a moment, or the begin or end of a span, in the recording that runs this",
	.run = run_mark,
};
