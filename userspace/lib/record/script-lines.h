/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of functions of scripts of which it is known at which character of their source they begin:
 * the source is read and its lines are counted.  The path is the recorded program's word, and what
 * is there may never answer, so that a thread reads, which is waited for only briefly.
 */
#ifndef SPT_SCRIPT_LINES_H
#define SPT_SCRIPT_LINES_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptScriptLines SptScriptLines;

SptScriptLines *spt_script_lines_new(void);
void spt_script_lines_free(SptScriptLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptScriptLines, spt_script_lines_free)

/*
 * The line, from 1, that character @at of a source is in, which is at @path for process @pid and
 * has @n characters, counted in UTF-16 from 0 without a byte order mark.  0: it could not be read,
 * or has another length by now.
 */
uint32_t spt_script_lines_find(SptScriptLines *lines, uint32_t pid, const char *path, uint32_t at,
			       uint32_t n);

G_END_DECLS

#endif
