/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No siphash, but as good for what is tested: a word that depends on all bits of two. */
#ifndef SHIM_LINUX_SIPHASH_H
#define SHIM_LINUX_SIPHASH_H

#include "../shim.h"

typedef struct {
	u64 key[2];
} siphash_key_t;

static inline u64 siphash_1u64(u64 word, const siphash_key_t *key)
{
	word = (word ^ key->key[0]) * GOLDEN_RATIO_64;
	word = (word ^ word >> 32 ^ key->key[1]) * GOLDEN_RATIO_64;
	return word ^ word >> 29;
}

#endif
