// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions side by side, and what they leave out: filters are exact, a reader that stands still
 * costs the others nothing, the loss law holds for all of them while a CPU goes and comes, idle and
 * isolated CPUs are left alone, the budget is kept.
 *
 *	abi-sessions filters | readers | quiet | budget | time | cap | refusals | isolated | paused SECONDS FILE
 */
#include "abi.h"

#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>

#define WORKERS		8
#define WORK_MS		300
#define NOBODY		65534
#define CGROUP		"/sys/fs/cgroup/sysprof-test"

/* What the samples of a session say. */
struct seen {
	uint64_t weight, user_weight, kernel_weight, strangers, by_worker[WORKERS], by_cpu[2];
	unsigned times[SYSPROF_TIME_STEP + 1];
	uint64_t gap_ns;
};

/*
 * Shared with the workers: each has several processes, which write their ids here before they work.
 */
static struct shared {
	pid_t pids[WORKERS][4];
	unsigned waiting;
} *shared;

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		printf("# cannot write %s to %s: %s\n", text, path, strerror(errno));
	close(fd);
}

static int worker_of(uint32_t pid)
{
	/* The idle task, in a soft interrupt: numbers that are not set yet are 0, too. */
	if (!pid)
		return -1;
	for (int i = 0; i < WORKERS; i++)
		for (unsigned k = 0; k < 4; k++)
			if (shared->pids[i][k] == (pid_t)pid)
				return i;
	return -1;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const struct sysprof_time *time = (const void *)record;
	struct seen *seen = data;
	int worker;

	if (record->type == SYSPROF_TIME && time->reason <= SYSPROF_TIME_STEP) {
		seen->times[time->reason]++;
		seen->gap_ns += time->gap_ns;
	}
	if (record->type != SYSPROF_SAMPLE)
		return;
	worker = worker_of(record->pid);
	seen->weight += sample->weight;
	*(sample->n_kernel ? &seen->kernel_weight : &seen->user_weight) += sample->weight;
	if (record->cpu < 2)
		seen->by_cpu[record->cpu] += sample->weight;
	if (worker >= 0)
		seen->by_worker[worker] += sample->weight;
	else
		seen->strangers += sample->weight;
}

static void drain(struct session *session, struct seen *seen)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		if (!session_drain(session, cpu, look_at, seen))
			ok(false, "the ring of CPU %u can be walked", cpu);
}

/* The account of all CPUs together; reports one that does not add up. */
static struct sysprof_account account_of(const struct session *session, unsigned *unlawful)
{
	struct sysprof_account sum = { 0 }, one;

	for (unsigned cpu = 0; cpu < session->cpus; cpu++) {
		const uint64_t *from = (const uint64_t *)&one;

		if (!account_get(session->fd, cpu, &one) || one.grid != account_sum(&one)) {
			printf("# CPU %u: grid %" PRIu64 ", sum %" PRIu64 "\n", cpu,
			       (uint64_t)one.grid, account_sum(&one));
			++*unlawful;
		}
		for (unsigned i = 0; i < sizeof(sum) / sizeof(uint64_t); i++)
			((uint64_t *)&sum)[i] += from[i];
	}
	return sum;
}

static uint64_t lost_of(const struct sysprof_account *account)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		lost += account->lost[i];
	return lost;
}

/* A session of the common rate with the filters of @filter. */
static struct session filtered(const struct sysprof_config *filter)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct sysprof_config config = *filter;

	config.size = sizeof(config);
	config.period_ns = config.period_ns ? config.period_ns : NS_PER_MS;
	config.ring_bytes = session.config.ring_bytes;
	if (ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config))
		ok(false, "CONFIGURE with filters: %s", strerror(errno));
	return session;
}

/* Burns CPU time in both worlds. */
static void work(int worker, unsigned number, unsigned ms)
{
	uint64_t until = thread_cpu_ns() + ms * NS_PER_MS;

	shared->pids[worker][number] = getpid();
	while (thread_cpu_ns() < until)
		sched_yield();
}

/*
 * Workers: 0 and 1 plain, 2 another user, 3 in a control group, 4 with a child from before START
 * and, after it, a child that has one.  Each waits until @go is closed.
 */
static void wait_for(int go)
{
	char byte;

	__atomic_add_fetch(&shared->waiting, 1, __ATOMIC_SEQ_CST);
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
}

static void family(int go)
{
	pid_t elder = fork();

	shared->pids[4][elder ? 0 : 1] = getpid();
	wait_for(go);
	if (elder) {
		pid_t child = fork();

		if (!child) {
			if (!fork()) {
				work(4, 3, WORK_MS / 3);
				_exit(0);
			}
			work(4, 2, WORK_MS / 3);
			wait(NULL);
			_exit(0);
		}
	}
	work(4, elder ? 0 : 1, WORK_MS / 3);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static pid_t spawn(int worker, const int *go)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	close(go[1]);
	shared->pids[worker][0] = getpid();
	if (worker == 2 && (setgid(NOBODY) || setuid(NOBODY)))
		err(1, "cannot be another user");
	if (worker == 3)
		write_file(CGROUP "/inner/cgroup.procs", "0");
	if (worker == 4)
		family(go[0]);
	wait_for(go[0]);
	work(worker, 0, WORK_MS);
	_exit(0);
}

/*
 * A worker may still be on the way to its sleep between one session's START and another's: some
 * ticks of it are one's alone.
 */
static bool nearly(uint64_t a, uint64_t b)
{
	return a <= b + 4 && b <= a + 4;
}

static void test_filters(void)
{
	enum { ALL, PID, CHILDREN, USER_ID, GROUP, CPU, USER, KERNEL, BOTH, SESSIONS };
	static const char *const names[SESSIONS] = {
		"no filter", "a process",	"a process and what it starts",
		"a user",    "a control group", "a CPU",
		"user code", "kernel code",	"a process, kernel code"
	};
	uint32_t pid, parent, two[2], uid = NOBODY;
	struct sysprof_config filters[SESSIONS] = { { 0 } };
	struct session sessions[SESSIONS];
	struct seen seen[SESSIONS] = { { 0 } };
	struct sysprof_account accounts[SESSIONS], account = { 0 };
	uint64_t cpu_1 = 2, expected[SESSIONS] = { 0 };
	unsigned unlawful = 0;
	pid_t pids[5];
	int go[2];

	mkdir(CGROUP, 0755);
	mkdir(CGROUP "/inner", 0755);
	if (pipe(go))
		err(1, "pipe");
	for (int i = 0; i < 5; i++)
		pids[i] = spawn(i, go);
	while (__atomic_load_n(&shared->waiting, __ATOMIC_SEQ_CST) < 6)
		usleep(10000);
	usleep(100000);
	pid = pids[0];
	parent = pids[4];
	two[0] = pids[0];
	two[1] = pids[1];
	filters[PID] = (struct sysprof_config){ .pids = (uintptr_t)&pid, .nr_pids = 1 };
	filters[CHILDREN] = (struct sysprof_config){ .pids = (uintptr_t)&parent,
						     .nr_pids = 1,
						     .flags = SYSPROF_CONFIG_CHILDREN };
	filters[USER_ID] = (struct sysprof_config){ .uids = (uintptr_t)&uid, .nr_uids = 1 };
	filters[GROUP] = (struct sysprof_config){ .flags = SYSPROF_CONFIG_CGROUP };
	filters[GROUP].cgroup_fd = open(CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	filters[CPU] = (struct sysprof_config){ .cpus = (uintptr_t)&cpu_1, .cpus_bytes = 8 };
	filters[USER].flags = SYSPROF_CONFIG_ONLY_USER;
	filters[KERNEL].flags = SYSPROF_CONFIG_ONLY_KERNEL;
	filters[BOTH] = (struct sysprof_config){ .pids = (uintptr_t)two,
						 .nr_pids = 2,
						 .flags = SYSPROF_CONFIG_ONLY_KERNEL };
	for (unsigned i = 0; i < SESSIONS; i++)
		sessions[i] = filtered(&filters[i]);
	for (unsigned i = 0; i < SESSIONS; i++)
		if (ioctl(sessions[i].fd, SYSPROF_IOC_START, NULL))
			ok(false, "START with %s: %s", names[i], strerror(errno));
	close(go[0]);
	close(go[1]);
	while (wait(NULL) > 0)
		;
	/* One who is waited for has a few steps to go. */
	usleep(100000);
	for (unsigned i = SESSIONS; i-- > 0;)
		ioctl(sessions[i].fd, SYSPROF_IOC_STOP);
	for (unsigned i = 0; i < SESSIONS; i++) {
		drain(&sessions[i], &seen[i]);
		accounts[i] = account_of(&sessions[i], &unlawful);
		unlawful += accounts[i].delivered != seen[i].weight || lost_of(&accounts[i]) ||
			    accounts[i].state_lost;
	}
	ok(!unlawful, "the loss law holds for each filter, and nothing is lost");

	/*
	 * Each worker slept before the first START, or nearly, and exited before the last STOP:
	 * sessions saw the same ticks of it.
	 */
	expected[PID] = seen[ALL].by_worker[0];
	expected[CHILDREN] = seen[ALL].by_worker[4];
	expected[USER_ID] = seen[ALL].by_worker[2];
	expected[GROUP] = seen[ALL].by_worker[3];
	for (unsigned i = PID; i <= GROUP; i++) {
		uint64_t both = accounts[i].excluded + accounts[i].delivered,
			 all = accounts[ALL].delivered;

		timed(nearly(seen[i].weight, expected[i]) && expected[i] >= WORK_MS * 8 / 10,
		      "a session of %s has its samples (%" PRIu64 ", unfiltered %" PRIu64 ")",
		      names[i], seen[i].weight, expected[i]);
		ok(!seen[i].strangers, "... and no others (%" PRIu64 ")", seen[i].strangers);
		/*
		 * It began later and ended earlier than the one without a filter, by the time that
		 * START and STOP take.
		 */
		timed(both <= all && both > all * 3 / 4,
		      "... and excludes the rest (%" PRIu64 " in all, unfiltered %" PRIu64 ")",
		      both, all);
	}
	ok(!seen[USER].kernel_weight && !seen[KERNEL].user_weight && seen[USER].user_weight &&
		   seen[KERNEL].kernel_weight,
	   "user code and kernel code are told apart");
	for (unsigned i = 0; i < 5; i++)
		expected[USER] += !nearly(seen[USER].by_worker[i] + seen[KERNEL].by_worker[i],
					  seen[ALL].by_worker[i]);
	ok(!expected[USER], "... and are the whole together, for each worker");
	timed(nearly(seen[BOTH].weight, seen[KERNEL].by_worker[0] + seen[KERNEL].by_worker[1]) &&
		      seen[BOTH].weight && !seen[BOTH].strangers,
	      "two filters leave what passes both (%" PRIu64 ")", seen[BOTH].weight);
	account_get(sessions[CPU].fd, 0, &account);
	ok(!seen[CPU].by_cpu[0] && account.grid == account.excluded,
	   "a session of CPU 1 leaves CPU 0 alone (%" PRIu64 " of %" PRIu64 " periods excluded)",
	   (uint64_t)account.excluded, (uint64_t)account.grid);
	timed(seen[CPU].by_cpu[1] > 100 && account.grid > 100,
	      "... and has samples (%" PRIu64 ")", seen[CPU].by_cpu[1]);
	for (unsigned i = 0; i < SESSIONS; i++)
		session_close(&sessions[i]);
	rmdir(CGROUP "/inner");
	rmdir(CGROUP);
}

static void test_refusals(void)
{
	uint32_t pid = 4194303, pids[SYSPROF_FILTER_MAX + 1] = { 0 };
	uint64_t no_cpu = 0;
	struct { const char *what; int error; struct sysprof_config config;
	} wrong[] = {
		{ "a process that is not there", ESRCH, { .pids = (uintptr_t)&pid, .nr_pids = 1 } },
		{ "too many processes",
		  EINVAL,
		  { .pids = (uintptr_t)pids, .nr_pids = SYSPROF_FILTER_MAX + 1 } },
		{ "a wild list of processes", EFAULT, { .pids = 8, .nr_pids = 1 } },
		{ "too many users",
		  EINVAL,
		  { .uids = (uintptr_t)pids, .nr_uids = SYSPROF_FILTER_MAX + 1 } },
		{ "a wild list of users", EFAULT, { .uids = 8, .nr_uids = 1 } },
		{ "half a word of CPUs", EINVAL, { .cpus = (uintptr_t)&no_cpu, .cpus_bytes = 4 } },
		{ "no CPU at all", EINVAL, { .cpus = (uintptr_t)&no_cpu, .cpus_bytes = 8 } },
		{ "a wild list of CPUs", EFAULT, { .cpus = 8, .cpus_bytes = 8 } },
		{ "too many CPUs", EINVAL, { .cpus = (uintptr_t)&no_cpu, .cpus_bytes = 1U << 31 } },
		{ "a file that is no control group",
		  EBADF,
		  { .flags = SYSPROF_CONFIG_CGROUP, .cgroup_fd = 1 } },
		{ "a control group without its flag", EINVAL, { .cgroup_fd = 1 } },
		{ "children of nobody", EINVAL, { .flags = SYSPROF_CONFIG_CHILDREN } },
		{ "user code only and kernel code only",
		  EINVAL,
		  { .flags = SYSPROF_CONFIG_ONLY_USER | SYSPROF_CONFIG_ONLY_KERNEL } },
	};
	int fd = device_open();

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		wrong[i].config.size = sizeof(wrong[i].config);
		refuses(ioctl(fd, SYSPROF_IOC_CONFIGURE, &wrong[i].config), wrong[i].error,
			"CONFIGURE with %s", wrong[i].what);
	}
	close(fd);
}

#define READERS		16
#define STOPPED		5
#define HOTPLUGS	4

/* Takes CPU 1 away and brings it back. */
static int plug(void *unused)
{
	(void)unused;
	pin(0);
	for (unsigned i = 0; i < HOTPLUGS; i++) {
		write_file("/sys/devices/system/cpu/cpu1/online", "0");
		usleep(150000);
		write_file("/sys/devices/system/cpu/cpu1/online", "1");
		usleep(250000);
	}
	return 0;
}

static void test_readers(void)
{
	struct session sessions[READERS];
	struct seen seen[READERS] = { { 0 } };
	struct sysprof_account accounts[READERS];
	unsigned unlawful = 0, looks = 0, lossy = 0, wrong = 0, wrong_rate = 0, starved = 0;
	uint64_t ran_ns[READERS];
	pid_t plugger, burners[2];

	for (unsigned i = 0; i < READERS; i++)
		sessions[i] =
			session_open((1 + i % 8) * 2 * NS_PER_MS, i == STOPPED ? PAGE : 1U << 19);
	for (unsigned i = 0; i < READERS; i++) {
		ioctl(sessions[i].fd, SYSPROF_IOC_START, NULL);
		ran_ns[i] = -wall_ns();
	}
	for (unsigned i = 0; i < 2; i++) {
		burners[i] = fork();
		if (!burners[i]) {
			for (;;)
				work(i, 0, 1000);
		}
	}
	plugger = fork();
	if (!plugger)
		_exit(plug(NULL));
	while (waitpid(plugger, NULL, WNOHANG) != plugger) {
		for (unsigned i = 0; i < READERS; i++, looks++) {
			if (i != STOPPED)
				drain(&sessions[i], &seen[i]);
			account_of(&sessions[i], &unlawful);
		}
		usleep(20000);
	}
	for (unsigned i = 0; i < 2; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
	for (unsigned i = 0; i < READERS; i++) {
		ran_ns[i] += wall_ns();
		ioctl(sessions[i].fd, SYSPROF_IOC_STOP);
	}
	for (unsigned i = 0; i < READERS; i++) {
		uint64_t periods = ran_ns[i] / sessions[i].config.period_ns * sessions[i].cpus;

		accounts[i] = account_of(&sessions[i], &unlawful);
		/* START and STOP themselves take a while. */
		wrong_rate +=
			accounts[i].grid < periods * 8 / 10 || accounts[i].grid > periods * 12 / 10;
		if (i == STOPPED)
			continue;
		drain(&sessions[i], &seen[i]);
		lossy += accounts[i].lost[SYSPROF_LOST_RING_FULL] ||
			 accounts[i].lost[SYSPROF_LOST_TOO_BIG];
		wrong += seen[i].weight != accounts[i].delivered;
		starved += !accounts[i].delivered;
	}
	ok(!unlawful,
	   "the loss law holds for 16 sessions at each of %u looks, while a CPU goes and comes",
	   looks);
	ok(accounts[0].offline > 0, "... and the time it was away is offline (%" PRIu64 " periods)",
	   (uint64_t)accounts[0].offline);
	timed(!wrong_rate,
	      "each has its own rate (%" PRIu64 " periods at 500 Hz, %" PRIu64 " at 62.5 Hz)",
	      (uint64_t)accounts[0].grid, (uint64_t)accounts[7].grid);
	ok(accounts[STOPPED].lost[SYSPROF_LOST_RING_FULL] > 0,
	   "the one whose reader has stopped loses (%" PRIu64 " periods)",
	   (uint64_t)accounts[STOPPED].lost[SYSPROF_LOST_RING_FULL]);
	ok(!lossy && !starved, "... the other 15 lose nothing by it (%u do)", lossy);
	ok(!wrong, "... and have every sample that was delivered");
	for (unsigned i = 0; i < READERS; i++)
		session_close(&sessions[i]);
}

/* Local timer interrupts of CPU 1 so far. */
static uint64_t timer_interrupts(void)
{
	unsigned long long cpu_0, cpu_1 = 0;
	char line[1024];
	FILE *file = fopen("/proc/interrupts", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " LOC: %llu %llu", &cpu_0, &cpu_1) == 2)
			break;
	if (file)
		fclose(file);
	return cpu_1;
}

static void sleep_ms(unsigned ms)
{
	uint64_t until = wall_ns() + ms * NS_PER_MS;

	while (wall_ns() < until)
		usleep(50000);
}

/* An idle CPU, recorded; up to some tries, since the kernel itself may find it something to do. */
static void test_quiet(void)
{
	struct sysprof_account account = { 0 };
	uint64_t before, without = 0, with = UINT64_MAX;

	pin(0);
	for (unsigned i = 0; i < 6 && (account.idle <= 1500 || with >= 2 * without + 100); i++) {
		struct session session = session_open(NS_PER_MS, 1U << 20);

		before = timer_interrupts();
		sleep_ms(2000);
		without = timer_interrupts() - before;
		ioctl(session.fd, SYSPROF_IOC_START, NULL);
		sleep_ms(200);
		before = timer_interrupts();
		sleep_ms(2000);
		with = timer_interrupts() - before;
		account_get(session.fd, 1, &account);
		session_close(&session);
	}
	timed(account.idle > 1500,
	      "CPU 1 was idle while it was recorded at 1 kHz (%" PRIu64 " of %" PRIu64 " periods)",
	      (uint64_t)account.idle, (uint64_t)account.grid);
	timed(with < 2 * without + 100,
	      "... and had %" PRIu64 " timer interrupts in 2 s, without recording %" PRIu64, with,
	      without);
}

/* CPU 1 is isolated and runs without ticks: left alone unless it is named. */
static void test_isolated(void)
{
	uint64_t both = 3;
	struct sysprof_config named = { .cpus = (uintptr_t)&both, .cpus_bytes = 8 };
	struct session plain = session_open(NS_PER_MS, 1U << 20), asked;
	struct sysprof_account account = { 0 };
	struct seen seen[2] = { { 0 } };
	uint64_t before, without, with;
	unsigned unlawful = 0;
	pid_t burner = fork();

	if (!burner) {
		pin(1);
		for (;;)
			spin(1000000, 1);
	}
	pin(0);
	sleep_ms(500);
	before = timer_interrupts();
	sleep_ms(1000);
	without = timer_interrupts() - before;
	ioctl(plain.fd, SYSPROF_IOC_START, NULL);
	sleep_ms(100);
	before = timer_interrupts();
	sleep_ms(1000);
	with = timer_interrupts() - before;
	ioctl(plain.fd, SYSPROF_IOC_STOP);
	drain(&plain, &seen[0]);
	account_of(&plain, &unlawful);
	account_get(plain.fd, 1, &account);
	ok(!seen[0].by_cpu[1] && account.excluded == account.grid,
	   "an isolated CPU has no sample (%" PRIu64 " of %" PRIu64 " periods excluded)",
	   (uint64_t)account.excluded, (uint64_t)account.grid);
	timed(account.grid > 500, "... in as much time as that");
	timed(with < without + 100,
	      "... and no tick of ours: %" PRIu64
	      " timer interrupts in 1 s, without recording %" PRIu64,
	      with, without);
	asked = filtered(&named);
	ioctl(asked.fd, SYSPROF_IOC_START, NULL);
	sleep_ms(500);
	ioctl(asked.fd, SYSPROF_IOC_STOP);
	drain(&asked, &seen[1]);
	account_of(&asked, &unlawful);
	timed(seen[1].by_cpu[1] > 300, "... unless it is named (%" PRIu64 " samples)",
	      seen[1].by_cpu[1]);
	ok(!unlawful, "... and the loss law holds either way");
	kill(burner, SIGKILL);
	waitpid(burner, NULL, 0);
	session_close(&plain);
	session_close(&asked);
}

#define BUDGET "/sys/module/sysprof/parameters/budget_ppm"

static void slowed(const struct session *session, unsigned part, int error)
{
	struct sysprof_slow slow = { .size = sizeof(slow), .part = part };
	int status = ioctl(session->fd, SYSPROF_IOC_SLOW, &slow);

	if (error)
		refuses(status, error, "SLOW to one period of %u", part);
	else
		ok(!status, "SLOW to one period of %u", part);
}

static void test_budget(void)
{
	struct session thrifty = session_open(0, 1U << 20),
		       asked = session_open(NS_PER_MS, 1U << 20);
	struct sysprof_account account, explicit_one, before;
	struct seen seen = { 0 };
	unsigned unlawful = 0;
	uint64_t busy, delivered;

	pin(0);
	write_file(BUDGET, "500");
	/* It costs so much that one learns. */
	ioctl(thrifty.fd, SYSPROF_IOC_START, NULL);
	burn_ms(500);
	ioctl(thrifty.fd, SYSPROF_IOC_STOP);
	ioctl(thrifty.fd, SYSPROF_IOC_START, NULL);
	ioctl(asked.fd, SYSPROF_IOC_START, NULL);
	for (unsigned i = 0; i < 20; i++) {
		burn_ms(50);
		account = account_of(&thrifty, &unlawful);
	}
	ioctl(asked.fd, SYSPROF_IOC_STOP);
	ioctl(thrifty.fd, SYSPROF_IOC_STOP);
	drain(&thrifty, &seen);
	account = account_of(&thrifty, &unlawful);
	explicit_one = account_of(&asked, &unlawful);
	busy = account.delivered + account.budget;
	ok(!unlawful, "the loss law holds while the rate is lowered");
	timed(account.budget > account.delivered && account.delivered * 12 > busy,
	      "without a rate a budget of 0.05 %% lowers it, not below 100 Hz (%" PRIu64
	      " of %" PRIu64 " periods sampled)",
	      (uint64_t)account.delivered, busy);
	ok(!lost_of(&account) && seen.weight == account.delivered,
	   "... by leaving out, not by losing");
	ok(!explicit_one.budget, "a rate that was asked for is kept beside it");
	timed(explicit_one.delivered > busy * 7 / 10, "... with its samples (%" PRIu64 " periods)",
	      (uint64_t)explicit_one.delivered);
	write_file(BUDGET, "1000000");
	ioctl(thrifty.fd, SYSPROF_IOC_START, NULL);
	burn_ms(300);
	account = account_of(&thrifty, &unlawful);
	timed(!account.budget && account.delivered > 200,
	      "with a budget of all nothing is left out (%" PRIu64 " sampled)",
	      (uint64_t)account.delivered);
	before = account;
	slowed(&thrifty, 4, 0);
	burn_ms(1000);
	account = account_of(&thrifty, &unlawful);
	delivered = account.delivered - before.delivered;
	busy = delivered + account.budget - before.budget;
	ok(!unlawful, "SLOW: the loss law holds");
	timed(busy > 300 && delivered * 4 < busy * 5 / 4 && delivered * 4 > busy * 3 / 4,
	      "... of 4 periods one is sampled, at once (%" PRIu64 " of %" PRIu64 ")", delivered,
	      busy);
	slowed(&thrifty, 0, EINVAL);
	slowed(&thrifty, 1001, EINVAL);
	slowed(&asked, 4, EINVAL);
	write_file(BUDGET, "10000");
	session_close(&thrifty);
	session_close(&asked);
}

static void test_time(void)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct timespec now;
	struct seen seen = { 0 };
	unsigned unlawful = 0;

	ioctl(session.fd, SYSPROF_IOC_START, NULL);
	burn_ms(300);
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += 3600;
	clock_settime(CLOCK_REALTIME, &now);
	burn_ms(300);
	now.tv_sec -= 3600;
	clock_settime(CLOCK_REALTIME, &now);
	burn_ms(300);
	drain(&session, &seen);
	ok(seen.times[SYSPROF_TIME_START] == 1 && seen.times[SYSPROF_TIME_STEP] == 2,
	   "TIME records tell of the start (%u) and of a clock that was set twice (%u)",
	   seen.times[SYSPROF_TIME_START], seen.times[SYSPROF_TIME_STEP]);
	ok(!seen.times[SYSPROF_TIME_PAUSE], "... and of no pause");
	/* As far as the guest's devices bear: all tasks are frozen for a second. */
	write_file("/sys/module/suspend/parameters/pm_test_delay", "1");
	write_file("/sys/power/pm_test", "freezer");
	write_file("/sys/power/state", "mem");
	burn_ms(200);
	drain(&session, &seen);
	account_of(&session, &unlawful);
	ok(seen.times[SYSPROF_TIME_SUSPEND] == 1 && seen.times[SYSPROF_TIME_RESUME] == 1,
	   "... of going to sleep (%u) and of waking up (%u)", seen.times[SYSPROF_TIME_SUSPEND],
	   seen.times[SYSPROF_TIME_RESUME]);
	ok(!unlawful, "... and the loss law holds through all of it");
	session_close(&session);
}

/* The host stops the machine for @seconds when the file @signal is there, while both CPUs work. */
static void test_paused(unsigned seconds, const char *signal)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct sysprof_account account = { 0 };
	struct seen seen = { 0 };
	uint64_t begin, last, now, gap = 0;
	unsigned unlawful = 0;
	pid_t burner = fork();

	if (!burner) {
		pin(1);
		for (;;)
			work(0, 0, 1000);
	}
	pin(0);
	ioctl(session.fd, SYSPROF_IOC_START, NULL);
	burn_ms(300);
	begin = last = wall_ns();
	close(open(signal, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	/* Until there was a gap in the time that this process sees. */
	for (; !gap && last - begin < 60 * 1000 * NS_PER_MS; last = now) {
		now = wall_ns();
		if (now - last > seconds * 1000 * NS_PER_MS / 2)
			gap = now - last;
		drain(&session, &seen);
	}
	burn_ms(300);
	ioctl(session.fd, SYSPROF_IOC_STOP);
	kill(burner, SIGKILL);
	waitpid(burner, NULL, 0);
	drain(&session, &seen);
	account = account_of(&session, &unlawful);
	ok(gap > 0, "the machine was stopped for %.2f s", gap / 1e9);
	timed(seen.times[SYSPROF_TIME_PAUSE] == 1 && seen.gap_ns > gap * 8 / 10 &&
		      seen.gap_ns < gap * 12 / 10,
	      "one TIME record tells of it (%u: %.2f s)", seen.times[SYSPROF_TIME_PAUSE],
	      seen.gap_ns / 1e9);
	timed(account.offline > gap / NS_PER_MS && account.offline < 2 * gap / NS_PER_MS + 500,
	      "the time is no work on either CPU: offline (%" PRIu64 " periods)",
	      (uint64_t)account.offline);
	timed(seen.weight < account.grid - gap / NS_PER_MS,
	      "... and in no sample (%" PRIu64 " of %" PRIu64 ")", seen.weight,
	      (uint64_t)account.grid);
	ok(!unlawful, "the loss law holds");
	session_close(&session);
}

/* As an ordinary user; the module lets each have 8 MiB. */
static void test_cap(void)
{
	struct sysprof_config config = { .size = sizeof(config), .ring_bytes = 1U << 21 };
	int fds[3];

	for (unsigned i = 0; i < 3; i++)
		fds[i] = device_open();
	ok(!ioctl(fds[0], SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(fds[1], SYSPROF_IOC_CONFIGURE, &config),
	   "a user may have as much memory for rings as the limit says");
	refuses(ioctl(fds[2], SYSPROF_IOC_CONFIGURE, &config), ENOSPC,
		"... over all sessions, and not more");
	close(fds[0]);
	ok(!ioctl(fds[2], SYSPROF_IOC_CONFIGURE, &config), "... until one is closed");
	close(fds[1]);
	close(fds[2]);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void);
	} tests[] = {
		{ "filters", test_filters }, { "refusals", test_refusals },
		{ "readers", test_readers }, { "quiet", test_quiet },
		{ "budget", test_budget },   { "time", test_time },
		{ "cap", test_cap },	     { "isolated", test_isolated },
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "paused") && i + 2 < argc) {
			test_paused(strtoul(argv[i + 1], NULL, 10), argv[i + 2]);
			i += 2;
		}
		for (unsigned k = 0; k < sizeof(tests) / sizeof(tests[0]); k++)
			if (!strcmp(argv[i], tests[k].name))
				tests[k].run();
	}
	return tests_end();
}
