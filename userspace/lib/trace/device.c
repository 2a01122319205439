/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device as a source of records.  The merge rule and its reasons are in the uapi header
 * ("Rings").
 */
#include "sysprof-table.h"
#include "trace/opener-private.h"
#include "trace/trace-private.h"
#include "trace/traceable.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"

#define SNAPSHOT_BYTES (4U << 20)
#define NAMES_PER_CALL 1024U
#define SHOW_MS 10
#define RAW_RINGS_MAX_BYTES (128U << 20)	/* half of what the module grants a user */

struct ring {
	struct sysprof_ring_page *page;		/* NULL: no such CPU */
	struct sysprof_ring_tail *tail;
	const uint8_t *data;
	/* Being drained: next record, first that is not ours yet */
	uint32_t at, end;
	uint64_t time;				/* of the next record */
};

struct device {
	SptTrace trace;
	int fd;
	struct spt_opener opener;		/* if it opened fd */
	SptTraceable *traceable;		/* NULL: nothing has to be shown */
	bool has_ended;				/* for good, and not by us */
	struct sysprof_info info;
	struct sysprof_config config;
	struct ring *rings;
	struct ring **heap;			/* rings with records left, the earliest first */
	unsigned n_heap;
};

static struct device *device_of(const SptTrace *trace)
{
	return (struct device *)trace;
}

static int open_error_code(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return SPT_TRACE_ERROR_NO_DEVICE;
	case EACCES:
	case ECANCELED:
		return SPT_TRACE_ERROR_NO_PERMISSION;
	default:
		return error == EPERM ? SPT_TRACE_ERROR_REFUSED : SPT_TRACE_ERROR_FAILED;
	}
}

static void set_open_error(GError **error, int number)
{
	int code = open_error_code(number);

	switch (code) {
	case SPT_TRACE_ERROR_NO_DEVICE:
		spt_set_error(error, SPT_TRACE_ERROR, code,
			      "%s is not there: the kernel module is not loaded; load it "
			      "with: sudo modprobe sysprof",
			      SYSPROF_DEVICE);
		break;
	case SPT_TRACE_ERROR_NO_PERMISSION:
		spt_set_error(error, SPT_TRACE_ERROR, code,
			      "%s may only be opened by members of group sysprof%s; join it "
			      "with: sudo usermod -aG sysprof %s (and log in again)",
			      SYSPROF_DEVICE,
			      number == ECANCELED	? spt_words(" and those who authenticate") :
			      spt_opener_is_installed() ? spt_words(" and those whom polkit lets") :
							  "",
			      g_get_user_name());
		break;
	case SPT_TRACE_ERROR_REFUSED:
		spt_set_error(
			error, SPT_TRACE_ERROR, code,
			"The kernel module refused to open %s: it serves neither "
			"containers nor kernels locked down to confidentiality; run it on the host",
			SYSPROF_DEVICE);
		break;
	default:
		spt_set_error(error, SPT_TRACE_ERROR, code, "Cannot open %s: %s", SYSPROF_DEVICE,
			      g_strerror(number));
	}
}

static bool call(struct device *device, unsigned long request, void *arg, const char *what,
		 GError **error)
{
	int ret;

	do {
		ret = ioctl(device->fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED, "%s: cannot %s: %s",
			      SYSPROF_DEVICE, spt_words(what), g_strerror(errno));
	return ret >= 0;
}

static void unmap_rings(struct device *device)
{
	for (unsigned cpu = 0; device->rings && cpu < device->info.cpus; cpu++) {
		struct ring *ring = &device->rings[cpu];

		if (ring->page)
			munmap(ring->page, device->info.page_bytes);
		if (ring->tail)
			munmap(ring->tail, device->info.page_bytes);
		if (ring->data)
			munmap((void *)ring->data, device->config.ring_bytes);
		memset(ring, 0, sizeof(*ring));
	}
}

static void device_free(SptTrace *trace)
{
	struct device *device = device_of(trace);

	unmap_rings(device);
	spt_traceable_free(device->traceable);
	if (device->fd >= 0)
		close(device->fd);
	spt_opener_end(&device->opener);
	g_free(device->rings);
	g_free(device->heap);
	g_free(device);
}

static void *map_part(struct device *device, size_t bytes, int protection, uint64_t offset)
{
	void *part = mmap(NULL, bytes, protection, MAP_SHARED, device->fd, (off_t)offset);

	return part == MAP_FAILED ? NULL : part;
}

static bool map_rings(struct device *device, GError **error)
{
	size_t page = device->info.page_bytes;
	bool any = false;

	for (unsigned cpu = 0; cpu < device->info.cpus; cpu++) {
		struct ring *ring = &device->rings[cpu];
		uint64_t at = cpu * device->config.ring_stride;

		ring->page = map_part(device, page, PROT_READ, at);
		if (!ring->page && errno == EINVAL)
			continue;	/* a number without a CPU */
		if (ring->page)
			ring->tail = map_part(device, page, PROT_READ | PROT_WRITE, at + page);
		if (ring->tail)
			ring->data = map_part(device, device->config.ring_bytes, PROT_READ,
					      at + 2 * page);
		if (!ring->data) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
				      "%s: cannot map the ring of CPU %u: %s", SYSPROF_DEVICE, cpu,
				      g_strerror(errno));
			return false;
		}
		any = true;
	}
	if (!any)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED, "%s has no ring",
			      SYSPROF_DEVICE);
	return any;
}

/* What the module said to @filter. */
static void set_filter_error(GError **error, int number, const SptTraceFilter *filter)
{
	GString *pids = g_string_new(NULL);

	for (unsigned i = 0; i < filter->n_pids; i++)
		g_string_append_printf(pids, "%s%u", i ? ", " : "", filter->pids[i]);
	if (number == ESRCH && filter->n_pids == 1)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "There is no process %s to record", pids->str);
	else if (number == ESRCH)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "One of the processes %s to be recorded is not there", pids->str);
	else if (number == EBADF)
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s is no control group of version 2: directories below /sys/fs/cgroup mostly are",
			filter->cgroup);
	else
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s: cannot record what was asked for: %s; does the machine have these CPUs?",
			SYSPROF_DEVICE, g_strerror(number));
	g_string_free(pids, TRUE);
}

/* Puts @filter into the device's terms; @ret_cgroup: to be closed, -1 if there is none. */
static bool set_filter(struct device *device, const SptTraceFilter *filter, int *ret_cgroup,
		       GError **error)
{
	struct sysprof_config *config = &device->config;

	*ret_cgroup = -1;
	if (!(device->info.features & SYSPROF_FEATURE_FILTERS) &&
	    (filter->n_pids || filter->n_uids || filter->n_cpu_words || filter->cgroup ||
	     filter->only_user || filter->only_kernel)) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"The loaded module cannot record a part of the system only; install one of this release");
		return false;
	}
	config->flags = (filter->only_user ? SYSPROF_CONFIG_ONLY_USER : 0) |
			(filter->only_kernel ? SYSPROF_CONFIG_ONLY_KERNEL : 0) |
			(filter->n_pids ? SYSPROF_CONFIG_CHILDREN : 0) |
			(filter->cgroup ? SYSPROF_CONFIG_CGROUP : 0);
	config->pids = (uintptr_t)filter->pids;
	config->nr_pids = filter->n_pids;
	config->uids = (uintptr_t)filter->uids;
	config->nr_uids = filter->n_uids;
	config->cpus = (uintptr_t)filter->cpus;
	config->cpus_bytes = filter->n_cpu_words * sizeof(uint64_t);
	if (!filter->cgroup)
		return true;
	config->cgroup_fd = *ret_cgroup = open(filter->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_cgroup < 0)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot open the control group %s: %s", filter->cgroup,
			      g_strerror(errno));
	return *ret_cgroup >= 0;
}

/* Without a counter for cycles there is none for anything else either. */
static bool choose_clock(struct device *device, const SptTraceConfig *config, GError **error)
{
	bool has_counters = device->info.features & SYSPROF_FEATURE_PMU;

	device->trace.clock = NULL;
	device->trace.notice = NULL;
	if (config->clock == SPT_TRACE_TIMER)
		return true;
	if (has_counters) {
		device->config.clock = SYSPROF_CLOCK_PMU;
		device->config.event_type = config->event_type;
		device->config.event_config = config->event_config;
		device->trace.clock = "pmu";
		device->trace.notice = SPT_WORDS(
			"a hardware counter is the clock: periods are so many events (cycles, unless --event "
			"says otherwise), not times, and ticks have no delay; on x86 this is experimental");
		return true;
	}
	if (config->clock == SPT_TRACE_PMU) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"This machine has no hardware counter that can be a clock (virtual machines often have none): "
			"use --clock timer");
		return false;
	}
	device->trace.notice = SPT_WORDS(
		"there is no hardware counter here: the timer is the clock, and code with interrupts off "
		"shows where they come on");
	return true;
}

static bool configure(struct device *device, const SptTraceConfig *config, GError **error)
{
	uint32_t raw_ring_bytes =
		MIN(spt_trace_raw_ring_bytes(device->info.cpus, RAW_RINGS_MAX_BYTES),
		    device->info.max_ring_bytes);
	bool has_raw = config->raw_bytes && !config->no_user;
	bool can_wish = device->info.features & SYSPROF_FEATURE_RAW_WISH;
	int cgroup, number;
	bool ok;
	uint32_t least = device->info.page_bytes, most = device->info.max_ring_bytes;

	if (config->ring_bytes && (config->ring_bytes < least || config->ring_bytes > most ||
				   (config->ring_bytes & (config->ring_bytes - 1)))) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "A ring of %u bytes is not possible: a power of two from %u to %u is",
			      config->ring_bytes, least, most);
		return false;
	}
	if (config->raw_bytes &&
	    (!(device->info.features & SYSPROF_FEATURE_RAW) ||
	     config->raw_bytes > device->info.max_raw_bytes || config->raw_bytes % 8)) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s: the loaded module cannot copy %u bytes of a stack: a multiple of 8 up to %u is possible",
			SYSPROF_DEVICE, config->raw_bytes,
			device->info.features & SYSPROF_FEATURE_RAW ? device->info.max_raw_bytes :
								      0);
		return false;
	}
	device->config = (struct sysprof_config){
		.size = sizeof(device->config),
		.period_ns = config->period_ns,
		.ring_bytes = has_raw && !config->ring_bytes ? raw_ring_bytes : config->ring_bytes,
		.user_mode = 1 + (config->no_user   ? SYSPROF_USER_NONE :
				  has_raw	    ? SYSPROF_USER_RAW :
				  config->by_tables ? SYSPROF_USER_TABLE :
						      SYSPROF_USER_FP),
		.max_user_frames = config->by_tables ? device->info.max_user_frames : 0,
		.raw_bytes = !has_raw ? 0 :
			     can_wish ? MAX(config->raw_bytes, config->raw_most_bytes) :
					config->raw_bytes,
	};
	if (!choose_clock(device, config, error))
		return false;
	if (!set_filter(device, &config->filter, &cgroup, error))
		return false;
	ok = ioctl(device->fd, SYSPROF_IOC_CONFIGURE, &device->config) == 0;
	number = errno;
	if (cgroup >= 0)
		close(cgroup);
	if (ok)
		return true;
	if (number == ESRCH || number == EBADF || (number == EINVAL && config->filter.n_cpu_words))
		set_filter_error(error, number, &config->filter);
	else if (number == ENOSPC || number == ENOMEM)
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			"%s: no memory for the rings of %u CPUs; try --ring-bytes %u, or end other recordings",
			SYSPROF_DEVICE, device->info.cpus, 64 * 1024);
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "%s: cannot configure: %s", SYSPROF_DEVICE, g_strerror(number));
	return false;
}

static bool device_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
			 GError **error)
{
	struct device *device = device_of(trace);
	struct sysprof_start start = { .size = sizeof(start) };

	unmap_rings(device);
	spt_traceable_free(device->traceable);
	device->traceable = spt_traceable_new(device->fd);
	if (!configure(device, config, error) || !map_rings(device, error) ||
	    !call(device, SYSPROF_IOC_START, &start, SPT_WORDS("start"), error))
		return false;
	if (ret)
		*ret = start;
	return true;
}

static bool device_stop(SptTrace *trace, GError **error)
{
	struct device *device = device_of(trace);

	return call(device, SYSPROF_IOC_STOP, NULL, SPT_WORDS("stop"), error);
}

static void device_wait(SptTrace *trace, int timeout_ms)
{
	struct device *device = device_of(trace);
	struct pollfd pollfd = { .fd = device->fd, .events = POLLIN };

	/* A new program has neither copies nor tables of its user's until it was shown. */
	if (device->traceable && device->config.user_mode != 1 + SYSPROF_USER_FP)
		timeout_ms = MIN(timeout_ms, SHOW_MS);
	if (poll(&pollfd, 1, timeout_ms) > 0 && pollfd.revents & POLLHUP)
		device->has_ended = true;
}

/* The least size of a record of @type, so that its body can be read. */
static size_t least_bytes(unsigned type)
{
	switch (type) {
	case SYSPROF_SAMPLE:
		return sizeof(struct sysprof_sample);
	case SYSPROF_TASK:
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_COMM:
	case SYSPROF_EXIT:
		return sizeof(struct sysprof_task);
	case SYSPROF_MAP:
		return sizeof(struct sysprof_map);
	case SYSPROF_OBJECT:
		return sizeof(struct sysprof_object);
	case SYSPROF_REGION:
		return sizeof(struct sysprof_region);
	case SYSPROF_ACCOUNT:
		return sizeof(struct sysprof_account_record);
	case SYSPROF_LOST:
		return sizeof(struct sysprof_lost);
	case SYSPROF_TIME:
		return sizeof(struct sysprof_time);
	default:
		return sizeof(struct sysprof_record);
	}
}

/* Whether the record with room for @bytes behind its start is whole. */
static bool is_sound(const struct sysprof_record *record, size_t bytes)
{
	size_t size = (size_t)record->size * 8;

	if (size < least_bytes(record->type) || size > bytes)
		return false;
	if (record->type == SYSPROF_SAMPLE) {
		const struct sysprof_sample *sample = (const void *)record;

		if (sample->raw_bytes % 8 ||
		    (sample->raw_bytes && sample->raw_bytes < sizeof(struct sysprof_raw)))
			return false;
		return sizeof(*sample) + ((size_t)sample->n_kernel + sample->n_user) * 8 +
			       sample->raw_bytes <=
		       size;
	}
	if (record->type == SYSPROF_OBJECT) {
		const struct sysprof_object *object = (const void *)record;

		return sizeof(*object) + object->path_bytes < size &&
		       !object->path[object->path_bytes];
	}
	return true;
}

static const struct sysprof_record *record_at(const struct device *device, const struct ring *ring)
{
	return (const void *)(ring->data + (ring->at & (device->config.ring_bytes - 1)));
}

/*
 * Puts @ring's next record's time at hand; false when it has none below @safe, or what is there
 * cannot be right.
 */
static bool next_record(struct device *device, struct ring *ring, uint64_t safe, GError **error)
{
	while (ring->at != ring->end) {
		const struct sysprof_record *record = record_at(device, ring);
		uint32_t place = ring->at & (device->config.ring_bytes - 1);
		size_t room = MIN(ring->end - ring->at, device->config.ring_bytes - place);

		if (record->type == SYSPROF_PAD && record->size &&
		    (size_t)record->size * 8 <= room) {
			ring->at += record->size * 8;
			continue;
		}
		if (!is_sound(record, room)) {
			spt_set_error(
				error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
				"%s: the ring of CPU %u holds a record that cannot be right (type %u, %u bytes)",
				SYSPROF_DEVICE, (unsigned)(ring - device->rings), record->type,
				record->size * 8U);
			return false;
		}
		ring->time = record->time;
		return ring->time < safe;
	}
	return false;
}

static void sift_down(struct device *device, unsigned i)
{
	for (;;) {
		unsigned least = i, child = 2 * i + 1;

		for (unsigned end = MIN(child + 2, device->n_heap); child < end; child++)
			if (device->heap[child]->time < device->heap[least]->time)
				least = child;
		if (least == i)
			return;
		struct ring *swap = device->heap[i];

		device->heap[i] = device->heap[least];
		device->heap[least] = swap;
		i = least;
	}
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Looks at every ring once; returns the time below which nothing can come any more. */
static uint64_t look_at_rings(struct device *device)
{
	uint64_t safe = now_ns();

	/* The clock before oldest_open_time; pairs with smp_mb() in sysprof_ring_reserve(). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned cpu = 0; cpu < device->info.cpus; cpu++) {
		struct ring *ring = &device->rings[cpu];
		uint64_t open;

		if (!ring->page)
			continue;
		/* Pair with smp_store_release() in sysprof_ring_commit(). */
		open = __atomic_load_n(&ring->page->oldest_open_time, __ATOMIC_ACQUIRE);
		ring->end = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
		ring->at = ring->tail->tail;
		if (open)
			safe = MIN(safe, open);
	}
	return safe;
}

/*
 * Hands a record on.  Of a process that has just been shown, mappings were not told until now: a
 * snapshot has to be asked for, as if records had been lost.
 */
static void hand_on(struct device *device, const struct sysprof_record *record, SptTraceFunc func,
		    void *data)
{
	const struct sysprof_record resync = { .type = SYSPROF_RESYNC,
					       .size = sizeof(resync) / 8,
					       .cpu = record->cpu,
					       .time = record->time };

	func(record, data);
	if (device->traceable && spt_traceable_take(device->traceable, record) &&
	    device->config.raw_bytes)
		func(&resync, data);
}

static bool device_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct device *device = device_of(trace);
	uint64_t safe = look_at_rings(device);
	GError *damage = NULL;

	if (all)
		safe = UINT64_MAX;
	device->n_heap = 0;
	for (unsigned cpu = 0; cpu < device->info.cpus && !damage; cpu++)
		if (device->rings[cpu].page &&
		    next_record(device, &device->rings[cpu], safe, &damage))
			device->heap[device->n_heap++] = &device->rings[cpu];
	for (unsigned i = device->n_heap / 2; i-- > 0;)
		sift_down(device, i);
	while (device->n_heap && !damage) {
		struct ring *ring = device->heap[0];
		const struct sysprof_record *record = record_at(device, ring);

		hand_on(device, record, func, data);
		ring->at += record->size * 8U;
		if (!next_record(device, ring, safe, &damage))
			device->heap[0] = device->heap[--device->n_heap];
		sift_down(device, 0);
	}
	for (unsigned cpu = 0; cpu < device->info.cpus; cpu++) {
		struct ring *ring = &device->rings[cpu];

		/*
		 * Pairs with smp_load_acquire() in sysprof_ring_reserve(): the records have been
		 * read.
		 */
		if (ring->page)
			__atomic_store_n(&ring->tail->tail, ring->at, __ATOMIC_RELEASE);
	}
	/* What was in the rings when it ended has been handed on. */
	if (device->has_ended && !damage)
		spt_set_error(
			&damage, SPT_TRACE_ERROR, SPT_TRACE_ERROR_REFUSED,
			"The recording was ended from outside: root ended this user's sessions, "
			"%s may no longer be opened by this user, or the kernel was locked down",
			SYSPROF_DEVICE);
	if (damage)
		g_propagate_error(error, damage);
	return !damage;
}

static bool snapshot_part(struct device *device, unsigned part, void *buffer, SptTraceFunc func,
			  void *data, unsigned *busy, GError **error)
{
	struct sysprof_snapshot snapshot = {
		.size = sizeof(snapshot),
		.part = part,
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = SNAPSHOT_BYTES,
	};

	do {
		if (!call(device, SYSPROF_IOC_SNAPSHOT, &snapshot,
			  SPT_WORDS("take a snapshot of the processes"), error))
			return false;
		*busy += snapshot.busy;
		for (size_t at = 0; at < snapshot.filled_bytes;) {
			const struct sysprof_record *record =
				(const void *)((uint8_t *)buffer + at);

			if (!is_sound(record, snapshot.filled_bytes - at)) {
				spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
					      "%s: the snapshot holds a record that cannot be right",
					      SYSPROF_DEVICE);
				return false;
			}
			hand_on(device, record, func, data);
			at += record->size * 8U;
		}
	} while (snapshot.filled_bytes);
	return true;
}

static bool device_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			    GError **error)
{
	struct device *device = device_of(trace);
	g_autofree uint64_t *buffer = g_malloc(SNAPSHOT_BYTES);

	*ret_busy = 0;
	return snapshot_part(device, SYSPROF_SNAPSHOT_TASKS, buffer, func, data, ret_busy, error) &&
	       snapshot_part(device, SYSPROF_SNAPSHOT_OBJECTS, buffer, func, data, ret_busy, error);
}

static bool device_has_cpu(const SptTrace *trace, unsigned cpu)
{
	struct device *device = device_of(trace);

	return cpu < device->info.cpus && device->rings[cpu].page;
}

static bool device_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error)
{
	struct device *device = device_of(trace);

	*ret = (struct sysprof_stats){ .size = sizeof(*ret), .cpu = cpu };
	return call(device, SYSPROF_IOC_STATS, ret, SPT_WORDS("read the account"), error);
}

static bool device_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error)
{
	struct device *device = device_of(trace);

	for (unsigned at = 0; at < n; at += NAMES_PER_CALL) {
		struct sysprof_names arg = {
			.size = sizeof(arg),
			.nr = MIN(n - at, NAMES_PER_CALL),
			.names = (uintptr_t)(names + at),
		};

		if (!call(device, SYSPROF_IOC_NAMES, &arg, SPT_WORDS("name kernel functions"),
			  error))
			return false;
	}
	return true;
}

static int ask_for_object(SptTrace *trace, struct sysprof_map_fd *arg)
{
	int ret;

	do {
		ret = ioctl(device_of(trace)->fd, SYSPROF_IOC_MAP_FD, arg);
	} while (ret < 0 && errno == EINTR);
	return ret;
}

static int device_map_fd(SptTrace *trace, uint32_t object)
{
	struct sysprof_map_fd arg = { .size = sizeof(arg), .object = object };

	return ask_for_object(trace, &arg) < 0 ? -1 : arg.fd;
}

static bool device_region_start(SptTrace *trace, uint32_t object, uint64_t *ret)
{
	struct sysprof_map_fd arg = { .size = sizeof(arg), .object = object };

	if (ask_for_object(trace, &arg) < 0)
		return false;
	*ret = arg.start;
	return true;
}

static bool device_raw_wish(SptTrace *trace, const char *comm, uint32_t bytes)
{
	struct sysprof_raw_wish wish = { .size = sizeof(wish), .bytes = bytes };

	g_strlcpy(wish.comm, comm, sizeof(wish.comm));
	return ioctl(device_of(trace)->fd, SYSPROF_IOC_RAW_WISH, &wish) == 0;
}

static bool device_has_tables(const SptTrace *trace)
{
	return device_of(trace)->info.features & SYSPROF_FEATURE_TABLE;
}

static int device_give_table(SptTrace *trace, const uint8_t *build_id, unsigned n,
			     const void *table, size_t bytes)
{
	struct sysprof_table arg = {
		.size = sizeof(arg),
		.table = (uintptr_t)table,
		.bytes = (uint32_t)MIN(bytes, UINT32_MAX),
		.build_id_bytes = MIN(n, SYSPROF_BUILD_ID_BYTES),
	};

	memcpy(arg.build_id, build_id, arg.build_id_bytes);
	return ioctl(device_of(trace)->fd, SYSPROF_IOC_TABLE, &arg) == 0 ? 0 : errno;
}

static const struct spt_trace_source device_source = {
	.name = "module",
	.clock = "timer",
	.filters_pids = true,
	.free = device_free,
	.start = device_start,
	.stop = device_stop,
	.wait = device_wait,
	.drain = device_drain,
	.snapshot = device_snapshot,
	.has_cpu = device_has_cpu,
	.stats = device_stats,
	.names = device_names,
	.raw_wish = device_raw_wish,
	.wishes_by_name = true,
	.has_tables = device_has_tables,
	.give_table = device_give_table,
	.map_fd = device_map_fd,
	.region_start = device_region_start,
};

SptTrace *spt_device_open(GError **error)
{
	struct device *device = g_new0(struct device, 1);
	g_autoptr(SptTrace) trace = &device->trace;
	int number;

	trace->source = &device_source;
	device->fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);
	number = errno;
	if (device->fd < 0 && number == EACCES && spt_opener_is_installed()) {
		device->fd = spt_opener_ask(&device->opener);
		number = errno;
	}
	if (device->fd < 0) {
		set_open_error(error, number);
		return NULL;
	}
	device->info.size = sizeof(device->info);
	if (!call(device, SYSPROF_IOC_INFO, &device->info, SPT_WORDS("ask what it can do"), error))
		return NULL;
	if (device->info.abi_version != SYSPROF_ABI_VERSION) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			"The loaded module speaks version %u of its interface, this program version %u; install both "
			"from the same release",
			device->info.abi_version, SYSPROF_ABI_VERSION);
		return NULL;
	}
	device->rings = g_new0(struct ring, device->info.cpus);
	device->heap = g_new0(struct ring *, device->info.cpus);
	trace->n_cpus = device->info.cpus;
	return g_steal_pointer(&trace);
}
