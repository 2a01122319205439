/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace points of each kind of events, and what their hits become.  A family of kinds has a
 * file kernel-FAMILY.c with a table of hooks; perf-kernel.c opens them, kernel-events.c sends their
 * events.
 */
#ifndef SPT_PERF_KERNEL_HOOKS_H
#define SPT_PERF_KERNEL_HOOKS_H

#include "trace/perf/event.h"
#include "trace/perf/kernel-pairs.h"
#include "trace/points/point.h"

G_BEGIN_DECLS

#define SPT_HOOK_FIELDS 7
/* A thread that is the idle task of a CPU, as the first part of a key. */
#define SPT_IDLE_OF(cpu) (1ULL << 32 | (cpu))

typedef enum {
	SPT_HOOK_COUNTS = 1 << 0,	/* each hit is an event of the kind */
	SPT_HOOK_STACK = 1 << 1,
	SPT_HOOK_OPTIONAL = 1 << 2,	/* the kind goes without it */
	SPT_HOOK_THINS = 1 << 3,	/* one hit in a number is enough */
	SPT_HOOK_ANYONE = 1 << 4,	/* whoever runs: it ends what another one began */
	/* Sizes: the kernel passes small ones on less often. */
	SPT_HOOK_BY_SIZE = 1 << 5,	/* by the field bytes_alloc */
	SPT_HOOK_BY_ORDER = 1 << 6,	/* of pages */
} SptHookFlags;

typedef struct SptKernelState SptKernelState;
struct spt_kernel_hit;

struct spt_kernel_hook {
	const char *name;		/* "group:name", or perf's name of a software event */
	uint16_t kind;			/* enum sysprof_source_kind */
	uint8_t flags;			/* SptHookFlags */
	void (*take)(SptKernelState *state, const struct spt_kernel_hit *hit);
	/* What take() reads, by index.  '?': older kernels have no such field */
	const char *fields[SPT_HOOK_FIELDS];
	const char *what;		/* for take(): the name of an interrupt */
	unsigned number;		/* likewise */
};

/* A hit of a hook. */
struct spt_kernel_hit {
	const struct spt_kernel_hook *hook;
	const SptPointField *const *fields;
	struct spt_perf_who who;
	const struct perf_event_header *sample;
	const uint8_t *data;		/* the trace point's record */
	size_t bytes;
	uint32_t weight;		/* hits that it represents */
	const struct spt_perf_sink *sink;
};

/* A number of the hit; 0: there is none. */
uint64_t spt_hit_number(const struct spt_kernel_hit *hit, unsigned field);
/* A text of the hit, cut to @bytes. */
void spt_hit_text(const struct spt_kernel_hit *hit, unsigned field, char *to, size_t bytes);
/* The thread, as the first part of a key. */
uint64_t spt_hit_thread(const struct spt_kernel_hit *hit);
/* enum sysprof_context: of what the hit was in. */
uint8_t spt_hit_context(const struct spt_kernel_hit *hit);
bool spt_hit_in_softirq(const struct spt_kernel_hit *hit);

/* An event; begin and end are the hit's time where they are 0. */
struct spt_kernel_event {
	uint16_t kind;
	uint8_t phase, context;
	uint16_t flags;			/* record.flags */
	uint64_t begin, value, key;
	uint32_t weight;
	const struct sysprof_part *part;
	bool has_stack;
};

#define SPT_KERNEL_KINDS 32		/* enum sysprof_source_kind is below */

/* What has begun on a CPU. */
#define SPT_INTERRUPTS_DEEP 8
struct spt_interrupt {
	const struct spt_kernel_hook *hook; /* of the begin */
	uint64_t thread, begin, inner_ns;
	uint32_t vector;
	char name[32];
};
struct spt_interrupt_cpu {
	struct spt_interrupt irqs[SPT_INTERRUPTS_DEEP], softirqs[SPT_INTERRUPTS_DEEP];
	unsigned n_irqs;
	uint64_t total_ns;		/* of all interrupts */
};

/* The state of all families. */
struct SptKernelState {
	SptPerfRecords *records;
	SptKallsyms *kallsyms;
	GByteArray *made;
	unsigned n_cpus;
	const SptTraceFilter *filter;
	/* By kind and CPU: as far as events were taken. */
	struct sysprof_source_account *accounts;
	bool has_lost;			/* records of hits: a begin may be among them */
	uint64_t n_keys;
	SptPairs *locks, *faults, *stalls, *memory;
	GHashTable *requests, *disks;	/* of kernel-block.c */
	unsigned n_requests;
	struct spt_interrupt_cpu *interrupts;
};

SptKernelState *spt_kernel_state_new(SptPerfRecords *records, SptKallsyms *kallsyms,
				     const SptTraceFilter *filter);
void spt_kernel_state_free(SptKernelState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptKernelState, spt_kernel_state_free)
struct sysprof_source_account *spt_kernel_account(SptKernelState *state, unsigned kind,
						  unsigned cpu);
/* Sends an event.  False: it is excluded by the filter. */
bool spt_kernel_tell(SptKernelState *state, const struct spt_kernel_hit *hit,
		     const struct spt_kernel_event *event);
/* An end whose begin is not known: it was lost, or was before the recording. */
void spt_kernel_tell_unpaired(SptKernelState *state, const struct spt_kernel_hit *hit);
/* The state of kernel-block.c. */
void spt_kernel_block_init(SptKernelState *state);
void spt_kernel_block_clear(SptKernelState *state);

/* The families: tables up to a hook without a name.  Hooks of ends come before those of begins. */
extern const struct spt_kernel_hook spt_hooks_interrupts[], spt_hooks_locks[], spt_hooks_faults[],
	spt_hooks_memory[], spt_hooks_block[];

G_END_DECLS

#endif
