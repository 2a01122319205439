/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One compilation unit: its lines, its functions and the functions inlined into them, by address.
 */
#ifndef SPT_DEBUG_UNIT_H
#define SPT_DEBUG_UNIT_H

#include <elfutils/libdw.h>

#include "symbols/dwarf/debug-info.h"
#include "symbols/dwarf/die-walk.h"
#include "symbols/dwarf/line-table.h"

G_BEGIN_DECLS

struct spt_unit;

/*
 * @cu is the unit's DIE, @split the one in its .dwo file, or @cu.  @lines are those of its file,
 * and outlive it; NULL: functions only.  @shapes as in die-walk.h: those of the unit that was read
 * before, and on return of this one.
 */
struct spt_unit *spt_unit_new(Dwarf_Die *cu, Dwarf_Die *split,
			      const struct spt_line_sections *lines, struct spt_shapes **shapes);
void spt_unit_free(struct spt_unit *unit);
/* As spt_debug_info_find(), by address. */
unsigned spt_unit_find(struct spt_unit *unit, uint64_t address, SptPlace ret[SPT_INLINES_MAX]);

G_END_DECLS

#endif
