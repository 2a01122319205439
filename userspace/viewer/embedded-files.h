/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that are embedded in a recording: their list, the lines of one, and saving it. */
#ifndef SPT_EMBEDDED_FILES_H
#define SPT_EMBEDDED_FILES_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_EMBEDDED_FILES (spt_embedded_files_get_type())
G_DECLARE_FINAL_TYPE(SptEmbeddedFiles, spt_embedded_files, SPT, EMBEDDED_FILES, GtkBox)

GtkWidget *spt_embedded_files_new(void);
/* @files: spt_embedded_list() of the recording, or NULL; kept as long as it is shown. */
void spt_embedded_files_show(SptEmbeddedFiles *self, SptRecording *recording, GArray *files);

#endif
