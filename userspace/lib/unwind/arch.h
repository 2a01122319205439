/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts about a machine that unwinding needs, as data.  Registers have their DWARF numbers. */
#ifndef SPT_UNWIND_ARCH_H
#define SPT_UNWIND_ARCH_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_UNWIND_REGISTERS 33
#define SPT_UNWIND_SAVED_MAX 12		/* callee-saved registers */

typedef struct {
	uint16_t machine;		/* ELF machine number */
	uint8_t n_registers;
	uint8_t sp, fp;
	/* The column of the return address, which may be a register */
	uint8_t ra;
	uint8_t n_saved;
	/* The callee-saved registers, without the stack pointer. */
	uint8_t saved[SPT_UNWIND_SAVED_MAX];
	/* Number of registers in a struct sysprof_raw, and the index of the instruction pointer. */
	uint8_t n_raw, raw_ip;
	uint8_t raw[SPT_UNWIND_REGISTERS];	/* index there of each register */
	/*
	 * expression for the ip in the C library's signal trampoline; empty: any signal frame is
	 * one
	 */
	uint8_t signal_expression[4];
	/* offsets at which the kernel saves each register, from the trampoline's stack pointer */
	int16_t signal[SPT_UNWIND_REGISTERS];
	int16_t signal_ip;
	uint64_t address_mask;		/* removes the signature of a return address */
	/* calls push the return address, instead of leaving it in a register */
	bool calls_push;
} SptUnwindArch;

/* NULL: the machine is not known. */
const SptUnwindArch *spt_unwind_arch(unsigned machine);

G_END_DECLS

#endif
