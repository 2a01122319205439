/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What things cost, for those who ask by G_MESSAGES_DEBUG=all: make bench-viewer. */
#ifndef SPT_WORK_H
#define SPT_WORK_H

#include <gtk/gtk.h>

/* CPU time of the calling thread: what its work costs, however busy the machine is. */
double spt_work_ms(void);
/*
 * Reports what each frame of the window costs, from now on; and once, when the first one that is
 * complete is drawn.
 */
void spt_work_watch(GtkWidget *window);
void spt_work_is_complete(void);

#endif
