/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the text of a program lies on this machine. */
#ifndef SPT_SOURCE_TEXT_H
#define SPT_SOURCE_TEXT_H

#include "annotate/annotate.h"

G_BEGIN_DECLS

/*
 * Reads @file->path: there, or below one of @dirs (as in annotate.h).  Fills in found and content,
 * or problem.  @built_ns: when what was compiled of it was written, 0 if that is not known.
 */
void spt_source_read(SptAnnotatedFile *file, const char *const *dirs, uint64_t built_ns);
/* Gives the lines of @file their texts. */
void spt_source_cut_lines(SptAnnotatedFile *file);

G_END_DECLS

#endif
