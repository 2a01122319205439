/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of each interpreter that this machine has come to one function in many ways, say their
 * own stack, and wait.  What the module finds in their memory there is the same.
 */
#include <glib.h>
#include <glib/gstdio.h>

#include "chain-program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scripts/interpreter.h"

unsigned int shim_cpu;

void shim_step(void)
{
}

#define WORKLOADS "tests/vm/workloads/"
#define COMPILED "-Xcomp -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,Stacks*::*"
#define C1 COMPILED " -XX:TieredStopAtLevel=1"
#define C2	     COMPILED " -XX:-TieredCompilation"
#define JAVA_OPTIONS "JDK_JAVA_OPTIONS"

static const struct interpreter {
	const char *command, *script;
	const char *root; /* "" or that of another system */
	const char *options; /* for what is run; NULL: none */
	const char *name;
} interpreters[] = {
	{ "/usr/bin/python3", WORKLOADS "script-stacks.py", "", NULL, "py" },
	{ "ruby", WORKLOADS "script-stacks.rb", "", NULL, "rb" },
	{ "perl", WORKLOADS "script-stacks.pl", "", NULL, "pl" },
	{ "php", WORKLOADS "script-stacks.php", "", NULL, "php" },
	{ "node", WORKLOADS "script-stacks.js", "", NULL, "js" },
	{ "node", WORKLOADS "script-inlined.js", "", NULL, "js-inlined" },
	{ "lua5.4", WORKLOADS "script-stacks.lua", "", NULL, "lua" },
	{ "java", WORKLOADS "script-stacks.java", "", NULL, "java/mixed" },
	{ "java", WORKLOADS "script-stacks.java", "", "-Xint", "java/interpreted" },
	/* What is called is compiled at once, by one compiler or the other. */
	{ "java", WORKLOADS "script-stacks.java", "", C1, "java/c1" },
	{ "java", WORKLOADS "script-stacks.java", "", C2, "java/c2" },
};

static bool is_qualified(const char *name)
{
	return strchr(name, '#') || (strchr(name, '.') && name[0] >= 'A' && name[0] <= 'Z');
}

static bool is_of_javascript(const char *file)
{
	return g_str_has_suffix(file, ".js") || g_str_has_suffix(file, ".mjs");
}

/* Whether the frame @found is the one that the program says: a line of the same form. */
static bool is_same(const char *found, const char *said, bool has_line)
{
	g_auto(GStrv) its = g_strsplit(found, "\t", 3), real = g_strsplit(said, "\t", 3);
	g_autofree char *file = its[1] ? g_path_get_basename(its[1]) : NULL;
	g_autofree char *real_file = real[1] ? g_path_get_basename(real[1]) : NULL;

	/* What Python's runtime calls a function is the last part of its whole name. */
	if (file && g_str_has_suffix(file, ".py") && strrchr(its[0], '.')) {
		char *last = g_strdup(strrchr(its[0], '.') + 1);

		g_free(its[0]);
		its[0] = last;
	}
	/* Ruby's runtime before 3.4 does not say the class, and a script only of some. */
	if (file && !is_qualified(real[0]) && is_qualified(its[0])) {
		char *method = g_strdup((strrchr(its[0], '#') ?: strrchr(its[0], '.')) + 1);

		g_free(its[0]);
		its[0] = method;
	}
	if (!file || !real_file || strcmp(its[0], real[0]) != 0)
		return false;
	/* Without a file, or in C: the runtime shows them where they are called. */
	if (file[0] == '[')
		return true;
	/* Of functions of JavaScript both say where they begin, if they are in a file. */
	has_line |= its[1][0] == '/' && is_of_javascript(file);
	return !strcmp(file, real_file) && (!has_line || !strcmp(its[2], real[2]));
}

/*
 * Whether what was found, from the innermost frame on that was said, is what was said.  With
 * @by_frames the frames behind other code were looked for, and some may be of calls that are over:
 * there may be more, at the end.
 */
static bool are_same(const GPtrArray *found, const GPtrArray *said, bool by_frames)
{
	unsigned first = 0;

	while (first < found->len && !is_same(found->pdata[first], said->pdata[0], false))
		first++;
	if (by_frames ? found->len - first < said->len : found->len - first != said->len)
		return false;
	/* The innermost line has been left meanwhile. */
	for (unsigned i = 0; i < said->len; i++)
		if (!is_same(found->pdata[first + i], said->pdata[i], i > 0 && !by_frames))
			return false;
	return true;
}

/* Of what comes in this way V8's own function has no frame. */
#define IN_PART ", compiled into its caller"
#define NO_FILE "\t[v8]\t"

/* Whether what was found is what was said without the first frame of a script of V8's own. */
static bool are_same_without(const GPtrArray *found, GPtrArray *said)
{
	unsigned i = 0;

	while (i < said->len && !strstr(said->pdata[i], NO_FILE))
		i++;
	if (i == said->len)
		return false;
	g_ptr_array_remove_index(said, i);
	return are_same(found, said, true);
}

static void show(const char *what, const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++)
		g_test_message("%s: %s", what, (char *)frames->pdata[i]);
}

/* One line of a stack as the program says it; NULL: it is none. */
static char *frame_of(char *line)
{
	char file[512], name[512];
	unsigned number;

	/* As Python has it. */
	if (sscanf(line, "  File \"%511[^\"]\", line %u in %511s", file, &number, name) == 3)
		return g_strdup_printf("%s\t%s\t%u", name, file, number);
	return strchr(line, '\t') ? g_strdup(g_strchomp(line)) : NULL;
}

static void test_interpreter(const void *data)
{
	const struct interpreter *interpreter = data;
	char *command[] = { (char *)interpreter->command, (char *)interpreter->script,
			    (char *)"/dev/stdout", (char *)"0", NULL };
	g_autofree char *path = g_find_program_in_path(interpreter->command);
	g_autoptr(GPtrArray) said = g_ptr_array_new_with_free_func(g_free);
	struct program program = { .root = interpreter->root };
	unsigned n = 0, n_different = 0;
	char line[4096], way[256] = "";

	if (!*interpreter->root && !path) {
		g_test_skip("this interpreter is not installed");
		return;
	}
	if (interpreter->options)
		g_setenv(JAVA_OPTIONS, interpreter->options, TRUE);
	program_start(&program, command);
	g_unsetenv(JAVA_OPTIONS);
	while (fgets(line, sizeof(line), program.said)) {
		char *frame = frame_of(line);

		if (frame) {
			g_ptr_array_add(said, frame);
		} else if (sscanf(line, "=== %255[^\n]", way) == 1) {
			g_ptr_array_set_size(said, 0);
		} else if (!strcmp(line, "---\n")) {
			if (!program.chain)
				program_find(&program);
			g_assert_nonnull(program.chain);
			g_autoptr(GPtrArray) found = program_look(&program);

			n++;
			if (!are_same(found, said, is_by_frames(program.chain)) &&
			    !(strstr(way, IN_PART) && are_same_without(found, said))) {
				n_different++;
				g_test_message("another stack by %s", way);
				show("said", said);
				show("found", found);
			}
			fputs("\n", program.go);
			fflush(program.go);
		}
	}
	g_test_message("%s: %u ways, %u stacks differ", program.title, n, n_different);
	g_assert_cmpuint(n, >=, 30);
	g_assert_cmpuint(n_different, ==, 0);
	program_end(&program);
}

#define LOOKS 2000
#define OUTERMOST "java.lang.Thread.run\t"

/*
 * Stacks of compiled code wherever it is interrupted, also where a method makes its frame or gives
 * it up.
 */
static void test_anywhere(const void *options)
{
	char *command[] = { (char *)"java", (char *)WORKLOADS "script-calls.java", NULL };
	g_autofree char *path = g_find_program_in_path("java");
	struct program program = { .root = "" };
	unsigned n_cut = 0, n_frames = 0;
	char line[256];

	if (!path) {
		g_test_skip("this machine has no Java");
		return;
	}
	if (options)
		g_setenv(JAVA_OPTIONS, options, TRUE);
	program_start(&program, command);
	g_unsetenv(JAVA_OPTIONS);
	g_assert_nonnull(fgets(line, sizeof(line), program.said));
	program_find(&program);
	g_assert_nonnull(program.chain);
	for (unsigned i = 0; i < LOOKS; i++) {
		g_autoptr(GPtrArray) found = program_look(&program);

		n_frames += found->len;
		if (found->len && g_str_has_prefix(found->pdata[found->len - 1], OUTERMOST))
			continue;
		if (n_cut++ < 3)
			show("found", found);
	}
	g_test_message("%u frames in %u stacks, %u of which end too early", n_frames, LOOKS, n_cut);
	g_assert_cmpuint(n_frames, >, 3 * LOOKS);
	g_assert_cmpuint(n_cut, <=, LOOKS / 500);
	program_end(&program);
}

#define STEPS 12000
#define STEPS_AT_ONCE 2000
/* What a step changes at most: the methods that are compiled into one, and what it calls. */
#define STEP_FRAMES 8
/* Compiled methods call interpreted ones. */
#define CROSSING                                                                                   \
	"-Xcomp -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,Calls::work "              \
	"-XX:CompileCommand=compileonly,Calls::area -XX:CompileCommand=compileonly,Calls::throwing"

#define C1_ALONE "-XX:TieredStopAtLevel=1"
#define C2_ALONE "-XX:-TieredCompilation"

static const struct stepped {
	const char *name, *command, *script, *options;
	unsigned most_unlike;
} stepped[] = {
	/*
	 * Code that leads from compiled methods to interpreted ones stores arguments below what it
	 * returns to, and a frame that is left by an exception has ended before that is seen.
	 */
	{ "java", "java", WORKLOADS "script-calls.java", CROSSING, STEPS / 1000 },
	{ "java-c1", "java", WORKLOADS "script-calls.java", C1_ALONE, STEPS / 1000 },
	{ "java-c2", "java", WORKLOADS "script-calls.java", C2_ALONE, STEPS / 1000 },
	{ "py", "/usr/bin/python3", WORKLOADS "script-calls.py", NULL, 0 },
	{ "rb", "ruby", WORKLOADS "script-calls.rb", NULL, 0 },
	{ "pl", "perl", WORKLOADS "script-calls.pl", NULL, 0 },
	/*
	 * Its list of calls is not whole for an instruction or two where a generator is continued,
	 * or C calls a function.
	 */
	{ "php", "php", WORKLOADS "script-calls.php", NULL, STEPS / 1000 },
	/* What C++ calls is in front of frames that only unwind tables lead to. */
	{ "js", "node", WORKLOADS "script-calls.js", NULL, STEPS / 1000 },
};

/* How many of the outermost functions are those of the stack before. */
static unsigned count_equal(const uint64_t *before, unsigned n_before)
{
	unsigned n = 0;

	while (n < script.n && n < n_before &&
	       script.frame[script.n - 1 - n].code == before[n_before - 1 - n])
		n++;
	return n;
}

static pid_t stop_stepped(struct program *program)
{
	pid_t thread = program->pid;
	int status;

	for (unsigned i = 0; !program->chain && i < 5000; i++) {
		g_usleep(1000);
		program_find(program);
	}
	g_assert_nonnull(program->chain);
	g_usleep(1000000);
	while (program->chain->is_of_steps && (thread = find_java(program)) == 0)
		g_usleep(1000);
	g_assert_false(ptrace(PTRACE_SEIZE, thread, NULL, NULL));
	g_assert_false(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL));
	g_assert_cmpint(waitpid(thread, &status, __WALL), ==, thread);
	return thread;
}

static void step_once(pid_t thread, unsigned i)
{
	int status;

	if (i % STEPS_AT_ONCE == 0) {
		g_assert_false(ptrace(PTRACE_CONT, thread, NULL, NULL));
		g_usleep((gulong)g_random_int_range(10000, 100000));
		g_assert_false(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL));
	} else {
		g_assert_false(ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL));
	}
	g_assert_cmpint(waitpid(thread, &status, __WALL), ==, thread);
	g_assert_true(WIFSTOPPED(status));
}

/* False: it is in no code that has frames of its script. */
static bool look_once(const struct program *program, const GArray *code, pid_t thread)
{
	struct user_regs_struct registers;

	g_assert_false(ptrace(PTRACE_GETREGS, thread, NULL, &registers));
	if (program->chain->is_of_steps) {
		if (!is_in_code(code, registers.rip))
			return false;
		run_steps(program, code, &registers);
	} else if (program->chain->is_of_frames) {
		if (!find_frames(code, &registers))
			return false;
		sysprof_chain_run_frames(program->chain, program->bias, &script);
	} else {
		sysprof_chain_run(program->chain, program->bias, &script);
	}
	return true;
}

/* Step by step a stack is like the one an instruction before. */
static void test_each_step(const void *data)
{
	const struct stepped *how = data;
	char *command[] = { (char *)how->command, (char *)how->script, NULL };
	g_autofree char *path = g_find_program_in_path(how->command);
	struct program program = { .root = "" };
	uint64_t before[SYSPROF_CHAIN_MAX_FRAMES];
	unsigned n_before = 0, n_looks = 0, n_different = 0;
	g_autoptr(GArray) code = NULL;
	pid_t thread;

	if (!path) {
		g_test_skip("this interpreter is not installed");
		return;
	}
	if (how->options)
		g_setenv(JAVA_OPTIONS, how->options, TRUE);
	program_start(&program, command);
	g_unsetenv(JAVA_OPTIONS);
	thread = stop_stepped(&program);
	script.program = program.chain;
	code = find_code(&program);
	for (unsigned i = 0; i < STEPS; i++) {
		step_once(thread, i);
		if (i % STEPS_AT_ONCE == 0 || !look_once(&program, code, thread)) {
			n_before = 0;
			continue;
		}
		n_looks++;
		if (n_before &&
		    count_equal(before, n_before) + STEP_FRAMES < MAX(script.n, n_before) &&
		    n_different++ < 5)
			g_test_message("%u frames, %u before, %u of them the same", script.n,
				       n_before, count_equal(before, n_before));
		for (n_before = 0; n_before < script.n; n_before++)
			before[n_before] = script.frame[n_before].code;
	}
	g_test_message("%s: %u stacks, %u unlike the one before", program.title, n_looks,
		       n_different);
	g_assert_cmpuint(n_looks, >, STEPS / 100);
	g_assert_cmpuint(n_different, <=, how->most_unlike);
	g_assert_false(ptrace(PTRACE_DETACH, thread, NULL, NULL));
	g_assert_false(kill(program.pid, SIGTERM));
	program_end(&program);
}

/* Which functions are in which one. */
static const struct {
	const char *function, *caller;
} interrupted_calls[] = {
	{ "inner_c\t", "spin_c\t" },	  { "spin_c\t", "section_work\t" },
	{ "spin_a\t", "section_work\t" }, { "spin_b\t", "section_work\t" },
	{ "section_work\t", "again\t" },
};

/* How many of the frames of @found have another caller than that. */
static unsigned count_other_callers(const GPtrArray *found)
{
	unsigned n = 0;

	for (unsigned i = 0; i + 1 < found->len; i++)
		for (unsigned j = 0; j < G_N_ELEMENTS(interrupted_calls); j++)
			n += g_str_has_prefix(found->pdata[i], interrupted_calls[j].function) &&
			     !g_str_has_prefix(found->pdata[i + 1], interrupted_calls[j].caller);
	return n;
}

/* Functions that were compiled into others and call nothing are found wherever these are. */
static void test_interrupted(const void *node)
{
	char *command[] = { (char *)node, (char *)WORKLOADS "script-interrupted.js",
			    (char *)"1000000", NULL };
	g_autofree char *path = g_find_program_in_path(node);
	static const char *const names[] = { "spin_a\t", "spin_b\t", "inner_c\t" };
	static const double shares[] = { 0.5, 0.3, 0.2 };
	unsigned n[G_N_ELEMENTS(names)] = { 0 }, n_all = 0, n_others = 0;
	struct program program = { .root = "" };
	char line[256];

	if (!path) {
		g_test_skip("this machine has no Node.js");
		return;
	}
	program_start(&program, command);
	g_assert_nonnull(fgets(line, sizeof(line), program.said));
	program_find(&program);
	g_assert_nonnull(program.chain);
	for (unsigned i = 0; i < LOOKS; i++) {
		g_autoptr(GPtrArray) found = program_look(&program);

		if (count_other_callers(found) && n_others++ < 3)
			show("found", found);
		for (unsigned j = 0; found->len && j < G_N_ELEMENTS(names); j++)
			n[j] += g_str_has_prefix(found->pdata[0], names[j]);
		g_usleep(g_random_int_range(50, 1000));
	}
	g_assert_false(kill(program.pid, SIGTERM));
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		n_all += n[i];
	g_test_message("%s: %u looks, %u in these functions (%u, %u, %u), %u with other callers",
		       program.title, LOOKS, n_all, n[0], n[1], n[2], n_others);
	g_assert_cmpuint(n_others, ==, 0);
	g_assert_cmpuint(n_all, >, LOOKS * 9 / 10);
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		g_assert_cmpfloat_with_epsilon(n[i] / (double)n_all, shares[i], 0.06);
	program_end(&program);
}

static void run_damaged(const struct sysprof_program *chain, const uint64_t *memory, unsigned words)
{
	u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS] = { 0 };
	s32 fuel = SYSPROF_CHAIN_FUEL;

	if (chain->is_of_steps) {
		run_steps_from((uintptr_t)memory, memory, words);
	} else if (chain->has_registers) {
		begin_steps((uintptr_t)memory);
		script.inner = (struct sysprof_inner_frame){ .known = UINT16_MAX };
		for (unsigned i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++)
			script.inner.registers[i] = (uintptr_t)(memory + i);
		for (unsigned i = 1; i < words; i++)
			sysprof_chain_run_frame(&script, (uintptr_t)(memory + i));
	} else if (chain->is_of_frames) {
		script.ip = (uintptr_t)(memory + 1);
		for (script.n_run = 0; script.n_run + 1 < words; script.n_run++) {
			script.run[script.n_run] = (u16)script.n_run;
			script.sps[script.n_run + 1] = (uintptr_t)(memory + script.n_run + 1);
		}
		sysprof_chain_run_frames(chain, (uintptr_t)memory, &script);
	} else {
		sysprof_chain_run(chain, (uintptr_t)memory, &script);
	}
	if (chain->names)
		sysprof_chain_run_names(chain, (uintptr_t)memory, registers, &fuel);
}

/* Chains of which some bytes are others, in memory of this process: they are refused, or end. */
static void test_damaged(const void *interpreter)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(37);
	struct program program = { .root = "" };
	static const uint64_t memory[64];
	unsigned n_run = 0;

	chain_user_pid = getpid();
	chain_user_thread_pointer = (uintptr_t)memory;
	if (!program_describe(&program, interpreter, (uintptr_t)memory, 0)) {
		g_test_skip("this machine has no such interpreter");
		return;
	}
	script.stack = NULL;
	script.program = program.chain;
	for (unsigned round = 0; round < 20000; round++) {
		struct sysprof_program *chain = program.chain;
		u32 at = (u32)g_rand_int_range(random, 0, (gint32)chain->bytes);
		u8 *bytes = (u8 *)chain->data, before = bytes[at];

		bytes[at] = (u8)g_rand_int(random);
		if (sysprof_chain_check(chain)) {
			run_damaged(chain, memory, G_N_ELEMENTS(memory));
			n_run++;
			g_assert_cmpuint(script.n, <=, SYSPROF_CHAIN_MAX_FRAMES);
		}
		/* Some changes stay. */
		if (round % 16 || !sysprof_chain_check(chain))
			bytes[at] = before;
	}
	g_assert_cmpuint(n_run, >, 1000);
	g_free(program.chain);
	g_free(program.title);
	g_free(program.path);
}

/* Where Java's machine is; NULL: there is none. */
static char *find_jvm(void)
{
	g_autofree char *java = g_find_program_in_path("java");
	char *real = java ? realpath(java, NULL) : NULL;
	g_autofree char *home = real ? g_path_get_dirname(real) : NULL;

	free(real);
	return home ? g_build_filename(home, "..", "lib", "server", "libjvm.so", NULL) : NULL;
}

#define OBJECT_BYTES (64u << 20)
#define HEAP_WORDS 4096u

/*
 * A machine of Java whose memory somebody has made up: variables and structs lead to anywhere in
 * it, maps of segments go on and on, frames have any size.
 */
static void test_hostile(void)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(51);
	g_autofree char *path = find_jvm();
	struct program program = { .root = "" };
	uint64_t *object, *heap;
	unsigned n_frames = 0, n_limits = 0;

	object = mmap(NULL, OBJECT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	heap = g_new0(uint64_t, HEAP_WORDS);
	chain_user_pid = getpid();
	if (!path || !program_describe(&program, path, (uintptr_t)object, 0)) {
		g_test_skip("this machine has no Java");
		return;
	}
	script.program = program.chain;
	for (unsigned round = 0; round < 1000; round++) {
		/* Or a few words again and again, so that nothing is found, or all things are. */
		unsigned n = round % 2 ? HEAP_WORDS : 1u + round / 2 % 16;

		for (unsigned i = 0; i < HEAP_WORDS; i++)
			heap[i] = i >= n ? heap[i % n] :
				  g_rand_int_range(random, 0, 8) ?
					   (uintptr_t)(heap + g_rand_int_range(random, 0,
									       HEAP_WORDS)) :
					   g_rand_int(random) >> g_rand_int_range(random, 0, 32);
		/* Wherever the variables are. */
		for (unsigned i = OBJECT_BYTES / 8 / 4; i < OBJECT_BYTES / 8 / 2; i++)
			object[i] = (uintptr_t)(heap + i * 31 % HEAP_WORDS);
		run_steps_from(program.bias, heap, HEAP_WORDS);
		n_frames += script.n;
		n_limits += script.fuel < 0;
	}
	g_test_message("%u frames, no fuel left in %u of 1000", n_frames, n_limits);
	g_assert_cmpuint(n_frames, >, 0);
	g_assert_cmpuint(n_limits, >, 0);
	munmap(object, OBJECT_BYTES);
	g_free(heap);
	g_free(program.chain);
	g_free(program.title);
	g_free(program.path);
}

/* A call of Lua that has called itself: all native frames together end. */
static void test_endless(void)
{
	static uint64_t call[8], value[2], closure[4], prototype[16];
	struct program program = { .root = "" };

	chain_user_pid = getpid();
	if (!program_describe(&program, "/usr/bin/lua5.4", 0, 0)) {
		g_test_skip("this machine has no Lua");
		return;
	}
	call[0] = (uintptr_t)value;
	call[2] = call[3] = (uintptr_t)call;
	value[0] = (uintptr_t)closure;
	value[1] = 0x46;
	closure[1] = 6;
	closure[3] = (uintptr_t)prototype;
	prototype[1] = 10;
	script.program = program.chain;
	begin_steps(0);
	script.inner = (struct sysprof_inner_frame){ .known = UINT16_MAX };
	for (unsigned i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++)
		script.inner.registers[i] = (uintptr_t)call;
	for (unsigned i = 0; i < 1000; i++) {
		sysprof_chain_run_frame(&script, (uintptr_t)(call + 1));
		g_assert_cmpint(script.fuel, >=, -1);
	}
	g_test_message("%u frames", script.n);
	g_assert_cmpuint(script.n, >, 100);
	g_assert_cmpuint(script.n, <=, program.chain->max_frames);
	g_assert_true(script.is_cut);
	g_free(program.chain);
	g_free(program.title);
	g_free(program.path);
}

/* Lua in a program: its states are within each other, and in several threads. */
static void add_states(const char *test)
{
	static struct interpreter states = { NULL, WORKLOADS "script-stacks.lua", "", NULL, NULL };
	g_autofree char *directory = g_path_get_dirname(test);

	states.command = g_build_filename(directory, "..", "workloads", "script-states", NULL);
	g_test_add_data_func("/interpreters/states", &states, test_interpreter);
}

/* A program of another name that has Lua in itself. */
static void test_within(void)
{
	g_autofree char *lua = g_find_program_in_path("lua5.4"), *text = NULL, *game = NULL,
			*directory = g_dir_make_tmp("within-XXXXXX", NULL);
	struct interpreter interpreter = { NULL, WORKLOADS "script-stacks.lua", "", NULL, NULL };
	gsize bytes;

	if (!lua) {
		g_test_skip("this machine has no Lua");
		return;
	}
	game = g_build_filename(directory, "game", NULL);
	g_assert_true(g_file_get_contents(lua, &text, &bytes, NULL) &&
		      g_file_set_contents(game, text, (gssize)bytes, NULL));
	g_assert_false(g_chmod(game, 0755));
	interpreter.command = game;
	test_interpreter(&interpreter);
	g_assert_false(g_unlink(game) || g_rmdir(directory));
}

/* OTHERS: more of them, as "ROOT COMMAND SCRIPT" each, separated by commas; they need root. */
static void add_others(const char *others)
{
	g_auto(GStrv) each = g_strsplit(others ?: "", ",", -1);

	for (unsigned i = 0; each[i] && *each[i]; i++) {
		struct interpreter *other = g_new0(struct interpreter, 1);
		g_auto(GStrv) words = g_strsplit(each[i], " ", 3);
		g_autofree char *name = g_strdup_printf("/interpreters/other/%s", words[1]);

		*other = (struct interpreter){ g_strdup(words[1]), g_strdup(words[2]),
					       g_strdup(words[0]), NULL, NULL };
		g_test_add_data_func(name, other, test_interpreter);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(interpreters); i++) {
		g_autofree char *name = g_strconcat("/interpreters/", interpreters[i].name, NULL);

		g_test_add_data_func(name, &interpreters[i], test_interpreter);
	}
	add_states(argv[0]);
	g_test_add_data_func("/interpreters/damaged/perl", "/usr/bin/perl", test_damaged);
	g_test_add_data_func("/interpreters/damaged/node", "/usr/bin/node", test_damaged);
	g_test_add_data_func("/interpreters/damaged/lua", "/usr/bin/lua5.4", test_damaged);
	g_test_add_data_func_full("/interpreters/damaged/java", find_jvm() ?: g_strdup("/"),
				  test_damaged, g_free);
	for (unsigned i = 0; i < G_N_ELEMENTS(stepped); i++) {
		g_autofree char *name =
			g_strconcat("/interpreters/each-step/", stepped[i].name, NULL);

		g_test_add_data_func(name, &stepped[i], test_each_step);
	}
	g_test_add_data_func("/interpreters/anywhere/mixed", NULL, test_anywhere);
	g_test_add_data_func("/interpreters/anywhere/interpreted", "-Xint", test_anywhere);
	g_test_add_data_func("/interpreters/anywhere/c1", C1_ALONE, test_anywhere);
	g_test_add_data_func("/interpreters/interrupted", "node", test_interrupted);
	g_test_add_func("/interpreters/hostile", test_hostile);
	g_test_add_func("/interpreters/endless", test_endless);
	g_test_add_func("/interpreters/within", test_within);
	add_others(g_getenv("OTHERS"));
	return g_test_run();
}
