/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of user memory that were read before, and whether they are the same. */
#ifndef _SYSPROF_RECALL_WORDS_H
#define _SYSPROF_RECALL_WORDS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uaccess.h>

enum sysprof_recall_mode {
	SYSPROF_RECALL_NEVER	= 0,
	SYSPROF_RECALL_USED	= 1,
	/* What is found is also looked for without. */
	SYSPROF_RECALL_CHECKED	= 2,
};

extern unsigned int sysprof_recall_mode;

/* A word of user memory, and where it is. */
struct recall_word {
	u64 at;
	u64 value;
};

/*
 * Inside the window of user_read_access_begin(): the first word from @word on that is not the same;
 * @end: all are.
 */
static __always_inline const struct recall_word *recall_compare(const struct recall_word *word,
								const struct recall_word *end)
{
	const struct recall_word *last_four = end - 3;
	u64 value, next, third, fourth;

	for (; word < last_four; word += 4) {
		unsafe_get_user(value, (u64 __user *)word->at, one);
		unsafe_get_user(next, (u64 __user *)(word + 1)->at, one);
		unsafe_get_user(third, (u64 __user *)(word + 2)->at, one);
		unsafe_get_user(fourth, (u64 __user *)(word + 3)->at, one);
		if (unlikely((value ^ word->value) | (next ^ (word + 1)->value) |
			     (third ^ (word + 2)->value) | (fourth ^ (word + 3)->value)))
			break;
	}
one:
	/* The last ones, or which of the four it is. */
	for (; word < end; word++) {
		unsafe_get_user(value, (u64 __user *)word->at, differs);
		if (unlikely(value != word->value))
			break;
	}
differs:
	return word;
}

#endif /* _SYSPROF_RECALL_WORDS_H */
