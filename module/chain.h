/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chains: programs that find the frames of an interpreter's scripts (uapi/sysprof-chain.h).
 * chain.c keeps them, chain-check.c checks them, chain-run.c runs them in the tick, chain-code.c
 * numbers the code that they find and sends its names.
 */
#ifndef _SYSPROF_CHAIN_H
#define _SYSPROF_CHAIN_H

#include <linux/types.h>

#include "arch.h"
#include "chain-step.h"
#include "regions.h"
#include "stack.h"
#include "sysprof-chain.h"

struct chain_remembered;
struct file;
struct step_recall;
struct sysprof_chain_recall;
struct sysprof_session_cpu;
struct sysprof_tables;

/**
 * struct sysprof_program - a chain, checked
 * @number: no other one has it
 * @tag: these as in struct sysprof_chain_header
 * @address_minus_offset: likewise
 * @max_frames: likewise
 * @n_loops: likewise
 * @n_spans: likewise
 * @is_of_frames: it runs for each frame (SYSPROF_CHAIN_FRAMES)
 * @has_registers: it does so with the frame's registers
 * @is_of_steps: it runs while a stack is walked (SYSPROF_CHAIN_STEPS)
 * @is_of_thread: it runs for each stack (SYSPROF_CHAIN_THREAD)
 * @names: likewise
 * @loop: these point into @data
 * @list: likewise
 * @span: likewise
 * @insn: likewise
 * @live: from each instruction on, the registers that are read before they are set;
 *	SYSPROF_CHAIN_TOO_LIVE: these are more than SYSPROF_CHAIN_STATE
 * @first_kept: of the registers that a program of steps keeps, the first one that counts
 * @n_kept: how many from there on may; more than SYSPROF_CHAIN_KEPT: nothing of it is remembered
 * @reads_fp: bits of instructions of a program of steps that read the native frame's frame pointer
 * @bytes: size of @data
 * @data: the chain as it was handed over
 */
struct sysprof_program {
	u64 number;
	u32 tag;
	s64 address_minus_offset;
	u16 max_frames;
	u8 n_loops;
	u8 n_spans;
	bool is_of_frames;
	bool has_registers;
	bool is_of_steps;
	bool is_of_thread;
	u16 names;
	const struct sysprof_chain_loop *loop;
	const struct sysprof_chain_list *list;
	const struct sysprof_chain_span *span;
	const struct sysprof_chain_insn *insn;
#define SYSPROF_CHAIN_STATE    6
#define SYSPROF_CHAIN_TOO_LIVE (~0U)
	u32 live[SYSPROF_CHAIN_STEPS_MAX_INSNS];
#define SYSPROF_CHAIN_KEPT 8
	u8 first_kept;
	u8 n_kept;
	u64 reads_fp[SYSPROF_CHAIN_STEPS_MAX_INSNS / 64];
	u32 bytes;
	u64 data[];
};

/**
 * struct sysprof_script_frame - a frame of a script
 * @code: address of its code in user memory
 * @position: in the code
 * @identity: differs from that of other codes that had this address
 * @mark: address in the native frame that executes it, if it is the last one of its group; else 0
 * @is_last: it is the last one of its group
 * @number: of the code; 0: none
 * @name: the frame as it is reported (SYSPROF_FRAME_SCRIPT)
 * @known: index of the number in @known of struct sysprof_script
 * @with: what it was emitted with (SYSPROF_CHAIN_WITH)
 * @passed: number of groups without a frame between it and the frame before
 */
struct sysprof_script_frame {
	u64 code;
	u64 position;
	u64 identity;
	u64 mark;
	u64 number;
	u64 name;
	u64 with;
	u16 known;
	u16 passed;
	bool is_last;
};

/**
 * struct sysprof_script - what a chain found in the stack of a tick, in memory of this CPU and
 *	context
 * @stack: of that tick
 * @program: the chain; NULL: the stack has no script frames
 * @object: the interpreter
 * @mm: id of the address space
 * @tid: of the thread
 * @n: number of frames
 * @n_numbered: of these, the last ones have their numbers from a run before
 * @is_cut: there may be more
 * @passed: number of groups without a frame since the last frame
 * @place_hint: index of the interpreter's range in the address space that was looked at last
 * @frame: innermost first
 * @own: where they are put
 * @n_outer: of the frames, the last ones, which had their numbers in runs before, too
 * @outer_id: only the same frames have it on this CPU; 0: there are none
 * @recall: runs before; NULL: none are remembered
 * @steps: those of programs of steps; NULL with @recall
 * @remembered: the one that has @frame; NULL: it is @own
 * @displaced: how often another code's number took a place in @known
 * @at: for each of them, the native frame in front of which it goes
 * @sps: stack pointers of the native frames
 * @n_run: number of native frames that a program of frames runs for
 * @run: which ones
 * @ip: instruction pointer of the first native frame, for such a program
 * @inner: a frame that the program of frames runs for when its caller is known; with registers
 * @thread: thread pointer, for a program that runs while a stack is walked, like the next ones
 * @bias: address at which the object's address 0 is
 * @fuel: what it has left
 * @registers: what a program of steps keeps
 * @memo: what programs of steps have emitted lately
 * @step_hint: index of the range with its object that was found last
 * @thread_program: the program of threads that found something; NULL: none
 * @thread_object: its object
 * @thread_frame: what it found
 * @thread_hint: as @place_hint, for its object
 * @known: numbers of codes that were found lately, in pairs
 * @turn: how many have been given
 * @room: for names
 */
struct sysprof_script {
	const struct sysprof_stack *stack;
	const struct sysprof_program *program;
	u32 object;
	u64 mm;
	u32 tid;
	u32 n;
	u32 n_numbered;
	u32 n_outer;
	u64 outer_id;
	bool is_cut;
	u16 passed;
	u32 place_hint;
	struct sysprof_script_frame *frame;
	struct sysprof_script_frame own[SYSPROF_CHAIN_MAX_FRAMES];
	struct sysprof_chain_recall *recall;
	struct step_recall *steps;
	struct chain_remembered *remembered;
	u32 displaced;
	u16 at[SYSPROF_CHAIN_MAX_FRAMES];
	u64 sps[SYSPROF_MAX_USER_FRAMES + SYSPROF_WALK_SLACK];
	u32 n_run;
	u16 run[SYSPROF_MAX_USER_FRAMES];
	u64 ip;
	struct sysprof_inner_frame {
		bool is_there;
		u16 native;
		u64 sp;
		u64 known;
		u64 registers[SYSPROF_ARCH_TABLE_REGS];
	} inner;
	u64 thread;
	u64 bias;
	s32 fuel;
	u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS];
	u32 step_hint;
#define SYSPROF_SCRIPT_MEMO_BITS   8
#define SYSPROF_SCRIPT_MEMO_FRAMES 6
	struct sysprof_script_memo {
		u64 mm;
		u64 program;
		u64 key[2];
		u32 n;
		struct sysprof_memo_frame {
			u64 code;
			u64 position;
			u64 identity;
		} frame[SYSPROF_SCRIPT_MEMO_FRAMES];
	} memo[1 << SYSPROF_SCRIPT_MEMO_BITS];
	const struct sysprof_program *thread_program;
	u32 thread_object;
	struct sysprof_script_frame thread_frame;
	u32 thread_hint;
#define SYSPROF_CODES_BITS 11
	struct sysprof_known_code {
		u64 mm;
		u64 code;
		u64 identity;
		u64 number;
		u64 turn;
	} known[1 << SYSPROF_CODES_BITS];
	u64 turn;
	u64 room[SYSPROF_SPANS_MAX_BYTES / 8 + SYSPROF_CHAIN_MAX_SPANS];
};

/* No frames yet. */
static inline void sysprof_script_begin(struct sysprof_script *script)
{
	script->n = 0;
	script->n_numbered = 0;
	script->n_outer = 0;
	script->outer_id = 0;
	script->passed = 0;
	script->is_cut = true;
	script->frame = script->own;
	script->remembered = NULL;
}

/* @frame has its number. */
static inline void sysprof_script_frame_number(struct sysprof_script_frame *frame, u64 number)
{
	u64 position = frame->position;

	if (position > SYSPROF_POSITION_NOT_TOLD)
		position = SYSPROF_POSITION_NOT_TOLD;
	frame->number = number;
	frame->name = SYSPROF_FRAME_SCRIPT | number << SYSPROF_FRAME_CODE_SHIFT | position;
}

/* Whether @frame is in a loop of @script's interpreter. */
static inline bool sysprof_chain_is_in_loop(const struct sysprof_script *script, u64 frame)
{
	u64 offset = frame & SYSPROF_FRAME_OFFSET_MASK;
	u32 i;

	if (frame >> SYSPROF_FRAME_OBJECT_SHIFT != script->object)
		return false;
	for (i = 0; i < script->program->n_loops; i++)
		if (offset >= script->program->loop[i].start &&
		    offset < script->program->loop[i].end)
			return true;
	return false;
}

/* Whether @insn of a program of steps reads the native frame's frame pointer. */
static __always_inline bool sysprof_chain_reads_fp(const struct sysprof_program *program,
						   const struct sysprof_chain_insn *insn)
{
	u32 at = (insn - program->insn) & (SYSPROF_CHAIN_STEPS_MAX_INSNS - 1);

	return *(program->reads_fp + at / 64) >> at % 64 & 1;
}

/* Whether a program of frames runs for a frame at @place. */
static inline bool sysprof_chain_is_of_frames(const struct sysprof_script *script, u64 place)
{
	return place >> SYSPROF_FRAME_OBJECT_SHIFT == SYSPROF_OBJECT_ANON ||
	       sysprof_is_of_region(place) || sysprof_chain_is_in_loop(script, place);
}

/**
 * struct sysprof_sent - codes whose names a session got on one CPU, each where @known of the CPU's
 *	struct sysprof_script has its number
 * @outer_id: of outer frames whose codes all were sent (struct sysprof_script)
 * @code: number << 2, and the number of attempts to read all of its names, up to 3
 */
struct sysprof_sent {
	u64 outer_id;
	u64 code[1 << SYSPROF_CODES_BITS];
};

/* Process context.  add(): errors are those of struct sysprof_chain. */
int sysprof_chain_add(const struct sysprof_tables *owner, bool for_everybody,
		      const struct sysprof_chain *chain);
/* The same for a chain of @file alone, for the owner's sessions; sets the object. */
int sysprof_chain_add_file(const struct sysprof_tables *owner, struct sysprof_chain *chain,
			   struct file *file);
/* The owner is given up.  Ticks no longer use its chains when it returns. */
void sysprof_chain_drop(const struct sysprof_tables *owner);
/* named(), keep_objects(): as those of tables.h. */
void sysprof_chain_named(const struct sysprof_object *record);
void sysprof_chain_keep_objects(const unsigned long *ids);

/*
 * The chain for @object of everybody, or else of @own; NULL: there is none.  In the sampling
 * context, NMI too, RCU read side.
 */
const struct sysprof_program *sysprof_chain_of(const struct sysprof_tables *own, u32 object);
/* The bits of objects that have chains, as in struct ranges: mostly none is in a process. */
extern u64 sysprof_chain_objects;
/* Of those, the ones whose programs are of steps, or of threads. */
u64 sysprof_chain_step_objects(void);
u64 sysprof_chain_thread_objects(void);
/* Memory for what a chain finds; NULL: there are no chains.  In the sampling context. */
struct sysprof_script *sysprof_chain_script(void);

/*
 * Adds the frames of scripts, and what the thread is at work for, to @part of @stack, by chains of
 * everybody and @own.  In the sampling context.
 */
void sysprof_chain_splice(struct sysprof_stack *stack, struct sysprof_user_part *part,
			  const struct sysprof_tables *own);

/* Finds the parts of @program's data; false: it is no chain. */
bool sysprof_chain_check(struct sysprof_program *program);
/* Sets live to reads_fp of @program, which has @n instructions. */
void sysprof_chain_find_live(struct sysprof_program *program, u32 n);
/* Memory of @script for runs before, on @node; -ENOMEM.  Process context. */
int sysprof_chain_recall_alloc(struct sysprof_script *script, int node);
void sysprof_chain_recall_free(struct sysprof_script *script);
/* All codes of @script get their numbers anew. */
void sysprof_chain_recall_renumber(struct sysprof_script *script);
/*
 * Runs @program; @bias: address at which the object's address 0 is.  run_frames(): for each native
 * frame in @script->run, none of which is the last one in sps; sets at.  run_names(): its program
 * of names; false: some memory could not be read, or *@fuel, of which it takes, was used up.  In
 * the sampling context.
 */
void sysprof_chain_run(const struct sysprof_program *program, u64 bias,
		       struct sysprof_script *script);
void sysprof_chain_run_frames(const struct sysprof_program *program, u64 bias,
			      struct sysprof_script *script);
/* For @script->inner, which ends at @end, while the stack is walked. */
void sysprof_chain_run_frame(struct sysprof_script *script, u64 end);
/*
 * Runs @script's program of steps for @step, frame @native of the stack, which becomes the
 * caller's.  Returns what sysprof_chain_step() does.
 */
u8 sysprof_chain_run_step(struct sysprof_script *script, u32 native, struct sysprof_caller *step);
bool sysprof_chain_run_names(const struct sysprof_program *program, u64 code,
			     u64 registers[SYSPROF_CHAIN_STEPS_REGISTERS], s32 *fuel);
/* Sets the numbers of @script's codes. */
void sysprof_codes_number(struct sysprof_script *script);
/*
 * Sends the session the names of codes that it does not have yet, of the script frames in @part of
 * @stack.  In the tick that took the stack, where the session's stack is put.
 */
void sysprof_codes_send(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
			const struct sysprof_user_part *part);

/* The session has no names. */
void sysprof_codes_forget(struct sysprof_session_cpu *sc);

#endif /* _SYSPROF_CHAIN_H */
