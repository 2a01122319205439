/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each function of files and names that libspt-io.so replaces, called once or more. */
#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>

#include "odd-call.h"

/* Of __xstat(). */
#ifdef __x86_64__
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
#define N 6

static char buffer[4096];
static int fd;

/* The file has the six letters again, and its position is 0. */
static void reset(void)
{
	if (syscall(SYS_ftruncate, fd, 0) || pwrite(fd, "abcdef", N, 0) != N ||
	    lseek(fd, 0, SEEK_SET))
		err(1, "reset");
	memset(buffer, 0, sizeof(buffer));
}

static bool closes(int other)
{
	return other >= 0 && close(other) == 0;
}

static bool is_file(const struct stat *stat_)
{
	return S_ISREG(stat_->st_mode) && stat_->st_size == N;
}

static void open_files(void)
{
	DIR *directory;
	FILE *file;
	struct stat stat_ = { 0 };

	fd = open("file", O_RDWR | O_CREAT | O_EXCL, 0640);
	CALL(open, fd >= 0 && fstat(fd, &stat_) == 0 && (stat_.st_mode & 0777) == 0640);
	reset();
	CALL(open64, closes(open64("file", O_RDONLY)));
	CALL(__open_2, closes(FORTIFIED(int, __open_2, const char *, int)("file", O_RDONLY)));
	CALL(__open64_2, closes(FORTIFIED(int, __open64_2, const char *, int)("file", O_RDONLY)));
	CALL(openat, closes(openat(AT_FDCWD, "made", O_RDWR | O_CREAT, 0600)));
	CALL(openat64, closes(openat64(AT_FDCWD, "made", O_RDONLY)));
	CALL(__openat_2, closes(FORTIFIED(int, __openat_2, int, const char *, int)(AT_FDCWD, "file",
										   O_RDONLY)));
	CALL(__openat64_2, closes(FORTIFIED(int, __openat64_2, int, const char *,
					    int)(AT_FDCWD, "file", O_RDONLY)));
	CALL(creat, closes(creat("created", 0600)) && stat("created", &stat_) == 0 &&
			    (stat_.st_mode & 0777) == 0600);
	CALL(creat64, closes(creat64("created", 0600)));
	CALL(close, FAILS(close(-1), EBADF));
	CALL(close_range,
	     close_range(900, 901, 0) == 0 && FAILS((int)close_range(9, 8, 0), EINVAL));
	CALL(opendir, (directory = opendir(".")) && closedir(directory) == 0);
	CALL(closedir, !opendir("nowhere") && errno == ENOENT);
	CALL(fdopendir, (directory = fdopendir(open(".", O_RDONLY))) && readdir(directory) &&
				closedir(directory) == 0);
	CALL(fopen, (file = fopen("file", "r")) && fgetc(file) == 'a' && fclose(file) == 0);
	CALL(fopen64, (file = fopen64("file", "re")) && fgetc(file) == 'a');
	CALL(freopen, (file = freopen("file", "r", file)) && fgetc(file) == 'a');
	CALL(freopen64, (file = freopen64("created", "w", file)) && fputs("x", file) > 0);
	CALL(fflush, fflush(file) == 0 && stat("created", &stat_) == 0 && stat_.st_size == 1);
	CALL(fclose, fclose(file) == 0);
	CALL(popen, (file = popen("echo said; exit 7", "r")) && fgets(buffer, 10, file) &&
			    IS(buffer, "said\n"));
	CALL(pclose, WEXITSTATUS(pclose(file)) == 7);
}

static void read_and_write(void)
{
	struct iovec parts[2] = { { buffer, 2 }, { buffer + 10, 4 } };

	reset();
	CALL(read, read(fd, buffer, 3) == 3 && IS(buffer, "abc"));
	CALL(__read_chk, FORTIFIED(ssize_t, __read_chk, int, void *, size_t,
				   size_t)(fd, buffer, 3, sizeof(buffer)) == 3 &&
				 IS(buffer, "def"));
	CALL(write, write(fd, "gh", 2) == 2 && FAILS(write(-1, "", 1), EBADF));
	reset();
	CALL(pread, pread(fd, buffer, 2, 1) == 2 && IS(buffer, "bc"));
	CALL(pread64, pread64(fd, buffer, 2, 2) == 2 && IS(buffer, "cd"));
	CALL(__pread_chk, FORTIFIED(ssize_t, __pread_chk, int, void *, size_t, off_t,
				    size_t)(fd, buffer, 2, 3, sizeof(buffer)) == 2 &&
				  IS(buffer, "de"));
	CALL(__pread64_chk, FORTIFIED(ssize_t, __pread64_chk, int, void *, size_t, off_t,
				      size_t)(fd, buffer, 2, 4, sizeof(buffer)) == 2 &&
				    IS(buffer, "ef"));
	CALL(pwrite, pwrite(fd, "BC", 2, 1) == 2);
	CALL(pwrite64,
	     pwrite64(fd, "E", 1, 4) == 1 && pread(fd, buffer, N, 0) == N && IS(buffer, "aBCdEf"));
	reset();
	CALL(readv, readv(fd, parts, 2) == N && IS(buffer, "ab") && IS(buffer + 10, "cdef"));
	CALL(writev, writev(fd, parts, 2) == N);
	reset();
	CALL(preadv, preadv(fd, parts, 2, 1) == 5 && IS(buffer, "bc"));
	CALL(preadv64, preadv64(fd, parts, 2, 2) == 4 && IS(buffer, "cd"));
	CALL(preadv2, preadv2(fd, parts, 2, 3, 0) == 3 && IS(buffer, "de"));
	CALL(preadv64v2, preadv64v2(fd, parts, 2, 4, 0) == 2 && IS(buffer, "ef") &&
				 FAILS(preadv2(fd, parts, 2, 0, 1 << 30), EOPNOTSUPP));
	memcpy(buffer, "xy", 2);
	memcpy(buffer + 10, "zzzz", 4);
	CALL(pwritev, pwritev(fd, parts, 2, 0) == N);
	CALL(pwritev64, pwritev64(fd, parts, 2, 6) == N);
	CALL(pwritev2, pwritev2(fd, parts, 2, 12, 0) == N);
	CALL(pwritev64v2, pwritev64v2(fd, parts, 2, 18, RWF_SYNC) == N &&
				  pread(fd, buffer + 100, 30, 0) == 24 &&
				  IS(buffer + 100, "xyzzzzxyzzzzxyzzzzxyzzzz"));
	CALL(getrandom, getrandom(buffer, 16, 0) == 16);
}

static void move_data(void)
{
	int pipes[2], more[2], other = open("other", O_RDWR | O_CREAT, 0600);
	struct iovec part = { buffer, 3 };
	loff_t at = 1, to = 0;
	off_t begin = 2;

	if (other < 0 || pipe(pipes) || pipe(more))
		err(1, "pipes");
	reset();
	CALL(sendfile, sendfile(other, fd, &begin, 2) == 2 && begin == 4);
	CALL(sendfile64, sendfile64(other, fd, &begin, 1) == 1 && begin == 5 &&
				 pread(other, buffer, 10, 0) == 3 && IS(buffer, "cde"));
	CALL(splice, splice(fd, &at, pipes[1], NULL, 4, 0) == 4 && at == 5);
	CALL(tee, tee(pipes[0], more[1], 4, 0) == 4 && read(more[0], buffer, 10) == 4 &&
			  IS(buffer, "bcde") && read(pipes[0], buffer, 10) == 4);
	memcpy(buffer, "seg", 3);
	CALL(vmsplice, vmsplice(pipes[1], &part, 1, 0) == 3 && read(pipes[0], buffer, 3) == 3 &&
			       IS(buffer, "seg"));
	at = 0;
	CALL(copy_file_range, copy_file_range(fd, &at, other, &to, 5, 0) == 5 && at == 5 &&
				      to == 5 && pread(other, buffer, 10, 0) == 5 &&
				      IS(buffer, "abcde"));
	close(other);
	close(pipes[0]);
	close(pipes[1]);
	close(more[0]);
	close(more[1]);
}

/* Descriptors have the numbers that programs count on. */
static void number(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	unsigned n = 0;
	int first = open("/dev/null", O_RDONLY);

	while (directory && (entry = readdir(directory)))
		n += entry->d_name[0] != '.';
	printf("%u descriptors, the next one is %d\n", n, first);
	close(first);
	if (directory)
		closedir(directory);
}

static off_t size_now(void)
{
	struct stat stat_ = { 0 };

	return fstat(fd, &stat_) ? -1 : stat_.st_size;
}

static void keep(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int other = open("file", O_RDWR), bytes = 0, pipes[2];

	reset();
	CALL(fsync, fsync(fd) == 0 && FAILS(fsync(-1), EBADF));
	CALL(fdatasync, fdatasync(fd) == 0);
	sync();
	CALL(sync, true);
	CALL(syncfs, syncfs(fd) == 0 && FAILS(syncfs(-1), EBADF));
	CALL(msync, msync(page, 4096, MS_SYNC) == 0 && FAILS(msync(page, 4096, 1 << 20), EINVAL));
	CALL(sync_file_range, sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE) == 0);
	CALL(truncate, truncate("file", 100) == 0 && size_now() == 100);
	CALL(truncate64, truncate64("file", 101) == 0 && size_now() == 101);
	CALL(ftruncate, ftruncate(fd, 102) == 0 && size_now() == 102);
	CALL(ftruncate64, ftruncate64(fd, 103) == 0 && size_now() == 103);
	CALL(fallocate, fallocate(fd, 0, 0, 8192) == 0 && size_now() == 8192);
	CALL(fallocate64, fallocate64(fd, FALLOC_FL_KEEP_SIZE, 0, 9000) == 0 && size_now() == 8192);
	CALL(posix_fallocate, posix_fallocate(fd, 0, 9000) == 0 && size_now() == 9000 &&
				      posix_fallocate(-1, 0, 1) == EBADF);
	CALL(posix_fallocate64, posix_fallocate64(fd, 9000, 10) == 0 && size_now() == 9010);
	CALL(posix_fadvise, posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL) == 0);
	CALL(posix_fadvise64, posix_fadvise64(fd, 0, 0, 77) == EINVAL);
	CALL(readahead, readahead(fd, 0, 4096) == 0 && FAILS(readahead(-1, 0, 1), EBADF));
	if (pipe(pipes))
		err(1, "pipe");
	CALL(ioctl, write(pipes[1], "abc", 3) == 3 && ioctl(pipes[0], FIONREAD, &bytes) == 0 &&
			    bytes == 3);
	CALL(fcntl, fcntl(fd, F_GETFL) >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
			    fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CALL(fcntl64, FORTIFIED(int, fcntl64, int, int, ...)(fd, F_SETLK, &lock) == 0);
	CALL(flock, flock(fd, LOCK_EX) == 0 && FAILS(flock(other, LOCK_EX | LOCK_NB), EWOULDBLOCK));
	CALL(lockf, lockf(fd, F_TLOCK, 10) == 0);
	CALL(lockf64, lockf64(fd, F_ULOCK, 10) == 0);
	CALL(tcdrain, FAILS(tcdrain(fd), ENOTTY));
	munmap(page, 4096);
	close(other);
	close(pipes[0]);
	close(pipes[1]);
}

#define OLD_STAT(name, type, ...) FORTIFIED(int, name, int, __VA_ARGS__, type *)

static void look_at_files(void)
{
	struct stat s = { 0 };
	struct stat64 s64 = { 0 };
	struct statx sx = { 0 };
	struct statfs f = { 0 };
	struct statfs64 f64 = { 0 };
	struct statvfs v = { 0 };
	struct statvfs64 v64 = { 0 };

	reset();
	CALL(stat, stat("file", &s) == 0 && is_file(&s) && FAILS(stat("nowhere", &s), ENOENT));
	CALL(stat64, stat64("file", &s64) == 0 && s64.st_size == N);
	CALL(lstat,
	     symlink("file", "pointer") == 0 && lstat("pointer", &s) == 0 && S_ISLNK(s.st_mode));
	CALL(lstat64, lstat64("pointer", &s64) == 0 && S_ISLNK(s64.st_mode));
	CALL(fstat, fstat(fd, &s) == 0 && is_file(&s));
	CALL(fstat64, fstat64(fd, &s64) == 0 && s64.st_size == N);
	CALL(fstatat, fstatat(AT_FDCWD, "pointer", &s, 0) == 0 && is_file(&s));
	CALL(fstatat64, fstatat64(AT_FDCWD, "pointer", &s64, AT_SYMLINK_NOFOLLOW) == 0 &&
				S_ISLNK(s64.st_mode));
	CALL(__xstat, OLD_STAT(__xstat, struct stat, const char *)(STAT_VERSION, "file", &s) == 0 &&
			      is_file(&s));
	CALL(__xstat64,
	     OLD_STAT(__xstat64, struct stat64, const char *)(STAT_VERSION, "file", &s64) == 0);
	CALL(__lxstat,
	     OLD_STAT(__lxstat, struct stat, const char *)(STAT_VERSION, "pointer", &s) == 0 &&
		     S_ISLNK(s.st_mode));
	CALL(__lxstat64,
	     OLD_STAT(__lxstat64, struct stat64, const char *)(STAT_VERSION, "pointer", &s64) == 0);
	CALL(__fxstat,
	     OLD_STAT(__fxstat, struct stat, int)(STAT_VERSION, fd, &s) == 0 && is_file(&s));
	CALL(__fxstat64, OLD_STAT(__fxstat64, struct stat64, int)(STAT_VERSION, fd, &s64) == 0);
	CALL(__fxstatat,
	     FORTIFIED(int, __fxstatat, int, int, const char *, struct stat *,
		       int)(STAT_VERSION, AT_FDCWD, "pointer", &s, AT_SYMLINK_NOFOLLOW) == 0 &&
		     S_ISLNK(s.st_mode));
	CALL(__fxstatat64, FORTIFIED(int, __fxstatat64, int, int, const char *, struct stat64 *,
				     int)(STAT_VERSION, AT_FDCWD, "pointer", &s64, 0) == 0 &&
				   s64.st_size == N);
	CALL(statx, statx(AT_FDCWD, "file", 0, STATX_SIZE, &sx) == 0 && sx.stx_size == N);
	CALL(statfs, statfs(".", &f) == 0 && f.f_bsize > 0);
	CALL(statfs64, statfs64(".", &f64) == 0 && f64.f_bsize > 0);
	CALL(fstatfs, fstatfs(fd, &f) == 0 && FAILS(fstatfs(-1, &f), EBADF));
	CALL(fstatfs64, fstatfs64(fd, &f64) == 0);
	CALL(statvfs, statvfs(".", &v) == 0 && v.f_namemax > 0);
	CALL(statvfs64, statvfs64(".", &v64) == 0 && v64.f_namemax > 0);
}

static void look_at_names(void)
{
	reset();
	CALL(access, access("file", R_OK) == 0 && FAILS(access("nowhere", F_OK), ENOENT));
	CALL(faccessat, faccessat(AT_FDCWD, "file", R_OK, AT_EACCESS) == 0);
	CALL(euidaccess, euidaccess("file", R_OK) == 0);
	CALL(readlink, readlink("pointer", buffer, 100) == 4 && IS(buffer, "file"));
	CALL(__readlink_chk, FORTIFIED(ssize_t, __readlink_chk, const char *, char *, size_t,
				       size_t)("pointer", buffer, 3, sizeof(buffer)) == 3);
	CALL(readlinkat, readlinkat(AT_FDCWD, "pointer", buffer, 100) == 4);
	CALL(__readlinkat_chk,
	     FORTIFIED(ssize_t, __readlinkat_chk, int, const char *, char *, size_t,
		       size_t)(AT_FDCWD, "pointer", buffer, 2, sizeof(buffer)) == 2);
	CALL(realpath, realpath("pointer", buffer) == buffer && strstr(buffer, "/file"));
	CALL(__realpath_chk, FORTIFIED(char *, __realpath_chk, const char *, char *,
				       size_t)("pointer", buffer, sizeof(buffer)) == buffer);
	CALL(rename, rename("other", "other2") == 0);
	CALL(renameat, renameat(AT_FDCWD, "other2", AT_FDCWD, "other") == 0);
	CALL(renameat2,
	     FAILS(renameat2(AT_FDCWD, "other", AT_FDCWD, "file", RENAME_NOREPLACE), EEXIST));
	CALL(link, link("file", "link") == 0 && FAILS(link("file", "link"), EEXIST));
	CALL(linkat, linkat(AT_FDCWD, "file", AT_FDCWD, "link2", 0) == 0);
	CALL(symlink, FAILS(symlink("file", "pointer"), EEXIST));
	CALL(symlinkat, symlinkat("file", AT_FDCWD, "pointer2") == 0);
	CALL(unlink, unlink("link") == 0 && FAILS(unlink("link"), ENOENT));
	CALL(unlinkat,
	     unlinkat(AT_FDCWD, "link2", 0) == 0 && unlinkat(AT_FDCWD, "pointer2", 0) == 0);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int is_visible64(const struct dirent64 *entry)
{
	return entry->d_name[0] != '.';
}

static void change_names(void)
{
	const struct timespec times[2] = { { 100, 0 }, { 200, 0 } };
	struct dirent **entries;
	struct dirent64 **entries64;
	struct stat s = { 0 };
	int top = open(".", O_RDONLY), entry;

	CALL(mkdir, mkdir("inside", 0700) == 0 && FAILS(mkdir("inside", 0700), EEXIST));
	CALL(mkdirat, mkdirat(AT_FDCWD, "inside/deeper", 0700) == 0);
	CALL(rmdir, rmdir("inside/deeper") == 0 && FAILS(rmdir("file"), ENOTDIR));
	CALL(scandir, scandir("inside", &entries, is_visible, alphasort) == 0);
	CALL(scandir64, scandir64(".", &entries64, is_visible64, alphasort64) == 6 &&
				IS(entries64[0]->d_name, "created"));
	entry = open(".", O_RDONLY);
	CALL(getdents64, FORTIFIED(ssize_t, getdents64, int, void *, size_t)(entry, buffer,
									     sizeof(buffer)) > 100);
	close(entry);
	CALL(chdir, chdir("inside") == 0 && access("file", F_OK));
	CALL(fchdir, fchdir(top) == 0 && access("file", F_OK) == 0);
	CALL(chmod,
	     chmod("file", 0601) == 0 && stat("file", &s) == 0 && (s.st_mode & 0777) == 0601);
	CALL(fchmod, fchmod(fd, 0602) == 0 && fstat(fd, &s) == 0 && (s.st_mode & 0777) == 0602);
	CALL(chown, chown("file", getuid(), getgid()) == 0);
	CALL(fchown, fchown(fd, (uid_t)-1, (gid_t)-1) == 0);
	CALL(utimensat, utimensat(AT_FDCWD, "file", times, 0) == 0 && stat("file", &s) == 0 &&
				s.st_mtim.tv_sec == 200);
	CALL(futimens, futimens(fd, times) == 0 && fstat(fd, &s) == 0 && s.st_atim.tv_sec == 100);
	CALL(mount, FAILS(mount("none", "nowhere", "tmpfs", 0, ""), ENOENT) || errno == EPERM);
	CALL(umount, FAILS(umount("nowhere"), ENOENT) || errno == EPERM);
	CALL(umount2, FAILS(umount2("nowhere", MNT_DETACH), ENOENT) || errno == EPERM);
	rmdir("inside");
	close(top);
}

int main(void)
{
	static const char *const names[] = { "file", "made", "created", "other", "pointer" };
	char directory[] = "/var/tmp/odd-files-XXXXXX";

	odd_begin();
	umask(022);
	number();
	if (!mkdtemp(directory) || chdir(directory))
		err(1, "%s", directory);
	open_files();
	read_and_write();
	move_data();
	keep();
	look_at_files();
	look_at_names();
	change_names();
	counted_wait();
	odd_allocate(10);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	if (chdir("/") || rmdir(directory))
		err(1, "%s", directory);
	return n_wrong ? 1 : 0;
}
