/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPT_COMMAND_LINE_H
#define SPT_COMMAND_LINE_H

#include <stdint.h>

/*
 * How the process that has @pid now was called, as SptCommandLineRow has it; NULL: that may not be
 * read, or it has gone.
 */
char *spt_command_line_read(uint32_t pid);

#endif
