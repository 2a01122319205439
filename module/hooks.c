// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks: trace points report fork, exec, exit and new names; kprobes on functions of the memory
 * management report every mapping made or changed, of address spaces copied and torn down.  They
 * do nothing that could sleep: they update the index and write records.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "arming.h"
#include "clock.h"
#include "compat/exit.h"
#include "compat/export.h"
#include "compat/switch.h"
#include "delivery.h"
#include "hooks.h"
#include "map-fd.h"
#include "mm-id.h"
#include "objects.h"
#include "program-quota.h"
#include "source-ops.h"
#include "spaces.h"
#include "state.h"
#include "trace-points.h"
#include "watch.h"

/* The probe below has been called since it was registered. */
static bool heard;

/*
 * void perf_event_mmap(struct vm_area_struct *vma): the mapping exists, its mm is locked;
 * preemption is off.
 */
static int map_hit(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)regs_get_kernel_argument(regs, 0);
	struct sysprof_map record;

	if (unlikely(!READ_ONCE(heard)))
		WRITE_ONCE(heard, true);
	sysprof_spaces_mapped(vma);
	if (!(vma->vm_flags & VM_EXEC) || !sysprof_sessions_want_maps())
		return 0;
	/*
	 * exec makes a new mm; its first executable mapping is not counted yet when it gets here.
	 */
	sysprof_state_map(&record, vma->vm_mm->exec_vm ? 0 : SYSPROF_MAP_FRESH, vma, current);
	sysprof_sessions_state(&record.record);
	return 0;
}

/*
 * void uprobe_dup_mmap(struct mm_struct *oldmm, struct mm_struct *newmm): fork, before anything is
 * copied.
 */
static int dup_hit(struct kprobe *probe, struct pt_regs *regs)
{
	sysprof_spaces_forked((struct mm_struct *)regs_get_kernel_argument(regs, 0),
			      (struct mm_struct *)regs_get_kernel_argument(regs, 1));
	return 0;
}

/* void exit_mmap(struct mm_struct *mm): after exit and exec, by the last user. */
static int teardown_hit(struct kprobe *probe, struct pt_regs *regs)
{
	sysprof_spaces_gone((struct mm_struct *)regs_get_kernel_argument(regs, 0));
	return 0;
}

/*
 * struct vm_area_struct *copy_vma(struct vm_area_struct **vmap, unsigned long addr, ...): mremap is
 * about to move the mapping there.
 */
static int move_hit(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = *(struct vm_area_struct **)regs_get_kernel_argument(regs, 0);
	unsigned long to = regs_get_kernel_argument(regs, 1),
		      bytes = regs_get_kernel_argument(regs, 2);

	sysprof_spaces_moved(vma, to, bytes);
	return 0;
}

/*
 * A kernel without CONFIG_UPROBES has no uprobe_dup_mmap(): there fork_hit() does as much as it
 * can.
 */
enum { PROBE_MAP, PROBE_DUP, PROBE_TEARDOWN, PROBE_MOVE };

static struct probe {
	const char *symbol;
	kprobe_pre_handler_t handler;
	bool is_absent;
	struct kprobe kprobe;
} probes[] = {
	[PROBE_MAP] = { "perf_event_mmap", map_hit },
	[PROBE_DUP] = { "uprobe_dup_mmap", dup_hit },
	[PROBE_TEARDOWN] = { "exit_mmap", teardown_hit },
	[PROBE_MOVE] = { "copy_vma", move_hit },
};

static void fork_hit(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct sysprof_task record;

	if (READ_ONCE(probes[PROBE_DUP].is_absent) && child->mm)
		sysprof_spaces_born(child->mm);
	if (!sysprof_sessions_any())
		return;
	sysprof_state_task(&record, SYSPROF_FORK,
			   child->tgid == parent->tgid ? SYSPROF_FORK_THREAD : 0, child,
			   child->comm);
	record.parent_mm = parent->flags & PF_KTHREAD ? 0 : sysprof_mm_id(parent->mm);
	record.parent_pid = parent->tgid;
	if (!(record.record.flags & SYSPROF_FORK_THREAD))
		sysprof_sessions_forked(parent, child);
	sysprof_sessions_state(&record.record);
}

static void exec_hit(void *data, struct task_struct *task, pid_t old_tid, struct linux_binprm *bprm)
{
	struct sysprof_task record;

	if (!sysprof_sessions_any())
		return;
	sysprof_state_task(&record, SYSPROF_EXEC, 0, task, task->comm);
	record.old_tid = old_tid;
	sysprof_sessions_state(&record.record);
}

static void exit_hit(SYSPROF_EXIT_PROTO(task))
{
	bool last = sysprof_exit_is_last(task);
	struct sysprof_task record;

	if (!sysprof_sessions_any())
		return;
	sysprof_state_task(&record, SYSPROF_EXIT, last ? SYSPROF_EXIT_PROCESS : 0, task,
			   task->comm);
	sysprof_sessions_state(&record.record);
	if (last)
		sysprof_sessions_exit(task);
}

static void rename_hit(void *data, struct task_struct *task, const char *comm)
{
	struct sysprof_task record;

	if (!sysprof_sessions_any())
		return;
	sysprof_state_task(&record, SYSPROF_COMM, 0, task, comm);
	sysprof_sessions_state(&record.record);
}

static void switch_hit(SYSPROF_SWITCH_PROTO(prev, next))
{
	u64 now;

	/*
	 * The scheduler has interrupts off, so that this is a reader of RCU.  Ticks that were due
	 * belong to the time that @prev ran.
	 */
	now = sysprof_clock_switch(prev, next);
	sysprof_source_switch(preempt, prev, next, SYSPROF_SWITCH_LEFT(prev), now);
}

static void hooks_softirq_entry_hit(void *data, unsigned int vector)
{
	sysprof_clock_softirq(vector, true);
}

static void hooks_softirq_exit_hit(void *data, unsigned int vector)
{
	sysprof_clock_softirq(vector, false);
}

static struct hook {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} hooks[] = {
	{ "sched_process_fork", fork_hit }, { "sched_process_exec", exec_hit },
	{ "sched_process_exit", exit_hit }, { "task_rename", rename_hit },
	{ "sched_switch", switch_hit },	    { "softirq_entry", hooks_softirq_entry_hit },
	{ "softirq_exit", hooks_softirq_exit_hit },
};

/* The compiler compares the probes with the arguments of this kernel's trace points. */
static void __maybe_unused hooks_check_prototypes(void)
{
	check_trace_callback_type_sched_process_fork(fork_hit);
	check_trace_callback_type_sched_process_exec(exec_hit);
	check_trace_callback_type_sched_process_exit(exit_hit);
	check_trace_callback_type_task_rename(rename_hit);
	check_trace_callback_type_sched_switch(switch_hit);
	check_trace_callback_type_softirq_entry(hooks_softirq_entry_hit);
	check_trace_callback_type_softirq_exit(hooks_softirq_exit_hit);
}

/* Arming. */

static bool kept;

static void hooks_remove_hooks(int n_tracepoints, int n_probes)
{
	sysprof_watch_stop();
	while (n_probes--)
		if (!probes[n_probes].is_absent)
			sysprof_watch_remove(&probes[n_probes].kprobe);
	while (n_tracepoints--)
		tracepoint_probe_unregister(hooks[n_tracepoints].tracepoint,
					    hooks[n_tracepoints].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int hooks_put_hooks(void)
{
	int i, n = 0, err;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = tracepoint_probe_register(hooks[i].tracepoint, hooks[i].probe, NULL);
		if (err)
			goto err_remove;
	}
	for (; n < ARRAY_SIZE(probes); n++) {
		/* A kprobe that was registered before still has fields that must be clear now. */
		probes[n].kprobe = (struct kprobe){
			.symbol_name = probes[n].symbol,
			.pre_handler = probes[n].handler,
		};
		err = sysprof_watch_put(&probes[n].kprobe);
		WRITE_ONCE(probes[n].is_absent, n == PROBE_DUP && err == -ENOENT);
		if (err && !probes[n].is_absent) {
			pr_err("cannot put a probe on %s (%d)\n", probes[n].symbol, err);
			goto err_remove;
		}
	}
	sysprof_watch_start(sysprof_spaces_renew);
	return 0;

err_remove:
	hooks_remove_hooks(i, n);
	return err;
}

static int hooks_put_all(struct sysprof_arming *arming)
{
	int err;

	WRITE_ONCE(heard, false);
	err = sysprof_objects_prepare();
	if (!err)
		err = sysprof_spaces_prepare();
	if (!err)
		err = hooks_put_hooks();
	if (!err)
		sysprof_spaces_scan();
	return err;
}

static void hooks_remove_all(struct sysprof_arming *arming)
{
	hooks_remove_hooks(ARRAY_SIZE(hooks), ARRAY_SIZE(probes));
	sysprof_spaces_forget();
	sysprof_objects_forget();
	sysprof_map_fd_forget();
	sysprof_quota_forget_ids();
}

static struct sysprof_arming arming = SYSPROF_ARMING(arming, hooks_put_all, hooks_remove_all);

/*
 * Whether the kernel calls the probed functions: a compiler may have put their code elsewhere and
 * left the symbols.  Mapping one page shows it.  Without arming.lock: the lock of current's memory
 * map may be held by another thread of his for ever.
 */
static bool is_heard(void)
{
	unsigned long at;

	if (READ_ONCE(heard) || !current->mm || sysprof_watch_is_blind())
		return true;
	at = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(at))
		return true;
	vm_munmap(at, PAGE_SIZE);
	return READ_ONCE(heard);
}

int sysprof_hooks_arm(void)
{
	int err = sysprof_arm(&arming);

	if (!err && !is_heard()) {
		pr_err("this kernel does not tell of mappings by %s, so code cannot be found\n",
		       probes[PROBE_MAP].symbol);
		sysprof_hooks_disarm();
		err = -EOPNOTSUPP;
	}
	return err;
}

int sysprof_hooks_hold(void)
{
	return sysprof_arm(&arming);
}
SYSPROF_EXPORT(sysprof_hooks_hold);

void sysprof_hooks_disarm(void)
{
	sysprof_disarm(&arming);
}
SYSPROF_EXPORT(sysprof_hooks_disarm);

int sysprof_hooks_init(bool keep)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		hooks[i].tracepoint = sysprof_trace_point_find(hooks[i].name);
		if (!hooks[i].tracepoint) {
			pr_err("this kernel has no trace point %s\n", hooks[i].name);
			return -ENOENT;
		}
	}
	kept = keep;
	return keep ? sysprof_hooks_arm() : 0;
}

/* No session remains. */
void sysprof_hooks_exit(void)
{
	if (kept)
		sysprof_hooks_disarm();
	sysprof_disarm_now(&arming);
}
