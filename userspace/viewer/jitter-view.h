/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram of delays or periods, with buttons for the longest ones. */
#ifndef SPT_JITTER_VIEW_H
#define SPT_JITTER_VIEW_H

#include <gtk/gtk.h>

#include "profile/jitter.h"

#define SPT_TYPE_JITTER_VIEW (spt_jitter_view_get_type())
G_DECLARE_FINAL_TYPE(SptJitterView, spt_jitter_view, SPT, JITTER_VIEW, GtkBox)

GtkWidget *spt_jitter_view_new(void);
/*
 * Shows @jitter, whose data it copies, of @thread of the capture; NULL: nothing.  Two views with
 * the same @from_ns and @to_ns can be compared.  Its buttons activate "views.go-to-moment" (thread,
 * time).
 */
void spt_jitter_view_show(SptJitterView *view, const char *title, const SptJitter *jitter,
			  uint32_t thread, uint64_t start_ns, uint64_t from_ns, uint64_t to_ns);

#endif
