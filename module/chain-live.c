// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which registers a program reads before it sets them, from each of its instructions on: if these
 * are as they were, and so is the memory that it reads, it goes on as it did before
 * (chain-recall.h).  Process context.
 */
#include <linux/bitops.h>
#include <linux/string.h>

#include "chain.h"

/* What a native frame's registers were counts, too, but is not compared: another register. */
#define MACHINE BIT(SYSPROF_CHAIN_STEPS_REGISTERS - 1)

/* However loops are in each other: what has not settled then is not remembered. */
#define PASSES 64

static u32 live_lists(const struct sysprof_program *program, const struct sysprof_chain_insn *insn)
{
	const struct sysprof_chain_list *list = &program->list[insn->imm];

	return BIT(insn->dst) |
	       (list->flag_kind == SYSPROF_CHAIN_FLAG_LAST ? BIT(insn->src) : 0);
}

/* Registers that are read in @insn. */
static u32 live_reads(const struct sysprof_program *program, const struct sysprof_chain_insn *insn)
{
	switch (insn->op) {
	case SYSPROF_CHAIN_MOVI:
	case SYSPROF_CHAIN_LOOP:
	case SYSPROF_CHAIN_END:
		return 0;
	case SYSPROF_CHAIN_REG:
		return MACHINE;
	case SYSPROF_CHAIN_ADD:
	case SYSPROF_CHAIN_SUB:
	case SYSPROF_CHAIN_MIX:
	case SYSPROF_CHAIN_SHL:
	case SYSPROF_CHAIN_SHR:
	case SYSPROF_CHAIN_JEQ:
	case SYSPROF_CHAIN_JNE:
	case SYSPROF_CHAIN_JLT:
	case SYSPROF_CHAIN_RECALL:
		return BIT(insn->dst) | BIT(insn->src);
	case SYSPROF_CHAIN_EMIT:
	case SYSPROF_CHAIN_NEXT:
	case SYSPROF_CHAIN_SUMS:
		return BIT(insn->dst) | BIT(insn->src) | BIT(insn->imm);
	case SYSPROF_CHAIN_LIST:
		return live_lists(program, insn);
	default:
		return BIT(insn->src);
	}
}

/* Registers that @insn sets, whatever they were. */
static u32 live_sets(const struct sysprof_chain_insn *insn)
{
	switch (insn->op) {
	case SYSPROF_CHAIN_JEQI:
	case SYSPROF_CHAIN_JNEI:
	case SYSPROF_CHAIN_JEQ:
	case SYSPROF_CHAIN_JNE:
	case SYSPROF_CHAIN_JLT:
	case SYSPROF_CHAIN_EMIT:
	case SYSPROF_CHAIN_MARK:
	case SYSPROF_CHAIN_LIST:
	case SYSPROF_CHAIN_LOOP:
	case SYSPROF_CHAIN_END:
	case SYSPROF_CHAIN_NEXT:
	case SYSPROF_CHAIN_RECALL:
	case SYSPROF_CHAIN_WITH:
		return 0;
	default:
		return BIT(insn->dst);
	}
}

/* Registers that are read behind instruction @at. */
static u32 live_behind(const struct sysprof_program *program, u32 at)
{
	const struct sysprof_chain_insn *insn = &program->insn[at];

	switch (insn->op) {
	case SYSPROF_CHAIN_LOOP:
		return program->live[insn->imm];
	case SYSPROF_CHAIN_END:
	case SYSPROF_CHAIN_NEXT:
		return 0;
	default:
		return program->live[at + 1] | program->live[at + 1 + insn->jump];
	}
}

/* Registers below it are set before each step. */
#define FIRST_KEPT 6
#define FRAME_POINTER 2

/* @live: from the first instruction on. */
static void find_kept(struct sysprof_program *program, u32 n, u32 live)
{
	unsigned long kept = live & ~(BIT(FIRST_KEPT) - 1);
	u32 at;

	program->first_kept = kept ? __ffs(kept) : 0;
	program->n_kept = kept ? __fls(kept) + 1 - program->first_kept : 0;
	memset(program->reads_fp, 0, sizeof(program->reads_fp));
	for (at = 0; at < n; at++)
		if (live_reads(program, &program->insn[at]) & BIT(FRAME_POINTER))
			program->reads_fp[at / 64] |= BIT_ULL(at % 64);
}

void sysprof_chain_find_live(struct sysprof_program *program, u32 n)
{
	const struct sysprof_chain_insn *insn;
	u32 pass, at, live;
	bool has_changed = true;

	for (at = 0; at < n; at++)
		program->live[at] = 0;
	for (pass = 0; pass < PASSES && has_changed; pass++) {
		has_changed = false;
		for (at = n; at--;) {
			insn = &program->insn[at];
			live = live_reads(program, insn) |
			       (live_behind(program, at) & ~live_sets(insn));
			has_changed |= live != program->live[at];
			program->live[at] = live;
		}
	}
	if (program->is_of_steps)
		find_kept(program, n, has_changed ? ~0U : program->live[0]);
	for (at = 0; at < n; at++)
		if (has_changed || program->live[at] & MACHINE ||
		    hweight32(program->live[at]) > SYSPROF_CHAIN_STATE)
			program->live[at] = SYSPROF_CHAIN_TOO_LIVE;
}
