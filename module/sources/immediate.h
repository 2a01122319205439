/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Immediate sources send each event at once when it ends, with the stack of the current task.  An
 * operation that begins in one place and ends in another is two events with the same key: an OPEN,
 * which has the stack, and a CLOSE.
 */
#ifndef _SYSPROF_IMMEDIATE_H
#define _SYSPROF_IMMEDIATE_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "arming.h"
#include "origin.h"
#include "stack-request.h"
#include "sysprof-event.h"

struct inode;
struct sysprof_subscription;

/*
 * All of them: the name in enum sysprof_source_kind, the unit of its values, the shortest period of
 * its grid (0: it has none), and its hooks, struct sysprof_hooking.
 */
#define SYSPROF_IMMEDIATE_NS (10 * NSEC_PER_USEC)
#define SYSPROF_IMMEDIATE_SOURCES(ROW)                                                             \
	ROW(IRQ, NS, SYSPROF_IMMEDIATE_NS, interrupts)                                             \
	ROW(SOFTIRQ, NS, SYSPROF_IMMEDIATE_NS, interrupts)                                         \
	ROW(IRQS_OFF, NS, SYSPROF_IMMEDIATE_NS, irqs_off)                                          \
	ROW(PREEMPT_OFF, NS, SYSPROF_IMMEDIATE_NS, preempt_off)                                    \
	ROW(LOCK, NS, SYSPROF_IMMEDIATE_NS, locks)                                                 \
	ROW(HOLD, NS, SYSPROF_IMMEDIATE_NS, locks)                                                 \
	ROW(SLAB, BYTES, 1, slab)                                                                  \
	ROW(SLAB_FREE, BYTES, 0, slab)                                                             \
	ROW(PAGE, BYTES, 1, pages)                                                                 \
	ROW(PAGE_FREE, BYTES, 0, pages)                                                            \
	ROW(PERCPU, BYTES, 1, percpu)                                                              \
	ROW(PERCPU_FREE, BYTES, 0, percpu)                                                         \
	ROW(VMALLOC, BYTES, 1, vmalloc)                                                            \
	ROW(VMALLOC_FREE, BYTES, 0, vmalloc)                                                       \
	ROW(STALL, NS, SYSPROF_IMMEDIATE_NS, stalls)                                               \
	ROW(FRAGMENT, EVENTS, 1, fragments)                                                        \
	ROW(FAULT, EVENTS, 1, faults)                                                              \
	ROW(PAGE_CACHE, BYTES, 1, page_cache)                                                      \
	ROW(BLOCK, BYTES, 1, block)                                                                \
	ROW(BLOCK_DONE, BYTES, 0, block)                                                           \
	ROW(MIGRATE, EVENTS, 1, named_migrate)                                                     \
	ROW(FORKED, EVENTS, 1, named_forked)                                                       \
	ROW(EXECUTED, EVENTS, 1, named_executed)                                                   \
	ROW(WORK, EVENTS, 1, named_work)                                                           \
	ROW(HRTIMER, EVENTS, 1, named_hrtimer)                                                     \
	ROW(NET_QUEUE, EVENTS, 1, named_net_queue)                                                 \
	ROW(DROPPED, EVENTS, 1, named_dropped)

#define SYSPROF_IMMEDIATE_NUMBER(NAME, unit, period, hooking) SYSPROF_IMMEDIATE_##NAME,
enum sysprof_immediate { SYSPROF_IMMEDIATE_SOURCES(SYSPROF_IMMEDIATE_NUMBER) SYSPROF_IMMEDIATES };
#undef SYSPROF_IMMEDIATE_NUMBER

/**
 * struct sysprof_immediate_request - what a session requests of an immediate source
 * @id: the source's number in the session; 0: not requested
 * @stacks: SYSPROF_STACKS_*
 * @period: period of the grid; 0: every event that reaches @threshold
 * @threshold: least value of an event, where @period is 0
 * @stack: the parts of the stacks; set while the source is on
 */
struct sysprof_immediate_request {
	u16 id;
	u32 stacks;
	u32 period;
	u64 threshold;
	struct sysprof_stack_request stack;
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

/* Each once or more: sources may share their hooks. */
#define SYSPROF_IMMEDIATE_HOOKING(NAME, unit, period, hooking)                                     \
	extern struct sysprof_hooking sysprof_##hooking;
SYSPROF_IMMEDIATE_SOURCES(SYSPROF_IMMEDIATE_HOOKING)
#undef SYSPROF_IMMEDIATE_HOOKING

/* Names the file in @part.  @inode NULL: not known. */
void sysprof_block_set_file(struct sysprof_part_block *part, const struct inode *inode);

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
 * struct sysprof_immediate_event - an event that has ended
 * @begin: when it began
 * @end: when it ended: now
 * @value: in the source's unit
 * @key: joins OPEN and CLOSE
 * @delivered_to: of an OPEN, on return: the sessions that got it, as bits of
 *	sysprof_subscription.bit; a CLOSE passes the same.  Of a HOLD: the sessions whose filters pass
 *	a waiter
 * @delivered_start: of an OPEN, on return: when the latest of those sessions started; a CLOSE
 *	passes the same
 * @part: a further part of the record; NULL: none
 * @regs: registers of the interrupted context; NULL: the stack begins at @origin
 * @origin: empty: where it is taken
 * @immediate: the event's source
 * @open: of a CLOSE: the source of its OPEN
 * @axis: enum sysprof_axis; not used for a CLOSE
 * @needs_close: of an OPEN, set by sysprof_immediate_wants(): some session will get the CLOSE
 *	only if that passes @delivered_to
 * @has_no_slot: of an OPEN: no CLOSE will do so, and those sessions do not get it
 * @is_global: a grid of nanoseconds is the same for all CPUs
 * @phase: enum sysprof_phase
 * @context: enum sysprof_context in which it happened
 * @flags: SYSPROF_EVENT_*
 */
struct sysprof_immediate_event {
	u64 begin;
	u64 end;
	u64 value;
	u64 key;
	u64 delivered_to;
	u64 delivered_start;
	const struct sysprof_part *part;
	struct pt_regs *regs;
	struct sysprof_origin origin;
	enum sysprof_immediate immediate;
	enum sysprof_immediate open;
	u8 axis;
	bool is_global;
	bool needs_close;
	bool has_no_slot;
	u8 phase;
	u8 context;
	u16 flags;
};

/*
 * Counts the event for each session, and sends it to those that pick it.  In a hook, interrupts
 * off, RCU read side.
 */
void sysprof_immediate_tell(struct sysprof_immediate_event *event);
/* The same from a hook in any context, with its context filled in.  In an NMI: nothing. */
void sysprof_immediate_tell_from_hook(struct sysprof_immediate_event *event);
/*
 * The same in two steps, for a source that has to find out more about events that are sent.
 * wants() returns whether any session gets the event; tell_wanted() follows at once and sends it.
 * An event without begin and end happens then.
 */
bool sysprof_immediate_wants(struct sysprof_immediate_event *event);
void sysprof_immediate_tell_wanted(struct sysprof_immediate_event *event);
/*
 * For a source that comes to the same event again and again while it lasts.  has_picker() counts
 * nothing: whether any session would get the event if it ended now; if so, it has to be sent.
 * count_unpicked(): it was never sent, and this is all that came of it.  As above; of a source of
 * nanoseconds.
 */
bool sysprof_immediate_has_picker(const struct sysprof_immediate_event *event);
void sysprof_immediate_count_unpicked(const struct sysprof_immediate_event *event);
/**
 * struct sysprof_immediate_countdown - how far the events of a source have come on a CPU.
 *	CLOSEs pass if @changes is right, and have no axis
 * @left: events that take no more than this on their axis pass: all sessions just count them
 * @until: position on the axis where @left will be 0
 * @passed: number of events that have passed
 * @asked: what all other events take on the axis
 * @changes: of sysprof_immediate_changes when @left was found
 * @is_closed: no event passes until the sessions change
 */
struct sysprof_immediate_countdown {
	s64 left;
	u64 until;
	u64 passed;
	u64 asked;
	u32 changes;
	bool is_closed;
};
DECLARE_PER_CPU(struct sysprof_immediate_countdown[SYSPROF_IMMEDIATES],
		sysprof_immediate_countdowns);
/* Counts the sessions that begin and end. */
extern u32 sysprof_immediate_changes;

/*
 * Whether the next event of a source passes, which takes @value on its axis.  If so it is counted,
 * and that is all: most allocations and faults end here.  The accounts of the sessions follow
 * later.  In a hook, any context.
 */
static __always_inline bool sysprof_immediate_passes(enum sysprof_immediate immediate, u64 value)
{
	s64 left, old = this_cpu_read(sysprof_immediate_countdowns[immediate].left);

	if (unlikely(this_cpu_read(sysprof_immediate_countdowns[immediate].changes) !=
		     READ_ONCE(sysprof_immediate_changes)))
		return false;
	/* An interrupt may come in between, or the task go to another CPU. */
	do {
		left = old;
		if (unlikely(left < (s64)value))
			return false;
		old = this_cpu_cmpxchg(sysprof_immediate_countdowns[immediate].left, left,
				       left - value);
	} while (unlikely(old != left));
	this_cpu_inc(sysprof_immediate_countdowns[immediate].passed);
	return true;
}

/* The same for a CLOSE whose OPEN no session got. */
static __always_inline bool sysprof_immediate_passes_close(enum sysprof_immediate immediate)
{
	if (unlikely(this_cpu_read(sysprof_immediate_countdowns[immediate].changes) !=
		     READ_ONCE(sysprof_immediate_changes)))
		return false;
	this_cpu_inc(sysprof_immediate_countdowns[immediate].passed);
	return true;
}

/*
 * Asks the sessions about such a CLOSE, which has not passed.  False: one of them gets all of the
 * events that @open opens, and so the CLOSE; else it passes after all, and those that follow do.
 * In a hook, interrupts off.
 */
bool sysprof_immediate_note_closes(enum sysprof_immediate immediate, enum sysprof_immediate open);

/*
 * Account for the events that have passed on @cpu: begin() from here on, follow() up to here, and
 * end() no more of them.  On that CPU, interrupts off; if it is offline, on any CPU.
 */
void sysprof_immediate_begin(struct sysprof_subscription *sub, int cpu,
			     enum sysprof_immediate immediate);
void sysprof_immediate_follow(struct sysprof_subscription *sub, int cpu,
			      enum sysprof_immediate immediate);
void sysprof_immediate_end(struct sysprof_subscription *sub, int cpu);
/* The enum sysprof_context of the code that runs here. */
u8 sysprof_immediate_context(void);
/* Counts an event that nobody gets, since there is no room to follow it.  Context as above. */
void sysprof_immediate_missed(enum sysprof_immediate immediate);
/* Time and calls of a source's hooks on @cpu since they were put in place. */
void sysprof_immediate_cost(int cpu, enum sysprof_immediate immediate, u64 *ns, u64 *calls);

#endif /* _SYSPROF_IMMEDIATE_H */
