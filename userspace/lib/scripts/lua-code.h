/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of Lua's functions. */
#ifndef SPT_LUA_CODE_H
#define SPT_LUA_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* Offsets in a prototype, which is what a function has from its source. */
#define SPT_LUA_N_LINES 28
#define SPT_LUA_N_MARKS 40
#define SPT_LUA_FIRST_LINE 44
#define SPT_LUA_LINES 88
#define SPT_LUA_MARKS 96
#define SPT_LUA_SOURCE 112
#define SPT_LUA_CODE 64
#define SPT_LUA_PROTOTYPE_BYTES 120
#define SPT_LUA_INSTRUCTION_BITS 2
/* In all objects. */
#define SPT_LUA_KIND 8

/* What is emitted is the address of a prototype, or that and one of these. */
#define SPT_LUA_IS_TAIL 1		/* calls are missing, behind one of that prototype */
#define SPT_LUA_IS_CALLED 2		/* by the function of Lua that is behind it */

/* In a string: of a short one the length, of a long one the length, and the text. */
#define SPT_LUA_SHORT_LENGTH 11
#define SPT_LUA_LONG_LENGTH 16
#define SPT_LUA_TEXT 24

/* The spans. */
enum {
	SPT_LUA_PROTOTYPE,
	SPT_LUA_CHANGES,		/* of the line, by each instruction */
	SPT_LUA_LINE_MARKS,		/* every 128 instructions or so: its number, and its line */
	SPT_LUA_LONG,
	SPT_LUA_SHORT,
	SPT_LUA_TAIL,			/* instead of all others: functions that are missing */
	SPT_LUA_NAME,			/* as a short one */
};

bool spt_lua_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		  SptScriptFunction *ret);
/* A position is the number of the instruction behind. */
uint32_t spt_lua_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
