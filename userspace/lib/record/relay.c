/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/logs.h"

/* The first number behind the standard streams. */
#define KEPT 3

struct relay_line {
	struct spt_log_packet packet;
	size_t bytes;
};

static void stamp(struct relay_line *line)
{
	line->packet.time_ns = spt_clock_ns(CLOCK_MONOTONIC);
}

/* A recorder that does not keep up, or has died, misses lines; nobody waits for it. */
static void send_line(struct relay_line *line, int lines)
{
	if (line->bytes)
		(void)!send(lines, &line->packet,
			    offsetof(struct spt_log_packet, text) + line->bytes,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	line->bytes = 0;
}

static void split_lines(struct relay_line *line, const char *text, size_t bytes, int lines)
{
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '\n') {
			send_line(line, lines);
			continue;
		}
		if (line->bytes == 0)
			stamp(line);
		if (line->bytes < SPT_LOGS_TEXT)
			line->packet.text[line->bytes++] = text[i];
	}
}

static void pass_on(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t written = write(STDERR_FILENO, text, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		text += written;
		bytes -= (size_t)written;
	}
}

static void relay_all(int reader, int lines)
{
	struct relay_line line = { 0 };
	char text[4096];
	ssize_t got;

	while ((got = read(reader, text, sizeof(text))) > 0 || (got < 0 && errno == EINTR)) {
		pass_on(text, got > 0 ? (size_t)got : 0);
		split_lines(&line, text, got > 0 ? (size_t)got : 0, lines);
	}
	send_line(&line, lines);
}

/* What else the recorder has open is not the relay's to hold. */
static void keep_only(int *reader, int *lines)
{
	int two[] = { fcntl(*reader, F_DUPFD, KEPT + 2), fcntl(*lines, F_DUPFD, KEPT + 2) };

	for (int i = 0; i < 2; i++)
		if (two[i] < 0 || dup2(two[i], KEPT + i) < 0)
			_exit(1);
	*reader = KEPT;
	*lines = KEPT + 1;
	close_range(KEPT + 2, ~0U, 0);
}

/* It ends with the last process that has the pipe, not by the signals of a terminal. */
static void run_relay(int reader, int lines)
{
	keep_only(&reader, &lines);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	relay_all(reader, lines);
	_exit(0);
}

static bool relay_has_begun(pid_t between)
{
	int status = 0;

	while (waitpid(between, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}

/* Closes both; errno stays. */
static void relay_give_up(const int pair[2])
{
	int number = errno;

	close(pair[0]);
	close(pair[1]);
	errno = number;
}

bool spt_relay_begin(struct spt_relay *relay)
{
	int ends[2], lines[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, lines) < 0) {
		relay_give_up(ends);
		return false;
	}
	pid = fork();
	if (pid < 0) {
		relay_give_up(ends);
		relay_give_up(lines);
		return false;
	}
	if (pid == 0) {
		/* The process between ends at once, so that nobody has to wait for the relay. */
		pid = fork();
		if (pid)
			_exit(pid < 0 ? 1 : 0);
		run_relay(ends[0], lines[1]);
	}
	close(ends[0]);
	close(lines[1]);
	if (!relay_has_begun(pid)) {
		close(ends[1]);
		close(lines[0]);
		errno = EAGAIN;
		return false;
	}
	*relay = (struct spt_relay){ .writer = ends[1], .lines = lines[0] };
	return true;
}
