/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the user for a file to open, for a directory, or for a name to save under. */
#ifndef SPT_FILES_H
#define SPT_FILES_H

#include <gtk/gtk.h>

/* Called if the user chose one. */
typedef void (*SptFilesFunc)(GFile *file, gpointer data);

typedef enum {
	SPT_FILES_OPEN,
	SPT_FILES_SAVE,			/* a recording */
	SPT_FILES_EXPORT,		/* something else */
	SPT_FILES_DIRECTORY,
	SPT_FILES_RULES,		/* of categories, to be read */
} SptFilesPurpose;

/*
 * @name: a suggestion for saving.  @destroy frees @data after the dialog; may be NULL.  The dialog
 * is closed with @parent.
 */
void spt_files_choose(GtkWindow *parent, SptFilesPurpose purpose, const char *name,
		      SptFilesFunc func, gpointer data, GDestroyNotify destroy);

#endif
