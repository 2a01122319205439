// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What refusals cost: abi-refusals.  An answer that takes longer for one address than for another
 * reveals where the kernel is, so all answers "no name" have to take the same number of
 * instructions, and so do the refusals of MAP_FD and of TABLE.  For a machine whose clock counts
 * instructions (tests/vm/run --icount), beside somebody else's process that has a region.
 */
#include "abi.h"

#define COPIES		128
#define ROUNDS		8
#define MAX_FRAMES	512
#define PERCENT_ALLOWED	2.0

static int device;

/* The least and the most that one of several calls took. */
struct range {
	double least, most;
	uint64_t least_of, most_of;
	unsigned n;
};

static void range_add(struct range *range, double cost, uint64_t of)
{
	if (!range->n || cost < range->least) {
		range->least = cost;
		range->least_of = of;
	}
	if (!range->n || cost > range->most) {
		range->most = cost;
		range->most_of = of;
	}
	range->n++;
}

static void range_judge(const struct range *range, unsigned at_least, const char *what)
{
	double percent = range->n ? 100 * (range->most / range->least - 1) : 0;

	ok(range->n >= at_least && percent <= PERCENT_ALLOWED,
	   "%s: %u calls take from %.0f to %.0f instructions, %.2f %% apart (%#llx, %#llx)", what,
	   range->n, range->least, range->most, percent, (unsigned long long)range->least_of,
	   (unsigned long long)range->most_of);
}

/* The frames to ask for. */

struct frames {
	uint64_t frame[MAX_FRAMES];
	unsigned n;
};

static void add(struct frames *frames, uint64_t object, uint64_t offset)
{
	if (frames->n < MAX_FRAMES)
		frames->frame[frames->n++] = object << SYSPROF_FRAME_OBJECT_SHIFT |
					     (offset & SYSPROF_FRAME_OFFSET_MASK);
}

/* At distances that double, on both sides. */
static void add_around(struct frames *frames, uint64_t frame)
{
	for (unsigned bit = 12; bit < SYSPROF_FRAME_OBJECT_SHIFT; bit++) {
		add(frames, frame >> SYSPROF_FRAME_OBJECT_SHIFT, frame + (1ULL << bit));
		add(frames, frame >> SYSPROF_FRAME_OBJECT_SHIFT, frame - (1ULL << bit));
	}
}

/* 1 GiB at a time all around: an area that is taken for the image shows. */
static void add_far(struct frames *frames, uint64_t object)
{
	for (unsigned i = 0; i < 64; i++)
		add(frames, object, ((uint64_t)i << 34) + (1ULL << 29));
}

static void look_for_module(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	uint64_t *found = data;

	if (record->type != SYSPROF_SAMPLE)
		return;
	for (unsigned i = 0; i < sample->n_kernel; i++)
		if (sample->frames[i] >> SYSPROF_FRAME_OBJECT_SHIFT == SYSPROF_OBJECT_MODULES)
			*found = sample->frames[i];
}

/* A place in a module that samples have shown: the profiler's own code, which NAMES keeps busy. */
static uint64_t find_module_frame(void)
{
	struct session session = session_open(NS_PER_MS, 0);
	struct sysprof_name *names = calloc(4096, sizeof(*names));
	uint64_t found = 0;

	for (unsigned i = 0; i < 4096; i++)
		names[i].frame = (uint64_t)SYSPROF_OBJECT_KERNEL << SYSPROF_FRAME_OBJECT_SHIFT;
	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	for (unsigned round = 0; round < 50 && !found; round++) {
		names_get(session.fd, names, 4096);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_for_module, &found);
	}
	free(names);
	session_close(&session);
	return found;
}

/* Instructions per name; 0 if @frame has one. */
static double cost_of_no_name(uint64_t frame)
{
	static struct sysprof_name names[COPIES];
	struct sysprof_names call = { .size = sizeof(call),
				      .nr = COPIES,
				      .names = (uintptr_t)names };
	uint64_t best = UINT64_MAX;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t begin, took;

		for (unsigned i = 0; i < COPIES; i++)
			names[i].frame = frame;
		begin = wall_ns();
		if (ioctl(device, SYSPROF_IOC_NAMES, &call))
			err(1, "NAMES");
		took = wall_ns() - begin;
		if (*names[0].symbol)
			return 0;
		best = took < best ? took : best;
	}
	return (double)best / COPIES;
}

static void test_names(void)
{
	static struct frames frames;
	struct range range = { 0 };
	uint64_t module = find_module_frame();
	unsigned kernel = 0, modules = 0;

	ok(module, "samples show a place in a module");
	add_around(&frames, (uint64_t)SYSPROF_OBJECT_KERNEL << SYSPROF_FRAME_OBJECT_SHIFT);
	add_far(&frames, SYSPROF_OBJECT_KERNEL);
	add_around(&frames, module);
	add_far(&frames, SYSPROF_OBJECT_MODULES);
	add(&frames, SYSPROF_OBJECT_UNKNOWN, 0);
	add(&frames, SYSPROF_OBJECT_VDSO, 64);
	add(&frames, 0xffffff, 64);
	for (unsigned i = 0; i < frames.n; i++) {
		double cost = cost_of_no_name(frames.frame[i]);
		uint64_t object = frames.frame[i] >> SYSPROF_FRAME_OBJECT_SHIFT;

		if (!cost)
			continue;
		range_add(&range, cost, frames.frame[i]);
		kernel += object == SYSPROF_OBJECT_KERNEL;
		modules += object == SYSPROF_OBJECT_MODULES;
	}
	ok(kernel > 64 && modules > 64, "%u places beside the image, %u beside modules", kernel,
	   modules);
	range_judge(&range, 128, "no name");
}

/* Regions of others. */

struct regions {
	uint32_t object[16];
	unsigned n;
};

static void find_regions(struct regions *regions)
{
	static uint8_t buffer[1 << 18];
	struct sysprof_snapshot snapshot = {
		.size = sizeof(snapshot),
		.part = SYSPROF_SNAPSHOT_TASKS,
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = sizeof(buffer),
	};

	while (!ioctl(device, SYSPROF_IOC_SNAPSHOT, &snapshot) && snapshot.filled_bytes) {
		for (size_t at = 0; at < snapshot.filled_bytes;) {
			const struct sysprof_region *region = (const void *)(buffer + at);

			if (region->record.type == SYSPROF_REGION && regions->n < 16)
				regions->object[regions->n++] = region->object;
			at += region->record.size * 8U;
		}
	}
}

static uint64_t cost_of_refusal(unsigned long command, const void *arg, int expected)
{
	uint64_t best = UINT64_MAX;

	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		uint64_t begin = wall_ns(), took;
		int ret = ioctl(device, command, arg);

		took = wall_ns() - begin;
		if (ret != -1 || errno != expected) {
			printf("# not refused as expected: %d, %s\n", ret, strerrorname_np(errno));
			return 0;
		}
		best = took < best ? took : best;
	}
	return best;
}

static void test_map_fd(void)
{
	struct regions unknown = { .object = { SYSPROF_OBJECT_UNKNOWN, SYSPROF_OBJECT_KERNEL,
					       SYSPROF_OBJECT_MODULES, SYSPROF_OBJECT_VDSO, 15,
					       0x10000, 0x800000, 0xffffff, UINT32_MAX },
				   .n = 9 },
		       others = { 0 };
	struct range range = { 0 };
	uint64_t costs[32];

	find_regions(&others);
	ok(others.n, "%u regions of others are known", others.n);
	/* In turn, as what else is going on in the kernel costs some of them more. */
	for (unsigned turn = 0; turn < 8; turn++)
		for (unsigned i = 0; i < unknown.n + others.n; i++) {
			uint32_t object =
				i < unknown.n ? unknown.object[i] : others.object[i - unknown.n];
			struct sysprof_map_fd arg = { .size = sizeof(arg), .object = object };
			uint64_t cost = cost_of_refusal(SYSPROF_IOC_MAP_FD, &arg, ENOENT);

			costs[i] = turn && costs[i] < cost ? costs[i] : cost;
		}
	for (unsigned i = 0; i < unknown.n + others.n; i++)
		range_add(&range, costs[i], i < unknown.n ? unknown.object[i] :
							    others.object[i - unknown.n]);
	range_judge(&range, unknown.n + 1, "MAP_FD of what is not there and of others' regions");
}

/* A table that is refused, for a build-id that is known to the kernel and for ones that are not. */
static void test_table(void)
{
	struct {
		struct sysprof_table_header header;
		uint64_t rest[8];
	} bad = { .header = { .magic = SYSPROF_TABLE_MAGIC,
			      .version = SYSPROF_TABLE_VERSION,
			      .n_rows = 1,
			      .n_rules = 1 } };
	struct sysprof_table arg = { .size = sizeof(arg),
				     .table = (uintptr_t)&bad,
				     .bytes = sizeof(bad),
				     .build_id_bytes = 20 };
	struct range range = { 0 };

	read_build_id("/proc/self/exe", arg.build_id);
	range_add(&range, cost_of_refusal(SYSPROF_IOC_TABLE, &arg, EINVAL), 0);
	for (unsigned i = 1; i < 16; i++) {
		arg.build_id[i % 20] ^= i;
		range_add(&range, cost_of_refusal(SYSPROF_IOC_TABLE, &arg, EINVAL), i);
	}
	range_judge(&range, 16, "TABLE of what is no table");
}

int main(void)
{
	device = device_open();
	configured(device, 0, 0);
	if (ioctl(device, SYSPROF_IOC_START, NULL))
		err(1, "START");
	test_names();
	test_map_fd();
	test_table();
	close(device);
	return tests_end();
}
