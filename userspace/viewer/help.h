/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page for newcomers, sysprof-profiling(7), which is built into the program. */
#ifndef SPT_HELP_H
#define SPT_HELP_H

#include <gtk/gtk.h>

void spt_help_show(GtkWindow *parent);

#endif
