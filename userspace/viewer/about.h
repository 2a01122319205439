/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about a recording, of one line each.  The caller frees them. */
#ifndef SPT_ABOUT_H
#define SPT_ABOUT_H

#include "document.h"
#include "record-run.h"

/* The number of samples, the length, and what is missing. */
char *spt_about_numbers(const SptDocument *document);
/* The program of a command, or of a process that runs; else whose processes are recorded. */
char *spt_about_request(const SptRecordOptions *options);
/* What was recorded, as a part of a file name: "mt", "system". */
char *spt_about_word(const SptDocument *document);
/* What was recorded, and where; for a command or a process, the name of its program. */
char *spt_about_origin(const SptDocument *document);

#endif
