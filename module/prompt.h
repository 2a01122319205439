/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prompt sources: each event is sent when it ends, at once, with the stack of the task that is
 * there.
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
 * @probe: is called
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

extern struct sysprof_hooking sysprof_interrupts, sysprof_locks;

/* Process context: a trace point that this kernel lacks, or NULL. */
const char *sysprof_hooking_lacks(struct sysprof_hooking *hooking);
/* Initialises the arming of a hooking. */
#define SYSPROF_HOOKING_ARMING(hooking)                                                            \
	SYSPROF_ARMING((hooking).arming, sysprof_hooking_put, sysprof_hooking_remove)
int sysprof_hooking_put(struct sysprof_arming *arming);
void sysprof_hooking_remove(struct sysprof_arming *arming);

/**
 * struct sysprof_prompt_event - an event that has ended
 * @begin: when it began
 * @end: and ended, which is now
 * @value: in the source's unit
 * @part: what else is to be said
 * @prompt: of which source
 * @context: enum sysprof_context that it happened in
 */
struct sysprof_prompt_event {
	u64 begin;
	u64 end;
	u64 value;
	const struct sysprof_part *part;
	enum sysprof_prompt prompt;
	u8 context;
};

/*
 * In a hook, interrupts off, RCU read side: counts the event for each session, and returns which
 * pick it.
 */
void sysprof_prompt_tell(const struct sysprof_prompt_event *event);
/* Likewise: an event that nobody gets, as there is no room to follow it. */
void sysprof_prompt_missed(enum sysprof_prompt prompt);
/* What that took on @cpu, since the hooks of any source were put there. */
void sysprof_prompt_cost(int cpu, enum sysprof_prompt prompt, u64 *ns, u64 *calls);

#endif /* _SYSPROF_PROMPT_H */
