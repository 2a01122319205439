// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who is who: what the records say of a child that borrows its parent's memory (vfork, CLONE_VM),
 * of an exec by a thread that is not the first of its process, and of a pid that is used twice.  As
 * root, who can choose a pid.
 */
#include "abi.h"

#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#define RECORDS	4096

/*
 * What was reported of tasks, and of samples the first by each pid in each address space, in the
 * order of their times.
 */
static struct sysprof_task told[RECORDS];
static unsigned n_told;
static struct session session;

static int by_time(const void *a, const void *b)
{
	const struct sysprof_task *one = a, *other = b;

	return one->record.time < other->record.time ? -1 : one->record.time > other->record.time;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const struct sysprof_sample *)record;

	(void)data;
	if (n_told == RECORDS)
		errx(1, "there are too many records");
	switch (record->type) {
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_EXIT:
		memcpy(&told[n_told++], record, sizeof(told[0]));
		break;
	case SYSPROF_SAMPLE:
		if (sample->n_user && !sample->n_kernel)
			told[n_told++] =
				(struct sysprof_task){ .record = *record, .mm = sample->mm };
		break;
	}
}

static void drain(void)
{
	n_told = 0;
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		if (!session_drain(&session, cpu, look_at, NULL))
			errx(1, "the ring of CPU %u cannot be walked", cpu);
	qsort(told, n_told, sizeof(told[0]), by_time);
}

static bool is(const struct sysprof_task *record, unsigned type, pid_t pid, pid_t tid)
{
	return record->record.type == type && record->record.pid == (uint32_t)pid &&
	       (!tid || record->record.tid == (uint32_t)tid);
}

/* The n-th record of a kind, counted from 0; tid 0: any.  All 0 if there is none. */
static struct sysprof_task nth(unsigned n, unsigned type, pid_t pid, pid_t tid)
{
	for (unsigned i = 0; i < n_told; i++)
		if (is(&told[i], type, pid, tid) && !n--)
			return told[i];
	return (struct sysprof_task){ 0 };
}

static unsigned count_samples(pid_t pid, pid_t tid, uint64_t mm)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_told; i++)
		n += is(&told[i], SYSPROF_SAMPLE, pid, tid) && told[i].mm == mm;
	return n;
}

static unsigned count_ends(pid_t pid)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_told; i++)
		n += is(&told[i], SYSPROF_EXIT, pid, 0) &&
		     told[i].record.flags & SYSPROF_EXIT_PROCESS;
	return n;
}

/* Long enough for samples. */
static void work(void)
{
	uint64_t until = thread_cpu_ns() + 30 * NS_PER_MS;

	while (thread_cpu_ns() < until)
		spin(10000, 1);
}

static void reap(pid_t pid)
{
	int status;

	if (pid < 0)
		err(1, "cannot make a process");
	if (waitpid(pid, &status, __WALL) != pid || status)
		errx(1, "a child failed with status %d", status);
}

static uint64_t own_mm(void)
{
	drain();
	work();
	drain();
	return nth(0, SYSPROF_SAMPLE, getpid(), 0).mm;
}

static void judge_borrower(const char *how, pid_t pid, uint64_t mm)
{
	struct sysprof_task fork;

	drain();
	fork = nth(0, SYSPROF_FORK, pid, pid);
	ok(fork.mm == mm && fork.parent_mm == mm && fork.parent_pid == (uint32_t)getpid() &&
		   !(fork.record.flags & SYSPROF_FORK_THREAD),
	   "%s: the child is a process of its own in its parent's address space", how);
	ok(count_samples(pid, 0, mm) > 0 && nth(0, SYSPROF_SAMPLE, pid, 0).mm == mm,
	   "... it is sampled there, and its stack resolved (%u samples)",
	   count_samples(pid, 0, mm));
	ok(count_ends(pid) == 1 && !count_ends(getpid()),
	   "... it ends once, and its parent does not");
	work();
	drain();
	ok(count_samples(getpid(), 0, mm) > 0, "... whose stack is resolved as before (%u samples)",
	   count_samples(getpid(), 0, mm));
}

static int borrow(void *data)
{
	(void)data;
	work();
	return 0;
}

static void test_borrowers(uint64_t mm)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid = vfork();

	if (!pid) {
		work();
		_exit(0);
	}
	reap(pid);
	judge_borrower("vfork", pid, mm);
	pid = clone(borrow, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	reap(pid);
	judge_borrower("CLONE_VM", pid, mm);
}

static void *become(void *data)
{
	(void)data;
	work();
	execl("/proc/self/exe", "heir", "heir", NULL);
	_exit(127);
}

static void test_heir(void)
{
	struct sysprof_task fork_record, thread, exec;
	pid_t pid;

	drain();
	pid = fork();
	if (!pid) {
		pthread_t id;

		if (pthread_create(&id, NULL, become, NULL))
			_exit(126);
		for (;;)
			pause();
	}
	reap(pid);
	drain();
	fork_record = nth(0, SYSPROF_FORK, pid, pid);
	thread = nth(1, SYSPROF_FORK, pid, 0);
	exec = nth(0, SYSPROF_EXEC, pid, pid);
	ok(thread.record.flags & SYSPROF_FORK_THREAD && thread.record.tid != (uint32_t)pid &&
		   thread.mm == fork_record.mm,
	   "exec by another thread than the first: it is there");
	ok(nth(0, SYSPROF_SAMPLE, pid, thread.record.tid).mm == fork_record.mm,
	   "... and works as itself");
	ok(exec.old_tid == thread.record.tid && exec.mm != fork_record.mm &&
		   exec.start_time == fork_record.start_time,
	   "... EXEC says that it took over the process's tid, in a new address space");
	ok(count_samples(pid, 0, exec.mm) > 0 &&
		   count_samples(pid, 0, exec.mm) == count_samples(pid, pid, exec.mm),
	   "... under that tid alone it goes on, its stack resolved (%u samples)",
	   count_samples(pid, pid, exec.mm));
	ok(count_ends(pid) == 1 && nth(0, SYSPROF_EXIT, pid, pid).record.time < exec.record.time,
	   "... the first thread's end is not the process's, which ends once");
}

static void test_pid_twice(void)
{
	struct sysprof_task forks[2], ends[2];
	unsigned within[2] = { 0 }, samples = 0;
	struct clone_args args = { .exit_signal = SIGCHLD, .set_tid_size = 1 };
	pid_t pid, again;

	drain();
	pid = fork();
	if (!pid) {
		work();
		_exit(0);
	}
	reap(pid);
	args.set_tid = (uintptr_t)&pid;
	again = syscall(SYS_clone3, &args, sizeof(args));
	if (!again) {
		work();
		_exit(0);
	}
	reap(again);
	drain();
	for (unsigned i = 0; i < 2; i++) {
		forks[i] = nth(i, SYSPROF_FORK, pid, pid);
		ends[i] = nth(i, SYSPROF_EXIT, pid, pid);
	}
	ok(again == pid && forks[0].start_time && forks[0].start_time < forks[1].start_time,
	   "a pid used twice: two processes begin, told apart by when they did");
	ok(ends[0].start_time == forks[0].start_time && ends[1].start_time == forks[1].start_time &&
		   count_ends(pid) == 2,
	   "... each ends as itself");
	for (unsigned i = 0; i < n_told; i++) {
		if (!is(&told[i], SYSPROF_SAMPLE, pid, pid))
			continue;
		samples++;
		for (unsigned k = 0; k < 2; k++)
			within[k] += told[i].mm == forks[k].mm &&
				     told[i].record.time > forks[k].record.time &&
				     told[i].record.time < ends[k].record.time;
	}
	ok(within[0] && within[1] && within[0] + within[1] == samples,
	   "... and every sample lies in the life of one of them (%u + %u of %u)", within[0],
	   within[1], samples);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[0], "heir")) {
		work();
		return 0;
	}
	session = session_open(NS_PER_MS, 1U << 20);
	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	test_borrowers(own_mm());
	test_heir();
	test_pid_twice();
	session_close(&session);
	return tests_end();
}
