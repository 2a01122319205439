// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an ordinary user who may not record can do to those who do: stranger TRICK DIRECTORY
 * [NUMBER].  Each trick writes DIRECTORY/ready once it is in place, and goes on until it is killed.
 */
#include "workload.h"

#include "stranger-fuse.h"

#include <linux/aio_abi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096UL

static const char *directory;
static unsigned long number;

static void ready(void)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/ready", directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		err(1, "cannot make %s", path);
	close(fd);
}

static void path_of(char *path, size_t bytes, const char *below, unsigned long i)
{
	snprintf(path, bytes, "%s/%s%lu", directory, below, i);
}

/* A child that dies with this process and runs @fn, which does not return. */
static void child(void (*fn)(unsigned long), unsigned long i)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fn(i);
	_exit(1);
}

/* To be seen takes little; what others need a CPU for is not to be slow for want of one. */
static void rest(void)
{
	usleep(20000);
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

/* Behind it, this process serves and its children use what it mounts. */
static void fuse_begin(int *fd)
{
	char at[512];

	snprintf(at, sizeof(at), "%s/fuse", directory);
	*fd = mute_mount(at);
}

static void *fuse_map(unsigned long i, int flags)
{
	char path[512];
	void *at;
	int fd;

	path_of(path, sizeof(path), "fuse/", i);
	fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	if (fd < 0)
		err(1, "cannot open %s", path);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return at;
}

static void map_mute(unsigned long i)
{
	for (i = 0; i < number; i++)
		if (fuse_map(i, 0) == MAP_FAILED)
			err(1, "cannot map from FUSE");
	ready();
	wait_for_ever();
}

/* fuse: maps code of NUMBER files of which no page can be read. */
static void trick_fuse(void)
{
	int fd;

	fuse_begin(&fd);
	child(map_mute, 0);
	mute_serve(fd);
}

static void *touch(void *at)
{
	return (void *)(uintptr_t) * (volatile char *)at;
}

/* Its memory map is locked for writing, for ever: mmap() waits for the page that is being read. */
static void hold_lock(unsigned long i)
{
	void *at = fuse_map(i, 0);
	pthread_t thread;

	if (at == MAP_FAILED || pthread_create(&thread, NULL, touch, at))
		err(1, "cannot begin to hold a lock");
	usleep(200000);
	if (i == number - 1)
		ready();
	fuse_map(i, O_NONBLOCK);
	wait_for_ever();
}

/* locks: NUMBER processes whose memory maps stay locked. */
static void trick_locks(void)
{
	int fd;

	fuse_begin(&fd);
	for (unsigned long i = 0; i < number; i++)
		child(hold_lock, i);
	mute_serve(fd);
}

static int own_code(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "cannot open this program");
	return fd;
}

/* @ranges executable mappings, no two of them neighbours. */
static uint8_t *map_code(unsigned ranges)
{
	int fd = own_code();
	uint8_t *at = mmap(NULL, 2 * ranges * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(1, "cannot reserve addresses");
	for (unsigned n = 0; n < ranges; n++)
		if (n % 2 ? mprotect(at + 2 * n * PAGE, PAGE, PROT_READ | PROT_EXEC) :
			    mmap(at + 2 * n * PAGE, PAGE, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			err(1, "cannot map so much code");
	close(fd);
	return at;
}

/* As many as there may be; then they change. */
static void map_much(unsigned long i)
{
	enum { RANGES = 30000 };
	uint8_t *at = map_code(RANGES);

	if (i == number - 1)
		ready();
	for (unsigned n = 0;; n = (n + 1) % RANGES) {
		mprotect(at + 2 * n * PAGE, PAGE, PROT_READ);
		mprotect(at + 2 * n * PAGE, PAGE, PROT_READ | PROT_EXEC);
	}
}

/* ranges: NUMBER processes with tens of thousands of executable mappings that never rest. */
static void trick_ranges(void)
{
	for (unsigned long i = 0; i < number; i++)
		child(map_much, i);
	wait_for_ever();
}

/*
 * Exits with a read under way that does not end, while its many mappings are being read: the
 * reader may be the last to let go of its memory, and that waits for the read.
 */
static void exit_reading(unsigned long i)
{
	static uint8_t page[PAGE] __attribute__((aligned(4096)));
	struct iocb read = { .aio_lio_opcode = IOCB_CMD_PREAD,
			     .aio_buf = (uintptr_t)page,
			     .aio_nbytes = sizeof(page) };
	struct iocb *reads[] = { &read };
	aio_context_t context = 0;
	char path[512];
	uint64_t begin;

	path_of(path, sizeof(path), "fuse/", i);
	read.aio_fildes = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if ((int)read.aio_fildes < 0 || syscall(SYS_io_setup, 1, &context) ||
	    syscall(SYS_io_submit, context, 1, reads) != 1)
		err(1, "cannot begin to read");
	map_code(6000);
	begin = wall_ns();
	/* From here on a tick asks for a look at what is mapped. */
	while (wall_ns() - begin < i % 50 * 1000000)
		spin(1000, 1);
	_exit(0);
}

/* reads: NUMBER processes that exit like this, one after the other. */
static void read_and_exit(unsigned long i)
{
	for (i = 0; i < number; i++) {
		child(exit_reading, i);
		usleep(20000);
	}
	ready();
	wait_for_ever();
}

static void trick_reads(void)
{
	int fd;

	fuse_begin(&fd);
	child(read_and_exit, 0);
	mute_serve(fd);
}

/* Code without a file and of a file in turn, at one address: each time it is another region. */
static void alternate(void)
{
	int fd = own_code();
	void *at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < 5000; i++) {
		mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		     0);
		mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	}
	close(fd);
}

/* Runs itself anew, as another program, NUMBER times; 0: without end. */
static void again(const char *trick)
{
	for (unsigned long i = 0; !number || i < number; i++) {
		pid_t pid = fork();

		if (!pid) {
			execl("/proc/self/exe", "stranger", trick, directory, NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		if (!i)
			ready();
	}
	wait_for_ever();
}

/* ids: NUMBER programs that make 5000 regions each. */
static void trick_ids(void)
{
	again("ids-once");
}

/* files: creates, maps and removes a file, again and again; the NUMBERth makes it ready. */
static void trick_files(void)
{
	char path[512];

	for (unsigned long i = 0;; i++) {
		int fd;

		path_of(path, sizeof(path), "file-with-a-name-that-is-not-short-", i);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
		if (fd < 0 || ftruncate(fd, PAGE))
			err(1, "cannot make %s", path);
		munmap(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), PAGE);
		close(fd);
		unlink(path);
		if (i == number)
			ready();
	}
}

static void trick_nothing(void)
{
	_exit(0);
}

/* programs: a storm of fork, exec and exit. */
static void trick_programs(void)
{
	number = 0;
	again("nothing");
}

/* names: a name and a path that speak to terminals, and a path of almost 4 KiB. */
static void trick_names(void)
{
	static const char evil[] = "\033]0;evil\007\033[2J\n\r\t\302\233%n";
	char path[512];
	int fd;

	prctl(PR_SET_NAME, evil);
	snprintf(path, sizeof(path), "%s/%s", directory, evil);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	if (fd < 0 || ftruncate(fd, PAGE))
		err(1, "cannot make a file with such a name");
	if (chdir(directory))
		err(1, "cannot enter %s", directory);
	for (unsigned i = 0; i < 15; i++) {
		memset(path, 'x', 250);
		path[250] = '\0';
		if (mkdir(path, 0700) || chdir(path))
			break;
	}
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	fd = open("deep", O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	if (fd < 0 || ftruncate(fd, PAGE))
		err(1, "cannot make a file at the end of a long path");
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ready();
	for (;;) {
		spin(100000, 1);
		rest();
	}
}

/* Runs @bytes of code, which return, without end. */
static void run_code(const void *code, size_t bytes)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED)
		err(1, "cannot make code");
	memcpy(at, code, bytes);
	__builtin___clear_cache(at, (char *)at + bytes);
	for (;;) {
		for (unsigned i = 0; i < 1000000; i++)
			((void (*)(void))at)();
		rest();
	}
}

/* In a map of names for perf NUMBER functions, named to speak to terminals. */
static void tell_map(void)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "we");
	if (!file)
		err(1, "cannot write %s", path);
	for (unsigned long i = 0; i < number; i++)
		fprintf(file, "%lx fffffffffff \033]0;evil%lu\007\n", i * 4096, i);
	fclose(file);
}

/* In a jitdump NUMBER functions of 4 MiB each, without their code. */
static void tell_dump(void)
{
	const uint32_t header[10] = { 0x4a695444, 1, 40, 62, 0, getpid() };
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	file = fopen(path, "w+e");
	if (!file)
		err(1, "cannot write %s", path);
	fwrite(header, sizeof(header), 1, file);
	for (unsigned long i = 0; i < number; i++) {
		const uint32_t head[] = { 0, 57, i, 0, getpid(), getpid() };
		const uint64_t load[] = { i << 22, i << 22, 1023 * PAGE, i };

		fwrite(head, sizeof(head), 1, file);
		fwrite(load, sizeof(load), 1, file);
		fputc(0, file);
	}
	fflush(file);
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
}

/* jit: code made at run time, with lies of every size about it. */
static void trick_jit(void)
{
#if defined(__x86_64__)
	static const uint8_t code[] = { 0xc3 };
#else
	static const uint8_t code[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#endif

	tell_map();
	tell_dump();
	ready();
	run_code(code, sizeof(code));
}

static const struct {
	const char *name;
	void (*run)(void);
} tricks[] = {
	{ "fuse", trick_fuse },	  { "locks", trick_locks },	  { "ranges", trick_ranges },
	{ "ids", trick_ids },	  { "ids-once", alternate },	  { "files", trick_files },
	{ "reads", trick_reads }, { "programs", trick_programs }, { "nothing", trick_nothing },
	{ "names", trick_names }, { "jit", trick_jit },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: stranger TRICK DIRECTORY [NUMBER]");
	directory = argv[2];
	number = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
	for (unsigned i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++)
		if (!strcmp(argv[1], tricks[i].name)) {
			tricks[i].run();
			return 0;
		}
	errx(2, "there is no trick '%s'", argv[1]);
}
