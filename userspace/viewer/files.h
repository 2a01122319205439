/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the user for a file to open, or for a name to save under. */
#ifndef SPT_FILES_H
#define SPT_FILES_H

#include <gtk/gtk.h>

/* Called if the user chose one. */
typedef void (*SptFilesFunc)(GFile *file, gpointer data);

/* @save_name: the name to suggest for saving; NULL: to open.  The dialog goes with @parent. */
void spt_files_choose(GtkWindow *parent, const char *save_name, SptFilesFunc func, gpointer data);

#endif
