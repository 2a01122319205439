/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers and stack of a sample, as perf events have them and as the device has them. */
#ifndef SPT_PERF_RAW_H
#define SPT_PERF_RAW_H

#include <glib.h>
#include <linux/perf_event.h>
#include <stdint.h>

#include "sysprof.h"
#include "trace/perf/attr.h"

G_BEGIN_DECLS

/* This machine, as uname has it; "": its registers are not known. */
const char *spt_perf_raw_machine(void);
/* The registers to request, as bits; 0: this machine's are not known. */
uint64_t spt_perf_raw_registers(void);
/*
 * @from: the bytes behind the frames of a sample, up to its end.  Appends a struct sysprof_raw,
 * padded to a multiple of 8 bytes, to @to.  Appends nothing if there is none, if it makes no sense,
 * or for a 32-bit program.  Returns the number of bytes.
 */
uint32_t spt_perf_raw_take(const void *from, size_t bytes, GByteArray *to);

G_END_DECLS

#endif
