/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on D-Bus, which a recording has as events of a kind "dbus", by what was called. */
#ifndef SPT_BUS_CALLS_H
#define SPT_BUS_CALLS_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	const char *bus, *name, *server; /* name: of the member; server: as the callers named it */
	uint64_t n, n_errors;		/* errors: those without a reply, too */
	uint64_t sum_ns, median_ns, p99_ns, most_ns;
	uint64_t bytes;			/* of calls and replies */
} SptBusCalls;

/* One of them.  Client: the connection's name, "" if it is not known. */
typedef struct {
	uint64_t time, duration_ns;
	uint64_t bytes, reply_bytes;
	uint32_t thread;		/* of the client, in the capture; 0: not known */
	uint32_t server_pid;		/* 0: not known */
	char *bus, *name, *client, *server, *error;
} SptBusCall;

bool spt_bus_calls_are_in(const SptCapture *capture);
/*
 * SptBusCalls, the longest sum first, of calls by threads and at times of @filter (NULL: any); to
 * be unreferenced.  Texts are interned; beyond 65,536 rows the others are one.
 */
GArray *spt_bus_calls(const SptCapture *capture, const SptFilter *filter);
/* SptBusCall by time, the first @most of the same calls; an array that clears itself. */
GArray *spt_bus_call_list(const SptCapture *capture, const SptFilter *filter, unsigned most,
			  uint64_t *ret_n_more);

G_END_DECLS

#endif
