/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units in a package (.dwp) beside their file, which not every libdw reads, or in files
 * (.dwo) of their own, which libdw would open by itself.  What is there of a unit becomes an
 * ordinary unit of a DWARF file in memory, which every libdw reads.
 */
#ifndef SPT_SYMBOLS_DWP_H
#define SPT_SYMBOLS_DWP_H

#include <elfutils/libdw.h>

#include "object/object.h"

G_BEGIN_DECLS

struct spt_dwp;

/*
 * Those of @file, which has the skeletons and outlives it, by its path.
 */
struct spt_dwp *spt_dwp_open(const SptObject *file);
void spt_dwp_free(struct spt_dwp *dwp);
/*
 * The DIE of the unit that @cu is the skeleton of, once each; it lives as long as @dwp and @cu.
 * False: it is no skeleton, or there is none.
 */
bool spt_dwp_unit(struct spt_dwp *dwp, Dwarf_Die *cu, Dwarf_Die *ret);

G_END_DECLS

#endif
