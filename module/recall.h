/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks that were walked before, by unwind tables.  Ticks find a thread's outer frames again
 * and again: main() and what it called stay where they are.
 *
 * Each CPU remembers, of the last walk of some threads, the outermost frames that plain rules
 * found, up to the end of the stack: where each return address was, and the word there.  A walk
 * looks whether the return address that it has just read is one of these, at the same place, and as
 * far from the stack pointer, which on arm64 differs from function to function.  If so, the rules
 * from there on are the same, since the index of the address space and the tables are: both have a
 * stamp.  Then all words that these rules read are read again, from the inside outwards, and
 * compared.  If all are the same, so are the frames: they are copied.  Nothing is guessed.
 *
 * Where they differ the walk goes on by rules.  It may come to a remembered frame again, but only
 * outside of the word that differed: no word is compared twice in one walk.
 *
 * A word is compared that a rule would use: dead words that look like frames lie between those.  A
 * frame pointer is such a word if a frame outside of it is found by it, and only then.
 */
#ifndef _SYSPROF_RECALL_H
#define _SYSPROF_RECALL_H

#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "arch.h"
#include "found.h"
#include "ranges.h"
#include "recall-counts.h"
#include "recall-words.h"
#include "sysprof.h"

/* Frames further in are not remembered. */
#define RECALL_FRAMES	256U
#define RECALL_WORDS	384U
/* Most frames of a walk. */
#define RECALL_LONGEST	1024U

/**
 * struct recall_frame - a remembered frame
 * @fp: the frame pointer in it
 * @word: number of its return address among the words; those behind it lead further out
 * @ra_words: from its stack pointer to its return address
 * @needs_fp: a frame outside of it is found by @fp
 */
struct recall_frame {
	u64 fp;
	u16 word;
	s8 ra_words;
	bool needs_fp;
};

/**
 * struct recall_entry - the outermost frames of a thread.  All arrays are filled from their ends,
 *	where the outermost frame is
 * @stamp: of the index of its address space; 0: there are no frames
 * @tag: of the finder
 * @tid: the thread
 * @top: innermost frame
 * @place: of what was interrupted last
 * @outer_id: of the frames from @outer on, which no walk has changed since then
 * @outer: the first of them; RECALL_FRAMES: there are none
 * @again: frames inside of @outer that were known and named again, since @outer_id was new
 * @end: enum sysprof_end
 * @bad: walks in a row of which too little was known
 * @skip: number of walks for which it is not used
 * @words: what rules read; the last one is above all addresses
 * @frames: the last one represents the end
 * @names: of the frames
 */
struct recall_entry {
	u64 stamp;
	u64 tag;
	u32 tid;
	u32 top;
	struct sysprof_place place;
	u64 outer_id;
	u32 outer;
	u32 again;
	u8 end;
	u8 bad;
	u8 skip;
	struct recall_word words[RECALL_WORDS + 1];
	struct recall_frame frames[RECALL_FRAMES + 1];
	u64 names[RECALL_FRAMES];
};

/**
 * struct recall_step - how a walk came to a frame, or to its end
 * @at: place of the return address
 * @ip: the word there
 * @fp: the frame pointer in the frame
 * @rule: the callee's
 */
struct recall_step {
	u64 at;
	u64 ip;
	u64 fp;
	struct sysprof_plain_rule rule;
};

/**
 * struct recall_cpu - of one CPU
 * @steps: of the walk under way; at most as many as frames, and the one to the end
 * @n_outer_ids: how many were given out
 * @entries: by hash
 * @again: frames of a walk that checks another
 */
struct recall_cpu {
	struct recall_step steps[RECALL_FRAMES + 1];
	u64 n_outer_ids;
	struct recall_entry entries[SYSPROF_RECALL_PLACES];
	u64 again[RECALL_LONGEST + SYSPROF_WALK_SLACK];
};

/**
 * struct recall - a walk under way
 * @own: of this CPU
 * @entry: of the thread
 * @next: words inside of it have been passed
 * @frame: likewise
 * @place: of what was interrupted
 * @is_settled: take() or keep() was called
 */
struct recall {
	struct recall_cpu *own;
	struct recall_entry *entry;
	const struct recall_word *next;
	const struct recall_frame *frame;
	struct sysprof_place place;
	bool is_settled;
};

DECLARE_PER_CPU(struct recall_cpu *, sysprof_recall);
DECLARE_PER_CPU(struct sysprof_recall_counts, sysprof_recall_counted);

/* Process context.  free(): no CPU walks by tables any more. */
int sysprof_recall_alloc(void);
void sysprof_recall_free(void);

/*
 * All that follows: interrupts off, not in NMI.
 *
 * take(): adds the frames from @recall->frame on to those of @to, the last of them as @to->outer,
 * and remembers the @n_steps last ones that @to had.  keep(): @to has reached @end after @n_steps
 * plain steps, none of which led to a remembered frame; @by_word: one more led to the end.  miss():
 * it has ended otherwise.  judge(): @again is what @to is without remembered frames; sets
 * @is_wrong.  wrong(): counts that.  find_sps(): sets stack pointers of all frames of @walk but the
 * first one; false: not all of them are remembered.  judge_sps(): @sps is what a walk without
 * remembered frames has found of @walk, of which find_sps() is true.
 */
void sysprof_recall_take(struct recall *recall, struct sysprof_walk *to, u32 n_steps);
void sysprof_recall_keep(struct recall *recall, struct sysprof_walk *to, u8 end, u64 tag,
			 u32 n_steps, bool by_word);
void sysprof_recall_miss(struct recall *recall);
void sysprof_recall_judge(struct sysprof_walk *to, const struct sysprof_walk *again);
void sysprof_recall_wrong(struct sysprof_walk *to);
bool sysprof_recall_find_sps(const struct sysprof_walk *walk, u64 *sps);
void sysprof_recall_judge_sps(const struct sysprof_walk *walk, const u64 *sps);

/* The index changed during the walk: what it has left means nothing. */
static inline void sysprof_recall_forget(const struct sysprof_walk *walk)
{
	if (walk->remembered)
		walk->remembered->stamp = 0;
}

/* The entry for current, which may be another thread's. */
static __always_inline struct recall_entry *recall_entry_of(struct recall_cpu *own, u64 tag)
{
	return own->entries + hash_32((u32)current->pid ^ (u32)tag, SYSPROF_RECALL_BITS);
}

/* Whether @entry has frames of current in the address space of @ranges. */
static __always_inline bool recall_knows(const struct recall_entry *entry,
					 const struct ranges *ranges, u64 tag)
{
	return entry->stamp == ranges->stamp && entry->tag == tag &&
	       entry->tid == (u32)current->pid;
}

/*
 * Begins @to.  False: nothing is to be remembered of it.  @passed: words inside of it are known not
 * to be the same; NULL: nothing is known.
 */
static __always_inline bool recall_begin(struct recall *recall, struct sysprof_walk *to, u64 tag,
					 const struct recall_word *passed)
{
	struct recall_cpu *own = this_cpu_read(sysprof_recall);
	struct recall_entry *entry = recall_entry_of(own, tag);
	bool is_known;

	to->remembered = NULL;
	to->n_remembered = 0;
	if (unlikely(!to->ranges->stamp || to->sps || in_nmi() ||
		     !READ_ONCE(sysprof_recall_mode)))
		return false;
	to->remembered = entry;
	if (unlikely(entry->skip) && entry->tid == (u32)current->pid) {
		entry->skip--;
		return false;
	}
	recall->place = (struct sysprof_place){};
	is_known = recall_knows(entry, to->ranges, tag);
	if (likely(is_known))
		recall->place = entry->place;
	recall->is_settled = false;
	recall->own = own;
	recall->entry = entry;
	recall->frame = entry->frames + (is_known ? entry->top : RECALL_FRAMES);
	recall->next = passed && is_known ? passed : entry->words + recall->frame->word;
	return true;
}

/* Whether the word @ip at @at, a return address that was read, is remembered. */
static __always_inline bool recall_meets(struct recall *recall, u64 at, u64 ip)
{
	while (recall->next->at < at)
		recall->next++;
	return unlikely(recall->next->at == at && recall->next->value == ip);
}

/*
 * After recall_meets(), inside the window of user_read_access_begin(): whether the walk, which has
 * @n frames and may have @max, goes on as it did before.  @fp: the frame pointer; @ra_words: from
 * the stack pointer to the return address, which two rules may find at one place.
 */
static __always_inline bool recall_is_same(struct recall *recall, u32 n, u32 max, u64 fp,
					   s8 ra_words)
{
	const struct recall_entry *entry = recall->entry;
	const struct recall_word *word = recall->next, *end = entry->words + RECALL_WORDS;
	const struct recall_frame *frame = recall->frame;
	u32 number = word - entry->words;

	while (frame->word < number)
		frame++;
	recall->frame = frame;
	/* It was a saved frame pointer. */
	if (frame->word != number || frame->ra_words != ra_words)
		return false;
	if (frame->needs_fp && frame->fp != fp)
		return false;
	/* A frame that does not fit any more must have been found all the same. */
	if (unlikely(entry->frames + RECALL_FRAMES - frame > max - n))
		end = entry->words + (frame + (max - n))->word + 1;
	word = recall_compare(word + 1, end);
	if (likely(word == end))
		return true;
	recall->next = word + 1;
	return false;
}

/*
 * Adds @entry's frames from @at on to those of @to.  The more of them are its outer ones, the less
 * is copied here, and sent; but each session gets all of them once.  So new ones begin once as many
 * others were copied.
 */
static __always_inline void recall_add_outer(struct recall_cpu *own, struct recall_entry *entry,
					     struct sysprof_walk *to, u32 at)
{
	const u64 *from = entry->names + at, *end;
	u64 *frame = to->frames + to->n;

	/* Unless @at is further out. */
	entry->again += entry->outer - at;
	if (unlikely(at > entry->outer || entry->again >= RECALL_FRAMES - at)) {
		entry->outer = at;
		entry->again = 0;
		entry->outer_id = ++own->n_outer_ids;
	}
	for (end = entry->names + entry->outer; from < end; from++)
		*frame++ = *from;
	to->outer = (struct sysprof_outer){
		.frames = end,
		.id = entry->outer_id,
		.n = RECALL_FRAMES - entry->outer,
		.place = entry - own->entries,
	};
	to->n += RECALL_FRAMES - at;
	to->end = entry->end;
}

#endif /* _SYSPROF_RECALL_H */
