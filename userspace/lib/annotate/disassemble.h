/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code as text. */
#ifndef SPT_DISASSEMBLE_H
#define SPT_DISASSEMBLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/*
 * GArray of SptInstruction with address, bytes, target and text; @code is of an ELF machine (EM_*)
 * of @bits, 32 or 64.  What is no instruction is shown as data.  NULL, and in @ret_problem why.
 */
GArray *spt_disassemble(uint16_t machine, unsigned bits, const uint8_t *code, size_t bytes,
			uint64_t address, const char **ret_problem);

/* From now on x86 is written as Intel does, destination first, instead of as AT&T do. */
void spt_disassemble_as_intel(void);

G_END_DECLS

#endif
