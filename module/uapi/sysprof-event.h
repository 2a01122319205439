/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Event sources of /dev/sysprof-trace, version 1: what ticks cannot show, such as where threads
 * wait, who woke them, and whose handlers of interrupts take the CPU from which task.
 *
 * Sources
 * -------
 * SYSPROF_IOC_SOURCES says which sources a session wants.  SYSPROF_IOC_SOURCE_INFO lists the
 * sources, and says why others are missing.  Sources are on from START to STOP; a hook is in place
 * only while a running session wants it.  Sessions share the hooks and nothing else: each has its
 * own threshold, grid, filter, rights, part of the ring and account.  A reader gets only sources
 * that it requested; it skips records, parts and values that it does not know by their size.
 *
 * Events
 * ------
 * An EVENT record is complete when it is written: nothing is added later.  record.time is when it
 * was written, begin and begin + duration are when it happened.  Facts that are known elsewhere or
 * at another time are an EVENT of their own, joined by a key: a wait names its waker by the key of
 * a WAKE, which the waker wrote before the wait ended.  Either can be missing; the account of its
 * source says why.  A session's events begin at its START at the earliest
 * (SYSPROF_EVENT_CUT_BEGIN).  A wait that lasts at STOP is no event; THREAD says when it began.
 *
 * Weight
 * ------
 * A source with a period has a grid, as ticks have: each period of a thread's life has one instant,
 * at random.  A wait's weight is the number of instants in it, and a wait without one is not
 * reported.  So weight * period is an unbiased measure of the time waited, whatever the lengths of
 * the waits are, and there are at most time / period events.  A part of a wait (value of its
 * duration) has that part of its weight.  With period 0 every wait of at least the threshold is
 * reported, with weight 1: its duration is its measure.
 *
 * The law of a source
 * -------------------
 * For each source of a session and each CPU, in each column of struct sysprof_tally, at every
 * moment (struct sysprof_source_account):
 *
 *	seen = delivered + sum(lost[]) + not_picked + below + excluded
 *
 * An event counts on the CPU where it ended.  SOURCE_ACCOUNT records carry it at least once per
 * second in which events of the source are written, or the session's ticks find the CPU at work,
 * and at STOP; SYSPROF_IOC_SOURCE_STATS returns it at any time.  Events, and LANE records, can fill
 * half of a ring, samples three quarters, THREAD and SOURCE_ACCOUNT records all of it.  A lost
 * THREAD counts as state_lost, and RESYNC follows.  Stacks of events can take half of a CPU, or a
 * quarter for sessions of openers without CAP_SYS_RESOURCE; events beyond that are
 * SYSPROF_LOST_THROTTLED.  While there are more than eight such sessions, all of the hooks' work
 * counts for that quarter.  Beyond it these are not asked: their events count as THROTTLED, also
 * those that their filters exclude, and only in events.
 *
 * Waits
 * -----
 * A wait is a time in which a thread does not run: from when it leaves its CPU, or is made, to when
 * it gets a CPU.  In the first part, up to the waking, the thread is blocked (value); in the rest
 * it is runnable.  A thread that was preempted, or is new, has no blocked part.  The idle tasks do
 * not wait.  The stacks are the waiter's, where it left the CPU: its kernel frames are those in
 * which it sleeps, its user frames those to which it returns.
 *
 * The waker is the thread that ran on the CPU that woke the waiter.  In an interrupt it is not the
 * cause: part.a of struct sysprof_part_wait says so, and the WAKE's kernel frames show the
 * interrupt.  The kernel does not report every waking: SYSPROF_EVENT_NO_WAKE.
 *
 * The part of a wait with a stack names the file that the waiter's system call reads, writes or
 * syncs, if that is a regular file or a directory: the one that the descriptor has when the wait
 * ends.  A file that is being opened is not known; nor are those of calls with two files
 * (copy_file_range(), splice()), of calls of 32-bit programs, of io_uring, and of page faults.
 * Of a futex it has the address, if the wait has a user stack of which the session may have copies.
 *
 * A session's filters apply to waits, by the waiter and the CPU that it gets; filters by user and
 * kernel mode do not.  LANE has all threads of the CPUs that the session samples.  The nanoseconds
 * that each thread spends in each state are also summed, for all waits, picked or not (struct
 * sysprof_thread).
 *
 * Interrupts
 * ----------
 * An IRQ event is a call of an interrupt's handler.  On x86 that includes the local timer and the
 * interrupts that CPUs send each other.  A SOFTIRQ event is one round of a soft interrupt's
 * handler, wherever it runs.  Its value is without the interrupts that came meanwhile; on RT
 * kernels it includes the time in which it was preempted.  The grid is of the CPU's time, idle or
 * not.  pid, tid and stack are of the interrupted task, which can be the idle task (0) and need not
 * be the cause.  The kernel frames begin in the caller of the handler and continue in the
 * interrupted code.  A session's filters, except those by mode, apply to that task.  NMIs, and
 * interrupts of hypervisors without an action, are not reported.
 *
 * Interrupts or preemption off
 * ----------------------------
 * An IRQS_OFF event is a stretch in which a CPU took no interrupts, with the stack that put them on
 * again.  Its value is its duration.  Stretches below 10 us are no events.  Kernels with the trace
 * points irq_disable and irq_enable (CONFIG_IRQSOFF_TRACER or lockdep) report each, from end to
 * end.  On others missing[] of SOURCE_INFO names one of them, and a stretch is an event if a tick
 * of this or another session is due in it and finds its CPU at work: from when the tick was due to
 * when it came.  So the event is the last part of the stretch, and a stretch that is shorter than
 * the time between two ticks can have none.  Hypervisors and firmware delay ticks, too; known
 * stolen time is subtracted.  NMIs as ticks see none.  PREEMPT_OFF: CONFIG_PREEMPT_TRACER only.
 *
 * Locks
 * -----
 * A LOCK event is a wait for a lock of the kernel, from when a thread found it taken to when it got
 * the lock or gave up.  Its value is its duration, spinning and sleeping.  Kernels from 5.19 on
 * report it.  A spin lock's first waiter is never reported.  The stack is the waiter's.
 *
 * A HOLD event has the holder's stack.  The holder is the thread that held the lock when the wait
 * began, as far as the lock names one.  Its stack is taken once for those that wait then, at its
 * next tick or when it gets a CPU, if it still holds the lock and a waiter still waits.  The event
 * lasts from when the first of these began to wait until then.  The LOCK has its key; 0: there is
 * none.  If LOCK and HOLD have the same period, a stack is sent once one of the grid's instants is
 * in the wait: a wait that is picked has none only if the holder was not seen after that instant.
 * A session's filters, except those by CPU, apply to the waiter: it gets the stacks of holders in
 * other processes.
 *
 * Memory of the kernel
 * --------------------
 * A SLAB event is an allocation by kmalloc() or from a slab cache.  Large ones of kmalloc(), which
 * are pages, are included.  A PAGE event is an allocation of pages, those of caches included.  The
 * two are layers: do not add them up.
 *
 * An allocation is an OPEN, with the stack of the thread that allocates.  SLAB_FREE and PAGE_FREE
 * are CLOSE: they have the same key and the bytes, and as duration how long the block existed.  The
 * grid is of bytes.  A session that gets every allocation gets every free, also of blocks from
 * before its START; value and duration are 0 then, as the OPEN has them.  Others get the frees of
 * the allocations that they got.  The kernel does not report objects that are allocated or freed in
 * bulk.  Where an address is given out again, the old object is taken to have been freed
 * (SYSPROF_EVENT_GUESSED, or, where every allocation is sent, a second OPEN of the same key).
 *
 * PERCPU and VMALLOC are layers of the same kind.  The bytes of a PERCPU are those of all possible
 * CPUs.  A VMALLOC is an area of addresses, with the page that guards it; kernels from 6.3 on
 * report it.  Their frees are PERCPU_FREE and VMALLOC_FREE.
 *
 * Short memory
 * ------------
 * A STALL event is the time that a thread itself reclaims pages, or moves them together, before its
 * allocation can go on.  Its value is its duration.  kswapd and kcompactd are not reported.  A
 * FRAGMENT event is an allocation that breaks up a block of pages of another mobility; its value is
 * 1.  The stacks are those of the allocating thread.
 *
 * Page faults
 * -----------
 * A FAULT event is a page fault that the kernel has served.  Each is counted once, as perf's
 * minor-faults and major-faults count them.  The stack begins at the faulting instruction.  On x86
 * it is a SPAN from the exception until the fault was served, waits included.  Elsewhere, and where
 * the begin is not known, it is an INSTANT.  The grid is of events; value is 1.  How long faults
 * take that are not picked is in no account.
 *
 * Block requests
 * --------------
 * A BLOCK event is a request to a block device, with the stack of the thread that submits it: where
 * it enters a scheduler's queue or, without one, goes to the device.  BLOCK_DONE, of the same key,
 * is sent when the device has completed it.  It lasts from when the device got the request (begin).
 * Its value is the bytes that the request had then, with what was merged into it meanwhile.  A
 * request that is merged into another one has no DONE.  The grid is of bytes.  DONE has none: it
 * goes where its BLOCK went, and a session's filters apply to the submitter.  A thread that writes
 * cached data seldom submits the request itself: the stack is that of a kernel thread then.
 *
 * Page cache
 * ----------
 * A PAGE_CACHE event is a page of a file, or several at once, that comes into the page cache, to be
 * read or written.  Its value is the bytes.  The stack is of the thread that needed the page first:
 * as long as it stays there, nobody else has it read again.  Pages that the kernel reads ahead
 * count for the thread that made it do so.  The part BLOCK has only the file.
 *
 * Who can do what
 * ---------------
 * Events and sums of all threads are reported, as samples are.  The times of other users' wakings
 * show when they type.  As with the addresses of their code, only module parameter others=none
 * hides that from members of the group.  They then get no event, THREAD or LANE of processes that
 * they could not trace (SYSPROF_FEATURE_HIDES_OTHERS).  A CLOSE or WAKE by such a process has no
 * stack, and pid, tid and mm 0: they get it as the end of what they began.
 *
 *	asset                    actor         door                what closes it; its test
 *	-----                    -----         ----                ------------------------
 *	secrets in the times of  group member  EVENT, THREAD, LANE others=none: none of others; by
 *	others' wakings                                            default exact; vm/waits, vm/hidden
 *	addresses                group member  frames of events    encoded as those of samples are,
 *	                                                           before the copy; vm/waits
 *	                         group member  keys                counters, never addresses;
 *	                                                           vm/waits
 *	stacks, registers, time  group member  part RAW            checked as for samples; not where
 *	                                                           locks may be held; vm/crossed
 *	memory, CPU time         group member  SOURCES             one of a kind; accounts charged
 *	                                                           like rings; stacks held to a part
 *	                                                           of a CPU; vm/fuzz, vm/waits
 *	                         any user      switches, wakings   bounded work for each
 *	secrets in the times of  group member  IRQ, SOFTIRQ        names and times are for all in
 *	others' devices                                            /proc/interrupts; stacks as those
 *	                                                           of samples; vm/hidden
 *	                         group member  IRQS_OFF,           as delays of samples;
 *	                                       PREEMPT_OFF         vm/hidden
 *	                         group member  HOLD                as samples of the holder, by its
 *	                                                           rights; vm/hidden
 *	addresses                group member  keys of SLAB, PAGE, siphash with a secret; vm/waits
 *	                                       PERCPU, VMALLOC
 *	others' use of memory    group member  STALL, FRAGMENT     times and stacks as those of
 *	                                                           samples, no address; vm/hidden
 *	names of others' files   group member  PAGE_CACHE          as BLOCK; vm/hidden
 *	                         group member  WAIT                as BLOCK; vm/blocked
 *	                         group member  BLOCK               inodes, no names; not of tasks
 *	                                                           whose frames are hidden; vm/block
 *	ticks of a session       any user      storms of events    events may fill half a ring;
 *	                                                           vm/waits
 */
#ifndef _UAPI_SYSPROF_EVENT_H
#define _UAPI_SYSPROF_EVENT_H

#include "sysprof.h"

/* In addition to enum sysprof_record_type; 12 and 16 are reserved. */
enum sysprof_event_record_type {
	SYSPROF_EVENT		= 13,
	SYSPROF_THREAD		= 14,
	SYSPROF_LANE		= 15,
	SYSPROF_SOURCE_ACCOUNT	= 19,
};

enum sysprof_source_kind {
	SYSPROF_SOURCE_WAIT	= 1,	/* waits, and the sums of all threads */
	SYSPROF_SOURCE_WAKE	= 2,	/* not to be requested: comes with SYSPROF_STACKS_WAKER */
	SYSPROF_SOURCE_LANE	= 3,	/* who ran on each CPU, exactly: LANE records */
	SYSPROF_SOURCE_IRQ	= 4,	/* handlers of interrupts */
	SYSPROF_SOURCE_SOFTIRQ	= 5,	/* handlers of soft interrupts */
	SYSPROF_SOURCE_IRQS_OFF	= 6,	/* stretches with interrupts off */
	SYSPROF_SOURCE_SLAB	= 7,	/* memory of slab caches and kmalloc() */
	SYSPROF_SOURCE_PAGE	= 8,	/* pages: those that caches are made of, too */
	SYSPROF_SOURCE_PERCPU	= 9,	/* memory that each CPU has a copy of */
	SYSPROF_SOURCE_VMALLOC	= 10,	/* areas of vmalloc(), vmap() and ioremap() */
	SYSPROF_SOURCE_FAULT	= 11,	/* page faults */
	SYSPROF_SOURCE_BLOCK	= 12,	/* requests to block devices, where they are submitted */
	SYSPROF_SOURCE_PAGE_CACHE = 13,	/* pages of files that come into the page cache */
	SYSPROF_SOURCE_LOCK	= 14,	/* waits for locks of the kernel */
	SYSPROF_SOURCE_HOLD	= 15,	/* holders of locks that others wait for */
	SYSPROF_SOURCE_STALL	= 16,	/* reclaim and compaction that an allocation waits for */
	SYSPROF_SOURCE_PREEMPT_OFF = 17, /* the same, preemption or soft interrupts off */
	SYSPROF_SOURCE_BLOCK_DONE = 23,	/* where these requests are completed */
	SYSPROF_SOURCE_SLAB_FREE = 24,	/* of SLAB, where it is freed */
	SYSPROF_SOURCE_PAGE_FREE = 25,	/* of PAGE */
	SYSPROF_SOURCE_PERCPU_FREE = 26, /* of PERCPU */
	SYSPROF_SOURCE_VMALLOC_FREE = 27, /* of VMALLOC */
	SYSPROF_SOURCE_FRAGMENT = 28,	/* pages of one mobility given to another */
};

enum sysprof_unit {
	SYSPROF_UNIT_EVENTS	= 0,
	SYSPROF_UNIT_NS		= 1,
	SYSPROF_UNIT_BYTES	= 2,
};

/* Why a source is missing. */
enum sysprof_why {
	SYSPROF_WHY_OK		= 0,
	SYSPROF_WHY_UNKNOWN	= 1,	/* this module does not know the kind */
	SYSPROF_WHY_NO_TRACEPOINT = 2,	/* this kernel does not have it: missing[] */
	SYSPROF_WHY_RIGHTS	= 3,	/* this opener would need CAP_PERFMON */
};

#define SYSPROF_STACKS_KERNEL	(1 << 0)
#define SYSPROF_STACKS_USER	(1 << 1)	/* as user_mode of CONFIGURE says */
/* WAIT: also the waker's stacks, of the requested kinds; no raw stacks */
#define SYSPROF_STACKS_WAKER	(1 << 2)

/* If the source is unavailable the session runs without it; error and why say so. */
#define SYSPROF_SOURCE_OPTIONAL	(1 << 0)

#define SYSPROF_SOURCES_MAX	64

/**
 * struct sysprof_source - a source that a session requests
 * @kind: enum sysprof_source_kind, each at most once (-EEXIST)
 * @id: on return its number, EVENT.source: from 1, in the order of the array; WAKE's is one more
 * @flags: SYSPROF_SOURCE_*
 * @stacks: SYSPROF_STACKS_*
 * @error: on return 0 or -errno: -EOPNOTSUPP, -EPERM as @why says, else for a fault of this struct
 * @period: of the grid, in ns, or in bytes or events where that is the unit; on return as granted:
 *	a whole multiple of min_period.  0: every event
 * @threshold: with period 0 (else -EINVAL): smaller events are not reported, and count as below
 * @why: on return enum sysprof_why
 * @unit: on return, unit of value: enum sysprof_unit
 * @reserved: 0
 *
 * LANE has neither stacks nor period nor threshold (-EINVAL); DONE neither of the last two.
 */
struct sysprof_source {
	__u16 kind;
	__u16 id;
	__u32 flags;
	__u32 stacks;
	__s32 error;
	__aligned_u64 period;
	__aligned_u64 threshold;
	__u16 why;
	__u16 unit;
	__u32 reserved;
};

/**
 * struct sysprof_sources - SYSPROF_IOC_SOURCES: replaces the session's sources
 * @size: of this struct
 * @nr: number of sources; 0: none
 * @source_bytes: size of struct sysprof_source as the caller knows it.  What is more must be zero
 *	(-E2BIG)
 * @flags: 0
 * @sources: address of the first; with valid @nr and @source_bytes written back in any case
 *
 * Not while running (-EBUSY).  If a source that is not optional is unavailable, nothing changes,
 * and its error is returned.  CONFIGURE does not change the sources.
 */
struct sysprof_sources {
	__u32 size;
	__u32 nr;
	__u32 source_bytes;
	__u32 flags;
	__aligned_u64 sources;
};

/**
 * struct sysprof_source_info - a source, as the opener of this session can use it
 * @kind: enum sysprof_source_kind
 * @unit: unit of value: enum sysprof_unit
 * @stacks: SYSPROF_STACKS_* that the source can have
 * @min_period: the shortest period of the grid; 0: the source has no grid
 * @why: enum sysprof_why
 * @reserved: 0
 * @missing: what the kernel lacks, nul-terminated; for IRQS_OFF also if the source can be had
 */
struct sysprof_source_info {
	__u16 kind;
	__u16 unit;
	__u32 stacks;
	__u64 min_period;
	__u16 why;
	__u16 reserved[3];
	char missing[40];
};

/**
 * struct sysprof_source_infos - SYSPROF_IOC_SOURCE_INFO
 * @size: of this struct
 * @nr: room in @infos; on return the number of sources, of which as many as fit are filled in
 * @info_bytes: size of struct sysprof_source_info as the caller knows it
 * @reserved: 0
 * @infos: address of the first info
 */
struct sysprof_source_infos {
	__u32 size;
	__u32 nr;
	__u32 info_bytes;
	__u32 reserved;
	__aligned_u64 infos;
};

/* EVENT. */

enum sysprof_phase {
	SYSPROF_PHASE_SPAN	= 0,	/* the event lasted from begin to begin + duration */
	SYSPROF_PHASE_INSTANT	= 1,	/* the event happened at begin */
	SYSPROF_PHASE_OPEN	= 2,	/* the event goes on until a CLOSE with this key */
	SYSPROF_PHASE_CLOSE	= 3,	/* the event began at begin, and has ended */
};

/* record.flags of an EVENT: those of samples (SYSPROF_SAMPLE_*), and */
#define SYSPROF_EVENT_CUT_BEGIN	(1 << 9)	/* earlier: begin is START, or when it was found */
#define SYSPROF_EVENT_NO_WAKE	(1 << 10)	/* blocked, no waking seen: all of it is value */
/* The user frames were not taken in time: user_end is SYSPROF_END_NONE */
#define SYSPROF_EVENT_NO_USER	(1 << 11)
/* CLOSE: the end was not seen; the address of what it closes was given out again */
#define SYSPROF_EVENT_GUESSED	(1 << 12)

/* What a thread does; for a WAIT the state in which it left its CPU, or was made. */
enum sysprof_state {
	SYSPROF_STATE_RUNNING	= 0,
	SYSPROF_STATE_PREEMPTED	= 1,	/* runnable; did not ask to leave its CPU */
	SYSPROF_STATE_WOKEN	= 2,	/* runnable since its waking */
	SYSPROF_STATE_SLEEP	= 3,	/* interruptible; kernel threads with nothing to do */
	SYSPROF_STATE_DISK	= 4,	/* uninterruptible */
	SYSPROF_STATE_IOWAIT	= 5,	/* for I/O, interruptible or not */
	SYSPROF_STATE_STOPPED	= 6,	/* by a signal or a tracer */
	SYSPROF_STATE_LOCK	= 7,	/* a spin lock of an RT kernel */
	SYSPROF_STATE_OTHER	= 8,	/* frozen, parked */
	SYSPROF_STATE_NEW	= 9,	/* runnable; has not run yet */
	/* From when the thread was found until its state was seen to change */
	SYSPROF_STATE_UNKNOWN	= 10,
	SYSPROF_STATES		= 12,
};

/* The context in which something happened. */
enum sysprof_context {
	SYSPROF_CONTEXT_TASK	= 0,
	SYSPROF_CONTEXT_SOFTIRQ	= 1,
	SYSPROF_CONTEXT_IRQ	= 2,
	SYSPROF_CONTEXT_NMI	= 3,
	SYSPROF_CONTEXT_IDLE	= 4,	/* the idle task itself */
};

/**
 * struct sysprof_event - an event of a source
 * @record: SYSPROF_EVENT; pid and tid of the thread of the event: the waiter; for a WAKE the waker,
 *	for a CLOSE who ended it: 0 if that is hidden from the session (others=none)
 * @begin: ns
 * @duration: ns; 0 for an instant
 * @value: in the source's unit; for a WAIT the ns blocked: the thread was runnable for duration -
 *	value; for IRQ and SOFTIRQ the ns without interrupts that came meanwhile
 * @key: joins events: an OPEN and its CLOSE; LOCKs and the HOLD of their holder; for a WAKE the
 *	number that a wait has in wake; 0: none
 * @mm: address space of the user frames, 0: none
 * @weight: instants of the source's grid, 1 without a grid; 0 for an event that belongs to another
 *	(WAKE)
 * @source: id of struct sysprof_source
 * @phase: enum sysprof_phase
 * @state: for a WAIT enum sysprof_state, for others enum sysprof_context; for IRQ and SOFTIRQ the
 *	interrupted context
 * @n_kernel: kernel frames, innermost first
 * @n_user: user frames, innermost first, after the kernel's; part STACK may refer to more
 * @kernel_end: enum sysprof_end
 * @user_end: enum sysprof_end
 * @user_mode: enum sysprof_user_mode; SYSPROF_USER_RAW: there is a part RAW
 * @n_parts: number of struct sysprof_part after the frames
 * @frames: n_kernel + n_user frames
 */
struct sysprof_event {
	struct sysprof_record record;
	__u64 begin;
	__u64 duration;
	__u64 value;
	__u64 key;
	__u64 mm;
	__u32 weight;
	__u16 source;
	__u8 phase;
	__u8 state;
	__u16 n_kernel;
	__u16 n_user;
	__u8 kernel_end;
	__u8 user_end;
	__u8 user_mode;
	__u8 n_parts;
	__u64 frames[];
};

enum sysprof_part_type {
	SYSPROF_PART_STACK	= 1,	/* struct sysprof_part_stack, always the first part */
	SYSPROF_PART_RAW	= 2,	/* sysprof_raw: WAIT, HOLD, IRQ, SOFTIRQ, FAULT, STALL */
	SYSPROF_PART_WAIT	= 3,	/* struct sysprof_part_wait, or one that begins with it */
	SYSPROF_PART_IRQ	= 4,	/* struct sysprof_part_irq */
	SYSPROF_PART_MEMORY	= 5,	/* struct sysprof_part_memory */
	SYSPROF_PART_FAULT	= 6,	/* struct sysprof_part_fault */
	SYSPROF_PART_BLOCK	= 7,	/* struct sysprof_part_block */
	SYSPROF_PART_LOCK	= 8,	/* struct sysprof_part_lock */
	SYSPROF_PART_STALL	= 9,	/* no more than a: enum sysprof_stall; b: 0 */
	SYSPROF_PART_FRAGMENT	= 10,	/* only a: the order requested; b: of the block broken up */
};

/**
 * struct sysprof_part - a part of an event, after its frames
 * @type: enum sysprof_part_type
 * @size: with this struct, in units of 8 bytes
 * @a: depends on the type
 * @b: depends on the type
 */
struct sysprof_part {
	__u16 type;
	__u16 size;
	__u16 a;
	__u16 b;
};

/**
 * struct sysprof_part_wait - the waking of a wait, and its CPUs
 * @part: a: enum sysprof_context of the waking; b: enum sysprof_call, where a stack was requested
 *	and the thread was blocked
 * @waker_pid: process that ran on the waking CPU; 0: the idle task, or there was no waking.  With
 *	others=none a member has it only if it is the waiter's process, else only from the WAKE
 * @waker_tid: thread of @waker_pid
 * @wake: key of the WAKE; 0: no WAKE
 * @waker_cpu: CPU of the waking
 * @cpu_before: CPU on which the waiter ran before; record.cpu is its CPU from now on
 * @priority: of the waiter now, in the kernel's numbers: 100 and up normal, below real time, -1
 *	deadline
 * @reserved: 0
 */
struct sysprof_part_wait {
	struct sysprof_part part;
	__u32 waker_pid;
	__u32 waker_tid;
	__u64 wake;
	__u16 waker_cpu;
	__u16 cpu_before;
	__s16 priority;
	__u16 reserved;
};

/* The system call in which a thread waits. */
enum sysprof_call {
	SYSPROF_CALL_OTHER	= 0,	/* another one, or none */
	SYSPROF_CALL_READ	= 1,
	SYSPROF_CALL_WRITE	= 2,
	SYSPROF_CALL_SYNC	= 3,	/* fsync() and the like */
	SYSPROF_CALL_OPEN	= 4,
	SYSPROF_CALL_FUTEX	= 5,	/* a lock or condition of the program's own */
};

/**
 * struct sysprof_part_wait_file - the part WAIT of a wait in a call on a file
 * @wait: as above; part.size is that of this struct
 * @file_major: device number of the file's file system
 * @file_minor: likewise
 * @inode: the file's
 */
struct sysprof_part_wait_file {
	struct sysprof_part_wait wait;
	__u32 file_major;
	__u32 file_minor;
	__u64 inode;
};

/* The same for a futex.  Without its address, in the waiter's memory, the call alone is known. */
struct sysprof_part_wait_futex {
	struct sysprof_part_wait wait;
	__u64 address;
};

/**
 * struct sysprof_part_irq - the handler of an interrupt
 * @part: a and b: 0
 * @vector: number of the interrupt or soft interrupt; on x86, without an action, the vector
 * @reserved: 0
 * @name: of the action, soft interrupt or vector, as in /proc/interrupts and trace points;
 *	nul-terminated, cut if it is longer, empty without a name
 */
struct sysprof_part_irq {
	struct sysprof_part part;
	__u32 vector;
	__u32 reserved;
	char name[32];
};

enum sysprof_lock {
	SYSPROF_LOCK_OTHER	= 0,
	SYSPROF_LOCK_SPIN	= 1,
	SYSPROF_LOCK_RWLOCK	= 2,
	SYSPROF_LOCK_MUTEX	= 3,
	SYSPROF_LOCK_RWSEM	= 4,
	SYSPROF_LOCK_PERCPU	= 5,	/* a percpu-rwsem */
	SYSPROF_LOCK_RT		= 6,	/* an rt_mutex, and locks based on it on RT kernels */
};

/**
 * struct sysprof_part_lock - the lock that was waited for
 * @part: a: enum sysprof_lock; b: 0
 * @holder_pid: process that held the lock when the wait began; 0: not known.  Known for mutexes,
 *	and for rwsems held by a writer; with others=none a member has it only from the HOLD
 * @holder_tid: thread of @holder_pid
 * @lock: address of the lock, as a kernel frame, if it is in the kernel image or in a module; else
 *	0
 */
struct sysprof_part_lock {
	struct sysprof_part part;
	__u32 holder_pid;
	__u32 holder_tid;
	__u64 lock;
};

enum sysprof_stall {
	SYSPROF_STALL_RECLAIM	 = 1,	/* of anybody's pages */
	SYSPROF_STALL_GROUP	 = 2,	/* within a memory cgroup that is at its limit */
	SYSPROF_STALL_COMPACTION = 3,
};

/**
 * struct sysprof_part_memory - what was allocated
 * @part: a: for a PAGE the order; b: 0
 * @gfp: flags, with this kernel's numbers
 * @node: for a SLAB the node requested, -1: any; for a PAGE its node
 * @requested: bytes requested; value is the bytes allocated
 * @cache: for a SLAB the cache, nul-terminated, cut if it is longer; empty: kmalloc(), or not known
 */
struct sysprof_part_memory {
	struct sysprof_part part;
	__u32 gfp;
	__s32 node;
	__u64 requested;
	char cache[32];
};

#define SYSPROF_FAULT_MAJOR	(1 << 0)	/* something had to be read from a disk */
#define SYSPROF_FAULT_WRITE	(1 << 1)
#define SYSPROF_FAULT_COPY	(1 << 2)	/* a write to a page that was there */
#define SYSPROF_FAULT_EXEC	(1 << 3)
#define SYSPROF_FAULT_KERNEL	(1 << 4)	/* code of the kernel used memory of the task */

/**
 * struct sysprof_part_fault - which kind of fault
 * @part: a: SYSPROF_FAULT_*; b: 0.  WRITE, COPY and EXEC only where the fault is a SPAN
 */
struct sysprof_part_fault {
	struct sysprof_part part;
};

enum sysprof_block {
	SYSPROF_BLOCK_OTHER	= 0,
	SYSPROF_BLOCK_READ	= 1,
	SYSPROF_BLOCK_WRITE	= 2,
	SYSPROF_BLOCK_FLUSH	= 3,
	SYSPROF_BLOCK_DISCARD	= 4,
};

#define SYSPROF_BLOCK_SYNC	(1 << 0)	/* a thread waits for it */
#define SYSPROF_BLOCK_META	(1 << 1)	/* a file system's own data */
#define SYSPROF_BLOCK_AHEAD	(1 << 2)	/* read before it is needed */
#define SYSPROF_BLOCK_FAILED	(1 << 3)	/* DONE: with an error */

/**
 * struct sysprof_part_block - a request to a device
 * @part: a: enum sysprof_block; b: requests of this device that are under way, with this one
 * @dev_major: the disk's
 * @dev_minor: likewise
 * @flags: SYSPROF_BLOCK_*
 * @file_major: device number of the file's file system
 * @file_minor: likewise
 * @reserved: 0
 * @inode: the file's: the one whose pages these are, or, for O_DIRECT, the one that the system call
 *	names.  0: not known, or none
 * @queued: for a DONE, ns from the entry into a scheduler's queue until the device got it
 * @disk: the disk's name, nul-terminated, cut if it is longer
 */
struct sysprof_part_block {
	struct sysprof_part part;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 flags;
	__u32 file_major;
	__u32 file_minor;
	__u32 reserved;
	__u64 inode;
	__u64 queued;
	char disk[32];
};

/* THREAD. */

#define SYSPROF_THREAD_ENDED	(1 << 0)	/* the thread exited; its last THREAD */
#define SYSPROF_THREAD_FOUND	(1 << 1)	/* the thread existed before it was followed */

/**
 * struct sysprof_thread - where a thread's time went: @ns sums up to @at - @since
 * @record: SYSPROF_THREAD; pid and tid of the thread
 * @start_time: as in struct sysprof_task
 * @since: when the thread was made, or found (SYSPROF_THREAD_FOUND), which can be before START
 * @at: end of the sums
 * @ns: by enum sysprof_state
 * @switches: how often the thread left its CPU, seen by the hooks
 * @voluntary: voluntary switches, as the kernel counts them (nvcsw)
 * @involuntary: involuntary switches, as the kernel counts them (nivcsw)
 * @wakes: waits that a waking ended
 * @longest: longest wait of the thread, ns
 * @state_since: when @state began
 * @state: enum sysprof_state at @at
 * @flags: record.flags are 0; SYSPROF_THREAD_*
 *
 * Reported when a thread ends, and by SYSPROF_SNAPSHOT_THREADS at any time between START and STOP.
 * Sums are cumulative: the time between two THREADs with the same start_time and since is their
 * difference.  So a reader takes a snapshot after START, and one before STOP.
 */
struct sysprof_thread {
	struct sysprof_record record;
	__u64 start_time;
	__u64 since;
	__u64 at;
	__u64 ns[SYSPROF_STATES];
	__u64 switches;
	__u64 voluntary;
	__u64 involuntary;
	__u64 wakes;
	__u64 longest;
	__u64 state_since;
	__u32 state;
	__u32 flags;
};

/*
 * A part of SNAPSHOT: THREAD of every thread that passes the session's filter; -EINVAL for a
 * session that is not running with WAIT.
 */
#define SYSPROF_SNAPSHOT_THREADS	2

/* LANE. */

#define SYSPROF_LANE_NS_SHIFT		28
#define SYSPROF_LANE_STATE_SHIFT	22
#define SYSPROF_LANE_TID_MASK		((1U << SYSPROF_LANE_STATE_SHIFT) - 1)
#define SYSPROF_LANE_ENTRIES_MAX	126
/* record.flags of a LANE: switches between the record before of this CPU and its begin were lost */
#define SYSPROF_LANE_GAP		(1 << 0)

/**
 * struct sysprof_lane - the threads that ran on record.cpu
 * @record: SYSPROF_LANE, written at most a second after the last entry, or later without entries
 * @begin: ns, when the first entry happened
 * @n: number of entries
 * @tid: thread that ran up to the first entry; 0: the idle task
 * @entries: switches: {ns since the entry before : 36, enum sysprof_state of the thread that left :
 *	6, tid that runs from here on : 22}, tid 0 for the idle task.  A time that does not fit into
 *	36 bits begins another record
 *
 * Records of a CPU have no gaps except where records were lost, which SYSPROF_LANE_GAP shows, and
 * where the CPU was offline.
 */
struct sysprof_lane {
	struct sysprof_record record;
	__u64 begin;
	__u32 n;
	__u32 tid;
	__u64 entries[];
};

/* Accounts. */

/**
 * struct sysprof_tally - sums of events
 * @events: number of events
 * @value: sum of the events' values
 * @ns: sum of the events' durations
 * @weight: sum of the events' weights
 */
struct sysprof_tally {
	__u64 events;
	__u64 value;
	__u64 ns;
	__u64 weight;
};

/*
 * Also an enum sysprof_lost_reason: a table of threads, lock waits, holders, STALLs or allocations
 * was full, or the user's part of it, or a wait's begin not known: only events are counted.  And
 * OPENs that could get no CLOSE: of allocations likewise, or of sessions beyond 48 (root's: 64).
 */
#define SYSPROF_LOST_NO_SLOT	4

/**
 * struct sysprof_source_account - where the events of a source went, on one CPU since START
 * @seen: all events.  For WAKE the wakings of waits that are picked already; for LANE the entries,
 *	only in events
 * @delivered: written
 * @lost: by enum sysprof_lost_reason
 * @not_picked: without an instant of the grid
 * @below: shorter than the threshold
 * @excluded: excluded by the session's filters, or hidden from its opener (others=none)
 * @cost_ns: time spent in the source's hooks, for all sessions; one call of 64 is timed.  No
 *	call is timed in which an allocation, a free or a fault is only counted: reading the clock
 *	would take longer
 * @calls: number of calls of these hooks
 */
struct sysprof_source_account {
	struct sysprof_tally seen;
	struct sysprof_tally delivered;
	struct sysprof_tally lost[SYSPROF_LOST_REASONS];
	struct sysprof_tally not_picked;
	struct sysprof_tally below;
	struct sysprof_tally excluded;
	__u64 cost_ns;
	__u64 calls;
};

/**
 * struct sysprof_source_account_record - the account of a source on record.cpu at record.time
 * @record: SYSPROF_SOURCE_ACCOUNT
 * @source: id
 * @kind: enum sysprof_source_kind
 * @reserved: 0
 * @account: cumulative
 */
struct sysprof_source_account_record {
	struct sysprof_record record;
	__u16 source;
	__u16 kind;
	__u32 reserved;
	struct sysprof_source_account account;
};

/**
 * struct sysprof_source_stats - SYSPROF_IOC_SOURCE_STATS: the account of a source on one CPU, now
 * @size: of this struct
 * @cpu: the CPU
 * @source: id; -EINVAL if the session has no source with that number
 * @reserved: 0
 * @time: on return, the time of the account
 * @account: on return, the account
 *
 * LANE entries that this CPU holds back are written first.
 */
struct sysprof_source_stats {
	__u32 size;
	__u32 cpu;
	__u32 source;
	__u32 reserved;
	__aligned_u64 time;
	struct sysprof_source_account account;
};

/* All: -ENOTTY without SYSPROF_FEATURE_SOURCES.  The first two: -ENOPKG, see sysprof.h. */
#define SYSPROF_IOC_SOURCES		_IO('P', 0x7a)
#define SYSPROF_IOC_SOURCE_INFO		_IO('P', 0x7b)
#define SYSPROF_IOC_SOURCE_STATS	_IO('P', 0x7c)

#endif /* _UAPI_SYSPROF_EVENT_H */
