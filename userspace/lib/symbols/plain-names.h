/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ as people write them. */
#ifndef SPT_PLAIN_NAMES_H
#define SPT_PLAIN_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * A copy of a demangled name with the usual names of standard types, without arguments that the
 * standard's templates have by default: std::string, std::map<int, std::string>.  Different
 * functions keep different names.  Names beyond 4 KiB are copied as they are.
 */
char *spt_plain_name(const char *name);

G_END_DECLS

#endif
