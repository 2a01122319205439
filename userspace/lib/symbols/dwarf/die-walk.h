/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a unit (DIEs) one after the other, as far as it has to be known which of them have
 * code.  Most have none and are passed over with a look at their abbreviation, which libdw says the
 * meaning of; each step goes forward, whatever the bytes are.
 */
#ifndef SPT_DIE_WALK_H
#define SPT_DIE_WALK_H

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

G_BEGIN_DECLS

/* What the abbreviations of a unit mean; several units may have the same. */
struct spt_shapes;

struct spt_die_walk {
	struct spt_shapes *shapes;
	const uint8_t *unit;
	struct spt_bytes bytes;		/* from the next one on */
};

struct spt_die {
	void *die;			/* where libdw finds it */
	unsigned tag;			/* 0: the end of a list of children */
	bool has_children;		/* they are next */
	bool is_declaration;
	bool has_code;			/* it says where */
	bool has_span;			/* namely here; else libdw knows */
	uint64_t start, end;
	/* In the unit, the one after its children; 0: it does not say */
	uint64_t sibling;
};

/*
 * Begins with the first entry below that of a unit, @cu.  @shapes: what another walk left behind,
 * for reuse; NULL: none.  False: it cannot be read.
 */
bool spt_die_walk_begin(struct spt_die_walk *walk, Dwarf_Die *cu, struct spt_shapes *shapes);
/* False: there are no more, or none that can be read. */
bool spt_die_walk_next(struct spt_die_walk *walk, struct spt_die *ret);
/* After spt_die_walk_next() gave @die: its children are not wanted. */
bool spt_die_walk_skip(struct spt_die_walk *walk, const struct spt_die *die);

void spt_shapes_free(struct spt_shapes *shapes);

G_END_DECLS

#endif
