/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs the module accepts as chains, and that they end: by fuel, and where memory is not
 * there.  test-interpreters has what they find.
 */
#include <glib.h>

#include "chain-user.h"

unsigned int shim_cpu;

void shim_step(void)
{
}

static struct sysprof_script script;
/* Memory of sessions. */
static struct sessions {
	struct sysprof_sent sent[64];
} sessions;

/* Two programs of two instructions each; @last: of the one that has @at. */
static bool is_taken(unsigned at, struct sysprof_chain_insn last)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_list list;
		struct sysprof_chain_insn insn[4];
	} chain = { .header = { .magic = SYSPROF_CHAIN_MAGIC,
				.version = SYSPROF_CHAIN_VERSION,
				.machine = SYSPROF_ARCH_MACHINE,
				.max_frames = 1,
				.n_insns = 4,
				.n_lists = 1,
				.names = 2 },
		    .list = { .position_bytes = 8 },
		    .insn = { { .op = SYSPROF_CHAIN_MOVI },
			      { .op = SYSPROF_CHAIN_END },
			      { .op = SYSPROF_CHAIN_MOVI },
			      { .op = SYSPROF_CHAIN_END } } };
	g_autofree struct sysprof_program *program = g_malloc0(sizeof(*program) + sizeof(chain));

	chain.insn[at] = last;
	program->bytes = sizeof(chain);
	memcpy(program->data, &chain, sizeof(chain));
	return sysprof_chain_check(program);
}

/* Whatever a program ends with: what is behind it is not executed. */
static void test_ends(void)
{
	for (unsigned at = 1; at < 4; at += 2)
		for (unsigned op = 0; op <= SYSPROF_CHAIN_END + 1u; op++) {
			struct sysprof_chain_insn last = { .op = (u8)op };
			bool is_end = op == SYSPROF_CHAIN_END || op == SYSPROF_CHAIN_LOOP;

			if (op == SYSPROF_CHAIN_LOOP)
				last.imm = (s32)at - 1;
			g_test_message("%u at %u", op, at);
			g_assert_cmpint(is_taken(at, last), ==, is_end);
			if (op != SYSPROF_CHAIN_LOOP)
				continue;
			last.imm = at == 3 ? 1 : -1;
			g_assert_false(is_taken(at, last));
		}
}

/* A program of frames may ask for their registers, another one that is not of steps may not. */
static void test_registers(void)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_insn insn[2];
	} chain = { .header = { .magic = SYSPROF_CHAIN_MAGIC,
				.version = SYSPROF_CHAIN_VERSION,
				.machine = SYSPROF_ARCH_MACHINE,
				.max_frames = 1,
				.n_insns = 2 },
		    .insn = { { .op = SYSPROF_CHAIN_REG, .imm = 3 },
			      { .op = SYSPROF_CHAIN_END } } };
	g_autofree struct sysprof_program *program = g_malloc0(sizeof(*program) + sizeof(chain));

	program->bytes = sizeof(chain);
	for (u8 flags = 0; flags <= SYSPROF_CHAIN_THREAD; flags++) {
		chain.header.flags = flags;
		memcpy(program->data, &chain, sizeof(chain));
		g_assert_cmpint(sysprof_chain_check(program), ==,
				flags == SYSPROF_CHAIN_FRAMES || flags == SYSPROF_CHAIN_STEPS);
	}
	chain.header.flags = SYSPROF_CHAIN_FRAMES;
	memcpy(program->data, &chain, sizeof(chain));
	g_assert_true(sysprof_chain_check(program) && program->has_registers);
	chain.header.flags = SYSPROF_CHAIN_STEPS;
	memcpy(program->data, &chain, sizeof(chain));
	g_assert_true(sysprof_chain_check(program) && !program->has_registers);
	chain.header.flags = SYSPROF_CHAIN_FRAMES;
	chain.insn[0].op = SYSPROF_CHAIN_MOVI;
	memcpy(program->data, &chain, sizeof(chain));
	g_assert_true(sysprof_chain_check(program) && !program->has_registers);
}

/*
 * How many records the first @n sessions get, for one stack, of three codes that have @n_turns
 * of the program of names each.
 */
static unsigned send_to(unsigned n, int n_turns)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_insn insn[6];
	} chain = { .header = { .magic = SYSPROF_CHAIN_MAGIC,
				.version = SYSPROF_CHAIN_VERSION,
				.machine = SYSPROF_ARCH_MACHINE,
				.max_frames = 3,
				.n_insns = 6,
				.names = 1 },
		    .insn = { { .op = SYSPROF_CHAIN_END },
			      { .op = SYSPROF_CHAIN_MOVI, .dst = 3 },
			      { .op = SYSPROF_CHAIN_ADDI, .dst = 3, .src = 3, .imm = 1 },
			      { .op = SYSPROF_CHAIN_JEQI, .src = 3, .jump = 1, .imm = n_turns },
			      { .op = SYSPROF_CHAIN_LOOP, .imm = 2 },
			      { .op = SYSPROF_CHAIN_END } } };
	g_autofree struct sysprof_program *program = g_malloc0(sizeof(*program) + sizeof(chain));
	struct sysprof_user_part part = { .script = &script };
	struct sysprof_stack stack = { .names_fuel = SYSPROF_CHAIN_FUEL };

	program->bytes = sizeof(chain);
	memcpy(program->data, &chain, sizeof(chain));
	g_assert_true(sysprof_chain_check(program));
	script.stack = &stack;
	script.program = program;
	sysprof_script_begin(&script);
	for (script.n = 0; script.n < 3; script.n++)
		script.frame[script.n] = (struct sysprof_script_frame){ .number = script.n + 1,
									.known = (u16)script.n };
	g_ptr_array_set_size(chain_user_records, 0);
	for (unsigned i = 0; i < n; i++) {
		struct sysprof_session_cpu sc = { .sent = &sessions.sent[i],
						  .ring = { .bytes = 65536 } };

		sysprof_codes_send(&sc, &stack, &part);
	}
	return chain_user_records->len;
}

static unsigned send_three(int n_turns)
{
	return send_to(1, n_turns);
}

/* However many codes a stack has, their names take no more time than one program may. */
static void test_fuel(void)
{
	chain_user_records = g_ptr_array_new_with_free_func(g_free);
	memset(&sessions, 0, sizeof(sessions));
	g_assert_cmpuint(send_three(500), ==, 2);
	g_assert_cmpuint(send_three(500), ==, 1);
	g_assert_cmpuint(send_three(500), ==, 0);
	/* What never ends is given up, and holds up nothing. */
	memset(&sessions, 0, sizeof(sessions));
	for (unsigned i = 0; i < 9; i++)
		g_assert_cmpuint(send_three(-1), ==, 1);
	g_assert_cmpuint(send_three(-1), ==, 0);
	g_ptr_array_unref(chain_user_records);
}

/* Nor do they take longer for many sessions: the turn of each comes. */
static void test_sessions(void)
{
	unsigned n_sent = 0, n;

	chain_user_records = g_ptr_array_new_with_free_func(g_free);
	memset(&sessions, 0, sizeof(sessions));
	for (; n_sent < 3 * G_N_ELEMENTS(sessions.sent); n_sent += n) {
		n = send_to(G_N_ELEMENTS(sessions.sent), 500);
		g_assert_cmpuint(n, >, 0);
		g_assert_cmpuint(n, <=, 2);
	}
	g_assert_cmpuint(send_to(G_N_ELEMENTS(sessions.sent), 500), ==, 0);
	/* Where a ring has no room nothing is taken from the others. */
	memset(&sessions, 0, sizeof(sessions));
	chain_user_used = 65536 / 2;
	g_assert_cmpuint(send_three(500), ==, 0);
	chain_user_used = 0;
	g_assert_cmpuint(send_three(500), ==, 2);
	g_ptr_array_unref(chain_user_records);
}

/* Memory that is not there takes long to find out, and a stack may lead there with each frame. */
static void test_faults(void)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_span span[2];
		struct sysprof_chain_insn insn[2];
	} chain = { .header = { .magic = SYSPROF_CHAIN_MAGIC,
				.version = SYSPROF_CHAIN_VERSION,
				.machine = SYSPROF_ARCH_MACHINE,
				.flags = SYSPROF_CHAIN_FRAMES,
				.max_frames = 3,
				.n_spans = 2,
				.n_insns = 2 },
		    .insn = { { .op = SYSPROF_CHAIN_LD8, .dst = 4, .src = 5, .imm = 4096 },
			      { .op = SYSPROF_CHAIN_END } } };
	g_autofree struct sysprof_program *program = g_malloc0(sizeof(*program) + sizeof(chain));
	struct sysprof_user_part part = { .script = &script };
	struct sysprof_session_cpu sc = { .sent = sessions.sent, .ring = { .bytes = 65536 } };
	struct sysprof_stack stack = { 0 };

	for (unsigned i = 0; i < 2; i++)
		chain.span[i] = (struct sysprof_chain_span){ .path = { 0, SYSPROF_SPAN_NONE,
								       SYSPROF_SPAN_NONE },
							     .length = SYSPROF_SPAN_NONE,
							     .length_bytes = 8,
							     .unit = SYSPROF_SPAN_NONE,
							     .max = 8 };
	program->bytes = sizeof(chain);
	memcpy(program->data, &chain, sizeof(chain));
	g_assert_true(sysprof_chain_check(program));
	chain_user_pid = getpid();
	script.program = program;
	for (script.n_run = 0; script.n_run < SYSPROF_MAX_USER_FRAMES - 1; script.n_run++)
		script.run[script.n_run] = (u16)script.n_run;
	chain_user_faults = 0;
	sysprof_chain_run_frames(program, 0, &script);
	g_assert_cmpuint(chain_user_faults, >, 10);
	g_assert_cmpuint(chain_user_faults, <=, 64);
	g_assert_true(script.is_cut);
	/* Names of codes that are nowhere: the rest comes with later stacks. */
	script.stack = &stack;
	sysprof_script_begin(&script);
	for (script.n = 0; script.n < SYSPROF_CHAIN_MAX_FRAMES; script.n++)
		script.frame[script.n] = (struct sysprof_script_frame){ .code = 4096,
									.number = script.n + 1,
									.known = (u16)script.n };
	chain_user_records = g_ptr_array_new_with_free_func(g_free);
	memset(&sessions, 0, sizeof(sessions));
	for (unsigned i = 0; i < 2; i++) {
		chain_user_faults = 0;
		stack.names_fuel = SYSPROF_CHAIN_FUEL;
		sysprof_codes_send(&sc, &stack, &part);
		g_assert_cmpuint(chain_user_faults, >, 10);
		g_assert_cmpuint(chain_user_faults, <=, 66);
	}
	g_ptr_array_unref(chain_user_records);
}

/* One number for each code, as long as few others come; nobody sees how many others had. */
static void test_numbers(void)
{
	enum { N = 1 << 16 };
	g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
	u64 number = 0, before[SYSPROF_CHAIN_MAX_FRAMES];
	unsigned near = 0, same = 0;

	sysprof_code_number_init();
	for (unsigned i = 0; i < N; i++) {
		u64 next = sysprof_code_number_new();

		g_assert_cmpuint(next, >, 0);
		/* Beyond are those that the recorder gives to code in rings. */
		g_assert_cmpuint(next, <, 1ull << 41);
		near += next - number + 4096 < 8192;
		number = next;
		g_assert_true(g_hash_table_add(numbers, (gpointer)(uintptr_t)number));
	}
	g_assert_cmpuint(near, <, 3);

	memset(&script, 0, sizeof(script));
	sysprof_script_begin(&script);
	for (unsigned turn = 0; turn < 2; turn++) {
		for (script.n = 0; script.n < SYSPROF_CHAIN_MAX_FRAMES; script.n++)
			script.frame[script.n] = (struct sysprof_script_frame){
				.code = 4096 + 64 * script.n, .identity = 77 * script.n + 1
			};
		sysprof_codes_number(&script);
		for (unsigned i = 0; i < script.n; i++) {
			same += turn && before[i] == script.frame[i].number;
			before[i] = script.frame[i].number;
			g_assert_cmpuint(script.known[script.frame[i].known].number, ==, before[i]);
		}
	}
	/* Three of these codes seldom want the same two places. */
	g_assert_cmpuint(same, >, SYSPROF_CHAIN_MAX_FRAMES * 98 / 100);
}

/* A list in this program's memory: each node is a frame, and what it points to its code. */
static struct {
	u64 next, code, position, words[4];
} nodes[40];
static u64 codes[40][4];

static unsigned sent_of(const struct sysprof_program *program, struct sysprof_sent *to)
{
	struct sysprof_session_cpu sc = { .sent = to, .ring = { .bytes = 65536 } };
	struct sysprof_stack stack = { .names_fuel = SYSPROF_CHAIN_FUEL };
	struct sysprof_user_part part = { .script = &script };

	g_ptr_array_set_size(chain_user_records, 0);
	script.stack = &stack;
	script.program = program;
	sysprof_chain_run(program, (uintptr_t)nodes, &script);
	sysprof_codes_number(&script);
	g_assert_cmpuint(script.n, ==, G_N_ELEMENTS(nodes));
	sysprof_codes_send(&sc, &stack, &part);
	return chain_user_records->len;
}

/* Each session gets the names of each code once, however much of a stack is known from before. */
static void test_known(void)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_list list;
		struct sysprof_chain_insn insn[3];
	} chain = { .header = { .magic = SYSPROF_CHAIN_MAGIC,
				.version = SYSPROF_CHAIN_VERSION,
				.machine = SYSPROF_ARCH_MACHINE,
				.max_frames = 100,
				.n_lists = 1,
				.n_insns = 3 },
		    .list = { .code = 8,
			      .position = 16,
			      .position_bytes = 8,
			      .identity = { 0, 8, 16 } },
		    .insn = { { .op = SYSPROF_CHAIN_ADDI, .dst = 2, .src = 1 },
			      { .op = SYSPROF_CHAIN_LIST, .dst = 2 },
			      { .op = SYSPROF_CHAIN_END } } };
	g_autofree struct sysprof_program *program = g_malloc0(sizeof(*program) + sizeof(chain));

	for (unsigned i = 0; i < G_N_ELEMENTS(nodes); i++) {
		nodes[i].next = i + 1 < G_N_ELEMENTS(nodes) ? (uintptr_t)&nodes[i + 1] : 0;
		nodes[i].code = (uintptr_t)codes[i];
		/* Else three of them might want the same two places. */
		codes[i][0] = nodes[i].code ^ i;
	}
	program->bytes = sizeof(chain);
	program->number = 1;
	memcpy(program->data, &chain, sizeof(chain));
	g_assert_true(sysprof_chain_check(program));
	chain_user_pid = getpid();
	chain_user_records = g_ptr_array_new_with_free_func(g_free);
	memset(&script, 0, sizeof(script));
	memset(&sessions, 0, sizeof(sessions));
	g_assert_cmpint(sysprof_chain_recall_alloc(&script, 0), ==, 0);
	/* At most 32 in one stack. */
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 32);
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 8);
	for (unsigned i = 0; i < 9; i++)
		g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 0);
	g_assert_cmpuint(script.n_numbered, ==, 40);
	g_assert_cmpuint(script.n_outer, ==, 40);
	g_assert_cmpuint(sessions.sent[0].outer_id, ==, script.outer_id);
	/* Another session. */
	g_assert_cmpuint(sent_of(program, &sessions.sent[1]), ==, 32);
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 0);
	g_assert_cmpuint(sent_of(program, &sessions.sent[1]), ==, 8);
	/* One that forgot them. */
	struct sysprof_session_cpu forgets = { .sent = &sessions.sent[0] };

	sysprof_codes_forget(&forgets);
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 32);
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 8);
	/* New code at old addresses, further in and further out. */
	for (unsigned i = 0; i < G_N_ELEMENTS(nodes); i += 13) {
		codes[i][1]++;
		g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 1);
		g_assert_cmpuint(script.n_numbered, ==, G_N_ELEMENTS(nodes) - 1 - i);
		g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 0);
	}
	/* Other codes have taken the places of their numbers, and all get new ones. */
	for (unsigned i = 0; i < G_N_ELEMENTS(script.known); i++)
		script.known[i].mm = 77;
	script.displaced++;
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 32);
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 8);
	g_assert_cmpuint(sent_of(program, &sessions.sent[0]), ==, 0);
	sysprof_chain_recall_free(&script);
	g_ptr_array_unref(chain_user_records);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chains/ends", test_ends);
	g_test_add_func("/chains/registers", test_registers);
	g_test_add_func("/chains/fuel", test_fuel);
	g_test_add_func("/chains/sessions", test_sessions);
	g_test_add_func("/chains/faults", test_faults);
	g_test_add_func("/chains/numbers", test_numbers);
	g_test_add_func("/chains/known", test_known);
	return g_test_run();
}
