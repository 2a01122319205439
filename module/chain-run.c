// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs chains.  They are not trusted, and neither is the memory that they read: nothing here
 * faults, reads but user memory, or goes on for long.
 */
#include <linux/hash.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "chain.h"
#include "chain-recall.h"
#include "no-faults.h"
#include "step-recall.h"

#define LOWEST 4096UL
#define LAST   (SYSPROF_ARCH_USER_END - PAGE_SIZE)

/*
 * Sets *@to to the @bytes, a constant, at @address, inside the window of user_read_access_begin();
 * false: they cannot be read.
 */
static __always_inline bool chain_load(u64 *to, u64 address, unsigned int bytes)
{
	u64 word;
	u32 half;
	u16 quarter;
	u8 byte;

	address = sysprof_below_or_0(address, LAST);
	if (unlikely(address < LOWEST))
		return false;
	switch (bytes) {
	case 8:
		unsafe_get_user(word, (u64 __user *)address, fault);
		*to = word;
		return true;
	case 4:
		unsafe_get_user(half, (u32 __user *)address, fault);
		*to = half;
		return true;
	case 2:
		unsafe_get_user(quarter, (u16 __user *)address, fault);
		*to = quarter;
		return true;
	default:
		unsafe_get_user(byte, (u8 __user *)address, fault);
		*to = byte;
		return true;
	}
fault:
	return false;
}

/* The same, which @tape notes; NULL: nothing does. */
static __always_inline bool chain_read(struct chain_tape *tape, u64 *to, u64 address,
				       unsigned int bytes)
{
	u64 word, at = bytes == 8 ? address : address & ~7ULL;

	if (!tape)
		return chain_load(to, address, bytes);
	if (unlikely(bytes < 8 && (address & 7) + bytes > 8)) {
		tape->is_whole = false;
		return chain_load(to, address, bytes);
	}
	if (!chain_load(&word, at, 8))
		return false;
	chain_tape_word(tape, at, word);
	*to = chain_part(word, address, bytes);
	return true;
}

/* An instruction that loads less than a word. */
static __always_inline bool chain_read_part(struct chain_tape *tape, u8 op, u64 *to, u64 address)
{
	switch (op) {
	case SYSPROF_CHAIN_LD4:
		return chain_read(tape, to, address, 4);
	case SYSPROF_CHAIN_LD4S:
		if (!chain_read(tape, to, address, 4))
			return false;
		*to = (s32)*to;
		return true;
	case SYSPROF_CHAIN_LD2:
		return chain_read(tape, to, address, 2);
	default:
		return chain_read(tape, to, address, 1);
	}
}

/* The number at *@at, which leads behind it then.  *@word: the word of which *@at is a part. */
static __always_inline bool read_number(struct chain_tape *tape, u64 *number, u64 *at, u64 *word,
					s32 *fuel)
{
	u32 shift;
	u8 byte;

	*number = 0;
	for (shift = 0; shift < 64; shift += 7) {
		if (!(*at & 7)) {
			*fuel -= 2;
			if (!chain_read(tape, word, *at, 8))
				return false;
		}
		byte = chain_part(*word, (*at)++, 1);
		*number |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return true;
}

/* SYSPROF_CHAIN_SUMS.  False: the program ends here. */
static __always_inline bool run_sums(struct chain_tape *tape, u64 *sum, u64 at, u64 end, s32 *fuel)
{
	u64 first = 0, second = 0, word = 0, number;

	if (at < end && at & 7 && !chain_read(tape, &word, at & ~7ULL, 8))
		return false;
	while (at < end) {
		if (--*fuel < 0 || !read_number(tape, &number, &at, &word, fuel))
			return false;
		first += number >> 1;
		if (first > *sum)
			break;
		if (!read_number(tape, &number, &at, &word, fuel))
			return false;
		second += number >> 1 ^ -(number & 1);
	}
	*sum = second;
	return true;
}

static __always_inline u64 mix(u64 a, u64 b)
{
	return (a ^ b) * GOLDEN_RATIO_64;
}

/* False: there is no room. */
static __always_inline bool chain_emit(struct sysprof_script *script, u32 max, u64 code,
				       u64 position, u64 identity, u64 with)
{
	struct sysprof_script_frame *frame = script->frame + script->n;

	if (script->n == max)
		return false;
	frame->code = code;
	frame->position = position;
	frame->identity = identity;
	frame->with = with;
	frame->is_last = false;
	frame->passed = script->passed;
	script->passed = 0;
	script->n++;
	return true;
}

static __always_inline void end_group(struct sysprof_script *script, u64 mark)
{
	struct sysprof_script_frame *frame = script->frame + script->n - 1;

	if (!script->n || frame->is_last) {
		script->passed += !mark;
		return;
	}
	frame->is_last = true;
	frame->mark = mark;
}

/* What a node of a list says.  False: it cannot be read. */
static __always_inline bool read_node(const struct sysprof_chain_list *list, u64 node, u64 *code,
				      u64 *position, u64 *identity, struct chain_tape *tape)
{
	u64 at, word, words[3];

	if (!chain_read(tape, &at, node + list->code, 8))
		return false;
	at &= ~0ULL << list->code_bits;
	if (!(list->position_bytes == 8 ? chain_read(tape, &word, node + list->position, 8) :
					  chain_read(tape, &word, node + list->position, 4)))
		return false;
	if (list->position_of_code)
		word -= at;
	*position = (word - list->position_base) >> list->position_shift;
	if (!chain_read(tape, words + 0, at + *(list->identity + 0), 8) ||
	    !chain_read(tape, words + 1, at + *(list->identity + 1), 8) ||
	    !chain_read(tape, words + 2, at + *(list->identity + 2), 8))
		return false;
	*identity = mix(mix(mix(at, *(words + 0)), *(words + 1)), *(words + 2));
	*code = at;
	return true;
}

/*
 * The frames of a list.  *@node: 0 at its end.  False: the program ends here.  With @tape it may
 * also end as it did before: then @tape has known turns.  @at: number of the instruction; @live: as
 * there.
 */
static __always_inline bool run_list(const struct sysprof_chain_list *list,
				     struct sysprof_script *script, u32 max, u64 *node, u64 *mark,
				     s32 *fuel, struct chain_tape *tape, u32 live, u32 at_insn,
				     const u64 *registers)
{
	bool alone = list->flag_kind == SYSPROF_CHAIN_FLAG_ALONE,
	     last = list->flag_kind == SYSPROF_CHAIN_FLAG_LAST;
	u64 at = *node, code, position, identity, next, flag = 0;

	for (; at; at = next) {
		*node = at;
		if (tape && tape->is_whole &&
		    chain_recall_turn(tape, script, live, at_insn << 1 | 1, max, registers, fuel))
			return true;
		*fuel -= SYSPROF_CHAIN_LIST_FUEL;
		if (*fuel < 0 || !chain_read(tape, &next, at + list->next, 8))
			return false;
		if ((alone || last) && !chain_read(tape, &flag, at + list->flag, 1))
			return false;
		if (alone && flag == list->flag_value) {
			end_group(script, at);
			continue;
		}
		if (!read_node(list, at, &code, &position, &identity, tape) ||
		    !chain_emit(script, max, code, position, identity, 0))
			return false;
		if (last && flag == list->flag_value) {
			end_group(script, *mark);
			if (!chain_read(tape, mark, *mark + list->mark_next, 8))
				return false;
		}
		if (list->flag_kind == SYSPROF_CHAIN_FLAG_EACH)
			end_group(script, 0);
	}
	*node = 0;
	return true;
}

/*
 * Where frames with these numbers are remembered, if they are: *@is_known.  Else they may be there
 * later.
 */
static __always_inline struct sysprof_script_memo *find_memo(struct sysprof_script *script,
							     u64 first, u64 second, bool *is_known)
{
	struct sysprof_script_memo *memo =
		script->memo + (mix(mix(first, second), script->mm) >>
				(64 - SYSPROF_SCRIPT_MEMO_BITS));

	*is_known = memo->n && *memo->key == first && *(memo->key + 1) == second &&
		    memo->mm == script->mm && memo->program == script->program->number;
	if (*is_known)
		return memo;
	memo->n = 0;
	*memo->key = first;
	*(memo->key + 1) = second;
	memo->mm = script->mm;
	memo->program = script->program->number;
	return memo;
}

/* Emits what is remembered.  False: there is no room, or no fuel. */
static __always_inline bool recall_memo(struct sysprof_script *script, u32 max,
					const struct sysprof_script_memo *memo, s32 *fuel)
{
	const struct sysprof_memo_frame *frame = memo->frame, *end = frame + memo->n;

	for (; frame < end; frame++)
		if (--*fuel < 0 || !chain_emit(script, max, frame->code, frame->position,
					       frame->identity, 0))
			return false;
	return true;
}

/* Remembers the frames of @script from @first on, if they are not too many. */
static __always_inline void keep_memo(struct sysprof_script_memo *memo,
				      const struct sysprof_script *script, u32 first)
{
	u32 n = script->n - first;

	if (n > SYSPROF_SCRIPT_MEMO_FRAMES)
		return;
	step_keep_frames(memo->frame, script, first);
	memo->n = n;
}

#define R(number) (*(registers + (number)))
/*
 * The constant @imm, which is below @n, a power of two: speculation that takes an instruction for
 * another one keeps to that, too.
 */
#define BELOW(imm, n) ((u32)(imm) & ((n) - 1))

/*
 * From instruction @at on, up to @max frames.  Returns whether there may be more of them.  @step:
 * of a program of steps, or with what a program of frames knows, else NULL.  @tape: what it is
 * compared with; NULL: nothing.  @is_step, a constant: the tape notes what a step depends on.
 * @fuel: a local variable of the caller's, so that it is in a register.  The window is open: no
 * function may be called.
 */
static __always_inline bool run_program(const struct sysprof_program *program, u32 at,
					struct sysprof_script *script, u32 max, u64 *registers,
					s32 *fuel, struct sysprof_caller *step,
					struct chain_tape *tape, const bool is_step)
{
	const struct sysprof_chain_insn *insn = program->insn + at;
	struct sysprof_script_memo *memo = NULL;
	u32 first = 0;
	u64 with = 0;
	bool is_known;

	for (; --*fuel >= 0; insn++) {
		u8 dst = insn->dst, src = insn->src;
		s64 imm = insn->imm;

		if (is_step && tape)
			tape->needs_fp |= sysprof_chain_reads_fp(program, insn);
		/* Half of all.  Kernels have no tables of jumps: each case is a comparison. */
		if (insn->op == SYSPROF_CHAIN_LD8) {
			if (!chain_read(tape, &R(dst), R(src) + imm, 8))
				goto fault;
			continue;
		}
		if (insn->op <= SYSPROF_CHAIN_LD1) {
			if (!chain_read_part(tape, insn->op, &R(dst), R(src) + imm))
				goto fault;
			continue;
		}
		switch (insn->op) {
		case SYSPROF_CHAIN_ADDI:
			R(dst) = R(src) + imm;
			break;
		case SYSPROF_CHAIN_ADD:
			R(dst) += R(src);
			break;
		case SYSPROF_CHAIN_SUB:
			R(dst) -= R(src);
			break;
		case SYSPROF_CHAIN_ANDI:
			R(dst) = R(src) & imm;
			break;
		case SYSPROF_CHAIN_SHLI:
			R(dst) = R(src) << (imm & 63);
			break;
		case SYSPROF_CHAIN_SHRI:
			R(dst) = R(src) >> (imm & 63);
			break;
		case SYSPROF_CHAIN_MOVI:
			R(dst) = imm;
			break;
		case SYSPROF_CHAIN_MIX:
			R(dst) = mix(R(dst), R(src));
			break;
		case SYSPROF_CHAIN_JEQI:
			insn += R(src) == imm ? insn->jump : 0;
			break;
		case SYSPROF_CHAIN_JNEI:
			insn += R(src) != imm ? insn->jump : 0;
			break;
		case SYSPROF_CHAIN_JEQ:
			insn += R(src) == R(dst) ? insn->jump : 0;
			break;
		case SYSPROF_CHAIN_JNE:
			insn += R(src) != R(dst) ? insn->jump : 0;
			break;
		case SYSPROF_CHAIN_JLT:
			insn += R(dst) < R(src) ? insn->jump : 0;
			break;
		case SYSPROF_CHAIN_EMIT:
			if (!chain_emit(script, max, R(src), R(dst),
					mix(R(src), R(BELOW(imm, SYSPROF_CHAIN_STEPS_REGISTERS))),
					with))
				return true;
			with = 0;
			break;
		case SYSPROF_CHAIN_WITH:
			with = R(src);
			break;
		case SYSPROF_CHAIN_SUMS:
			if (!run_sums(tape, &R(dst), R(src),
				      R(BELOW(imm, SYSPROF_CHAIN_STEPS_REGISTERS)), fuel))
				goto fault;
			break;
		case SYSPROF_CHAIN_MARK:
			end_group(script, R(src));
			break;
		case SYSPROF_CHAIN_LIST:
			at = insn - program->insn;
			if (!run_list(program->list + BELOW(imm, SYSPROF_CHAIN_MAX_LISTS), script,
				      max, &R(dst), &R(src), fuel, tape,
				      with ? SYSPROF_CHAIN_TOO_LIVE : *(program->live + at), at,
				      registers))
				goto fault;
			if (tape && tape->known != CHAIN_RECALL_TURNS)
				return tape->entry->is_cut;
			break;
		case SYSPROF_CHAIN_LOOP:
			at = BELOW(imm, SYSPROF_CHAIN_STEPS_MAX_INSNS);
			/* What cannot be remembered goes on without, which costs less. */
			if (!is_step && tape && unlikely(!tape->is_whole) && !with) {
				tape->left_at = at;
				return true;
			}
			if (!is_step && tape && tape->is_whole &&
			    chain_recall_turn(tape, script,
					      with ? SYSPROF_CHAIN_TOO_LIVE : *(program->live + at),
					      at << 1, max, registers, fuel))
				return tape->entry->is_cut;
			insn = program->insn + at - 1;
			break;
		case SYSPROF_CHAIN_SHL:
			R(dst) <<= R(src) & 63;
			break;
		case SYSPROF_CHAIN_SHR:
			R(dst) >>= R(src) & 63;
			break;
		case SYSPROF_CHAIN_REG:
			/* One that is not known may be anything of the kernel's: no branch. */
			R(dst) = *(step->registers + BELOW(imm, SYSPROF_ARCH_TABLE_REGS)) &
				 -(step->known >> BELOW(imm, SYSPROF_CHAIN_MACHINE_REGISTERS) & 1);
			if (is_step && tape)
				tape->is_whole = false;
			break;
		case SYSPROF_CHAIN_NEXT:
			step->fp = R(dst);
			step->sp = R(src);
			step->ip = R(BELOW(imm, SYSPROF_CHAIN_STEPS_REGISTERS));
			step->is_found = true;
			if (memo)
				keep_memo(memo, script, first);
			return false;
		case SYSPROF_CHAIN_RECALL:
			memo = find_memo(script, R(dst), R(src), &is_known);
			first = script->n;
			if (!is_known)
				break;
			if (!recall_memo(script, max, memo, fuel))
				return true;
			memo = NULL;
			insn += insn->jump;
			break;
		default:
			if (tape)
				tape->has_ended = true;
			return imm;
		}
	}
	return true;
fault:
	*fuel -= SYSPROF_CHAIN_FAULT_FUEL;
	return true;
}

/**
 * struct chain_run - how a program is run
 * @program: the program
 * @max: most frames
 * @fuel: what it may take, and then what is left
 * @first: its first registers
 * @frame: the native frame that it runs for, whose registers it may ask for; NULL: all of them
 */
struct chain_run {
	const struct sysprof_program *program;
	u32 max;
	s32 fuel;
	u64 first[4];
	struct sysprof_caller *frame;
};

/* From instruction @at on, compared with nothing. */
static noinline void chain_run_plain(struct chain_run *run, u32 at, struct sysprof_script *script,
				     u64 *registers)
{
	s32 fuel = run->fuel;

	script->is_cut = true;
	sysprof_no_faults_begin();
	if (user_read_access_begin((void __user *)LOWEST, LAST - LOWEST)) {
		script->is_cut = run_program(run->program, at, script, run->max, registers, &fuel,
					     run->frame, NULL, false);
		user_read_access_end();
	}
	sysprof_no_faults_end();
	run->fuel = fuel;
}

static void chain_run_anew(struct chain_run *run, struct sysprof_script *script)
{
	u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS] = { run->first[0], run->first[1],
							 run->first[2], run->first[3] };

	chain_run_plain(run, 0, script, registers);
}

/* Compared with the run before. */
static void chain_run_taped(struct chain_run *run, struct sysprof_script *script,
			    struct chain_tape *tape)
{
	u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS] = { run->first[0], run->first[1],
							 run->first[2], run->first[3] };
	s32 fuel = run->fuel;

	script->is_cut = true;
	sysprof_no_faults_begin();
	if (user_read_access_begin((void __user *)LOWEST, LAST - LOWEST)) {
		script->is_cut = run_program(run->program, 0, script, run->max, registers, &fuel,
					     run->frame, tape, false);
		user_read_access_end();
	}
	sysprof_no_faults_end();
	run->fuel = fuel;
	if (unlikely(tape->left_at != CHAIN_NOT_LEFT))
		chain_run_plain(run, tape->left_at, script, registers);
	sysprof_chain_recall_end(script, tape, run->fuel);
}

/* Once more, with @fuel, without what is remembered. */
static void chain_run_check(const struct chain_run *run, struct sysprof_script *script, s32 fuel)
{
	struct chain_run again = *run;
	struct sysprof_script_frame *found = script->frame;
	u32 n = script->n;
	bool is_cut = script->is_cut;

	script->frame = script->recall->frame;
	script->n = 0;
	script->passed = 0;
	again.fuel = fuel;
	chain_run_anew(&again, script);
	sysprof_chain_recall_judge(script, found, n, is_cut != script->is_cut);
	script->frame = found;
	script->n = n;
	script->is_cut = is_cut;
}

/* @tape: what it is compared with; NULL: nothing. */
static void chain_run_with(struct chain_run *run, struct sysprof_script *script,
			   struct chain_tape *tape)
{
	s32 fuel = run->fuel;

	if (!tape) {
		chain_run_anew(run, script);
		return;
	}
	chain_run_taped(run, script, tape);
	if (unlikely(READ_ONCE(sysprof_recall_mode) == SYSPROF_RECALL_CHECKED))
		chain_run_check(run, script, fuel);
}

void sysprof_chain_run(const struct sysprof_program *program, u64 bias,
		       struct sysprof_script *script)
{
	struct chain_run run = {
		.program = program,
		.max = program->max_frames,
		.fuel = SYSPROF_CHAIN_FUEL,
		.first = { sysprof_arch_thread_pointer(), bias },
	};

	sysprof_script_begin(script);
	chain_run_with(&run, script, sysprof_chain_recall_begin(script, program, 0));
}

/* The runs of a program of frames.  As run_program(). */
static __always_inline bool run_for_each(const struct sysprof_program *program,
					 struct sysprof_script *script, u64 *registers)
{
	u64 thread = R(0), bias = R(1);
	struct sysprof_caller none = {};
	s32 fuel = SYSPROF_CHAIN_FUEL;
	bool is_cut = false;
	u32 i, native, first;

	R(4) = *script->run ? 0 : script->ip;
	for (i = 0; i < script->n_run; i++) {
		native = *(script->run + i);
		first = script->n;
		R(0) = thread;
		R(1) = bias;
		R(2) = *(script->sps + native + 1);
		R(3) = *(script->sps + native);
		is_cut |= run_program(program, 0, script, program->max_frames, registers, &fuel,
				      &none, NULL, false);
		for (; first < script->n; first++)
			*(script->at + first) = native;
		if (fuel < 0 || script->n == program->max_frames)
			return is_cut || i + 1 < script->n_run;
	}
	return is_cut;
}

void sysprof_chain_run_frames(const struct sysprof_program *program, u64 bias,
			      struct sysprof_script *script)
{
	u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS] = { sysprof_arch_thread_pointer(), bias };

	sysprof_script_begin(script);
	sysprof_no_faults_begin();
	if (user_read_access_begin((void __user *)LOWEST, LAST - LOWEST)) {
		script->is_cut = run_for_each(program, script, registers);
		user_read_access_end();
	}
	sysprof_no_faults_end();
}

void sysprof_chain_run_frame(struct sysprof_script *script, u64 end)
{
	const struct sysprof_program *program = script->program;
	const struct sysprof_inner_frame *inner = &script->inner;
	struct sysprof_caller frame = { .registers = inner->registers, .known = inner->known };
	struct chain_run run = {
		.program = program,
		.fuel = script->fuel,
		.first = { script->thread, script->bias, end, inner->sp },
		.frame = &frame,
	};
	bool was_cut = script->is_cut;
	u32 first = script->n;

	if (script->fuel < 0) {
		script->is_cut = true;
		return;
	}
	run.max = program->max_frames - first;
	if (first) {
		sysprof_chain_recall_leave(script, 0);
		script->frame += first;
		script->n = 0;
	}
	chain_run_with(&run, script, sysprof_chain_recall_begin(script, program, inner->sp));
	script->fuel = run.fuel;
	script->is_cut |= was_cut;
	if (first)
		sysprof_chain_recall_leave(script, first);
	for (; first < script->n; first++)
		script->at[first] = inner->native;
}

/* As run_program(), from @step on; what it depends on is put into @seen, unless that is NULL. */
static noinline bool step_run(struct sysprof_script *script, struct sysprof_caller *step,
			      struct step_seen *seen)
{
	const struct sysprof_program *program = script->program;
	struct chain_tape *tape = seen ? &script->recall->tape : NULL;
	u64 *registers = script->registers;
	s32 fuel = script->fuel;
	struct step_begin begin;
	bool is_cut = true;

	if (seen)
		step_note(&begin, script, step);
	R(0) = script->thread;
	R(1) = script->bias;
	R(2) = step->fp;
	R(3) = step->sp;
	R(4) = step->ip;
	R(5) = step->is_exact;
	if (user_read_access_begin((void __user *)LOWEST, LAST - LOWEST)) {
		is_cut = run_program(program, 0, script, program->max_frames, registers, &fuel,
				     step, tape, true);
		user_read_access_end();
	}
	script->fuel = fuel;
	if (seen && !is_cut && step->is_found)
		step_put(seen, &begin, script, step);
	return is_cut;
}

/* Whether the run for @step ends as before. */
static bool step_is_known(struct sysprof_script *script, struct sysprof_caller *step,
			  const struct step_seen *seen)
{
	bool is_known = false;

	if (user_read_access_begin((void __user *)LOWEST, LAST - LOWEST)) {
		is_known = step_is_same(seen, script, step);
		user_read_access_end();
	}
	return is_known;
}

/* @step, which was @begin, comes of @seen: it is looked for without, too. */
static void step_check(struct sysprof_script *script, const struct sysprof_caller *step,
		       const struct step_seen *seen, struct sysprof_caller begin)
{
	struct sysprof_script_frame *found = script->frame;
	u64 *kept = script->registers + script->program->first_kept;
	s32 fuel = script->fuel;
	u32 n = script->n, i;
	bool is_other;

	script->frame = script->recall->frame;
	script->n = 0;
	script->fuel = SYSPROF_CHAIN_FUEL;
	for (i = 0; i < script->program->n_kept; i++)
		kept[i] = seen->kept[i];
	is_other = step_run(script, &begin, NULL) || begin.fp != step->fp ||
		   begin.sp != step->sp || begin.ip != step->ip;
	for (i = 0; i < script->program->n_kept; i++) {
		is_other |= kept[i] != seen->left[i];
		kept[i] = seen->left[i];
	}
	sysprof_chain_recall_judge(script, found + n - seen->n, seen->n, is_other);
	script->frame = found;
	script->n = n;
	script->fuel = fuel;
}

u8 sysprof_chain_run_step(struct sysprof_script *script, u32 native, struct sysprof_caller *step)
{
	struct step_seen *seen = step_place(script, step);
	struct sysprof_caller begin = *step;
	u32 first = script->n;
	bool is_cut = false;

	step->is_found = false;
	if (!seen || !step_is_known(script, step, seen)) {
		this_cpu_ptr(&sysprof_chain_counted)->walked += !!seen;
		is_cut = step_run(script, step, seen);
	} else {
		this_cpu_ptr(&sysprof_chain_counted)->known++;
		if (unlikely(READ_ONCE(sysprof_recall_mode) == SYSPROF_RECALL_CHECKED))
			step_check(script, step, seen, begin);
	}
	for (; first < script->n; first++)
		script->at[first] = native;
	script->is_cut |= is_cut;
	if (is_cut)
		return script->fuel < 0 || script->n == script->program->max_frames ?
			       SYSPROF_END_LIMIT :
			       SYSPROF_END_FAULT;
	if (!step->is_found)
		return SYSPROF_END_NO_INFO;
	/* What was interrupted may have nothing on the stack. */
	return step->sp + begin.is_exact > begin.sp && !(step->sp & 7) ? 0 : SYSPROF_END_BAD;
}

bool sysprof_chain_run_names(const struct sysprof_program *program, u64 code,
			     u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS], s32 *fuel)
{
	bool is_cut = true;

	R(2) = code;
	sysprof_no_faults_begin();
	if (user_read_access_begin((void __user *)LOWEST, LAST - LOWEST)) {
		/* It has no instruction that needs a script. */
		is_cut = run_program(program, program->names, NULL, 0, registers, fuel, NULL, NULL,
				     false);
		user_read_access_end();
	}
	sysprof_no_faults_end();
	return !is_cut;
}
