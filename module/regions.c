// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions: executable memory without a file.  A program that makes code at run time makes pages
 * writable and executable in turn, lets an area grow by neighbouring ones, and gives parts of it
 * back.  None of that makes another region, so a function's address keeps its name: memory that
 * overlaps or touches memory that was executable before belongs to the same region, until a file is
 * mapped there or the address space ends.  All offsets in a region count from one address, so it
 * does not matter which mapping was reported.
 */
#include <linux/string.h>

#include "mm-id.h"
#include "regions.h"

/*
 * Limit of one address space: a program that makes and ends regions in turn does not get ids
 * without end.
 */
#define REGIONS_EVER	4096

/* Offsets must stay positive and fit a frame. */
static bool reaches(const struct region *region, u64 start, u64 end)
{
	return start - region->origin <= SYSPROF_FRAME_OFFSET_MASK &&
	       end - region->origin <= SYSPROF_FRAME_OFFSET_MASK;
}

static void regions_drop(struct regions *regions, u32 i)
{
	regions->n--;
	memmove(&regions->region[i], &regions->region[i + 1],
		(regions->n - i) * sizeof(regions->region[0]));
}

static struct region *regions_make(struct regions *regions, u64 start, u64 end, u32 pid,
				   sysprof_payer payer)
{
	struct region *region = &regions->region[regions->n];
	u32 id;

	if (regions->n == SYSPROF_REGIONS_MAX || regions->made == REGIONS_EVER ||
	    end - start > SYSPROF_FRAME_OFFSET_MASK - SYSPROF_REGION_BIAS)
		return NULL;
	id = sysprof_quota_new_id(payer);
	if (!id)
		return NULL;
	regions->n++;
	region->start = start;
	region->end = end;
	region->origin = start - SYSPROF_REGION_BIAS;
	region->bytes = end - start;
	region->object = id;
	region->generation = regions->made++;
	region->pid = pid;
	return region;
}

const struct region *sysprof_regions_get(struct regions *regions, u64 start, u64 end, u32 pid,
					 sysprof_payer payer, bool *is_new)
{
	struct region *region;

	*is_new = false;
	for (region = regions->region; region < regions->region + regions->n; region++) {
		if (end < region->start || start > region->end || !reaches(region, start, end))
			continue;
		region->start = min(region->start, start);
		region->end = max(region->end, end);
		return region;
	}
	region = regions_make(regions, start, end, pid, payer);
	*is_new = region;
	return region;
}

void sysprof_regions_cut(struct regions *regions, u64 start, u64 end)
{
	struct region *region;
	u32 i = 0;

	while (i < regions->n) {
		region = &regions->region[i];
		if (start <= region->start && end >= region->end) {
			regions_drop(regions, i);
			continue;
		}
		/* A cut in the middle changes nothing: both sides still belong together. */
		if (start <= region->start && end > region->start)
			region->start = end;
		else if (end >= region->end && start < region->end)
			region->end = start;
		i++;
	}
}

void sysprof_regions_copy(struct regions *to, const struct regions *from)
{
	memcpy(to->region, from->region, from->n * sizeof(from->region[0]));
	to->n = from->n;
	to->made = from->made;
}

void sysprof_regions_record(const struct region *region, const struct mm_struct *mm,
			    struct sysprof_region *record)
{
	memset(record, 0, sizeof(*record));
	record->record.type = SYSPROF_REGION;
	record->record.size = sizeof(*record) / 8;
	record->record.pid = region->pid;
	record->record.tid = region->pid;
	record->mm = sysprof_mm_id(mm);
	record->bytes = region->bytes;
	record->object = region->object;
	record->generation = region->generation;
}
