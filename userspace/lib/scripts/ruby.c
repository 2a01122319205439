/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ruby (its own virtual machine, without a JIT).  Each thread has an execution context, which a
 * variable of the thread leads to.  It has an array of control frames, those of methods and blocks
 * with an instruction sequence, and those of functions of C.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "scripts/interpreter.h"
#include "scripts/program.h"
#include "scripts/ruby-code.h"
#include "scripts/ruby-names.h"
#include "scripts/script-elf.h"
#include "scripts/script-loop.h"

#define NUMBER 2
#define MAX_FRAMES 200			/* about as many as the fuel of a program allows */
#define LEAST_INSTRUCTIONS 150		/* Ruby has more than 200 */
#define CODE_MAX_BYTES 128

/* In an execution context. */
#define STACK_AT 0
#define STACK_WORDS_AT 8
#define FRAME_AT 16
/* In a control frame. */
#define COUNTER_AT 0
#define SEQUENCE_AT 16
#define ENVIRONMENT_AT 32
#define BODY_AT 16			/* in an instruction sequence */
/* Of what an environment has at its address. */
#define KIND_C 0x55550001
#define KIND_OUTERMOST 0x79990001	/* of no script */
#define IS_LAST 0x20			/* the frame is the last one that its loop executes */
#define NAME_AT 32			/* in a definition */
/* In the table of all names: an array of arrays with an entry of two words for each. */
#define NAMES_AT 16
#define ARRAY_EMBEDDED 0x2000
#define ARRAY_AT 16
#define ARRAY_ELEMENTS_AT 32
#define OPERATORS 170			/* ids below it have no kind in their low bits */
#define ID_KIND_SHIFT 4
#define NAMES_SHIFT 9
#define ENTRY_SHIFT 4

enum {
	R_THREAD,
	R_BIAS,
	R_CONTEXT,
	R_FRAME,
	R_END,
	R_NAMES,
	R_CODE,
	R_POSITION,
	R_IDENTITY,
	R_WORD,
	R_ADDRESS,
	R_ENVIRONMENT,
	R_ENTRY,
	R_NOTHING,			/* always 0 */
};

/*
 * Of one version.  The offsets above and in ruby-code.h are the same in these; all were computed
 * from the headers of Debian's 3.1.2 and 3.3.8 (vm_core.h, method.h, internal/string.h).
 */
struct layout {
	unsigned minor;
	uint16_t frame_bytes;
	SptRubyClass class;
	uint16_t lines, n_lines, positions; /* in the body of an instruction sequence */
};

static const struct layout layouts[] = {
	{ .minor = 1,
	  .frame_bytes = 64,
	  .class = SPT_RUBY_CLASS_OF_TABLE,
	  .lines = 120,
	  .n_lines = 136,
	  .positions = 144 },
	{ .minor = 3,
	  .frame_bytes = 56,
	  .class = SPT_RUBY_CLASS_OF_FIELDS,
	  .lines = 112,
	  .n_lines = 128,
	  .positions = 136 },
};

/* What is computed from the file: addresses. */
struct places {
	uint64_t context;		/* of a module number and an offset, for __tls_get_addr() */
	uint64_t symbols;
};

static bool find_version(const SptObject *file, unsigned *ret_major, unsigned *ret_minor)
{
	SptScriptSymbol symbol;
	char version[16] = "";

	return spt_script_elf_symbol(file, "ruby_version", &symbol) &&
	       spt_script_elf_read(file, symbol.address, version,
				   MIN(symbol.bytes, sizeof(version) - 1)) &&
	       sscanf(version, "%u.%u.", ret_major, ret_minor) == 2;
}

/* Where the code of x86-64 at @code, at @address, has a distance from behind its @bytes. */
static uint64_t ruby_target(const uint8_t *code, uint64_t address, unsigned bytes)
{
	int32_t distance;

	memcpy(&distance, code + bytes - sizeof(distance), sizeof(distance));
	return address + bytes + (uint64_t)(int64_t)distance;
}

/* The address behind the first @n bytes of @what in the code at @address; 0: it is not there. */
static uint64_t ruby_decode(const SptObject *file, uint64_t address, const char *what, unsigned n)
{
	uint8_t code[CODE_MAX_BYTES];

	if (!spt_script_elf_read(file, address, code, sizeof(code)))
		return 0;
	for (unsigned i = 0; i + n + 4 <= sizeof(code); i++)
		if (!memcmp(code + i, what, n))
			return ruby_target(code + i, address + i, n + 4);
	return 0;
}

static bool find_places(const SptObject *file, struct places *ret)
{
	SptScriptSymbol given, name;
	uint64_t find;

	/* data16 lea rel(%rip),%rdi: the variable of the thread that both versions read in it */
	if (!spt_script_elf_symbol(file, "rb_block_given_p", &given) ||
	    !spt_script_elf_symbol(file, "rb_id2str", &name))
		return false;
	ret->context = ruby_decode(file, given.address, "\x66\x48\x8d\x3d", 4);
	/* jmp rel; there, cmp %edi,rel(%rip): the number of names, which the table begins with */
	find = ruby_decode(file, name.address, "\xe9", 1);
	ret->symbols = find ? ruby_decode(file, find, "\x39\x3d", 2) : 0;
	return ret->context && ret->symbols;
}

/* What spt_ruby_read() reads. */
static void add_spans(SptProgram *program, const struct layout *layout)
{
	spt_ruby_add_texts(program);
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { layout->lines, SYSPROF_SPAN_NONE,
						    SYSPROF_SPAN_NONE },
					  .length = layout->n_lines,
					  .length_bytes = 4,
					  .unit = SYSPROF_SPAN_NONE,
					  .unit_bytes = SPT_RUBY_LINE_BYTES,
					  .max = 8184,
					  .from = SPT_RUBY_FROM_BODY });
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { layout->positions, SYSPROF_SPAN_NONE,
						    SYSPROF_SPAN_NONE },
					  .length = 4,
					  .length_bytes = 4,
					  .unit = SYSPROF_SPAN_NONE,
					  .head = SPT_RUBY_POSITIONS_HEAD,
					  .max = 4096,
					  .from = SPT_RUBY_FROM_BODY });
}

/* The execution context, and the table of names. */
static void add_roots(SptProgram *program, const struct places *places)
{
	unsigned jump;

	spt_program_thread_variable(program, R_CONTEXT, R_WORD, R_ADDRESS, places->context);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_CONTEXT, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_FRAME, R_CONTEXT, FRAME_AT);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_FRAME, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_END, R_CONTEXT, STACK_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CONTEXT, STACK_WORDS_AT);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, 3);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_END, R_WORD, 0);

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_BIAS,
			(int64_t)places->symbols + NAMES_AT);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_NAMES, R_WORD, ARRAY_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_ADDRESS, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_ADDRESS, R_ADDRESS, ARRAY_EMBEDDED);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_ADDRESS, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_NAMES, R_WORD, ARRAY_ELEMENTS_AT);
	spt_program_land(program, jump);
}

/* R_CODE is 0: the frame of a function of C, if it is one. */
static void add_frame_of_c(SptProgram *program, const struct layout *layout, unsigned loop)
{
	unsigned other, jump;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_ENVIRONMENT, R_FRAME, ENVIRONMENT_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_ENVIRONMENT, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, SPT_RUBY_KIND_MASK);
	other = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, KIND_C);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_ENVIRONMENT, SPT_RUBY_METHOD_AT);
	spt_program_add(program, SYSPROF_CHAIN_WITH, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_WORD, SPT_RUBY_OWNER_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, SPT_RUBY_DEFINITION_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, NAME_AT);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_CODE, 0, OPERATORS);
	jump = spt_program_add(program, SYSPROF_CHAIN_JLT, R_WORD, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_WORD, R_WORD, ID_KIND_SHIFT);
	spt_program_land(program, jump);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_CODE, R_WORD, NAMES_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_CODE, R_CODE, 3);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CODE, R_NAMES, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, ARRAY_ELEMENTS_AT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, (1 << NAMES_SHIFT) - 1);
	spt_program_add(program, SYSPROF_CHAIN_SHLI, R_WORD, R_WORD, ENTRY_SHIFT);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_CODE, R_WORD, 0);
	/* Its name is where that of an instruction sequence is. */
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CODE, R_CODE, -SPT_RUBY_BODY_LABEL);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_POSITION, 0, -1);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_CODE, R_IDENTITY);
	spt_program_land(program, other);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_FRAME, R_FRAME, layout->frame_bytes);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
}

/*
 * Mixes the owner of the frame's method into the identity: some methods of different classes have
 * the same instructions.  R_ADDRESS: what the environment has.
 */
static void add_owner(SptProgram *program)
{
	unsigned other, found;

	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_ADDRESS, SPT_RUBY_KIND_MASK);
	other = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, SPT_RUBY_KIND_METHOD);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_ENVIRONMENT, SPT_RUBY_METHOD_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD2, R_ENTRY, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_ENTRY, R_ENTRY, SPT_RUBY_ENTRY_MASK);
	found = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_ENTRY, SPT_RUBY_ENTRY_VARIABLES);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, SPT_RUBY_ENTRY_AT);
	spt_program_land(program, found);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD, SPT_RUBY_OWNER_AT);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_land(program, other);
}

static void add_frames(SptProgram *program, const struct layout *layout)
{
	unsigned loop, is_c, empty, last, outermost;

	loop = spt_program_add(program, SYSPROF_CHAIN_JLT, R_FRAME, R_END, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, loop);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_FRAME, SEQUENCE_AT);
	is_c = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_POSITION, R_FRAME, COUNTER_AT);
	/* Blocks that are functions of C. */
	empty = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_POSITION, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_CODE, R_CODE, BODY_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_CODE, SPT_RUBY_BODY_ENCODED);
	spt_program_add(program, SYSPROF_CHAIN_SUB, R_POSITION, R_IDENTITY, 0);
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_POSITION, R_POSITION, 3);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_CODE, SPT_RUBY_BODY_LABEL);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_ENVIRONMENT, R_FRAME, ENVIRONMENT_AT);
	spt_program_add(program, SYSPROF_CHAIN_WITH, 0, R_ENVIRONMENT, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_ADDRESS, R_ENVIRONMENT, 0);
	add_owner(program);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_ADDRESS, IS_LAST);
	last = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_CODE, R_IDENTITY);
	spt_program_land(program, empty);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_FRAME, R_FRAME, layout->frame_bytes);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, last);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_ADDRESS, SPT_RUBY_KIND_MASK);
	outermost = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, KIND_OUTERMOST);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_POSITION, R_CODE, R_IDENTITY);
	spt_program_add(program, SYSPROF_CHAIN_MARK, 0, R_NOTHING, 0);
	spt_program_land(program, outermost);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_FRAME, R_FRAME, layout->frame_bytes);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, is_c);
	add_frame_of_c(program, layout, loop);
}

static GBytes *ruby_describe(const SptObject *file, GError **error)
{
	const struct layout *layout = NULL;
	g_autoptr(SptProgram) program = NULL;
	SptScriptSymbol entry;
	struct places places;
	unsigned major = 0, minor = 0;
	int64_t difference;
	SptRange loop;

	if (!spt_script_elf_symbol(file, "rb_vm_exec", &entry) &&
	    !spt_script_elf_symbol(file, "rb_block_given_p", &entry))
		return NULL;
	if (!spt_script_elf_code(file, entry.address, &difference))
		return NULL;
	if (find_version(file, &major, &minor) && major == 3)
		for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++)
			if (layouts[i].minor == minor)
				layout = &layouts[i];
	if (!layout || !find_places(file, &places) ||
	    !spt_script_loop_find(file, LEAST_INSTRUCTIONS, &loop)) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is Ruby %u.%u, in whose scripts no functions are found: this works with the usual builds of 3.1 and 3.3 as a library",
			spt_object_name(file), major, minor);
		return NULL;
	}
	program = spt_program_new(SPT_TAG(NUMBER, major, minor), MAX_FRAMES, difference);
	spt_program_loop(program, loop.start, loop.start + loop.bytes);
	add_spans(program, layout);
	add_roots(program, &places);
	add_frames(program, layout);
	spt_ruby_add_names(program, layout->class);
	return spt_program_finish(program);
}

const SptInterpreter spt_interpreter_ruby = {
	.name = "Ruby",
	.language = "Ruby",
	.number = NUMBER,
	.file = "ruby",
	.symbol = "rb_block_given_p",
	.command = "ruby",
	.describe = ruby_describe,
	.read = spt_ruby_read,
	.line = spt_ruby_line,
};
