/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that a victim has on its stack, and how to know one without having any oneself. */
#ifndef SECRET_H
#define SECRET_H

#include <stdbool.h>
#include <stdint.h>

#define SECRET_HIGH	0x5ec2e75bU
#define SECRET_FACTOR	2654435761U

/* In both halves, so that no byte order or shift hides it. */
static inline uint64_t secret_word(uint32_t salt)
{
	return (uint64_t)SECRET_HIGH << 32 | (SECRET_HIGH ^ (salt & 1));
}

static inline bool is_secret(uint32_t half)
{
	return half * SECRET_FACTOR == SECRET_HIGH * SECRET_FACTOR;
}

#endif
