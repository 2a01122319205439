/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that was recorded, "record -- COMMAND": which processes are its own. */
#ifndef SPT_COMMAND_H
#define SPT_COMMAND_H

#include "capture/capture.h"

G_BEGIN_DECLS

/*
 * By id, n_processes of them: whether the process is the command, or comes of it.  NULL: no command
 * was recorded, or none of its processes is there.
 */
bool *spt_command_processes(const SptCapture *capture);
/* The same of process @pid and what comes of it; of all processes if @pid is 0. */
bool *spt_processes_below(const SptCapture *capture, uint64_t pid);
/* What its program is called; NULL: no command was recorded. */
char *spt_command_name(const SptCapture *capture);
/* How it failed, a clause: "failed with status 1"; NULL: it did not, or that is not known. */
char *spt_command_failure(const SptCapture *capture);
/* The same of an exit status, as a shell has it: 128 and more are signals. */
char *spt_command_failed_with(unsigned status);

/* A fact of the recording (spt_capture_host()) as a number; 0 if it is none. */
uint64_t spt_command_fact(const SptCapture *capture, const char *key);

G_END_DECLS

#endif
