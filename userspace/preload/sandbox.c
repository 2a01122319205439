/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "plain.h"
#include "system.h"
#include "thread.h"

/* Tables for threads that begin in a sandbox. */
#define SPARE_THREADS 16u

uint32_t spt_forbidden;
bool spt_counter_is_forbidden;

/* Filters: classic BPF, as linux/filter.h and seccomp(2) define it. */

struct machine {
	uint32_t a, x;
	uint32_t memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
};

static uint32_t load(const struct machine *machine, const struct sock_filter *at)
{
	switch (BPF_MODE(at->code)) {
	case BPF_IMM:
		return at->k;
	case BPF_MEM:
		return machine->memory[at->k % BPF_MEMWORDS];
	case BPF_LEN:
		return sizeof(*machine->data);
	default:
		if (at->k > sizeof(*machine->data) - 4)
			return 0;
		return *(const uint32_t *)((const char *)machine->data + at->k);
	}
}

static uint32_t compute(const struct machine *machine, const struct sock_filter *at)
{
	uint32_t a = machine->a, b = BPF_SRC(at->code) == BPF_X ? machine->x : at->k;

	switch (BPF_OP(at->code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_NEG:
		return -a;
	default:
		return a ^ b;
	}
}

/* The number of instructions to skip. */
static uint32_t jump(const struct machine *machine, const struct sock_filter *at)
{
	uint32_t a = machine->a, b = BPF_SRC(at->code) == BPF_X ? machine->x : at->k;
	bool is_true;

	switch (BPF_OP(at->code)) {
	case BPF_JA:
		return at->k;
	case BPF_JEQ:
		is_true = a == b;
		break;
	case BPF_JGT:
		is_true = a > b;
		break;
	case BPF_JGE:
		is_true = a >= b;
		break;
	default:
		is_true = a & b;
		break;
	}
	return is_true ? at->jt : at->jf;
}

/* The filter's answer.  It only jumps forward; the kernel refuses others. */
static uint32_t ask(const struct sock_fprog *filter, const struct seccomp_data *data)
{
	struct machine machine = { .data = data };

	for (uint32_t i = 0; i < filter->len; i++) {
		const struct sock_filter *at = &filter->filter[i];

		switch (BPF_CLASS(at->code)) {
		case BPF_LD:
			machine.a = load(&machine, at);
			break;
		case BPF_LDX:
			machine.x = load(&machine, at);
			break;
		case BPF_ST:
			machine.memory[at->k % BPF_MEMWORDS] = machine.a;
			break;
		case BPF_STX:
			machine.memory[at->k % BPF_MEMWORDS] = machine.x;
			break;
		case BPF_ALU:
			machine.a = compute(&machine, at);
			break;
		case BPF_JMP:
			i += jump(&machine, at);
			break;
		case BPF_RET:
			return BPF_RVAL(at->code) == BPF_A ? machine.a : at->k;
		default:
			if (BPF_MISCOP(at->code) == BPF_TAX)
				machine.x = machine.a;
			else
				machine.a = machine.x;
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* What the library calls, with arguments that a filter may look at. */
static const struct {
	enum spt_may group;
	int32_t number;
	uint64_t arguments[6];
} calls[] = {
	{ SPT_MAY_BEGIN, SYS_getpid, { 0 } },
	{ SPT_MAY_BEGIN, SYS_getppid, { 0 } },
	{ SPT_MAY_BEGIN, SYS_gettid, { 0 } },
	{ SPT_MAY_BEGIN, SYS_newfstatat, { (uint64_t)-100 } },
	{ SPT_MAY_BEGIN, SYS_mmap, { 0, 1 << 20, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1 } },
	{ SPT_MAY_BEGIN, SYS_munmap, { 0, 1 << 20 } },
	{ SPT_MAY_BEGIN, SYS_madvise, { 0, 1 << 20, MADV_WIPEONFORK } },
	{ SPT_MAY_BEGIN, SYS_madvise, { 0, 1 << 20, MADV_NOHUGEPAGE } },
	{ SPT_MAY_BEGIN, SYS_madvise, { 0, 1 << 20, MADV_POPULATE_WRITE } },
	{ SPT_MAY_WAIT, SYS_futex, { 0, FUTEX_WAIT } },
	{ SPT_MAY_TIME, SYS_clock_gettime, { CLOCK_THREAD_CPUTIME_ID } },
	{ SPT_MAY_TIME, SYS_clock_gettime, { CLOCK_MONOTONIC } },
	{ SPT_MAY_TIME, SYS_getcpu, { 0 } },
	{ SPT_MAY_NAME, SYS_newfstatat, { (uint64_t)-100 } },
	{ SPT_MAY_NAME, SYS_readlinkat, { (uint64_t)-100 } },
	{ SPT_MAY_LOOK, SYS_openat, { (uint64_t)-100 } },
	{ SPT_MAY_LOOK, SYS_read, { 1000 } },
	{ SPT_MAY_LOOK, SYS_close, { 1000 } },
	{ SPT_MAY_LOOK, SYS_newfstatat, { (uint64_t)-100 } },
	{ SPT_MAY_LOOK, SYS_process_vm_readv, { 1 } },
	{ SPT_MAY_LOOK, SYS_sigaltstack, { 0 } },
};

static bool lets_through(const struct sock_fprog *filter, unsigned call)
{
	struct seccomp_data data = { .nr = calls[call].number, .arch = ARCHITECTURE };
	uint32_t answer;

	memcpy(data.args, calls[call].arguments, sizeof(data.args));
	answer = ask(filter, &data) & SECCOMP_RET_ACTION_FULL;
	return answer == SECCOMP_RET_ALLOW || answer == SECCOMP_RET_LOG;
}

/* Before the kernel gets @filter; NULL: nothing but read, write and exit.  What was allowed. */
static uint32_t confine(const struct sock_fprog *filter)
{
	uint32_t forbidden = 0;

	spt_thread_get();
	if (spt_may_call(SPT_MAY_BEGIN))
		spt_thread_make_spare(SPARE_THREADS);
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!filter || !filter->filter || !lets_through(filter, i))
			forbidden |= calls[i].group;
	return __atomic_fetch_or(&spt_forbidden, forbidden, __ATOMIC_RELAXED);
}

/* The thread must not read the counter, by which events are stamped. */
static bool stop_counting(void)
{
	bool before = spt_counter_is_forbidden;

#ifdef __x86_64__
	spt_counter_is_forbidden = true;
	spt_thread_stop(true);
#endif
	return before;
}

struct spt_lock_in spt_lock_in_begin(long option, long what, const void *filter)
{
	struct spt_lock_in ret = { .forbidden = spt_forbidden,
				   .counter_is_forbidden = spt_counter_is_forbidden };

	if (option == PR_SET_SECCOMP && what == SECCOMP_MODE_FILTER && filter) {
		ret.forbidden = confine(filter);
	} else if (option == PR_SET_SECCOMP && what == SECCOMP_MODE_STRICT) {
		ret.forbidden = confine(NULL);
		ret.counter_is_forbidden = stop_counting();
	} else if (option == PR_SET_TSC && what == PR_TSC_SIGSEGV) {
		ret.counter_is_forbidden = stop_counting();
	}
	return ret;
}

void spt_lock_in_failed(const struct spt_lock_in *before)
{
	spt_forbidden = before->forbidden;
	if (spt_counter_is_forbidden != before->counter_is_forbidden) {
		spt_counter_is_forbidden = before->counter_is_forbidden;
		spt_thread_stop(false);
	}
}
