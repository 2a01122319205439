/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that report waits: each CPU's switches have a ring of their own. */
#include "trace/perf/perf-private.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"

/* Rings of a CPU's switches, and of its wakings or stacks. */
#define SWITCH_RING_BYTES (2u << 20)
#define STACK_RING_BYTES (4u << 20)
/* With copies: limits, for one CPU and for all.  A copy uses as much of it as is allowed. */
#define COPY_RING_BYTES (32u << 20)
#define COPY_RINGS_BYTES (128u << 20)
#define WAIT_COPY_BYTES 4096u
/* A user may lock only little memory, and ticks use most of it. */
#define THREADS_RING_BYTES (256u << 10)

/*
 * The same by root's opener.  What the user may lock is not all free: another recording may have
 * some, so smaller rings are tried.
 */
static bool open_lent(struct perf *perf, unsigned number, size_t bytes, GError **error)
{
	struct ring *ring = &perf->rings[number];
	bool no_room = false;

	for (bytes = MIN(bytes, perf->ring_bytes);; bytes /= 2) {
		ring->fd = spt_perf_door_waits(perf->door, number / perf->trace.n_cpus,
					       number % perf->trace.n_cpus, bytes / 4);
		if (ring->fd < 0) {
			spt_perf_set_open_error(error, errno);
			return false;
		}
		if (bytes / 2 < SPT_PERF_LEAST_RING_BYTES)
			return spt_perf_map_ring(perf, number, bytes, &no_room, error);
		if (spt_perf_map_ring(perf, number, bytes, &no_room, NULL))
			return true;
		close(ring->fd);
	}
}

/* An event with a ring of @bytes, rings[@number]. */
static bool open_event(struct perf *perf, unsigned number, struct spt_perf_switches event,
		       size_t bytes, GError **error)
{
	struct ring *ring = &perf->rings[number];
	bool no_room;
	int fd;

	if (perf->door)
		return open_lent(perf, number, bytes, error);
	event.watermark_bytes = bytes / 4;
	fd = spt_perf_open_switches(number % perf->trace.n_cpus, &event);
	if (fd < 0) {
		spt_perf_set_open_error(error, errno);
		return false;
	}
	ring->fd = fd;
	return spt_perf_map_ring(perf, number, bytes, &no_room, error);
}

static size_t stack_ring_bytes(unsigned n_cpus, uint32_t copy_bytes)
{
	size_t bytes = copy_bytes ? COPY_RING_BYTES : STACK_RING_BYTES;

	while (bytes > STACK_RING_BYTES && bytes * n_cpus > COPY_RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

/* A size that was asked for holds for waits, too; else there are too many for long copies. */
static uint32_t wait_copy_bytes(const SptTraceConfig *config)
{
	bool is_asked_for = config->raw_bytes && !config->raw_most_bytes;

	return is_asked_for ? config->raw_bytes : MIN(config->raw_bytes, WAIT_COPY_BYTES);
}

static bool open_of_cpu(struct perf *perf, unsigned cpu, const struct spt_perf_tracepoints *points,
			GError **error)
{
	const unsigned n_cpus = perf->trace.n_cpus;
	const uint32_t copy_bytes = wait_copy_bytes(&perf->config);
	const size_t stack_bytes = stack_ring_bytes(n_cpus, copy_bytes);
	const struct spt_perf_switches switches = { .is_switches = true, .thread = -1 },
		stacks = { .point = points->switch_id, .copy_bytes = copy_bytes, .thread = -1 },
		wakings = { .point = points->waking_id, .thread = -1 };

	return open_event(perf, n_cpus + cpu, switches, SWITCH_RING_BYTES, error) &&
	       (!points->waking_id ||
		open_event(perf, 2 * n_cpus + cpu, wakings, STACK_RING_BYTES, error)) &&
	       open_event(perf, 3 * n_cpus + cpu, stacks, stack_bytes, error);
}

/*
 * The thread whose switches are among ticks: with stacks, as far as the kernel allows this user to
 * have them.
 */
static void open_of_thread(struct perf *perf, unsigned cpu, uint32_t tid)
{
	const unsigned number = 3 * perf->trace.n_cpus + cpu;
	struct spt_perf_switches stacks = {
		.copy_bytes = wait_copy_bytes(&perf->config),
		.watermark_bytes = THREADS_RING_BYTES / 4,
		.thread = tid,
	};
	struct ring *ring = &perf->rings[number];
	int fd = spt_perf_open_switches(cpu, &stacks);
	bool no_room;

	if (fd < 0)
		return;
	if (ring->page) {
		g_array_append_val(perf->others, fd);
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd);
		return;
	}
	ring->fd = fd;
	if (!spt_perf_map_ring(perf, number, THREADS_RING_BYTES, &no_room, NULL)) {
		close(fd);
		ring->fd = perf->polls[number].fd = -1;
	}
}

/* The tids of all these threads. */
static GHashTable *open_of_threads(struct perf *perf)
{
	GHashTable *known = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	spt_perf_own_threads(&perf->config.filter, known, threads);
	for (unsigned i = 0; perf->reach == SPT_PERF_OWN && i < threads->len; i++)
		for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++)
			if (perf->rings[cpu].page)
				open_of_thread(perf, cpu, g_array_index(threads, uint32_t, i));
	return known;
}

bool spt_perf_open_waits(struct perf *perf, GError **error)
{
	struct spt_perf_tracepoints points = { 0 };
	g_autoptr(GHashTable) threads = NULL;

	g_clear_pointer(&perf->waits, spt_perf_waits_free);
	if (!perf->config.waits.is_on)
		return true;
	perf->trace.events[SPT_TRACE_WAITS] = (SptTraceEvents){
		.kind = SYSPROF_SOURCE_WAIT, .period = perf->config.waits.period_ns
	};
	perf->trace.events[SPT_TRACE_WAKES] = (SptTraceEvents){ .kind = SYSPROF_SOURCE_WAKE };
	if (perf->reach != SPT_PERF_ALL)
		threads = open_of_threads(perf);
	else if (perf->door)
		spt_perf_door_tracepoints(perf->door, &points);
	else
		spt_perf_tracepoints_read(SPT_PERF_SCHEDULER_EVENTS, &points);
	for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++)
		if (!threads && perf->rings[cpu].fd >= 0 && !open_of_cpu(perf, cpu, &points, error))
			return false;
	perf->waits_reported = false;
	if (!points.waking_id && !perf->trace.notice)
		perf->trace.notice =
			SPT_WORDS("perf events report neither the state in which threads waited nor who woke "
			"them; sudo mount -t tracefs nodev /sys/kernel/tracing shows them to root, or the module does");
	perf->waits = spt_perf_waits_new(perf->records, &perf->config, &points,
					 spt_clock_ns(CLOCK_MONOTONIC));
	spt_perf_waits_scan(perf->waits, "/proc", threads);
	return true;
}

/*
 * All records in the rings of switches, wakings and stacks are about waits, except counts of lost
 * records in the latter two.  In the other rings, records about tasks and about a thread's switches
 * are, too.
 */
void spt_perf_take(struct perf *perf, unsigned ring, const struct perf_event_header *record,
		 const struct spt_perf_sink *sink)
{
	unsigned n_cpus = perf->trace.n_cpus;
	bool is_lost = record->type == PERF_RECORD_LOST,
	     is_task = record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT ||
		       record->type == PERF_RECORD_SWITCH;

	if (ring >= SPT_PERF_KERNEL_RINGS * n_cpus) {
		spt_perf_take_kernel(perf, ring % n_cpus, record, sink);
		return;
	}
	if (ring >= 4 * n_cpus) {
		spt_perf_take_point(perf, ring % n_cpus, record, sink);
		return;
	}
	/* After that, the sample may be overwritten. */
	if (ring < n_cpus)
		spt_perf_records_take(perf->records, ring, record, sink);
	if (ring >= 2 * n_cpus && is_lost)
		return;
	if (perf->waits && (ring >= n_cpus || is_task))
		spt_perf_waits_take(perf->waits, ring % n_cpus, record, sink);
}

void spt_perf_tell_waits(struct perf *perf, uint64_t at, const struct spt_perf_sink *sink)
{
	if (!perf->waits)
		return;
	if (perf->is_stopped && !perf->waits_reported)
		spt_perf_waits_finish(perf->waits, perf->rings[0].stop_time, sink);
	else if (!perf->is_stopped)
		spt_perf_waits_tell(perf->waits, at, sink);
	perf->waits_reported = perf->is_stopped;
	for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++)
		if (perf->rings[cpu].page)
			spt_perf_waits_put_account(perf->waits, cpu, at, sink);
}
