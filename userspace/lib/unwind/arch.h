/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What unwinding has to know of a machine, as data.  Registers have the numbers of DWARF. */
#ifndef SPT_UNWIND_ARCH_H
#define SPT_UNWIND_ARCH_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_UNWIND_REGISTERS 33
#define SPT_UNWIND_SAVED_MAX 12		/* registers that a function has to keep */

typedef struct {
	uint16_t machine;		/* ELF machine number */
	uint8_t n_registers;
	uint8_t sp, fp;
	/* The column of the return address, which may be a register */
	uint8_t ra;
	uint8_t n_saved;
	/* What callers can rely on, but for the stack pointer */
	uint8_t saved[SPT_UNWIND_SAVED_MAX];
	/* Registers in a struct sysprof_raw, and which of them is the instruction pointer */
	uint8_t n_raw, raw_ip;
	uint8_t raw[SPT_UNWIND_REGISTERS];	/* which of them each register is */
	/*
	 * how the C library's way back from a signal handler finds the ip; empty: any signal frame
	 * is one
	 */
	uint8_t signal_expression[4];
	/*
	 * where the kernel keeps each register meanwhile, from the stack pointer of that way back
	 */
	int16_t signal[SPT_UNWIND_REGISTERS];
	int16_t signal_ip;
	uint64_t address_mask;		/* of return addresses: without their signature */
	bool calls_push;		/* their way back, instead of leaving it in a register */
} SptUnwindArch;

/* NULL: not one of those that are known. */
const SptUnwindArch *spt_unwind_arch(unsigned machine);

G_END_DECLS

#endif
