/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HotSpot, of OpenJDK: hotspot-frames.c has where its frames are.  The names of a method are
 * symbols in the pool of its class, its lines are behind its bytecodes.
 */
#include <gelf.h>

#include "base/words.h"
#include "scripts/hotspot-code.h"
#include "scripts/hotspot-frames.h"
#include "scripts/interpreter.h"
#include "scripts/script-elf.h"

#define NUMBER 6
#define MAX_FRAMES 400

/* In the program of names. */
enum {
	R_T,
	R_METHOD = 2,
	R_CODE,
	R_POOL,
	R_NAME,
	R_CLASS,
	R_SOURCE,
	R_LAST,
	R_LINES,
};

/* Sets @to to the symbol that is number @name of the pool. */
static void hotspot_find_symbol(SptHotspot *h, unsigned to, unsigned from, const char *name)
{
	spt_hotspot_load(h, SYSPROF_CHAIN_LD2, to, from, name);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, to, to, SPT_HOTSPOT_WORD_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, to, R_POOL, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, to, to, spt_hotspot_vm_get(h->vm, "ConstantPool"));
}

static void hotspot_add_source(SptHotspot *h)
{
	bool is_of_pool = spt_hotspot_vm_has(h->vm, "ConstantPool::_source_file_name_index");
	const char *name = is_of_pool ? "ConstantPool::_source_file_name_index" :
					"InstanceKlass::_source_file_name_index";
	unsigned from = is_of_pool ? R_POOL : R_CLASS, is_none;

	spt_hotspot_load(h, SYSPROF_CHAIN_LD2, R_SOURCE, from, name);
	is_none = spt_hotspot_add(h, SYSPROF_CHAIN_JEQI, 0, R_SOURCE, 0);
	hotspot_find_symbol(h, R_SOURCE, from, name);
	spt_program_land(h->program, is_none);
}

/* Where the pieces of the table of lines are, behind the code, as far as the method goes. */
static void hotspot_add_lines(SptHotspot *h)
{
	const char *old = "ConstMethod::_has_linenumber_table",
		   *new = "ConstMethodFlags::_misc_has_linenumber_table";
	bool is_new = spt_hotspot_vm_has(h->vm, new);
	unsigned has, over[SPT_HOTSPOT_END - SPT_HOTSPOT_LINES];
	int64_t from = 0;

	spt_hotspot_load(h, SYSPROF_CHAIN_LD2, R_T, R_CODE,
		     is_new ? "ConstMethod::_flags._flags" : "ConstMethod::_flags");
	spt_hotspot_add(h, SYSPROF_CHAIN_ANDI, R_T, R_T,
			spt_hotspot_vm_get(h->vm, is_new ? new : old));
	has = spt_hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_T, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(h->program, has);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_LAST, R_CODE, "ConstMethod::_constMethod_size");
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, R_LAST, R_LAST, SPT_HOTSPOT_WORD_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_LAST, R_CODE, 0);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD2, R_T, R_CODE, "ConstMethod::_code_size");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_CODE, R_T, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(over); i++) {
		spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_CODE,
			    spt_hotspot_vm_get(h->vm, "ConstMethod") + from);
		over[i] = spt_hotspot_add(h, SYSPROF_CHAIN_JLT, R_LAST, R_T, 0);
		spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_LINES + i, R_T, 0);
		from += SPT_HOTSPOT_LINES_BYTES << i;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(over); i++)
		spt_program_land(h->program, over[i]);
	spt_hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
}

static void hotspot_add_span(SptHotspot *h, unsigned from, unsigned head, unsigned bytes)
{
	spt_program_span(
		h->program,
		&(struct sysprof_chain_span){
			.path = { SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
			.length = head ? (uint16_t)spt_hotspot_at(h, "Symbol::_length") :
					 SYSPROF_SPAN_NONE,
			.length_bytes = 2,
			.unit = SYSPROF_SPAN_NONE,
			.head = (uint16_t)head,
			.max = (uint16_t)bytes,
			.from = (uint8_t)(SYSPROF_SPAN_REGISTER + from) });
}

/* A method's names are in the pool of its class. */
static void hotspot_add_names(SptHotspot *h)
{
	spt_program_begin_names(h->program);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_CODE, R_METHOD, "Method::_constMethod");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_POOL, R_CODE, "ConstMethod::_constants");
	hotspot_find_symbol(h, R_NAME, R_CODE, "ConstMethod::_name_index");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_CLASS, R_POOL, "ConstantPool::_pool_holder");
	hotspot_add_source(h);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_CLASS, R_CLASS, "Klass::_name");
	hotspot_add_lines(h);
	hotspot_add_span(h, R_NAME, SPT_HOTSPOT_SYMBOL_HEAD, SPT_HOTSPOT_NAME_BYTES);
	hotspot_add_span(h, R_CLASS, SPT_HOTSPOT_SYMBOL_HEAD, SPT_HOTSPOT_NAME_BYTES);
	hotspot_add_span(h, R_SOURCE, SPT_HOTSPOT_SYMBOL_HEAD, SPT_HOTSPOT_NAME_BYTES);
	for (unsigned i = SPT_HOTSPOT_LINES; i < SPT_HOTSPOT_END; i++)
		hotspot_add_span(h, R_LINES + i - SPT_HOTSPOT_LINES, 0,
				 SPT_HOTSPOT_LINES_BYTES << (i - SPT_HOTSPOT_LINES));
}

static bool hotspot_is_of_machine(const SptObject *file)
{
	GElf_Ehdr header;

	return gelf_getehdr(spt_object_elf(file), &header) && header.e_machine == EM_X86_64;
}

static GBytes *hotspot_make(SptHotspot *h, GError **error)
{
	const char *missing;

	spt_hotspot_add_frame(h);
	hotspot_add_names(h);
	missing = h->missing ? h->missing : spt_hotspot_vm_missing(h->vm);
	if (!missing && spt_hotspot_at(h, "Symbol::_body") == SPT_HOTSPOT_SYMBOL_HEAD)
		return spt_program_finish(h->program);
	spt_set_error(
		error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
		"%s is a HotSpot in whose programs no methods are found, as its file does not say where %s is: this works with OpenJDK 11, 17, 21 and 25 on x86-64",
		spt_object_name(h->file), missing ? missing : "Symbol::_body");
	return NULL;
}

static unsigned hotspot_version(const SptObject *file, const SptHotspotVm *vm, const char *name)
{
	int32_t version = 0;

	if (spt_hotspot_vm_has(vm, name))
		spt_script_elf_read(file, (uint64_t)spt_hotspot_vm_get((SptHotspotVm *)vm, name),
				    &version, sizeof(version));
	return version > 0 && version <= UINT8_MAX ? (unsigned)version : 0;
}

static GBytes *hotspot_describe(const SptObject *file, GError **error)
{
	g_autoptr(SptHotspotVm) vm = hotspot_is_of_machine(file) ? spt_hotspot_vm_new(file) : NULL;
	g_autoptr(SptProgram) program = NULL;
	SptHotspot h = { .vm = vm, .file = file };
	int64_t difference = 0;
	SptScriptSymbol code;

	/* Any code: what the module's walk calls the object's start is that of its file. */
	if (!vm || !spt_script_elf_symbol(file, "JNI_CreateJavaVM", &code) ||
	    !spt_script_elf_code(file, code.address, &difference))
		return NULL;
	h.version = hotspot_version(file, vm, "Abstract_VM_Version::_vm_major_version");
	program = spt_program_new(
		SPT_TAG(NUMBER, h.version,
			hotspot_version(file, vm, "Abstract_VM_Version::_vm_security_version")),
		MAX_FRAMES, difference);
	spt_program_of_steps(program);
	h.program = program;
	return hotspot_make(&h, error);
}

const SptInterpreter spt_interpreter_hotspot = {
	.name = "OpenJDK",
	.language = "Java",
	.number = NUMBER,
	.file = "libjvm.so",
	.symbol = "gHotSpotVMStructs",
	.command = "java",
	.beside = "../lib/server/libjvm.so",
	.has_steps = true,
	.describe = hotspot_describe,
	.read = spt_hotspot_read,
	.line = spt_hotspot_line,
};
