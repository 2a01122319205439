/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of events.  A kind is one const value: what its events are called, what they are, which
 * option of "record" records them, what is requested of the device for that, and which metrics
 * they give.  A family of kinds is a file of this folder, and SPT_EVENT_KINDS lists all kinds.
 *
 * Everything else iterates: the requests to the device, --also, doctor, the account in info, the
 * metrics with their help, JSON and menus, and the switches of the viewer's recording page.
 *
 * Pure data, without the device's headers: the numbers of the device that a file holds are plain
 * numbers here, and the families' files compare them with the device's.
 */
#ifndef SPT_EVENTS_EVENT_H
#define SPT_EVENTS_EVENT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* The unit of a weight. */
typedef enum {
	SPT_UNIT_NS,
	SPT_UNIT_BYTES,
	SPT_UNIT_EVENTS,
	SPT_UNIT_NUMBER,		/* a declared kind's field: any number */
} SptUnit;

/* The fields that the rows of a metric have besides stack, weight, time and thread. */
typedef enum {
	SPT_METRIC_HAS_CPU = 1 << 0,
	SPT_METRIC_HAS_STATE = 1 << 1,	/* of the thread: profile/waits.h */
	SPT_METRIC_HAS_WAKER = 1 << 2,
	SPT_METRIC_HAS_PARALLELISM = 1 << 3,	/* profile/latency.h */
	SPT_METRIC_HAS_CONTEXT = 1 << 4,	/* profile/events.h */
	SPT_METRIC_HAS_VECTOR = 1 << 5,	/* whose handler: the innermost function */
	SPT_METRIC_HAS_LOCK = 1 << 6,	/* the innermost function; of a wait the next one */
	SPT_METRIC_HAS_FILE = 1 << 7,	/* the next function, if the innermost is an event */
	SPT_METRIC_HAS_SIZE = 1 << 8,	/* and lifetime: profile/allocations.h */
	SPT_METRIC_HAS_FAULT = 1 << 9,	/* which kind of page fault */
	SPT_METRIC_HAS_CACHE = 1 << 10,	/* the innermost function names it, or an order of pages */
	SPT_METRIC_HAS_ORDER = 1 << 11, /* the innermost function names it */
	SPT_METRIC_HAS_HOLDER = 1 << 12, /* who held the lock */
	SPT_METRIC_HAS_NODE = 1 << 13,	/* of memory: profile/allocations.h */
	SPT_METRIC_HAS_DEVICE = 1 << 14, /* the innermost function */
	SPT_METRIC_HAS_FIELD = 1 << 15,	/* of a declared kind: profile/declared.h */
} SptMetricParts;

/* What an event is in time. */
typedef enum {
	SPT_EVENT_SPAN,
	SPT_EVENT_INSTANT,
	SPT_EVENT_SWITCH,		/* from one thread to another, on a CPU */
} SptEventShape;

/* What an event has (a member of SptEventRow) besides the time and the place. */
typedef enum {
	SPT_EVENT_WEIGHT,
	SPT_EVENT_VALUE,
	SPT_EVENT_CONTEXT,
	SPT_EVENT_HOLDER,
	SPT_EVENT_DEPTH,
	SPT_EVENT_FLAGS,
	SPT_EVENT_HOLDER_NODE,
} SptEventPart;

/* A column of a kind's stream in the file. */
typedef struct {
	const char *name;
	SptEventPart part;
} SptEventField;

/* An option of "record", and a switch on the viewer's page for recording. */
typedef struct {
	const char *name;		/* for --also, and after "--" */
	const char *flag;		/* the same with "--" */
	const char *key;		/* of the viewer's setting */
	const char *title, *note;	/* for people, marked for translation */
	const char *help;		/* of "record"; NULL: it has a value, cli/record-options.c */
	unsigned bit;			/* in SptTraceConfig.kernel; 0: not the kernel's own work */
	bool of_command;		/* of what a command does itself, not of the whole system */
} SptEventOption;

/* What a metric's rows are made of. */
typedef struct {
	const char *name;
	const char *title;		/* for people, marked for translation; NULL: not recorded */
	const char *value;		/* what the weight of a stack is; follows the name */
	/* The options of "record" that it needs, if that is more than the kind's. */
	const char *flag;
	SptUnit unit;
	unsigned parts;			/* SptMetricParts */
	SptEventPart weight;		/* WEIGHT or VALUE */
	/* Why events may have come without it: all weights are 0 then.  NULL: they never do. */
	const char *without;
	bool by_holder;			/* thread and stack are those of the lock's holder */
	/* Rows are computed from more than events of this kind: profile/metric.c knows by what. */
	bool is_computed;
} SptEventMetric;

/* Where the period of a source's grid comes from. */
typedef enum {
	SPT_GRID_FIXED,			/* period */
	SPT_GRID_OF_WAITS,		/* --waits */
	SPT_GRID_OF_KMEM,		/* --kmem */
} SptEventGrid;

/* What is requested of the device. */
typedef struct {
	bool has_stacks, has_wakers;	/* with stacks; with stacks of wakers */
	bool is_optional;		/* a recording goes on without it */
	bool is_rare;			/* few kernels have it: only doctor says so */
	SptEventGrid grid;
	uint64_t period;		/* in the source's unit; 0: each event */
	uint64_t threshold;		/* least event that is reported, with period 0 */
	/* The part of the option's records that this is, for "records no ..."; NULL: all of them */
	const char *part;
	/* "sees ... if": what a kernel without the trace point shows of it; NULL: nothing */
	const char *in_part;
} SptEventRequest;

/* A grouping by subject, of the metrics of the kinds that have it. */
typedef struct {
	const char *name;		/* for --by */
	const char *note;		/* follows the name in help; NULL: nothing */
	const char *menu, *root;	/* as in profile/groups.h */
} SptEventGrouping;

/*
 * What an event is about: the number in a part of its record.  In the file it is the innermost
 * function of its stack, of the object "[event]".
 */
typedef struct {
	uint16_t part;			/* enum sysprof_part_type */
	const char *prefix;		/* of the number; NULL: it has a name */
	const char *const *names;	/* by number; NULL: that one means nothing */
	unsigned n_names;
	const SptEventGrouping *grouping; /* NULL: groups.c has it */
} SptEventSubject;

typedef struct SptEventKind SptEventKind;
struct SptEventKind {
	const char *name;		/* in JSON and info, and of its stream */
	uint16_t number;		/* enum sysprof_source_kind, also in files; 0: none */
	SptEventShape shape;
	SptEventPart detail;		/* what groupings of its metrics alone use */
	/*
	 * What its stream has besides times, places and weights (capture/event-streams.h), up to
	 * one without a name; NULL: its events are rows of another stream.
	 */
	const SptEventField *fields;
	const SptEventOption *option;	/* NULL: always */
	const SptEventRequest *request;	/* NULL: it is not requested by itself */
	const SptEventMetric *metrics;	/* up to one without a name; NULL: none */
	const SptEventSubject *subject;	/* NULL: none, or one that record/events.c finds */
	const SptEventKind *holders;	/* has the stacks for metrics by holder */
};

/* The @i-th kind, in the order in which their metrics are listed; NULL: there are no more. */
const SptEventKind *spt_event_kind(unsigned i);
/* The kind with this number of the device; NULL: none. */
const SptEventKind *spt_event_kind_of(uint32_t number);
/* The largest number + 1. */
unsigned spt_event_kind_numbers(void);
/* "spans", "marks", "switches". */
const char *spt_event_shape_name(SptEventShape shape);
/* "ns", "bytes", "events", "number". */
const char *spt_unit_name(SptUnit unit);

/* The @i-th option; NULL: there are no more. */
const SptEventOption *spt_event_option(unsigned i);

/* The options, in the order in which they are listed and requested: spt_option_waits and so on. */
#define SPT_EVENT_OPTIONS(OPTION) \
	OPTION(waits) \
	OPTION(interrupts) \
	OPTION(locks) \
	OPTION(faults) \
	OPTION(kmem) \
	OPTION(block) \
	OPTION(memory)

#define SPT_EVENT_OPTION(name) extern const SptEventOption spt_option_##name;
SPT_EVENT_OPTIONS(SPT_EVENT_OPTION)
#undef SPT_EVENT_OPTION

#define SPT_EVENT_ONE(name) +1
enum { SPT_EVENT_N_OPTIONS = 0 SPT_EVENT_OPTIONS(SPT_EVENT_ONE) };
#undef SPT_EVENT_ONE

/* The kinds, in the order of their metrics in lists and menus: spt_event_clock and so on. */
#define SPT_EVENT_KINDS(KIND) \
	KIND(clock) \
	KIND(waits) \
	KIND(wakings) \
	KIND(lanes) \
	KIND(irq) \
	KIND(softirq) \
	KIND(irqs_off) \
	KIND(preempt_off) \
	KIND(faults) \
	KIND(slab) \
	KIND(slab_free) \
	KIND(pages) \
	KIND(pages_free) \
	KIND(percpu) \
	KIND(percpu_free) \
	KIND(vmalloc) \
	KIND(vmalloc_free) \
	KIND(stalls) \
	KIND(fragmentation) \
	KIND(block) \
	KIND(block_done) \
	KIND(page_cache) \
	KIND(locks) \
	KIND(holders) \
	KIND(memory) \
	KIND(calls)

#define SPT_EVENT_KIND(name) extern const SptEventKind spt_event_##name;
SPT_EVENT_KINDS(SPT_EVENT_KIND)
#undef SPT_EVENT_KIND

G_END_DECLS

#endif
