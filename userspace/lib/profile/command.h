/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that was recorded, "record -- COMMAND", and the processes that belong to it. */
#ifndef SPT_COMMAND_H
#define SPT_COMMAND_H

#include "capture/capture.h"

G_BEGIN_DECLS

/*
 * By id, for n_processes: whether the process is the command or its descendant.  NULL: no command
 * was recorded, or none of its processes is in the capture.
 */
bool *spt_command_processes(const SptCapture *capture);
/* The same for process @pid and its descendants; for all processes if @pid is 0. */
bool *spt_processes_below(const SptCapture *capture, uint64_t pid);
/*
 * Whether the recording says which processes are the command's; not if it is merged of some that do
 * and some that do not.
 */
bool spt_command_is_known(const SptCapture *capture);
/*
 * The name of the command's program, or, of merged recordings, "mt + sort"; NULL: no command was
 * recorded.
 */
char *spt_command_name(const SptCapture *capture);
/*
 * How the command failed, a clause: "failed with status 1"; NULL: it did not fail, or that is not
 * known.
 */
char *spt_command_failure(const SptCapture *capture);
/* What shells add to the number of a signal that ended a command, for its exit status. */
#define SPT_SIGNAL_STATUS 128
/* How a command with that exit status failed, likewise. */
char *spt_command_failed_with(unsigned status);

/* Whether text and window begin with the command alone; not if record was given --all-cpus. */
bool spt_command_leads(const SptCapture *capture);

/* A fact of the recording (spt_capture_host()) as a number; 0: it is not a number. */
uint64_t spt_command_fact(const SptCapture *capture, const char *key);

G_END_DECLS

#endif
