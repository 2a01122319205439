// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work KIND COUNT: a fixed amount of work, and the nanoseconds it took.  KIND:
 *	frames20, frames100	a loop that deep in a stack
 *	syscalls		short ones
 *	forks			fork and exec
 *	maps			an executable mapping made, changed twice, removed
 *	filereads, filewrites	pages of a file that are not cached, and that go to the disk;
 *				the file system is in DISK
 *	packets			by TCP to itself
 *	pipes10, pipes60	two processes that deep in a stack hand a byte to and fro
 *	slabs, faults, reads, alarms, builds, locks
 *				the kernel's own work
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DISK "/run/disk"
#define FILE_PAGES 1024
#define PAGE 4096

static unsigned long count;

__attribute__((noinline)) static unsigned long descend(int levels)
{
	unsigned long sum = 0;

	if (levels > 1) {
		sum = descend(levels - 1);
	} else {
		for (unsigned long i = 0; i < count; i++)
			__asm__ volatile("" : "+r"(sum));
	}
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

static void frames20(void)
{
	descend(18);
}

static void frames100(void)
{
	descend(98);
}

static void syscalls(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	char byte;

	for (unsigned long i = 0; i < count; i++) {
		getppid();
		if (pread(fd, &byte, 1, 0) != 1)
			err(1, "pread");
	}
}

static void forks(void)
{
	for (unsigned long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			execl("/proc/self/exe", "work", NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
}

static void maps(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (unsigned long i = 0; i < count; i++) {
		void *at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED || mprotect(at, 4096, PROT_READ) ||
		    mprotect(at, 4096, PROT_READ | PROT_EXEC) || munmap(at, 8192))
			err(1, "mapping");
	}
}

static int make_file(void)
{
	static char page[PAGE];
	int fd = open(DISK "/file", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		err(1, DISK "/file");
	for (int i = 0; i < FILE_PAGES; i++)
		if (pwrite(fd, page, PAGE, (off_t)i * PAGE) != PAGE)
			err(1, DISK "/file");
	if (fsync(fd))
		err(1, "fsync");
	return fd;
}

static void filereads(void)
{
	int fd = make_file();
	char page[PAGE];
	off_t at;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (unsigned long i = 0; i < count; i++) {
		at = (off_t)(i % FILE_PAGES) * PAGE;
		posix_fadvise(fd, at, PAGE, POSIX_FADV_DONTNEED);
		if (pread(fd, page, PAGE, at) != PAGE)
			err(1, "pread");
	}
}

static void filewrites(void)
{
	int fd = make_file();
	char page[PAGE] = "";

	for (unsigned long i = 0; i < count; i++)
		if (pwrite(fd, page, PAGE, (off_t)(i % FILE_PAGES) * PAGE) != PAGE ||
		    (i % 8 == 7 && fdatasync(fd)))
			err(1, "pwrite");
}

static void packets(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int door = socket(AF_INET, SOCK_STREAM, 0), from = socket(AF_INET, SOCK_STREAM, 0), to;
	socklen_t bytes = sizeof(address);
	char packet[1000] = "";

	if (bind(door, (struct sockaddr *)&address, bytes) ||
	    getsockname(door, (struct sockaddr *)&address, &bytes) || listen(door, 1) ||
	    connect(from, (struct sockaddr *)&address, bytes))
		err(1, "the loopback device");
	to = accept(door, NULL, NULL);
	for (unsigned long i = 0; i < count; i++)
		if (write(from, packet, sizeof(packet)) != sizeof(packet) ||
		    recv(to, packet, sizeof(packet), MSG_WAITALL) != sizeof(packet))
			err(1, "the loopback device");
}

static int there[2], back[2];

static void pass(int from, int to)
{
	char byte;

	for (unsigned long i = 0; i < count; i++)
		if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
			err(1, "the pipes");
}

__attribute__((noinline)) static int pass_deep(int levels, int from, int to)
{
	int sum = 0;

	if (levels > 1)
		sum = pass_deep(levels - 1, from, to);
	else
		pass(from, to);
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

static void pipes(int levels)
{
	pid_t pid;

	if (pipe(there) || pipe(back))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		pass_deep(levels, there[0], back[1]);
		_exit(0);
	}
	if (write(there[1], "", 1) != 1)
		err(1, "write");
	/* The last byte is in a pipe that nobody reads any more. */
	pass_deep(levels, back[0], there[1]);
	waitpid(pid, NULL, 0);
}

static void pipes10(void)
{
	pipes(5);
}

static void pipes60(void)
{
	pipes(55);
}

/* Stacks of events can take half of a CPU: other work is between the units. */
static void pause_for(unsigned long instructions)
{
	for (unsigned long i = 0; i < instructions / 3; i++)
		__asm__ volatile("" : "+r"(i));
}

/* Two files, a pipe's buffers, and their frees. */
static void slabs(void)
{
	int ends[2];

	for (unsigned long i = 0; i < count; i++) {
		if (pipe(ends) || close(ends[0]) || close(ends[1]))
			err(1, "pipe");
		pause_for(200000);
	}
}

static void faults(void)
{
	const size_t pages = 64;

	for (unsigned long i = 0; i < count; i += pages) {
		char *at = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED || madvise(at, pages * 4096, MADV_NOHUGEPAGE))
			err(1, "mmap");
		for (size_t page = 0; page < pages; page++)
			*(volatile char *)(at + page * 4096) = 1;
		munmap(at, pages * 4096);
		pause_for(pages * 8000);
	}
}

/* Of a disk that completes them at once. */
static void reads(void)
{
	int fd = open("/dev/nullb0", O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *buffer;

	if (fd < 0 || posix_memalign(&buffer, 4096, 4096))
		err(1, "/dev/nullb0");
	for (unsigned long i = 0; i < count; i++) {
		if (pread(fd, buffer, 4096, (off_t)(i % 1024) * 4096) != 4096)
			err(1, "pread");
		pause_for(20000);
	}
}

#define ALARM_NS 100000

static void ignore(int signal)
{
	(void)signal;
}

/* A timer interrupts each 100,000 instructions of a loop. */
static void alarms(void)
{
	const struct itimerspec every = { { .tv_nsec = ALARM_NS }, { .tv_nsec = ALARM_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;

	signal(SIGUSR1, ignore);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		err(1, "timer_create");
	pause_for(count * ALARM_NS);
}

static int pages_fd, pipe_ends[2];
static sem_t go;

static void *write_one(void *unused)
{
	(void)unused;
	for (unsigned long i = 0; i < count; i++)
		if (sem_wait(&go) || write(pipe_ends[1], "", 1) != 1)
			err(1, "write");
	return NULL;
}

static void *give_pages(void *unused)
{
	static char page[4096] __attribute__((aligned(4096)));
	struct uffd_msg message;

	(void)unused;
	for (unsigned long i = 0; i < count; i++) {
		struct uffdio_copy copy = { .src = (uintptr_t)page, .len = sizeof(page) };

		if (read(pages_fd, &message, sizeof(message)) != sizeof(message))
			err(1, "userfaultfd");
		sem_post(&go);
		copy.dst = message.arg.pagefault.address & ~4095ULL;
		if (ioctl(pages_fd, UFFDIO_COPY, &copy))
			err(1, "UFFDIO_COPY");
	}
	return NULL;
}

static void begin_thread(void *(*run)(void *), int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	pthread_t thread;

	errno = pthread_create(&thread, NULL, run, NULL);
	if (!errno)
		errno = pthread_setschedparam(thread, SCHED_FIFO, &param);
	if (errno)
		err(1, "thread");
}

/*
 * One thread writes a page to a pipe that another one has to give it first.  Meanwhile it holds the
 * pipe's mutex, for which a third thread waits.  Their priorities make it once for each page.
 */
static void locks(void)
{
	struct uffdio_register whole = { .range.len = count * 4096,
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	char *pages = mmap(NULL, count * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char byte;

	whole.range.start = (uintptr_t)pages;
	pages_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (pages_fd < 0 || pages == MAP_FAILED || ioctl(pages_fd, UFFDIO_API, &api) ||
	    ioctl(pages_fd, UFFDIO_REGISTER, &whole) || pipe(pipe_ends))
		err(1, "userfaultfd");
	begin_thread(write_one, 3);
	begin_thread(give_pages, 2);
	for (unsigned long i = 0; i < count; i++) {
		if (write(pipe_ends[1], pages + i * 4096, 1) != 1 ||
		    read(pipe_ends[0], &byte, 1) != 1 || read(pipe_ends[0], &byte, 1) != 1)
			err(1, "pipe");
		pause_for(50000);
	}
}

/* A small C build: the compiler, the assembler and the linker, that often. */
static void builds(void)
{
	for (unsigned long i = 0; i < count; i++)
		if (system("echo 'int main(void) { return 0; }' >/tmp/small.c && "
			   "gcc -O1 -o /tmp/small /tmp/small.c"))
			errx(1, "the compiler failed");
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "frames20", frames20 }, { "frames100", frames100 }, { "syscalls", syscalls },
	{ "forks", forks },	  { "maps", maps },	      { "filereads", filereads },
	{ "filewrites", filewrites }, { "packets", packets }, { "pipes10", pipes10 },
	{ "pipes60", pipes60 },	  { "slabs", slabs },	    { "faults", faults },
	{ "reads", reads },	  { "alarms", alarms },	    { "builds", builds },
	{ "locks", locks },
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* CPU time of programs that have ended: a build waits for disks, too. */
static uint64_t children_ns(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ULL +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ULL;
}

int main(int argc, char **argv)
{
	/* The part of a stack that copies may have. */
	char room[20480];
	uint64_t begin;

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");

	/* The program that forks() executes. */
	if (argc == 1)
		return 0;
	if (argc != 3)
		errx(1, "usage: work KIND COUNT");
	count = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		begin = now_ns();
		kinds[i].run();
		printf("%llu\n", (unsigned long long)(kinds[i].run == builds ?
							      children_ns() :
							      now_ns() - begin));
		return 0;
	}
	errx(1, "no work is called %s", argv[1]);
}
