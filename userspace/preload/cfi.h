/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call frame information of .eh_frame, found by .eh_frame_hdr. */
#ifndef SPT_PRELOAD_CFI_H
#define SPT_PRELOAD_CFI_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The rule for @address; @pc: the return address or instruction itself.  False: no entry covers it.
 */
bool spt_cfi_rule(const uint8_t *eh_frame_hdr, uint64_t address, uint64_t pc, uint64_t *ret_rule);

#endif
