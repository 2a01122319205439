/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of programs of steps that are compared with those before.  A thread's outer frames stay
 * where they are: what a program found for a native frame is what it will find there again, if
 * these are the same: the registers that it reads before it sets them, and each word that it read.
 * Where a register counts only for some frames, as the frame pointer does, it is compared where an
 * instruction that was executed reads it.
 *
 * Each CPU remembers some frames, by their stack pointer and return address.  Nothing is guessed:
 * only runs are remembered that led to a caller, and that asked for no other register of the native
 * frame.  A frame that the tick interrupted is never the same.
 *
 * What is known takes little fuel.  So a deep stack may be found as a whole where it was cut
 * before.
 */
#ifndef _SYSPROF_STEP_RECALL_H
#define _SYSPROF_STEP_RECALL_H

#include <linux/hash.h>

#include "chain.h"
#include "chain-recall.h"
#include "recall-words.h"

/* What is longer is not remembered. */
#define STEP_RECALL_WORDS 16
#define STEP_RECALL_BITS  8
/* About as much is done as for a node of a list. */
#define FUEL_OF_KNOWN	  SYSPROF_CHAIN_LIST_FUEL

/**
 * struct step_seen - what a program of steps found for a native frame
 * @mm: id of the address space
 * @program: number of the program; 0: nothing
 * @sp: the frame's, like the next ones
 * @ip: where it is called to return to
 * @fp: its frame pointer
 * @thread: what the program began with
 * @bias: likewise
 * @kept: the registers that it keeps from frame to frame (struct sysprof_program), before
 * @left: the same, after
 * @next: the caller's frame
 * @n_words: number of words
 * @n: number of frames
 * @needs_fp: @fp counts
 * @word: what was read
 * @frame: what was emitted
 */
struct step_seen {
	u64 mm;
	u64 program;
	u64 sp;
	u64 ip;
	u64 fp;
	u64 thread;
	u64 bias;
	u64 kept[SYSPROF_CHAIN_KEPT];
	u64 left[SYSPROF_CHAIN_KEPT];
	struct {
		u64 fp;
		u64 sp;
		u64 ip;
	} next;
	u8 n_words;
	u8 n;
	bool needs_fp;
	struct recall_word word[STEP_RECALL_WORDS];
	struct sysprof_memo_frame frame[SYSPROF_SCRIPT_MEMO_FRAMES];
};

/**
 * struct step_recall - of one CPU
 * @turn: which one of two is replaced next
 * @seen: by hash, two each
 */
struct step_recall {
	u32 turn;
	struct step_seen seen[2 << STEP_RECALL_BITS];
};

/* Where the frame at @step is remembered, or may be; NULL: it is not to be. */
static __always_inline struct step_seen *step_place(const struct sysprof_script *script,
						    const struct sysprof_caller *step)
{
	struct step_seen *pair;

	if (!script->steps || step->is_exact || script->program->n_kept > SYSPROF_CHAIN_KEPT ||
	    !READ_ONCE(sysprof_recall_mode))
		return NULL;
	pair = script->steps->seen + 2 * hash_64(step->sp ^ step->ip << 16, STEP_RECALL_BITS);
	if (pair->sp == step->sp && pair->ip == step->ip)
		return pair;
	pair++;
	if (pair->sp == step->sp && pair->ip == step->ip)
		return pair;
	return pair - (script->steps->turn++ & 1);
}

/* Inside the window: whether a run for @step ends as before.  Then all that it does is done. */
static __always_inline bool step_is_same(const struct step_seen *seen,
					 struct sysprof_script *script,
					 struct sysprof_caller *step)
{
	const struct sysprof_program *program = script->program;
	const struct recall_word *end = seen->word + seen->n_words;
	const struct sysprof_memo_frame *from = seen->frame;
	struct sysprof_script_frame *to = script->frame + script->n;
	u64 *kept = script->registers + program->first_kept, differs;
	u32 i, n = seen->n;

	differs = (seen->program ^ program->number) | (seen->mm ^ script->mm) |
		  (seen->sp ^ step->sp) | (seen->ip ^ step->ip) |
		  (seen->thread ^ script->thread) | (seen->bias ^ script->bias);
	for (i = 0; i < program->n_kept; i++)
		differs |= *(seen->kept + i) ^ *(kept + i);
	if (differs || (seen->needs_fp && seen->fp != step->fp) || script->fuel < FUEL_OF_KNOWN ||
	    n > program->max_frames - script->n || recall_compare(seen->word, end) != end)
		return false;
	for (i = 0; i < program->n_kept; i++)
		*(kept + i) = *(seen->left + i);
	for (i = 0; i < n; i++, from++, to++) {
		to->code = from->code;
		to->position = from->position;
		to->identity = from->identity;
		to->with = 0;
		to->is_last = false;
		to->passed = 0;
	}
	script->n += n;
	script->fuel -= FUEL_OF_KNOWN;
	step->fp = seen->next.fp;
	step->sp = seen->next.sp;
	step->ip = seen->next.ip;
	step->is_found = true;
	return true;
}

/**
 * struct step_begin - how a run began that may be remembered
 * @sp: as in struct step_seen
 * @ip: likewise
 * @fp: likewise
 * @kept: likewise
 * @n: number of the script's frames
 */
struct step_begin {
	u64 sp;
	u64 ip;
	u64 fp;
	u64 kept[SYSPROF_CHAIN_KEPT];
	u32 n;
};

/* Before a run that is noted on the tape of @script. */
static inline void step_note(struct step_begin *begin, struct sysprof_script *script,
			     const struct sysprof_caller *step)
{
	struct chain_tape *tape = &script->recall->tape;
	u32 i;

	begin->sp = step->sp;
	begin->ip = step->ip;
	begin->fp = step->fp;
	begin->n = script->n;
	for (i = 0; i < script->program->n_kept; i++)
		begin->kept[i] = script->registers[script->program->first_kept + i];
	tape->n_words = 0;
	tape->is_whole = true;
	tape->needs_fp = false;
}

/* Copies the frames of @script from @first on to @to, which has room; the window may be open. */
static __always_inline void step_keep_frames(struct sysprof_memo_frame *to,
					     const struct sysprof_script *script, u32 first)
{
	const struct sysprof_script_frame *from = script->frame + first,
					  *end = script->frame + script->n;

	for (; from < end; from++, to++) {
		to->code = from->code;
		to->position = from->position;
		to->identity = from->identity;
	}
}

/* It has led to @step. */
static inline void step_put(struct step_seen *seen, const struct step_begin *begin,
			    struct sysprof_script *script, const struct sysprof_caller *step)
{
	const struct sysprof_program *program = script->program;
	const struct chain_tape *tape = &script->recall->tape;
	u32 i, n = script->n - begin->n;

	if (!tape->is_whole || tape->n_words > STEP_RECALL_WORDS ||
	    n > SYSPROF_SCRIPT_MEMO_FRAMES)
		return;
	seen->program = program->number;
	seen->mm = script->mm;
	seen->sp = begin->sp;
	seen->ip = begin->ip;
	seen->fp = begin->fp;
	seen->thread = script->thread;
	seen->bias = script->bias;
	seen->needs_fp = tape->needs_fp;
	for (i = 0; i < program->n_kept; i++) {
		seen->kept[i] = begin->kept[i];
		seen->left[i] = script->registers[program->first_kept + i];
	}
	seen->next.fp = step->fp;
	seen->next.sp = step->sp;
	seen->next.ip = step->ip;
	seen->n_words = tape->n_words;
	for (i = 0; i < tape->n_words; i++)
		seen->word[i] = tape->word[i];
	seen->n = n;
	step_keep_frames(seen->frame, script, begin->n);
}

#endif /* _SYSPROF_STEP_RECALL_H */
