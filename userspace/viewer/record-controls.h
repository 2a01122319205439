/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Record and Stop in the header bar; a menu beside Record takes a command. */
#ifndef SPT_RECORD_CONTROLS_H
#define SPT_RECORD_CONTROLS_H

#include <gtk/gtk.h>

#define SPT_TYPE_RECORD_CONTROLS (spt_record_controls_get_type())
G_DECLARE_FINAL_TYPE(SptRecordControls, spt_record_controls, SPT, RECORD_CONTROLS, GtkBox)

/* Stop instead of Record. */
void spt_record_controls_set_recording(SptRecordControls *controls, gboolean is_recording);

#endif
