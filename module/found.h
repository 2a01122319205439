/* SPDX-License-Identifier: GPL-2.0-only */
/* The cached result of looking a frame up in unwind tables. */
#ifndef _SYSPROF_FOUND_H
#define _SYSPROF_FOUND_H

#include <linux/types.h>

#include "arch.h"
#include "sysprof-table.h"

enum sysprof_plain {
	SYSPROF_NOT_PLAIN	= 0,
	SYSPROF_PLAIN_SP	= 1,
	SYSPROF_PLAIN_FP	= 2,
};

/**
 * struct sysprof_plain_rule - a plain rule
 * @kind: enum sysprof_plain.  A rule is plain if the CFA is an offset from the stack pointer or the
 *	frame pointer, the return address is in memory, and the frame pointer is unchanged or in
 *	memory.  Nor is struct sysprof_found's @is_behind set.  The rest of a plain rule is about
 *	registers that hardly any caller's rule needs
 * @ra_words: the return address is at CFA + 8 * @ra_words
 * @fp_words: the caller's frame pointer is at CFA + 8 * @fp_words; 0: it is unchanged
 * @is_root: it is not plain, and says that there is no caller
 */
struct sysprof_plain_rule {
	u8 kind;
	s8 ra_words;
	s8 fp_words;
	bool is_root;
};

/**
 * struct sysprof_found - the tables' rule for one frame; in a cache of this CPU and context, in
 *	which two are in one cache line
 * @frame: {object:24, offset:40}
 * @tag: tag of the finder that filled the entry; 0: the entry is empty
 * @rule: the rule; NULL: there is none
 * @cfa_offset: plain: distance from the stack or frame pointer to the CFA
 * @plain: most of the rule, if it is plain
 * @has_table: the frame's object has a table
 * @is_region: the frame is code made at run time, which can have no table
 * @is_behind: see struct sysprof_row
 * @is_signal_behind: likewise
 */
struct sysprof_found {
	u64 frame;
	u64 tag;
	const struct sysprof_table_rule *rule;
	s32 cfa_offset;
	struct sysprof_plain_rule plain;
	bool has_table;
	bool is_region;
	bool is_behind;
	bool is_signal_behind;
};

/* Sets the members about plain rules, from @found's rule. */
static inline void sysprof_found_prepare(struct sysprof_found *found)
{
	const struct sysprof_table_rule *rule = found->rule;
	bool is_saved;
	s16 saved;

	found->plain = (struct sysprof_plain_rule){};
	if (!rule || found->is_behind)
		return;
	found->plain.is_root = rule->ra == SYSPROF_RA_NONE && rule->cfa != SYSPROF_CFA_SIGNAL;
	saved = rule->saved[SYSPROF_ARCH_FP_SLOT];
	is_saved = rule->at_cfa >> SYSPROF_ARCH_FP_SLOT & 1;
	if (rule->cfa != SYSPROF_CFA_REGISTER || rule->ra != SYSPROF_RA_MEMORY || rule->is_signal ||
	    rule->ra_offset % 8 ||
	    (rule->cfa_register != SYSPROF_ARCH_SP && rule->cfa_register != SYSPROF_ARCH_FP) ||
	    (rule->lost | rule->at_fp) >> SYSPROF_ARCH_FP_SLOT & 1 ||
	    (is_saved && (!saved || saved != (s8)saved)) ||
	    rule->ra_offset / 8 != (s8)(rule->ra_offset / 8))
		return;
	found->plain.kind = rule->cfa_register == SYSPROF_ARCH_FP ? SYSPROF_PLAIN_FP :
								    SYSPROF_PLAIN_SP;
	found->cfa_offset = rule->cfa_offset;
	found->plain.fp_words = is_saved ? saved : 0;
	found->plain.ra_words = rule->ra_offset / 8;
}

#endif /* _SYSPROF_FOUND_H */
