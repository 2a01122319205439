/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record of /dev/kmsg is "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT", and lines with more facts. */
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
#define SEVERITIES 7u			/* the bits of a priority that are the severity */
#define INFO	   6u

struct SptLogs {
	SptSaid *said;
	int lines, kernel;		/* -1: there is none */
};

SptLogs *spt_logs_new(SptSaid *said, int lines_fd)
{
	SptLogs *logs = g_new0(SptLogs, 1);

	logs->said = said;
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

static uint64_t take_command_lines(SptLogs *logs, uint32_t thread)
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
		spt_said_line(logs->said, got.packet.time_ns, thread, INFO, "stderr",
			      got.packet.text);
		n++;
	}
	return n;
}

uint64_t spt_logs_step(SptLogs *logs, uint32_t thread)
{
	return take_kernel_lines(logs) + take_command_lines(logs, thread);
}
