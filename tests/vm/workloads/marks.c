/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks WAY [N]: what programs say of themselves with spt/mark.h.  The ways:
 *
 * truth: two processes of two threads each leave N spans of known durations, and counters.
 *
 * nested: spans in spans, some without an end, ends without a begin.
 *
 * hostile: names with nuls, escapes and no end, N distinct ones, counters that are no numbers.
 *
 * forks: N children, each of which marks once and becomes another program that does, too.
 *
 * sandboxed: a child that may look at no file, and open none, marks, and so does a thread of it.
 *
 * broken: overwrites its own ring.
 *
 * flows: one thread hands N jobs to another, each with a flow; then ends that nobody begins, and
 * more begins than are kept.
 *
 * frames: frames of 1 ms, in which it runs, and N slow ones of 30 ms, in which it sleeps.
 *
 * crossing: two spans of a thread of which neither is in the other, and one of no thread.
 *
 * cost: what a mark takes, recorded or not, as lines "NAME NS".
 *
 * running: a process and its child, of two threads each, number their marks until the file N.stop
 * is there, and say then how many there were.
 *
 * shut: likewise, but a process that would be killed if it made a socket.
 *
 * closed: likewise, but it restricts itself once the file N.shut is there, and would then also be
 * killed if it opened, mapped or received anything.
 *
 * idle: marks for N seconds, ten thousand a second.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <spt/mark.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static unsigned long n = 1000;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void spin_ns(uint64_t ns)
{
	uint64_t begin = now_ns();

	while (now_ns() - begin < ns)
		;
}

/*
 * Waits until the thread's ring is at most half full, so that nothing is lost however busy the
 * machine is; no longer than the recorder lives.
 */
static void await_room(void)
{
	const struct spt_mark_thread *thread = &spt_mark_thread;

	while (spt_mark_is_recorded() && thread->slot && !spt_mark_link.marks->is_over &&
	       !(spt_mark_link.marks->recorder & SPT_MARK_RECORDER_DIED) &&
	       thread->head - __atomic_load_n(&thread->slot->tail, __ATOMIC_ACQUIRE) >
		       SPT_MARKS_WORDS / 2)
		usleep(1000);
}

/* Each thread measures its spans, too; the sum is printed. */
static void *leave_spans(void *name)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < n; i++) {
		uint64_t before, begin;

		await_room();
		before = now_ns();
		begin = spt_mark_now();
		if (i % 100 == 0)
			spin_ns(20000);
		spt_mark_span("test", (const char *)name, NULL, begin);
		sum += now_ns() - before;
	}
	spt_mark_counter("done", (double)n);
	printf("%s %lu %llu\n", (const char *)name, n, (unsigned long long)sum);
	return NULL;
}

/* Two threads in each of two processes, each with a name of its own for @work. */
static int in_four_threads(void *(*work)(void *name))
{
	static const char *const names[2][2] = { { "one", "two" }, { "three", "four" } };
	pid_t child = fork();
	unsigned i = child == 0;
	pthread_t thread;

	pthread_create(&thread, NULL, work, (void *)names[i][1]);
	work((void *)names[i][0]);
	pthread_join(thread, NULL);
	fflush(stdout);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return 0;
}

static int truth(void)
{
	return in_four_threads(leave_spans);
}

static int nested(void)
{
	spt_mark_begin("a", "outer");
	spt_mark_begin("a", "inner");
	spin_ns(1000000);
	spt_mark_begin("a", "lost");
	spt_mark_end("inner");
	spt_mark_end("never begun");
	spt_mark_end("outer");
	for (unsigned i = 0; i < 200; i++)
		spt_mark_begin("deep", "deep");
	for (unsigned i = 0; i < 200; i++)
		spt_mark_end("deep");
	{
		SPT_MARK_SCOPE("b", "block");
		spin_ns(1000000);
	}
	spt_mark_begin("a", "open");
	spt_mark_message("a line");
	return 0;
}

static int hostile(void)
{
	static char huge[1 << 20];
	char name[32];

	memset(huge, 'x', sizeof(huge) - 1);
	spt_mark_instant("\033[31mred", "\033]0;title\007", "tab\tnew\nline\r");
	spt_mark_instant(NULL, NULL, NULL);
	spt_mark_instant("bad", "\xff\xfe\x80", "\xc3");
	spt_mark_instant(huge, huge, huge);
	spt_mark_put(SPT_MARK_INSTANT, 0, "nul", "a\0b", NULL);
	spt_mark_counter("nan", NAN);
	spt_mark_counter("huge", 1e308);
	spt_mark_counter("infinite", HUGE_VAL);
	spt_mark_counter("", 1);
	for (unsigned long i = 0; i < n; i++) {
		await_room();
		snprintf(name, sizeof(name), "name %lu", i);
		spt_mark_instant("many", name, NULL);
		if (i < 10000)
			spt_mark_counter(name, (double)i);
	}
	return 0;
}

static int forks(char **argv)
{
	for (unsigned long i = 0; i < n; i++) {
		pid_t child = fork();

		if (child == 0) {
			spt_mark_instant("fork", "forked", NULL);
			execl("/proc/self/exe", argv[0], "executed", (char *)NULL);
			_exit(1);
		}
		spt_mark_instant("fork", "parent", NULL);
		waitpid(child, NULL, 0);
	}
	return 0;
}

static uint64_t job_made, job_taken;

static void *take_jobs(void *unused)
{
	for (uint64_t job = 1; job <= n; job++) {
		while (__atomic_load_n(&job_made, __ATOMIC_ACQUIRE) < job)
			sched_yield();
		spt_mark_flow_end("job", job);
		__atomic_store_n(&job_taken, job, __ATOMIC_RELEASE);
	}
	return unused;
}

static int flows(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take_jobs, NULL);
	for (uint64_t job = 1; job <= n; job++) {
		uint64_t begin = spt_mark_now();

		spt_mark_flow_begin("job", job);
		spt_mark_span("test", "make", NULL, begin);
		__atomic_store_n(&job_made, job, __ATOMIC_RELEASE);
		while (__atomic_load_n(&job_taken, __ATOMIC_ACQUIRE) < job)
			sched_yield();
	}
	pthread_join(thread, NULL);
	for (uint64_t i = 0; i < 100; i++)
		spt_mark_flow_end("\033[31mstray", i);
	for (uint64_t i = 0; i < 100000; i++) {
		await_room();
		spt_mark_flow_begin("never ends", i);
	}
	return 0;
}

static int frames(void)
{
	for (unsigned long i = 0; i < 10 * n; i++) {
		spt_mark_begin("ui", "frame");
		spin_ns(1000000);
		spt_mark_end("frame");
		if (i % 10 != 9)
			continue;
		spt_mark_begin("ui", "frame");
		spin_ns(5000000);
		usleep(30000);
		spt_mark_end("frame");
	}
	return 0;
}

static int crossing(void)
{
	uint64_t first = spt_mark_now(), second;

	spt_mark_open("test", "of none");
	spin_ns(1000000);
	second = spt_mark_now();
	spin_ns(1000000);
	spt_mark_span("test", "first", "says <\"x\">", first);
	spin_ns(1000000);
	spt_mark_span("test", "second", NULL, second);
	spt_mark_close("of none");
	return 0;
}

static void *mark_sandboxed(void *name)
{
	spt_mark_instant("sandbox", (const char *)name, NULL);
	return NULL;
}

#define KILL_IF_CALL(number)                                                                       \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

/* The status is that of the child. */
static int sandboxed(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILL_IF_CALL(SYS_newfstatat),
		KILL_IF_CALL(SYS_statx),
		KILL_IF_CALL(SYS_openat),
		KILL_IF_CALL(SYS_readlinkat),
#ifdef SYS_open
		KILL_IF_CALL(SYS_open),
		KILL_IF_CALL(SYS_stat),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	pid_t child = fork();
	pthread_t thread;
	int status = 1;

	if (child == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(2);
		mark_sandboxed((void *)"process");
		if (pthread_create(&thread, NULL, mark_sandboxed, (void *)"thread") == 0)
			pthread_join(thread, NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int break_ring(void)
{
	spt_mark_instant("a", "before", NULL);
	if (!spt_mark_is_recorded())
		return 0;
	memset(spt_mark_thread.words, 0xff, SPT_MARKS_WORDS * 8);
	spt_mark_thread.slot->head += 77777;
	usleep(300000);
	spt_mark_thread.slot->tail = 12345;
	spt_mark_instant("a", "after", NULL);
	memset(spt_marks_slot(spt_mark_link.marks, 0), 0xff, 128ULL * SPT_MARKS_SLOTS);
	usleep(300000);
	return 0;
}

/* What others take of the CPU is not its cost. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In rounds that fit into the ring, so that none is lost. */
static int cost(void)
{
	const unsigned long rounds = 2 + n / 10000, each = n / rounds;
	uint64_t sums[3] = { 0 }, begin;

	for (unsigned long round = 0; round < rounds; round++) {
		begin = cpu_ns();
		for (unsigned long i = 0; i < each; i++)
			spt_mark_instant("test", "instant", NULL);
		sums[0] += cpu_ns() - begin;
		await_room();
		begin = cpu_ns();
		for (unsigned long i = 0; i < each; i++)
			spt_mark_span("test", "span", NULL, spt_mark_now());
		sums[1] += cpu_ns() - begin;
		await_room();
		begin = cpu_ns();
		for (unsigned long i = 0; i < each; i++)
			__asm__ volatile("" ::: "memory");
		sums[2] += cpu_ns() - begin;
	}
	printf("instant %.2f\nspan %.2f\nloop %.2f\n", (double)sums[0] / (double)(each * rounds),
	       (double)sums[1] / (double)(each * rounds),
	       (double)sums[2] / (double)(each * rounds));
	return 0;
}

static char stop_file[32];

static void *number_marks(void *name)
{
	char number[32];
	unsigned long i = 0;

	while (access(stop_file, F_OK) < 0) {
		await_room();
		snprintf(number, sizeof(number), "%lu", i++);
		spt_mark_instant("running", (const char *)name, number);
		usleep(500);
	}
	printf("%s %lu\n", (const char *)name, i);
	return NULL;
}

static int running(void)
{
	snprintf(stop_file, sizeof(stop_file), "%lu.stop", n);
	return in_four_threads(number_marks);
}

static bool restrict_itself(bool is_whole)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILL_IF_CALL(SYS_socket),
		KILL_IF_CALL(SYS_connect),
		KILL_IF_CALL(is_whole ? SYS_openat : SYS_socket),
		KILL_IF_CALL(is_whole ? SYS_mmap : SYS_socket),
		KILL_IF_CALL(is_whole ? SYS_recvmsg : SYS_socket),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int shut(void)
{
	if (!restrict_itself(false))
		return 2;
	snprintf(stop_file, sizeof(stop_file), "%lu.stop", n);
	number_marks((void *)"shut");
	return 0;
}

static int closed(void)
{
	snprintf(stop_file, sizeof(stop_file), "%lu.shut", n);
	number_marks((void *)"open");
	if (!restrict_itself(true))
		return 2;
	snprintf(stop_file, sizeof(stop_file), "%lu.stop", n);
	number_marks((void *)"closed");
	return 0;
}

static int idle(void)
{
	uint64_t begin = now_ns();

	while (now_ns() - begin < n * 1000000000) {
		for (unsigned i = 0; i < 10; i++)
			spt_mark_instant("idle", "tick", NULL);
		usleep(1000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (argc > 2)
		n = strtoul(argv[2], NULL, 10);
	if (strcmp(way, "truth") == 0)
		return truth();
	if (strcmp(way, "nested") == 0)
		return nested();
	if (strcmp(way, "hostile") == 0)
		return hostile();
	if (strcmp(way, "forks") == 0)
		return forks(argv);
	if (strcmp(way, "executed") == 0) {
		spt_mark_instant("fork", "executed", NULL);
		return 0;
	}
	if (strcmp(way, "sandboxed") == 0)
		return sandboxed();
	if (strcmp(way, "flows") == 0)
		return flows();
	if (strcmp(way, "frames") == 0)
		return frames();
	if (strcmp(way, "crossing") == 0)
		return crossing();
	if (strcmp(way, "broken") == 0)
		return break_ring();
	if (strcmp(way, "cost") == 0)
		return cost();
	if (strcmp(way, "running") == 0)
		return running();
	if (strcmp(way, "shut") == 0)
		return shut();
	if (strcmp(way, "closed") == 0)
		return closed();
	if (strcmp(way, "idle") == 0)
		return idle();
	fprintf(stderr, "Usage: marks truth|nested|hostile|forks|sandboxed|flows|frames|crossing|"
			"broken|cost|running|shut|closed|idle [N]\n");
	return 2;
}
