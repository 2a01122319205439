/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units in a package (.dwp), which only some versions of libdw read, or in
 * files (.dwo) of their own, which libdw would open by itself.  A unit of them becomes an ordinary
 * unit of a DWARF file in memory, which every libdw reads.
 */
#ifndef SPT_SYMBOLS_DWP_H
#define SPT_SYMBOLS_DWP_H

#include <elfutils/libdw.h>

#include "object/object.h"

G_BEGIN_DECLS

struct spt_dwp;

/*
 * The split units of @file, which has the skeletons and outlives it, and is @image or its debug
 * file: in the packages of spt_debug_packages(), or where @file says.
 */
struct spt_dwp *spt_dwp_new(const SptObject *file, const SptObject *image,
			    const char *const *debug_dirs);
void spt_dwp_free(struct spt_dwp *dwp);
/*
 * The DIE of the unit whose skeleton is @cu, for each once; valid as long as @dwp and @cu.  False:
 * @cu is not a skeleton, or its unit is not there.
 */
bool spt_dwp_unit(struct spt_dwp *dwp, Dwarf_Die *cu, Dwarf_Die *ret);

G_END_DECLS

#endif
