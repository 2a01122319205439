/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HotSpot, of OpenJDK: interpreted methods have a frame with a frame pointer, compiled ones have
 * not.  Where a compiled frame ends, and whose it is, its code says: it is in a heap of code, with a
 * map of segments that leads from an address to the code's header.  Where all that is the file says
 * itself (hotspot-vm.h), but for the places of an interpreted frame, which are those of the
 * interpreter's push instructions since OpenJDK 9.
 */
#include <gelf.h>

#include "base/words.h"
#include "scripts/hotspot-code.h"
#include "scripts/hotspot-vm.h"
#include "scripts/interpreter.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"

#define NUMBER 6
#define MAX_FRAMES 400
#define WORD 8
#define WORD_SHIFT 3
#define OFFSET_MOST 0xffff		/* the structs are small; a file may be hostile */
/* The vtable begins two words behind its symbol. */
#define VTABLE_HEAD 16
#define VTABLE_NMETHOD "_ZTV7nmethod"
#define KIND_NMETHOD "CodeBlobKind::Nmethod"
/* In a map of segments: the first one of a block, and one of none. */
#define SEGMENT_FIRST 0
#define SEGMENT_FREE 0xff
/* From the frame pointer of an interpreted frame. */
#define FRAME_RETURN_AT 8
#define FRAME_SENDER_SP_AT (-8)
#define FRAME_METHOD_AT (-24)
#define FRAME_BYTECODE_AT (-64)
#define FRAME_MOST_WORDS (1 << 20)
/* From the caller's stack pointer, in a compiled method. */
#define CALL_RETURN_AT (-8)
#define CALL_FP_AT (-16)
/* While a method is interpreted: the place in its code. */
#define DWARF_R13 13

enum {
	R_T,
	R_BIAS,
	R_FP,
	R_SP,
	R_IP,
	R_IS_EXACT,
	R_U,
	R_BLOB,
	R_METHOD,
	R_IDENTITY,
	/* These are kept from frame to frame.  The heap of the last one: */
	R_LOW,
	R_HIGH,
	R_SEGMENTS,
	R_SHIFT,
	/* Code of the interpreter */
	R_LOOP_LOW,
	R_LOOP_HIGH,
	/* In the program of names. */
	R_CODE = R_SP,
	R_POOL,
	R_NAME,
	R_CLASS,
	R_SOURCE,
	R_LAST,
	R_LINES,
};

struct hotspot {
	SptProgram *program;
	SptHotspotVm *vm;
	int32_t vtable;			/* of compiled methods; 0: they have a kind */
	bool is_bad;
};

static unsigned hotspot_add(struct hotspot *h, enum sysprof_chain_op op, unsigned dst, unsigned src,
			    int64_t imm)
{
	return spt_program_add(h->program, op, dst, src, imm);
}

static void hotspot_land(struct hotspot *h, unsigned jump)
{
	spt_program_land(h->program, jump);
}

/* The offset called @name. */
static int32_t hotspot_at(struct hotspot *h, const char *name)
{
	int32_t at = spt_hotspot_vm_get(h->vm, name);

	h->is_bad |= at < 0 || at > OFFSET_MOST;
	return at;
}

static int32_t hotspot_variable(struct hotspot *h, const char *name)
{
	return spt_hotspot_vm_get(h->vm, name);
}

/* Sets @to to what the member called @name of the struct at @from is. */
static void hotspot_load(struct hotspot *h, enum sysprof_chain_op op, unsigned to, unsigned from,
			 const char *name)
{
	hotspot_add(h, op, to, from, hotspot_at(h, name));
}

/* One frame of R_METHOD; @position is a register. */
static void hotspot_add_method(struct hotspot *h, unsigned position)
{
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_U, R_METHOD, "Method::_constMethod");
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_IDENTITY, R_U, "ConstMethod::_constants");
	hotspot_add(h, SYSPROF_CHAIN_MIX, R_IDENTITY, R_U, 0);
	/* Its sizes, and numbers of names. */
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_U, R_U, "ConstMethod::_code_size");
	hotspot_add(h, SYSPROF_CHAIN_MIX, R_IDENTITY, R_U, 0);
	hotspot_add(h, SYSPROF_CHAIN_EMIT, position, R_METHOD, R_IDENTITY);
}

/* The range of the interpreter's code, once for each stack. */
static void hotspot_find_loop(struct hotspot *h)
{
	unsigned is_known = hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_LOOP_LOW, 0);

	hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BIAS,
		    hotspot_variable(h, "AbstractInterpreter::_code"));
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_LOOP_LOW, R_T, "StubQueue::_stub_buffer");
	hotspot_load(h, SYSPROF_CHAIN_LD4, R_LOOP_HIGH, R_T, "StubQueue::_buffer_limit");
	hotspot_add(h, SYSPROF_CHAIN_ADD, R_LOOP_HIGH, R_LOOP_LOW, 0);
	hotspot_land(h, is_known);
}

/*
 * An interpreted frame.  It has a place in its method's code, and a native method none: else it is
 * being made, or given up.
 */
static void hotspot_add_interpreted(struct hotspot *h)
{
	int32_t code_at = spt_hotspot_vm_get(h->vm, "ConstMethod");
	unsigned is_call, is_saved, is_there, is_native;

	hotspot_add(h, SYSPROF_CHAIN_LD8, R_METHOD, R_FP, FRAME_METHOD_AT);
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_BLOB, R_METHOD, "Method::_constMethod");
	hotspot_load(h, SYSPROF_CHAIN_LD2, R_IDENTITY, R_BLOB, "ConstMethod::_code_size");
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BLOB, R_BLOB, code_at);
	is_call = hotspot_add(h, SYSPROF_CHAIN_JEQI, 0, R_IS_EXACT, 0);
	/* It is in a register until there is a call. */
	hotspot_add(h, SYSPROF_CHAIN_REG, R_U, 0, DWARF_R13);
	hotspot_add(h, SYSPROF_CHAIN_SUB, R_U, R_BLOB, 0);
	is_there = hotspot_add(h, SYSPROF_CHAIN_JLT, R_U, R_IDENTITY, 0);
	hotspot_land(h, is_call);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_U, R_FP, FRAME_BYTECODE_AT);
	is_native = hotspot_add(h, SYSPROF_CHAIN_JEQI, 0, R_U, 0);
	hotspot_add(h, SYSPROF_CHAIN_SUB, R_U, R_BLOB, 0);
	is_saved = hotspot_add(h, SYSPROF_CHAIN_JLT, R_U, R_IDENTITY, 0);
	hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
	hotspot_land(h, is_native);
	hotspot_add(h, SYSPROF_CHAIN_MOVI, R_U, 0, -1);
	hotspot_land(h, is_there);
	hotspot_land(h, is_saved);
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_U, 0);
	hotspot_add_method(h, R_T);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_SP, R_FP, FRAME_SENDER_SP_AT);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_IP, R_FP, FRAME_RETURN_AT);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_FP, R_FP, 0);
	hotspot_add(h, SYSPROF_CHAIN_NEXT, R_FP, R_SP, R_IP);
}

/* Sets R_LOW to R_SHIFT to those of the heap that has the code. */
static void hotspot_find_heap(struct hotspot *h)
{
	unsigned is_below, is_inside, loop, is_lower, is_found;

	is_below = hotspot_add(h, SYSPROF_CHAIN_JLT, R_IP, R_LOW, 0);
	is_inside = hotspot_add(h, SYSPROF_CHAIN_JLT, R_IP, R_HIGH, 0);
	hotspot_land(h, is_below);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BIAS, hotspot_variable(h, "CodeCache::_heaps"));
	hotspot_load(h, SYSPROF_CHAIN_LD4, R_U, R_T, "GrowableArrayBase::_len");
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_T, R_T, "GrowableArray<int>::_data");
	loop = hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_U, 0);
	hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
	hotspot_land(h, loop);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_BLOB, R_T, 0);
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_T, WORD);
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_U, R_U, -1);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_LOW, R_BLOB,
		    hotspot_at(h, "CodeHeap::_memory") + hotspot_at(h, "VirtualSpace::_low"));
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_HIGH, R_BLOB,
		    hotspot_at(h, "CodeHeap::_memory") + hotspot_at(h, "VirtualSpace::_high"));
	is_lower = hotspot_add(h, SYSPROF_CHAIN_JLT, R_IP, R_LOW, 0);
	is_found = hotspot_add(h, SYSPROF_CHAIN_JLT, R_IP, R_HIGH, 0);
	hotspot_land(h, is_lower);
	hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, is_found);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_SEGMENTS, R_BLOB,
		    hotspot_at(h, "CodeHeap::_segmap") + hotspot_at(h, "VirtualSpace::_low"));
	hotspot_load(h, SYSPROF_CHAIN_LD4, R_SHIFT, R_BLOB, "CodeHeap::_log2_segment_size");
	hotspot_land(h, is_inside);
}

/* Sets R_BLOB to the header of the code.  A segment says how many there are before it, or some. */
static void hotspot_find_blob(struct hotspot *h)
{
	unsigned loop, is_first, is_used;

	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BLOB, R_IP, 0);
	hotspot_add(h, SYSPROF_CHAIN_SUB, R_BLOB, R_LOW, 0);
	hotspot_add(h, SYSPROF_CHAIN_SHR, R_BLOB, R_SHIFT, 0);
	hotspot_add(h, SYSPROF_CHAIN_ADD, R_BLOB, R_SEGMENTS, 0);
	loop = hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_BLOB, 0);
	is_first = hotspot_add(h, SYSPROF_CHAIN_JEQI, 0, R_T, SEGMENT_FIRST);
	is_used = hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_T, SEGMENT_FREE);
	hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
	hotspot_land(h, is_used);
	hotspot_add(h, SYSPROF_CHAIN_SUB, R_BLOB, R_T, 0);
	hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, is_first);
	hotspot_add(h, SYSPROF_CHAIN_SUB, R_BLOB, R_SEGMENTS, 0);
	hotspot_add(h, SYSPROF_CHAIN_SHL, R_BLOB, R_SHIFT, 0);
	hotspot_add(h, SYSPROF_CHAIN_ADD, R_BLOB, R_LOW, 0);
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BLOB, R_BLOB, spt_hotspot_vm_get(h->vm, "HeapBlock"));
}

/* Skips what is added up to landing unless the code is that of a compiled method. */
static unsigned hotspot_unless_method(struct hotspot *h)
{
	if (!h->vtable) {
		hotspot_load(h, SYSPROF_CHAIN_LD1, R_T, R_BLOB, "CodeBlob::_kind");
		return hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_T,
				   spt_hotspot_vm_get(h->vm, KIND_NMETHOD));
	}
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BLOB, 0);
	hotspot_add(h, SYSPROF_CHAIN_SUB, R_T, R_BIAS, 0);
	return hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_T, h->vtable + VTABLE_HEAD);
}

static void hotspot_add_compiled(struct hotspot *h)
{
	bool is_own = spt_hotspot_vm_has(h->vm, "nmethod::_method");
	unsigned no_method, has_size;

	hotspot_find_heap(h);
	hotspot_find_blob(h);
	no_method = hotspot_unless_method(h);
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_METHOD, R_BLOB,
		     is_own ? "nmethod::_method" : "CompiledMethod::_method");
	hotspot_add(h, SYSPROF_CHAIN_MOVI, R_T, 0, -1);
	hotspot_add_method(h, R_T);
	hotspot_land(h, no_method);
	/* Other code may have a frame of no certain size. */
	hotspot_load(h, SYSPROF_CHAIN_LD4S, R_T, R_BLOB, "CodeBlob::_frame_size");
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_T, -1);
	hotspot_add(h, SYSPROF_CHAIN_MOVI, R_U, 0, FRAME_MOST_WORDS);
	has_size = hotspot_add(h, SYSPROF_CHAIN_JLT, R_T, R_U, 0);
	hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
	hotspot_land(h, has_size);
	hotspot_add(h, SYSPROF_CHAIN_SHLI, R_T, R_T, WORD_SHIFT);
	hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_T, WORD);
	hotspot_add(h, SYSPROF_CHAIN_ADD, R_SP, R_T, 0);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_IP, R_SP, CALL_RETURN_AT);
	hotspot_add(h, SYSPROF_CHAIN_LD8, R_FP, R_SP, CALL_FP_AT);
	hotspot_add(h, SYSPROF_CHAIN_NEXT, R_FP, R_SP, R_IP);
}

static void hotspot_add_frame(struct hotspot *h)
{
	unsigned is_below, is_above, is_interpreted;

	hotspot_find_loop(h);
	is_below = hotspot_add(h, SYSPROF_CHAIN_JLT, R_IP, R_LOOP_LOW, 0);
	is_interpreted = hotspot_add(h, SYSPROF_CHAIN_JLT, R_IP, R_LOOP_HIGH, 0);
	is_above = hotspot_add(h, SYSPROF_CHAIN_JEQ, R_T, R_T, 0);
	hotspot_land(h, is_interpreted);
	hotspot_add_interpreted(h);
	hotspot_land(h, is_below);
	hotspot_land(h, is_above);
	hotspot_add_compiled(h);
}

/* Sets @to to the symbol that is number @name of the pool. */
static void hotspot_find_symbol(struct hotspot *h, unsigned to, unsigned from, const char *name)
{
	hotspot_load(h, SYSPROF_CHAIN_LD2, to, from, name);
	hotspot_add(h, SYSPROF_CHAIN_SHLI, to, to, WORD_SHIFT);
	hotspot_add(h, SYSPROF_CHAIN_ADD, to, R_POOL, 0);
	hotspot_add(h, SYSPROF_CHAIN_LD8, to, to, spt_hotspot_vm_get(h->vm, "ConstantPool"));
}

static void hotspot_add_source(struct hotspot *h)
{
	bool is_of_pool = spt_hotspot_vm_has(h->vm, "ConstantPool::_source_file_name_index");
	const char *name = is_of_pool ? "ConstantPool::_source_file_name_index" :
					"InstanceKlass::_source_file_name_index";
	unsigned from = is_of_pool ? R_POOL : R_CLASS, is_none;

	hotspot_load(h, SYSPROF_CHAIN_LD2, R_SOURCE, from, name);
	is_none = hotspot_add(h, SYSPROF_CHAIN_JEQI, 0, R_SOURCE, 0);
	hotspot_find_symbol(h, R_SOURCE, from, name);
	hotspot_land(h, is_none);
}

/* Where the pieces of the table of lines are, behind the code, as far as the method goes. */
static void hotspot_add_lines(struct hotspot *h)
{
	const char *old = "ConstMethod::_has_linenumber_table",
		   *new = "ConstMethodFlags::_misc_has_linenumber_table";
	bool is_new = spt_hotspot_vm_has(h->vm, new);
	unsigned has, over[SPT_HOTSPOT_END - SPT_HOTSPOT_LINES];
	int64_t from = 0;

	hotspot_load(h, SYSPROF_CHAIN_LD2, R_T, R_CODE,
		     is_new ? "ConstMethod::_flags._flags" : "ConstMethod::_flags");
	hotspot_add(h, SYSPROF_CHAIN_ANDI, R_T, R_T, spt_hotspot_vm_get(h->vm, is_new ? new : old));
	has = hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_T, 0);
	hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
	hotspot_land(h, has);
	hotspot_load(h, SYSPROF_CHAIN_LD4, R_LAST, R_CODE, "ConstMethod::_constMethod_size");
	hotspot_add(h, SYSPROF_CHAIN_SHLI, R_LAST, R_LAST, WORD_SHIFT);
	hotspot_add(h, SYSPROF_CHAIN_ADD, R_LAST, R_CODE, 0);
	hotspot_load(h, SYSPROF_CHAIN_LD2, R_T, R_CODE, "ConstMethod::_code_size");
	hotspot_add(h, SYSPROF_CHAIN_ADD, R_CODE, R_T, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(over); i++) {
		hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_CODE,
			    spt_hotspot_vm_get(h->vm, "ConstMethod") + from);
		over[i] = hotspot_add(h, SYSPROF_CHAIN_JLT, R_LAST, R_T, 0);
		hotspot_add(h, SYSPROF_CHAIN_ADDI, R_LINES + i, R_T, 0);
		from += SPT_HOTSPOT_LINES_BYTES << i;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(over); i++)
		hotspot_land(h, over[i]);
	hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
}

static void hotspot_add_span(struct hotspot *h, unsigned from, unsigned head, unsigned bytes)
{
	spt_program_span(
		h->program,
		&(struct sysprof_chain_span){
			.path = { SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
			.length = head ? (uint16_t)hotspot_at(h, "Symbol::_length") :
					 SYSPROF_SPAN_NONE,
			.length_bytes = 2,
			.unit = SYSPROF_SPAN_NONE,
			.head = (uint16_t)head,
			.max = (uint16_t)bytes,
			.from = (uint8_t)(SYSPROF_SPAN_REGISTER + from) });
}

/* A method's names are in the pool of its class. */
static void hotspot_add_names(struct hotspot *h)
{
	spt_program_begin_names(h->program);
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_CODE, R_FP, "Method::_constMethod");
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_POOL, R_CODE, "ConstMethod::_constants");
	hotspot_find_symbol(h, R_NAME, R_CODE, "ConstMethod::_name_index");
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_CLASS, R_POOL, "ConstantPool::_pool_holder");
	hotspot_add_source(h);
	hotspot_load(h, SYSPROF_CHAIN_LD8, R_CLASS, R_CLASS, "Klass::_name");
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

/* Compiled methods are told from other code by their kind, or as objects of their class. */
static bool hotspot_find_kind(struct hotspot *h, const SptObject *file)
{
	SptScriptSymbol symbol;

	if (spt_hotspot_vm_has(h->vm, KIND_NMETHOD))
		return true;
	if (!spt_script_elf_symbol(file, VTABLE_NMETHOD, &symbol) || symbol.address > INT32_MAX / 2)
		return false;
	h->vtable = (int32_t)symbol.address;
	return true;
}

static GBytes *hotspot_make(struct hotspot *h, const SptObject *file, GError **error)
{
	const char *missing = hotspot_find_kind(h, file) ? NULL : VTABLE_NMETHOD;

	hotspot_add_frame(h);
	hotspot_add_names(h);
	if (!missing)
		missing = spt_hotspot_vm_missing(h->vm);
	if (!missing && !h->is_bad && hotspot_at(h, "Symbol::_body") == SPT_HOTSPOT_SYMBOL_HEAD)
		return spt_program_finish(h->program);
	spt_set_error(
		error, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
		"%s is a HotSpot in whose programs no methods are found, as its file does not say where %s is: this works with OpenJDK 11 to 25 on x86-64",
		spt_object_name(file), missing ? missing : "everything");
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
	struct hotspot h = { .vm = vm };
	int64_t difference = 0;
	SptScriptSymbol code;

	/* Any code: what the module's walk calls the object's start is that of its file. */
	if (!vm || !spt_script_elf_symbol(file, "JNI_CreateJavaVM", &code) ||
	    !spt_script_elf_code(file, code.address, &difference))
		return NULL;
	program = spt_program_new(
		SPT_TAG(NUMBER, hotspot_version(file, vm, "Abstract_VM_Version::_vm_major_version"),
			hotspot_version(file, vm, "Abstract_VM_Version::_vm_security_version")),
		MAX_FRAMES, difference);
	spt_program_of_steps(program);
	h.program = program;
	return hotspot_make(&h, file, error);
}

const SptInterpreter spt_interpreter_hotspot = {
	.name = "OpenJDK",
	.language = "Java",
	.number = NUMBER,
	.file = "libjvm.so",
	.command = "java",
	.describe = hotspot_describe,
	.read = spt_hotspot_read,
	.line = spt_hotspot_line,
};
