/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perl (with threads, as distributions build it).  A pthread key leads to the interpreter of the
 * thread.  It has stacks of contexts, one below the other: what is executed, and where that was
 * entered.  The line that a sub is at is that of the context within it, or of the interpreter.
 */
#include <string.h>

#include "base/words.h"
#include "scripts/interpreter.h"
#include "scripts/perl-code.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"

#define NUMBER 3
#define MAX_FRAMES 200			/* about as many as the fuel of a program allows */

/*
 * Offsets, computed from the headers of Debian's 5.32.1, 5.36.0, 5.40.1 and 5.42.3 (intrpvar.h,
 * cop.h, cv.h, gv.h, hv.h), where they are the same.
 */
/* In a stack. */
#define CONTEXTS_AT 8
#define OUTER_AT 16
#define LAST_AT 32
#define KIND_AT 44
#define KIND_MAIN 1
/* In a context, and how large that is: 2^6 + 2^5 + 2^3. */
#define CONTEXT_BYTES 104
#define CONTEXT_KIND_MASK 0x8f		/* with what a sub has that is no call of it */
#define EVAL_KIND_MASK 0xf
#define CONTEXT_NONE 0
#define CONTEXT_SUB 9
#define CONTEXT_FORMAT 10
#define CONTEXT_EVAL 11
#define CALLER_AT 16			/* the statement that entered it */
#define RETURN_AT 48
#define SUB_AT 72
#define EVALUATED_AT 88			/* code of an eval that is no block */
/* In a statement. */
#define LINE_AT 36
#define FILE_AT 48
/* In a glob: its body, and there its name and package. */
#define GLOB_NAME 32
#define GLOB_PACKAGE 40
#define PACKAGE_NAME 32			/* in the body of a package */
/* Before 5.36: in a package, in its body, and behind its array. */
#define PACKAGE_ARRAY 16
#define PACKAGE_LAST 24
#define PACKAGE_N_NAMES 28

#define NAME_MAX_BYTES 264
#define FILE_MAX_BYTES 256

enum {
	R_THREAD,
	R_BIAS,
	R_STACK,
	R_CONTEXT,
	R_FIRST,
	R_PLACE,
	R_CODE,
	R_LINE,
	R_IDENTITY,
	R_WORD,
	R_PENDING,			/* whether C may have called the sub before */
	R_COMPILER,			/* the place while a file is compiled */
	R_NOTHING,			/* always 0 */
	R_PACKAGE,
	/* For names. */
	R_EMITTED = 2,
};

/*
 * Of one version: where an interpreter has the statement that it executes, its stack, and the
 * statement of its compiler.
 */
static const struct layout {
	unsigned minor;
	uint16_t place, stack, compiler;
	bool is_behind;			/* what a package has is behind its array */
} layouts[] = {
	{ .minor = 32, .place = 224, .stack = 240, .compiler = 1952, .is_behind = true },
	{ .minor = 36, .place = 208, .stack = 224, .compiler = 1936 },
	{ .minor = 40, .place = 208, .stack = 224, .compiler = 1720 },
	{ .minor = 42, .place = 208, .stack = 224, .compiler = 1720 },
};

static void perl_span(SptProgram *program, unsigned from, uint16_t a, uint16_t b, uint16_t c,
		      bool is_name)
{
	spt_program_span(program,
			 &(struct sysprof_chain_span){
				 .path = { a, b, c },
				 .length = is_name ? SPT_PERL_NAME_LENGTH : SYSPROF_SPAN_NONE,
				 .length_in = is_name ? (uint8_t)((a != SYSPROF_SPAN_NONE) +
								  (b != SYSPROF_SPAN_NONE) +
								  (c != SYSPROF_SPAN_NONE)) :
							0,
				 .length_bytes = 4,
				 .unit = SYSPROF_SPAN_NONE,
				 .head = is_name ? SPT_PERL_NAME_HEAD : 0,
				 .max = is_name ? NAME_MAX_BYTES : 0,
				 .from = (uint8_t)from });
}

/* That of the sub's glob, or of its own name: the same, as the program of names has found it. */
static void perl_package_span(SptProgram *program, const struct layout *layout, unsigned from,
			      uint16_t at)
{
	enum { NONE = SYSPROF_SPAN_NONE };

	if (layout->is_behind)
		perl_span(program, SYSPROF_SPAN_REGISTER + R_PACKAGE, NONE, NONE, NONE, true);
	else
		perl_span(program, from, at, 0, PACKAGE_NAME, true);
}

/* What spt_perl_read() reads. */
static void add_spans(SptProgram *program, const struct layout *layout)
{
	enum { NONE = SYSPROF_SPAN_NONE };

	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { NONE, NONE, NONE },
					  .length = NONE,
					  .length_bytes = 8,
					  .unit = NONE,
					  .max = SPT_PERL_BODY_BYTES });
	perl_span(program, 0, SPT_PERL_BODY_NAME, 0, NONE, false);
	perl_span(program, 1 + SPT_PERL_GLOB, GLOB_NAME, NONE, NONE, true);
	perl_package_span(program, layout, 1 + SPT_PERL_GLOB, GLOB_PACKAGE);
	perl_span(program, 0, SPT_PERL_BODY_NAME, NONE, NONE, true);
	perl_package_span(program, layout, 0, SPT_PERL_BODY_STASH);
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { SPT_PERL_BODY_FILE, NONE, NONE },
					  .length = NONE,
					  .length_bytes = 8,
					  .unit = NONE,
					  .max = FILE_MAX_BYTES });
}

/* The last context of the stack. */
static void add_top(SptProgram *program)
{
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_FIRST, R_STACK, CONTEXTS_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD4S, R_WORD, R_STACK, LAST_AT);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_CONTEXT, R_WORD, 6);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, 3);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CONTEXT, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, 2);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CONTEXT, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CONTEXT, R_FIRST, 0);
}

/* Code that is in no sub: by the statement, with its file where a sub has that. */
static void add_place(SptProgram *program)
{
	unsigned none = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_PLACE, 0);

	spt_program_add(program, SYSPROF_CHAIN_LD4, R_LINE, R_PLACE, LINE_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_PLACE, FILE_AT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CODE, R_PLACE,
			FILE_AT - SPT_PERL_BODY_FILE);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_LINE, R_CODE, R_IDENTITY);
	spt_program_land(program, none);
}

/* Afterwards the next context within the stack. */
static void add_next(SptProgram *program, unsigned loop)
{
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CONTEXT, R_CONTEXT, -CONTEXT_BYTES);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
}

static void add_sub(SptProgram *program, unsigned loop)
{
	unsigned none, inner;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CONTEXT, SUB_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_CODE, SPT_PERL_BODY_NAME);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CODE, SPT_PERL_BODY_START);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_LINE, 0, -1);
	none = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_PLACE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_LINE, R_PLACE, LINE_AT);
	spt_program_land(program, none);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_LINE, R_CODE, R_IDENTITY);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PLACE, R_CONTEXT, CALLER_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CONTEXT, RETURN_AT);
	inner = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_PENDING, 0, 1);
	spt_program_land(program, inner);
	add_next(program, loop);
}

/* An eval of text, or a file that is required; an eval of a block is a part of its sub. */
static void add_eval(SptProgram *program, unsigned loop)
{
	unsigned block;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CONTEXT, EVALUATED_AT);
	block = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	add_place(program);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PLACE, R_CONTEXT, CALLER_AT);
	spt_program_land(program, block);
	add_next(program, loop);
}

/*
 * The sub before was called by C, unless R_WORD is the kind of the context that sort makes for a
 * block: what that calls last returns to nothing, either.
 */
static void add_pending(SptProgram *program)
{
	unsigned none = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_PENDING, 0), block;

	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_PENDING, 0, 0);
	block = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, CONTEXT_NONE);
	spt_program_add(program, SYSPROF_CHAIN_MARK, 0, R_NOTHING, 0);
	spt_program_land(program, block);
	spt_program_land(program, none);
}

static void add_contexts(SptProgram *program)
{
	unsigned loop, is_sub, is_format, is_eval, end, main, main_too;

	add_top(program);
	loop = end = spt_program_add(program, SYSPROF_CHAIN_JLT, R_CONTEXT, R_FIRST, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_CONTEXT, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, CONTEXT_KIND_MASK);
	add_pending(program);
	is_sub = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, CONTEXT_SUB);
	is_format = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, CONTEXT_FORMAT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, EVAL_KIND_MASK);
	is_eval = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, CONTEXT_EVAL);
	add_next(program, loop);
	spt_program_land(program, is_sub);
	spt_program_land(program, is_format);
	add_sub(program, loop);
	spt_program_land(program, is_eval);
	add_eval(program, loop);

	spt_program_land(program, end);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_STACK, KIND_AT);
	main = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, KIND_MAIN);
	/* C made the stack, with a loop; the block that sort calls has no frame there. */
	spt_program_add(program, SYSPROF_CHAIN_MARK, 0, R_NOTHING, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_PENDING, 0, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_STACK, R_STACK, OUTER_AT);
	main_too = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_STACK, 0);
	add_top(program);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, main);
	spt_program_land(program, main_too);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_WORD, 0, -1);
	add_pending(program);
	add_place(program);
	/* While the program itself is compiled no loop executes it. */
	main = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_PLACE, R_COMPILER, 0);
	spt_program_add(program, SYSPROF_CHAIN_MARK, 0, R_NOTHING, 0);
	spt_program_land(program, main);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}

static void perl_instructions(SptProgram *program, const struct layout *layout, uint64_t key)
{
	unsigned jump;

	spt_program_thread_key(program, R_WORD, R_CODE, R_LINE, key);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_STACK, R_WORD, layout->stack);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_STACK, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PLACE, R_WORD, layout->place);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_COMPILER, R_WORD, layout->compiler);
	add_contexts(program);
}

/* The name of the package of the sub R_EMITTED; code that is in no sub has none. */
static void perl_add_package(SptProgram *program)
{
	unsigned named, one;

	spt_program_begin_names(program);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_EMITTED, SPT_PERL_BODY_FLAGS);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, SPT_PERL_IS_NAMED);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_EMITTED, SPT_PERL_BODY_STASH);
	named = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_EMITTED, SPT_PERL_BODY_NAME);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, GLOB_PACKAGE);
	spt_program_land(program, named);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, PACKAGE_LAST);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_WORD, 1);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, 3);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, PACKAGE_ARRAY);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CODE, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_LINE, R_CODE, 0);
	/* One name, or a list of what it is called. */
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_CODE, PACKAGE_N_NAMES);
	one = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_LINE, R_LINE, 0);
	spt_program_land(program, one);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_PACKAGE, R_LINE, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}

static uint8_t perl_number(const SptObject *file, const char *name)
{
	SptScriptSymbol symbol;
	uint8_t number = 0;

	if (spt_script_elf_symbol(file, name, &symbol))
		spt_script_elf_read(file, symbol.address, &number, sizeof(number));
	return number;
}

static GBytes *perl_describe(const SptObject *file, GError **error)
{
	g_autoptr(SptProgram) program = NULL;
	SptScriptSymbol loop, key;
	uint8_t major, minor;
	const struct layout *layout = NULL;
	int64_t difference;

	if (!spt_script_elf_symbol(file, "Perl_runops_standard", &loop) ||
	    !spt_script_elf_code(file, loop.address, &difference))
		return NULL;
	major = perl_number(file, "PL_revision");
	minor = perl_number(file, "PL_version");
	for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++)
		if (major == 5 && minor == layouts[i].minor)
			layout = &layouts[i];
	if (!layout || !spt_script_elf_symbol(file, "PL_thr_key", &key)) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is Perl %u.%u, in whose scripts no functions are found: this works with builds of 5.32, 5.36, 5.40 and 5.42 that have threads",
			spt_object_name(file), major, minor);
		return NULL;
	}
	program = spt_program_new(SPT_TAG(NUMBER, major, minor), MAX_FRAMES, difference);
	spt_program_loop(program, loop.address - (uint64_t)difference,
			 loop.address - (uint64_t)difference + loop.bytes);
	add_spans(program, layout);
	perl_instructions(program, layout, key.address);
	if (layout->is_behind)
		perl_add_package(program);
	return spt_program_finish(program);
}

const SptInterpreter spt_interpreter_perl = {
	.name = "Perl",
	.language = "Perl",
	.number = NUMBER,
	.file = "perl",
	.symbol = "Perl_runops_standard",
	.command = "perl",
	.describe = perl_describe,
	.read = spt_perl_read,
	.line = spt_perl_line,
};
