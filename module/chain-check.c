// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks a chain once, when it is handed over: what it says of itself fits, and its program stays
 * within it.  What its program reads is checked when it runs.
 */
#include <linux/string.h>

#include "arch.h"
#include "chain.h"

static bool is_list(const struct sysprof_chain_list *list)
{
	return list->code_bits <= 4 && list->flag_kind <= SYSPROF_CHAIN_FLAG_EACH &&
	       (list->position_bytes == 4 || list->position_bytes == 8) &&
	       list->position_of_code <= 1 && list->position_shift <= 31 &&
	       !memchr_inv(list->reserved, 0, sizeof(list->reserved)) && !list->reserved_2;
}

static bool chain_has_steps(const struct sysprof_chain_header *header)
{
	return header->flags & SYSPROF_CHAIN_STEPS;
}

static s32 chain_registers(const struct sysprof_chain_header *header)
{
	return chain_has_steps(header) ? SYSPROF_CHAIN_STEPS_REGISTERS : SYSPROF_CHAIN_REGISTERS;
}

/* Where span @at may begin. */
static bool is_origin(const struct sysprof_chain_header *header, u8 from, u32 at)
{
	return from <= at || (header->names && from >= SYSPROF_SPAN_REGISTER &&
			      from < SYSPROF_SPAN_REGISTER + chain_registers(header));
}

/* @at: its number. */
static bool is_span(const struct sysprof_chain_header *header,
		    const struct sysprof_chain_span *span, u32 at)
{
	u8 i, n = 0;

	for (i = 0; i < SYSPROF_SPAN_PATH; i++) {
		if (span->path[i] == SYSPROF_SPAN_NONE)
			continue;
		if (n++ != i)
			return false;
	}
	return span->head <= span->max && span->length_in <= n &&
	       (span->length_bytes == 2 || span->length_bytes == 4 || span->length_bytes == 8 ||
		(span->length_bytes == 1 && span->length == SYSPROF_SPAN_NONE)) &&
	       span->unit_shift <= 7 &&
	       (!span->unit_bytes || span->unit == SYSPROF_SPAN_NONE) &&
	       is_origin(header, span->from, at) &&
	       !memchr_inv(span->reserved, 0, sizeof(span->reserved));
}

/* Whether the instruction after one of @op is another one. */
static bool goes_elsewhere(u8 op)
{
	return op == SYSPROF_CHAIN_LOOP || op == SYSPROF_CHAIN_END || op == SYSPROF_CHAIN_NEXT;
}

/* Whether the program may have @op. */
static bool is_of_program(const struct sysprof_chain_header *header, u8 op, bool is_of_names)
{
	bool is_of_steps = chain_has_steps(header) && !is_of_names;

	switch (op) {
	case SYSPROF_CHAIN_EMIT:
		return !is_of_names;
	case SYSPROF_CHAIN_MARK:
	case SYSPROF_CHAIN_LIST:
	case SYSPROF_CHAIN_WITH:
		return !is_of_names && !is_of_steps;
	case SYSPROF_CHAIN_REG:
		return is_of_steps || (header->flags & SYSPROF_CHAIN_FRAMES && !is_of_names);
	case SYSPROF_CHAIN_NEXT:
	case SYSPROF_CHAIN_RECALL:
		return is_of_steps;
	case SYSPROF_CHAIN_SUMS:
		return header->flags & SYSPROF_CHAIN_FRAMES;
	default:
		return op <= SYSPROF_CHAIN_SHR;
	}
}

/* Whether what @insn says with @imm is there.  @begin: the first instruction of its program. */
static bool is_imm(const struct sysprof_chain_header *header, const struct sysprof_chain_insn *insn,
		   u32 at, u32 begin)
{
	switch (insn->op) {
	case SYSPROF_CHAIN_SHLI:
	case SYSPROF_CHAIN_SHRI:
		return insn->imm >= 0 && insn->imm < 64;
	case SYSPROF_CHAIN_EMIT:
	case SYSPROF_CHAIN_NEXT:
	case SYSPROF_CHAIN_SUMS:
		return insn->imm >= 0 && insn->imm < chain_registers(header);
	case SYSPROF_CHAIN_REG:
		return insn->imm >= 0 && insn->imm < SYSPROF_CHAIN_MACHINE_REGISTERS;
	case SYSPROF_CHAIN_LIST:
		return insn->imm >= 0 && insn->imm < header->n_lists;
	case SYSPROF_CHAIN_LOOP:
		return insn->imm >= (s32)begin && insn->imm < at;
	case SYSPROF_CHAIN_END:
		return insn->imm >= 0 && insn->imm <= 1;
	default:
		return true;
	}
}

static bool is_insn(const struct sysprof_chain_header *header,
		    const struct sysprof_chain_insn *insn, u32 at)
{
	bool jumps = (insn->op >= SYSPROF_CHAIN_JEQI && insn->op <= SYSPROF_CHAIN_JLT) ||
		     insn->op == SYSPROF_CHAIN_RECALL,
	     is_of_names = header->names && at >= header->names;
	u32 begin = is_of_names ? header->names : 0,
	    end = header->names && !is_of_names ? header->names : header->n_insns;

	if (!is_of_program(header, insn->op, is_of_names) ||
	    insn->dst >= chain_registers(header) || insn->src >= chain_registers(header) ||
	    (insn->jump && !jumps))
		return false;
	/* Whatever is executed next exists: what is behind the program is not a program. */
	if (!goes_elsewhere(insn->op) && at + insn->jump + 1 >= end)
		return false;
	return is_imm(header, insn, at, begin);
}

/* A program of threads finds one frame, by itself. */
static bool is_flags(const struct sysprof_chain_header *header)
{
	if (header->flags == SYSPROF_CHAIN_THREAD)
		return header->max_frames == 1 && !header->n_loops && !header->n_lists;
	return header->flags <= SYSPROF_CHAIN_STEPS;
}

static u32 chain_max_insns(const struct sysprof_chain_header *header)
{
	return header->flags & (SYSPROF_CHAIN_FRAMES | SYSPROF_CHAIN_STEPS) ?
		       SYSPROF_CHAIN_STEPS_MAX_INSNS :
		       SYSPROF_CHAIN_MAX_INSNS;
}

/* Finds the parts of copied data; false: its sizes are not those of a chain. */
static bool chain_find_parts(struct sysprof_program *program)
{
	const struct sysprof_chain_header *header = (const void *)program->data;
	size_t bytes = sizeof(*header);

	if (program->bytes < bytes || header->magic != SYSPROF_CHAIN_MAGIC ||
	    header->version != SYSPROF_CHAIN_VERSION || header->machine != SYSPROF_ARCH_MACHINE ||
	    !header->max_frames || header->max_frames > SYSPROF_CHAIN_MAX_FRAMES ||
	    !header->n_insns || header->n_insns > chain_max_insns(header) ||
	    header->n_loops > SYSPROF_CHAIN_MAX_LOOPS ||
	    header->n_lists > SYSPROF_CHAIN_MAX_LISTS ||
	    header->n_spans > SYSPROF_CHAIN_MAX_SPANS || !is_flags(header) ||
	    header->names >= header->n_insns ||
	    memchr_inv(header->reserved, 0, sizeof(header->reserved)))
		return false;
	program->loop = (const void *)program->data + bytes;
	bytes += header->n_loops * sizeof(*program->loop);
	program->list = (const void *)program->data + bytes;
	bytes += header->n_lists * sizeof(*program->list);
	program->span = (const void *)program->data + bytes;
	bytes += header->n_spans * sizeof(*program->span);
	program->insn = (const void *)program->data + bytes;
	bytes += header->n_insns * sizeof(*program->insn);
	program->tag = header->tag;
	program->address_minus_offset = header->address_minus_offset;
	program->max_frames = header->max_frames;
	program->n_loops = header->n_loops;
	program->n_spans = header->n_spans;
	program->is_of_frames = header->flags & SYSPROF_CHAIN_FRAMES;
	program->is_of_steps = chain_has_steps(header);
	program->is_of_thread = header->flags & SYSPROF_CHAIN_THREAD;
	program->names = header->names;
	return bytes == program->bytes;
}

bool sysprof_chain_check(struct sysprof_program *program)
{
	const struct sysprof_chain_header *header = (const void *)program->data;
	u32 i, bytes = 0;

	if (!chain_find_parts(program))
		return false;
	for (i = 0; i < header->n_lists; i++)
		if (!is_list(&program->list[i]))
			return false;
	for (i = 0; i < header->n_spans; i++) {
		bytes += program->span[i].max;
		if (!is_span(header, &program->span[i], i) || bytes > SYSPROF_SPANS_MAX_BYTES)
			return false;
	}
	program->has_registers = false;
	for (i = 0; i < header->n_insns; i++) {
		if (!is_insn(header, &program->insn[i], i))
			return false;
		program->has_registers |= program->is_of_frames &&
					  program->insn[i].op == SYSPROF_CHAIN_REG;
	}
	sysprof_chain_find_live(program, header->n_insns);
	return true;
}
