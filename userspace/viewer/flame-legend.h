/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line that says what the colours of a flame graph mean. */
#ifndef SPT_FLAME_LEGEND_H
#define SPT_FLAME_LEGEND_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "call-tree.h"

GtkWidget *spt_flame_legend_new(void);
/* For the graph of @calls, by what its colours mean in the preferences. */
void spt_flame_legend_show(GtkWidget *legend, const SptCallTree *calls);
/* For that of a comparison, of amounts (@by_time) or of shares. */
void spt_flame_legend_show_changes(GtkWidget *legend, bool by_time);

#endif
