/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/words.h"
#include "trace/perf/raw.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static long read_number(const char *path, long otherwise)
{
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? strtol(text, NULL, 10) : otherwise;
}

bool spt_perf_wants_cpu(const SptTraceFilter *filter, unsigned cpu)
{
	return !filter->n_cpu_words ||
	       (cpu / 64 < filter->n_cpu_words && filter->cpus[cpu / 64] >> cpu % 64 & 1);
}

struct spt_perf_view spt_perf_view_of(unsigned cpu, const SptTraceConfig *config)
{
	return (struct spt_perf_view){
		.is_wanted = spt_perf_wants_cpu(&config->filter, cpu),
		.only_user = config->filter.only_user,
		.only_kernel = config->filter.only_kernel,
		.no_user = config->no_user,
		.tells_switches = config->waits.is_on,
		.has_raw = config->raw_bytes,
		.registers = spt_perf_raw_registers(),
	};
}

int spt_perf_open_event(unsigned cpu, const struct spt_perf_event *event,
			const SptTraceConfig *config)
{
	struct spt_perf_view view = spt_perf_view_of(cpu, config);
	struct perf_event_attr attr;

	spt_perf_attr_of_event(&attr, event, &view);
	return syscall(SYS_perf_event_open, &attr,
		       event->thread >= 0 ? event->thread : event->cgroup, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC | (event->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0));
}

int spt_perf_open_switches(unsigned cpu, const struct spt_perf_switches *event)
{
	struct perf_event_attr attr;

	spt_perf_attr_of_switches(&attr, event, spt_perf_raw_registers());
	return syscall(SYS_perf_event_open, &attr, event->thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Whether a filter decides which system calls this process has, as in most containers. */
static bool is_filtered(void)
{
	g_autofree char *status = NULL;

	return g_file_get_contents("/proc/self/status", &status, NULL, NULL) &&
	       strstr(status, "\nSeccomp:\t2");
}

void spt_perf_set_open_error(GError **error, int number)
{
	long paranoid = read_number(PARANOID, -1);

	switch (number) {
	case EACCES:
	case EPERM:
		/* Where perf_event_paranoid forbids something, the error is EACCES. */
		if (number == EPERM && is_filtered())
			spt_set_error(
				error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_REFUSED,
				"A seccomp filter, as containers have, forbids perf events (%s); start the container with "
				"--security-opt seccomp=unconfined --cap-add PERFMON, or record on the host",
				g_strerror(number));
		else if (geteuid() != 0 && paranoid > 0)
			spt_set_error(
				error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
				"The kernel does not let this user profile with perf events, not even your own processes "
				"(kernel.perf_event_paranoid is %ld); open them with: sudo sysctl "
				"kernel.perf_event_paranoid=-1, or load the module: doctor says how",
				paranoid);
		else
			spt_set_error(
				error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_REFUSED,
				"The kernel refused perf events (%s): a container without CAP_PERFMON, or a "
				"security policy is in the way; run it on the host",
				g_strerror(number));
		break;
	case ENOSYS:
	case ENOENT:
	case ENODEV:
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_DEVICE,
			"This kernel has no perf events (%s); load the module: doctor says how",
			g_strerror(number));
		break;
	case EMFILE:
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			"Cannot open one perf event per CPU: %s; raise the limit with: ulimit -n",
			g_strerror(number));
		break;
	default:
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot open perf events: %s", g_strerror(number));
	}
}

unsigned spt_perf_max_frames(void)
{
	long frames = read_number("/proc/sys/kernel/perf_event_max_stack", PERF_MAX_STACK_DEPTH);

	return CLAMP(frames, 1, UINT16_MAX);
}

/* "0-3" or "0,2-5": the last number is the largest. */
unsigned spt_perf_possible_cpus(void)
{
	g_autofree char *text = NULL;
	size_t at;

	if (!g_file_get_contents("/sys/devices/system/cpu/possible", &text, NULL, NULL))
		return g_get_num_processors();
	g_strchomp(text);
	for (at = strlen(text); at && g_ascii_isdigit(text[at - 1]); at--)
		;
	return MIN(strtoul(text + at, NULL, 10), UINT16_MAX - 1) + 1;
}
