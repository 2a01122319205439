/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_TABLES_H
#define _SYSPROF_TABLES_H

#include <linux/hash.h>
#include <linux/types.h>

#include "found.h"

struct cred;
struct sysprof_tables;

/*
 * Process context: the tables of everybody, for who may see all, else those of the user of @opener.
 * NULL: no memory.  Shared until the last put().
 */
struct sysprof_tables *sysprof_tables_get(const struct cred *opener, bool for_everybody);
void sysprof_tables_put(struct sysprof_tables *tables);
/*
 * Adds the unwind table that @table describes, in the caller's memory; errors as in struct
 * sysprof_table.  Process context, no locks held.
 */
int sysprof_tables_add(struct sysprof_tables *tables, const struct sysprof_table *table);

/*
 * Process context: @record is that of an object with a new id; the ids of all files but those whose
 * bit is set in @ids are given up, NULL: of all.
 */
void sysprof_tables_named(const struct sysprof_object *record);
void sysprof_tables_keep_objects(const unsigned long *ids);

/*
 * The start of the function that contains @frame, {object:24, offset:40}, by everybody's
 * unwind tables; SYSPROF_FRAME_NOT_TOLD where they do not say.  In the sampling context, NMI
 * too, RCU read side.
 */
u64 sysprof_tables_function(u64 frame);

#define SYSPROF_FOUND_BITS 9

/**
 * struct sysprof_finder - a walk's way to them: by everybody's tables or else by @own (may be NULL)
 * @cache: of this CPU and context
 * @tag: of what all tables were as the walk began, and of @own
 * @own: see above
 */
struct sysprof_finder {
	struct sysprof_found *cache;
	u64 tag;
	const struct sysprof_tables *own;
};

/* In the sampling context, NMI too, RCU read side, which keeps what is found. */
void sysprof_finder_init(struct sysprof_finder *finder, const struct sysprof_tables *own);
const struct sysprof_found *sysprof_finder_look_up(const struct sysprof_finder *finder, u64 frame);

/*
 * Where in the cache @frame is if it is there, and whether it is.  They call nothing: for where
 * user memory may be touched.
 */
static __always_inline struct sysprof_found *sysprof_finder_slot(
	const struct sysprof_finder *finder, u64 frame)
{
	return finder->cache + (frame * GOLDEN_RATIO_64 >> (64 - SYSPROF_FOUND_BITS));
}

static __always_inline bool sysprof_finder_has(const struct sysprof_finder *finder,
					       const struct sysprof_found *slot, u64 frame)
{
	return slot->frame == frame && slot->tag == finder->tag;
}

#endif /* _SYSPROF_TABLES_H */
