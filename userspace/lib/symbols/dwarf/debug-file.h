/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a stripped file's symbols went. */
#ifndef SPT_DEBUG_FILE_H
#define SPT_DEBUG_FILE_H

#include "object/object.h"

G_BEGIN_DECLS

/* @dirs, or if they are NULL, those of the environment and then the system's (as in symtab.h). */
const char *const *spt_debug_dirs(const char *const *dirs);
/*
 * The separate debug file of @object, proven to be its own; NULL if there is none.  @debug_dirs as
 * in symtab.h.
 */
SptObject *spt_debug_file_open(const SptObject *object, const char *const *debug_dirs);
/* The file of that build-id that @debug shares with others (dwz), which it calls @name. */
SptObject *spt_debug_alt_open(const SptObject *debug, const char *name, const uint8_t *id, size_t n,
			      const char *const *debug_dirs);
/*
 * Whether there may be one, by its name alone: nothing is read.  A .gnu_debuglink is not looked at.
 */
bool spt_debug_file_may_be_there(const SptObject *object, const char *const *debug_dirs);

G_END_DECLS

#endif
