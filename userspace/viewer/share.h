/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is seen, as a file of another format. */
#ifndef SPT_SHARE_H
#define SPT_SHARE_H

#include <gtk/gtk.h>

#include "document.h"

/* Asks where to, and writes @document as @format ("svg", "folded") in a thread; failures go to the action "win.complain" of @parent.
 * @stem: what to call it but for the ending. */
void spt_share_export(GtkWindow *parent, SptDocument *document, const char *format, const char *stem);

#endif
