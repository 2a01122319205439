/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that reads files can do nothing else: a helper that was taken over tries, as root and
 * as an ordinary user, with each protection by itself.
 */
#include "symbols/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/confine-private.h"
#include "symbols/helpers.h"

#define PATIENCE_MS 100000

static char *evil_reader(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL),
			*home = g_path_get_dirname(self);

	return g_build_filename(home, "..", "tests", "evil-helper", NULL);
}

static void expect_nothing_done(void)
{
	g_autofree char *program = evil_reader();
	g_autoptr(SptHelpers) helpers = spt_helpers_new(program, 1, PATIENCE_MS, NULL);
	g_autoptr(SptPlaceTable) table = NULL;
	/* Of a kind that has no neighbours. */
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const uint64_t offset = 0;
	uint32_t tag;

	g_assert_cmpint(fd, >=, 0);
	spt_helpers_begin(helpers, 1,
			  &(SptReadRequest){
				  .fd = fd,
				  .path = "/nonexistent/program",
				  .offsets = &offset,
				  .n = 1,
				  .depth = SPT_READ_SYMBOLS,
			  });
	close(fd);
	table = spt_helpers_wait(helpers, &tag);
	g_assert_cmpstr(spt_place_table_problem(table), ==, "did:");
}

/* Without work that a sanitizer does at the end, which may be refused by then. */
static void leave(int status)
{
	syscall(SYS_exit_group, status);
}

/* In a process of its own; its status. */
static int run(void (*function)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		function();
		leave(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void as_nobody(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0))
		leave(2);
	expect_nothing_done();
}

static void test_taken_over(void)
{
	expect_nothing_done();
	g_assert_cmpint(run(as_nobody), ==, 0);
}

static void behind_landlock(void)
{
	if (!spt_confine_paths())
		leave(errno == ENOSYS || errno == EOPNOTSUPP ? 77 : 1);
	if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES || open("/", O_RDONLY) >= 0)
		leave(2);
}

static void behind_list(void)
{
	if (!spt_confine_syscalls())
		leave(1);
	if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM ||
	    socket(AF_INET, SOCK_STREAM, 0) >= 0)
		leave(2);
}

static void test_walls_alone(void)
{
	int status = run(behind_landlock);

	/* Of Linux 5.13; its absence is reported by sysprof-cli doctor. */
	if (status == 77)
		g_test_message("this kernel has no Landlock");
	else
		g_assert_cmpint(status, ==, 0);
	g_assert_cmpint(run(behind_list), ==, 0);
}

static void test_told(void)
{
	unsigned protections = 0;

	g_assert_true(spt_helper_protections(&protections));
	for (unsigned bit = 1; bit & SPT_CONFINE_ALL; bit <<= 1)
		g_test_message("%s: %s", spt_confine_name(bit), protections & bit ? "yes" : "no");
	/* Those that no kernel or container of today refuses. */
	g_assert_cmpuint(protections &
				 (SPT_CONFINE_LIMITS | SPT_CONFINE_USER | SPT_CONFINE_SYSCALLS),
			 ==, SPT_CONFINE_LIMITS | SPT_CONFINE_USER | SPT_CONFINE_SYSCALLS);
	g_assert_null(spt_confine_name(SPT_CONFINE_ALL + 1));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/confine/taken-over", test_taken_over);
	g_test_add_func("/confine/walls-alone", test_walls_alone);
	g_test_add_func("/confine/told", test_told);
	return g_test_run();
}
