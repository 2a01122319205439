/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of pages.h: puts each into its place, and keeps its content. */
#ifndef SPT_SHOWN_PAGES_H
#define SPT_SHOWN_PAGES_H

#include <adwaita.h>

#include "document.h"
#include "pages.h"

typedef struct SptShownPages SptShownPages;

/* Makes the pages, and views of the window of those with an icon. */
SptShownPages *spt_shown_pages_new(AdwViewStack *views);
void spt_shown_pages_free(SptShownPages *pages);

/*
 * Of functions, those that are selected stay so.  While a range is dragged, and nothing else has
 * changed, pages that are not seen wait until they are.
 */
void spt_shown_pages_set_document(SptShownPages *pages, SptDocument *document);
/* A function of the document; UINT32_MAX: none. */
void spt_shown_pages_set_function(SptShownPages *pages, uint32_t function);
/*
 * Functions (uint32_t) of which each calls the next, for pages that show more than the selected
 * one, until another function is set.
 */
void spt_shown_pages_set_path(SptShownPages *pages, GArray *path);

/* The view that is seen, and in @ret_widget its widget. */
const SptPage *spt_shown_pages_seen(SptShownPages *pages, GtkWidget **ret_widget);
/* The widget of the page called @name, which waits for nothing now; NULL: there is none. */
GtkWidget *spt_shown_pages_get(SptShownPages *pages, const char *name);
/* Shows the page called @name, if the recording has something for it, with the focus. */
void spt_shown_pages_show(SptShownPages *pages, const char *name);
/* Begins or ends a mode: see SptPage. */
void spt_shown_pages_set_mode(SptShownPages *pages, const char *name, bool is_on);

#endif
