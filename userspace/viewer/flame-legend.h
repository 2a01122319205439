/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line that says what the colours of a flame graph mean. */
#ifndef SPT_FLAME_LEGEND_H
#define SPT_FLAME_LEGEND_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "call-tree.h"

/* Of the graph of a comparison, or (@of_changes false) of a recording. */
GtkWidget *spt_flame_legend_new(bool of_changes);
/* For the graph of @calls, by what its colours mean in the preferences. */
void spt_flame_legend_show(GtkWidget *legend, const SptCallTree *calls);

#endif
