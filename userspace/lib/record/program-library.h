/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries that recorded programs load. */
#ifndef SPT_PROGRAM_LIBRARY_H
#define SPT_PROGRAM_LIBRARY_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * The path of our library @name, which is beside the program when it was built, or where it was
 * installed.  NULL: it is in neither place; @options are those that need it.
 */
char *spt_program_library_find(const char *name, const char *options, GError **error);

G_END_DECLS

#endif
