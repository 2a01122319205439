/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code as text. */
#ifndef SPT_DISASSEMBLE_H
#define SPT_DISASSEMBLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/*
 * Returns a GArray of SptInstruction with address, bytes, target and text.  @code is of an ELF
 * machine (EM_*) with @bits, 32 or 64.  Bytes that are no instruction are shown as data.  NULL:
 * @ret_problem says why.
 */
GArray *spt_disassemble(uint16_t machine, unsigned bits, const uint8_t *code, size_t bytes,
			uint64_t address, const char **ret_problem);

/* Writes x86 in Intel's syntax from now on, destination first, instead of AT&T's. */
void spt_disassemble_as_intel(void);

G_END_DECLS

#endif
