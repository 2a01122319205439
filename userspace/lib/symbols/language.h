/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language that a function is written in, where that is known: by its mangled name, by the
 * interpreter or the runtime that named it.  Languages are texts for views, each with one address.
 */
#ifndef SPT_LANGUAGE_H
#define SPT_LANGUAGE_H

#include "symbols/symbols.h"

G_BEGIN_DECLS

#define SPT_LANGUAGE_NATIVE  "native"	/* C, or one that looks the same */
#define SPT_LANGUAGE_KERNEL  "kernel"
#define SPT_LANGUAGE_UNKNOWN "[unknown]"
#define SPT_LANGUAGE_GO	     "Go"

/*
 * That of the linker's @name, of which @demangled is what a demangler made; NULL: its name does not
 * say.
 */
const char *spt_language_of_mangled(const char *name, const char *demangled);
/* That of a function that @symbols named in an object of its capture; never NULL. */
const char *spt_language_of_function(SptSymbols *symbols, uint32_t object, const char *function);
/* Whether only programs of Go have a function of that name: it is one of Go's runtime. */
bool spt_language_is_go_runtime(const char *function);
/* Whether a function of a program of Go is one of Go, and not of C that is linked with it. */
bool spt_language_is_go(const char *function);
/* Whether an object, by its base name, is the file of an interpreter of @language; NULL: of any. */
bool spt_language_has_interpreter(const char *language, const char *object);

G_END_DECLS

#endif
