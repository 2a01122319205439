/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a program's source on this machine. */
#ifndef SPT_SOURCE_TEXT_H
#define SPT_SOURCE_TEXT_H

#include "annotate/annotate.h"

G_BEGIN_DECLS

/*
 * Reads @file->path, or the same below one of @dirs (as in annotate.h).  Fills in found and
 * content, or problem.  @built_ns: when the compiled file was written; 0: not known.
 */
void spt_source_read(SptAnnotatedFile *file, const char *const *dirs, uint64_t built_ns);
/* Sets the texts of the lines of @file. */
void spt_source_cut_lines(SptAnnotatedFile *file);

G_END_DECLS

#endif
