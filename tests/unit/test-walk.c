/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's walks along frame pointers (module/walk-user.h) and unwind tables (walk-table.h), in
 * user space: frames that are known, and whatever tables and stacks may say.
 */
#include <glib.h>

#include "walk-x86.h"

#define OBJECT	16ull
#define CODE	0x10000000ull
#define CODE_BYTES 4096
#define WORDS	512
#define RULES	16
#define FRAMES	64
#define ROOM	(FRAMES + SYSPROF_WALK_SLACK)
#define ROUNDS	1000000

bool shim_without_release;

void shim_step(void)
{
}

/* Rule i holds for the bytes of code from CODE_BYTES / RULES * i; 0: there is none. */
static struct sysprof_table_rule rules[RULES];
/* The function of each begins there: the byte before it is one that no call ends with. */
static bool adjoins;
static bool has_table, is_region;
static struct sysprof_found cache[1 << SYSPROF_FOUND_BITS];
static uint64_t stack[WORDS];
static uint64_t looks, reads;
/* Of the tables, as a new one begins. */
u64 sysprof_tables_generation = 1;
DEFINE_PER_CPU(struct sysprof_contexts, sysprof_found_caches) = { { .memory = { cache, cache } },
								  { .memory = { cache, cache } } };
/* Words of it that do not fault. */
static unsigned readable = WORDS;

bool shim_may_read(uint64_t address)
{
	g_assert_cmpuint(address, >=, LOWEST_IP);
	g_assert_cmpuint(address, <, USER_END - PAGE_SIZE);
	reads++;
	return address >= (uintptr_t)stack && address + 8 <= (uintptr_t)(stack + readable);
}

const struct sysprof_found *sysprof_finder_fill(const struct sysprof_finder *finder, uint64_t frame)
{
	struct sysprof_found *found = sysprof_finder_slot(finder, frame);
	uint64_t offset = frame & SYSPROF_FRAME_OFFSET_MASK;
	unsigned behind;

	looks++;
	g_assert_cmpuint(frame >> SYSPROF_FRAME_OBJECT_SHIFT, ==, OBJECT);
	g_assert_cmpuint(offset, <, CODE_BYTES);
	found->rule = rules + offset / (CODE_BYTES / RULES);
	if (found->rule->cfa == SYSPROF_CFA_UNKNOWN)
		found->rule = NULL;
	behind = SYSPROF_CFA_UNKNOWN;
	if (adjoins && (offset + 1) % (CODE_BYTES / RULES) == 0 && offset + 1 < CODE_BYTES)
		behind = rules[(offset + 1) / (CODE_BYTES / RULES)].cfa;
	found->is_behind = behind != SYSPROF_CFA_UNKNOWN;
	found->is_signal_behind = behind == SYSPROF_CFA_SIGNAL;
	found->has_table = has_table;
	found->is_region = is_region;
	found->frame = frame;
	found->tag = finder->tag;
	sysprof_found_prepare(found);
	return found;
}

static struct ranges *code(void)
{
	static struct {
		struct ranges ranges;
		struct code_range range[1];
	} all;

	all.ranges.n = all.ranges.capacity = 1;
	all.range[0] = (struct code_range){ CODE, CODE + CODE_BYTES,
					    (OBJECT << SYSPROF_FRAME_OBJECT_SHIFT) - CODE, 1 };
	return &all.ranges;
}

static uint64_t ip_of(unsigned rule)
{
	return CODE + CODE_BYTES / RULES * rule + 5;
}

/* What the walk has found, as the rules that hold there. */
static void assert_rules(const struct sysprof_walk *walk, const unsigned *expected, unsigned n,
			 unsigned end)
{
	g_assert_cmpuint(walk->n, ==, n);
	g_assert_cmpuint(walk->end, ==, end);
	for (unsigned i = 0; i < n; i++)
		g_assert_cmpuint((walk->frames[i] & SYSPROF_FRAME_OFFSET_MASK) /
					 (CODE_BYTES / RULES),
				 ==, expected[i]);
}

static uint64_t at(unsigned word)
{
	return (uintptr_t)(stack + word);
}

/* Along frame pointers from the first of two frames, the second of which says that. */
static void assert_second(uint64_t fp, uint64_t ip, unsigned n, unsigned end)
{
	static const unsigned chain[] = { 1, 2, 3 };
	const struct ranges *const known[] = { code(), NULL };
	uint64_t frames[ROOM];

	stack[100] = at(110);
	stack[101] = ip_of(2);
	stack[110] = fp;
	stack[111] = ip;
	for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
		struct sysprof_walk walk = { .ranges = known[i], .frames = frames, .max = FRAMES };

		walk_user(&walk, ip_of(1), at(90), at(100), true);
		if (known[i]) {
			assert_rules(&walk, chain, n, end);
		} else {
			g_assert_cmpuint(walk.n, ==, n);
			/* Where code is nobody knows. */
			g_assert_cmpuint(walk.end, ==,
					 end == SYSPROF_END_UNMAPPED ? SYSPROF_END_BAD : end);
		}
	}
}

/* A caller's frame lies above its callee's, aligned, and within reach. */
static void test_frame_pointers(void)
{
	memset(stack, 0, sizeof(stack));
	assert_second(0, ip_of(3), 3, SYSPROF_END_ROOT);
	assert_second(at(120), ip_of(3), 3, SYSPROF_END_ROOT);
	assert_second(at(120), 0, 2, SYSPROF_END_ROOT);
	assert_second(at(120), 100, 2, SYSPROF_END_UNMAPPED);
	assert_second(at(110), ip_of(3), 3, SYSPROF_END_BAD);
	assert_second(at(100), ip_of(3), 3, SYSPROF_END_BAD);
	assert_second(at(120) + 4, ip_of(3), 3, SYSPROF_END_BAD);
	assert_second(at(120) + (2ull << 30), ip_of(3), 3, SYSPROF_END_BAD);
	assert_second(at(WORDS), ip_of(3), 3, SYSPROF_END_FAULT);
}

/* The same, plainly: a frame at a time, and a check at a time. */
static unsigned walk_plainly(const struct ranges *known, uint64_t fp, unsigned max,
			     uint64_t *frames, unsigned *n)
{
	uint64_t callee, ip;

	frames[0] = ip_of(1);
	for (*n = 1; fp && fp >= at(90) && fp < at(90) + (1ull << 30) && fp % 8 == 0;) {
		if (*n == max)
			return SYSPROF_END_LIMIT;
		callee = fp;
		if (callee + 16 > at(WORDS))
			return SYSPROF_END_FAULT;
		fp = stack[(callee - at(0)) / 8];
		ip = stack[(callee - at(0)) / 8 + 1];
		if (!ip)
			return SYSPROF_END_ROOT;
		if (known && (ip <= CODE || ip > CODE + CODE_BYTES))
			return SYSPROF_END_UNMAPPED;
		if (ip < LOWEST_IP || ip >= USER_END)
			return SYSPROF_END_BAD;
		frames[(*n)++] = ip;
		if (fp <= callee)
			return fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
	}
	return fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
}

/* Chains of every length that end in every way, with room for all of it, or less. */
static void test_chains(void)
{
	static const uint64_t ends[][2] = {
		{ 0, 1 }, { 4, 1 }, { 8, 0 }, { 8, 100 }, { 8, USER_END }
	};
	const struct ranges *const known[] = { code(), NULL };
	uint64_t frames[ROOM], expected[ROOM];
	unsigned n, end;

	for (unsigned i = 0; i < 2 * G_N_ELEMENTS(ends) * 9 * 9; i++) {
		const struct ranges *ranges = known[i % 2];
		const uint64_t *last = ends[i / 2 % G_N_ELEMENTS(ends)];
		unsigned length = i / 2 / G_N_ELEMENTS(ends) % 9,
			 max = i / 2 / G_N_ELEMENTS(ends) / 9 + 1;
		struct sysprof_walk walk = { .ranges = ranges, .frames = frames, .max = max };

		memset(stack, 0, sizeof(stack));
		for (unsigned j = 0; j <= length; j++) {
			stack[100 + 10 * j] = at(110 + 10 * j);
			stack[101 + 10 * j] = ip_of(2 + j);
		}
		if (last[0] != 8)
			stack[100 + 10 * length] = last[0] ? at(110 + 10 * length) + last[0] : 0;
		if (last[1] != 1)
			stack[101 + 10 * length] = last[1];
		end = walk_plainly(ranges, at(100), max, expected, &n);
		walk_user(&walk, ip_of(1), at(90), at(100), true);
		g_assert_cmpuint(walk.n, ==, n);
		g_assert_cmpuint(walk.end, ==, end);
		for (unsigned j = 0; !ranges && j < n; j++)
			g_assert_cmpuint(frames[j], ==, expected[j]);
	}
}

static struct sysprof_table_rule by_sp(int cfa_offset)
{
	return (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_REGISTER,
					    .cfa_register = SYSPROF_ARCH_SP,
					    .ra = SYSPROF_RA_MEMORY,
					    .cfa_offset = cfa_offset,
					    .ra_offset = -8 };
}

/*
 * Two frames without a rule, then, unless @is_last says that the second begins the thread, the
 * first function.  Whether a table could have led elsewhere.
 */
static bool is_guessed(bool table, bool region, bool is_last)
{
	uint64_t frames[ROOM];
	struct sysprof_walk walk = {
		.ranges = code(), .frames = frames, .max = FRAMES, .by_tables = true
	};
	struct pt_regs regs = { .ip = ip_of(1) };

	has_table = table;
	is_region = region;
	memset(rules, 0, sizeof(rules));
	rules[4] = (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_REGISTER,
						.cfa_register = SYSPROF_ARCH_SP };
	sysprof_tables_generation++;
	memset(stack, 0, sizeof(stack));
	regs.registers[SYSPROF_ARCH_SP] = at(100);
	regs.registers[SYSPROF_ARCH_FP] = at(110);
	stack[110] = is_last ? 0 : at(120);
	stack[111] = ip_of(2);
	stack[121] = ip_of(4);
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, is_last ? 2 : 3);
	g_assert_cmpuint(walk.end, ==, SYSPROF_END_ROOT);
	has_table = is_region = false;
	return walk.is_guess;
}

/* Code made at run time keeps frame pointers or fails; it begins no thread. */
static void test_guesses(void)
{
	g_assert_true(is_guessed(false, false, false));
	g_assert_true(is_guessed(false, false, true));
	g_assert_false(is_guessed(true, false, false));
	g_assert_false(is_guessed(true, false, true));
	g_assert_false(is_guessed(false, true, false));
	g_assert_true(is_guessed(false, true, true));
}

/*
 * Interrupted in a function without frame pointer, called by one that keeps it, by one whose CFA is
 * in r12, by the first.
 */
static void test_known(void)
{
	static const unsigned chain[] = { 1, 2, 3, 4 };
	uint64_t frames[ROOM];
	struct sysprof_walk walk = {
		.ranges = code(), .frames = frames, .max = FRAMES, .by_tables = true
	};
	struct pt_regs regs = { .ip = ip_of(1) };

	memset(rules, 0, sizeof(rules));
	rules[1] = by_sp(24);
	rules[1].at_cfa = 1 << 2;	/* r12 */
	rules[1].saved[2] = -2;
	rules[2] = by_sp(16);
	rules[2].cfa_register = SYSPROF_ARCH_FP;
	rules[2].at_cfa = 1 << SYSPROF_ARCH_FP_SLOT;
	rules[2].saved[SYSPROF_ARCH_FP_SLOT] = -2;
	rules[3] = by_sp(8);
	rules[3].cfa_register = 12;
	rules[4] = (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_REGISTER,
						.cfa_register = SYSPROF_ARCH_SP };
	sysprof_tables_generation++;
	memset(stack, 0, sizeof(stack));
	regs.registers[SYSPROF_ARCH_SP] = (uintptr_t)(stack + 100);
	regs.registers[SYSPROF_ARCH_FP] = (uintptr_t)(stack + 110);
	stack[101] = (uintptr_t)(stack + 120);
	stack[102] = ip_of(2);
	stack[110] = 77;
	stack[111] = ip_of(3);
	stack[120] = ip_of(4);
	walk_tables(&regs, &walk);
	assert_rules(&walk, chain, 4, SYSPROF_END_ROOT);
	g_assert_false(walk.is_guess);

	/* Epilogue: what lies below the stack pointer has been taken back. */
	rules[1] = by_sp(8);
	rules[1].at_cfa = 1 << SYSPROF_ARCH_FP_SLOT;
	rules[1].saved[SYSPROF_ARCH_FP_SLOT] = -4;
	rules[3] = by_sp(72);
	sysprof_tables_generation++;
	stack[100] = ip_of(2);
	stack[97] = 12345;
	walk_tables(&regs, &walk);
	assert_rules(&walk, chain, 4, SYSPROF_END_ROOT);

	/* A frame that leads to itself goes on as long as there is stack, or room. */
	rules[1] = by_sp(8);
	sysprof_tables_generation++;
	for (unsigned i = 100; i < WORDS; i++)
		stack[i] = ip_of(1);
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, FRAMES);
	g_assert_cmpuint(walk.end, ==, SYSPROF_END_LIMIT);
	regs.registers[SYSPROF_ARCH_SP] = (uintptr_t)(stack + WORDS - 10);
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, 11);
	g_assert_cmpuint(walk.end, ==, SYSPROF_END_FAULT);
}

/*
 * A caller that was interrupted is looked up where it is; calls one byte before, even if that is
 * the end of a mapping.
 */
static void test_edges(void)
{
	uint64_t frames[ROOM];
	struct sysprof_walk walk = {
		.ranges = code(), .frames = frames, .max = FRAMES, .by_tables = true
	};
	struct pt_regs regs = { .ip = CODE };

	memset(rules, 0, sizeof(rules));
	for (unsigned i = 0; i < RULES; i++)
		rules[i] = by_sp(8);
	sysprof_tables_generation++;
	memset(stack, 0, sizeof(stack));
	regs.registers[SYSPROF_ARCH_SP] = (uintptr_t)stack;
	stack[0] = CODE + CODE_BYTES;
	stack[1] = CODE;
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, 2);
	g_assert_cmpuint(walk.end, ==, SYSPROF_END_UNMAPPED);
	regs.ip = CODE + CODE_BYTES;
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, 0);
	regs.ip = CODE;
	regs.registers[SYSPROF_ARCH_SP] = 8;
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, 1);
	g_assert_cmpuint(walk.end, ==, SYSPROF_END_FAULT);
}

static uint64_t start_of(unsigned rule)
{
	return CODE + CODE_BYTES / RULES * rule;
}

/*
 * A return address at a function's first byte, where no call ends: that function is the first one,
 * or returns from a signal; if frame pointers led there, it may as well be no return address.
 */
static void test_put_there(void)
{
	static const unsigned first[] = { 1, 2, 4 }, signal[] = { 1, 2, 4, 3, 5 },
			      guess[] = { 6, 4 };
	uint64_t frames[ROOM];
	struct sysprof_walk walk = {
		.ranges = code(), .frames = frames, .max = FRAMES, .by_tables = true
	};
	struct pt_regs regs = { .ip = ip_of(1) };

	memset(rules, 0, sizeof(rules));
	for (unsigned i = 1; i < 6; i++)
		rules[i] = by_sp(8);
	rules[5] = (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_REGISTER,
						.cfa_register = SYSPROF_ARCH_SP };
	adjoins = true;
	sysprof_tables_generation++;
	memset(stack, 0, sizeof(stack));
	regs.registers[SYSPROF_ARCH_SP] = at(10);
	stack[10] = ip_of(2);
	stack[11] = start_of(4);
	stack[12] = ip_of(2);
	walk_tables(&regs, &walk);
	assert_rules(&walk, first, 3, SYSPROF_END_ROOT);
	/* Consumers look one byte before it. */
	g_assert_cmphex(frames[2] & SYSPROF_FRAME_OFFSET_MASK, ==, start_of(4) - CODE + 1);
	/* Interrupted at the byte before it: that is where it is. */
	regs.ip = start_of(4) - 1;
	stack[10] = ip_of(5);
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, 2);
	g_assert_cmphex(frames[0] & SYSPROF_FRAME_OFFSET_MASK, ==, start_of(4) - CODE - 1);
	/* Through a signal to another stack, which lies lower. */
	regs.ip = ip_of(1);
	rules[4] = (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_SIGNAL, .is_signal = 1 };
	sysprof_tables_generation++;
	stack[10] = ip_of(2);
	*(uint64_t *)((char *)(stack + 12) + SIGNAL_IP) = ip_of(3);
	*(uint64_t *)((char *)(stack + 12) + signal_registers[SYSPROF_ARCH_SP]) = at(2);
	stack[2] = ip_of(5);
	walk_tables(&regs, &walk);
	assert_rules(&walk, signal, 5, SYSPROF_END_ROOT);
	/* Nothing is known of the function. */
	rules[4] = by_sp(8);
	sysprof_tables_generation++;
	has_table = true;
	regs.ip = ip_of(6);
	regs.registers[SYSPROF_ARCH_FP] = at(20);
	stack[20] = 4;
	stack[21] = start_of(4);
	rules[3] = (struct sysprof_table_rule){ 0 };
	walk_tables(&regs, &walk);
	assert_rules(&walk, guess, 2, SYSPROF_END_NO_INFO);
	has_table = adjoins = false;
}

static int16_t few_words(GRand *rand)
{
	return g_rand_int_range(rand, 0, 8) ? -g_rand_int_range(rand, 1, 8) :
					      g_rand_int_range(rand, G_MININT16, G_MAXINT16);
}

/* Any rule that the module takes; most of them such as compilers make. */
static struct sysprof_table_rule any_rule(GRand *rand)
{
	struct sysprof_table_rule rule = by_sp(8 * g_rand_int_range(rand, 1, 12));
	unsigned slots = (1 << SYSPROF_ARCH_SAVED) - 1;

	rule.at_cfa = g_rand_int(rand) & slots;
	for (unsigned i = 0; i < SYSPROF_ARCH_SAVED; i++)
		rule.saved[i] = few_words(rand);
	if (g_rand_int_range(rand, 0, 3) == 0)
		rule.cfa_register = SYSPROF_ARCH_FP;
	if (g_rand_int_range(rand, 0, 12))
		return rule;
	rule.cfa = g_rand_int_range(rand, 0, SYSPROF_CFA_SWITCH + 1);
	rule.cfa_register = g_rand_int_range(rand, 0, SYSPROF_ARCH_TABLE_REGS);
	rule.ra = g_rand_int_range(rand, 0, SYSPROF_RA_REGISTER + 1);
	rule.ra_register = g_rand_int_range(rand, 0, SYSPROF_ARCH_TABLE_REGS);
	rule.index_register = g_rand_int_range(rand, 0, SYSPROF_ARCH_TABLE_REGS);
	rule.is_signal = g_rand_int_range(rand, 0, 2);
	rule.at_fp = g_rand_int(rand) & slots & ~rule.at_cfa;
	rule.lost = g_rand_int(rand) & slots & ~rule.at_cfa & ~rule.at_fp;
	rule.ra_offset = g_rand_boolean(rand) ? -8 : (int32_t)g_rand_int(rand);
	rule.cfa_offset = g_rand_boolean(rand) ? rule.cfa_offset : (int32_t)g_rand_int(rand);
	rule.cfa_add = g_rand_int_range(rand, -64, 64);
	return rule;
}

static uint64_t any_word(GRand *rand)
{
	switch (g_rand_int_range(rand, 0, 24)) {
	case 0: return (uintptr_t)(stack + g_rand_int_range(rand, 0, WORDS));
	case 1: return g_rand_int_range(rand, 0, 4);
	case 2: return (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
	default: return CODE + g_rand_int_range(rand, 0, CODE_BYTES + 1);
	}
}

/*
 * Tables and stacks that mean nothing: nothing but the stack is read, every frame is code, the
 * short way finds the same as the long one.
 */
static void test_any(void)
{
	uint64_t frames[2][ROOM], total = 0, deep = 0, whole = 0;
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sysprof_walk walks[2];
		struct sysprof_finder finder;
		struct pt_regs regs;

		sysprof_tables_generation++;
		has_table = g_rand_boolean(rand);
		is_region = !has_table && g_rand_boolean(rand);
		adjoins = g_rand_boolean(rand);
		for (unsigned i = 0; round % 8 == 0 && i < RULES; i++)
			rules[i] = any_rule(rand);
		for (unsigned i = 0; i < WORDS / 4; i++)
			stack[i] = any_word(rand);
		for (unsigned i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++)
			regs.registers[i] = any_word(rand);
		regs.registers[SYSPROF_ARCH_SP] =
			(uintptr_t)(stack + g_rand_int_range(rand, 0, WORDS / 8)) +
			(round % 16 == 0);
		regs.ip = CODE + g_rand_int_range(rand, 0, CODE_BYTES);
		for (unsigned i = 0; i < 2; i++)
			walks[i] = (struct sysprof_walk){ .ranges = code(),
							  .frames = frames[i],
							  .max = FRAMES,
							  .by_tables = true };
		walk_tables(&regs, &walks[0]);
		sysprof_finder_init(&finder, NULL);
		g_assert_true(walk_anew(&regs, &walks[1], false, &finder));
		g_assert_cmpuint(walks[0].n, ==, walks[1].n);
		g_assert_cmpuint(walks[0].end, ==, walks[1].end);
		g_assert_cmpint(walks[0].is_guess, ==, walks[1].is_guess);
		g_assert_cmpuint(walks[0].n, <=, FRAMES);
		g_assert_cmpmem(frames[0], walks[0].n * 8, frames[1], walks[1].n * 8);
		for (unsigned i = 0; i < walks[0].n; i++) {
			g_assert_cmpuint(frames[0][i] >> SYSPROF_FRAME_OBJECT_SHIFT, ==, OBJECT);
			g_assert_cmpuint(frames[0][i] & SYSPROF_FRAME_OFFSET_MASK, <=,
					 CODE_BYTES + 1);
		}
		total += walks[0].n;
		deep += walks[0].n > 4;
		whole += walks[0].end == SYSPROF_END_ROOT;
	}
	/* Such that they lead somewhere. */
	g_test_message("%" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
		       " stacks of more than four, %" G_GUINT64_FORMAT " whole",
		       total, deep, whole);
	g_assert_cmpuint(total, >, ROUNDS);
	g_assert_cmpuint(deep, >, ROUNDS / 50);
	g_assert_cmpuint(whole, >, ROUNDS / 100);
	g_assert_cmpuint(looks, >, ROUNDS);
}

/* A word of a stack in use changes: to what another one is, or to another return address. */
static void change(GRand *rand, struct pt_regs *regs)
{
	unsigned at = g_rand_int_range(rand, 0, WORDS / 4);

	switch (g_rand_int_range(rand, 0, 5)) {
	case 0: stack[at] = any_word(rand); break;
	case 1: stack[at] = stack[g_rand_int_range(rand, 0, WORDS / 4)]; break;
	case 2:
		regs->registers[SYSPROF_ARCH_SP] =
			(uintptr_t)(stack + g_rand_int_range(rand, 0, WORDS / 4));
		break;
	case 3: regs->registers[SYSPROF_ARCH_FP] = any_word(rand); break;
	default: regs->ip = CODE + g_rand_int_range(rand, 0, CODE_BYTES);
	}
}

/* What a session would have sent of each place (once.h): its number means the same frames. */
static struct outer_sent {
	uint64_t id;
	unsigned n;
	uint64_t frames[FRAMES];
} sent[SYSPROF_RECALL_PLACES];

/* Returns whether the outer frames of the complete @walk would be referred to. */
static bool send_outer(const struct sysprof_walk *walk)
{
	const struct sysprof_outer *outer = &walk->outer;
	struct outer_sent *had = &sent[outer->place];
	const uint64_t *frames = walk->frames + walk->n - outer->n;

	if (!outer->n)
		return false;
	g_assert_cmpuint(outer->n, <=, walk->n);
	if (had->id == outer->id) {
		g_assert_cmpmem(frames, outer->n * 8, had->frames, had->n * 8);
		return true;
	}
	*had = (struct outer_sent){ .id = outer->id, .n = outer->n };
	memcpy(had->frames, frames, outer->n * 8);
	return false;
}

/*
 * Walks of two threads, one after the other, while little changes between them: each finds what it
 * finds without what is remembered, and many remember something.
 */
static void test_recall(void)
{
	static uint64_t frames[2][ROOM];
	g_autoptr(GRand) rand = g_rand_new_with_seed(2);
	struct sysprof_recall_counts found;
	struct sysprof_finder finder;
	struct pt_regs regs;
	uint64_t kept = 0, referred = 0, reads_before;

	code()->stamp = 1;
	has_table = true;
	for (unsigned round = 0; round < 2 * ROUNDS; round++) {
		struct sysprof_walk walks[2];
		unsigned limit = g_rand_int_range(rand, 2, 9);

		if (round % 32 == 0) {
			for (unsigned i = 0; round % 256 == 0 && i < RULES; i++)
				rules[i] = any_rule(rand);
			for (unsigned i = RULES - 3; i < RULES; i++)
				rules[i].ra = SYSPROF_RA_NONE;
			sysprof_tables_generation++;
			readable = g_rand_boolean(rand) ? WORDS : WORDS / 8;
			for (unsigned i = 0; i < WORDS / 4; i++)
				stack[i] = any_word(rand);
			for (unsigned i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++)
				regs.registers[i] = any_word(rand);
			regs.registers[SYSPROF_ARCH_SP] = (uintptr_t)stack;
			regs.ip = ip_of(1);
		}
		change(rand, &regs);
		/* Another table says otherwise of one function. */
		if (round % 16 == 8) {
			sysprof_tables_generation++;
			rules[g_rand_int_range(rand, 0, RULES - 3)] = any_rule(rand);
		}
		shim_current.pid = 1 + g_rand_int_range(rand, 0, 8) / 7;
		for (unsigned i = 0; i < 2; i++)
			walks[i] = (struct sysprof_walk){ .ranges = code(),
							  .frames = frames[i],
							  .max = round % 2 ? FRAMES : limit,
							  .by_tables = true };
		reads_before = reads;
		walk_tables(&regs, &walks[0]);
		sysprof_walk_complete(&walks[0]);
		referred += send_outer(&walks[0]);
		/* What is compared in vain has been remembered, and is passed once. */
		g_assert_cmpuint(reads - reads_before, <=, 8 * FRAMES + RECALL_WORDS);
		sysprof_finder_init(&finder, NULL);
		g_assert_true(walk_anew(&regs, &walks[1], false, &finder));
		g_assert_cmpuint(walks[0].n, ==, walks[1].n);
		g_assert_cmpuint(walks[0].end, ==, walks[1].end);
		g_assert_cmpint(walks[0].is_guess, ==, walks[1].is_guess);
		g_assert_cmpmem(frames[0], walks[0].n * 8, frames[1], walks[1].n * 8);
		kept += walks[0].n;
	}
	found = per_cpu(sysprof_recall_counted, 0);
	g_test_message("%" G_GUINT64_FORMAT " stacks remembered, %" G_GUINT64_FORMAT
		       " not, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT " referred to",
		       found.known, found.walked, kept, referred);
	g_assert_cmpuint(found.known, >, ROUNDS / 40);
	g_assert_cmpuint(referred, >, ROUNDS / 100);
	has_table = false;
	readable = WORDS;
	code()->stamp = 0;
}

/*
 * No more frames fit: whether there was one more is read, not remembered.  Twenty times, as walks
 * before this may have found little.
 */
static void test_recall_limit(void)
{
	uint64_t frames[ROOM];
	struct sysprof_walk walk = {
		.ranges = code(), .frames = frames, .max = FRAMES, .by_tables = true
	};
	struct pt_regs regs = { .ip = ip_of(1) };

	memset(rules, 0, sizeof(rules));
	rules[1] = by_sp(8);
	rules[2] = (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_REGISTER,
						.cfa_register = SYSPROF_ARCH_SP };
	sysprof_tables_generation++;
	code()->stamp = 2;
	memset(stack, 0, sizeof(stack));
	regs.registers[SYSPROF_ARCH_SP] = at(0);
	for (unsigned i = 0; i < 10; i++)
		stack[i] = ip_of(i < 9 ? 1 : 2);
	for (unsigned i = 0; i < 20; i++) {
		walk.max = FRAMES;
		walk_tables(&regs, &walk);
		g_assert_cmpuint(walk.n, ==, 11);
		g_assert_cmpuint(walk.end, ==, SYSPROF_END_ROOT);
		walk.max = 5;
		walk_tables(&regs, &walk);
		g_assert_cmpuint(walk.n, ==, 5);
		g_assert_cmpuint(walk.end, ==, SYSPROF_END_LIMIT);
	}
	stack[4] = 8;
	walk_tables(&regs, &walk);
	g_assert_cmpuint(walk.n, ==, 5);
	g_assert_cmpuint(walk.end, ==, SYSPROF_END_UNMAPPED);
	code()->stamp = 0;
}

/* Two functions have their return address at one place, and leave the stack at two. */
static void test_recall_places(void)
{
	uint64_t frames[ROOM];
	struct sysprof_walk walk = {
		.ranges = code(), .frames = frames, .max = FRAMES, .by_tables = true
	};
	struct pt_regs regs = { 0 };

	memset(rules, 0, sizeof(rules));
	rules[1] = by_sp(8);
	rules[2] = by_sp(24);
	rules[2].ra_offset = -24;
	rules[3] = by_sp(8);
	for (unsigned i = 4; i <= 5; i++)
		rules[i] = (struct sysprof_table_rule){ .cfa = SYSPROF_CFA_REGISTER,
							.cfa_register = SYSPROF_ARCH_SP };
	sysprof_tables_generation++;
	code()->stamp = 3;
	memset(stack, 0, sizeof(stack));
	stack[0] = ip_of(3);
	stack[1] = ip_of(4);
	stack[3] = ip_of(5);
	regs.registers[SYSPROF_ARCH_SP] = at(0);
	for (unsigned i = 0; i < 60; i++) {
		unsigned which = i / 20 % 2;

		regs.ip = ip_of(1 + which);
		walk_tables(&regs, &walk);
		sysprof_walk_complete(&walk);
		assert_rules(&walk, (const unsigned[]){ 1 + which, 3, 4 + which }, 3,
			     SYSPROF_END_ROOT);
	}
	code()->stamp = 0;
}

int main(int argc, char **argv)
{
	g_assert_cmpint(sysprof_recall_alloc(), ==, 0);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/walk/frame-pointers", test_frame_pointers);
	g_test_add_func("/walk/chains", test_chains);
	g_test_add_func("/walk/guesses", test_guesses);
	g_test_add_func("/walk/known", test_known);
	g_test_add_func("/walk/edges", test_edges);
	g_test_add_func("/walk/put-there", test_put_there);
	g_test_add_func("/walk/any", test_any);
	g_test_add_func("/walk/recall", test_recall);
	g_test_add_func("/walk/recall-limit", test_recall_limit);
	g_test_add_func("/walk/recall-places", test_recall_places);
	return g_test_run();
}
