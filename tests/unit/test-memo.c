/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's memory of kernel stacks (module/memo.c) and of single steps along them
 * (module/steps.c), in user space: stacks are made as code
 * makes them, each function's frame of its own size, and what is known of one must be what the
 * unwinder would have found.
 */
#define CONFIG_UNWINDER_ORC 1
#include <glib.h>

#define fallthrough __attribute__((__fallthrough__))

/* What the kernel calls has a shape of its own. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "memo.c"
#include "steps.c"
#pragma GCC diagnostic warning "-Wunused-parameter"

#define STACK_WORDS 512
#define DEPTH_MAX   40
#define IMAGE	    0xffffffff81000000ul
#define MODULES	    0xffffffffc0000000ul
#define FUNCTIONS   4

unsigned int shim_cpu;
long shim_allocated, shim_fail_after = -1;
unsigned long jiffies = 1000;

/* A stack: its own memory, so that not a word beyond it and the registers can be read. */
static struct {
	u64 *words;
	long call;
	struct task_struct task;
	u64 ips[DEPTH_MAX]; /* innermost first: an instruction, then return addresses */
	unsigned long places[DEPTH_MAX];
	unsigned long sp;
	u32 n;
} stack;

static u32 checked_by_steps;

void shim_step(void)
{
}

static u64 told(u64 ip)
{
	u64 object = ip >= MODULES ? SYSPROF_OBJECT_MODULES : SYSPROF_OBJECT_KERNEL;

	return object << SYSPROF_FRAME_OBJECT_SHIFT | (ip & SYSPROF_FRAME_OFFSET_MASK);
}

/* What the code at @ip has on the stack, return address aside. */
static u32 frame_words(u64 ip)
{
	return ip * 7 % 5;
}

/*
 * The stack below the registers: @n functions that called each other, the outermost @distance words
 * below, all else @litter.
 */
static void make_stack(const u64 *ips, u32 n, u32 distance, u64 litter)
{
	u64 *word;

	g_free(stack.words);
	stack.words = g_malloc0(STACK_WORDS * sizeof(u64) + sizeof(struct pt_regs));
	for (u32 i = 0; i < STACK_WORDS; i++)
		stack.words[i] = litter;
	word = stack.words + STACK_WORDS;
	memcpy(stack.ips, ips, n * sizeof(*ips));
	stack.n = n;
	for (u32 i = n; i-- > 1;) {
		*--word = ips[i];
		stack.places[i] = (unsigned long)word;
		word -= i == n - 1 ? distance : frame_words(ips[i - 1]);
	}
	stack.sp = (unsigned long)word;
	stack.task = (struct task_struct){
		.stack = stack.words,
		.entry = (struct pt_regs *)(stack.words + STACK_WORDS),
	};
	stack.task.entry->orig_ax = stack.call;
}

/* The step from what was interrupted to the return address @at; 0: there is none. */
static void learn(const struct sysprof_task_stack *task_stack, u64 frame, unsigned long at)
{
	enum sysprof_step kind = SYSPROF_STEP_BY_SP;
	unsigned long words = ((at ? at : task_stack->entry) - stack.sp) / sizeof(u64);
	u32 saved = 0;

	if (!sysprof_task_stack_has(task_stack, stack.sp))
		return;
	if (!at) {
		kind = SYSPROF_STEP_LAST;
	} else if (at == task_stack->entry - sizeof(u64) && task_stack->is_system_call) {
		/* The function that begins system calls has a frame pointer. */
		if (!words)
			return;
		kind = SYSPROF_STEP_BY_BP;
		words = 1;
		saved = 2;
	}
	sysprof_step_learn(stack.ips[0], true, frame, kind, words, saved);
}

/* Walks as the module does; how many return addresses the unwinder had to find. */
static u32 walk(u64 *frames, u32 max, u32 *n, u8 *end)
{
	const struct pt_regs regs = { .ip = stack.ips[0],
				      .sp = stack.sp,
				      .bp = (u64)stack.task.entry - 2 * sizeof(u64) };
	struct sysprof_memo_walk memo;
	u32 i, known;
	int recalled;

	frames[0] = told(stack.ips[0]);
	recalled = sysprof_memo_recall_interrupted(&stack.task, 0, &regs, frames + 1, max - 1, end);
	if (recalled >= 0) {
		*n = recalled + 1;
		return 0;
	}
	sysprof_memo_begin(&memo, &stack.task, 0);
	memo.is_asked = true;
	*end = SYSPROF_END_ROOT;
	if (sysprof_memo_interrupted(&memo, &regs, frames + 1, max - 1, &known, end)) {
		*n = known + 1;
		return 0;
	}
	for (i = 1; i < stack.n; i++) {
		if (i == max) {
			*end = SYSPROF_END_LIMIT;
			break;
		}
		if (i == 1 && stack.places[1])
			learn(&memo.stack, frames[0], stack.places[1]);
		if (stack.places[i] && sysprof_memo_find(&memo, stack.ips[i], stack.places[i] + 8,
							 frames + i, max - i, &known, end)) {
			*n = i + known;
			return i;
		}
		frames[i] = told(stack.ips[i]);
		sysprof_memo_add(&memo, stack.ips[i], stack.places[i], frames[i], false);
	}
	if (stack.n == 1)
		learn(&memo.stack, frames[0], 0);
	checked_by_steps += memo.by_steps;
	*n = i;
	sysprof_memo_keep(&memo, frames + i, *end);
	return i;
}

/* What comes out is the stack; how many return addresses were looked for, and one more. */
static u32 walked(void)
{
	u64 frames[DEPTH_MAX];
	u32 n, steps;
	u8 end;

	steps = walk(frames, DEPTH_MAX, &n, &end);
	g_assert_cmpuint(n, ==, stack.n);
	g_assert_cmpuint(end, ==, SYSPROF_END_ROOT);
	for (u32 i = 0; i < n; i++)
		g_assert_cmphex(frames[i], ==, told(stack.ips[i]));
	return steps;
}

static void begin(void)
{
	g_assert_cmpint(sysprof_memo_init(), ==, 0);
	check_one_in = 1000000000;
	this_cpu_read(memos)->to_check = check_one_in;
}

static void end(void)
{
	sysprof_memo_exit();
	g_assert_cmpint(shim_allocated, ==, 0);
}

static const u64 read_file[] = { IMAGE + 0x1003, IMAGE + 0x2011, IMAGE + 0x3007, IMAGE + 0x4002 };
static const u64 read_module[] = { MODULES + 3, MODULES + 0x2011, IMAGE + 0x3007, IMAGE + 0x4002 };
static const u64 other_place[] = { IMAGE + 0x1004, IMAGE + 0x2011, IMAGE + 0x3007, IMAGE + 0x4002 };

static void test_known(void)
{
	begin();
	make_stack(read_file, 4, 3, 0);
	g_assert_cmpuint(walked(), ==, 4);
	g_assert_cmpuint(walked(), ==, 0);
	/* Wherever the kernel began it. */
	make_stack(read_file, 4, 100, 1);
	g_assert_cmpuint(walked(), ==, 0);
	/* Another instruction of the same function: known from its caller on, and then itself. */
	make_stack(other_place, 4, 7, 2);
	g_assert_cmpuint(walked(), ==, 1);
	g_assert_cmpuint(walked(), ==, 0);
	/* Another system call is looked for elsewhere, another CPU has its own. */
	stack.task.entry->orig_ax = 17;
	g_assert_cmpuint(walked(), ==, 4);
	stack.task.entry->orig_ax = 0;
	shim_cpu = 1;
	this_cpu_read(memos)->to_check = check_one_in;
	g_assert_cmpuint(walked(), ==, 4);
	shim_cpu = 0;
	end();
}

/* No caller, and one that is the entry: known by how far from the registers they are. */
static void test_short(void)
{
	for (u32 n = 1; n < 3; n++) {
		begin();
		make_stack(read_file, n, 3, 0);
		g_assert_cmpuint(walked(), ==, n);
		g_assert_cmpuint(walked(), ==, 0);
		stack.sp -= 8;
		if (n == 2)
			stack.places[1] -= 8;
		stack.words[STACK_WORDS - 1] = 0;
		stack.words[STACK_WORDS - 2] = stack.ips[1];
		g_assert_cmpuint(walked(), ==, n);
		end();
	}
}

/* From a return address on, as stacks of events begin. */
static void test_recall(void)
{
	u64 frames[DEPTH_MAX];
	u8 why;

	begin();
	make_stack(read_file, 4, 3, 0);
	g_assert_cmpint(sysprof_memo_recall(&stack.task, 0, stack.ips[1], stack.places[1] + 8,
					    frames, DEPTH_MAX, &why),
			==, -1);
	walked();
	g_assert_cmpint(sysprof_memo_recall(&stack.task, 0, stack.ips[1], stack.places[1] + 8,
					    frames, DEPTH_MAX, &why),
			==, 3);
	g_assert_cmpuint(why, ==, SYSPROF_END_ROOT);
	for (u32 i = 0; i < 3; i++)
		g_assert_cmphex(frames[i], ==, told(stack.ips[i + 1]));
	g_assert_cmpint(sysprof_memo_recall(&stack.task, 0, stack.ips[1], stack.places[1] + 8,
					    frames, 2, &why),
			==, 2);
	g_assert_cmpuint(why, ==, SYSPROF_END_LIMIT);
	/* Not of another site, not on another stack, and not if it has to be checked. */
	g_assert_cmpint(sysprof_memo_recall(&stack.task, 9, stack.ips[1], stack.places[1] + 8,
					    frames, DEPTH_MAX, &why),
			==, -1);
	g_assert_cmpint(sysprof_memo_recall(&stack.task, 0, stack.ips[1], stack.sp + (1 << 20),
					    frames, DEPTH_MAX, &why),
			==, -1);
	this_cpu_read(memos)->to_check = 0;
	g_assert_cmpint(sysprof_memo_recall(&stack.task, 0, stack.ips[1], stack.places[1] + 8,
					    frames, DEPTH_MAX, &why),
			==, -1);
	end();
}

static void test_each_word(void)
{
	u64 changed[4];

	for (u32 i = 1; i < 4; i++) {
		begin();
		make_stack(read_file, 4, 3, 0);
		walked();
		memcpy(changed, read_file, sizeof(changed));
		changed[i] += 5 * 8; /* a frame of the same size */
		make_stack(changed, 4, 3, 0);
		g_assert_cmpuint(walked(), ==, 4);
		/* Longer or shorter, it is another one. */
		make_stack(read_file, 3, 3, 0);
		g_assert_cmpuint(walked(), ==, 3);
		end();
	}
}

static void test_not_kept(void)
{
	u64 frames[DEPTH_MAX], long_one[DEPTH_MAX];
	u32 n;
	u8 why;

	begin();
	/* A return address that was replaced. */
	make_stack(read_file, 4, 3, 0);
	*(u64 *)stack.places[2] = IMAGE + 0x999;
	for (int i = 0; i < 3; i++)
		g_assert_cmpuint(walked(), ==, 4);
	/* One found nowhere: an interrupt within. */
	make_stack(read_file, 4, 3, 0);
	stack.places[2] = 0;
	for (int i = 0; i < 3; i++)
		g_assert_cmpuint(walked(), ==, 4);
	/* Not whole. */
	make_stack(read_file, 4, 3, 0);
	for (int i = 0; i < 3; i++) {
		g_assert_cmpuint(walk(frames, 2, &n, &why), ==, 2);
		g_assert_cmpuint(why, ==, SYSPROF_END_LIMIT);
	}
	/* Too deep. */
	for (u32 i = 0; i < DEPTH_MAX; i++)
		long_one[i] = IMAGE + 0x100 * i;
	make_stack(long_one, DEPTH_MAX, 3, 0);
	for (int i = 0; i < 3; i++)
		g_assert_cmpuint(walked(), ==, DEPTH_MAX);
	/* On another stack. */
	make_stack(read_file, 4, 3, 0);
	stack.task.stack = stack.words + STACK_WORDS + 1;
	for (int i = 0; i < 3; i++)
		g_assert_cmpuint(walked(), ==, 4);
	end();
}

static void test_limit(void)
{
	u64 frames[DEPTH_MAX];
	u32 n;
	u8 why;

	begin();
	make_stack(read_file, 4, 3, 0);
	walked();
	g_assert_cmpuint(walk(frames, 2, &n, &why), ==, 0);
	g_assert_cmpuint(n, ==, 2);
	g_assert_cmpuint(why, ==, SYSPROF_END_LIMIT);
	end();
}

static void test_forgotten(void)
{
	begin();
	make_stack(read_file, 4, 3, 0);
	walked();
	make_stack(read_module, 4, 3, 0);
	walked();
	g_assert_cmpuint(walked(), ==, 0);
	module_event(NULL, 0, NULL);
	g_assert_cmpuint(walked(), ==, 4);
	g_assert_cmpuint(walked(), ==, 0);
	jiffies += SYSPROF_STEPS_KEPT + 1;
	g_assert_cmpuint(walked(), ==, 4);
	/* The image stays. */
	make_stack(read_file, 4, 3, 0);
	g_assert_cmpuint(walked(), ==, 0);
	end();
}

static void test_checked(void)
{
	struct sysprof_memo_counts counts;

	begin();
	check_one_in = 2;
	this_cpu_read(memos)->to_check = 1;
	checked_by_steps = 0;
	make_stack(read_file, 4, 3, 0);
	for (int i = 0; i < 11; i++)
		walked();
	/* The first of eight checks is the unwinder's. */
	g_assert_cmpuint(checked_by_steps, ==, 4);
	sysprof_memo_counts(0, &counts);
	g_assert_cmpuint(counts.walked, ==, 1);
	g_assert_cmpuint(counts.known, ==, 10);
	g_assert_cmpuint(counts.checked, ==, 5);
	g_assert_cmpuint(counts.wrong, ==, 0);
	/* A function that keeps a frame pointer: the same words, another caller's place. */
	stack.places[2] -= 8;
	stack.ips[2] += 1;
	*(u64 *)stack.places[2] = stack.ips[2];
	this_cpu_read(memos)->to_check = 0;
	g_assert_cmpuint(walked(), ==, 4);
	sysprof_memo_counts(0, &counts);
	g_assert_cmpuint(counts.wrong, ==, 1);
	/* And it is forgotten. */
	this_cpu_read(memos)->to_check = 10;
	g_assert_cmpuint(walked(), ==, 4);
	end();
}

/* Stacks of few functions, so that many are alike. */
static void test_random(void)
{
	struct sysprof_memo_counts counts;
	u64 ips[DEPTH_MAX];

	begin();
	g_random_set_seed(1);
	for (int round = 0; round < 200000; round++) {
		u32 n = 3 + g_random_int() % 3;

		for (u32 i = 0; i < n; i++)
			ips[i] = (g_random_int() % 8 ? IMAGE : MODULES) +
				 0x100 * (g_random_int() % FUNCTIONS / (i + 1)) +
				 g_random_int() % 2;
		/* Only the function that begins system calls has a frame of any size. */
		ips[n - 2] = IMAGE + 0x100000 + g_random_int() % 2;
		stack.call = g_random_int() % 2;
		make_stack(ips, n, g_random_int() % 64,
			   IMAGE + 0x100 * (g_random_int() % FUNCTIONS));
		walked();
		if (g_random_int() % 1000 == 0)
			module_event(NULL, 0, NULL);
	}
	sysprof_memo_counts(0, &counts);
	g_test_message("%" G_GUINT64_FORMAT " known, %" G_GUINT64_FORMAT " walked",
		       (guint64)counts.known, (guint64)counts.walked);
	g_assert_cmpuint(counts.known, >, counts.walked / 10);
	end();
}

static enum sysprof_step kind_of(u64 ip, bool is_exact)
{
	return sysprof_step_kind(sysprof_step_of(ip, is_exact));
}

/* What is known of a step is of that place alone, and of a module's only for a while. */
static void test_steps(void)
{
	begin();
	sysprof_steps_forget();
	sysprof_step_learn(IMAGE + 5, false, told(IMAGE + 5), SYSPROF_STEP_BY_SP, 7, 0);
	sysprof_step_learn(MODULES + 5, true, told(MODULES + 5), SYSPROF_STEP_LAST, 0, 0);
	g_assert_cmpint(kind_of(IMAGE + 5, false), ==, SYSPROF_STEP_BY_SP);
	g_assert_cmpint(kind_of(IMAGE + 5, true), ==, SYSPROF_STEP_UNKNOWN);
	g_assert_cmpint(kind_of(IMAGE + 6, false), ==, SYSPROF_STEP_UNKNOWN);
	g_assert_cmpint(kind_of(MODULES + 5, true), ==, SYSPROF_STEP_LAST);
	/* Neither the same half of an address nor a word that is none. */
	g_assert_cmpint(kind_of((u32)(IMAGE + 5), false), ==, SYSPROF_STEP_UNKNOWN);
	g_assert_cmpint(kind_of((u32)(IMAGE + 5) & ~(1u << 31), false), ==, SYSPROF_STEP_UNKNOWN);
	g_assert_cmpint(kind_of(0, false), ==, SYSPROF_STEP_UNKNOWN);
	jiffies += SYSPROF_STEPS_KEPT;
	g_assert_cmpint(kind_of(IMAGE + 5, false), ==, SYSPROF_STEP_BY_SP);
	g_assert_cmpint(kind_of(MODULES + 5, true), ==, SYSPROF_STEP_UNKNOWN);
	sysprof_step_learn(MODULES + 5, true, told(MODULES + 5), SYSPROF_STEP_OTHER, 0, 0);
	g_assert_cmpint(kind_of(MODULES + 5, true), ==, SYSPROF_STEP_OTHER);
	module_event(NULL, 0, NULL);
	g_assert_cmpint(kind_of(MODULES + 5, true), ==, SYSPROF_STEP_UNKNOWN);
	/* Neither too far, nor code that has no frame. */
	sysprof_step_learn(IMAGE + 7, false, told(IMAGE + 7), SYSPROF_STEP_BY_SP, 1 << 9, 0);
	sysprof_step_learn(IMAGE + 8, false, 0, SYSPROF_STEP_BY_SP, 1, 0);
	g_assert_cmpint(kind_of(IMAGE + 7, false), ==, SYSPROF_STEP_UNKNOWN);
	g_assert_cmpint(kind_of(IMAGE + 8, false), ==, SYSPROF_STEP_UNKNOWN);
	/* The latest ones stay. */
	for (u64 ip = 0; ip < 10000; ip++) {
		sysprof_step_learn(IMAGE + ip, false, told(IMAGE + ip), SYSPROF_STEP_BY_SP, 1, 0);
		g_assert_cmpint(kind_of(IMAGE + ip, false), ==, SYSPROF_STEP_BY_SP);
		if (ip)
			g_assert_cmpint(kind_of(IMAGE + ip - 1, false), ==, SYSPROF_STEP_BY_SP);
	}
	sysprof_steps_forget();
	g_assert_cmpint(kind_of(IMAGE + 9999, false), ==, SYSPROF_STEP_UNKNOWN);
	end();
}

#define NOWHERE 1001

/*
 * Where a step of @kind leads, from 100 words below the registers, with the frame pointer at word
 * @bp and @readable words.  Each word of the stack is its own number, and so is the result's.
 */
static unsigned long led(enum sysprof_step kind, unsigned long words, u32 saved, unsigned long bp,
			 unsigned long readable, unsigned long *ret_bp)
{
	static u64 memory[NOWHERE];
	struct sysprof_task_stack task_stack = {
		.low = (u64)memory,
		.entry = (u64)(memory + 1000),
	};
	unsigned long sp = (u64)(memory + 900);
	u64 step;

	for (u32 i = 0; i < NOWHERE; i++)
		memory[i] = i;
	*ret_bp = (u64)memory + 8 * bp;
	sysprof_steps_forget();
	sysprof_step_learn(IMAGE, false, told(IMAGE), kind, words, saved);
	step = sysprof_step_of(IMAGE, false);
	if (!sysprof_step_go(&task_stack, step, (u64)(memory + 900 + readable), &sp, ret_bp))
		return NOWHERE;
	return sp ? (sp - (u64)memory) / 8 : 0;
}

static void test_steps_lead(void)
{
	unsigned long bp;

	begin();
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 0, 0, 0, 100, &bp), ==, 901);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 99, 0, 0, 100, &bp), ==, 1000);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 100, 0, 0, 100, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 95, 0, 0, 90, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 5, 0, 0, 0, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_LAST, 100, 0, 0, 100, &bp), ==, 0);
	g_assert_cmpuint(led(SYSPROF_STEP_LAST, 99, 0, 0, 100, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_OTHER, 0, 0, 0, 100, &bp), ==, NOWHERE);
	/* Where the caller's frame pointer was saved. */
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 6, 7, 0, 100, &bp), ==, 907);
	g_assert_cmpuint(bp, ==, 900);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_SP, 20, 15, 0, 100, &bp), ==, 921);
	g_assert_cmpuint(bp, ==, 906);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_BP, 1, 2, 950, 100, &bp), ==, 952);
	g_assert_cmpuint(bp, ==, 950);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_BP, 1, 2, 998, 100, &bp), ==, 1000);
	/* A frame pointer that is none. */
	g_assert_cmpuint(led(SYSPROF_STEP_BY_BP, 1, 2, 899, 100, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_BP, 1, 2, 999, 100, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_BP, 1, 2, -1ul / 8, 100, &bp), ==, NOWHERE);
	g_assert_cmpuint(led(SYSPROF_STEP_BY_BP, 1, 2, 0, 100, &bp), ==, NOWHERE);
	end();
}

static void test_no_memory(void)
{
	for (long i = 0; i < 3; i++) {
		shim_fail_after = i;
		g_assert_cmpint(sysprof_memo_init(), ==, -ENOMEM);
		g_assert_cmpint(shim_allocated, ==, 0);
	}
	shim_fail_after = -1;
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memo/known", test_known);
	g_test_add_func("/memo/short", test_short);
	g_test_add_func("/memo/recall", test_recall);
	g_test_add_func("/memo/each-word", test_each_word);
	g_test_add_func("/memo/not-kept", test_not_kept);
	g_test_add_func("/memo/limit", test_limit);
	g_test_add_func("/memo/forgotten", test_forgotten);
	g_test_add_func("/memo/checked", test_checked);
	g_test_add_func("/memo/random", test_random);
	g_test_add_func("/memo/steps", test_steps);
	g_test_add_func("/memo/steps-lead", test_steps_lead);
	g_test_add_func("/memo/no-memory", test_no_memory);
	return g_test_run();
}
