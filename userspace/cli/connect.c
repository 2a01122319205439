/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way out for record --to. */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/socket.h>
#include <unistd.h>

/* A receiver that takes nothing for so long is given up; until then the rings fill and what does not fit is counted as lost. */
#define STALL_SECONDS 30

int spt_cli_connect(const char *to)
{
	g_autoptr(GSocketClient) client = g_socket_client_new();
	struct timeval limit = { .tv_sec = STALL_SECONDS };
	g_autoptr(GSocketConnection) connection = NULL;
	g_autoptr(GError) error = NULL;
	int fd = -1;

	g_socket_client_set_enable_proxy(client, FALSE);
	connection = g_socket_client_connect_to_host(client, to, 0, NULL, &error);
	if (!connection) {
		spt_cli_complain("Cannot connect to %s: %s; \"" SPT_CLI " receive\" has to listen there (--to)", to, error->message);
		return -1;
	}
	fd = fcntl(g_socket_get_fd(g_socket_connection_get_socket(connection)), F_DUPFD_CLOEXEC, 3);
	/* The descriptor outlives the object, and its writes wait. */
	if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0) {
		spt_cli_complain("Cannot use the connection to %s: %s", to, g_strerror(errno));
		return -1;
	}
	return fd;
}
