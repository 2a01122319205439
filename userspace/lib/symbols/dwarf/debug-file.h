/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the separate debug file of a stripped file. */
#ifndef SPT_DEBUG_FILE_H
#define SPT_DEBUG_FILE_H

#include "object/object.h"

G_BEGIN_DECLS

/* @dirs; if NULL, the directories of the environment and then of the system (as in symtab.h). */
const char *const *spt_debug_dirs(const char *const *dirs);
/*
 * The separate debug file of @object, which has been checked to belong to it; NULL: there is none.
 * @debug_dirs as in symtab.h.
 */
SptObject *spt_debug_file_open(const SptObject *object, const char *const *debug_dirs);
/* The file with build-id @id that @debug shares with others (dwz), and which it calls @name. */
SptObject *spt_debug_alt_open(const SptObject *debug, const char *name, const uint8_t *id, size_t n,
			      const char *const *debug_dirs);
/*
 * Paths where a package (.dwp) of the split units of @debug may be, which is @image or its debug
 * file: beside both, and in the places of debug files; with and without ".debug" in its name.
 * To be freed by g_strfreev().
 */
char **spt_debug_packages(const SptObject *debug, const SptObject *image,
			  const char *const *debug_dirs);
/*
 * Whether there may be a debug file, by its name alone: nothing is read.  Ignores .gnu_debuglink.
 */
bool spt_debug_file_may_be_there(const SptObject *object, const char *const *debug_dirs);

G_END_DECLS

#endif
