/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each command is one file with one struct spt_command; main.c lists them.  Functions that commands
 * share are declared here, too: reading options, opening a recording, and formatting numbers.
 */
#ifndef SPT_CMD_H
#define SPT_CMD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/percent.h"
#include "capture/capture.h"
#include "terminal.h"
#include "trace/trace.h"

enum {
	SPT_EXIT_OK = 0,
	SPT_EXIT_FAILURE = 1,
	SPT_EXIT_USAGE = 2,
	SPT_EXIT_GREW = 3,		/* diff --fail-above */
};

struct spt_command {
	const char *name;
	const char *usage;		/* the operands, after the name: "FILE [--json]" */
	const char *help;		/* one line */
	/* its output is for reading: it has --color and --no-pager */
	bool is_read;
	int (*run)(int argc, char **argv);	/* argv[0] is the name; returns the exit status */
};

extern const struct spt_command cmd_record;
extern const struct spt_command cmd_receive;
extern const struct spt_command cmd_top;
extern const struct spt_command cmd_report;
extern const struct spt_command cmd_annotate;
extern const struct spt_command cmd_export;
extern const struct spt_command cmd_import;
extern const struct spt_command cmd_diff;
extern const struct spt_command cmd_merge;
extern const struct spt_command cmd_mark;
extern const struct spt_command cmd_events;
extern const struct spt_command cmd_bundle;
extern const struct spt_command cmd_info;
extern const struct spt_command cmd_tables;
extern const struct spt_command cmd_doctor;
extern const struct spt_command cmd_mcp;
extern const struct spt_command cmd_agent;

/* cli.c */

/* Prints "sysprof-cli: " and a sentence on stderr. */
void spt_cli_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* The name by which the program was called, which messages use. */
void spt_cli_set_called(const char *name);
const char *spt_cli_called(void);
/* @text with that name in place of SPT_CLI; valid as long as the program. */
const char *spt_cli_named(const char *text) G_GNUC_FORMAT(1);
/*
 * Prints the command and its options on stdout, one line each, with tabs between: command, option,
 * letter, kind of value, name of the value (for the command itself: its usage), help.  The kind is
 * "file" or "text"; "optional" if the value may be missing, and follows "=" if it is not.  Man
 * pages and completions are made from this.
 */
void spt_cli_list_options(const struct spt_command *command);
/* Whether options are being listed: help can be longer than on a screen. */
bool spt_cli_is_listing(void);
/* Whether a recording can be written to @path, which -o gave; "-" is no file.  False: complained. */
bool spt_cli_check_output(const char *path);
/*
 * Parses @entries of argv (GOption; --help prints and exits).  False: complained, return
 * SPT_EXIT_USAGE.
 */
bool spt_cli_parse(const struct spt_command *command, const GOptionEntry *entries, int *argc,
		   char ***argv);
/* The file that record writes and others read by default. */
#define SPT_CLI_CAPTURE "sysprof.capture"
/* Another spelling of an option; the option's help mentions it. */
#define SPT_CLI_ALIAS(name, kind, variable)                                                        \
	{ name, 0, G_OPTION_FLAG_HIDDEN, kind, &(variable), NULL, NULL }
/* An option of perf's for what is the default here: in no list, and without effect. */
#define SPT_CLI_AS_PERF(name, letter, variable)                                                    \
	{ name, letter, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &(variable), NULL, NULL }
/*
 * The value name of a text option that may also be given without a value: "--waits" is "", and
 * "--waits=all" is "all", but the next word is never its value.
 */
#define SPT_CLI_OPTIONAL(values) "[" values "]"

/* About a recording whose waits are those of calls (SptCalls). */
#define SPT_CLI_CALLS_NOTE                                                                         \
	"waits are those in calls of the C library; calls inside of it, and system calls without it, are not seen"
/* The option that names a recording, as in perf, besides the operand. */
#define SPT_CLI_INPUT(variable)                                                                    \
	{ "input", 'i', 0, G_OPTION_ARG_FILENAME, &(variable),                                     \
	  "The recording; the same as FILE", "FILE" }
/* The index of the first operand: GOption leaves the "--" that ends the options in place. */
int spt_cli_first_operand(int argc, char **argv);
/* FILE, or @input of -i; exactly one of them.  NULL: complained, return SPT_EXIT_USAGE. */
const char *spt_cli_operand(const struct spt_command *command, const char *input, int argc,
			    char **argv);
/* @input, or SPT_CLI_CAPTURE if it is NULL.  NULL: complained, return SPT_EXIT_USAGE. */
const char *spt_cli_input(const struct spt_command *command, const char *input);
/* FILE, @input of -i, or SPT_CLI_CAPTURE.  NULL: complained, return SPT_EXIT_USAGE. */
const char *spt_cli_recording(const struct spt_command *command, const char *input, int argc,
			      char **argv);
/* "; did you mean "NAME"?" for the nearest of @names, ended by NULL; or "".  To be freed. */
char *spt_cli_suggest(const char *word, const char *const *names);
/* Opens a recording, or a directory of some.  Reports damage on stderr; NULL: complained. */
SptCapture *spt_cli_open(const char *path);
/* directory.c: the same for all recordings of a directory, added up (import/fleet.h). */
SptCapture *spt_cli_open_directory(const char *path);
/* Flushes stdout; false: complained (a full disk, a closed pipe). */
bool spt_cli_flush(void);

/* connect.c */

struct addrinfo;

/*
 * The addresses of "HOST:PORT" or "[HOST]:PORT", for streams; the caller frees them by
 * freeaddrinfo().  NULL: *@ret_why says why, as a part of a sentence.
 */
struct addrinfo *spt_cli_resolve(const char *address, const char **ret_why);
/* A socket to "HOST:PORT", or -1: complained. */
int spt_cli_connect(const char *to);

/* cpus.c: "0,2-5" as SPT_CLI_CPUS_MAX flags, to be freed; NULL: complained about @option. */
#define SPT_CLI_CPUS_MAX 65536u
bool *spt_cli_parse_cpus(const char *option, const char *text);
/* Whether this machine has all of @cpus, and one of them is online.  False: complained. */
bool spt_cli_check_cpus(const char *option, const bool *cpus);

/* parse-units.c, for all options: "5ms", "0.5" (seconds); "64M", "1GiB".  False: not a time or size. */
bool spt_parse_ns(const char *text, uint64_t *ret);
bool spt_parse_bytes(const char *text, uint64_t *ret);

/* format-units.c: texts to be freed by the caller */

char *spt_format_count(uint64_t n);		/* "1,234,567" */
char *spt_format_ns(uint64_t ns);		/* "1.50 s", "12.0 ms", "340 ns" */
char *spt_format_took(uint64_t ns);		/* of an event; "-": a moment */
/* The width, for "%*s", that makes @text that many columns wide: printf() counts bytes. */
int spt_format_width(const char *text, int columns);
/* A clause: the length of a period; for a merged recording also the original lengths. */
char *spt_format_period(const SptCapture *capture);
char *spt_format_bytes(uint64_t bytes);		/* "1.2 MiB" */
/* "a, b and c": the texts of @items, with @last ("and", "or") before the last one. */
char *spt_format_list(const GPtrArray *items, const char *last);
/*
 * @text, which begins at column @indent, with line ends where it would go beyond @width (0: no line
 * ends); further lines begin at @indent, too.
 */
char *spt_format_wrap(const char *text, unsigned indent, unsigned width);

/*
 * @text in at most @width columns, cut with "..." if necessary; 0: uncut.  Line ends and tabs
 * become blanks.  Other control characters and invalid UTF-8, which could act on a terminal, become
 * '?'.
 */
char *spt_format_cut(const char *text, unsigned width);
/*
 * A function's name between other texts, in at most @width columns.  C++ names lose arguments and
 * scopes before anything is cut (plain-names.h).
 */
char *spt_format_name(const char *before, const char *name, const char *after, unsigned width);
/* A line of its own; terminals may not have the no-break spaces of sentences.h. */
void spt_format_print_sentence(const char *sentence);

#endif
