/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colours and pager as in git: the pager is $PAGER, or less with LESS=FRX, which exits if the text
 * fits one screen.  Colours are on unless NO_COLOR is set.
 */
#include "terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

#define HOT_PERCENT 5
#define FAINT_PERCENT 0.5

/* State of the one standard output. */
static struct {
	char *color;			/* value of --color; NULL: auto */
	gboolean no_pager;
	bool is_known, is_terminal, has_colors;
	volatile pid_t pager;
} state;

static void find_out(void)
{
	const char *no_color, *term;

	/* Asked for each cell of a table. */
	if (state.is_known)
		return;
	no_color = g_getenv("NO_COLOR");
	term = g_getenv("TERM");
	state.is_known = true;
	state.is_terminal = isatty(STDOUT_FILENO);
	if (!state.color || strcmp(state.color, "auto") == 0)
		state.has_colors = state.is_terminal && !(no_color && *no_color) &&
				   !(term && strcmp(term, "dumb") == 0);
	else
		state.has_colors = strcmp(state.color, "never") != 0;
}

void spt_terminal_add(GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "color", 0, 0, G_OPTION_ARG_STRING, &state.color,
		  "Colours: auto (the default: on a terminal, unless NO_COLOR is set), always or never",
		  SPT_CLI_OPTIONAL("auto|always|never") },
		{ "no-pager", 0, 0, G_OPTION_ARG_NONE, &state.no_pager,
		  "On a terminal, print at once instead of through $PAGER (less)", NULL },
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

bool spt_terminal_check(void)
{
	static const char *const known[] = { "", "auto", "always", "never" };

	for (unsigned i = 0; i < G_N_ELEMENTS(known); i++)
		if (!state.color || strcmp(state.color, known[i]) == 0)
			return true;
	spt_cli_complain("--color takes auto, always or never, not \"%s\"", state.color);
	return false;
}

static struct winsize size_of_terminal(void)
{
	struct winsize size = { 0 };
	int fd = isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	return size;
}

unsigned spt_terminal_width(void)
{
	const char *columns = getenv(SPT_CLI_COLUMNS);

	find_out();
	if (!state.is_terminal && columns)
		return (unsigned)CLAMP(atoi(columns), 0, 10000);
	return state.is_terminal ? size_of_terminal().ws_col : 0;
}

unsigned spt_terminal_rows(void)
{
	find_out();
	return state.is_terminal ? size_of_terminal().ws_row : 0;
}

const char *spt_color(SptColor color)
{
	static const char *const orders[SPT_COLORS] = {
		[SPT_COLOR_OFF] = "\033[0m",	   [SPT_COLOR_TITLE] = "\033[1m",
		[SPT_COLOR_HOT] = "\033[1;31m",	   [SPT_COLOR_WARM] = "\033[33m",
		[SPT_COLOR_GOOD] = "\033[32m",	   [SPT_COLOR_FAINT] = "\033[2m",
		[SPT_COLOR_KERNEL] = "\033[34m",
	};

	find_out();
	return state.has_colors ? orders[color] : "";
}

const char *spt_color_of(double percent)
{
	return spt_color(percent >= HOT_PERCENT	  ? SPT_COLOR_HOT :
			 percent >= FAINT_PERCENT ? SPT_COLOR_WARM :
						    SPT_COLOR_FAINT);
}

/* NULL: there is none, or none is wanted.  A missing program would swallow the text. */
static char *find_pager(void)
{
	const char *wanted = g_getenv("PAGER");
	g_autofree char *word = NULL, *program = NULL;

	if (!wanted)
		wanted = "less";
	word = g_strndup(wanted, strcspn(wanted, " "));
	program = *word ? g_find_program_in_path(word) : NULL;
	return program && strcmp(wanted, "cat") != 0 ? g_strdup(wanted) : NULL;
}

/* The terminal belongs to the pager until it ends. */
static void on_signal(int number)
{
	pid_t pager = state.pager;

	close(STDOUT_FILENO);
	if (pager > 0)
		waitpid(pager, NULL, 0);
	signal(number, SIG_DFL);
	raise(number);
}

static void run_pager(const char *pager, int input)
{
	dup2(input, STDIN_FILENO);
	close(input);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(SPT_EXIT_FAILURE);
}

void spt_terminal_page(void)
{
	g_autofree char *pager = NULL;
	int ends[2];

	find_out();
	if (!state.is_terminal || state.no_pager || state.pager || !(pager = find_pager()) ||
	    pipe(ends) < 0)
		return;
	fflush(stdout);
	state.pager = fork();
	if (state.pager == 0) {
		close(ends[1]);
		run_pager(pager, ends[0]);
	}
	close(ends[0]);
	if (state.pager > 0) {
		dup2(ends[1], STDOUT_FILENO);
		/* A user who has read enough ends the pager. */
		signal(SIGPIPE, SIG_IGN);
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
		signal(SIGHUP, on_signal);
	}
	close(ends[1]);
}

void spt_terminal_end(void)
{
	if (state.pager <= 0)
		return;
	fflush(stdout);
	/* Ctrl-C is now for the pager. */
	signal(SIGINT, SIG_IGN);
	close(STDOUT_FILENO);
	waitpid(state.pager, NULL, 0);
	state.pager = 0;
}

bool spt_terminal_is_paged(void)
{
	return state.pager > 0;
}
