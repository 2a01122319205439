// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces: for each mm an index of its executable ranges, so that a tick can turn addresses
 * into places in objects.
 *
 * Writers are the hooks, under the mm's lock; the reader is the tick, which may interrupt a writer
 * on its own CPU and must not wait.  So each space has two copies of its array, and seq says which
 * one to read:
 *
 *	writer:  edit the copy not read,  seq + 1,  edit the other copy
 *	reader:  q = seq,  read copy q & 1,  seq still q?  else again
 *
 * Locks here are taken in tasks only, never by a tick, and interrupts stay on.
 *
 * A hook neither allocates nor frees: memory comes from pools, and goes to a worker, which waits
 * for a grace period. What a hook cannot do (no memory, an array too small, a mapping that was not
 * reported) marks the space incomplete, and the worker reads the mm's mappings anew.  What is not
 * in the index is unresolved, never wrong.
 */
#include <linux/hash.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>

#include "arch.h"
#include "delivery.h"
#include "objects.h"
#include "ranges.h"
#include "recall.h"
#include "regions.h"
#include "space.h"
#include "spaces.h"
#include "vdso.h"
#include "watch.h"
#include "sysprof.h"

#define TABLE_BITS	12
#define STRIPE_BITS	6
#define READ_TRIES	4

static struct hlist_head table[1 << TABLE_BITS];
static raw_spinlock_t stripes[1 << STRIPE_BITS];
/* The last one of an index. */
static atomic64_t stamps = ATOMIC64_INIT(0);

static u32 hash_mm(const struct mm_struct *mm)
{
	return hash_ptr(mm, TABLE_BITS);
}

static raw_spinlock_t *stripe_of(u32 hash)
{
	return &stripes[hash & ((1 << STRIPE_BITS) - 1)];
}

static struct space *find_space(const struct mm_struct *mm)
{
	struct space *space;

	hlist_for_each_entry_rcu(space, &table[hash_mm(mm)], hash)
		if (space->mm == mm)
			return space;
	return NULL;
}

/* Adding and removing spaces. */

/* NULL if the mm has a space already. */
static struct space *publish(struct space *space, struct mm_struct *mm, sysprof_payer payer)
{
	u32 hash = hash_mm(mm);
	bool there;

	raw_spin_lock(stripe_of(hash));
	there = find_space(mm);
	if (!there) {
		mmgrab(mm);
		space->mm = mm;
		space->payer = payer;
		hlist_add_head_rcu(&space->hash, &table[hash]);
	}
	raw_spin_unlock(stripe_of(hash));
	return there ? NULL : space;
}

static struct space *new_space(struct mm_struct *mm, sysprof_payer payer)
{
	struct space *space = sysprof_space_take();

	if (!space) {
		ask_scan();
		return NULL;
	}
	if (publish(space, mm, payer))
		return space;
	sysprof_space_give(space);
	return NULL;
}

void sysprof_spaces_gone(struct mm_struct *mm)
{
	u32 hash = hash_mm(mm);
	struct space *space;

	raw_spin_lock(stripe_of(hash));
	space = find_space(mm);
	if (space)
		hlist_del_rcu(&space->hash);
	raw_spin_unlock(stripe_of(hash));
	if (space)
		sysprof_space_bury(space);
}

void sysprof_spaces_bury_all(void)
{
	struct hlist_node *next;
	struct space *space;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		hlist_for_each_entry_safe(space, next, &table[i], hash) {
			hlist_del(&space->hash);
			sysprof_space_bury(space);
		}
	}
}

bool sysprof_space_known(const struct mm_struct *mm)
{
	bool known;

	rcu_read_lock();
	known = find_space(mm);
	rcu_read_unlock();
	return known;
}

/* Updates. */

/*
 * Lets readers see @new, then makes the other copy the same; a copy that was larger or smaller
 * before is retired.
 */
static void flip(struct space *space, struct ranges *new, struct ranges *other)
{
	u32 seq = space->seq;
	struct ranges *old;

	new->stamp = atomic64_inc_return(&stamps);
	old = space->copies[!(seq & 1)];
	if (old != new) {
		WRITE_ONCE(space->copies[!(seq & 1)], new);
		sysprof_space_retire(space, old);
	}
	/*
	 * The new copy is whole before it is read; pairs with smp_load_acquire() in
	 * sysprof_spaces_resolve().
	 */
	smp_store_release(&space->seq, seq + 1);
	/*
	 * A reader of the old copy sees the new seq afterwards; pairs with smp_rmb() in
	 * sysprof_spaces_resolve().
	 */
	smp_wmb();
	old = space->copies[seq & 1];
	if (old != other) {
		WRITE_ONCE(space->copies[seq & 1], other);
		sysprof_space_retire(space, old);
	}
	sysprof_ranges_copy(other, new);
}

/* Under space->lock: makes [start, end) @new.  False: there is no memory. */
static bool update(struct space *space, u64 start, u64 end, const struct code_range *new)
{
	struct ranges *read = space->copies[space->seq & 1], *large[2];
	struct ranges *edit = space->copies[!(space->seq & 1)], *other = read;

	/* One range may be split in two, and one added between the parts. */
	if (read->n + 2 > edit->capacity) {
		if (edit->capacity >= LARGE_RANGES || !sysprof_space_take_large(large))
			return false;
		edit = large[0];
		other = large[1];
		sysprof_ranges_copy(edit, read);
	}
	sysprof_ranges_replace(edit, start, end, new);
	flip(space, edit, other);
	return true;
}

struct space *sysprof_space_get(struct mm_struct *mm, sysprof_payer payer)
{
	struct space *space;

	rcu_read_lock();
	space = find_space(mm);
	if (!space) {
		space = new_space(mm, payer);
		if (space)
			space->incomplete = true;
	}
	rcu_read_unlock();
	return space;
}

void sysprof_space_install(struct space *space, struct ranges *copies[2], bool coarse)
{

	raw_spin_lock(&space->lock);
	flip(space, copies[0], copies[1]);
	space->incomplete = coarse;
	WRITE_ONCE(space->coarse, coarse);
	space->rebuilt = ktime_get_mono_fast_ns();
	raw_spin_unlock(&space->lock);
}

/* Regions. */

/* Under space->lock. */
static const struct region *get_region(struct space *space, const struct vm_area_struct *vma,
				       u32 pid, bool *is_new)
{
	*is_new = false;
	if (!space->regions)
		space->regions = sysprof_space_take_regions();
	return space->regions ? sysprof_regions_get(space->regions, vma->vm_start, vma->vm_end, pid,
						    space->payer, is_new) :
				NULL;
}

/*
 * The id of the region of @vma, which is executable and has no file, of process @pid (0: not
 * known).  A new region is sent to every session.  SYSPROF_OBJECT_ANON if there can be no more
 * regions.
 */
static u32 spaces_region(const struct vm_area_struct *vma, u32 pid, u64 *offset)
{
	u32 object = SYSPROF_OBJECT_ANON;
	const struct region *region;
	struct sysprof_region record;
	bool is_new = false;
	struct space *space;

	*offset = 0;
	rcu_read_lock();
	space = find_space(vma->vm_mm);
	if (space) {
		raw_spin_lock(&space->lock);
		region = get_region(space, vma, pid, &is_new);
		if (region) {
			object = region->object;
			*offset = vma->vm_start - region->origin;
			sysprof_regions_record(region, vma->vm_mm, &record);
		}
		raw_spin_unlock(&space->lock);
	}
	rcu_read_unlock();
	if (is_new)
		sysprof_sessions_state(&record.record);
	return object;
}

u32 sysprof_spaces_object(struct vm_area_struct *vma, u32 pid, sysprof_payer payer, u64 *offset)
{
	if (vma->vm_file) {
		*offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		return sysprof_objects_get(vma->vm_file, pid, payer);
	}
	if (sysprof_vdso_is(vma)) {
		*offset = 0;
		return SYSPROF_OBJECT_VDSO;
	}
	return spaces_region(vma, pid, offset);
}

u32 sysprof_spaces_regions(const struct mm_struct *mm, struct sysprof_region *records)
{
	struct space *space;
	u32 n = 0;

	rcu_read_lock();
	space = find_space(mm);
	if (space) {
		raw_spin_lock(&space->lock);
		for (; space->regions && n < space->regions->n; n++)
			sysprof_regions_record(&space->regions->region[n], mm, &records[n]);
		raw_spin_unlock(&space->lock);
	}
	rcu_read_unlock();
	return n;
}

bool sysprof_spaces_region_origin(const struct mm_struct *mm, u32 object, u64 *origin)
{
	struct space *space;
	bool found = false;
	u32 i;

	rcu_read_lock();
	space = find_space(mm);
	if (space) {
		raw_spin_lock(&space->lock);
		for (i = 0; space->regions && i < space->regions->n && !found; i++) {
			found = space->regions->region[i].object == object;
			*origin = space->regions->region[i].origin;
		}
		raw_spin_unlock(&space->lock);
	}
	rcu_read_unlock();
	return found;
}

/* The hooks. */

void sysprof_space_range(struct code_range *range, struct vm_area_struct *vma, u32 pid,
			 sysprof_payer payer)
{
	u64 offset, object = sysprof_spaces_object(vma, pid, payer, &offset);

	range->start = vma->vm_start;
	range->end = vma->vm_end;
	/* A mapping without an id, or with offsets that no frame can hold, is not resolved. */
	if (!object || offset > SYSPROF_FRAME_OFFSET_MASK ||
	    range->end - range->start > SYSPROF_FRAME_OFFSET_MASK - offset)
		range->base = 0;
	else
		range->base = (object << SYSPROF_FRAME_OBJECT_SHIFT) + offset - vma->vm_start;
	range->counted = vma->vm_flags & (VM_WRITE | VM_STACK) ? 0 : vma_pages(vma);
}

static bool overlaps(const struct ranges *ranges, u64 start, u64 end)
{
	u32 at = sysprof_ranges_first_behind(ranges, start);

	return at < ranges->n && ranges->range[at].start < end;
}

/* Even without memory for the new range, the old ones must be removed. */
static void spaces_drop(struct space *space, u64 start, u64 end)
{
	struct ranges *read = space->copies[space->seq & 1],
		      *edit = space->copies[!(space->seq & 1)];

	if (read->n < edit->capacity)
		sysprof_ranges_replace(edit, start, end, NULL);
	else
		sysprof_ranges_clear(edit);
	flip(space, edit, read);
}

/* [start, end) is now @range (NULL: not executable); @is_file: a file may be mapped there. */
static void apply(struct space *space, u64 start, u64 end, bool is_file,
		  const struct code_range *range)
{
	bool ok = true;

	raw_spin_lock(&space->lock);
	if (is_file && space->regions)
		sysprof_regions_cut(space->regions, start, end);
	if (range || overlaps(space->copies[space->seq & 1], start, end))
		ok = update(space, start, end, range);
	if (!ok) {
		spaces_drop(space, start, end);
		space->incomplete = true;
	}
	raw_spin_unlock(&space->lock);
	if (!ok)
		ask_rebuild(space);
}

void sysprof_spaces_mapped(struct vm_area_struct *vma)
{
	struct mm_struct *mm = vma->vm_mm;
	struct space *space;
	struct code_range range;

	rcu_read_lock();
	space = find_space(mm);
	if (!(vma->vm_flags & VM_EXEC)) {
		if (space)
			apply(space, vma->vm_start, vma->vm_end, vma->vm_file, NULL);
	} else {
		if (!space) {
			space = new_space(mm, sysprof_quota_payer(current));
			/*
			 * The first mapping of a new program is not counted yet at this point;
			 * otherwise there are more.
			 */
			if (space && mm->exec_vm) {
				space->incomplete = true;
				ask_rebuild(space);
			}
		}
		sysprof_space_range(&range, vma, current->tgid, sysprof_quota_payer(current));
		if (space)
			apply(space, range.start, range.end, vma->vm_file, &range);
		if (space && !range.base)
			ask_rebuild(space);
	}
	rcu_read_unlock();
}

void sysprof_spaces_forked(struct mm_struct *parent, struct mm_struct *child)
{
	struct space *from, *to;
	struct ranges *ranges;
	int i;

	rcu_read_lock();
	from = find_space(parent);
	to = from ? new_space(child, from->payer) : NULL;
	if (!to)
		goto out;
	raw_spin_lock(&from->lock);
	if (from->regions)
		to->regions = sysprof_space_take_regions();
	/* Without memory, a child that changes its mappings gets regions of its own. */
	if (to->regions)
		sysprof_regions_copy(to->regions, from->regions);
	ranges = from->copies[from->seq & 1];
	if (ranges->n > SMALL_RANGES && ranges->n <= LARGE_RANGES)
		sysprof_space_take_large(to->copies);
	if (ranges->n <= to->copies[0]->capacity) {
		for (i = 0; i < 2; i++)
			sysprof_ranges_copy(to->copies[i], ranges);
		to->incomplete = from->incomplete;
		to->coarse = from->coarse;
	} else {
		to->incomplete = true;
	}
	raw_spin_unlock(&from->lock);
	if (to->incomplete)
		ask_rebuild(to);
out:
	rcu_read_unlock();
}

void sysprof_spaces_born(struct mm_struct *mm)
{
	struct space *space;

	rcu_read_lock();
	space = find_space(mm) ? NULL : new_space(mm, sysprof_quota_payer(current));
	if (space) {
		space->incomplete = true;
		ask_rebuild(space);
	}
	rcu_read_unlock();
}

void sysprof_spaces_moved(struct vm_area_struct *vma, u64 to, u64 bytes)
{
	struct space *space;

	rcu_read_lock();
	space = find_space(vma->vm_mm);
	if (space) {
		/* The mapping that was there is unmapped, even if the move is undone. */
		apply(space, to, to + bytes, true, NULL);
		/* Checked at the end of the call: until then the mm's lock is held. */
		if (vma->vm_flags & VM_EXEC)
			ask_rebuild(space);
	}
	rcu_read_unlock();
}

/* The tick. */

/*
 * The index may have a gap, or lack a change that no hook reported: requests a rebuild, and does
 * not wait for it.
 */
static void doubt(struct space *space)
{
	u64 now = ktime_get_mono_fast_ns();

	if (now - READ_ONCE(space->rebuilt) > (READ_ONCE(space->coarse) ? COARSE_NS : REBUILD_NS))
		ask_rebuild(space);
}

/* False: the index changed meanwhile. */
static __always_inline bool try_walk(const struct space *space, struct pt_regs *regs,
				     struct sysprof_walk *walk)
{
	/* Pairs with smp_store_release() in flip(). */
	u32 seq = smp_load_acquire(&space->seq);

	walk->ranges = READ_ONCE(space->copies[seq & 1]);
	walk->remembered = NULL;
	walk->n_remembered = 0;
	walk->outer.n = 0;
	walk->is_wrong = false;
	if (walk->by_tables)
		sysprof_arch_walk_tables(regs, walk);
	else
		sysprof_arch_walk_user(regs, walk);
	/* Pairs with smp_wmb() in flip(): had the copy been edited meanwhile, seq is another. */
	smp_rmb();
	if (unlikely(READ_ONCE(space->seq) != seq)) {
		sysprof_recall_forget(walk);
		return false;
	}
	if (unlikely(walk->is_wrong))
		sysprof_recall_wrong(walk);
	return true;
}

static noinline void walk_again(const struct space *space, struct pt_regs *regs,
				struct sysprof_walk *walk)
{
	int i;

	for (i = 1; i < READ_TRIES; i++)
		if (try_walk(space, regs, walk))
			return;
	walk->n = 0;
	walk->outer.n = 0;
	walk->end = SYSPROF_END_UNMAPPED;
}

void sysprof_spaces_walk(struct pt_regs *regs, bool in_user, struct sysprof_walk *walk)
{
	struct space *space = sysprof_watch_is_blind() ? NULL : find_space(current->mm);

	if (unlikely(!space)) {
		ask_scan();
		walk->is_coarse = false;
		walk->n = 0;
		walk->outer.n = 0;
		walk->end = SYSPROF_END_UNMAPPED;
		return;
	}
	if (!try_walk(space, regs, walk))
		walk_again(space, regs, walk);
	/*
	 * While a task runs in user mode, nobody else changes its mappings, except perhaps a
	 * sibling thread.
	 */
	walk->is_coarse = READ_ONCE(space->coarse);
	if (!walk->n || READ_ONCE(space->incomplete) ||
	    (in_user && READ_ONCE(walk->ranges->counted) != READ_ONCE(current->mm->exec_vm)))
		doubt(space);
}

/*
 * All spaces are empty when this returns; the worker reads them anew, and frees those whose end was
 * missed.
 */
void sysprof_spaces_renew(void)
{
	struct ranges *edit;
	struct space *space;
	int i;

	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		hlist_for_each_entry_rcu(space, &table[i], hash) {
			raw_spin_lock(&space->lock);
			edit = space->copies[!(space->seq & 1)];
			sysprof_ranges_clear(edit);
			flip(space, edit, space->copies[space->seq & 1]);
			space->incomplete = true;
			raw_spin_unlock(&space->lock);
			ask_rebuild(space);
		}
	}
	rcu_read_unlock();
	ask_scan();
}

static u32 spaces_object_of(const struct code_range *range)
{
	return range->base ? (range->base + range->start) >> SYSPROF_FRAME_OBJECT_SHIFT :
			     SYSPROF_OBJECT_UNKNOWN;
}

/* Preemption is off for one address space at a time. */
void sysprof_spaces_mark(unsigned long *ids)
{
	const struct code_range *range, *end;
	const struct ranges *ranges;
	struct space *space;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(space, &table[i], hash) {
			raw_spin_lock(&space->lock);
			ranges = space->copies[space->seq & 1];
			end = ranges->range + ranges->n;
			for (range = ranges->range; range < end; range++)
				set_bit(spaces_object_of(range), ids);
			raw_spin_unlock(&space->lock);
		}
		rcu_read_unlock();
	}
}

bool sysprof_spaces_find_object(const struct mm_struct *mm, u32 id, u64 *address)
{
	const struct ranges *ranges;
	struct space *space;
	bool found = false;
	u32 i;

	rcu_read_lock();
	space = find_space(mm);
	if (space) {
		raw_spin_lock(&space->lock);
		ranges = space->copies[space->seq & 1];
		for (i = 0; i < ranges->n && !found; i++) {
			*address = ranges->range[i].start;
			found = spaces_object_of(&ranges->range[i]) == id;
		}
		raw_spin_unlock(&space->lock);
	}
	rcu_read_unlock();
	return found;
}

void sysprof_spaces_init_table(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(stripes); i++)
		raw_spin_lock_init(&stripes[i]);
}
