/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of Lua has no name: its caller has one for it, a global or local variable or a field.
 * Lua itself looks in the caller's instructions for what has put the function into the
 * register that is called, and so does this program, where that is plain.
 */
#include "scripts/lua-names.h"

#include "scripts/lua-code.h"

#define KIND_SHORT_STRING 4
#define TEXT_MAX 40			/* characters */
#define SOURCE_MAX 512
#define PROTOTYPE_MASK (~(int64_t)7)
/* In a prototype: arrays whose entries have this size, and begin with a pointer. */
#define CONSTANTS 56
#define UPVALUES 80
#define N_LOCALS 36
#define LOCALS 104
#define ENTRY_SHIFT 4
#define LOCAL_BEGIN 8
#define LOCAL_END 12
/* How many instructions before a call are looked at, and how many more for ways around those. */
#define LOOK_BACK 48
#define LOOK_AROUND 16

/* An instruction has an operation and operands. */
#define OPERATION_MASK 0x7f
#define A_SHIFT 7
#define B_SHIFT 16
#define C_SHIFT 24
#define OPERAND_MASK 0xff
#define IS_CONSTANT (1 << 15)
#define DISTANCE_SHIFT 7		/* of a jump */
#define DISTANCE_BIAS ((1 << 24) - 1)
enum {
	OP_MOVE = 0,
	OP_LFALSESKIP = 6,
	OP_GETUPVAL = 9,
	OP_SETUPVAL = 10,
	OP_GETTABUP = 11,
	OP_GETFIELD = 14,
	OP_SETTABUP = 15,		/* this one and the next three set no register */
	OP_NEWTABLE = 19,
	OP_SELF = 20,
	OP_MMBIN = 46,			/* nor do these */
	OP_UNM = 49,
	OP_CLOSE = 54,			/* from there on they jump, or may: forwards in arguments */
	OP_JMP = 56,
	OP_TESTSET = 67,
	OP_CALL = 68,
};

/* Registers; that of the caller and its instruction are set. */
enum {
	R_LINES,
	R_MARKS,
	R_EMITTED,
	R_CALLER,
	R_AT,
	R_INSTRUCTION,
	R_LONG,
	R_WORD,
	R_PROTOTYPE,
	R_SHORT,
	R_TARGET,
	R_TAIL,
	R_OPERATION,
	R_NAME,
	R_LEFT,
	R_OTHER,
	/* For some time. */
	R_CODE = R_EMITTED,
	R_CALL_AT = R_TAIL,
};

static void lua_add_span(SptProgram *program, unsigned from, unsigned path, unsigned length,
			 unsigned unit, unsigned max)
{
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { (uint16_t)path, SYSPROF_SPAN_NONE,
						    SYSPROF_SPAN_NONE },
					  .length = (uint16_t)length,
					  .length_bytes = 4,
					  .unit = SYSPROF_SPAN_NONE,
					  .unit_bytes = (uint8_t)unit,
					  .max = (uint16_t)max,
					  .from = (uint8_t)(SYSPROF_SPAN_REGISTER + from) });
}

/* Of a fixed size. */
static void lua_add_bytes(SptProgram *program, unsigned from, unsigned bytes)
{
	lua_add_span(program, from, SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE, 0, bytes);
}

void spt_lua_add_spans(SptProgram *program, SptLuaForm form)
{
	lua_add_bytes(program, R_PROTOTYPE, SPT_LUA_PROTOTYPE_BYTES);
	lua_add_span(program, R_LINES, SPT_LUA_LINES, SPT_LUA_N_LINES, 1, 8192);
	lua_add_span(program, R_MARKS, SPT_LUA_MARKS, SPT_LUA_N_MARKS, 8, 1024);
	spt_program_span(
		program,
		&(struct sysprof_chain_span){
			.path = { form == SPT_LUA_5_5 ? SPT_LUA_TEXT : SYSPROF_SPAN_NONE,
				  SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
			.length = SPT_LUA_LONG_LENGTH,
			.length_bytes = 8,
			.unit = SYSPROF_SPAN_NONE,
			.head = form == SPT_LUA_5_5 ? 0 : SPT_LUA_TEXT,
			.max = SOURCE_MAX,
			.from = SYSPROF_SPAN_REGISTER + R_LONG });
	lua_add_bytes(program, R_SHORT, SPT_LUA_TEXT + TEXT_MAX);
	lua_add_bytes(program, R_TAIL, 8);
	lua_add_bytes(program, R_NAME, SPT_LUA_TEXT + TEXT_MAX);
}

/* @to becomes the prototype if the number at @at is not 0. */
static void lua_add_if_any(SptProgram *program, unsigned to, int64_t at)
{
	unsigned jump;

	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_PROTOTYPE, at);
	jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, to, R_PROTOTYPE, 0);
	spt_program_land(program, jump);
}

/* What is known of a function by itself. */
static void lua_add_prototype(SptProgram *program)
{
	unsigned jump, is_short;

	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_EMITTED, SPT_LUA_IS_TAIL);
	jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_TAIL, R_EMITTED, -SPT_LUA_IS_TAIL);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_PROTOTYPE, R_EMITTED, PROTOTYPE_MASK);
	lua_add_if_any(program, R_LINES, SPT_LUA_N_LINES);
	lua_add_if_any(program, R_MARKS, SPT_LUA_N_MARKS);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_SHORT, R_PROTOTYPE, SPT_LUA_SOURCE);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_SHORT, SPT_LUA_KIND);
	is_short = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, KIND_SHORT_STRING);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LONG, R_SHORT, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_SHORT, 0, 0);
	spt_program_land(program, is_short);
}

/* R_INSTRUCTION and R_OPERATION are those at @at. */
static void lua_add_fetch(SptProgram *program, unsigned at)
{
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, at, SPT_LUA_INSTRUCTION_BITS);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_WORD, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_INSTRUCTION, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_OPERATION, R_INSTRUCTION, OPERATION_MASK);
}

static void lua_add_operand(SptProgram *program, unsigned to, unsigned shift)
{
	spt_program_add(program, SYSPROF_CHAIN_SHRI, to, R_INSTRUCTION, shift);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, to, to, OPERAND_MASK);
}

/* Jumps if the operation is from @first on and before @end. */
static void lua_jump_if_in(SptProgram *program, SptProgramJumps *jumps, unsigned first,
			   unsigned end)
{
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_OPERATION, -(int64_t)first);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_NAME, 0, end - first);
	spt_program_jump(program, SYSPROF_CHAIN_JLT, R_WORD, R_NAME, 0, jumps);
}

/*
 * Finds the instruction, before the call at R_AT, that has set the register that is called.  What
 * jumps in between is of its arguments, and leads to them or to the call.
 */
static void lua_add_search(SptProgram *program, SptProgramJumps *none)
{
	SptProgramJumps unsure = { 0 }, reads = { 0 };
	unsigned back, no_jump, is_later, no_call, is_it;

	lua_add_operand(program, R_TARGET, A_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_LEFT, 0, LOOK_BACK);
	back = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LEFT, R_LEFT, -1);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_LEFT, 0, none);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_AT, 0, none);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_AT, R_AT, -1);
	lua_add_fetch(program, R_AT);
	lua_add_operand(program, R_OTHER, A_SHIFT);
	/* Two of those that jump set a register, in one of two ways. */
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_OPERATION, OP_LFALSESKIP, &unsure);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_OPERATION, OP_TESTSET, &unsure);
	lua_jump_if_in(program, &reads, OP_CLOSE, OP_TESTSET);
	no_jump = spt_program_add(program, SYSPROF_CHAIN_JEQ, 0, 0, 0);
	spt_program_land_all(program, &unsure);
	spt_program_jump(program, SYSPROF_CHAIN_JEQ, R_OTHER, R_TARGET, 0, none);
	spt_program_land_all(program, &reads);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, no_jump);
	/* A call sets its register and those behind it. */
	no_call = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_OPERATION, OP_CALL);
	is_later = spt_program_add(program, SYSPROF_CHAIN_JLT, R_TARGET, R_OTHER, 0);
	spt_program_jump(program, SYSPROF_CHAIN_JEQ, 0, 0, 0, none);
	spt_program_land(program, is_later);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, no_call);
	is_it = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_OTHER, R_TARGET, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, is_it);
	/* Those that only read it, or mean something else. */
	is_it = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_OPERATION, OP_SETUPVAL);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, is_it);
	reads.n = 0;
	lua_jump_if_in(program, &reads, OP_SETTABUP, OP_NEWTABLE);
	lua_jump_if_in(program, &reads, OP_MMBIN, OP_UNM);
	is_it = spt_program_add(program, SYSPROF_CHAIN_JEQ, 0, 0, 0);
	spt_program_land_all(program, &reads);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, is_it);
}

/* "a or b" sets a register in two ways: a jump leads behind the instruction at R_AT. */
static void lua_add_around(SptProgram *program, SptProgramJumps *none)
{
	SptProgramJumps done = { 0 };
	unsigned back, is_jump, is_before, is_behind;

	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_OTHER, R_AT, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_LEFT, 0, LOOK_AROUND);
	back = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LEFT, R_LEFT, -1);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_LEFT, 0, &done);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_OTHER, 0, &done);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_OTHER, R_OTHER, -1);
	lua_add_fetch(program, R_OTHER);
	is_jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_OPERATION, OP_JMP);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, is_jump);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_WORD, R_INSTRUCTION, DISTANCE_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_WORD, 1 - DISTANCE_BIAS);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_WORD, R_OTHER, 0);
	is_behind = spt_program_add(program, SYSPROF_CHAIN_JLT, R_AT, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land(program, is_behind);
	is_before = spt_program_add(program, SYSPROF_CHAIN_JLT, R_CALL_AT, R_WORD, 0);
	spt_program_jump(program, SYSPROF_CHAIN_JEQ, 0, 0, 0, none);
	spt_program_land(program, is_before);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, back);
	spt_program_land_all(program, &done);
	lua_add_fetch(program, R_AT);
}

/* Sets R_NAME to the pointer in entry R_WORD of the caller's array at @array. */
static void lua_add_entry(SptProgram *program, SptProgramJumps *done, int64_t array)
{
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, ENTRY_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_NAME, R_CALLER, array);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_NAME, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_NAME, R_NAME, 0);
	spt_program_jump(program, SYSPROF_CHAIN_JEQ, 0, 0, 0, done);
}

/* R_NAME becomes that of the local variable that register R_TARGET was at R_AT. */
static void lua_add_local(SptProgram *program, SptProgramJumps *none)
{
	unsigned loop, is_over, is_later, is_it;

	spt_program_add(program, SYSPROF_CHAIN_LD4, R_LEFT, R_CALLER, N_LOCALS);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OTHER, R_CALLER, LOCALS);
	loop = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LEFT, R_LEFT, -1);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_LEFT, -1, none);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_OTHER, LOCAL_BEGIN);
	is_later = spt_program_add(program, SYSPROF_CHAIN_JLT, R_AT, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_OTHER, LOCAL_END);
	is_over = spt_program_add(program, SYSPROF_CHAIN_JLT, R_AT, R_WORD, 0);
	spt_program_land(program, is_later);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_OTHER, R_OTHER, 1 << ENTRY_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, is_over);
	is_it = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_TARGET, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_TARGET, R_TARGET, -1);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_OTHER, R_OTHER, 1 << ENTRY_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, is_it);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_NAME, R_OTHER, 0);
}

/* R_NAME becomes what the instruction takes, if that has a name. */
static void lua_add_source(SptProgram *program, SptProgramJumps *none, SptLuaForm form)
{
	SptProgramJumps done = { 0 };
	unsigned field, global, method, upvalue;

	field = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_OPERATION, OP_GETFIELD);
	global = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_OPERATION, OP_GETTABUP);
	method = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_OPERATION, OP_SELF);
	if (form == SPT_LUA_5_4) {
		spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_INSTRUCTION, IS_CONSTANT);
		spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0, none);
	}
	spt_program_land(program, field);
	spt_program_land(program, global);
	lua_add_operand(program, R_WORD, C_SHIFT);
	lua_add_entry(program, &done, CONSTANTS);
	spt_program_land(program, method);
	upvalue = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_OPERATION, OP_GETUPVAL);
	lua_add_operand(program, R_WORD, B_SHIFT);
	lua_add_entry(program, &done, UPVALUES);
	spt_program_land(program, upvalue);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_OPERATION, OP_MOVE, none);
	lua_add_operand(program, R_TARGET, B_SHIFT);
	lua_add_local(program, none);
	spt_program_land_all(program, &done);
}

void spt_lua_add_names(SptProgram *program, SptLuaForm form)
{
	SptProgramJumps none = { 0 };
	unsigned no_text, is_short;

	spt_program_begin_names(program);
	lua_add_prototype(program);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_EMITTED, SPT_LUA_IS_CALLED);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0, &none);
	spt_program_jump(program, SYSPROF_CHAIN_JEQI, 0, R_CALLER, 0, &none);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_CALLER, R_CALLER, PROTOTYPE_MASK);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CALLER, SPT_LUA_CODE);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_AT, R_AT, -1);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CALL_AT, R_AT, 0);
	lua_add_fetch(program, R_AT);
	spt_program_jump(program, SYSPROF_CHAIN_JNEI, 0, R_OPERATION, OP_CALL, &none);
	lua_add_search(program, &none);
	lua_add_around(program, &none);
	lua_add_source(program, &none, form);
	no_text = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_NAME, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_NAME, SPT_LUA_KIND);
	is_short = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, KIND_SHORT_STRING);
	spt_program_land(program, no_text);
	spt_program_land_all(program, &none);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_NAME, 0, 0);
	spt_program_land(program, is_short);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_TAIL, 0, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}
