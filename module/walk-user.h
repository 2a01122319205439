/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk along frame pointers.  It is the same for all architectures whose frames begin with the
 * caller's frame pointer and the return address.  A file that includes this has USER_END, the first
 * address that is not the user's, and strip(), which removes tags and signatures from a pointer.
 */
#ifndef _SYSPROF_WALK_USER_H
#define _SYSPROF_WALK_USER_H

#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "ranges.h"
#include "sysprof.h"

/*
 * One checked window for the whole walk.  Each frame pointer is compared with it, so that
 * user_access_begin() need not check each.  From one frame pointer to the last, a stack has at most
 * this size.
 */
#define USER_WINDOW SZ_1G
#define LOWEST_IP 4096

/*
 * The walk, compiled once for each kind of program and of frame.  A frame is two words, the next
 * frame pointer and the return address, all within [low, last]; the caller's frame is above.  The
 * first frame is in @walk already.
 */
static __always_inline u8 walk_frames(u64 low, u64 last, u64 fp, struct sysprof_walk *walk,
				      const struct ranges *ranges, struct sysprof_place place,
				      bool is_64bit)
{
	u64 mask = is_64bit ? 7 : 3, base = ranges ? place.start + place.base : 0,
	    user_end = USER_END, callee, ip;
	u64 *limit = walk->frames + walk->max;
	/* Room for frames, counted up to 0. */
	long left = 1 - (long)walk->max;
	u32 fp_32, ip_32;
	u8 end;

	if (fp < low || fp > last || fp & mask)
		return fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
	end = SYSPROF_END_LIMIT;
	if (!left)
		return end;
	do {
		callee = fp;
		if (is_64bit) {
			unsafe_get_user(fp, (u64 __user *)callee, fault);
			unsafe_get_user(ip, (u64 __user *)callee + 1, fault);
			fp = strip(fp);
			ip = strip(ip);
		} else {
			unsafe_get_user(fp_32, (u32 __user *)callee, fault);
			unsafe_get_user(ip_32, (u32 __user *)callee + 1, fault);
			fp = fp_32;
			ip = ip_32;
		}
		if (ranges) {
			ip -= place.start;
			if (unlikely(ip >= place.bytes)) {
				/* Otherwise the compiler also computes the sum in each turn. */
				OPTIMIZER_HIDE_VAR(ip);
				ip += place.start;
				if (!sysprof_ranges_look_up(ranges, ip, 1, &place)) {
					end = ip ? SYSPROF_END_UNMAPPED : SYSPROF_END_ROOT;
					break;
				}
				ip -= place.start;
				base = place.start + place.base;
			}
		} else if (unlikely(ip < LOWEST_IP || ip >= user_end)) {
			end = ip ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
			break;
		}
		limit[left] = ip + base;
		/* Too low, too high, not aligned. */
		if (unlikely(fp <= callee || fp > last || fp & mask)) {
			walk->n = walk->max + left + 1;
			return fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
		}
	} while (likely(++left));
out:
	walk->n = walk->max + left;
	return end;
fault:
	end = SYSPROF_END_FAULT;
	goto out;
}

/* Walks from the registers of a context of current.  No faults. */
static inline void walk_user(struct sysprof_walk *walk, u64 ip, u64 sp, u64 fp, bool is_64bit)
{
	u64 low = sp & -8ULL, user_end = USER_END, window = min_t(u64, USER_WINDOW, user_end - low),
	    last = low + window - 2 * sizeof(u64);
	struct sysprof_place place = {};

	u8 end = SYSPROF_END_FAULT;

	walk->n = 0;
	walk->end = SYSPROF_END_UNMAPPED;
	if (walk->ranges && !sysprof_ranges_look_up(walk->ranges, ip, 0, &place))
		return;
	/* What follows are return addresses. */
	place.start++;
	walk->frames[0] = ip + place.base;
	walk->n = 1;
	walk->end = SYSPROF_END_BAD;
	if (low - LOWEST_IP >= user_end - PAGE_SIZE - LOWEST_IP)
		return;

	pagefault_disable();
	if (user_read_access_begin((void __user *)low, window)) {
		if (!is_64bit)
			end = walk_frames(low, last, fp, walk, walk->ranges, place, false);
		else if (walk->ranges)
			end = walk_frames(low, last, fp, walk, walk->ranges, place, true);
		else
			end = walk_frames(low, last, fp, walk, NULL, place, true);
		user_read_access_end();
	}
	pagefault_enable();
	walk->end = end;
}

#endif /* _SYSPROF_WALK_USER_H */
