/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a chain for the module (the uapi header sysprof-chain.h): parts are added one by one. */
#ifndef SPT_PROGRAM_H
#define SPT_PROGRAM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof-chain.h"

G_BEGIN_DECLS

typedef struct SptProgram SptProgram;

SptProgram *spt_program_new(uint32_t tag, unsigned max_frames, int64_t address_minus_offset);
void spt_program_free(SptProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptProgram, spt_program_free)

void spt_program_loop(SptProgram *program, uint64_t start, uint64_t end);
/* Returns its number, for SYSPROF_CHAIN_LIST. */
unsigned spt_program_list(SptProgram *program, const struct sysprof_chain_list *list);
void spt_program_span(SptProgram *program, const struct sysprof_chain_span *span);
/*
 * @max bytes, or a text of at most @max bytes that ends with a 0, where @from of struct
 * sysprof_chain_span says.
 */
void spt_program_span_from(SptProgram *program, unsigned from, uint16_t max, bool is_text);
/* The first @bytes of the code itself. */
void spt_program_code_span(SptProgram *program, uint16_t bytes);
/* Adds an instruction.  Returns its index. */
unsigned spt_program_add(SptProgram *program, enum sysprof_chain_op op, unsigned dst, unsigned src,
			 int64_t imm);
/* The jump at index @from skips all that was added since. */
void spt_program_land(SptProgram *program, unsigned from);

#define SPT_PROGRAM_JUMPS_MAX 32

/* Jumps that lead to one place. */
typedef struct {
	unsigned from[SPT_PROGRAM_JUMPS_MAX], n;
} SptProgramJumps;

/* Adds a jump that leads where spt_program_land_all() is called with @to. */
void spt_program_jump(SptProgram *program, enum sysprof_chain_op op, unsigned dst, unsigned src,
		      int64_t imm, SptProgramJumps *to);
void spt_program_land_all(SptProgram *program, const SptProgramJumps *jumps);

/*
 * Sets register @to to the value of a variable of the thread, of 8 bytes, in a library: the words
 * at @place are what its __tls_get_addr() gets.  Ends the program if the thread has none.  Register
 * 0 and 1 are as at the beginning; @word and @address are used.
 */
void spt_program_thread_variable(SptProgram *program, unsigned to, unsigned word, unsigned address,
				 uint64_t place);
/*
 * Sets register @to to the value that the thread has for the pthread key at @place, of 4 bytes;
 * @word and @keys are used.  Ends the program if it is a key that is not found so.
 */
void spt_program_thread_key(SptProgram *program, unsigned to, unsigned word, unsigned keys,
			    uint64_t place);
/* The program runs for each native frame (SYSPROF_CHAIN_FRAMES). */
void spt_program_of_frames(SptProgram *program);
/* The program runs while a stack is walked (SYSPROF_CHAIN_STEPS). */
void spt_program_of_steps(SptProgram *program);
/* The program says what a thread is at work for (SYSPROF_CHAIN_THREAD). */
void spt_program_of_thread(SptProgram *program);
/* What is added from here on is the program of names. */
void spt_program_begin_names(SptProgram *program);
/* Whether all parts of @chain are within it: the helper that has read a stranger's file made it. */
bool spt_program_fits(GBytes *chain);
/* Whether @chain, which fits, runs once for each stack and finds its frames. */
bool spt_program_is_of_stacks(GBytes *chain);
/* NULL: it has become too large, or a number does not fit. */
GBytes *spt_program_finish(const SptProgram *program);

G_END_DECLS

#endif
