/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets the user choose a running process. */
#ifndef SPT_PROCESS_PICKER_H
#define SPT_PROCESS_PICKER_H

#include <gtk/gtk.h>

/* @name: the kernel's name of it. */
typedef void (*SptProcessFunc)(uint32_t pid, const char *name, gpointer data);

/*
 * Shows a window above @parent; @func is called if the user chose one.  @data is kept alive by a
 * reference until then.
 */
void spt_process_picker_show(GtkWindow *parent, SptProcessFunc func, GObject *data);

#endif
