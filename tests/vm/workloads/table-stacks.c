// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table-stacks TABLE: a child that calls itself 60 deep, walked by the module by the unwind table
 * of this program, which is in file TABLE (made by unwind-raw --table).  Links statically: where
 * its functions are in its file is known.
 */
#include "abi.h"
#include "sink.h"

#include <signal.h>

#define STACKS		300
#define TABLE_MAX_BYTES	(1 << 20)

extern const char __executable_start[];

static uint32_t child;
static struct {
	unsigned stacks, whole, odd, deepest, back;
} seen;

/* Whether a call came from @function, which is not longer than 512 bytes. */
static bool is_in(uint64_t frame, const void *function)
{
	return (frame & SYSPROF_FRAME_OFFSET_MASK) -
		       ((uintptr_t)function - (uintptr_t)__executable_start) <
	       512;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const uint64_t *user = (const uint64_t *)sample->frames + sample->n_kernel;
	unsigned dives = 0, sinks = 0;

	(void)data;
	if (record->type != SYSPROF_SAMPLE || record->pid != child || sample->n_user < 2 ||
	    record->flags & SYSPROF_SAMPLE_NO_TABLE)
		return;
	seen.stacks++;
	seen.whole += sample->user_end == SYSPROF_END_ROOT;
	for (unsigned i = 1; i < sample->n_user; i++) {
		seen.odd += user[i] >> SYSPROF_FRAME_OBJECT_SHIFT !=
			    user[0] >> SYSPROF_FRAME_OBJECT_SHIFT;
		dives += is_in(user[i], dive);
		sinks += is_in(user[i], sink);
	}
	seen.odd += dives > DEPTH + 1 || sinks > 2;
	seen.back += sinks > 0;
	seen.deepest = dives > seen.deepest ? dives : seen.deepest;
}

int main(int argc, char **argv)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct sysprof_config config = {
		.size = sizeof(config),
		.period_ns = NS_PER_MS,
		.ring_bytes = session.config.ring_bytes,
		.user_mode = SYSPROF_USER_TABLE + 1,
	};
	struct sysprof_table table = { .size = sizeof(table), .build_id_bytes = 20 };
	uint8_t *bytes = malloc(TABLE_MAX_BYTES);
	FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;

	if (!file || !bytes)
		err(1, "cannot read the table");
	table.table = (uintptr_t)bytes;
	table.bytes = fread(bytes, 1, TABLE_MAX_BYTES, file);
	read_build_id("/proc/self/exe", table.build_id);
	unit = turns_for_ns(20000);
	fflush(stdout);
	child = fork();
	if (!child)
		sink();
	ok(!ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START of a session with stacks by tables");
	ok(!ioctl(session.fd, SYSPROF_IOC_TABLE, &table), "the program's own table (%u bytes)",
	   table.bytes);
	for (unsigned round = 0; round < 200 && seen.stacks < STACKS; round++) {
		burn_ms(50);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_at, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ok(seen.stacks >= STACKS, "stacks of a child by its table (%u)", seen.stacks);
	ok(seen.whole >= seen.stacks * 99 / 100 && seen.back >= seen.stacks * 95 / 100,
	   "they lead back to the beginning (%u), by way of the first call (%u)", seen.whole,
	   seen.back);
	ok(!seen.odd, "... through calls such as there are (%u)", seen.odd);
	ok(seen.deepest > DEPTH / 2 + 1, "... and deep ones are among them (%u calls)",
	   seen.deepest);
	session_close(&session);
	return tests_end();
}
