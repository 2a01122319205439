/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's walk along unwind tables in user space, as for x86-64; the file that includes this
 * finds the rules.
 */
#ifndef WALK_X86_H
#define WALK_X86_H

#define CONFIG_X86_64
#define USER_END	0x7ffffffff000ull
#define strip(pointer)	(pointer)
#define SIGNAL_IP	168

#include "linux/types.h"

static const u8 signal_registers[] = { 144, 136, 152, 128, 112, 104, 120, 160,
				       40,  48,	 56,  64,  72,	80,  88,  96 };
static const u8 saved_registers[] = { 3, 6, 12, 13, 14, 15 };
static const u64 kept_registers = BIT(3) | BIT(6) | BIT(7) | BIT(12) | BIT(13) | BIT(14) | BIT(15);

#include "walk-table.h"

u8 sysprof_chain_step(struct sysprof_walk *walk, struct sysprof_caller *step)
{
	(void)walk;
	(void)step;
	return SYSPROF_END_NO_INFO;
}

/* No walk here has a chain. */
void sysprof_chain_frame(struct sysprof_walk *walk, u64 place, const u64 *registers, u64 known)
{
	(void)walk;
	(void)place;
	(void)registers;
	(void)known;
}

static void begin(struct table_walk *walk, const struct pt_regs *regs)
{
	memcpy(walk->registers, regs->registers, sizeof(walk->registers));
	walk->ip = regs->ip;
}

static void begin_run(struct run *run, const struct pt_regs *regs)
{
	run->sp = regs->registers[SYSPROF_ARCH_SP];
	run->fp = regs->registers[SYSPROF_ARCH_FP];
	run->ip = regs->ip;
}

/* Of the memory that each CPU has. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "recall.c"
#pragma GCC diagnostic warning "-Wunused-parameter"

unsigned int shim_cpu;
long shim_allocated, shim_fail_after = -1;
struct task_struct shim_current = { .pid = 1 };

#endif /* WALK_X86_H */
