/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the frames of scripts go in a stack (module/chain-splice.c, chain-step.c), in user space:
 * the test says which native frames each walk finds, for a stack may change between two walks.
 */
#include <glib.h>

#define CONFIG_X86_64
#include "shim.h"

#define TASK_SIZE_MAX		  0x7ffffffff000ull
#define lockdep_assert_held(lock) ((void)(lock))

#include "chain.h"
#include "ranges.h"
#include "regions.h"
#include "spaces.h"

/* The kernel does not have these warnings. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "chain-check.c"
#undef LOWEST
#include "chain-live.c"
#include "chain-recall.c"
#include "chain-run.c"
#include "chain-splice.c"
#include "chain-step.c"

unsigned int shim_cpu;
unsigned int sysprof_recall_mode;
long shim_allocated, shim_fail_after = -1;

/* Two interpreters, each with a chain: one by its list, or by frames; the other one by steps. */
enum { BY_LIST = SYSPROF_OBJECT_FIRST, BY_STEPS };

#define BASE(object) ((u64)(object) << SYSPROF_FRAME_OBJECT_SHIFT)
#define RETURN_TO    0x1000
#define CODE(of)     (100ull + (of))

static struct sysprof_script script;
static struct sysprof_program *programs[2];
static struct sysprof_stack stack;
static struct pt_regs regs;
static unsigned walks, judged;
/* All of the first walk is remembered. */
static bool is_remembered;
/* How the second walk finds the stack. */
static void (*walk_again)(struct sysprof_walk *walk);

u64 sysprof_chain_objects = ~0ULL;

u64 sysprof_chain_step_objects(void)
{
	return ~0ULL;
}

u64 sysprof_chain_thread_objects(void)
{
	return 0;
}

void shim_step(void)
{
}

/* Of the stack, and nothing else: no program here has to read. */
bool shim_may_read(u64 address)
{
	(void)address;
	return false;
}

bool sysprof_arch_may_read(const struct pt_regs *of)
{
	(void)of;
	return true;
}

u64 sysprof_arch_thread_pointer(void)
{
	return 0;
}

struct sysprof_script *sysprof_chain_script(void)
{
	return &script;
}

const struct sysprof_program *sysprof_chain_of(const struct sysprof_tables *own, u32 object)
{
	(void)own;
	return object == BY_LIST || object == BY_STEPS ? programs[object - BY_LIST] : NULL;
}

void sysprof_codes_number(struct sysprof_script *of)
{
	for (u32 i = 0; i < of->n; i++)
		sysprof_script_frame_number(&of->frame[i], of->frame[i].code);
}

void sysprof_spaces_walk(struct pt_regs *from, bool in_user, struct sysprof_walk *walk)
{
	(void)from;
	(void)in_user;
	walks++;
	walk->n = 0;
	walk->outer.n = 0;
	if (walk->steps)
		walk->steps = SYSPROF_STEPS_ASK;
	walk_again(walk);
	walk->end = SYSPROF_END_ROOT;
}

bool sysprof_recall_find_sps(const struct sysprof_walk *walk, u64 *sps)
{
	for (u32 i = 1; is_remembered && i < walk->n; i++)
		sps[i] = 0x10000 + i * 64;
	return is_remembered;
}

void sysprof_recall_judge_sps(const struct sysprof_walk *walk, const u64 *sps)
{
	for (u32 i = 1; i < walk->n; i++)
		g_assert_cmphex(sps[i], ==, 0x10000 + i * 64);
	judged++;
}

/* A native frame that a walk comes to, in @object. */
static void arrive(struct sysprof_walk *walk, u32 object, u64 offset)
{
	u64 registers[SYSPROF_ARCH_TABLE_REGS] = {
		[3] = walk->n, [SYSPROF_ARCH_SP] = 0x10000 + walk->n * 64
	};

	walk->frames[walk->n] = BASE(object) + offset + !!walk->n;
	if (walk->sps)
		walk->sps[walk->n] = registers[SYSPROF_ARCH_SP];
	walk->n++;
	if (walk->by_frames)
		sysprof_chain_frame(walk, BASE(object) + offset, registers, BIT(3));
}

static struct sysprof_program *program_of(u8 flags, const struct sysprof_chain_insn *insns, u16 n)
{
	struct sysprof_chain_header header = { .magic = SYSPROF_CHAIN_MAGIC,
					       .version = SYSPROF_CHAIN_VERSION,
					       .machine = SYSPROF_ARCH_MACHINE,
					       .max_frames = 8,
					       .n_loops = 1,
					       .n_insns = n,
					       .flags = flags };
	struct sysprof_chain_loop loop = { RETURN_TO, RETURN_TO + 1 };
	u32 bytes = sizeof(header) + sizeof(loop) + n * sizeof(*insns);
	struct sysprof_program *program = g_malloc0(sizeof(*program) + bytes);
	u8 *to = (u8 *)program->data;

	program->bytes = bytes;
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), &loop, sizeof(loop));
	memcpy(to + sizeof(header) + sizeof(loop), insns, n * sizeof(*insns));
	g_assert_true(sysprof_chain_check(program));
	return program;
}

/* Both interpreters are mapped, and the stack has two frames of the first one. */
static struct sysprof_user_part *begin(void)
{
	static struct {
		struct ranges ranges;
		struct code_range range[2];
	} all;
	struct sysprof_user_part *part = &stack.user[SYSPROF_KIND_TABLED];

	all.ranges = (struct ranges){ .n = 2, .capacity = 2, .objects = ~0ULL };
	for (unsigned i = 0; i < 2; i++)
		all.range[i] =
			(struct code_range){ 0x100000 * (i + 1), 0x100000 * (i + 1) + 0x10000,
					     BASE(BY_LIST + i) - 0x100000 * (i + 1), 1 };
	stack.user_regs = &regs;
	stack.request.max_user = 64;
	*part = (struct sysprof_user_part){ .walk = { .ranges = &all.ranges,
						      .by_tables = true,
						      .steps = SYSPROF_STEPS_ASK,
						      .end = SYSPROF_END_ROOT,
						      .max = 64 } };
	part->walk.frames = part->frames;
	arrive(&part->walk, BY_LIST, 0x10);
	arrive(&part->walk, BY_LIST, RETURN_TO);
	walks = 0;
	return part;
}

static u64 code_at(const struct sysprof_user_part *part, u32 i)
{
	g_assert_cmpuint(i, <, part->walk.n);
	g_assert_cmphex(part->frames[i] >> 60, ==, 0xf);
	return (part->frames[i] & ~SYSPROF_FRAME_SCRIPT) >> SYSPROF_FRAME_CODE_SHIFT;
}

static void same_again(struct sysprof_walk *walk)
{
	arrive(walk, BY_LIST, 0x10);
	arrive(walk, BY_LIST, RETURN_TO);
	arrive(walk, BY_LIST, 0x20);
}

/* Another thread has put a return address on the stack that leads to code of no file. */
static void changed(struct sysprof_walk *walk)
{
	struct sysprof_caller step = { .sp = 0x10000 };

	arrive(walk, BY_LIST, 0x10);
	/* As the walk does it. */
	if (walk->steps)
		sysprof_chain_step(walk, &step);
	arrive(walk, BY_LIST, RETURN_TO);
}

/* What one program found is not given up for another's, whatever the second walk comes to. */
static void test_changed(void)
{
	static const struct sysprof_chain_insn by_list[] = {
		{ .op = SYSPROF_CHAIN_MOVI, .dst = 2, .imm = CODE(BY_LIST) },
		{ .op = SYSPROF_CHAIN_EMIT, .dst = 3, .src = 2, .imm = 2 },
		{ .op = SYSPROF_CHAIN_MARK, .src = 3 },
		{ .op = SYSPROF_CHAIN_END },
	}, by_steps[] = {
		{ .op = SYSPROF_CHAIN_MOVI, .dst = 6, .imm = CODE(BY_STEPS) },
		{ .op = SYSPROF_CHAIN_EMIT, .dst = 7, .src = 6, .imm = 6 },
		{ .op = SYSPROF_CHAIN_ADDI, .dst = 3, .src = 3, .imm = 64 },
		{ .op = SYSPROF_CHAIN_NEXT, .dst = 2, .src = 3, .imm = 4 },
	};
	void (*const ways[])(struct sysprof_walk *) = { same_again, changed };
	struct sysprof_user_part *part;

	programs[0] = program_of(0, by_list, G_N_ELEMENTS(by_list));
	programs[1] = program_of(SYSPROF_CHAIN_STEPS, by_steps, G_N_ELEMENTS(by_steps));
	for (unsigned i = 0; i < G_N_ELEMENTS(ways); i++) {
		walk_again = ways[i];
		part = begin();
		sysprof_chain_splice(&stack, part, NULL);
		g_assert_cmpuint(walks, ==, 1);
		g_assert_true(part->script == &script && script.program == programs[0]);
		g_assert_cmpuint(script.n, ==, 1);
		/* In front of the frame in the loop. */
		g_assert_cmpuint(code_at(part, 1), ==, CODE(BY_LIST));
	}
	g_free(programs[0]);
	g_free(programs[1]);
}

/* Stack pointers that are known take no second walk, but one that checks them. */
static void test_remembered(void)
{
	/* Marks are stack pointers of the first native frame, and of what called the second. */
	static const struct sysprof_chain_insn by_list[] = {
		{ .op = SYSPROF_CHAIN_MOVI, .dst = 2, .imm = CODE(1) },
		{ .op = SYSPROF_CHAIN_EMIT, .dst = 3, .src = 2, .imm = 2 },
		{ .op = SYSPROF_CHAIN_MOVI, .dst = 4, .imm = 0x10000 },
		{ .op = SYSPROF_CHAIN_MARK, .src = 4 },
		{ .op = SYSPROF_CHAIN_MOVI, .dst = 2, .imm = CODE(2) },
		{ .op = SYSPROF_CHAIN_EMIT, .dst = 3, .src = 2, .imm = 2 },
		{ .op = SYSPROF_CHAIN_MOVI, .dst = 4, .imm = 0x10000 + 64 + 8 },
		{ .op = SYSPROF_CHAIN_MARK, .src = 4 },
		{ .op = SYSPROF_CHAIN_END },
	};
	struct sysprof_user_part *part;

	programs[0] = program_of(0, by_list, G_N_ELEMENTS(by_list));
	programs[1] = NULL;
	walk_again = same_again;
	is_remembered = true;
	regs.sp = 0x10000;
	for (unsigned mode = SYSPROF_RECALL_USED; mode <= SYSPROF_RECALL_CHECKED; mode++) {
		sysprof_recall_mode = mode;
		part = begin();
		if (mode == SYSPROF_RECALL_USED)
			arrive(&part->walk, BY_LIST, 0x20);
		judged = 0;
		sysprof_chain_splice(&stack, part, NULL);
		g_assert_cmpuint(walks, ==, mode == SYSPROF_RECALL_CHECKED);
		g_assert_cmpuint(script.n, ==, 2);
		g_assert_cmpuint(code_at(part, 0), ==, CODE(1));
		g_assert_cmpuint(code_at(part, 2), ==, CODE(2));
		/* Not where the stack has changed meanwhile. */
		g_assert_cmpuint(judged, ==, 0);
	}
	part = begin();
	arrive(&part->walk, BY_LIST, 0x20);
	sysprof_chain_splice(&stack, part, NULL);
	g_assert_cmpuint(judged, ==, 1);
	is_remembered = false;
	sysprof_recall_mode = SYSPROF_RECALL_NEVER;
	g_free(programs[0]);
}

/* The index changed in the middle of the walk, which begins anew. */
static void twice(struct sysprof_walk *walk)
{
	same_again(walk);
	walk->n = 0;
	same_again(walk);
}

/* A program that asks for registers runs for each frame in the loop, once. */
static void test_registers(void)
{
	static const struct sysprof_chain_insn by_frames[] = {
		{ .op = SYSPROF_CHAIN_REG, .dst = 4, .imm = 3 },
		{ .op = SYSPROF_CHAIN_REG, .dst = 6, .imm = 6 },
		{ .op = SYSPROF_CHAIN_ADDI, .dst = 4, .src = 4, .imm = CODE(0) },
		{ .op = SYSPROF_CHAIN_EMIT, .dst = 6, .src = 4, .imm = 4 },
		{ .op = SYSPROF_CHAIN_END },
	};
	void (*const ways[])(struct sysprof_walk *) = { same_again, twice };
	struct sysprof_user_part *part;

	programs[0] = program_of(SYSPROF_CHAIN_FRAMES, by_frames, G_N_ELEMENTS(by_frames));
	programs[1] = NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(ways); i++) {
		walk_again = ways[i];
		part = begin();
		sysprof_chain_splice(&stack, part, NULL);
		g_assert_cmpuint(walks, ==, 1);
		g_assert_cmpuint(script.n, ==, 1);
		g_assert_cmpuint(part->walk.n, ==, 4);
		/* Register 3 of the second native frame; register 6 is not known. */
		g_assert_cmpuint(code_at(part, 1), ==, CODE(1));
		g_assert_cmpuint(part->frames[1] & SYSPROF_FRAME_POSITION_MASK, ==, 0);
		g_assert_false(part->walk.by_frames);
	}
	g_free(programs[0]);
}

/* What the second walk finds, and which of it fits. */
static GRand *rand_of_test;
static u32 n_native, max_native;
static u64 natives[SYSPROF_MAX_USER_FRAMES];

static void anything(struct sysprof_walk *walk)
{
	n_native = (u32)g_rand_int_range(rand_of_test, 1, (int)max_native + 1);
	for (u32 i = 0; i < n_native; i++) {
		arrive(walk, g_rand_boolean(rand_of_test) ? BY_LIST : SYSPROF_OBJECT_ANON,
		       g_rand_boolean(rand_of_test) ? RETURN_TO : 0x20);
		natives[i] = walk->frames[i];
	}
}

/* A program that emits up to eight frames, with marks that lead anywhere. */
static struct sysprof_program *random_program(u8 flags)
{
	struct sysprof_chain_insn insns[40] = { { 0 } };
	u16 n = 0, n_frames = (u16)g_rand_int_range(rand_of_test, 1, 10);

	for (u16 i = 0; i < n_frames; i++) {
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_ADDI, .dst = 4, .src = 4, .imm = 1
		};
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_EMIT, .dst = 5, .src = 4, .imm = 4
		};
		if (flags || g_rand_boolean(rand_of_test))
			continue;
		insns[n++] = (struct sysprof_chain_insn){
			.op = SYSPROF_CHAIN_MOVI,
			.dst = 6,
			.imm = g_rand_boolean(rand_of_test) ?
				       0 :
				       g_rand_int_range(rand_of_test, 0xfff0, 0x11100)
		};
		insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_MARK, .src = 6 };
	}
	insns[n++] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_END,
						  .imm = g_rand_boolean(rand_of_test) };
	return program_of(flags, insns, n);
}

/* Of both kinds of frames there are the first ones, each kind in its order. */
static void assert_merged(const struct sysprof_user_part *part)
{
	u32 n = 0, n_scripts = 0;

	g_assert_cmpuint(part->walk.n, <=, stack.request.max_user);
	g_assert_cmpuint(part->walk.n, ==, MIN(n_native + script.n, stack.request.max_user));
	for (u32 i = 0; i < part->walk.n; i++) {
		if (part->frames[i] >> 60 == 0xf) {
			g_assert_cmpuint(n_scripts, <, script.n);
			g_assert_cmpuint(code_at(part, i), ==, script.frame[n_scripts].number);
			n_scripts++;
			continue;
		}
		g_assert_cmpuint(n, <, n_native);
		/* What is not the first frame any more is reported as a return address. */
		g_assert_cmphex(part->frames[i], ==, natives[n] + (!n && i));
		n++;
	}
}

/* Whatever a chain says, and whatever the stack has become: no frame is lost between others. */
static void test_anything(void)
{
	static const u8 flags[] = { 0, SYSPROF_CHAIN_FRAMES };
	unsigned n_found = 0;

	rand_of_test = g_rand_new_with_seed(1);
	walk_again = anything;
	programs[1] = NULL;
	for (unsigned i = 0; i < 20000; i++) {
		struct sysprof_user_part *part = begin();

		programs[0] = random_program(flags[i % G_N_ELEMENTS(flags)]);
		max_native = 1U << g_rand_int_range(rand_of_test, 0, 7);
		stack.request.max_user = (u32)g_rand_int_range(rand_of_test, (int)max_native, 65);
		sysprof_chain_splice(&stack, part, NULL);
		n_found += script.n;
		assert_merged(part);
		g_free(programs[0]);
	}
	g_assert_cmpuint(n_found, >, 20000);
	g_rand_free(rand_of_test);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/splice/changed", test_changed);
	g_test_add_func("/splice/registers", test_registers);
	g_test_add_func("/splice/remembered", test_remembered);
	g_test_add_func("/splice/anything", test_anything);
	return g_test_run();
}
