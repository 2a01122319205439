/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program is going to map, before it runs: itself, its loader, the libraries it names. */
#ifndef SPT_NEEDED_H
#define SPT_NEEDED_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * Paths, the program's first; of a script, its interpreter's.  Libraries are looked up as the
 * loader does, but for what LD_LIBRARY_PATH and the like change; those that are not found are left
 * out.  To be unreferenced.
 */
GPtrArray *spt_needed_files(const char *program);

G_END_DECLS

#endif
