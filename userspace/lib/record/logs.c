/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record of /dev/kmsg is "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT", and lines with more facts.
 *
 * A line of the command waits until the source's records have come to its time: before that it is
 * not known which program the command was then.
 */
#include "record/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_LOG "/dev/kmsg"
#define RECORD_BYTES 8192
/* At a step; the rest is for the next one. */
#define MOST_LINES 2000u
/* Lines that wait; the oldest are put. */
#define MOST_WAITING 8192u
#define SEVERITIES 7u			/* the bits of a priority that are the severity */
#define INFO	   6u

struct SptLogs {
	SptSaid *said;
	const SptThreadIds *threads;
	uint32_t pid;
	int lines, kernel;		/* -1: there is none */
	GQueue waiting;			/* struct waiting_line */
};

struct waiting_line {
	uint64_t time_ns;
	char text[];
};

SptLogs *spt_logs_new(SptSaid *said, const SptThreadIds *threads, int lines_fd, uint32_t pid)
{
	SptLogs *logs = g_new0(SptLogs, 1);

	logs->said = said;
	logs->threads = threads;
	logs->pid = pid;
	logs->lines = lines_fd;
	logs->kernel = open(KERNEL_LOG, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (logs->kernel >= 0 && lseek(logs->kernel, 0, SEEK_END) < 0) {
		close(logs->kernel);
		logs->kernel = -1;
	}
	return logs;
}

void spt_logs_free(SptLogs *logs)
{
	if (!logs)
		return;
	if (logs->lines >= 0)
		close(logs->lines);
	if (logs->kernel >= 0)
		close(logs->kernel);
	g_queue_clear_full(&logs->waiting, g_free);
	g_free(logs);
}

bool spt_logs_has_kernel(const SptLogs *logs)
{
	return logs->kernel >= 0;
}

static uint64_t take_kernel_lines(SptLogs *logs)
{
	char record[RECORD_BYTES];
	uint64_t n = 0, us;
	unsigned priority;
	ssize_t got;

	while (logs->kernel >= 0 && n < MOST_LINES) {
		char *text;

		got = read(logs->kernel, record, sizeof(record) - 1);
		/* EPIPE: some were overwritten before they were read. */
		if (got < 0 && errno == EPIPE)
			continue;
		if (got <= 0)
			break;
		record[got] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%u,%*u,%" SCNu64, &priority, &us) != 2)
			continue;
		text++;
		text[strcspn(text, "\n")] = '\0';
		spt_said_line(logs->said, us * 1000, 0, priority & SEVERITIES, "kernel", text);
		n++;
	}
	return n;
}

static void logs_hold_line(SptLogs *logs, uint64_t time_ns, const char *text)
{
	size_t bytes = strlen(text) + 1;
	struct waiting_line *line = g_malloc(sizeof(*line) + bytes);

	line->time_ns = time_ns;
	memcpy(line->text, text, bytes);
	g_queue_push_tail(&logs->waiting, line);
}

static void logs_put_line(SptLogs *logs)
{
	g_autofree struct waiting_line *line = g_queue_pop_head(&logs->waiting);
	uint32_t thread =
		logs->pid ? spt_thread_ids_find(logs->threads, logs->pid, line->time_ns) : 0;

	spt_said_line(logs->said, line->time_ns, thread, INFO, "stderr", line->text);
}

static uint64_t take_command_lines(SptLogs *logs)
{
	struct {
		struct spt_log_packet packet;
		char end;
	} got;
	uint64_t n = 0;
	ssize_t bytes;

	while (logs->lines >= 0 && n < MOST_LINES) {
		bytes = recv(logs->lines, &got, sizeof(got.packet), MSG_DONTWAIT);
		if (bytes < (ssize_t)offsetof(struct spt_log_packet, text))
			break;
		((char *)&got)[bytes] = '\0';
		logs_hold_line(logs, got.packet.time_ns, got.packet.text);
		n++;
	}
	return n;
}

uint64_t spt_logs_step(SptLogs *logs)
{
	uint64_t n = take_kernel_lines(logs) + take_command_lines(logs),
		 passed_ns = spt_thread_ids_passed(logs->threads);
	const struct waiting_line *line;

	while ((line = g_queue_peek_head(&logs->waiting)) &&
	       (line->time_ns < passed_ns || logs->waiting.length > MOST_WAITING))
		logs_put_line(logs);
	return n;
}

void spt_logs_finish(SptLogs *logs)
{
	while (logs->waiting.length)
		logs_put_line(logs);
}
