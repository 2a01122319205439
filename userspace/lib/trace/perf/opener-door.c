/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/opener-door.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/words.h"
#include "trace/opener-private.h"
#include "trace/trace-private.h"

struct SptPerfDoor {
	struct spt_opener opener;	/* over: it has no pid */
	GMutex lock;			/* an answer follows its request */
	int refs;
};

bool spt_perf_door_is_installed(void)
{
	return spt_opener_is_installed(SPT_PERF_OPENER);
}

/* The answer's descriptor, or 0 if it has none. */
static int door_call(SptPerfDoor *door, const struct spt_door_request *request, int cgroup,
		     struct spt_door_answer *ret)
{
	ssize_t n = -1;
	int fd = -1;

	g_mutex_lock(&door->lock);
	if (door->opener.pid)
		n = spt_send_descriptor(door->opener.channel, request, sizeof(*request), cgroup,
					0);
	/*
	 * One that refused has ended already, perhaps without reading the request, an error that
	 * comes first; its answer waits here.
	 */
	if (n == (ssize_t)sizeof(*request) || (n < 0 && errno == EPIPE && door->opener.pid)) {
		n = spt_receive_descriptor(door->opener.channel, ret, sizeof(*ret), &fd);
		if (n < 0 && errno == ECONNRESET)
			n = spt_receive_descriptor(door->opener.channel, ret, sizeof(*ret), &fd);
	}
	g_mutex_unlock(&door->lock);
	if (n == (ssize_t)sizeof(*ret) && !ret->number)
		return fd < 0 ? 0 : fd;
	if (fd >= 0)
		close(fd);
	errno = n == (ssize_t)sizeof(*ret) ? ret->number : ECONNRESET;
	return -1;
}

static int door_ask(SptPerfDoor *door, const struct spt_door_request *request, int cgroup)
{
	struct spt_door_answer answer;

	return door_call(door, request, cgroup, &answer);
}

static void door_set_error(GError **error, int number)
{
	switch (number) {
	case ECANCELED:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "You did not authenticate, so only your own processes can be recorded: "
			      "leave out --source system, or try again");
		break;
	case EUSERS:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "%d recordings of the whole system of yours run already: end one",
			      SPT_PERF_OPENERS_MOST);
		break;
	default:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "polkit does not let you record the whole system: an administrator "
			      "can, or can allow it (action io.github.sysprof_trace.perf); "
			      "without --source system your own processes are recorded");
	}
}

SptPerfDoor *spt_perf_door_open(GError **error)
{
	SptPerfDoor *door;
	int number;

	if (!spt_perf_door_is_installed()) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_DEVICE,
			      "There is no %s, which opens perf events of the whole system for "
			      "users: install the package sysprof-trace-polkit",
			      SPT_PERF_OPENER);
		return NULL;
	}
	door = g_new0(SptPerfDoor, 1);
	g_mutex_init(&door->lock);
	door->refs = 1;
	if (spt_opener_begin(&door->opener, SPT_PERF_OPENER) && spt_perf_door_begin(door) == 0)
		return door;
	number = errno;
	if (number == ECONNRESET)
		number = spt_opener_why(&door->opener);
	door_set_error(error, number);
	spt_perf_door_free(door);
	return NULL;
}

void spt_perf_door_free(SptPerfDoor *door)
{
	if (!door)
		return;
	g_mutex_lock(&door->lock);
	spt_opener_end(&door->opener);
	g_mutex_unlock(&door->lock);
	spt_perf_door_unref(door);
}

SptPerfDoor *spt_perf_door_ref(SptPerfDoor *door)
{
	g_atomic_int_inc(&door->refs);
	return door;
}

void spt_perf_door_unref(void *data)
{
	SptPerfDoor *door = data;

	if (!g_atomic_int_dec_and_test(&door->refs))
		return;
	g_mutex_clear(&door->lock);
	g_free(door);
}

bool spt_perf_door_lives(SptPerfDoor *door, GError **error)
{
	char byte;
	ssize_t n;

	g_mutex_lock(&door->lock);
	/* It says nothing that was not asked for. */
	n = recv(door->opener.channel, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	g_mutex_unlock(&door->lock);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_REFUSED,
		      "The recording was ended from outside: root ended this user's recordings of the "
		      "whole system, or %s itself",
		      SPT_PERF_OPENER);
	return false;
}

bool spt_perf_door_can(const SptTraceConfig *config, GError **error)
{
	if (config->raw_bytes)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Copies of stacks are memory of others, which --source system does not "
			      "show: use --stacks fp");
	else if (config->points || config->kernel)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "With --source system there are samples and waits, no other events: "
			      "those need root, or the module");
	return !config->raw_bytes && !config->points && !config->kernel;
}

int spt_perf_door_begin(SptPerfDoor *door)
{
	return door_ask(door, &(struct spt_door_request){ .what = SPT_DOOR_BEGIN }, -1);
}

int spt_perf_door_ticks(SptPerfDoor *door, unsigned cpu, const struct spt_perf_event *event,
			const SptTraceConfig *config)
{
	const struct spt_perf_view view = spt_perf_view_of(cpu, config);
	const struct spt_door_request request = {
		.what = SPT_DOOR_RING,
		.kind = SPT_DOOR_TICKS,
		.cpu = cpu,
		.flags = (view.is_wanted ? SPT_DOOR_WANTED : 0) |
			 (view.only_user ? SPT_DOOR_ONLY_USER : 0) |
			 (view.only_kernel ? SPT_DOOR_ONLY_KERNEL : 0) |
			 (view.no_user ? SPT_DOOR_NO_USER : 0),
		.number = event->period_ns,
		.watermark_bytes = (uint32_t)event->watermark_bytes,
	};

	return door_ask(door, &request, event->cgroup);
}

int spt_perf_door_waits(SptPerfDoor *door, enum spt_door_kind kind, unsigned cpu,
			size_t watermark_bytes)
{
	const struct spt_door_request request = { .what = SPT_DOOR_RING,
						  .kind = kind,
						  .cpu = cpu,
						  .watermark_bytes = (uint32_t)watermark_bytes };

	return door_ask(door, &request, -1);
}

int spt_perf_door_control(SptPerfDoor *door, enum spt_door_what what, enum spt_door_kind kind,
			  unsigned cpu, uint64_t number)
{
	const struct spt_door_request request = {
		.what = what, .kind = kind, .cpu = cpu, .number = number
	};

	return door_ask(door, &request, -1);
}

int spt_perf_door_kallsyms(SptPerfDoor *door)
{
	return door_ask(door, &(struct spt_door_request){ .what = SPT_DOOR_KALLSYMS }, -1);
}

int spt_perf_door_open_file(uint32_t pid, const char *name, void *door)
{
	const struct spt_door_request request = { .what = SPT_DOOR_MAPS, .number = pid };

	if (!g_str_equal(name, "maps")) {
		errno = EACCES;
		return -1;
	}
	return door_ask(door, &request, -1);
}

void spt_perf_door_tracepoints(SptPerfDoor *door, struct spt_perf_tracepoints *ret)
{
	const struct spt_door_request request = { .what = SPT_DOOR_TRACEPOINTS };
	struct spt_door_answer answer = { 0 };

	*ret = (struct spt_perf_tracepoints){ 0 };
	if (door_call(door, &request, -1, &answer) == 0)
		*ret = answer.points;
}

unsigned spt_perf_door_end_openers(uid_t uid)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SPT_PERF_OPENERS_MOST; i++) {
		g_autofree char *path = g_strdup_printf(SPT_PERF_OPENER_RUN "/%u.%u", (unsigned)uid, i);
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
		int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

		if (fd < 0)
			continue;
		if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK &&
		    kill(lock.l_pid, SIGTERM) == 0) {
			n++;
			/* It has ended once its lock is free. */
			lock = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
			fcntl(fd, F_SETLKW, &lock);
		}
		close(fd);
	}
	return n;
}
