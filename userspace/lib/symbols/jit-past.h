/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that was replaced or freed, found by place and time.  Programs report it and are not
 * trusted: adding takes the same time however large a function is said to be, and a look-up passes
 * SPT_JIT_PAST_STEPS functions at most.
 */
#ifndef SPT_JIT_PAST_H
#define SPT_JIT_PAST_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint64_t start, bytes;
	const char *name;		/* lives as long as its reporter */
} SptJitFunction;

#define SPT_JIT_PAST_STEPS 2048
/* Of all functions; a program may replace its code for days. */
#define SPT_JIT_PAST_MAX (1u << 18)

typedef struct SptJitPast SptJitPast;

SptJitPast *spt_jit_past_new(void);
void spt_jit_past_free(SptJitPast *past);
/* @function was replaced at @time_ns.  What there is no room for is forgotten. */
void spt_jit_past_add(SptJitPast *past, const SptJitFunction *function, uint64_t time_ns);
/* How many were replaced until then. */
uint32_t spt_jit_past_epoch(const SptJitPast *past, uint64_t time_ns);
/*
 * The first @n at most of what lay at @address until @time_ns: how many, and in @ret, unless NULL,
 * the last of them.
 */
uint32_t spt_jit_past_at(const SptJitPast *past, uint64_t address, uint64_t time_ns, uint32_t n,
			 SptJitFunction *ret);

G_END_DECLS

#endif
