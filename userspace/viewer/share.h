/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is seen, as a file of another format. */
#ifndef SPT_SHARE_H
#define SPT_SHARE_H

#include <gtk/gtk.h>

#include "document.h"

/* Puts an item for each format before those that @menu has. */
void spt_share_add_formats(GMenu *menu);
/*
 * Asks where to, and writes @document as @format ("svg", "folded", ...) in a thread;
 * failures go to the action "win.complain" of @parent.  @stem: what to call it but for the ending.
 */
void spt_share_export(GtkWindow *parent, SptDocument *document, const char *format,
		      const char *stem);
/* Asks where to, and saves a picture of @widget there. */
void spt_share_picture(GtkWindow *parent, GtkWidget *widget, const char *stem);
/* The list of functions to the clipboard, as text and as a table for those who take HTML. */
void spt_share_copy(GtkWidget *widget, const SptDocument *document, const uint32_t *list,
		    uint32_t n);
/* The same on paper. */
void spt_share_print(GtkWindow *parent, const SptDocument *document, const uint32_t *list,
		     uint32_t n);

#endif
