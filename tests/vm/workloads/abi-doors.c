// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may open the device, and what each ioctl and mmap refuses.  Run as root and as a member of
 * group sysprof: the answers are the same.
 */
#include "abi.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>

/* Every ioctl with a struct, and one call of it that is granted. */
static const struct door {
	const char *name;
	unsigned long command;
	size_t bytes;
} doors[] = {
	{ "INFO", SYSPROF_IOC_INFO, sizeof(struct sysprof_info) },
	{ "CONFIGURE", SYSPROF_IOC_CONFIGURE, sizeof(struct sysprof_config) },
	{ "START", SYSPROF_IOC_START, sizeof(struct sysprof_start) },
	{ "SNAPSHOT", SYSPROF_IOC_SNAPSHOT, sizeof(struct sysprof_snapshot) },
	{ "STATS", SYSPROF_IOC_STATS, sizeof(struct sysprof_stats) },
	{ "NAMES", SYSPROF_IOC_NAMES, sizeof(struct sysprof_names) },
	{ "SLOW", SYSPROF_IOC_SLOW, sizeof(struct sysprof_slow) },
};

#define DOORS	(sizeof(doors) / sizeof(doors[0]))

static uint8_t snapshot_buffer[1 << 16];

/* A struct that @door grants, with @extra zero bytes behind it. */
static uint8_t *granted(const struct door *door, size_t extra)
{
	uint8_t *arg = calloc(1, door->bytes + extra);
	uint32_t size = door->bytes + extra;

	memcpy(arg, &size, sizeof(size));
	if (door->command == SYSPROF_IOC_SNAPSHOT) {
		struct sysprof_snapshot *snapshot = (void *)arg;

		snapshot->buffer = (uintptr_t)snapshot_buffer;
		snapshot->buffer_bytes = sizeof(snapshot_buffer);
	}
	if (door->command == SYSPROF_IOC_SLOW)
		((struct sysprof_slow *)arg)->part = 1;
	return arg;
}

static void stop(int fd)
{
	ioctl(fd, SYSPROF_IOC_STOP);
}

static void test_sizes(void)
{
	int fd = device_open();

	configured(fd, 0, 0);
	for (unsigned i = 0; i < DOORS; i++) {
		const struct door *door = &doors[i];
		uint32_t wrong[] = { 0, 4, 1U << 20, UINT32_MAX };
		uint8_t *arg;

		for (unsigned w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++) {
			int ret;

			arg = granted(door, 0);
			memcpy(arg, &wrong[w], sizeof(wrong[w]));
			ret = ioctl(fd, door->command, arg);
			ok(ret && (errno == EINVAL || errno == E2BIG), "%s of %u bytes is refused",
			   door->name, wrong[w]);
			free(arg);
		}
		arg = granted(door, 64);
		ok(!ioctl(fd, door->command, arg), "%s: zeros behind the struct are granted",
		   door->name);
		stop(fd);
		free(arg);
		arg = granted(door, 64);
		arg[door->bytes + 63] = 1;
		refuses(ioctl(fd, door->command, arg), E2BIG, "%s: an unknown byte that is set",
			door->name);
		free(arg);
		refuses(ioctl(fd, door->command, (void *)8), EFAULT, "%s with a wild pointer",
			door->name);
	}
	refuses(ioctl(fd, _IO('P', 0x6f), 0), ENOTTY, "an unknown ioctl");
	close(fd);
}

static void refuses_config(int fd, const char *what, struct sysprof_config config)
{
	config.size = sizeof(config);
	refuses(ioctl(fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL, "CONFIGURE with %s", what);
}

static void test_values(void)
{
	struct sysprof_info info = { .size = sizeof(info), .reserved = 1 };
	struct sysprof_start start = { .size = sizeof(start), .flags = 1 };
	struct sysprof_snapshot snapshot = { .size = sizeof(snapshot),
					     .buffer = (uintptr_t)snapshot_buffer,
					     .buffer_bytes = sizeof(snapshot_buffer),
					     .reserved = 1 };
	struct sysprof_stats stats = { .size = sizeof(stats), .cpu = UINT32_MAX };
	struct sysprof_names names = { .size = sizeof(names), .nr = 4097 };
	struct sysprof_config config;
	int fd = device_open();

	refuses(ioctl(fd, SYSPROF_IOC_START, NULL), EINVAL, "START before CONFIGURE");
	refuses_config(fd, "a reserved member", (struct sysprof_config){ .reserved = 1 });
	refuses_config(fd, "an unknown flag", (struct sysprof_config){ .flags = 1U << 31 });
	refuses_config(fd, "an unknown clock", (struct sysprof_config){ .clock = 77 });
	refuses_config(fd, "an event but no counter",
		       (struct sysprof_config){ .event_period = 1000 });
	refuses_config(fd, "an event that is not hardware's",
		       (struct sysprof_config){ .clock = SYSPROF_CLOCK_PMU, .event_type = 1 });
	refuses_config(fd, "an unknown form", (struct sysprof_config){ .form = 77 });
	refuses_config(fd, "an unknown user mode", (struct sysprof_config){ .user_mode = 77 });
	refuses_config(fd, "a ring of 4097 bytes", (struct sysprof_config){ .ring_bytes = 4097 });
	refuses_config(fd, "a ring smaller than a page",
		       (struct sysprof_config){ .ring_bytes = 1024 });
	refuses_config(fd, "a ring of 2 GiB", (struct sysprof_config){ .ring_bytes = 1U << 31 });

	config = configured(fd, 1, 1U << 16);
	refuses(ioctl(fd, SYSPROF_IOC_INFO, &info), EINVAL, "INFO with a reserved member");
	info = (struct sysprof_info){ .size = sizeof(info) };
	ok(!ioctl(fd, SYSPROF_IOC_INFO, &info) && info.abi_version == SYSPROF_ABI_VERSION &&
		   info.page_bytes == PAGE && info.cpus >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
	   "INFO tells version, page size and CPUs");
	ok(config.period_ns >= info.min_period_ns && info.min_period_ns > 1,
	   "a period of 1 ns becomes the shortest there is");
	ok(config.ring_bytes == 1U << 16 && config.ring_stride >= config.ring_bytes + 2 * PAGE,
	   "CONFIGURE tells ring and stride");
	config = (struct sysprof_config){ .size = sizeof(config), .max_kernel_frames = UINT32_MAX,
		.max_user_frames = UINT32_MAX, .period_ns = UINT64_MAX };
	ok(!ioctl(fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   config.max_kernel_frames <= info.max_kernel_frames &&
		   config.max_user_frames <= info.max_user_frames && config.period_ns <= NS_PER_S,
	   "frames and period are clamped");

	refuses(ioctl(fd, SYSPROF_IOC_START, &start), EINVAL, "START with an unknown flag");
	refuses(ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot), EINVAL,
		"SNAPSHOT with a reserved member");
	snapshot.reserved = 0;
	snapshot.part = 99;
	refuses(ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot), EINVAL, "SNAPSHOT of an unknown part");
	snapshot.part = 0;
	snapshot.buffer_bytes = 64;
	refuses(ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot), EINVAL, "SNAPSHOT into a small buffer");
	snapshot.buffer_bytes = sizeof(snapshot_buffer);
	snapshot.cursor = UINT64_MAX;
	ok(ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot) >= -1,
	   "SNAPSHOT from a cursor that never was does no harm");
	refuses(ioctl(fd, SYSPROF_IOC_STATS, &stats), EINVAL, "STATS of a CPU that is none");
	refuses(ioctl(fd, SYSPROF_IOC_NAMES, &names), EINVAL, "NAMES of 4097 frames");
	names = (struct sysprof_names){ .size = sizeof(names), .nr = 1, .names = 8 };
	refuses(ioctl(fd, SYSPROF_IOC_NAMES, &names), EFAULT, "NAMES at a wild pointer");

	ok(!ioctl(fd, SYSPROF_IOC_START, NULL), "START");
	config = (struct sysprof_config){ .size = sizeof(config) };
	refuses(ioctl(fd, SYSPROF_IOC_CONFIGURE, &config), EBUSY, "CONFIGURE while running");
	refuses(ioctl(fd, SYSPROF_IOC_START, NULL), EBUSY, "START while running");
	ok(!ioctl(fd, SYSPROF_IOC_STOP) && !ioctl(fd, SYSPROF_IOC_STOP), "STOP, also twice");
	close(fd);
}

static int touch(void *page)
{
	return *(volatile uint8_t *)page & 0;
}

static void test_mmap(void)
{
	struct sysprof_info info = { .size = sizeof(info) };
	struct sysprof_config config;
	uint64_t stride;
	int fd = device_open();
	void *page, *tail, *data;

#define MAP(bytes, protection, flags, at) mmap(NULL, bytes, protection, flags, fd, at)
	refuses(MAP(PAGE, PROT_READ, MAP_SHARED, 0), EINVAL, "mmap before CONFIGURE");
	ioctl(fd, SYSPROF_IOC_INFO, &info);
	config = configured(fd, 0, 1U << 14);
	stride = config.ring_stride;
	refuses(MAP(2 * PAGE, PROT_READ, MAP_SHARED, 0), EINVAL,
		"mmap of ring page and tail in one");
	refuses(MAP(PAGE, PROT_READ, MAP_SHARED, 2 * PAGE), EINVAL, "mmap of a part of the data");
	refuses(MAP(2U << 14, PROT_READ, MAP_SHARED, 2 * PAGE), EINVAL,
		"mmap of more than the data");
	refuses(MAP(1U << 14, PROT_READ, MAP_SHARED, 3 * PAGE), EINVAL, "mmap of data from within");
	refuses(MAP(PAGE, PROT_READ, MAP_SHARED, info.cpus * stride), EINVAL,
		"mmap of a CPU that is none");
	refuses(MAP(PAGE, PROT_READ, MAP_SHARED, 1ULL << 60), EINVAL, "mmap far behind everything");
	refuses(MAP(PAGE, PROT_READ, MAP_PRIVATE, 0), EINVAL, "a private mmap");
	refuses(MAP(PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, 0), EINVAL, "an executable mmap");
	refuses(MAP(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, PAGE), EINVAL,
		"an executable mmap of the tail");
	refuses(MAP(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0), EPERM,
		"a writable mmap of the ring page");
	refuses(MAP(1U << 14, PROT_READ | PROT_WRITE, MAP_SHARED, 2 * PAGE), EPERM,
		"a writable mmap of the data");

	page = MAP(PAGE, PROT_READ, MAP_SHARED, 0);
	tail = MAP(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE);
	data = MAP(1U << 14, PROT_READ, MAP_SHARED, 2 * PAGE);
#undef MAP
	ok(page != MAP_FAILED && tail != MAP_FAILED && data != MAP_FAILED,
	   "each part can be mapped as it should be");
	refuses(mprotect(page, PAGE, PROT_READ | PROT_WRITE), EACCES,
		"making the ring page writable");
	refuses(mprotect(data, PAGE, PROT_READ | PROT_WRITE), EACCES, "making the data writable");
	refuses(mprotect(data, PAGE, PROT_READ | PROT_EXEC), EACCES, "making the data executable");
	refuses(mprotect(tail, PAGE, PROT_READ | PROT_EXEC), EACCES, "making the tail executable");
	ok(mremap(data, 1U << 14, 1U << 15, MREMAP_MAYMOVE) == MAP_FAILED,
	   "a mapping cannot be grown");
	ok(in_child(touch, data) == 128 + SIGSEGV, "a forked child has not the mapping");
	config = (struct sysprof_config){ .size = sizeof(config), .ring_bytes = 1U << 15 };
	refuses(ioctl(fd, SYSPROF_IOC_CONFIGURE, &config), EBUSY, "another ring size once mapped");
	refuses(read(fd, snapshot_buffer, sizeof(snapshot_buffer)), EBUSY, "read once mapped");
	close(fd);
	ok(!touch(data), "a mapping outlives the descriptor, for its owner");

	fd = device_open();
	configured(fd, 0, 1U << 14);
	ioctl(fd, SYSPROF_IOC_START, NULL);
	burn_ms(50);
	ok(read(fd, snapshot_buffer, sizeof(snapshot_buffer)) > 0, "read of a session that runs");
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	refuses(page == MAP_FAILED ? -1 : 0, EBUSY, "mmap once read");
	close(fd);
}

static int open_gives(void *unused)
{
	(void)unused;
	return open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC) < 0 ? errno : 0;
}

static int open_in_user_namespace(void *unused)
{
	return unshare(CLONE_NEWUSER) ? 255 : open_gives(unused);
}

static int open_in_pid_namespace(void *unused)
{
	/* An ordinary user needs a user namespace for it; both refuse. */
	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 255;
	return in_child(open_gives, unused);
}

static void test_namespaces(void)
{
	int status;

	refuses_errno(in_child(open_gives, NULL), 0, "open by a child");
	status = in_child(open_in_user_namespace, NULL);
	if (status == 255)
		ok(true, "open in a user namespace # SKIP namespaces are not to be had");
	else
		refuses_errno(status, EPERM, "open in a user namespace");
	status = in_child(open_in_pid_namespace, NULL);
	if (status == 255)
		ok(true, "open in a pid namespace # SKIP namespaces are not to be had");
	else
		refuses_errno(status, EPERM, "open in a pid namespace");
}

/* The opener exited; what its session does now is in the bits of the exit status. */
static int heir(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	uint64_t before;
	int status = 0;

	usleep(300000);
	before = delivered_get(fd);
	burn_ms(200);
	status |= delivered_get(fd) != before ? 1 : 0;
	status |= poll(&poll_fd, 1, 1000) == 1 && poll_fd.revents & POLLHUP ? 0 : 2;
	status |= ioctl(fd, SYSPROF_IOC_START, NULL) ? 0 : 4;
	return status;
}

static int open_start_fork_exit(void *data)
{
	int *pipe_fds = data, fd = device_open();
	uint8_t status;
	pid_t pid;

	configured(fd, 0, 0);
	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		return 1;
	pid = fork();
	if (pid)
		return pid < 0;
	status = heir(fd);
	_exit(write(pipe_fds[1], &status, 1) != 1);
}

static void test_opener_exits(void)
{
	uint8_t status = 255;
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC))
		err(1, "cannot make a pipe");
	if (in_child(open_start_fork_exit, pipe_fds) || read(pipe_fds[0], &status, 1) != 1)
		status = 255;
	ok(!(status & 1),
	   "a session stops when its opener exits, though a child holds the descriptor");
	ok(!(status & 2), "... and poll says so");
	ok(!(status & 4), "... and it cannot be started again");
}

static void test_memory_cap(void)
{
	int fds[64], n = 0;
	uint64_t granted_bytes = 0;
	bool refused = false;

	while (n < 64 && !refused) {
		struct sysprof_config config = { .size = sizeof(config), .ring_bytes = 32U << 20 };

		fds[n] = device_open();
		refused = ioctl(fds[n++], SYSPROF_IOC_CONFIGURE, &config) != 0;
		if (!refused)
			granted_bytes +=
				config.ring_bytes * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	}
	ok(refused && granted_bytes <= 512ULL << 20, "rings end at a limit, after %u MiB",
	   (unsigned)(granted_bytes >> 20));
	while (n)
		close(fds[--n]);
	fds[0] = device_open();
	ok(configured(fds[0], 0, 0).ring_bytes > 0,
	   "... and there is room again once they are closed");
	close(fds[0]);
}

int main(void)
{
	test_sizes();
	test_values();
	test_mmap();
	test_namespaces();
	test_opener_exits();
	test_memory_cap();
	return tests_end();
}
