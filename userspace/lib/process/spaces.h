/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: which object is mapped where, now.  Changes are given in order of time, with
 * questions in between.  A space is identified by the id that the device gives its mm.
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
	/* it was already mapped at @from; else it was mapped then */
	bool is_seen;
	uint64_t from;			/* time at which it was mapped or seen */
} SptMap;

/* Called when mappings change, except by fork() and drop(). */
typedef struct {
	/* @map is new.  The mappings that it replaces were reported before. */
	void (*made)(uint64_t mm, const SptMap *map, void *data);
	/*
	 * @part of a mapping is unmapped at @time; @is_replaced: what replaces it is
	 * reported next.
	 */
	void (*gone)(uint64_t mm, const SptMap *part, uint64_t time, bool is_replaced, void *data);
	void *data;
} SptSpacesListener;

typedef struct SptSpaces SptSpaces;
typedef struct SptSpace SptSpace;

SptSpaces *spt_spaces_new(void);
/* Reports changes to @listener from now on. */
void spt_spaces_listen(SptSpaces *spaces, const SptSpacesListener *listener);
void spt_spaces_free(SptSpaces *spaces);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSpaces, spt_spaces_free)

/*
 * A mapping was made at @time, or seen if @map->is_seen.  It replaces what it overlaps; with
 * @fresh, everything.  Ignored if a snapshot of the space is later.  A mapping that is known
 * already stays unchanged.
 */
void spt_spaces_map(SptSpaces *spaces, uint64_t mm, uint64_t time, const SptMap *map, bool fresh);
/* @child was made at @time as a copy of @parent.  Ignored if a snapshot of @child is later. */
void spt_spaces_fork(SptSpaces *spaces, uint64_t parent, uint64_t child, uint64_t time);
/* The mappings in [@start, @end) were removed at @time. */
void spt_spaces_unmap(SptSpaces *spaces, uint64_t mm, uint64_t time, uint64_t start, uint64_t end);
/*
 * A mapping of a snapshot taken at @time.  Snapshots are numbered from 1.  The first mapping of
 * each one replaces everything in its space.
 */
void spt_spaces_snapshot(SptSpaces *spaces, unsigned number, uint64_t mm, uint64_t time,
			 const SptMap *map);
/* The snapshot is complete: reports the new and the unmapped parts. */
void spt_spaces_end_snapshot(SptSpaces *spaces);
/* The space has ended. */
void spt_spaces_drop(SptSpaces *spaces, uint64_t mm);

/*
 * The id of a space that has the mappings that @mm has now, and keeps them until
 * spt_spaces_drop_kept(); 0: none are known.
 */
uint64_t spt_spaces_keep(SptSpaces *spaces, uint64_t mm);
/* Drops all spaces of spt_spaces_keep(). */
void spt_spaces_drop_kept(SptSpaces *spaces);

/* The space's mappings; NULL: none are known.  Valid until it is dropped. */
const SptSpace *spt_spaces_get(const SptSpaces *spaces, uint64_t mm);
/*
 * Two spaces, or one space at two times, have the same version only if they have the same mappings.
 * Never 0.
 */
uint64_t spt_space_version(const SptSpace *space);
/* All mappings of the space, by address.  Valid until it changes. */
const SptMap *spt_space_maps(const SptSpace *space, unsigned *ret_n);
/* Whether the space has no known mapping. */
bool spt_space_is_empty(const SptSpace *space);
/* The mapping of @address, or NULL.  Valid until the space changes. */
const SptMap *spt_space_find(const SptSpace *space, uint64_t address);
/*
 * The @i-th mapping of those that overlap [@start, @end) or touch it, or NULL.  Valid until the
 * space changes.
 */
const SptMap *spt_space_around(const SptSpace *space, uint64_t start, uint64_t end, unsigned i);

G_END_DECLS

#endif
