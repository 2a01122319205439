/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all commands have in common: print a complaint in one sentence, read options, open the
 * recording.
 */
#include "cmd.h"
#include "import/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/suggest.h"

/* The program's name as it was called. */
static const char *called = SPT_CLI;

void spt_cli_set_called(const char *name)
{
	called = name;
}

const char *spt_cli_called(void)
{
	return called;
}

/* A name with % in it would be taken for a part of the format. */
const char *spt_cli_named(const char *text)
{
	g_autoptr(GString) named = NULL;

	if (!text || !strstr(text, SPT_CLI) || strcmp(called, SPT_CLI) == 0 || strchr(called, '%'))
		return text;
	named = g_string_new(text);
	g_string_replace(named, SPT_CLI, called, 0);
	return g_intern_string(named->str);
}

void spt_cli_complain(const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *shown = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(spt_cli_named(format), args);
	va_end(args);
	shown = spt_format_cut(text, 0);
	fprintf(stderr, "%s: %s\n", called, shown);
}

/* The context whose help is printed. */
static GOptionContext *helped;

/* Set while commands are asked only for their options. */
static bool is_listing;

/* As SPT_CLI_OPTIONAL() makes it. */
static bool is_optional(const GOptionEntry *option)
{
	return option->arg_description && option->arg_description[0] == '[';
}

static void list_option(const struct spt_command *command, const GOptionEntry *option)
{
	char letter[2] = { option->short_name, '\0' };
	const char *value = option->arg_description ? option->arg_description : "";
	bool has_file = option->arg == G_OPTION_ARG_FILENAME ||
			option->arg == G_OPTION_ARG_FILENAME_ARRAY;
	g_autofree char *bare = is_optional(option) ? g_strndup(value + 1, strlen(value) - 2) :
						      g_strdup(value);

	printf("%s\t%s\t%s\t%s\t%s\t%s\n", command->name, option->long_name, letter,
	       option->arg == G_OPTION_ARG_NONE ? "" :
	       is_optional(option)		? "optional" :
	       has_file				? "file" :
						  "text",
	       bare, option->description);
}

bool spt_cli_is_listing(void)
{
	return is_listing;
}

void spt_cli_list_options(const struct spt_command *command)
{
	char *arguments[] = { (char *)command->name, NULL };

	printf("%s\t\t\t\t%s\t%s\n", command->name, command->usage, command->help);
	is_listing = true;
	command->run(1, arguments);
	is_listing = false;
}

/* GOption would take the next word for the value of an option that was given without one. */
static void end_options_without_value(const GOptionEntry *entries, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		for (const GOptionEntry *entry = entries; entry->long_name; entry++) {
			if (is_optional(entry) && g_str_has_prefix(argv[i], "--") &&
			    strcmp(argv[i] + 2, entry->long_name) == 0) {
				g_autofree char *ended = g_strconcat(argv[i], "=", NULL);

				/* Nobody frees the arguments. */
				argv[i] = (char *)g_intern_string(ended);
				break;
			}
		}
	}
}

/* GOption says "Unknown option --foo".  The nearest one there is, or NULL. */
static const char *nearest_option(const char *complaint, const GOptionEntry *entries)
{
	const char *dashes = strstr(complaint, " --"), *nearest = NULL;
	g_autofree char *wanted = dashes ? g_strndup(dashes + 3, strcspn(dashes + 3, " =")) : NULL;
	unsigned least = UINT_MAX;

	for (; wanted && entries->long_name; entries++)
		if (!(entries->flags & G_OPTION_FLAG_HIDDEN) &&
		    spt_is_nearer(wanted, entries->long_name, &least))
			nearest = entries->long_name;
	return least ? nearest : NULL;
}

/* The command's options, and those of all commands that print text for people. */
static GArray *all_options(const struct spt_command *command, const GOptionEntry *entries)
{
	GArray *all = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));

	for (; entries->long_name; entries++)
		g_array_append_val(all, *entries);
	if (command->is_read)
		spt_terminal_add(all);
	for (guint i = 0; i < all->len; i++) {
		GOptionEntry *entry = &g_array_index(all, GOptionEntry, i);

		entry->description = spt_cli_named(entry->description);
	}
	return all;
}

/* A line of help with its description wrapped, "  --option      Description". */
static void print_help_line(const char *line)
{
	const char *option_end = g_str_has_prefix(line, "  -") ? strstr(line + 2, "  ") : NULL;
	unsigned indent = option_end ?
			  (unsigned)(option_end - line + (long)strspn(option_end, " ")) : 0;
	g_autofree char *wrapped = spt_format_wrap(line + indent, indent, spt_terminal_width());

	printf("%.*s%s\n", (int)indent, line, wrapped);
}

/* GOption does not wrap its help. */
static gboolean print_help(G_GNUC_UNUSED const char *option, G_GNUC_UNUSED const char *value,
			   G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED GError **error)
{
	g_autofree char *help = g_option_context_get_help(helped, TRUE, NULL);
	g_auto(GStrv) lines = g_strsplit(g_strchomp(help), "\n", -1);

	bool ok;

	spt_terminal_page();
	for (char **line = lines; *line; line++)
		print_help_line(*line);
	ok = spt_cli_flush();
	spt_terminal_end();
	exit(ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE);
}

static GOptionContext *new_context(const struct spt_command *command, const GOptionEntry *entries)
{
	const GOptionEntry help[] = {
		{ "help", 'h', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, print_help,
		  "Print this help", NULL },
		{ .long_name = NULL },
	};

	helped = g_option_context_new(command->usage);
	g_option_context_set_help_enabled(helped, FALSE);
	g_option_context_set_summary(helped, command->help);
	g_option_context_add_main_entries(helped, help, NULL);
	g_option_context_add_main_entries(helped, entries, NULL);
	return helped;
}

bool spt_cli_parse(const struct spt_command *command, const GOptionEntry *own, int *argc,
		   char ***argv)
{
	g_autoptr(GOptionContext) context = NULL;
	g_autofree char *program = g_strdup_printf("%s %s", called, command->name);
	g_autoptr(GArray) all = all_options(command, own);
	const GOptionEntry *entries = (const GOptionEntry *)all->data;
	g_autoptr(GError) error = NULL;
	const char *nearest;

	if (is_listing) {
		for (; entries->long_name; entries++)
			if (!(entries->flags & G_OPTION_FLAG_HIDDEN))
				list_option(command, entries);
		return false;
	}
	end_options_without_value(entries, *argc, *argv);
	/* GOption's help takes the usage line from here. */
	g_set_prgname(program);
	context = new_context(command, entries);
	if (g_option_context_parse(context, argc, argv, &error))
		return spt_terminal_check();
	nearest = nearest_option(error->message, entries);
	spt_cli_complain("%s; %s%s%s\"%s %s --help\" lists the options", error->message,
			 nearest ? "did you mean --" : "", nearest ? nearest : "",
			 nearest ? "? " : "", called, command->name);
	return false;
}

bool spt_cli_check_output(const char *path)
{
	if (g_strcmp0(path, "-") != 0)
		return true;
	spt_cli_complain("A recording cannot be written to the standard output (-o -): name a file, "
			 "or send it with record --to");
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
	spt_cli_complain("%s takes one FILE: %s %s %s", command->name, called, command->name,
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
			 " unless it is given a FILE, and there is none here: %s %s %s",
			 command->name, called, command->name, command->usage);
	return NULL;
}

const char *spt_cli_recording(const struct spt_command *command, const char *input, int argc,
			      char **argv)
{
	if (argc > spt_cli_first_operand(argc, argv))
		return spt_cli_operand(command, input, argc, argv);
	return spt_cli_input(command, input);
}

char *spt_cli_suggest(const char *word, const char *const *names)
{
	const char *nearest = NULL;
	unsigned least = UINT_MAX;

	for (; *names; names++)
		if (spt_is_nearer(word, *names, &least))
			nearest = *names;
	return nearest ? g_strdup_printf("; did you mean \"%s\"?", nearest) : g_strdup("");
}

/* What cannot be read twice; "-" may be a file's name all the same. */
static bool is_stream(const char *path)
{
	return g_file_test(path, G_FILE_TEST_EXISTS) ?
		       !g_file_test(path, G_FILE_TEST_IS_REGULAR) :
		       strcmp(path, "-") == 0;
}

SptCapture *spt_cli_open(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture;

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return spt_cli_open_directory(path);
	if (is_stream(path)) {
		spt_cli_complain("%s is no file: a recording is read from a file, not from a pipe or a device",
				 path);
		return NULL;
	}
	spt_heap_in_large_pages();
	capture = spt_capture_open(path, &error);
	if (!capture)
		capture = spt_import_instead(path, &error);
	if (!capture)
		spt_cli_complain("%s", error->message);
	else if (capture->damage)
		spt_cli_complain("%s is damaged: %s", path, capture->damage);
	return capture;
}

bool spt_cli_flush(void)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || spt_terminal_is_paged())
		return true;
	/* Whose reader has read enough, as head does, has nothing to complain of. */
	if (errno != EPIPE)
		spt_cli_complain("Cannot write the output: %s", g_strerror(errno));
	return false;
}
