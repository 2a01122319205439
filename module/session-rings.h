/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the rings of a session, as large as its user may have them. */
#ifndef _SYSPROF_SESSION_RINGS_H
#define _SYSPROF_SESSION_RINGS_H

#include "delivery.h"

/*
 * Makes the rings anew, each of @bytes.  On -ENOSPC (the limit of the user, or of all users) and
 * -ENOMEM there are none.  Under session->lock; nobody uses the rings.
 */
int sysprof_session_make_rings(struct sysprof_session *session, u32 bytes);
void sysprof_session_free_rings(struct sysprof_session *session);
/* Size of the rings if none was requested: less on machines with many CPUs. */
#define SYSPROF_DEFAULT_RING_BYTES	(1U << 20)
u32 sysprof_session_default_ring(void);

/*
 * What the session needs for names of scripts' code.  make(): 0 also if there is such memory
 * already.
 */
int sysprof_session_make_sent(struct sysprof_session *session);
void sysprof_session_free_sent(struct sysprof_session *session);

#endif /* _SYSPROF_SESSION_RINGS_H */
