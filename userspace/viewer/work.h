/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Costs of operations, printed with G_MESSAGES_DEBUG=all: make bench-viewer. */
#ifndef SPT_WORK_H
#define SPT_WORK_H

#include <gtk/gtk.h>

/* CPU time of the calling thread, which does not depend on other load. */
double spt_work_ms(void);
/*
 * Reports the cost of each frame of the window from now on, and once when the first complete one is
 * drawn.
 */
void spt_work_watch(GtkWidget *window);
void spt_work_is_complete(void);

#endif
