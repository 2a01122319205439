/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and lines from the recorded file, if the one at its path is still the same: its symbol
 * table, its separate debug file, here or downloaded, and what else symtab.h says.
 */
#include "symbols/symbols-private.h"

static bool find_in_file(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret)
{
	const SptPlaceTable *table;
	uint32_t at;

	if (symbols->detail & SPT_DETAIL_NO_FILES)
		return false;
	table = spt_files_find(symbols->files, place->row->id, place->offset, place->depth, &at);
	return table && spt_place_table_symbol(table, at, ret);
}

static bool find_file_places(SptSymbols *symbols, const SptFinderPlace *place,
			     SptPlace ret[SPT_INLINES_MAX], unsigned *ret_n)
{
	uint32_t at;
	const SptPlaceTable *table = spt_files_find(symbols->files, place->row->id, place->offset,
						    place->depth, &at);

	*ret_n = table ? spt_place_table_places(table, at, ret) : 0;
	return true;
}

const SptSymbolFinder spt_finder_file = {
	.name = "file",
	.knows = "recorded files and their debug files, as they are here",
	.kinds = SPT_FINDER_KIND(SPT_OBJECT_FILE),
	.find = find_in_file,
	.places = find_file_places,
};
