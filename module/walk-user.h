/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk along frame pointers, the same for all architectures whose frames begin with the caller's frame pointer and the return address.
 * Whoever includes this has USER_END, the first address that is not the user's, and strip(), which takes a pointer's ornaments away.
 */
#ifndef _SYSPROF_WALK_USER_H
#define _SYSPROF_WALK_USER_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "ranges.h"
#include "sysprof.h"

/*
 * One checked window for the whole walk: every frame pointer is compared against it, so that user_access_begin() need not
 * look at each.  A stack grows by no more than this from one frame pointer to the last.
 */
#define USER_WINDOW SZ_1G
#define LOWEST_IP 4096

/*
 * The walk, made once for each kind of program and of frame.  Frames are two words, the next frame pointer and the return address, all
 * within [low, low + window]; a caller's lies above.
 */
static __always_inline u8 walk_frames(u64 low, u64 window, u64 fp, struct sysprof_walk *walk, const struct ranges *ranges,
				      struct sysprof_place place, bool is_64bit)
{
	u64 *frame = walk->frames + walk->n, *last = walk->frames + walk->max;
	u32 shift = is_64bit ? 3 : 2, next_32, ip_32;
	u64 next, ip;
	u8 end;

	window >>= shift;
	for (;;) {
		/* Too low, too high and not aligned, in one comparison. */
		if (unlikely(ror64(fp - low, shift) > window)) {
			end = fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
			break;
		}
		if (unlikely(frame == last)) {
			end = SYSPROF_END_LIMIT;
			break;
		}
		if (is_64bit) {
			unsafe_get_user(next, (u64 __user *)fp, fault);
			unsafe_get_user(ip, (u64 __user *)fp + 1, fault);
			next = strip(next);
			ip = strip(ip);
		} else {
			unsafe_get_user(next_32, (u32 __user *)fp, fault);
			unsafe_get_user(ip_32, (u32 __user *)fp + 1, fault);
			next = next_32;
			ip = ip_32;
		}
		if (ranges) {
			if (unlikely(!sysprof_ranges_look_up(ranges, ip, 1, &place))) {
				end = ip ? SYSPROF_END_UNMAPPED : SYSPROF_END_ROOT;
				break;
			}
		} else if (unlikely(ip - LOWEST_IP >= USER_END - LOWEST_IP)) {
			end = ip ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
			break;
		}
		*frame++ = ip + place.base;
		if (unlikely(next <= fp)) {
			end = next ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
			break;
		}
		fp = next;
	}
	walk->n = frame - walk->frames;
	return end;
fault:
	walk->n = frame - walk->frames;
	return SYSPROF_END_FAULT;
}

/* Walks from the registers of a context of current.  No faults. */
static inline void walk_user(struct sysprof_walk *walk, u64 ip, u64 sp, u64 fp, bool is_64bit)
{
	u64 low = sp & -8ULL, window;
	struct sysprof_place place = {};

	walk->n = 0;
	walk->end = SYSPROF_END_UNMAPPED;
	if (walk->ranges && !sysprof_ranges_look_up(walk->ranges, ip, 0, &place))
		return;
	/* What follows are return addresses. */
	place.start++;
	walk->frames[walk->n++] = ip + place.base;
	walk->end = SYSPROF_END_BAD;
	if (low < LOWEST_IP || low >= USER_END - PAGE_SIZE)
		return;
	window = min_t(u64, USER_WINDOW, USER_END - low);

	walk->end = SYSPROF_END_FAULT;
	pagefault_disable();
	if (user_read_access_begin((void __user *)low, window)) {
		window -= 2 * sizeof(u64);
		if (!is_64bit)
			walk->end = walk_frames(low, window, fp, walk, walk->ranges, place, false);
		else if (walk->ranges)
			walk->end = walk_frames(low, window, fp, walk, walk->ranges, place, true);
		else
			walk->end = walk_frames(low, window, fp, walk, NULL, place, true);
		user_read_access_end();
	}
	pagefault_enable();
}

#endif /* _SYSPROF_WALK_USER_H */
