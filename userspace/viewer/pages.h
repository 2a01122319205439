/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that show one function of the document, each in a file of its own.  The window, the
 * keyboard and win.show-view use only the rows of the table.
 */
#ifndef SPT_PAGES_H
#define SPT_PAGES_H

#include <gtk/gtk.h>

#include "document.h"

typedef struct {
	const char *name;		/* for win.show-view */
	const char *title;		/* to be translated */
	const char *key;		/* key that shows it, as in gtk_accelerator_parse() */
	GtkWidget *(*new)(void);
	/*
	 * @function is the selected one; UINT32_MAX: none.  @path are functions (uint32_t) of which
	 * each calls the next, down to the selected one; empty: none.  Also called while the page
	 * is hidden: slow work belongs in a query that needs to be mapped.
	 */
	void (*show)(GtkWidget *page, SptDocument *document, uint32_t function, GArray *path);
	/* icon of a view of the window; NULL: a page among the events */
	const char *icon;
	/* whether a recording has something for it; NULL: each has */
	bool (*is_for)(const SptDocument *document);
} SptPage;

/* The buttons for the pages of @stack; they scroll sideways if there is too little room. */
GtkWidget *spt_pages_switcher(GtkStack *stack);
const SptPage *spt_pages(unsigned *ret_n);

#endif
