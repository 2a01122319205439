/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: reads .eh_frame and .debug_frame, and reports for each row where each
 * register of the caller is.  The bytes may be hostile.  Bytes that do not parse end their entry,
 * and time and memory stay in proportion to the input.
 */
#ifndef SPT_UNWIND_CFI_H
#define SPT_UNWIND_CFI_H

#include "unwind/arch.h"

G_BEGIN_DECLS

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
	/* A function, [start, end).  False: skip its rows. */
	bool (*function)(uint64_t start, uint64_t end, bool is_signal, void *data);
	/*
	 * Its rows, by rising addresses below its end.  If several have one address, the last one
	 * counts.
	 */
	void (*row)(uint64_t address, const SptCfiRow *row, void *data);
	void *data;
} SptCfiSink;

void spt_cfi_read(const SptCfiSection *section, const SptUnwindArch *arch, const SptCfiSink *sink);

G_END_DECLS

#endif
