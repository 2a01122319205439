/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Unwind tables of /dev/sysprof-trace, version 1: how to get from a function to its caller, for
 * every instruction of an object.  One is a block of bytes in the byte order of the machine:
 *
 *	struct sysprof_table_header
 *	__u32 offsets[n_rows]		strictly rising: where a row begins, as an offset in the file; it holds up to the next one
 *	__u16 rules[n_rows]		which rule it has, below n_rules
 *	zeros up to a multiple of 8
 *	struct sysprof_table_rule[n_rules]	the first one is SYSPROF_CFA_UNKNOWN, and so is that of the last row
 *	__u32 starts[n_starts]		strictly rising: where a function begins, as an offset in the file
 *	zeros up to a multiple of 8
 *
 * A place of which a row tells with another rule than SYSPROF_CFA_UNKNOWN, and no guess, is of the
 * function with the last start at or before it.  Without starts nothing is said of functions.
 *
 * Registers have the numbers that DWARF gives them.  The CFA (canonical frame address) is what the
 * caller's stack pointer will be.
 */
#ifndef _UAPI_SYSPROF_TABLE_H
#define _UAPI_SYSPROF_TABLE_H

#include "sysprof.h"

#define SYSPROF_TABLE_MAGIC	0x57545053u	/* "SPTW" */
#define SYSPROF_TABLE_VERSION	3
#define SYSPROF_TABLE_MAX_BYTES	(16U << 20)
#define SYSPROF_TABLE_SAVED	12

/**
 * struct sysprof_table_header - what a table begins with
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
	SYSPROF_CFA_UNKNOWN	= 0,	/* no way to go on from here */
	SYSPROF_CFA_REGISTER	= 1,	/* cfa_register + cfa_offset */
	SYSPROF_CFA_MEMORY	= 2,	/* the word at that address, + cfa_add */
	/* The word at that address + 8 * index_register, + cfa_add */
	SYSPROF_CFA_INDEXED	= 3,
	/* cfa_register + cfa_offset, + 8 in the last bytes of 16: from plt_from on */
	SYSPROF_CFA_PLT		= 4,
	/* The way back from a signal handler: all registers are in the kernel's frame */
	SYSPROF_CFA_SIGNAL	= 5,
};

enum sysprof_table_ra {
	SYSPROF_RA_NONE		= 0,	/* there is no caller: a thread starts here */
	SYSPROF_RA_MEMORY	= 1,	/* the word at CFA + ra_offset */
	SYSPROF_RA_REGISTER	= 2,	/* ra_register */
};

/**
 * struct sysprof_table_rule - how to get to the caller
 * @cfa: enum sysprof_table_cfa
 * @cfa_register: see there
 * @ra: enum sysprof_table_ra: where the return address is
 * @ra_register: see there
 * @plt_from: SYSPROF_CFA_PLT
 * @index_register: SYSPROF_CFA_INDEXED
 * @is_guess: SYSPROF_CFA_REGISTER, SYSPROF_CFA_MEMORY: not 0: nobody has told it, the code was
 *	followed: nor does anybody tell where the function begins
 * @is_signal: 1: the caller was interrupted, not called: its instruction pointer is exact
 * @lost: bits, by index in the list of registers that a function has to keep (x86-64: 3 6 12 13 14
 *	15; AArch64: 19 to 29): not known in the caller.  One that is in none of the three has its
 *	value still
 * @at_cfa: bits: in memory, 8 * saved[] from the CFA
 * @at_fp: bits: 8 * saved[] from where the frame pointer points here
 * @cfa_offset: see enum sysprof_table_cfa
 * @cfa_add: see there
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
 * @flags: 0
 * @table: address of the table
 * @bytes: of it, at most SYSPROF_TABLE_MAX_BYTES
 * @build_id_bytes: at least 8
 * @build_id: of the objects it is for, whenever they turn up
 * @reserved: 0
 *
 * A table of an opener with CAP_PERFMON serves every session and all tasks.  Any other serves the
 * sessions of its opener's user, and only tasks that they could trace (SYSPROF_IOC_TRACEABLE).  It
 * is kept until the last session of those it belongs to is closed.  -EEXIST if there is one for
 * this build-id, -EINVAL for what is no table, -ENOSPC beyond module parameter table_limit_mib.
 * Frames that a table leads to are looked up like all others: what lies in no executable mapping is
 * not told.
 */
struct sysprof_table {
	__u32 size;
	__u32 flags;
	__aligned_u64 table;
	__u32 bytes;
	__u8 build_id_bytes;
	__u8 build_id[SYSPROF_BUILD_ID_BYTES];
	__u8 reserved[7];
};

#define SYSPROF_IOC_TABLE	_IO('P', 0x79)	/* -ENOTTY without SYSPROF_FEATURE_TABLE */

#endif /* _UAPI_SYSPROF_TABLE_H */
