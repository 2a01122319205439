// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A session from open to close while others do what they can to keep it from ending: abi-peace
 * [ROUNDS].  Prints what each call took at most, and shows that files are still named.
 */
#include "abi.h"
#include "files.h"

#include <sys/param.h>

#define ASKED_MAX 500

static uint64_t longest_ns[8];
static uint32_t objects[65536];
static unsigned n_objects;

enum { OPEN, CONFIGURE, START, SNAPSHOT, MAP_FD, STOP, CLOSE };

static const char *const names[] = { "open",   "configure", "start", "snapshot",
				     "map_fd", "stop",	    "close" };

static void took(unsigned call, uint64_t since)
{
	uint64_t ns = wall_ns() - since;

	if (ns > longest_ns[call])
		longest_ns[call] = ns;
}

/* All objects of one part; gives the id of the newest whose path is @path. */
static uint32_t snapshot(int fd, uint32_t part, const char *path)
{
	static uint8_t buffer[1 << 20];
	struct sysprof_snapshot arg = {
		.size = sizeof(arg),
		.part = part,
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = sizeof(buffer),
	};
	uint32_t found = 0;

	for (;;) {
		uint64_t since = wall_ns();

		if (ioctl(fd, SYSPROF_IOC_SNAPSHOT, &arg))
			err(1, "SNAPSHOT");
		took(SNAPSHOT, since);
		if (!arg.filled_bytes)
			return found;
		for (size_t at = 0; at < arg.filled_bytes;) {
			const struct sysprof_object *object = (const void *)(buffer + at);

			at += object->record.size * 8U;
			if (object->record.type != SYSPROF_OBJECT)
				continue;
			if (n_objects < sizeof(objects) / sizeof(objects[0]))
				objects[n_objects++] = object->object;
			if (!strcmp(object->path, path))
				found = object->object;
		}
	}
}

static void one_round(unsigned round)
{
	char path[64];
	uint64_t since = wall_ns();
	uint32_t object = 0;
	unsigned tries = 0;
	int fd = device_open();

	took(OPEN, since);
	since = wall_ns();
	configured(fd, 0, 0);
	took(CONFIGURE, since);
	since = wall_ns();
	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	took(START, since);
	snprintf(path, sizeof(path), "/tmp/peace-%d-%u", getpid(), round);
	file_copy_self(path, 0700);
	file_map(path);
	n_objects = 0;
	snapshot(fd, SYSPROF_SNAPSHOT_TASKS, path);
	/* A thread of the kernel names it. */
	while (!object && tries++ < 100) {
		n_objects = 0;
		object = snapshot(fd, SYSPROF_SNAPSHOT_OBJECTS, path);
		if (!object)
			usleep(20000);
	}
	if (!object || !round)
		ok(object, "a file that is mapped meanwhile gets a name");
	/* The newest: of the oldest a stranger may have made tens of thousands. */
	for (unsigned i = n_objects - MIN(n_objects, ASKED_MAX); i < n_objects; i++) {
		struct sysprof_map_fd arg = { .size = sizeof(arg), .object = objects[i] };

		since = wall_ns();
		if (!ioctl(fd, SYSPROF_IOC_MAP_FD, &arg) && arg.fd >= 0)
			close(arg.fd);
		took(MAP_FD, since);
	}
	unlink(path);
	since = wall_ns();
	if (ioctl(fd, SYSPROF_IOC_STOP, NULL))
		err(1, "STOP");
	took(STOP, since);
	since = wall_ns();
	close(fd);
	took(CLOSE, since);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	for (unsigned i = 0; i < rounds; i++)
		one_round(i);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		truth(names[i], longest_ns[i] / 1000);
	truth("objects", n_objects);
	return tests_end();
}
