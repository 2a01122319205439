/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on D-Bus, from the call to its reply, as rows of a declared kind (said.h): of the session's
 * bus, and of the system's where that is allowed.
 */
#ifndef SPT_DBUS_H
#define SPT_DBUS_H

#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptDbus SptDbus;

/* Of the session's bus; the caller frees it.  NULL: there is none, and none is started for that. */
char *spt_dbus_session_address(void);
/* Fails if neither can be had.  @said and @threads must outlive it. */
SptDbus *spt_dbus_new(SptSaid *said, const SptThreadIds *threads, GError **error);
/* The recording has begun; what came before is dropped. */
void spt_dbus_begin(SptDbus *dbus);
/* Takes what has come.  Returns how many calls and signals were put. */
uint64_t spt_dbus_step(SptDbus *dbus);
/* Likewise, at the end: calls without a reply are put, too. */
uint64_t spt_dbus_finish(SptDbus *dbus);
/* Messages that were not taken, calls that too many others pushed out. */
uint64_t spt_dbus_lost(const SptDbus *dbus);
/* Why one of the buses is not watched; NULL: both are. */
const char *spt_dbus_unwatched(const SptDbus *dbus);
void spt_dbus_free(SptDbus *dbus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDbus, spt_dbus_free)

G_END_DECLS

#endif
