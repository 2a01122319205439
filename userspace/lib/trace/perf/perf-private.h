/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events as a source: its rings (perf.c), its waits (perf-waits.c), and the kernel's own work
 * (perf-kernel.c).
 */
#ifndef SPT_PERF_PRIVATE_H
#define SPT_PERF_PRIVATE_H

#include <poll.h>

#include "base/proc-files.h"
#include "trace/perf/opener-door.h"
#include "trace/perf/open.h"
#include "trace/perf/own.h"
#include "trace/perf/queue.h"
#include "trace/perf/records.h"
#include "trace/perf/waits.h"
#include "trace/trace-private.h"

G_BEGIN_DECLS

struct ring {
	int fd;				/* -1: no such CPU, or it is offline */
	struct perf_event_mmap_page *page;
	size_t bytes;
	uint64_t stop_time;
	/*
	 * a separate event that writes into the same ring, so that another one can replace it; -1:
	 * there is none
	 */
	int ticks;
	bool is_left_out;		/* reports only tasks */
};

#define SPT_PERF_RINGS 6		/* of a CPU */
#define SPT_PERF_KERNEL_RINGS 5		/* the last of them */

typedef struct SptPerfPoints SptPerfPoints;
typedef struct SptPerfKernel SptPerfKernel;

struct perf {
	SptTrace trace;
	/*
	 * The rings of each CPU.  If waits are requested, then rings for each CPU's switches, for
	 * its wakings, and for the stacks that are switched out: if one of these is full, no switch
	 * is lost.  The last ones are for hits of points, and for the kernel's own work.
	 */
	struct ring *rings;
	struct pollfd *polls;
	unsigned n_rings;
	size_t page_bytes, ring_bytes;
	SptProcFiles *proc_files;
	SptKallsyms *kallsyms;
	char *modules;			/* the loaded modules when kallsyms was read */
	SptPerfRecords *records;
	SptPerfWaits *waits;		/* NULL: not requested */
	SptPerfPoints *points;		/* NULL: not requested */
	SptPerfKernel *kernel;		/* NULL: not requested */
	SptPerfReach reach;
	SptPerfDoor *door;		/* which has the events; NULL: they are this process's */
	/* Int: events of threads beyond the first, which share their CPU's ring. */
	GArray *others;
	SptPerfQueue *queue;
	uint64_t drained_time;		/* older records have been handed on */
	uint64_t account_time;
	struct spt_perf_event ticks;	/* the event of the rings */
	SptTraceConfig config;		/* for which the rings were made: its numbers */
	bool waits_reported;		/* all of them have been reported */
	bool can_resize;		/* the copies can change their size */
	bool is_stopped;
};

/*
 * Maps @bytes of records for rings[@number], whose event is open.  False: it failed; *@ret_no_room
 * is set if memory was short.
 */
bool spt_perf_map_ring(struct perf *perf, unsigned number, size_t bytes, bool *ret_no_room,
		       GError **error);
/* Switches the event of rings[@number]; -1 and errno if that fails. */
int spt_perf_ring_switch(struct perf *perf, unsigned number, bool on);
/* The same for the period of the ticks of @cpu. */
int spt_perf_ring_period(struct perf *perf, unsigned cpu, uint64_t period_ns);
/*
 * How many bytes of a stack are copied for one sample.  A size that was not requested leaves room
 * for a quarter of a second in the ring.
 */
uint32_t spt_perf_copy_bytes(const struct perf *perf, uint32_t wanted_bytes, uint64_t period_ns);
/* A ring for events of another process has at least this. */
#define SPT_PERF_LEAST_RING_BYTES ((size_t)32 << 10)
/*
 * The size of each ring for events that another process opened, at most @most: this user's limits
 * for locked memory hold, and all rings of the configuration need room.
 */
size_t spt_perf_lent_ring_bytes(const struct perf *perf, size_t most);
/* Opens the events of waits that the configuration requests, if any; they are not enabled yet. */
bool spt_perf_open_waits(struct perf *perf, GError **error);
/* The same for the points of the configuration. */
bool spt_perf_open_points(struct perf *perf, GError **error);
void spt_perf_points_free(SptPerfPoints *points);
/* Takes a record of the ring of points of @cpu. */
void spt_perf_take_point(struct perf *perf, unsigned cpu, const struct perf_event_header *record,
			 const struct spt_perf_sink *sink);
/* Called often: stops the recording of a point that comes too often. */
void spt_perf_limit_points(struct perf *perf, uint64_t now);
bool spt_perf_count_point(SptTrace *trace, unsigned point, SptTraceCount *ret);
/* Whether this user can have the kernel's work that @config requests. */
bool spt_perf_kernel_can(struct perf *perf, const SptTraceConfig *config, GError **error);
/* Opens the events that the configuration requests, if any; they are not enabled yet. */
bool spt_perf_open_kernel(struct perf *perf, GError **error);
void spt_perf_kernel_free(SptPerfKernel *kernel);
/* Takes a record of the ring of the kernel's work of @cpu. */
void spt_perf_take_kernel(struct perf *perf, unsigned cpu, const struct perf_event_header *record,
			  const struct spt_perf_sink *sink);
/* Called often: keeps what comes too often within bounds. */
void spt_perf_limit_kernel(struct perf *perf, uint64_t now);
/* Reports the accounts as of @at. */
void spt_perf_tell_kernel(struct perf *perf, uint64_t at, const struct spt_perf_sink *sink);
/* As spt_trace_limited(). */
char *spt_perf_kernel_limited(SptTrace *trace, uint64_t start_ns);
/* Takes a record of rings[@ring]. */
void spt_perf_take(struct perf *perf, unsigned ring, const struct perf_event_header *record,
		   const struct spt_perf_sink *sink);
/* Reports sums as of @at, about once a second; at the end also waits that have not ended. */
void spt_perf_tell_waits(struct perf *perf, uint64_t at, const struct spt_perf_sink *sink);

G_END_DECLS

#endif
