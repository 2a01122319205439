/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk along unwind tables (uapi: "Unwind tables"), the same for all architectures.  Whoever includes this has, beside what walk-user.h wants,
 * the numbers of the stack pointer and the frame pointer, TABLE_SP and TABLE_FP; saved_registers[], those that a function has to
 * keep; and signal_registers[] and SIGNAL_IP, where a signal's frame has the registers.
 *
 * A table is not trusted: it says which words are read, without a fault, but a frame is only what lies in an executable mapping, and there are
 * no more steps than frames.
 */
#ifndef _SYSPROF_WALK_TABLE_H
#define _SYSPROF_WALK_TABLE_H

#include "tables.h"
#include "walk-user.h"

#define ALL_KNOWN	(~0ULL >> (64 - SYSPROF_ARCH_TABLE_REGS))
/* So far below the stack pointer lies what a function's last instructions have taken back already. */
#define TAKEN_BACK_BYTES 4096

/**
 * struct table_walk - the frame a walk is at
 * @registers: as they are there
 * @known: bits: which of them are
 * @ip: 0: there is none
 * @is_exact: it was interrupted there, by the tick or by a signal, not called
 */
struct table_walk {
	u64 registers[SYSPROF_ARCH_TABLE_REGS];
	u64 known;
	u64 ip;
	bool is_exact;
};

/* In the window of user_read_access_begin(). */
#define READ_USER(to, address, label)								\
	do {												\
		u64 at_ = (address);									\
													\
		if (unlikely(at_ - LOWEST_IP >= USER_END - LOWEST_IP - PAGE_SIZE))			\
			goto label;									\
		unsafe_get_user(to, (u64 __user *)at_, label);						\
	} while (0)

/* To who was interrupted by a signal.  0, or why not. */
static __always_inline u8 step_from_signal(struct table_walk *walk)
{
	u64 sp = walk->registers[TABLE_SP], value;
	unsigned int i;

	READ_USER(value, sp + SIGNAL_IP, fault);
	walk->ip = strip(value);
	for (i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++) {
		READ_USER(value, sp + *(signal_registers + i), fault);
		*(walk->registers + i) = value;
	}
	walk->registers[TABLE_SP] = strip(walk->registers[TABLE_SP]);
	walk->known = ALL_KNOWN;
	walk->is_exact = true;
	return 0;
fault:
	return SYSPROF_END_FAULT;
}

static __always_inline void restore_saved(struct table_walk *walk, const struct sysprof_table_rule *rule, u64 cfa)
{
	u64 fp = walk->registers[TABLE_FP], sp = walk->registers[TABLE_SP], value, address;
	unsigned long slots = rule->at_cfa | rule->at_fp;
	unsigned int slot, number;

	for (; slots; slots &= slots - 1) {
		slot = __ffs(slots);
		number = *(saved_registers + slot);
		address = (rule->at_cfa >> slot & 1 ? cfa : fp) + *(rule->saved + slot) * 8LL;
		if (walk->is_exact && address < sp && address >= sp - TAKEN_BACK_BYTES)
			continue;
		READ_USER(value, address, unread);
		*(walk->registers + number) = value;
		walk->known |= 1ULL << number;
		continue;
unread:
		walk->known &= ~(1ULL << number);
	}
	for (slots = rule->lost; slots; slots &= slots - 1)
		walk->known &= ~(1ULL << *(saved_registers + __ffs(slots)));
}

/* To the caller.  0, or why not. */
static __always_inline u8 step_by_rule(struct table_walk *walk, const struct sysprof_table_rule *rule)
{
	u64 sp = walk->registers[TABLE_SP], cfa, ip;

	if (rule->cfa == SYSPROF_CFA_SIGNAL)
		return step_from_signal(walk);
	if (rule->ra == SYSPROF_RA_NONE)
		return SYSPROF_END_ROOT;

	if (!(walk->known >> rule->cfa_register & 1))
		return SYSPROF_END_BAD;
	cfa = *(walk->registers + rule->cfa_register) + rule->cfa_offset;
	if (rule->cfa == SYSPROF_CFA_PLT) {
		cfa += (walk->ip & 15) >= rule->plt_from ? 8 : 0;
	} else if (rule->cfa != SYSPROF_CFA_REGISTER) {
		if (rule->cfa == SYSPROF_CFA_INDEXED) {
			if (!(walk->known >> rule->index_register & 1))
				return SYSPROF_END_BAD;
			cfa += 8 * *(walk->registers + rule->index_register);
		}
		READ_USER(cfa, cfa, fault);
		cfa += rule->cfa_add;
	}
	/* Only who was interrupted can have nothing on the stack: a leaf where calls do not push, or vfork(), which takes its way back from it. */
	if (cfa < sp || (cfa == sp && (rule->ra != SYSPROF_RA_REGISTER || !walk->is_exact)))
		return SYSPROF_END_BAD;
	if (rule->ra == SYSPROF_RA_MEMORY) {
		READ_USER(ip, cfa + rule->ra_offset, fault);
	} else {
		if (!(walk->known >> rule->ra_register & 1))
			return SYSPROF_END_BAD;
		ip = *(walk->registers + rule->ra_register);
	}
	restore_saved(walk, rule, cfa);
	walk->known &= kept_registers;
	walk->registers[TABLE_SP] = cfa;
	walk->ip = strip(ip);
	walk->is_exact = rule->is_signal;
	return 0;
fault:
	return SYSPROF_END_FAULT;
}

/*
 * Nothing is known of the function: maybe it keeps a frame pointer, which is 0 in the outermost frame, as the calling conventions ask for.
 */
static __always_inline u8 step_by_frame_pointer(struct table_walk *walk)
{
	u64 fp = walk->registers[TABLE_FP], next, ip;

	if (!(walk->known >> TABLE_FP & 1))
		return SYSPROF_END_NO_INFO;
	fp = strip(fp);
	if (!fp && !walk->is_exact)
		return SYSPROF_END_ROOT;
	if (fp < walk->registers[TABLE_SP] || fp & 7)
		return SYSPROF_END_NO_INFO;
	READ_USER(next, fp, fault);
	READ_USER(ip, fp + 8, fault);
	walk->registers[TABLE_FP] = next;
	walk->registers[TABLE_SP] = fp + 16;
	walk->known = 1ULL << TABLE_FP | 1ULL << TABLE_SP;
	walk->ip = strip(ip);
	walk->is_exact = false;
	return 0;
fault:
	return SYSPROF_END_FAULT;
}

/* One step, from a frame with @rule (NULL: nothing is known of it).  0, or why there is none. */
static __always_inline u8 step(struct table_walk *walk, const struct sysprof_table_rule *rule)
{
	u8 end = SYSPROF_END_FAULT;

	if (!user_read_access_begin((void __user *)LOWEST_IP, USER_END - PAGE_SIZE - LOWEST_IP))
		return end;
	end = rule ? step_by_rule(walk, rule) : step_by_frame_pointer(walk);
	user_read_access_end();
	return end;
}

/* Walks from the registers of a context of current, all of them known.  No faults. */
static inline void walk_tables(struct sysprof_walk *to, struct table_walk *walk)
{
	const struct sysprof_table_rule *rule;
	struct sysprof_place place = {};
	bool was_exact = true, is_guess = false;
	u64 frame;

	walk->known = ALL_KNOWN;
	walk->is_exact = true;
	to->n = 0;
	pagefault_disable();
	for (;;) {
		/* What was interrupted is looked up where it is, calls one byte before. */
		if (walk->is_exact != was_exact)
			place = (struct sysprof_place){};
		was_exact = walk->is_exact;
		to->end = walk->ip ? is_guess ? SYSPROF_END_NO_INFO : SYSPROF_END_UNMAPPED : SYSPROF_END_ROOT;
		if (!walk->ip || !sysprof_ranges_look_up(to->ranges, walk->ip, !walk->is_exact, &place))
			break;
		to->end = SYSPROF_END_LIMIT;
		if (to->n == to->max)
			break;
		frame = walk->ip + place.base;
		to->frames[to->n] = frame + (to->n && walk->is_exact);
		to->n++;
		rule = sysprof_tables_find(to->tables, frame - !walk->is_exact);
		is_guess = !rule;
		to->is_guess |= is_guess;
		to->end = step(walk, rule);
		if (to->end)
			break;
	}
	pagefault_enable();
}

#endif /* _SYSPROF_WALK_TABLE_H */
