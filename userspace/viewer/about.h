/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about a recording, of one line each.  The caller frees them. */
#ifndef SPT_ABOUT_H
#define SPT_ABOUT_H

#include "document.h"

/* The number of samples, the length, and what is missing. */
char *spt_about_numbers(const SptDocument *document);
/* The name of the program in @command, a line as in a shell. */
char *spt_about_program(const char *command);
/* The name of a process that runs. */
char *spt_about_process(uint32_t pid);
/* What was recorded, as a part of a file name: "mt", "system". */
char *spt_about_word(const SptDocument *document);
/* What was recorded, and where; for a command or a process, the name of its program. */
char *spt_about_origin(const SptDocument *document);

#endif
