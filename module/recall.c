// SPDX-License-Identifier: GPL-2.0-only
/* What is remembered of user stacks: recall.h says when it is the same again. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "recall.h"

/* A new frame costs more than without: of eight frames at most that many may be new. */
#define NEW_OF_EIGHT	5
#define BAD_MAX		4

uint sysprof_recall_mode = SYSPROF_RECALL_USED;
module_param_named(recall, sysprof_recall_mode, uint, 0644);
MODULE_PARM_DESC(
	recall,
	"user stacks by unwind tables, and functions of scripts in them: 0 walks each anew, 1 compares with those before, 2 does both and counts differences");

DEFINE_PER_CPU(struct recall_cpu *, sysprof_recall);
DEFINE_PER_CPU(struct sysprof_recall_counts, sysprof_recall_counted);

/* A thread of which too little is known is left alone for a while. */
static void weigh(struct recall_entry *entry, u32 n_new, u32 n)
{
	if (likely(n_new * 8 <= n * NEW_OF_EIGHT)) {
		entry->bad = 0;
		return;
	}
	entry->skip = (1 << entry->bad) - 1;
	if (entry->bad < BAD_MAX)
		entry->bad++;
}

/* From the return address to the saved frame pointer. */
static int words_apart(const struct sysprof_plain_rule *rule)
{
	return rule->fp_words - rule->ra_words;
}

/*
 * Puts the last @n_steps frames of @to, which has @n, before @entry's frame @at, which the step
 * after them led to.
 */
static void put_before(struct recall *recall, const struct sysprof_walk *to, u32 n, u32 n_steps,
		       u32 at)
{
	struct recall_entry *entry = recall->entry;
	const struct recall_step *step = recall->own->steps + n_steps;
	struct recall_frame *frame = entry->frames + at;
	struct recall_word *word = entry->words + frame->word;
	const u64 *from = to->frames + n;
	bool needs_fp = frame->needs_fp;
	u32 left = min3(n_steps, at, frame->word / 2U);

	entry->top = at - left;
	for (; left; left--, step--) {
		if (step->rule.fp_words) {
			if (needs_fp)
				*--word = (struct recall_word){
					step->at + words_apart(&step->rule) * 8LL, step->fp
				};
			needs_fp = false;
		}
		needs_fp |= step->rule.kind == SYSPROF_PLAIN_FP;
		*--word = (struct recall_word){ (step - 1)->at, (step - 1)->ip };
		*--frame = (struct recall_frame){ (step - 1)->fp, word - entry->words,
						  (step - 1)->rule.ra_words, needs_fp };
		*(entry->names + (frame - entry->frames)) = *--from;
	}
}

void sysprof_recall_take(struct recall *recall, struct sysprof_walk *to, u32 n_steps)
{
	struct recall_entry *entry = recall->entry;
	u32 at = recall->frame - entry->frames, n = to->n;

	recall->is_settled = true;
	entry->place = recall->place;
	if (likely(RECALL_FRAMES - at <= to->max - n)) {
		recall_add_outer(recall->own, entry, to, at);
	} else {
		memcpy(to->frames + n, entry->names + at, (to->max - n) * sizeof(*to->frames));
		to->n = to->max;
		to->end = SYSPROF_END_LIMIT;
		/* Frames will be put over some of those that have the number. */
		if (at > entry->outer)
			entry->outer = RECALL_FRAMES;
	}
	weigh(entry, n, to->n);
	if (n_steps || at != entry->top)
		put_before(recall, to, n, n_steps, at);
	to->n_remembered = RECALL_FRAMES - entry->top;
	this_cpu_ptr(&sysprof_recall_counted)->known++;
}

void sysprof_recall_miss(struct recall *recall)
{
	weigh(recall->entry, 1, 1);
	this_cpu_ptr(&sysprof_recall_counted)->walked++;
}

void sysprof_recall_keep(struct recall *recall, struct sysprof_walk *to, u8 end, u64 tag,
			 u32 n_steps, bool by_word)
{
	struct recall_entry *entry = recall->entry;
	struct recall_step *last = recall->own->steps + n_steps;
	u32 word = RECALL_WORDS;

	recall->is_settled = true;
	if (entry->tid != (u32)current->pid)
		entry->bad = 0;
	sysprof_recall_miss(recall);
	if (!n_steps)
		return;
	if (by_word)
		entry->words[--word] = (struct recall_word){ last->at, last->ip };
	else
		last->rule = (struct sysprof_plain_rule){};
	entry->place = recall->place;
	entry->stamp = to->ranges->stamp;
	entry->tag = tag;
	entry->tid = current->pid;
	entry->end = end;
	entry->outer = RECALL_FRAMES;
	entry->again = 0;
	entry->frames[RECALL_FRAMES].word = word;
	put_before(recall, to, to->n, n_steps, RECALL_FRAMES);
	entry->frames[RECALL_FRAMES].word = RECALL_WORDS;
	to->n_remembered = RECALL_FRAMES - entry->top;
}

static u64 sp_of(const struct recall_entry *entry, const struct recall_frame *frame)
{
	return entry->words[frame->word].at - frame->ra_words * 8LL;
}

bool sysprof_recall_find_sps(const struct sysprof_walk *walk, u64 *sps)
{
	const struct recall_entry *entry = walk->remembered;
	const struct recall_frame *frame, *end;

	if (!walk->n_remembered || walk->n_remembered + 1 != walk->n)
		return false;
	end = entry->frames + RECALL_FRAMES;
	for (frame = end - walk->n_remembered; frame < end; frame++)
		*++sps = sp_of(entry, frame);
	return true;
}

void sysprof_recall_judge_sps(const struct sysprof_walk *walk, const u64 *sps)
{
	const struct recall_entry *entry = walk->remembered;
	u32 i, first = RECALL_FRAMES - walk->n_remembered;

	this_cpu_ptr(&sysprof_recall_counted)->checked++;
	for (i = 0; i < walk->n_remembered; i++)
		if (sp_of(entry, &entry->frames[first + i]) != sps[1 + i]) {
			this_cpu_ptr(&sysprof_recall_counted)->wrong++;
			return;
		}
}

/*
 * Whether @a and @b, which has no fewer frames, say the same.  What the first walk has found of a
 * program of steps takes less fuel in the second one, which may get further (step-recall.h).
 */
static bool recall_agrees(const struct sysprof_walk *a, const struct sysprof_walk *b)
{
	bool is_all = a->n == b->n && a->end == b->end;

	return (is_all ? a->is_guess == b->is_guess : a->end == SYSPROF_END_LIMIT) &&
	       !memcmp(a->frames, b->frames, a->n * sizeof(*a->frames));
}

void sysprof_recall_judge(struct sysprof_walk *to, const struct sysprof_walk *again)
{
	this_cpu_ptr(&sysprof_recall_counted)->checked++;
	if (to->n > again->n || !recall_agrees(to, again))
		to->is_wrong = true;
}

void sysprof_recall_wrong(struct sysprof_walk *walk)
{
	this_cpu_ptr(&sysprof_recall_counted)->wrong++;
	sysprof_recall_forget(walk);
}

static int show_counts(char *to, const struct kernel_param *param)
{
	struct sysprof_recall_counts sum = {};
	int cpu;

	for_each_possible_cpu(cpu)
		sysprof_recall_add(&sum, &per_cpu(sysprof_recall_counted, cpu));
	return sysprof_recall_print(to, &sum);
}

static const struct kernel_param_ops recall_counts_ops = { .get = show_counts };
module_param_cb(recalled, &recall_counts_ops, NULL, 0444);
MODULE_PARM_DESC(
	recalled,
	"user stacks that ended as before, that did not, of all: walked twice, and that differed");

/* Memory. */

void sysprof_recall_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(sysprof_recall, cpu));
		per_cpu(sysprof_recall, cpu) = NULL;
	}
}

int sysprof_recall_alloc(void)
{
	struct recall_cpu *own;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		own = kvzalloc_node(sizeof(*own), GFP_KERNEL, cpu_to_node(cpu));
		per_cpu(sysprof_recall, cpu) = own;
		if (!own) {
			sysprof_recall_free();
			return -ENOMEM;
		}
		for (i = 0; i < ARRAY_SIZE(own->entries); i++) {
			own->entries[i].words[RECALL_WORDS].at = U64_MAX;
			own->entries[i].frames[RECALL_FRAMES].word = RECALL_WORDS;
			own->entries[i].outer = RECALL_FRAMES;
		}
	}
	return 0;
}
