/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a recording in a line.  To be freed. */
#ifndef SPT_ABOUT_H
#define SPT_ABOUT_H

#include "document.h"

/* How many samples it has, of how long, and what is missing. */
char *spt_about_numbers(const SptDocument *document);
/* The name of the program that @command, a line as in a shell, runs. */
char *spt_about_program(const char *command);
/* What was recorded, for the name of a file: "mt", "system". */
char *spt_about_word(const SptDocument *document);
/* What was recorded, and where: of a command its program's name. */
char *spt_about_origin(const SptDocument *document);

#endif
