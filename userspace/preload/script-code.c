/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers the code that a thread's scripts execute, and writes its names into the ring when they
 * are first met.
 */
#include "nodes.h"
#include "plain.h"
#include "script.h"

/* Of a record's 11 bits. */
#define MOST_WORDS (SPT_RING_MORE_MASK - SPT_RING_CODE_WORDS)

_Static_assert(SPT_SCRIPT_CODES == SPT_RING_CODE_MOST, "they are the numbers");

uint32_t spt_script_number(struct spt_thread *thread, const struct spt_script_frame *frame)
{
	struct spt_script_state *state = &thread->script;
	uint32_t at = (uint32_t)(frame->identity * 0x9e3779b97f4a7c15ULL >> 32);
	struct spt_script_code *code;

	for (;; at++) {
		code = &state->codes[at & (SPT_SCRIPT_CODES - 1)];
		if (code->code == frame->code && code->identity == frame->identity) {
			code->with = frame->with;
			return (uint32_t)(code - state->codes) + 1;
		}
		if (!code->code)
			break;
	}
	/* With a quarter of the places free few are looked at in vain. */
	if (state->n_codes == SPT_SCRIPT_CODES / 4 * 3) {
		thread->generation = SPT_STALE;
		return 0;
	}
	state->n_codes += !!frame->code;
	*code = (struct spt_script_code){ frame->code, frame->identity, frame->with, false };
	return frame->code ? (uint32_t)(code - state->codes) + 1 : 0;
}

/* Where @span's elements are, by the address that its path begins with; 0: it does not exist. */
static uint64_t script_code_follow(struct spt_script_state *state,
				   const struct sysprof_chain_span *span, uint64_t at,
				   uint64_t *ret_owner)
{
	*ret_owner = at;
	for (unsigned i = 0; i < SYSPROF_SPAN_PATH && span->path[i] != SYSPROF_SPAN_NONE; i++) {
		if (!spt_script_read(state, &at, at + span->path[i], sizeof(at)))
			return 0;
		if (i + 1 == span->length_in)
			*ret_owner = at;
	}
	return at;
}

/* How many bytes of the text at @at there are, at most @most. */
static unsigned script_code_text(struct spt_script_state *state, uint64_t at, unsigned most)
{
	unsigned n = 0;
	char byte;

	while (n < most && spt_script_read(state, &byte, at + n, sizeof(byte)) && byte)
		n++;
	return n;
}

/* How many bytes of @span, whose elements are at @at, are copied; at most @most. */
static unsigned script_code_bytes(struct spt_script_state *state,
				  const struct sysprof_chain_span *span, uint64_t at,
				  uint64_t owner, unsigned most)
{
	uint64_t length = 0, bytes;
	uint8_t unit = span->unit_bytes ? span->unit_bytes : 1;

	most = span->max < most ? span->max : most;
	if (span->length == SYSPROF_SPAN_NONE)
		return span->length_bytes == 1 ? script_code_text(state, at, most) : most;
	if (!spt_script_read(state, &length, owner + span->length,
			     span->length_bytes == 4 ? 4 : 8))
		return 0;
	if (span->unit != SYSPROF_SPAN_NONE) {
		if (!spt_script_read(state, &unit, at + span->unit, sizeof(unit)))
			return 0;
		unit = unit >> (span->unit_shift & 7) & 7;
	}
	bytes = span->head + (length < most ? length : most) * unit;
	return bytes < most ? (unsigned)bytes : most;
}

/* Sets the state's spans to those of @code. */
static void script_code_find(struct spt_script_state *state, uint64_t code)
{
	const struct spt_interpreter *interpreter = state->interpreter;
	struct spt_script_spans *ret = &state->spans;

	memset(ret, 0, sizeof(*ret));
	ret->from[0] = code;
	for (unsigned i = 0; i < interpreter->chain->n_spans && i < SYSPROF_CHAIN_MAX_SPANS; i++) {
		const struct sysprof_chain_span *span = &interpreter->spans[i];
		uint64_t owner, at = 0;

		if (span->from >= SYSPROF_SPAN_REGISTER)
			at = state->registers[span->from & (SYSPROF_CHAIN_REGISTERS - 1)];
		else if (span->from <= i)
			at = ret->from[span->from];
		at = at ? script_code_follow(state, span, at, &owner) : 0;
		ret->from[1 + i] = at;
		ret->bytes[i] = (uint16_t)(at ? script_code_bytes(state, span, at, owner,
								   (MOST_WORDS - ret->words) * 8) :
						0);
		ret->words += (ret->bytes[i] + 7u) / 8;
	}
}

/* Copies @bytes from @from into the ring, and zeros where nothing is.  Returns the next place. */
static uint32_t script_code_put(struct spt_thread *thread, uint32_t at, uint64_t from,
				unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i += 8) {
		uint64_t word = 0;

		spt_script_read(&thread->script, &word, from + i, bytes - i < 8 ? bytes - i : 8);
		spt_ring_put(thread, at++, word);
	}
	return at;
}

void spt_script_tell(struct spt_thread *thread, uint32_t number)
{
	struct spt_script_state *state = &thread->script;
	struct spt_script_code *code = &state->codes[number - 1];
	const struct spt_script_spans *spans = &state->spans;
	uint64_t words[2];
	uint32_t at;

	if (!number || code->has_names)
		return;
	code->has_names = true;
	spt_script_run_names(thread, code);
	script_code_find(state, code->code);
	at = spt_ring_take(thread, 1 + SPT_RING_CODE_WORDS + spans->words);
	spt_ring_put(thread, at,
		     SPT_RING_CODE | (uint64_t)number << SPT_RING_POINTER_SHIFT |
			     (uint64_t)(SPT_RING_CODE_WORDS + spans->words) << SPT_RING_MORE_SHIFT);
	spt_ring_put(thread, at + 1, state->interpreter->code->start);
	spt_ring_put(thread, at + 2, state->interpreter->chain->tag);
	memcpy(words, spans->bytes, sizeof(words));
	spt_ring_put(thread, at + 3, words[0]);
	spt_ring_put(thread, at + 4, words[1]);
	at += 1 + SPT_RING_CODE_WORDS;
	for (unsigned i = 0; i < SYSPROF_CHAIN_MAX_SPANS; i++)
		at = script_code_put(thread, at, spans->from[1 + i], spans->bytes[i]);
}
