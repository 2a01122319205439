// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of objects: abi-files VICTIM-DIRECTORY.  What MAP_FD opens, and for which users: own files,
 * also when they are deleted, replaced or their process exited; none of somebody else's that open()
 * would not give.  Root, who may have all, shows that the refusals are not for want of the object.
 */
#include "abi.h"
#include "files.h"

#include <sys/mount.h>
#include <sys/prctl.h>

static bool is_root;

/*
 * The id of the newest object whose path begins with @path (it may have " (deleted)" behind it); 0
 * if there is none.
 */
static uint32_t object_like(int fd, const char *path)
{
	static uint8_t buffer[1 << 18];
	struct sysprof_snapshot snapshot = {
		.size = sizeof(snapshot),
		.part = SYSPROF_SNAPSHOT_OBJECTS,
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = sizeof(buffer),
	};
	uint32_t found = 0;

	while (!ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot) && snapshot.filled_bytes) {
		for (size_t at = 0; at < snapshot.filled_bytes;) {
			const struct sysprof_object *object = (const void *)(buffer + at);

			if (!strncmp(object->path, path, strlen(path)))
				found = object->object;
			at += object->record.size * 8U;
		}
	}
	return found;
}

static uint32_t object_of(int fd, const char *path)
{
	uint32_t found = object_like(fd, path);

	if (!found)
		ok(false, "an object %s is known", path);
	return found;
}

/* A descriptor, or -1 and errno. */
static int map_fd(int fd, uint32_t object)
{
	struct sysprof_map_fd arg = { .size = sizeof(arg), .object = object, .fd = -1 };

	return ioctl(fd, SYSPROF_IOC_MAP_FD, &arg) ? -1 : arg.fd;
}

/* Whether @file is a copy of this program from its beginning on; closes it. */
static bool is_copy(int file)
{
	uint8_t own[4096], its[4096];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool same = read(self, own, sizeof(own)) == sizeof(own) &&
		    read(file, its, sizeof(its)) == sizeof(its) && !memcmp(own, its, sizeof(own));

	close(self);
	close(file);
	return same;
}

static bool is_elf(int file)
{
	char magic[4];
	bool is = read(file, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4);

	close(file);
	return is;
}

static void refuses_object(int fd, uint32_t object, const char *what)
{
	int file = map_fd(fd, object);

	if (is_root)
		ok(file >= 0 && is_elf(file), "root may have %s", what);
	else
		refuses(file, EACCES, "%s", what);
}

static void test_arguments(int fd)
{
	struct sysprof_map_fd arg = { .size = sizeof(arg), .flags = 1 };
	uint32_t none[] = { SYSPROF_OBJECT_UNKNOWN, SYSPROF_OBJECT_KERNEL, SYSPROF_OBJECT_VDSO,
			    0xffffff, UINT32_MAX };

	refuses(ioctl(fd, SYSPROF_IOC_MAP_FD, &arg), EINVAL, "MAP_FD with an unknown flag");
	arg = (struct sysprof_map_fd){ .size = 8 };
	refuses(ioctl(fd, SYSPROF_IOC_MAP_FD, &arg), EINVAL,
		"MAP_FD without room for the descriptor");
	refuses(ioctl(fd, SYSPROF_IOC_MAP_FD, (void *)8), EFAULT, "MAP_FD with a wild pointer");
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		refuses(map_fd(fd, none[i]), ENOENT, "MAP_FD of %#x, which is no file", none[i]);
}

static void test_own(int fd)
{
	char path[64];
	uint32_t object;
	int file, second;
	uint8_t byte;

	snprintf(path, sizeof(path), "/tmp/own-%d.so", getpid());
	file_copy_self(path, 0700);
	file_map(path);
	object = object_of(fd, path);
	file = map_fd(fd, object);
	if (!ok(file >= 0, "a file of one's own"))
		return;
	ok((fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY && fcntl(file, F_GETFD) & FD_CLOEXEC,
	   "... is open for reading, close-on-exec");
	refuses(write(file, "", 1), EBADF, "... and not for writing");
	second = map_fd(fd, object);
	ok(read(file, &byte, 1) == 1 && lseek(second, 0, SEEK_CUR) == 0,
	   "... with a position of its own");
	close(second);
	lseek(file, 0, SEEK_SET);
	ok(is_copy(file), "... and is the file");

	rename(path, "/tmp/elsewhere");
	mkfifo(path, 0666);
	file = map_fd(fd, object);
	ok(file >= 0 && is_copy(file), "a pipe in its place is not taken for it, nor waited for");
	unlink("/tmp/elsewhere");
	file = map_fd(fd, object);
	ok(file >= 0 && is_copy(file), "deleted, it is still there while it is mapped");
	unlink(path);

	snprintf(path, sizeof(path), "/tmp/mute-%d.so", getpid());
	file_copy_self(path, 0700);
	file_map(path);
	chmod(path, 0);
	refuses_object(fd, object_of(fd, path),
		       "a file of one's own without permission to read it");
	unlink(path);
}

/* Maps, deletes and exits. */
static int be_short(void *path)
{
	file_map(path);
	return unlink(path);
}

static void test_short_lived(int fd)
{
	char path[64];
	unsigned waited = 0;
	uint32_t object;
	int file;

	snprintf(path, sizeof(path), "/tmp/short-%d.so", getpid());
	file_copy_self(path, 0700);
	in_child(be_short, path);
	object = object_of(fd, path);
	file = map_fd(fd, object);
	ok(file >= 0 && is_copy(file),
	   "a deleted file of a process that is gone is still there for a moment");
	while ((file = map_fd(fd, object)) >= 0 && waited++ < 150) {
		close(file);
		usleep(200000);
	}
	refuses(file, EACCES, "... and let go of after a while");
}

static void test_undumpable(int fd)
{
	char path[64];
	int go[2], done[2];
	char byte = 0;
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/undumpable-%d.so", getpid());
	if (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		err(1, "cannot make a pipe");
	file_copy_self(path, 0700);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0);
		be_short(path);
		_exit(write(done[1], "", 1) != 1 || read(go[0], &byte, 1) != 1);
	}
	if (read(done[0], &byte, 1) != 1)
		err(1, "the child died");
	refuses_object(fd, object_of(fd, path),
		       "a deleted file of a process of one's own that may not be traced");
	if (write(go[1], "", 1) != 1)
		err(1, "cannot write to the child");
	waitpid(pid, NULL, 0);
}

static void test_device(int fd)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, zero, 0);

	close(zero);
	if (ok(at != MAP_FAILED, "code can be mapped from a device"))
		refuses(map_fd(fd, object_of(fd, "/dev/zero")), EACCES, "a device");
}

static void test_victim(int fd, const char *directory)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/closed/readable.so", directory);
	refuses_object(fd, object_of(fd, path), "somebody else's file in a closed directory");
	snprintf(path, sizeof(path), "%s/unreadable.so", directory);
	refuses_object(fd, object_of(fd, path), "somebody else's file that may not be read");
	snprintf(path, sizeof(path), "%s/deleted.so", directory);
	refuses_object(fd, object_of(fd, path), "somebody else's deleted file");
	/* New ones come by the hooks. */
	snprintf(path, sizeof(path), "%s/fresh-", directory);
	for (unsigned tries = 0; tries < 100 && !object_like(fd, path); tries++)
		usleep(100000);
	refuses_object(fd, object_like(fd, path), "what somebody else has just mapped and deleted");
}

/* What was mapped does not hold its file system for long, though a session runs. */
static void test_unmount(int fd)
{
	unsigned waited = 0;

	if (mkdir("/tmp/mount", 0755) || mount("none", "/tmp/mount", "tmpfs", 0, NULL))
		err(1, "cannot mount");
	file_copy_self("/tmp/mount/a.so", 0755);
	file_unmap(file_map("/tmp/mount/a.so"));
	ok(is_copy(map_fd(fd, object_of(fd, "/tmp/mount/a.so"))),
	   "a file on a file system of its own");
	while (umount("/tmp/mount") && errno == EBUSY && waited++ < 150)
		usleep(200000);
	timed(waited < 150, "... which can be unmounted soon, while a session runs");
}

int main(int argc, char **argv)
{
	int fd = device_open();

	if (argc != 2)
		errx(2, "usage: abi-files VICTIM-DIRECTORY");
	is_root = !geteuid();
	configured(fd, 0, 0);
	ok(!ioctl(fd, SYSPROF_IOC_START, NULL), "START");
	test_arguments(fd);
	test_own(fd);
	test_short_lived(fd);
	test_undumpable(fd);
	test_device(fd);
	test_victim(fd, argv[1]);
	if (is_root)
		test_unmount(fd);
	close(fd);
	return tests_end();
}
