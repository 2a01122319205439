/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of HotSpot.  Interpreted methods have a frame with a frame pointer, compiled ones have
 * not.  Where a compiled frame ends, and whose it is, its code says: it is in a heap of code, with
 * a map of segments that leads from an address to the code's header.  hotspot-methods.c finds which
 * methods that are.
 *
 * Where all that is the file says itself (hotspot-vm.h).  It does not say where an interpreted
 * frame has what: that follows from what the interpreter pushes, the same since OpenJDK 9.  Nor
 * does it say how a compiled method makes its frame and gives it up: by the instructions that are
 * there.
 */
#include "scripts/hotspot-private.h"

#include "scripts/script-elf.h"

#define OFFSET_MOST 0xffff		/* the structs are small; a file may be hostile */
/* A vtable begins two words behind its symbol. */
#define VTABLE_HEAD 16
/* In a map of segments: the first one of a block, and one of none. */
#define SEGMENT_FIRST 0
#define SEGMENT_FREE 0xff
/* From the frame pointer of an interpreted frame. */
#define FRAME_RETURN_AT 8
#define FRAME_SENDER_SP_AT (-8)
#define FRAME_LAST_SP_AT   (-16)
#define FRAME_METHOD_AT (-24)
#define FRAME_BYTECODE_AT (-64)
/* From the caller's stack pointer, in a compiled method. */
#define CALL_RETURN_AT (-8)
#define CALL_FP_AT (-16)
#define FRAME_MOST_WORDS (1 << 20)
#define DWARF_RAX	 0
#define DWARF_RBX	 3
/* While a method is interpreted: the place in its code. */
#define DWARF_R13 13
/* More than what a method can have as arguments and variables. */
#define FRAME_MOST_BYTES (1 << 20)

int32_t spt_hotspot_at(SptHotspot *h, const char *name)
{
	int32_t at = hotspot_get(h, name);

	if (at < 0 || at > OFFSET_MOST)
		h->missing = name;
	return at;
}

void spt_hotspot_load(SptHotspot *h, enum sysprof_chain_op op, unsigned to, unsigned from,
		      const char *name)
{
	spt_hotspot_add(h, op, to, from, spt_hotspot_at(h, name));
}

/* Ranges of code, once for each stack. */
static void hotspot_find_ranges(SptHotspot *h)
{
	SptProgramJumps known = { .n = 0 };

	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_LOOP_LOW, 0, &known);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BIAS,
			hotspot_get(h, "AbstractInterpreter::_code"));
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_LOOP_LOW, R_T, "StubQueue::_stub_buffer");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_LOOP_HIGH, R_T, "StubQueue::_buffer_limit");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_LOOP_HIGH, R_LOOP_LOW, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_CACHE_LOW, R_BIAS,
			hotspot_get(h, "CodeCache::_low_bound"));
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_CACHE_HIGH, R_BIAS,
			hotspot_get(h, "CodeCache::_high_bound"));
	hotspot_land(h, &known);
}

/* Jumps to @yes if R_NEXT_IP is in code that was made at run time, like all Java's callers. */
static void hotspot_if_made(SptHotspot *h, SptProgramJumps *yes)
{
	SptProgramJumps no = { .n = 0 };

	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_NEXT_IP, R_CACHE_LOW, 0, &no);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_NEXT_IP, R_CACHE_HIGH, 0, yes);
	hotspot_land(h, &no);
}

/* Sets R_NEXT_SP to R_NEXT_IP to the caller's frame, if there is only a return address yet. */
static void hotspot_find_bare_caller(SptHotspot *h)
{
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_SP, WORD);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_FP, R_FP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_SP, 0);
}

/* Sets R_T to the distance of register @to from the stack pointer. */
static void hotspot_find_distance(SptHotspot *h, unsigned to)
{
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, to, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_T, R_SP, 0);
}

/*
 * Jumps to @yes if the frame pointer is that of an interpreted method that has just been returned
 * to, or has called what is being entered: it has kept R_NEXT_SP, since OpenJDK 21 as a distance,
 * or, after that, nothing.  R_U is how far it may be.
 */
static void hotspot_if_has_called(SptHotspot *h, SptProgramJumps *yes)
{
	SptProgramJumps far = { .n = 0 };

	hotspot_find_distance(h, R_FP);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_U, R_T, 0, &far);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_FP, FRAME_LAST_SP_AT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, 0, yes);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQ, R_T, R_NEXT_SP, 0, yes);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, R_T, R_T, SPT_HOTSPOT_WORD_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_T, R_FP, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQ, R_T, R_NEXT_SP, 0, yes);
	hotspot_land(h, &far);
}

/*
 * Where a method is being entered or left, the stack does not say whose frame is next, but
 * registers do: @sender has the caller's stack pointer, and @to the address to which is returned,
 * unless that is on top of the stack, which is looked at with @is_on_top.  Elsewhere @sender has
 * another use, and is not near.
 */
static void hotspot_find_moving_caller(SptHotspot *h, unsigned sender, unsigned to, bool is_on_top,
				       SptProgramJumps *found)
{
	SptProgramJumps other = { .n = 0 }, old = { .n = 0 };

	spt_hotspot_add(h, SYSPROF_CHAIN_REG, R_NEXT_SP, 0, sender);
	hotspot_find_distance(h, R_NEXT_SP);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_U, 0, FRAME_MOST_BYTES);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_U, R_T, 0, &other);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_FP, R_FP, 0);
	if (is_on_top) {
		spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_SP, 0);
		hotspot_if_made(h, found);
	}
	hotspot_if_has_called(h, &other);
	/* The frame pointer may be that of the new frame already. */
	hotspot_find_distance(h, R_FP);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_U, 0, -FRAME_METHOD_AT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_U, R_T, 0, &old);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_FP, 0);
	hotspot_land(h, &old);
	spt_hotspot_add(h, SYSPROF_CHAIN_REG, R_NEXT_IP, 0, to);
	hotspot_if_made(h, found);
	hotspot_land(h, &other);
}

/*
 * A frame whose frame pointer is there already, but not all that comes behind it: which method that
 * is it does not say.  The caller's stack pointer comes next, from the register that has it.
 */
static void hotspot_find_begun_caller(SptHotspot *h, SptProgramJumps *found)
{
	SptProgramJumps whole = { .n = 0 }, saved = { .n = 0 };

	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_FP, FRAME_BYTECODE_AT - 1);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_T, R_SP, 0, &saved);
	hotspot_jump(h, &whole);
	hotspot_land(h, &saved);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_FP, R_SP, 0, &whole);
	saved.n = 0;
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_FP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_FP, FRAME_RETURN_AT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_SP, R_FP, FRAME_SENDER_SP_AT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNE, R_FP, R_SP, 0, &saved);
	spt_hotspot_add(h, SYSPROF_CHAIN_REG, R_NEXT_SP, 0, DWARF_R13);
	hotspot_land(h, &saved);
	hotspot_if_made(h, found);
	hotspot_end(h);
	hotspot_land(h, &whole);
}

/*
 * An interpreted frame.  It has a place in its method's code, and a native method none: else it is
 * being made, or given up.
 */
static void hotspot_add_interpreted(SptHotspot *h, SptProgramJumps *found)
{
	SptProgramJumps call = { .n = 0 }, there = { .n = 0 }, native = { .n = 0 };

	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_IS_EXACT, 0, &call);
	/* It may have no frame yet, or none any more. */
	hotspot_find_moving_caller(h, DWARF_R13, DWARF_RAX, true, found);
	hotspot_find_moving_caller(h, DWARF_RBX, DWARF_R13, true, found);
	hotspot_find_bare_caller(h);
	hotspot_if_made(h, found);
	hotspot_find_begun_caller(h, found);
	hotspot_land(h, &call);
	call.n = 0;
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_METHOD, R_FP, FRAME_METHOD_AT);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_T, R_METHOD, "Method::_constMethod");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD2, R_COUNT, R_T, "ConstMethod::_code_size");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_T, hotspot_get(h, "ConstMethod"));
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_IS_EXACT, 0, &call);
	/* It is in a register until there is a call. */
	spt_hotspot_add(h, SYSPROF_CHAIN_REG, R_BCI, 0, DWARF_R13);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_BCI, R_T, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_BCI, R_COUNT, 0, &there);
	hotspot_land(h, &call);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_BCI, R_FP, FRAME_BYTECODE_AT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_BCI, 0, &native);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_BCI, R_T, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_BCI, R_COUNT, 0, &there);
	hotspot_end(h);
	hotspot_land(h, &native);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_BCI, 0, -1);
	hotspot_land(h, &there);
	spt_hotspot_add_method(h, R_BCI);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_SP, R_FP, FRAME_SENDER_SP_AT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_FP, FRAME_RETURN_AT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_FP, 0);
}

/* Sets R_LOW to R_SHIFT to those of the heap that has the code. */
static void hotspot_find_heap(SptHotspot *h)
{
	static const char old[] = "GenericGrowableArray::_len";
	SptProgramJumps below = { .n = 0 }, same = { .n = 0 }, next = { .n = 0 },
			found = { .n = 0 };
	unsigned loop;

	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_LOW, 0, &below);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_HIGH, 0, &same);
	hotspot_land(h, &below);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BIAS, hotspot_get(h, "CodeCache::_heaps"));
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_COUNT, R_T,
			 hotspot_has(h, old) ? old : "GrowableArrayBase::_len");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_T, R_T, "GrowableArray<int>::_data");
	loop = spt_hotspot_add(h, SYSPROF_CHAIN_JNEI, 0, R_COUNT, 0);
	hotspot_end(h);
	spt_program_land(h->program, loop);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_U, R_T, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_T, WORD);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_COUNT, R_COUNT, -1);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_LOW, R_U,
			spt_hotspot_at(h, "CodeHeap::_memory") +
				spt_hotspot_at(h, "VirtualSpace::_low"));
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_HIGH, R_U,
			spt_hotspot_at(h, "CodeHeap::_memory") +
				spt_hotspot_at(h, "VirtualSpace::_high"));
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_LOW, 0, &next);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_HIGH, 0, &found);
	hotspot_land(h, &next);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, &found);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_SEGMENTS, R_U,
			spt_hotspot_at(h, "CodeHeap::_segmap") +
				spt_hotspot_at(h, "VirtualSpace::_low"));
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_SHIFT, R_U, "CodeHeap::_log2_segment_size");
	hotspot_land(h, &same);
}

/* Sets R_BLOB to the header of the code.  A segment says how many there are before it, or some. */
static void hotspot_find_blob(SptHotspot *h)
{
	SptProgramJumps first = { .n = 0 }, used = { .n = 0 };
	unsigned loop;

	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BLOB, R_IP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_BLOB, R_LOW, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHR, R_BLOB, R_SHIFT, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_BLOB, R_SEGMENTS, 0);
	loop = spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_BLOB, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, SEGMENT_FIRST, &first);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_T, SEGMENT_FREE, &used);
	hotspot_end(h);
	hotspot_land(h, &used);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_BLOB, R_T, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, &first);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_BLOB, R_SEGMENTS, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHL, R_BLOB, R_SHIFT, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_BLOB, R_LOW, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BLOB, R_BLOB, hotspot_get(h, "HeapBlock"));
}

/* Jumps to @no unless the code is that of a compiled method: by its kind, or its class. */
static void hotspot_unless_method(SptHotspot *h, SptProgramJumps *no)
{
	static const char vtable[] = "_ZTV7nmethod";
	SptScriptSymbol symbol;

	if (hotspot_has(h, "CodeBlobKind::Nmethod")) {
		spt_hotspot_load(h, SYSPROF_CHAIN_LD1, R_T, R_BLOB, "CodeBlob::_kind");
		hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_T,
				hotspot_get(h, "CodeBlobKind::Nmethod"), no);
		return;
	}
	if (!spt_script_elf_symbol(h->file, vtable, &symbol)) {
		h->missing = vtable;
		symbol.address = 0;
	}
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BLOB, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_T, R_BIAS, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_T, (int64_t)(symbol.address + VTABLE_HEAD), no);
}

/* The caller's frame, by the size that the code says.  Jumps to @no_size if that is none. */
static void hotspot_find_caller(SptHotspot *h, SptProgramJumps *no_size)
{
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4S, R_T, R_BLOB, "CodeBlob::_frame_size");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_T, -1);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_U, 0, FRAME_MOST_WORDS);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_U, R_T, 0, no_size);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, R_T, R_T, SPT_HOTSPOT_WORD_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_SP, WORD);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_NEXT_SP, R_T, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_NEXT_SP, CALL_RETURN_AT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_NEXT_SP, CALL_FP_AT);
}

/* Instructions, by their first bytes. */
#define IS_PUSH_FP 0x55
#define IS_POP_FP 0x5d
#define IS_RETURN 0xc3
#define IS_POLL 0x3b49			/* cmp disp(%r15), %rsp */
#define IS_POLL_JUMP 0x870f
#define POLL_JUMP_BYTES 6
#define IS_OLD_POLL 0x978b4d		/* mov disp(%r15), %r10 */
#define IS_OLD_POLL_READ 0x028541	/* test %eax, (%r10) */
#define OLD_POLL_READ_BYTES 3
#define IS_SUB 0xec8148			/* sub $imm, %rsp */
#define IS_SUB_SHORT 0xec8348
#define IS_SET_FP 0xec8b48		/* mov %rsp, %rbp, and in its other form */
#define IS_SET_FP_TOO 0xe58948
#define IS_TRY_STACK 0x248489		/* mov %eax, disp(%rsp) */
#define IS_SAVE_FP 0x6c8948		/* mov %rbp, disp(%rsp) */
#define IS_SAVE_FP_FAR 0xac8948
#define TWO_BYTES 0xffff
#define THREE_BYTES 0xffffff

/*
 * Jumps to @yes where a method compares the class of its object, before its entry for those who
 * know that.  R_AT is where the code begins.
 */
static void hotspot_if_before_entry(SptHotspot *h, SptProgramJumps *yes)
{
	SptProgramJumps no_method = { .n = 0 };

	hotspot_unless_method(h, &no_method);
	hotspot_load_place(h, R_U, "nmethod::_verified_entry_point", SYSPROF_CHAIN_LD2,
			   "nmethod::_verified_entry_offset", R_AT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_U, 0, yes);
	hotspot_land(h, &no_method);
}

/*
 * What was interrupted may be making its frame, or giving it up.  Jumps to @bare where only the
 * return address is left, to @pushed where the frame pointer is, too, and to @made where the frame
 * is there, but its frame pointer not yet.
 */
static void hotspot_look_at_code(SptHotspot *h, SptProgramJumps *bare, SptProgramJumps *pushed,
				 SptProgramJumps *made)
{
	SptProgramJumps not_popped = { .n = 0 }, not_pushed = { .n = 0 }, whole = { .n = 0 },
			no_poll = { .n = 0 }, no_read = { .n = 0 };
	bool is_short = hotspot_has(h, "CodeBlobKind::Nmethod");

	spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_IP, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, IS_RETURN, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, IS_PUSH_FP, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, IS_POP_FP, pushed);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD4, R_VALUE, R_IP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ANDI, R_BITS, R_VALUE, TWO_BYTES);
	spt_hotspot_add(h, SYSPROF_CHAIN_ANDI, R_VALUE, R_VALUE, THREE_BYTES);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_U, R_IP, -1);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_U, IS_POP_FP, &not_popped);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_BITS, IS_POLL, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_OLD_POLL, bare);
	hotspot_land(h, &not_popped);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_BITS, IS_POLL_JUMP, &no_poll);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_IP, POLL_JUMP_BYTES);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, IS_RETURN, bare);
	hotspot_land(h, &no_poll);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_VALUE, IS_OLD_POLL_READ, &no_read);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_IP, OLD_POLL_READ_BYTES);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_T, IS_RETURN, bare);
	hotspot_land(h, &no_read);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_U, IS_PUSH_FP, &not_pushed);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SUB, pushed);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SUB_SHORT, pushed);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SET_FP, pushed);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SET_FP_TOO, pushed);
	hotspot_land(h, &not_pushed);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_T, R_IP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_T, R_AT, 0);
	spt_hotspot_load(h, is_short ? SYSPROF_CHAIN_LD2 : SYSPROF_CHAIN_LD4, R_U, R_BLOB,
			 "CodeBlob::_frame_complete_offset");
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_U, R_T, 0, &whole);
	hotspot_if_before_entry(h, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_TRY_STACK, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SUB, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SUB_SHORT, bare);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SAVE_FP, made);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_VALUE, IS_SAVE_FP_FAR, made);
	hotspot_land(h, &whole);
}

/*
 * A stub in which compiled methods look a class up: it begins by pushing four registers, and keeps
 * more, in a frame that nothing describes; the method has pushed two arguments before its call.
 * The return address is what comes behind a call of the stub.  Sets R_AT to where code begins.
 */
#define IS_PUSH_OF_FOUR	 0x50515657 /* push %rdi, %rsi, %rcx and %rax */
#define STUB_MOST_WORDS	 16
#define PUSHED_ARGUMENTS 2
#define IS_CALL		 0xe8
#define CALL_BYTES	 5

static void hotspot_find_caller_of_stub(SptHotspot *h, SptProgramJumps *found)
{
	SptProgramJumps made = { .n = 0 }, next = { .n = 0 }, other = { .n = 0 };
	unsigned loop;

	spt_hotspot_find_code(h, R_AT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD4, R_T, R_AT, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_T, IS_PUSH_OF_FOUR, &other);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_FP, R_FP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_SP, WORD * PUSHED_ARGUMENTS);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_COUNT, 0, STUB_MOST_WORDS);
	loop = spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_NEXT_SP,
			       -WORD * PUSHED_ARGUMENTS);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_NEXT_SP, WORD);
	hotspot_if_made(h, &made);
	hotspot_jump(h, &next);
	hotspot_land(h, &made);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_NEXT_IP, -CALL_BYTES);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_T, IS_CALL, &next);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD4S, R_T, R_NEXT_IP, 1 - CALL_BYTES);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_T, R_NEXT_IP, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQ, R_T, R_AT, 0, found);
	hotspot_land(h, &next);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_COUNT, R_COUNT, -1);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_COUNT, 0, &other);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, &other);
}

/*
 * The caller's frame of the code that was interrupted.  Whatever it is doing, it returns to code
 * that was made at run time.  Where strings are compared, a word may be on top of a whole frame.
 */
static void hotspot_find_exact_caller(SptHotspot *h, SptProgramJumps *found)
{
	SptProgramJumps bare = { .n = 0 }, pushed = { .n = 0 }, made = { .n = 0 },
			kept = { .n = 0 }, no_size = { .n = 0 }, no_word = { .n = 0 };

	hotspot_find_caller_of_stub(h, found);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_STATE, 0, 0);
	hotspot_look_at_code(h, &bare, &pushed, &made);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_STATE, 0, 1);
	hotspot_land(h, &made);
	hotspot_find_caller(h, &no_size);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_AT, R_NEXT_SP, WORD);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_STATE, 1, &kept);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_FP, R_FP, 0);
	hotspot_land(h, &kept);
	hotspot_if_made(h, found);
	hotspot_jump(h, &bare);
	hotspot_land(h, &no_size);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_STATE, 0, 0);
	hotspot_land(h, &bare);
	hotspot_find_bare_caller(h);
	hotspot_if_made(h, found);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_STATE, 1, &no_word);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_AT, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_NEXT_SP, CALL_RETURN_AT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_NEXT_SP, CALL_FP_AT);
	hotspot_if_made(h, found);
	hotspot_land(h, &no_word);
	hotspot_land(h, &pushed);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_SP, 2 * WORD);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_SP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_SP, WORD);
	hotspot_if_made(h, found);
	/* What leads from interpreted methods to compiled ones, or back. */
	hotspot_find_moving_caller(h, DWARF_R13, DWARF_RAX, false, found);
	hotspot_end(h);
}

/*
 * A virtual thread that continues after a pause: its outermost frame returns to code that fetches
 * more of them.  What it runs in is behind the thread's entry, which begins here.  Other code has
 * no such word there, and the stub for calls of Java another address.
 */
static void hotspot_add_virtual(SptHotspot *h)
{
	SptProgramJumps call = { .n = 0 }, found = { .n = 0 };
	int32_t bytes =
		hotspot_has(h, "ContinuationEntry") ? hotspot_get(h, "ContinuationEntry") : 0;

	if (!bytes)
		return;
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_T, R_BIAS,
			hotspot_get(h, "StubRoutines::_call_stub_return_address"));
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQ, R_T, R_IP, 0, &call);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_IP, R_SP, bytes + FRAME_RETURN_AT);
	hotspot_if_made(h, &found);
	hotspot_land(h, &call);
	hotspot_end(h);
	hotspot_land(h, &found);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_NEXT_FP, R_SP, bytes);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_NEXT_SP, R_SP, bytes + FRAME_RETURN_AT + WORD);
	spt_hotspot_add(h, SYSPROF_CHAIN_NEXT, R_NEXT_FP, R_NEXT_SP, R_NEXT_IP);
}

void spt_hotspot_add_frame(SptHotspot *h)
{
	SptProgramJumps below = { .n = 0 }, interpreted = { .n = 0 }, exact = { .n = 0 },
			no_size = { .n = 0 }, found = { .n = 0 }, no_method = { .n = 0 };

	/* What the frame before has left there means nothing: so a frame is the same without it. */
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_METHOD, 0, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_AT, 0, 0);
	hotspot_find_ranges(h);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_LOOP_LOW, 0, &below);
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_IP, R_LOOP_HIGH, 0, &interpreted);
	hotspot_land(h, &below);
	hotspot_find_heap(h);
	hotspot_find_blob(h);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_IS_EXACT, 1, &exact);
	hotspot_find_caller(h, &no_size);
	hotspot_jump(h, &found);
	hotspot_land(h, &exact);
	hotspot_find_exact_caller(h, &found);
	hotspot_land(h, &found);
	hotspot_unless_method(h, &no_method);
	spt_hotspot_add_methods(h);
	hotspot_land(h, &no_method);
	spt_hotspot_add(h, SYSPROF_CHAIN_NEXT, R_NEXT_FP, R_NEXT_SP, R_NEXT_IP);
	hotspot_land(h, &no_size);
	hotspot_add_virtual(h);
	hotspot_end(h);
	hotspot_land(h, &interpreted);
	found.n = 0;
	hotspot_add_interpreted(h, &found);
	hotspot_land(h, &found);
	spt_hotspot_add(h, SYSPROF_CHAIN_NEXT, R_NEXT_FP, R_NEXT_SP, R_NEXT_IP);
}
