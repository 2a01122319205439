/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listens to all messages of a D-Bus bus (BecomeMonitor), in a thread of its own, and finds out
 * which process each connection is.  What others send is copied in part, and bounded.
 */
#ifndef SPT_BUS_MONITOR_H
#define SPT_BUS_MONITOR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptBusMonitor SptBusMonitor;

typedef enum {
	SPT_BUS_CALL,
	SPT_BUS_REPLY,
	SPT_BUS_ERROR,
	SPT_BUS_SIGNAL,
} SptBusMessageType;

/* Texts are "" if there is none. */
typedef struct {
	uint64_t time_ns;		/* when the monitor had it: CLOCK_MONOTONIC */
	SptBusMessageType type;
	bool no_reply;			/* of a call: none is wanted */
	uint32_t serial, reply_serial;
	uint64_t bytes;			/* the whole message */
	char *sender, *destination;
	char *member;			/* with its interface */
	char *error;			/* its name */
} SptBusMessage;

void spt_bus_message_free(SptBusMessage *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptBusMessage, spt_bus_message_free)

/* @address: as D-Bus has it. */
SptBusMonitor *spt_bus_monitor_new(const char *address, GError **error);
/* The next message, in the order in which the bus passed them on; NULL: there is none now. */
SptBusMessage *spt_bus_monitor_next(SptBusMonitor *monitor);
/*
 * The process that has the connection @name (":1.5", or the bus's own name); 0: it is not known
 * yet, or cannot be.
 */
uint32_t spt_bus_monitor_process(SptBusMonitor *monitor, const char *name);
/* This process, as the bus numbers it; 0: that is not known yet. */
uint32_t spt_bus_monitor_own_process(SptBusMonitor *monitor);
/* Messages that came while too many waited. */
uint64_t spt_bus_monitor_lost(SptBusMonitor *monitor);
void spt_bus_monitor_free(SptBusMonitor *monitor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptBusMonitor, spt_bus_monitor_free)

G_END_DECLS

#endif
