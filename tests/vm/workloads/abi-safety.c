// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a session must not do to the machine and to other sessions, no matter who asks for it:
 *
 *	abi-safety stopping | injected | exits | offline | rates | snapshot | default-ring | counters |
 *		limits
 *	abi-safety storm SECONDS
 *	abi-safety kinds | full | quarter
 *
 * As root, but for default-ring, counters and limits.  The modules rcuheld and idled of tests/vm
 * are loaded for the first two.  quarter counts instructions, on one CPU (tests/vm/run --icount).
 */
#include "abi.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define HELD		"/sys/module/rcuheld/parameters/"
#define HOLD_MS		"1500"
#define CPU_0		1
#define EXITS		200
#define THREADS		6
#define PINNED		600
#define MEMBER_SESSIONS	64
#define KEPT_PERCENT	75

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static char first_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c = 0;

	if (fd >= 0 && read(fd, &c, 1) != 1)
		c = 0;
	close(fd);
	return c;
}

static int configure(int fd, uint32_t ring_bytes, uint64_t cpus, const uint32_t *pid)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_MS,
					 .ring_bytes = ring_bytes,
					 .cpus = (uintptr_t)&cpus,
					 .cpus_bytes = cpus ? 8 : 0,
					 .pids = (uintptr_t)pid,
					 .nr_pids = !!pid,
					 .flags = pid ? SYSPROF_CONFIG_CHILDREN : 0 };

	return ioctl(fd, SYSPROF_IOC_CONFIGURE, &config);
}

/* STOP and CONFIGURE of one session at once. */

static void *stop(void *fd)
{
	ioctl(*(int *)fd, SYSPROF_IOC_STOP);
	return NULL;
}

/*
 * A reader of RCU on CPU 1, which the session leaves alone: STOP need not ask that CPU, and has to
 * wait for it all the same.
 */
static void test_stopping(void)
{
	pthread_t stopper;
	int fd = device_open();
	bool held;
	int ret;

	pin(0);
	ok(!configure(fd, PAGE, CPU_0, NULL) && !ioctl(fd, SYSPROF_IOC_START, NULL),
	   "a session of CPU 0 alone: %s", strerror(errno));
	ok(write_text(HELD "hold", HOLD_MS), "a reader on CPU 1: %s", strerror(errno));
	pthread_create(&stopper, NULL, stop, &fd);
	do {
		ret = configure(fd, 2 * PAGE, CPU_0, NULL);
	} while (ret && errno == EBUSY);
	held = first_of(HELD "held") == 'Y';
	ok(!ret, "CONFIGURE while it stops: %s", ret ? strerror(errno) : "done");
	ok(!held, "... not before hooks that may be at its rings and filter are through");
	pthread_join(stopper, NULL);
	while (first_of(HELD "held") == 'Y')
		usleep(10000);
	close(fd);
}

/* Idle time that is made. */
static void test_injected(void)
{
	struct sysprof_account account = { 0 };
	int fd = device_open();

	pin(0);
	ok(!configure(fd, 0, CPU_0, NULL) && !ioctl(fd, SYSPROF_IOC_START, NULL), "START: %s",
	   strerror(errno));
	burn_ms(2000);
	ok(account_get(fd, 0, &account) && account.grid, "STATS");
	timed(account.delivered > account.grid / 2,
	      "a busy CPU is sampled while idle time is injected (%" PRIu64 " of %" PRIu64
	      " periods, idle %" PRIu64 ")",
	      (uint64_t)account.delivered, (uint64_t)account.grid, (uint64_t)account.idle);
	close(fd);
}

/* Processes whose threads end at the same time. */

static pthread_barrier_t all_there;

static void *wait_and_exit(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&all_there);
	return NULL;
}

static int exit_with_threads(void *unused)
{
	pthread_t thread;

	(void)unused;
	pthread_barrier_init(&all_there, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, wait_and_exit, NULL);
	pthread_barrier_wait(&all_there);
	return 0;
}

struct ends {
	unsigned processes, threads, last[1 << 16];
};

static void count_ends(const struct sysprof_record *record, void *data)
{
	struct ends *ends = data;

	if (record->type != SYSPROF_EXIT)
		return;
	ends->threads++;
	if (record->flags & SYSPROF_EXIT_PROCESS) {
		ends->processes++;
		ends->last[record->pid & 0xffff]++;
	}
}

static void test_exits(void)
{
	struct session session = session_open(NS_PER_MS, 1U << 22);
	static struct ends ends;
	unsigned twice = 0;

	ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL), "START");
	for (int i = 0; i < EXITS; i++)
		in_child(exit_with_threads, NULL);
	ioctl(session.fd, SYSPROF_IOC_STOP);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, count_ends, &ends);
	for (unsigned i = 0; i < 1 << 16; i++)
		twice += ends.last[i] > 1;
	ok(ends.processes >= EXITS && ends.threads >= EXITS * (THREADS + 1),
	   "every process ends (%u, threads %u)", ends.processes, ends.threads);
	ok(!twice, "... once (twice: %u)", twice);
	session_close(&session);
}

/* The account of a CPU that is not there. */

struct accounts {
	unsigned expected, others;
};

static void look_at_account(const struct sysprof_record *record, void *data)
{
	struct accounts *accounts = data;

	if (record->type == SYSPROF_ACCOUNT)
		++*(record->cpu == 1 ? &accounts->expected : &accounts->others);
}

static void test_offline(void)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct accounts accounts = { 0 };

	pin(0);
	ok(write_text(online, "0"), "CPU 1 goes");
	ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL), "START");
	usleep(50000);
	ioctl(session.fd, SYSPROF_IOC_STOP);
	session_drain(&session, 1, look_at_account, &accounts);
	ok(accounts.expected && !accounts.others,
	   "the account of a CPU that is offline is its own (%u, others %u)", accounts.expected,
	   accounts.others);
	ok(write_text(online, "1"), "... and comes back");
	session_close(&session);
}

/* What samples of this thread are while one of the modules holds its CPU. */

struct kinds {
	unsigned guest, switched, copied;
};

static void look_at_kind(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	struct kinds *kinds = data;

	if (record->type != SYSPROF_SAMPLE || record->pid != (uint32_t)getpid())
		return;
	kinds->guest += !!(record->flags & SYSPROF_SAMPLE_GUEST);
	if (sample->n_kernel && !(record->flags & SYSPROF_SAMPLE_KERNEL_EXACT)) {
		kinds->switched++;
		kinds->copied += sample->raw_bytes != 0;
	}
}

static struct kinds kinds_while(const char *path, const char *text)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_MS,
					 .ring_bytes = session.config.ring_bytes,
					 .user_mode = SYSPROF_USER_RAW + 1 };
	struct kinds kinds = { 0 };

	ok(!ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL) && write_text(path, text),
	   "%s: %s", path, strerror(errno));
	ioctl(session.fd, SYSPROF_IOC_STOP);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, look_at_kind, &kinds);
	session_close(&session);
	return kinds;
}

static void test_kinds(void)
{
	struct kinds kinds = kinds_while("/sys/module/guest/parameters/run", "500");

	timed(kinds.guest >= 20, "a guest's time is flagged (%u samples)", kinds.guest);
	kinds = kinds_while("/sys/module/late/parameters/sleep", "20");
	ok(!kinds.guest, "... and no other (%u)", kinds.guest);
	timed(kinds.switched >= 5, "ticks come at switches of tasks (%u)", kinds.switched);
	ok(!kinds.copied, "... and have frames alone (%u with stacks)", kinds.copied);
}

/* A slow session does not hold back one that comes later. */
static void test_rates(void)
{
	struct sysprof_start slow = { .size = sizeof(slow) }, fast = slow;
	int first = device_open(), second = device_open();

	configured(first, 1000 * NS_PER_MS, PAGE);
	configured(second, NS_PER_MS, PAGE);
	ok(!ioctl(first, SYSPROF_IOC_START, &slow) && !ioctl(second, SYSPROF_IOC_START, &fast),
	   "START of a slow session, and of a faster one: %s", strerror(errno));
	ok(slow.period_ns == 1000 * NS_PER_MS && fast.period_ns == NS_PER_MS,
	   "... which both have their rate (%" PRIu64 " and %" PRIu64 " ns)",
	   (uint64_t)slow.period_ns, (uint64_t)fast.period_ns);
	close(first);
	close(second);
}

/* A snapshot that is not read to its end. */

static long tasks_in_memory(void)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	char line[256];
	long n = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "task_struct %ld", &n) == 1)
			break;
	if (file)
		fclose(file);
	return n;
}

static int snapshot(int fd, void *buffer, uint64_t *cursor)
{
	struct sysprof_snapshot arg = { .size = sizeof(arg),
					.cursor = *cursor,
					.buffer = (uintptr_t)buffer,
					.buffer_bytes = 64U << 10 };
	int ret = ioctl(fd, SYSPROF_IOC_SNAPSHOT, &arg);

	*cursor = arg.cursor;
	return ret;
}

static void test_snapshot(void)
{
	static uint8_t buffer[64U << 10];
	pid_t pids[PINNED];
	int fd = device_open(), go[2];
	uint64_t cursor = 0;
	long most, left;
	char c;

	if (pipe(go))
		err(1, "pipe");
	for (int i = 0; i < PINNED; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			close(go[1]);
			_exit((int)read(go[0], &c, 1));
		}
	}
	ok(!snapshot(fd, buffer, &cursor) && cursor, "a snapshot is begun: %s", strerror(errno));
	most = tasks_in_memory();
	close(go[0]);
	close(go[1]);
	for (int i = 0; i < PINNED; i++)
		waitpid(pids[i], NULL, 0);
	for (int i = 0; i < 50 && tasks_in_memory() > most - PINNED / 2; i++)
		usleep(100000);
	left = tasks_in_memory();
	ok(most > PINNED && left <= most - PINNED / 2,
	   "... which keeps no task of those who exit (%ld of %ld are left)", left, most);
	ok(!snapshot(fd, buffer, &cursor), "... and goes on: %s", strerror(errno));
	close(fd);
}

/* With 1 MiB for a user. */
static void test_default_ring(void)
{
	struct sysprof_config config[2] = { { .size = sizeof(*config) },
					    { .size = sizeof(*config) } };
	int fds[2] = { device_open(), device_open() };

	ok(!ioctl(fds[0], SYSPROF_IOC_CONFIGURE, &config[0]) &&
		   !ioctl(fds[1], SYSPROF_IOC_CONFIGURE, &config[1]),
	   "default rings fit, twice: %s", strerror(errno));
	ok(config[0].ring_bytes >= 16 * PAGE && config[0].ring_bytes < 1U << 20,
	   "... for they are smaller where there is less (%u bytes)", config[0].ring_bytes);
	close(fds[0]);
	close(fds[1]);
}

/* Where there are four counters (tests/vm/nmi). */
static void test_full(void)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .clock = SYSPROF_CLOCK_PMU,
					 .ring_bytes = PAGE };
	int fds[5], n = 0, ret;

	do {
		fds[n] = device_open();
		ret = ioctl(fds[n], SYSPROF_IOC_CONFIGURE, &config);
		if (!ret)
			ret = ioctl(fds[n], SYSPROF_IOC_START, NULL);
	} while (!ret && ++n < 5);
	ok(n == 4 && errno == EBUSY, "a counter that finds no room is refused (%d, then %s)", n,
	   strerror(errno));
	close(fds[0]);
	ok(n < 5 && !ioctl(fds[n], SYSPROF_IOC_START, NULL), "... until another is given back: %s",
	   strerror(errno));
	for (int i = 1; i <= n && i < 5; i++)
		close(fds[i]);
}

static void test_counters(void)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .clock = SYSPROF_CLOCK_PMU,
					 .event_type = 4 /* PERF_TYPE_RAW */,
					 .event_config = 0x3c };
	int fd = device_open();

	refuses(ioctl(fd, SYSPROF_IOC_CONFIGURE, &config), EPERM,
		"an event of the machine's own without CAP_PERFMON");
	close(fd);
}

/* As a user who is not root. */
static void test_limits(void)
{
	int fds[MEMBER_SESSIONS + 1], n = 0;

	while (n <= MEMBER_SESSIONS && (fds[n] = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC)) >= 0)
		n++;
	ok(n == MEMBER_SESSIONS && errno == EUSERS,
	   "a user may have %d sessions (%d, then %s)", MEMBER_SESSIONS, n, strerror(errno));
	while (n--)
		close(fds[n]);
	fds[0] = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);
	ok(fds[0] >= 0, "... and again when they are closed");
	close(fds[0]);
}

/* START and STOP against CONFIGURE of one session, while processes come and go. */

static volatile bool over;

static void *start_and_stop(void *fd)
{
	while (!over) {
		ioctl(*(int *)fd, SYSPROF_IOC_START, NULL);
		ioctl(*(int *)fd, SYSPROF_IOC_STOP);
	}
	return NULL;
}

static void *configure_anew(void *fd)
{
	uint32_t pid = getpid();

	for (unsigned i = 0; !over; i++)
		configure(*(int *)fd, PAGE << i % 3, CPU_0, i % 2 ? &pid : NULL);
	return NULL;
}

static void *fork_and_exit(void *unused)
{
	(void)unused;
	while (!over) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return NULL;
}

static void count_forks(const struct sysprof_record *record, void *data)
{
	*(unsigned *)data += record->type == SYSPROF_FORK &&
			     !(record->flags & SYSPROF_FORK_THREAD);
}

static void test_storm(unsigned seconds)
{
	struct session other = session_open(NS_PER_MS, 1U << 22);
	uint64_t until = wall_ns() + seconds * 1000 * NS_PER_MS;
	struct sysprof_account account;
	int fd = device_open(), behind = device_open();
	pthread_t threads[4];
	unsigned forks = 0, lost = 0;

	/* One session stands before the one in the storm in the list, another behind it. */
	ok(!ioctl(other.fd, SYSPROF_IOC_START, NULL), "a session beside the storm");
	pthread_create(&threads[0], NULL, start_and_stop, &fd);
	pthread_create(&threads[1], NULL, configure_anew, &fd);
	pthread_create(&threads[2], NULL, fork_and_exit, NULL);
	pthread_create(&threads[3], NULL, fork_and_exit, NULL);
	ok(!configure(behind, PAGE, 0, NULL) && !ioctl(behind, SYSPROF_IOC_START, NULL),
	   "... and one behind it");
	while (wall_ns() < until) {
		usleep(20000);
		for (unsigned cpu = 0; cpu < other.cpus; cpu++)
			session_drain(&other, cpu, count_forks, &forks);
	}
	over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (unsigned cpu = 0; cpu < other.cpus; cpu++)
		lost += !account_get(other.fd, cpu, &account) || account.state_lost;
	ok(forks > 10 && !lost, "the session beside it has all state records (%u forks)", forks);
	close(behind);
	close(fd);
	session_close(&other);
}

/* What many sessions take of a CPU together. */

#define SESSIONS	180
#define RAW_BYTES	65528
#define RAW_RING	(1U << 18)

static struct crowd {
	int fd;
	const struct sysprof_ring_page *page;
	struct sysprof_ring_tail *tail;
} crowd[SESSIONS];

static void join_crowd(struct crowd *one, uint64_t period_ns)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = period_ns,
					 .ring_bytes = RAW_RING,
					 .user_mode = SYSPROF_USER_RAW + 1,
					 .raw_bytes = RAW_BYTES };

	one->fd = device_open();
	if (ioctl(one->fd, SYSPROF_IOC_CONFIGURE, &config))
		err(1, "CONFIGURE of one of many");
	one->page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, one->fd, 0);
	one->tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, one->fd, PAGE);
	if (one->page == MAP_FAILED || one->tail == MAP_FAILED)
		err(1, "mmap of one of many");
}

/*
 * Work, for @ms milliseconds: rounds done, of which each empties all rings, so that there is always
 * room for a sample as large as it can be.
 */
static __attribute__((noinline)) uint64_t work(unsigned ms)
{
	uint64_t until = wall_ns() + ms * NS_PER_MS, rounds = 0;
	volatile char stack[RAW_BYTES + PAGE];

	memset((char *)stack, 1, sizeof(stack));
	while (wall_ns() < until) {
		for (volatile unsigned i = 0; i < 20000; i++)
			;
		for (unsigned i = 0; i < SESSIONS; i++)
			__atomic_store_n(&crowd[i].tail->tail,
					 __atomic_load_n(&crowd[i].page->head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
		rounds++;
	}
	return rounds;
}

/* 64 sessions of a user, of all rates, who reads nothing. */
static int member(void *ready)
{
	int fd;

	if (setgid(65534) || setuid(65534))
		return 1;
	for (unsigned i = 0; i < MEMBER_SESSIONS; i++) {
		struct sysprof_config config = { .size = sizeof(config),
						 .period_ns = 20000 << i % 8,
						 .ring_bytes = PAGE << i % 5,
						 .max_user_frames = 1024 };

		fd = device_open();
		if (ioctl(fd, SYSPROF_IOC_CONFIGURE, &config) || ioctl(fd, SYSPROF_IOC_START, NULL))
			return 1;
	}
	if (write(*(int *)ready, "", 1) != 1)
		return 1;
	pause();
	return 0;
}

static void test_quarter(void)
{
	struct sysprof_config config = { .size = sizeof(config), .period_ns = NS_PER_MS };
	struct sysprof_account account = { 0 };
	uint64_t alone, profiled;
	int ready[2], fd;
	pid_t pid;
	char c;

	for (unsigned i = 0; i < SESSIONS; i++)
		join_crowd(&crowd[i], NS_PER_MS);
	alone = work(2000);
	for (unsigned i = 0; i < SESSIONS; i++)
		if (ioctl(crowd[i].fd, SYSPROF_IOC_START, NULL))
			err(1, "START of one of many");
	profiled = work(2000);
	account_get(crowd[0].fd, 0, &account);
	for (unsigned i = 0; i < SESSIONS; i++)
		ioctl(crowd[i].fd, SYSPROF_IOC_STOP);
	printf("# %" PRIu64 " samples in %" PRIu64 " periods, %" PRIu64 " ns each\n",
	       (uint64_t)account.samples, (uint64_t)account.grid,
	       (uint64_t)(account.cost_ns / (account.ticks ? account.ticks : 1)));
	ok(profiled >= alone * KEPT_PERCENT / 100,
	   "beside %u sessions with large samples a program keeps three quarters of its progress "
	   "(%" PRIu64 " of %" PRIu64 " rounds)",
	   SESSIONS, profiled, alone);

	if (pipe(ready))
		err(1, "pipe");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(member(&ready[1]));
	close(ready[1]);
	ok(read(ready[0], &c, 1) == 1, "a user has %u sessions", MEMBER_SESSIONS);
	profiled = work(2000);
	ok(profiled >= alone * KEPT_PERCENT / 100,
	   "beside %u of a user's, of all rates, too (%" PRIu64 " of %" PRIu64 ")", MEMBER_SESSIONS,
	   profiled, alone);
	fd = device_open();
	ok(!ioctl(fd, SYSPROF_IOC_CONFIGURE, &config) && !ioctl(fd, SYSPROF_IOC_START, NULL),
	   "an administrator's session beside them: %s", strerror(errno));
	profiled = work(2000);
	account_get(fd, 0, &account);
	ok(profiled >= alone * KEPT_PERCENT / 100, "... leaves as much (%" PRIu64 " of %" PRIu64 ")",
	   profiled, alone);
	/* The emulator's clock goes on while the machine waits for its disk. */
	account.grid -= account.idle;
	ok(account.grid > 1000 && account.delivered * 10 >= account.grid * 9,
	   "... and has its rate (%" PRIu64 " of %" PRIu64 " periods, throttled %" PRIu64 ")",
	   (uint64_t)account.delivered, (uint64_t)account.grid,
	   (uint64_t)account.lost[SYSPROF_LOST_THROTTLED]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	for (unsigned i = 0; i < SESSIONS; i++)
		close(crowd[i].fd);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void);
	} tests[] = {
		{ "stopping", test_stopping }, { "injected", test_injected },
		{ "exits", test_exits },       { "offline", test_offline },
		{ "snapshot", test_snapshot }, { "default-ring", test_default_ring },
		{ "counters", test_counters }, { "limits", test_limits },
		{ "quarter", test_quarter },   { "kinds", test_kinds },
		{ "full", test_full },	       { "rates", test_rates },
	};

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "storm") && i + 1 < argc)
			test_storm(strtoul(argv[++i], NULL, 10));
		for (unsigned k = 0; k < sizeof(tests) / sizeof(tests[0]); k++)
			if (!strcmp(argv[i], tests[k].name))
				tests[k].run();
	}
	return tests_end();
}
