// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits with known answers: programs whose waits are known, recorded with every wait reported, and
 * what the events, sums, lanes and accounts say of them.
 */
#include "waits.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define SLEEPS		20
#define SLEEP_MS	20
#define HANDS		20
#define ROUNDS		2000
#define CHILDREN	60
#define LEAVERS		300

static pthread_mutex_t *mutex;	/* in memory that processes share */
static uint64_t *asleep;	/* there, too */

static void sleep_ms(unsigned ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static pid_t child(void (*function)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot fork");
	if (pid)
		return pid;
	function();
	_exit(0);
}

static void end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "a child of the test failed");
}

/*
 * How often it waited, as the kernel has it: not for a sleep before which it lost its CPU for as
 * long as that.
 */
static void sleeper(void)
{
	uint64_t before = switches_now();

	for (unsigned i = 0; i < SLEEPS; i++)
		sleep_ms(SLEEP_MS);
	*asleep = switches_now() - before;
}

static int to[2], back[2];

/* Calls the other one while it has the mutex, and lets him wait for it. */
static void holder(void)
{
	char byte = 0;

	for (unsigned i = 0; i < HANDS; i++) {
		pthread_mutex_lock(mutex);
		if (write(to[1], &byte, 1) != 1)
			_exit(1);
		sleep_ms(20);
		pthread_mutex_unlock(mutex);
		if (read(back[0], &byte, 1) != 1)
			_exit(1);
	}
}

/* Waits for the call, then for the mutex: the same one ends both. */
static void taker(void)
{
	char byte;

	for (unsigned i = 0; i < HANDS; i++) {
		if (read(to[0], &byte, 1) != 1)
			_exit(1);
		pthread_mutex_lock(mutex);
		pthread_mutex_unlock(mutex);
		if (write(back[1], &byte, 1) != 1)
			_exit(1);
	}
}

static void pong(void)
{
	char byte;

	for (unsigned i = 0; i < ROUNDS; i++)
		if (read(to[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
			_exit(1);
}

static void ping(void)
{
	char byte = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		if (write(to[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			_exit(1);
}

static void stopped(void)
{
	raise(SIGSTOP);
}

static void vforker(void)
{
	pid_t pid = vfork();

	if (!pid) {
		sleep_ms(50);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(1);
}

/* What the kernel has in schedstat of each of three hogs: ns it ran, and waited for a CPU. */
static struct {
	uint64_t ran, waited;
} *hogs;
static unsigned which;

static void hog(void)
{
	uint64_t until = wall_ns() + 1500 * NS_PER_MS;
	FILE *file;

	while (wall_ns() < until)
		;
	file = fopen("/proc/self/schedstat", "re");
	if (!file || fscanf(file, "%lu %lu", &hogs[which].ran, &hogs[which].waited) != 2)
		_exit(1);
	fclose(file);
}

static void *short_thread(void *data)
{
	sched_yield();
	sleep_ms(1);
	return data;
}

/* Threads that come and go: each has its whole life in the session. */
static void brood(void)
{
	pthread_t threads[4];

	for (unsigned i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, short_thread, NULL))
			_exit(1);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void test_sleeper(struct waits *waits)
{
	pid_t pid = child(sleeper);
	struct sum sum;

	end(pid);
	waits_drain(waits);
	sum = sum_of(waits, pid, SYSPROF_STATE_SLEEP, 0);
	ok(blocked_of(waits, (uint32_t)pid) == *asleep && sum.events <= *asleep &&
		   sum.kernel == sum.events && sum.user == sum.events,
	   "%lu sleeps: %lu events, %lu with kernel and %lu with user frames", *asleep, sum.events,
	   sum.kernel, sum.user);
	timed(*asleep + 2 >= SLEEPS && sum.value >= sum.events * SLEEP_MS * NS_PER_MS * 9 / 10,
	      "... of %u of %u ms each: %lu us blocked", SLEEPS, SLEEP_MS, sum.value / 1000);
}

static void test_mutex(struct waits *waits)
{
	pid_t first = child(holder), second = child(taker);
	struct futexes futexes;
	struct sum sum;

	end(first);
	end(second);
	waits_drain(waits);
	sum = sum_of(waits, second, SYSPROF_STATE_SLEEP, first);
	timed(sum.by >= HANDS * 3 / 2 && sum.wakes == 16,
	      "called and given a mutex %u times: woken %lu times by who had it, %lu of 16 WAKEs are there",
	      HANDS, sum.by, sum.wakes);
	/* Addresses are for root, and of processes that the module was shown. */
	futexes = futexes_of(waits, second, mutex);
	ok(futexes.n > 0 && futexes.right == futexes.told &&
		   futexes.told == (geteuid() ? 0 : futexes.n),
	   "%lu waits for a futex, %lu with an address, %lu of them the mutex's", futexes.n,
	   futexes.told, futexes.right);
}

static void test_pipes(struct waits *waits)
{
	pid_t first, second;
	struct sum sum;

	first = child(ping);
	second = child(pong);
	end(first);
	end(second);
	waits_drain(waits);
	sum = sum_of(waits, first, SYSPROF_STATE_SLEEP, second);
	timed(sum.events >= ROUNDS / 2 && sum.by >= sum.events * 95 / 100,
	      "%u rounds between pipes: %lu waits, %lu ended by the other", ROUNDS, sum.events,
	      sum.by);
}

static void test_stop(struct waits *waits)
{
	pid_t pid = child(stopped);
	struct sum sum;

	if (waitpid(pid, NULL, WUNTRACED) != pid)
		err(1, "waitpid");
	sleep_ms(100);
	kill(pid, SIGCONT);
	end(pid);
	waits_drain(waits);
	sum = sum_of(waits, pid, SYSPROF_STATE_STOPPED, getpid());
	ok(sum.events == 1 && sum.by == 1, "stopped: %lu events, %lu ended by who continued it",
	   sum.events, sum.by);
	/* It leaves its CPU after its parent has seen it stop. */
	timed(sum.value >= 100 * NS_PER_MS, "... for 100 ms: %lu us", sum.value / 1000);
}

static void test_vfork(struct waits *waits)
{
	pid_t pid = child(vforker);
	struct sum sum;

	end(pid);
	waits_drain(waits);
	sum = sum_of(waits, pid, SYSPROF_STATE_DISK, 0);
	ok(sum.events >= 1 && sum.longest >= 50 * NS_PER_MS,
	   "a vfork whose child sleeps 50 ms: its parent waits %lu us, uninterruptible",
	   sum.longest / 1000);
}

static void test_hogs(struct waits *waits)
{
	uint64_t runnable = 0, all = 0, waited = 0, kernel = 0;
	pid_t pids[3];
	cpu_set_t two;

	CPU_ZERO(&two);
	CPU_SET(0, &two);
	CPU_SET(1, &two);
	for (unsigned i = 0; i < 3; i++) {
		which = i;
		pids[i] = child(hog);
		sched_setaffinity(pids[i], sizeof(two), &two);
	}
	for (unsigned i = 0; i < 3; i++)
		end(pids[i]);
	waits_drain(waits);
	for (unsigned i = 0; i < 3; i++) {
		const struct sysprof_thread *thread = thread_of(&waits->threads, pids[i]);

		if (!thread)
			continue;
		runnable += thread->ns[SYSPROF_STATE_PREEMPTED] + thread->ns[SYSPROF_STATE_WOKEN] +
			    thread->ns[SYSPROF_STATE_NEW];
		all += thread->at - thread->since;
		waited += hogs[i].waited;
		kernel += hogs[i].waited + hogs[i].ran;
	}
	/* A third each, and what others take of the CPUs. */
	if (all)
		runnable = runnable * 1000 / all;
	if (kernel)
		waited = waited * 1000 / kernel;
	timed(all && runnable >= 313 && runnable + 20 >= waited && runnable <= waited + 20,
	      "3 busy programs on 2 CPUs are runnable for %lu of 1000 of their time, %lu as the kernel has it",
	      runnable, waited);
}

/* A CPU goes and comes back, if that is ours to say. */
static void toggle_cpu(void)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (pwrite(fd, "0", 1, 0) == 1)
		sleep_ms(50);
	if (pwrite(fd, "1", 1, 0) != 1)
		printf("# CPU 1 does not come back: %s\n", strerror(errno));
	close(fd);
}

/* Those that were born and died while the session ran. */
static void test_time_law(struct waits *waits)
{
	unsigned whole = 0, wrong_ns = 0, wrong_switches = 0;
	const struct sysprof_thread *thread;
	pid_t pids[CHILDREN];

	for (unsigned i = 0; i < CHILDREN; i++) {
		pids[i] = child(brood);
		if (i == CHILDREN / 2)
			toggle_cpu();
		if (i % 4 == 3)
			for (unsigned j = i - 3; j <= i; j++)
				end(pids[j]);
		waits_drain(waits);
	}
	waits_drain(waits);
	for_each_kept(thread, waits->threads) {
		if (!(thread->flags & SYSPROF_THREAD_ENDED) || thread->flags & SYSPROF_THREAD_FOUND)
			continue;
		whole++;
		wrong_ns += thread_sum(thread) != thread->at - thread->since ||
			    thread->since != thread->start_time;
		wrong_switches += thread->switches != thread->voluntary + thread->involuntary;
	}
	ok(whole >= CHILDREN * 5 && !wrong_ns && !wrong_switches,
	   "%u threads born and dead: states of %u do not sum to their life, switches of %u to nvcsw + nivcsw",
	   whole, wrong_ns, wrong_switches);
}

/*
 * A process that its parent has seen to end may not have left its CPU yet: each is reported, by its
 * end or by a snapshot.  The parent gets the CPU as soon as the child has ended, before the child
 * is done.
 */
static void test_leaving(struct waits *waits)
{
	struct sched_param most = { .sched_priority = 1 };
	unsigned missed = 0, leaving = 0;
	cpu_set_t before, one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(one), &one) ||
	    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &most))
		err(1, "cannot be first on one CPU");
	for (unsigned i = 0; i < LEAVERS; i++) {
		struct kept threads = { 0 };
		const struct sysprof_thread *ended;
		uint64_t now;
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		end(pid);
		if (!waits_snapshot(waits, &threads))
			err(1, "SNAPSHOT");
		now = wall_ns();
		waits_drain(waits);
		ended = thread_of(&waits->threads, pid);
		leaving += thread_of(&threads, pid) != NULL;
		missed += !thread_of(&threads, pid) && (!ended || ended->at > now);
		free(threads.bytes);
	}
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	sched_setaffinity(0, sizeof(before), &before);
	ok(!missed, "%u processes that have ended: a snapshot has %u, of %u nothing was told", LEAVERS,
	   leaving, missed);
}

/* What the events say is what the sums say, and the lanes. */
static void test_agreement(struct waits *waits, pid_t pid)
{
	const struct sysprof_thread *thread = thread_of(&waits->threads, pid);
	struct sum sum = sum_of(waits, pid, -1, 0);
	uint64_t running = 0, entries = 0, gaps = 0;

	if (!ok(thread, "there are sums of the sleeper"))
		return;
	ok(thread->at - thread->since - thread->ns[SYSPROF_STATE_RUNNING] == sum.ns,
	   "its events last %lu ns, its states but running %lu", sum.ns,
	   (uint64_t)(thread->at - thread->since - thread->ns[SYSPROF_STATE_RUNNING]));
	for (unsigned cpu = 0; cpu < waits->session.cpus; cpu++) {
		const struct sysprof_lane *lane;
		uint32_t tid = UINT32_MAX;
		uint64_t at = 0;

		for_each_kept(lane, waits->lanes) {
			if (lane->record.cpu != cpu)
				continue;
			if (tid == (uint32_t)pid)
				running += lane->begin - at;
			gaps += tid != UINT32_MAX && tid != lane->tid;
			at = lane->begin;
			tid = lane->tid;
			for (unsigned i = 0; i < lane->n; i++) {
				uint64_t distance = lane->entries[i] >> SYSPROF_LANE_NS_SHIFT;

				if (i && tid == (uint32_t)pid)
					running += distance;
				at += distance;
				tid = lane->entries[i] & SYSPROF_LANE_TID_MASK;
				entries++;
			}
		}
	}
	/* There may be one where root has taken a CPU away. */
	ok(running == thread->ns[SYSPROF_STATE_RUNNING] && gaps <= !geteuid(),
	   "by the lanes it ran %lu ns, by its sums %lu; %lu entries, %lu gaps", running,
	   (uint64_t)thread->ns[SYSPROF_STATE_RUNNING], entries, gaps);
}

static void test_kernel_threads(struct waits *waits)
{
	unsigned events = 0, stacks = 0, user = 0;
	const struct sysprof_event *event;

	for_each_kept(event, waits->events) {
		if (event->source != 1 || event->mm)
			continue;
		events++;
		stacks += event->n_kernel > 0;
		user += event->n_user > 0;
	}
	ok(events && stacks == events && !user,
	   "kernel threads: %u waits, %u with kernel and %u with user frames", events, stacks,
	   user);
}

static void test_accounts(struct waits *waits)
{
	static const char *const names[] = { "", "waits", "lanes", "wakings" };
	struct sysprof_source_account account;
	const struct sysprof_event *event;
	uint64_t counts[4] = { 0 }, values[4] = { 0 }, unknown;

	waits_drain(waits);
	for_each_kept(event, waits->events)
		if (event->source < 4) {
			counts[event->source]++;
			values[event->source] += event->value;
		}
	for (unsigned source = 1; source < 4; source++) {
		bool good = account_total(waits, source, &account);

		/* Threads that were about to switch as they were looked for. */
		unknown = account.lost[SYSPROF_LOST_NO_SLOT].events;
		ok(good && account.seen.events && unknown <= 8 && lost_events(&account) == unknown,
		   "%s: the law holds; %lu seen, %lu delivered, %lu lost", names[source],
		   (uint64_t)account.seen.events, (uint64_t)account.delivered.events,
		   lost_events(&account));
		if (source != 2)
			ok(counts[source] == account.delivered.events &&
				   values[source] == account.delivered.value,
			   "... and %lu records are there", counts[source]);
		printf("# %s: %lu ns in %lu calls of hooks\n", names[source],
		       (uint64_t)account.cost_ns, (uint64_t)account.calls);
	}
}

int main(void)
{
	struct sysprof_source sources[] = {
		{ .kind = SYSPROF_SOURCE_WAIT, .stacks = STACKS },
		{ .kind = SYSPROF_SOURCE_LANE },
	};
	struct waits waits = { .session = session_open(NS_PER_MS, 8U << 20) };
	pthread_mutexattr_t shared;
	pid_t pid;

	mutex = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	hogs = (void *)((uint8_t *)mutex + PAGE / 2);
	asleep = (void *)((uint8_t *)mutex + PAGE / 4);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(mutex, &shared);
	if (pipe(to) || pipe(back))
		err(1, "cannot make pipes");
	if (!ok(!waits_ask(&waits, sources, 2) && sources[0].id == 1 && sources[1].id == 2,
		"SOURCES of waits and lanes"))
		return tests_end();
	waits_start(&waits);
	test_sleeper(&waits);
	pid = child(sleeper);
	end(pid);
	test_mutex(&waits);
	test_pipes(&waits);
	test_stop(&waits);
	test_vfork(&waits);
	test_hogs(&waits);
	test_time_law(&waits);
	if (!geteuid())
		test_leaving(&waits);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	test_accounts(&waits);
	test_agreement(&waits, pid);
	test_kernel_threads(&waits);
	session_close(&waits.session);
	return tests_end();
}
