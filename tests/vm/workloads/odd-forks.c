/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children of all kinds, of programs with threads: HOW, one of
 *
 *   forks N    N children, which allocate; meanwhile threads begin, end and look at libraries.
 *   quiet N    The same, and children call only what is safe in signal handlers.
 *   behind N   In N children the first thread calls nothing before another one does.
 *   callback   A callback of dl_iterate_phdr() takes a lock under which other threads allocate.
 *   vfork N    Children of vfork() allocate before they become another program.
 *   vforks N   The same by four threads, whose first call is that of such a child.
 *   spawn N    posix_spawn().
 *   daemon     Two forks, a session of its own, every descriptor closed.
 *   run FILE   The program FILE, and allocations before and behind it.
 *   killed N   Children are killed while they allocate.
 */
#include <link.h>
#include <spawn.h>

#include "odd.h"

extern char **environ;

static bool is_over;
static bool only_safe;
static pid_t child;

static void *live_shortly(void *data)
{
	odd_allocate(2);
	counted_wait();
	return data;
}

/* Begins threads all the time. */
static void *begin_threads(void *data)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		pthread_t thread;

		odd_start(&thread, live_shortly, NULL);
		pthread_join(thread, NULL);
		odd_pause(1);
	}
	return data;
}

static int look(struct dl_phdr_info *info, size_t bytes, void *data)
{
	(void)bytes;
	*(unsigned *)data += info->dlpi_phnum;
	return 0;
}

/* As exceptions of C++ do: the C library has a lock for that time, and so has a child. */
static void *look_at_libraries(void *data)
{
	unsigned n = 0;

	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		dl_iterate_phdr(look, &n);
		if (n % 64 == 0)
			odd_pause(1);
	}
	return data;
}

static void on_alarm(int number)
{
	static const char text[] = "a child hangs\n";

	(void)number;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0 || kill(child, SIGKILL))
		_exit(3);
	_exit(2);
}

static void forks(unsigned n)
{
	pthread_t threads[4];

	signal(SIGALRM, on_alarm);
	for (unsigned i = 0; i < 4; i++)
		odd_start(&threads[i], i ? begin_threads : look_at_libraries, NULL);
	for (unsigned i = 0; i < n; i++) {
		alarm(20);
		child = fork();
		if (child == 0) {
			if (!only_safe)
				odd_allocate(3);
			if (only_safe || i % 8 == 0)
				counted_wait();
			_exit(0);
		}
		odd_await(child, "a fork");
	}
	alarm(0);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%u children\n", n);
}

static void *allocate_first(void *data)
{
	odd_allocate(200);
	counted_wait();
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	odd_allocate(20000);
	counted_wait();
	return data;
}

/* What is left of a thread of the parent must not become two threads' in the child. */
static void begin_behind(void)
{
	pthread_t thread;

	is_over = false;
	odd_start(&thread, allocate_first, NULL);
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
		;
	odd_allocate(20000);
	counted_wait();
	counted_wait();
	pthread_join(thread, NULL);
}

static void behind(unsigned n)
{
	/* So that the next thread needs no memory. */
	begin_behind();
	for (unsigned i = 0; i < n; i++) {
		child = fork();
		if (child == 0) {
			begin_behind();
			_exit(0);
		}
		odd_await(child, "a child");
	}
	printf("%u children\n", n);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_locked, is_in_callback;

/* Allocates for the first time, with the lock, while the other one waits for it in the callback. */
static void *allocate_locked(void *data)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&is_locked, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&is_in_callback, __ATOMIC_ACQUIRE))
		odd_pause(1);
	odd_allocate(2);
	counted_wait();
	pthread_mutex_unlock(&lock);
	return data;
}

static int take_lock(struct dl_phdr_info *info, size_t bytes, void *data)
{
	(void)info;
	(void)bytes;
	__atomic_store_n(&is_in_callback, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	++*(unsigned *)data;
	return 1;
}

static void callback(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 10; i++) {
		pthread_t thread;

		is_locked = is_in_callback = false;
		odd_start(&thread, allocate_locked, NULL);
		while (!__atomic_load_n(&is_locked, __ATOMIC_ACQUIRE))
			odd_pause(1);
		dl_iterate_phdr(take_lock, &n);
		pthread_join(thread, NULL);
	}
	printf("%u callbacks\n", n);
}

static void vforks(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++) {
		void *volatile block = NULL;

		child = vfork();
		if (child == 0) {
			block = counted_malloc(100);
			execl("/bin/true", "true", NULL);
			_exit(127);
		}
		odd_await(child, "a vfork");
		counted_free(block);
	}
	printf("%u vforks\n", n);
}

static void *vfork_in_thread(void *data)
{
	for (volatile unsigned i = 0; i < *(const unsigned *)data; i++) {
		void *volatile block = NULL;
		pid_t other = vfork();

		if (other == 0) {
			block = counted_malloc(100);
			execl("/bin/true", "true", NULL);
			_exit(127);
		}
		odd_await(other, "a vfork of a thread");
		counted_free(block);
		odd_allocate(5);
	}
	return data;
}

/* While the recorder looks for threads that have ended. */
static void vfork_in_threads(unsigned n)
{
	pthread_t threads[4];

	for (unsigned i = 0; i < 4; i++)
		odd_start(&threads[i], vfork_in_thread, &n);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%u vforks of each thread\n", n);
}

static void spawns(unsigned n)
{
	char *const command[] = { (char *)"true", NULL };

	for (unsigned i = 0; i < n; i++) {
		posix_spawn_file_actions_t actions;

		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		odd_allocate(1);
		if (posix_spawn(&child, "/bin/true", &actions, NULL, command, environ))
			errx(1, "cannot spawn");
		posix_spawn_file_actions_destroy(&actions);
		odd_await(child, "a spawn");
	}
	printf("%u spawned\n", n);
}

/* A new child of a new child: the one in between ends. */
static void leave_parent(void)
{
	pid_t next = fork();

	if (next < 0)
		err(1, "fork");
	if (next)
		_exit(0);
	setsid();
}

static void daemonised(void)
{
	pthread_t threads[3];

	child = fork();
	if (child) {
		odd_await(child, "the first child");
		/* A recording ends with its command. */
		while (!__atomic_load_n(&odd_counts->flags[0], __ATOMIC_ACQUIRE))
			odd_pause(10);
		printf("the daemon has ended\n");
		return;
	}
	odd_allocate(10);
	leave_parent();
	odd_allocate(10);
	leave_parent();
	if (chdir("/"))
		_exit(1);
	closefrom(0);
	for (unsigned i = 0; i < 3; i++)
		odd_start(&threads[i], live_shortly, NULL);
	odd_allocate(1000);
	counted_wait();
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&odd_counts->flags[0], 1, __ATOMIC_RELEASE);
	_exit(0);
}

static void run(char *file)
{
	odd_allocate(100);
	counted_wait();
	child = fork();
	if (child == 0) {
		execl(file, file, NULL);
		_exit(127);
	}
	odd_await(child, file);
	odd_allocate(100);
	counted_wait();
}

static void killed(unsigned n)
{
	/* Each may have counted a call that was not recorded yet, or the other way round. */
	odd_counts->unsure = n;
	for (unsigned i = 0; i < n; i++) {
		child = fork();
		while (child == 0) {
			odd_allocate(10);
			counted_wait();
		}
		odd_pause(5);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	odd_allocate(100);
	printf("%u killed\n", n);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	odd_begin();
	only_safe = strcmp(how, "quiet") == 0;
	if (strcmp(how, "forks") == 0 || only_safe)
		forks(odd_number(argc, argv, 2, 3000));
	else if (strcmp(how, "behind") == 0)
		behind(odd_number(argc, argv, 2, 30));
	else if (strcmp(how, "callback") == 0)
		callback();
	else if (strcmp(how, "vfork") == 0)
		vforks(odd_number(argc, argv, 2, 300));
	else if (strcmp(how, "vforks") == 0)
		vfork_in_threads(odd_number(argc, argv, 2, 300));
	else if (strcmp(how, "spawn") == 0)
		spawns(odd_number(argc, argv, 2, 200));
	else if (strcmp(how, "daemon") == 0)
		daemonised();
	else if (strcmp(how, "run") == 0 && argc > 2)
		run(argv[2]);
	else if (strcmp(how, "killed") == 0)
		killed(odd_number(argc, argv, 2, 20));
	else
		errx(2, "see the top of odd-forks.c");
	return 0;
}
