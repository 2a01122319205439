/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Details of the recording: processes, threads, objects and their names, the account of each CPU,
 * and how it was made.
 */
#ifndef SPT_DETAILS_H
#define SPT_DETAILS_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_DETAILS (spt_details_get_type())
G_DECLARE_FINAL_TYPE(SptDetails, spt_details, SPT, DETAILS, GtkBox)

/* Processes and threads are those of @document, the rest is of the whole recording. */
void spt_details_set_document(SptDetails *details, SptDocument *document);
#endif
