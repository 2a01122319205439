/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output as people look at it: colours, the size of the screen, and a pager.  In a pipe or
 * a file there is none of that.
 */
#ifndef SPT_TERMINAL_H
#define SPT_TERMINAL_H

#include <glib.h>
#include <stdbool.h>

typedef enum {
	SPT_COLOR_OFF,			/* ends any of the others */
	SPT_COLOR_TITLE,
	SPT_COLOR_HOT,			/* a share that matters */
	SPT_COLOR_WARM,
	SPT_COLOR_GOOD,
	SPT_COLOR_FAINT,		/* noise */
	SPT_COLOR_KERNEL,
	SPT_COLORS
} SptColor;

/* Appends --color and --no-pager to @entries (GOptionEntry). */
void spt_terminal_add(GArray *entries);
/* After they were parsed.  False: complained, return SPT_EXIT_USAGE. */
bool spt_terminal_check(void);

/* Columns and rows of the terminal; 0: there is none, lines need not be cut. */
unsigned spt_terminal_width(void);
unsigned spt_terminal_rows(void);
/* The orders that switch a colour on, or "". */
const char *spt_color(SptColor color);
/* That of a share: hot from 5 % on, faint below 0.5 %. */
const char *spt_color_of(double percent);

/* What is printed from now on is to be read: through a pager, if there is a terminal. */
void spt_terminal_page(void);
/* Waits until the reader has read it. */
void spt_terminal_end(void);
/* Whether standard output goes to a pager, which may end before us. */
bool spt_terminal_is_paged(void);

#endif
