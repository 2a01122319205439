/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a program will map when it runs: itself, its loader and its libraries. */
#ifndef SPT_NEEDED_H
#define SPT_NEEDED_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * Paths, the program's first; for a script, its interpreter's first.  Libraries are looked up as
 * the loader does, but without LD_LIBRARY_PATH and the like.  Libraries that are not found are
 * skipped.  The caller unreferences the array.
 */
GPtrArray *spt_needed_files(const char *program);

G_END_DECLS

#endif
