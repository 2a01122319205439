/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of records: /dev/sysprof-trace, or the kernel's perf events on machines that cannot
 * load the module.  Both give the records of the uapi header, merged into one stream in order of
 * time.
 *
 * Perf events do not report why a stack ends (SYSPROF_END_NONE, unless it was cut), how late a tick
 * came and what it cost, whether a vfork child still uses its parent's memory (it counts as a
 * copy), and munmap.  An exiting task gives up its id before it ends; what it does after that
 * belongs to a process "[exiting]".  The ticks are not dithered.  Instead the granted period is 0.6
 * % longer than the requested one, so that ticks do not keep step with work that repeats each
 * millisecond.
 *
 * The loss law holds, with idle time computed.  Every sample weighs one period.  A period without a
 * sample counts as lost if the kernel reports lost records or a throttled clock, else as idle.
 * Interrupts that found the CPU idle, periods missed because interrupts were off, and an offline
 * CPU count as idle, too.  A CPU that comes online after the start is not recorded.  Samples that a
 * filter excludes count as idle, and processes are not filtered.  A user who may not watch the
 * whole system gets the processes that are his at the start, or those in the filter, and what they
 * start; all else is excluded.
 */
#ifndef SPT_TRACE_H
#define SPT_TRACE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/event.h"
#include "sysprof-event.h"
#include "sysprof.h"
#include "trace/once.h"

G_BEGIN_DECLS

#define SPT_TRACE_ERROR (spt_trace_error_quark())
GQuark spt_trace_error_quark(void);
enum {
	/* There is no device node (the module is not loaded), or the kernel has no perf events. */
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

/* Selects the ticks that are recorded; what is not set selects all. */
typedef struct {
	uint32_t pids[SYSPROF_FILTER_MAX];
	unsigned n_pids;		/* these processes and their children */
	uint32_t uids[SYSPROF_FILTER_MAX];
	unsigned n_uids;		/* tasks of these (effective) users */
	const uint64_t *cpus;		/* bits */
	unsigned n_cpu_words;		/* only these CPUs; 0: all that are not isolated */
	const char *cgroup;		/* directory of a control group (v2), or NULL */
	bool only_user, only_kernel;
} SptTraceFilter;

/* Records of threads off their CPUs: EVENT, THREAD and LANE. */
typedef struct {
	bool is_on;
	/* of the grid that picks waits; 0: every wait that reaches threshold_ns */
	uint64_t period_ns;
	uint64_t threshold_ns;		/* least length of a reported wait */
} SptTraceWaits;

#define SPT_TRACE_WAITS_NS 1000000ULL	/* default of period_ns */

#define SPT_TRACE_KMEM_BYTES (64U << 10)	/* default of kmem_bytes */

/* EVENT.source of perf events. */
enum {
	SPT_TRACE_WAITS = 1,
	SPT_TRACE_WAKES = 3,
	SPT_TRACE_KERNEL = 4,		/* and the kind: the kernel's own work */
};

/* The meaning of an id in EVENT.source. */
typedef struct {
	uint16_t kind;			/* enum sysprof_source_kind; 0: nothing */
	/* period of the grid; 0: no grid, and every event is reported */
	uint64_t period;
	unsigned point;			/* its index in SptTraceConfig.points, plus 1; 0: none */
} SptTraceEvents;

typedef struct {
	/* 0: 1 ms, or a multiple of it, to keep to the module's budget */
	uint64_t period_ns;
	SptTraceClock clock;
	/* For counters, as in perf_event_open(); 0 and 0 are cycles. */
	uint32_t event_type;
	uint64_t event_config;
	uint32_t ring_bytes;		/* per CPU, a power of two; 0: default */
	uint32_t reserved_bytes;	/* for spt_trace_make_room(); 0: default */
	/* Most bytes to copy out of the module's rings while their reader is held up. */
	uint64_t most_kept_bytes;
	bool no_user;			/* no user stacks */
	/*
	 * Bytes of the stack to copy, with the registers, up to SPT_TRACE_RAW_MAX_BYTES; 0: frames
	 * instead.  The module also gives frames, and only frames of tasks that the user could not
	 * trace.
	 */
	uint32_t raw_bytes;
	/* size up to which spt_trace_raw_request() may let copies grow; 0: their size is fixed */
	uint32_t raw_most_bytes;
	/*
	 * User stacks by unwind tables, which spt_trace_give_table() provides.  Only the module has
	 * this.  With raw_bytes: copies only of stacks that lack a table
	 * (spt_trace_copies_instead()).
	 */
	bool by_tables;
	/* Records may refer to outer frames that came before (spt_trace_once()). */
	bool takes_outer;
	SptTraceWaits waits;
	unsigned kernel;		/* the kernel's own work: bits of SptEventOption */
	/* one allocation is picked for this many bytes; 0: every allocation is */
	uint32_t kmem_bytes;
	/* Sources of @kernel that this machine lacks are skipped, and the notice says so. */
	bool kernel_is_optional;
	SptTraceFilter filter;
	/* Events by name (SptPoint *, points/point.h), or NULL; used as long as the source is. */
	const GPtrArray *points;
	bool only_counts_points;	/* their hits are not reported */
	/* By point: the module's source of it (sysprof-named.h); NULL: all are perf's. */
	const uint16_t *point_sources;
} SptTraceConfig;

/* The largest copy that fits into a record of perf events with the rest of the record. */
#define SPT_TRACE_RAW_MAX_BYTES 57344

typedef struct SptTrace SptTrace;

/*
 * A hit of one of the points, among the device's records, whose types end below.  What it points to
 * is valid during the call.
 */
#define SPT_TRACE_HIT 0x8000
typedef enum {
	SPT_TRACE_HIT_WHOLE,
	SPT_TRACE_HIT_CALL,		/* of a function that is timed: it begins */
	SPT_TRACE_HIT_RETURN,		/* and ends; without a stack */
} SptTraceHitPhase;

typedef struct {
	struct sysprof_record record;
	uint32_t point;			/* its index in SptTraceConfig.points */
	SptTraceHitPhase phase;
	/* of a call and its return: the stack pointer, and then what was returned */
	uint64_t sp;
	int64_t returned;
	uint64_t mm;			/* id of the process's address space */
	const struct sysprof_sample *stack;
	const uint8_t *data;		/* of a trace point */
	size_t bytes;
	const uint64_t *registers;	/* of a mark, by perf's numbers; or NULL */
} SptTraceHit;

/* How often a point was hit. */
typedef struct {
	uint64_t count;			/* whether recorded or not */
	/* Hits that were to be recorded and found no room; after stop(), when all was drained. */
	uint64_t lost;
	/* How long it was to be counted, and was: less if counters were shared. */
	uint64_t enabled_ns, running_ns;
	/*
	 * From this time on (CLOCK_MONOTONIC) it was only counted, since it came too often; 0: its
	 * hits were recorded to the end.
	 */
	uint64_t only_counted_from;
} SptTraceCount;

/* Hits of all points, in a second and on a CPU, that are recorded at most; beyond, see above. */
#define SPT_TRACE_MOST_HITS 100000u

/* What a source can do, the same in all of its sessions. */
typedef struct {
	const char *name;		/* "module" or "perf", also in files */
	/* Ticks of processes that are not in the filter are dropped; else the caller has to. */
	bool filters_pids;
	bool reports_points;		/* SptTraceConfig.points */
	bool reports_maps;		/* every mapping of every process, when it is made */
	bool reports_delays;		/* how late a tick came */
	/* A snapshot has the sums of threads; else they come when the session stops. */
	bool sums_in_snapshot;
	/* Each task name can have copies of its own size; else only "" can be requested. */
	bool requests_by_name;
} SptTraceAbilities;

typedef enum {
	SPT_TRACE_AUTO,			/* the module if there is its device, else perf events */
	SPT_TRACE_MODULE,
	SPT_TRACE_PERF,
	SPT_TRACE_SYSTEM,		/* perf events of the whole system, by polkit if need be */
} SptTraceSource;

/* The source called @name: "auto", "module", "perf" or "system".  False: there is none. */
bool spt_trace_source_called(const char *name, SptTraceSource *ret);
/*
 * Opens a session that does not run yet.  Errors say what to do.  Where polkit may authorise the
 * user (make install-polkit), this waits until the user has authenticated.
 */
SptTrace *spt_trace_open_source(SptTraceSource source, GError **error);
/* The same for SPT_TRACE_AUTO. */
SptTrace *spt_trace_open(GError **error);
/* Whether polkit would be asked if the device is closed to the user. */
bool spt_trace_may_ask(void);
/* Whether it would be for SPT_TRACE_SYSTEM, by a user who is shown only own processes. */
bool spt_trace_may_ask_for_system(void);
void spt_trace_free(SptTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTrace, spt_trace_free)

/*
 * Whether start() would accept @config.  @trace has started nothing yet, and nothing starts here.
 */
bool spt_trace_can(SptTrace *trace, const SptTraceConfig *config, GError **error);
/*
 * Why the source can record nothing but CPU time, as the module sysprof-sources is missing: how a
 * sentence about that goes on; NULL: it is there, or not needed.  It and @ret_fix, what helps, are
 * to be freed.
 */
char *spt_trace_lacks_sources(SptTrace *trace, char **ret_fix);
/*
 * A sentence without a full stop on what this kernel lets the source see in part, to be freed;
 * NULL: nothing.
 */
char *spt_trace_sees_in_part(SptTrace *trace);
/* Configures, maps the rings and starts.  @ret (may be NULL): the grid as granted. */
bool spt_trace_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		     GError **error);
/* What ids mean in the records of a source that was started: *@ret_n, by id. */
const SptTraceEvents *spt_trace_events(const SptTrace *trace, unsigned *ret_n);
bool spt_trace_stop(SptTrace *trace, GError **error);

/*
 * Called for each record, which is valid only during the call.  Its size has been checked against
 * its type's.
 */
typedef void (*SptTraceFunc)(const struct sysprof_record *record, void *data);

/* Waits at most @timeout_ms until a ring is worth draining.  A signal ends it early. */
void spt_trace_wait(SptTrace *trace, int timeout_ms);
/*
 * Hands on, in order of time, all records that no earlier one can follow any more.  @all: every
 * record that is there, after stop().  Fails if a ring has impossible content.
 */
bool spt_trace_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error);
/* The time below which all records have been handed on by that. */
uint64_t spt_trace_drained(const SptTrace *trace);
/*
 * With takes_outer, what has the outer frames of the record that was handed on last; NULL: every
 * record is whole.
 */
SptOnce *spt_trace_once(const SptTrace *trace);
/* That record, or a copy of it, with all of its frames: see spt_once_whole(). */
const struct sysprof_record *spt_trace_whole(const SptTrace *trace,
					     const struct sysprof_record *record);
/*
 * The present state: TASK and MAP records, then OBJECT records.  @ret_busy: number of address
 * spaces that were skipped.
 */
bool spt_trace_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			GError **error);

/* The count of a point of the configuration, over all CPUs.  False: it is not counted. */
bool spt_trace_count(SptTrace *trace, unsigned point, SptTraceCount *ret);
/*
 * What of the kernel's own work came too often to be recorded whole, in a text to be freed; NULL:
 * nothing.  @start_ns: when the recording began.
 */
char *spt_trace_limited(SptTrace *trace, uint64_t start_ns);
/* How many hits of all points found no room. */
uint64_t spt_trace_hits_lost(const SptTrace *trace);

const SptTraceAbilities *spt_trace_abilities(const SptTrace *trace);
const char *spt_trace_clock_name(const SptTrace *trace);
/* A sentence on what this session cannot report on this machine, or NULL; known after start(). */
const char *spt_trace_notice(const SptTrace *trace);
/* Whether this user is shown no processes but their own, and no kernel. */
bool spt_trace_shows_only_own(const SptTrace *trace);
bool spt_trace_shows_only_user(const SptTrace *trace);
/* Whether stacks can be copied there; else they are walked along frame pointers. */
bool spt_trace_copies_stacks(const SptTrace *trace);
/* Whether this user's waits have stacks there. */
bool spt_trace_has_wait_stacks(const SptTrace *trace);
unsigned spt_trace_n_cpus(const SptTrace *trace);
bool spt_trace_has_cpu(const SptTrace *trace, unsigned cpu);
bool spt_trace_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error);
/* Fills in the names of @n kernel frames. */
bool spt_trace_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error);
/*
 * Requests @bytes of the stacks of tasks called @comm ("": all others); 0: none, as frame pointers
 * suffice.  False: copies stay as they are.
 */
bool spt_trace_raw_request(SptTrace *trace, const char *comm, uint32_t bytes);
/*
 * From now on one tick in @part is taken, and represents @part periods.  False: the source does not
 * support that.
 */
bool spt_trace_slow_down(SptTrace *trace, unsigned part);
/*
 * Whether there is time for slow work on a record: no ring is more than half full, or the records
 * of perf events have been copied into memory, up to a limit.
 */
bool spt_trace_make_room(SptTrace *trace);
/* Whether the source unwinds user stacks by tables. */
bool spt_trace_has_tables(const SptTrace *trace);
/* Whether the source finds frames of scripts by chains. */
bool spt_trace_has_chains(const SptTrace *trace);
/* ... and by chains what threads are at work for (SYSPROF_CHAIN_THREAD). */
bool spt_trace_has_thread_chains(const SptTrace *trace);
/* Gives it the chain of the interpreter with this build-id, as spt_trace_give_table(). */
int spt_trace_give_chain(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *chain,
			 size_t bytes);
/* The same for the very file that is open as @fd, as spt_trace_give_table_of_file(). */
int spt_trace_give_chain_of_file(SptTrace *trace, int fd, const void *chain, size_t bytes);
/* Whether it can also copy stacks for which a table is missing. */
bool spt_trace_copies_instead(const SptTrace *trace);
/*
 * Gives the source the unwind table (unwind/table.h) of objects with this build-id.  Returns 0, or
 * why it was not taken: EEXIST (it has one already), ENOSPC, ...
 */
int spt_trace_give_table(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *table,
			 size_t bytes);
/*
 * The same for the very file that is open as @fd, whatever its build-id, and only for who may see
 * all, or for this user's own processes.  @ret_object: the object that it is.  EOPNOTSUPP: the
 * source does not do that; ENOENT: it does not know the file.
 */
int spt_trace_give_table_of_file(SptTrace *trace, int fd, const void *table, size_t bytes,
				 uint32_t *ret_object);
/*
 * A descriptor of the file of @object (from an OBJECT record), open for reading, the caller's to
 * close.  It also works for deleted files and those of other mount namespaces, if called soon after
 * the record; with perf events, at once.  -1 with errno: ENOTTY (not supported), EACCES, ENOENT,
 * EMFILE ...
 */
int spt_trace_map_fd(SptTrace *trace, uint32_t object);
/*
 * The address of offset 0 of a region, modulo 2^64.  False: the region is not known, or its process
 * has exited or is closed to this user.
 */
bool spt_trace_region_start(SptTrace *trace, uint32_t object, uint64_t *ret);

G_END_DECLS

#endif
