/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts a helper.  Downloads run in a process of their own: it may use the network and the user's
 * cache, and parses no file.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "symbols/confine.h"
#include "symbols/helpers-private.h"
#include "symbols/helpers.h"

#define PROGRESS_EVERY_US 100000

struct download {
	int socket;
	int64_t last_us; /* time of the last report of progress */
};

static bool reader_fetch_goes_on(uint64_t done, uint64_t total, void *data)
{
	const struct spt_fetch_state state = { .done_bytes = done, .total_bytes = total };
	struct download *download = data;
	int64_t now = g_get_monotonic_time();

	if (now - download->last_us < PROGRESS_EVERY_US)
		return true;
	download->last_us = now;
	return spt_helper_send(download->socket, &state, sizeof(state));
}

static void serve_fetch(int socket, const char *build_id, SptHelperFetch fetch)
{
	uint8_t id[SPT_BUILD_ID_MAX];
	unsigned n = 0;
	struct download download = { .socket = socket };
	struct spt_fetch_state state = { .is_done = 1 };
	g_autofree char *path = NULL;

	for (; n < sizeof(id) && g_ascii_isxdigit(build_id[2 * n]) &&
	       g_ascii_isxdigit(build_id[2 * n + 1]);
	     n++)
		id[n] = (uint8_t)(g_ascii_xdigit_value(build_id[2 * n]) << 4 |
				  g_ascii_xdigit_value(build_id[2 * n + 1]));
	path = fetch && n > 0 ? fetch(id, n, reader_fetch_goes_on, &download) : NULL;
	state.path_bytes = path ? (uint32_t)strlen(path) : 0;
	if (spt_helper_send(socket, &state, sizeof(state)))
		spt_helper_send(socket, path, state.path_bytes);
}

bool spt_helper_run(int socket, int argc, char **argv, SptHelperFetch fetch)
{
	unsigned protections;

	if (argc == 1) {
		spt_helper_serve(socket);
	} else if (argc == 3 && !strcmp(argv[1], "--fetch")) {
		serve_fetch(socket, argv[2], fetch);
	} else if (argc == 2 && !strcmp(argv[1], "--protections")) {
		protections = spt_confine(socket);
		spt_helper_send(socket, &protections, sizeof(protections));
	} else {
		return false;
	}
	return true;
}
