/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks: waits in ways that it measures itself, and checks that calls behave as they should: what
 * they return, errno, signals in between, cancellation and jumps.  Prints "truth FUNCTION NS NS" for
 * each function that waits: how long it was off the CPU at least, and how long it took; exits with
 * 5, or with 1 if a call misbehaved.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
/* musl comes without the kernel's headers. */
#define FUTEX_WAIT_ 0

static int failures;

#define EXPECT(condition)                                                                 \
	do {                                                                              \
		if (!(condition)) {                                                       \
			printf("wrong in line %d: %s\n", __LINE__, #condition);           \
			failures++;                                                       \
		}                                                                         \
	} while (0)

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Calls @function(@data) and prints what it took. */
static void measure(const char *name, void (*function)(void *), void *data)
{
	uint64_t begin = now(CLOCK_MONOTONIC), ran = now(CLOCK_THREAD_CPUTIME_ID), took;

	function(data);
	ran = now(CLOCK_THREAD_CPUTIME_ID) - ran;
	took = now(CLOCK_MONOTONIC) - begin;
	printf("truth %s %llu %llu\n", name, (unsigned long long)(took - ran),
	       (unsigned long long)took);
}

#define MEASURE(function, data) measure(#function, function, data)

static struct timespec ms(long n)
{
	return (struct timespec){ .tv_sec = n / 1000, .tv_nsec = n % 1000 * MS };
}

static void *write_later(void *fd)
{
	struct timespec time = ms(120);

	nanosleep(&time, NULL);
	EXPECT(write(*(int *)fd, "x", 1) == 1);
	return NULL;
}

__attribute__((noinline)) static void reads(void *data)
{
	char byte = 0;

	EXPECT(read(*(int *)data, &byte, 1) == 1 && byte == 'x');
}

__attribute__((noinline)) static void polls(void *data)
{
	struct pollfd fd = { *(int *)data, POLLIN, 0 };

	EXPECT(poll(&fd, 1, 80) == 0);
}

__attribute__((noinline)) static void sleeps(void *data)
{
	struct timespec time = ms(60);

	(void)data;
	errno = 77;
	for (unsigned i = 0; i < 2; i++)
		EXPECT(nanosleep(&time, NULL) == 0);
	EXPECT(errno == 77);
}

__attribute__((noinline)) static void selects(void *data)
{
	struct timeval time = { 0, 50000 };

	(void)data;
	EXPECT(select(0, NULL, NULL, NULL, &time) == 0);
}

__attribute__((noinline)) static void watches(void *data)
{
	struct epoll_event event;

	EXPECT(epoll_wait(*(int *)data, &event, 1, 40) == 0);
}

__attribute__((noinline)) static void receives(void *data)
{
	char byte;

	EXPECT(recv(*(int *)data, &byte, 1, 0) == -1 && errno == EAGAIN);
}

__attribute__((noinline)) static void syncs(void *data)
{
	char page[4096] = "";

	for (unsigned i = 0; i < 20; i++) {
		EXPECT(write(*(int *)data, page, sizeof(page)) == sizeof(page));
		EXPECT(fsync(*(int *)data) == 0);
	}
}

__attribute__((noinline)) static void waits_by_futex(void *data)
{
	struct timespec time = ms(70);

	EXPECT(syscall(SYS_futex, data, FUTEX_WAIT_, 0, &time, NULL, 0) == -1 &&
	       errno == ETIMEDOUT);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked;

static void *hold(void *data)
{
	struct timespec time = ms(90);

	(void)data;
	pthread_mutex_lock(&lock);
	sem_post(&locked);
	nanosleep(&time, NULL);
	pthread_mutex_unlock(&lock);
	return NULL;
}

__attribute__((noinline)) static void locks(void *data)
{
	(void)data;
	EXPECT(pthread_mutex_lock(&lock) == 0);
	EXPECT(pthread_mutex_trylock(&lock) == EBUSY);
	EXPECT(pthread_mutex_unlock(&lock) == 0);
}

/* Takes no time, and waits for nothing. */
static void take_locks(void)
{
	pthread_mutexattr_t kind;
	pthread_mutex_t mutex;
	pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &kind);
	EXPECT(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
	EXPECT(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &kind);
	EXPECT(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK);
	EXPECT(pthread_rwlock_rdlock(&readers) == 0 && pthread_rwlock_rdlock(&readers) == 0);
	EXPECT(pthread_rwlock_unlock(&readers) == 0 && pthread_rwlock_unlock(&readers) == 0);
	EXPECT(pthread_rwlock_wrlock(&readers) == 0);
	EXPECT(pthread_rwlock_tryrdlock(&readers) == EBUSY);
}

__attribute__((noinline)) static void sleeps_in_handler(void)
{
	struct timespec time = ms(30);

	nanosleep(&time, NULL);
}

static void on_alarm(int number)
{
	int before = errno;

	(void)number;
	sleeps_in_handler();
	errno = before;
}

static void alarm_in(long n)
{
	struct itimerval timer = { .it_value = { 0, n * 1000 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

__attribute__((noinline)) static void is_interrupted(void *data)
{
	struct timespec time = ms(5000), left = { 0 };

	(void)data;
	alarm_in(40);
	EXPECT(nanosleep(&time, &left) == -1 && errno == EINTR && left.tv_sec == 4);
}

static sigjmp_buf out;

static void on_jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

/* Out of a read that never returns. */
static void jump(int fd)
{
	char byte;

	signal(SIGALRM, on_jump);
	if (sigsetjmp(out, 1) == 0) {
		alarm_in(20);
		EXPECT(read(fd, &byte, 1) == 0 && !"reached");
	}
}

static int cleaned_up;

static void clean_up(void *data)
{
	(void)data;
	cleaned_up++;
}

static void *is_cancelled(void *fd)
{
	char byte;

	pthread_cleanup_push(clean_up, NULL);
	EXPECT(read(*(int *)fd, &byte, 1) == 0 && !"reached");
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(int *fd)
{
	struct timespec time = ms(20);
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, is_cancelled, fd);
	nanosleep(&time, NULL);
	EXPECT(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
	EXPECT(result == PTHREAD_CANCELED && cleaned_up == 1);
}

static void fail(void)
{
	struct stat stat_;

	EXPECT(read(-1, &stat_, 1) == -1 && errno == EBADF);
	EXPECT(open("/nonexistent", O_RDONLY) == -1 && errno == ENOENT);
	EXPECT(stat("/nonexistent", &stat_) == -1 && errno == ENOENT);
	EXPECT(fopen("/nonexistent", "r") == NULL && errno == ENOENT);
	EXPECT(poll(NULL, 0, 0) == 0 && syscall(SYS_getpid) == getpid());
	EXPECT(syscall(SYS_close, -1) == -1 && errno == EBADF);
}

static void *other_thread(void *data)
{
	(void)data;
	MEASURE(sleeps, NULL);
	return NULL;
}

__attribute__((noinline)) static void child_sleeps(void *data)
{
	struct timespec time = ms(70);

	(void)data;
	nanosleep(&time, NULL);
}

/* The modes of files depend on the third argument. */
static int make_file(void)
{
	char name[64];
	struct stat stat_;
	int fd;

	snprintf(name, sizeof(name), "/var/tmp/blocks-%d", (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0640);
	EXPECT(fd >= 0 && fstat(fd, &stat_) == 0 && (stat_.st_mode & 0777) == 0640);
	EXPECT(unlink(name) == 0);
	return fd;
}

int main(void)
{
	struct timeval patience = { 0, 30000 };
	int fds[2], silent[2], sockets[2], file, epoll, status = 0;
	uint32_t word = 0;
	pthread_t thread;
	pid_t child;

	umask(022);
	setvbuf(stdout, NULL, _IOLBF, 0);
	EXPECT(pipe(fds) == 0 && pipe(silent) == 0 && sem_init(&locked, 0, 0) == 0);
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	epoll = epoll_create1(0);
	file = make_file();
	fail();
	take_locks();
	pthread_create(&thread, NULL, write_later, &fds[1]);
	MEASURE(reads, &fds[0]);
	EXPECT(pthread_join(thread, NULL) == 0);
	pthread_create(&thread, NULL, other_thread, NULL);
	MEASURE(polls, &silent[0]);
	EXPECT(pthread_join(thread, NULL) == 0);
	MEASURE(selects, NULL);
	MEASURE(watches, &epoll);
	MEASURE(receives, &sockets[0]);
	MEASURE(syncs, &file);
	MEASURE(waits_by_futex, &word);
	pthread_create(&thread, NULL, hold, NULL);
	EXPECT(sem_wait(&locked) == 0);
	MEASURE(locks, NULL);
	EXPECT(pthread_join(thread, NULL) == 0);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	MEASURE(is_interrupted, NULL);
	jump(silent[0]);
	cancel(&silent[0]);
	child = fork();
	if (child == 0) {
		MEASURE(child_sleeps, NULL);
		_exit(7);
	}
	EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 7);
	child = vfork();
	if (child == 0)
		execl("/bin/true", "true", NULL);
	EXPECT(waitpid(child, &status, 0) == child && status == 0);
	printf("%s\n", failures ? "something was wrong" : "all as it should be");
	return failures ? 1 : 5;
}
