/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli receive: listens for one recording that another machine sends (record --to), and puts
 * it into a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/format.h"
#include "capture/part.h"
#include "cmd.h"

static void cmd_receive_on_interrupt(int number)
{
	(void)number;
}

/* Prints on stderr the address at which @fd listens, as port 0 is any. */
static void tell_address(int fd)
{
	struct sockaddr_storage local;
	socklen_t bytes = sizeof(local);
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(fd, (struct sockaddr *)&local, &bytes) < 0 ||
	    getnameinfo((struct sockaddr *)&local, bytes, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	fprintf(stderr, strchr(host, ':') ? "Listening at [%s]:%s\n" : "Listening at %s:%s\n", host,
		port);
}

/* A socket that listens at @address, "HOST:PORT", or -1: complained. */
static int listen_at(const char *address)
{
	const char *why;
	struct addrinfo *where = spt_cli_resolve(address, &why);
	int fd = -1, on = 1;

	if (where) {
		fd = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
		    bind(fd, where->ai_addr, where->ai_addrlen) < 0 || listen(fd, 1) < 0) {
			why = g_strerror(errno);
			if (fd >= 0)
				close(fd);
			fd = -1;
		}
		freeaddrinfo(where);
	}
	if (fd < 0)
		spt_cli_complain("Cannot listen at %s: %s", address, why);
	else
		tell_address(fd);
	return fd;
}

struct limits {
	uint64_t idle_ns, bytes;
};

/*
 * Copies all of @from, a blocking descriptor, into @to.  False: complained.  @ret_bytes: bytes
 * received.
 */
static bool cmd_receive_copy(int from, int to, const char *path, const struct limits *limits,
			     uint64_t *ret_bytes)
{
	g_autofree uint8_t *buffer = g_malloc(1 << 16);
	ssize_t n;

	while ((n = read(from, buffer, 1 << 16)) != 0) {
		if (n < 0) {
			spt_cli_complain("The recording breaks off: %s",
					 errno == EAGAIN ?
						 "nothing came for as long as --timeout allows" :
						 g_strerror(errno));
			return false;
		}
		if ((uint64_t)n > limits->bytes - *ret_bytes) {
			spt_cli_complain("The recording is larger than --max-size allows; allow more");
			return false;
		}
		if (!*ret_bytes &&
		    memcmp(buffer, SPT_FILE_MAGIC, MIN((size_t)n, SPT_FILE_MAGIC_BYTES))) {
			spt_cli_complain("What was sent is not a recording of Sysprof");
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

/* FILE.part becomes FILE if the recording is complete. */
static bool cmd_receive_complete(int fd, const char *part, const char *path)
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
		spt_cli_complain("The recording was cut off; the %s samples that came are in %s",
				 samples, part);
		return false;
	}
	if (!spt_part_is_named(fd, part)) {
		spt_cli_complain("%s is no longer the file that was written: somebody removed or replaced it",
				 part);
		return false;
	}
	if (!spt_part_keep_old(path) || rename(part, path) < 0) {
		spt_cli_complain("Cannot rename %s to %s: %s", part, path, g_strerror(errno));
		return false;
	}
	fprintf(stderr, "Received %s samples. %s: %s\n", samples, path, bytes);
	return true;
}

/* How long a sender may be silent. */
static void set_idle(int fd, uint64_t ns)
{
	const struct timeval idle = { .tv_sec = (time_t)(ns / 1000000000),
				      .tv_usec = (suseconds_t)(ns % 1000000000 / 1000) };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
}

static bool cmd_receive_receive(int listener, int to, const char *path, const struct limits *limits)
{
	g_autofree char *part = g_strconcat(path, ".part", NULL);
	uint64_t bytes = 0;
	/* It stays locked until it has its name. */
	int locked = fcntl(to, F_DUPFD_CLOEXEC, 0), fd;
	bool ok;

	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ok = fd >= 0;
	if (!ok) {
		spt_cli_complain("Nobody has sent anything: %s",
				 errno == EINTR ? "the waiting was interrupted" :
						  g_strerror(errno));
	} else {
		set_idle(fd, limits->idle_ns);
		ok = cmd_receive_copy(fd, to, part, limits, &bytes);
		close(fd);
	}
	if (!bytes && spt_part_is_named(to, part))
		unlink(part);
	if (close(to) < 0 && ok) {
		spt_cli_complain("Cannot write %s: %s", part, g_strerror(errno));
		ok = false;
	}
	ok = ok && cmd_receive_complete(locked, part, path);
	close(locked);
	return ok;
}

/* The descriptor of the file to write; -1: complained. */
static int create_part(const char *path)
{
	g_autofree char *part = g_strconcat(path, ".part", NULL), *why = NULL;
	int fd = spt_part_create(part);

	if (fd >= 0)
		return fd;
	why = spt_part_failure(part, errno);
	spt_cli_complain("Cannot write %s: %s", path, why);
	return -1;
}

static int run_receive(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = cmd_receive_on_interrupt };
	g_autofree char *output = g_strdup("sysprof.capture"),
			*address = g_strdup("127.0.0.1:7412"), *timeout = g_strdup("60"),
			*most = g_strdup("64G");
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The file to write (sysprof.capture)",
		  "FILE" },
		{ "listen", 0, 0, G_OPTION_ARG_STRING, &address,
		  "Where to listen (127.0.0.1:7412); anybody who can reach it can send",
		  "HOST:PORT" },
		{ "timeout", 0, 0, G_OPTION_ARG_STRING, &timeout,
		  "End when nothing has come for this time (60 s; 0: never)", "SECONDS" },
		{ "max-size", 0, 0, G_OPTION_ARG_STRING, &most, "Refuse more than this (64G)",
		  "SIZE" },
		{ 0 },
	};
	struct limits limits;
	int listener, to;
	bool ok;

	if (!spt_cli_parse(&cmd_receive, entries, &argc, &argv) || !spt_cli_check_output(output))
		return SPT_EXIT_USAGE;
	if (argc > 1) {
		spt_cli_complain("receive takes no \"%s\", only options", argv[1]);
		return SPT_EXIT_USAGE;
	}
	if (!spt_parse_ns(timeout, &limits.idle_ns)) {
		spt_cli_complain("--timeout takes a time such as 60 or 5min, not \"%s\"", timeout);
		return SPT_EXIT_USAGE;
	}
	if (!spt_parse_bytes(most, &limits.bytes) || limits.bytes == 0) {
		spt_cli_complain("--max-size takes a size such as 500M or 64G, not \"%s\"", most);
		return SPT_EXIT_USAGE;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGXFSZ, SIG_IGN);
	listener = listen_at(address);
	if (listener < 0)
		return SPT_EXIT_FAILURE;
	to = create_part(output);
	ok = to >= 0 && cmd_receive_receive(listener, to, output, &limits);
	close(listener);
	return ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_receive = {
	.name = "receive",
	.usage = "",
	.help = "Take one recording that another machine sends (record --to) into a file",
	.run = run_receive,
};
