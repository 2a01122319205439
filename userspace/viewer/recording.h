/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that runs in a thread of its own while the window goes on living. */
#ifndef SPT_RECORDING_H
#define SPT_RECORDING_H

#include <gio/gio.h>

#include "record/recorder.h"

#define SPT_TYPE_RECORDING (spt_recording_get_type())
G_DECLARE_FINAL_TYPE(SptRecording, spt_recording, SPT, RECORDING, GObject)

/* Signal "ended": the file is complete, or as far as it came; spt_recording_error() tells. */

/*
 * Begins a recording into @path: of the whole system, or of what @command (a line as in a shell) and the programs it
 * starts do until it ends.  NULL if the command cannot be run.
 */
SptRecording *spt_recording_start(const char *path, const char *command, GError **error);
/* Returns at once. */
void spt_recording_stop(SptRecording *recording);
/* Waits until it has ended; "ended" is still to come. */
void spt_recording_wait(SptRecording *recording);

/* How far it is; false: it does not run yet, or failed to. */
bool spt_recording_status(SptRecording *recording, SptRecorderStatus *ret);
/* After it ended: why it failed, or NULL. */
const GError *spt_recording_error(SptRecording *recording);
const char *spt_recording_path(SptRecording *recording);

#endif
