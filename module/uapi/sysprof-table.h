/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Unwind tables of /dev/sysprof-trace, version 1: how to get from a function to its caller, for
 * every instruction of an object.  A table is a block of bytes in the byte order of the machine:
 *
 *	struct sysprof_table_header
 *	__u32 offsets[n_rows]		strictly rising: start of each row, an offset in the file; a row holds up to the next one
 *	__u16 rules[n_rows]		the row's rule, below n_rules
 *	zeros up to a multiple of 8
 *	struct sysprof_table_rule[n_rules]	the first rule, and that of the last row, are SYSPROF_CFA_UNKNOWN
 *	__u32 starts[n_starts]		strictly rising: start of each function, an offset in the file
 *	zeros up to a multiple of 8
 *
 * An instruction whose rule is neither SYSPROF_CFA_UNKNOWN nor a guess belongs to the function with
 * the last start at or before it.  A table without starts does not describe functions.
 *
 * A call lies right before its return address.  A return address that is a start was left by no
 * call if the byte before it has no rule, or is where a row begins: it was put there, as
 * makecontext() does it, and its function is the first one of its stack unless that returns from a
 * signal.
 *
 * Registers have DWARF's numbers.  The CFA (canonical frame address) is the caller's stack pointer
 * after the return.
 */
#ifndef _UAPI_SYSPROF_TABLE_H
#define _UAPI_SYSPROF_TABLE_H

#include "sysprof.h"

#define SYSPROF_TABLE_MAGIC	0x57545053u	/* "SPTW" */
#define SYSPROF_TABLE_VERSION	3
#define SYSPROF_TABLE_MAX_BYTES	(16U << 20)
#define SYSPROF_TABLE_SAVED	12

/**
 * struct sysprof_table_header - the header of a table
 * @magic: SYSPROF_TABLE_MAGIC
 * @version: SYSPROF_TABLE_VERSION
 * @machine: ELF machine number, the kernel's
 * @n_rows: may be 0
 * @n_rules: from 1 to 65536
 * @n_starts: may be 0
 * @reserved: 0
 */
struct sysprof_table_header {
	__u32 magic;
	__u16 version;
	__u16 machine;
	__u32 n_rows;
	__u32 n_rules;
	__u32 n_starts;
	__u32 reserved;
};

enum sysprof_table_cfa {
	SYSPROF_CFA_UNKNOWN	= 0,	/* the caller cannot be found */
	SYSPROF_CFA_REGISTER	= 1,	/* cfa_register + cfa_offset */
	SYSPROF_CFA_MEMORY	= 2,	/* the word at that address, + cfa_add */
	/* The word at that address + 8 * index_register, + cfa_add */
	SYSPROF_CFA_INDEXED	= 3,
	/* cfa_register + cfa_offset, + 8 in the last bytes of 16: from plt_from on */
	SYSPROF_CFA_PLT		= 4,
	/* The return from a signal handler: all registers are in the kernel's frame */
	SYSPROF_CFA_SIGNAL	= 5,
	/*
	 * cfa_register + cfa_offset, where another stack may be: it lies anywhere, not above the
	 * stack pointer.  Modules that do not know it refuse tables with such a rule
	 */
	SYSPROF_CFA_SWITCH	= 6,
};

enum sysprof_table_ra {
	SYSPROF_RA_NONE		= 0,	/* no caller: a thread starts here */
	SYSPROF_RA_MEMORY	= 1,	/* the word at CFA + ra_offset */
	SYSPROF_RA_REGISTER	= 2,	/* ra_register */
};

/**
 * struct sysprof_table_rule - how to find the caller
 * @cfa: enum sysprof_table_cfa
 * @cfa_register: see enum sysprof_table_cfa
 * @ra: enum sysprof_table_ra: where the return address is
 * @ra_register: see enum sysprof_table_ra
 * @plt_from: SYSPROF_CFA_PLT
 * @index_register: SYSPROF_CFA_INDEXED
 * @is_guess: SYSPROF_CFA_REGISTER, SYSPROF_CFA_MEMORY: not 0: there was no unwind information, and
 *	the code was followed; the start of the function is not known either
 * @is_signal: 1: the caller was interrupted, not called: its instruction pointer is exact
 * @lost: bits, by index in the list of registers that a function has to keep (x86-64: 3 6 12 13 14
 *	15; AArch64: 19 to 29): not known in the caller.  A register in none of @lost, @at_cfa and
 *	@at_fp keeps its value
 * @at_cfa: bits: in memory, 8 * saved[] from the CFA
 * @at_fp: bits: in memory, 8 * saved[] from the frame pointer
 * @cfa_offset: see enum sysprof_table_cfa
 * @cfa_add: see enum sysprof_table_cfa
 * @ra_offset: see enum sysprof_table_ra
 * @saved: see @at_cfa
 */
struct sysprof_table_rule {
	__u8 cfa;
	__u8 cfa_register;
	__u8 ra;
	__u8 ra_register;
	union {
		__u8 plt_from;
		__u8 index_register;
		__u8 is_guess;
	};
	__u8 is_signal;
	__u16 lost;
	__u16 at_cfa;
	__u16 at_fp;
	__s32 cfa_offset;
	__s32 cfa_add;
	__s32 ra_offset;
	__s16 saved[SYSPROF_TABLE_SAVED];
};

/**
 * struct sysprof_table - SYSPROF_IOC_TABLE: how to unwind an object, for SYSPROF_USER_TABLE
 * @size: of this struct
 * @flags: 0 or SYSPROF_TABLE_OF_FILE
 * @table: address of the table
 * @bytes: size of the table, at most SYSPROF_TABLE_MAX_BYTES
 * @build_id_bytes: at least 8; with SYSPROF_TABLE_OF_FILE 0
 * @build_id: of the objects that the table describes, also of later ones
 * @reserved: 0
 * @fd: with SYSPROF_TABLE_OF_FILE a descriptor of a regular file, which may be closed afterwards;
 *	else 0
 * @object: 0; on return, with SYSPROF_TABLE_OF_FILE, the id of the object that it describes
 *
 * A table of an opener with CAP_PERFMON serves every session and all tasks.  Any other serves the
 * sessions of its opener's user, and only tasks that they could trace (SYSPROF_IOC_TRACEABLE).  The
 * table is kept until the last of its sessions is closed.  -EEXIST if this build-id has a table,
 * -EINVAL for an invalid table, -ENOSPC beyond module parameter table_limit_mib.  Frames found by a
 * table are looked up like all others: a value in no executable mapping is not reported.
 *
 * A file states its build-id itself, so a table by build-id may only be made of a file that can be
 * believed.  With SYSPROF_TABLE_OF_FILE a table describes this one file, whose inode is looked up:
 * no other file's stacks depend on it.  It needs no build-id.  A file that nobody has mapped yet
 * gets its id now, except on overlayfs.  If the opener had CAP_PERFMON, only sessions whose openers
 * had it, too, use the table, and no function is found by it (SYSPROF_FEATURE_OTHERS_FUNCTIONS).
 * The table is kept as long as the object's id, at most until no session runs.  A file that is
 * mapped again after it was written to is another object.  -EEXIST if the object has a table for
 * these sessions, -ENOENT if it has no id, -ENOSPC also if who mapped it first is another user,
 * whose files would take more than half of what is left.
 */
struct sysprof_table {
	__u32 size;
	__u32 flags;
	__aligned_u64 table;
	__u32 bytes;
	__u8 build_id_bytes;
	__u8 build_id[SYSPROF_BUILD_ID_BYTES];
	__u8 reserved[7];
	__s32 fd;
	__u32 object;
};

/* struct sysprof_table: for SYSPROF_FEATURE_TABLE_FILE */
#define SYSPROF_TABLE_OF_FILE	(1 << 0)

#define SYSPROF_IOC_TABLE	_IO('P', 0x79)	/* -ENOTTY without SYSPROF_FEATURE_TABLE */

#endif /* _UAPI_SYSPROF_TABLE_H */
