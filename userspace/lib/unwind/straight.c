/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/straight.h"

#include <string.h>

#include "unwind/x86.h"

#define SP SPT_X86_SP
#define BP SPT_X86_BP
/* pushf, popf, enter, and a return that pops arguments */
#define OTHER_USES "\x9c\x9d\xc8\xc2"
#define MOST_OFFSET (1 << 20)

/* The stack pointer's distance from the base comes from a register that it was set to. */
static bool straight_set_sp(SptStraight *straight, unsigned from, int64_t number, int64_t *at)
{
	if (from == SP) {
		*at += number;
		return true;
	}
	/* That frame pointer is the one of the beginning. */
	if (from != BP || !straight->keeps_fp)
		return false;
	straight->from_fp = true;
	*at = number;
	return true;
}

static void straight_restore_fp(SptStraight *straight, int64_t at)
{
	straight->keeps_fp = false;
	straight->has_fp = true;
	straight->fp_offset = (int32_t)at;
}

/* False: it does something that is not known. */
static bool straight_step(SptStraight *straight, const SptX86 *x86, int64_t *at)
{
	straight->writes |= x86->writes;
	switch (x86->kind) {
	case SPT_X86_PUSH:
		*at -= 8;
		return true;
	case SPT_X86_POP:
		/* What it has pushed itself is not there yet. */
		if (x86->to == SP || (*at < 0 && !straight->from_fp))
			return false;
		if (x86->to == BP)
			straight_restore_fp(straight, *at);
		else if (x86->to != SPT_X86_NONE)
			straight->writes |= 1u << x86->to;
		*at += 8;
		return true;
	case SPT_X86_MOVE:
	case SPT_X86_LEA:
		if (x86->to == SP)
			return straight_set_sp(straight, x86->from, x86->number, at);
		break;
	case SPT_X86_LEAVE:
		if (!straight_set_sp(straight, BP, 0, at))
			return false;
		straight_restore_fp(straight, *at);
		*at += 8;
		return true;
	case SPT_X86_LOAD:
		if (x86->to == BP && x86->from == SP) {
			straight_restore_fp(straight, *at + x86->number);
			return true;
		}
		break;
	case SPT_X86_STORE:
	case SPT_X86_OTHER:
		break;
	default:
		return false;
	}
	if (x86->writes >> SP & 1 || x86->to == SP)
		return x86->kind == SPT_X86_STORE;
	if (x86->writes >> BP & 1) {
		straight->keeps_fp = false;
		straight->has_fp = false;
	}
	return true;
}

bool spt_straight_find(const uint8_t *code, size_t n, SptStraight *ret)
{
	int64_t at = 0;
	SptX86 x86;

	*ret = (SptStraight){ .keeps_fp = true };
	for (size_t i = 0; i < n && spt_x86_decode(code + i, n - i, &x86); i += x86.bytes) {
		if (memchr(OTHER_USES, code[i], sizeof(OTHER_USES) - 1))
			return false;
		ret->return_offset = (int32_t)at;
		if (x86.kind == SPT_X86_RETURN)
			return at >= 0;
		if (!straight_step(ret, &x86, &at) || at < -MOST_OFFSET || at > MOST_OFFSET)
			return false;
	}
	return false;
}
