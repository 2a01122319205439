/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends the sessions that a user has with the module. */
#ifndef SPT_TRACE_REVOKE_H
#define SPT_TRACE_REVOKE_H

#include <stdint.h>

/* 0, with the number of sessions that ended, or an errno; ENODEV: the module is not loaded. */
int spt_trace_revoke(uint32_t uid, unsigned *ret_sessions);
#endif
