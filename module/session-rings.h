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

#endif /* _SYSPROF_SESSION_RINGS_H */
