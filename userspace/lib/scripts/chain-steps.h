/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs chains of steps (the uapi header sysprof-chain.h) as the module does, on memory that the
 * caller reads: copies of stacks, and what a process has.  Neither the chain nor the memory need be
 * what they seem: registers and jumps stay within what there is, and fuel ends each stack.
 */
#ifndef SPT_CHAIN_STEPS_H
#define SPT_CHAIN_STEPS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof-chain.h"

G_BEGIN_DECLS

typedef struct SptChainSteps SptChainSteps;

/* @chain as a helper made it; NULL: it has no program of steps. */
SptChainSteps *spt_chain_steps_new(GBytes *chain);
void spt_chain_steps_free(SptChainSteps *steps);
/* The address of the object's code in it less its offset in the file. */
int64_t spt_chain_steps_difference(const SptChainSteps *steps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptChainSteps, spt_chain_steps_free)

/* Reads @bytes at @address; false: they are not there. */
typedef bool (*SptChainRead)(uint64_t address, void *to, unsigned bytes, void *data);

/* A frame that was emitted, for the native frame with number @native. */
typedef struct {
	uint64_t code, position, identity;
	unsigned native;
} SptChainFrame;

/* What programs have emitted lately, for SYSPROF_CHAIN_RECALL; for one thread at a time. */
typedef struct SptChainMemo SptChainMemo;
SptChainMemo *spt_chain_memo_new(void);
void spt_chain_memo_free(SptChainMemo *memo);

/* One stack: begun anew for each. */
typedef struct {
	const SptChainSteps *steps;
	uint64_t bias;			/* the address at which the object's own address 0 is */
	SptChainRead read;
	void *data;
	/* Registers of the native frame by DWARF number, and bits: those that are known */
	const uint64_t *machine;
	uint64_t machine_known;
	int fuel;
	uint64_t registers[SYSPROF_CHAIN_STEPS_REGISTERS];
	SptChainFrame frames[SYSPROF_CHAIN_MAX_FRAMES];
	unsigned n;
	SptChainMemo *memo;		/* NULL: nothing is remembered */
	uint64_t space;
} SptChainRun;

void spt_chain_begin(SptChainRun *run, const SptChainSteps *steps, uint64_t bias,
		     SptChainRead read, void *data);
/* After that: the stack is one of address space @space, to which @memo's frames belong. */
void spt_chain_remember(SptChainRun *run, SptChainMemo *memo, uint64_t space);

typedef struct {
	uint64_t fp, sp, ip;
	bool is_exact;			/* it was interrupted there: @ip is no return address */
} SptChainPlace;

typedef enum {
	SPT_CHAIN_NEXT,			/* the place is the caller's now */
	SPT_CHAIN_UNKNOWN,		/* the program does not know this frame */
	SPT_CHAIN_ENDS,			/* it could not go on */
} SptChainEnd;

/* @machine and @known as in struct SptChainRun, @native the number of the frame at @place. */
SptChainEnd spt_chain_step(SptChainRun *run, SptChainPlace *place, const uint64_t *machine,
			   uint64_t known, unsigned native);

/*
 * The names of @code, as a record of the module has them; its number, object, task and address
 * space are left to the caller, who frees it.
 */
struct sysprof_code *spt_chain_names(const SptChainSteps *steps, uint64_t bias, uint64_t code,
				     SptChainRead read, void *data);

G_END_DECLS

#endif
