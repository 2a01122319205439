/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output on a terminal: colours, the size of the screen, and a pager.  A pipe or file has
 * none of these.
 */
#ifndef SPT_TERMINAL_H
#define SPT_TERMINAL_H

#include <glib.h>
#include <stdbool.h>

typedef enum {
	SPT_COLOR_OFF,			/* ends any other colour */
	SPT_COLOR_TITLE,
	SPT_COLOR_HOT,			/* a large percentage */
	SPT_COLOR_WARM,
	SPT_COLOR_GOOD,
	SPT_COLOR_FAINT,		/* noise */
	SPT_COLOR_KERNEL,
	SPT_COLORS
} SptColor;

/* Appends --color and --no-pager to @entries (GOptionEntry). */
void spt_terminal_add(GArray *entries);
/* Called after the options were parsed.  False: complained, return SPT_EXIT_USAGE. */
bool spt_terminal_check(void);

/* A variable of the environment: lines of output that is no terminal have that many columns. */
#define SPT_CLI_COLUMNS "SYSPROF_COLUMNS"

/* Columns and rows of the terminal; 0: there is none, and lines are not cut. */
unsigned spt_terminal_width(void);
unsigned spt_terminal_rows(void);
/* The escape sequence that begins a colour, or "". */
const char *spt_color(SptColor color);
/* The colour of a percentage: hot from 5 % on, faint below 0.5 %. */
const char *spt_color_of(double percent);

/* Sends all later output through a pager, if there is a terminal. */
void spt_terminal_page(void);
/* Waits until the pager ends. */
void spt_terminal_end(void);
/* Whether standard output goes to a pager, which may end before us. */
bool spt_terminal_is_paged(void);

#endif
