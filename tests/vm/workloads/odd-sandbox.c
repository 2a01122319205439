/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that allow themselves few system calls, or no instruction that reads the time stamp
 * counter.  Another system call ends them: HOW, one of
 *
 *   strict     SECCOMP_MODE_STRICT.
 *   nine       A filter of 9 calls.
 *   twenty     One of some 20, with which threads begin.
 *   loose LIB  One with which the library LIB is loaded, too, by a thread.
 *   tsc        PR_SET_TSC, also for threads that begin then.
 *   execs      A filter with which another program begins.
 *
 * Each runs once in a process that has allocated before, and once in a child that has not.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "odd.h"

#define MOST_CALLS 48
#define N_READS	   5

static const int nine[] = { SYS_read,  SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn,
			    SYS_futex, SYS_brk,	  SYS_mmap, SYS_munmap,	    -1 };
static const int for_threads[] = {
	SYS_clone,     SYS_clone3,	    SYS_set_robust_list, SYS_rseq,
	SYS_mprotect,  SYS_madvise,	    SYS_rt_sigprocmask,	 SYS_sched_yield,
	SYS_nanosleep, SYS_clock_nanosleep, SYS_rt_sigaction,	 -1
};
static const int for_files[] = { SYS_openat,  SYS_close, SYS_fstat, SYS_newfstatat,
				 SYS_pread64, SYS_lseek, -1 };

static const int for_programs[] = { SYS_execve,     SYS_access,    SYS_arch_prctl,
				    SYS_prlimit64,  SYS_getrandom, SYS_set_tid_address,
				    -1 };

static int requests[2], answers[2];
static const char *library;

static unsigned add_calls(struct sock_filter *filter, unsigned n, const int *calls)
{
	for (; *calls >= 0; calls++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (unsigned)*calls, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	return n;
}

static void restrict_calls(bool has_threads, bool has_files, bool has_programs)
{
	struct sock_filter filter[2 * MOST_CALLS + 2];
	struct sock_fprog program = { .filter = filter };
	unsigned n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	n = add_calls(filter, n, nine);
	n = has_threads ? add_calls(filter, n, for_threads) : n;
	n = has_files ? add_calls(filter, n, for_files) : n;
	n = has_programs ? add_calls(filter, n, for_programs) : n;
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(1, "no filter");
}

static void *allocate(void *data)
{
	odd_allocate(1000);
	counted_wait();
	return data;
}

static void *load(void *data)
{
	void *handle = dlopen(library, RTLD_NOW);
	void *(*function)(void *(*)(size_t)) = NULL;

	if (handle)
		*(void **)&function = dlsym(handle, "through_library");
	if (!function)
		errx(1, "%s", dlerror());
	for (unsigned i = 0; i < 100; i++)
		counted_free(function(counted_malloc));
	return data;
}

/* Asks for a byte and waits for it. */
static void ask(void)
{
	for (unsigned i = 0; i < N_READS; i++)
		if (write(requests[1], "?", 1) != 1 || counted_read(answers[0]) != 1)
			syscall(SYS_exit, 1);
}

static void answer(void)
{
	char byte;

	for (unsigned i = 0; i < N_READS && read(requests[0], &byte, 1) == 1; i++) {
		odd_pause(2);
		if (write(answers[1], "!", 1) != 1)
			err(1, "no answer");
	}
}

static void be_in_threads(void *(*function)(void *))
{
	pthread_t threads[3];

	for (unsigned i = 0; i < 3; i++)
		odd_start(&threads[i], function, NULL);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void be_restricted(const char *how)
{
	bool is_loose = strcmp(how, "loose") == 0, is_program = strcmp(how, "execs") == 0;

	if (strcmp(how, "strict") == 0) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			err(1, "not strict");
	} else if (strcmp(how, "tsc") == 0) {
		if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
			err(1, "the counter cannot be forbidden");
	} else {
		restrict_calls(strcmp(how, "nine") != 0, is_loose || is_program, is_program);
	}
	if (is_program) {
		execl("/proc/self/exe", "odd-sandbox", "execed", NULL);
		_exit(127);
	}
	odd_allocate(1000);
	ask();
	if (strcmp(how, "strict") != 0 && strcmp(how, "nine") != 0) {
		counted_wait();
		be_in_threads(allocate);
	}
	if (is_loose)
		be_in_threads(load);
	/* The only way out for one that is strict. */
	syscall(SYS_exit, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	library = argc > 2 ? argv[2] : "";
	odd_begin();
	if (strcmp(how, "execed") == 0) {
		be_in_threads(allocate);
		syscall(SYS_exit_group, 0);
	}
	if (!strstr("strict nine twenty loose tsc execs", how) || !*how)
		errx(2, "see the top of odd-sandbox.c");
	/* Nothing else has to be mapped later. */
	free(odd_reserve(100000));
	for (unsigned i = 0; i < 2; i++) {
		pid_t child;

		if (pipe2(requests, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
			err(1, "no pipe");
		child = fork();
		if (child == 0) {
			if (i) {
				odd_allocate(10);
				counted_wait();
			}
			be_restricted(how);
		}
		close(requests[1]);
		close(answers[0]);
		if (strcmp(how, "execs") != 0)
			answer();
		odd_await(child, i ? "one that allocated before" : "a new one");
		close(requests[0]);
		close(answers[1]);
	}
	odd_allocate(100);
	printf("%s: done\n", how);
	return 0;
}
