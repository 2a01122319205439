/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events, one in each row: stacks (and other pages of pages.h), and losses. */
#ifndef SPT_EVENTS_H
#define SPT_EVENTS_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_EVENTS (spt_events_get_type())
G_DECLARE_FINAL_TYPE(SptEvents, spt_events, SPT, EVENTS, GtkBox)

/* Losses are those of the whole recording that @document is a part of. */
void spt_events_set_document(SptEvents *events, SptDocument *document);
/* The stack for pages, which are put before the losses. */
GtkStack *spt_events_stack(SptEvents *events);
/* Called when the pages have been added. */
void spt_events_complete(SptEvents *events);

#endif
