/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording beside its functions: processes, threads, objects and their names, the account of
 * each CPU, losses, and how it was made; and the pages of one function (pages.h).
 */
#ifndef SPT_DETAILS_H
#define SPT_DETAILS_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_DETAILS (spt_details_get_type())
G_DECLARE_FINAL_TYPE(SptDetails, spt_details, SPT, DETAILS, GtkBox)

/*
 * Processes and threads are those of the part that @document is, the rest is of the whole
 * recording.
 */
void spt_details_set_document(SptDetails *details, SptDocument *document);
/* One of the document; UINT32_MAX: none. */
void spt_details_set_function(SptDetails *details, uint32_t function);
/*
 * Functions (uint32_t) of which each calls the next, for pages that show more than the selected
 * one, until another function is set.
 */
void spt_details_set_way(SptDetails *details, GArray *way);
/* By its name in pages.h; NULL: there is no such page. */
GtkWidget *spt_details_show_page(SptDetails *details, const char *name);

#endif
