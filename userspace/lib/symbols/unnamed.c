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

bool spt_unnamed_find(const SptSymtab *symtab, SptFunctions *functions, const SptObject *object,
		      uint64_t offset, SptSymbol *ret)
{
	bool has_symbol = spt_symtab_find(symtab, offset, ret);
	uint64_t start = offset - ret->distance, low, high;
	SptRange range;

	if (has_symbol && !ret->is_open)
		return true;
	if (!spt_functions_find(functions, object, offset, &range))
		return has_symbol;
	if (!has_symbol) {
		spt_symtab_gap(symtab, offset, &low, &high);
		*ret = between(&range, low, high, offset);
	} else if (range.start > start) {
		*ret = between(&range, start, start + ret->bytes, offset);
	} else {
		ret->bytes = MIN(ret->bytes, range.start + range.bytes - start);
	}
	return true;
}
