/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64 instructions, as far as it matters to the stack: how long one is, what it does to the
 * registers that stack frames are found by, and where it goes on.
 */
#ifndef SPT_UNWIND_X86_H
#define SPT_UNWIND_X86_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Registers as the machine numbers them: ax cx dx bx sp bp si di r8 ... r15. */
#define SPT_X86_SP 4
#define SPT_X86_BP 5
#define SPT_X86_NONE 16			/* no register, or nothing is known of it */

typedef enum {
	SPT_X86_OTHER,
	SPT_X86_PUSH,			/* @from, or something else */
	SPT_X86_POP,			/* @to, or into memory */
	SPT_X86_MOVE,			/* @to = @from */
	SPT_X86_LEA,			/* @to = @from + @number */
	SPT_X86_LOAD,			/* @to = 8 bytes at @from + @number */
	SPT_X86_STORE,			/* 8 bytes at @to + @number = @from */
	SPT_X86_ALIGN,			/* @to is rounded down */
	SPT_X86_LEAVE,
	SPT_X86_CALL,
	SPT_X86_JUMP,			/* by @number from its end */
	SPT_X86_BRANCH,			/* likewise, or not */
	SPT_X86_JUMP_SOMEWHERE,
	SPT_X86_RETURN,
	SPT_X86_STOP,			/* nothing comes after it */
} SptX86Kind;

typedef struct {
	SptX86Kind kind;
	uint8_t bytes;
	uint8_t to, from;
	int64_t number;
	uint16_t writes;		/* bits: registers that have another value then */
} SptX86;

/* The one at @code, of which there are @n bytes.  False: there is none that is known. */
bool spt_x86_decode(const uint8_t *code, size_t n, SptX86 *ret);

G_END_DECLS

#endif
