/* SPDX-License-Identifier: GPL-2.0-only */
/* How often what is remembered was of use, and was right: stacks, and functions of scripts. */
#ifndef _SYSPROF_RECALL_COUNTS_H
#define _SYSPROF_RECALL_COUNTS_H

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/types.h>

/**
 * struct sysprof_recall_counts - of one CPU, since the module was loaded
 * @known: walks, or runs, that ended as before
 * @walked: those that did not, and could have done so
 * @checked: those that were made once more
 * @wrong: of @checked, those that differed
 */
struct sysprof_recall_counts {
	u64 known;
	u64 walked;
	u64 checked;
	u64 wrong;
};

static inline void sysprof_recall_add(struct sysprof_recall_counts *sum,
				      const struct sysprof_recall_counts *one)
{
	sum->known += READ_ONCE(one->known);
	sum->walked += READ_ONCE(one->walked);
	sum->checked += READ_ONCE(one->checked);
	sum->wrong += READ_ONCE(one->wrong);
}

/* As the parameter's file has them, a page. */
static inline int sysprof_recall_print(char *to, const struct sysprof_recall_counts *sum)
{
	return scnprintf(to, PAGE_SIZE, "known %llu\nwalked %llu\nchecked %llu\nwrong %llu\n",
			 (unsigned long long)sum->known, (unsigned long long)sum->walked,
			 (unsigned long long)sum->checked, (unsigned long long)sum->wrong);
}

#endif /* _SYSPROF_RECALL_COUNTS_H */
