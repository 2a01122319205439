// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi-waits-io DEVICE MS: waits for what is not a thread's own doing: for a page that another
 * thread brings (userfaultfd), and for a disk that answers each request after MS milliseconds.  As
 * root, with every wait reported.
 */
#include "waits.h"

#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define PAGES	10
#define READS	20
#define DELAY_MS 20

static void sleep_ms(unsigned ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static uint32_t own_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static int faults;
static uint8_t *pages;
static uint32_t server_tid;

static void *server(void *unused)
{
	(void)unused;
	server_tid = own_tid();
	for (unsigned i = 0; i < PAGES; i++) {
		struct pollfd ready = { .fd = faults, .events = POLLIN };
		struct uffd_msg message;
		struct uffdio_zeropage zero = { .range.len = PAGE };

		if (poll(&ready, 1, -1) != 1 ||
		    read(faults, &message, sizeof(message)) != sizeof(message))
			err(1, "userfaultfd");
		sleep_ms(DELAY_MS);
		zero.range.start = message.arg.pagefault.address & ~(PAGE - 1ULL);
		if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
			err(1, "UFFDIO_ZEROPAGE");
	}
	return NULL;
}

static void open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register whole = { .range.len = PAGES * PAGE,
					 .mode = UFFDIO_REGISTER_MODE_MISSING };

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	whole.range.start = (uintptr_t)pages;
	if (faults < 0 || pages == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &whole))
		err(1, "userfaultfd");
}

static void test_faults(struct waits *waits)
{
	uint32_t own = own_tid();
	struct rusage before, after;
	pthread_t thread;
	struct sum sum;
	unsigned left;

	open_faults();
	if (pthread_create(&thread, NULL, server, NULL))
		errx(1, "cannot make a thread");
	waits_start(waits);
	getrusage(RUSAGE_THREAD, &before);
	for (unsigned i = 0; i < PAGES; i++)
		*(volatile uint8_t *)(pages + i * PAGE) = 1;
	getrusage(RUSAGE_THREAD, &after);
	left = MIN(after.ru_nvcsw - before.ru_nvcsw, PAGES);
	pthread_join(thread, NULL);
	ioctl(waits->session.fd, SYSPROF_IOC_STOP);
	waits_drain(waits);
	sum = sum_of(waits, own, -1, server_tid);
	/* The server may hear of a fault, and serve it, before the thread is off its CPU. */
	ok(left > 0 && sum.by >= left && sum.user == sum.events,
	   "%u pages that come late, for %u of which it left its CPU: %lu times blocked until the server came",
	   PAGES, left, sum.by);
	timed(sum.longest >= DELAY_MS * NS_PER_MS / 2 &&
		      sum.value >= PAGES * DELAY_MS * NS_PER_MS / 4 * 3,
	      "... after %u ms: blocked for %lu us, for %lu us at most", DELAY_MS,
	      sum.value / 1000, sum.longest / 1000);
}

static void test_disk(struct waits *waits, const char *device, unsigned ms)
{
	int fd = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC);
	const struct sysprof_event *event;
	struct sum sum;
	void *buffer;

	if (fd < 0 || posix_memalign(&buffer, PAGE, PAGE))
		err(1, "%s", device);
	waits_start(waits);
	for (unsigned i = 0; i < READS; i++)
		if (pread(fd, buffer, PAGE, i * (off_t)PAGE) != PAGE)
			err(1, "cannot read %s", device);
	ioctl(waits->session.fd, SYSPROF_IOC_STOP);
	waits_drain(waits);
	close(fd);
	sum = sum_of(waits, own_tid(), SYSPROF_STATE_IOWAIT, 0);
	timed(sum.events == READS && sum.value >= READS * ms * NS_PER_MS && sum.kernel == READS,
	      "%u direct reads of a disk that takes %u ms: %lu waits for I/O, %lu us blocked", READS,
	      ms, sum.events, sum.value / 1000);
	sum.events = 0;
	for_each_kept(event, waits->events)
		if (event->source == 1 && event->state == SYSPROF_STATE_IOWAIT &&
		    event->record.tid == own_tid() &&
		    part_wait(event)->part.a != SYSPROF_CONTEXT_TASK)
			sum.events++;
	timed(sum.events >= READS * 9 / 10, "... of which an interrupt ended %lu", sum.events);
}

static struct waits session(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .stacks = STACKS };
	struct waits waits = { .session = session_open(NS_PER_MS, 8U << 20) };

	if (waits_ask(&waits, &source, 1))
		errx(1, "SOURCES of waits");
	return waits;
}

int main(int argc, char **argv)
{
	struct waits waits;

	if (argc != 3)
		errx(1, "usage: abi-waits-io DEVICE MS");
	waits = session();
	test_faults(&waits);
	session_close(&waits.session);
	waits = session();
	test_disk(&waits, argv[1], (unsigned)atoi(argv[2]));
	session_close(&waits.session);
	return tests_end();
}
