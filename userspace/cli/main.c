/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli: finds the command and runs it. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cmd.h"
#include "import/import.h"
#include "symbols/helpers.h"

static const struct spt_command *const commands[] = {
	&cmd_record,
	&cmd_receive,
	&cmd_agent,
	&cmd_top,
	&cmd_report,
	&cmd_annotate,
	&cmd_export,
	&cmd_import,
	&cmd_diff,
	&cmd_merge,
	&cmd_mark,
	&cmd_events,
	&cmd_bundle,
	&cmd_info,
	&cmd_tables,
	&cmd_doctor,
	&cmd_mcp,
};

/* Columns before the help of a command. */
#define HELP_INDENT 11

static void print_usage(void)
{
	printf("Usage: %s COMMAND [...]\n\n", spt_cli_called());
	for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *help = spt_format_wrap(commands[i]->help, HELP_INDENT,
							spt_terminal_width());

		printf("  %-8s %s\n", commands[i]->name, help);
	}
	printf("\n\"%s COMMAND --help\" lists its options; --version prints the version.\n",
	       spt_cli_called());
}

static int run_command(int argc, char **argv)
{
	const char *nearest = NULL;
	unsigned least = UINT_MAX;
	int status;

	for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (spt_is_nearer(argv[1], commands[i]->name, &least))
			nearest = commands[i]->name;
		if (strcmp(argv[1], commands[i]->name) != 0)
			continue;
		status = commands[i]->run(argc - 1, argv + 1);
		spt_terminal_end();
		return status;
	}
	spt_cli_complain("There is no command \"%s\"; %s%s%s\"%s --help\" lists them", argv[1],
			 nearest ? "did you mean \"" : "", nearest ? nearest : "",
			 nearest ? "\"? " : "", spt_cli_called());
	return SPT_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	g_autofree char *name = NULL;
	int status;

	/* The program is its own reader, so the file of make static works alone. */
	if (strcmp(argv[0], SPT_HELPER_NAME) == 0 &&
	    spt_import_run(STDIN_FILENO, argc, argv, &status))
		return status;
	if (strcmp(argv[0], SPT_HELPER_NAME) == 0)
		return spt_helper_run(STDIN_FILENO, argc, argv, NULL) ? SPT_EXIT_OK :
									SPT_EXIT_USAGE;
	spt_helpers_set_own("/proc/self/exe");
	/*
	 * Only the character set: numbers keep their decimal point, so that scripts can read them.
	 */
	setlocale(LC_CTYPE, "");
	/* The name as it was called: the program has two names. */
	name = g_path_get_basename(argv[0]);
	g_set_prgname(name);
	spt_cli_set_called(name);

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_usage();
		return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("%s %s\n", name, SPT_VERSION);
		return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	}
	if (strcmp(argv[1], "--list-options") == 0) {
		for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
			spt_cli_list_options(commands[i]);
		return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	}
	return run_command(argc, argv);
}
