/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64 instructions, as far as they concern the stack: the length of one, what it does to the
 * registers that locate stack frames, and where it continues.
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
#define SPT_X86_NONE 16			/* no register, or an unknown one */

typedef enum {
	SPT_X86_OTHER,
	SPT_X86_PUSH,			/* pushes @from, or something else */
	SPT_X86_POP,			/* @to, or into memory */
	SPT_X86_MOVE,			/* @to = @from */
	SPT_X86_LEA,			/* @to = @from + @number */
	SPT_X86_LOAD,			/* @to = 8 bytes at @from + @number */
	SPT_X86_STORE,			/* 8 bytes at @to + @number = @from */
	SPT_X86_ALIGN,			/* @to is rounded down */
	SPT_X86_LEAVE,
	SPT_X86_CALL,
	SPT_X86_JUMP,			/* to @number from its end */
	SPT_X86_BRANCH,			/* to @number from its end, or no jump */
	SPT_X86_JUMP_SOMEWHERE,
	SPT_X86_RETURN,
	SPT_X86_STOP,			/* execution does not continue */
} SptX86Kind;

typedef struct {
	SptX86Kind kind;
	uint8_t bytes;
	uint8_t to, from;
	int64_t number;
	uint16_t writes;		/* bits: registers that it changes */
} SptX86;

/* Decodes the instruction at @code, which has @n bytes.  False: it is not known. */
bool spt_x86_decode(const uint8_t *code, size_t n, SptX86 *ret);

G_END_DECLS

#endif
