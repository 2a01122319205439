/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of finders of names. */
#include "symbols/finder.h"

#define SPT_FINDER_POINTER(name) &spt_finder_##name,
const SptSymbolFinder *const spt_finders[] = { SPT_FINDERS(SPT_FINDER_POINTER) NULL };
