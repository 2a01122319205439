/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/chain-steps.h"

#include <string.h>

#include "rings/chain-ops.h"
#include "scripts/program.h"

/* The module has a tick's time, and remembers what was emitted. */
#define FUEL (8 * SYSPROF_CHAIN_FUEL)
#define NAMES_FUEL SYSPROF_CHAIN_FUEL
#define R(run, number) ((run)->registers[(number) & (SYSPROF_CHAIN_STEPS_REGISTERS - 1)])

/* Stacks of a program mostly go through the same places. */
#define MEMO_PLACES 4096u
#define MEMO_FRAMES 8u
#define MEMO_FRESH_US G_USEC_PER_SEC

struct remembered_place {
	uint64_t space, dst, src;	/* the numbers of its RECALL; space 0: none yet */
	gint64 until;
	unsigned n;
	SptChainFrame frames[MEMO_FRAMES];
};

struct SptChainMemo {
	struct remembered_place places[MEMO_PLACES];
};

struct SptChainSteps {
	GBytes *bytes;
	const struct sysprof_chain_header *header;
	const struct sysprof_chain_span *spans;
	const struct sysprof_chain_insn *insns;
};

SptChainSteps *spt_chain_steps_new(GBytes *chain)
{
	const struct sysprof_chain_header *header = g_bytes_get_data(chain, NULL);
	const struct sysprof_chain_list *lists;
	SptChainSteps *steps;

	if (!spt_program_fits(chain) || !(header->flags & SYSPROF_CHAIN_STEPS))
		return NULL;
	lists = (const void *)((const struct sysprof_chain_loop *)(header + 1) + header->n_loops);
	steps = g_new(SptChainSteps, 1);
	*steps = (SptChainSteps){ .bytes = g_bytes_ref(chain),
				  .header = header,
				  .spans = (const void *)(lists + header->n_lists) };
	steps->insns = (const void *)(steps->spans + header->n_spans);
	return steps;
}

void spt_chain_steps_free(SptChainSteps *steps)
{
	if (!steps)
		return;
	g_bytes_unref(steps->bytes);
	g_free(steps);
}

int64_t spt_chain_steps_difference(const SptChainSteps *steps)
{
	return steps->header->address_minus_offset;
}

SptChainMemo *spt_chain_memo_new(void)
{
	return g_new0(SptChainMemo, 1);
}

void spt_chain_memo_free(SptChainMemo *memo)
{
	g_free(memo);
}

void spt_chain_remember(SptChainRun *run, SptChainMemo *memo, uint64_t space)
{
	run->memo = memo;
	run->space = space;
}

void spt_chain_begin(SptChainRun *run, const SptChainSteps *steps, uint64_t bias,
		     SptChainRead read, void *data)
{
	run->steps = steps;
	run->bias = bias;
	run->read = read;
	run->data = data;
	run->fuel = FUEL;
	run->n = 0;
	run->memo = NULL;
	memset(run->registers, 0, sizeof(run->registers));
}

/* False: the memory is not there. */
static bool chain_load(SptChainRun *run, const struct sysprof_chain_insn *insn)
{
	static const uint8_t bytes[] = { 8, 4, 4, 2, 1 };
	uint64_t address = R(run, insn->src) + (uint64_t)(int64_t)insn->imm, word = 0;

	if (!run->read(address, &word, bytes[insn->op], run->data))
		return false;
	R(run, insn->dst) = insn->op == SYSPROF_CHAIN_LD4S ? (uint64_t)(int32_t)word : word;
	return true;
}

static bool chain_emit(SptChainRun *run, const struct sysprof_chain_insn *insn, unsigned native)
{
	uint64_t code = R(run, insn->src);

	if (run->n >= run->steps->header->max_frames || run->n >= G_N_ELEMENTS(run->frames))
		return false;
	run->frames[run->n++] = (SptChainFrame){
		.code = code,
		.position = R(run, insn->dst),
		.identity = spt_chain_mix(code, R(run, (uint32_t)insn->imm)),
		.native = native,
	};
	return true;
}

static uint64_t chain_machine(const SptChainRun *run, uint32_t number)
{
	if (number >= SYSPROF_CHAIN_MACHINE_REGISTERS || !(run->machine_known >> number & 1))
		return 0;
	return run->machine[number];
}

static struct remembered_place *chain_place_of(SptChainRun *run,
					       const struct sysprof_chain_insn *insn)
{
	uint64_t hash = spt_chain_mix(spt_chain_mix(run->space, R(run, insn->dst)),
				      R(run, insn->src));

	return &run->memo->places[hash >> 40 & (MEMO_PLACES - 1)];
}

/* Emits what is remembered; false: nothing, or there is no room.  *ret_place: where it would be. */
static bool chain_recall(SptChainRun *run, const struct sysprof_chain_insn *insn, unsigned native,
			 struct remembered_place **ret_place)
{
	struct remembered_place *place = run->memo ? chain_place_of(run, insn) : NULL;
	uint64_t dst = R(run, insn->dst), src = R(run, insn->src);
	gint64 now;

	*ret_place = place;
	if (!place)
		return false;
	now = g_get_monotonic_time();
	if (place->space == run->space && place->dst == dst && place->src == src &&
	    now < place->until && run->n + place->n <= run->steps->header->max_frames &&
	    run->n + place->n <= G_N_ELEMENTS(run->frames)) {
		for (unsigned i = 0; i < place->n; i++) {
			run->frames[run->n] = place->frames[i];
			run->frames[run->n++].native = native;
		}
		*ret_place = NULL;
		return true;
	}
	*place = (struct remembered_place){ .dst = dst, .src = src, .until = now + MEMO_FRESH_US };
	return false;
}

/* What was emitted since frame @first. */
static void chain_note(SptChainRun *run, struct remembered_place *place, unsigned first)
{
	if (run->n - first > MEMO_FRAMES)
		return;
	place->n = run->n - first;
	memcpy(place->frames, run->frames + first, place->n * sizeof(place->frames[0]));
	place->space = run->space;
}

/* From instruction @at on; @place is that of the caller then, for SPT_CHAIN_NEXT. */
static SptChainEnd chain_run(SptChainRun *run, uint32_t at, unsigned native, SptChainPlace *place)
{
	struct remembered_place *noted = NULL;
	unsigned first = 0;

	for (; at < run->steps->header->n_insns && --run->fuel >= 0; at++) {
		const struct sysprof_chain_insn *insn = &run->steps->insns[at];

		switch (insn->op) {
		case SYSPROF_CHAIN_LD8 ... SYSPROF_CHAIN_LD1:
			if (!chain_load(run, insn))
				return SPT_CHAIN_ENDS;
			break;
		case SYSPROF_CHAIN_JEQI ... SYSPROF_CHAIN_JLT:
			if (spt_chain_jumps(insn, R(run, insn->dst), R(run, insn->src)))
				at += insn->jump;
			break;
		case SYSPROF_CHAIN_EMIT:
			if (!chain_emit(run, insn, native))
				return SPT_CHAIN_ENDS;
			break;
		case SYSPROF_CHAIN_LOOP:
			at = (uint32_t)insn->imm - 1;
			break;
		case SYSPROF_CHAIN_REG:
			R(run, insn->dst) = chain_machine(run, (uint32_t)insn->imm);
			break;
		case SYSPROF_CHAIN_NEXT:
			*place = (SptChainPlace){ .fp = R(run, insn->dst),
						  .sp = R(run, insn->src),
						  .ip = R(run, (uint32_t)insn->imm) };
			if (noted)
				chain_note(run, noted, first);
			return SPT_CHAIN_NEXT;
		case SYSPROF_CHAIN_END:
			return insn->imm ? SPT_CHAIN_ENDS : SPT_CHAIN_UNKNOWN;
		case SYSPROF_CHAIN_RECALL:
			first = run->n;
			at += chain_recall(run, insn, native, &noted) ? insn->jump : 0;
			break;
		default:
			spt_chain_compute(insn, &R(run, insn->dst), R(run, insn->src));
			break;
		}
	}
	return SPT_CHAIN_ENDS;
}

SptChainEnd spt_chain_step(SptChainRun *run, SptChainPlace *place, const uint64_t *machine,
			   uint64_t known, unsigned native)
{
	uint64_t sp = place->sp, least = sp + !place->is_exact;
	SptChainEnd end;

	run->machine = machine;
	run->machine_known = known;
	run->registers[0] = 0;
	run->registers[1] = run->bias;
	run->registers[2] = place->fp;
	run->registers[3] = sp;
	run->registers[4] = place->ip;
	run->registers[5] = place->is_exact;
	end = chain_run(run, 0, native, place);
	return end == SPT_CHAIN_NEXT && (place->sp < least || place->sp % 8) ? SPT_CHAIN_ENDS : end;
}

/* Names. */

/* Where the elements of @span are, by the address that its path begins with; 0: nowhere. */
static uint64_t chain_follow(SptChainRun *run, const struct sysprof_chain_span *span, uint64_t at,
			     uint64_t *ret_owner)
{
	*ret_owner = at;
	for (unsigned i = 0; i < SYSPROF_SPAN_PATH && span->path[i] != SYSPROF_SPAN_NONE; i++) {
		if (!run->read(at + span->path[i], &at, sizeof(at), run->data))
			return 0;
		if (i + 1 == span->length_in)
			*ret_owner = at;
	}
	return at;
}

static unsigned chain_text_bytes(SptChainRun *run, uint64_t at, unsigned most)
{
	unsigned n = 0;
	char byte;

	while (n < most && run->read(at + n, &byte, sizeof(byte), run->data) && byte)
		n++;
	return n;
}

/* How many bytes of @span are copied, at most @most. */
static unsigned chain_span_bytes(SptChainRun *run, const struct sysprof_chain_span *span,
				 uint64_t at, uint64_t owner, unsigned most)
{
	unsigned length_bytes = span->length_bytes == 2 || span->length_bytes == 4 ?
					span->length_bytes : 8;
	uint8_t unit = span->unit_bytes ? span->unit_bytes : 1;
	uint64_t length = 0;

	most = MIN(span->max, most);
	if (span->length == SYSPROF_SPAN_NONE)
		return span->length_bytes == 1 ? chain_text_bytes(run, at, most) : most;
	if (!run->read(owner + span->length, &length, length_bytes, run->data))
		return 0;
	if (span->unit != SYSPROF_SPAN_NONE) {
		if (!run->read(at + span->unit, &unit, sizeof(unit), run->data))
			return 0;
		unit = unit >> (span->unit_shift & 7) & 7;
	}
	return (unsigned)MIN(span->head + MIN(length, most) * unit, most);
}

/* Copies what there is of @bytes at @at: the rest is zeros. */
static void chain_copy(SptChainRun *run, uint8_t *to, uint64_t at, unsigned bytes)
{
	for (unsigned n = 0; n < bytes; n += 8)
		if (!run->read(at + n, to + n, MIN(bytes - n, 8), run->data))
			memset(to + n, 0, MIN(bytes - n, 8));
}

struct sysprof_code *spt_chain_names(const SptChainSteps *steps, uint64_t bias, uint64_t code,
				     SptChainRead read, void *data)
{
	g_autofree SptChainRun *run = g_new(SptChainRun, 1);
	struct sysprof_code *made = g_malloc0(sizeof(*made) + SYSPROF_SPANS_MAX_BYTES);
	uint64_t from[1 + SYSPROF_CHAIN_MAX_SPANS] = { code };
	unsigned words = 0;

	spt_chain_begin(run, steps, bias, read, data);
	run->fuel = NAMES_FUEL;
	run->registers[1] = bias;
	run->registers[2] = code;
	run->machine_known = 0;
	if (steps->header->names)
		chain_run(run, steps->header->names, 0, &(SptChainPlace){ 0 });
	made->record.type = SYSPROF_CODE;
	made->tag = steps->header->tag;
	for (unsigned i = 0; i < steps->header->n_spans; i++) {
		const struct sysprof_chain_span *span = &steps->spans[i];
		uint64_t at = span->from >= SYSPROF_SPAN_REGISTER ? R(run, span->from) :
			      span->from <= i			   ? from[span->from] :
								     0,
			 owner;

		at = at ? chain_follow(run, span, at, &owner) : 0;
		from[1 + i] = at;
		if (at)
			made->bytes[i] = (uint16_t)chain_span_bytes(
				run, span, at, owner, SYSPROF_SPANS_MAX_BYTES - words * 8);
		chain_copy(run, (uint8_t *)(made->data + words), at, made->bytes[i]);
		words += (made->bytes[i] + 7u) / 8;
	}
	made->record.size = (uint16_t)(sizeof(*made) / 8 + words);
	return made;
}
