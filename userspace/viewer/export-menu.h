/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exports the present view in other formats. */
#ifndef SPT_SHARE_H
#define SPT_SHARE_H

#include <gtk/gtk.h>

#include "document.h"

/* Adds an item for each format before the items of @menu. */
void spt_share_add_formats(GMenu *menu);
/*
 * Asks for a file, and writes @document as @format ("svg", "folded", ...) in a thread.  Failures go
 * to the action "win.complain" of @parent.  @stem: the suggested name without its ending.
 */
void spt_share_export(GtkWindow *parent, SptDocument *document, const char *format,
		      const char *stem);
/* Asks for a file, and saves a picture of @widget in it. */
void spt_share_picture(GtkWindow *parent, GtkWidget *widget, const char *stem);
/* Copies the list of functions to the clipboard, as text and as HTML. */
void spt_share_copy(GtkWidget *widget, const SptDocument *document, const uint32_t *list,
		    uint32_t n);
/* Prints the list of functions. */
void spt_share_print(GtkWindow *parent, const SptDocument *document, const uint32_t *list,
		     uint32_t n);

#endif
