/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for finding a frame's caller: one word for each address, made from the program's own
 * .eh_frame when the address is first met, and kept in a table that all threads share.
 */
#ifndef SPT_PRELOAD_RULES_H
#define SPT_PRELOAD_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"
#include "rings/layout.h"

/* The place of the caller's stack pointer.  Odd: finding it takes the frame pointer, or may. */
enum spt_rule_base {
	SPT_RULE_END,		/* there is no caller */
	SPT_RULE_UNKNOWN,	/* there may be one */
	SPT_RULE_SP,		/* sp + offset */
	SPT_RULE_BP,		/* bp + offset */
	SPT_RULE_AT_SP,		/* the value at sp + offset */
	SPT_RULE_AT_BP,		/* the value at bp + offset */
	/* the interrupted context, as the kernel has saved it on the stack */
	SPT_RULE_SIGNAL,
	SPT_RULE_CHAIN,		/* no unwind information: frame pointers are followed */
};

/* The place of the caller's frame pointer. */
enum spt_rule_bp {
	SPT_BP_SAME,		/* unchanged */
	SPT_BP_AT_CFA,		/* in memory, at the caller's stack pointer + offset */
	SPT_BP_AT_BP,		/* in memory, at bp + offset */
};

#ifdef SPT_HAS_LINK

/* Offsets are multiples of 8. */
static inline uint64_t spt_rule(unsigned base, int32_t offset, unsigned bp, int32_t bp_offset,
				int32_t ra_offset)
{
	return base | bp << 3 | ((uint64_t)(uint32_t)(offset / 8) & 0x1fffff) << 5 |
	       ((uint64_t)(uint32_t)(bp_offset / 8) & 0x7ffff) << 26 |
	       ((uint64_t)(uint32_t)(ra_offset / 8) & 0x7ffff) << 45;
}

static inline bool spt_rule_fits(int64_t offset, int64_t bp_offset, int64_t ra_offset)
{
	return !((offset | bp_offset | ra_offset) & 7) && offset >= -(1 << 23) &&
	       offset < 1 << 23 && bp_offset >= -(1 << 21) && bp_offset < 1 << 21 &&
	       ra_offset >= -(1 << 21) && ra_offset < 1 << 21;
}

static inline int64_t spt_rule_offset(uint64_t rule)
{
	return ((int64_t)(rule << 38) >> 43) * 8;
}

static inline int64_t spt_rule_bp_offset(uint64_t rule)
{
	return ((int64_t)(rule << 19) >> 45) * 8;
}

/* The place of the return address, from the caller's stack pointer; 0: in the register. */
static inline int64_t spt_rule_ra_offset(uint64_t rule)
{
	return ((int64_t)rule >> 45) * 8;
}

#else

static inline uint64_t spt_rule(unsigned base, int32_t offset, unsigned bp, int32_t bp_offset,
				int32_t ra_offset)
{
	(void)ra_offset;
	return base | bp << 3 | (uint64_t)((uint32_t)offset & 0x1fffffff) << 5 |
	       (uint64_t)((uint32_t)bp_offset & 0x1fffffff) << 34;
}

static inline bool spt_rule_fits(int64_t offset, int64_t bp_offset, int64_t ra_offset)
{
	return offset >= -(1 << 28) && offset < 1 << 28 && bp_offset >= -(1 << 28) &&
	       bp_offset < 1 << 28 && ra_offset == SPT_RA_AT;
}

static inline int64_t spt_rule_offset(uint64_t rule)
{
	return (int64_t)(rule << 30) >> 35;
}

static inline int64_t spt_rule_bp_offset(uint64_t rule)
{
	return (int64_t)(rule << 1) >> 35;
}

static inline int64_t spt_rule_ra_offset(uint64_t rule)
{
	(void)rule;
	return SPT_RA_AT;
}

#endif

static inline unsigned spt_rule_base(uint64_t rule)
{
	return rule & 7;
}

static inline unsigned spt_rule_bp(uint64_t rule)
{
	return rule >> 3 & 3;
}

/* The kernel has saved the frame pointer, too. */
static inline uint64_t spt_rule_signal(void)
{
	return spt_rule(SPT_RULE_SIGNAL, 0, SPT_BP_AT_CFA, 0, 0);
}

/* Tables of growing size; that of n places begins at the n-th one. */
#define SPT_LEAST_RULES (1u << 10)
#define SPT_MOST_RULES	(1u << 16)

/* A rule counts only if both words fit together: their XOR must be the key. */
struct spt_known_rule {
	uint64_t mixed, rule;
};
extern struct spt_known_rule spt_known_rules[2 * SPT_MOST_RULES];
extern uint32_t spt_rule_places;
/* Changes with each dlclose(): earlier rules are invalid then. */
extern uint32_t spt_generation;

/* The generations that a rule knows; then they begin anew. */
#define SPT_RULE_GENERATIONS 0x7fffu

/* Of a return address, or an instruction with SPT_NODE_EXACT. */
static inline uint64_t spt_rule_key(uint64_t pc, uint32_t generation)
{
	return pc | (uint64_t)(generation & SPT_RULE_GENERATIONS) << 48;
}

/* The place of @key in the table of @n places. */
static inline struct spt_known_rule *spt_rule_place(uint64_t key, uint32_t n)
{
	return &spt_known_rules[n + ((key * 0x9e3779b97f4a7c15ULL) >> 40 & (n - 1))];
}

static inline bool spt_rule_find(const struct spt_known_rule *known, uint64_t key, uint64_t *ret)
{
	*ret = __atomic_load_n(&known->rule, __ATOMIC_RELAXED);
	return (__atomic_load_n(&known->mixed, __ATOMIC_RELAXED) ^ *ret) == key;
}

/* The rule for @pc where the table of @n places does not have it. */
uint64_t spt_rule_learn(uint64_t pc, uint64_t key, uint32_t n);
void spt_rules_forget(void);

/* @pc: a return address, or an instruction with SPT_NODE_EXACT. */
static inline uint64_t spt_rule_of(uint64_t pc, uint32_t generation)
{
	uint64_t key = spt_rule_key(pc, generation), rule;
	uint32_t n = __atomic_load_n(&spt_rule_places, __ATOMIC_RELAXED);

	return __builtin_expect(spt_rule_find(spt_rule_place(key, n), key, &rule), 1) ?
		rule : spt_rule_learn(pc, key, n);
}

#endif
