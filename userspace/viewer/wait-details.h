/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread did at a time: how long, where, and which thread woke it. */
#ifndef SPT_WAIT_DETAILS_H
#define SPT_WAIT_DETAILS_H

#include <gtk/gtk.h>

#include "document.h"

/*
 * For a popover in a widget with the action "lanes.go-to" (thread of the capture, time).  @lane:
 * index in @lanes->threads.
 */
GtkWidget *spt_wait_details_new(SptDocument *document, const SptLanes *lanes, uint32_t lane,
				const SptLaneMoment *moment);

#endif
