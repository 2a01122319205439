/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GIO, for D-Bus.  It comes with GLib, but loading it takes longer than many reports, so it is
 * loaded by the one recording in hundreds that listens to buses.
 */
#ifndef SPT_BUS_LIBRARY_H
#define SPT_BUS_LIBRARY_H

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define SPT_BUS_FUNCTIONS(row) \
	row(g_dbus_connection_add_filter) \
	row(g_dbus_connection_call_sync) \
	row(g_dbus_connection_call_with_unix_fd_list_sync) \
	row(g_dbus_connection_close_sync) \
	row(g_dbus_connection_get_unique_name) \
	row(g_dbus_connection_new_for_address_sync) \
	row(g_dbus_connection_send_message) \
	row(g_dbus_connection_set_exit_on_close) \
	row(g_dbus_error_strip_remote_error) \
	row(g_dbus_message_get_body) \
	row(g_dbus_message_get_destination) \
	row(g_dbus_message_get_error_name) \
	row(g_dbus_message_get_flags) \
	row(g_dbus_message_get_interface) \
	row(g_dbus_message_get_member) \
	row(g_dbus_message_get_message_type) \
	row(g_dbus_message_get_reply_serial) \
	row(g_dbus_message_get_sender) \
	row(g_dbus_message_get_serial) \
	row(g_dbus_message_new_method_call) \
	row(g_dbus_message_set_body) \
	row(g_dbus_message_to_blob) \
	row(g_object_unref) \
	row(g_unix_fd_list_new_from_array)

#define SPT_BUS_MEMBER(name) __typeof__(name) *name;
typedef struct {
	SPT_BUS_FUNCTIONS(SPT_BUS_MEMBER)
} SptBusLibrary;
#undef SPT_BUS_MEMBER

/* False: it is not here; a sentence.  True: *@library is complete. */
bool spt_bus_library_load(SptBusLibrary *library, GError **error);

G_END_DECLS

#endif
