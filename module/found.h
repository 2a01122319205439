/* SPDX-License-Identifier: GPL-2.0-only */
/* What is remembered of a frame that was looked up in unwind tables. */
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
 * struct sysprof_found - what the tables say of one frame; in a cache of this CPU and context
 * @frame: {object:24, offset:40}
 * @tag: of the finder that found it; 0: nothing is here
 * @cfa_offset: plain: from the stack or frame pointer to the CFA
 * @ra_words: plain: 8 times this from the CFA lies the return address
 * @fp_words: plain: likewise, the caller's frame pointer; 0: it is unchanged
 * @plain: enum sysprof_plain: whether the CFA goes by the stack pointer or the frame pointer, the
 *	return address is in memory, and so is the frame pointer or where it was: all else that the
 *	rule may say is of registers that hardly any caller's rule asks for
 * @has_table: the frame's object has one
 * @is_region: code made at run time, which can have none
 * @rule: NULL: there is none
 */
struct sysprof_found {
	u64 frame;
	u64 tag;
	s32 cfa_offset;
	s8 ra_words;
	s8 fp_words;
	u8 plain;
	bool has_table;
	bool is_region;
	const struct sysprof_table_rule *rule;
};

/* Sets what is said to be "plain" by @found's rule. */
static inline void sysprof_found_prepare(struct sysprof_found *found)
{
	const struct sysprof_table_rule *rule = found->rule;
	bool is_saved;
	s16 saved;

	found->plain = SYSPROF_NOT_PLAIN;
	if (!rule)
		return;
	saved = rule->saved[SYSPROF_ARCH_FP_SLOT];
	is_saved = rule->at_cfa >> SYSPROF_ARCH_FP_SLOT & 1;
	if (rule->cfa != SYSPROF_CFA_REGISTER || rule->ra != SYSPROF_RA_MEMORY || rule->is_signal ||
	    rule->ra_offset % 8 ||
	    (rule->cfa_register != SYSPROF_ARCH_SP && rule->cfa_register != SYSPROF_ARCH_FP) ||
	    (rule->lost | rule->at_fp) >> SYSPROF_ARCH_FP_SLOT & 1 ||
	    (is_saved && (!saved || saved != (s8)saved)) ||
	    rule->ra_offset / 8 != (s8)(rule->ra_offset / 8))
		return;
	found->plain = rule->cfa_register == SYSPROF_ARCH_FP ? SYSPROF_PLAIN_FP : SYSPROF_PLAIN_SP;
	found->cfa_offset = rule->cfa_offset;
	found->fp_words = is_saved ? saved : 0;
	found->ra_words = rule->ra_offset / 8;
}

#endif /* _SYSPROF_FOUND_H */
