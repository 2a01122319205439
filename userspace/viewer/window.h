/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The window: header bar, the present activity or recording, and a status line. */
#ifndef SPT_WINDOW_H
#define SPT_WINDOW_H

#include <adwaita.h>

#define SPT_TYPE_WINDOW (spt_window_get_type())
G_DECLARE_FINAL_TYPE(SptWindow, spt_window, SPT, WINDOW, AdwApplicationWindow)

/* Its property "narrow" is true while it is narrow (narrow.h). */

/* An empty window. */
SptWindow *spt_window_new(GtkApplication *application);
/* Reports at once if recording will not work here, and what helps. */
void spt_window_start(SptWindow *window);
void spt_window_open(SptWindow *window, GFile *file);

#endif
