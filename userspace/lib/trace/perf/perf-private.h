/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events as a source: its rings (perf.c), and its waits (perf-waits.c). */
#ifndef SPT_PERF_PRIVATE_H
#define SPT_PERF_PRIVATE_H

#include <poll.h>

#include "base/proc-files.h"
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
	 * an event of its own that writes into the same ring, so that another can take its place;
	 * -1: there is none
	 */
	int ticks;
	bool is_left_out;		/* reports only tasks */
};

#define SPT_PERF_RINGS 4		/* of a CPU */

struct perf {
	SptTrace trace;
	/*
	 * Of each CPU; then, where waits are asked for, of each CPU's switches, of its wakings, and
	 * of the stacks that are switched out: if some of these find no room no switch is lost
	 */
	struct ring *rings;
	struct pollfd *polls;
	unsigned n_rings;
	size_t page_bytes, ring_bytes;
	SptProcFiles *proc_files;
	SptKallsyms *kallsyms;
	char *modules;			/* as they were when kallsyms was read */
	SptPerfRecords *records;
	SptPerfWaits *waits;		/* NULL: they are not asked for */
	SptPerfReach reach;
	/* Int: events of threads beyond the first, which share their CPU's ring */
	GArray *others;
	SptPerfQueue *queue;
	uint64_t drained_time;		/* what is older has been handed on */
	uint64_t account_time;
	struct spt_perf_event ticks;	/* of the rings' */
	SptTraceConfig config;		/* that they were made for: its numbers */
	bool waits_told;		/* to their end */
	bool can_resize;		/* the copies */
	bool is_stopped;
};

/*
 * Maps @bytes of records of rings[@number], whose event is open; false: *@ret_no_room says so if it
 * is for want of memory.
 */
bool spt_perf_map_ring(struct perf *perf, unsigned number, size_t bytes, bool *ret_no_room,
		       GError **error);
/* Opens what the configuration asks for, if anything; it does not run yet. */
bool spt_perf_open_waits(struct perf *perf, GError **error);
/* A record of rings[@ring]. */
void spt_perf_take(struct perf *perf, unsigned ring, const struct perf_event_header *record,
		   const struct spt_perf_sink *sink);
/* Sums about once a second, as of @at; at the end what has not ended, too. */
void spt_perf_tell_waits(struct perf *perf, uint64_t at, const struct spt_perf_sink *sink);

G_END_DECLS

#endif
