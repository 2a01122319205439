/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk along frame pointers.  It is the same for all architectures whose frames begin with the
 * caller's frame pointer and the return address.  A file that includes this has USER_END, the first
 * address that is not the user's, and strip(), which removes tags and signatures from a pointer.
 */
#ifndef _SYSPROF_WALK_USER_H
#define _SYSPROF_WALK_USER_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "no-faults.h"
#include "ranges.h"
#include "sysprof.h"

/*
 * One checked window for the whole walk.  Each frame pointer is compared with it, so that
 * user_access_begin() need not check each.  From one frame pointer to the last, a stack has at most
 * this size.
 */
#define USER_WINDOW SZ_1G
#define LOWEST_IP 4096

/* What a walk needs in each frame.  All of it is in registers. */
struct frames {
	const struct ranges *ranges;	/* NULL: frames are addresses */
	struct sysprof_place place;
	u64 base;			/* of @place, for what was counted from its start on */
	u64 end_of_fp;			/* what is above all frame pointers, in words */
	u64 user_end;
	bool is_64bit;
};

/* What comes of a frame: GO_ON, or enum sysprof_end, with TAKEN if its return address counts. */
#define TAKEN	0x80
#define GO_ON	0xff

/*
 * Reads the frame at @callee, two words: its caller's frame pointer and the return address, which
 * goes to @to.  Frame pointers are numbers of words here, rotated and not shifted: one that is not
 * aligned is above all others, and needs no test of its own.
 */
static __always_inline u8 read_frame(struct frames *frames, u64 callee, u64 *caller, u64 *to)
{
	u32 fp_32, ip_32;
	u64 fp, ip, next;

	if (frames->is_64bit) {
		unsafe_get_user(fp, (u64 __user *)(callee << 3), fault);
		unsafe_get_user(ip, (u64 __user *)(callee << 3) + 1, fault);
		fp = ror64(strip(fp), 3);
		ip = strip(ip);
	} else {
		unsafe_get_user(fp_32, (u32 __user *)(callee << 2), fault);
		unsafe_get_user(ip_32, (u32 __user *)(callee << 2) + 1, fault);
		fp = ror64(fp_32, 2);
		ip = ip_32;
	}
	if (frames->ranges) {
		ip -= frames->place.start;
		if (unlikely(ip >= frames->place.bytes)) {
			/* Otherwise the compiler also computes the sum in each turn. */
			OPTIMIZER_HIDE_VAR(ip);
			ip += frames->place.start;
			if (!sysprof_ranges_look_up(frames->ranges, ip, 1, &frames->place))
				return ip ? SYSPROF_END_UNMAPPED : SYSPROF_END_ROOT;
			ip -= frames->place.start;
			frames->base = frames->place.start + frames->place.base;
		}
		ip += frames->base;
	} else if (unlikely(ip < LOWEST_IP || ip >= frames->user_end)) {
		return ip ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
	}
	*to = ip;
	/* Otherwise the compiler also keeps what it was before it was rotated. */
	OPTIMIZER_HIDE_VAR(fp);
	next = sysprof_below_or_0(fp, frames->end_of_fp);
	*caller = next;
	/* Too low; or too high or not aligned, which is 0 now. */
	if (unlikely(next <= callee))
		return TAKEN | (fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT);
	return GO_ON;
fault:
	return SYSPROF_END_FAULT;
}

/*
 * The walk, compiled once for each kind of program and of frame: @frames' members are constants
 * where they can be.  All frame pointers are within [low, last].  The first frame is in @walk
 * already.
 */
static __always_inline u8 walk_frames(u64 low, u64 last, u64 fp, struct sysprof_walk *walk,
				      const struct ranges *ranges, struct sysprof_place place,
				      bool is_64bit)
{
	u32 bits = is_64bit ? 3 : 2;
	struct frames frames = {
		.ranges = ranges,
		.place = place,
		.base = ranges ? place.start + place.base : 0,
		.end_of_fp = (last >> bits) + 1,
		.user_end = USER_END,
		.is_64bit = is_64bit,
	};
	u64 *to = walk->frames + 1, *limit = walk->frames + walk->max, caller;
	u8 end;

	fp = ror64(fp, bits);
	if (sysprof_below_or_0(fp, frames.end_of_fp) < low >> bits)
		return fp ? SYSPROF_END_BAD : SYSPROF_END_ROOT;
	fp = sysprof_below_or_0(fp, frames.end_of_fp);
	/* Two frames in each turn: the second may be one too many. */
	while (to < limit) {
		end = read_frame(&frames, fp, &caller, to);
		if (unlikely(end != GO_ON))
			break;
		end = read_frame(&frames, caller, &fp, to + 1);
		if (unlikely(end != GO_ON)) {
			to++;
			break;
		}
		to += 2;
	}
	if (to >= limit) {
		walk->n = walk->max;
		return SYSPROF_END_LIMIT;
	}
	walk->n = to - walk->frames + (end & TAKEN ? 1 : 0);
	return end & ~TAKEN;
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

	sysprof_no_faults_begin();
	if (user_read_access_begin((void __user *)low, window)) {
		if (!is_64bit)
			end = walk_frames(low, last, fp, walk, walk->ranges, place, false);
		else if (walk->ranges)
			end = walk_frames(low, last, fp, walk, walk->ranges, place, true);
		else
			end = walk_frames(low, last, fp, walk, NULL, place, true);
		user_read_access_end();
	}
	sysprof_no_faults_end();
	walk->end = end;
}

#endif /* _SYSPROF_WALK_USER_H */
