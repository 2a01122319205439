/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without a symbol: the code between symbols, split into functions. */
#ifndef SPT_UNNAMED_H
#define SPT_UNNAMED_H

#include "symbols/dwarf/symtab.h"
#include "unwind/functions.h"

G_BEGIN_DECLS

/*
 * The function around @offset of @object: the symbol of its @symtab, else a function without a
 * name, a symbol whose name is NULL.  @functions belong to the same object.  An exported symbol
 * without a size ends at the end of its function.  False: neither is known.
 */
bool spt_unnamed_find(const SptSymtab *symtab, SptFunctions *functions, const SptObject *object,
		      uint64_t offset, SptSymbol *ret);

G_END_DECLS

#endif
