/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PHP (without threads and without its JIT): the command, FPM, CGI and the library.  Its globals
 * lead to the list of calls, each with its function and the instruction that it is at.
 */
#include <gelf.h>

#include "base/words.h"
#include "scripts/interpreter.h"
#include "scripts/php-code.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"

#define NUMBER 4
#define MAX_FRAMES 260			/* about as many as the fuel of a program allows */
#define DATA_MAX_BYTES (64u << 20)

/*
 * Offsets, computed from the headers of Debian's 8.2 and 8.4 (zend_globals.h, zend_compile.h,
 * zend_types.h), where they are the same.
 */
#define CALL_AT 488			/* in the globals */
/* In a call. */
#define INSTRUCTION_AT 0
#define FUNCTION_AT 24
#define FLAGS_AT 40
#define IS_LAST 0x20000			/* the call is the last one that its loop executes */
#define OBJECT_AT 32
#define CALLER_AT 48
/* In a generator: its call, the one that it delegates to and those that delegate to it. */
#define GENERATOR_CALL 56
#define GENERATOR_INNER 152
#define GENERATOR_N_OUTER 160
#define GENERATOR_OUTER 168
#define GENERATOR_PLACE 184		/* what its caller is the caller of while it delegates */
#define LINE_AT 24			/* in an instruction */
/* What the description of an extension begins with: its size, and the number of the interface. */
#define EXTENSION_BYTES 168
#define OLDEST_INTERFACE 20151012
#define NEWEST_INTERFACE 20991231

enum {
	R_THREAD,
	R_BIAS,
	R_CALL,
	R_CODE,
	R_LINE,
	R_IDENTITY,
	R_WORD,
	R_NOTHING,			/* always 0 */
	R_PLACE,			/* of the outermost of generators that delegate */
	R_OUTERMOST,			/* 0: there are none */
	R_GENERATOR,
};

static const struct layout {
	unsigned interface, minor;
	uint16_t instructions, file;	/* in a function */
} layouts[] = {
	{ .interface = 20220829, .minor = 2, .instructions = 88, .file = 152 },
	{ .interface = 20240924, .minor = 4, .instructions = 104, .file = 168 },
};

/* The number of the interface that the extensions in the file are made for; 0: there are none. */
static unsigned php_interface(const SptObject *file)
{
	Elf *elf = spt_object_elf(file);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) &&
						 header.sh_type == SHT_PROGBITS &&
						 header.sh_flags & SHF_WRITE ?
					 spt_object_section(file, section, ELF_T_XWORD,
							    DATA_MAX_BYTES) :
					 NULL;
		const uint64_t *words = data ? data->d_buf : NULL;

		for (size_t i = 0; words && i < data->d_size / sizeof(*words); i++)
			if ((uint32_t)words[i] == EXTENSION_BYTES &&
			    words[i] >> 32 >= OLDEST_INTERFACE &&
			    words[i] >> 32 <= NEWEST_INTERFACE)
				return (unsigned)(words[i] >> 32);
	}
	return 0;
}

static void add_string(SptProgram *program, uint16_t at, uint16_t then, uint16_t max)
{
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { at, then, SYSPROF_SPAN_NONE },
					  .length = SPT_PHP_STRING_LENGTH,
					  .length_in = then == SYSPROF_SPAN_NONE ? 1 : 2,
					  .length_bytes = 8,
					  .unit = SYSPROF_SPAN_NONE,
					  .head = SPT_PHP_STRING_TEXT,
					  .max = max });
}

/* What spt_php_read() reads. */
static void add_spans(SptProgram *program, const struct layout *layout)
{
	spt_program_code_span(program, SPT_PHP_FUNCTION_BYTES);
	add_string(program, SPT_PHP_FUNCTION_NAME, SYSPROF_SPAN_NONE, 280);
	add_string(program, SPT_PHP_FUNCTION_CLASS, SPT_PHP_CLASS_NAME, 280);
	add_string(program, layout->file, SYSPROF_SPAN_NONE, 536);
}

static void add_next(SptProgram *program, unsigned loop)
{
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CALL, R_CALL, CALLER_AT);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
}

/*
 * A call without a function may be the place of generators that delegate (yield from).  Only the
 * innermost one executes anything; from there on each leads to the one that waits for it.  The jump
 * @waits comes from such a one.
 */
static void add_generators(SptProgram *program, unsigned loop, unsigned waits)
{
	unsigned none, inner, innermost, outermost, many, begin;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OUTERMOST, R_CALL, OBJECT_AT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_OUTERMOST, GENERATOR_PLACE);
	begin = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_CALL, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_OUTERMOST, 0, 0);
	add_next(program, loop);
	spt_program_land(program, begin);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_PLACE, R_CALL, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_WORD, R_OUTERMOST, 0);
	inner = spt_program_add(program, SYSPROF_CHAIN_ADDI, R_GENERATOR, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_GENERATOR, GENERATOR_INNER);
	innermost = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, inner);
	spt_program_land(program, innermost);
	spt_program_land(program, waits);
	outermost = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_GENERATOR, R_OUTERMOST, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_GENERATOR, GENERATOR_N_OUTER);
	/* Several wait for it: only a table says who. */
	many = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 1);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_GENERATOR, R_GENERATOR, GENERATOR_OUTER);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CALL, R_GENERATOR, GENERATOR_CALL);
	none = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_CALL, 0);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, outermost);
	spt_program_land(program, many);
	spt_program_land(program, none);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_OUTERMOST, 0, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CALL, R_PLACE, 0);
	add_next(program, loop);
}

static void add_calls(SptProgram *program, const struct layout *layout, uint64_t globals)
{
	unsigned loop, empty, internal, nameless, known, inner, waits;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CALL, R_BIAS, (int64_t)globals + CALL_AT);
	loop = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_CALL, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, loop);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CALL, FUNCTION_AT);
	empty = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_CODE, SPT_PHP_FUNCTION_NAME);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_CODE, 0);
	internal = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, SPT_PHP_INTERNAL);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CODE, layout->instructions);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_LINE, R_CALL, INSTRUCTION_AT);
	/* Not begun: the address is 0, and that is its line. */
	known = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_LINE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_LINE, R_LINE, LINE_AT);
	spt_program_land(program, known);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_LINE, R_CODE, R_IDENTITY);
	waits = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_OUTERMOST, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_CALL, FLAGS_AT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, IS_LAST);
	inner = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MARK, 0, R_NOTHING, 0);
	spt_program_land(program, inner);
	add_next(program, loop);
	spt_program_land(program, empty);
	add_generators(program, loop, waits);
	spt_program_land(program, internal);
	/* The beginning of a fiber. */
	nameless = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_IDENTITY, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_LINE, 0, -1);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_LINE, R_CODE, R_IDENTITY);
	spt_program_land(program, nameless);
	add_next(program, loop);
}

static GBytes *php_describe(const SptObject *file, GError **error)
{
	const struct layout *layout = NULL;
	g_autoptr(SptProgram) program = NULL;
	SptScriptSymbol loop, globals;
	int64_t difference;
	unsigned interface;

	if (!spt_script_elf_symbol(file, "execute_ex", &loop) ||
	    !spt_script_elf_code(file, loop.address, &difference))
		return NULL;
	interface = php_interface(file);
	for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++)
		if (layouts[i].interface == interface)
			layout = &layouts[i];
	if (!layout || !spt_script_elf_symbol(file, "executor_globals", &globals)) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is PHP with extensions of %u, in whose scripts no functions are found: this works with builds of 8.2 (20220829) and 8.4 (20240924) without threads",
			spt_object_name(file), interface);
		return NULL;
	}
	program = spt_program_new(SPT_TAG(NUMBER, 8, layout->minor), MAX_FRAMES, difference);
	spt_program_loop(program, loop.address - (uint64_t)difference,
			 loop.address - (uint64_t)difference + loop.bytes);
	add_spans(program, layout);
	add_calls(program, layout, globals.address);
	return spt_program_finish(program);
}

const SptInterpreter spt_interpreter_php = {
	.name = "PHP",
	.language = "PHP",
	.number = NUMBER,
	.file = "php",
	.symbol = "execute_ex",
	.command = "php",
	.describe = php_describe,
	.read = spt_php_read,
	.line = spt_php_line,
};
