/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the entries of a unit (DIEs), to find those that have code.  Most have none, and are
 * skipped after a look at their abbreviation, which libdw explains.  Each step moves forward,
 * whatever the bytes are.
 */
#ifndef SPT_DIE_WALK_H
#define SPT_DIE_WALK_H

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

G_BEGIN_DECLS

/* The meaning of a unit's abbreviations; several units may have the same. */
struct spt_shapes;

struct spt_die_walk {
	struct spt_shapes *shapes;
	const uint8_t *unit;
	struct spt_bytes bytes;		/* from the next one on */
};

struct spt_die {
	void *die;			/* its place, for libdw */
	unsigned tag;			/* 0: the end of a list of children */
	bool has_children;		/* they are next */
	bool is_declaration;
	bool has_code;			/* it has the place of its code */
	bool has_span;			/* the code is [start, end); else ask libdw */
	uint64_t start, end;
	/* Offset in the unit of the entry after its children; 0: not given. */
	uint64_t sibling;
};

/*
 * Begins with the first entry below that of a unit, @cu.  @shapes: left by another walk, for reuse;
 * NULL: none.  False: it cannot be read.
 */
bool spt_die_walk_begin(struct spt_die_walk *walk, Dwarf_Die *cu, struct spt_shapes *shapes);
/* The next entry.  False: there are no more, or it cannot be read. */
bool spt_die_walk_next(struct spt_die_walk *walk, struct spt_die *ret);
/* Skips the children of @die, which spt_die_walk_next() has just returned. */
bool spt_die_walk_skip(struct spt_die_walk *walk, const struct spt_die *die);

void spt_shapes_free(struct spt_shapes *shapes);

G_END_DECLS

#endif
