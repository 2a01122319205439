/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom threads worked for: the time of a server, charged to its clients, which are processes.
 *
 * A thread works for its own process until another one wakes it from a sleep.  Of two processes
 * that wake each other, the server is the one that does so with more processes; with as many, the
 * one that was woken first.  Who is woken and never wakes back is a server, too.
 *
 * - A server that a client wakes works for the same process as the client.
 * - A client that its server wakes goes on as before.  What the server did since it was woken, or
 *   since it woke a client last, was for this one as long as this one slept: the server may have
 *   found his request without having slept.
 * - A thread that one of its own process wakes works for the same process as that one; but both go
 *   on as before if they wake each other, and each does so with as many other threads, at least two
 *   in all: they share a lock.
 * - A thread that a timer, an interrupt or nobody known wakes works for its own process; but a wait
 *   that is not a sleep (a disk, a lock of the kernel, a stop) changes nothing.
 * - During a call on D-Bus all threads of the process that answers it work for the process
 *   that the caller worked for then; of several calls, for the one that is answered next.
 *
 * So each moment of a thread is charged to exactly one process.
 */
#ifndef SPT_CLIENTS_H
#define SPT_CLIENTS_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* What to record instead, for messages; NULL: there is something that shows hand-overs. */
const char *spt_clients_lack(const SptCapture *capture);
/* Whether not every wait was recorded, so that hand-overs are missing. */
bool spt_clients_are_thinned(const SptCapture *capture);
/* Whether of any wait it is known which thread ended it. */
bool spt_clients_have_wakers(const SptCapture *capture);
/* A thread of the process that @thread worked for at @time; itself, if for no other one. */
uint32_t spt_client_of(const SptCapture *capture, uint32_t thread, uint64_t time);

G_END_DECLS

#endif
