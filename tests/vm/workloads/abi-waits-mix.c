// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi-waits-mix SECONDS: two hundred threads that run, sleep, hand bytes to each other, move from
 * CPU to CPU, end and begin anew, beside processes that fork and execute, and a CPU that goes and
 * comes back.  Then the sums of all who were born and died in the session.  As root, with the grid.
 */
#include "waits.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#define PROCESSES 20
#define THREADS	  10

static uint64_t until;
/* In memory that processes share: threads and processes that were made, and times a CPU went. */
static struct counts {
	uint64_t born;
	uint64_t offline;
} *counts;

static void count_born(void)
{
	__atomic_fetch_add(&counts->born, 1, __ATOMIC_RELAXED);
}

static void sleep_us(unsigned us)
{
	struct timespec time = { .tv_nsec = us * 1000L };

	nanosleep(&time, NULL);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

static int ends[2];

static void move(uint32_t random)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(random % 2, &one);
	/* It may be the CPU that is away. */
	sched_setaffinity(0, sizeof(one), &one);
}

static void *lively(void *data)
{
	uint32_t state = (uint32_t)(uintptr_t)data, turns = 20 + next_random(&state) % 200;
	volatile unsigned work;
	char byte = 0;

	while (turns-- && wall_ns() < until) {
		switch (next_random(&state) % 6) {
		case 0:
			for (work = next_random(&state) % 20000; work; work--)
				;
			break;
		case 1:
			sched_yield();
			break;
		case 2:
			move(next_random(&state));
			break;
		case 3:
			if (write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) != 1)
				_exit(1);
			break;
		default:
			sleep_us(next_random(&state) % 20000);
		}
	}
	return NULL;
}

static pthread_t begun(unsigned seed)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, lively, (void *)(uintptr_t)seed))
		_exit(1);
	count_born();
	return thread;
}

/* Each thread that ends has a successor. */
static void breed(unsigned seed)
{
	pthread_t threads[THREADS];
	unsigned i, n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(ends))
		_exit(1);
	for (i = 0; i < THREADS; i++)
		threads[i] = begun(seed * 1000 + ++n);
	for (i = 0; wall_ns() < until; i = (i + 1) % THREADS) {
		pthread_join(threads[i], NULL);
		threads[i] = begun(seed * 1000 + ++n);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static void execute(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (wall_ns() < until) {
		pid_t pid = fork();

		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			_exit(1);
		count_born();
	}
	_exit(0);
}

static void toggle(void)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (fd >= 0 && wall_ns() < until) {
		sleep_us(700000);
		if (pwrite(fd, "0", 1, 0) == 1) {
			counts->offline++;
			sleep_us(300000);
		}
		if (pwrite(fd, "1", 1, 0) != 1)
			_exit(1);
	}
	_exit(fd < 0);
}

static void end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "a child of the test failed");
}

static void judge(const struct waits *waits)
{
	uint64_t whole = 0, found = 0, others = 0, wrong_ns = 0, wrong_switches = 0,
		 wrong_found = 0;
	const struct sysprof_thread *thread;

	for_each_kept(thread, waits->threads) {
		bool sums = thread_sum(thread) == thread->at - thread->since;

		if (thread->flags & SYSPROF_THREAD_FOUND) {
			found++;
			wrong_found += !sums;
		} else if (thread->flags & SYSPROF_THREAD_ENDED) {
			whole++;
			wrong_ns += !sums || thread->since != thread->start_time;
			wrong_switches +=
				thread->switches != thread->voluntary + thread->involuntary;
		} else {
			others++;
		}
	}
	/* Of the last ones some may not have left their CPU. */
	ok(counts->born >= PROCESSES * THREADS && whole + others >= counts->born,
	   "%lu threads were made: the ends of %lu are told, and %lu that live", counts->born,
	   whole, others);
	ok(!wrong_ns && !wrong_switches,
	   "%lu threads born and dead: states of %lu do not sum to their life, switches of %lu to nvcsw + nivcsw",
	   whole, wrong_ns, wrong_switches);
	ok(found && !wrong_found, "%lu that were there before: states of %lu do not sum up", found,
	   wrong_found);
}

int main(int argc, char **argv)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT,
					 .period = NS_PER_MS,
					 .stacks = STACKS };
	struct waits waits = { .session = session_open(NS_PER_MS, 8U << 20) };
	struct sysprof_source_account account;
	pid_t pids[PROCESSES + 2];
	uint64_t unknown;
	unsigned n = 0;
	bool good;

	if (argc != 2)
		errx(1, "usage: abi-waits-mix SECONDS");
	counts = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
	if (waits_ask(&waits, &source, 1))
		errx(1, "SOURCES of waits");
	waits_start(&waits);
	until = wall_ns() + strtoull(argv[1], NULL, 10) * 1000 * NS_PER_MS;
	for (; n < PROCESSES + 2; n++) {
		pids[n] = fork();
		if (pids[n] < 0)
			err(1, "cannot fork");
		if (pids[n]) {
			count_born();
			continue;
		}
		if (n < PROCESSES)
			breed(n);
		else if (n == PROCESSES)
			execute();
		else
			toggle();
	}
	while (wall_ns() < until) {
		waits_drain(&waits);
		sleep_us(20000);
	}
	while (n--)
		end(pids[n]);
	if (!waits_snapshot(&waits, &waits.threads))
		err(1, "SNAPSHOT");
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	waits_drain(&waits);
	judge(&waits);
	good = account_total(&waits, 1, &account);
	ok(good && account.delivered.events && !waits.resyncs,
	   "the law holds: %lu waits seen, %lu told, %lu lost; no sum of a thread is missing",
	   (uint64_t)account.seen.events, (uint64_t)account.delivered.events,
	   lost_events(&account));
	/*
	 * Threads that were about to switch as they were looked for; and those that left a CPU as
	 * it went offline, when the kernel's trace points are silent there.
	 */
	unknown = account.lost[SYSPROF_LOST_NO_SLOT].events;
	ok(unknown <= 8 + counts->offline,
	   "%lu waits of threads that were not known, where a CPU went offline %lu times", unknown,
	   counts->offline);
	session_close(&waits.session);
	return tests_end();
}
