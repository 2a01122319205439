/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who knows names.  Each finder is a value that says what it knows and how it is asked.  For every
 * place they are asked in the order of SPT_FINDERS, and the first that knows the function there
 * names it, so that the order is written down here alone.  sysprof-cli info prints it, with how
 * much each has named.
 */
#ifndef SPT_FINDER_H
#define SPT_FINDER_H

#include "symbols/place-table.h"
#include "symbols/symbols.h"

G_BEGIN_DECLS

/* Where a name is looked for. */
typedef struct {
	const SptObjectRow *row;
	uint64_t offset;
	SptReadDepth depth;		/* how much of a file is read for it */
	const struct spt_recorded *recorded;	/* what the capture has; NULL: nothing */
} SptFinderPlace;

/* For SptSymbolFinder.kinds. */
#define SPT_FINDER_KINDS 32u
#define SPT_FINDER_KIND(kind) (1u << (kind))
#define SPT_FINDER_ANY_KIND UINT32_MAX

typedef struct {
	const char *name;		/* for scripts: "run-time" */
	const char *knows;		/* for people */
	/* It is asked for objects of these kinds, SPT_FINDER_KIND(SPT_OBJECT_...) */
	uint32_t kinds;
	/* Whether it can know anything of this recording.  NULL: always. */
	bool (*is_in)(const SptSymbols *symbols);
	/*
	 * The function around a place; its name is NULL if only its bounds are known.  False: it
	 * does not know it, and the next finder is asked.
	 */
	bool (*find)(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret);
	/*
	 * Functions and lines of a place, as spt_debug_info_find().  False: the next finder is
	 * asked.  NULL: it never has any.
	 */
	bool (*places)(SptSymbols *symbols, const SptFinderPlace *place,
		       SptPlace ret[SPT_INLINES_MAX], unsigned *ret_n);
} SptSymbolFinder;

/*
 * Every finder, in the order in which they are asked.  What the recording has comes before files,
 * which may have been replaced; bounds without a name are last, as a file may have the name.
 */
#define SPT_FINDERS(ROW)                                                                           \
	ROW(bundled)                                                                               \
	ROW(kernel)                                                                                \
	ROW(run_time)                                                                              \
	ROW(scripts)                                                                               \
	ROW(vdso)                                                                                  \
	ROW(recorded)                                                                              \
	ROW(file)                                                                                  \
	ROW(extents)

#define SPT_FINDER_DECLARE(name) extern const SptSymbolFinder spt_finder_##name;
SPT_FINDERS(SPT_FINDER_DECLARE)
#undef SPT_FINDER_DECLARE

#define SPT_FINDER_ONE(name) +1
#define SPT_N_FINDERS (0 SPT_FINDERS(SPT_FINDER_ONE))

/* The same as a list, with NULL behind the last one. */
extern const SptSymbolFinder *const spt_finders[];

/*
 * Who knows the function of a frame, and the symbol without what a view would make of it; its name
 * is NULL if only its bounds are known.  NULL: nobody does.
 */
const SptSymbolFinder *spt_finder_of(SptSymbols *symbols, const SptFrame *frame, SptSymbol *ret);

/* The symbol that was recorded for a place, for finders of what only a recording has. */
bool spt_recorded_symbol(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret);

G_END_DECLS

#endif
