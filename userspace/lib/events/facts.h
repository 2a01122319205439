/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in the rows of a capture: states of threads, contexts, ends of stacks, reasons of losses.
 * They are those of the device, which record/facts.c checks, and stay the same in all files.
 */
#ifndef SPT_EVENTS_FACTS_H
#define SPT_EVENTS_FACTS_H

/* The state of a thread. */
enum {
	SPT_STATE_RUNNING	= 0,
	SPT_STATE_PREEMPTED	= 1,	/* runnable; did not ask to leave its CPU */
	SPT_STATE_WOKEN		= 2,	/* runnable since its waking */
	SPT_STATE_SLEEP		= 3,
	SPT_STATE_DISK		= 4,	/* uninterruptible */
	SPT_STATE_IOWAIT	= 5,
	SPT_STATE_STOPPED	= 6,
	SPT_STATE_LOCK		= 7,
	SPT_STATE_OTHER		= 8,
	SPT_STATE_NEW		= 9,	/* runnable; has not run yet */
	SPT_STATE_UNKNOWN	= 10,
	SPT_STATES		= 12,
};

/* The context in which something happened, or that was interrupted. */
enum {
	SPT_IN_TASK	= 0,
	SPT_IN_SOFTIRQ	= 1,
	SPT_IN_IRQ	= 2,
	SPT_IN_NMI	= 3,
	SPT_IN_IDLE	= 4,		/* the idle task itself */
};

/* The kind of a page fault, as bits. */
#define SPT_FAULT_MAJOR	(1 << 0)	/* something had to be read from a disk */
#define SPT_FAULT_COPY	(1 << 2)	/* a write to a page that was there */

/* Why a part of a stack ends. */
enum {
	SPT_END_NONE		= 0,	/* there is no such part */
	SPT_END_ROOT		= 1,	/* it has the outermost frame */
	SPT_END_LIMIT		= 2,	/* more frames than were requested */
	SPT_END_FAULT		= 3,	/* memory could not be read */
	SPT_END_BAD		= 4,	/* memory that is no stack */
	SPT_END_UNMAPPED	= 5,	/* a value outside of code */
};

/* Why something was lost. */
enum {
	SPT_LOST_RING_FULL	= 0,
	SPT_LOST_TOO_BIG	= 1,
	SPT_LOST_NESTED		= 2,
	SPT_LOST_THROTTLED	= 3,
};

#endif
