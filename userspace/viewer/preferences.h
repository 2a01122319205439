/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user set once for all windows, kept with the state of the viewer (state.h). */
#ifndef SPT_PREFERENCES_H
#define SPT_PREFERENCES_H

#include <adwaita.h>
#include <stdbool.h>

void spt_preferences_show(GtkWindow *parent);
/* The style of the windows, as it was chosen; once, when the program begins. */
void spt_preferences_apply_style(void);

/* For any thread.  Directories in which sources are looked for, too; to be freed. */
char **spt_preferences_source_paths(void);
/* Servers of debug information, with spaces between them; NULL: none are asked.  To be freed. */
char *spt_preferences_servers(void);
/* Boxes of the flame graph are orange for user code and blue for the kernel, not by object. */
bool spt_preferences_colors_by_side(void);

#endif
