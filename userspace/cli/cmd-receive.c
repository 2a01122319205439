/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli receive: listens for one recording that another machine sends (record --to), and puts it into a file. */
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/format.h"
#include "cmd.h"

static void on_interrupt(int number)
{
	(void)number;
}

/* A socket that listens at @address, "HOST:PORT"; says where, as port 0 is any.  NULL: complained. */
static GSocket *listen_at(const char *address)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GSocketConnectable) parsed = g_network_address_parse(address, 0, &error);
	g_autoptr(GSocketAddressEnumerator) found = parsed ? g_socket_connectable_enumerate(parsed) : NULL;
	g_autoptr(GSocketAddress) where = found ? g_socket_address_enumerator_next(found, NULL, &error) : NULL;
	g_autoptr(GSocket) socket = NULL;
	g_autoptr(GSocketAddress) local = NULL;
	g_autofree char *shown = NULL;

	if (where)
		socket = g_socket_new(g_socket_address_get_family(where), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error);
	if (!socket || !g_socket_bind(socket, where, TRUE, &error) || !g_socket_listen(socket, &error) ||
	    !(local = g_socket_get_local_address(socket, &error))) {
		spt_cli_complain("Cannot listen at %s: %s", address, error ? error->message : "there is no such address");
		return NULL;
	}
	shown = g_socket_connectable_to_string(G_SOCKET_CONNECTABLE(local));
	fprintf(stderr, "Listening at %s\n", shown);
	return g_steal_pointer(&socket);
}

/* All of @from, a blocking descriptor, into @to.  False: complained.  @ret_bytes: how much came. */
static bool copy(int from, int to, const char *path, uint64_t *ret_bytes)
{
	g_autofree uint8_t *buffer = g_malloc(1 << 16);
	ssize_t n;

	while ((n = read(from, buffer, 1 << 16)) != 0) {
		if (n < 0) {
			spt_cli_complain("The recording breaks off: %s", g_strerror(errno));
			return false;
		}
		if (!*ret_bytes && memcmp(buffer, SPT_FILE_MAGIC, MIN((size_t)n, SPT_FILE_MAGIC_BYTES))) {
			spt_cli_complain("What is sent is no capture of Sysprof");
			return false;
		}
		for (ssize_t done = 0, now; done < n; done += now) {
			now = write(to, buffer + done, (size_t)(n - done));
			if (now < 0) {
				spt_cli_complain("Cannot write %s: %s", path, g_strerror(errno));
				return false;
			}
		}
		*ret_bytes += (uint64_t)n;
	}
	return true;
}

/* FILE.part becomes FILE if the recording came to its end. */
static bool complete(const char *part, const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = spt_capture_open(part, &error);
	g_autofree char *samples = spt_format_count(capture ? capture->n_samples : 0);
	g_autofree char *bytes = spt_format_bytes(capture ? capture->file_bytes : 0);

	if (!capture) {
		spt_cli_complain("%s", error->message);
		return false;
	}
	if (!capture->finished) {
		spt_cli_complain("The recording was cut off; the %s samples that came are in %s", samples, part);
		return false;
	}
	if (rename(part, path) < 0) {
		spt_cli_complain("%s cannot be named %s: %s", part, path, g_strerror(errno));
		return false;
	}
	fprintf(stderr, "Received %s samples. %s: %s\n", samples, path, bytes);
	return true;
}

static bool receive(GSocket *listener, const char *path)
{
	g_autofree char *part = g_strconcat(path, ".part", NULL);
	uint64_t bytes = 0;
	bool ok;
	int to, fd = g_socket_get_fd(listener);

	/* Plain descriptors, which a signal interrupts. */
	fcntl(fd, F_SETFL, 0);
	fd = accept(fd, NULL, NULL);
	if (fd < 0) {
		spt_cli_complain("Nobody has sent anything: %s", errno == EINTR ? "the waiting was interrupted" : g_strerror(errno));
		return false;
	}
	to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (to < 0) {
		spt_cli_complain("Cannot make %s: %s", part, g_strerror(errno));
		close(fd);
		return false;
	}
	ok = copy(fd, to, part, &bytes);
	close(fd);
	if (close(to) < 0 && ok) {
		spt_cli_complain("Cannot write %s: %s", part, g_strerror(errno));
		ok = false;
	}
	if (!bytes)
		unlink(part);
	return ok && complete(part, path);
}

static int run_receive(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_interrupt };
	g_autofree char *output = g_strdup("sysprof.capture"), *address = g_strdup("127.0.0.1:7412");
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to (sysprof.capture)", "FILE" },
		{ "listen", 0, 0, G_OPTION_ARG_STRING, &address, "Where to listen (127.0.0.1:7412); anybody who can reach it can send",
		  "HOST:PORT" },
		{ 0 },
	};
	g_autoptr(GSocket) listener = NULL;

	if (!spt_cli_parse(&cmd_receive, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	if (argc > 1) {
		spt_cli_complain("receive takes no \"%s\", only options", argv[1]);
		return SPT_EXIT_USAGE;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGXFSZ, SIG_IGN);
	listener = listen_at(address);
	return listener && receive(listener, output) ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_receive = {
	.name = "receive",
	.usage = "",
	.help = "Take one recording that another machine sends (record --to) into a file",
	.run = run_receive,
};
