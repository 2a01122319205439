/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks-kept STOP: a program that keeps the node's descriptor (SPT_MARK_KEEP_NODE), and then may
 * call next to nothing: ioctl() and mmap() are all that it needs to be recorded later on.  It marks
 * "kept" with numbers until the file STOP is there, and prints how many there were.
 */
#define SPT_MARK_KEEP_NODE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <spt/mark.h>
#include <stddef.h>
#include <stdio.h>

#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool kept_restrict(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_ioctl), ALLOW(SYS_mmap),
		/* For the first mark of a thread, as with any recorder. */
		ALLOW(SYS_getpid), ALLOW(SYS_gettid),
		/* The program's own; and the clock, where that needs the kernel. */
		ALLOW(SYS_clock_gettime), ALLOW(SYS_clock_nanosleep),
		ALLOW(SYS_faccessat), ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
#ifdef SYS_access
		ALLOW(SYS_access),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int argc, char **argv)
{
	unsigned long i = 0;
	char number[32];

	if (argc < 2 || !kept_restrict())
		return 2;
	while (access(argv[1], F_OK) < 0) {
		snprintf(number, sizeof(number), "%lu", i++);
		spt_mark_instant("running", "kept", number);
		usleep(1000);
	}
	snprintf(number, sizeof(number), "kept %lu\n", i);
	return write(1, number, strlen(number)) < 0;
}
