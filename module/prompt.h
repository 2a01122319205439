/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prompt sources send each event at once when it ends, with the stack of the current task.  An
 * operation that begins in one place and ends in another is two events with the same key: an OPEN,
 * which has the stack, and a CLOSE.
 */
#ifndef _SYSPROF_PROMPT_H
#define _SYSPROF_PROMPT_H

#include <linux/types.h>

#include "arming.h"
#include "sysprof-event.h"

enum sysprof_prompt {
	SYSPROF_PROMPT_IRQ,
	SYSPROF_PROMPT_SOFTIRQ,
	SYSPROF_PROMPT_LOCK,
	SYSPROF_PROMPT_BLOCK,
	SYSPROF_PROMPT_BLOCK_DONE,
	SYSPROF_PROMPT_FAULT,
	SYSPROF_PROMPT_SLAB,
	SYSPROF_PROMPT_SLAB_FREE,
	SYSPROF_PROMPT_PAGE,
	SYSPROF_PROMPT_PAGE_FREE,
	SYSPROF_PROMPT_PERCPU,
	SYSPROF_PROMPT_PERCPU_FREE,
	SYSPROF_PROMPT_VMALLOC,
	SYSPROF_PROMPT_VMALLOC_FREE,
	SYSPROF_PROMPT_STALL,
	SYSPROF_PROMPT_FRAGMENT,
	SYSPROF_PROMPTS
};

/**
 * struct sysprof_prompt_wish - what a session requests of a prompt source
 * @id: the source's number in the session; 0: not requested
 * @stacks: SYSPROF_STACKS_*
 * @period: period of the grid; 0: every event that reaches @threshold
 * @threshold: least value of an event, where @period is 0
 */
struct sysprof_prompt_wish {
	u16 id;
	u32 stacks;
	u32 period;
	u64 threshold;
};

/**
 * struct sysprof_hook - a trace point and what is called there
 * @name: the trace point's name
 * @probe: function that is called; NULL: this kernel has no form of it that could be called
 * @data: first argument of @probe
 * @is_optional: kernels may lack the trace point
 * @tracepoint: the trace point; NULL: this kernel lacks it
 */
struct sysprof_hook {
	const char *name;
	void *probe;
	void *data;
	bool is_optional;
	struct tracepoint *tracepoint;
};

/**
 * struct sysprof_hooking - hooks that come and go together
 * @arming: puts the hooks in place and removes them
 * @hooks: in the order in which they are put in place; they are removed in reverse
 * @n: number of hooks
 * @begin: process context, before the first event; 0 or an error; NULL: nothing to do
 * @end: process context, after the last event; NULL: nothing to do
 */
struct sysprof_hooking {
	struct sysprof_arming arming;
	struct sysprof_hook *hooks;
	int n;
	int (*begin)(void);
	void (*end)(void);
};

extern struct sysprof_hooking sysprof_interrupts, sysprof_locks, sysprof_block, sysprof_faults,
	sysprof_slab, sysprof_pages, sysprof_percpu, sysprof_vmalloc, sysprof_stalls,
	sysprof_fragments;

/* Process context: the name of a trace point that this kernel lacks, or NULL. */
const char *sysprof_hooking_lacks(struct sysprof_hooking *hooking);
/* Initialises the arming of a hooking. */
#define SYSPROF_HOOKING_ARMING(hooking)                                                            \
	SYSPROF_ARMING((hooking).arming, sysprof_hooking_put, sysprof_hooking_remove)
int sysprof_hooking_put(struct sysprof_arming *arming);
void sysprof_hooking_remove(struct sysprof_arming *arming);

/* What the grid of a source counts. */
enum sysprof_axis {
	SYSPROF_AXIS_NS,     /* the CPU's time */
	SYSPROF_AXIS_VALUE,  /* the sum of the values of the CPU's events */
	SYSPROF_AXIS_EVENTS, /* the number of the CPU's events */
};

/**
 * struct sysprof_prompt_event - an event that has ended
 * @begin: when it began
 * @end: when it ended: now
 * @value: in the source's unit
 * @key: joins OPEN and CLOSE
 * @told: of an OPEN, on return: the sessions that got it, as bits of sysprof_tap.bit; a CLOSE
 *	passes the same
 * @told_start: of an OPEN, on return: when the latest of those sessions started; a CLOSE passes the
 *	same
 * @part: a further part of the record; NULL: none
 * @regs: registers of the interrupted context; NULL: the stack begins here
 * @prompt: the event's source
 * @opens: of a CLOSE: the source of its OPEN
 * @axis: enum sysprof_axis; not used for a CLOSE
 * @phase: enum sysprof_phase
 * @context: enum sysprof_context in which it happened
 * @flags: SYSPROF_EVENT_*
 */
struct sysprof_prompt_event {
	u64 begin;
	u64 end;
	u64 value;
	u64 key;
	u64 told;
	u64 told_start;
	const struct sysprof_part *part;
	struct pt_regs *regs;
	enum sysprof_prompt prompt;
	enum sysprof_prompt opens;
	u8 axis;
	u8 phase;
	u8 context;
	u16 flags;
};

/*
 * Counts the event for each session, and sends it to those that pick it.  In a hook, interrupts
 * off, RCU read side.
 */
void sysprof_prompt_tell(struct sysprof_prompt_event *event);
/*
 * The same in two steps, for a source that has to find out more about events that are sent.
 * wants() returns whether any session gets the event; tell_wanted() follows at once and sends it.
 * An event without begin and end happens then.
 */
bool sysprof_prompt_wants(struct sysprof_prompt_event *event);
void sysprof_prompt_tell_wanted(struct sysprof_prompt_event *event);
/* Counts a CLOSE whose OPEN no session got.  Context as above. */
void sysprof_prompt_passed(enum sysprof_prompt prompt);
/* Whether a session gets each CLOSE of the events that @opens opens, and needs no mask for it. */
bool sysprof_prompt_tells_all(enum sysprof_prompt opens);
/* The enum sysprof_context of the code that runs here. */
u8 sysprof_prompt_context(void);
/* Counts an event that nobody gets, since there is no room to follow it.  Context as above. */
void sysprof_prompt_missed(enum sysprof_prompt prompt);
/* Time and calls of a source's hooks on @cpu since they were put in place. */
void sysprof_prompt_cost(int cpu, enum sysprof_prompt prompt, u64 *ns, u64 *calls);

#endif /* _SYSPROF_PROMPT_H */
