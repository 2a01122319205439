/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens what is asked for, of a closed set: there is no attribute of an event that the other end
 * could name, and no copies of stacks, which are memory of others.
 */
#include "perf-serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "trace/perf/attr.h"
#include "trace/perf/opener-protocol.h"
#include "trace/perf/tracepoints.h"

#define CPUS_MAX 8192

/* Descriptors plus one; 0: there is none. */
struct door_ring {
	int out;			/* what the other end maps */
	int event;			/* what writes into it */
};

static struct door_ring rings[SPT_DOOR_KINDS][CPUS_MAX];

static void door_close(int *file)
{
	if (*file)
		close(*file - 1);
	*file = 0;
}

static void door_close_all(void)
{
	for (unsigned kind = 0; kind < SPT_DOOR_KINDS; kind++) {
		for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
			door_close(&rings[kind][cpu].event);
			door_close(&rings[kind][cpu].out);
		}
	}
}

static int door_open_event(struct perf_event_attr *attr, unsigned cpu, int cgroup)
{
	return (int)syscall(SYS_perf_event_open, attr, cgroup, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC | (cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0));
}

/* An event that never counts: its holder can learn nothing from it. */
static int open_out(const struct spt_door_request *request)
{
	struct spt_perf_switches nothing = { .is_switches = true,
					     .watermark_bytes = request->watermark_bytes,
					     .thread = -1 };
	struct perf_event_attr attr;

	spt_perf_attr_of_switches(&attr, &nothing, 0);
	attr.context_switch = 0;
	return door_open_event(&attr, request->cpu, -1);
}

static int door_open_ticks(const struct spt_door_request *request, int cgroup)
{
	const struct spt_perf_event event = { .part = SPT_PERF_WHOLE,
					      .period_ns = request->number,
					      .watermark_bytes = request->watermark_bytes,
					      .thread = -1 };
	const struct spt_perf_view view = {
		.is_wanted = request->flags & SPT_DOOR_WANTED,
		.only_user = request->flags & SPT_DOOR_ONLY_USER,
		.only_kernel = request->flags & SPT_DOOR_ONLY_KERNEL,
		.no_user = request->flags & SPT_DOOR_NO_USER,
	};
	struct perf_event_attr attr;

	spt_perf_attr_of_event(&attr, &event, &view);
	return door_open_event(&attr, request->cpu, cgroup);
}

static int door_open_waits(const struct spt_door_request *request)
{
	struct spt_perf_switches event = { .is_switches = request->kind == SPT_DOOR_SWITCHES,
					   .watermark_bytes = request->watermark_bytes,
					   .thread = -1 };
	struct spt_perf_tracepoints points;
	struct perf_event_attr attr;

	spt_perf_tracepoints_read(SPT_PERF_SCHEDULER_EVENTS, &points);
	if (request->kind == SPT_DOOR_WAKINGS && !points.waking_id) {
		errno = ENOENT;
		return -1;
	}
	if (request->kind == SPT_DOOR_WAKINGS)
		event.point = points.waking_id;
	else if (request->kind == SPT_DOOR_STACKS)
		event.point = points.switch_id;
	spt_perf_attr_of_switches(&attr, &event, 0);
	return door_open_event(&attr, request->cpu, -1);
}

/* Returns what to send, which stays open here, or -1 with errno. */
static int door_open_ring(const struct spt_door_request *request, int cgroup)
{
	struct door_ring *ring = &rings[request->kind][request->cpu];
	bool is_ticks = request->kind == SPT_DOOR_TICKS;

	door_close(&ring->event);
	door_close(&ring->out);
	if (is_ticks && (request->number < SPT_DOOR_LEAST_NS ||
			 request->number > SPT_DOOR_MOST_NS || request->flags & ~SPT_DOOR_FLAGS)) {
		errno = EINVAL;
		return -1;
	}
	ring->event = 1 + (is_ticks ? door_open_ticks(request, cgroup) : door_open_waits(request));
	if (!ring->event)
		return -1;
	ring->out = 1 + open_out(request);
	return ring->out - 1;
}

static bool door_control(const struct spt_door_request *request)
{
	const struct door_ring *ring = &rings[request->kind][request->cpu];
	uint64_t period_ns = request->number;
	int event = ring->event - 1;

	if (!ring->event || !ring->out) {
		errno = EBADF;
		return false;
	}
	switch (request->what) {
	case SPT_DOOR_JOIN:
		return ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->out - 1) == 0;
	case SPT_DOOR_ENABLE:
		return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) == 0;
	case SPT_DOOR_DISABLE:
		return ioctl(event, PERF_EVENT_IOC_DISABLE, 0) == 0;
	default:
		if (request->kind == SPT_DOOR_TICKS && period_ns >= SPT_DOOR_LEAST_NS &&
		    period_ns <= SPT_DOOR_MOST_NS)
			return ioctl(event, PERF_EVENT_IOC_PERIOD, &period_ns) == 0;
		errno = EINVAL;
		return false;
	}
}

static int door_open_maps(uint64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/maps", (unsigned)pid);
	if (pid && pid == (unsigned)pid)
		return open(path, O_RDONLY | O_CLOEXEC);
	errno = EINVAL;
	return -1;
}

/* Does not wait: who asks and does not read the answer is not served. */
static bool door_send_answer(int channel, const struct spt_door_answer *answer, int file)
{
	return spt_send_descriptor(channel, answer, sizeof(*answer), file, MSG_DONTWAIT) ==
	       (ssize_t)sizeof(*answer);
}

/* An answer with @file, which is closed if it is not @is_kept. */
static bool door_send(int channel, int file, bool is_kept)
{
	const struct spt_door_answer answer = { .number = file < 0 ? errno : 0 };
	bool ok = door_send_answer(channel, &answer, file);

	if (file >= 0 && !is_kept)
		close(file);
	return ok;
}

static bool door_take(int channel, const struct spt_door_request *request, int cgroup)
{
	struct spt_door_answer answer = { 0 };

	switch (request->what) {
	case SPT_DOOR_BEGIN:
		door_close_all();
		break;
	case SPT_DOOR_RING:
		return door_send(channel, door_open_ring(request, cgroup), true);
	case SPT_DOOR_KALLSYMS:
		return door_send(channel, open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), false);
	case SPT_DOOR_MAPS:
		return door_send(channel, door_open_maps(request->number), false);
	case SPT_DOOR_TRACEPOINTS:
		spt_perf_tracepoints_read(SPT_PERF_SCHEDULER_EVENTS, &answer.points);
		break;
	default:
		answer.number = door_control(request) ? 0 : errno;
	}
	return door_send_answer(channel, &answer, -1);
}

static bool door_makes_sense(const struct spt_door_request *request)
{
	return request->what <= SPT_DOOR_TRACEPOINTS && request->kind < SPT_DOOR_KINDS &&
	       request->cpu < CPUS_MAX && !request->reserved;
}

bool spt_door_serve(int channel)
{
	struct spt_door_request request;
	int cgroup;
	ssize_t n = spt_receive_descriptor(channel, &request, sizeof(request), &cgroup);
	bool ok = n == (ssize_t)sizeof(request) && door_makes_sense(&request) &&
		  door_take(channel, &request, cgroup);

	if (cgroup >= 0)
		close(cgroup);
	return ok;
}

void spt_door_refuse(int channel, int number)
{
	const struct spt_door_answer answer = { .number = number };

	door_send_answer(channel, &answer, -1);
}
