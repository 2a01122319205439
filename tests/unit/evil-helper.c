/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A helper that its file has taken over: where it would look names up it tries what it should not
 * be able to do, and answers with what has worked.  Linked so that its function stands in the place
 * of spt_place_table_write().
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "symbols/helpers.h"

GByteArray *__wrap_spt_place_table_write(SptObject *image, const char *const *debug_dirs,
					 const uint64_t *offsets, uint32_t n, SptReadDepth depth);

/* Anything but a failure is reported. */
static void try(GString *told, const char *what, long result)
{
	if (result >= 0)
		g_string_append_printf(told, " %s", what);
}

static void try_files(GString *told)
{
	struct stat st;
	char text[64];

	try(told, "open", open("/etc/passwd", O_RDONLY));
	try(told, "open-root", open("/", O_RDONLY | O_DIRECTORY));
	try(told, "open-path", open("/", O_PATH));
	try(told, "open-proc", open("/proc/self/mem", O_RDWR));
	try(told, "open-device", open("/dev/null", O_WRONLY));
	try(told, "openat", openat(0, "..", O_RDONLY));
	try(told, "openat2", syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", NULL, 0));
	try(told, "create", open("/tmp/evil", O_WRONLY | O_CREAT, 0600));
	try(told, "stat", stat("/etc/passwd", &st));
	try(told, "access", access("/etc/passwd", F_OK));
	try(told, "readlink", readlink("/proc/self/exe", text, sizeof(text)));
	try(told, "chdir", chdir("/"));
	try(told, "mkdir", mkdir("/tmp/evil", 0700));
	try(told, "unlink", unlink("/etc/passwd"));
	try(told, "rename", rename("/etc/passwd", "/etc/evil"));
	try(told, "mount", mount("evil", "/", "tmpfs", 0, NULL));
	try(told, "unshare", unshare(CLONE_NEWUSER));
	try(told, "memfd", memfd_create("evil", 0));
	for (int fd = STDERR_FILENO + 1; fd < 1000; fd++)
		if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
			try(told, "a-descriptor-of-another", fd);
	/* By the process that has started it. */
	for (const char *const *path =
		     (const char *const[]){ "/etc/passwd", "/etc/shadow", "/dev/null",
					    "/usr/bin/env", "/usr/lib/debug/../../bin/env",
					    "/etc/passwd.dwo", "", "..", NULL };
	     *path; path++)
		try(told, *path, spt_object_open(*path, NULL) ? 0 : -1);
}

static void try_network(GString *told)
{
	struct sockaddr_in loopback = { .sin_family = AF_INET, .sin_port = htons(22) };
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/run/systemd/notify" };
	int ends[2];

	loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	try(told, "socket-inet", socket(AF_INET, SOCK_STREAM, 0));
	try(told, "socket-unix", socket(AF_UNIX, SOCK_DGRAM, 0));
	try(told, "socket-netlink", socket(AF_NETLINK, SOCK_RAW, 0));
	try(told, "socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	try(told, "connect", connect(0, (struct sockaddr *)&loopback, sizeof(loopback)));
	try(told, "connect-unix", connect(0, (struct sockaddr *)&local, sizeof(local)));
	try(told, "bind", bind(0, (struct sockaddr *)&local, sizeof(local)));
	try(told, "listen", listen(0, 1));
}

static void try_processes(GString *told)
{
	char *const arguments[] = { "sh", "-c", "exit 0", NULL };
	pid_t above = getppid();
	void *code;
	char byte;

	try(told, "kill", kill(above, 0));
	try(told, "kill-all", kill(-1, 0));
	try(told, "kill-init", kill(1, 0));
	try(told, "tgkill", syscall(SYS_tgkill, above, above, 0));
	try(told, "tkill", syscall(SYS_tkill, above, 0));
	try(told, "queue", sigqueue(above, 0, (union sigval){ 0 }));
	try(told, "pidfd", syscall(SYS_pidfd_open, above, 0));
	try(told, "owner", fcntl(0, F_SETOWN, above));
	try(told, "async", fcntl(0, F_SETFL, O_ASYNC));
	try(told, "ptrace", ptrace(PTRACE_SEIZE, above, NULL, NULL));
	try(told, "process-vm", syscall(SYS_process_vm_readv, above, &byte, 1, &byte, 1, 0));
	try(told, "fork", fork());
	try(told, "exec", execve("/bin/sh", arguments, environ));
	try(told, "execveat", syscall(SYS_execveat, 0, "", arguments, environ, AT_EMPTY_PATH));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	try(told, "mmap-code", code == MAP_FAILED ? -1 : 0);
	code = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	try(told, "mprotect-code", mprotect(code, 4096, PROT_READ | PROT_EXEC));
}

static void try_kernel(GString *told)
{
	try(told, "setuid", setuid(0));
	try(told, "bpf", syscall(SYS_bpf, 0, NULL, 0));
	try(told, "perf", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	try(told, "uring", syscall(SYS_io_uring_setup, 1, NULL));
	try(told, "keys", syscall(SYS_keyctl, 0, -3, 1));
	try(told, "userfaultfd", syscall(SYS_userfaultfd, 0));
	try(told, "prctl", prctl(PR_SET_DUMPABLE, 1));
	try(told, "cores", setrlimit(RLIMIT_CORE, &(struct rlimit){ 1, 1 }));
	try(told, "memory", setrlimit(RLIMIT_AS, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }));
	try(told, "time", setrlimit(RLIMIT_CPU, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }));
#ifdef __x86_64__
	/* The second table of numbers; that of 32 bits would end it. */
	try(told, "x32", syscall(0x40000000 | SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
#endif
}

GByteArray *__wrap_spt_place_table_write(SptObject *image, const char *const *debug_dirs,
					 const uint64_t *offsets, uint32_t n, SptReadDepth depth)
{
	g_autoptr(GString) told = g_string_new("did:");

	(void)debug_dirs;
	(void)offsets;
	(void)depth;
	try_files(told);
	try_network(told);
	try_processes(told);
	try_kernel(told);
	spt_object_free(image);
	return spt_place_table_write_problem(told->str, n);
}

int main(int argc, char **argv)
{
	return spt_helper_run(STDIN_FILENO, argc, argv, NULL) ? 0 : 2;
}
