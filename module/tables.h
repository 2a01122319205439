/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_TABLES_H
#define _SYSPROF_TABLES_H

#include <linux/hash.h>
#include <linux/types.h>

#include "sysprof-table.h"

struct cred;
struct sysprof_tables;

/* Process context: the tables of everybody, for who may see all, else those of the user of @opener. NULL: no memory.  Shared until the last put(). */
struct sysprof_tables *sysprof_tables_get(const struct cred *opener, bool for_everybody);
void sysprof_tables_put(struct sysprof_tables *tables);
/* Adds the table that @table tells of, in the caller's memory; errors as in struct sysprof_table.  Process context, no locks held. */
int sysprof_tables_add(struct sysprof_tables *tables, const struct sysprof_table *table);

/* Process context: @record is that of an object with a new id; all ids are given up (no tick any more). */
void sysprof_tables_named(const struct sysprof_object *record);
void sysprof_tables_forget_objects(void);

/**
 * struct sysprof_found - what the tables say of one frame; in a cache of this CPU and context
 * @frame: {object:24, offset:40}
 * @generation: of all tables; 0: nothing is here
 * @own: the tables of a user that were looked into beside everybody's
 * @is_plain: the CFA goes by the stack pointer or the frame pointer, the return address is in memory, and so is the frame pointer or where it was: all else
 *	that the rule may say is of registers that hardly any caller's rule asks for
 * @by_fp: plain: the CFA goes by the frame pointer
 * @fp_words: plain: 8 times this from the CFA lies the caller's frame pointer; 0: it is unchanged
 * @ra_words: plain: likewise, the return address
 * @cfa_offset: plain: from the stack or frame pointer to the CFA
 * @has_table: the frame's object; without, nothing is known of how its code uses the frame pointer
 * @rule: NULL: there is none
 */
struct sysprof_found {
	u64 frame;
	u64 generation;
	const struct sysprof_tables *own;
	bool is_plain;
	bool by_fp;
	bool has_table;
	s8 fp_words;
	s8 ra_words;
	s32 cfa_offset;
	const struct sysprof_table_rule *rule;
};

#define SYSPROF_FOUND_BITS 9

/**
 * struct sysprof_finder - a walk's way to them: by everybody's tables or else by @own (may be NULL)
 * @cache: of this CPU and context
 * @generation: as the walk begins
 * @own: see above
 */
struct sysprof_finder {
	struct sysprof_found *cache;
	u64 generation;
	const struct sysprof_tables *own;
};

/* In the sampling context, NMI too, RCU read side, which keeps what is found. */
void sysprof_finder_init(struct sysprof_finder *finder, const struct sysprof_tables *own);
const struct sysprof_found *sysprof_finder_look_up(const struct sysprof_finder *finder, u64 frame);

/* What is in the cache, or NULL.  Calls nothing: for where user memory may be touched. */
static __always_inline const struct sysprof_found *sysprof_finder_peek(const struct sysprof_finder *finder, u64 frame)
{
	const struct sysprof_found *found = finder->cache + (frame * GOLDEN_RATIO_64 >> (64 - SYSPROF_FOUND_BITS));

	return found->frame == frame && found->generation == finder->generation && found->own == finder->own ? found : NULL;
}

#endif /* _SYSPROF_TABLES_H */
