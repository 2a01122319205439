/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves to the device which processes the kernel lets this user trace.  Without that, a session
 * without privilege gets no copies of their stacks (struct sysprof_traceable).
 */
#ifndef SPT_TRACE_TRACEABLE_H
#define SPT_TRACE_TRACEABLE_H

#include <glib.h>
#include <stdbool.h>

#include "sysprof.h"

G_BEGIN_DECLS

typedef struct SptTraceable SptTraceable;

/* NULL: @fd needs no proof, since it sees everything or the module is too old to ask. */
SptTraceable *spt_traceable_new(int fd);
void spt_traceable_free(SptTraceable *traceable);

/*
 * Proves the process of @record, if that reports a new address space.  True: the module accepted
 * it, and reports more of it from now on.
 */
bool spt_traceable_take(SptTraceable *traceable, const struct sysprof_record *record);

G_END_DECLS

#endif
