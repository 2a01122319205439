// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Weight per CPU against /proc/stat, read at the same moments.  Two CPUs are kept busy; one alone
 * works in turns of random length, which can only be measured to the point where no host takes the
 * CPU away (in the midst of an interrupt of an idle CPU that would be busy time for /proc/stat).
 * What /proc/stat has as idle is measured by the clock, while its other columns are counted by
 * timer interrupts, which an emulator drops: busy time is wall time less idle.
 */
#include "abi.h"

#include <sched.h>
#include <signal.h>

#define CPUS		2
#define STAT_TICK_NS	10000000ULL
#define LOOKS		20
#define MOMENT_NS	(5 * NS_PER_MS)

struct look {
	uint64_t wall, idle[CPUS], delivered[CPUS];
};

static unsigned cpus;

static void look_once(int fd, struct look *ret)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256];

	if (!file)
		err(1, "cannot read /proc/stat");
	ret->wall = wall_ns();
	while (fgets(line, sizeof(line), file)) {
		uint64_t idle, iowait;
		unsigned cpu;

		if (sscanf(line, "cpu%u %*u %*u %*u %" SCNu64 " %" SCNu64, &cpu, &idle, &iowait) ==
			    3 &&
		    cpu < cpus)
			ret->idle[cpu] = (idle + iowait) * STAT_TICK_NS;
	}
	fclose(file);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct sysprof_account account = { 0 };

		if (!account_get(fd, cpu, &account))
			err(1, "STATS of CPU %u", cpu);
		ret->delivered[cpu] = account.delivered;
	}
}

/* All of it belongs to one moment, as far as others let it: the quickest of some looks. */
static void look(int fd, struct look *ret)
{
	uint64_t took, least = UINT64_MAX;
	struct look next;

	for (unsigned i = 0; i < LOOKS && least > MOMENT_NS; i++) {
		look_once(fd, &next);
		took = wall_ns() - next.wall;
		if (took < least) {
			least = took;
			*ret = next;
		}
	}
}

static pid_t load(unsigned cpu)
{
	pid_t pid = fork();
	cpu_set_t set;

	if (pid < 0)
		err(1, "cannot fork");
	if (pid)
		return pid;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	srand(1);
	for (;;) {
		uint64_t until = wall_ns() + (rand() % 300 + 200) * NS_PER_MS;

		while (wall_ns() < until)
			spin(1000, cpu);
		if (cpus == 1)
			usleep((rand() % 200 + 100) * 1000);
	}
}

struct result {
	double whole, busy, ours, off;
};

/* Looks twice, @wall apart; by how much ours is off, as a share. */
static void compare(int fd, uint64_t wall, struct result results[CPUS])
{
	struct look first, last;

	look(fd, &first);
	usleep(wall / 1000);
	look(fd, &last);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct result *result = &results[cpu];

		result->whole = last.wall - first.wall;
		result->busy = result->whole - (last.idle[cpu] - first.idle[cpu]);
		result->ours = (last.delivered[cpu] - first.delivered[cpu]) * (double)NS_PER_MS;
		result->off = result->ours / result->busy - 1;
	}
}

int main(int argc, char **argv)
{
	uint64_t wall = cpu_budget_ns(argc, argv, 10);
	struct result results[CPUS];
	int fd = device_open();
	pid_t pids[CPUS];

	cpus = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? CPUS : 1;
	configured(fd, NS_PER_MS, 8U << 20);
	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		pids[cpu] = load(cpu);
	usleep(200000);
	compare(fd, wall, results);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		const struct result *result = &results[cpu];

		kill(pids[cpu], SIGKILL);
		timed(result->off > -0.02 && result->off < 0.02,
		      "CPU %u was busy for %.2f s of %.2f: by /proc/stat %.2f (%+.2f %%)", cpu,
		      result->ours / 1e9, result->whole / 1e9, result->busy / 1e9,
		      100 * result->off);
	}
	return tests_end();
}
