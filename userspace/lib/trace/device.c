/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device as a source of records.
 */
#include "sysprof-event.h"
#include "sysprof-chain.h"
#include "sysprof-table.h"
#include "trace/device-sources.h"
#include "trace/once.h"
#include "trace/opener-private.h"
#include "trace/rings.h"
#include "trace/record-check.h"
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
#define RAW_RINGS_MAX_BYTES (128U << 20) /* half of the amount that the module grants a user */

struct ring {
	struct sysprof_ring_page *page;		/* NULL: no such CPU */
	struct sysprof_ring_tail *tail;
	void *data;
};

struct device {
	SptTrace trace;
	int fd;
	struct spt_opener opener;		/* if it opened fd */
	SptTraceable *traceable;		/* NULL: nothing has to be shown */
	bool has_ended;				/* ended for good, and not by us */
	struct sysprof_info info;
	struct sysprof_config config;
	struct ring *rings;			/* as they are mapped */
	SptRings *stream;			/* NULL before it began */
	bool takes_outer;		/* else records are made whole */
	bool has_waits;				/* sources of the session are on */
};

static struct device *device_device_of(const SptTrace *trace)
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
			      "The kernel module is not loaded: there is no %s; load it with: "
			      "sudo modprobe sysprof",
			      SYSPROF_DEVICE);
		break;
	case SPT_TRACE_ERROR_NO_PERMISSION:
		spt_set_error(error, SPT_TRACE_ERROR, code,
			      "%s can only be opened by members of group sysprof%s; join it "
			      "with: sudo usermod -aG sysprof %s (and log in again)",
			      SYSPROF_DEVICE,
			      number == ECANCELED	? spt_words(" and by users who authenticate") :
			      spt_opener_is_installed(SPT_OPENER) ? spt_words(" and by users polkit authorises") :
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

static bool device_call(struct device *device, unsigned long request, void *arg, const char *what,
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
	g_clear_pointer(&device->stream, spt_rings_free);
	g_clear_pointer(&device->trace.once, spt_once_free);
	for (unsigned cpu = 0; device->rings && cpu < device->info.cpus; cpu++) {
		struct ring *ring = &device->rings[cpu];

		if (ring->page)
			munmap(ring->page, device->info.page_bytes);
		if (ring->tail)
			munmap(ring->tail, device->info.page_bytes);
		if (ring->data)
			munmap(ring->data, device->config.ring_bytes);
		memset(ring, 0, sizeof(*ring));
	}
}

static void device_free(SptTrace *trace)
{
	struct device *device = device_device_of(trace);

	unmap_rings(device);
	spt_traceable_free(device->traceable);
	if (device->fd >= 0)
		close(device->fd);
	spt_opener_end(&device->opener);
	g_free(device->rings);
	g_free(device);
}

static void *map_part(struct device *device, size_t bytes, int protection, uint64_t offset)
{
	void *part = mmap(NULL, bytes, protection, MAP_SHARED, device->fd, (off_t)offset);

	return part == MAP_FAILED ? NULL : part;
}

static bool device_map_rings(struct device *device, GError **error)
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

/* The module's answer to @filter. */
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
			      "One of the processes %s to be recorded does not exist", pids->str);
	else if (number == EBADF)
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s is not a control group of version 2; name a directory below /sys/fs/cgroup",
			filter->cgroup);
	else
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s: cannot apply the filters: %s; does the machine have these CPUs?",
			SYSPROF_DEVICE, g_strerror(number));
	g_string_free(pids, TRUE);
}

/* Converts @filter for the device; @ret_cgroup: to be closed, -1 if there is none. */
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

/* Without a counter for cycles there is none for other events either. */
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
			"a hardware counter is the clock: periods are numbers of events (cycles, or those "
			"of --event), not times, and ticks have no delay; on x86 this is experimental");
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
		"is shown where they are enabled again");
	return true;
}

static bool configure(struct device *device, const SptTraceConfig *config, GError **error)
{
	uint32_t raw_ring_bytes =
		MIN(spt_trace_raw_ring_bytes(device->info.cpus, RAW_RINGS_MAX_BYTES),
		    device->info.max_ring_bytes);
	bool has_raw = config->raw_bytes && !config->no_user;
	bool can_request = device->info.features & SYSPROF_FEATURE_RAW_WISH;
	int cgroup, number;
	bool ok;
	uint32_t least = device->info.page_bytes, most = device->info.max_ring_bytes;

	if (config->ring_bytes && (config->ring_bytes < least || config->ring_bytes > most ||
				   (config->ring_bytes & (config->ring_bytes - 1)))) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "A ring cannot have %u bytes (--ring-bytes): use a power of two from %u to %u",
			      config->ring_bytes, least, most);
		return false;
	}
	if (config->raw_bytes &&
	    (!(device->info.features & SYSPROF_FEATURE_RAW) ||
	     config->raw_bytes > device->info.max_raw_bytes || config->raw_bytes % 8)) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"%s: the loaded module cannot copy %u bytes of a stack: use a multiple of 8 up to %u",
			SYSPROF_DEVICE, config->raw_bytes,
			device->info.features & SYSPROF_FEATURE_RAW ? device->info.max_raw_bytes :
								      0);
		return false;
	}
	device->config = (struct sysprof_config){
		.size = sizeof(device->config),
		.period_ns = config->period_ns,
		.ring_bytes = has_raw && !config->by_tables && !config->ring_bytes ?
				      raw_ring_bytes :
				      config->ring_bytes,
		.user_mode = 1 + (config->no_user   ? SYSPROF_USER_NONE :
				  config->by_tables ? SYSPROF_USER_TABLE :
				  has_raw	    ? SYSPROF_USER_RAW :
						      SYSPROF_USER_FP),
		.max_user_frames = config->by_tables ? device->info.max_user_frames : 0,
		.raw_bytes = !has_raw	 ? 0 :
			     can_request ? MAX(config->raw_bytes, config->raw_most_bytes) :
					   config->raw_bytes,
	};
	if (!choose_clock(device, config, error))
		return false;
	if (!set_filter(device, &config->filter, &cgroup, error))
		return false;
	if (config->by_tables && device->info.features & SYSPROF_FEATURE_STACKS_ONCE)
		device->config.flags |= SYSPROF_CONFIG_STACKS_ONCE;
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

static SptRings *stream_of(const struct device *device, uint64_t most_kept_bytes)
{
	SptRings *stream =
		spt_rings_new(device->info.cpus, device->config.ring_bytes, most_kept_bytes);

	for (unsigned cpu = 0; cpu < device->info.cpus; cpu++)
		if (device->rings[cpu].page)
			spt_rings_add(stream, cpu, device->rings[cpu].page,
				      device->rings[cpu].tail, device->rings[cpu].data);
	return stream;
}

static bool set_sources(struct device *device, const SptTraceConfig *config, GError **error)
{
	g_autofree char *left_out = NULL;

	if (!spt_device_set_sources(device->fd, &device->info, config, device->trace.events,
				    &left_out, error))
		return false;
	/* A notice lives longer than its session. */
	if (left_out)
		device->trace.notice = g_intern_string(left_out);
	return true;
}

static bool device_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
			 GError **error)
{
	struct device *device = device_device_of(trace);
	struct sysprof_start start = { .size = sizeof(start) };

	unmap_rings(device);
	spt_traceable_free(device->traceable);
	device->traceable = spt_traceable_new(device->fd);
	if (!configure(device, config, error) || !device_map_rings(device, error) ||
	    !set_sources(device, config, error) ||
	    !device_call(device, SYSPROF_IOC_START, &start, SPT_WORDS("start"), error))
		return false;
	if (device->config.flags & SYSPROF_CONFIG_STACKS_ONCE)
		device->trace.once = spt_once_new(device->info.cpus);
	device->takes_outer = config->takes_outer;
	device->has_waits = config->waits.is_on;
	device->stream = stream_of(device, config->most_kept_bytes);
	spt_rings_watch(device->stream);
	if (ret)
		*ret = start;
	return true;
}

static char *device_limited(SptTrace *trace, uint64_t start_ns G_GNUC_UNUSED)
{
	const struct device *device = device_device_of(trace);
	uint64_t lost = device->trace.once ? spt_once_lost(device->trace.once) : 0;

	return lost ? g_strdup_printf("the outer frames of %" G_GUINT64_FORMAT
				      " stacks were lost: what they refer to did not come",
				      (guint64)lost) :
		      NULL;
}

static char *device_lacks_sources(SptTrace *trace, char **ret_fix)
{
	return spt_device_lacks_sources(((struct device *)trace)->fd, ret_fix);
}

static char *device_sees_in_part(SptTrace *trace)
{
	return spt_device_sees_in_part(((struct device *)trace)->fd);
}

static bool device_can(SptTrace *trace, const SptTraceConfig *config, GError **error)
{
	struct device *device = device_device_of(trace);

	return configure(device, config, error) && set_sources(device, config, error);
}

static bool device_stop(SptTrace *trace, GError **error)
{
	struct device *device = device_device_of(trace);

	if (device->stream)
		spt_rings_leave(device->stream);
	return device_call(device, SYSPROF_IOC_STOP, NULL, SPT_WORDS("stop"), error);
}

static void device_wait(SptTrace *trace, int timeout_ms)
{
	struct device *device = device_device_of(trace);
	struct pollfd pollfd = { .fd = device->fd, .events = POLLIN };

	/* A new program has neither copies nor tables of its user's until it was shown. */
	if (device->traceable && device->config.user_mode != 1 + SYSPROF_USER_FP)
		timeout_ms = MIN(timeout_ms, SHOW_MS);
	if (poll(&pollfd, 1, timeout_ms) > 0 && pollfd.revents & POLLHUP)
		device->has_ended = true;
}

/*
 * Hands a record on.  The mappings of a process that has just been shown were not reported until
 * now: a snapshot has to be asked for, as if records had been lost.  With tables few processes have
 * copies: the snapshot is asked for when one comes.
 */
static void device_hand_on(struct device *device, const struct sysprof_record *record,
			   SptTraceFunc func, void *data)
{
	const struct sysprof_record resync = { .type = SYSPROF_RESYNC,
					       .size = sizeof(resync) / 8,
					       .cpu = record->cpu,
					       .time = record->time };

	func(record, data);
	if (device->traceable && spt_traceable_take(device->traceable, record) &&
	    device->config.user_mode == 1 + SYSPROF_USER_RAW)
		func(&resync, data);
}

struct taker {
	struct device *device;
	SptTraceFunc func;
	void *data;
};

static void device_take(const struct sysprof_record *record, void *data)
{
	const struct taker *taker = data;
	SptOnce *once = taker->device->trace.once;

	if (once)
		record = spt_once_take(once, record);
	if (once && !taker->device->takes_outer)
		record = spt_once_whole(once, record);
	device_hand_on(taker->device, record, taker->func, taker->data);
}

static bool device_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct taker taker = { device_device_of(trace), func, data };
	uint64_t drained;

	if (!spt_rings_drain(taker.device->stream, all, device_take, &taker, &drained, error))
		return false;
	trace->drained_ns = MAX(trace->drained_ns, drained);
	/* The records in the rings at its end have been handed on. */
	if (taker.device->has_ended)
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_REFUSED,
			"The recording was ended from outside: root ended this user's sessions, "
			"this user can no longer open %s, or the kernel was locked down",
			SYSPROF_DEVICE);
	return !taker.device->has_ended;
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
		if (!device_call(device, SYSPROF_IOC_SNAPSHOT, &snapshot,
				 SPT_WORDS("take a snapshot of the processes"), error))
			return false;
		*busy += snapshot.busy;
		for (size_t at = 0; at < snapshot.filled_bytes;) {
			const struct sysprof_record *record =
				(const void *)((uint8_t *)buffer + at);

			if (!spt_record_is_valid(record, snapshot.filled_bytes - at)) {
				spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
					      "%s: the snapshot holds a record that cannot be right",
					      SYSPROF_DEVICE);
				return false;
			}
			device_hand_on(device, record, func, data);
			at += record->size * 8U;
		}
	} while (snapshot.filled_bytes);
	return true;
}

static bool device_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			    GError **error)
{
	struct device *device = device_device_of(trace);
	g_autofree uint64_t *buffer = g_malloc(SNAPSHOT_BYTES);

	*ret_busy = 0;
	for (unsigned part = SYSPROF_SNAPSHOT_TASKS; part <= SYSPROF_SNAPSHOT_THREADS; part++) {
		if (part == SYSPROF_SNAPSHOT_THREADS && !device->has_waits)
			break;
		if (!snapshot_part(device, part, buffer, func, data, ret_busy, error))
			return false;
	}
	return true;
}

static bool device_has_cpu(const SptTrace *trace, unsigned cpu)
{
	struct device *device = device_device_of(trace);

	return cpu < device->info.cpus && device->rings[cpu].page;
}

static bool device_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error)
{
	struct device *device = device_device_of(trace);

	*ret = (struct sysprof_stats){ .size = sizeof(*ret), .cpu = cpu };
	return device_call(device, SYSPROF_IOC_STATS, ret, SPT_WORDS("read the account"), error);
}

static bool device_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error)
{
	struct device *device = device_device_of(trace);

	for (unsigned at = 0; at < n; at += NAMES_PER_CALL) {
		struct sysprof_names arg = {
			.size = sizeof(arg),
			.nr = MIN(n - at, NAMES_PER_CALL),
			.names = (uintptr_t)(names + at),
		};

		if (!device_call(device, SYSPROF_IOC_NAMES, &arg,
				 SPT_WORDS("name kernel functions"), error))
			return false;
	}
	return true;
}

static int ask_for_object(SptTrace *trace, struct sysprof_map_fd *arg)
{
	int ret;

	do {
		ret = ioctl(device_device_of(trace)->fd, SYSPROF_IOC_MAP_FD, arg);
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

static bool device_raw_request(SptTrace *trace, const char *comm, uint32_t bytes)
{
	struct sysprof_raw_wish request = { .size = sizeof(request), .bytes = bytes };

	g_strlcpy(request.comm, comm, sizeof(request.comm));
	return ioctl(device_device_of(trace)->fd, SYSPROF_IOC_RAW_WISH, &request) == 0;
}

static bool device_slow_down(SptTrace *trace, unsigned part)
{
	struct sysprof_slow slow = { .size = sizeof(slow), .part = part };

	return ioctl(device_device_of(trace)->fd, SYSPROF_IOC_SLOW, &slow) == 0;
}

static bool device_make_room(SptTrace *trace)
{
	return spt_rings_has_room(device_device_of(trace)->stream);
}

static bool device_has_tables(const SptTrace *trace)
{
	return device_device_of(trace)->info.features & SYSPROF_FEATURE_TABLE;
}

static bool device_has_chains(const SptTrace *trace)
{
	return device_device_of(trace)->info.features & SYSPROF_FEATURE_CHAIN;
}

static bool device_has_thread_chains(const SptTrace *trace)
{
	return device_device_of(trace)->info.features & SYSPROF_FEATURE_CHAIN_THREAD;
}

static int device_give_chain(SptTrace *trace, const uint8_t *build_id, unsigned n,
			     const void *chain, size_t bytes)
{
	struct sysprof_chain arg = {
		.size = sizeof(arg),
		.chain = (uintptr_t)chain,
		.bytes = (uint32_t)MIN(bytes, UINT32_MAX),
		.build_id_bytes = MIN(n, SYSPROF_BUILD_ID_BYTES),
	};

	memcpy(arg.build_id, build_id, arg.build_id_bytes);
	return ioctl(device_device_of(trace)->fd, SYSPROF_IOC_CHAIN, &arg) == 0 ? 0 : errno;
}

static int device_give_chain_of_file(SptTrace *trace, int fd, const void *chain, size_t bytes)
{
	struct sysprof_chain arg = {
		.size = sizeof(arg),
		.flags = SYSPROF_CHAIN_OF_FILE,
		.chain = (uintptr_t)chain,
		.bytes = (uint32_t)MIN(bytes, UINT32_MAX),
		.fd = fd,
	};

	if (!(device_device_of(trace)->info.features & SYSPROF_FEATURE_CHAIN_FILE))
		return EOPNOTSUPP;
	return ioctl(device_device_of(trace)->fd, SYSPROF_IOC_CHAIN, &arg) == 0 ? 0 : errno;
}

static bool device_copies_instead(const SptTrace *trace)
{
	return device_device_of(trace)->info.features & SYSPROF_FEATURE_RAW_INSTEAD;
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
	return ioctl(device_device_of(trace)->fd, SYSPROF_IOC_TABLE, &arg) == 0 ? 0 : errno;
}

static int device_give_table_of_file(SptTrace *trace, int fd, const void *table, size_t bytes,
				     uint32_t *ret_object)
{
	struct sysprof_table arg = {
		.size = sizeof(arg),
		.flags = SYSPROF_TABLE_OF_FILE,
		.table = (uintptr_t)table,
		.bytes = (uint32_t)MIN(bytes, UINT32_MAX),
		.fd = fd,
	};

	if (!(device_device_of(trace)->info.features & SYSPROF_FEATURE_TABLE_FILE))
		return EOPNOTSUPP;
	if (ioctl(device_device_of(trace)->fd, SYSPROF_IOC_TABLE, &arg) != 0)
		return errno;
	*ret_object = arg.object;
	return 0;
}

static const struct spt_trace_source device_source = {
	.abilities = {
		.name = "module",
		.filters_pids = true,
		.reports_delays = true,
		.sums_in_snapshot = true,
		.requests_by_name = true,
	},
	.clock = "timer",
	.records = {
		.free = device_free,
		.can = device_can,
		.start = device_start,
		.stop = device_stop,
		.wait = device_wait,
		.drain = device_drain,
		.snapshot = device_snapshot,
		.has_cpu = device_has_cpu,
		.stats = device_stats,
		.make_room = device_make_room,
	},
	.services = {
		.limited = device_limited,
		.lacks_sources = device_lacks_sources,
		.sees_in_part = device_sees_in_part,
		.names = device_names,
		.raw_request = device_raw_request,
		.slow_down = device_slow_down,
		.has_tables = device_has_tables,
		.has_chains = device_has_chains,
		.has_thread_chains = device_has_thread_chains,
		.give_chain = device_give_chain,
		.give_chain_of_file = device_give_chain_of_file,
		.copies_instead = device_copies_instead,
		.give_table = device_give_table,
		.give_table_of_file = device_give_table_of_file,
		.map_fd = device_map_fd,
		.region_start = device_region_start,
	},
};

SptTrace *spt_device_open(GError **error)
{
	struct device *device = g_new0(struct device, 1);
	g_autoptr(SptTrace) trace = &device->trace;
	int number;

	trace->source = &device_source;
	device->fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);
	number = errno;
	if (device->fd < 0 && number == EACCES && spt_opener_is_installed(SPT_OPENER)) {
		device->fd = spt_opener_ask(&device->opener);
		number = errno;
	}
	if (device->fd < 0) {
		set_open_error(error, number);
		return NULL;
	}
	device->info.size = sizeof(device->info);
	if (!device_call(device, SYSPROF_IOC_INFO, &device->info, SPT_WORDS("ask what it can do"),
			 error))
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
	trace->n_cpus = device->info.cpus;
	return g_steal_pointer(&trace);
}
