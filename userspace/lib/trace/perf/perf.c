/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's perf events as a source of records: one cpu-clock event per CPU, which also reports
 * forks, execs and mappings.
 *
 * A record has its time before it is in the ring, and a ring's records may be slightly out of
 * order.  So they are sorted.  They are handed on once they are older than any writer can need,
 * even one whose virtual CPU was taken away while it wrote.
 */
#include "trace/perf/perf-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "trace/perf/queue.h"
#include "trace/perf/raw.h"
#include "trace/perf/snapshot.h"

#define DEFAULT_PERIOD_NS 1000000ULL
#define MIN_PERIOD_NS 10000ULL		/* the kernel's own */
#define HOLD_BACK_NS 30000000ULL
#define EXIT_DELAY_NS 2000000000ULL	/* time that a process may take to free its memory */
#define ACCOUNT_NS 1000000000ULL
#define TAKEN_AT_ONCE 32
#define RAW_RINGS_MAX_BYTES (1u << 30)
#define RESERVED_BYTES	    (64u << 20) /* two seconds of copies of 16 KiB of two CPUs */
/* Files of short-lived processes are read while the processes exist. */
#define WAIT_MS		    20

static struct perf *perf_of(const SptTrace *trace)
{
	return (struct perf *)trace;
}

static SptPerfFiles *files_of(struct perf *perf)
{
	return spt_perf_objects_files(spt_perf_records_objects(perf->records));
}

static void close_rings(struct perf *perf)
{
	spt_perf_queue_clear(perf->queue);
	for (unsigned i = 0; i < perf->n_rings; i++) {
		struct ring *ring = &perf->rings[i];

		if (ring->page)
			munmap(ring->page, perf->page_bytes + ring->bytes);
		if (ring->ticks >= 0)
			close(ring->ticks);
		if (ring->fd >= 0)
			close(ring->fd);
		*ring = (struct ring){ .fd = -1, .ticks = -1 };
		perf->polls[i].fd = -1;
	}
	for (unsigned i = 0; i < perf->others->len; i++)
		close(g_array_index(perf->others, int, i));
	g_array_set_size(perf->others, 0);
	if (perf->door)
		spt_perf_door_begin(perf->door);
}

static void perf_free(SptTrace *trace)
{
	struct perf *perf = perf_of(trace);

	close_rings(perf);
	spt_perf_waits_free(perf->waits);
	spt_perf_points_free(perf->points);
	spt_perf_kernel_free(perf->kernel);
	spt_perf_records_free(perf->records);
	spt_proc_files_free(perf->proc_files);
	spt_perf_door_free(perf->door);
	spt_kallsyms_free(perf->kallsyms);
	spt_perf_queue_free(perf->queue);
	g_clear_pointer(&perf->others, g_array_unref);
	g_free(perf->modules);
	g_free(perf->rings);
	g_free(perf->polls);
	g_free(perf);
}

/* Starting. */

/* An event of @cpu that writes into the same ring as the first one.  False with errno. */
static bool open_other(struct perf *perf, unsigned cpu, const struct spt_perf_event *event,
		       const SptTraceConfig *config)
{
	int fd = spt_perf_open_event(cpu, event, config);

	if (fd < 0)
		return false;
	g_array_append_val(perf->others, fd);
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, perf->rings[cpu].fd) == 0;
}

/* No thread could be opened: they have ended, or are another user's. */
static void set_no_process(const SptTraceFilter *filter, GError **error)
{
	for (unsigned i = 0; i < filter->n_pids; i++) {
		if (kill((pid_t)filter->pids[i], 0) == 0 || errno != ESRCH)
			continue;
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "There is no process %u to record", filter->pids[i]);
		return;
	}
	if (filter->n_pids)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Process %u is another user's; "
			      "to record it, load the module: doctor says how",
			      filter->pids[0]);
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "None of these processes is yours; to record those "
			      "of others, load the module: doctor says how");
}

/*
 * One after the other, since the first one of a CPU makes the ring.  Threads that have ended, or
 * are another user's, are skipped.
 */
static bool open_threads(struct perf *perf, struct spt_perf_event event,
			 const SptTraceConfig *config, bool *ret_no_room, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	unsigned at = 0;
	bool any = false;

	event.only_user = perf->reach == SPT_PERF_OWN_CODE;
	/*
	 * Threads that a thread starts before its event exists would be missed without the next
	 * round.
	 */
	while (spt_perf_own_threads(&config->filter, known, threads)) {
		for (; at < threads->len; at++) {
			event.thread = g_array_index(threads, uint32_t, at);
			for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++) {
				struct ring *ring = &perf->rings[cpu];

				if (ring->page && open_other(perf, cpu, &event, config))
					continue;
				if (!ring->page)
					ring->fd = spt_perf_open_event(cpu, &event, config);
				if (!ring->page && ring->fd >= 0) {
					if (!spt_perf_map_ring(perf, cpu, perf->ring_bytes,
							       ret_no_room, error))
						return false;
					any = true;
				} else if (errno != ENODEV && errno != ESRCH && errno != EACCES &&
					   errno != EPERM) {
					spt_perf_set_open_error(error, errno);
					return false;
				}
			}
		}
	}
	if (!any && errno == EMFILE)
		spt_perf_set_open_error(error, errno);
	else if (!any)
		set_no_process(&config->filter, error);
	return any;
}

/*
 * Opens the event of @cpu that ticks as @event says, where another one made the ring; -1 with
 * errno.
 */
static int open_ticks(struct perf *perf, unsigned cpu, const struct spt_perf_event *event)
{
	int fd = spt_perf_open_event(cpu, event, &perf->config), number;

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, perf->rings[cpu].fd) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

static bool open_rings(struct perf *perf, const struct spt_perf_event *event,
		       const SptTraceConfig *config, bool *ret_no_room, GError **error)
{
	bool any = false;

	*ret_no_room = false;
	if (perf->reach != SPT_PERF_ALL)
		return open_threads(perf, *event, config, ret_no_room, error);
	for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++) {
		struct ring *ring = &perf->rings[cpu];

		ring->fd = perf->door ? spt_perf_door_ticks(perf->door, cpu, event, config) :
					spt_perf_open_event(cpu, event, config);
		ring->is_left_out = !spt_perf_wants_cpu(&config->filter, cpu);
		if (ring->fd < 0 && errno == ENODEV)
			continue;
		if (ring->fd < 0) {
			spt_perf_set_open_error(error, errno);
			return false;
		}
		if (!spt_perf_map_ring(perf, cpu, perf->ring_bytes, ret_no_room, error))
			return false;
		if (event->part == SPT_PERF_TASKS && !ring->is_left_out) {
			ring->ticks = open_ticks(perf, cpu, &perf->ticks);
			if (ring->ticks < 0) {
				spt_perf_set_open_error(error, errno);
				return false;
			}
		}
		any = true;
	}
	if (!any)
		spt_perf_set_open_error(error, ENODEV);
	return any;
}

/*
 * A user without privilege may only lock a limited amount of memory: less is tried unless the user
 * named a size.
 */
static bool make_rings(struct perf *perf, const SptTraceConfig *config, int cgroup,
		       uint64_t period_ns, GError **error)
{
	size_t most = config->ring_bytes ? config->ring_bytes : 1 << 20;
	size_t least = config->ring_bytes ? config->ring_bytes : 1 << 17;
	GError *failure = NULL;
	bool no_room;

	if (config->raw_bytes && !config->ring_bytes)
		most = spt_trace_raw_ring_bytes(perf->trace.n_cpus, RAW_RINGS_MAX_BYTES) / 2;
	if (most < perf->page_bytes || (most & (most - 1))) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "A ring cannot have %zu bytes (--ring-bytes): use a power of two from %zu on",
			      most, perf->page_bytes);
		return false;
	}
	if (perf->door && !config->ring_bytes)
		most = MAX(least, spt_perf_lent_ring_bytes(perf, most));
	for (perf->ring_bytes = most;; perf->ring_bytes /= 2) {
		struct spt_perf_event event = {
			.period_ns = period_ns,
			.copy_bytes = config->raw_bytes,
			.watermark_bytes = perf->ring_bytes / 4,
			.cgroup = cgroup,
			.thread = -1,
		};

		if (config->raw_most_bytes)
			event.copy_bytes =
				spt_perf_copy_bytes(perf, config->raw_bytes, period_ns);
		if (perf->can_resize) {
			perf->ticks = event;
			perf->ticks.part = SPT_PERF_TICKS;
			event.part = SPT_PERF_TASKS;
		}
		if (open_rings(perf, &event, config, &no_room, &failure))
			return true;
		close_rings(perf);
		if (!no_room || perf->ring_bytes <= least)
			break;
		g_clear_error(&failure);
	}
	g_propagate_error(error, failure);
	return false;
}

/*
 * These ticks cannot be dithered.  A period that is a little off every round number at least keeps
 * them from standing still relative to the scheduler's tick and to work that repeats each
 * millisecond: they wander through it once in 162 ticks.
 */
static uint64_t grant_period(uint64_t period_ns)
{
	period_ns = period_ns ? MAX(period_ns, MIN_PERIOD_NS) : DEFAULT_PERIOD_NS;
	return period_ns + period_ns / 162;
}

/* Perf takes groups of either version. */
static bool is_control_group(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC);
}

/* Makes the rings, with the control group open meanwhile if there is one. */
static bool make_filtered_rings(struct perf *perf, const SptTraceConfig *config, uint64_t period_ns,
				GError **error)
{
	const char *path = config->filter.cgroup;
	int cgroup = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool ok = !path || cgroup >= 0;

	if (path && perf->reach != SPT_PERF_ALL) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			"Only root can restrict perf events to a control group: --cgroup needs the module here");
		ok = false;
	} else if (config->filter.n_uids) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Perf events cannot be restricted to users: --uid needs the module");
		ok = false;
	} else if (config->filter.only_kernel && perf->reach == SPT_PERF_OWN_CODE) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			"The kernel shows you only user mode (kernel.perf_event_paranoid): --kernel needs the module");
		ok = false;
	} else if (!ok) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot open the control group %s: %s", path, g_strerror(errno));
	} else if (path && !is_control_group(cgroup)) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s is not a control group of version 2; name a directory below /sys/fs/cgroup",
			path);
		ok = false;
	}
	ok = ok && make_rings(perf, config, cgroup, period_ns, error);
	if (cgroup >= 0)
		close(cgroup);
	return ok;
}

static bool perf_can(SptTrace *trace, const SptTraceConfig *config, GError **error)
{
	if (perf_of(trace)->door && !spt_perf_door_can(config, error))
		return false;
	if (config->clock != SPT_TRACE_PMU)
		return spt_perf_kernel_can(perf_of(trace), config, error);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "Hardware counters need the module: doctor says how to get it");
	return false;
}

static bool perf_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		       GError **error)
{
	struct perf *perf = perf_of(trace);
	uint64_t period_ns = grant_period(config->period_ns), start;

	if (config->clock == SPT_TRACE_PMU) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"Only the module can use hardware counters as the clock: load it, or use --clock timer");
		return false;
	}
	if (config->raw_bytes &&
	    (!spt_perf_raw_registers() || config->raw_bytes > SPT_TRACE_RAW_MAX_BYTES ||
	     config->raw_bytes % 8)) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot copy %u bytes of a stack on this machine: "
			      "use a multiple of 8 up to %u, on x86-64 or AArch64",
			      config->raw_bytes, SPT_TRACE_RAW_MAX_BYTES);
		return false;
	}
	if (perf->door && !spt_perf_door_can(config, error))
		return false;
	close_rings(perf);
	perf->config = *config;
	spt_perf_queue_limit(perf->queue,
			     config->reserved_bytes ? config->reserved_bytes : RESERVED_BYTES);
	/*
	 * Threads keep the copies that they have: threads that they started have their event
	 * already.
	 */
	perf->can_resize =
		config->raw_most_bytes && perf->reach == SPT_PERF_ALL && !config->filter.cgroup;
	if (!make_filtered_rings(perf, config, period_ns, error))
		return false;
	g_clear_pointer(&perf->records, spt_perf_records_free);
	spt_kallsyms_load(perf->kallsyms);
	perf->records = spt_perf_records_new(trace->n_cpus, spt_perf_max_frames(), perf->kallsyms);
	spt_perf_files_watch(files_of(perf));
	if (config->raw_bytes)
		spt_perf_records_expect_raw(perf->records);
	if (!spt_perf_open_waits(perf, error) || !spt_perf_open_points(perf, error) ||
	    !spt_perf_open_kernel(perf, error))
		return false;
	perf->is_stopped = false;
	perf->drained_time = perf->account_time = start = spt_clock_ns(CLOCK_MONOTONIC);
	for (unsigned cpu = 0; cpu < trace->n_cpus; cpu++) {
		if (perf->rings[cpu].fd < 0)
			continue;
		spt_perf_clock_start(spt_perf_records_clock(perf->records, cpu), period_ns,
				     spt_clock_ns(CLOCK_MONOTONIC));
		spt_perf_records_clock(perf->records, cpu)->is_of_threads =
			perf->reach != SPT_PERF_ALL;
		if (spt_perf_ring_switch(perf, cpu, true) < 0 ||
		    (perf->rings[cpu].ticks >= 0 &&
		     ioctl(perf->rings[cpu].ticks, PERF_EVENT_IOC_ENABLE, 0) < 0)) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
				      "Cannot start the perf events of CPU %u: %s", cpu,
				      g_strerror(errno));
			return false;
		}
	}
	for (unsigned i = trace->n_cpus; i < perf->n_rings; i++)
		if (perf->rings[i].fd >= 0)
			spt_perf_ring_switch(perf, i, true);
	for (unsigned i = 0; i < perf->others->len; i++)
		ioctl(g_array_index(perf->others, int, i), PERF_EVENT_IOC_ENABLE, 0);
	if (ret)
		*ret = (struct sysprof_start){ .size = sizeof(*ret),
					       .grid_start = start,
					       .period_ns = period_ns };
	return true;
}

static bool perf_stop(SptTrace *trace, GError **error)
{
	struct perf *perf = perf_of(trace);
	bool ok = true;

	for (unsigned cpu = 0; cpu < trace->n_cpus; cpu++) {
		struct ring *ring = &perf->rings[cpu];
		int disabled;

		if (ring->ticks >= 0)
			ioctl(ring->ticks, PERF_EVENT_IOC_DISABLE, 0);
		disabled = ring->fd < 0 ? 0 : spt_perf_ring_switch(perf, cpu, false);
		/* No tick comes after it: their account ends here. */
		ring->stop_time = spt_clock_ns(CLOCK_MONOTONIC);
		if (disabled == 0 || !ok)
			continue;
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot stop the perf events of CPU %u: %s", cpu, g_strerror(errno));
		ok = false;
	}
	for (unsigned i = 0; i < perf->others->len; i++)
		ioctl(g_array_index(perf->others, int, i), PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned i = trace->n_cpus; i < perf->n_rings; i++)
		if (perf->rings[i].fd >= 0)
			spt_perf_ring_switch(perf, i, false);
	perf->is_stopped = true;
	return ok;
}

static void perf_wait(SptTrace *trace, int timeout_ms)
{
	struct perf *perf = perf_of(trace);

	poll(perf->polls, perf->n_rings, MIN(timeout_ms, WAIT_MS));
	for (unsigned i = 0; i < perf->n_rings; i++)
		/* The event was removed for good, with its CPU. */
		if (perf->polls[i].revents & (POLLHUP | POLLERR))
			perf->polls[i].fd = -1;
}

/* Draining. */

static void perf_look_at(const struct perf_event_header *record, void *data)
{
	spt_perf_records_look(data, record);
}

/*
 * Notes the content of the rings; returns the time below which no more records are to be expected.
 */
static bool perf_collect(struct perf *perf, uint64_t *ret_safe, GError **error)
{
	unsigned ring;

	*ret_safe = spt_clock_ns(CLOCK_MONOTONIC) - HOLD_BACK_NS;
	spt_perf_files_read(files_of(perf), *ret_safe + HOLD_BACK_NS);
	if (spt_perf_queue_collect(perf->queue, perf_look_at, perf->records, &ring))
		return true;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "The perf events of CPU %u hold a record that cannot be right",
		      ring % perf->trace.n_cpus);
	return false;
}

static void get_account(struct perf *perf, unsigned cpu, struct sysprof_account *ret,
			uint64_t *ret_time)
{
	*ret_time = perf->is_stopped ? perf->rings[cpu].stop_time : perf->drained_time;
	spt_perf_clock_account(spt_perf_records_clock(perf->records, cpu), *ret_time, ret);
	/* Other activity of the CPU is not known. */
	if (perf->rings[cpu].is_left_out || perf->reach != SPT_PERF_ALL) {
		ret->excluded = ret->idle;
		ret->idle = 0;
	}
}

static void put_accounts(struct perf *perf, const struct spt_perf_sink *sink)
{
	for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++) {
		struct sysprof_account_record account = { 0 };
		struct spt_perf_who nobody = { .cpu = cpu };

		if (!perf->rings[cpu].page)
			continue;
		get_account(perf, cpu, &account.account, &nobody.time);
		account.record = spt_perf_record(SYSPROF_ACCOUNT, 0, sizeof(account), &nobody);
		sink->func(&account.record, sink->data);
	}
}

static bool perf_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct perf *perf = perf_of(trace);
	struct spt_perf_sink sink = { func, data };
	uint64_t safe;
	unsigned n, length;

	if (!perf_collect(perf, &safe, error))
		return false;
	length = spt_perf_queue_length(perf->queue);
	for (n = 0; n < length; n++) {
		const struct perf_event_header *record;
		uint64_t time;
		unsigned ring;

		/* While this takes long, there is room for new records. */
		if (n == TAKEN_AT_ONCE) {
			spt_perf_queue_drop(perf->queue, n);
			length -= n;
			n = 0;
		}
		record = spt_perf_queue_get(perf->queue, n, &time, &ring);
		if (!all && time >= safe)
			break;
		spt_perf_take(perf, ring, record, &sink);
	}
	spt_perf_queue_drop(perf->queue, n);
	perf->drained_time = MAX(perf->drained_time, safe);
	trace->drained_ns = perf->drained_time;
	spt_perf_limit_points(perf, safe);
	spt_perf_limit_kernel(perf, safe);
	spt_perf_tasks_flush_exits(spt_perf_records_tasks(perf->records),
				   all ? UINT64_MAX : safe - EXIT_DELAY_NS, &sink);
	if (all || safe > perf->account_time + ACCOUNT_NS) {
		perf->account_time = safe;
		put_accounts(perf, &sink);
		spt_perf_tell_waits(perf, MAX(perf->drained_time, safe), &sink);
		spt_perf_tell_kernel(perf, MAX(perf->drained_time, safe), &sink);
	}
	return !perf->door || spt_perf_door_lives(perf->door, error);
}

static bool perf_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			  GError **error)
{
	struct perf *perf = perf_of(trace);
	struct spt_perf_sink sink = { func, data };
	g_autoptr(SptPerfSnapshot) snapshot = spt_perf_snapshot_read(perf->proc_files, error);
	uint64_t safe;

	*ret_busy = 0;
	if (!snapshot || !perf_collect(perf, &safe, error))
		return false;
	for (unsigned i = 0; i < spt_perf_queue_length(perf->queue); i++) {
		uint64_t time;
		unsigned cpu;
		const struct perf_event_header *record =
			spt_perf_queue_get(perf->queue, i, &time, &cpu);

		if (record->type == PERF_RECORD_COMM)
			spt_perf_snapshot_renamed(snapshot, ((const uint32_t *)(record + 1))[0],
						  time,
						  record->misc & PERF_RECORD_MISC_COMM_EXEC);
	}
	spt_perf_snapshot_put(snapshot, perf->records, &sink);
	return true;
}

static bool perf_has_cpu(const SptTrace *trace, unsigned cpu)
{
	return cpu < trace->n_cpus && perf_of(trace)->rings[cpu].page;
}

static bool perf_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error)
{
	struct perf *perf = perf_of(trace);
	uint64_t time;

	*ret = (struct sysprof_stats){ .size = sizeof(*ret), .cpu = cpu };
	if (!perf_has_cpu(trace, cpu)) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "CPU %u is not recorded", cpu);
		return false;
	}
	get_account(perf, cpu, &ret->account, &time);
	ret->time = time;
	return true;
}

static bool perf_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error)
{
	struct perf *perf = perf_of(trace);
	g_autofree char *modules = NULL;

	(void)error;
	/* There are no records of modules being loaded and unloaded. */
	if (g_file_get_contents("/proc/modules", &modules, NULL, NULL) &&
	    g_strcmp0(modules, perf->modules)) {
		spt_kallsyms_set_stale(perf->kallsyms);
		g_free(perf->modules);
		perf->modules = g_steal_pointer(&modules);
	}
	for (unsigned i = 0; i < n; i++)
		spt_kallsyms_name(perf->kallsyms, &names[i]);
	return true;
}

/*
 * Events that copy so much take the place of those before, in the same rings.  Between the last
 * tick of one and the first of the next are up to two periods: less than one is missed for each
 * CPU, and counts as idle in its account.
 */
static bool perf_raw_request(SptTrace *trace, const char *comm, uint32_t bytes)
{
	struct perf *perf = perf_of(trace);
	g_autofree int *fds = g_new(int, trace->n_cpus);
	bool ok = !*comm && perf->can_resize;

	bytes = spt_perf_copy_bytes(perf, bytes, perf->ticks.period_ns);
	if (!ok || bytes == perf->ticks.copy_bytes)
		return ok;
	perf->ticks.copy_bytes = bytes;
	for (unsigned cpu = 0; cpu < trace->n_cpus; cpu++) {
		fds[cpu] = ok && perf->rings[cpu].ticks >= 0 ? open_ticks(perf, cpu, &perf->ticks) :
							       -1;
		ok &= fds[cpu] >= 0 || perf->rings[cpu].ticks < 0 || errno == ENODEV;
	}
	for (unsigned cpu = 0; cpu < trace->n_cpus; cpu++) {
		struct ring *ring = &perf->rings[cpu];

		if (fds[cpu] >= 0 && ok) {
			ioctl(ring->ticks, PERF_EVENT_IOC_DISABLE, 0);
			ioctl(fds[cpu], PERF_EVENT_IOC_ENABLE, 0);
			close(ring->ticks);
			ring->ticks = fds[cpu];
		} else if (fds[cpu] >= 0) {
			close(fds[cpu]);
		}
	}
	return ok;
}

/* Threads pass their events on to threads that they start: those events cannot be reached. */
static bool perf_slow_down(SptTrace *trace, unsigned part)
{
	struct perf *perf = perf_of(trace);
	uint64_t period_ns;

	if (perf->reach != SPT_PERF_ALL)
		return false;
	for (unsigned cpu = 0; cpu < trace->n_cpus; cpu++) {
		const struct ring *ring = &perf->rings[cpu];
		struct spt_perf_clock *clock = spt_perf_records_clock(perf->records, cpu);

		period_ns = part * clock->period_ns;
		if (ring->fd < 0 || ring->is_left_out ||
		    spt_perf_ring_period(perf, cpu, period_ns) < 0)
			continue;
		clock->stride = part;
		perf->ticks.period_ns = period_ns;
	}
	return true;
}

static bool perf_make_room(SptTrace *trace)
{
	struct perf *perf = perf_of(trace);

	return spt_perf_queue_make_room(perf->queue, perf_look_at, perf->records);
}

static int perf_map_fd(SptTrace *trace, uint32_t object)
{
	return spt_perf_objects_fd(spt_perf_records_objects(perf_of(trace)->records), object);
}

static bool perf_region_start(SptTrace *trace, uint32_t object, uint64_t *ret)
{
	return spt_perf_objects_region_start(spt_perf_records_objects(perf_of(trace)->records),
					     object, ret);
}

static const struct spt_trace_source perf_source = {
	.abilities = {
		.name = "perf",
		.reports_points = true,
		.reports_maps = true,
	},
	.clock = "cpu-clock",
	.records = {
		.free = perf_free,
		.can = perf_can,
		.start = perf_start,
		.stop = perf_stop,
		.wait = perf_wait,
		.drain = perf_drain,
		.snapshot = perf_snapshot,
		.has_cpu = perf_has_cpu,
		.stats = perf_stats,
		.make_room = perf_make_room,
	},
	.services = {
		.names = perf_names,
		.raw_request = perf_raw_request,
		.slow_down = perf_slow_down,
		.map_fd = perf_map_fd,
		.region_start = perf_region_start,
		.count = spt_perf_count_point,
		.limited = spt_perf_kernel_limited,
	},
};

/* @door opens the events, or is NULL: the kernel shows this user that much. */
static SptTrace *perf_new(SptPerfReach reach, SptPerfDoor *door)
{
	struct perf *perf = g_new0(struct perf, 1);

	perf->reach = reach;
	perf->door = door;
	perf->trace.lacks_copies = door;
	perf->trace.lacks_wait_stacks = perf->trace.only_user = reach == SPT_PERF_OWN_CODE;
	perf->trace.only_own = reach != SPT_PERF_ALL;
	perf->others = g_array_new(FALSE, FALSE, sizeof(int));
	perf->trace.source = &perf_source;
	perf->trace.n_cpus = spt_perf_possible_cpus();
	perf->page_bytes = sysconf(_SC_PAGESIZE);
	perf->n_rings = SPT_PERF_RINGS * perf->trace.n_cpus;
	perf->rings = g_new0(struct ring, perf->n_rings);
	perf->polls = g_new0(struct pollfd, perf->n_rings);
	for (unsigned i = 0; i < perf->n_rings; i++)
		perf->rings[i].fd = perf->rings[i].ticks = perf->polls[i].fd = -1;
	perf->queue = spt_perf_queue_new(perf->n_rings);
	g_file_get_contents("/proc/modules", &perf->modules, NULL, NULL);
	perf->proc_files = spt_proc_files_new("/proc");
	perf->kallsyms = door ? spt_kallsyms_new_file(spt_perf_door_kallsyms(door)) :
				spt_kallsyms_new("/proc/kallsyms");
	if (door)
		spt_proc_files_set_opener(perf->proc_files, spt_perf_door_open_file,
					  spt_perf_door_ref(door), spt_perf_door_unref);
	if (reach == SPT_PERF_OWN_CODE)
		perf->trace.notice = SPT_WORDS(
			"the kernel shows you only your own processes, and only in user mode "
			"(kernel.perf_event_paranoid); for the whole system run as root, or load the module: doctor says how");
	else if (reach == SPT_PERF_OWN)
		perf->trace.notice = SPT_WORDS(
			"the kernel shows you only your own processes (kernel.perf_event_paranoid); for the "
			"whole system run as root, or load the module: doctor says how");
	else if (!spt_kallsyms_is_readable(perf->kallsyms))
		perf->trace.notice = SPT_WORDS(
			"/proc/kallsyms hides the kernel's addresses from this user: what the kernel does is "
			"recorded without names");
	else if (door)
		perf->trace.notice = SPT_WORDS(
			"root's opener shows the whole system, as polkit allows: stacks are along frame pointers, "
			"since copies of them would be memory of others");
	return &perf->trace;
}

SptTrace *spt_perf_open(GError **error)
{
	/* Shows now whether it is possible at all, and not at the start. */
	int reach = spt_perf_reach();

	if (reach >= 0)
		return perf_new(reach, NULL);
	spt_perf_set_open_error(error, errno);
	return NULL;
}

SptTrace *spt_perf_open_system(GError **error)
{
	int reach = spt_perf_reach();
	SptPerfDoor *door;

	if (reach == SPT_PERF_ALL)
		return perf_new(reach, NULL);
	if (reach < 0 && errno != EACCES && errno != EPERM) {
		spt_perf_set_open_error(error, errno);
		return NULL;
	}
	door = spt_perf_door_open(error);
	return door ? perf_new(SPT_PERF_ALL, door) : NULL;
}
