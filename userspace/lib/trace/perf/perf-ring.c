/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of a CPU.  Their events are of this process, or of root's opener: then they write into
 * the rings that are mapped here, and are not to be had.
 */
#include "trace/perf/perf-private.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/words.h"

#define MLOCK_KB "/proc/sys/kernel/perf_event_mlock_kb"
#define LEAST_COPY_BYTES 4096
#define HELD_NS		 250000000ULL

static int ring_control(struct perf *perf, unsigned number, enum spt_door_what what, uint64_t value)
{
	return spt_perf_door_control(perf->door, what, number / perf->trace.n_cpus,
				     number % perf->trace.n_cpus, value);
}

bool spt_perf_map_ring(struct perf *perf, unsigned number, size_t bytes, bool *ret_no_room,
		       GError **error)
{
	struct ring *ring = &perf->rings[number];

	perf->polls[number] = (struct pollfd){ .fd = ring->fd, .events = POLLIN };
	ring->bytes = bytes;
	ring->page = mmap(NULL, perf->page_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	*ret_no_room = false;
	if (ring->page == MAP_FAILED) {
		ring->page = NULL;
		*ret_no_room = errno == EPERM || errno == ENOMEM;
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot map %zu bytes for the perf events of CPU %u: "
			      "%s; try a smaller --ring-bytes, or raise kernel.perf_event_mlock_kb",
			      bytes, number % perf->trace.n_cpus, g_strerror(errno));
		return false;
	}
	if (perf->door && ring_control(perf, number, SPT_DOOR_JOIN, 0) < 0) {
		spt_perf_set_open_error(error, errno);
		return false;
	}
	spt_perf_queue_add(perf->queue, number, ring->page, perf->page_bytes, bytes);
	return true;
}

int spt_perf_ring_switch(struct perf *perf, unsigned number, bool on)
{
	if (perf->door)
		return ring_control(perf, number, on ? SPT_DOOR_ENABLE : SPT_DOOR_DISABLE, 0);
	return ioctl(perf->rings[number].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
		     0);
}

int spt_perf_ring_period(struct perf *perf, unsigned cpu, uint64_t period_ns)
{
	const struct ring *ring = &perf->rings[cpu];

	if (perf->door)
		return ring_control(perf, cpu, SPT_DOOR_PERIOD, period_ns);
	return ioctl(ring->ticks >= 0 ? ring->ticks : ring->fd, PERF_EVENT_IOC_PERIOD, &period_ns);
}

uint32_t spt_perf_copy_bytes(const struct perf *perf, uint32_t wanted_bytes, uint64_t period_ns)
{
	uint64_t most = perf->ring_bytes * period_ns / HELD_NS / LEAST_COPY_BYTES;

	return MIN(wanted_bytes, (uint32_t)MAX(most, 1) * LEAST_COPY_BYTES);
}

/* What a user without privilege may lock: a part for each CPU, and the limit of the process. */
static uint64_t lockable_bytes(unsigned n_cpus)
{
	g_autofree char *text = NULL;
	struct rlimit limit;
	uint64_t bytes = 0;

	if (g_file_get_contents(MLOCK_KB, &text, NULL, NULL))
		bytes = g_ascii_strtoull(text, NULL, 10) * 1024 * n_cpus;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		bytes += MIN(limit.rlim_cur, 1ULL << 40);
	return bytes;
}

size_t spt_perf_lent_ring_bytes(const struct perf *perf, size_t most)
{
	unsigned n_rings = perf->trace.n_cpus * (perf->config.waits.is_on ? SPT_DOOR_KINDS : 1);
	uint64_t part = lockable_bytes(g_get_num_processors()) / n_rings;

	while (most > SPT_PERF_LEAST_RING_BYTES && most + perf->page_bytes > part)
		most /= 2;
	return most;
}
