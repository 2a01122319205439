/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli events: what "record --event" can record on this machine. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "trace/points/point.h"

/* Columns of names; longer ones have their help behind them all the same. */
#define NAME_COLUMNS 36

static void cmd_events_print_json(const GPtrArray *names)
{
	SptJson json = { 0 };

	spt_json_object(&json, NULL);
	spt_json_array(&json, "events");
	for (unsigned i = 0; i < names->len; i++) {
		const SptPointName *name = names->pdata[i];

		spt_json_object(&json, NULL);
		spt_json_text(&json, "name", name->name);
		spt_json_text(&json, "type", spt_point_type_name(name->type));
		spt_json_text(&json, "help", name->help);
		spt_json_end_object(&json);
	}
	spt_json_end_array(&json);
	spt_json_end_object(&json);
}

static void cmd_events_print_text(const GPtrArray *names)
{
	const SptPointName *before = NULL;

	for (unsigned i = 0; i < names->len; i++) {
		const SptPointName *name = names->pdata[i];
		g_autofree char *help =
			spt_format_wrap(name->help, NAME_COLUMNS + 2, spt_terminal_width());

		if (!before || before->type != name->type)
			printf("%s%s%ss%s\n", before ? "\n" : "", spt_color(SPT_COLOR_TITLE),
			       spt_point_type_name(name->type), spt_color(SPT_COLOR_OFF));
		before = name;
		printf("%-*s  %s\n", NAME_COLUMNS, name->name, help);
	}
}

/* Nothing matches: as likely as not since some cannot be seen. */
static int tell_none(const char *glob, const GError *hidden)
{
	if (hidden)
		spt_cli_complain("%s", hidden->message);
	else
		spt_cli_complain("No event of this machine matches \"%s\"; without a pattern all are listed",
				 glob);
	return SPT_EXIT_FAILURE;
}

static void list_names(GPtrArray *names, const char *glob, bool functions, bool with_help)
{
	if (functions)
		spt_point_list_functions(names, glob);
	else
		spt_point_list(names, glob, with_help);
}

static int run_events(int argc, char **argv)
{
	gboolean json = FALSE, only_names = FALSE, functions = FALSE;
	const GOptionEntry entries[] = {
		{ "functions", 0, 0, G_OPTION_ARG_NONE, &functions,
		  "List the functions of the kernel that record --function takes", NULL },
		{ "names", 0, 0, G_OPTION_ARG_NONE, &only_names,
		  "Only the names, each on a line", NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
		{ NULL },
	};
	g_autoptr(GPtrArray) names = spt_point_names_new();
	g_autoptr(GError) hidden = NULL;
	g_autofree char *part = NULL;
	const char *glob;
	bool is_open;

	if (!spt_cli_parse(&cmd_events, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	if (argc > 2) {
		spt_cli_complain("events takes one pattern, as in \"" SPT_CLI " events 'sched:*'\"");
		return SPT_EXIT_USAGE;
	}
	glob = argc == 2 ? argv[1] : NULL;
	is_open = spt_point_can_trace(&hidden);
	list_names(names, glob, functions, !only_names);
	/* A word without * is a part of a name, as in "events sched". */
	if (!names->len && glob && !strpbrk(glob, "*?")) {
		part = g_strconcat("*", glob, "*", NULL);
		list_names(names, part, functions, !only_names);
	}
	if (!names->len && !only_names)
		return tell_none(glob, is_open ? NULL : hidden);
	if (json) {
		cmd_events_print_json(names);
	} else if (only_names) {
		for (unsigned i = 0; i < names->len; i++)
			puts(((const SptPointName *)names->pdata[i])->name);
	} else {
		spt_terminal_page();
		cmd_events_print_text(names);
		if (!is_open && !glob && !functions)
			fprintf(stderr, "Note: %s.\n", hidden->message);
	}
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_events = {
	.name = "events",
	.usage = "[PATTERN]",
	.is_read = true,
	.help = "List the events of this machine that \"record --event\" takes",
	.run = run_events,
};
