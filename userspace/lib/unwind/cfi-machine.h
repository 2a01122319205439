/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter of call frame information: what its instructions say where each register of the
 * caller is.  It trusts no bytes, allocates nothing and calls no library, as it also runs inside of
 * programs that are recorded (userspace/preload), where rows have fewer registers.
 */
#ifndef SPT_UNWIND_CFI_MACHINE_H
#define SPT_UNWIND_CFI_MACHINE_H

#include <stddef.h>

#include "base/bytes.h"

/* Most registers of a row, besides the return address. */
#ifndef SPT_CFI_SAVED_MAX
#define SPT_CFI_SAVED_MAX 12
#endif

typedef enum {
	SPT_CFI_UNSPECIFIED = 0,	/* not given: the calling convention holds */
	SPT_CFI_SAME,
	SPT_CFI_UNDEFINED,
	SPT_CFI_AT_CFA,			/* in memory, @value from the CFA */
	SPT_CFI_IN_REGISTER,		/* in register @value */
	SPT_CFI_AT_EXPRESSION,		/* in memory, at the address that @expression gives */
	SPT_CFI_OTHER,			/* not used here */
} SptCfiWhere;

typedef struct {
	const uint8_t *bytes;
	size_t n;
} SptCfiExpression;

typedef struct {
	SptCfiWhere where;
	int64_t value;
	SptCfiExpression expression;
} SptCfiRegister;

/* The rules that hold from an address on. */
typedef struct {
	bool has_cfa;
	uint64_t cfa_register;
	int64_t cfa_offset;
	SptCfiExpression cfa;		/* if it has bytes, it replaces register and offset */
	SptCfiRegister saved[SPT_CFI_SAVED_MAX];	/* as in SptCfiRegisters */
	SptCfiRegister ra;
} SptCfiRow;

/* DWARF's numbers of the registers of a row; others are not followed. */
typedef struct {
	const uint8_t *saved;
	uint8_t n_saved;
	uint8_t ra;			/* the column of the return address */
} SptCfiRegisters;

/* A CIE: what several functions have in common. */
typedef struct {
	uint64_t code_align;
	int64_t data_align;
	struct spt_bytes program;	/* the instructions that come before each function's own */
	uint8_t encoding;		/* of addresses */
	bool has_augmentation_data, is_signal;
	bool is_bad;			/* its functions cannot be read */
} SptCfiCommon;

typedef struct {
	const SptCfiRegisters *registers;
	const SptCfiCommon *common;
	uint64_t shift;			/* from where bytes are to their own address */
	SptCfiRow *row;
	const SptCfiRow *initial;	/* behind the common instructions; there, row itself */
	SptCfiRow *remembered;		/* room for some */
	unsigned most_remembered, n_remembered;
	uint64_t location;		/* from which address on the row holds */
} SptCfiMachine;

typedef enum {
	SPT_CFI_MOVES,			/* the row is complete: the next one begins at *ret_to */
	SPT_CFI_ENDS,			/* there are no more instructions */
	SPT_CFI_IS_INVALID,		/* nothing is known from there on */
} SptCfiStep;

/* Reads a CIE from behind its id. */
void spt_cfi_read_common(struct spt_bytes body, const SptCfiRegisters *registers,
			 SptCfiCommon *ret);
/*
 * An address, or a length without a base, that is stored as @encoding says; @shift is as in
 * SptCfiMachine.
 */
uint64_t spt_cfi_take_address(struct spt_bytes *from, uint8_t encoding, bool is_length,
			      uint64_t shift);
/*
 * Executes instructions up to the next one that moves the location, which is the caller's to
 * change.
 */
SptCfiStep spt_cfi_run(SptCfiMachine *machine, struct spt_bytes *code, uint64_t *ret_to);

#endif
