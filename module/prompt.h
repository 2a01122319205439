/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prompt sources: each event is sent when it ends, at once, with the stack of the task that is
 * there.  What begins in one place and ends in another is two events: an OPEN has the stack, and
 * its CLOSE the same key.
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
	SYSPROF_PROMPTS
};

/**
 * struct sysprof_prompt_wish - what a session wants of a prompt source
 * @id: its number in the session; 0: none
 * @stacks: SYSPROF_STACKS_*
 * @period: of its grid; 0: every event of at least
 * @threshold: so much
 */
struct sysprof_prompt_wish {
	u16 id;
	u32 stacks;
	u32 period;
	u64 threshold;
};

/**
 * struct sysprof_hook - a trace point and what is called there
 * @name: of the trace point
 * @probe: is called; NULL: it is none that this kernel could call
 * @data: with this
 * @is_optional: kernels may lack it
 * @tracepoint: NULL: it is not there
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
 * @arming: puts them in place and removes them
 * @hooks: in the order in which they come; they go in the other one
 * @n: how many
 * @begin: process context, before the first event; 0 or an error
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
	sysprof_slab, sysprof_pages;

/* Process context: a trace point that this kernel lacks, or NULL. */
const char *sysprof_hooking_lacks(struct sysprof_hooking *hooking);
/* Initialises the arming of a hooking. */
#define SYSPROF_HOOKING_ARMING(hooking)                                                            \
	SYSPROF_ARMING((hooking).arming, sysprof_hooking_put, sysprof_hooking_remove)
int sysprof_hooking_put(struct sysprof_arming *arming);
void sysprof_hooking_remove(struct sysprof_arming *arming);

/* Of what a source's grid is. */
enum sysprof_axis {
	SYSPROF_AXIS_NS,     /* the CPU's time */
	SYSPROF_AXIS_VALUE,  /* the values of the CPU's events, one after the other */
	SYSPROF_AXIS_EVENTS, /* these, counted */
};

/**
 * struct sysprof_prompt_event - an event that has ended
 * @begin: when it began
 * @end: and ended, which is now
 * @value: in the source's unit
 * @key: joins OPEN and CLOSE
 * @told: of an OPEN, on return: the sessions that got it, by bits of sysprof_tap.bit; of a CLOSE
 *	the same
 * @told_start: likewise, the last of their starts
 * @part: what else is to be said; NULL: nothing
 * @regs: of what was interrupted; NULL: the stack is from here on
 * @prompt: of which source
 * @opens: of a CLOSE: the source that its OPEN is of
 * @axis: enum sysprof_axis; of a CLOSE none
 * @phase: enum sysprof_phase
 * @context: enum sysprof_context that it happened in
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
 * In a hook, interrupts off, RCU read side: counts the event for each session, and sends it to
 * those that pick it.
 */
void sysprof_prompt_tell(struct sysprof_prompt_event *event);
/*
 * The same in two steps, for a source that has to find out more about events that are sent:
 * whether any session gets it, and then, at once, the sending.  An event without begin and end
 * happens then.
 */
bool sysprof_prompt_wants(struct sysprof_prompt_event *event);
void sysprof_prompt_tell_wanted(struct sysprof_prompt_event *event);
/* Likewise: counts a CLOSE whose OPEN no session got. */
void sysprof_prompt_passed(enum sysprof_prompt prompt);
/* Whether a session gets each CLOSE of what @opens opens, and needs no mask for it. */
bool sysprof_prompt_tells_all(enum sysprof_prompt opens);
/* enum sysprof_context of what runs here. */
u8 sysprof_prompt_context(void);
/* Likewise: an event that nobody gets, as there is no room to follow it. */
void sysprof_prompt_missed(enum sysprof_prompt prompt);
/* What that took on @cpu, since the hooks of any source were put there. */
void sysprof_prompt_cost(int cpu, enum sysprof_prompt prompt, u64 *ns, u64 *calls);

#endif /* _SYSPROF_PROMPT_H */
