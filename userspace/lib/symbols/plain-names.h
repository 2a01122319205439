/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ as people write them. */
#ifndef SPT_PLAIN_NAMES_H
#define SPT_PLAIN_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * A demangled name with the usual names of standard types, without arguments that the standard's
 * templates have by default: std::string, std::map<int, std::string>.  Different functions keep
 * different names.  NULL: it has nothing of the kind, as most names, or more than 4 KiB.
 */
char *spt_plain_name(const char *name);

/*
 * A name of C++ or Rust as it fits @columns, where leaving out can make it so: arguments of
 * templates, those of the function, and then what its scope is in.  The function's own name comes
 * last there, and is what people look for.  Names without such parts stay as they are.
 */
char *spt_fit_name(const char *name, unsigned columns);

G_END_DECLS

#endif
