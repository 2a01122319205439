/* SPDX-License-Identifier: GPL-2.0-only */
/* Unwind tables that sessions upload, found by object. */
#ifndef _SYSPROF_TABLES_H
#define _SYSPROF_TABLES_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "contexts.h"
#include "found.h"

struct cred;
struct file;

/**
 * struct sysprof_tables - of everybody, or of one user
 * @list: in owners
 * @uid: their user, unless @for_everybody
 * @for_everybody: tables for all users
 * @number: unique, from 1
 * @sessions: number of sessions that use them
 * @tables: those by build-id
 * @bytes: memory that these take
 * @files: those of single objects
 * @file_bytes: memory that these take, in pages
 */
struct sysprof_tables {
	struct list_head list;
	kuid_t uid;
	bool for_everybody;
	u32 number;
	unsigned int sessions;
	struct list_head tables;
	u64 bytes;
	struct list_head files;
	u64 file_bytes;
};

/*
 * The tables of everybody if @for_everybody, else those of the user of @opener.  NULL: no memory.
 * They are shared until the last put().  Process context.
 */
struct sysprof_tables *sysprof_tables_get(const struct cred *opener, bool for_everybody);
void sysprof_tables_put(struct sysprof_tables *tables);
/*
 * Adds the unwind table that @table describes, from the caller's memory.  Errors are those of
 * struct sysprof_table.  Process context, no locks held.
 */
int sysprof_tables_add(struct sysprof_tables *tables, const struct sysprof_table *table);
/* The same for a table of @file alone; sets the object. */
int sysprof_tables_add_file(struct sysprof_tables *tables, struct sysprof_table *table,
			    struct file *file);

/*
 * Process context.  named(): @record describes an object with a new id.  keep_objects(): gives up
 * the ids of all files whose bit in @ids is not set; NULL: of all files.
 */
void sysprof_tables_named(const struct sysprof_object *record);
void sysprof_tables_keep_objects(const unsigned long *ids);

/*
 * The start of the function that contains @frame, {object:24, offset:40}, by everybody's unwind
 * tables, but those of single files; SYSPROF_FRAME_NOT_TOLD if they do not have it.  In the
 * sampling context, NMI too, RCU read side.
 */
u64 sysprof_tables_function(u64 frame);

#define SYSPROF_FOUND_BITS 11

/**
 * struct sysprof_finder - how a walk finds rules: in everybody's tables, or else in @own
 * @cache: cache of this CPU and context
 * @tag: represents the state of all tables as the walk began, and @own
 * @own: the session's tables; NULL: none
 */
struct sysprof_finder {
	struct sysprof_found *cache;
	u64 tag;
	const struct sysprof_tables *own;
};

/* A tag is a generation and an owner's number. */
#define SYSPROF_OWNER_BITS 16

/* Each is struct sysprof_found[1 << SYSPROF_FOUND_BITS]. */
DECLARE_PER_CPU(struct sysprof_contexts, sysprof_found_caches);
extern u64 sysprof_tables_generation;

/*
 * In the sampling context, NMI too, RCU read side, which keeps the returned entries valid.  fill():
 * looks up what the cache does not have.
 */
static __always_inline void sysprof_finder_init(struct sysprof_finder *finder,
						const struct sysprof_tables *own)
{
	finder->cache = sysprof_contexts_this(&sysprof_found_caches);
	/*
	 * Links that were removed by then are not found; pairs with smp_store_release() in
	 * begin_generation().
	 */
	finder->tag = smp_load_acquire(&sysprof_tables_generation) << SYSPROF_OWNER_BITS |
		      (own ? own->number : 0);
	finder->own = own;
}

const struct sysprof_found *sysprof_finder_fill(const struct sysprof_finder *finder, u64 frame);

/*
 * slot(): the only place of the cache where @frame can be.  has(): whether it is there.  They call
 * no function, so they can be used where user memory may be touched.
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

static __always_inline const struct sysprof_found *sysprof_finder_look_up(
	const struct sysprof_finder *finder, u64 frame)
{
	const struct sysprof_found *found = sysprof_finder_slot(finder, frame);

	return likely(sysprof_finder_has(finder, found, frame)) ?
		       found :
		       sysprof_finder_fill(finder, frame);
}

#endif /* _SYSPROF_TABLES_H */
