/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths that somebody else chose: what is opened by them, shown as source, and taken for what a
 * program says of its code.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/source.h"
#include "object/regular.h"
#include "record/jit.h"
#include "trace/trace-private.h"

#define CODE_AT 0x10000
#define NOBODY	65534

static char *dir;

static char *path_of(const char *name)
{
	return g_build_filename(dir, name, NULL);
}

static char *write_file(const char *name, const char *text)
{
	char *path = path_of(name);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	return path;
}

/* Of what is no regular file not even a driver hears. */
static void test_regular(void)
{
	g_autofree char *fifo = path_of("fifo"), *file = write_file("file", "text"),
			*gone = path_of("gone");
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	char event[4096];

	g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
	g_assert_cmpint(inotify_add_watch(watch, fifo, IN_OPEN), >=, 0);
	g_assert_cmpint(spt_open_regular(fifo), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_cmpint(read(watch, event, sizeof(event)), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
	g_assert_cmpint(spt_open_regular(gone), ==, -1);
	g_assert_cmpint(errno, ==, ENOENT);
	g_assert_cmpint(spt_open_regular("/dev/null"), ==, -1);
	fd = spt_open_regular(file);
	g_assert_cmpint(read(fd, event, sizeof(event)), ==, 4);
	close(fd);
	close(watch);
	g_remove(fifo);
	g_remove(file);
}

static void expect_source(char *path, const char *content)
{
	SptAnnotatedFile file = { .path = path };

	spt_source_read(&file, NULL, 0);
	g_assert_cmpstr(file.content, ==, content);
	g_free(file.content);
	g_free(file.found);
}

static void test_source(void)
{
	g_autofree char *secret = write_file("id_rsa", "secret"), *code = write_file("a.rs", "fn"),
			*link = path_of("link.c"), *honest = path_of("honest");

	g_assert_cmpint(symlink(secret, link), ==, 0);
	g_assert_cmpint(symlink(code, honest), ==, 0);
	expect_source(code, "fn");
	expect_source(secret, NULL);
	expect_source(link, NULL);
	/* What it leads to is a source. */
	expect_source(honest, "fn");
	expect_source((char *)"/etc/passwd", NULL);
	expect_source((char *)"/usr/lib/../../etc/passwd", NULL);
	g_remove(secret);
	g_remove(code);
	g_remove(link);
	g_remove(honest);
}

static bool start_of_region(SptTrace *trace, uint32_t object, uint64_t *ret)
{
	(void)trace;
	(void)object;
	*ret = CODE_AT;
	return true;
}

struct counting_sink {
	SptSink sink;
	unsigned n;
};

static void count_names(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	g_assert_cmpint(kind, ==, SPT_ROW_NAME);
	g_assert_cmpstr(((const SptNameRow *)rows)->symbol, ==, "told");
	((struct counting_sink *)sink)->n += n;
}

/* How many names @pid's file gives to the code of its region. */
static unsigned names_of(pid_t pid)
{
	static const struct spt_trace_source source = {
		.services.region_start = start_of_region,
	};
	SptTrace trace = { .source = &source };
	g_autoptr(SptJit) jit = spt_jit_new();
	static const struct spt_sink_type type = { .put = count_names };
	struct counting_sink counting = { .sink = { &type } };

	spt_jit_region(jit, &trace, 5, (uint32_t)pid);
	spt_jit_want(jit, 5, 4);
	spt_jit_flush(jit, true, &counting.sink);
	return counting.n;
}

/*
 * The file at a program's path may be one of root's that the program has put there, by a mount of
 * its own.
 */
static void test_perf_map(void)
{
	g_autofree char *path = NULL;
	pid_t child;

	if (geteuid() != 0) {
		g_test_skip("only root has files that are not the program's");
		return;
	}
	child = fork();
	if (child == 0) {
		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	path = g_strdup_printf("/tmp/perf-%d.map", child);
	g_assert_true(g_file_set_contents(path, "10000 100 told\n", -1, NULL));
	/* Until it is nobody's. */
	for (;;) {
		g_autofree char *status = g_strdup_printf("/proc/%d/status", child), *text = NULL;

		g_assert_true(g_file_get_contents(status, &text, NULL, NULL));
		if (strstr(text, "\nUid:\t65534\t65534"))
			break;
		g_usleep(1000);
	}
	g_assert_cmpuint(names_of(child), ==, 0);
	g_assert_cmpint(chown(path, NOBODY, NOBODY), ==, 0);
	g_assert_cmpuint(names_of(child), ==, 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	g_remove(path);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	dir = g_dir_make_tmp("strange-XXXXXX", NULL);
	g_test_add_func("/strange-paths/regular", test_regular);
	g_test_add_func("/strange-paths/source", test_source);
	g_test_add_func("/strange-paths/perf-map", test_perf_map);
	status = g_test_run();
	g_rmdir(dir);
	return status;
}
