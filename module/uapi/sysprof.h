/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The interface of /dev/sysprof-trace, version 1.  This header is its specification.
 *
 * Sessions
 * --------
 * open() makes a session with nothing running.  SYSPROF_IOC_CONFIGURE sets what it samples and
 * makes its rings.  SYSPROF_IOC_START turns it on, SYSPROF_IOC_STOP turns it off.  Both can be
 * repeated.  STOP returns when nothing is written to the rings any more; until then CONFIGURE and
 * START wait.  Open with O_CLOEXEC.
 *
 * Every descriptor is a session of its own.  Rate, rings and loss account are not shared, and a
 * reader that stalls costs the others nothing.  A user without CAP_SYS_RESOURCE can have 64
 * sessions at a time (module parameter session_limit_user; session_limit is for all users).
 * Beyond that open() gives -EUSERS.
 *
 * A session ends with the last close of its descriptor.  Even if a copy of the descriptor is open
 * elsewhere, it also ends
 *
 *	when the process that opened it exits,
 *	by SYSPROF_IOC_REVOKE,
 *	within two seconds when the opener could no longer open the device node,
 *	within two seconds when the kernel is locked down to confidentiality.
 *
 * Then it is stopped and poll() returns POLLHUP.  The records in its rings can still be read.
 * INFO, STOP, STATS and REVOKE work; other ioctls give -ESRCH, or -EPERM on a kernel that is locked
 * down.
 *
 * Other events than ticks (sysprof-event.h) come from a module of their own, sysprof-sources, which
 * the first SYSPROF_IOC_SOURCES that requests one, or SYSPROF_IOC_SOURCE_INFO, has the kernel load.
 * It stays while a session has sources.  Where it is not installed, or forbidden by a line
 * "blacklist sysprof-sources" of modprobe.d, both give -ENOPKG, and sessions without sources are
 * all there is.
 *
 * Records
 * -------
 * The module reports everything as records: struct sysprof_record, then a body that depends on the
 * type.  A record's size is a multiple of 8 bytes.  Readers skip types that they do not know by
 * their size, and ignore bytes after the body that they know.  Times are CLOCK_MONOTONIC
 * nanoseconds.  Process and thread ids are those of the initial pid namespace.  Records of one ring
 * are nearly, not strictly, in order of time.
 *
 * Rings
 * -----
 * One ring per possible CPU, mapped from offset cpu * ring_stride (as CONFIGURE returned it) in
 * three parts:
 *
 *	offset          bytes        protection             content
 *	+ 0             page         PROT_READ              struct sysprof_ring_page
 *	+ page          page         PROT_READ|PROT_WRITE   struct sysprof_ring_tail
 *	+ 2 pages       ring_bytes   PROT_READ              records
 *
 * Each part is mapped as a whole by its own mmap(), MAP_SHARED.  head and tail are free-running
 * 32-bit positions; a position is at byte position & (ring_bytes - 1).  A record never wraps: a
 * SYSPROF_PAD record, of which only the first 8 bytes exist, fills the end of the ring.  The reader
 * loads head with acquire, reads the records in [tail, head), and stores the new tail with release.
 * A tail that is ahead of head, or more than ring_bytes behind, sets SYSPROF_RING_BROKEN.  Then the
 * ring takes no more records until the next START.
 *
 * To merge CPUs by time, read the clock (T).  Then load oldest_open_time and after it head of every
 * ring, both with acquire.  All records with a time below min(T, every oldest_open_time that is not
 * 0) have arrived; more records may still come with later times.
 *
 * poll() returns readable once a ring holds watermark_bytes, and with SYSPROF_USER_TABLE soon after
 * a new file was mapped, which may need a table; use your own timeout for the rest.
 * read() returns whole records, one CPU after the other, for cat and scripts.  If the session was
 * never configured, read() configures the default and starts it.  A session is either mapped or
 * read: the other gives -EBUSY.
 *
 * Frames
 * ------
 * A frame is a __u64, {object:24, offset:40}.
 *
 * A kernel frame has one of two objects.  With SYSPROF_OBJECT_KERNEL the offset is the distance of
 * the instruction pointer from a fixed symbol of the kernel image.  With SYSPROF_OBJECT_MODULES it
 * is the distance from a secret base, which is new each time this module is loaded.  Offsets are
 * signed, modulo 2^40.  Neither reveals an address; SYSPROF_IOC_NAMES turns both into names.
 *
 * A user frame has a mapped file as its object, and the offset in that file.  For memory without a
 * file, the offset is that in its region (struct sysprof_region).  The module keeps an index of
 * every address space's executable ranges and looks each frame up when it is taken.  A value in no
 * executable mapping ends the stack (SYSPROF_END_UNMAPPED); if it is the first frame, n_user is 0.
 *
 * With CAP_PERFMON a session can have addresses instead (SYSPROF_FORM_ADDRESS, flagged
 * SYSPROF_SAMPLE_ADDRESSES), and MAP records to look them up.  A session with raw stacks has these
 * records, too, of the address spaces whose stacks it gets, since its reader unwinds by them.
 *
 * The first frame of an interrupted context is an exact instruction pointer
 * (SYSPROF_SAMPLE_KERNEL_EXACT, SYSPROF_SAMPLE_USER_EXACT).  All others are return addresses.  A
 * frame that a signal interrupted is reported like a return address: its instruction pointer plus
 * one byte.  Only SYSPROF_USER_TABLE finds those.
 *
 * A session by unwind tables can have outer frames once and then a number for them
 * (SYSPROF_CONFIG_STACKS_ONCE).
 *
 * The loss law
 * ------------
 * Ticks are on a grid: period n of a CPU begins at grid_start + n * period, and one tick falls at a
 * random instant of each period.  A sample's weight is the number of periods it represents.  At
 * every moment, for every CPU of a session (struct sysprof_account):
 *
 *	grid = delivered + sum(lost[]) + idle + offline + excluded + budget + pending
 *
 * grid counts the periods that have begun, by the clock.  pending counts those whose tick has yet
 * to come: 0 or 1, unless the tick is overdue or the budget skips periods.  All others are counted
 * where they happen.  ACCOUNT records carry the account at least once per second of activity and at
 * STOP; SYSPROF_IOC_STATS returns it at any time.
 *
 * Filters and budget
 * ------------------
 * A tick that a session's filters exclude counts as excluded, and costs no stack if no other
 * session needs it.  A CPU that a session does not sample has no tick; all its periods are
 * excluded, and its account is in STATS only.  State records come from every CPU and of every
 * process.  SYSPROF_CONFIG_CHILDREN follows up to 8192 live processes; a fork beyond that counts as
 * state_lost.
 *
 * A session without a period keeps to a budget: ticks may take 1 % of a CPU (module parameter
 * budget_ppm), by the median cost of a tick on the CPU where it is highest.  The first ticks after
 * a pause are not counted, since their caches are cold.  If ticks cost more, one of N periods is
 * sampled, on all CPUs alike; the others are account.budget.  At least 100 a second are sampled,
 * unless ticks would take more than a quarter of a CPU.
 *
 * A session with a period gets it.  But all sessions together take at most a quarter of a CPU,
 * measured over two seconds and more (SYSPROF_LOST_THROTTLED).  Beside a session whose opener had
 * CAP_SYS_RESOURCE, those of other users get half of that.  Counters of other users always do.
 *
 * Counters
 * --------
 * With SYSPROF_CLOCK_PMU a session has hardware counters of its own, one on each CPU that is online
 * at START.  A period is event_period events.  Where an overflow is an NMI (x86; arm64 with
 * pseudo-NMIs), code with interrupts off is sampled, too.  Samples have no delay.
 *
 * The loss law holds in periods that were counted; none is ever pending.  A counter that stands
 * still counts none: the CPU sleeps, or perf holds back events that come too often.
 *
 * CONFIGURE gives -ENODEV where there is no counter for cycles.  START gives -ENODEV where there is
 * none for the event, and -EBUSY where other users have all counters.  Without CAP_PERFMON the
 * event is one of perf's generic ones (-EPERM for PERF_TYPE_RAW), and a period has at least 100,000
 * events.
 *
 * State records
 * -------------
 * TASK, FORK, EXEC, COMM, EXIT, MAP and OBJECT records say which object is mapped where in which
 * address space.  An address space has an id (mm), unique as long as it lives.  FORK without
 * SYSPROF_FORK_THREAD and with another mm than the parent's inherits the parent's maps.  A MAP
 * replaces what it overlaps; with SYSPROF_MAP_FRESH it is the first of a new program and replaces
 * everything.
 *
 * Samples can fill 3/4 of a ring, events (sysprof-event.h) half of it, state records all of it.  If
 * a state record is lost all the same, RESYNC follows.  SYSPROF_IOC_SNAPSHOT returns the present
 * state: ask for it right after START, and after RESYNC.  A snapshot's records carry the time at
 * which they were true.  Of two records about an address space the later one wins.
 *
 * ioctls
 * ------
 * The argument of each is a pointer to a struct.  Its first member is the size in bytes that the
 * caller knows.  Bytes that the kernel does not know must be zero (-E2BIG).  Reserved members and
 * unknown flags must be zero, too (-EINVAL).
 *
 * Who can do what
 * ---------------
 * The device node decides who can open it: root:sysprof, 0660.  The credentials at open() decide
 * what a session sees.  Every session sees the names of all processes, and which functions they
 * run.  Only a session whose opener had CAP_PERFMON (or CAP_SYS_ADMIN) sees addresses.  Membership
 * in group sysprof is a privilege, and is documented as such.
 *
 *	asset                        actor           door                    what closes it; its test
 *	-----                        -----           ----                    ------------------------
 *	the samples of all           any user        open                    node 0660 root:sysprof; vm/permissions
 *	processes                    a container     open                    initial pid and user namespace only,
 *	                                                                     -EPERM; vm/permissions
 *	                             exec'ed child   inherited descriptor    rights of the opener; ends with the
 *	                                                                     opener's process, and does not START
 *	                                                                     after it; vm/permissions
 *	                             former member   open descriptor         REVOKE; vm/revoke
 *	                             former seat     open descriptor         checked every second: can the opener
 *	                                                                     still open the node?; vm/revoke
 *	kernel addresses (KASLR)     group member    kernel frames           sent relative to a fixed symbol or a
 *	                                                                     secret; vm/abi scans for them
 *	                             group member    NAMES                   names what the offset names, never an
 *	                                                                     address; unnamed is empty; vm/abi
 *	                             group member    time that NAMES takes   no look-up of addresses without samples, and
 *	                                                                     the image's ends are the same at every
 *	                                                                     boot; vm/refusals
 *	                             group member    ring while written      stacks are made in private memory and
 *	                                                                     encoded before the copy; vm/abi
 *	secrets in the time and      group member    samples of others       others=none: no frames of them; by default
 *	address of others' code                                              exact: packaging/security.md; vm/others
 *	                             group member    ... as functions        others=functions: rounded before they are in the ring, by
 *	                                                                     root's unwind tables only, never into a neighbour; vm/others
 *	                             group member    numbers of stacks       each ring counts its own; stacks that are hidden, or changed to
 *	                                                                     functions, have none; vm/once, vm/others
 *	stacks, registers            group member    raw parts               only of tasks with the opener's user and group, no more
 *	                                                                     capabilities, dumpable, and that the opener could
 *	                                                                     trace (TRACEABLE); vm/permissions, vm/traceable
 *	                             group member    TRACEABLE               the descriptor can read that very memory; not others',
 *	                                                                     not that of an earlier program;
 *	                                                                     vm/traceable
 *	user addresses (ASLR),       group member    user frames             resolved in the kernel; a value outside
 *	stack words                                                          executable mappings never leaves;
 *	                                                                     FORM_ADDRESS is -EPERM; vm/abi
 *	                             group member    MAP records, SNAPSHOT   only for FORM_ADDRESS, and with raw stacks of
 *	                                                                     tasks as above; vm/abi
 *	                             group member    MAP_FD of a region      only of a process that the opener could trace; vm/abi
 *	                             group member    TABLE                   an unwind table is used for tasks that its owner could trace;
 *	                                                                     the frames it finds are looked up like all; vm/permissions
 *	stacks of others, in root's  any user        a file with another's   what root makes of a file that others could have written is linked to
 *	recordings                                   build-id, or rewritten  its inode, and spoils at worst the stacks of who executes
 *	                                                                     it; members' sessions do not use it; vm/files
 *	memory of others             group member    CHAIN                   a program runs only for tasks that its owner could trace, and
 *	                                                                     only who could trace the task gets frames and names; vm/scripts
 *	                             group member    numbers of codes        enciphered: they do not show how many others have;
 *	                                                                     unit/chains
 *	                             group member    WAIT                    the address of a futex only of tasks whose stacks the session
 *	                                                                     may copy; vm/waits
 *	kernel memory                any user        words of a stack that   each address is in bounds where speculation passes the
 *	                                             lead elsewhere          check, too (sysprof_below_or_0())
 *	                             group member    tail page               only ever compared, never followed; vm/abi
 *	                             group member    mmap                    sizes, offsets and protection exact,
 *	                                                                     never executable; vm/abi
 *	                             group member    ioctl structs           copy_struct_from_user, limits checked
 *	                                                                     before use; vm/abi
 *	files                        group member    MAP_FD                  as in struct sysprof_map_fd: traced and readable, no path
 *	                                                                     walked; never the descriptor of others; vm/abi
 *	memory, CPU time             group member    CONFIGURE               ring_bytes, period and frames clamped;
 *	                                                                     rings charged to the memory cgroup,
 *	                                                                     capped by user and as a whole; vm/abi,
 *	                                                                     vm/sessions
 *	                             group member    open                    sessions capped by user and as a whole;
 *	                                                                     vm/safety
 *	                             group member    many sessions           a quarter of a CPU for all, an eighth beside
 *	                                                                     an administrator's; vm/quarter
 *	                             group member    STOP, CONFIGURE         STOP ends when hooks are done with rings and
 *	                                                                     filter; vm/safety
 *	                             group member    TABLE                   checked whole, capped by user; a bounded search for each
 *	                                                                     frame, bounded frames; vm/permissions
 *	                             any user        files whose tables are  strangers' leave half of what is left to the next user, and
 *	                                             large                   all of what is by build-id; vm/permissions
 *	                             group member    CHAIN                   checked whole; no faults, fuel for each stack, bounded frames,
 *	                                                                     names and programs; vm/permissions
 *	                             group member    SLOW                    it can only drop samples; vm/sessions
 *	                             group member    filters                 copied and checked at CONFIGURE, evaluated in
 *	                                                                     bounded time; they can only drop samples;
 *	                                                                     vm/sessions
 *	                             any user        new files, mappings,    a part for each user, unmapped files are swept out, code of
 *	                                             regions without end     at most 8192 mappings followed; vm/stranger
 *	all of it                    group member    open, all ioctls        not on a kernel locked down to confidentiality, -EPERM;
 *	                                                                     running sessions end; vm/permissions
 *	the system's peace           any             rmmod, exit, kill       an open file pins the module; vm/lifecycle,
 *	                                                                     vm/modules
 *	                             group member    SOURCES, SOURCE_INFO    they load one module, of a fixed name; modprobe.d
 *	                                                                     can forbid it; a failure counts for a second;
 *	                                                                     vm/modules
 *	                             any user        executable mappings     MAP_FD goes through none of them; vm/stranger
 *	                             any user        new files faster than   half of the queue, and bounded rounds; RESYNC at most
 *	                                             they are named          once a second; vm/stranger
 *	a session's peace            any user        mapping files whose     no file is read or opened for naming, and none of
 *	                                             server never answers    such a server is held; vm/stranger
 *	                             any user        locking the memory map  waited for at most 20 ms in all; vm/stranger
 */
#ifndef _UAPI_SYSPROF_H
#define _UAPI_SYSPROF_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define SYSPROF_ABI_VERSION	1
#define SYSPROF_DEVICE		"/dev/sysprof-trace"

/* Records. */

enum sysprof_record_type {
	SYSPROF_PAD		= 0,	/* nothing; only the first 8 bytes of the header exist */
	SYSPROF_SAMPLE		= 1,
	SYSPROF_TASK		= 2,
	SYSPROF_FORK		= 3,
	SYSPROF_EXEC		= 4,
	SYSPROF_COMM		= 5,
	SYSPROF_EXIT		= 6,
	SYSPROF_MAP		= 7,
	SYSPROF_OBJECT		= 8,
	SYSPROF_ACCOUNT		= 9,
	SYSPROF_LOST		= 10,
	/* No body: state records were lost on this CPU before this time */
	SYSPROF_RESYNC		= 11,
	/* 12 to 16 and 19 are those of sysprof-event.h. */
	SYSPROF_TIME		= 17,
	SYSPROF_REGION		= 18,
	SYSPROF_CODE		= 20,	/* of sysprof-chain.h */
};

/**
 * struct sysprof_record - the header of every record
 * @type: enum sysprof_record_type
 * @flags: depend on the type
 * @size: of the whole record, in units of 8 bytes
 * @cpu: CPU that wrote the record
 * @time: CLOCK_MONOTONIC, ns
 * @pid: process (thread group) of the record, 0 for the kernel's idle task or none
 * @tid: thread of the record
 */
struct sysprof_record {
	__u16 type;
	__u16 flags;
	__u16 size;
	__u16 cpu;
	__u64 time;
	__u32 pid;
	__u32 tid;
};

/* Why a stack ends. */
enum sysprof_end {
	SYSPROF_END_NONE	= 0,	/* there is no such part */
	SYSPROF_END_ROOT	= 1,	/* walked to the outermost frame */
	/* More frames than the session asked for, or than programs of steps had fuel for */
	SYSPROF_END_LIMIT	= 2,
	SYSPROF_END_FAULT	= 3,	/* memory was not readable without faulting */
	/* The chain breaks: no frame pointer, or not a stack */
	SYSPROF_END_BAD		= 4,
	SYSPROF_END_UNMAPPED	= 5,	/* a value in no executable mapping */
	SYSPROF_END_UNRELIABLE	= 6,	/* the kernel's unwinder gave up */
	SYSPROF_END_NO_INFO	= 7,	/* no unwind table and no frame pointer leads on */
};

/* What the user part of a sample is. */
enum sysprof_user_mode {
	SYSPROF_USER_NONE	= 0,
	SYSPROF_USER_FP		= 1,	/* frames, walked along frame pointers */
	/* Registers and a copy of the stack, for SYSPROF_FEATURE_RAW */
	SYSPROF_USER_RAW	= 2,
	SYSPROF_USER_TABLE	= 3,	/* frames, by unwind tables, for SYSPROF_FEATURE_TABLE */
};

#define SYSPROF_SAMPLE_KERNEL_EXACT	(1 << 0)	/* first kernel frame is an exact ip */
#define SYSPROF_SAMPLE_USER_EXACT	(1 << 1)	/* first user frame is an exact ip */
#define SYSPROF_SAMPLE_USER_32BIT	(1 << 2)	/* the task ran 32-bit code */
#define SYSPROF_SAMPLE_IRQ		(1 << 3) /* a softirq or a nested interrupt was running */
#define SYSPROF_SAMPLE_ADDRESSES	(1 << 4)	/* user frames are addresses */
/*
 * SYSPROF_USER_TABLE: a caller was looked for by the frame pointer, since the module has no table
 * of its object.  Not set where the table has nothing about the code, or where the code was made at
 * run time and the frame pointer leads on: there is no better way
 */
#define SYSPROF_SAMPLE_NO_TABLE		(1 << 5)
/* The task ran a virtual machine's processor (KVM): time of the guest; the frames are the host's */
#define SYSPROF_SAMPLE_GUEST		(1 << 6)
/*
 * The address space has more executable mappings than the module follows: 8192, or less where its
 * user's part of memory is used up.  User frames in other mappings end the stack
 * (SYSPROF_END_UNMAPPED).
 */
#define SYSPROF_SAMPLE_COARSE		(1 << 7)
/* User frames are the starts of their functions (SYSPROF_FEATURE_OTHERS_FUNCTIONS). */
#define SYSPROF_SAMPLE_FUNCTIONS	(1 << 8)
/* Some user frames are those of scripts (sysprof-chain.h). */
#define SYSPROF_SAMPLE_SCRIPT		(1 << 13)
/* An interpreter is on the stack, and not all frames of its scripts could be found. */
#define SYSPROF_SAMPLE_SCRIPT_CUT	(1 << 14)
/* The last user frame is none: it says what the thread is at work for (sysprof-chain.h). */
#define SYSPROF_SAMPLE_THREAD		(1 << 15)

/*
 * The outermost user frames of a sample or event that are the same as before
 * (SYSPROF_CONFIG_STACKS_ONCE).  SYSPROF_STACK_FRAMES() of them have a number.  A record with that
 * number that is earlier in the same ring, and is no reference itself, has them as its last frames;
 * with SYSPROF_STACK_REFERS they are not repeated, but follow the record's own user frames.  A new
 * number with the same SYSPROF_STACK_PLACE() replaces the one before.  So a reader keeps for each
 * ring one stack for each place, and forgets all at START.  A reference to a number that it does
 * not have, or with another number of frames, is a stack whose outer frames were lost; no other
 * frames are like them.
 */
#define SYSPROF_STACK_PLACES		64
#define SYSPROF_STACK_FRAMES_SHIFT	48
#define SYSPROF_STACK_NUMBER_MASK	((1ULL << SYSPROF_STACK_FRAMES_SHIFT) - 1)
#define SYSPROF_STACK_FRAMES_MASK	0x7fff
#define SYSPROF_STACK_REFERS		(1ULL << 63)
#define SYSPROF_STACK_PLACE(cookie)	((cookie) & (SYSPROF_STACK_PLACES - 1))
#define SYSPROF_STACK_FRAMES(cookie)                                                               \
	((cookie) >> SYSPROF_STACK_FRAMES_SHIFT & SYSPROF_STACK_FRAMES_MASK)

/**
 * struct sysprof_part_stack - the cookie of an event, one of its parts (sysprof-event.h)
 * @type: SYSPROF_PART_STACK
 * @size: 2
 * @reserved: 0
 * @cookie: SYSPROF_STACK_*
 */
struct sysprof_part_stack {
	__u16 type;
	__u16 size;
	__u32 reserved;
	__u64 cookie;
};

/**
 * struct sysprof_sample - one tick of the clock while the CPU was at work
 * @record: SYSPROF_SAMPLE; pid and tid of the task that was interrupted
 * @mm: id of its address space, 0 if it has none
 * @cookie: SYSPROF_STACK_*; 0: all frames are here, and have no number
 * @delay_ns: how late the tick came, less the time that a hypervisor took meanwhile as far as the
 *	kernel knows (steal).  One cause is disabled interrupts.  Others are firmware, waking up
 *	from a deep idle state, interrupts served before this one, and unreported steal.  The code
 *	on top of the stack is the code that ran when the tick came
 * @weight: periods that the sample represents
 * @raw_bytes: of the struct sysprof_raw that follows the frames (SYSPROF_USER_RAW), a multiple of
 *	8; 0 if there is none
 * @n_kernel: kernel frames, innermost first
 * @n_user: user frames, innermost first, after the kernel's; without those that @cookie refers to
 * @kernel_end: enum sysprof_end
 * @user_end: enum sysprof_end; of all frames, those of @cookie, too
 * @user_mode: enum sysprof_user_mode
 * @context: in which context the tick found the CPU, enum sysprof_context of sysprof-event.h plus
 *	one; 0: not known (older modules).  A timer never finds SYSPROF_CONTEXT_IRQ: handlers of
 *	interrupts hold it off
 * @frames: n_kernel + n_user frames
 */
struct sysprof_sample {
	struct sysprof_record record;
	__u64 mm;
	__u64 cookie;
	__u64 delay_ns;
	__u32 weight;
	__u32 raw_bytes;
	__u16 n_kernel;
	__u16 n_user;
	__u8 kernel_end;
	__u8 user_end;
	__u8 user_mode;
	__u8 context;
	__u64 frames[];
};

/**
 * struct sysprof_raw - registers and stack of the interrupted user context, after the frames of a
 * sample
 * @arch: ELF machine number (62 x86-64, 183 AArch64): which registers @regs are, in the order of
 *	that machine's <asm/perf_regs.h>: on x86-64 ax bx cx dx si di bp sp ip flags cs ss ds es fs
 *	gs (these four are 0) r8 ...  r15, on AArch64 x0 ...  x30 sp pc
 * @n_regs: number of registers
 * @stack_bytes: bytes of stack that were copied, from the stack pointer up; memory that could not
 *	be read without a fault is missing
 * @wanted_bytes: bytes requested
 * @reserved: 0
 * @regs: n_regs registers, then the stack's bytes, zeros up to a multiple of 8
 */
struct sysprof_raw {
	__u16 arch;
	__u16 n_regs;
	__u32 stack_bytes;
	__u32 wanted_bytes;
	__u32 reserved;
	__u64 regs[];
};

#define SYSPROF_COMM_BYTES	16

#define SYSPROF_TASK_KTHREAD	(1 << 0)
#define SYSPROF_FORK_THREAD	(1 << 1)	/* a new thread of the parent's process */
#define SYSPROF_EXIT_PROCESS	(1 << 2)	/* the last thread of its process */

/**
 * struct sysprof_task - a task (TASK, from a snapshot), or a change of it (FORK, EXEC, COMM, EXIT)
 * @record: pid and tid of the task; for FORK of the new one
 * @mm: id of its address space, 0 for none; for EXEC the new one
 * @parent_mm: FORK: id of the parent's address space
 * @start_time: when the thread was made, ns; distinguishes uses of one pid
 * @parent_pid: process of the parent
 * @old_tid: EXEC: the tid the thread had before it took over the process's
 * @comm: name, nul-terminated; for EXEC and COMM the new one
 */
struct sysprof_task {
	struct sysprof_record record;
	__u64 mm;
	__u64 parent_mm;
	__u64 start_time;
	__u32 parent_pid;
	__u32 old_tid;
	char comm[SYSPROF_COMM_BYTES];
};

#define SYSPROF_MAP_FRESH (1 << 0) /* the first mapping of a new program: forget the mm's others */

/**
 * struct sysprof_map - an executable mapping
 * @record: SYSPROF_MAP; pid and tid of the task that made it
 * @mm: address space
 * @start: first address
 * @end: first address after the mapping
 * @offset: in the object, bytes
 * @object: id, or one of enum sysprof_object_id
 * @reserved: 0
 */
struct sysprof_map {
	struct sysprof_record record;
	__u64 mm;
	__u64 start;
	__u64 end;
	__u64 offset;
	__u32 object;
	__u32 reserved;
};

/*
 * Fixed objects.  Files and regions have ids from SYSPROF_OBJECT_FIRST on.  An OBJECT or REGION
 * record describes each.  An id is not used again while a session runs, and for ten seconds after.
 * A file that was unmapped for long can come back with another id.  The mappings of one user's
 * programs can use an eighth of all ids and memory.  Beyond that their frames are unresolved
 * (SYSPROF_OBJECT_UNKNOWN in MAP); other users' are not affected.
 */
enum sysprof_object_id {
	SYSPROF_OBJECT_UNKNOWN		= 0,
	SYSPROF_OBJECT_KERNEL		= 1,
	SYSPROF_OBJECT_MODULES		= 2,	/* loadable modules, BPF programs, trampolines */
	/* Executable memory without a file, where no region could be made */
	SYSPROF_OBJECT_ANON		= 3,
	/* The vdso of 64-bit programs, or, in samples of 32-bit programs, theirs */
	SYSPROF_OBJECT_VDSO		= 4,
	SYSPROF_OBJECT_FIRST		= 16,
};

/* Ids that a reader can use for what it adds: the module gives them to nothing. */
#define SYSPROF_OBJECT_IS_READERS(id)	(((id) & 3) == 3 && (id) > SYSPROF_OBJECT_FIRST)

#define SYSPROF_FRAME_OBJECT_SHIFT	40
#define SYSPROF_FRAME_OFFSET_MASK	((1ULL << SYSPROF_FRAME_OBJECT_SHIFT) - 1)
/* The offset of a user frame whose object alone is reported; no code has this offset. */
#define SYSPROF_FRAME_NOT_TOLD		SYSPROF_FRAME_OFFSET_MASK

#define SYSPROF_BUILD_ID_BYTES	20

/**
 * struct sysprof_object - a mapped file, or the vdso (SYSPROF_OBJECT_VDSO: bytes, path "[vdso]" and
 * build-id only)
 * @record: SYSPROF_OBJECT; pid is a process that had it mapped when it was first seen, 0 if
 *	unknown
 * @inode: number
 * @bytes: size of the file
 * @mtime_ns: CLOCK_REALTIME of the last change
 * @object: id
 * @generation: of the inode
 * @dev_major: of the file system
 * @dev_minor: of the file system
 * @path_bytes: length of the path without the nul, or 0 if the path is unknown
 * @build_id_bytes: 0 if there is none, or if it is not in memory: no file is read for it, as its
 *	file system may never answer
 * @build_id: the first bytes of the GNU build-id; of a program that has none and was linked by
 *	Go, the last 20 characters of Go's own, which are a hash of its content
 * @reserved: 0
 * @path: seen from the initial mount namespace, nul-terminated; " (deleted)" follows an unlinked
 *	file's.  Less than 1 KiB: longer paths are unknown
 */
struct sysprof_object {
	struct sysprof_record record;
	__u64 inode;
	__u64 bytes;
	__u64 mtime_ns;
	__u32 object;
	__u32 generation;
	__u32 dev_major;
	__u32 dev_minor;
	__u16 path_bytes;
	__u8 build_id_bytes;
	__u8 build_id[SYSPROF_BUILD_ID_BYTES];
	__u8 reserved;
	char path[];
};

/*
 * Offset of a region's first byte when the region was first seen: code mapped in front of that
 * later still has positive offsets.
 */
#define SYSPROF_REGION_BIAS	(1ULL << 32)

/**
 * struct sysprof_region - executable memory without a file: code made at run time
 * @record: SYSPROF_REGION; pid is of the process that mapped it, 0 if unknown
 * @mm: its address space
 * @bytes: size when it was first seen
 * @object: id
 * @generation: how many regions this address space had before
 *
 * Reported when code is first mapped there, and by SYSPROF_SNAPSHOT_TASKS after the TASK.  Every
 * address space has regions of its own; a fork's child keeps its parent's until it maps more.  A
 * mapping that overlaps or touches memory that was executable before belongs to the region there.
 * So pages made writable and executable in turn, and areas that grow, keep ids and offsets.  A
 * region ends when files are mapped all over it, or with its address space.  One address space has
 * at most 64 regions at a time, and 4096 ever.
 */
struct sysprof_region {
	struct sysprof_record record;
	__u64 mm;
	__u64 bytes;
	__u32 object;
	__u32 generation;
};

enum sysprof_time_reason {
	SYSPROF_TIME_START	= 0,	/* a session began */
	SYSPROF_TIME_SUSPEND	= 1,	/* the machine is about to sleep */
	SYSPROF_TIME_RESUME	= 2,	/* the machine woke up */
	/* No CPU ran for long: a virtual machine was stopped, or its host was */
	SYSPROF_TIME_PAUSE	= 3,
	SYSPROF_TIME_STEP	= 4,	/* CLOCK_REALTIME was set */
};

/**
 * struct sysprof_time - the clocks, side by side
 *
 * A pause is a second or more in which a tick was overdue and no CPU had one.  Its periods are not
 * work: on CPUs that were busy they count as offline, on others as idle.  The grid stands still
 * with CLOCK_MONOTONIC while the machine sleeps.
 *
 * @record: SYSPROF_TIME; its time is CLOCK_MONOTONIC
 * @boottime: CLOCK_BOOTTIME, ns
 * @realtime: CLOCK_REALTIME, ns
 * @gap_ns: SYSPROF_TIME_PAUSE: length of the pause
 * @reason: enum sysprof_time_reason
 * @reserved: 0
 */
struct sysprof_time {
	struct sysprof_record record;
	__u64 boottime;
	__u64 realtime;
	__u64 gap_ns;
	__u32 reason;
	__u32 reserved;
};

/* Why a period was lost. */
enum sysprof_lost_reason {
	SYSPROF_LOST_RING_FULL	= 0,
	SYSPROF_LOST_TOO_BIG	= 1,	/* the record is larger than the ring allows */
	SYSPROF_LOST_NESTED	= 2,	/* the tick interrupted another tick */
	/* Held back: ticks had taken their part of the CPU, at most a quarter */
	SYSPROF_LOST_THROTTLED	= 3,
	/* 4 is SYSPROF_LOST_NO_SLOT, of sysprof-event.h. */
	SYSPROF_LOST_REASONS	= 8,
};

/**
 * struct sysprof_account - where a session's periods on one CPU went, since its START, in periods
 * @grid: begun, from the clock
 * @delivered: weight of the samples written
 * @lost: by enum sysprof_lost_reason
 * @idle: the CPU had nothing to do
 * @offline: the CPU was offline, or the machine stood still (SYSPROF_TIME_PAUSE)
 * @excluded: excluded by the session's filters
 * @budget: skipped to keep to the budget
 * @pending: begun, but their tick has yet to come
 * @samples: samples written, a count of records
 * @state_lost: state records lost for lack of room, a count of records
 * @cost_ns: time spent in ticks, for all sessions; where ticks are cheap, one of eight is timed and
 *	represents the others
 * @ticks: ticks taken, for all sessions
 */
struct sysprof_account {
	__u64 grid;
	__u64 delivered;
	__u64 lost[SYSPROF_LOST_REASONS];
	__u64 idle;
	__u64 offline;
	__u64 excluded;
	__u64 budget;
	__u64 pending;
	__u64 samples;
	__u64 state_lost;
	__u64 cost_ns;
	__u64 ticks;
};

/**
 * struct sysprof_account_record - the account of record.cpu at record.time
 * @record: SYSPROF_ACCOUNT
 * @account: cumulative
 */
struct sysprof_account_record {
	struct sysprof_record record;
	struct sysprof_account account;
};

/**
 * struct sysprof_lost - samples that were lost
 * @record: SYSPROF_LOST
 * @first_time: of the first lost sample
 * @last_time: of the last lost sample
 * @periods: weight of the lost samples
 * @reason: enum sysprof_lost_reason
 * @reserved: 0
 */
struct sysprof_lost {
	struct sysprof_record record;
	__u64 first_time;
	__u64 last_time;
	__u64 periods;
	__u32 reason;
	__u32 reserved;
};

/* Rings. */

#define SYSPROF_RING_BROKEN	(1 << 0)

/**
 * struct sysprof_ring_page - the kernel's state of a ring; read only
 * @head: first position that is not yet written
 * @flags: SYSPROF_RING_BROKEN
 * @oldest_open_time: no record that is still being written has a time below this; 0 if none is
 */
struct sysprof_ring_page {
	__u32 head;
	__u32 flags;
	__u64 oldest_open_time;
};

/**
 * struct sysprof_ring_tail - the reader's position
 * @tail: first position that is not yet read
 */
struct sysprof_ring_tail {
	__u32 tail;
};

/* ioctls. */

#define SYSPROF_FEATURE_RESOLVE		(1ULL << 0)	/* user frames as {object, offset} */
#define SYSPROF_FEATURE_RAW		(1ULL << 1)	/* raw user stacks */
#define SYSPROF_FEATURE_TABLE		(1ULL << 2)	/* unwind tables */
#define SYSPROF_FEATURE_PMU		(1ULL << 3)	/* SYSPROF_CLOCK_PMU */
#define SYSPROF_FEATURE_MAP_FD		(1ULL << 4)	/* SYSPROF_IOC_MAP_FD */
#define SYSPROF_FEATURE_FILTERS		(1ULL << 5)	/* filters of struct sysprof_config */
#define SYSPROF_FEATURE_REGIONS		(1ULL << 6)	/* SYSPROF_REGION */
#define SYSPROF_FEATURE_BUDGET		(1ULL << 7)	/* period_ns 0 keeps to a budget */
#define SYSPROF_FEATURE_RAW_WISH	(1ULL << 8)	/* SYSPROF_IOC_RAW_WISH */
#define SYSPROF_FEATURE_REVOKE		(1ULL << 9)	/* SYSPROF_IOC_REVOKE */
#define SYSPROF_FEATURE_TRACEABLE	(1ULL << 10)	/* SYSPROF_IOC_TRACEABLE */
#define SYSPROF_FEATURE_SOURCES		(1ULL << 12)	/* sysprof-event.h */
#define SYSPROF_FEATURE_SLOW		(1ULL << 14)	/* SYSPROF_IOC_SLOW */
#define SYSPROF_FEATURE_RAW_INSTEAD	(1ULL << 15)	/* raw_bytes beside SYSPROF_USER_TABLE */
#define SYSPROF_FEATURE_CHAIN		(1ULL << 16)	/* sysprof-chain.h */
#define SYSPROF_FEATURE_TABLE_FILE	(1ULL << 17)	/* SYSPROF_TABLE_OF_FILE */
#define SYSPROF_FEATURE_CHAIN_FILE	(1ULL << 18)	/* SYSPROF_CHAIN_OF_FILE */
#define SYSPROF_FEATURE_CHAIN_FRAMES	(1ULL << 19)	/* SYSPROF_CHAIN_FRAMES, names */
#define SYSPROF_FEATURE_CHAIN_STEPS	(1ULL << 20)	/* SYSPROF_CHAIN_STEPS */
#define SYSPROF_FEATURE_CHAIN_THREAD	(1ULL << 21)	/* SYSPROF_CHAIN_THREAD */
#define SYSPROF_FEATURE_STACKS_ONCE	(1ULL << 22)	/* SYSPROF_CONFIG_STACKS_ONCE */
#define SYSPROF_FEATURE_CHAIN_REGISTERS	(1ULL << 23)	/* of frames, in sysprof-chain.h */
#define SYSPROF_FEATURE_CHAIN_WITH	(1ULL << 24)	/* SYSPROF_CHAIN_WITH, and texts */
#define SYSPROF_FEATURE_CHAIN_LONG	(1ULL << 25)	/* of frames, in sysprof-chain.h */
#define SYSPROF_FEATURE_CHAIN_PLACE	(1ULL << 26)	/* SYSPROF_CHAIN_SUMS, register 4 */

/*
 * Not an ioctl: the administrator's choice (module parameter others=none).  It concerns sessions
 * whose opener had no CAP_PERFMON, and processes that the opener could not trace, by the rule of
 * user, group, capabilities and dumpability.  Their samples have no frames: n_kernel and n_user are
 * 0, kernel_end and user_end SYSPROF_END_NONE.  Weights, delays, tasks and objects are reported.
 * Kernel threads belong to nobody.  With neither this bit nor the next one, frames of all processes
 * are exact (others=exact).
 */
#define SYSPROF_FEATURE_HIDES_OTHERS	(1ULL << 11)
/*
 * Likewise (others=functions): in such a session those samples have changed user frames, and
 * SYSPROF_SAMPLE_FUNCTIONS.  A frame is the start of its function, and for a call the byte after
 * that, if an unwind table that serves everybody has the start (starts of sysprof-table.h).  Else
 * its offset is SYSPROF_FRAME_NOT_TOLD.  Kernel frames do not change.
 */
#define SYSPROF_FEATURE_OTHERS_FUNCTIONS (1ULL << 13)

/**
 * struct sysprof_info - SYSPROF_IOC_INFO: what this module can do
 * @size: of this struct; on return, the bytes that were filled in
 * @abi_version: SYSPROF_ABI_VERSION
 * @features: SYSPROF_FEATURE_*
 * @cpus: possible CPUs; rings are numbered from 0 to cpus - 1
 * @page_bytes: size of a page
 * @min_period_ns: shortest period CONFIGURE grants
 * @max_ring_bytes: largest ring
 * @max_kernel_frames: most frames of a kernel part
 * @max_user_frames: most frames of a user part
 * @max_raw_bytes: largest raw stack
 * @reserved: 0
 */
struct sysprof_info {
	__u32 size;
	__u32 abi_version;
	__aligned_u64 features;
	__u32 cpus;
	__u32 page_bytes;
	__aligned_u64 min_period_ns;
	__u32 max_ring_bytes;
	__u32 max_kernel_frames;
	__u32 max_user_frames;
	__u32 max_raw_bytes;
	__aligned_u64 reserved;
};

enum sysprof_clock {
	SYSPROF_CLOCK_TIMER	= 0,
	SYSPROF_CLOCK_PMU	= 1,
};

enum sysprof_form {
	SYSPROF_FORM_OBJECT	= 1,	/* user frames as {object, offset} */
	/* User frames as addresses, and MAP records; with CAP_PERFMON, else -EPERM */
	SYSPROF_FORM_ADDRESS	= 2,
};

#define SYSPROF_CONFIG_NO_KERNEL	(1 << 0)	/* no kernel stacks */
#define SYSPROF_CONFIG_ONLY_USER	(1 << 1) /* exclude ticks that interrupt the kernel */
#define SYSPROF_CONFIG_ONLY_KERNEL	(1 << 2)	/* exclude ticks that interrupt user code */
/* @pids includes all descendants. */
#define SYSPROF_CONFIG_CHILDREN		(1 << 3)
/* Only tasks of @cgroup_fd, a directory of cgroup v2 (else -EBADF), and below */
#define SYSPROF_CONFIG_CGROUP		(1 << 4)

/*
 * With SYSPROF_USER_TABLE: outer frames that a thread's stack had before are not repeated
 * (SYSPROF_STACK_REFERS).
 */
#define SYSPROF_CONFIG_STACKS_ONCE	(1 << 5)

#define SYSPROF_FILTER_MAX		64		/* pids, and uids */

/**
 * struct sysprof_config - SYSPROF_IOC_CONFIGURE: what the session samples; 0 requests the default
 * @size: of this struct
 * @flags: SYSPROF_CONFIG_*
 * @period_ns: requested; on return granted.  Sessions share one clock.  The session that starts
 *	first sets its rate, about 1 kHz if that session requests less.  Others get a whole multiple
 *	of its period, which START returns.
 *	With 0 it is 1 ms, and grows while ticks take more of a CPU than the budget allows
 *	(account.budget)
 * @clock: enum sysprof_clock
 * @user_mode: enum sysprof_user_mode plus one: 1 none, 2 frame pointers, ... ; 0 frame pointers
 * @form: enum sysprof_form; 0 SYSPROF_FORM_OBJECT
 * @max_kernel_frames: per sample, 128 by default
 * @max_user_frames: per sample, 256 by default
 * @raw_bytes: of the stack, for SYSPROF_USER_RAW: a multiple of 8 up to max_raw_bytes, 16 KiB by
 *	default.  Only of tasks that the opener could trace (SYSPROF_IOC_TRACEABLE); of all tasks
 *	with CAP_PERFMON.  Other samples have frames by frame pointers, and user_mode says so.  MAP
 *	records describe the address spaces of those tasks.  A tick taken while the CPU switches
 *	tasks has only frames.  A sample that is too large for the ring is lost
 *	(SYSPROF_LOST_TOO_BIG).
 *	With SYSPROF_USER_TABLE (SYSPROF_FEATURE_RAW_INSTEAD): of stacks that have
 *	SYSPROF_SAMPLE_NO_TABLE, by the same rights.  0: none.  user_mode of such a sample is
 *	SYSPROF_USER_RAW.  The copies of samples take at most half of a ring; then samples have
 *	only frames.  Events have no copies
 * @ring_bytes: per CPU, a power of two; on return as granted.  1 MiB by default, less where rings
 *	for all possible CPUs would take more than half of the user's limit.  -ENOSPC beyond
 *	the limit of the user or of all (module parameters ring_limit_user_mib, ring_limit_mib);
 *	users without CAP_SYS_RESOURCE together get three quarters of the latter
 * @watermark_bytes: when poll() wakes; a quarter of the ring by default
 * @ring_stride: on return, the distance of two rings' offsets for mmap()
 * @event_type: SYSPROF_CLOCK_PMU: type and number of the event, as perf_event_open() has them; 0
 *	and 0 are cycles
 * @event_config: see @event_type
 * @event_period: SYSPROF_CLOCK_PMU: events per period, instead of @period_ns, which is then
 *	ignored; 0 requests a default
 * @pids: address of @nr_pids process ids (-ESRCH if none of them exists); only their samples.
 *	@nr_pids, @nr_uids, @cpus_bytes of 0: no filter
 * @uids: address of @nr_uids effective user ids; only samples of these users' tasks
 * @cpus: address of @cpus_bytes of CPU numbers as bits, least significant first; only these CPUs.
 *	Isolated CPUs (nohz_full, isolcpus) are sampled only if they are named here
 * @nr_pids: at most SYSPROF_FILTER_MAX
 * @nr_uids: at most SYSPROF_FILTER_MAX
 * @cpus_bytes: a multiple of 8
 * @cgroup_fd: see SYSPROF_CONFIG_CGROUP
 * @reserved: 0
 *
 * Not while running (-EBUSY).  A session whose rings are mapped keeps their size (-EBUSY for
 * another).
 */
struct sysprof_config {
	__u32 size;
	__u32 flags;
	__aligned_u64 period_ns;
	__u32 clock;
	__u32 user_mode;
	__u32 form;
	__u32 max_kernel_frames;
	__u32 max_user_frames;
	__u32 raw_bytes;
	__u32 ring_bytes;
	__u32 watermark_bytes;
	__aligned_u64 ring_stride;
	__u32 event_type;
	__u32 nr_pids;
	__aligned_u64 event_config;
	__aligned_u64 event_period;
	__aligned_u64 pids;
	__aligned_u64 uids;
	__aligned_u64 cpus;
	__u32 nr_uids;
	__u32 cpus_bytes;
	__s32 cgroup_fd;
	__u32 reserved;
};

/**
 * struct sysprof_start - SYSPROF_IOC_START: the grid of the session
 * @size: of this struct
 * @flags: 0
 * @grid_start: beginning of period 0, ns
 * @period_ns: of the session
 */
struct sysprof_start {
	__u32 size;
	__u32 flags;
	__aligned_u64 grid_start;
	__aligned_u64 period_ns;
};

enum sysprof_snapshot_part {
	/*
	 * TASK of every thread, REGION, and MAP where there are MAP records, of every address space
	 */
	SYSPROF_SNAPSHOT_TASKS		= 0,
	/* OBJECT of every file and of the vdso; after the tasks */
	SYSPROF_SNAPSHOT_OBJECTS	= 1,
	/* 2 is SYSPROF_SNAPSHOT_THREADS, of sysprof-event.h. */
};

/**
 * struct sysprof_snapshot - SYSPROF_IOC_SNAPSHOT: the present state, as records in the caller's own
 * buffer
 * @size: of this struct
 * @part: enum sysprof_snapshot_part
 * @cursor: 0 to begin; on return the value to continue with
 * @buffer: address of the caller's memory
 * @buffer_bytes: size of the buffer, at least 64 KiB
 * @filled_bytes: on return, bytes of records; 0 when the part is complete
 * @busy: on return: address spaces skipped because their lock was held; ask again for them
 * @reserved: 0
 */
struct sysprof_snapshot {
	__u32 size;
	__u32 part;
	__aligned_u64 cursor;
	__aligned_u64 buffer;
	__u32 buffer_bytes;
	__u32 filled_bytes;
	__u32 busy;
	__u32 reserved;
};

#define SYSPROF_COST_BUCKETS	32

/**
 * struct sysprof_stats - SYSPROF_IOC_STATS: the account of one CPU, now
 * @size: of this struct
 * @cpu: the CPU
 * @time: on return, the time of the account
 * @account: on return, the account
 * @cost: on return, the number of ticks that took [2^i, 2^(i+1)) ns, for all sessions
 * @stacks_known: on return, kernel stacks that equalled one taken before, at least from the second
 *	frame on, or each of whose steps was taken before, and so were not walked.  @stacks_known,
 *	@stacks_walked, @stacks_checked and @stacks_wrong are for all sessions, since the module was
 *	loaded; 0 where frame pointers make walks cheap
 * @stacks_walked: on return, kernel stacks that were not known, and were walked
 * @stacks_checked: on return, stacks of @stacks_known that were walked all the same and compared
 *	(one in 64, module parameter check_one_in)
 * @stacks_wrong: on return, stacks of @stacks_checked that were another stack.  The same percentage
 *	of unchecked stacks is wrong
 */
struct sysprof_stats {
	__u32 size;
	__u32 cpu;
	__aligned_u64 time;
	struct sysprof_account account;
	__aligned_u64 cost[SYSPROF_COST_BUCKETS];
	__aligned_u64 stacks_known;
	__aligned_u64 stacks_walked;
	__aligned_u64 stacks_checked;
	__aligned_u64 stacks_wrong;
};

/**
 * struct sysprof_name - the name of a kernel frame
 * @frame: as in a sample (for a return address, less one, to stay inside the call)
 * @offset: of the frame in the symbol, bytes
 * @symbol_bytes: size of the symbol
 * @module: "" for the kernel image
 * @symbol: "" if the frame has no name (any more), or if the opener may not know the name
 *
 * Without CAP_PERFMON at open() a frame of SYSPROF_OBJECT_MODULES is named only in a part of the
 * module area (a page on x86-64, 2 MiB on arm64) of which some sample had a frame since the module
 * was loaded.  A frame without a name costs the same wherever it points.
 */
struct sysprof_name {
	__u64 frame;
	__u32 offset;
	__u32 symbol_bytes;
	char module[56];
	char symbol[184];
};

/**
 * struct sysprof_names - SYSPROF_IOC_NAMES: name kernel frames
 * @size: of this struct
 * @nr: frames, at most 4096
 * @names: address of nr struct sysprof_name with frame filled in; the rest is filled in on return
 */
struct sysprof_names {
	__u32 size;
	__u32 nr;
	__aligned_u64 names;
};

/**
 * struct sysprof_map_fd - SYSPROF_IOC_MAP_FD: open an object for reading
 * @size: of this struct
 * @object: id of a file, or of a region
 * @fd: on return, for a file a new descriptor, open for reading, close-on-exec; -1 for a region
 * @flags: 0
 * @start: on return, for a region the address of its offset 0; modulo 2^64
 *
 * Files: only regular files that the opener of the session could open for reading.  The file is
 * opened anew.  A process that the opener could trace must have it mapped: same user and group, no
 * more capabilities, dumpable, of the initial user namespace.  Security modules are asked when the
 * file is opened, not about that process.  If such a process was the first to map the file, it can
 * also be opened for 3 s after the OBJECT record.  For that time, and for at most 1024 files, a
 * running session keeps the mapped file from being freed and its file system from being unmounted.
 * Files on a network or FUSE are refused, since their server might never answer.  -EACCES
 * otherwise: then the path may still lead to the file.  -ENOENT for an unknown id.
 *
 * Regions: of a live process that the opener could trace (SYSPROF_IOC_TRACEABLE), else -ENOENT.
 */
struct sysprof_map_fd {
	__u32 size;
	__u32 object;
	__s32 fd;
	__u32 flags;
	__aligned_u64 start;
};

/**
 * struct sysprof_raw_wish - SYSPROF_IOC_RAW_WISH: how much of a stack is worth copying
 * @size: of this struct
 * @bytes: of the stacks of tasks with this name, at most raw_bytes of CONFIGURE, rounded up to a
 *	whole KiB; 0: none, as frame pointers suffice
 * @comm: name; "": all tasks whose name has no request of its own
 *
 * Valid from the next tick on.  Without a request raw_bytes of CONFIGURE are copied.  A request is
 * a hint: tasks of another name get the same if both names have the same hash.  -EINVAL for a
 * session without raw stacks.
 */
struct sysprof_raw_wish {
	__u32 size;
	__u32 bytes;
	char comm[SYSPROF_COMM_BYTES];
};

/**
 * struct sysprof_traceable - SYSPROF_IOC_TRACEABLE: show that the opener can trace a process
 * @size: of this struct
 * @pid: its id, of any of its threads
 * @fd: a descriptor of its /proc/PID/mem, opened for reading, which may be closed afterwards
 * @all: on return, 1 for a session that can see addresses: it need not show anything, and nothing
 *	else was checked; else 0
 *
 * Raw stacks, MAP records, own unwind tables and addresses of regions are only of tasks that the
 * opener could trace.  Two checks decide that.  The module has the kernel's rule for user, group,
 * capabilities and dumpability, and applies it at each access.  Only the kernel's own check knows
 * what Yama, SELinux, AppArmor and Landlock say, and the kernel made it when /proc/PID/mem was
 * opened.  So the opener shows such a descriptor, once for each address space: again after EXEC,
 * and after a FORK of a process.  The address space in which the session was opened needs none; it
 * ends when the opener becomes another program.  Only SNAPSHOT reports what was mapped before.
 *
 * -EACCES for another file or another address space, -ESRCH if no process has that id or it has no
 * memory, -EBADF, -ENOSPC for more than 1024 address spaces that live.
 */
struct sysprof_traceable {
	__u32 size;
	__u32 pid;
	__s32 fd;
	__u32 all;
};

/**
 * struct sysprof_revoke - SYSPROF_IOC_REVOKE: end all sessions of a user
 * @size: of this struct
 * @uid: the user's id in the initial user namespace
 * @sessions: on return, number of sessions that ended
 * @reserved: 0
 *
 * Ends every session whose opener had this real or effective user id.  When the ioctl returns,
 * these sessions have stopped and never start again.  -EPERM unless both the caller and the opener
 * of this descriptor have CAP_SYS_ADMIN.  The user can still open the device: take that right away
 * first.
 */
struct sysprof_revoke {
	__u32 size;
	__u32 uid;
	__u32 sessions;
	__u32 reserved;
};

/**
 * struct sysprof_slow - SYSPROF_IOC_SLOW: sample less often, for a reader that takes too much CPU
 * time
 * @size: of this struct
 * @part: at most one in @part of the session's periods is sampled, 1 to 1000
 *
 * Valid from the next tick on, until CONFIGURE.  The other periods count as account.budget; weights
 * of samples do not change.  The budget can lower the rate further.  -EINVAL for a session that
 * requested a period, which it keeps.
 */
struct sysprof_slow {
	__u32 size;
	__u32 part;
};

#define SYSPROF_IOC_INFO	_IO('P', 0x70)
#define SYSPROF_IOC_CONFIGURE	_IO('P', 0x71)
/*
 * struct sysprof_start, or NULL.  -EOPNOTSUPP: the kernel does not report mappings; its log says
 * why
 */
#define SYSPROF_IOC_START	_IO('P', 0x72)
#define SYSPROF_IOC_STOP	_IO('P', 0x73)	/* no argument */
#define SYSPROF_IOC_SNAPSHOT	_IO('P', 0x74)
#define SYSPROF_IOC_STATS	_IO('P', 0x75)
#define SYSPROF_IOC_NAMES	_IO('P', 0x76)
#define SYSPROF_IOC_MAP_FD	_IO('P', 0x77)	/* -ENOTTY without SYSPROF_FEATURE_MAP_FD */
#define SYSPROF_IOC_RAW_WISH	_IO('P', 0x78)	/* -ENOTTY without SYSPROF_FEATURE_RAW_WISH */
/*
 * 0x79 is SYSPROF_IOC_TABLE, of sysprof-table.h; 0x7a to 0x7c are those of sysprof-event.h; 0x80 is
 * SYSPROF_IOC_CHAIN, of sysprof-chain.h.
 */
#define SYSPROF_IOC_TRACEABLE	_IO('P', 0x7e)	/* -ENOTTY without SYSPROF_FEATURE_TRACEABLE */
#define SYSPROF_IOC_REVOKE	_IO('P', 0x7d)	/* -ENOTTY without SYSPROF_FEATURE_REVOKE */
#define SYSPROF_IOC_SLOW	_IO('P', 0x7f)	/* -ENOTTY without SYSPROF_FEATURE_SLOW */

#endif /* _UAPI_SYSPROF_H */
