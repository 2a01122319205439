/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * V8, of Node.js: each function of a script has a native frame of its own, be it interpreted or
 * compiled, with the function at a fixed place in it.  Where that and the rest is, the file says
 * itself, in constants that V8 has for debuggers (v8dbg_...).  Names are in the heap, whose objects
 * move: they are looked up when a function is first seen.  Functions that the optimising compiler
 * put into their callers have no frame: v8-inlined.c finds those.
 */
#include <string.h>

#include "base/words.h"
#include "scripts/interpreter.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"
#include "scripts/v8-code.h"
#include "scripts/v8-inlined.h"
#include "unwind/functions.h"

#define NUMBER 5
#define MAX_FRAMES 240			/* more than the fuel of a program allows */
#define CONSTANTS "v8dbg_"
#define CONSTANT_MOST 0xffff
#define BUILTINS "Builtins_"
/* v8::internal::Version::major_ and minor_, of ints. */
#define MAJOR "_ZN2v88internal7Version6major_E"
#define MINOR "_ZN2v88internal7Version6minor_E"
/* v8::IsolateGroup::GetDefault(), which begins with mov group(%rip), %rXX. */
#define GROUP_GETTER "_ZN2v812IsolateGroup10GetDefaultEv"
#define LOAD_0 0x48
#define LOAD_1 0x8b
#define LOAD_2 0x05
#define LOAD_2_MASK 0xc7
#define LOAD_BYTES 7
#define BUILTINS_LEAST (1u << 20)	/* bytes; they have 1.4 million and more */
/* Behind the frame pointer: the caller's, and the return address. */
#define FRAME_END 16
#define WORD 8
#define SMI_AT 4			/* of a small integer of 32 bits, in its word */
/* From a pointer to a map. */
#define TYPE_AT (SPT_V8_TYPE_AT - SPT_V8_TAG)
/* More variables are in a table, whose pointer is instead of their names. */
#define NAMES_INSIDE 75
#define NAME_WORDS 4			/* in how many words of a scope the name may be */
#define POSITIONS_BEHIND 3		      /* words, from the name on */

/* The constants that are used, by the beginnings of their names. */
enum {
	FP_FUNCTION,
	FP_CONTEXT,
	FUNCTION_SHARED,
	SHARED_NAME,
	SHARED_SCRIPT,
	SHARED_SCRIPT_LATER,
	SHARED_LENGTH,
	SHARED_FLAGS,
	SCRIPT_NAME,
	SCRIPT_SOURCE,
	SCOPE_LOCALS,
	SCOPE_FIRST,
	THIN_ACTUAL,
	CONS_FIRST,
	CONS_SECOND,
	SLICED_PARENT,
	SLICED_OFFSET,
	EXTERNAL_DATA,
	CHARS,
	KIND_MASK,
	CONS_KIND,
	EXTERNAL_KIND,
	SLICED_KIND,
	THIN_KIND,
	FIRST_NO_STRING,
	TYPE_SHARED,
	TYPE_SCOPE,
	TYPE_SCRIPT,
	N_CONSTANTS,
};

static const char *const constant_names[N_CONSTANTS] = {
	[FP_FUNCTION] = "off_fp_function",
	[FP_CONTEXT] = "off_fp_context_or_frame_type",
	[FUNCTION_SHARED] = "class_JSFunction__shared__",
	[SHARED_NAME] = "class_SharedFunctionInfo__name_or_scope_info__",
	[SHARED_SCRIPT] = "class_SharedFunctionInfo__script",
	[SHARED_SCRIPT_LATER] = "class_SharedFunctionInfo__raw_script__",
	[SHARED_LENGTH] = "class_SharedFunctionInfo__length__",
	[SHARED_FLAGS] = "class_SharedFunctionInfo__flags__",
	[SCRIPT_NAME] = "class_Script__name__",
	[SCRIPT_SOURCE] = "class_Script__source__",
	[SCOPE_LOCALS] = "scopeinfo_idx_ncontextlocals",
	[SCOPE_FIRST] = "scopeinfo_idx_first_vars",
	[THIN_ACTUAL] = "class_ThinString__actual__",
	[CONS_FIRST] = "class_ConsString__first__",
	[CONS_SECOND] = "class_ConsString__second__",
	[SLICED_PARENT] = "class_SlicedString__parent__",
	[SLICED_OFFSET] = "class_SlicedString__offset__",
	[EXTERNAL_DATA] = "class_ExternalString__resource__",
	[CHARS] = "class_SeqOneByteString__chars__",
	[KIND_MASK] = "StringRepresentationMask",
	[CONS_KIND] = "ConsStringTag",
	[EXTERNAL_KIND] = "ExternalStringTag",
	[SLICED_KIND] = "SlicedStringTag",
	[THIN_KIND] = "ThinStringTag",
	[FIRST_NO_STRING] = "FirstNonstringType",
	[TYPE_SHARED] = "type_SharedFunctionInfo__",
	[TYPE_SCOPE] = "type_ScopeInfo__",
	[TYPE_SCRIPT] = "type_Script__",
};

/* What the symbols of a file say. */
struct constants {
	const SptObject *file;
	int32_t is[N_CONSTANTS];
	bool has[N_CONSTANTS];
	unsigned major, minor;
	SptScriptSymbol builtins;	/* V8's own functions, one after the other */
	uint64_t group;			/* the address of the pointer to V8's default group */
	const SptV8Layout *layout;	/* of optimised code; NULL: not known */
};

enum {
	R_END = SPT_V8_R_END,
	R_SP = SPT_V8_R_SP,
	R_FP = SPT_V8_R_FP,
	R_SLOT = SPT_V8_R_SLOT,
	R_WORD = SPT_V8_R_WORD,
	R_SHARED = SPT_V8_R_SHARED,
	R_IDENTITY = SPT_V8_R_IDENTITY,
	R_POSITION = SPT_V8_R_POSITION,
	R_SCOPE = SPT_V8_R_SCOPE,
	R_NAME = SPT_V8_R_NAME,
	R_NAME_TEXT = SPT_V8_R_NAME_TEXT,
	R_SCRIPT = SPT_V8_R_SCRIPT,
	R_SCRIPT_TEXT = SPT_V8_R_SCRIPT_TEXT,
	R_COUNT = SPT_V8_R_COUNT,
	/* In the program of names. */
	R_POSITIONS = SPT_V8_R_POSITIONS,
	R_PREFIX = SPT_V8_R_PREFIX,
	R_SOURCE = SPT_V8_R_SOURCE,
};

/* A file may be hostile; those of V8 are small. */
static bool v8_read_constant(const SptObject *file, uint64_t address, int32_t *ret)
{
	return spt_script_elf_read(file, address, ret, sizeof(*ret)) &&
	       *ret >= -CONSTANT_MOST && *ret <= CONSTANT_MOST;
}

static void v8_take_constant(struct constants *constants, const char *name, uint64_t address)
{
	for (unsigned i = 0; i < N_CONSTANTS; i++)
		if (!constants->has[i] && g_str_has_prefix(name, constant_names[i]))
			constants->has[i] = v8_read_constant(constants->file, address,
							     &constants->is[i]);
}

static void v8_take_builtin(SptScriptSymbol *all, const SptScriptSymbol *symbol)
{
	uint64_t start = all->bytes ? MIN(all->address, symbol->address) : symbol->address,
		 end = MAX(all->bytes ? all->address + all->bytes : 0,
			   symbol->address + symbol->bytes);

	*all = (SptScriptSymbol){ start, end - start };
}

static void v8_take_version(const struct constants *constants, uint64_t address, unsigned *to)
{
	int32_t number;

	if (spt_script_elf_read(constants->file, address, &number, sizeof(number)) && number >= 0 &&
	    number <= UINT8_MAX)
		*to = (unsigned)number;
}

/* The function begins with a load of the pointer, relative to the next instruction. */
static void v8_take_group(struct constants *constants, uint64_t address)
{
	uint8_t code[LOAD_BYTES];
	int32_t distance;

	if (!spt_script_elf_read(constants->file, address, code, sizeof(code)) ||
	    code[0] != LOAD_0 || code[1] != LOAD_1 || (code[2] & LOAD_2_MASK) != LOAD_2)
		return;
	memcpy(&distance, code + LOAD_BYTES - sizeof(distance), sizeof(distance));
	constants->group = address + LOAD_BYTES + (uint64_t)(int64_t)distance;
}

static void v8_take_symbol(const char *name, const SptScriptSymbol *symbol, void *data)
{
	struct constants *constants = data;

	if (!strncmp(name, CONSTANTS, strlen(CONSTANTS)))
		v8_take_constant(constants, name + strlen(CONSTANTS), symbol->address);
	else if (!strncmp(name, BUILTINS, strlen(BUILTINS)))
		v8_take_builtin(&constants->builtins, symbol);
	else if (!strcmp(name, MAJOR))
		v8_take_version(constants, symbol->address, &constants->major);
	else if (!strcmp(name, MINOR))
		v8_take_version(constants, symbol->address, &constants->minor);
	else if (!strcmp(name, GROUP_GETTER))
		v8_take_group(constants, symbol->address);
}

/* NULL: all that is needed is there; else what is not. */
static const char *v8_find_constants(const SptObject *file, struct constants *ret)
{
	*ret = (struct constants){ .file = file };
	spt_script_elf_each(file, v8_take_symbol, ret);
	/* It has a getter of its own since V8 12. */
	if (ret->has[SHARED_SCRIPT_LATER])
		ret->is[SHARED_SCRIPT] = ret->is[SHARED_SCRIPT_LATER];
	ret->has[SHARED_SCRIPT_LATER] = true;
	for (unsigned i = 0; i < N_CONSTANTS; i++)
		if (!ret->has[i])
			return constant_names[i];
	return NULL;
}

static void v8_add_end(SptProgram *program)
{
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}

/* The program ends if register @word is not @value. */
static void v8_end_unless(SptProgram *program, unsigned word, int64_t value)
{
	unsigned jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, word, value);

	v8_add_end(program);
	spt_program_land(program, jump);
}

/* Sets @to to the pointer at @from + @at, and R_WORD to its tag. */
static void v8_add_pointer(SptProgram *program, unsigned to, unsigned from, int64_t at)
{
	spt_program_add(program, SYSPROF_CHAIN_LD8, to, from, at);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, to, SPT_V8_TAG_MASK);
}

/* Sets @to to the type of the object at @object. */
static void v8_add_type(SptProgram *program, unsigned to, unsigned object)
{
	spt_program_add(program, SYSPROF_CHAIN_LD8, to, object, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD2, to, to, TYPE_AT);
}

static void v8_add_frame(SptProgram *program, const struct constants *constants)
{
	const int32_t *is = constants->is;
	const SptV8Function function = { is[SHARED_LENGTH], is[SHARED_FLAGS], is[SHARED_NAME],
					 is[SHARED_SCRIPT], is[TYPE_SCRIPT],  is[FIRST_NO_STRING] };
	static const SptV8Registers registers = { R_SHARED, R_IDENTITY, R_NAME,
						  R_SCRIPT, R_WORD,	R_COUNT };
	SptProgramJumps nameless = { .n = 0 };
	unsigned jump;

	spt_v8_begin_frame(program);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_FP, R_END, -FRAME_END);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SLOT, R_FP, is[FP_FUNCTION]);
	/* The frame is not made yet, or not any more. */
	jump = spt_program_add(program, SYSPROF_CHAIN_JLT, R_SLOT, R_SP, 0);
	/* Frames of other code have a number there. */
	v8_add_pointer(program, R_SHARED, R_FP, is[FP_CONTEXT]);
	v8_end_unless(program, R_WORD, SPT_V8_TAG);
	v8_add_pointer(program, R_SHARED, R_FP, is[FP_FUNCTION]);
	v8_end_unless(program, R_WORD, SPT_V8_TAG);
	v8_add_pointer(program, R_SHARED, R_SHARED, is[FUNCTION_SHARED] - SPT_V8_TAG);
	v8_end_unless(program, R_WORD, SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SHARED, R_SHARED, -SPT_V8_TAG);
	v8_add_type(program, R_WORD, R_SHARED);
	v8_end_unless(program, R_WORD, is[TYPE_SHARED]);
	spt_v8_add_identity(program, &function, &registers, &nameless);
	if (constants->layout)
		spt_v8_add_inlined(program, constants->layout, &function, is[FP_FUNCTION],
				   constants->group);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_POSITION, 0, -1);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_SHARED, R_IDENTITY);
	spt_program_land_all(program, &nameless);
	spt_program_land(program, jump);
	v8_add_end(program);
}

/*
 * Sets @text to where the characters of the string at @string are.  @string becomes the string
 * whose length and map count.  Of one that is put together of two, these are of the second, and
 * R_PREFIX is the first, if that is a plain one of bytes.
 */
static void v8_add_text(SptProgram *program, const int32_t *is, unsigned string, unsigned text)
{
	unsigned loop, thin, flat, plain, sliced, parent, external, not_cons, two_bytes, odd;
	unsigned done[3];

	loop = spt_program_add(program, SYSPROF_CHAIN_MOVI, text, 0, 0);
	v8_add_type(program, R_SCOPE, string);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_SCOPE, is[KIND_MASK]);
	/* What another string is, or was. */
	thin = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, is[THIN_KIND]);
	spt_program_add(program, SYSPROF_CHAIN_LD8, string, string, is[THIN_ACTUAL]);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, string, string, -SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, thin);
	not_cons = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, is[CONS_KIND]);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, string, is[CONS_SECOND]);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_WORD, SPT_V8_LENGTH_AT - SPT_V8_TAG);
	flat = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PREFIX, string, is[CONS_FIRST]);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_PREFIX, R_PREFIX, -SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_LD8, string, string, is[CONS_SECOND]);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, string, string, -SPT_V8_TAG);
	v8_add_type(program, R_WORD, R_PREFIX);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD,
			is[KIND_MASK] | SPT_V8_IS_ONE_BYTE);
	plain = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, SPT_V8_IS_ONE_BYTE);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_PREFIX, 0, 0);
	spt_program_land(program, plain);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, flat);
	spt_program_add(program, SYSPROF_CHAIN_LD8, string, string, is[CONS_FIRST]);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, string, string, -SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, not_cons);
	external = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, is[EXTERNAL_KIND]);
	spt_program_add(program, SYSPROF_CHAIN_LD8, text, string, is[EXTERNAL_DATA] + WORD);
	done[0] = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_WORD, 0);
	spt_program_land(program, external);
	sliced = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, is[SLICED_KIND]);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_COUNT, string, is[SLICED_OFFSET] + SMI_AT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_SCOPE, R_SCOPE, SPT_V8_IS_ONE_BYTE);
	two_bytes = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_SCOPE, 0);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_COUNT, R_COUNT, 1);
	spt_program_land(program, two_bytes);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, string, is[SLICED_PARENT]);
	parent = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_IDENTITY, R_IDENTITY, -SPT_V8_TAG);
	v8_add_type(program, R_WORD, R_IDENTITY);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, is[KIND_MASK]);
	/* It was one of its own once. */
	thin = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, is[THIN_KIND]);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_IDENTITY, is[THIN_ACTUAL]);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, parent);
	spt_program_land(program, thin);
	odd = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, is[EXTERNAL_KIND]);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, text, R_IDENTITY, is[CHARS]);
	spt_program_add(program, SYSPROF_CHAIN_ADD, text, R_COUNT, 0);
	done[1] = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_WORD, 0);
	spt_program_land(program, odd);
	spt_program_add(program, SYSPROF_CHAIN_LD8, text, R_IDENTITY, is[EXTERNAL_DATA] + WORD);
	spt_program_add(program, SYSPROF_CHAIN_ADD, text, R_COUNT, 0);
	done[2] = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_WORD, 0);
	spt_program_land(program, sliced);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, text, string, is[CHARS]);
	for (unsigned i = 0; i < 3; i++)
		spt_program_land(program, done[i]);
}

/* The name of a function that has been compiled: R_SCOPE describes its variables. */
static void v8_add_scope_name(SptProgram *program, const int32_t *is)
{
	int positions = is[SCOPE_FIRST] - is[SCOPE_LOCALS] - 1;
	unsigned inside, next, no_pointer, no_string, empty, over, found;

	spt_program_add(program, SYSPROF_CHAIN_LD4, R_COUNT, R_SCOPE,
			WORD + WORD * is[SCOPE_LOCALS] + SMI_AT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SLOT, R_SCOPE,
			WORD + WORD * is[SCOPE_FIRST]);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_IDENTITY, R_COUNT, 3);
	/* What is known of each variable, and their names. */
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_SLOT, R_IDENTITY, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_WORD, 0, NAMES_INSIDE);
	inside = spt_program_add(program, SYSPROF_CHAIN_JLT, R_COUNT, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_IDENTITY, 0, WORD);
	spt_program_land(program, inside);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_SLOT, R_IDENTITY, 0);
	/* Before them since V8 13. */
	if (positions >= 2)
		spt_program_add(program, SYSPROF_CHAIN_ADDI, R_POSITIONS, R_SCOPE,
				WORD + WORD * (is[SCOPE_LOCALS] + 1));
	else
		spt_program_add(program, SYSPROF_CHAIN_ADDI, R_POSITIONS, R_SLOT,
				WORD * POSITIONS_BEHIND);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_COUNT, 0, NAME_WORDS);
	next = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_COUNT, R_COUNT, -1);
	v8_add_pointer(program, R_NAME, R_SLOT, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SLOT, R_SLOT, WORD);
	no_pointer = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_NAME, R_NAME, -SPT_V8_TAG);
	v8_add_type(program, R_WORD, R_NAME);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_IDENTITY, 0, is[FIRST_NO_STRING]);
	no_string = spt_program_add(program, SYSPROF_CHAIN_JLT, R_WORD, R_IDENTITY, 0);
	over = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_WORD, 0);
	spt_program_land(program, no_string);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_NAME, SPT_V8_LENGTH_AT);
	empty = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_land(program, no_pointer);
	spt_program_land(program, over);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_NAME, 0, 0);
	found = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_COUNT, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, next);
	spt_program_land(program, empty);
	spt_program_land(program, found);
}

/* Whether its text has two bytes a character shows in the text, or it is skipped. */
static void v8_add_script_text(SptProgram *program)
{
	unsigned one_byte, is_shown;

	v8_add_type(program, R_WORD, R_SCRIPT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, SPT_V8_IS_ONE_BYTE);
	one_byte = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_SCRIPT_TEXT, 1);
	is_shown = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_SCRIPT_TEXT, 0, 0);
	spt_program_land(program, one_byte);
	spt_program_land(program, is_shown);
}

static void v8_add_names(SptProgram *program, const struct constants *constants)
{
	const int32_t *is = constants->is;
	unsigned no_name, no_scope, no_text, no_script;

	spt_program_begin_names(program);
	if (constants->layout)
		spt_v8_find_inlined(program, constants->layout);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_SOURCE, 0, 0);
	v8_add_pointer(program, R_SCRIPT, R_END, is[SHARED_SCRIPT]);
	no_script = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SCRIPT, R_SCRIPT, -SPT_V8_TAG);
	v8_add_type(program, R_SLOT, R_SCRIPT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_SOURCE, R_SCRIPT, is[SCRIPT_SOURCE]);
	v8_add_pointer(program, R_SCRIPT, R_SCRIPT, is[SCRIPT_NAME]);
	spt_program_land(program, no_script);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SCRIPT, R_SCRIPT, -SPT_V8_TAG);
	/* Functions of V8 itself have no script, and some scripts no name. */
	no_name = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_SLOT, is[TYPE_SCRIPT]);
	no_scope = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, SPT_V8_TAG);
	v8_add_type(program, R_WORD, R_SCRIPT);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_COUNT, 0, is[FIRST_NO_STRING]);
	no_text = spt_program_add(program, SYSPROF_CHAIN_JLT, R_WORD, R_COUNT, 0);
	spt_program_land(program, no_name);
	spt_program_land(program, no_scope);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_SCRIPT, 0, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_SOURCE, 0, 0);
	no_name = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_WORD, 0);
	spt_program_land(program, no_text);
	v8_add_text(program, is, R_SCRIPT, R_SCRIPT_TEXT);
	v8_add_script_text(program);
	spt_program_land(program, no_name);
	/* What a script's name begins with does not count. */
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_PREFIX, 0, 0);
	v8_add_pointer(program, R_SCOPE, R_END, is[SHARED_NAME]);
	v8_end_unless(program, R_WORD, SPT_V8_TAG);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SCOPE, R_SCOPE, -SPT_V8_TAG);
	v8_add_type(program, R_WORD, R_SCOPE);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_NAME, R_SCOPE, 0);
	no_scope = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, is[TYPE_SCOPE]);
	v8_add_scope_name(program, is);
	spt_program_land(program, no_scope);
	no_name = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_NAME, 0);
	v8_add_text(program, is, R_NAME, R_NAME_TEXT);
	spt_program_land(program, no_name);
	v8_add_end(program);
}

static void v8_add_span(SptProgram *program, unsigned from, bool follow, unsigned bytes)
{
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { follow ? 0 : SYSPROF_SPAN_NONE,
						    SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
					  .length = SYSPROF_SPAN_NONE,
					  .length_bytes = 8,
					  .unit = SYSPROF_SPAN_NONE,
					  .max = (uint16_t)bytes,
					  .from = (uint8_t)(SYSPROF_SPAN_REGISTER + from) });
}

/* What spt_v8_read() reads. */
static void v8_add_spans(SptProgram *program)
{
	v8_add_span(program, R_POSITIONS, false, SPT_V8_HEADER_BYTES);
	v8_add_span(program, R_NAME, false, SPT_V8_HEADER_BYTES);
	v8_add_span(program, R_NAME_TEXT, false, SPT_V8_TEXT_BYTES);
	v8_add_span(program, R_NAME, true, SPT_V8_HEADER_BYTES);
	v8_add_span(program, R_SCRIPT, false, SPT_V8_HEADER_BYTES);
	v8_add_span(program, R_SCRIPT_TEXT, false, SPT_V8_TEXT_BYTES);
	v8_add_span(program, R_PREFIX, false, SPT_V8_PREFIX_BYTES);
	v8_add_span(program, R_SOURCE, false, SPT_V8_HEADER_BYTES);
}

/* Distributions leave their names out.  It is code without unwind information. */
static bool v8_find_builtins(const SptObject *file, SptScriptSymbol *ret)
{
	g_autoptr(SptFunctions) functions = spt_functions_new();
	SptRange gap;

	if (!spt_functions_gap(functions, file, BUILTINS_LEAST, &gap) ||
	    !spt_object_offset_to_address(file, gap.start, &ret->address))
		return false;
	ret->bytes = gap.bytes;
	return true;
}

static GBytes *v8_describe(const SptObject *file, GError **error)
{
	g_autoptr(SptProgram) program = NULL;
	struct constants constants;
	SptScriptSymbol *builtins = &constants.builtins;
	int64_t difference;
	const char *missing = v8_find_constants(file, &constants);

	if (!constants.has[FP_FUNCTION])
		return NULL;
	if (!missing && !builtins->bytes && !v8_find_builtins(file, builtins))
		missing = BUILTINS;
	if (missing) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is a V8 in whose scripts no functions are found, as its file does not have the symbol %s...: this works with Node.js 18 to 24 as nodejs.org and Debian build it",
			spt_object_name(file), missing);
		return NULL;
	}
	if (!spt_script_elf_code(file, builtins->address, &difference))
		return NULL;
	constants.layout = spt_v8_layout(constants.major, constants.minor);
	if (constants.layout && spt_v8_needs_group(constants.layout) && !constants.group)
		constants.layout = NULL;
	program = spt_program_new(SPT_TAG(NUMBER, constants.major, constants.minor), MAX_FRAMES,
				  difference);
	spt_program_of_frames(program);
	spt_program_loop(program, builtins->address - (uint64_t)difference,
			 builtins->address - (uint64_t)difference + builtins->bytes);
	v8_add_spans(program);
	v8_add_frame(program, &constants);
	v8_add_names(program, &constants);
	return spt_program_finish(program);
}

const SptInterpreter spt_interpreter_v8 = {
	.name = "V8",
	.language = "JavaScript",
	.number = NUMBER,
	.file = "node",
	.symbol = "v8dbg_off_fp_function",
	.command = "node",
	.has_additions = true,
	.describe = v8_describe,
	.read = spt_v8_read,
	.line = spt_v8_line,
};
