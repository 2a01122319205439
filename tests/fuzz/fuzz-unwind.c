/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile call frame information, tables and stacks: fuzz-unwind [--rounds N] FILE..., files as
 * gen-unwind writes them.  What compiles is looked up everywhere, and stacks made of the input
 * itself are walked by it.  The input is also code that nothing describes.
 */
#include "unwind/guess.h"
#include "unwind/stepper.h"

#include <elf.h>

#include "../gen/peak.h"
#include "mutate.h"

#define BASE 0x7f0000000000ULL
#define SP 0x7ffe00001000ULL
#define STACK_BYTES 2048
#define FRAMES_MAX 64
#define MOST_MEMORY_BYTES (1u << 20)
/* The rule at each address, and its origin. */
#define MEMORY_PER_CODE_BYTE 1024

/* Keeps the compiler from removing the walks. */
static volatile uint64_t sum_of_all;

static bool find(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	*ret = (SptUnwindPlace){ .table = data, .offset = address - space };
	return address - space < 1 << 20;
}

/* Words that lead somewhere: into the code, onto the stack, or as they came. */
static uint64_t word_of(const uint8_t *data, size_t bytes, unsigned i)
{
	uint8_t byte = data[i * 7 % bytes];
	uint64_t word;

	switch (byte % 4) {
	case 0:
		return BASE + 0x1000 + (byte / 4) * 0x20;
	case 1:
		return SP + (byte / 4) * 16;
	case 2:
		return BASE + 0x1000 + data[i * 11 % bytes] * 5;
	default:
		memcpy(&word, data + i * 8 % (bytes - 7), 8);
		return word;
	}
}

static void walk(SptUnwindTable *table, const uint8_t *data, size_t bytes)
{
	const SptUnwindArch *arch = spt_unwind_arch(spt_unwind_table_header(table)->machine);
	size_t raw_bytes = sizeof(struct sysprof_raw) + arch->n_raw * 8 + STACK_BYTES;
	g_autofree struct sysprof_raw *raw = g_malloc0(raw_bytes);
	g_autoptr(SptUnwinder) unwinder = spt_unwinder_new(find, table);
	SptUnwindFrame frames[FRAMES_MAX];

	raw->arch = arch->machine;
	raw->n_regs = arch->n_raw;
	for (unsigned round = 0; round < 8; round++) {
		SptUnwindEnd end = SPT_UNWIND_ENDS;
		unsigned n;

		for (unsigned i = 0; i < arch->n_raw + STACK_BYTES / 8u; i++)
			raw->regs[i] = word_of(data, bytes, i + round * 331);
		raw->regs[arch->raw[arch->sp]] = SP;
		raw->regs[arch->raw_ip] = BASE + 0x1000 + round * 0x80;
		raw->stack_bytes = STACK_BYTES - round * 8;
		raw->wanted_bytes = STACK_BYTES;
		g_assert(spt_unwind_raw_is_whole(raw, raw_bytes));
		n = spt_unwinder_walk(unwinder, BASE, raw, frames, FRAMES_MAX, &end);
		g_assert(n >= 1 && n <= FRAMES_MAX && end < SPT_UNWIND_ENDS);
		n = spt_unwinder_follow(unwinder, BASE, raw, raw->regs, raw->n_regs, frames, n,
					FRAMES_MAX, &end);
		g_assert(n >= 1 && n <= FRAMES_MAX && end < SPT_UNWIND_ENDS);
		sum_of_all += n;
	}
}

static void use(SptUnwindTable *table, const uint8_t *data, size_t bytes)
{
	for (uint64_t at = 0; at < 0x3000; at += 3)
		sum_of_all += spt_unwind_table_find(table, at)->cfa;
	sum_of_all += spt_unwind_table_find(table, UINT32_MAX)->cfa +
		      spt_unwind_table_find(table, UINT64_MAX)->cfa;
	if (bytes >= 8)
		walk(table, data, bytes);
}

static void on_rule(size_t at, size_t bytes, G_GNUC_UNUSED bool is_start,
		    const SptUnwindRule *rule, void *data)
{
	size_t *end = data;

	g_assert(at >= end[0] && bytes > 0 && at + bytes <= end[1]);
	g_assert(rule->cfa_register < 16 && rule->ra == SYSPROF_RA_MEMORY);
	end[0] = at + bytes;
}

static void guess(const uint8_t *data, size_t bytes)
{
	size_t end[] = { 0, bytes }, begin = peak_begin();
	SptLabel labels[3] = { { 0, false } };

	/* Anywhere, also behind the end. */
	for (unsigned i = 0; i < G_N_ELEMENTS(labels); i++)
		labels[i] = (SptLabel){ (i ? labels[i - 1].at : 0) + (bytes > i ? data[i] : 0),
					bytes > i && data[i] & 1 };
	spt_guess_rules(data, bytes, labels, G_N_ELEMENTS(labels), on_rule, end);
	g_assert(peak_since(begin) <= MEMORY_PER_CODE_BYTE * bytes + MOST_MEMORY_BYTES);
	sum_of_all += end[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	g_autoptr(GBytes) copy = g_bytes_new(data, bytes);
	size_t begin = peak_begin();
	g_autoptr(SptObject) object = spt_object_open_bytes(copy, "fuzz", NULL);
	g_autoptr(SptUnwindTable) compiled = object ? spt_unwind_table_new(object, NULL) : NULL;
	g_autoptr(SptUnwindTable) table = spt_unwind_table_new_from_bytes(copy, NULL);

	g_assert(peak_since(begin) <= 64 * bytes + MOST_MEMORY_BYTES);
	if (compiled)
		use(compiled, data, bytes);
	if (table)
		use(table, data, bytes);
	guess(data, bytes);
	return 0;
}

#ifndef SPT_LIBFUZZER

int main(int argc, char **argv)
{
	peak_watch();
	return mutate_main(argc, argv, "fuzz-unwind", mutate_bytes);
}

#endif
