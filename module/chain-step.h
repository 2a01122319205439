/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a walk along unwind tables says to chains (chain.h).  It asks them where there can be no
 * table: in code that an interpreter makes at run time, of which a chain may know how to go on.
 */
#ifndef _SYSPROF_CHAIN_STEP_H
#define _SYSPROF_CHAIN_STEP_H

#include <linux/types.h>

struct sysprof_walk;

enum sysprof_steps {
	SYSPROF_STEPS_OFF	= 0,
	SYSPROF_STEPS_ASK	= 1,	/* no code of no file was met yet */
	SYSPROF_STEPS_NONE	= 2,	/* there is no program */
	SYSPROF_STEPS_RUN	= 3,	/* it ran; what it found is in sysprof_chain_script() */
};

/**
 * struct sysprof_caller - a frame that a walk has come to, and then its caller's
 * @fp: frame pointer; 0: not known
 * @sp: stack pointer
 * @ip: instruction pointer
 * @is_exact: the tick interrupted it here
 * @is_found: it is the caller's
 * @registers: the frame's
 * @known: which ones are known
 */
struct sysprof_caller {
	u64 fp;
	u64 sp;
	u64 ip;
	bool is_exact;
	bool is_found;
	const u64 *registers;
	u64 known;
};

/*
 * Goes on from the last frame of @walk, which is in code of no file.  Returns 0; enum sysprof_end
 * if there is no caller; SYSPROF_END_NO_INFO if no program says so.  In the sampling context,
 * without faults.
 */
u8 sysprof_chain_step(struct sysprof_walk *walk, struct sysprof_caller *step);

/*
 * @walk is at its last frame, which is at @place, with these of its registers known.  As above.
 */
void sysprof_chain_frame(struct sysprof_walk *walk, u64 place, const u64 *registers, u64 known);

#endif /* _SYSPROF_CHAIN_STEP_H */
