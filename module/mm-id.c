// SPDX-License-Identifier: GPL-2.0-only
/* Ids of address spaces: a keyed hash of where the kernel has them. */
#include <linux/random.h>
#include <linux/siphash.h>

#include "mm-id.h"

static siphash_key_t mm_key;

u64 sysprof_mm_id(const struct mm_struct *mm)
{
	return mm ? siphash_1u64((unsigned long)mm, &mm_key) | 1 : 0;
}

void sysprof_mm_id_init(void)
{
	get_random_bytes(&mm_key, sizeof(mm_key));
}
