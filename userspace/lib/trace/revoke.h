/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends what a user records of others: sessions of the module, and root's openers of perf events. */
#ifndef SPT_TRACE_REVOKE_H
#define SPT_TRACE_REVOKE_H

#include <stdint.h>

/* 0, with the number of sessions that ended, or an errno; ENODEV: the module is not loaded. */
int spt_trace_revoke(uint32_t uid, unsigned *ret_sessions);
/* Returns how many of root's openers there were. */
unsigned spt_trace_end_openers(uint32_t uid);

#endif
