/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that no symbol names: what lies between symbols, each function by itself. */
#ifndef SPT_UNNAMED_H
#define SPT_UNNAMED_H

#include "symbols/dwarf/symtab.h"
#include "unwind/functions.h"

G_BEGIN_DECLS

/*
 * The function around @offset of @object: the symbol of @symtab, which is @object's, else a
 * function without a name, that is a symbol whose name is NULL; @functions are of the same object.
 * An exported symbol without a size reaches no farther than its function.  False: neither is known.
 */
bool spt_unnamed_find(const SptSymtab *symtab, SptFunctions *functions, const SptObject *object,
		      uint64_t offset, SptSymbol *ret);

G_END_DECLS

#endif
