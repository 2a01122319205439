/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's preferences for all windows, kept with the state of the viewer (state.h). */
#ifndef SPT_PREFERENCES_H
#define SPT_PREFERENCES_H

#include <adwaita.h>
#include <stdbool.h>

void spt_preferences_show(GtkWindow *parent);
/* Applies the chosen style; called once, when the program begins. */
void spt_preferences_apply_style(void);

/* Additional directories for sources, for any thread; the caller frees them. */
char **spt_preferences_source_paths(void);
/* Servers of debug information, separated by spaces; NULL: none.  The caller frees it. */
char *spt_preferences_servers(void);
/* Boxes of the flame graph are orange for user code and blue for the kernel, not by object. */
bool spt_preferences_colors_by_side(void);

#endif
