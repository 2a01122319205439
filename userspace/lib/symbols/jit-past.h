/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that was replaced or freed, found by place and time.  The programs that report it are not
 * trusted.  Adding a function takes the same time for any size, and a look-up passes at most
 * SPT_JIT_PAST_STEPS functions.
 */
#ifndef SPT_JIT_PAST_H
#define SPT_JIT_PAST_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint64_t start, bytes;
	const char *name;		/* valid as long as its reporter */
} SptJitFunction;

#define SPT_JIT_PAST_STEPS 2048
/* Most functions that are kept; a program may replace its code for days. */
#define SPT_JIT_PAST_MAX (1u << 18)

typedef struct SptJitPast SptJitPast;

SptJitPast *spt_jit_past_new(void);
void spt_jit_past_free(SptJitPast *past);
/* @function was replaced at @time_ns.  What does not fit is dropped. */
void spt_jit_past_add(SptJitPast *past, const SptJitFunction *function, uint64_t time_ns);
/* Number of functions that were replaced up to @time_ns. */
uint32_t spt_jit_past_epoch(const SptJitPast *past, uint64_t time_ns);
/*
 * Counts the functions that were at @address up to @time_ns, at most @n, from the first one on.
 * @ret, unless NULL, gets the last of them.
 */
uint32_t spt_jit_past_at(const SptJitPast *past, uint64_t address, uint64_t time_ns, uint32_t n,
			 SptJitFunction *ret);

G_END_DECLS

#endif
