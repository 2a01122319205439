/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPython.  Each thread has a thread state, which leads to the list of its frames. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "scripts/cpython-code.h"
#include "scripts/cpython-root.h"
#include "scripts/interpreter.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"

#define NUMBER 1
#define MAX_FRAMES 480			/* as many as the fuel of a program allows */

enum {
	R_THREAD,
	R_BIAS,
	R_STATE,
	R_FRAME,
	R_WORD,
};

/* Of one minor version. */
struct layout {
	unsigned minor;
	uint16_t cframe;		/* in a thread state; 0: there is none */
	uint16_t frame;			/* in that, or in the thread state */
	uint16_t cframe_previous;
	struct sysprof_chain_list list;
	uint16_t file_name, name, lines;
	/* Of strings that are not ASCII */
	uint16_t string_head;
};

static const struct layout layouts[] = {
	{
		.minor = 9,
		.frame = 24,
		.list = {
			.code = 32, .next = 24, .position = 104, .position_bytes = 4,
			.identity = { 120, 112, 40 },
			.flag_kind = SYSPROF_CHAIN_FLAG_EACH,
		},
		.file_name = 104, .name = 112, .lines = 120, .string_head = 72,
	},
	{
		.minor = 10,
		.frame = 24,
		.list = {
			.code = 32, .next = 24, .position = 96, .position_bytes = 4,
			.identity = { 120, 112, 40 },
			.flag_kind = SYSPROF_CHAIN_FLAG_EACH,
		},
		.file_name = 104, .name = 112, .lines = 120, .string_head = 72,
	},
	{
		.minor = 11,
		.cframe = 56, .frame = 8,
		.list = {
			.code = 32, .next = 48, .position = 56, .position_bytes = 8,
			.position_of_code = 1, .position_shift = 1, .position_base = 184,
			.identity = { 136, 120, 72 },
			.flag = 68, .flag_value = 1, .mark_next = 16,
			.flag_kind = SYSPROF_CHAIN_FLAG_LAST,
		},
		.file_name = 112, .name = 128, .lines = 136, .string_head = 72,
	},
	{
		.minor = 12,
		.cframe = 56,
		.list = {
			.code = 0, .next = 8, .position = 56, .position_bytes = 8,
			.position_of_code = 1, .position_shift = 1, .position_base = 192,
			.identity = { 136, 120, 88 },
			.flag = 70, .flag_value = 3,
			.flag_kind = SYSPROF_CHAIN_FLAG_ALONE,
		},
		.file_name = 112, .name = 128, .lines = 136, .string_head = 56,
	},
	{
		.minor = 13,
		.frame = 72,
		.list = {
			.code = 0, .next = 8, .position = 56, .position_bytes = 8,
			.position_of_code = 1, .position_shift = 1, .position_base = 200,
			.identity = { 136, 120, 88 },
			.flag = 70, .flag_value = 3,
			.flag_kind = SYSPROF_CHAIN_FLAG_ALONE,
		},
		.file_name = 112, .name = 128, .lines = 136, .string_head = 56,
	},
	/* Pointers to code have tags in their low bits; by _Py_DebugOffsets of Debian's builds. */
	{
		.minor = 14,
		.frame = 72,
		.list = {
			.code = 0, .next = 8, .position = 56, .position_bytes = 8, .code_bits = 2,
			.position_of_code = 1, .position_shift = 1, .position_base = 208,
			.identity = { 136, 120, 88 },
			.flag = 74, .flag_value = 3,
			.flag_kind = SYSPROF_CHAIN_FLAG_ALONE,
		},
		.file_name = 112, .name = 128, .lines = 136, .string_head = 56,
	},
	{
		.minor = 15,
		.frame = 72,
		.list = {
			.code = 0, .next = 8, .position = 56, .position_bytes = 8, .code_bits = 2,
			.position_of_code = 1, .position_shift = 1, .position_base = 208,
			.identity = { 136, 120, 88 },
			.flag = 74, .flag_value = 3,
			.flag_kind = SYSPROF_CHAIN_FLAG_ALONE,
		},
		.file_name = 112, .name = 128, .lines = 136, .string_head = 56,
	},
};

/* Only since 3.11 the file says itself which version it has. */
static bool find_version(const SptObject *file, unsigned *ret_major, unsigned *ret_minor)
{
	const char *at = strstr(spt_object_name(file), "python");
	SptScriptSymbol symbol;
	uint32_t version;

	if (spt_script_elf_symbol(file, "Py_Version", &symbol)) {
		if (!spt_script_elf_read(file, symbol.address, &version, sizeof(version)))
			return false;
		*ret_major = version >> 24;
		*ret_minor = version >> 16 & 0xff;
		return true;
	}
	while (at) {
		if (sscanf(at, "python%u.%u", ret_major, ret_minor) == 2)
			return true;
		at = strstr(at + 1, "python");
	}
	return false;
}

static void cpython_add_string(SptProgram *program, const struct layout *layout, uint16_t at)
{
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { at, SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
					  .length = 16,
					  .length_in = 1,
					  .length_bytes = 8,
					  .unit = 32,
					  .unit_shift = 2,
					  .head = layout->string_head,
					  .max = SPT_CPYTHON_STRING_MAX_BYTES });
}

/* What spt_cpython_read() reads. */
static void add_spans(SptProgram *program, const struct layout *layout)
{
	spt_program_code_span(program, SPT_CPYTHON_CODE_BYTES);
	cpython_add_string(program, layout, layout->name);
	cpython_add_string(program, layout, layout->file_name);
	spt_program_span(
		program,
		&(struct sysprof_chain_span){
			.path = { layout->lines, SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
			.length = 16,
			.length_in = 1,
			.length_bytes = 8,
			.unit = SYSPROF_SPAN_NONE,
			.head = 32,
			.max = SPT_CPYTHON_LINES_MAX_BYTES });
}

static void add_instructions(SptProgram *program, const struct layout *layout,
			     const SptCpythonRoot *root)
{
	unsigned list = spt_program_list(program, &layout->list), jump;

	if (root->key)
		spt_program_thread_key(program, R_STATE, R_WORD, R_FRAME, root->key);
	else
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_STATE, R_THREAD, root->variable);
	jump = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_STATE, 0);
	/* A thread that runs no Python. */
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
	if (layout->cframe)
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_STATE, R_STATE, layout->cframe);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_FRAME, R_STATE, layout->frame);
	spt_program_add(program, SYSPROF_CHAIN_LIST, R_FRAME, R_STATE, list);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}

static void add_loop(SptProgram *program, const SptObject *file, const char *name,
		     int64_t difference)
{
	SptScriptSymbol symbol;

	if (spt_script_elf_symbol(file, name, &symbol))
		spt_program_loop(program, symbol.address - (uint64_t)difference,
				 symbol.address - (uint64_t)difference + symbol.bytes);
}

static GBytes *cpython_describe(const SptObject *file, GError **error)
{
	const struct layout *layout = NULL;
	g_autoptr(SptProgram) program = NULL;
	SptScriptSymbol loop, threadless;
	unsigned major = 0, minor = 0;
	int64_t difference;
	SptCpythonRoot root;

	if (!spt_script_elf_symbol(file, "_PyEval_EvalFrameDefault", &loop) ||
	    !spt_script_elf_code(file, loop.address, &difference))
		return NULL;
	if (find_version(file, &major, &minor) && major == 3)
		for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++)
			if (layouts[i].minor == minor)
				layout = &layouts[i];
	/* A build without the global lock has other objects. */
	if (!layout || spt_script_elf_symbol(file, "_Py_MergeZeroLocalRefcount", &threadless) ||
	    !spt_cpython_find_root(file, &root)) {
		spt_set_error(
			error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			"%s is Python %u.%u, in whose scripts no functions are found: this works with the usual builds of 3.9 to 3.15",
			spt_object_name(file), major, minor);
		return NULL;
	}
	program = spt_program_new(SPT_TAG(NUMBER, major, minor), MAX_FRAMES, difference);
	add_loop(program, file, "_PyEval_EvalFrameDefault", difference);
	add_loop(program, file, "_PyEval_EvalFrameDefault.cold", difference);
	add_spans(program, layout);
	add_instructions(program, layout, &root);
	return spt_program_finish(program);
}

const SptInterpreter spt_interpreter_cpython = {
	.name = "CPython",
	.language = "Python",
	.number = NUMBER,
	.file = "python",
	.symbol = "_PyEval_EvalFrameDefault",
	.command = "python3",
	.describe = cpython_describe,
	.read = spt_cpython_read,
	.line = spt_cpython_line,
};
