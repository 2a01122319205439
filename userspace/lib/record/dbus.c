/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reply names the number of its call, which is its caller's own.  Whole calls, and signals, wait
 * for a moment before they are put, until it is known which processes spoke.  What the recorder
 * itself says to buses is no part of the recording.
 */
#include "record/dbus.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "record/bus-monitor.h"
#include "trace/trace.h"

/* Calls without a reply, and what is whole and waits; the oldest give way. */
#define MOST_CALLS 65536u
/* At a step; the rest is for the next one. */
#define MOST_MESSAGES 20000u
/* Processes are asked for when a name is first seen, and threads come with the source's records. */
#define RIPE_NS	   500000000ULL
#define N_BUSES	   2
#define SYSTEM_BUS "unix:path=/run/dbus/system_bus_socket"

struct call {
	SptBusMessage *message;		/* of a call, or a signal */
	uint64_t end_ns, reply_bytes;
	char *server, *error;		/* NULL: there was no reply */
	GList link;			/* in waiting or ripening */
};

struct bus {
	const char *name;
	SptBusMonitor *monitor;		/* NULL: it is not watched */
	GHashTable *calls;		/* "sender serial" -> struct call, which is in @waiting */
	GQueue waiting;			/* by time of the call */
	GQueue ripening;		/* by time of the end */
};

struct SptDbus {
	SptSaid *said;
	const SptThreadIds *threads;
	struct bus buses[N_BUSES];
	uint64_t begin_ns;		/* 0: not yet */
	uint64_t n, lost;
	char *unwatched;
};

static void dbus_call_free(struct call *call)
{
	spt_bus_message_free(call->message);
	g_free(call->server);
	g_free(call->error);
	g_free(call);
}

char *spt_dbus_session_address(void)
{
	const char *address = g_getenv("DBUS_SESSION_BUS_ADDRESS"),
		   *directory = g_getenv("XDG_RUNTIME_DIR");
	g_autofree char *path = directory ? g_build_filename(directory, "bus", NULL) : NULL;

	if (address && *address)
		return g_strdup(address);
	return path && access(path, F_OK) == 0 ? g_strconcat("unix:path=", path, NULL) : NULL;
}

static char *system_address(void)
{
	const char *address = g_getenv("DBUS_SYSTEM_BUS_ADDRESS");

	return g_strdup(address && *address ? address : SYSTEM_BUS);
}

static void dbus_watch(SptDbus *dbus, unsigned i, const char *name, const char *address)
{
	struct bus *bus = &dbus->buses[i];
	g_autoptr(GError) why = NULL;
	char *before = dbus->unwatched;

	bus->name = name;
	bus->calls = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (address)
		bus->monitor = spt_bus_monitor_new(address, &why);
	if (bus->monitor)
		return;
	dbus->unwatched = g_strdup_printf("%s%sthe %s bus: %s", before ? before : "",
					  before ? "; " : "", name,
					  why ? why->message : "there is none");
	g_free(before);
}

SptDbus *spt_dbus_new(SptSaid *said, const SptThreadIds *threads, GError **error)
{
	g_autoptr(SptDbus) dbus = g_new0(SptDbus, 1);
	g_autofree char *session = spt_dbus_session_address(), *system = system_address();

	dbus->said = said;
	dbus->threads = threads;
	dbus_watch(dbus, 0, "session", session);
	dbus_watch(dbus, 1, "system", system);
	if (dbus->buses[0].monitor || dbus->buses[1].monitor)
		return g_steal_pointer(&dbus);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "Cannot listen to D-Bus: %s", dbus->unwatched);
	return NULL;
}

void spt_dbus_begin(SptDbus *dbus)
{
	dbus->begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
}

/* Messages. */

static char *key_of_call(const char *sender, uint32_t serial)
{
	return g_strdup_printf("%s %u", sender, serial);
}

static uint32_t dbus_thread_of(const SptDbus *dbus, uint32_t pid, uint64_t time_ns)
{
	return pid ? spt_thread_ids_find(dbus->threads, pid, time_ns) : 0;
}

/* A server is named as the caller has named it. */
static void dbus_put_call(SptDbus *dbus, struct bus *bus, const struct call *call,
			  uint32_t client_pid)
{
	const SptBusMessage *message = call->message;
	SptSaidCall said = {
		.time = message->time_ns,
		.duration_ns = call->end_ns - MIN(message->time_ns, call->end_ns),
		.name = message->member,
		.bus = bus->name,
		.client = message->sender,
		.server = message->destination,
		.client_pid = client_pid,
		.server_pid = spt_bus_monitor_process(
			bus->monitor, call->server ? call->server : message->destination),
		.bytes = message->bytes,
		.reply_bytes = call->reply_bytes,
		.error = call->error ? call->error : message->no_reply ? "" : "[no reply]",
	};

	said.thread = dbus_thread_of(dbus, client_pid, message->time_ns);
	spt_said_call(dbus->said, &said);
	dbus->n++;
}

static void dbus_put_signal(SptDbus *dbus, struct bus *bus, const SptBusMessage *message,
			    uint32_t sender_pid)
{
	const SptSaidCall said = {
		.time = message->time_ns,
		.name = message->member,
		.bus = bus->name,
		.client = message->sender,
		.server = message->destination,
		.client_pid = sender_pid,
		.bytes = message->bytes,
		.thread = dbus_thread_of(dbus, sender_pid, message->time_ns),
	};

	spt_said_signal(dbus->said, &said);
	dbus->n++;
}

static void dbus_put_first(SptDbus *dbus, struct bus *bus, GQueue *queue)
{
	struct call *call = g_queue_pop_head_link(queue)->data;
	uint32_t pid = spt_bus_monitor_process(bus->monitor, call->message->sender);
	bool is_own = pid && pid == spt_bus_monitor_own_process(bus->monitor);

	if (!is_own && call->message->type == SPT_BUS_SIGNAL)
		dbus_put_signal(dbus, bus, call->message, pid);
	else if (!is_own)
		dbus_put_call(dbus, bus, call, pid);
	dbus_call_free(call);
}

static void dbus_ripen(SptDbus *dbus, struct bus *bus, struct call *call)
{
	g_queue_push_tail_link(&bus->ripening, &call->link);
	if (bus->ripening.length > MOST_CALLS)
		dbus_put_first(dbus, bus, &bus->ripening);
}

static void dbus_begin_call(SptDbus *dbus, struct bus *bus, SptBusMessage *message)
{
	struct call *call = g_new0(struct call, 1), *oldest;
	g_autofree char *key = NULL;

	call->message = message;
	call->end_ns = message->time_ns;
	call->link.data = call;
	if (message->no_reply || message->type == SPT_BUS_SIGNAL) {
		dbus_ripen(dbus, bus, call);
		return;
	}
	if (bus->waiting.length >= MOST_CALLS) {
		oldest = g_queue_pop_head_link(&bus->waiting)->data;
		key = key_of_call(oldest->message->sender, oldest->message->serial);
		g_hash_table_remove(bus->calls, key);
		dbus_call_free(oldest);
		dbus->lost++;
	}
	g_free(key);
	key = key_of_call(message->sender, message->serial);
	/* The numbers of a connection that has begun anew, or lies. */
	oldest = g_hash_table_lookup(bus->calls, key);
	if (oldest) {
		g_queue_unlink(&bus->waiting, &oldest->link);
		dbus_call_free(oldest);
		dbus->lost++;
	}
	g_hash_table_replace(bus->calls, g_steal_pointer(&key), call);
	g_queue_push_tail_link(&bus->waiting, &call->link);
}

/* Of a call from before the recording there is nothing to end. */
static void dbus_end_call(SptDbus *dbus, struct bus *bus, SptBusMessage *reply)
{
	g_autofree char *key = key_of_call(reply->destination, reply->reply_serial);
	struct call *call = g_hash_table_lookup(bus->calls, key);

	if (!call)
		return;
	g_hash_table_remove(bus->calls, key);
	g_queue_unlink(&bus->waiting, &call->link);
	call->end_ns = reply->time_ns;
	call->reply_bytes = reply->bytes;
	call->server = g_steal_pointer(&reply->sender);
	call->error = g_steal_pointer(&reply->error);
	dbus_ripen(dbus, bus, call);
}

static void take_bus_message(SptDbus *dbus, struct bus *bus, SptBusMessage *taken)
{
	g_autoptr(SptBusMessage) message = taken;

	if (!dbus->begin_ns || message->time_ns < dbus->begin_ns)
		return;
	if (message->type == SPT_BUS_CALL || message->type == SPT_BUS_SIGNAL)
		dbus_begin_call(dbus, bus, g_steal_pointer(&message));
	else
		dbus_end_call(dbus, bus, message);
}

static void take_bus(SptDbus *dbus, struct bus *bus)
{
	SptBusMessage *message;

	for (unsigned i = 0; i < MOST_MESSAGES; i++) {
		message = spt_bus_monitor_next(bus->monitor);
		if (!message)
			return;
		take_bus_message(dbus, bus, message);
	}
}

uint64_t spt_dbus_step(SptDbus *dbus)
{
	uint64_t before = dbus->n, now = spt_clock_ns(CLOCK_MONOTONIC);

	for (struct bus *bus = dbus->buses; bus < dbus->buses + N_BUSES; bus++) {
		if (!bus->monitor)
			continue;
		take_bus(dbus, bus);
		while (bus->ripening.length &&
		       ((struct call *)bus->ripening.head->data)->end_ns + RIPE_NS < now)
			dbus_put_first(dbus, bus, &bus->ripening);
	}
	return dbus->n - before;
}

uint64_t spt_dbus_finish(SptDbus *dbus)
{
	uint64_t before = dbus->n, now = spt_clock_ns(CLOCK_MONOTONIC);

	for (struct bus *bus = dbus->buses; bus < dbus->buses + N_BUSES; bus++) {
		if (!bus->monitor)
			continue;
		take_bus(dbus, bus);
		while (bus->ripening.length)
			dbus_put_first(dbus, bus, &bus->ripening);
		g_hash_table_remove_all(bus->calls);
		while (bus->waiting.length) {
			((struct call *)bus->waiting.head->data)->end_ns = now;
			dbus_put_first(dbus, bus, &bus->waiting);
		}
	}
	return dbus->n - before;
}

uint64_t spt_dbus_lost(const SptDbus *dbus)
{
	uint64_t lost = dbus->lost;

	for (unsigned i = 0; i < N_BUSES; i++)
		if (dbus->buses[i].monitor)
			lost += spt_bus_monitor_lost(dbus->buses[i].monitor);
	return lost;
}

const char *spt_dbus_unwatched(const SptDbus *dbus)
{
	return dbus->unwatched;
}

static void dbus_clear_queue(GQueue *queue)
{
	while (queue->length)
		dbus_call_free(g_queue_pop_head_link(queue)->data);
}

void spt_dbus_free(SptDbus *dbus)
{
	if (!dbus)
		return;
	for (struct bus *bus = dbus->buses; bus < dbus->buses + N_BUSES; bus++) {
		spt_bus_monitor_free(bus->monitor);
		g_clear_pointer(&bus->calls, g_hash_table_unref);
		dbus_clear_queue(&bus->waiting);
		dbus_clear_queue(&bus->ripening);
	}
	g_free(dbus->unwatched);
	g_free(dbus);
}
