// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw stacks of a child that calls itself 60 deep, printed as they come out of the rings, each a
 * line of hexadecimal digits behind "raw: ", for who has the tables to unwind them
 * (tests/vm/arm64-stacks).  Links statically: addresses are those of its file.
 */
#include "abi.h"
#include "sink.h"

#include <signal.h>

#define STACKS		100
#define RAW_BYTES	8192

static uint32_t child;
static unsigned n_seen, n_printed;

static void print(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const uint8_t *raw;

	(void)data;
	if (record->type != SYSPROF_SAMPLE || record->pid != child || !sample->raw_bytes)
		return;
	/* Not those that lie next to each other. */
	if (n_seen++ % 7 || n_printed == STACKS)
		return;
	n_printed++;
	raw = (const uint8_t *)(sample->frames + sample->n_kernel + sample->n_user);
	printf("raw: ");
	for (unsigned i = 0; i < sample->raw_bytes; i++)
		printf("%02x", raw[i]);
	printf("\n");
}

int main(void)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct sysprof_config config = {
		.size = sizeof(config),
		.period_ns = NS_PER_MS,
		.ring_bytes = session.config.ring_bytes,
		.user_mode = SYSPROF_USER_RAW + 1,
		.raw_bytes = RAW_BYTES,
	};

	unit = turns_for_ns(20000);
	fflush(stdout);
	child = fork();
	if (!child)
		sink();
	ok(!ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START of a session with raw stacks");
	for (unsigned round = 0; round < 200 && n_printed < STACKS; round++) {
		burn_ms(50);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, print, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ok(n_printed == STACKS, "raw stacks of a child (%u)", n_printed);
	session_close(&session);
	return tests_end();
}
