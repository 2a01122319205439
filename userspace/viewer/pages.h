/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that show the document, or one function of it, each a const value in a file of its own:
 * NAME-pane.c for those of one function.  The window, the keyboard, the list of keys and
 * win.show-view use only these values.
 */
#ifndef SPT_PAGES_H
#define SPT_PAGES_H

#include <gtk/gtk.h>

#include "document.h"

typedef struct {
	const char *name;		/* for win.show-view */
	const char *title;		/* to be translated */
	const char *help;		/* the same in the list of keys; NULL: the title */
	const char *key; /* that shows it, as in gtk_accelerator_parse(); NULL: there is none */
	GtkWidget *(*new)(void);
	/*
	 * For a page of one function: @function is the selected one; UINT32_MAX: none.  @path are
	 * functions (uint32_t) of which each calls the next, down to the selected one; empty: none.
	 * Also called while the page is hidden: slow work belongs in a query that needs to be
	 * mapped.
	 */
	void (*show)(GtkWidget *page, SptDocument *document, uint32_t function, GArray *path);
	/* For a page of everything: what is shown now. */
	void (*show_document)(GtkWidget *page, SptDocument *document);
	bool may_wait; /* while a range is dragged and it is not seen, @document comes later */
	bool is_mode;			/* hidden until the user begins to use it */
	/* icon of a view of the window; NULL: a page among the events */
	const char *icon;
	/* whether a recording has something for it; NULL: each has */
	bool (*is_for)(const SptDocument *document);

	/* Of the view that is seen; where they are NULL, the page "functions" stands in for it. */
	void (*focus_search)(GtkWidget *page);
	uint32_t (*selected)(GtkWidget *page);	/* function; UINT32_MAX: none */
	/* To be exported; NULL: the lanes if they are seen, or else the flame graph. */
	GtkWidget *(*picture)(GtkWidget *page);
} SptPage;

/* All of them, in the order in which they are shown. */
#define SPT_PAGES(ROW) \
	ROW(functions) \
	ROW(flame) \
	ROW(source) \
	ROW(memory) \
	ROW(stacks) \
	ROW(wakeups) \
	ROW(locks) \
	ROW(marks) \
	ROW(hits) \
	ROW(logs) \
	ROW(dbus) \
	ROW(losses) \
	ROW(events) \
	ROW(details) \
	ROW(compare)

#define SPT_PAGE(name) extern const SptPage spt_page_##name;
SPT_PAGES(SPT_PAGE)
#undef SPT_PAGE

/* The buttons for the pages of @stack; they scroll sideways if there is too little room. */
GtkWidget *spt_pages_switcher(GtkStack *stack);
/* The @i-th page; NULL: there are no more. */
const SptPage *spt_page(unsigned i);

#endif
