/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A door for those that fetch: /debug/pprof/profile?seconds=N and others with profiles of pprof,
 * and /metrics with the agent's own counts, as Prometheus reads them.  POST /capture keeps what was
 * recorded last (spt_agent_capture()), for callers with the token alone.  All else but GET is
 * refused.  A bounded number is answered at a time.  Where the loopback alone leads to it, requests
 * for other names are refused (spt_door_is_named()).
 */
#ifndef SPT_AGENT_DOOR_H
#define SPT_AGENT_DOOR_H

#include "agent/agent.h"

G_BEGIN_DECLS

typedef struct SptDoor SptDoor;

/* Appends metrics of the recording to @to, in any thread. */
typedef void (*SptDoorMetrics)(GString *to, void *data);

/*
 * @address: "PORT" on this machine only, "HOST:PORT" or "[HOST]:PORT".  @token: NULL, or a file
 * whose first line callers have to send as a bearer token.  NULL: with a sentence.
 */
SptDoor *spt_door_new(const char *address, const char *token, SptAgent *agent,
		      SptDoorMetrics metrics, void *data, GError **error);
/* After the agent's end has begun: who waits is answered. */
void spt_door_free(SptDoor *door);
/*
 * Whether a door that is open to this machine alone takes a request with the header
 * "Host: @header": as localhost, an address of the loopback, or @name.  NULL: without one, as no
 * browser asks.
 */
bool spt_door_is_named(const char *name, const char *header);
/* The port it has, also if 0 was asked for. */
unsigned spt_door_port(const SptDoor *door);

G_END_DECLS

#endif
