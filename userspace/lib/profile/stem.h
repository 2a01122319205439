/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names without what compilers and linkers add to them, which differs from build to build. */
#ifndef SPT_STEM_H
#define SPT_STEM_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * A function's name without the suffixes of copies and parts of it that compilers make (".isra.0",
 * ".cold", ".llvm.123"), of mangled and of plain names.  Interned.
 */
const char *spt_stem(const char *name);
/*
 * ... and without a bare number (".12"), which compilers add to equal names.  But it may be the only
 * difference of two functions.
 */
const char *spt_stem_without_number(const char *stem);
/* An object's name without the hash that cargo adds: "-" and 16 digits.  Interned. */
const char *spt_stem_of_object(const char *name);

G_END_DECLS

#endif
