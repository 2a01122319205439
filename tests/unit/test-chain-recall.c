/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of programs that are compared with those before (module/chain-recall.h) find what they find
 * without, whatever was done to the memory meanwhile, and read little of a stack that has hardly
 * changed.
 */
#include <glib.h>

#define CONFIG_X86_64
#include "shim.h"

#define TASK_SIZE_MAX 0x7ffffffff000ull

#include "chain.h"

/* The kernel does not have these warnings. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "chain-check.c"
#undef LOWEST
#include "chain-live.c"
#include "chain-recall.c"
#include "chain-run.c"

unsigned int shim_cpu;
unsigned int sysprof_recall_mode = SYSPROF_RECALL_USED;
long shim_allocated, shim_fail_after = -1;

/* The memory of the program: nodes of some words, of which the first ones lead to others. */
#define NODES 64u
#define WORDS 16u

static u64 memory[NODES][WORDS];
static bool is_there[NODES];
static unsigned n_reads;
static struct sysprof_script script, plain;
static GRand *rand_of_test;

void shim_step(void)
{
}

bool shim_may_read(u64 address)
{
	u64 offset = address - (uintptr_t)memory;

	n_reads++;
	return offset <= sizeof(memory) - 8 && is_there[offset / sizeof(*memory)];
}

u64 sysprof_arch_thread_pointer(void)
{
	return 0;
}

static u32 below(u32 n)
{
	return (u32)g_rand_int_range(rand_of_test, 0, (int)n);
}

static u64 address_of(u32 node)
{
	return (uintptr_t)memory[node];
}

/* The words lead only to later nodes: so programs end. */
static u64 word_of(u32 node)
{
	u32 what = below(10);

	if (what < 7 && node + 1 < NODES)
		return address_of(node + 1 + below(MIN(4u, NODES - node - 1)));
	return what < 9 ? 0 : g_rand_int(rand_of_test) % 4;
}

static void fill(void)
{
	for (u32 node = 0; node < NODES; node++) {
		is_there[node] = true;
		for (u32 i = 0; i < WORDS; i++)
			memory[node][i] = word_of(node);
	}
}

static void change(void)
{
	u32 node;

	for (u32 n = below(4); n; n--) {
		node = below(NODES);
		memory[node][below(WORDS)] = word_of(node);
	}
	if (!below(20))
		is_there[below(NODES)] ^= true;
	if (!below(40))
		memset(is_there, true, sizeof(is_there));
	if (!below(200))
		fill();
}

static struct sysprof_program *program_with(u8 flags, const struct sysprof_chain_list *lists,
					    u8 n_lists, const struct sysprof_chain_insn *insns,
					    u16 n)
{
	static u64 number;
	struct sysprof_chain_header header = { .magic = SYSPROF_CHAIN_MAGIC,
					       .version = SYSPROF_CHAIN_VERSION,
					       .machine = SYSPROF_ARCH_MACHINE,
					       .max_frames = 250,
					       .n_lists = n_lists,
					       .flags = flags,
					       .n_insns = n };
	u32 lists_bytes = n_lists * sizeof(*lists), insns_bytes = n * sizeof(*insns),
	    bytes = sizeof(header) + lists_bytes + insns_bytes;
	struct sysprof_program *program = g_malloc0(sizeof(*program) + bytes);
	u8 *to = (u8 *)program->data;

	program->bytes = bytes;
	program->number = ++number;
	memcpy(to, &header, sizeof(header));
	if (lists_bytes)
		memcpy(to + sizeof(header), lists, lists_bytes);
	memcpy(to + sizeof(header) + lists_bytes, insns, insns_bytes);
	if (sysprof_chain_check(program))
		return program;
	g_free(program);
	return NULL;
}

static struct sysprof_program *program_of(const struct sysprof_chain_list *lists, u8 n_lists,
					  const struct sysprof_chain_insn *insns, u16 n)
{
	return program_with(0, lists, n_lists, insns, n);
}

/* Numbers as a CPU gives them: what was found before keeps its own. */
static void number_codes(void)
{
	for (u32 i = 0; i < script.n; i++) {
		struct sysprof_script_frame *frame = &script.frame[i];
		u64 number = frame->code ^ frame->identity;

		if (i >= script.n - script.n_numbered)
			g_assert_cmphex(frame->number, ==, number);
		frame->number = number;
	}
	if (script.remembered)
		script.remembered->displaced = script.displaced;
}

static void assert_same(void)
{
	g_assert_cmpuint(script.n, ==, plain.n);
	g_assert_cmpint(script.is_cut, ==, plain.is_cut);
	for (u32 i = 0; i < plain.n; i++) {
		const struct sysprof_script_frame *a = &script.frame[i], *b = &plain.frame[i];

		g_assert_cmphex(a->code, ==, b->code);
		g_assert_cmphex(a->position, ==, b->position);
		g_assert_cmphex(a->identity, ==, b->identity);
		g_assert_cmphex(a->with, ==, b->with);
		g_assert_cmpuint(a->passed, ==, b->passed);
		g_assert_cmpint(a->is_last, ==, b->is_last);
		if (b->is_last)
			g_assert_cmphex(a->mark, ==, b->mark);
	}
}

/* Both ways.  Returns how many words the one that is compared read. */
static unsigned run(const struct sysprof_program *program)
{
	unsigned reads;

	n_reads = 0;
	sysprof_chain_run(program, address_of(0), &script);
	reads = n_reads;
	sysprof_chain_run(program, address_of(0), &plain);
	assert_same();
	number_codes();
	return reads;
}

static void begin(void)
{
	sysprof_chain_counted[0] = (struct sysprof_recall_counts){ 0 };
	memset(&script, 0, sizeof(script));
	memset(&plain, 0, sizeof(plain));
	g_assert_cmpint(sysprof_chain_recall_alloc(&script, 0), ==, 0);
}

static void end(void)
{
	sysprof_chain_recall_free(&script);
	g_assert_cmpint(shim_allocated, ==, 0);
}

/* A list as CPython has: the marked node of each group is not a frame, or is its last one. */
static struct sysprof_program *list_program(u8 flag_kind)
{
	const struct sysprof_chain_list list = { .code = 8,
						 .next = 0,
						 .position = 16,
						 .flag = 25,
						 .identity = { 0, 8, 16 },
						 .mark_next = 32,
						 .flag_kind = flag_kind,
						 .flag_value = 1,
						 .position_bytes = 4 };
	const struct sysprof_chain_insn insns[] = {
		{ .op = SYSPROF_CHAIN_LD8, .dst = 3, .src = 1, .imm = 40 },
		{ .op = SYSPROF_CHAIN_ADDI, .dst = 4, .src = 1 },
		{ .op = SYSPROF_CHAIN_LIST, .dst = 3, .src = 4 },
		{ .op = SYSPROF_CHAIN_END },
	};

	return program_of(&list, 1, insns, G_N_ELEMENTS(insns));
}

/* Of 30 nodes in a list the innermost ones come and go: the others are read once, in one piece. */
static void test_list(void)
{
	enum { READS = 7, N = 30 };
	struct sysprof_program *program = list_program(SYSPROF_CHAIN_FLAG_LAST);

	rand_of_test = g_rand_new_with_seed(1);
	begin();
	fill();
	for (u32 i = 0; i < NODES; i++) {
		memory[i][0] = i + 1 < N ? address_of(i + 1) : 0;
		memory[i][1] = address_of(NODES - 1);
		memory[i][2] = i;
		memory[i][3] = (u64)(i % 8 == 7) << 8;
		memory[i][4] = address_of(i + 1 < NODES ? i + 1 : 0);
	}
	memory[0][5] = address_of(4);
	g_assert_cmpuint(run(program), >, (N - 4) * READS);
	g_assert_cmpuint(script.n, ==, N - 4);
	g_assert_cmpuint(script.n_numbered, ==, 0);
	for (u32 i = 0; i < 1000; i++) {
		u32 inner = below(5);

		memory[0][5] = address_of(inner);
		memory[inner][2] = 100 + i;
		run(program);
		g_assert_cmpuint(script.n, ==, N - inner);
		g_assert_cmpuint(script.n_numbered, >=, N - 6);
	}
	g_assert_cmpuint(sysprof_chain_counted[0].known, ==, 1000);
	/* One that is further out: those inside of it are read anew. */
	memory[20][2]++;
	run(program);
	g_assert_cmpuint(script.n_numbered, ==, N - 21);
	/* Nothing is remembered of a run that lacked memory. */
	is_there[25] = false;
	run(program);
	g_assert_true(script.is_cut);
	is_there[25] = true;
	run(program);
	g_assert_cmpuint(script.n, >=, N - 4);
	/* Another address space, and another thread. */
	script.mm = 1;
	run(program);
	g_assert_cmpuint(script.n_numbered, ==, 0);
	script.tid = 1;
	run(program);
	g_assert_cmpuint(script.n_numbered, ==, 0);
	/* A number that was given to another code is given anew. */
	script.displaced++;
	run(program);
	g_assert_cmpuint(script.n_numbered, ==, 0);
	run(program);
	g_assert_cmpuint(script.n_numbered, >, 0);
	end();
	g_rand_free(rand_of_test);
	g_free(program);
}

/* Groups begin and end elsewhere: where the list is met says nothing of the group before. */
static void test_groups(void)
{
	static const u8 kinds[] = { SYSPROF_CHAIN_FLAG_ALONE, SYSPROF_CHAIN_FLAG_LAST,
				    SYSPROF_CHAIN_FLAG_EACH, SYSPROF_CHAIN_FLAG_NONE };
	u64 known = 0;

	rand_of_test = g_rand_new_with_seed(1);
	for (u32 kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
		struct sysprof_program *program = list_program(kinds[kind]);

		begin();
		fill();
		for (u32 i = 0; i < NODES; i++) {
			memory[i][0] = i + 1 < NODES ? address_of(i + 1) : 0;
			memory[i][1] = address_of(NODES - 1);
			memory[i][4] = address_of(i + 1 < NODES ? i + 1 : 0);
		}
		for (u32 i = 0; i < 5000; i++) {
			memory[0][5] = address_of(below(8));
			memory[below(12)][3] = (u64)below(2) << 8;
			run(program);
		}
		known += sysprof_chain_counted[0].known;
		end();
		g_free(program);
	}
	g_assert_cmpuint(known, >, 15000);
	g_rand_free(rand_of_test);
}

/* A run that has less fuel than the one before does not end as that one did. */
static void test_fuel(void)
{
	enum { SLOW = 200 };
	struct sysprof_chain_list list = { .code = 8, .position = 16, .position_bytes = 4 };
	struct sysprof_chain_insn insns[SLOW + 8] = {
		{ .op = SYSPROF_CHAIN_LD8, .dst = 5, .src = 1, .imm = 48 },
	};
	struct sysprof_program *program;
	u32 n = 1, cut = 0, whole = 0;

	while (n <= SLOW)
		insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_MOVI, .dst = 6 };
	insns[n++] = (struct sysprof_chain_insn){
		.op = SYSPROF_CHAIN_ADDI, .dst = 5, .src = 5, .imm = -1
	};
	insns[n++] = (struct sysprof_chain_insn){
		.op = SYSPROF_CHAIN_JEQI, .src = 5, .jump = 1
	};
	insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_LOOP, .imm = 1 };
	insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_ADDI, .dst = 3, .src = 1 };
	insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_LIST, .dst = 3, .src = 4 };
	insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_END };
	program = program_of(&list, 1, insns, (u16)n);
	rand_of_test = g_rand_new_with_seed(1);
	begin();
	fill();
	for (u32 i = 0; i < NODES; i++) {
		memory[i][0] = i + 1 < NODES ? address_of(i + 1) : 0;
		memory[i][1] = address_of(0);
	}
	for (u32 i = 0; i < 1000; i++) {
		memory[0][6] = 10 + below(12);
		run(program);
		cut += script.is_cut;
		whole += script.n_numbered == NODES;
	}
	g_assert_cmpuint(cut, >, 100);
	g_assert_cmpuint(whole, >, 100);
	end();
	g_rand_free(rand_of_test);
	g_free(program);
}

/* Native frames of a stack, innermost first: @first is where the functions of each begin. */
#define NATIVE 3u

static void run_frames(struct sysprof_script *to, const struct sysprof_program *program,
		       const u32 *first, u32 n)
{
	sysprof_script_begin(to);
	to->is_cut = false;
	to->fuel = SYSPROF_CHAIN_FUEL;
	to->program = program;
	for (u32 i = 0; i < n; i++) {
		to->inner.native = (u16)(10 * i);
		to->inner.sp = 0x1000 * (1 + i);
		to->inner.known = 1 << 3;
		to->inner.registers[3] = address_of(first[i]);
		sysprof_chain_run_frame(to, to->inner.sp + 0x100);
	}
}

/* A loop along nodes from the one in a register of the native frame; that is read in it, too. */
static struct sysprof_program *frames_program(bool is_read_again)
{
	const u8 in_loop = is_read_again ? SYSPROF_CHAIN_REG : SYSPROF_CHAIN_MOVI;
	const struct sysprof_chain_insn insns[] = {
		{ .op = SYSPROF_CHAIN_REG, .dst = 2, .imm = 3 },
		{ .op = in_loop, .dst = 7, .imm = 3 },
		{ .op = SYSPROF_CHAIN_LD8, .dst = 4, .src = 2, .imm = 8 },
		{ .op = SYSPROF_CHAIN_LD8, .dst = 5, .src = 2, .imm = 16 },
		{ .op = SYSPROF_CHAIN_LD8, .dst = 6, .src = 4, .imm = 8 },
		{ .op = SYSPROF_CHAIN_MIX, .dst = 6, .src = 7 },
		{ .op = SYSPROF_CHAIN_EMIT, .dst = 5, .src = 4, .imm = 6 },
		{ .op = SYSPROF_CHAIN_LD8, .dst = 2, .src = 2 },
		{ .op = SYSPROF_CHAIN_JEQI, .src = 2, .jump = 1 },
		{ .op = SYSPROF_CHAIN_LOOP, .imm = 1 },
		{ .op = SYSPROF_CHAIN_END },
	};

	return program_with(SYSPROF_CHAIN_FRAMES, NULL, 0, insns, G_N_ELEMENTS(insns));
}

/* Runs for each native frame: what is remembered is that frame's, and together they are a stack. */
static void test_frames(void)
{
	enum { EACH = NODES / NATIVE };
	struct sysprof_program *programs[] = { frames_program(false), frames_program(true) };
	u32 first[NATIVE], numbered = 0;

	g_assert_nonnull(programs[0]);
	rand_of_test = g_rand_new_with_seed(1);
	begin();
	fill();
	for (u32 i = 0; i < 20000; i++) {
		const struct sysprof_program *program = programs[below(16) / 15];
		u32 n = 1 + below(NATIVE);

		for (u32 node = 0; !i && node < NODES; node++) {
			memory[node][0] = node % EACH + 1 < EACH && node + 1 < NODES ?
						  address_of(node + 1) :
						  0;
			memory[node][1] = address_of(below(NODES));
		}
		for (u32 native = 0; native < NATIVE; native++)
			first[native] = native * EACH + below(4);
		memory[below(NODES)][1 + below(2)] = address_of(below(NODES));
		is_there[below(NODES)] = below(50);
		if (!below(8))
			memset(is_there, true, sizeof(is_there));
		for (u32 entry = 0; entry < 1 << CHAIN_RECALL_BITS; entry++)
			script.recall->entries[entry].skip = 0;
		script.displaced += !below(40);
		run_frames(&script, program, first, n);
		run_frames(&plain, program, first, n);
		assert_same();
		g_assert_cmpint(script.fuel, ==, plain.fuel);
		for (u32 j = 0; j < plain.n; j++)
			g_assert_cmpuint(script.at[j], ==, plain.at[j]);
		number_codes();
		numbered += script.n_numbered;
	}
	g_assert_cmpuint(sysprof_chain_counted[0].known, >, 5000);
	g_assert_cmpuint(numbered, >, 20000);
	/* In whose loop a register of the machine counts, nothing is known. */
	memset(is_there, true, sizeof(is_there));
	sysprof_chain_counted[0].known = 0;
	for (u32 i = 0; i < 100; i++)
		run_frames(&script, programs[1], first, 1);
	g_assert_cmpuint(sysprof_chain_counted[0].known, ==, 0);
	end();
	g_rand_free(rand_of_test);
	g_free(programs[0]);
	g_free(programs[1]);
}

static struct sysprof_chain_insn any_insn(u16 at, u16 n)
{
	static const u8 ops[] = {
		SYSPROF_CHAIN_LD8,  SYSPROF_CHAIN_LD8,	SYSPROF_CHAIN_LD8,  SYSPROF_CHAIN_LD4,
		SYSPROF_CHAIN_LD4S, SYSPROF_CHAIN_LD2,	SYSPROF_CHAIN_LD1,  SYSPROF_CHAIN_ADDI,
		SYSPROF_CHAIN_SUB,  SYSPROF_CHAIN_ANDI, SYSPROF_CHAIN_MOVI, SYSPROF_CHAIN_MIX,
		SYSPROF_CHAIN_EMIT, SYSPROF_CHAIN_EMIT, SYSPROF_CHAIN_MARK, SYSPROF_CHAIN_WITH,
		SYSPROF_CHAIN_LIST, SYSPROF_CHAIN_JEQI, SYSPROF_CHAIN_JNEI, SYSPROF_CHAIN_JLT,
		SYSPROF_CHAIN_SHR,
	};
	struct sysprof_chain_insn insn = { .op = ops[below(G_N_ELEMENTS(ops))],
					   .dst = (u8)(2 + below(5)),
					   .src = (u8)(1 + below(6)) };

	if (insn.op <= SYSPROF_CHAIN_LD1)
		insn.imm = (s32)(below(10) ? below(8) * 8 : below(60));
	else if (insn.op == SYSPROF_CHAIN_EMIT)
		insn.imm = (s32)(1 + below(6));
	else if (insn.op == SYSPROF_CHAIN_LIST)
		insn.imm = (s32)below(2);
	else if (insn.op == SYSPROF_CHAIN_ADDI)
		insn.imm = (s32)(below(4) ? 0 : below(3) * 8);
	else if (insn.op == SYSPROF_CHAIN_ANDI)
		insn.imm = below(4) ? -1 : 7;
	else if (insn.op >= SYSPROF_CHAIN_JEQI && insn.op <= SYSPROF_CHAIN_JLT)
		insn.jump = (u8)below(MIN(4u, n - at));
	return insn;
}

static struct sysprof_chain_list any_list(void)
{
	return (struct sysprof_chain_list){ .code = (u16)(below(4) * 8),
					    .next = (u16)(below(4) * 8),
					    .position = (u16)(below(8) * 4),
					    .flag = (u16)below(60),
					    .identity = { 8, 24, (u16)below(60) },
					    .mark_next = (u16)(below(4) * 8),
					    .flag_kind = (u8)below(4),
					    .position_bytes = below(2) ? 4 : 8,
					    .position_of_code = (u8)below(2),
					    .position_shift = (u8)below(3) };
}

/* A loop along the nodes, with anything in it, and a list. */
static struct sysprof_program *any_program(void)
{
	const struct sysprof_chain_list lists[] = { any_list(), any_list() };
	struct sysprof_chain_insn insns[24] = { { 0 } };
	struct sysprof_program *program;
	u16 n;

	do {
		n = 0;
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_ADDI, .dst = 2, .src = 1
		};
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_ADDI, .dst = 3, .src = 1
		};
		for (u16 last = (u16)(4 + below(16)); n < last; n++)
			insns[n] = any_insn(n, last);
		insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_LD8,
							  .dst = 2,
							  .src = 2,
							  .imm = (s32)below(4) * 8 };
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_JEQI, .src = 2, .jump = 1
		};
		insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_LOOP,
							  .imm = (s32)(1 + below(2)) };
		insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_END,
							  .imm = (s32)below(2) };
		program = program_of(lists, G_N_ELEMENTS(lists), insns, n);
	} while (!program);
	return program;
}

static u8 *put_number(u8 *to, u64 number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (u8)number | 0x80;
	*to++ = (u8)number;
	return to;
}

/* SYSPROF_CHAIN_SUMS: a table of random pairs, from any address on. */
static void test_sums(void)
{
	u64 sum = 0, total = 0, expected = 0, value, place, step;
	s64 difference;
	u8 *begin, *at;
	s32 fuel;

	rand_of_test = g_rand_new_with_seed(1);
	fill();
	for (unsigned round = 0; round < 3000; round++) {
		begin = at = (u8 *)memory + below(16);
		sum = total = expected = 0;
		place = below(round % 3 ? 3000 : 100);
		for (u32 n = below(200); n; n--) {
			step = below(round % 2 ? 30 : 300);
			difference = g_rand_int_range(rand_of_test, -400, 400) *
				     (below(20) ? 1 : 1LL << below(40));
			at = put_number(at, step << 1 | below(2));
			at = put_number(at, difference < 0 ? (u64)~difference << 1 | 1 :
							     (u64)difference << 1);
			total += step;
			expected += total <= place ? (u64)difference : 0;
		}
		g_assert_true(at <= (u8 *)memory + sizeof(memory));
		value = place;
		fuel = SYSPROF_CHAIN_FUEL;
		g_assert_true(run_sums(NULL, &value, (uintptr_t)begin, (uintptr_t)at, &fuel));
		g_assert_cmphex(value, ==, expected);
		sum = SYSPROF_CHAIN_FUEL - fuel;
		g_assert_cmpuint(sum, <=, 1000);
		/* The same with as little fuel as it took, and with less. */
		value = place;
		fuel = (s32)sum;
		g_assert_true(run_sums(NULL, &value, (uintptr_t)begin, (uintptr_t)at, &fuel));
		g_assert_cmphex(value, ==, expected);
		value = place;
		fuel = -1;
		g_assert_true(begin == at ||
			      !run_sums(NULL, &value, (uintptr_t)begin, (uintptr_t)at, &fuel));
	}
	/* Of what cannot be read, and of what never ends. */
	value = 0;
	fuel = SYSPROF_CHAIN_FUEL;
	g_assert_false(run_sums(NULL, &value, 8, 16, &fuel));
	memset(memory, 0x80, sizeof(memory));
	value = ~0ULL;
	fuel = SYSPROF_CHAIN_FUEL;
	run_sums(NULL, &value, (uintptr_t)memory, ~0ULL, &fuel);
	g_assert_cmpint(fuel, <, SYSPROF_CHAIN_FUEL);
	memset(memory, 0, sizeof(memory));
	is_there[NODES - 1] = false;
	fuel = SYSPROF_CHAIN_FUEL;
	g_assert_false(run_sums(NULL, &value, (uintptr_t)memory, ~0ULL, &fuel));
	is_there[NODES - 1] = true;
	g_rand_free(rand_of_test);
}

/* Whatever a program does, and whatever happens to what it reads, between its ticks. */
static void test_anything(void)
{
	u64 known, later = 0, frames = 0, again = 0;

	rand_of_test = g_rand_new_with_seed(1);
	begin();
	for (u32 i = 0; i < 8000; i++) {
		struct sysprof_program *programs[] = { any_program(), any_program() };

		fill();
		for (u32 j = 0; j < 60; j++) {
			script.tid = below(8) / 7;
			script.mm = 1 + below(20) / 19;
			/* Whether it is left alone is not what this is about. */
			script.recall->entries[hash_64(script.tid, CHAIN_RECALL_BITS)].skip = 0;
			known = sysprof_chain_counted[0].known;
			run(programs[below(8) / 7]);
			frames += script.n;
			again += script.n_numbered;
			later += sysprof_chain_counted[0].known != known &&
				 script.recall->tape.passed;
			change();
		}
		g_free(programs[0]);
		g_free(programs[1]);
	}
	g_test_message("%lu frames, %lu of them known, %lu runs known behind a difference",
		       (unsigned long)frames, (unsigned long)again, (unsigned long)later);
	/* It did happen. */
	g_assert_cmpuint(frames, >, 300000);
	g_assert_cmpuint(again, >, frames / 20);
	g_assert_cmpuint(later, >, 10);
	end();
	g_rand_free(rand_of_test);
}

static struct sysprof_chain_insn any_step_insn(u16 at, u16 n)
{
	struct sysprof_chain_insn insn;

	do
		insn = any_insn(at, n);
	while (insn.op == SYSPROF_CHAIN_MARK || insn.op == SYSPROF_CHAIN_LIST ||
	       insn.op == SYSPROF_CHAIN_WITH);
	if (!below(40))
		insn.op = SYSPROF_CHAIN_REG;
	if (insn.op == SYSPROF_CHAIN_REG)
		insn.imm = 3;
	if (!below(6))
		insn.dst = (u8)(24 + below(3));
	if (!below(6))
		insn.src = (u8)(24 + below(3));
	return insn;
}

/* It keeps what it found first, and anything else, and goes on to where the frame's words lead. */
static struct sysprof_program *any_step_program(void)
{
	struct sysprof_chain_insn insns[24];
	struct sysprof_program *program;
	u16 n;

	do {
		n = 0;
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_JNEI, .src = 24, .jump = 1
		};
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_LD8, .dst = 24, .src = 1, .imm = (s32)below(8) * 8
		};
		for (u16 last = (u16)(3 + below(14)); n < last; n++)
			insns[n] = any_step_insn(n, last);
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_LD8, .dst = 12, .src = 3
		};
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_LD8, .dst = 13, .src = 3, .imm = (s32)below(4) * 8
		};
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_LD8, .dst = 14, .src = 3, .imm = (s32)below(4) * 8
		};
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_NEXT, .dst = 13, .src = 12, .imm = 14
		};
		program = program_with(SYSPROF_CHAIN_STEPS, NULL, 0, insns, n);
	} while (!program);
	return program;
}

static void begin_steps(struct sysprof_script *to, const struct sysprof_program *program)
{
	sysprof_script_begin(to);
	to->is_cut = false;
	to->fuel = SYSPROF_CHAIN_FUEL;
	to->program = program;
	to->mm = script.mm;
	to->thread = 7;
	to->bias = address_of(0);
	memset(to->registers, 0, sizeof(to->registers));
}

/* A stack from the same place on, both ways. */
static void step_along(const struct sysprof_program *program, u64 value)
{
	u64 registers[SYSPROF_ARCH_TABLE_REGS] = { [3] = value };
	struct sysprof_caller step = { .fp = value,
				       .sp = address_of(below(4)),
				       .ip = 5,
				       .is_exact = below(2),
				       .registers = registers,
				       .known = 1 << 3 },
			      again = step;
	u32 n_kept = program->n_kept;
	u8 ret = 0;

	begin_steps(&script, program);
	begin_steps(&plain, program);
	for (u16 native = 0; !ret && native < 50; native++) {
		ret = sysprof_chain_run_step(&script, native, &step);
		g_assert_cmpint(sysprof_chain_run_step(&plain, native, &again), ==, ret);
		if (!ret) {
			g_assert_cmphex(step.fp, ==, again.fp);
			g_assert_cmphex(step.sp, ==, again.sp);
			g_assert_cmphex(step.ip, ==, again.ip);
		}
		/* It never lacks any. */
		g_assert_cmpint(plain.fuel, >, 0);
		for (u32 i = 0; !ret && n_kept <= SYSPROF_CHAIN_KEPT && i < n_kept; i++)
			g_assert_cmphex(script.registers[program->first_kept + i], ==,
					plain.registers[program->first_kept + i]);
		step.is_exact = again.is_exact = false;
	}
	assert_same();
	for (u32 i = 0; i < plain.n; i++)
		g_assert_cmpuint(script.at[i], ==, plain.at[i]);
}

/* Whatever a program of steps does: what is known of a frame is what it would find. */
static void test_steps(void)
{
	rand_of_test = g_rand_new_with_seed(1);
	begin();
	for (u32 i = 0; i < 8000; i++) {
		struct sysprof_program *programs[] = { any_step_program(), any_step_program() };

		fill();
		for (u32 j = 0; j < 60; j++) {
			script.mm = 1 + below(20) / 19;
			step_along(programs[below(8) / 7], below(3));
			if (!below(3))
				change();
		}
		g_free(programs[0]);
		g_free(programs[1]);
	}
	/* It did happen. */
	g_assert_cmpuint(sysprof_chain_counted[0].known, >, 20000);
	end();
	g_rand_free(rand_of_test);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chain-recall/list", test_list);
	g_test_add_func("/chain-recall/groups", test_groups);
	g_test_add_func("/chain-recall/fuel", test_fuel);
	g_test_add_func("/chain-recall/frames", test_frames);
	g_test_add_func("/chain-recall/steps", test_steps);
	g_test_add_func("/chain-recall/sums", test_sums);
	g_test_add_func("/chain-recall/anything", test_anything);
	return g_test_run();
}
