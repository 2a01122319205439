/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of functions on the whole screen, to be walked with keys; report --tui has one, and top
 * one that it fills anew for each page.  What is open, and where the user is, is kept by names.
 */
#ifndef SPT_BROWSE_H
#define SPT_BROWSE_H

#include <stdbool.h>

#include "profile/profile.h"

/* What is shown; the browser borrows it until the next one. */
struct spt_browse_page {
	const char *const *head;	/* lines above the tree, ended by NULL */
	const char *columns;		/* their titles */
	/* What a row has there, appended; @depth 0: side by side at the left */
	void (*fill)(GString *text, const struct spt_browse_page *page, uint32_t node,
		     unsigned depth);
	void *data;			/* of fill() and expand() */
	const SptFunction *functions;
	const SptTreeNode *nodes;
	uint32_t n_nodes;
	/*
	 * Adds what is below @node, a child of the root without children that is heavier than its
	 * self: @nodes and @n_nodes change.  NULL: all is there
	 */
	void (*expand)(struct spt_browse_page *page, uint32_t node);
};

typedef struct spt_browser SptBrowser;

SptBrowser *spt_browser_new(void);
void spt_browser_free(SptBrowser *browser);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptBrowser, spt_browser_free)

/* Shows @page from now on, open where the one before was. */
void spt_browser_set_page(SptBrowser *browser, const struct spt_browse_page *page);
/* Opens the page where most of it is in one child. */
void spt_browser_open_heaviest(SptBrowser *browser);
/* Whether keys are letters of what is searched for, or of an answer. */
bool spt_browser_is_typing(const SptBrowser *browser);
bool spt_browser_is_empty(const SptBrowser *browser);
/* The node that the cursor is on; 0: there is none. */
uint32_t spt_browser_chosen(const SptBrowser *browser);
/* From now on keys are letters of an answer, until Enter or Escape. */
void spt_browser_ask(SptBrowser *browser, const char *question);
/*
 * The same, where the answer is the first of @choices that begins with what is typed.  The browser
 * takes them over.
 */
void spt_browser_choose(SptBrowser *browser, const char *question, char **choices);
/* The answer, once, when Enter has been pressed; else NULL.  Valid until the next question. */
const char *spt_browser_answer(SptBrowser *browser);
/* What the caller's own keys do, for the last line: "p hold"; a static text. */
void spt_browser_set_keys(SptBrowser *browser, const char *keys);
void spt_browser_draw(SptBrowser *browser);
/* What a key (screen.h) does.  False: it ends the browsing. */
bool spt_browser_obey(SptBrowser *browser, int key);

#endif
