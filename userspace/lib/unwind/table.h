/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get from a function to its caller, for every instruction of an object: .eh_frame, or .debug_frame, compiled into a table
 * that is looked up by a binary search.
 *
 * The table is one block of bytes, in the byte order of the machine, without pointers, fit to be kept in a file or to be handed to
 * somebody who checks it as spt_unwind_table_new_from_bytes() does:
 *
 *	SptUnwindHeader
 *	uint32_t offsets[n_rows]	strictly rising: where a row begins, as an offset in the file; it holds up to the next one
 *	uint16_t rules[n_rows]		which rule it has, below n_rules
 *	zeros up to a multiple of 8
 *	SptUnwindRule[n_rules]		each once; the first one is "nothing is known", and so is that of the last row
 *
 * Code beyond 4 GiB of a file has no rows.
 */
#ifndef SPT_UNWIND_TABLE_H
#define SPT_UNWIND_TABLE_H

#include "object/object.h"
#include "unwind/arch.h"

G_BEGIN_DECLS

#define SPT_UNWIND_MAGIC 0x57545053u	/* "SPTW" */
#define SPT_UNWIND_VERSION 2

typedef struct {
	uint32_t magic;
	uint16_t version;
	uint16_t machine;		/* ELF machine number */
	uint32_t n_rows, n_rules;
} SptUnwindHeader;

/* The CFA (canonical frame address) is what the caller's stack pointer will be. */
typedef enum {
	SPT_CFA_UNKNOWN = 0,		/* no way to go on from here */
	SPT_CFA_REGISTER,		/* cfa_register + cfa_offset */
	SPT_CFA_MEMORY,			/* the word at that address, + cfa_add */
	SPT_CFA_INDEXED,		/* the word at that address + 8 * index_register, + cfa_add */
	SPT_CFA_PLT,			/* cfa_register + cfa_offset, + 8 in the last bytes of 16: from plt_from on */
	SPT_CFA_SIGNAL,			/* the way back from a signal handler: all registers are in the kernel's frame */
} SptCfa;

typedef enum {
	SPT_RA_NONE = 0,		/* there is no caller: a thread starts here */
	SPT_RA_MEMORY,			/* the word at CFA + ra_offset */
	SPT_RA_REGISTER,		/* ra_register */
} SptRa;

typedef struct {
	uint8_t cfa;			/* SptCfa */
	uint8_t cfa_register;
	uint8_t ra;			/* SptRa */
	uint8_t ra_register;
	union {
		uint8_t plt_from;
		uint8_t index_register;
	};
	uint8_t is_signal;		/* 1: the caller was interrupted, not called: its ip is exact */
	/* Bits, by index in the machine's list of registers that a function has to keep; one that is in none has its value still. */
	uint16_t lost;
	uint16_t at_cfa;		/* in memory, 8 * saved[] from the CFA */
	uint16_t at_fp;			/* 8 * saved[] from where the frame pointer points here */
	int32_t cfa_offset, cfa_add, ra_offset;
	int16_t saved[SPT_UNWIND_SAVED_MAX];
} SptUnwindRule;

typedef struct SptUnwindTable SptUnwindTable;

#define SPT_UNWIND_ERROR (spt_unwind_error_quark())
GQuark spt_unwind_error_quark(void);
enum {
	SPT_UNWIND_ERROR_NO_INFO,	/* the object has none, or is for another machine */
	SPT_UNWIND_ERROR_BAD_TABLE,
};

/* Compiles the object's information, which takes some 10 ms a MiB.  Any thread. */
SptUnwindTable *spt_unwind_table_new(const SptObject *object, GError **error);
/* The same with the .debug_frame of @debug, the object's separate debug file or NULL, for functions of which the object says nothing. */
SptUnwindTable *spt_unwind_table_new_with_debug(const SptObject *object, const SptObject *debug, GError **error);
/* Takes a reference of @bytes once they are found to be a table as described above. */
SptUnwindTable *spt_unwind_table_new_from_bytes(GBytes *bytes, GError **error);
SptUnwindTable *spt_unwind_table_ref(SptUnwindTable *table);
void spt_unwind_table_unref(SptUnwindTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwindTable, spt_unwind_table_unref)

/* Whether most of the code keeps a frame pointer, so that a walk along frame pointers finds its callers. */
bool spt_unwind_table_keeps_frame_pointer(const SptUnwindTable *table);
/* Owned by the table. */
GBytes *spt_unwind_table_bytes(const SptUnwindTable *table);
const SptUnwindHeader *spt_unwind_table_header(const SptUnwindTable *table);
/* The rule at an offset in the file; never NULL, maybe that of SPT_CFA_UNKNOWN.  Lives as long as the table. */
const SptUnwindRule *spt_unwind_table_find(const SptUnwindTable *table, uint64_t offset);

G_END_DECLS

#endif
