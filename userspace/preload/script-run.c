/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs chains, as the uapi header sysprof-chain.h says, in the process whose memory they read.
 * Whatever a chain is, and whatever is in memory: registers, jumps and lists stay within what there
 * is, fuel ends it, and nothing is read that does not exist.
 */
#include "plain.h"
#include "rings/chain-ops.h"
#include "script.h"
#include "stack.h"
#include "walk.h"

#define PAGE 4096u
/* In one run; a real interpreter's frames are in few. */
#define MOST_LOOKS 512u
#define R(number) (registers[(number) & (SYSPROF_CHAIN_REGISTERS - 1)])

/* Memory. */

uint32_t spt_unmapped;

/* glibc gives memory back there without a call that is seen. */
static uint64_t heap_end(void)
{
	void *const *end = spt_functions.program_break;

	return end ? (uint64_t)__atomic_load_n(end, __ATOMIC_RELAXED) : 0;
}

void spt_script_begin(struct spt_script_state *state)
{
	uint32_t unmapped = __atomic_load_n(&spt_unmapped, __ATOMIC_SEQ_CST);
	uint64_t before = state->heap_end;

	state->looks = MOST_LOOKS;
	state->heap_end = heap_end();
	/* The other library does not see what is unmapped. */
	if (spt_library == SPT_RINGS_MEMORY && state->unmapped == unmapped &&
	    state->heap_end >= before)
		return;
	state->unmapped = unmapped;
	memset(state->pages, 0, sizeof(state->pages));
}

void spt_script_forget(struct spt_script_state *state)
{
	/* A library that was unloaded may be why. */
	memset(state->pages, 0, sizeof(state->pages));
	if (state->n_codes)
		memset(state->codes, 0, sizeof(state->codes));
	state->n_codes = 0;
}

bool spt_script_note(struct spt_script_state *state, uint32_t at)
{
	struct spt_script_memo *memo = &state->memos[at & (SPT_SCRIPT_MEMOS - 1)];
	struct spt_script_load *to;

	/* The other library does not see when that was unmapped. */
	if (state->n_loads > SPT_SCRIPT_LOADS || spt_library != SPT_RINGS_MEMORY)
		return false;
	memo->memo = at + 1;
	memo->n = state->n_loads;
	memo->unmapped = state->unmapped;
	/* In one piece. */
	if (state->n_noted % SPT_SCRIPT_NOTED + memo->n > SPT_SCRIPT_NOTED)
		state->n_noted += SPT_SCRIPT_NOTED - state->n_noted % SPT_SCRIPT_NOTED;
	memo->begin = state->n_noted;
	to = &state->noted[memo->begin % SPT_SCRIPT_NOTED];
	for (uint32_t i = 0; i < memo->n; i++)
		to[i] = state->loads[i];
	state->n_noted += memo->n;
	return true;
}

/*
 * Compares in the order in which the chain read, and ends at the first difference: so each address
 * is one to which words lead that are the same now, as if the chain ran anew.
 */
bool spt_script_is_same(const struct spt_script_state *state, uint32_t at)
{
	const struct spt_script_memo *memo = &state->memos[at & (SPT_SCRIPT_MEMOS - 1)];
	const struct spt_script_load *load = &state->noted[memo->begin % SPT_SCRIPT_NOTED],
				     *end = load + memo->n;
	const struct {
		uint64_t value;
	} __attribute__((packed, may_alias)) *word;

	if (memo->memo != at + 1 ||
	    memo->unmapped != __atomic_load_n(&spt_unmapped, __ATOMIC_SEQ_CST) ||
	    heap_end() < state->heap_end || state->n_noted - memo->begin > SPT_SCRIPT_NOTED)
		return false;
	for (; load < end; load++) {
		word = (const void *)(load->at & ((1ULL << 56) - 1));
		if (word->value << (load->at >> 56) != load->value)
			return false;
	}
	return true;
}

static __attribute__((noinline)) bool script_run_look(struct spt_script_state *state, uint64_t page)
{
	uint8_t byte;

	/* The first page would look like one that is known. */
	if (!page || !state->looks)
		return false;
	state->looks--;
	if (!spt_read_safely(page * PAGE, &byte, 1))
		return false;
	state->pages[page & (SPT_SCRIPT_PAGES - 1)] = page;
	return true;
}

static inline bool is_page(struct spt_script_state *state, uint64_t page)
{
	return __builtin_expect(page && state->pages[page & (SPT_SCRIPT_PAGES - 1)] == page, 1) ||
	       script_run_look(state, page);
}

/* Notes that the @bytes at @address are @value, unless reading a whole word there may fail. */
static inline void script_run_note(struct spt_script_state *state, uint64_t address,
				   unsigned bytes, uint64_t value)
{
	unsigned shift = 64 - 8 * bytes;

	if (state->n_loads >= SPT_SCRIPT_LOADS || address % PAGE > PAGE - 8) {
		state->n_loads = SPT_SCRIPT_LOADS + 1;
		return;
	}
	state->loads[state->n_loads++] = (struct spt_script_load){
		address | (uint64_t)shift << 56, value << shift
	};
}

static inline bool script_run_load(struct spt_script_state *state, uint64_t *to, uint64_t address,
				   unsigned bytes)
{
	const struct {
		uint64_t value;
	} __attribute__((packed, may_alias)) *word = (const void *)address;
	const struct {
		uint32_t value;
	} __attribute__((packed, may_alias)) *half = (const void *)address;
	const struct {
		uint16_t value;
	} __attribute__((packed, may_alias)) *quarter = (const void *)address;

	if (!is_page(state, address / PAGE) ||
	    (__builtin_expect(address % PAGE > PAGE - bytes, 0) &&
	     !is_page(state, (address + bytes - 1) / PAGE)))
		return false;
	switch (bytes) {
	case 8:
		*to = word->value;
		break;
	case 4:
		*to = half->value;
		break;
	case 2:
		*to = quarter->value;
		break;
	default:
		*to = *(const uint8_t *)address;
		break;
	}
	script_run_note(state, address, bytes, *to);
	return true;
}

bool spt_script_read(struct spt_script_state *state, void *to, uint64_t address, unsigned bytes)
{
	uint8_t *at = to;
	uint64_t byte;

	for (; bytes; bytes--, address++, at++) {
		if (!script_run_load(state, &byte, address, 1))
			return false;
		*at = (uint8_t)byte;
	}
	return true;
}

/* Frames. */

/* False: there is no room. */
static inline bool script_run_emit(struct spt_script_state *state, uint32_t most, uint64_t code,
				   uint64_t position, uint64_t identity, uint64_t with)
{
	if (state->n >= most)
		return false;
	state->frames[state->n++] = (struct spt_script_frame){
		.code = code,
		.position = position,
		.identity = identity,
		.with = with,
		.passed = state->passed
	};
	state->passed = 0;
	return true;
}

static inline void script_run_mark(struct spt_script_state *state, uint64_t mark)
{
	struct spt_script_frame *frame = state->frames + state->n - 1;

	if (!state->n || frame->is_last) {
		state->passed += !mark;
		return;
	}
	frame->is_last = true;
	frame->mark = mark;
}

/* A node of a list.  False: some of it does not exist, or there is no room. */
static inline bool take_list_node(struct spt_script_state *state,
				  const struct sysprof_chain_list *list, uint32_t most,
				  uint64_t node)
{
	uint64_t code, position, identity, word;

	if (!script_run_load(state, &code, node + list->code, 8) ||
	    !script_run_load(state, &position, node + list->position,
			     list->position_bytes == 8 ? 8 : 4))
		return false;
	identity = code &= ~0ULL << (list->code_bits & 63);
	if (list->position_of_code)
		position -= code;
	position = (position - (uint64_t)(int64_t)list->position_base) >>
		   (list->position_shift & 63);
	for (unsigned i = 0; i < 3; i++) {
		if (!script_run_load(state, &word, code + list->identity[i], 8))
			return false;
		identity = spt_chain_mix(identity, word);
	}
	return script_run_emit(state, most, code, position, identity, 0);
}

/* The frames of a list from *@node on; 0 then.  False: the program ends here. */
static bool script_run_list(struct spt_script_state *state, const struct sysprof_chain_list *list,
		     uint32_t most, uint64_t *node, uint64_t *mark)
{
	bool is_alone = list->flag_kind == SYSPROF_CHAIN_FLAG_ALONE,
	     is_last = list->flag_kind == SYSPROF_CHAIN_FLAG_LAST;
	uint64_t at = *node, next, flag = 0;

	for (; at; at = next) {
		state->fuel -= SYSPROF_CHAIN_LIST_FUEL;
		if (state->fuel < 0 || !script_run_load(state, &next, at + list->next, 8) ||
		    ((is_alone || is_last) && !script_run_load(state, &flag, at + list->flag, 1)))
			return false;
		if (is_alone && flag == list->flag_value) {
			script_run_mark(state, at);
			continue;
		}
		if (!take_list_node(state, list, most, at))
			return false;
		if (is_last && flag == list->flag_value) {
			script_run_mark(state, *mark);
			if (!script_run_load(state, mark, *mark + list->mark_next, 8))
				return false;
		}
		if (list->flag_kind == SYSPROF_CHAIN_FLAG_EACH)
			script_run_mark(state, 0);
	}
	*node = 0;
	return true;
}

/* Programs. */

/* A load instruction.  False: the memory does not exist. */
static inline bool script_run_insn(struct spt_script_state *state,
				   const struct sysprof_chain_insn *insn)
{
	static const uint8_t bytes[] = { 8, 4, 4, 2, 1 };
	uint64_t *registers = state->registers,
		 address = R(insn->src) + (uint64_t)(int64_t)insn->imm;

	if (!script_run_load(state, &R(insn->dst), address, bytes[insn->op]))
		return false;
	if (insn->op == SYSPROF_CHAIN_LD4S)
		R(insn->dst) = (uint64_t)(int64_t)(int32_t)R(insn->dst);
	return true;
}

/* From instruction @at on.  Returns whether there may be more frames. */
static bool script_run_program(struct spt_script_state *state, uint32_t at)
{
	const struct spt_interpreter *interpreter = state->interpreter;
	const struct sysprof_chain_header *chain = interpreter->chain;
	uint32_t most = chain->max_frames < SPT_SCRIPT_FRAMES ? chain->max_frames :
								SPT_SCRIPT_FRAMES;
	uint64_t *registers = state->registers, with = 0;

	for (; at < chain->n_insns && --state->fuel >= 0; at++) {
		const struct sysprof_chain_insn *insn = &interpreter->insns[at];
		uint32_t imm = (uint32_t)insn->imm;

		if (insn->op <= SYSPROF_CHAIN_LD1) {
			if (!script_run_insn(state, insn))
				return true;
		} else if (insn->op <= SYSPROF_CHAIN_MIX) {
			spt_chain_compute(insn, &R(insn->dst), R(insn->src));
		} else if (insn->op <= SYSPROF_CHAIN_JLT) {
			if (spt_chain_jumps(insn, R(insn->dst), R(insn->src)))
				at += insn->jump;
		} else if (insn->op == SYSPROF_CHAIN_EMIT) {
			if (!script_run_emit(state, most, R(insn->src), R(insn->dst),
					     spt_chain_mix(R(insn->src), R(imm)), with))
				return true;
			with = 0;
		} else if (insn->op == SYSPROF_CHAIN_WITH) {
			with = R(insn->src);
		} else if (insn->op == SYSPROF_CHAIN_MARK) {
			script_run_mark(state, R(insn->src));
		} else if (insn->op == SYSPROF_CHAIN_LIST) {
			if (imm >= chain->n_lists ||
			    !script_run_list(state, &interpreter->lists[imm], most, &R(insn->dst),
				      &R(insn->src)))
				return true;
		} else if (insn->op == SYSPROF_CHAIN_LOOP) {
			at = imm - 1;
		} else {
			return imm;
		}
	}
	return true;
}

static void script_run_begin(struct spt_script_state *state)
{
	memset(state->registers, 0, sizeof(state->registers));
	state->registers[0] = (uint64_t)__builtin_thread_pointer();
	state->registers[1] = state->interpreter->bias;
	state->fuel = SYSPROF_CHAIN_FUEL;
	state->n_loads = 0;
	spt_script_begin(state);
}

void spt_script_run(struct spt_thread *thread)
{
	struct spt_script_state *state = &thread->script;

	script_run_begin(state);
	state->n = 0;
	state->passed = 0;
	state->is_cut = script_run_program(state, 0);
}

bool spt_script_run_names(struct spt_thread *thread, const struct spt_script_code *code)
{
	struct spt_script_state *state = &thread->script;

	script_run_begin(state);
	state->registers[2] = code->code;
	state->registers[5] = code->with;
	/* What names are read from is no part of the stack. */
	state->n_loads = SPT_SCRIPT_LOADS + 1;
	return !state->interpreter->chain->names ||
	       !script_run_program(state, state->interpreter->chain->names);
}
