/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols come first: a function ends where the next symbol begins, and what is left of it behind a
 * symbol begins there.
 */
#include "symbols/unnamed.h"

static SptSymbol between(const SptRange *range, uint64_t low, uint64_t high, uint64_t offset)
{
	uint64_t start = MAX(range->start, low);

	return (SptSymbol){ .distance = offset - start,
			    .bytes = MIN(range->start + range->bytes, high) - start };
}

/* The same answer holds as far as neither symbols nor functions change. */
static void set_around(const SptFunctions *functions, uint64_t low, uint64_t high, uint64_t offset,
		       SptSymbol *symbol)
{
	uint64_t start, end;

	spt_functions_around(functions, offset, &start, &end);
	symbol->before = offset - MAX(start, low);
	symbol->behind = MIN(end, high) - offset;
}

bool spt_unnamed_find(const SptSymtab *symtab, SptFunctions *functions, const SptObject *object,
		      uint64_t offset, SptSymbol *ret)
{
	bool has_symbol = spt_symtab_find(symtab, offset, ret), is_found;
	uint64_t start, low, high;
	SptRange range;

	if (has_symbol && !ret->is_open)
		return true;
	is_found = spt_functions_find(functions, object, offset, &range);
	if (!has_symbol) {
		if (!is_found)
			return false;
		spt_symtab_gap(symtab, offset, &low, &high);
		*ret = between(&range, low, high, offset);
		set_around(functions, low, high, offset, ret);
		return true;
	}
	start = offset - ret->distance;
	if (is_found && range.start > start) {
		low = offset - ret->before;
		high = offset + ret->behind;
		*ret = between(&range, start, start + ret->bytes, offset);
		set_around(functions, low, high, offset, ret);
		return true;
	}
	if (is_found)
		ret->bytes = MIN(ret->bytes, range.start + range.bytes - start);
	set_around(functions, offset - ret->before, offset + ret->behind, offset, ret);
	return true;
}
