/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of V8's programs that find what was compiled into an optimised function. */
#ifndef SPT_V8_INLINED_H
#define SPT_V8_INLINED_H

#include "scripts/program.h"

G_BEGIN_DECLS

/* Registers of V8's programs. */
enum {
	SPT_V8_R_FREE,
	SPT_V8_R_BIAS,
	SPT_V8_R_END, /* of the frame; for names: the function */
	SPT_V8_R_SP,
	SPT_V8_R_SCOPE, /* for frames at first: where the tick interrupted the code */
	SPT_V8_R_SLOT,
	SPT_V8_R_WORD,
	SPT_V8_R_SHARED,
	SPT_V8_R_IDENTITY,
	SPT_V8_R_POSITION,
	SPT_V8_R_FP,
	SPT_V8_R_NAME,
	SPT_V8_R_NAME_TEXT,
	SPT_V8_R_SCRIPT,
	SPT_V8_R_SCRIPT_TEXT,
	SPT_V8_R_COUNT,
	/* What of a frame is kept for the next one. */
	SPT_V8_R_LOOKED = SPT_V8_R_NAME_TEXT,
	SPT_V8_R_LAST = SPT_V8_R_SCRIPT_TEXT,
	/* In the program of names. */
	SPT_V8_R_WITH = SPT_V8_R_SLOT,
	SPT_V8_R_POSITIONS = SPT_V8_R_FP,
	SPT_V8_R_PREFIX = SPT_V8_R_SHARED,
	SPT_V8_R_SOURCE = SPT_V8_R_SP,
};

typedef struct SptV8Layout SptV8Layout;

/* Offsets in what describes a function, and types of objects. */
typedef struct {
	int length, flags, name, script;
	int type_of_script, type_of_no_string;
} SptV8Function;

/* Registers that a part of a program uses; all but @function are set. */
typedef struct {
	unsigned function, identity, name, script, word, other;
} SptV8Registers;

/* NULL: where this version has what is not known. */
const SptV8Layout *spt_v8_layout(unsigned major, unsigned minor);

/* Whether the address is needed at which the file has a pointer to V8's default group. */
bool spt_v8_needs_group(const SptV8Layout *layout);

/* Where the program of frames begins. */
void spt_v8_begin_frame(SptProgram *program);
/*
 * Sets the identity of a function that is described as @is says.  Jumps to @out for functions of V8
 * itself that have no name: they are no business of the script.
 */
void spt_v8_add_identity(SptProgram *program, const SptV8Function *is, const SptV8Registers *r,
			 SptProgramJumps *out);
/*
 * Emits what was compiled into the function at @function_at from the frame pointer, of identity
 * R_IDENTITY, where this called what is executed now, or was interrupted.  R_SHARED and R_IDENTITY
 * remain.
 */
void spt_v8_add_inlined(SptProgram *program, const SptV8Layout *layout, const SptV8Function *is,
			int function_at, uint64_t group);
/* Where the program of names begins: sets R_END to the function that was emitted, if it is one. */
void spt_v8_find_inlined(SptProgram *program, const SptV8Layout *layout);

G_END_DECLS

#endif
