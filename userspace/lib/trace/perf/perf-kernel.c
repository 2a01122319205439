/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own work by perf events: trace points, and the counters of page faults, become the
 * EVENT records that the module sends (sysprof-event.h).  Where a trace point reports only a begin
 * or an end, the two are paired.  Trace points name no holder of a lock, no file of a request to a
 * disk, and no stretch with interrupts off.
 *
 * The events of the hooks: those of a CPU share a ring, and the id in a sample says whose it is.
 * Each also counts, whether its hits find room in the ring or not: that is how losses are known.
 */
#include "trace/perf/perf-private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "trace/perf/kernel-points.h"
#include "trace/perf/raw.h"

/* Rings of a CPU, and of all of them; with copies of stacks, and for a user's own threads. */
#define RING_BYTES (8u << 20)
#define COPY_RING_BYTES (32u << 20)
#define RINGS_BYTES (128u << 20)
#define LEAST_RING_BYTES (1u << 20)
#define THREADS_RING_BYTES (256u << 10)
#define COPY_BYTES 4096u
#define LIMIT_NS   200000000u		/* how often the number of hits is looked at */
/* What a hit costs: with its stack as frames, and with a copy of it. */
#define STACK_COST 4
#define COPY_COST  16
#define LOOKS_OVER 5			/* so often too much, and what cannot be thinned stops */
#define THINNER	   4			/* a period is raised by this */
#define MOST_PERIOD (1u << 20)
/* PERF_FORMAT_LOST, since Linux 6.0. */
#define FORMAT_LOST (1u << 4)

/* An event of a hook on a CPU. */
struct hooked {
	int fd;				/* perf closes it */
	unsigned point, cpu;
	uint64_t samples, weight;	/* taken, and hits that they represent */
	uint64_t only_counted;		/* hits when it was stopped */
	bool is_stopped;
};

struct SptPerfKernel {
	SptKernelState *state;
	GPtrArray *points;		/* struct spt_kernel_point */
	GArray *hooked;			/* struct hooked */
	GHashTable *by_id;		/* event's id -> index in hooked + 1 */
	GByteArray *sample;		/* the one at hand */
	uint32_t copy_bytes;
	int cgroup;			/* -1: none */
	bool tells_lost;		/* the kernel counts lost samples by event */
	bool is_inherited;		/* events are of threads and what they start */
	bool is_reported;		/* the accounts at the end */
	uint64_t since, lost, lost_before;
	unsigned n_over;		/* looks in a row that found too much */
};

void spt_perf_kernel_free(SptPerfKernel *kernel)
{
	if (!kernel)
		return;
	if (kernel->cgroup >= 0)
		close(kernel->cgroup);
	spt_kernel_state_free(kernel->state);
	g_ptr_array_unref(kernel->points);
	g_array_unref(kernel->hooked);
	g_hash_table_unref(kernel->by_id);
	g_byte_array_unref(kernel->sample);
	g_free(kernel);
}

/* Opening. */

static int kernel_open_event(const struct perf *perf, const struct spt_kernel_point *point,
			     unsigned cpu, int64_t thread, size_t ring_bytes)
{
	const SptPerfKernel *kernel = perf->kernel;
	const SptTraceFilter *filter = &perf->config.filter;
	bool has_stack = point->hook->flags & SPT_HOOK_STACK,
	     is_counted = point->point->type == SPT_POINT_SOFTWARE;
	uint32_t copy_bytes = has_stack ? kernel->copy_bytes : 0;
	int cgroup = point->hook->flags & SPT_HOOK_ANYONE ? -1 : kernel->cgroup;
	struct perf_event_attr attr = {
		.type = point->point->perf_type,
		.size = sizeof(attr),
		.config = point->point->config,
		.sample_period = point->period,
		.sample_type = SPT_PERF_SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW |
			       (copy_bytes ? SPT_PERF_RAW_SAMPLE_TYPE : 0),
		.read_format = kernel->tells_lost ? FORMAT_LOST : 0,
		.sample_regs_user = copy_bytes ? spt_perf_raw_registers() : 0,
		.sample_stack_user = copy_bytes,
		.disabled = 1,
		.inherit = thread >= 0,
		/* A trace point is always in the kernel. */
		.exclude_kernel = is_counted &&
				  (filter->only_user || perf->reach == SPT_PERF_OWN_CODE),
		.exclude_user = is_counted && filter->only_kernel,
		.exclude_callchain_user = !has_stack || perf->config.no_user,
		.exclude_callchain_kernel = !has_stack || filter->only_user,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(ring_bytes / 4),
	};

	return (int)syscall(SYS_perf_event_open, &attr, thread >= 0 ? thread : cgroup, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC | (cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0));
}

static void kernel_set_refused(const struct spt_kernel_point *point, int number, GError **error)
{
	const char *name = point->hook->name,
		   *flag = spt_event_kind_of(point->hook->kind)->option->flag;

	if (number == EACCES || number == EPERM)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "This user may not record %s, which %s needs (%s): run as root or with CAP_PERFMON, or load the module",
			      name, flag, g_strerror(number));
	else if (number == EMFILE)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot open %s on each CPU, which %s needs (%s): raise the limit with: ulimit -n",
			      name, flag, g_strerror(number));
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot record %s, which %s needs: %s", name, flag,
			      g_strerror(number));
}

/* The first event of a CPU makes the ring. */
static bool kernel_keep_event(struct perf *perf, const struct hooked *hooked, size_t ring_bytes,
			      GError **error)
{
	const unsigned at = SPT_PERF_KERNEL_RINGS * perf->trace.n_cpus + hooked->cpu;
	const struct spt_kernel_point *point = perf->kernel->points->pdata[hooked->point];
	const char *filter = point->point->filter;
	struct ring *ring = &perf->rings[at];
	const int fd = hooked->fd;
	bool no_room;
	uint64_t id;

	g_array_append_vals(perf->kernel->hooked, hooked, 1);
	if (ring->fd < 0) {
		ring->fd = fd;
		if (!spt_perf_map_ring(perf, at, ring_bytes, &no_room, error))
			return false;
		spt_perf_queue_expect_ids(perf->queue, at);
	} else {
		g_array_append_val(perf->others, fd);
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) {
			kernel_set_refused(point, errno, error);
			return false;
		}
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0 ||
	    (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0)) {
		kernel_set_refused(point, errno, error);
		return false;
	}
	g_hash_table_insert(perf->kernel->by_id, GSIZE_TO_POINTER(id),
			    GUINT_TO_POINTER(perf->kernel->hooked->len));
	return true;
}

static size_t kernel_ring_bytes(const struct perf *perf)
{
	size_t bytes = perf->kernel->copy_bytes ? COPY_RING_BYTES : RING_BYTES;

	if (perf->reach != SPT_PERF_ALL)
		return THREADS_RING_BYTES;
	while (bytes > LEAST_RING_BYTES && bytes * perf->trace.n_cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

/* Threads may have ended meanwhile, or may be closed to their user; CPUs may be offline. */
static bool kernel_open_point(struct perf *perf, unsigned number, unsigned cpu, int64_t thread,
			      GError **error)
{
	const struct spt_kernel_point *point = perf->kernel->points->pdata[number];
	const size_t ring_bytes = kernel_ring_bytes(perf);
	struct hooked hooked = { .point = number, .cpu = cpu };

	hooked.fd = kernel_open_event(perf, point, cpu, thread, ring_bytes);
	if (hooked.fd < 0 && errno == EINVAL && perf->kernel->tells_lost) {
		perf->kernel->tells_lost = false;
		hooked.fd = kernel_open_event(perf, point, cpu, thread, ring_bytes);
	}
	if (hooked.fd >= 0)
		return kernel_keep_event(perf, &hooked, ring_bytes, error);
	if (errno == ESRCH || (errno == ENODEV && perf->rings[cpu].fd < 0) ||
	    (thread >= 0 && (errno == EACCES || errno == EPERM)))
		return true;
	kernel_set_refused(point, errno, error);
	return false;
}

/* Hooks of ends on all CPUs come before hooks of begins on any: so they are enabled, too. */
static bool kernel_open_points(struct perf *perf, const GArray *threads, GError **error)
{
	for (unsigned i = 0; i < perf->kernel->points->len; i++)
		for (unsigned cpu = 0; cpu < perf->trace.n_cpus; cpu++) {
			if (!threads && !kernel_open_point(perf, i, cpu, -1, error))
				return false;
			for (unsigned k = 0; threads && k < threads->len; k++)
				if (!kernel_open_point(perf, i, cpu,
						       g_array_index(threads, uint32_t, k), error))
					return false;
		}
	return true;
}

static SptPerfKernel *kernel_new(struct perf *perf, GPtrArray *points)
{
	SptPerfKernel *kernel = g_new0(SptPerfKernel, 1);
	const char *cgroup = perf->config.filter.cgroup;

	kernel->points = points;
	kernel->hooked = g_array_new(FALSE, FALSE, sizeof(struct hooked));
	kernel->by_id = g_hash_table_new(NULL, NULL);
	kernel->sample = g_byte_array_new();
	kernel->state =
		spt_kernel_state_new(perf->records, perf->kallsyms, &perf->config.filter);
	kernel->copy_bytes = MIN(perf->config.raw_bytes, COPY_BYTES);
	kernel->cgroup = cgroup ? open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	kernel->tells_lost = true;
	return kernel;
}

/* The notice of before, and what is not recorded. */
static void kernel_add_notice(struct perf *perf, const char *left_out)
{
	g_autofree char *both = perf->trace.notice ?
					g_strconcat(perf->trace.notice, "; ", left_out, NULL) :
					g_strdup(left_out);

	/* Of a session before. */
	if (perf->trace.notice && strstr(perf->trace.notice, left_out))
		return;
	/* A notice lives longer than its session. */
	perf->trace.notice = g_intern_string(both);
}

bool spt_perf_open_kernel(struct perf *perf, GError **error)
{
	bool is_of_threads = perf->reach != SPT_PERF_ALL;
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) threads = NULL;
	g_autofree char *left_out = NULL;
	GPtrArray *points;

	g_clear_pointer(&perf->kernel, spt_perf_kernel_free);
	if (!perf->config.kernel)
		return true;
	points = spt_kernel_points_of(&perf->config, is_of_threads, &left_out, error);
	if (!points)
		return false;
	if (left_out)
		kernel_add_notice(perf, left_out);
	for (unsigned i = 0; i < points->len; i++) {
		const struct spt_kernel_point *point = points->pdata[i];
		bool is_weighed = point->hook->flags & SPT_HOOK_THINS &&
				  point->hook->kind != SYSPROF_SOURCE_FAULT;

		perf->trace.events[SPT_TRACE_KERNEL + point->hook->kind] = (SptTraceEvents){
			.kind = point->hook->kind, .period = is_weighed
		};
	}
	perf->kernel = kernel_new(perf, points);
	perf->kernel->is_inherited = is_of_threads;
	if (is_of_threads) {
		threads = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		spt_perf_own_threads(&perf->config.filter, known, threads);
	}
	return kernel_open_points(perf, threads, error);
}

bool spt_perf_kernel_can(struct perf *perf, const SptTraceConfig *config, GError **error)
{
	g_autofree char *left_out = NULL;
	GPtrArray *points;
	bool ok = true;

	if (!config->kernel)
		return true;
	points = spt_kernel_points_of(config, perf->reach != SPT_PERF_ALL, &left_out, error);
	for (unsigned i = 0; points && ok && i < points->len; i++) {
		const struct spt_kernel_point *point = points->pdata[i];
		struct perf probe = { .reach = perf->reach, .config = *config };
		SptPerfKernel kernel = { .cgroup = -1 };
		int fd;

		/* One of them is enough: what the kernel refuses it refuses for all. */
		if ((point->hook->flags & (SPT_HOOK_COUNTS | SPT_HOOK_OPTIONAL)) != SPT_HOOK_COUNTS)
			continue;
		probe.kernel = &kernel;
		fd = kernel_open_event(&probe, point, 0,
				       perf->reach == SPT_PERF_ALL ? -1 : getpid(), RING_BYTES);
		ok = fd >= 0 || errno == ENODEV;
		if (!ok)
			kernel_set_refused(point, errno, error);
		if (fd >= 0)
			close(fd);
		break;
	}
	if (!points)
		return false;
	g_ptr_array_unref(points);
	return ok;
}

/* Taking. */

void spt_perf_take_kernel(struct perf *perf, unsigned cpu, const struct perf_event_header *record,
			  const struct spt_perf_sink *sink)
{
	SptPerfKernel *kernel = perf->kernel;
	struct spt_kernel_hit hit = { .sink = sink };
	struct spt_kernel_point *point;
	struct hooked *hooked;
	unsigned number;

	if (record->type == PERF_RECORD_LOST) {
		kernel->lost += spt_perf_record_lost(record);
		kernel->state->has_lost = true;
	}
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	number = GPOINTER_TO_UINT(g_hash_table_lookup(
		kernel->by_id, GSIZE_TO_POINTER(spt_perf_sample_id(record))));
	if (!number)
		return;
	hooked = &g_array_index(kernel->hooked, struct hooked, number - 1);
	point = kernel->points->pdata[hooked->point];
	spt_perf_sample_without_id(record, kernel->sample);
	hit.sample = (const void *)kernel->sample->data;
	hit.hook = point->hook;
	hit.fields = point->fields;
	hit.who = spt_perf_sample_who(hit.sample, cpu);
	hit.data = spt_perf_sample_raw(hit.sample, &hit.bytes);
	hit.weight = (uint32_t)(hit.who.time < point->changed ? point->period_before :
								point->period);
	point->taken++;
	hooked->samples++;
	hooked->weight += hit.weight;
	point->hook->take(kernel->state, &hit);
}

/* Limits. */

static uint64_t kernel_cost(const SptPerfKernel *kernel, const struct spt_kernel_point *point)
{
	if (!(point->hook->flags & SPT_HOOK_STACK))
		return point->taken;
	return point->taken * (kernel->copy_bytes ? COPY_COST : STACK_COST);
}

static uint64_t hooked_count(const SptPerfKernel *kernel, const struct hooked *hooked,
			     uint64_t *ret_lost)
{
	uint64_t got[2] = { 0 };
	size_t bytes = kernel->tells_lost ? sizeof(got) : sizeof(got[0]);

	*ret_lost = 0;
	if (read(hooked->fd, got, bytes) != (ssize_t)bytes)
		return hooked->weight;
	*ret_lost = got[1];
	return got[0];
}

/* Sets the period of all events of a point; the kernel counts on, whatever it is. */
static void kernel_set_period(SptPerfKernel *kernel, unsigned number, uint64_t period)
{
	for (unsigned i = 0; i < kernel->hooked->len; i++) {
		const struct hooked *hooked = &g_array_index(kernel->hooked, struct hooked, i);

		if (hooked->point == number)
			ioctl(hooked->fd, PERF_EVENT_IOC_PERIOD, &period);
	}
}

static void kernel_thin(SptPerfKernel *kernel, unsigned number)
{
	struct spt_kernel_point *point = kernel->points->pdata[number];

	point->period_before = point->period;
	point->period = MIN(point->period * THINNER, MOST_PERIOD);
	/* Hits that are taken now are older than this. */
	point->changed = spt_clock_ns(CLOCK_MONOTONIC);
	kernel_set_period(kernel, number, point->period);
}

/* Whether two hooks need each other: begins and ends. */
static bool hooks_belong(const struct spt_kernel_hook *one, const struct spt_kernel_hook *other)
{
	const SptEventKind *kind = spt_event_kind_of(one->kind),
			   *second = spt_event_kind_of(other->kind);

	return kind == second ||
	       (kind->option == &spt_option_block && second->option == kind->option);
}

/* Hits are counted on, and make no samples.  What can be thinned goes on without the others. */
static void kernel_stop(SptPerfKernel *kernel, const struct spt_kernel_hook *hook, uint64_t now)
{
	const uint64_t never = 1ULL << 62;
	uint64_t lost;

	for (unsigned i = 0; i < kernel->hooked->len; i++) {
		struct hooked *hooked = &g_array_index(kernel->hooked, struct hooked, i);
		struct spt_kernel_point *point = kernel->points->pdata[hooked->point];

		if (point->hook->flags & SPT_HOOK_THINS || !hooks_belong(point->hook, hook))
			continue;
		if (!hooked->is_stopped)
			hooked->only_counted = hooked_count(kernel, hooked, &lost);
		hooked->is_stopped = true;
		point->stopped = point->stopped ? point->stopped : now;
		ioctl(hooked->fd, PERF_EVENT_IOC_PERIOD, &never);
	}
}

static void kernel_ease(SptPerfKernel *kernel, uint64_t now)
{
	unsigned dearest = 0;

	for (unsigned i = 1; i < kernel->points->len; i++)
		if (kernel_cost(kernel, kernel->points->pdata[i]) >
		    kernel_cost(kernel, kernel->points->pdata[dearest]))
			dearest = i;
	if (((struct spt_kernel_point *)kernel->points->pdata[dearest])->hook->flags &
	    SPT_HOOK_THINS)
		kernel_thin(kernel, dearest);
	else if (kernel->n_over >= LOOKS_OVER)
		kernel_stop(kernel,
			    ((struct spt_kernel_point *)kernel->points->pdata[dearest])->hook, now);
}

void spt_perf_limit_kernel(struct perf *perf, uint64_t now)
{
	SptPerfKernel *kernel = perf->kernel;
	uint64_t cost, most;

	if (!kernel || !kernel->points->len || now - kernel->since < LIMIT_NS)
		return;
	cost = (kernel->lost - kernel->lost_before) * STACK_COST;
	most = (uint64_t)SPT_TRACE_MOST_HITS * STACK_COST * g_get_num_processors() *
	       (now - kernel->since) / 1000000000u;
	for (unsigned i = 0; i < kernel->points->len; i++)
		cost += kernel_cost(kernel, kernel->points->pdata[i]);
	kernel->n_over = kernel->since && cost > most ? kernel->n_over + 1 : 0;
	if (kernel->n_over)
		kernel_ease(kernel, now);
	for (unsigned i = 0; i < kernel->points->len; i++)
		((struct spt_kernel_point *)kernel->points->pdata[i])->taken = 0;
	kernel->since = now;
	kernel->lost_before = kernel->lost;
}

static void kernel_add_limited(GString *text, const struct spt_kernel_point *point, uint64_t time,
			       uint64_t start_ns)
{
	static const char first[] =
		"to keep the machine usable, the kernel's own work was recorded in part: ";

	g_string_append_printf(text, "%s%s (%s) from %.1f s on", text->len ? ", " : first,
			       point->hook->name,
			       spt_event_kind_of(point->hook->kind)->option->flag,
			       (double)(time - MIN(start_ns, time)) / 1e9);
}

char *spt_perf_kernel_limited(SptTrace *trace, uint64_t start_ns)
{
	const SptPerfKernel *kernel = ((const struct perf *)trace)->kernel;
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; kernel && i < kernel->points->len; i++) {
		const struct spt_kernel_point *point = kernel->points->pdata[i];

		if (point->stopped) {
			kernel_add_limited(text, point, point->stopped, start_ns);
			g_string_append(text, " not at all");
		} else if (point->changed) {
			kernel_add_limited(text, point, point->changed, start_ns);
			g_string_append_printf(text, " one in %" PRIu64, point->period);
		}
	}
	return g_string_free(text, text->len == 0);
}

/* Accounts. */

/*
 * What the kernel has counted and nobody got.  Some of it found no room in the ring.  The rest it
 * did not write at all: an event is held back for up to a tick after its period has changed (Linux
 * 6.16), and some virtual machines sample nothing in the idle task of a CPU.
 */
static void hooked_settle(SptPerfKernel *kernel, const struct hooked *hooked)
{
	const struct spt_kernel_point *point = kernel->points->pdata[hooked->point];
	struct sysprof_source_account *account =
		spt_kernel_account(kernel->state, point->hook->kind, hooked->cpu);
	uint64_t lost, count = hooked_count(kernel, hooked, &lost), missing, no_room, throttled = 0;
	/* Of a sample that is not due yet, and of one that was not when the period changed. */
	uint64_t not_due = point->period > 1 ? 2 * point->period : 0;

	if (!(point->hook->flags & SPT_HOOK_COUNTS))
		return;
	if (hooked->is_stopped && count > hooked->only_counted)
		throttled = count - hooked->only_counted;
	missing = count - MIN(count, hooked->weight + throttled + not_due);
	/* What was not due of each child that has ended is counted, too. */
	if (kernel->is_inherited && point->period > 1)
		missing = kernel->tells_lost ? MIN(missing, lost * point->period) : 0;
	no_room = kernel->tells_lost ? MIN(missing, lost * point->period) : missing;
	account->lost[SYSPROF_LOST_THROTTLED].events += throttled + missing - no_room;
	account->lost[SYSPROF_LOST_RING_FULL].events += no_room;
	account->seen.events += count - MIN(count, hooked->weight);
}

/* Hits that are taken count as seen by what they represent, and once each where they go. */
static void kernel_add_taken(SptPerfKernel *kernel, struct sysprof_source_account *accounts)
{
	for (unsigned i = 0; i < kernel->hooked->len; i++) {
		const struct hooked *hooked = &g_array_index(kernel->hooked, struct hooked, i);
		const struct spt_kernel_point *point = kernel->points->pdata[hooked->point];

		if (point->hook->flags & SPT_HOOK_COUNTS)
			accounts[point->hook->kind * kernel->state->n_cpus + hooked->cpu]
				.seen.events += hooked->weight;
	}
}

static void kernel_put_account(unsigned kind, unsigned cpu, struct sysprof_source_account account,
			       uint64_t at, const struct spt_perf_sink *sink)
{
	struct spt_perf_who nobody = { .time = at, .cpu = cpu };
	struct sysprof_source_account_record record = {
		.record = spt_perf_record(SYSPROF_SOURCE_ACCOUNT, 0, sizeof(record), &nobody),
		.source = (uint16_t)(SPT_TRACE_KERNEL + kind),
		.kind = (uint16_t)kind,
	};
	uint64_t reported = account.delivered.events + account.excluded.events;

	account.seen.value = account.delivered.value;
	account.seen.ns = account.delivered.ns;
	account.seen.weight = account.delivered.weight;
	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		reported += account.lost[i].events;
	/* Also ends of what began before, and frees of what nobody has. */
	account.seen.events = MAX(account.seen.events, reported);
	account.not_picked.events = account.seen.events - reported;
	record.account = account;
	sink->func(&record.record, sink->data);
}

void spt_perf_tell_kernel(struct perf *perf, uint64_t at, const struct spt_perf_sink *sink)
{
	SptPerfKernel *kernel = perf->kernel;
	const unsigned n_cpus = perf->trace.n_cpus;
	g_autofree struct sysprof_source_account *accounts = NULL;

	if (!kernel || kernel->is_reported)
		return;
	for (unsigned i = 0; perf->is_stopped && i < kernel->hooked->len; i++)
		hooked_settle(kernel, &g_array_index(kernel->hooked, struct hooked, i));
	kernel->is_reported = perf->is_stopped;
	accounts = g_memdup2(kernel->state->accounts,
			     sizeof(*accounts) * SPT_KERNEL_KINDS * n_cpus);
	kernel_add_taken(kernel, accounts);
	for (unsigned kind = 0; kind < SPT_KERNEL_KINDS; kind++)
		for (unsigned cpu = 0; cpu < n_cpus; cpu++)
			if (perf->trace.events[SPT_TRACE_KERNEL + kind].kind &&
			    perf->rings[cpu].page)
				kernel_put_account(kind, cpu, accounts[kind * n_cpus + cpu], at,
						   sink);
}
