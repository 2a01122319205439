/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: which object lies where, now.  Fed in order of time, asked in between.  A space is known by the id that the
 * device gives its mm.
 */
#ifndef SPT_SPACES_H
#define SPT_SPACES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint64_t start, end;		/* addresses: [start, end) */
	uint64_t offset;		/* of start in the object */
	uint32_t object;
} SptMap;

typedef struct SptSpaces SptSpaces;
typedef struct SptSpace SptSpace;

SptSpaces *spt_spaces_new(void);
void spt_spaces_free(SptSpaces *spaces);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSpaces, spt_spaces_free)

/* A mapping was made at @time: it replaces what it overlaps; @fresh: everything.  Ignored if a snapshot of the space is later. */
void spt_spaces_map(SptSpaces *spaces, uint64_t mm, uint64_t time, const SptMap *map, bool fresh);
/* @child was made at @time as a copy of @parent.  Ignored if a snapshot of @child is later. */
void spt_spaces_fork(SptSpaces *spaces, uint64_t parent, uint64_t child, uint64_t time);
/* A mapping of a snapshot taken at @time; the first of a snapshot (by its number, from 1) replaces everything in its space. */
void spt_spaces_snapshot(SptSpaces *spaces, unsigned number, uint64_t mm, uint64_t time, const SptMap *map);
/* The space has come to its end. */
void spt_spaces_drop(SptSpaces *spaces, uint64_t mm);

/* What is known of the space; NULL: nothing.  Valid until it is dropped. */
const SptSpace *spt_spaces_get(const SptSpaces *spaces, uint64_t mm);
/* Two spaces, or one at two times, have the same version only if they have the same mappings.  Never 0. */
uint64_t spt_space_version(const SptSpace *space);
/* Whether nothing is known to lie in it. */
bool spt_space_is_empty(const SptSpace *space);
/* The mapping @address lies in, or NULL.  Valid until the space changes. */
const SptMap *spt_space_find(const SptSpace *space, uint64_t address);

G_END_DECLS

#endif
