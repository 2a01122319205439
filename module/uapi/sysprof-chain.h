/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Chains of /dev/sysprof-trace, version 1: how to find what a script's interpreter executes.  A
 * chain is a program for an object, the interpreter.  The module runs it in the tick when a stack
 * walked by tables has a frame in that object.  It reads the interpreter's own list of frames.  A
 * chain is a block of bytes in the byte order of the machine:
 *
 *	struct sysprof_chain_header
 *	struct sysprof_chain_loop[n_loops]
 *	struct sysprof_chain_list[n_lists]
 *	struct sysprof_chain_span[n_spans]
 *	struct sysprof_chain_insn[n_insns]
 *
 * Script frames
 * -------------
 * A script frame is a __u64, {SYSPROF_FRAME_SCRIPT:4, code:42, position:18}.  Code is the number of
 * a CODE record, which may come later; 0: there is none.  Position is what the program found:
 * SYSPROF_POSITION_NOT_TOLD if it does not fit.  Script frames are between the user frames of a
 * sample or an event, which has SYSPROF_SAMPLE_SCRIPT then: right before the native frame of the
 * interpreter's loop that executes them.  A first native frame after script frames is reported like
 * a return address: its instruction pointer plus one byte.
 *
 * A session without CAP_PERFMON gets them only of tasks that it could trace
 * (SYSPROF_IOC_TRACEABLE), whatever module parameter others is.  Where sessions of different rights
 * take turns, they are looked for four times in one stack: those that come later get it without
 * them, with SYSPROF_SAMPLE_SCRIPT_CUT.
 *
 * Programs
 * --------
 * There are 16 registers of 64 bits.  At the beginning register 0 is the thread pointer, 1 the
 * address at which the object's own address 0 is, the others 0.  Execution begins with the first
 * instruction and goes on with the next one.  Jumps skip instructions; only SYSPROF_CHAIN_LOOP goes
 * back.  A load of a word that is not user memory, or is not present, ends the program.
 *
 * SYSPROF_CHAIN_EMIT adds a frame, the innermost first.  SYSPROF_CHAIN_MARK ends a group: the
 * frames since the mark before are executed by one native frame, in which the marked address is.
 * With an address of 0 it is the next native frame in one of the loops of the chain; a group
 * without a frame has one, too.  Frames without a native frame go behind all others.
 *
 * An instruction takes one unit of fuel, a turn of a list and a span SYSPROF_CHAIN_LIST_FUEL, and a
 * load that ends the program, or a span that cannot be read, SYSPROF_CHAIN_FAULT_FUEL more.
 * SYSPROF_CHAIN_SUMS takes one unit more for each pair of numbers, and two for 8 bytes of them.  A
 * program that has used up SYSPROF_CHAIN_FUEL, or has more frames than max_frames, ends.
 *
 * Programs of frames
 * ------------------
 * With SYSPROF_CHAIN_FRAMES the program runs for each native frame that is in one of the loops, or
 * in code of no file: code that an interpreter makes at run time.  Register 2 is the address behind
 * the frame's return address then, register 3 the frame's stack pointer: what the frame has in
 * memory is between them.  What it emits is executed by this native frame; there are no marks.  All
 * runs for one stack share the fuel.  With SYSPROF_FEATURE_CHAIN_REGISTERS the program may ask for
 * the frame's registers (SYSPROF_CHAIN_REG): those that unwind tables restore are known.  In a
 * program that does not, registers from 4 on keep the values that they had after the run before,
 * with SYSPROF_FEATURE_CHAIN_LONG: where register 2 was what register 3 is now, that was the
 * callee, and its return address is in front of both.  Register 4 begins, with
 * SYSPROF_FEATURE_CHAIN_PLACE, as the instruction pointer of the first run's frame, if that is the
 * stack's first one, which the tick interrupted, else as 0.
 *
 * Programs of steps
 * -----------------
 * With SYSPROF_CHAIN_STEPS the program runs while the stack is walked, for each native frame in
 * code of no file that the walk comes to: such code has no unwind table.  The interpreter's object
 * need not be on the stack; it is one of the address space that has such a chain.  The program and
 * that of names have SYSPROF_CHAIN_STEPS_REGISTERS registers.  Register 2 is the frame pointer
 * then (0: not known), register 3 the stack pointer, register 4 the instruction pointer, or the
 * address to which the callee returns, and register 5 is 1 if the tick interrupted this frame,
 * else 0.  Registers from 6 on keep the values that they had after the run before.  What it emits
 * is executed by this native frame; there are neither lists nor marks.  SYSPROF_CHAIN_NEXT says
 * where the caller's frame is.  The caller's stack pointer must be a multiple of 8 and above, or
 * where the tick interrupted this frame the same: else the walk ends, as where the program cannot
 * go on or ends with more frames.  Where it ends otherwise the caller is looked for as without it.
 * All runs for one stack share the fuel.  A run that would end as the one before for the same
 * native frame takes SYSPROF_CHAIN_LIST_FUEL.
 *
 * Programs of threads
 * -------------------
 * With SYSPROF_CHAIN_THREAD the program says what a thread is at work for: it runs for each stack
 * of a task in whose address space the object is mapped, whatever is on the stack.  What it emits,
 * at most one frame, comes behind all others, however few of these the session gets, and the sample
 * or event has SYSPROF_SAMPLE_THREAD: it is no frame of the stack.  Of several such objects of an
 * address space one is asked.
 *
 * Programs of names
 * -----------------
 * If names is not 0, the instructions from there on are another program.  It runs when the names of
 * a code are copied, with the address of the code in register 2, and says in its registers where
 * spans begin.  If the chain's other program asks for registers of frames, register 3 is the code
 * of the frame that was emitted behind it, and register 4 its position.  Register 5 is what the
 * frame was emitted with (SYSPROF_CHAIN_WITH).  The others are 0.  All
 * runs for one stack, of all sessions, share the fuel: what has none left comes with a later stack.
 */
#ifndef _UAPI_SYSPROF_CHAIN_H
#define _UAPI_SYSPROF_CHAIN_H

#include "sysprof.h"

#define SYSPROF_CHAIN_MAGIC	0x43545053u	/* "SPTC" */
#define SYSPROF_CHAIN_VERSION	1
#define SYSPROF_CHAIN_MAX_LOOPS	4
#define SYSPROF_CHAIN_MAX_LISTS	4
#define SYSPROF_CHAIN_MAX_SPANS	8
#define SYSPROF_CHAIN_MAX_INSNS	256
#define SYSPROF_CHAIN_MAX_FRAMES 512
#define SYSPROF_CHAIN_FUEL	4096
#define SYSPROF_CHAIN_LIST_FUEL	8
#define SYSPROF_CHAIN_FAULT_FUEL 64
#define SYSPROF_CHAIN_REGISTERS	16
/* With SYSPROF_CHAIN_STEPS, and how many registers the machine has at most. */
#define SYSPROF_CHAIN_STEPS_MAX_INSNS	512
#define SYSPROF_CHAIN_STEPS_REGISTERS	32
#define SYSPROF_CHAIN_MACHINE_REGISTERS	32

#define SYSPROF_FRAME_SCRIPT		(0xfULL << 60)
#define SYSPROF_FRAME_CODE_SHIFT	18
/* Of numbers in CODE records.  A frame has room for one more: readers may number code there. */
#define SYSPROF_CODE_NUMBER_BITS	41
#define SYSPROF_FRAME_POSITION_MASK	((1ULL << SYSPROF_FRAME_CODE_SHIFT) - 1)
#define SYSPROF_POSITION_NOT_TOLD	SYSPROF_FRAME_POSITION_MASK

/**
 * struct sysprof_chain_header - the header of a chain
 * @magic: SYSPROF_CHAIN_MAGIC
 * @version: SYSPROF_CHAIN_VERSION
 * @machine: ELF machine number, the kernel's
 * @address_minus_offset: of the object's code: its address in the object less its offset in the
 *	file
 * @tag: goes into CODE records as it is
 * @max_frames: from 1 to SYSPROF_CHAIN_MAX_FRAMES
 * @n_insns: from 1 to SYSPROF_CHAIN_MAX_INSNS, or to SYSPROF_CHAIN_STEPS_MAX_INSNS: with
 *	SYSPROF_CHAIN_STEPS, and for SYSPROF_FEATURE_CHAIN_LONG with SYSPROF_CHAIN_FRAMES
 * @n_loops: at most SYSPROF_CHAIN_MAX_LOOPS
 * @n_lists: at most SYSPROF_CHAIN_MAX_LISTS
 * @n_spans: at most SYSPROF_CHAIN_MAX_SPANS
 * @flags: 0, SYSPROF_CHAIN_FRAMES, SYSPROF_CHAIN_STEPS or SYSPROF_CHAIN_THREAD
 * @names: index of the first instruction of the program of names; 0: there is none
 * @reserved: 0
 *
 * @flags and @names are 0 without SYSPROF_FEATURE_CHAIN_FRAMES.  SYSPROF_CHAIN_STEPS, and
 * instructions behind SYSPROF_CHAIN_END in the list, need SYSPROF_FEATURE_CHAIN_STEPS.  The
 * instruction before @names is SYSPROF_CHAIN_END, SYSPROF_CHAIN_LOOP or SYSPROF_CHAIN_NEXT, no
 * instruction leads from one program to the other, and
 * that of names neither emits nor marks, and has no lists.  SYSPROF_CHAIN_THREAD, for
 * SYSPROF_FEATURE_CHAIN_THREAD, has a max_frames of 1, and neither loops nor lists.
 */
struct sysprof_chain_header {
	__u32 magic;
	__u16 version;
	__u16 machine;
	__s64 address_minus_offset;
	__u32 tag;
	__u16 max_frames;
	__u16 n_insns;
	__u8 n_loops;
	__u8 n_lists;
	__u8 n_spans;
	__u8 flags;
	__u16 names;
	__u8 reserved[2];
};

/* struct sysprof_chain_header */
#define SYSPROF_CHAIN_FRAMES	(1 << 0)
#define SYSPROF_CHAIN_STEPS	(1 << 1)
#define SYSPROF_CHAIN_THREAD	(1 << 2)

/**
 * struct sysprof_chain_loop - code of the interpreter's loop
 * @start: offset in the file
 * @end: offset behind it
 */
struct sysprof_chain_loop {
	__u64 start;
	__u64 end;
};

enum sysprof_chain_flag {
	SYSPROF_CHAIN_FLAG_NONE	= 0,	/* the list has no marks */
	/* A node with the flag is no frame; its address is the mark of the frames before */
	SYSPROF_CHAIN_FLAG_ALONE = 1,
	/* A node with the flag is a frame, and the last one of its group */
	SYSPROF_CHAIN_FLAG_LAST	= 2,
	SYSPROF_CHAIN_FLAG_EACH	= 3,	/* each node is a group of its own, marked with 0 */
};

/**
 * struct sysprof_chain_list - a linked list of frames, for SYSPROF_CHAIN_LIST.  The first ones are
 *	offsets in a node
 * @code: of the pointer to the code
 * @next: of the pointer to the next node
 * @position: of the word with the position
 * @flag: of a byte, see enum sysprof_chain_flag
 * @identity: offsets in the code, of three words that differ if two codes have the same address,
 *	one after the other
 * @mark_next: SYSPROF_CHAIN_FLAG_LAST: the word at this offset from a mark is the next mark
 * @code_bits: number of low bits of the pointer to the code that are no part of it, at most 4
 * @flag_kind: enum sysprof_chain_flag
 * @flag_value: value of the byte that counts as a flag
 * @position_bytes: size of the word, 4 or 8
 * @position_of_code: 1: the word is an address; its distance from the code counts
 * @position_shift: at most 31: after @position_base was subtracted
 * @reserved: 0
 * @position_base: see @position_shift
 * @reserved_2: 0
 */
struct sysprof_chain_list {
	__u16 code;
	__u16 next;
	__u16 position;
	__u16 flag;
	__u16 identity[3];
	__u16 mark_next;
	__u8 code_bits;
	__u8 flag_kind;
	__u8 flag_value;
	__u8 position_bytes;
	__u8 position_of_code;
	__u8 position_shift;
	__u8 reserved[2];
	__s32 position_base;
	__u32 reserved_2;
};

#define SYSPROF_SPAN_PATH	3
#define SYSPROF_SPAN_NONE	0xffff

/**
 * struct sysprof_chain_span - bytes that CODE records have of a code: a name, or a part of it
 * @path: offsets of pointers: the first one in the code, each further one in what the pointer
 *	before it points to; SYSPROF_SPAN_NONE: the path ends
 * @length: offset of a number of elements; SYSPROF_SPAN_NONE: the span has @max bytes
 * @unit: offset of a byte with the size of an element; SYSPROF_SPAN_NONE: it is @unit_bytes
 * @head: bytes before the elements
 * @max: most bytes; all spans of a chain together have at most SYSPROF_SPANS_MAX_BYTES
 * @length_in: where @length is: in what this number of pointers of the path lead to
 * @length_bytes: size of the number, 4 or 8; with SYSPROF_FEATURE_CHAIN_STEPS also 2.  With
 *	SYSPROF_FEATURE_CHAIN_WITH, and without @length, also 1: the span is a text, and ends before
 *	its first 0 or behind @max bytes
 * @unit_shift: the size is the byte shifted right by this number, and 7
 * @unit_bytes: size of an element; 0: 1
 * @from: 0: the path begins in the code; up to SYSPROF_CHAIN_MAX_SPANS where the elements of span
 *	@from - 1 are, one before this one; from SYSPROF_SPAN_REGISTER on where register
 *	@from - SYSPROF_SPAN_REGISTER says at the end of the program of names, if there is one.  The
 *	span is empty if that is 0
 * @reserved: 0
 *
 * @unit is in what the whole path leads to.
 */
struct sysprof_chain_span {
	__u16 path[SYSPROF_SPAN_PATH];
	__u16 length;
	__u16 unit;
	__u16 head;
	__u16 max;
	__u8 length_in;
	__u8 length_bytes;
	__u8 unit_shift;
	__u8 unit_bytes;
	__u8 from;
	__u8 reserved[5];
};

#define SYSPROF_SPANS_MAX_BYTES	16384
#define SYSPROF_SPAN_REGISTER	0x80

enum sysprof_chain_op {
	SYSPROF_CHAIN_LD8	= 0,	/* dst = 8 bytes at src + imm */
	SYSPROF_CHAIN_LD4	= 1,	/* ... 4 bytes */
	SYSPROF_CHAIN_LD4S	= 2,	/* ... 4 bytes, signed */
	SYSPROF_CHAIN_LD2	= 3,
	SYSPROF_CHAIN_LD1	= 4,
	SYSPROF_CHAIN_ADDI	= 5,	/* dst = src + imm */
	SYSPROF_CHAIN_ADD	= 6,	/* dst += src */
	SYSPROF_CHAIN_SUB	= 7,	/* dst -= src */
	SYSPROF_CHAIN_ANDI	= 8,	/* dst = src & imm */
	SYSPROF_CHAIN_SHLI	= 9,	/* dst = src << imm */
	SYSPROF_CHAIN_SHRI	= 10,	/* dst = src >> imm */
	SYSPROF_CHAIN_MOVI	= 11,	/* dst = imm */
	SYSPROF_CHAIN_MIX	= 12,	/* dst = a hash of dst and src */
	SYSPROF_CHAIN_JEQI	= 13,	/* skips jump instructions if src == imm */
	SYSPROF_CHAIN_JNEI	= 14,
	SYSPROF_CHAIN_JEQ	= 15,	/* ... if src == dst */
	SYSPROF_CHAIN_JNE	= 16,
	SYSPROF_CHAIN_JLT	= 17,	/* ... if dst < src, unsigned */
	/*
	 * A frame: src has the address of the code, dst the position, register imm the identity
	 */
	SYSPROF_CHAIN_EMIT	= 18,
	SYSPROF_CHAIN_MARK	= 19,	/* src */
	/* Frames of list imm, from the node dst on; src has the mark (SYSPROF_CHAIN_FLAG_LAST) */
	SYSPROF_CHAIN_LIST	= 20,
	SYSPROF_CHAIN_LOOP	= 21,	/* goes to instruction imm, which is before it */
	SYSPROF_CHAIN_END	= 22,	/* imm: 0: these are all frames; 1: there are more */
	SYSPROF_CHAIN_SHL	= 23,	/* dst <<= src & 63 */
	SYSPROF_CHAIN_SHR	= 24,	/* dst >>= src & 63 */
	/*
	 * The next three are of programs of steps, this one also of those of frames.  dst =
	 * register imm of the frame, by its DWARF number, below 32; 0 if it is not known
	 */
	SYSPROF_CHAIN_REG	= 25,
	/*
	 * The caller's frame: dst has the frame pointer, src the stack pointer, and register imm
	 * the address to which it is returned.  The program ends
	 */
	SYSPROF_CHAIN_NEXT	= 26,
	/*
	 * Emits the frames that a run with the same numbers in dst and src, in the same address
	 * space, has emitted from here to SYSPROF_CHAIN_NEXT, and skips jump instructions.  What
	 * was emitted long ago, or had more frames than some, is not remembered: nothing is skipped
	 * then.  It takes fuel for each frame
	 */
	SYSPROF_CHAIN_RECALL	= 27,
	/*
	 * The next frame is emitted with src, for the program of names.  Not in programs of steps;
	 * with SYSPROF_FEATURE_CHAIN_WITH
	 */
	SYSPROF_CHAIN_WITH	= 28,
	/*
	 * dst = what the second numbers add up to, of those pairs in the table from src to register
	 * imm that are in front of the first one at which the first numbers add up to more than
	 * dst.  A number has 7 bits in each byte, the lowest first; the byte's highest bit says
	 * that there are more.  The lowest bit of a first number does not count.  That of a second
	 * one is its sign: what is above it is inverted.  Of chains with SYSPROF_CHAIN_FRAMES, with
	 * SYSPROF_FEATURE_CHAIN_PLACE
	 */
	SYSPROF_CHAIN_SUMS	= 29,
};

/**
 * struct sysprof_chain_insn - an instruction
 * @op: enum sysprof_chain_op
 * @dst: register
 * @src: register
 * @jump: see enum sysprof_chain_op; 0 in others
 * @imm: constant
 *
 * The last one is SYSPROF_CHAIN_END, SYSPROF_CHAIN_LOOP or SYSPROF_CHAIN_NEXT.
 */
struct sysprof_chain_insn {
	__u8 op;
	__u8 dst;
	__u8 src;
	__u8 jump;
	__s32 imm;
};

/**
 * struct sysprof_chain - SYSPROF_IOC_CHAIN: how to find the frames of an interpreter's scripts
 * @size: of this struct
 * @flags: 0 or SYSPROF_CHAIN_OF_FILE
 * @chain: address of the chain
 * @bytes: size of the chain
 * @build_id_bytes: at least 8; with SYSPROF_CHAIN_OF_FILE 0
 * @build_id: of the objects that the chain is for, also of later ones
 * @reserved: 0
 * @fd: with SYSPROF_CHAIN_OF_FILE a descriptor of a regular file, which may be closed afterwards;
 *	else 0
 * @object: 0; on return, with SYSPROF_CHAIN_OF_FILE, the id of the object that it is for
 *
 * A chain has the same owner as a table (struct sysprof_table), serves the same sessions and tasks,
 * and is kept as long.  An owner can have 64.  -EEXIST if this build-id has a chain, -EINVAL for an
 * invalid one, -ENOSPC for too many.
 *
 * A file states its build-id itself, so a chain by build-id may only be made of a file that can be
 * believed.  With SYSPROF_CHAIN_OF_FILE a chain is for this one file, as a table with
 * SYSPROF_TABLE_OF_FILE is, which says what becomes of the file, and serves only sessions of its
 * owner.  An owner can have 64 of these, too, of which the files of another user, who mapped them
 * first, take at most half of what is left.  -EEXIST if the object has a chain for these sessions,
 * -ENOENT if it has no id.
 */
struct sysprof_chain {
	__u32 size;
	__u32 flags;
	__aligned_u64 chain;
	__u32 bytes;
	__u8 build_id_bytes;
	__u8 build_id[SYSPROF_BUILD_ID_BYTES];
	__u8 reserved[7];
	__s32 fd;
	__u32 object;
};

/* struct sysprof_chain: for SYSPROF_FEATURE_CHAIN_FILE */
#define SYSPROF_CHAIN_OF_FILE	(1 << 0)

#define SYSPROF_IOC_CHAIN	_IO('P', 0x80)	/* -ENOTTY without SYSPROF_FEATURE_CHAIN */

/* Some memory could not be read; a later record may have it. */
#define SYSPROF_CODE_PART	(1 << 0)

/**
 * struct sysprof_code - names of a script's code, as copied when a session first got a frame of it
 * @record: SYSPROF_CODE; pid and tid of the task that executed it
 * @mm: id of its address space
 * @code: number, of SYSPROF_CODE_NUMBER_BITS.  One code may have several; a number has one code
 * @tag: of the chain
 * @object: the interpreter
 * @bytes: of each span of the chain, those that were copied
 * @data: of each span, zeros up to a multiple of 8
 */
struct sysprof_code {
	struct sysprof_record record;
	__u64 mm;
	__u64 code;
	__u32 tag;
	__u32 object;
	__u16 bytes[SYSPROF_CHAIN_MAX_SPANS];
	__u64 data[];
};

#endif /* _UAPI_SYSPROF_CHAIN_H */
