/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that was recorded last, to be recorded once more with its waits: what a program that
 * hardly ran waited for is in no recording without them.
 */
#ifndef SPT_RECORD_AGAIN_H
#define SPT_RECORD_AGAIN_H

#include <gtk/gtk.h>

#include "capture/capture.h"

/* @command: the parameter of "win.record-command". */
void spt_record_again_keep(GVariant *command);
/* Whether @capture is of that command, which was off the CPUs for long, and has no waits. */
bool spt_record_again_helps(const SptCapture *capture);
/* Waits are chosen, as in the record form, and "win.record-command" is activated from @widget. */
void spt_record_again(GtkWidget *widget);

#endif
