// SPDX-License-Identifier: GPL-2.0-only
/* What is remembered of runs of programs: chain-recall.h says when they are the same again. */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "chain-recall.h"
#include "step-recall.h"

/* As with native frames: a new turn costs more than without. */
#define NEW_OF_EIGHT 5
#define BAD_MAX	     4

DEFINE_PER_CPU(struct sysprof_recall_counts, sysprof_chain_counted);

struct chain_tape *sysprof_chain_recall_begin(struct sysprof_script *script,
					      const struct sysprof_program *program, u64 sp)
{
	struct sysprof_chain_recall *own = script->recall;
	struct chain_remembered *entry;
	struct chain_tape *tape;
	bool is_known;

	/* What a thread is at work for is found at once. */
	if (!own || program->is_of_thread || !READ_ONCE(sysprof_recall_mode))
		return NULL;
	entry = own->entries + hash_64(sp ^ script->tid, CHAIN_RECALL_BITS);
	is_known = entry->program == program->number && entry->mm == script->mm &&
		   entry->tid == script->tid && entry->sp == sp;
	if (unlikely(entry->skip) && is_known) {
		entry->skip--;
		return NULL;
	}
	if (!is_known) {
		entry->program = program->number;
		entry->mm = script->mm;
		entry->tid = script->tid;
		entry->sp = sp;
		entry->top = CHAIN_RECALL_TURNS;
		entry->outer = CHAIN_RECALL_FRAMES;
		entry->again = 0;
		entry->bad = 0;
		entry->skip = 0;
	}
	tape = &own->tape;
	tape->entry = entry;
	tape->top = entry->top;
	tape->known = CHAIN_RECALL_TURNS;
	tape->passed = 0;
	tape->left_at = CHAIN_NOT_LEFT;
	tape->n_turns = 0;
	tape->n_words = 0;
	tape->is_whole = true;
	tape->has_ended = false;
	return tape;
}

/* A thread of which too little is known is left alone for a while. */
static void chain_recall_weigh(struct chain_remembered *entry, u32 n_new, u32 n)
{
	if (likely(n_new * 8 <= n * NEW_OF_EIGHT)) {
		entry->bad = 0;
		return;
	}
	entry->skip = (1 << entry->bad) - 1;
	if (entry->bad < BAD_MAX)
		entry->bad++;
}

/* Puts @tape and the frames of @script before turn @known, word @word and frame @frame. */
static void chain_recall_put(struct sysprof_script *script, const struct chain_tape *tape,
			     u32 word, u32 frame, s32 fuel)
{
	struct chain_remembered *entry = tape->entry;
	u32 base = tape->known - tape->n_turns, i;
	struct chain_turn *turn = entry->turn + base;
	const struct chain_turn *from = tape->turn;

	word -= tape->n_words;
	frame -= script->n;
	for (i = 0; i < tape->n_words; i++)
		entry->word[word + i] = tape->word[i];
	for (i = 0; i < script->n; i++)
		entry->frame[frame + i] = script->frame[i];
	for (i = base; i < tape->known; i++, turn++, from++) {
		*turn = *from;
		turn->word += word;
		turn->frame += frame;
		turn->fuel -= fuel;
		if (turn->is_open) {
			turn->is_last = entry->frame[turn->frame - 1].is_last;
			turn->mark = entry->frame[turn->frame - 1].mark;
		}
		entry->slot[turn->hash] = i;
	}
	entry->top = base;
	script->frame = entry->frame + frame;
}

/*
 * The frames from @frame on are those of the run before, with their numbers.  The more of them are
 * outer ones, the less is done for each (sysprof_codes_send()); but new ones cost all of it once.
 * So they begin once as many others were known.
 */
static void chain_recall_outer(struct sysprof_script *script, struct chain_remembered *entry,
			       u32 frame)
{
	entry->again += entry->outer - frame;
	if (frame > entry->outer || entry->again >= CHAIN_RECALL_FRAMES - frame) {
		entry->outer = frame;
		entry->again = 0;
		/* No other program ever has its number. */
		entry->outer_id = entry->program << 40 | ++script->recall->n_outer_ids;
	}
	script->n_outer = CHAIN_RECALL_FRAMES - entry->outer;
	script->outer_id = script->n_outer ? entry->outer_id : 0;
}

void sysprof_chain_recall_end(struct sysprof_script *script, struct chain_tape *tape, s32 fuel)
{
	struct chain_remembered *entry = tape->entry;
	u32 known = tape->known, word = CHAIN_RECALL_WORDS, frame = CHAIN_RECALL_FRAMES, n;
	bool is_known = known < CHAIN_RECALL_TURNS, has_room;

	if (is_known) {
		word = entry->turn[known].word;
		frame = entry->turn[known].frame;
		this_cpu_ptr(&sysprof_chain_counted)->known++;
	} else {
		this_cpu_ptr(&sysprof_chain_counted)->walked++;
	}
	n = CHAIN_RECALL_FRAMES - frame;
	chain_recall_weigh(entry, is_known ? tape->n_turns : 1,
			   is_known ? tape->n_turns + CHAIN_RECALL_TURNS - known : 1);
	has_room = tape->is_whole && tape->has_ended && tape->n_turns <= known &&
		   tape->n_words <= word && script->n <= frame;
	if (is_known && !has_room) {
		memcpy(script->frame + script->n, entry->frame + frame, n * sizeof(*script->frame));
		entry->top = known;
	} else if (has_room && (is_known || tape->n_turns)) {
		if (!is_known)
			entry->is_cut = script->is_cut;
		chain_recall_put(script, tape, word, frame, fuel);
		script->remembered = entry;
	}
	script->n += n;
	if (is_known && entry->displaced == script->displaced) {
		script->n_numbered = n;
		chain_recall_outer(script, entry, frame);
	} else {
		entry->outer = CHAIN_RECALL_FRAMES;
		entry->again = 0;
	}
}

void sysprof_chain_recall_renumber(struct sysprof_script *script)
{
	script->n_numbered = 0;
	script->n_outer = 0;
	script->outer_id = 0;
	if (!script->remembered)
		return;
	script->remembered->outer = CHAIN_RECALL_FRAMES;
	script->remembered->again = 0;
}

void sysprof_chain_recall_leave(struct sysprof_script *script, u32 first)
{
	struct chain_remembered *entry = script->remembered;
	u32 i;

	if (entry) {
		for (i = 0; i < script->n; i++)
			script->own[first + i] = script->frame[i];
		/* Those that were new there get no number. */
		entry->displaced = script->displaced - 1;
	}
	script->remembered = NULL;
	script->frame = script->own;
	script->n += first;
	script->n_numbered = 0;
	script->n_outer = 0;
	script->outer_id = 0;
}

/* Checks. */

static bool chain_recall_differs(const struct sysprof_script_frame *a,
				 const struct sysprof_script_frame *b)
{
	return a->code != b->code || a->position != b->position || a->identity != b->identity ||
	       a->with != b->with || a->passed != b->passed || a->is_last != b->is_last ||
	       (a->is_last && a->mark != b->mark);
}

void sysprof_chain_recall_judge(struct sysprof_script *script,
				const struct sysprof_script_frame *found, u32 n, bool is_other)
{
	bool is_wrong = n != script->n || is_other;
	u32 i;

	for (i = 0; i < n && !is_wrong; i++)
		is_wrong = chain_recall_differs(script->frame + i, found + i);
	this_cpu_ptr(&sysprof_chain_counted)->checked++;
	this_cpu_ptr(&sysprof_chain_counted)->wrong += is_wrong;
}

static int chain_recall_show(char *to, const struct kernel_param *param)
{
	struct sysprof_recall_counts sum = {};
	int cpu;

	for_each_possible_cpu(cpu)
		sysprof_recall_add(&sum, &per_cpu(sysprof_chain_counted, cpu));
	return sysprof_recall_print(to, &sum);
}

static const struct kernel_param_ops chain_recall_ops = { .get = chain_recall_show };
module_param_cb(scripts_recalled, &chain_recall_ops, NULL, 0444);
MODULE_PARM_DESC(
	scripts_recalled,
	"functions of scripts: runs that ended as before, that did not, of all: made twice, and that differed");

/* Memory. */

int sysprof_chain_recall_alloc(struct sysprof_script *script, int node)
{
	script->recall = kvzalloc_node(sizeof(*script->recall), GFP_KERNEL, node);
	script->steps = kvzalloc_node(sizeof(*script->steps), GFP_KERNEL, node);
	if (script->recall && script->steps)
		return 0;
	sysprof_chain_recall_free(script);
	return -ENOMEM;
}

void sysprof_chain_recall_free(struct sysprof_script *script)
{
	kvfree(script->recall);
	kvfree(script->steps);
	script->recall = NULL;
	script->steps = NULL;
}
