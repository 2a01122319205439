/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of pages.h: puts each into its place, and keeps its content. */
#ifndef SPT_FUNCTION_PAGES_H
#define SPT_FUNCTION_PAGES_H

#include <adwaita.h>

#include "document.h"

typedef struct SptFunctionPages SptFunctionPages;

/* Makes the pages: those with an icon become views of the window, the others are put in @events. */
SptFunctionPages *spt_function_pages_new(AdwViewStack *views, GtkStack *events);
void spt_function_pages_free(SptFunctionPages *pages);
/* Nothing is shown before a function is set. */
void spt_function_pages_set_document(SptFunctionPages *pages, SptDocument *document);
/* A function of the document; UINT32_MAX: none. */
void spt_function_pages_set_function(SptFunctionPages *pages, uint32_t function);
/*
 * Functions (uint32_t) of which each calls the next, for pages that show more than the selected
 * one, until another function is set.
 */
void spt_function_pages_set_path(SptFunctionPages *pages, GArray *path);

#endif
