/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's part in finding the frames of scripts (module/chain-check.c, chain-run.c,
 * chain-code.c) in user space: what it reads is the memory of another process, which is stopped.
 */
#ifndef CHAIN_USER_H
#define CHAIN_USER_H

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "shim.h"

/* What the headers of the module declare that these files need. */
#define _SYSPROF_ARCH_H
#define _SYSPROF_STACK_H
#define _SYSPROF_DELIVERY_H

#define SYSPROF_ARCH_USER_END (1ull << 47)
#define SYSPROF_ARCH_MACHINE 62
#define SYSPROF_ARCH_TABLE_REGS 16
#define SYSPROF_ARCH_SP 7
#define SYSPROF_MAX_USER_FRAMES 1024
#define SYSPROF_WALK_SLACK 1
#define ALIGN(x, to) (((x) + (to) - 1) & ~((__typeof__(x))(to) - 1))
#undef unsafe_get_user
#define unsafe_get_user(to, from, label)                                                           \
	do {                                                                                       \
		if (!sysprof_arch_copy_user(&(to), (uintptr_t)(from), sizeof(to)))                 \
			goto label;                                                                \
	} while (0)
#define ring_commit(ring) ((void)(ring))
#define sysprof_ring_used(ring) (chain_user_used)

struct sysprof_object;
struct sysprof_stack {
	u32 pid, tid;
	s32 names_fuel;
};
struct sysprof_user_part {
	struct sysprof_script *script;
};
struct sysprof_sent;
struct sysprof_session_cpu {
	struct sysprof_sent *sent;
	struct {
		u32 bytes;
	} ring;
};

static pid_t chain_user_pid;
static u64 chain_user_thread_pointer;
static GPtrArray *chain_user_records; /* struct sysprof_code, owned */
static unsigned chain_user_faults, chain_user_reads;
static u32 chain_user_used; /* bytes of the ring */

static bool sysprof_arch_copy_user(void *to, u64 from, u32 bytes)
{
	struct iovec here = { to, bytes }, there = { (void *)(uintptr_t)from, bytes };

	bool is_there = process_vm_readv(chain_user_pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;

	chain_user_faults += !is_there;
	chain_user_reads++;
	return is_there;
}

static u64 sysprof_arch_thread_pointer(void)
{
	return chain_user_thread_pointer;
}

unsigned int sysprof_recall_mode = 1;
long shim_allocated, shim_fail_after = -1;

static void *sysprof_delivery_take(struct sysprof_session_cpu *sc, u32 bytes, u32 max, u16 type);
#define get_random_bytes(to, bytes) memset(to, 0x5a, bytes)

/* The kernel does not have these warnings. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "chain-check.c"
#include "chain-code.c"
#include "chain-live.c"
#include "chain-recall.c"
#include "chain-run.c"
#include "code-number.c"

static void *sysprof_delivery_take(struct sysprof_session_cpu *sc, u32 bytes, u32 max, u16 type)
{
	struct sysprof_code *code = g_malloc0(bytes);

	(void)sc;
	(void)max;
	code->record.type = type;
	code->record.size = (u16)(bytes / 8);
	g_ptr_array_add(chain_user_records, code);
	return code;
}

#endif
