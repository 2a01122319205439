/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SESSION_RINGS_H
#define _SYSPROF_SESSION_RINGS_H

#include "delivery.h"

/*
 * Under session->lock, with nobody using the rings: anew, each of @bytes; -ENOSPC beyond the user's
 * cap, or that of all, -ENOMEM, and then there are none.
 */
int sysprof_session_make_rings(struct sysprof_session *session, u32 bytes);
void sysprof_session_free_rings(struct sysprof_session *session);
/* The size of rings for which no size was asked for: less where there are many CPUs. */
#define SYSPROF_DEFAULT_RING_BYTES	(1U << 20)
u32 sysprof_session_default_ring(void);

#endif /* _SYSPROF_SESSION_RINGS_H */
