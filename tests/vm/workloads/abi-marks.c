// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi-marks [all]: what /dev/sysprof-mark grants and refuses.  As an ordinary user: the user's own
 * recorder, bells that nobody can write, and requests.  all: as root, likewise of everybody's, with
 * a child that is another user.
 */
#include "abi.h"

#include <poll.h>
#include <sched.h>
#include <sys/stat.h>

#include "sysprof-mark.h"

#define NODE	 "/dev/sysprof-mark"
#define STRANGER 65534
#define F_ADD_SEALS_ 1033

static int node_open(void)
{
	int fd = open(NODE, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		printf("Bail out! cannot open %s: %s\n", NODE, strerror(errno));
		exit(1);
	}
	return fd;
}

static int record(int fd, uint32_t scope)
{
	struct sysprof_mark_record arg = { .size = sizeof(arg), .scope = scope };

	return ioctl(fd, SYSPROF_MARK_RECORD, &arg);
}

static int next(int fd, struct sysprof_mark_request *request)
{
	*request = (struct sysprof_mark_request){ .size = sizeof(*request) };
	return ioctl(fd, SYSPROF_MARK_NEXT, request);
}

static int answer(int fd, uint64_t cookie, int memory)
{
	struct sysprof_mark_answer arg = { .size = sizeof(arg), .fd = memory, .cookie = cookie };

	return ioctl(fd, SYSPROF_MARK_ANSWER, &arg);
}

static bool is_readable(int fd)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return poll(&entry, 1, 0) == 1 && entry.revents & POLLIN;
}

static const volatile struct sysprof_mark_bell *bell_map(int fd)
{
	return mmap(NULL, SYSPROF_MARK_BELL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
}

static int memory_new(bool is_sealed)
{
	int fd = memfd_create("marks", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, 1 << 20) < 0 ||
	    (is_sealed && fcntl(fd, F_ADD_SEALS_, 2 /* F_SEAL_SHRINK */) < 0))
		exit(1);
	return fd;
}

static bool is_same_file(int one, int other)
{
	struct stat a, b;

	return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

static void test_bell(void)
{
	int node = node_open(), bell = ioctl(node, SYSPROF_MARK_BELL, 0), again;
	const volatile struct sysprof_mark_bell *words = bell_map(bell);
	char path[64];

	ok(bell >= 0 && words != MAP_FAILED, "BELL gives memory that can be mapped");
	ok(fcntl(bell, F_GETFD) & FD_CLOEXEC, "... and is not inherited by exec");
	ok(words->ring == 0, "nobody records");
	again = ioctl(node, SYSPROF_MARK_BELL, 0);
	ok(is_same_file(bell, again), "a user has one bell");
	close(again);
	refuses(ioctl(node, SYSPROF_MARK_JOIN, 0ul), ENOENT, "JOIN of no recording");
	refuses(ioctl(node, SYSPROF_MARK_JOIN, 2ul), ENOENT, "JOIN of one that is not there");
	refuses(ioctl(node, SYSPROF_MARK_BELL + 0x10, 0), ENOTTY, "an ioctl that there is not");
	if (mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bell, 0) != MAP_FAILED)
		ok(false, "the bell cannot be mapped to be written");
	else
		refuses(-1, EACCES, "a mapping of the bell to be written");
	refuses(mprotect((void *)words, PAGE, PROT_READ | PROT_WRITE), EACCES,
		"to make the mapping writable");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bell);
	again = open(path, O_RDONLY);
	ok(again >= 0, "it can be opened anew to be read");
	close(again);
	/* Of an immutable file, which root's rights do not change. */
	again = open(path, O_RDWR);
	ok(again < 0 && (errno == EPERM || errno == EACCES), "... and not to be written");
	again = open(path, O_RDONLY | O_TRUNC);
	ok(again < 0 && (errno == EPERM || errno == EACCES), "... nor to be cut");
	ok(truncate(path, 0) < 0 && (errno == EPERM || errno == EACCES), "... nor cut by its path");
	ok(ftruncate(bell, 0) < 0, "... nor by its descriptor");
	ok(fallocate(bell, 3 /* keep size, punch hole */, 0, PAGE) < 0, "no hole can be made in it");
	ok(fchmod(bell, 0666) < 0, "its mode stays");
	ok(fchown(bell, getuid(), getgid()) < 0, "... and its owner");
	ok(write(bell, "x", 1) < 0, "no byte can be written");
	again = open("/proc/self/mem", O_RDWR);
	ok(again >= 0 && pwrite(again, "x", 1, (off_t)(uintptr_t)words) < 0,
	   "... nor by the memory of the process");
	close(again);
	ok(words->ring == 0 && words->answers == 0, "it says what it said");
	close(node);
	close(bell);
	munmap((void *)words, SYSPROF_MARK_BELL_BYTES);
}

static void test_arguments(void)
{
	struct sysprof_mark_record small = { .size = 4 };
	struct {
		struct sysprof_mark_record arg;
		uint32_t more;
	} large = { { sizeof(large), 0 }, 1 };
	struct sysprof_mark_request request;
	int node = node_open();

	refuses(record(node, 2), EINVAL, "RECORD of a scope that there is not");
	refuses(ioctl(node, SYSPROF_MARK_RECORD, &small), EINVAL, "RECORD with less than its struct");
	refuses(ioctl(node, SYSPROF_MARK_RECORD, &large), E2BIG, "RECORD with more that is not zero");
	refuses(ioctl(node, SYSPROF_MARK_RECORD, NULL), EFAULT, "RECORD of nothing");
	refuses(next(node, &request), EINVAL, "NEXT without RECORD");
	refuses(answer(node, 1, -1), EINVAL, "ANSWER without RECORD");
	ok(!is_readable(node), "such a descriptor is not readable");
	close(node);
}

/* @scope: whose recorder; the programs are the caller's. */
static void test_recorder(uint32_t scope)
{
	int program = node_open(), recorder = node_open(), other = node_open();
	int memory, got, pipes[2];
	int bell = ioctl(program, SYSPROF_MARK_BELL, 0);
	const volatile struct sysprof_mark_bell *words = bell_map(bell);
	struct sysprof_mark_request request, second;
	uint32_t ring, answers;

	ok(record(recorder, scope) == 0, "RECORD of %s", scope ? "all" : "the own user");
	ring = words->ring;
	ok(ring > 1, "the bell rings (%u)", ring);
	refuses(record(other, scope), EBUSY, "a second recorder");
	refuses(record(recorder, scope), EBUSY, "a second RECORD");
	refuses(next(recorder, &request), EAGAIN, "NEXT before anybody has asked");
	ok(!is_readable(recorder), "... nor is it readable");
	refuses(ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring + 1), ENOENT,
		"JOIN of another recording");
	answers = words->answers;
	refuses(ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring), EAGAIN, "the first JOIN");
	ok(is_readable(recorder), "the recorder is readable");
	for (unsigned i = 0; i < 1000; i++)
		ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring);
	got = next(recorder, &request);
	ok(got == 0 && request.uid == geteuid() && request.tgid == (uint32_t)getpid() &&
		   request.cookie,
	   "NEXT has user and process (%u, %u)", request.uid, request.tgid);
	refuses(next(recorder, &second), EAGAIN, "... once, however often it asks");
	ok(!is_readable(recorder), "... and nothing more to read");
	memory = memory_new(false);
	refuses(answer(recorder, request.cookie, memory), EINVAL, "memory that is not sealed");
	close(memory);
	if (pipe(pipes) == 0)
		refuses(answer(recorder, request.cookie, pipes[0]), EINVAL, "a pipe as memory");
	refuses(answer(recorder, request.cookie, 12345), EBADF, "a descriptor that is none");
	refuses(answer(recorder, request.cookie + 1, -1), ESRCH, "an answer to nobody");
	got = open("/proc/self/exe", O_RDONLY);
	refuses(answer(recorder, request.cookie, got), EINVAL, "a file of a file system");
	close(got);
	ok(words->answers == answers, "none of these was an answer");
	memory = memory_new(true);
	ok(answer(recorder, request.cookie, memory) == 0 && words->answers != answers,
	   "sealed memory is");
	refuses(answer(recorder, request.cookie, memory), ESRCH, "another answer");
	got = ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring);
	ok(got >= 0 && is_same_file(got, memory) && fcntl(got, F_GETFD) & FD_CLOEXEC,
	   "JOIN gives it");
	close(got);
	close(recorder);
	ok(words->ring == 0, "the bell is still when the recorder has ended");
	refuses(ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring), ENOENT,
		"JOIN of the last one");
	ok(record(other, scope) == 0 && words->ring > ring, "the next recorder has another number");
	ring = words->ring;
	ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring);
	ok(next(other, &request) == 0 && answer(other, request.cookie, -1) == 0, "it refuses");
	refuses(ioctl(program, SYSPROF_MARK_JOIN, (unsigned long)ring), ENOENT, "JOIN says so");
	close(other);
	close(program);
	close(bell);
	close(memory);
	munmap((void *)words, SYSPROF_MARK_BELL_BYTES);
}

/* By a descriptor of root's, and as another user, who takes his own. */
static void test_stranger(void)
{
	int all = node_open(), handed = node_open(), status = 0, pipes[2];
	struct sysprof_mark_counts counts = { .size = sizeof(counts) };
	pid_t child;

	ok(record(all, SYSPROF_MARK_ALL) == 0 && pipe(pipes) == 0, "root records all");
	child = fork();
	if (child == 0) {
		int node, bell;
		const volatile struct sysprof_mark_bell *words;
		uint32_t ring;

		if (setresgid(STRANGER, STRANGER, STRANGER) < 0 ||
		    setresuid(STRANGER, STRANGER, STRANGER) < 0)
			_exit(1);
		if (record(handed, SYSPROF_MARK_ALL) == 0 || errno != EPERM)
			_exit(2);
		node = node_open();
		bell = ioctl(node, SYSPROF_MARK_BELL, 0);
		words = bell_map(bell);
		if (record(node, SYSPROF_MARK_ALL) == 0 || errno != EPERM)
			_exit(3);
		ring = words->ring;
		if (!ring || ioctl(node, SYSPROF_MARK_JOIN, (unsigned long)ring) >= 0 ||
		    errno != EAGAIN)
			_exit(4);
		if (write(pipes[1], "x", 1) != 1)
			_exit(5);
		/* Root's answer has to come. */
		while (!words->answers)
			usleep(1000);
		if (ioctl(node, SYSPROF_MARK_JOIN, (unsigned long)ring) < 0)
			_exit(6);
		if (record(node, SYSPROF_MARK_OWN) < 0 || words->ring <= ring)
			_exit(7);
		if (ioctl(node, SYSPROF_MARK_JOIN, (unsigned long)ring) >= 0 || errno != ENOENT)
			_exit(8);
		ring = words->ring;
		if (ioctl(node, SYSPROF_MARK_JOIN, (unsigned long)ring) >= 0 || errno != EAGAIN)
			_exit(9);
		close(node);
		_exit(words->ring > ring ? 0 : 10);
	}
	struct sysprof_mark_request request;
	char byte;
	int memory = memory_new(true);

	ok(read(pipes[0], &byte, 1) == 1 && next(all, &request) == 0 && request.uid == STRANGER &&
		   request.tgid == (uint32_t)child && answer(all, request.cookie, memory) == 0,
	   "another user asks root's recorder, and is answered");
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "he cannot record all, by no descriptor, and his own recorder comes first (%d)",
	   WEXITSTATUS(status));
	status = ioctl(all, SYSPROF_MARK_COUNTS, &counts);
	ok(status == 0 && counts.answered == 1 && counts.others == 1, "root's recorder is told (%u answered, %u others)",
	   counts.answered, counts.others);
	close(all);
	close(handed);
	close(memory);
}

/* Who is in a namespace has no more rights than outside. */
static void test_spaces(void)
{
	int all = node_open(), status = 0;
	struct sysprof_mark_request request;
	pid_t child;

	if (record(all, SYSPROF_MARK_ALL) < 0)
		ok(false, "root records all");
	child = fork();
	if (child == 0) {
		if (setresgid(STRANGER, STRANGER, STRANGER) < 0 ||
		    setresuid(STRANGER, STRANGER, STRANGER) < 0 || unshare(CLONE_NEWUSER) < 0)
			_exit(1);
		int node = node_open(), bell = ioctl(node, SYSPROF_MARK_BELL, 0);
		const volatile struct sysprof_mark_bell *words = bell_map(bell);

		if (record(node, SYSPROF_MARK_ALL) == 0 || errno != EPERM)
			_exit(2);
		_exit(ioctl(node, SYSPROF_MARK_JOIN, (unsigned long)words->ring) >= 0 ||
		      errno != EAGAIN);
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "who is root in a namespace cannot record all (%d)", WEXITSTATUS(status));
	ok(next(all, &request) == 0 && request.uid == STRANGER, "... and asks as who he is outside");
	close(all);
}

int main(int argc, char **argv)
{
	test_bell();
	test_arguments();
	test_recorder(SYSPROF_MARK_OWN);
	if (argc > 1 && strcmp(argv[1], "all") == 0) {
		test_recorder(SYSPROF_MARK_ALL);
		test_stranger();
		test_spaces();
	} else {
		int node = node_open();

		refuses(record(node, SYSPROF_MARK_ALL), EPERM, "RECORD of all");
		close(node);
	}
	return tests_end();
}
