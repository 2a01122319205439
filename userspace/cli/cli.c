/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every command does alike: complain in one sentence, read its options, open its recording. */
#include "cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"

void spt_cli_complain(const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *shown = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	shown = spt_format_cut(text, 0);
	fprintf(stderr, SPT_CLI ": %s\n", shown);
}

/* Set while commands are asked for their options only. */
static bool is_listing;

static void list_option(const struct spt_command *command, const GOptionEntry *option)
{
	char letter[2] = { option->short_name, '\0' };
	const char *kind =
		option->arg == G_OPTION_ARG_FILENAME || option->arg == G_OPTION_ARG_FILENAME_ARRAY ?
			"file" :
			"text";

	printf("%s\t%s\t%s\t%s\t%s\t%s\n", command->name, option->long_name, letter,
	       option->arg == G_OPTION_ARG_NONE ? "" : kind,
	       option->arg_description ? option->arg_description : "", option->description);
}

void spt_cli_list_options(const struct spt_command *command)
{
	char *arguments[] = { (char *)command->name, NULL };

	printf("%s\t\t\t\t%s\t%s\n", command->name, command->usage, command->help);
	is_listing = true;
	command->run(1, arguments);
	is_listing = false;
}

bool spt_cli_parse(const struct spt_command *command, const GOptionEntry *entries, int *argc,
		   char ***argv)
{
	g_autoptr(GOptionContext) context = g_option_context_new(command->usage);
	g_autofree char *program = g_strdup_printf(SPT_CLI " %s", command->name);
	g_autoptr(GError) error = NULL;

	if (is_listing) {
		for (; entries->long_name; entries++)
			if (!(entries->flags & G_OPTION_FLAG_HIDDEN))
				list_option(command, entries);
		return false;
	}
	/* Where GOption's help takes the usage line from. */
	g_set_prgname(program);
	g_option_context_set_summary(context, command->help);
	g_option_context_add_main_entries(context, entries, NULL);
	if (g_option_context_parse(context, argc, argv, &error))
		return true;
	spt_cli_complain("%s; \"" SPT_CLI " %s --help\" lists the options", error->message,
			 command->name);
	return false;
}

int spt_cli_first_operand(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
}

const char *spt_cli_operand(const struct spt_command *command, const char *input, int argc,
			    char **argv)
{
	int first = spt_cli_first_operand(argc, argv);

	if (argc == first + !input)
		return input ? input : argv[first];
	spt_cli_complain("%s takes one FILE: " SPT_CLI " %s %s", command->name, command->name,
			 command->usage);
	return NULL;
}

const char *spt_cli_input(const struct spt_command *command, const char *input)
{
	if (input)
		return input;
	if (access(SPT_CLI_CAPTURE, F_OK) == 0 || access(SPT_CLI_CAPTURE ".part", F_OK) == 0)
		return SPT_CLI_CAPTURE;
	spt_cli_complain("%s reads " SPT_CLI_CAPTURE
			 " unless it is given a FILE, and there is none here: " SPT_CLI " %s %s",
			 command->name, command->name, command->usage);
	return NULL;
}

const char *spt_cli_recording(const struct spt_command *command, const char *input, int argc,
			      char **argv)
{
	if (argc > spt_cli_first_operand(argc, argv))
		return spt_cli_operand(command, input, argc, argv);
	return spt_cli_input(command, input);
}

bool spt_cli_parse_source(const char *name, SptTraceSource *ret)
{
	static const char *const names[] = {
		[SPT_TRACE_AUTO] = "auto", [SPT_TRACE_MODULE] = "module", [SPT_TRACE_PERF] = "perf",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		if (strcmp(name, names[i]))
			continue;
		*ret = i;
		return true;
	}
	return false;
}

SptCapture *spt_cli_open(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture;

	spt_heap_in_large_pages();
	capture = spt_capture_open(path, &error);
	if (!capture)
		spt_cli_complain("%s", error->message);
	else if (capture->damage)
		spt_cli_complain("%s is damaged: %s", path, capture->damage);
	return capture;
}

bool spt_cli_flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	spt_cli_complain("Cannot write the output: %s", g_strerror(errno));
	return false;
}
