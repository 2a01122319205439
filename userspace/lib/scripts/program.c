/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/program.h"

#include <elf.h>
#include <string.h>

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

/* Registers when a program begins. */
enum { R_THREAD, R_BIAS };

/* In glibc's thread: its vector of blocks with variables, two words for each library. */
#ifdef __aarch64__
#define VECTOR 0
#else
#define VECTOR 8
#endif
#define VECTOR_LENGTH_AT (-16)
#define VECTOR_SHIFT 4
#define NO_BLOCK (-1)
/* In glibc's struct pthread: values of the first 32 keys, each after a number. */
#define KEYS 32
#define KEY_SHIFT 4
#ifndef __aarch64__
#define FIRST_KEY 0x318
#endif

struct SptProgram {
	struct sysprof_chain_header header;
	GArray *loops, *lists, *spans, *insns;
	bool is_bad;
};

SptProgram *spt_program_new(uint32_t tag, unsigned max_frames, int64_t address_minus_offset)
{
	SptProgram *program = g_new0(SptProgram, 1);

	program->header = (struct sysprof_chain_header){
		.magic = SYSPROF_CHAIN_MAGIC,
		.version = SYSPROF_CHAIN_VERSION,
		.machine = MACHINE,
		.address_minus_offset = address_minus_offset,
		.tag = tag,
		.max_frames = (uint16_t)max_frames,
	};
	program->loops = g_array_new(FALSE, FALSE, sizeof(struct sysprof_chain_loop));
	program->lists = g_array_new(FALSE, FALSE, sizeof(struct sysprof_chain_list));
	program->spans = g_array_new(FALSE, FALSE, sizeof(struct sysprof_chain_span));
	program->insns = g_array_new(FALSE, FALSE, sizeof(struct sysprof_chain_insn));
	return program;
}

void spt_program_free(SptProgram *program)
{
	if (!program)
		return;
	g_array_unref(program->loops);
	g_array_unref(program->lists);
	g_array_unref(program->spans);
	g_array_unref(program->insns);
	g_free(program);
}

void spt_program_loop(SptProgram *program, uint64_t start, uint64_t end)
{
	struct sysprof_chain_loop loop = { start, end };

	g_array_append_val(program->loops, loop);
}

unsigned spt_program_list(SptProgram *program, const struct sysprof_chain_list *list)
{
	g_array_append_val(program->lists, *list);
	return program->lists->len - 1;
}

void spt_program_span(SptProgram *program, const struct sysprof_chain_span *span)
{
	g_array_append_val(program->spans, *span);
}

void spt_program_span_from(SptProgram *program, unsigned from, uint16_t max, bool is_text)
{
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE,
						    SYSPROF_SPAN_NONE },
					  .length = SYSPROF_SPAN_NONE,
					  .length_bytes = is_text ? 1 : 8,
					  .unit = SYSPROF_SPAN_NONE,
					  .max = max,
					  .from = (uint8_t)from });
}

void spt_program_code_span(SptProgram *program, uint16_t bytes)
{
	spt_program_span_from(program, 0, bytes, false);
}

unsigned spt_program_add(SptProgram *program, enum sysprof_chain_op op, unsigned dst, unsigned src,
			 int64_t imm)
{
	struct sysprof_chain_insn insn = {
		.op = (uint8_t)op,
		.dst = (uint8_t)dst,
		.src = (uint8_t)src,
		.imm = (int32_t)imm,
	};

	program->is_bad |= imm != insn.imm;
	g_array_append_val(program->insns, insn);
	return program->insns->len - 1;
}

void spt_program_land(SptProgram *program, unsigned from)
{
	unsigned skipped = program->insns->len - from - 1;

	program->is_bad |= skipped > UINT8_MAX;
	g_array_index(program->insns, struct sysprof_chain_insn, from).jump = (uint8_t)skipped;
}

void spt_program_jump(SptProgram *program, enum sysprof_chain_op op, unsigned dst, unsigned src,
		      int64_t imm, SptProgramJumps *to)
{
	g_assert(to->n < SPT_PROGRAM_JUMPS_MAX);
	to->from[to->n++] = spt_program_add(program, op, dst, src, imm);
}

void spt_program_land_all(SptProgram *program, const SptProgramJumps *jumps)
{
	for (unsigned i = 0; i < jumps->n; i++)
		spt_program_land(program, jumps->from[i]);
}

static void end_if_equal(SptProgram *program, unsigned to, int64_t value)
{
	unsigned jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, to, value);

	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
}

void spt_program_thread_variable(SptProgram *program, unsigned to, unsigned word, unsigned address,
				 uint64_t place)
{
	unsigned jump;

	spt_program_add(program, SYSPROF_CHAIN_LD8, word, R_BIAS, (int64_t)place);
	spt_program_add(program, SYSPROF_CHAIN_LD8, address, R_THREAD, VECTOR);
	/* A library that was loaded later than the thread last used one. */
	spt_program_add(program, SYSPROF_CHAIN_LD8, to, address, VECTOR_LENGTH_AT);
	jump = spt_program_add(program, SYSPROF_CHAIN_JLT, word, to, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, word, word, VECTOR_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, address, word, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, address, address, 0);
	end_if_equal(program, address, NO_BLOCK);
	spt_program_add(program, SYSPROF_CHAIN_LD8, word, R_BIAS,
			(int64_t)(place + sizeof(uint64_t)));
	spt_program_add(program, SYSPROF_CHAIN_ADD, address, word, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, to, address, 0);
}

#ifdef __aarch64__
/*
 * Sets @to to the address of the first key's value.  A struct pthread ends where the thread pointer
 * leads, and how long it is differs from one glibc to the next.  Behind its first keys it has the
 * address of these, by which it is known.
 */
static void program_find_keys(SptProgram *program, unsigned to, unsigned word)
{
	/* Of glibc 2.41 to 2.43, 2.36 and 2.31; those of others are near. */
	static const unsigned sizes[] = { 1824, 1856, 1792, 1888, 1760 };
	enum { KEYS_AT = 0x110, VALUE_AT = 8 };
	unsigned jumps[G_N_ELEMENTS(sizes)];

	for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
		spt_program_add(program, SYSPROF_CHAIN_ADDI, to, R_THREAD,
				KEYS_AT - (int64_t)sizes[i]);
		spt_program_add(program, SYSPROF_CHAIN_LD8, word, to, KEYS << KEY_SHIFT);
		jumps[i] = spt_program_add(program, SYSPROF_CHAIN_JEQ, to, word, 0);
	}
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
		spt_program_land(program, jumps[i]);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, to, to, VALUE_AT);
}
#else
static void program_find_keys(SptProgram *program, unsigned to, unsigned word)
{
	(void)word;
	spt_program_add(program, SYSPROF_CHAIN_ADDI, to, R_THREAD, FIRST_KEY);
}
#endif

void spt_program_thread_key(SptProgram *program, unsigned to, unsigned word, unsigned keys,
			    uint64_t place)
{
	unsigned jump;

	program_find_keys(program, keys, word);
	spt_program_add(program, SYSPROF_CHAIN_LD4, to, R_BIAS, (int64_t)place);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, word, 0, KEYS);
	jump = spt_program_add(program, SYSPROF_CHAIN_JLT, to, word, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 1);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, to, to, KEY_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, to, keys, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, to, to, 0);
}

void spt_program_of_frames(SptProgram *program)
{
	program->header.flags |= SYSPROF_CHAIN_FRAMES;
}

void spt_program_of_steps(SptProgram *program)
{
	program->header.flags |= SYSPROF_CHAIN_STEPS;
}

void spt_program_of_thread(SptProgram *program)
{
	program->header.flags |= SYSPROF_CHAIN_THREAD;
}

void spt_program_begin_names(SptProgram *program)
{
	program->header.names = (uint16_t)program->insns->len;
}

bool spt_program_fits(GBytes *chain)
{
	const struct sysprof_chain_header *header = g_bytes_get_data(chain, NULL);
	gsize bytes = g_bytes_get_size(chain);

	return bytes >= sizeof(*header) && header->magic == SYSPROF_CHAIN_MAGIC &&
	       header->version == SYSPROF_CHAIN_VERSION && header->machine == MACHINE &&
	       header->n_loops <= SYSPROF_CHAIN_MAX_LOOPS &&
	       header->n_spans <= SYSPROF_CHAIN_MAX_SPANS &&
	       bytes == sizeof(*header) +
				header->n_loops * sizeof(struct sysprof_chain_loop) +
				header->n_lists * sizeof(struct sysprof_chain_list) +
				header->n_spans * sizeof(struct sysprof_chain_span) +
				header->n_insns * sizeof(struct sysprof_chain_insn);
}

bool spt_program_is_of_stacks(GBytes *chain)
{
	const struct sysprof_chain_header *header = g_bytes_get_data(chain, NULL);

	return !header->flags;
}

static void program_append(GByteArray *bytes, const GArray *parts)
{
	g_byte_array_append(bytes, (const guint8 *)parts->data,
			    parts->len * g_array_get_element_size((GArray *)parts));
}

GBytes *spt_program_finish(const SptProgram *program)
{
	struct sysprof_chain_header header = program->header;
	GByteArray *bytes;

	if (program->is_bad || program->loops->len > SYSPROF_CHAIN_MAX_LOOPS ||
	    program->lists->len > SYSPROF_CHAIN_MAX_LISTS ||
	    program->spans->len > SYSPROF_CHAIN_MAX_SPANS ||
	    program->insns->len > (header.flags & (SYSPROF_CHAIN_FRAMES | SYSPROF_CHAIN_STEPS) ?
					   SYSPROF_CHAIN_STEPS_MAX_INSNS :
					   SYSPROF_CHAIN_MAX_INSNS))
		return NULL;
	header.n_loops = (uint8_t)program->loops->len;
	header.n_lists = (uint8_t)program->lists->len;
	header.n_spans = (uint8_t)program->spans->len;
	header.n_insns = (uint16_t)program->insns->len;
	bytes = g_byte_array_new();
	g_byte_array_append(bytes, (const guint8 *)&header, sizeof(header));
	program_append(bytes, program->loops);
	program_append(bytes, program->lists);
	program_append(bytes, program->spans);
	program_append(bytes, program->insns);
	return g_byte_array_free_to_bytes(bytes);
}
