/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SPACES_H
#define _SYSPROF_SPACES_H

#include <linux/types.h>

struct mm_struct;
struct pt_regs;
struct sysprof_region;
struct sysprof_walk;
struct vm_area_struct;

/* Process context: once, and with no hook armed. */
int sysprof_spaces_init(void);
void sysprof_spaces_exit(void);

/*
 * Process context, before the hooks are armed: memory for them.  After: every address space there
 * is.
 */
int sysprof_spaces_prepare(void);
void sysprof_spaces_scan(void);
/* Process context, hooks disarmed and no tick any more: forgets all. */
void sysprof_spaces_forget(void);

/*
 * Sets the bits of all objects, by id, that are mapped somewhere: fewer than 2^24.  Process
 * context.
 */
void sysprof_spaces_mark(unsigned long *ids);

/*
 * Whether code of object @id is known to be mapped in @mm, and an address where it is.  Process
 * context.
 */
bool sysprof_spaces_find_object(const struct mm_struct *mm, u32 id, u64 *address);

/*
 * Hooks may have missed something: nothing is known of any address space until it has been read
 * anew.  Process context, hooks armed.
 */
void sysprof_spaces_renew(void);

/* How often to wait, at most 1 ms each time, for the locks of all whose mm is looked at. */
#define SYSPROF_LOCK_TRIES	20

/*
 * Locks @mm for reading; false if somebody holds it who may hold it for long: anybody can hold his
 * own for ever, and have many.  Waits up to *@tries times, which it counts down.  Process context,
 * may sleep.
 */
bool sysprof_spaces_lock(struct mm_struct *mm, unsigned int *tries);

/*
 * Reports of the hooks, with preemption off; none sleeps or allocates.  mapped(): @vma is now
 * mapped in its range, its mm is locked.  forked(): @child is about to become a copy of @parent,
 * whose lock is held for writing.  born(): the same, reported afterwards, where it cannot be
 * reported before: what @mm has mapped is read soon.  moved(): what @vma maps, or a part of it, is
 * about to go to [@to, @to + @bytes), where nothing is.  gone(): the last user of @mm has left.
 */
void sysprof_spaces_mapped(struct vm_area_struct *vma);
void sysprof_spaces_forked(struct mm_struct *parent, struct mm_struct *child);
void sysprof_spaces_born(struct mm_struct *mm);
void sysprof_spaces_moved(struct vm_area_struct *vma, u64 to, u64 bytes);
void sysprof_spaces_gone(struct mm_struct *mm);

/*
 * The region that @vma, executable and without a file, of process @pid (0: not known) belongs to:
 * its id, and the offset of vma->vm_start in it.  A new one is sent to every session.
 * SYSPROF_OBJECT_ANON if there can be no more of them.  The mm is locked; any context but NMI.
 */
u32 sysprof_spaces_region(const struct vm_area_struct *vma, u32 pid, u64 *offset);
/*
 * Those of @mm into @records, which has room for SYSPROF_REGIONS_MAX; returns how many.  Any
 * context but NMI.
 */
u32 sysprof_spaces_regions(const struct mm_struct *mm, struct sysprof_region *records);
/* The address of offset 0 of region @object, if @mm has it.  Any context but NMI. */
bool sysprof_spaces_region_origin(const struct mm_struct *mm, u32 object, u64 *origin);

/*
 * Walks the user stack of current at @regs, each frame looked up as it is found: {object:24,
 * offset:40}; all but the first are return addresses, looked up one byte before (or, by tables,
 * what a signal interrupted, reported as the byte behind).  A value in no executable mapping ends
 * the walk (SYSPROF_END_UNMAPPED).
 * @in_user: the task was interrupted in user mode.  @walk: its room; ranges is set here.  In the
 *	sampling context, RCU read side.
 */
void sysprof_spaces_walk(struct pt_regs *regs, bool in_user, struct sysprof_walk *walk);

#endif /* _SYSPROF_SPACES_H */
