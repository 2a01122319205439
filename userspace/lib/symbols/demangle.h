/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangles names. */
#ifndef SPT_DEMANGLE_H
#define SPT_DEMANGLE_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* @name demangled (C++, Rust of both kinds, D), or a copy. */
char *spt_demangle(const char *name);
/* The same without the parameters of a function of C++: "outer::inner". */
char *spt_demangle_bare(const char *name);
/* Whether it is one of Rust's older kind, which look like those of C++. */
bool spt_demangle_is_legacy_rust(const char *name);
/*
 * The position behind the '>' that closes the '<' of a template's arguments at @open; NULL: none
 * does.
 */
const char *spt_template_end(const char *open);
/*
 * A copy of a demangled name in which "<...>" replaces the arguments of each template:
 * "std::vector<...>::push_back(int const&)".
 */
char *spt_shorten_templates(const char *name);

G_END_DECLS

#endif
