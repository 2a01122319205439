/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-walk: the module's walk along unwind tables, in user space: prints the nanoseconds for a
 * stack of 20 and of 100 frames of one function.
 */
#include <stdio.h>
#include <time.h>

#include "walk-x86.h"

#define CODE	0x10000000ull
#define OBJECT	16ull
#define DEEPEST	100
#define ROUNDS	200000

bool shim_without_release;

void shim_step(void)
{
}

static const struct sysprof_table_rule rule = {
	.cfa = SYSPROF_CFA_REGISTER,
	.cfa_register = SYSPROF_ARCH_SP,
	.ra = SYSPROF_RA_MEMORY,
	.cfa_offset = 32,
	.ra_offset = -8,
	.at_cfa = 1 << 0,
	.saved = { -2 },
};
static struct sysprof_found cache[1 << SYSPROF_FOUND_BITS];
static uint64_t stack[4 * DEEPEST + 4];

bool shim_may_read(uint64_t address)
{
	return address - (uintptr_t)stack < sizeof(stack);
}

u64 sysprof_tables_generation = 1;
DEFINE_PER_CPU(struct sysprof_contexts, sysprof_found_caches) = { { .memory = { cache, cache } },
								  { .memory = { cache, cache } } };

const struct sysprof_found *sysprof_finder_fill(const struct sysprof_finder *finder, uint64_t frame)
{
	struct sysprof_found *found = sysprof_finder_slot(finder, frame);

	*found = (struct sysprof_found){
		.rule = &rule, .has_table = true, .frame = frame, .tag = finder->tag
	};
	sysprof_found_prepare(found);
	return found;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static double ns_of(unsigned n)
{
	static struct {
		struct ranges ranges;
		struct code_range range[1];
	} code = { .ranges.n = 1,
		   .range = { { CODE, CODE + 4096, (OBJECT << SYSPROF_FRAME_OBJECT_SHIFT) - CODE,
				1 } } };
	uint64_t frames[DEEPEST], begun, least = UINT64_MAX;
	struct sysprof_walk walk = {
		.ranges = &code.ranges, .frames = frames, .max = DEEPEST, .by_tables = true
	};
	struct pt_regs regs = { .ip = CODE + 8 };

	regs.registers[SYSPROF_ARCH_SP] = (uintptr_t)stack;
	memset(stack, 0, sizeof(stack));
	for (unsigned i = 1; i < n; i++)
		stack[4 * i - 1] = CODE + 16 * i;
	for (unsigned i = 0; i < 5; i++) {
		begun = now_ns();
		for (unsigned round = 0; round < ROUNDS; round++)
			walk_tables(&regs, &walk);
		if (now_ns() - begun < least)
			least = now_ns() - begun;
		if (walk.n != n || walk.end != SYSPROF_END_ROOT)
			return -1;
	}
	return (double)least / ROUNDS;
}

int main(void)
{
	double few = ns_of(20), many = ns_of(DEEPEST);

	printf("  the module's walk along tables, in user space: %.0f ns for 20 frames, %.0f ns for 100: %.1f ns for each frame more\n",
	       few, many, (many - few) / 80);
	printf("  memory: %zu KiB for each CPU, twice: what was found last; the tables are as large as their files\n",
	       sizeof(cache) / 1024);
	return few < 0 || many < 0;
}
