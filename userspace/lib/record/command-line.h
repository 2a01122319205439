/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPT_COMMAND_LINE_H
#define SPT_COMMAND_LINE_H

#include "base/proc-files.h"

/*
 * How the process that has @pid now was called, as SptCommandLineRow has it; NULL: that may not be
 * read, it has gone, or it does not answer.
 */
char *spt_command_line_read(SptProcFiles *files, uint32_t pid);

#endif
