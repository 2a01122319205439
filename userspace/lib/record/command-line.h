/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a process was called, and the control group that it is in. */
#ifndef SPT_COMMAND_LINE_H
#define SPT_COMMAND_LINE_H

#include "base/proc-files.h"

/*
 * The command line of the process that has @pid now, in the form of SptCommandLineRow.  NULL: it
 * may not be read, the process has exited, or it does not answer.
 */
char *spt_command_line_read(SptProcFiles *files, uint32_t pid);
/* Its control group, likewise.  NULL: that is not known, or the root. */
char *spt_cgroup_read(SptProcFiles *files, uint32_t pid);
/* The same of what /proc/PID/cgroup has: lines of "NUMBER:HIERARCHY:PATH". */
char *spt_cgroup_of_text(const char *raw);

#endif
