/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of the views, how they scroll, and names that states of their actions have. */
#ifndef SPT_VIEW_KEYS_H
#define SPT_VIEW_KEYS_H

#include <gtk/gtk.h>

/* Keys that work wherever in the window the keyboard is. */
GtkEventController *spt_view_keys_new(void);
/*
 * What is in a scrolled window does not move because it has the keyboard: a large widget would show
 * another end of it whenever its size changes.
 */
void spt_view_stay(GtkWidget *scrolled);
/* Which of @n @names the text of @value is; the last one if it is none of them. */
unsigned spt_view_number_of(const GValue *value, const char *const *names, unsigned n);

#endif
