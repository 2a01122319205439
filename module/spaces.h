/* SPDX-License-Identifier: GPL-2.0-only */
/* The index of each address space, by which a tick turns addresses into places in objects. */
#ifndef _SYSPROF_SPACES_H
#define _SYSPROF_SPACES_H

#include <linux/types.h>

#include "program-quota.h"

struct mm_struct;
struct pt_regs;
struct sysprof_region;
struct sysprof_walk;
struct vm_area_struct;

/* Process context: init() once, exit() with no hook armed. */
int sysprof_spaces_init(void);
void sysprof_spaces_exit(void);

/*
 * Process context.  prepare(), before the hooks are armed, gets memory for them.  scan(), after
 * that, reads every address space there is.
 */
int sysprof_spaces_prepare(void);
void sysprof_spaces_scan(void);
/* Forgets all spaces.  Process context, hooks disarmed and no tick any more. */
void sysprof_spaces_forget(void);

/* Sets the bit of each object that is mapped somewhere.  Ids are below 2^24.  Process context. */
void sysprof_spaces_mark(unsigned long *ids);

/*
 * Whether code of object @id is known to be mapped in @mm; sets @address to an address of it.
 * Process context.
 */
bool sysprof_spaces_find_object(const struct mm_struct *mm, u32 id, u64 *address);

/*
 * Call this when hooks may have missed something: no address space is used until it has been read
 * anew.  Process context, hooks armed.
 */
void sysprof_spaces_renew(void);

/* Most waits, of at most 1 ms each, for the locks of all address spaces of one scan. */
#define SYSPROF_LOCK_TRIES	20

/*
 * Locks @mm for reading.  A process can hold its own lock for ever, and there can be many of them.
 * So this waits at most *@tries times, which it counts down, and then returns false.  Process
 * context, may sleep.
 */
bool sysprof_spaces_lock(struct mm_struct *mm, unsigned int *tries);

/*
 * Reports of the hooks, with preemption off; none sleeps or allocates.
 *
 * mapped(): @vma is now mapped in its range; its mm is locked.  forked(): @child is about to become
 * a copy of @parent, whose lock is held for writing.  born(): the same, where it can only be
 * reported afterwards; the worker reads the mappings of @mm soon.  moved(): what @vma maps, or a
 * part of it, is about to move to [@to, @to + @bytes), where nothing is mapped.  gone(): the last
 * user of @mm has left.
 */
void sysprof_spaces_mapped(struct vm_area_struct *vma);
void sysprof_spaces_forked(struct mm_struct *parent, struct mm_struct *child);
void sysprof_spaces_born(struct mm_struct *mm);
void sysprof_spaces_moved(struct vm_area_struct *vma, u64 to, u64 bytes);
void sysprof_spaces_gone(struct mm_struct *mm);

/*
 * The object that @vma, executable, of process @pid (0: not known) maps: enum sysprof_object_id, or
 * the id of a file or region.  0 if there was no memory for it, or if @payer has used up its part.
 * Sets @offset to that of vma->vm_start.  A new region is sent to every session.  The mm is locked;
 * in a task.
 */
u32 sysprof_spaces_object(struct vm_area_struct *vma, u32 pid, sysprof_payer payer, u64 *offset);
/*
 * Writes the regions of @mm to @records, which has room for SYSPROF_REGIONS_MAX; returns their
 * number.  Any context but NMI.
 */
u32 sysprof_spaces_regions(const struct mm_struct *mm, struct sysprof_region *records);
/*
 * Sets @origin to the address of offset 0 of region @object; false if @mm does not have it.  Any
 * context but NMI.
 */
bool sysprof_spaces_region_origin(const struct mm_struct *mm, u32 object, u64 *origin);

/*
 * Walks the user stack of current at @regs and looks up each frame as it is found: {object:24,
 * offset:40}.  All frames but the first are return addresses, which are looked up one byte before.
 * With tables, a frame that a signal interrupted is looked up where it is, and reported as the byte
 * behind.  A value in no executable mapping ends the walk (SYSPROF_END_UNMAPPED).
 *
 * @in_user: the task was interrupted in user mode.  @walk: the caller's room; its ranges are set
 * here.  In the sampling context, RCU read side.
 */
void sysprof_spaces_walk(struct pt_regs *regs, bool in_user, struct sysprof_walk *walk);

#endif /* _SYSPROF_SPACES_H */
