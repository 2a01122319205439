/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that show one function of the document, each in a file of its own.  A row of the table is
 * all that the window, the keyboard and win.show-view know of them.
 */
#ifndef SPT_PAGES_H
#define SPT_PAGES_H

#include <gtk/gtk.h>

#include "document.h"

typedef struct {
	const char *name;		/* for win.show-view */
	const char *title;		/* to be translated */
	const char *key;		/* that shows it, as for gtk_accelerator_parse() */
	GtkWidget *(*new)(void);
	/*
	 * @function is the selected one, UINT32_MAX: none.  @path are functions (uint32_t) of which
	 * each calls the next, down to what is selected; empty: nothing is.  Also called while the
	 * page is not seen: what takes time belongs in a query that needs to be mapped.
	 */
	void (*show)(GtkWidget *page, SptDocument *document, uint32_t function, GArray *path);
	const char *icon;		/* of a view of the window; NULL: it is among the events */
} SptPage;

/* The buttons that show the pages of @stack; they scroll sideways where there is no room. */
GtkWidget *spt_pages_switcher(GtkStack *stack);
const SptPage *spt_pages(unsigned *ret_n);

#endif
