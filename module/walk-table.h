/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk along unwind tables (uapi/sysprof-table.h), the same for all architectures.  A file that
 * includes this has what walk-user.h needs, and also:
 *
 * begin(), which puts the registers and the instruction pointer of a context into a struct
 * table_walk; begin_run(), which does so with a struct run; saved_registers[], the callee-saved
 * registers; kept_registers, the same as bits, with the stack pointer; signal_registers[] and
 * SIGNAL_IP, where the frame of a signal has the registers.
 *
 * A table is not trusted.  It says which words are read, and a read cannot fault.  But only an
 * address in an executable mapping is a frame, and there are no more steps than frames.
 */
#ifndef _SYSPROF_WALK_TABLE_H
#define _SYSPROF_WALK_TABLE_H

#include "chain-step.h"
#include "recall.h"
#include "tables.h"
#include "walk-user.h"

#define ALL_KNOWN	(~0ULL >> (64 - SYSPROF_ARCH_TABLE_REGS))
/*
 * A function's last instructions may have popped saved registers already: they are at most this far
 * below the stack pointer.
 */
#define TAKEN_BACK_BYTES 4096

/**
 * struct table_walk - the frame a walk is at
 * @registers: registers in this frame
 * @known: bits of the registers whose values are known
 * @ip: instruction pointer; 0: there is no further frame
 * @is_exact: the tick or a signal interrupted the function here; else it made a call
 */
struct table_walk {
	u64 registers[SYSPROF_ARCH_TABLE_REGS];
	u64 known;
	u64 ip;
	bool is_exact;
};

static void begin(struct table_walk *walk, const struct pt_regs *regs);

/* False: user memory cannot be read.  Else user_read_access_end() closes the window. */
static __always_inline bool open_window(void)
{
	return user_read_access_begin((void __user *)LOWEST_IP, USER_END - PAGE_SIZE - LOWEST_IP);
}

/* Sets *@to to the word at @address, inside the window; false: it cannot be read. */
static __always_inline bool read_word(u64 *to, u64 address)
{
	u64 word;

	address = sysprof_below_or_0(address, USER_END - PAGE_SIZE);
	if (unlikely(address < LOWEST_IP))
		return false;
	unsafe_get_user(word, (u64 __user *)address, fault);
	*to = word;
	return true;
fault:
	return false;
}

/* Goes on to the function that a signal interrupted.  Returns 0, or the reason why not. */
static __always_inline u8 step_from_signal(struct table_walk *walk)
{
	u64 sp = walk->registers[SYSPROF_ARCH_SP], value;
	unsigned int i;

	if (!read_word(&value, sp + SIGNAL_IP))
		return SYSPROF_END_FAULT;
	walk->ip = strip(value);
	for (i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++) {
		if (!read_word(walk->registers + i, sp + *(signal_registers + i)))
			return SYSPROF_END_FAULT;
	}
	walk->registers[SYSPROF_ARCH_SP] = strip(walk->registers[SYSPROF_ARCH_SP]);
	walk->known = ALL_KNOWN;
	walk->is_exact = true;
	return 0;
}

static __always_inline void restore_saved(struct table_walk *walk,
					  const struct sysprof_table_rule *rule, u64 cfa)
{
	u64 fp = walk->registers[SYSPROF_ARCH_FP], sp = walk->registers[SYSPROF_ARCH_SP], address;
	unsigned long slots = rule->at_cfa | rule->at_fp;
	unsigned int slot, number;

	for (; slots; slots &= slots - 1) {
		slot = __ffs(slots);
		number = *(saved_registers + slot);
		address = (rule->at_cfa >> slot & 1 ? cfa : fp) + *(rule->saved + slot) * 8LL;
		if (walk->is_exact && address < sp && address >= sp - TAKEN_BACK_BYTES)
			continue;
		if (read_word(walk->registers + number, address))
			walk->known |= 1ULL << number;
		else
			walk->known &= ~(1ULL << number);
	}
	for (slots = rule->lost; slots; slots &= slots - 1)
		walk->known &= ~(1ULL << *(saved_registers + __ffs(slots)));
}

/* Goes on to the caller.  Returns 0, or the reason why not. */
static __always_inline u8 step_by_rule(struct table_walk *walk,
				       const struct sysprof_table_rule *rule)
{
	u64 sp = walk->registers[SYSPROF_ARCH_SP], cfa, ip;

	if (rule->cfa == SYSPROF_CFA_SIGNAL)
		return step_from_signal(walk);
	if (rule->ra == SYSPROF_RA_NONE)
		return SYSPROF_END_ROOT;

	if (!(walk->known >> rule->cfa_register & 1))
		return SYSPROF_END_BAD;
	cfa = *(walk->registers + rule->cfa_register) + rule->cfa_offset;
	if (rule->cfa == SYSPROF_CFA_PLT) {
		cfa += (walk->ip & 15) >= rule->plt_from ? 8 : 0;
	} else if (rule->cfa != SYSPROF_CFA_REGISTER && rule->cfa != SYSPROF_CFA_SWITCH) {
		if (rule->cfa == SYSPROF_CFA_INDEXED) {
			if (!(walk->known >> rule->index_register & 1))
				return SYSPROF_END_BAD;
			cfa += 8 * *(walk->registers + rule->index_register);
		}
		if (!read_word(&cfa, cfa))
			return SYSPROF_END_FAULT;
		cfa += rule->cfa_add;
	}
	/*
	 * Only an interrupted function can have nothing on the stack: a leaf function where calls
	 * push nothing, or vfork(), which pops its return address.
	 */
	if (rule->cfa != SYSPROF_CFA_SWITCH &&
	    (cfa < sp || (cfa == sp && (rule->ra != SYSPROF_RA_REGISTER || !walk->is_exact))))
		return SYSPROF_END_BAD;
	if (rule->ra == SYSPROF_RA_MEMORY) {
		if (!read_word(&ip, cfa + rule->ra_offset))
			return SYSPROF_END_FAULT;
	} else {
		if (!(walk->known >> rule->ra_register & 1))
			return SYSPROF_END_BAD;
		ip = *(walk->registers + rule->ra_register);
	}
	restore_saved(walk, rule, cfa);
	walk->known &= kept_registers;
	walk->registers[SYSPROF_ARCH_SP] = cfa;
	walk->ip = strip(ip);
	walk->is_exact = rule->is_signal;
	return 0;
}

/*
 * Nothing is known of the function.  It may keep a frame pointer.  Calling conventions require that
 * to be 0 in the outermost frame.
 */
static __always_inline u8 step_by_frame_pointer(struct table_walk *walk)
{
	u64 fp = walk->registers[SYSPROF_ARCH_FP], next, ip;

	if (!(walk->known >> SYSPROF_ARCH_FP & 1))
		return SYSPROF_END_NO_INFO;
	fp = strip(fp);
	if (!fp && !walk->is_exact)
		return SYSPROF_END_ROOT;
	if (fp < walk->registers[SYSPROF_ARCH_SP] || fp & 7)
		return SYSPROF_END_NO_INFO;
	if (!read_word(&next, fp) || !read_word(&ip, fp + 8))
		return SYSPROF_END_FAULT;
	walk->registers[SYSPROF_ARCH_FP] = next;
	walk->registers[SYSPROF_ARCH_SP] = fp + 16;
	walk->known = 1ULL << SYSPROF_ARCH_FP | 1ULL << SYSPROF_ARCH_SP;
	walk->ip = strip(ip);
	walk->is_exact = false;
	return 0;
}

/* Whether the registers are known that @rule asks for, or leaves to those further out. */
static bool knows(const struct table_walk *walk, const struct sysprof_table_rule *rule)
{
	u64 asked = BIT_ULL(rule->cfa_register);

	if (rule->cfa == SYSPROF_CFA_SIGNAL)
		return true;
	if (rule->cfa == SYSPROF_CFA_INDEXED)
		asked |= BIT_ULL(rule->index_register);
	if (rule->ra == SYSPROF_RA_REGISTER)
		asked |= BIT_ULL(rule->ra_register);
	return !(asked & ~walk->known);
}

/*
 * One step, from a frame with @rule; NULL: nothing is known of it.  Returns 0, or the reason why
 * there is none.
 */
static __always_inline u8 step(struct table_walk *walk, const struct sysprof_table_rule *rule)
{
	u8 end = SYSPROF_END_FAULT;

	if (!open_window())
		return end;
	end = rule ? step_by_rule(walk, rule) : step_by_frame_pointer(walk);
	user_read_access_end();
	return end;
}

/*
 * One step from code of no file, with a program that knows it.  False: none does; else *@end is 0,
 * or the reason why there is no step.
 */
static noinline bool step_by_chain(struct sysprof_walk *to, struct table_walk *walk, u8 *end)
{
	bool has_fp = walk->known >> SYSPROF_ARCH_FP & 1;
	struct sysprof_caller step = {
		.fp = has_fp ? strip(walk->registers[SYSPROF_ARCH_FP]) : 0,
		.sp = walk->registers[SYSPROF_ARCH_SP],
		.ip = walk->ip,
		.is_exact = walk->is_exact,
		.registers = walk->registers,
		.known = walk->known,
	};

	*end = sysprof_chain_step(to, &step);
	if (*end == SYSPROF_END_NO_INFO)
		return false;
	walk->registers[SYSPROF_ARCH_FP] = step.fp;
	walk->registers[SYSPROF_ARCH_SP] = step.sp;
	walk->known = BIT_ULL(SYSPROF_ARCH_FP) | BIT_ULL(SYSPROF_ARCH_SP);
	walk->ip = strip(step.ip);
	walk->is_exact = false;
	return true;
}

/**
 * struct arrival - a frame that has been found
 * @place: range of the frame
 * @was_exact: is_exact when the place was looked up
 * @frame: what is looked up in the tables: of a call, the byte before
 */
struct arrival {
	struct sysprof_place place;
	bool was_exact;
	u64 frame;
};

/*
 * Adds the frame at @ip with the stack pointer @sp, which a walk has reached.  Returns 0, or the
 * reason why there is none.
 */
static __always_inline u8 arrive(struct sysprof_walk *to, u64 ip, u64 sp, bool is_exact,
				 struct arrival *at, bool is_guess)
{
	u64 frame;

	/* What was interrupted is looked up where it is, calls one byte before. */
	if (unlikely(is_exact != at->was_exact)) {
		at->place = (struct sysprof_place){};
		at->was_exact = is_exact;
	}
	if (unlikely(!ip))
		return SYSPROF_END_ROOT;
	if (unlikely(!sysprof_ranges_look_up(to->ranges, ip, !is_exact, &at->place)))
		return is_guess ? SYSPROF_END_NO_INFO : SYSPROF_END_UNMAPPED;
	if (unlikely(to->n == to->max))
		return SYSPROF_END_LIMIT;
	frame = ip + at->place.base;
	*(to->frames + to->n) = frame + (to->n && is_exact);
	if (to->sps)
		*(to->sps + to->n) = sp;
	to->n++;
	at->frame = frame - !is_exact;
	return 0;
}

/* A word near a CFA between these can be read: plain rules use no word further away. */
#define LOWEST_CFA	(LOWEST_IP - S8_MIN * 8)
#define CFA_END		(USER_END - PAGE_SIZE - (S8_MAX + 1) * 8)
/* An unknown frame pointer: no offset from it leads to readable memory. */
#define UNKNOWN_FP	(U64_MAX >> 1)

/**
 * struct run - where a walk by plain rules is: they need no more registers
 * @sp: stack pointer
 * @fp: frame pointer, or UNKNOWN_FP
 * @ip: instruction pointer
 * @is_exact: as in struct table_walk
 */
struct run {
	u64 sp;
	u64 fp;
	u64 ip;
	bool is_exact;
};

static void begin_run(struct run *run, const struct pt_regs *regs);

/* Only what the walk needs now is known of @walk. */
static void leave_run(struct table_walk *walk, const struct run *run)
{
	walk->ip = run->ip;
	*(walk->registers + SYSPROF_ARCH_SP) = run->sp;
	*(walk->registers + SYSPROF_ARCH_FP) = run->fp;
	walk->known = BIT_ULL(SYSPROF_ARCH_SP) |
		      (run->fp != UNKNOWN_FP ? BIT_ULL(SYSPROF_ARCH_FP) : 0);
	walk->is_exact = run->is_exact;
}

static void enter_run(struct run *run, const struct table_walk *walk)
{
	run->ip = walk->ip;
	run->sp = *(walk->registers + SYSPROF_ARCH_SP);
	run->fp = walk->known >> SYSPROF_ARCH_FP & 1 ? *(walk->registers + SYSPROF_ARCH_FP) :
						       UNKNOWN_FP;
	run->is_exact = walk->is_exact;
}

/*
 * Goes on from a frame with the plain rule @found, as far as plain rules lead, or, with @recall, to
 * the end that is remembered.  After that only what is in @run is known.  Returns 0, or the reason
 * why there are no more frames.  Most frames are found here: the loop's variables are local, not
 * behind pointers that its stores might change.
 */
static __always_inline u8 run_plain(struct sysprof_walk *to, struct run *run, struct arrival *at,
				    const struct sysprof_finder *from,
				    const struct sysprof_found *found, struct recall *recall)
{
	u64 sp = run->sp, fp = run->fp, end_of_cfa = CFA_END, cfa, ip = run->ip, name = at->frame;
	u64 *first = to->frames + to->n, *last = to->frames + to->max, *frame = first;
	u64 *sps = to->sps ? to->sps + to->n : NULL;
	struct recall_step *step = recall ? recall->own->steps : NULL;
	const struct sysprof_finder finder = *from;
	const struct ranges *ranges = to->ranges;
	struct sysprof_place place = at->place;
	bool is_bad, is_met = false, by_word = false;
	const u64 __user *words;
	u8 end = 0;

	if (!open_window())
		return SYSPROF_END_FAULT;
	/* What follows are calls. */
	place.start += run->is_exact;
	do {
		cfa = (found->plain.kind == SYSPROF_PLAIN_FP ? fp : sp) + found->cfa_offset;
		words = (const u64 __user *)sysprof_below_or_0(cfa, end_of_cfa);
		if (unlikely((unsigned long)words <= sp)) {
			is_bad = cfa <= sp ||
				 (found->plain.kind == SYSPROF_PLAIN_FP && fp == UNKNOWN_FP);
			end = is_bad ? SYSPROF_END_BAD : SYSPROF_END_FAULT;
			break;
		}
		unsafe_get_user(ip, words + found->plain.ra_words, fault);
		/*
		 * An interrupted function may have popped already what is below the stack pointer.
		 */
		if (found->plain.fp_words &&
		    likely(cfa + found->plain.fp_words * 8LL >= sp || frame != first ||
			   !run->is_exact))
			unsafe_get_user(fp, words + found->plain.fp_words, unread);
read:
		if (recall) {
			step->at = cfa + found->plain.ra_words * 8LL;
			step->ip = ip;
			step->fp = fp;
			step->rule = found->plain;
			if (recall_meets(recall, step->at, ip) &&
			    recall_is_same(recall, frame - to->frames, to->max, fp,
					   found->plain.ra_words)) {
				is_met = true;
				break;
			}
		}
		sp = cfa;
		ip = strip(ip);
		if (unlikely(!sysprof_ranges_look_up(ranges, ip, 1, &place))) {
			end = ip ? SYSPROF_END_UNMAPPED : SYSPROF_END_ROOT;
			by_word = true;
			break;
		}
		if (unlikely(frame == last)) {
			end = SYSPROF_END_LIMIT;
			break;
		}
		name = ip + place.base;
		if (unlikely(sps))
			*sps++ = sp;
		*frame++ = name--;
		if (recall && unlikely(++step == recall->own->steps + RECALL_FRAMES))
			step = recall->own->steps;
		found = sysprof_finder_slot(&finder, name);
		if (unlikely(!sysprof_finder_has(&finder, found, name))) {
			user_read_access_end();
			found = sysprof_finder_look_up(from, name);
			if (!open_window()) {
				end = SYSPROF_END_FAULT;
				goto closed;
			}
		}
	} while (likely(found->plain.kind));
	if (!end && !is_met && found->plain.is_root)
		end = SYSPROF_END_ROOT;
out:
	user_read_access_end();
closed:
	*run = (struct run){ .sp = sp, .fp = fp, .ip = ip };
	to->n = frame - to->frames;
	*at = (struct arrival){ .place = place, .frame = name };
	if (!recall)
		return end;
	if (likely(is_met)) {
		sysprof_recall_take(recall, to, step - recall->own->steps);
		return to->end;
	}
	if (end == SYSPROF_END_ROOT || end == SYSPROF_END_UNMAPPED)
		sysprof_recall_keep(recall, to, end, finder.tag, step - recall->own->steps,
				    by_word);
	return end;
unread:
	fp = UNKNOWN_FP;
	goto read;
fault:
	end = SYSPROF_END_FAULT;
	goto out;
}

/*
 * A return address at a function's first byte, where no call ends: it was put there, so that its
 * function is the first one of this stack, or returns from a signal.  Returns the rule of the
 * signal; NULL: there is no caller.
 */
static const struct sysprof_table_rule *put_there(struct sysprof_walk *to, struct table_walk *walk,
						  const struct sysprof_found *found)
{
	static const struct sysprof_table_rule signal = { .cfa = SYSPROF_CFA_SIGNAL };

	(*(to->frames + to->n - 1))++;
	walk->is_exact = true;
	return found->is_signal_behind ? &signal : NULL;
}

/*
 * Begins a walk at what was interrupted, perhaps in @place.  Returns 0, or the reason why there is
 * no frame.
 */
static __always_inline u8 walk_begin(const struct pt_regs *regs, struct sysprof_walk *to,
				     struct run *run, struct arrival *at,
				     struct sysprof_place place)
{
	begin_run(run, regs);
	run->is_exact = true;
	*at = (struct arrival){ .place = place, .was_exact = true };
	to->n = 0;
	to->is_guess = false;
	if (to->steps)
		to->steps = SYSPROF_STEPS_ASK;
	return arrive(to, run->ip, run->sp, true, at, false);
}

/*
 * Goes on from @at, where @run is.  Returns false if @is_quick skipped a register that was needed
 * later.  @left_out: some may have been already.  @recall: what is remembered; NULL: nothing.
 */
static noinline bool walk_on(struct pt_regs *regs, struct sysprof_walk *to, bool is_quick,
			     const struct sysprof_finder *finder, struct recall *recall,
			     struct run *run, struct arrival *at, bool left_out)
{
	bool is_guess = false, is_running = true;
	const struct sysprof_table_rule *rule;
	const struct sysprof_found *found;
	struct table_walk walk;

	while (!to->end) {
		found = sysprof_finder_look_up(finder, at->frame);
		if (!is_running)
			enter_run(run, &walk);
		if (found->plain.kind && is_quick && run->sp >= LOWEST_CFA) {
			to->end = run_plain(to, run, at, finder, found, recall);
			is_running = left_out = true;
			is_guess = false;
			continue;
		}
		if (is_running && left_out) {
			leave_run(&walk, run);
		} else if (is_running) {
			begin(&walk, regs);
			walk.known = ALL_KNOWN;
			walk.is_exact = true;
		}
		is_running = false;
		if (unlikely(to->by_frames))
			sysprof_chain_frame(to, at->frame, walk.registers, walk.known);
		rule = found->rule;
		/* By frame pointers, which may be wrong, any function's address may be found. */
		if (unlikely(found->is_behind) && !walk.is_exact && !is_guess) {
			rule = put_there(to, &walk, found);
			if (!rule) {
				to->end = SYSPROF_END_ROOT;
				break;
			}
		}
		if (left_out && rule && !knows(&walk, rule))
			return false;
		is_guess = !rule;
		if (is_guess && found->is_region && to->steps &&
		    step_by_chain(to, &walk, &to->end))
			is_guess = false;
		else
			to->end = step(&walk, rule);
		/*
		 * If the table has nothing about the function, or if there can be no table, this is
		 * all there is.  But code made at run time begins no thread: a frame pointer of 0
		 * there may be anything.
		 */
		to->is_guess |= is_guess && !found->has_table &&
				(!found->is_region || to->end == SYSPROF_END_ROOT);
		if (!to->end)
			to->end = arrive(to, walk.ip, *(walk.registers + SYSPROF_ARCH_SP),
					 walk.is_exact, at, is_guess);
	}
	return true;
}

/* Nothing is remembered.  Returns false as walk_on() does. */
static noinline bool walk_anew(struct pt_regs *regs, struct sysprof_walk *to, bool is_quick,
			       const struct sysprof_finder *finder)
{
	struct arrival at;
	struct run run;

	to->end = walk_begin(regs, to, &run, &at, (struct sysprof_place){});
	return walk_on(regs, to, is_quick, finder, NULL, &run, &at, false);
}

/*
 * Plain rules lead to frames that are remembered.  Returns false as walk_on() does.
 */
static __always_inline bool walk_recalling(struct pt_regs *regs, struct sysprof_walk *to,
					   const struct sysprof_finder *finder,
					   struct recall *recall)
{
	const struct sysprof_found *found;
	struct arrival at;
	struct run run;
	bool left_out;

	to->end = walk_begin(regs, to, &run, &at, recall->place);
	recall->place = at.place;
	if (unlikely(to->end))
		return true;
	found = sysprof_finder_look_up(finder, at.frame);
	left_out = found->plain.kind && run.sp >= LOWEST_CFA;
	if (likely(left_out))
		to->end = run_plain(to, &run, &at, finder, found, recall);
	return to->end || walk_on(regs, to, true, finder, recall, &run, &at, left_out);
}

/* Any walk.  @passed: as of recall_begin(). */
static noinline void walk_through(struct pt_regs *regs, struct sysprof_walk *to,
				  const struct recall_word *passed)
{
	struct sysprof_finder finder;
	struct recall recall;
	bool is_done;

	sysprof_finder_init(&finder, to->tables);
	if (likely(recall_begin(&recall, to, finder.tag, passed))) {
		is_done = walk_recalling(regs, to, &finder, &recall);
		if (unlikely(!recall.is_settled))
			sysprof_recall_miss(&recall);
	} else {
		/* A quick walk skips registers. */
		is_done = walk_anew(regs, to, !to->by_frames, &finder);
	}
	if (unlikely(!is_done))
		walk_anew(regs, to, false, &finder);
}

/*
 * The plain rule @found of what was interrupted in @run leads to @frame, the innermost one that
 * @entry has.  Whether all words are the same.  If not, they are not as far as *@passed, unless
 * that is NULL.
 */
static __always_inline bool is_where_it_was(const struct recall_entry *entry,
					    const struct recall_frame *frame,
					    const struct sysprof_found *found,
					    const struct run *run,
					    const struct recall_word **passed)
{
	const struct recall_word *word = entry->words + frame->word,
				 *end = entry->words + RECALL_WORDS;
	u64 cfa = (found->plain.kind == SYSPROF_PLAIN_FP ? run->fp : run->sp) + found->cfa_offset,
	    fp_at = cfa + found->plain.fp_words * 8LL, value, fp = run->fp;

	if (cfa <= run->sp || cfa >= CFA_END || cfa + found->plain.ra_words * 8LL != word->at ||
	    found->plain.ra_words != frame->ra_words || !open_window())
		return false;
	unsafe_get_user(value, (const u64 __user *)word->at, differs);
	if (unlikely(value != word->value))
		goto differs;
	/* As in run_plain(). */
	if (frame->needs_fp) {
		if (found->plain.fp_words && likely(fp_at >= run->sp))
			unsafe_get_user(fp, (const u64 __user *)sysprof_below_or_0(fp_at, USER_END),
					differs);
		if (unlikely(frame->fp != fp))
			goto differs;
	}
	word = recall_compare(word + 1, end);
	if (unlikely(word != end)) {
		*passed = word + 1;
		goto differs;
	}
	user_read_access_end();
	return true;
differs:
	user_read_access_end();
	return false;
}

/*
 * What most walks come to: a thread is still in the function that the last one found it in, or is
 * there again, and was called from the same place.  It is what walk_through() would do, without
 * anything that only other walks need.  False: it is no such walk; *@passed is for recall_begin().
 */
static __always_inline bool walk_again(const struct pt_regs *regs, struct sysprof_walk *to,
				       const struct recall_word **passed)
{
	struct recall_cpu *own = this_cpu_read(sysprof_recall);
	const struct sysprof_found *found;
	const struct recall_frame *frame;
	struct sysprof_finder finder;
	struct recall_entry *entry;
	struct run run;
	u64 name;

	sysprof_finder_init(&finder, to->tables);
	entry = recall_entry_of(own, finder.tag);
	frame = entry->frames + entry->top;
	if (!recall_knows(entry, to->ranges, finder.tag) || !entry->stamp || entry->skip ||
	    entry->top >= RECALL_FRAMES || RECALL_FRAMES - entry->top >= to->max || to->sps)
		return false;
	begin_run(&run, regs);
	name = run.ip + entry->place.base;
	found = sysprof_finder_slot(&finder, name);
	if (run.ip - entry->place.start >= entry->place.bytes || run.sp < LOWEST_CFA ||
	    !sysprof_finder_has(&finder, found, name) || !found->plain.kind ||
	    !is_where_it_was(entry, frame, found, &run, passed))
		return false;
	*to->frames = name;
	to->n = 1;
	to->is_guess = false;
	if (to->steps)
		to->steps = SYSPROF_STEPS_ASK;
	to->remembered = entry;
	to->n_remembered = RECALL_FRAMES - entry->top;
	recall_add_outer(own, entry, to, entry->top);
	entry->bad = 0;
	this_cpu_ptr(&sysprof_recall_counted)->known++;
	return true;
}

static noinline void walk_twice(struct pt_regs *regs, struct sysprof_walk *to)
{
	struct sysprof_walk again = *to;
	struct sysprof_finder finder;

	sysprof_finder_init(&finder, to->tables);
	again.frames = this_cpu_read(sysprof_recall)->again;
	if (!walk_anew(regs, &again, true, &finder))
		walk_anew(regs, &again, false, &finder);
	sysprof_walk_complete(to);
	sysprof_recall_judge(to, &again);
}

/* Walks from the registers of a context of current.  No faults. */
static inline void walk_tables(struct pt_regs *regs, struct sysprof_walk *to)
{
	uint mode = READ_ONCE(sysprof_recall_mode);
	const struct recall_word *passed = NULL;

	sysprof_no_faults_begin();
	if (!mode || in_nmi() || !walk_again(regs, to, &passed))
		walk_through(regs, to, passed);
	if (unlikely(mode == SYSPROF_RECALL_CHECKED && to->remembered))
		walk_twice(regs, to);
	sysprof_no_faults_end();
}

#endif /* _SYSPROF_WALK_TABLE_H */
