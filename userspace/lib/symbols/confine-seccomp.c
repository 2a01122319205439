/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seccomp: a process that reads descriptors that it gets may use no system call that is not listed.
 * A refused call fails with EPERM, and the libraries continue without its result.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/confine-private.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE
/* Memory, and received descriptors; no argument is a name. */
static const int allowed[] = {
	SYS_read,	   SYS_readv,		SYS_pread64,
	SYS_write,	   SYS_writev,		SYS_close,
	SYS_fstat,	   SYS_lseek,		SYS_recvfrom,
	SYS_recvmsg,	   SYS_sendto,		SYS_sendmsg,
	SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
	SYS_munmap,	   SYS_mremap,		SYS_madvise,
	SYS_brk,	   SYS_futex,		SYS_getrandom,
	SYS_clock_gettime, SYS_gettimeofday,	SYS_clock_nanosleep,
	SYS_nanosleep,	   SYS_getrusage,	SYS_getpid,
	SYS_gettid,	   SYS_sched_yield,	SYS_sched_getaffinity,
	SYS_sysinfo,	   SYS_rt_sigaction,	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,  SYS_restart_syscall, SYS_exit,
	SYS_exit_group,
};

/* Calls that depend on an argument: one of the values, or bits that are required or refused. */
enum test { IS, HAS, LACKS };
struct condition {
	int number, argument;
	enum test test;
	uint32_t value;
};

#define INSTRUCTIONS_MAX 256

struct program {
	struct sock_filter at[INSTRUCTIONS_MAX];
	unsigned short n;
};

static void confine_seccomp_put(struct program *program, uint16_t code, uint32_t value, uint8_t yes,
				uint8_t no)
{
	program->at[program->n++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void confine_seccomp_load(struct program *program, size_t at)
{
	confine_seccomp_put(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void confine_seccomp_end(struct program *program, uint32_t value)
{
	confine_seccomp_put(program, BPF_RET | BPF_K, value, 0, 0);
}

/* Flags and numbers are in the lower half of an argument. */
static void put_condition(struct program *program, const struct condition *condition)
{
	size_t at = offsetof(struct seccomp_data, args) + 8 * (size_t)condition->argument +
		    (G_BYTE_ORDER == G_BIG_ENDIAN ? 4 : 0);

	confine_seccomp_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)condition->number, 0, 4);
	confine_seccomp_load(program, at);
	if (condition->test == IS)
		confine_seccomp_put(program, BPF_JMP | BPF_JEQ | BPF_K, condition->value, 0, 1);
	else
		confine_seccomp_put(program, BPF_JMP | BPF_JSET | BPF_K, condition->value,
				    condition->test == HAS ? 0 : 1, condition->test == HAS ? 1 : 0);
	confine_seccomp_end(program, SECCOMP_RET_ALLOW);
	confine_seccomp_load(program, offsetof(struct seccomp_data, nr));
}

bool spt_confine_syscalls(void)
{
	const struct condition conditions[] = {
		/* No code can be added. */
		{ SYS_mmap, 2, LACKS, PROT_EXEC },
		{ SYS_mprotect, 2, LACKS, PROT_EXEC },
		{ SYS_newfstatat, 3, HAS, AT_EMPTY_PATH },
		{ SYS_fcntl, 1, IS, F_DUPFD_CLOEXEC },
		{ SYS_fcntl, 1, IS, F_GETFD },
		{ SYS_fcntl, 1, IS, F_GETFL },
		{ SYS_prlimit64, 0, IS, 0 },
		/* abort() */
		{ SYS_tgkill, 0, IS, (uint32_t)getpid() },
	};
	struct program program = { .n = 0 };
	struct sock_fprog filter;

	confine_seccomp_load(&program, offsetof(struct seccomp_data, arch));
	confine_seccomp_put(&program, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
	confine_seccomp_end(&program, SECCOMP_RET_KILL_PROCESS);
	confine_seccomp_load(&program, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < G_N_ELEMENTS(allowed); i++) {
		confine_seccomp_put(&program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0,
				    1);
		confine_seccomp_end(&program, SECCOMP_RET_ALLOW);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(conditions); i++)
		put_condition(&program, &conditions[i]);
	confine_seccomp_end(&program, SECCOMP_RET_ERRNO | EPERM);
	filter = (struct sock_fprog){ program.n, program.at };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}
#else
bool spt_confine_syscalls(void)
{
	return false;
}
#endif
