/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and numbers as the window shows them. */
#ifndef SPT_TEXT_H
#define SPT_TEXT_H

#include <glib.h>
#include <stdint.h>

/* Names come out of files that may hold anything: on one line, valid, and not longer than anyone reads.  @text itself if it is
 * fit to be shown, else a copy in *@ret_made, which is to be freed. */
const char *spt_text_name(const char *text, char **ret_made);
char *spt_text_count(uint64_t n);	/* "1,234,567" */
char *spt_text_duration(uint64_t ns);	/* "1.50 s", "2.00 ms" */

#endif
