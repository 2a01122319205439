/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of programs that a thread's last one is compared with.  Ticks find a script's outer
 * functions again and again.
 *
 * A turn is where a program begins a node of a list, or goes back to an instruction of a loop.
 * What a run does from there on follows from the registers that it will read before it sets them
 * (chain-live.c), and from the words of memory that it will read.  Each CPU remembers, of the last
 * run of some threads, these registers at the turns, the words and the frames, from the first turn
 * to the end of the program.  A run looks at each turn whether it is one of these.  If so, it
 * compares the words from there on, in the order in which they were read: so each address is one to
 * which words lead that are the same now.  If all are the same, so are the frames.  Nothing is
 * guessed, and the run takes the fuel that it would have taken.
 *
 * Where they differ the run goes on by instructions.  It may come to a remembered turn again, but
 * only behind the word that differed: no word is compared twice in one run.
 *
 * Only runs are remembered that came to their end: not those that lacked memory, fuel or room.
 */
#ifndef _SYSPROF_CHAIN_RECALL_H
#define _SYSPROF_CHAIN_RECALL_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "chain.h"
#include "recall-counts.h"
#include "recall-words.h"

/* What is longer is not remembered. */
#define CHAIN_RECALL_TURNS  128U
#define CHAIN_RECALL_WORDS  1024U
#define CHAIN_RECALL_FRAMES 160U
#define CHAIN_RECALL_BITS   2
#define CHAIN_RECALL_HASH   8

/**
 * struct chain_turn - a turn of a run
 * @state: registers, in the order of their numbers
 * @mark: if @is_open, what became of the frame before: its mark
 * @at: number of the instruction << 1; 1 more: a node of its list
 * @word: number of the first word that is read from here on
 * @frame: likewise of the first frame
 * @fuel: what is taken from here on; in a run, what is left
 * @passed: groups without a frame since the frame before
 * @hash: of @state
 * @is_open: the frame before is not the last one of its group yet
 * @is_last: if @is_open, it became that
 */
struct chain_turn {
	u64 state[SYSPROF_CHAIN_STATE];
	u64 mark;
	u16 at;
	u16 word;
	u16 frame;
	u16 fuel;
	u16 passed;
	u8 hash;
	bool is_open;
	bool is_last;
};

/**
 * struct chain_remembered - the last run of a thread, or for one of its native frames.  All
 *	arrays but @slot are filled from their ends, where the run ended
 * @mm: id of the address space
 * @program: number of the program; 0: there are no turns
 * @tid: the thread
 * @sp: stack pointer of the native frame; 0: the run was for all
 * @displaced: as in struct sysprof_script, when its codes got their numbers
 * @top: first turn
 * @outer: the first one of the frames that no run has changed since @outer_id was new
 * @outer_id: theirs
 * @again: frames inside of @outer that were known again, since then
 * @is_cut: what the program said at its end
 * @bad: runs in a row of which too little was known
 * @skip: number of runs for which it is not used
 * @slot: by hash of the state, turns that may have it
 * @turn: the turns
 * @word: what was read
 * @frame: what was emitted
 */
struct chain_remembered {
	u64 mm;
	u64 program;
	u32 tid;
	u32 displaced;
	u64 sp;
	u64 outer_id;
	u32 outer;
	u32 again;
	u16 top;
	bool is_cut;
	u8 bad;
	u8 skip;
	u8 slot[1 << CHAIN_RECALL_HASH];
	struct chain_turn turn[CHAIN_RECALL_TURNS];
	struct recall_word word[CHAIN_RECALL_WORDS];
	struct sysprof_script_frame frame[CHAIN_RECALL_FRAMES];
};

/**
 * struct chain_tape - the run under way
 * @entry: of the thread
 * @top: first turn of @entry that is the thread's
 * @known: number of the turn from which on all was known; CHAIN_RECALL_TURNS: none was
 * @passed: no word before this one is compared any more
 * @left_at: the instruction at which the run went on without; CHAIN_NOT_LEFT: it did not
 * @n_turns: number of turns
 * @n_words: number of words since the first turn
 * @is_whole: there was room for all
 * @has_ended: the program came to its own end
 * @needs_fp: an instruction read the frame pointer (step-recall.h)
 * @turn: the turns
 * @word: the words
 */
struct chain_tape {
	struct chain_remembered *entry;
	u32 top;
	u32 known;
	u32 passed;
#define CHAIN_NOT_LEFT (~0U)
	u32 left_at;
	u32 n_turns;
	u32 n_words;
	bool is_whole;
	bool has_ended;
	bool needs_fp;
	struct chain_turn turn[CHAIN_RECALL_TURNS];
	struct recall_word word[CHAIN_RECALL_WORDS];
};

/**
 * struct sysprof_chain_recall - of one CPU
 * @tape: the run under way
 * @n_outer_ids: how many were given out
 * @entries: runs before, by the thread's hash
 * @frame: of a run that checks another
 */
struct sysprof_chain_recall {
	struct chain_tape tape;
	u64 n_outer_ids;
	struct chain_remembered entries[1 << CHAIN_RECALL_BITS];
	struct sysprof_script_frame frame[SYSPROF_CHAIN_MAX_FRAMES];
};

DECLARE_PER_CPU(struct sysprof_recall_counts, sysprof_chain_counted);

/*
 * begin(): a run of @program for @script's thread, or for its native frame with @sp; NULL: nothing
 * is to be remembered of it.  end(): it has ended, with @fuel left; @script->frame has all frames
 * then.  leave(): these come behind the first @first ones of @script->own, where a run may add
 * some, and get their numbers anew.  judge(): @script has the frames that were found without what
 * is remembered, and @found with it; @is_other: they are not the same in another way.
 */
struct chain_tape *sysprof_chain_recall_begin(struct sysprof_script *script,
					      const struct sysprof_program *program, u64 sp);
void sysprof_chain_recall_end(struct sysprof_script *script, struct chain_tape *tape, s32 fuel);
void sysprof_chain_recall_leave(struct sysprof_script *script, u32 first);
void sysprof_chain_recall_judge(struct sysprof_script *script,
				const struct sysprof_script_frame *found, u32 n, bool is_other);

/* The @bytes, a constant, at @address, of @word, which is at the multiple of 8 below. */
static __always_inline u64 chain_part(u64 word, u64 address, unsigned int bytes)
{
	unsigned int shift = (address & 7) * 8;

	if (bytes == 8)
		return word;
#ifdef CONFIG_CPU_BIG_ENDIAN
	shift = 64 - 8 * bytes - shift;
#endif
	return word >> shift & (~0ULL >> (64 - 8 * bytes));
}

static __always_inline void chain_tape_word(struct chain_tape *tape, u64 at, u64 value)
{
	struct recall_word *word = tape->word + tape->n_words;

	if (unlikely(tape->n_words >= CHAIN_RECALL_WORDS)) {
		tape->is_whole = false;
		return;
	}
	word->at = at;
	word->value = value;
	tape->n_words++;
}

/* Whether @turn, whose registers are @live, is @known. */
static __always_inline bool chain_turn_is(const struct chain_turn *turn,
					  const struct chain_turn *known, u32 live)
{
	const u64 *state = turn->state, *other = known->state;
	u64 differs = (turn->at ^ known->at) | (turn->passed ^ known->passed) |
		      (turn->is_open ^ known->is_open);

	for (; live; live &= live - 1)
		differs |= *state++ ^ *other++;
	return !differs;
}

/* Puts a turn on @tape, which has room. */
static __always_inline struct chain_turn *chain_turn_new(struct chain_tape *tape,
							 const struct sysprof_script *script,
							 u32 live, u32 at, const u64 *registers,
							 s32 fuel)
{
	struct chain_turn *turn = tape->turn + tape->n_turns;
	u64 sum = 0, *state = turn->state;

	/* What leads to the first one is read anew. */
	if (!tape->n_turns)
		tape->n_words = 0;
	for (; live; live &= live - 1) {
		*state = *(registers + __ffs(live));
		sum += *state++;
	}
	turn->at = at;
	turn->word = tape->n_words;
	turn->frame = script->n;
	turn->fuel = fuel;
	turn->passed = script->passed;
	turn->hash = hash_64(sum, CHAIN_RECALL_HASH);
	turn->is_open = script->n && !(script->frame + script->n - 1)->is_last;
	tape->n_turns++;
	return turn;
}

/*
 * A turn of a whole @tape, with the window open: true if the run ends as before.  All that is left
 * of it is done then.  @live: registers that count; @max: most frames.
 */
static __always_inline bool chain_recall_turn(struct chain_tape *tape,
					      struct sysprof_script *script, u32 live, u32 at,
					      u32 max, const u64 *registers, s32 *fuel)
{
	struct chain_remembered *entry = tape->entry;
	const struct recall_word *end = entry->word + CHAIN_RECALL_WORDS, *word;
	const struct chain_turn *known, *turn;
	struct sysprof_script_frame *before;
	u32 number;

	if (unlikely(live == SYSPROF_CHAIN_TOO_LIVE || tape->n_turns == CHAIN_RECALL_TURNS)) {
		tape->is_whole = false;
		return false;
	}
	turn = chain_turn_new(tape, script, live, at, registers, *fuel);
	number = *(entry->slot + turn->hash);
	known = entry->turn + number;
	/* No fuel or no room: it would end elsewhere. */
	if (number < tape->top || !chain_turn_is(turn, known, live) || known->word < tape->passed ||
	    *fuel < known->fuel || CHAIN_RECALL_FRAMES - known->frame > max - script->n)
		return false;
	word = recall_compare(entry->word + known->word, end);
	if (unlikely(word != end)) {
		tape->passed = word - entry->word + 1;
		return false;
	}
	if (known->is_open) {
		before = script->frame + script->n - 1;
		before->is_last = known->is_last;
		before->mark = known->mark;
	}
	*fuel -= known->fuel;
	tape->n_turns--;
	tape->n_words = turn->word;
	tape->known = number;
	tape->has_ended = true;
	return true;
}

#endif /* _SYSPROF_CHAIN_RECALL_H */
