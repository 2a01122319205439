/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the return address is, by what x86-64 code does until it returns.  If nothing but plain
 * instructions leads from a place to a return, that is certain, whatever the function did before.
 * So are most trampolines that are made at run time, which have neither unwind information nor a
 * frame pointer.
 */
#ifndef SPT_UNWIND_STRAIGHT_H
#define SPT_UNWIND_STRAIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of code this much is looked at. */
#define SPT_STRAIGHT_BYTES 64

typedef struct {
	/* Offsets are from the frame pointer, not the stack pointer. */
	bool from_fp;
	bool keeps_fp;			/* the frame pointer is the caller's */
	bool has_fp;			/* or comes from fp_offset; neither: it is lost */
	int32_t return_offset, fp_offset;
	uint16_t writes;		/* bits: registers that it changes, as x86 numbers them */
} SptStraight;

/* Follows the @n bytes of @code; false: it is not known. */
bool spt_straight_find(const uint8_t *code, size_t n, SptStraight *ret);

#endif
