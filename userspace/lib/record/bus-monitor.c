/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two connections: one becomes the monitor, which may send nothing any more; the other one asks
 * whose connections there are.  GDBus calls both filters in its own thread.
 */
#include "record/bus-monitor.h"

#include "base/clock.h"
#include "record/bus-library.h"

#define BUS_NAME "org.freedesktop.DBus"
#define BUS_PATH "/org/freedesktop/DBus"
/* Messages that wait for the recorder, and connections whose processes are known. */
#define MOST_MESSAGES 65536
#define MOST_NAMES    16384
#define ANSWER_MS     5000

static SptBusLibrary gio;

struct SptBusMonitor {
	char *address;
	GThread *thread;
	GMainContext *context;
	GDBusConnection *asks, *listens;
	GAsyncQueue *messages;
	int is_over;			/* atomic */
	GMutex mutex;			/* of the rest */
	GCond changed;
	bool has_begun;
	GError *failure;
	GHashTable *processes;		/* name -> pid */
	GHashTable *questions;		/* serial -> name whose process was asked for */
	uint64_t lost;
};

void spt_bus_message_free(SptBusMessage *message)
{
	if (!message)
		return;
	g_free(message->sender);
	g_free(message->destination);
	g_free(message->member);
	g_free(message->error);
	g_free(message);
}

/* Processes. */

/*
 * From the thread in which the name came: a program that asks one thing soon ends, and the bus with
 * it forgets whose connection that was.
 */
static void bus_ask_process(SptBusMonitor *monitor, const char *name)
{
	GDBusMessage *question = gio.g_dbus_message_new_method_call(
		BUS_NAME, BUS_PATH, BUS_NAME, "GetConnectionUnixProcessID");
	guint32 serial = 0;

	gio.g_dbus_message_set_body(question, g_variant_new("(s)", name));
	/* The answer waits for the mutex, too. */
	g_mutex_lock(&monitor->mutex);
	if (gio.g_dbus_connection_send_message(monitor->asks, question,
					       G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, NULL))
		g_hash_table_insert(monitor->questions, GUINT_TO_POINTER(serial), g_strdup(name));
	g_mutex_unlock(&monitor->mutex);
	gio.g_object_unref(question);
}

/* Whose connection that is; NULL or an error: who has exited by now stays unknown. */
static void bus_take_process(SptBusMonitor *monitor, char *name, GVariant *body)
{
	uint32_t pid;

	if (!body || !g_variant_is_of_type(body, G_VARIANT_TYPE("(u)"))) {
		g_free(name);
		return;
	}
	g_variant_get(body, "(u)", &pid);
	g_hash_table_replace(monitor->processes, name, GUINT_TO_POINTER(pid));
}

static GDBusMessage *bus_take_answer(G_GNUC_UNUSED GDBusConnection *asks, GDBusMessage *from,
				     gboolean is_incoming, void *data)
{
	SptBusMonitor *monitor = data;
	gpointer serial = GUINT_TO_POINTER(gio.g_dbus_message_get_reply_serial(from)), name = NULL;

	if (!is_incoming || !serial)
		return from;
	g_mutex_lock(&monitor->mutex);
	if (g_hash_table_steal_extended(monitor->questions, serial, NULL, &name))
		bus_take_process(monitor, name, gio.g_dbus_message_get_body(from));
	g_mutex_unlock(&monitor->mutex);
	if (!name)
		return from;
	gio.g_object_unref(from);
	return NULL;
}

static void bus_look_for(SptBusMonitor *monitor, const char *name)
{
	bool is_new;

	if (*name != ':' && strcmp(name, BUS_NAME) != 0)
		return;
	g_mutex_lock(&monitor->mutex);
	is_new = g_hash_table_size(monitor->processes) < MOST_NAMES &&
		 !g_hash_table_contains(monitor->processes, name);
	if (is_new)
		g_hash_table_insert(monitor->processes, g_strdup(name), GUINT_TO_POINTER(0));
	g_mutex_unlock(&monitor->mutex);
	if (is_new)
		bus_ask_process(monitor, name);
}

/* Who is there already. */
static void bus_look_for_all(SptBusMonitor *monitor)
{
	g_autoptr(GVariant) answer = gio.g_dbus_connection_call_sync(
		monitor->asks, BUS_NAME, BUS_PATH, BUS_NAME, "ListNames", NULL,
		G_VARIANT_TYPE("(as)"), G_DBUS_CALL_FLAGS_NONE, ANSWER_MS, NULL, NULL);
	g_autoptr(GVariantIter) names = NULL;
	const char *name;

	bus_look_for(monitor, BUS_NAME);
	if (!answer)
		return;
	g_variant_get(answer, "(as)", &names);
	while (g_variant_iter_next(names, "&s", &name))
		bus_look_for(monitor, name);
}

/* Messages. */

static char *bus_copy_text(const char *text)
{
	return g_strdup(text ? text : "");
}

static bool bus_is_of(GDBusConnection *connection, const char *name)
{
	const char *own = gio.g_dbus_connection_get_unique_name(connection);

	return name && own && strcmp(name, own) == 0;
}

static uint64_t bus_bytes_of(GDBusMessage *message)
{
	g_autofree unsigned char *blob = NULL;
	size_t bytes = 0;

	blob = gio.g_dbus_message_to_blob(message, &bytes, G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING,
				      NULL);
	return blob ? bytes : 0;
}

static SptBusMessage *bus_copy_message(GDBusMessage *from)
{
	static const SptBusMessageType types[] = {
		[G_DBUS_MESSAGE_TYPE_METHOD_CALL] = SPT_BUS_CALL,
		[G_DBUS_MESSAGE_TYPE_METHOD_RETURN] = SPT_BUS_REPLY,
		[G_DBUS_MESSAGE_TYPE_ERROR] = SPT_BUS_ERROR,
		[G_DBUS_MESSAGE_TYPE_SIGNAL] = SPT_BUS_SIGNAL,
	};
	GDBusMessageType type = gio.g_dbus_message_get_message_type(from);
	const char *interface = gio.g_dbus_message_get_interface(from),
		   *member = gio.g_dbus_message_get_member(from);
	SptBusMessage *message;

	if (type == G_DBUS_MESSAGE_TYPE_INVALID || (unsigned)type >= G_N_ELEMENTS(types))
		return NULL;
	message = g_new0(SptBusMessage, 1);
	message->time_ns = spt_clock_ns(CLOCK_MONOTONIC);
	message->type = types[type];
	message->no_reply = gio.g_dbus_message_get_flags(from) &
			    G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED;
	message->serial = gio.g_dbus_message_get_serial(from);
	message->reply_serial = gio.g_dbus_message_get_reply_serial(from);
	message->bytes = bus_bytes_of(from);
	message->sender = bus_copy_text(gio.g_dbus_message_get_sender(from));
	message->destination = bus_copy_text(gio.g_dbus_message_get_destination(from));
	message->member = interface ? g_strconcat(interface, ".", member, NULL) :
				      bus_copy_text(member);
	message->error = bus_copy_text(gio.g_dbus_message_get_error_name(from));
	return message;
}

/* Nothing goes on to GDBus, which would answer calls. */
static GDBusMessage *bus_take_message(GDBusConnection *listens, GDBusMessage *from,
				      gboolean is_incoming, void *data)
{
	SptBusMonitor *monitor = data;
	const char *sender = gio.g_dbus_message_get_sender(from),
		   *destination = gio.g_dbus_message_get_destination(from);
	SptBusMessage *message;

	/* Until it is a monitor, its own messages are to reach it. */
	if (!is_incoming || bus_is_of(listens, sender) || bus_is_of(listens, destination))
		return from;
	if (!bus_is_of(monitor->asks, sender) && !bus_is_of(monitor->asks, destination)) {
		message = g_async_queue_length(monitor->messages) < MOST_MESSAGES ?
				  bus_copy_message(from) : NULL;
		if (message) {
			bus_look_for(monitor, message->sender);
			bus_look_for(monitor, message->destination);
			g_async_queue_push(monitor->messages, message);
		} else {
			g_mutex_lock(&monitor->mutex);
			monitor->lost++;
			g_mutex_unlock(&monitor->mutex);
		}
	}
	gio.g_object_unref(from);
	return NULL;
}

/* The thread. */

static GDBusConnection *bus_connect_to(const char *address, GError **error)
{
	GDBusConnection *connection = gio.g_dbus_connection_new_for_address_sync(
		address,
		G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
			G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
		NULL, NULL, error);

	if (connection)
		gio.g_dbus_connection_set_exit_on_close(connection, FALSE);
	return connection;
}

static bool begin_to_listen(SptBusMonitor *monitor, GError **error)
{
	g_autoptr(GVariant) answer = NULL;

	monitor->asks = bus_connect_to(monitor->address, error);
	if (monitor->asks)
		monitor->listens = bus_connect_to(monitor->address, error);
	if (!monitor->listens)
		return false;
	gio.g_dbus_connection_add_filter(monitor->asks, bus_take_answer, monitor, NULL);
	gio.g_dbus_connection_add_filter(monitor->listens, bus_take_message, monitor, NULL);
	answer = gio.g_dbus_connection_call_sync(monitor->listens, BUS_NAME, BUS_PATH,
					     BUS_NAME ".Monitoring", "BecomeMonitor",
					     g_variant_new("(asu)", NULL, 0), NULL,
					     G_DBUS_CALL_FLAGS_NONE, ANSWER_MS, NULL, error);
	if (answer)
		bus_look_for_all(monitor);
	return answer;
}

static void *listen_to_bus(void *data)
{
	SptBusMonitor *monitor = data;
	GError *failure = NULL;
	bool ok;

	g_main_context_push_thread_default(monitor->context);
	ok = begin_to_listen(monitor, &failure);
	g_mutex_lock(&monitor->mutex);
	monitor->has_begun = true;
	monitor->failure = failure;
	g_cond_signal(&monitor->changed);
	g_mutex_unlock(&monitor->mutex);
	while (ok && !g_atomic_int_get(&monitor->is_over))
		g_main_context_iteration(monitor->context, TRUE);
	if (monitor->listens)
		gio.g_dbus_connection_close_sync(monitor->listens, NULL, NULL);
	if (monitor->asks)
		gio.g_dbus_connection_close_sync(monitor->asks, NULL, NULL);
	g_main_context_pop_thread_default(monitor->context);
	return NULL;
}

SptBusMonitor *spt_bus_monitor_new(const char *address, GError **error)
{
	g_autoptr(SptBusMonitor) monitor = NULL;

	if (!spt_bus_library_load(&gio, error))
		return NULL;
	monitor = g_new0(SptBusMonitor, 1);
	monitor->address = g_strdup(address);
	monitor->context = g_main_context_new();
	monitor->messages = g_async_queue_new_full((GDestroyNotify)spt_bus_message_free);
	monitor->processes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	monitor->questions = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_mutex_init(&monitor->mutex);
	g_cond_init(&monitor->changed);
	monitor->thread = g_thread_new("dbus", listen_to_bus, monitor);
	g_mutex_lock(&monitor->mutex);
	while (!monitor->has_begun)
		g_cond_wait(&monitor->changed, &monitor->mutex);
	g_mutex_unlock(&monitor->mutex);
	if (!monitor->failure)
		return g_steal_pointer(&monitor);
	gio.g_dbus_error_strip_remote_error(monitor->failure);
	g_propagate_error(error, g_steal_pointer(&monitor->failure));
	return NULL;
}

SptBusMessage *spt_bus_monitor_next(SptBusMonitor *monitor)
{
	return g_async_queue_try_pop(monitor->messages);
}

uint32_t spt_bus_monitor_process(SptBusMonitor *monitor, const char *name)
{
	uint32_t pid;

	g_mutex_lock(&monitor->mutex);
	pid = GPOINTER_TO_UINT(g_hash_table_lookup(monitor->processes, name));
	g_mutex_unlock(&monitor->mutex);
	return pid;
}

uint32_t spt_bus_monitor_own_process(SptBusMonitor *monitor)
{
	const char *own = gio.g_dbus_connection_get_unique_name(monitor->asks);

	return own ? spt_bus_monitor_process(monitor, own) : 0;
}

uint64_t spt_bus_monitor_lost(SptBusMonitor *monitor)
{
	uint64_t lost;

	g_mutex_lock(&monitor->mutex);
	lost = monitor->lost;
	g_mutex_unlock(&monitor->mutex);
	return lost;
}

void spt_bus_monitor_free(SptBusMonitor *monitor)
{
	if (!monitor)
		return;
	g_atomic_int_set(&monitor->is_over, 1);
	g_main_context_wakeup(monitor->context);
	g_thread_join(monitor->thread);
	if (monitor->listens)
		gio.g_object_unref(monitor->listens);
	if (monitor->asks)
		gio.g_object_unref(monitor->asks);
	g_clear_error(&monitor->failure);
	g_main_context_unref(monitor->context);
	g_async_queue_unref(monitor->messages);
	g_hash_table_unref(monitor->processes);
	g_hash_table_unref(monitor->questions);
	g_mutex_clear(&monitor->mutex);
	g_cond_clear(&monitor->changed);
	g_free(monitor->address);
	g_free(monitor);
}
