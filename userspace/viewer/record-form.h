/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to record (the system, a command, a process), how, and what else.  Everything except the
 * command and the process is remembered.
 */
#ifndef SPT_RECORD_FORM_H
#define SPT_RECORD_FORM_H

#include <gtk/gtk.h>

#define SPT_TYPE_RECORD_FORM (spt_record_form_get_type())
G_DECLARE_FINAL_TYPE(SptRecordForm, spt_record_form, SPT, RECORD_FORM, GtkWidget)

/*
 * Activates "win.record", "win.record-command" with command, directory and environment, or
 * "win.record-process".
 */

#endif
