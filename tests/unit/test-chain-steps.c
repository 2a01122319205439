/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains of steps outside of the kernel: what each instruction does, what is remembered, and that
 * programs and memory of a stranger stay within what there is.
 */
#include "scripts/chain-steps.h"

#include <string.h>

#include "scripts/interpreter.h"
#include "scripts/program.h"

#define MEMORY_AT 0x10000u
#define MEMORY_BYTES 4096u

static uint8_t memory[MEMORY_BYTES];
static unsigned n_reads;

static bool read_memory(uint64_t address, void *to, unsigned bytes, void *data)
{
	uint64_t at = address - MEMORY_AT;

	(void)data;
	n_reads++;
	if (at >= MEMORY_BYTES || MEMORY_BYTES - at < bytes)
		return false;
	memcpy(to, memory + at, bytes);
	return true;
}

static void put_word(uint64_t address, uint64_t word)
{
	memcpy(memory + (address - MEMORY_AT), &word, sizeof(word));
}

/* A frame has its function at its frame pointer, above it the caller's, and its return address. */
static SptProgram *begin_program(void)
{
	SptProgram *program = spt_program_new(SPT_TAG(6, 17, 1), 40, 0);

	spt_program_of_steps(program);
	return program;
}

static SptChainSteps *finish(SptProgram *program)
{
	g_autoptr(GBytes) chain = spt_program_finish(program);

	return spt_chain_steps_new(chain);
}

static SptChainSteps *make_plain(bool recalls)
{
	g_autoptr(SptProgram) program = begin_program();
	unsigned end, known = 0;

	end = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, 2, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, end);
	if (recalls)
		known = spt_program_add(program, SYSPROF_CHAIN_RECALL, 4, 2, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, 6, 2, 0);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, 5, 6, 7);
	if (recalls)
		spt_program_land(program, known);
	spt_program_add(program, SYSPROF_CHAIN_LD8, 8, 2, 8);
	spt_program_add(program, SYSPROF_CHAIN_LD8, 9, 2, 16);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, 10, 2, 24);
	spt_program_add(program, SYSPROF_CHAIN_NEXT, 8, 10, 9);
	return finish(program);
}

static void put_frames(void)
{
	put_word(MEMORY_AT + 0x100, 111);
	put_word(MEMORY_AT + 0x108, MEMORY_AT + 0x200);
	put_word(MEMORY_AT + 0x110, 0x5000);
	put_word(MEMORY_AT + 0x200, 222);
	put_word(MEMORY_AT + 0x208, 0);
	put_word(MEMORY_AT + 0x210, 0x6000);
}

static const uint64_t no_registers[SYSPROF_CHAIN_MACHINE_REGISTERS];

/* Two frames, and what does not know the third. */
static void walk_plain(SptChainRun *run)
{
	SptChainPlace place = { MEMORY_AT + 0x100, MEMORY_AT + 0xf0, 0x4000, true };

	g_assert_cmpuint(spt_chain_step(run, &place, no_registers, 0, 3), ==, SPT_CHAIN_NEXT);
	g_assert_cmphex(place.fp, ==, MEMORY_AT + 0x200);
	g_assert_cmphex(place.sp, ==, MEMORY_AT + 0x118);
	g_assert_cmphex(place.ip, ==, 0x5000);
	g_assert_false(place.is_exact);
	g_assert_cmpuint(spt_chain_step(run, &place, no_registers, 0, 4), ==, SPT_CHAIN_NEXT);
	g_assert_cmpuint(spt_chain_step(run, &place, no_registers, 0, 5), ==, SPT_CHAIN_UNKNOWN);
	g_assert_cmpuint(run->n, ==, 2);
	g_assert_true(run->frames[0].code == 111 && run->frames[0].native == 3);
	g_assert_true(run->frames[0].position == 1 && run->frames[1].position == 0);
	g_assert_true(run->frames[1].code == 222 && run->frames[1].native == 4);
}

static void test_plain(void)
{
	g_autoptr(SptChainSteps) steps = make_plain(false);
	g_autofree SptChainRun *run = g_new(SptChainRun, 1);

	put_frames();
	spt_chain_begin(run, steps, 0, read_memory, NULL);
	walk_plain(run);
}

/* The second time the functions are not read; those of another space are. */
static void test_recall(void)
{
	g_autoptr(SptChainSteps) steps = make_plain(true);
	g_autofree SptChainRun *run = g_new(SptChainRun, 1);
	SptChainMemo *memo = spt_chain_memo_new();
	unsigned first, again, other;

	put_frames();
	for (unsigned i = 0; i < 3; i++) {
		n_reads = 0;
		spt_chain_begin(run, steps, 0, read_memory, NULL);
		spt_chain_remember(run, memo, i < 2 ? 7 : 8);
		walk_plain(run);
		*(i == 0 ? &first : i == 1 ? &again : &other) = n_reads;
	}
	g_assert_cmpuint(again, ==, first - 2);
	g_assert_cmpuint(other, ==, first);
	spt_chain_memo_free(memo);
}

/* Registers of the frame, if they are known. */
static void test_registers(void)
{
	g_autoptr(SptProgram) program = begin_program();
	uint64_t registers[SYSPROF_CHAIN_MACHINE_REGISTERS] = { [13] = 77 };
	SptChainPlace place = { 0, 64, 1, true };
	g_autoptr(SptChainSteps) steps = NULL;
	g_autofree SptChainRun *run = g_new(SptChainRun, 1);

	spt_program_add(program, SYSPROF_CHAIN_REG, 6, 0, 13);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, 6, 4, 7);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, 3, 3, 8);
	spt_program_add(program, SYSPROF_CHAIN_NEXT, 2, 3, 4);
	steps = finish(program);
	spt_chain_begin(run, steps, 0, read_memory, NULL);
	g_assert_cmpuint(spt_chain_step(run, &place, registers, 1u << 13, 0), ==, SPT_CHAIN_NEXT);
	g_assert_cmpuint(spt_chain_step(run, &place, registers, 0, 1), ==, SPT_CHAIN_NEXT);
	g_assert_true(run->frames[0].position == 77 && run->frames[1].position == 0);
}

/* A caller's frame is above, and aligned; going round ends, and so does missing memory. */
static void test_ends(void)
{
	static const int64_t bad[] = { 0, -8, 4 };
	g_autofree SptChainRun *run = g_new(SptChainRun, 1);
	SptChainPlace place = { 0, 64, 1, false };

	for (unsigned i = 0; i < G_N_ELEMENTS(bad) + 2; i++) {
		g_autoptr(SptProgram) program = begin_program();
		g_autoptr(SptChainSteps) steps = NULL;

		if (i < G_N_ELEMENTS(bad))
			spt_program_add(program, SYSPROF_CHAIN_ADDI, 3, 3, bad[i]);
		else if (i == G_N_ELEMENTS(bad))
			spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, 0);
		else
			spt_program_add(program, SYSPROF_CHAIN_LD8, 6, 0, 0);
		spt_program_add(program, SYSPROF_CHAIN_NEXT, 2, 3, 4);
		steps = finish(program);
		spt_chain_begin(run, steps, 0, read_memory, NULL);
		place = (SptChainPlace){ 0, 64, 1, false };
		g_assert_cmpuint(spt_chain_step(run, &place, no_registers, 0, 0), ==,
				 SPT_CHAIN_ENDS);
	}
}

/* The name of a function is a text that it points to. */
static void test_names(void)
{
	g_autoptr(SptProgram) program = begin_program();
	g_autoptr(SptChainSteps) steps = NULL;
	g_autofree struct sysprof_code *code = NULL;

	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_begin_names(program);
	spt_program_add(program, SYSPROF_CHAIN_LD8, 6, 2, 8);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_span_from(program, SYSPROF_SPAN_REGISTER + 6, 100, true);
	spt_program_span_from(program, SYSPROF_SPAN_REGISTER + 9, 100, true);
	steps = finish(program);
	put_word(MEMORY_AT + 0x308, MEMORY_AT + 0x400);
	strcpy((char *)memory + 0x400, "a name");
	code = spt_chain_names(steps, 0, MEMORY_AT + 0x300, read_memory, NULL);
	g_assert_cmpuint(code->bytes[0], ==, strlen("a name"));
	g_assert_cmpmem(code->data, code->bytes[0], "a name", strlen("a name"));
	g_assert_cmpuint(code->bytes[1], ==, 0);
	g_assert_cmpuint(code->record.size, ==, sizeof(*code) / 8 + 1);
	g_assert_cmphex(code->tag, ==, SPT_TAG(6, 17, 1));
}

static uint64_t random_word(void)
{
	uint64_t word = (uint64_t)(uint32_t)g_test_rand_int();

	return g_test_rand_bit() ? MEMORY_AT + word % (2 * MEMORY_BYTES) :
				   word << (word % 40) | g_test_rand_bit();
}

/* A block that is a chain by its sizes alone. */
static GBytes *random_chain(void)
{
	unsigned n_insns = (unsigned)g_test_rand_int_range(1, 60),
		 n_spans = (unsigned)g_test_rand_int_range(0, SYSPROF_CHAIN_MAX_SPANS + 1);
	struct sysprof_chain_header header = { .magic = SYSPROF_CHAIN_MAGIC,
					       .version = SYSPROF_CHAIN_VERSION,
					       .tag = SPT_TAG(6, 17, 1),
					       .n_spans = (uint8_t)n_spans,
					       .n_insns = (uint16_t)n_insns,
					       .flags = SYSPROF_CHAIN_STEPS };
	g_autoptr(SptProgram) any = begin_program();
	g_autoptr(GBytes) made = NULL;
	GByteArray *bytes = g_byte_array_new();

	spt_program_add(any, SYSPROF_CHAIN_END, 0, 0, 0);
	made = spt_program_finish(any);
	memcpy(&header.machine,
	       (const char *)g_bytes_get_data(made, NULL) +
		       offsetof(struct sysprof_chain_header, machine),
	       sizeof(header.machine));
	header.max_frames = (uint16_t)g_test_rand_int();
	header.names = (uint16_t)g_test_rand_int_range(0, 70);
	g_byte_array_append(bytes, (const guint8 *)&header, sizeof(header));
	for (unsigned i = 0; i < n_spans * sizeof(struct sysprof_chain_span); i++)
		g_byte_array_append(bytes, &(guint8){ (guint8)g_test_rand_int() }, 1);
	for (unsigned i = 0; i < n_insns; i++) {
		struct sysprof_chain_insn insn = {
			.op = (uint8_t)g_test_rand_int_range(0, SYSPROF_CHAIN_WITH + 3),
			.dst = (uint8_t)g_test_rand_int(),
			.src = (uint8_t)g_test_rand_int(),
			.jump = (uint8_t)g_test_rand_int_range(0, 80),
			.imm = (int32_t)(g_test_rand_bit() ? g_test_rand_int_range(0, 64) :
							     (int32_t)g_test_rand_int()),
		};

		g_byte_array_append(bytes, (const guint8 *)&insn, sizeof(insn));
	}
	return g_byte_array_free_to_bytes(bytes);
}

/* Under a sanitizer: all of it ends, and stays within what there is. */
static void test_strange(void)
{
	g_autofree SptChainRun *run = g_new(SptChainRun, 1);
	SptChainMemo *memo = spt_chain_memo_new();

	for (unsigned i = 0; i < 20000; i++) {
		g_autoptr(GBytes) chain = random_chain();
		g_autoptr(SptChainSteps) steps = spt_chain_steps_new(chain);
		SptChainPlace place = { random_word(), random_word(), random_word(), i & 1 };
		struct sysprof_code *code;

		g_assert_nonnull(steps);
		for (unsigned k = 0; k < 8; k++)
			put_word(MEMORY_AT + (uint64_t)g_test_rand_int_range(0, 500) * 8,
				 random_word());
		spt_chain_begin(run, steps, random_word(), read_memory, NULL);
		spt_chain_remember(run, memo, i % 3);
		for (unsigned k = 0; k < 20; k++)
			if (spt_chain_step(run, &place, no_registers, random_word(), k) !=
			    SPT_CHAIN_NEXT)
				break;
		g_assert_cmpuint(run->n, <=, SYSPROF_CHAIN_MAX_FRAMES);
		code = spt_chain_names(steps, 0, random_word(), read_memory, NULL);
		g_assert_cmpuint(code->record.size * 8u, <=,
				 sizeof(*code) + SYSPROF_SPANS_MAX_BYTES);
		g_free(code);
	}
	spt_chain_memo_free(memo);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chain-steps/plain", test_plain);
	g_test_add_func("/chain-steps/recall", test_recall);
	g_test_add_func("/chain-steps/registers", test_registers);
	g_test_add_func("/chain-steps/ends", test_ends);
	g_test_add_func("/chain-steps/names", test_names);
	g_test_add_func("/chain-steps/strange", test_strange);
	return g_test_run();
}
