/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Only with SPT_CHECK.  The sums are in a file, $SPT_MEMORY_COUNTS of at least a page: they outlive
 * the process, and all processes of a recording share them.
 */
#include "check.h"

#ifdef SPT_CHECK

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unwind.h>

#include "system.h"

struct counts {
	uint64_t calls, bytes, frees, stacks, different, frames, incomplete;
};

static struct counts *counts;
static _Unwind_Reason_Code (*backtrace_by_libgcc)(_Unwind_Trace_Fn, void *);
static _Unwind_Ptr (*get_ip)(struct _Unwind_Context *, int *);
static __thread bool is_checking __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("SPT_MEMORY_COUNTS");
	void *libgcc;
	long fd;

	is_checking = true;
	fd = path ? spt_call(SYS_openat, AT_FDCWD, path, O_RDWR, 0) : -1;
	if (fd >= 0) {
		counts = (void *)spt_call6(SYS_mmap, 0, sizeof(*counts), PROT_READ | PROT_WRITE,
					   MAP_SHARED, fd, 0);
		spt_call(SYS_close, fd, 0, 0, 0);
	}
	if (counts && getenv("SPT_MEMORY_STACKS")) {
		libgcc = dlopen("libgcc_s.so.1", RTLD_NOW);
		*(void **)&get_ip = dlsym(libgcc, "_Unwind_GetIPInfo");
		*(void **)&backtrace_by_libgcc = dlsym(libgcc, "_Unwind_Backtrace");
	}
	is_checking = false;
}

static void add(uint64_t *count, uint64_t n)
{
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

void spt_check_allocation(size_t bytes)
{
	if (!counts)
		return;
	add(&counts->calls, 1);
	add(&counts->bytes, bytes);
}

void spt_check_free(void)
{
	if (counts)
		add(&counts->frees, 1);
}

void spt_check_undo(void)
{
	if (counts)
		add(&counts->frees, -1ULL);
}

struct trace {
	const struct spt_thread *thread;
	uint64_t caller;
	uint32_t node, n;
	bool has_begun, is_different;
};

/* Of frames of scripts libgcc knows nothing. */
static uint32_t next_native(const struct spt_thread *thread, uint32_t node)
{
	while (node >= SPT_NODE_FIRST && thread->written[node].pc & SPT_NODE_SCRIPT)
		node = thread->written[node].parent;
	return node;
}

static _Unwind_Reason_Code compare(struct _Unwind_Context *context, void *data)
{
	struct trace *trace = data;
	const struct spt_written_node *written = &trace->thread->written[trace->node];
	int is_exact = 0;
	uint64_t pc = get_ip(context, &is_exact);

	if (is_exact)
		pc |= SPT_NODE_EXACT;
	if (!trace->has_begun && pc != trace->caller)
		return _URC_NO_REASON;
	trace->has_begun = true;
	/* libgcc also names the caller of the outermost frame, which is none. */
	if (trace->node < SPT_NODE_FIRST)
		return pc ? (trace->is_different = true, _URC_END_OF_STACK) : _URC_NO_REASON;
	trace->is_different = written->pc != pc;
	trace->node = next_native(trace->thread, written->parent);
	trace->n++;
	return trace->is_different ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void spt_check_node(struct spt_thread *thread, uint32_t node, uint32_t parent, uint64_t pc)
{
	thread->written[node] = (struct spt_written_node){ pc, parent };
}

void spt_check_stack(struct spt_thread *thread, struct spt_place caller, uint32_t node)
{
	struct trace trace = { thread, caller.pc, next_native(thread, node), 0, false, false };

	if (!backtrace_by_libgcc || is_checking || thread->state == SPT_NESTED)
		return;
	is_checking = true;
	backtrace_by_libgcc(compare, &trace);
	is_checking = false;
	add(&counts->stacks, 1);
	add(&counts->frames, trace.n);
	add(&counts->incomplete, trace.node == SPT_NODE_INCOMPLETE);
	add(&counts->different, trace.is_different || trace.node >= SPT_NODE_FIRST);
}

#endif
