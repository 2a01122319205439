/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command to record, where and with what environment it runs; and how all recordings are made.
 * The latter is remembered.
 */
#ifndef SPT_RECORD_FORM_H
#define SPT_RECORD_FORM_H

#include <gtk/gtk.h>

#include "recording.h"

#define SPT_TYPE_RECORD_FORM (spt_record_form_get_type())
G_DECLARE_FINAL_TYPE(SptRecordForm, spt_record_form, SPT, RECORD_FORM, GtkWidget)

/* Activates "win.record-command" with command, directory and environment. */

/* How recordings are made, as it was chosen last: rate and stacks; the rest is left alone. */
void spt_record_form_recall(SptRecordingOptions *options);

#endif
