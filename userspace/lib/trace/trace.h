/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where records come from: /dev/sysprof-trace, or the kernel's perf events for machines that cannot
 * load the module.  Either way they are those of the uapi header, merged into one stream in order
 * of time.
 *
 * What perf events do not report: why a stack ends where it does (SYSPROF_END_NONE, unless it was
 * cut), how late a tick came and what it cost, whether a vfork child still uses its parent's memory
 * (it counts as a copy), and munmap.  What a task does once its id is given up, at the end of its
 * exit, is that of a process "[exiting]".  The ticks are not dithered; instead the period granted
 * is 0.6 % longer than asked for, so that ticks do not keep step with work that repeats each
 * millisecond.
 *
 * The loss law holds, with idle time computed: every sample weighs one period, and a period that
 * went by without one counts as lost as far as the kernel reports lost records or a held
 * clock, else as idle.  So do interrupts that found the CPU idle, periods missed because
 * interrupts were off, and a CPU that is offline.  A CPU that comes online after the start is not
 * recorded.  What a filter leaves out counts as idle, too, and processes are not filtered.  Who may
 * not watch the whole system gets the processes that are his when it starts, or those in the
 * filter, and what they start; all else is excluded.
 */
#ifndef SPT_TRACE_H
#define SPT_TRACE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof-event.h"
#include "sysprof.h"

G_BEGIN_DECLS

#define SPT_TRACE_ERROR (spt_trace_error_quark())
GQuark spt_trace_error_quark(void);
enum {
	/* The node is not there: module not loaded; or a kernel without perf events */
	SPT_TRACE_ERROR_NO_DEVICE,
	SPT_TRACE_ERROR_NO_PERMISSION,	/* closed to this user */
	SPT_TRACE_ERROR_REFUSED,	/* container, lockdown */
	SPT_TRACE_ERROR_BAD_CONFIG,
	SPT_TRACE_ERROR_FAILED,
};

typedef enum {
	SPT_TRACE_TIMER,
	SPT_TRACE_PMU,			/* hardware counters; the module's alone */
	SPT_TRACE_ANY_CLOCK,		/* counters where there are some, else the timer */
} SptTraceClock;

/* Whose ticks are recorded; what is not set lets all pass. */
typedef struct {
	uint32_t pids[SYSPROF_FILTER_MAX];
	unsigned n_pids;		/* these processes, and what they start */
	uint32_t uids[SYSPROF_FILTER_MAX];
	unsigned n_uids;		/* tasks of these (effective) users */
	const uint64_t *cpus;		/* bits */
	unsigned n_cpu_words;		/* only these CPUs; 0: all that are not isolated */
	const char *cgroup;		/* directory of a control group (v2), or NULL */
	bool only_user, only_kernel;
} SptTraceFilter;

/* Threads off their CPUs: EVENT, THREAD and LANE records. */
typedef struct {
	bool is_on;
	uint64_t period_ns;		/* of the grid that picks waits; 0: each one of at least */
	uint64_t threshold_ns;		/* waits of at least this length are reported */
} SptTraceWaits;

#define SPT_TRACE_WAITS_NS 1000000ULL	/* of period_ns, unless told otherwise */

/* Of the kernel's own work, EVENT records; sets of bits.  The module's alone. */
enum {
	SPT_TRACE_INTERRUPTS = 1 << 0,	/* handlers of interrupts and soft interrupts */
	SPT_TRACE_LOCKS = 1 << 1,	/* waits for locks */
	SPT_TRACE_BLOCK = 1 << 2,	/* requests to block devices */
	SPT_TRACE_FAULTS = 1 << 3,	/* page faults */
	SPT_TRACE_KMEM = 1 << 4,	/* memory that the kernel allocates, and pages */
};

/* What can be recorded besides samples. */
typedef struct {
	const char *name;		/* the option of record, without "--" */
	unsigned kernel;		/* SPT_TRACE_INTERRUPTS ...; 0: waits */
} SptTraceExtra;

/* One after the other; NULL: there are no more. */
const SptTraceExtra *spt_trace_extra(unsigned i);

#define SPT_TRACE_KMEM_BYTES (64U << 10)	/* of kmem_bytes, unless told otherwise */

/* EVENT.source of perf events. */
enum {
	SPT_TRACE_WAITS = 1,
	SPT_TRACE_WAKES = 3,
};

/* What an id in EVENT.source means. */
typedef struct {
	uint16_t kind;			/* enum sysprof_source_kind; 0: nothing */
	/* period of the grid; 0: no grid, and every event is reported */
	uint64_t period;
} SptTraceEvents;

typedef struct {
	/* 0: 1 ms, or a multiple of it, to keep to the module's budget */
	uint64_t period_ns;
	SptTraceClock clock;
	/* Counters: as perf_event_open() has them; 0 and 0 are cycles */
	uint32_t event_type;
	uint64_t event_config;
	uint32_t ring_bytes;		/* per CPU, a power of two; 0: default */
	uint32_t aside_bytes;		/* for spt_trace_make_room(); 0: default */
	/* What may be copied out of the module's rings, while their reader is held up */
	uint64_t most_kept_bytes;
	bool no_user;			/* leave user stacks out */
	/*
	 * This much of the stack, and the registers, up to SPT_TRACE_RAW_MAX_BYTES; 0: frames.
	 * From the module frames, too, and of tasks that the user could not trace these alone.
	 */
	uint32_t raw_bytes;
	/*
	 * up to which copies may be wished to grow, by spt_trace_raw_wish(); 0: they stay as they
	 * are
	 */
	uint32_t raw_most_bytes;
	/* User stacks by unwind tables, which spt_trace_give_table() brings; the module's alone */
	bool by_tables;
	SptTraceWaits waits;
	unsigned kernel;		/* SPT_TRACE_INTERRUPTS ... */
	uint32_t kmem_bytes;		/* one of so many is picked; 0: every allocation */
	/* Sources of kernel that this machine lacks are left out, and the notice says so */
	bool kernel_is_optional;
	SptTraceFilter filter;
} SptTraceConfig;

/* What fits into a record of perf events, and leaves room for the rest of it. */
#define SPT_TRACE_RAW_MAX_BYTES 57344

typedef struct SptTrace SptTrace;

typedef enum {
	SPT_TRACE_AUTO,			/* the module if its device is there, else perf events */
	SPT_TRACE_MODULE,
	SPT_TRACE_PERF,
} SptTraceSource;

/*
 * A session that does not run yet.  Errors say what to do.  Where polkit may authorise the user
 * (make install-polkit) it asks, and waits until the user has authenticated.
 */
SptTrace *spt_trace_open_source(SptTraceSource source, GError **error);
/* The same for SPT_TRACE_AUTO. */
SptTrace *spt_trace_open(GError **error);
/* Whether polkit would be asked where the device is closed to the user. */
bool spt_trace_may_ask(void);
void spt_trace_free(SptTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTrace, spt_trace_free)

/* Whether start() would do for @config; nothing runs, and @trace has started nothing yet. */
bool spt_trace_can(SptTrace *trace, const SptTraceConfig *config, GError **error);
/* Configures, maps the rings and starts.  @ret (may be NULL): the grid as granted. */
bool spt_trace_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		     GError **error);
/* Of a source that was started; @id is a record's. */
SptTraceEvents spt_trace_events(const SptTrace *trace, unsigned id);
bool spt_trace_stop(SptTrace *trace, GError **error);

/*
 * Called for each record; it is only valid during the call.  Its size has been checked against its
 * type's.
 */
typedef void (*SptTraceFunc)(const struct sysprof_record *record, void *data);

/* Waits at most @timeout_ms until a ring is worth draining.  A signal ends it early. */
void spt_trace_wait(SptTrace *trace, int timeout_ms);
/*
 * Hands on, in order of time, all records that no earlier one can follow any more; @all: whatever
 * there is, after stop().  Fails if a ring's content cannot be right.
 */
bool spt_trace_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error);
/*
 * The present state: TASK and MAP records, then OBJECT records.  @ret_busy: address spaces that
 * were passed over.
 */
bool spt_trace_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			GError **error);

const char *spt_trace_source_name(const SptTrace *trace);	/* "module" or "perf" */
const char *spt_trace_clock_name(const SptTrace *trace);
/*
 * Whether the source drops ticks of processes that are not in the filter; else they have to be
 * dropped from its records.
 */
bool spt_trace_filters_pids(const SptTrace *trace);
/* A sentence on what this session cannot report on this machine, or NULL; known after start(). */
const char *spt_trace_notice(const SptTrace *trace);
unsigned spt_trace_n_cpus(const SptTrace *trace);
bool spt_trace_has_cpu(const SptTrace *trace, unsigned cpu);
bool spt_trace_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error);
/* Fills in the names of @n kernel frames. */
bool spt_trace_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error);
/*
 * So much is worth copying of the stacks of tasks called @comm ("": of all others); 0: their frame
 * pointers do.  False: copies are as they are.
 */
bool spt_trace_raw_wish(SptTrace *trace, const char *comm, uint32_t bytes);
/*
 * From now on one tick in @part is taken, and represents @part periods.  False: the source
 * cannot.
 */
bool spt_trace_slow_down(SptTrace *trace, unsigned part);
/*
 * Whether there is time to take a record slowly: no ring is more than half full, or those of perf
 * events have been emptied into memory, up to a limit.
 */
bool spt_trace_make_room(SptTrace *trace);
/* Whether user stacks can be had by tables. */
bool spt_trace_has_tables(const SptTrace *trace);
/*
 * The unwind table (unwind/table.h) of objects with this build-id.  0, or why it was not taken:
 * EEXIST there is one, ENOSPC, ...
 */
int spt_trace_give_table(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *table,
			 size_t bytes);
/* Whether tasks of a name can have copies of their own size; else only "" can be wished for. */
bool spt_trace_wishes_by_name(const SptTrace *trace);
/*
 * A descriptor of the file of @object (an OBJECT record's), open for reading, the caller's to
 * close; it also works for files that are deleted or in other mount namespaces, if asked soon after
 * the record, with perf events at once.  -1 with errno: ENOTTY the source cannot, EACCES, ENOENT,
 * EMFILE ...
 */
int spt_trace_map_fd(SptTrace *trace, uint32_t object);
/*
 * The address of offset 0 of a region, modulo 2^64.  False: the region is not known, its process is
 * gone or closed to this user.
 */
bool spt_trace_region_start(SptTrace *trace, uint32_t object, uint64_t *ret);

G_END_DECLS

#endif
