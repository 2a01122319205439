/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points as perf events: those of a CPU share a ring, and the id in a sample says whose it is.
 * Each event also counts, whether its hits find room in the ring or not.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/words.h"
#include "trace/perf/perf-private.h"
#include "trace/perf/raw.h"
#include "trace/points/point.h"

/* Rings of a CPU, and of all of them; with copies of stacks, and for a user's own threads. */
#define RING_BYTES (4u << 20)
#define COPY_RING_BYTES (32u << 20)
#define RINGS_BYTES (128u << 20)
#define LEAST_RING_BYTES (1u << 20)
#define THREADS_RING_BYTES (256u << 10)
#define COPY_BYTES 4096u
#define LIMIT_NS   200000000u		/* how often the number of hits is looked at */

/* In a sample's registers of a call: the stack pointer, and what holds the result. */
#if defined(__x86_64__)
#define CALL_REGISTERS (1ULL << PERF_REG_X86_AX | 1ULL << PERF_REG_X86_SP)
#define ALL_REGISTERS  0xff01ffULL	/* ax to ip, r8 to r15 */
#elif defined(__aarch64__)
#define CALL_REGISTERS (1ULL << PERF_REG_ARM64_X0 | 1ULL << PERF_REG_ARM64_SP)
#define ALL_REGISTERS  0x1ffffffffULL
#else
#define CALL_REGISTERS 0ULL
#define ALL_REGISTERS  0ULL
#endif
#define N_CALL_REGISTERS 2		/* in this order: the result is first */
#define N_ALL_REGISTERS	 __builtin_popcountll(ALL_REGISTERS)

/* An event of a point on a CPU.  perf closes its descriptors. */
struct opened {
	int fd;
	/*
	 * Makes no samples, and goes on when the other one is stopped; -1: that one counts alone.
	 * A change of its period would not do: since 6.16 the kernel throttles the event then, and
	 * it counts nothing up to the next tick.
	 */
	int counter;
	unsigned point;
	bool is_return, is_of_thread;
	uint64_t taken;			/* its samples */
};

/* Of a probe: by whether it is the return.  NULL and 0: perf's own. */
struct named_events {
	SptNamedEvent *events[2];
	uint32_t ids[2];
};

struct SptPerfPoints {
	const GPtrArray *points;
	struct named_events *named;	/* by point */
	GArray *opened;			/* struct opened */
	GHashTable *by_id;		/* event's id -> index in opened + 1 */
	GByteArray *sample;		/* the one at hand, and its registers */
	uint64_t registers[SPT_POINT_REGISTERS];
	uint32_t copy_bytes;
	int cgroup;			/* -1: none */
	/* By point: hits since @since, and when the point began to be only counted, or 0. */
	uint64_t *taken, *only_counted_from;
	uint64_t since, lost_before;
};

void spt_perf_points_free(SptPerfPoints *points)
{
	if (!points)
		return;
	if (points->cgroup >= 0)
		close(points->cgroup);
	for (unsigned i = 0; i < 2 * points->points->len; i++)
		g_clear_pointer(&points->named[i / 2].events[i % 2], spt_named_event_free);
	g_free(points->named);
	g_array_unref(points->opened);
	g_hash_table_unref(points->by_id);
	g_byte_array_unref(points->sample);
	g_free(points->taken);
	g_free(points->only_counted_from);
	g_free(points);
}

/* The kernel's function, or the file and the place; @id: of an event of tracefs there, or 0. */
static void set_target(struct perf_event_attr *attr, const SptPoint *point, bool is_return,
		       uint32_t id)
{
	bool has_arguments = point->has_arguments && !point->begin;

	if (!point->target)
		return;
	if (id) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = id;
	} else {
		attr->config |= is_return;
		attr->kprobe_func = (uintptr_t)point->target;
		attr->probe_offset = point->offset;
	}
	if (!point->is_timed && !has_arguments)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_INTR;
	attr->sample_regs_intr = point->is_timed && (is_return || !has_arguments) ?
					 CALL_REGISTERS :
					 ALL_REGISTERS;
	if (!is_return)
		return;
	/* The call's stack is that of its begin. */
	attr->exclude_callchain_kernel = attr->exclude_callchain_user = 1;
	attr->sample_type &= ~(uint64_t)SPT_PERF_RAW_SAMPLE_TYPE;
	attr->sample_regs_user = attr->sample_stack_user = 0;
}

/* @ring_bytes 0: it makes no samples. */
static int points_open_event(const struct perf *perf, unsigned number, bool is_return,
			     unsigned cpu, int64_t thread, size_t ring_bytes)
{
	const SptPerfPoints *points = perf->points;
	const SptPoint *point = points->points->pdata[number];
	const SptTraceFilter *filter = &perf->config.filter;
	bool is_counted = point->type == SPT_POINT_SOFTWARE || point->type == SPT_POINT_HARDWARE;
	struct perf_event_attr attr = {
		.type = point->perf_type,
		.size = sizeof(attr),
		.config = point->config,
		.sample_period = point->period,
		.sample_type = SPT_PERF_SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW |
			       (points->copy_bytes ? SPT_PERF_RAW_SAMPLE_TYPE : 0),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.sample_regs_user = points->copy_bytes ? spt_perf_raw_registers() : 0,
		.sample_stack_user = points->copy_bytes,
		.disabled = 1,
		/* A probe's name would be read again, in the thread that forks. */
		.inherit = thread >= 0 && !point->target,
		/* A trace point is always in the kernel. */
		.exclude_kernel = is_counted && (filter->only_user || point->no_kernel ||
						 perf->reach == SPT_PERF_OWN_CODE),
		.exclude_user = is_counted && (filter->only_kernel || point->no_user),
		.precise_ip = point->precise,
		.exclude_callchain_user = perf->config.no_user,
		.exclude_callchain_kernel = filter->only_user,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(ring_bytes / 4),
	};

	set_target(&attr, point, is_return, points->named[number].ids[is_return]);
	if (!ring_bytes) {
		attr.sample_period = attr.sample_type = 0;
		attr.sample_regs_intr = attr.sample_regs_user = attr.sample_stack_user = 0;
	}
	return (int)syscall(SYS_perf_event_open, &attr,
			    thread >= 0 ? thread : points->cgroup, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC |
				    (points->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0));
}

static void set_refused(const SptPoint *point, int number, GError **error)
{
	switch (number) {
	case EACCES:
	case EPERM:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "This user may not record %s (%s): what it shows is of all users; run as root or with CAP_PERFMON",
			      point->name, g_strerror(number));
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "This machine does not count %s (%s): virtual machines often have no counters of the CPU; software events such as cpu-clock work everywhere",
			      point->name, g_strerror(number));
		break;
	case EMFILE:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot open an event on each CPU for all that --event names (%s): name fewer, or raise the limit with: ulimit -n",
			      g_strerror(number));
		break;
	default:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot record %s: %s", point->name, g_strerror(number));
	}
}

static bool points_set_filter(int fd, const SptPoint *point, GError **error)
{
	if (!point->filter || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, point->filter) == 0)
		return true;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "The kernel does not take the condition '%s' of %s: %s", point->filter,
		      point->name, g_strerror(errno));
	return false;
}

/* The first event of a CPU makes the ring. */
static bool keep_event(struct perf *perf, unsigned cpu, const struct opened *opened,
		       size_t ring_bytes, GError **error)
{
	const unsigned at = 4 * perf->trace.n_cpus + cpu;
	const SptPoint *point = perf->points->points->pdata[opened->point];
	struct ring *ring = &perf->rings[at];
	const int fd = opened->fd;
	bool no_room;
	uint64_t id;

	g_array_append_vals(perf->points->opened, opened, 1);
	if (perf->config.only_counts_points) {
		g_array_append_val(perf->others, fd);
		return points_set_filter(fd, point, error);
	}
	if (opened->counter >= 0) {
		g_array_append_val(perf->others, opened->counter);
		if (!points_set_filter(opened->counter, point, error))
			return false;
	}
	if (ring->fd < 0) {
		ring->fd = fd;
		if (!spt_perf_map_ring(perf, at, ring_bytes, &no_room, error))
			return false;
		spt_perf_queue_expect_ids(perf->queue, at);
	} else {
		g_array_append_val(perf->others, fd);
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) {
			set_refused(point, errno, error);
			return false;
		}
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0) {
		set_refused(point, errno, error);
		return false;
	}
	g_hash_table_insert(perf->points->by_id, GSIZE_TO_POINTER(id),
			    GUINT_TO_POINTER(perf->points->opened->len));
	return points_set_filter(fd, point, error);
}

/* Each hit makes a sample. */
static bool takes_each(const SptPoint *point)
{
	return point->period == 1;
}

static bool is_refused(int number)
{
	return number == EACCES || number == EPERM;
}

/* False, with errno: there is neither. */
static bool open_counter(const struct perf *perf, struct opened *opened, unsigned cpu,
			 int64_t thread)
{
	int number;

	if (opened->is_return || !takes_each(perf->points->points->pdata[opened->point]))
		return true;
	opened->counter = points_open_event(perf, opened->point, false, cpu, thread, 0);
	if (opened->counter >= 0)
		return true;
	number = errno;
	close(opened->fd);
	errno = number;
	return false;
}

/*
 * Threads may have ended meanwhile, or may be closed to their user; CPUs may be offline.  A call's
 * return is opened first: a return without a call is nothing, a call without a return has not
 * ended.
 */
static bool open_point(struct perf *perf, unsigned cpu, unsigned number, int64_t thread,
		       size_t ring_bytes, GError **error)
{
	const SptPoint *point = perf->points->points->pdata[number];
	const bool only_counts = perf->config.only_counts_points;

	for (int is_return = point->is_timed && !only_counts; is_return >= 0; is_return--) {
		struct opened opened = {
			.fd = points_open_event(perf, number, is_return, cpu, thread,
						only_counts ? 0 : ring_bytes),
			.counter = -1,
			.point = number,
			.is_return = is_return,
			.is_of_thread = thread >= 0,
		};

		if (opened.fd >= 0 &&
		    (only_counts || open_counter(perf, &opened, cpu, thread))) {
			if (!keep_event(perf, cpu, &opened, ring_bytes, error))
				return false;
			continue;
		}
		if (errno == ESRCH || (errno == ENODEV && perf->rings[cpu].fd < 0) ||
		    (thread >= 0 && is_refused(errno)))
			return true;
		set_refused(point, errno, error);
		return false;
	}
	return true;
}

static size_t ring_bytes_of(const struct perf *perf)
{
	size_t bytes = perf->points->copy_bytes ? COPY_RING_BYTES : RING_BYTES;

	if (perf->reach != SPT_PERF_ALL)
		return THREADS_RING_BYTES;
	while (bytes > LEAST_RING_BYTES && bytes * perf->trace.n_cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

/* @thread -1: the points that are of all threads. */
static bool open_everywhere(struct perf *perf, int64_t thread, bool are_targets, GError **error)
{
	const size_t ring_bytes = ring_bytes_of(perf);
	const GPtrArray *points = perf->points->points;

	for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++)
		for (unsigned i = 0; i < points->len; i++) {
			bool is_target = ((const SptPoint *)points->pdata[i])->target;

			if (is_target == are_targets &&
			    spt_perf_wants_cpu(&perf->config.filter, cpu) &&
			    !open_point(perf, cpu, i, thread, ring_bytes, error))
				return false;
		}
	return true;
}

static bool open_of_own_threads(struct perf *perf, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	spt_perf_own_threads(&perf->config.filter, known, threads);
	for (unsigned i = 0; i < threads->len; i++)
		if (!open_everywhere(perf, g_array_index(threads, uint32_t, i), false, error))
			return false;
	if (perf->points->opened->len)
		return true;
	set_refused(perf->points->points->pdata[0], EACCES, error);
	return false;
}

/*
 * perf's own probes are one for each CPU and event, all of which a hit runs through, and each makes
 * the kernel wait when it is closed.  Where there is tracefs, one of its events is for all CPUs.
 */
static void name_probes(struct perf *perf)
{
	SptPerfPoints *points = perf->points;

	for (unsigned i = 0; i < points->points->len; i++) {
		const SptPoint *point = points->points->pdata[i];
		struct named_events *named = &points->named[i];
		g_autofree char *place = point->target ? spt_point_place(point) : NULL;

		named->ids[false] = point->begin ? point->begin_id : 0;
		if (place && !point->begin)
			named->events[false] =
				spt_named_event_bare(place, false, &named->ids[false]);
		if (place && point->is_timed && !perf->config.only_counts_points)
			named->events[true] = spt_named_event_bare(place, true, &named->ids[true]);
	}
}

bool spt_perf_open_points(struct perf *perf, GError **error)
{
	const SptTraceFilter *filter = &perf->config.filter;
	SptPerfPoints *points;

	g_clear_pointer(&perf->points, spt_perf_points_free);
	if (!perf->config.points)
		return true;
	perf->points = points = g_new0(SptPerfPoints, 1);
	points->points = perf->config.points;
	points->named = g_new0(struct named_events, points->points->len);
	points->opened = g_array_new(FALSE, FALSE, sizeof(struct opened));
	points->by_id = g_hash_table_new(NULL, NULL);
	points->sample = g_byte_array_new();
	points->taken = g_new0(uint64_t, points->points->len);
	points->only_counted_from = g_new0(uint64_t, points->points->len);
	points->copy_bytes = MIN(perf->config.raw_bytes, COPY_BYTES);
	points->cgroup = filter->cgroup ?
				 open(filter->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
				 -1;
	name_probes(perf);
	/* Probes are in code that all threads run. */
	if (!open_everywhere(perf, -1, true, error))
		return false;
	if (perf->reach == SPT_PERF_ALL && !filter->n_pids)
		return open_everywhere(perf, -1, false, error);
	return open_of_own_threads(perf, error);
}

/*
 * Cuts @n registers off the end of a sample and copies them to @ret.  False: the kernel had none.
 */
static bool take_registers(GByteArray *sample, unsigned n, uint64_t *ret)
{
	struct perf_event_header *header = (void *)sample->data;
	size_t bytes = (1 + n) * sizeof(uint64_t);
	uint64_t abi;

	if (sample->len < sizeof(*header) + bytes)
		return false;
	memcpy(&abi, sample->data + sample->len - bytes, sizeof(abi));
	if (abi == PERF_SAMPLE_REGS_ABI_NONE || abi > PERF_SAMPLE_REGS_ABI_64)
		return false;
	memcpy(ret, sample->data + sample->len - n * sizeof(uint64_t), n * sizeof(uint64_t));
	header->size -= (uint16_t)bytes;
	return true;
}

static void take_arguments(SptPerfPoints *points, SptTraceHit *hit)
{
	uint64_t found[SPT_POINT_REGISTERS];

	if (!take_registers(points->sample, (unsigned)N_ALL_REGISTERS, found))
		return;
	for (unsigned i = 0, next = 0; i < SPT_POINT_REGISTERS; i++)
		points->registers[i] = ALL_REGISTERS >> i & 1 ? found[next++] : 0;
	hit->registers = points->registers;
}

static void points_take_call(SptPerfPoints *points, const struct opened *opened,
			     bool has_arguments, SptTraceHit *hit)
{
	uint64_t registers[N_CALL_REGISTERS];

	hit->phase = opened->is_return ? SPT_TRACE_HIT_RETURN : SPT_TRACE_HIT_CALL;
	if (has_arguments && !opened->is_return) {
		take_arguments(points, hit);
		hit->sp = hit->registers ? hit->registers[SPT_POINT_SP] : 0;
		return;
	}
	if (!take_registers(points->sample, N_CALL_REGISTERS, registers))
		return;
	hit->returned = (int64_t)registers[0];
	hit->sp = registers[1];
}

/* The one with most hits goes on being counted, and makes no samples. */
static void only_count_busiest(SptPerfPoints *points, uint64_t now)
{
	unsigned busiest = 0;

	for (unsigned i = 1; i < points->points->len; i++)
		if (points->taken[i] > points->taken[busiest])
			busiest = i;
	if (points->only_counted_from[busiest])
		return;
	points->only_counted_from[busiest] = now;
	for (unsigned i = 0; i < points->opened->len; i++) {
		const struct opened *opened = &g_array_index(points->opened, struct opened, i);

		if (opened->point == busiest)
			ioctl(opened->fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

void spt_perf_limit_points(struct perf *perf, uint64_t now)
{
	SptPerfPoints *points = perf->points;
	uint64_t hits, most;

	if (!points || now - points->since < LIMIT_NS)
		return;
	hits = perf->trace.hits_lost - points->lost_before;
	for (unsigned i = 0; i < points->points->len; i++)
		hits += points->taken[i];
	most = (uint64_t)SPT_TRACE_MOST_HITS * g_get_num_processors() * (now - points->since) /
	       1000000000u;
	if (points->since && hits > most)
		only_count_busiest(points, now);
	memset(points->taken, 0, points->points->len * sizeof(*points->taken));
	points->since = now;
	points->lost_before = perf->trace.hits_lost;
}

void spt_perf_take_point(struct perf *perf, unsigned cpu, const struct perf_event_header *record,
			 const struct spt_perf_sink *sink)
{
	SptPerfPoints *points = perf->points;
	SptTraceHit hit = { 0 };
	struct spt_perf_who who;
	struct opened *opened;
	const SptPoint *point;
	unsigned number;

	if (record->type == PERF_RECORD_LOST)
		perf->trace.hits_lost += spt_perf_record_lost(record);
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	number = GPOINTER_TO_UINT(g_hash_table_lookup(
		points->by_id, GSIZE_TO_POINTER(spt_perf_sample_id(record))));
	if (!number)
		return;
	opened = &g_array_index(points->opened, struct opened, number - 1);
	spt_perf_sample_without_id(record, points->sample);
	point = points->points->pdata[opened->point];
	points->taken[opened->point]++;
	opened->taken++;
	if (point->is_timed)
		points_take_call(points, opened, point->has_arguments && !point->begin, &hit);
	else if (point->has_arguments && !point->begin)
		take_arguments(points, &hit);
	record = (const void *)points->sample->data;
	who = spt_perf_sample_who(record, cpu);
	hit.stack = spt_perf_records_stack(perf->records, record, &who, sink);
	hit.data = spt_perf_sample_raw(record, &hit.bytes);
	hit.record = spt_perf_record(SPT_TRACE_HIT, hit.stack->record.flags, sizeof(hit), &who);
	hit.point = opened->point;
	hit.mm = hit.stack->mm;
	sink->func(&hit.record, sink->data);
}

bool spt_perf_count_point(SptTrace *trace, unsigned point, SptTraceCount *ret)
{
	const struct perf *perf = (const struct perf *)trace;
	const SptPerfPoints *points = perf->points;
	struct {
		uint64_t count, enabled, running;
	} got, all;

	*ret = (SptTraceCount){ 0 };
	if (!points)
		return false;
	ret->only_counted_from = points->only_counted_from[point];
	for (unsigned i = 0; i < points->opened->len; i++) {
		const struct opened *opened = &g_array_index(points->opened, struct opened, i);

		if (opened->point != point || read(opened->fd, &got, sizeof(got)) != sizeof(got))
			continue;
		/* A ring that stays full to the end has no record of what it lost. */
		if (takes_each(points->points->pdata[point]) && !perf->config.only_counts_points)
			ret->lost += got.count - MIN(got.count, opened->taken);
		if (opened->is_return)
			continue;
		all = got;
		if (ret->only_counted_from && opened->counter >= 0 &&
		    read(opened->counter, &all, sizeof(all)) != sizeof(all))
			continue;
		ret->count += all.count;
		ret->enabled_ns += all.enabled;
		/* That of a thread counts on one of the CPUs at a time. */
		ret->running_ns += opened->is_of_thread ? all.enabled : all.running;
	}
	return true;
}
