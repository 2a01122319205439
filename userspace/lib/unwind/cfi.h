/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: reads .eh_frame and .debug_frame and reports, row by row, where each
 * register of the caller is.  The bytes are hostile: whatever does not parse ends its entry, and
 * time and memory stay in proportion to them.
 */
#ifndef SPT_UNWIND_CFI_H
#define SPT_UNWIND_CFI_H

#include "unwind/arch.h"

G_BEGIN_DECLS

typedef enum {
	SPT_CFI_UNSPECIFIED = 0,	/* nothing is said: what the calling convention says */
	SPT_CFI_SAME,
	SPT_CFI_UNDEFINED,
	SPT_CFI_AT_CFA,			/* in memory, @value from the CFA */
	SPT_CFI_IN_REGISTER,		/* in register @value */
	SPT_CFI_AT_EXPRESSION,		/* in memory where @expression says */
	SPT_CFI_OTHER,			/* something that is of no use here */
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

/* What holds from an address on. */
typedef struct {
	bool has_cfa;
	uint64_t cfa_register;
	int64_t cfa_offset;
	SptCfiExpression cfa;		/* if it has bytes, instead of register and offset */
	SptCfiRegister saved[SPT_UNWIND_SAVED_MAX];	/* as arch->saved */
	SptCfiRegister ra;
} SptCfiRow;

typedef struct {
	const uint8_t *bytes;
	size_t n;
	uint64_t address;		/* of the first byte, in the ELF's own address space */
	bool is_debug_frame;
} SptCfiSection;

typedef struct {
	/* A function, [start, end).  False: its rows are not of interest. */
	bool (*function)(uint64_t start, uint64_t end, bool is_signal, void *data);
	/* Its rows, by rising addresses, each below its end; the last one of an address counts. */
	void (*row)(uint64_t address, const SptCfiRow *row, void *data);
	void *data;
} SptCfiSink;

void spt_cfi_read(const SptCfiSection *section, const SptUnwindArch *arch, const SptCfiSink *sink);

G_END_DECLS

#endif
