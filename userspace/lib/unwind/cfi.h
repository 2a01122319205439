/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: reads .eh_frame and .debug_frame, and reports for each row where each
 * register of the caller is.  The bytes may be hostile.  Bytes that do not parse end their entry,
 * and time and memory stay in proportion to the input.
 */
#ifndef SPT_UNWIND_CFI_H
#define SPT_UNWIND_CFI_H

#include "unwind/arch.h"
#include "unwind/cfi-machine.h"

G_BEGIN_DECLS

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
