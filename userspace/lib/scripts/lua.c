/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lua 5.4 and 5.5.  No variable of a thread or of the process leads to what Lua executes: only the
 * function that does, luaV_execute(), has it.  It keeps a call's record, its argument, in a
 * register that the functions it calls save.  Which one says the code: what such a function most
 * often stores into a call's record is the place of the next instruction.  So each of its native
 * frames leads to the functions of scripts that it executes: those of a coroutine, too, of one
 * state or of many, in any thread.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "scripts/interpreter.h"
#include "scripts/lua-code.h"
#include "scripts/lua-names.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"
#include "scripts/script-loop.h"

#define NUMBER 7
#define MAX_FRAMES 190			/* about as many as the fuel of a program allows */
#define LEAST_INSTRUCTIONS 70		/* Lua 5.4 has 83, 5.5 85 */
#define LOOP_MAX_BYTES (256u << 10)
#define CODE_MAX_BYTES (16u << 20)
#define IDENT_MAX_BYTES 256
/* Least number of stores of the place of the next instruction: there are 30 and more. */
#define STORES_LEAST 8
#define SITES_MAX 4
/* How far before a call its record may be marked. */
#define MARK_BEFORE 48

/* In a call's record. */
#define CALL_FUNCTION 0
#define CALL_PREVIOUS 16
#define CALL_NEXT 24
#define CALL_PLACE 32
/* In a value of the stack; in a closure; in a prototype. */
#define VALUE_KIND 8
#define VALUE_CLOSURE 0x46
#define KIND_CLOSURE 6
#define KIND_PROTOTYPE 10
#define CLOSURE_PROTOTYPE 24
#define PROTOTYPE_N 24
/* What is emitted is the prototype with one of these. */
#define IS_TAIL SPT_LUA_IS_TAIL
#define IS_CALLED SPT_LUA_IS_CALLED

enum {
	R_THREAD,
	R_BIAS,
	R_END,				/* of the frame; for names: the code */
	R_SP,
	R_CALL,
	R_PLACE,
	R_IS_ALL,
	R_WORD,
	R_PROTOTYPE,
	R_CODE,
	R_IDENTITY,
	R_POSITION,
	R_STATUS,
};

/* Of one version: from lstate.h and lobject.h of Lua's sources. */
static const struct layout {
	unsigned minor, first, last;	/* releases; 5.4.0 and 5.4.1 mark calls in another way */
	/* In a call's record: whether it is the first one in a native frame, and a tail call */
	enum sysprof_chain_op load;
	uint8_t status;
	int32_t fresh, tail;
	uint8_t marks[2];		/* operations that make it the first one */
	SptLuaForm form;
} layouts[] = {
	{ 4, 2, 9, SYSPROF_CHAIN_LD2, 62, 1 << 2, 1 << 5, { 0x89, 0xc7 }, SPT_LUA_5_4 },
	{ 5, 0, 1, SYSPROF_CHAIN_LD4, 60, 1 << 16, 1 << 22, { 0x81, 0x81 }, SPT_LUA_5_5 },
};

/* What the code of a build says. */
struct build {
	const struct layout *layout;
	uint64_t loop;			/* luaV_execute(), by its address in the file */
	uint64_t bytes;
	unsigned call, place;		/* registers */
	/* Calls of it that go on with what a coroutine did before: all calls of it are executed */
	uint64_t site[SITES_MAX];
	unsigned n_sites;
};

#ifndef __aarch64__
/* x86-64 has callee-saved registers with these numbers, which are others in DWARF. */
#define IS_SAVED(number) ((number) == 3 || (number) == 5 || (number) >= 12)
static const uint8_t dwarf_numbers[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

/* Whether @code stores a register of 8 bytes into a call's record as the place. */
static bool lua_is_store(const uint8_t *code, unsigned *ret_value, unsigned *ret_record)
{
	bool has_index = (code[2] & 7) == 4;

	/* mov %value,CALL_PLACE(%record) */
	if ((code[0] & 0xfa) != 0x48 || code[1] != 0x89 || code[2] >> 6 != 1 ||
	    code[has_index ? 4 : 3] != CALL_PLACE || (has_index && code[3] != 0x24))
		return false;
	*ret_value = (code[2] >> 3 & 7) | (code[0] & 4) << 1;
	*ret_record = (code[2] & 7) | (code[0] & 1) << 3;
	return IS_SAVED(*ret_value) && IS_SAVED(*ret_record);
}

/* Sets the registers; false: they are kept elsewhere. */
static bool lua_find_registers(const uint8_t *code, size_t bytes, struct build *build)
{
	unsigned n[16][16] = { 0 }, most = 0, value, record;

	for (size_t i = 0; i + 5 <= bytes; i++) {
		if (!lua_is_store(code + i, &value, &record) || ++n[value][record] <= most)
			continue;
		most = n[value][record];
		build->place = dwarf_numbers[value];
		build->call = dwarf_numbers[record];
	}
	return most >= STORES_LEAST;
}

/* Whether the call behind @bytes of @code was marked as the first one in its native frame. */
static bool lua_is_fresh(const struct layout *layout, const uint8_t *code, size_t bytes)
{
	bool is_short = layout->load == SYSPROF_CHAIN_LD2;

	for (size_t i = bytes > MARK_BEFORE ? bytes - MARK_BEFORE : 0; i + 4 <= bytes; i++) {
		const uint8_t *at = code + i + is_short;

		/* mov of 2 bytes, or or of 4, to the status in a record */
		at += (at[0] & 0xf0) == 0x40;
		if ((!is_short || code[i] == 0x66) &&
		    (at[0] == layout->marks[0] || at[0] == layout->marks[1]) &&
		    at[1] >> 6 == 1 && at[2] == layout->status)
			return true;
	}
	return false;
}

/* Finds calls of the loop in @code, which begins at @start.  False: they are not as expected. */
static bool lua_find_sites(const uint8_t *code, size_t bytes, uint64_t start, struct build *build)
{
	int32_t distance;

	for (size_t i = 0; i + 5 <= bytes; i++) {
		if (code[i] != 0xe8)
			continue;
		memcpy(&distance, code + i + 1, sizeof(distance));
		if (start + i + 5 + (uint64_t)distance != build->loop ||
		    lua_is_fresh(build->layout, code, i))
			continue;
		if (build->n_sites == SITES_MAX)
			return false;
		build->site[build->n_sites++] = start + i + 5;
	}
	return build->n_sites > 0;
}
#else
static bool lua_find_registers(const uint8_t *code, size_t bytes, struct build *build)
{
	(void)code;
	(void)bytes;
	(void)build;
	return false;
}

static bool lua_find_sites(const uint8_t *code, size_t bytes, uint64_t start, struct build *build)
{
	(void)code;
	(void)bytes;
	(void)start;
	(void)build;
	return false;
}
#endif

static bool lua_find_build(const SptObject *file, const struct layout *layout,
			   int64_t difference, struct build *ret)
{
	g_autofree uint8_t *code = NULL;
	uint64_t start, bytes;
	SptRange loop;

	*ret = (struct build){ .layout = layout };
	if (!spt_script_loop_find(file, LEAST_INSTRUCTIONS, &loop) || loop.bytes > LOOP_MAX_BYTES)
		return false;
	ret->loop = loop.start + (uint64_t)difference;
	ret->bytes = loop.bytes;
	if (!spt_script_elf_segment(file, ret->loop, &start, &bytes) || bytes > CODE_MAX_BYTES ||
	    loop.bytes > start + bytes - ret->loop)
		return false;
	code = g_malloc(bytes);
	return spt_script_elf_read(file, start, code, bytes) &&
	       lua_find_registers(code + (ret->loop - start), loop.bytes, ret) &&
	       lua_find_sites(code, bytes, start, ret);
}

/* The version that @symbol, a text, says; false: it says none. */
static bool lua_version(const SptObject *file, const SptScriptSymbol *symbol, unsigned *major,
			unsigned *minor, unsigned *release)
{
	char text[IDENT_MAX_BYTES + 1] = "";
	const char *version;

	if (!spt_script_elf_read(file, symbol->address, text, MIN(symbol->bytes, IDENT_MAX_BYTES)))
		return false;
	version = strstr(text, "Lua ");
	return version && sscanf(version, "Lua %3u.%3u.%3u", major, minor, release) >= 2;
}

/* The program goes on only if the @bytes at register @from + @at are @value. */
static void lua_need(SptProgram *program, enum sysprof_chain_op load, unsigned from, int64_t at,
		     int64_t value)
{
	unsigned jump;

	spt_program_add(program, load, R_STATUS, from, at);
	jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_STATUS, value);
	/* It is somewhere: the register is used for something else now. */
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 1);
	spt_program_land(program, jump);
}

/* R_CALL is a call of a function of Lua, and R_PROTOTYPE, R_CODE and R_POSITION what it does. */
static void lua_add_first(SptProgram *program, const struct build *build)
{
	unsigned jump, found[SITES_MAX];

	spt_program_add(program, SYSPROF_CHAIN_REG, R_CALL, 0, build->call);
	spt_program_add(program, SYSPROF_CHAIN_REG, R_PLACE, 0, build->place);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CALL, CALL_PREVIOUS);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, CALL_NEXT);
	jump = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_CALL, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 1);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CALL, CALL_FUNCTION);
	lua_need(program, SYSPROF_CHAIN_LD1, R_WORD, VALUE_KIND, VALUE_CLOSURE);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, 0);
	lua_need(program, SYSPROF_CHAIN_LD1, R_WORD, SPT_LUA_KIND, KIND_CLOSURE);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PROTOTYPE, R_WORD, CLOSURE_PROTOTYPE);
	lua_need(program, SYSPROF_CHAIN_LD1, R_PROTOTYPE, SPT_LUA_KIND, KIND_PROTOTYPE);
	/* All calls of a coroutine that was left and is resumed. */
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_END, -8);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_WORD, R_BIAS, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_IS_ALL, 0, 1);
	for (unsigned i = 0; i < build->n_sites; i++)
		found[i] = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD,
					   (int64_t)build->site[i]);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_IS_ALL, 0, 0);
	for (unsigned i = 0; i < build->n_sites; i++)
		spt_program_land(program, found[i]);
	/* The place in the register is newer than the one in the record, if it is one. */
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_PROTOTYPE, SPT_LUA_CODE);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_PROTOTYPE, PROTOTYPE_N);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, SPT_LUA_INSTRUCTION_BITS);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_WORD, 1);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_POSITION, R_PLACE, 0);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_POSITION, R_CODE, 0);
	jump = spt_program_add(program, SYSPROF_CHAIN_JLT, R_POSITION, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_POSITION, R_CALL, CALL_PLACE);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_POSITION, R_CODE, 0);
	spt_program_land(program, jump);
}

/*
 * The first call in a native frame, or a tail call.  Goes on at @outwards if the native frame
 * executes more calls.
 */
static void lua_add_special(SptProgram *program, const struct layout *layout, unsigned outwards)
{
	unsigned no_tail, is_last, all;

	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_PROTOTYPE, R_IDENTITY);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_STATUS, layout->tail);
	no_tail = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_POSITION, 0, -1);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_PROTOTYPE, R_PROTOTYPE, IS_TAIL);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_PROTOTYPE, R_IDENTITY);
	spt_program_land(program, no_tail);
	all = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_IS_ALL, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_STATUS, layout->fresh);
	is_last = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_land(program, all);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, outwards);
	spt_program_land(program, is_last);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}

/* From there on outwards. */
static void lua_add_calls(SptProgram *program, const struct layout *layout)
{
	unsigned loop, outwards, jump, special;

	/* What is stored is the place of the next instruction. */
	loop = spt_program_add(program, SYSPROF_CHAIN_SHRI, R_POSITION, R_POSITION,
			       SPT_LUA_INSTRUCTION_BITS);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_PROTOTYPE, SPT_LUA_FIRST_LINE);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_PROTOTYPE, SPT_LUA_SOURCE);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_add(program, layout->load, R_STATUS, R_CALL, layout->status);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_STATUS,
			layout->fresh | layout->tail);
	special = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	/* A function of Lua that has a name for it. */
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_PROTOTYPE, R_PROTOTYPE, IS_CALLED);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_PROTOTYPE, R_IDENTITY);
	outwards = spt_program_add(program, SYSPROF_CHAIN_LD8, R_CALL, R_CALL, CALL_PREVIOUS);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_CALL, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CALL, CALL_FUNCTION);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_STATUS, R_WORD, VALUE_KIND);
	jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_STATUS, VALUE_CLOSURE);
	/* A function of C, or the outermost record, which is no call. */
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, outwards);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PROTOTYPE, R_WORD, CLOSURE_PROTOTYPE);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_PROTOTYPE, SPT_LUA_CODE);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_POSITION, R_CALL, CALL_PLACE);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_POSITION, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, special);
	lua_add_special(program, layout, outwards);
}

/* NULL: it is not known. */
static const struct layout *lua_layout(unsigned major, unsigned minor, unsigned release)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++)
		if (major == 5 && minor == layouts[i].minor && release >= layouts[i].first &&
		    release <= layouts[i].last)
			return &layouts[i];
	return NULL;
}

static GBytes *lua_describe(const SptObject *file, GError **error)
{
	unsigned major = 0, minor = 0, release = 0;
	g_autoptr(SptProgram) program = NULL;
	SptScriptSymbol symbol, entry;
	int64_t difference;
	const struct layout *layout;
	struct build build;

	if (!spt_script_elf_symbol(file, "lua_newstate", &entry) ||
	    !spt_script_elf_code(file, entry.address, &difference))
		return NULL;
	if (spt_script_elf_symbol(file, "luaJIT_setmode", &symbol)) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is LuaJIT, in whose scripts no functions are found: this works with Lua 5.4 and 5.5",
			spt_object_name(file));
		return NULL;
	}
	if (!spt_script_elf_symbol(file, "lua_ident", &symbol) ||
	    !lua_version(file, &symbol, &major, &minor, &release))
		return NULL;
	layout = lua_layout(major, minor, release);
	if (!layout || !lua_find_build(file, layout, difference, &build)) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is Lua %u.%u.%u, in whose scripts no functions are found: this works with the usual builds of 5.4.2 to 5.4.9, 5.5.0 and 5.5.1 for x86-64",
			spt_object_name(file), major, minor, release);
		return NULL;
	}
	program = spt_program_new(SPT_TAG(NUMBER, major, minor), MAX_FRAMES, difference);
	spt_program_of_frames(program);
	spt_program_loop(program, build.loop - (uint64_t)difference,
			 build.loop - (uint64_t)difference + build.bytes);
	spt_lua_add_spans(program, layout->form);
	lua_add_first(program, &build);
	lua_add_calls(program, layout);
	spt_lua_add_names(program, layout->form);
	return spt_program_finish(program);
}

const SptInterpreter spt_interpreter_lua = {
	.name = "Lua",
	.language = "Lua",
	.number = NUMBER,
	.file = "lua",
	.symbol = "lua_newstate",
	.command = "lua5.4",
	.describe = lua_describe,
	.read = spt_lua_read,
	.line = spt_lua_line,
};
