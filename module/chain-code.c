// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers the code that scripts execute, and copies its names when a session first gets the number:
 * the process may be gone a moment later.
 */
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "arch.h"
#include "chain-recall.h"
#include "chain.h"
#include "code-number.h"
#include "delivery.h"

/* In one stack; the others' turn comes with the next stack that has them. */
#define SEND_MAX       32
#define SEND_MAX_BYTES 16384
#define ATTEMPTS       3

static bool is_of_frame(const struct sysprof_known_code *known, const struct sysprof_script *script,
			const struct sysprof_script_frame *frame)
{
	return known->code == frame->code && known->identity == frame->identity &&
	       known->mm == script->mm;
}

/* Where the number of @frame's code is: one of two places, or the older one of them. */
static struct sysprof_known_code *known_code(struct sysprof_script *script,
					     const struct sysprof_script_frame *frame)
{
	u64 key = (frame->identity ^ script->mm) * GOLDEN_RATIO_64;
	struct sysprof_known_code *known = &script->known[key >> (64 - SYSPROF_CODES_BITS)];
	struct sysprof_known_code *other = &script->known[(known - script->known) ^ 1];

	if (is_of_frame(known, script, frame))
		return known;
	if (is_of_frame(other, script, frame))
		return other;
	return known->turn <= other->turn ? known : other;
}

/* Numbers the first @n codes. */
static void codes_number(struct sysprof_script *script, u32 n)
{
	struct sysprof_known_code *known;
	struct sysprof_script_frame *frame;
	u32 i;

	for (i = 0; i < n; i++) {
		frame = &script->frame[i];
		known = known_code(script, frame);
		if (unlikely(!is_of_frame(known, script, frame))) {
			script->displaced += !!known->number;
			known->mm = script->mm;
			known->code = frame->code;
			known->identity = frame->identity;
			known->number = sysprof_code_number_new();
			known->turn = ++script->turn;
		}
		sysprof_script_frame_number(frame, known->number);
		frame->known = known - script->known;
	}
}

void sysprof_codes_number(struct sysprof_script *script)
{
	u32 displaced = script->displaced;

	/* The others have theirs. */
	codes_number(script, script->n - script->n_numbered);
	if (unlikely(script->displaced != displaced) && script->n_numbered) {
		/* One of them may have lost its place. */
		displaced = script->displaced;
		sysprof_chain_recall_renumber(script);
		codes_number(script, script->n);
	}
	if (script->remembered)
		script->remembered->displaced = displaced;
}

/* Where @span's elements are, by the address that its path begins with; 0: it cannot be read. */
static u64 code_follow(const struct sysprof_chain_span *span, u64 code, u64 *ret_owner)
{
	u32 i;

	*ret_owner = code;
	for (i = 0; i < SYSPROF_SPAN_PATH && span->path[i] != SYSPROF_SPAN_NONE; i++) {
		if (!sysprof_arch_copy_user(&code, code + span->path[i], sizeof(code)))
			return 0;
		if (i + 1 == span->length_in)
			*ret_owner = code;
	}
	return code;
}

/* Where @span's path begins; @from: the code, and where the elements of earlier spans are. */
static u64 span_origin(const struct sysprof_chain_span *span, const u64 *from,
		       const u64 *registers)
{
	return span->from < SYSPROF_SPAN_REGISTER ?
		       from[span->from] :
		       registers[span->from - SYSPROF_SPAN_REGISTER];
}

/* A text may end before memory does: as much of @max bytes as there is to its end, or -1. */
static int copy_text(u8 *to, u64 at, u32 max)
{
	u32 bytes = max;
	u8 *end;

	if (!sysprof_arch_copy_user(to, at, bytes)) {
		bytes = PAGE_SIZE - (at & (PAGE_SIZE - 1));
		if (bytes >= max || !sysprof_arch_copy_user(to, at, bytes))
			return -1;
	}
	end = memchr(to, 0, bytes);
	if (!end && bytes < max)
		return -1;
	return end ? end - to : bytes;
}

/* Copies @span of @code to @to, from *@ret_at on.  Returns its bytes; -1: it cannot be read. */
static int copy_span(const struct sysprof_chain_span *span, u64 code, void *to, u64 *ret_at)
{
	u64 owner, at = code_follow(span, code, &owner), length = 0, bytes = span->max;
	u8 unit = max_t(u8, span->unit_bytes, 1);

	*ret_at = at;
	if (!at)
		return -1;
	if (span->length != SYSPROF_SPAN_NONE) {
		if (!sysprof_arch_copy_user(&length, owner + span->length, span->length_bytes))
			return -1;
		if (span->unit != SYSPROF_SPAN_NONE) {
			if (!sysprof_arch_copy_user(&unit, at + span->unit, sizeof(unit)))
				return -1;
			unit = unit >> span->unit_shift & 7;
		}
		bytes = min_t(u64, span->head + min_t(u64, length, span->max) * unit, span->max);
	} else if (span->length_bytes == 1) {
		return copy_text(to, at, bytes);
	}
	return sysprof_arch_copy_user(to, at, bytes) ? (int)bytes : -1;
}

/*
 * Returns the bytes that were sent; 0: there was no room, or no fuel.  *@is_whole: nothing is
 * missing.
 */
static u32 send_code(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
		     struct sysprof_script *script, const struct sysprof_script_frame *frame,
		     bool *is_whole)
{
	bool is_thread = frame == &script->thread_frame;
	const struct sysprof_program *program = is_thread ? script->thread_program :
							    script->program;
	u16 bytes[SYSPROF_CHAIN_MAX_SPANS] = {};
	u64 from[1 + SYSPROF_CHAIN_MAX_SPANS] = { frame->code };
	bool has_caller = !is_thread && program->has_registers &&
			  frame + 1 < script->frame + script->n;
	u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS] = {
		[3] = has_caller ? frame[1].code : 0,
		[4] = has_caller ? frame[1].position : 0,
		[5] = frame->with,
	};
	s32 *fuel = &stack->names_fuel;
	bool has_all_fuel = *fuel == SYSPROF_CHAIN_FUEL;
	u32 at = 0, i;
	struct sysprof_code *record;
	u64 origin;
	int got;

	*is_whole = !program->names ||
		    sysprof_chain_run_names(program, frame->code, registers, fuel);
	/* It may need less than a whole stack's. */
	if (*fuel < 0 && !has_all_fuel)
		return 0;
	for (i = 0; i < program->n_spans; i++) {
		origin = span_origin(&program->span[i], from, registers);
		if (!origin && program->span[i].from >= SYSPROF_SPAN_REGISTER)
			continue;
		got = copy_span(&program->span[i], origin, script->room + at / 8, &from[1 + i]);
		*is_whole &= got >= 0;
		*fuel -= SYSPROF_CHAIN_LIST_FUEL + (got < 0 ? SYSPROF_CHAIN_FAULT_FUEL : 0);
		bytes[i] = max(got, 0);
		memset((u8 *)(script->room + at / 8) + bytes[i], 0, -bytes[i] & 7);
		at += ALIGN(bytes[i], 8);
	}
	record = sysprof_delivery_take(sc, sizeof(*record) + at, sc->ring.bytes / 2, SYSPROF_CODE);
	if (!record)
		return 0;
	record->record.flags = *is_whole ? 0 : SYSPROF_CODE_PART;
	record->record.pid = stack->pid;
	record->record.tid = stack->tid;
	record->mm = script->mm;
	record->code = frame->number;
	record->tag = program->tag;
	record->object = is_thread ? script->thread_object : script->object;
	memcpy(record->bytes, bytes, sizeof(bytes));
	memcpy(record->data, script->room, at);
	ring_commit(&sc->ring);
	return sizeof(*record) + at;
}

void sysprof_codes_forget(struct sysprof_session_cpu *sc)
{
	if (sc->sent)
		memset(sc->sent, 0, sizeof(*sc->sent));
}

/*
 * Unless the session has @frame's code: adds its bytes to *@bytes.  *@is_done: the session has all
 * that it will get of it.  False: no room, or no fuel.
 */
static __always_inline bool send_if_new(struct sysprof_session_cpu *sc,
					struct sysprof_stack *stack, struct sysprof_script *script,
					const struct sysprof_script_frame *frame, u32 *bytes,
					bool *is_done)
{
	u64 *slot = &sc->sent->code[frame->known],
	    attempts = *slot >> 2 == frame->number ? *slot & 3 : 0;
	bool is_whole;
	u32 sent;

	if (likely(attempts == ATTEMPTS) || !frame->number)
		return true;
	*is_done = false;
	sent = send_code(sc, stack, script, frame, &is_whole);
	if (!sent)
		return false;
	*slot = frame->number << 2 | (is_whole ? ATTEMPTS : attempts + 1);
	*bytes += sent;
	return true;
}

void sysprof_codes_send(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
			const struct sysprof_user_part *part)
{
	struct sysprof_script *script = part->script;
	u32 i, n = 0, bytes = 0, before, n_inner = script->n, turn, turns = 1;
	bool is_done = true;

	/* What finds no room takes no fuel of others'. */
	if (!sc->sent || script->stack != stack ||
	    sysprof_ring_used(&sc->ring) >= sc->ring.bytes / 2)
		return;
	if (script->thread_program &&
	    !send_if_new(sc, stack, script, &script->thread_frame, &bytes, &is_done))
		return;
	if (script->outer_id && sc->sent->outer_id == script->outer_id)
		n_inner -= script->n_outer;
	/* What says more to the program of names comes last, as that may take all fuel for it. */
	for (turn = 0; turn < turns; turn++) {
		for (i = 0; i < n_inner && n < SEND_MAX && bytes < SEND_MAX_BYTES; i++) {
			if (script->frame[i].with ? !turn : turn) {
				turns = 2;
				continue;
			}
			before = bytes;
			if (!send_if_new(sc, stack, script, &script->frame[i], &bytes, &is_done))
				return;
			n += bytes != before;
		}
	}
	if (is_done && n_inner == script->n && i == n_inner)
		sc->sent->outer_id = script->outer_id;
}
