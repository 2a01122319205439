/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of scripts: the recorder has chains for interpreters (rings/chains.h), by which the frames
 * of the calling thread's scripts are found and put between those of its native stack.
 *
 * What a chain reads need not exist.  Before a page is read the kernel was asked once whether it is
 * there, and that counts until the process is seen to unmap something.  So a pointer to nowhere,
 * or to what was unmapped, ends a chain and no more.  What malloc unmaps by itself (an arena of
 * another thread) is not seen: there it counts that a running interpreter's frames lead to no
 * memory that was freed.
 */
#ifndef SPT_PRELOAD_SCRIPT_H
#define SPT_PRELOAD_SCRIPT_H

#include "code.h"
#include "rings/chains.h"
#include "sysprof-chain.h"
#include "thread.h"

#define SPT_INTERPRETERS 8u

/* An interpreter that is in memory, with its chain. */
struct spt_interpreter {
	const struct spt_code *code;
	const struct sysprof_chain_header *chain;
	const struct sysprof_chain_list *lists;
	const struct sysprof_chain_span *spans;
	const struct sysprof_chain_insn *insns;
	uint64_t bias;			/* where the object's address 0 is */
	struct {
		uint64_t start, end;
	} loops[SYSPROF_CHAIN_MAX_LOOPS];
};
/* They are added one by one; 0: the process has none. */
extern struct spt_interpreter spt_interpreters[SPT_INTERPRETERS];
extern uint32_t spt_n_interpreters;

/* NULL: there are none. */
extern const struct spt_chains *spt_chains;
/* Chains and code that were looked at. */
extern uint32_t spt_chains_seen, spt_chains_codes_seen;

/* Before main(): maps the recorder's chains, of which @fd is the file. */
void spt_chains_map(long fd);
void spt_chains_look(void);

/* Looks for interpreters, where there are new chains or there is new code. */
static inline void spt_chains_check(void)
{
	const struct spt_chains *chains = spt_chains;

	if (chains && __builtin_expect(
			      __atomic_load_n(&chains->n, __ATOMIC_RELAXED) != spt_chains_seen ||
				      spt_code_count() != spt_chains_codes_seen, 0))
		spt_chains_look();
}

/* Memory that may be unmapped. */

/* How often the process has unmapped something. */
extern uint32_t spt_unmapped;

/* Before and after something is unmapped that a chain may have read. */
static inline void spt_script_unmapped(void)
{
	if (__builtin_expect(__atomic_load_n(&spt_n_interpreters, __ATOMIC_RELAXED) != 0, 0))
		__atomic_add_fetch(&spt_unmapped, 1, __ATOMIC_SEQ_CST);
}

/* Whether free() of @pointer may unmap it: glibc notes that in the word before the block. */
static inline bool spt_script_is_mapping(const void *pointer)
{
	return __builtin_expect(__atomic_load_n(&spt_n_interpreters, __ATOMIC_RELAXED) != 0, 0) &&
	       (!((uint64_t)pointer & 4095) || ((const uint64_t *)pointer)[-1] & 2);
}

/* script-run.c */
/* Runs the chain of the thread's interpreter: sets the frames of its state. */
void spt_script_run(struct spt_thread *thread);
/* Forgets pages if some may have been unmapped. */
void spt_script_begin(struct spt_script_state *state);
/* Nothing in the ring is valid any more. */
void spt_script_forget(struct spt_script_state *state);
/* Copies memory that may not exist; false: it does not. */
bool spt_script_read(struct spt_script_state *state, void *to, uint64_t address, unsigned bytes);
/* Runs its program of names for @code; false: some memory does not exist. */
bool spt_script_run_names(struct spt_thread *thread, const struct spt_script_code *code);

/* Notes with memo @at what the run has read; false: it cannot be noted. */
bool spt_script_note(struct spt_script_state *state, uint32_t at);
/* Whether all of that is the same. */
bool spt_script_is_same(const struct spt_script_state *state, uint32_t at);

/* script-code.c */
/* The number of a frame's code in the thread's ring; 0: there are too many. */
uint32_t spt_script_number(struct spt_thread *thread, const struct spt_script_frame *frame);
/* Writes the names of code @number into the ring, unless it has them. */
void spt_script_tell(struct spt_thread *thread, uint32_t number);

/* script-splice.c */
/* Whether the kept stack has an interpreter: the thread's, then. */
bool spt_script_is_here(struct spt_thread *thread);
/* The node of such a stack, with its frames of scripts. */
struct spt_known_node *spt_script_splice(struct spt_thread *thread);

#endif
