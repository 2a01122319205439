/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What V8's optimising compiler put into a function.  Each place at which such code calls another
 * one is described, so that V8 can go on in its interpreter there: by the return address that says
 * how many functions these are.  Which ones they are is in a table of positions, a number with each
 * for the function that was put in, and in a tree of these.  To be searched in each tick the table
 * is too long, so a frame has the code and the place alone, and the names' program does that.  V8's
 * own functions, like Array.map, are described, but not in the tree: there are as many frames too
 * many.  Where the tree has more than the description the function is shown without what is in it.
 *
 * Where the tick interrupted optimised code itself nothing is described.  There the table says all:
 * V8 has the positions of all instructions in it where its embedder asks for them, as Node.js does.
 * Only the innermost frame can be such a one, so it is searched in the tick, and the functions are
 * found themselves.
 */
#include "scripts/v8-inlined.h"

#include "scripts/v8-code.h"

#define WORD 8
#define WORD_SHIFT 3
#define SMI_AT 4			/* of a small integer of 32 bits, in its word */
#define RETURN_AT (-8)
/* From a pointer to an array. */
#define LENGTH_AT (WORD + SMI_AT - SPT_V8_TAG)
#define ELEMENTS_AT (2 * WORD - SPT_V8_TAG)
#define ELEMENT(index) (ELEMENTS_AT + WORD * (index))
#define NUMBER(index) (ELEMENT(index) + SMI_AT)
#define KIND_MASK 15
/* What the data of optimised code have first. */
#define TRANSLATIONS 0
#define N_FUNCTIONS 1
/* Behind the tree of functions. */
#define EXITS 1				/* where the code ends, and what leads out of it begins */
#define N_EAGER 2
#define N_CALLS 3
#define PLACES 4
/* A place: where it is in the bytecode, where it is described, and the return address. */
#define PLACE_TRANSLATION 1
#define PLACE_RETURN 2
#define PLACE_SHIFTS { 3, 4 }		/* 24 bytes */
/* What describes a place begins with its kind and the number of frames, and of those of scripts. */
#define TRANSLATION_FRAMES 1
#define TRANSLATION_SCRIPTS 2
#define SMALL_NUMBER 0x81		/* its bits that a number from 0 to 63 does not have */
#define MORE_SHIFT 7
/* A position: the function's number, from 1 on, is in these bits of it. */
#define ID_SHIFT 31
#define ID_MASK 0xffff
/* Places in a table of positions are one more. */
#define POSITION_AT 1
/* A function that was put in: the position of its call, and which one it is. */
#define INLINED_SHIFT 4
#define INLINED_FUNCTION_AT WORD
/* A place in the code, how many functions there are, and which of them, in one number. */
#define WITH_SHIFT 6
#define WITH_MASK ((1 << WITH_SHIFT) - 1)
/* What may be looked for in a stack: else there is no fuel left for other frames. */
#define LOOKS 48
#define LOOK_OF_PLACE 3
#define LOOK_OF_POSITION 16
/* More would take the names of all too long to come. */
#define FUNCTIONS_MOST 12
#define POSITIONS_MOST_BYTES 1024

/* Offsets in code, and which element of its data is what. */
struct SptV8Layout {
	uint8_t major, minor;
	uint8_t of_function;		/* of the pointer to the code, in a function */
	uint8_t start;			/* of the pointer to the instructions; 0: they are behind */
	uint8_t bytes, data, positions, flags;
	uint8_t kind;			/* of code that was optimised */
	uint8_t functions, tree;
	bool has_reference;		/* a description may refer to one before */
	uint16_t table;			/* of the pointer to the table of code; 0: there is none */
};

#define BEHIND 128
/* In a table of code: a function has a number there, and an entry the code behind its start. */
#define TABLE_NUMBER_SHIFT 8
#define TABLE_ENTRY_SHIFT 4
#define TABLE_CODE_SHIFT 16
#define TABLE_ALIGNED 0xfff

/* Those of Node.js 18, 20, 22 and 24. */
static const SptV8Layout layouts[] = {
	{ 10, 2, 48, 0, 40, 16, 24, 48, 13, 2, 7, false, 0 },
	{ 11, 3, 48, 40, 56, 16, 24, 48, 13, 2, 7, true, 0 },
	{ 12, 4, 24, 40, 52, 8, 16, 48, 12, 2, 7, true, 0 },
	{ 13, 6, 24, 40, 56, 8, 16, 52, 12, 3, 8, true, 0x960 },
};

/* Registers of the program of frames. */
enum {
	R_CALLEE = SPT_V8_R_FREE,
	R_END = SPT_V8_R_END,
	R_SP = SPT_V8_R_SP,
	R_MIDDLE = SPT_V8_R_FP,
	R_DATA = SPT_V8_R_SLOT,
	R_WORD = SPT_V8_R_WORD,
	R_IDENTITY = SPT_V8_R_IDENTITY,
	R_HELP = SPT_V8_R_POSITION,
	R_PLACE = SPT_V8_R_SCOPE,
	R_CODE = SPT_V8_R_NAME,
	R_LOOKED = SPT_V8_R_LOOKED,
	R_FIRST = SPT_V8_R_SCRIPT,
	R_LAST = SPT_V8_R_LAST,
	R_N = SPT_V8_R_COUNT,
};

const SptV8Layout *spt_v8_layout(unsigned major, unsigned minor)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++)
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

bool spt_v8_needs_group(const SptV8Layout *layout)
{
	return layout->table;
}

void spt_v8_begin_frame(SptProgram *program)
{
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CALLEE, R_LAST, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LAST, R_END, 0);
}

void spt_v8_add_identity(SptProgram *program, const SptV8Function *is, const SptV8Registers *r,
			 SptProgramJumps *out)
{
	SptProgramJumps fits = { .n = 0 };

	spt_program_add(program, SYSPROF_CHAIN_LD8, r->identity, r->function, is->length);
	spt_program_add(program, SYSPROF_CHAIN_LD8, r->word, r->function, is->flags);
	spt_program_add(program, SYSPROF_CHAIN_MIX, r->identity, r->word, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, r->name, r->function, is->name);
	spt_program_add(program, SYSPROF_CHAIN_MIX, r->identity, r->name, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, r->script, r->function, is->script);
	spt_program_add(program, SYSPROF_CHAIN_MIX, r->identity, r->script, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, r->word, r->script, -SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_LD2, r->word, r->word, SPT_V8_TYPE_AT - SPT_V8_TAG);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, r->word, is->type_of_script, &fits);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, r->word, r->name, SPT_V8_TAG_MASK);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, r->word, SPT_V8_TAG, out);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, r->name, r->name, -SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_LD8, r->word, r->name, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD2, r->word, r->word, SPT_V8_TYPE_AT - SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, r->other, 0, is->type_of_no_string - 1);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, r->other, r->word, 0, &fits);
	spt_program_add(program, SYSPROF_CHAIN_LD4, r->word, r->name, SPT_V8_LENGTH_AT);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, r->word, 0, out);
	spt_program_land_all(program, &fits);
}

/* Sets R_CODE to that of the function at R_CODE. */
static void v8_find_code_of(SptProgram *program, const SptV8Layout *layout, uint64_t group,
			    SptProgramJumps *out)
{
	const int at = layout->of_function - SPT_V8_TAG;

	if (!layout->table) {
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, at);
		spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CODE, R_CODE, -SPT_V8_TAG);
		return;
	}
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_CODE, R_CODE, at);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_CODE, R_CODE, TABLE_NUMBER_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_CODE, R_CODE, TABLE_ENTRY_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, SPT_V8_R_BIAS, (int64_t)group);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, layout->table);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_HELP, R_WORD, TABLE_ALIGNED);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_HELP, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CODE, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, WORD);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_CODE, R_CODE, TABLE_CODE_SHIFT);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_CODE, 0, out);
}

/* Sets R_CODE, and R_PLACE to where in it the frame is. */
static void v8_find_code(SptProgram *program, const SptV8Layout *layout, int function_at,
			 uint64_t group, SptProgramJumps *out)
{
	SptProgramJumps called = { .n = 0 }, is_known = { .n = 0 };

	/* Its callee's frame was the one before: only then it is known where this one is. */
	spt_program_jump(program, SYSPROF_CHAIN_JEQ, R_CALLEE, R_SP, 0, &called);
	/* Or there was none, and the tick interrupted it, if it is known where. */
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_CALLEE, 0, out);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_CALLEE, 0, &is_known);
	spt_program_land_all(program, &called);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_WORD, 0, LOOKS);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_WORD, R_LOOKED, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LOOKED, R_LOOKED, 1);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PLACE, R_SP, RETURN_AT);
	spt_program_land_all(program, &is_known);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, SPT_V8_R_FP, function_at);
	v8_find_code_of(program, layout, group, out);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_CODE, layout->flags);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, KIND_MASK);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, layout->kind, out);
	if (layout->start)
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_DATA, R_CODE, layout->start);
	else
		spt_program_add(program, SYSPROF_CHAIN_ADDI, R_DATA, R_CODE, BEHIND);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_PLACE, R_DATA, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_CODE, layout->bytes);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_WORD, R_PLACE, 0, out);
}

/* Sets R_DATA.  Most functions have none in them, and the others a table of positions. */
static void v8_find_data(SptProgram *program, const SptV8Layout *layout, SptProgramJumps *out)
{
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_DATA, R_CODE, layout->data);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_DATA, NUMBER(N_FUNCTIONS));
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CODE, layout->positions);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_WORD, LENGTH_AT);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_HELP, 0, POSITIONS_MOST_BYTES);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_HELP, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LOOKED, R_LOOKED, LOOK_OF_PLACE);
}

/*
 * Sets @position, which is a place in the code at @code, to the position there: that of the last
 * entry of the table that is not behind it.  Most take a byte for each of the two numbers.
 */
static void v8_find_position(SptProgram *program, const SptV8Layout *layout, unsigned position,
			     unsigned code, unsigned at, unsigned behind)
{
	spt_program_add(program, SYSPROF_CHAIN_LD8, at, code, layout->positions);
	spt_program_add(program, SYSPROF_CHAIN_LD4, behind, at, LENGTH_AT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, at, at, ELEMENTS_AT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, behind, at, 0);
	spt_program_add(program, SYSPROF_CHAIN_SUMS, position, at, behind);
}

/*
 * Sets @id to the number of the function that @position is in; 0: the outermost.  Returns the index
 * of its first instruction.
 */
static unsigned v8_find_id(SptProgram *program, unsigned id, unsigned position)
{
	unsigned first = spt_program_add(program, SYSPROF_CHAIN_SHRI, id, position, ID_SHIFT);

	spt_program_add(program, SYSPROF_CHAIN_ANDI, id, id, ID_MASK);
	return first;
}

/* @to = the number of the places in @from, in bytes. */
static void v8_add_places(SptProgram *program, unsigned to, unsigned from)
{
	static const unsigned shifts[] = PLACE_SHIFTS;

	spt_program_add(program, SYSPROF_CHAIN_SHLI, to, from, shifts[0]);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_HELP, from, shifts[1]);
	spt_program_add(program, SYSPROF_CHAIN_ADD, to, R_HELP, 0);
}

/* Sets R_MIDDLE to the place that R_PLACE returns to.  They are in order, those of calls behind. */
static void v8_find_place(SptProgram *program, const SptV8Layout *layout, SptProgramJumps *out)
{
	const int return_at = NUMBER(layout->tree + PLACES + PLACE_RETURN);
	SptProgramJumps found = { .n = 0 }, behind = { .n = 0 };
	unsigned loop;

	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_DATA, NUMBER(layout->tree + N_EAGER));
	v8_add_places(program, R_FIRST, R_WORD);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_FIRST, R_DATA, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_N, R_DATA, NUMBER(layout->tree + N_CALLS));
	loop = spt_program_add(program, SYSPROF_CHAIN_SHRI, R_WORD, R_N, 1);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_N, 0, out);
	v8_add_places(program, R_MIDDLE, R_WORD);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_MIDDLE, R_FIRST, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_HELP, R_MIDDLE, return_at);
	spt_program_jump(program, SYSPROF_CHAIN_JEQ, R_HELP, R_PLACE, 0, &found);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_HELP, R_PLACE, 0, &behind);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_N, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land_all(program, &behind);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_FIRST, R_MIDDLE, 3 * WORD);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_N, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_N, R_N, -1);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land_all(program, &found);
}

/* Sets R_N to the number of functions at the place at R_MIDDLE, the outermost included. */
static void v8_count_functions(SptProgram *program, const SptV8Layout *layout, SptProgramJumps *out)
{
	SptProgramJumps last = { .n = 0 };
	unsigned loop;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_HELP, R_DATA, ELEMENT(TRANSLATIONS));
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_MIDDLE,
			NUMBER(layout->tree + PLACES + PLACE_TRANSLATION));
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_HELP, R_WORD, 0);
	if (layout->has_reference) {
		loop = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_HELP, R_HELP, 1);
		spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_HELP, ELEMENTS_AT);
		spt_program_add(program, SYSPROF_CHAIN_SHRI, R_WORD, R_WORD, MORE_SHIFT);
		spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0, &last);
		spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
		spt_program_land_all(program, &last);
	}
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_HELP,
			ELEMENTS_AT + TRANSLATION_FRAMES);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, SMALL_NUMBER);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_N, R_HELP, ELEMENTS_AT + TRANSLATION_SCRIPTS);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_N, SMALL_NUMBER);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_N, R_N, 1);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_N, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_WORD, 0, FUNCTIONS_MOST);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_WORD, R_N, 0, out);
}

/* Emits what is in the function at the place at which it calls another one. */
static void v8_add_called(SptProgram *program, const SptV8Layout *layout, SptProgramJumps *out)
{
	unsigned loop;

	v8_find_place(program, layout, out);
	v8_count_functions(program, layout, out);
	/* Another code at the same address has other data, or is another function. */
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_MIDDLE, R_IDENTITY, 0);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_MIDDLE, R_DATA, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_DATA, ELEMENT(layout->functions));
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_MIDDLE, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_PLACE, R_PLACE, WITH_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_PLACE, R_N, 0);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_PLACE, R_PLACE, WITH_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_FIRST, 0, SPT_V8_INLINED);
	loop = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_N, R_N, -1);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_N, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_PLACE, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_WORD, R_N, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_HELP, R_MIDDLE, 0);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_HELP, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_WITH, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_FIRST, R_CODE, R_HELP);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
}

/*
 * Registers where the tick interrupted the function, which no longer needs what leads to its frame.
 */
enum {
	I_OTHER,
	I_N_FUNCTIONS = SPT_V8_R_END,
	I_TREE_BYTES = SPT_V8_R_SP,
	I_TREE = SPT_V8_R_FP,
	I_POSITION = R_PLACE,
	I_FUNCTIONS = R_DATA,
	I_FUNCTION = R_CODE,
	I_IDENTITY = R_HELP,
	I_NAME = R_FIRST,
	I_SCRIPT = R_N,
};

/* Sets the registers from what the code says of itself. */
static void v8_begin_interrupted(SptProgram *program, const SptV8Layout *layout,
				 SptProgramJumps *out)
{
	/* What leads out of the code has no positions. */
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_DATA, NUMBER(layout->tree + EXITS));
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_WORD, -1);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_WORD, R_PLACE, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LOOKED, R_LOOKED, LOOK_OF_POSITION);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, I_POSITION, R_PLACE, POSITION_AT);
	v8_find_position(program, layout, I_POSITION, R_CODE, R_FIRST, R_N);
	spt_program_add(program, SYSPROF_CHAIN_LD8, I_TREE, R_DATA, ELEMENT(layout->tree));
	spt_program_add(program, SYSPROF_CHAIN_LD4, I_TREE_BYTES, I_TREE, LENGTH_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD4, I_N_FUNCTIONS, R_DATA, NUMBER(N_FUNCTIONS));
	spt_program_add(program, SYSPROF_CHAIN_LD8, I_FUNCTIONS, R_DATA,
			ELEMENT(layout->functions));
}

/*
 * Emits what is in the function at the place at which the tick interrupted it, as functions that
 * are called are: the table of positions has an entry for each instruction that is of another place
 * in the source than the one before.  What is in front of the first one is of the outermost.
 */
static void v8_add_interrupted(SptProgram *program, const SptV8Layout *layout,
			       const SptV8Function *is, SptProgramJumps *out)
{
	static const SptV8Registers registers = { I_FUNCTION, I_IDENTITY, I_NAME,
						  I_SCRIPT,   R_WORD,	  I_OTHER };
	SptProgramJumps known = { .n = 0 }, nameless = { .n = 0 };
	unsigned loop;

	v8_begin_interrupted(program, layout, out);
	loop = v8_find_id(program, R_WORD, I_POSITION);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, INLINED_SHIFT);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, I_TREE_BYTES, R_WORD, 0, out);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_WORD, I_TREE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, I_POSITION, R_WORD,
			ELEMENTS_AT - (1 << INLINED_SHIFT));
	spt_program_add(program, SYSPROF_CHAIN_LD4, I_FUNCTION, R_WORD,
			ELEMENTS_AT + INLINED_FUNCTION_AT - (1 << INLINED_SHIFT));
	spt_program_jump(program, SYSPROF_CHAIN_JLT, I_FUNCTION, I_N_FUNCTIONS, 0, &known);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land_all(program, &known);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, I_FUNCTION, I_FUNCTION, WORD_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, I_FUNCTION, I_FUNCTIONS, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, I_FUNCTION, I_FUNCTION, ELEMENT(0));
	spt_program_add(program, SYSPROF_CHAIN_ADDI, I_FUNCTION, I_FUNCTION, -SPT_V8_TAG);
	spt_v8_add_identity(program, is, &registers, &nameless);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_WORD, 0, -1);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_WORD, I_FUNCTION, I_IDENTITY);
	spt_program_land_all(program, &nameless);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
}

void spt_v8_add_inlined(SptProgram *program, const SptV8Layout *layout, const SptV8Function *is,
			int function_at, uint64_t group)
{
	SptProgramJumps out = { .n = 0 }, interrupted = { .n = 0 };

	v8_find_code(program, layout, function_at, group, &out);
	v8_find_data(program, layout, &out);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_CALLEE, 0, &interrupted);
	v8_add_called(program, layout, &out);
	spt_program_land_all(program, &interrupted);
	v8_add_interrupted(program, layout, is, &out);
	spt_program_land_all(program, &out);
}

/*
 * Registers of the program of names, up to where it has the function: none of those that say where
 * spans are, as it may have to end anywhere, but the source's, which is not read then.
 */
enum {
	N_AT,
	N_BEHIND,
	N_HELP = SPT_V8_R_SP,
	N_VALUE,
	N_WITH = SPT_V8_R_WITH,
	N_WORD = SPT_V8_R_WORD,
	N_CODE = SPT_V8_R_PREFIX,
	N_DEPTH = SPT_V8_R_IDENTITY,
	N_POSITION = SPT_V8_R_POSITION,
	/* In the tree. */
	N_TREE = N_AT,
	N_STEPS = N_BEHIND,
	N_FUNCTION = N_POSITION,
	N_ENTRY = N_VALUE,
	N_EXPECTED = SPT_V8_R_COUNT,
};

/*
 * Sets N_FUNCTION to which function it is: the one that is as many steps outside of the innermost
 * one as the frame is.  N_DEPTH becomes how many there are.
 */
static void v8_walk_tree(SptProgram *program, const SptV8Layout *layout)
{
	SptProgramJumps ends = { .n = 0 }, other = { .n = 0 };
	unsigned loop;

	v8_find_id(program, N_WORD, N_POSITION);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, N_EXPECTED, N_WITH, WITH_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, N_EXPECTED, N_EXPECTED, WITH_MASK);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, N_EXPECTED, N_EXPECTED, -1);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, N_STEPS, N_EXPECTED, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, N_WITH, N_WITH, WITH_MASK);
	spt_program_add(program, SYSPROF_CHAIN_SUB, N_STEPS, N_WITH, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, N_HELP, N_CODE, layout->data);
	spt_program_add(program, SYSPROF_CHAIN_LD8, N_TREE, N_HELP, ELEMENT(layout->tree));
	spt_program_add(program, SYSPROF_CHAIN_MOVI, N_DEPTH, 0, 0);
	loop = spt_program_add(program, SYSPROF_CHAIN_SHLI, N_ENTRY, N_WORD, INLINED_SHIFT);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, N_WORD, 0, &ends);
	spt_program_add(program, SYSPROF_CHAIN_ADD, N_ENTRY, N_TREE, 0);
	spt_program_jump(program, SYSPROF_CHAIN_JNE, N_DEPTH, N_STEPS, 0, &other);
	spt_program_add(program, SYSPROF_CHAIN_LD4, N_FUNCTION, N_ENTRY,
			ELEMENTS_AT + INLINED_FUNCTION_AT - (1 << INLINED_SHIFT));
	spt_program_land_all(program, &other);
	spt_program_add(program, SYSPROF_CHAIN_LD8, N_ENTRY, N_ENTRY,
			ELEMENTS_AT - (1 << INLINED_SHIFT));
	v8_find_id(program, N_WORD, N_ENTRY);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, N_DEPTH, N_DEPTH, 1);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land_all(program, &ends);
}

void spt_v8_find_inlined(SptProgram *program, const SptV8Layout *layout)
{
	SptProgramJumps out = { .n = 0 }, fits = { .n = 0 }, there = { .n = 0 }, known = { .n = 0 };

	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, N_WITH, 0, &out);
	/* What has this and no name is not known, or, with positions, one too many. */
	spt_program_add(program, SYSPROF_CHAIN_ADDI, N_CODE, SPT_V8_R_END, 0);
	/* That of the call, whose return address it is. */
	spt_program_add(program, SYSPROF_CHAIN_SHRI, N_POSITION, N_WITH, 2 * WITH_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, N_POSITION, N_POSITION, -POSITION_AT);
	v8_find_position(program, layout, N_POSITION, N_CODE, N_AT, N_BEHIND);
	v8_walk_tree(program, layout);
	/* V8's own functions are not in the tree. */
	spt_program_add(program, SYSPROF_CHAIN_ADDI, N_WORD, N_EXPECTED, 1);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, N_DEPTH, N_WORD, 0, &fits);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land_all(program, &fits);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, N_STEPS, N_DEPTH, 0, &there);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, SPT_V8_R_POSITIONS, N_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land_all(program, &there);
	spt_program_add(program, SYSPROF_CHAIN_LD4, N_WORD, N_HELP, NUMBER(N_FUNCTIONS));
	spt_program_jump(program, SYSPROF_CHAIN_JLT, N_FUNCTION, N_WORD, 0, &known);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land_all(program, &known);
	spt_program_add(program, SYSPROF_CHAIN_LD8, N_HELP, N_HELP, ELEMENT(layout->functions));
	spt_program_add(program, SYSPROF_CHAIN_SHLI, N_FUNCTION, N_FUNCTION, WORD_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, N_HELP, N_FUNCTION, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, SPT_V8_R_END, N_HELP, ELEMENT(0));
	spt_program_add(program, SYSPROF_CHAIN_ADDI, SPT_V8_R_END, SPT_V8_R_END, -SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, SPT_V8_R_PREFIX, 0, 0);
	spt_program_land_all(program, &out);
}
