/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connects to the receiver of record --to, and parses its address. */
#include "cmd.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A receiver that takes nothing for this time is given up; until then the rings fill, and records
 * that do not fit are counted as lost.
 */
#define STALL_SECONDS 30

struct addrinfo *spt_cli_resolve(const char *address, const char **ret_why)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(address, ':');
	g_autofree char *host = colon ? g_strndup(address, (gsize)(colon - address)) : NULL;
	struct addrinfo *found = NULL;
	size_t bytes = host ? strlen(host) : 0;
	bool in_brackets = bytes > 2 && host[0] == '[' && host[bytes - 1] == ']';
	int err;

	if (!bytes || !colon[1] || (strchr(host, ':') && !in_brackets)) {
		*ret_why = "this is no HOST:PORT";
		return NULL;
	}
	if (in_brackets) {
		memmove(host, host + 1, bytes - 2);
		host[bytes - 2] = '\0';
	}
	err = getaddrinfo(host, colon + 1, &hints, &found);
	if (err)
		*ret_why = err == EAI_SYSTEM ? g_strerror(errno) : gai_strerror(err);
	return found;
}

/* The first of these addresses that answers. */
static int connect_to(const struct addrinfo *found, const char **ret_why)
{
	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0)
			return fd;
		*ret_why = g_strerror(errno);
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

int spt_cli_connect(const char *to)
{
	struct timeval limit = { .tv_sec = STALL_SECONDS };
	const char *why;
	struct addrinfo *found = spt_cli_resolve(to, &why);
	int fd = found ? connect_to(found, &why) : -1;

	if (found)
		freeaddrinfo(found);
	if (fd < 0) {
		spt_cli_complain("Cannot connect to %s: %s; start \"%s receive\" there first (--to)",
				 to, why, spt_cli_called());
		return -1;
	}
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0) {
		spt_cli_complain("Cannot use the connection to %s: %s", to, g_strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}
