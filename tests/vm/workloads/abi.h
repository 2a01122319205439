/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the device's interface share: TAP, a session with its rings mapped, and walking
 * the records.  They speak to the device by module/uapi/sysprof.h alone, as a stranger would who
 * has only read that.
 */
#ifndef ABI_H
#define ABI_H

#include "workload.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "sysprof-table.h"

#define PAGE		4096U
#define NS_PER_MS	1000000ULL

static unsigned tests_run, tests_failed;

__attribute__((format(printf, 3, 0)))
static inline bool tell(bool good, const char *mark, const char *format, va_list args)
{
	printf("%s %u - ", good ? "ok" : "not ok", ++tests_run);
	vprintf(format, args);
	printf("%s\n", mark);
	fflush(stdout);
	tests_failed += !good;
	return good;
}

__attribute__((format(printf, 2, 3)))
static inline bool ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(good, "", format, args);
	va_end(args);
	return good;
}

/* Compares times, rates or shares, which a busy machine or chance may spoil (see tests/run). */
__attribute__((format(printf, 2, 3)))
static inline bool timed(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(good, " # timed", format, args);
	va_end(args);
	return good;
}

/* That a call which returned @ret failed, with @expected. */
#define refuses(ret, expected, ...)                                                                \
	refuses_errno((long)(ret) == -1 ? errno : 0, expected, __VA_ARGS__)

__attribute__((format(printf, 3, 4)))
static inline void refuses_errno(int got, int expected, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!ok(got == expected, "%s: %s", text, strerrorname_np(expected)))
		printf("# got %s\n", got ? strerrorname_np(got) : "success");
}

static inline int tests_end(void)
{
	printf("1..%u\n", tests_run);
	return tests_failed != 0;
}

static inline int device_open(void)
{
	int fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		printf("Bail out! cannot open %s: %s\n", SYSPROF_DEVICE, strerror(errno));
		exit(1);
	}
	return fd;
}

/* CONFIGURE with a period and a ring size, 0 for defaults, the rest default. */
static inline struct sysprof_config configured(int fd, uint64_t period_ns, uint32_t ring_bytes)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = period_ns,
					 .ring_bytes = ring_bytes };

	if (ioctl(fd, SYSPROF_IOC_CONFIGURE, &config))
		ok(false, "CONFIGURE of an ordinary session: %s", strerror(errno));
	return config;
}

/* A session whose rings are mapped. */
struct session {
	int fd;
	unsigned cpus;
	struct sysprof_config config;
	struct {
		const struct sysprof_ring_page *page;
		struct sysprof_ring_tail *tail;
		const uint8_t *data;
	} *rings;
};

/* A child does not inherit the mappings. */
static inline void session_map(struct session *session)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++) {
		off_t at = cpu * session->config.ring_stride;

		session->rings[cpu].page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, session->fd, at);
		session->rings[cpu].tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
						session->fd, at + PAGE);
		session->rings[cpu].data = mmap(NULL, session->config.ring_bytes, PROT_READ,
						MAP_SHARED, session->fd, at + 2 * PAGE);
		if (session->rings[cpu].page == MAP_FAILED ||
		    session->rings[cpu].tail == MAP_FAILED ||
		    session->rings[cpu].data == MAP_FAILED)
			err(1, "cannot map the ring of CPU %u", cpu);
	}
}

static inline struct session session_of(int fd, uint64_t period_ns, uint32_t ring_bytes)
{
	struct sysprof_info info = { .size = sizeof(info) };
	struct session session = { .fd = fd };

	if (ioctl(session.fd, SYSPROF_IOC_INFO, &info))
		err(1, "INFO");
	session.cpus = info.cpus;
	session.config = configured(session.fd, period_ns, ring_bytes);
	session.rings = calloc(info.cpus, sizeof(*session.rings));
	session_map(&session);
	return session;
}

static inline struct session session_open(uint64_t period_ns, uint32_t ring_bytes)
{
	return session_of(device_open(), period_ns, ring_bytes);
}

static inline void session_close(struct session *session)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++) {
		munmap((void *)(uintptr_t)session->rings[cpu].page, PAGE);
		munmap(session->rings[cpu].tail, PAGE);
		munmap((void *)(uintptr_t)session->rings[cpu].data, session->config.ring_bytes);
	}
	free(session->rings);
	close(session->fd);
}

typedef void (*record_function)(const struct sysprof_record *record, void *data);

/*
 * Hands all records of a ring to @function and the room back; false if what lies there cannot be
 * walked.
 */
static inline bool session_drain(struct session *session, unsigned cpu, record_function function,
				 void *data)
{
	uint32_t head = __atomic_load_n(&session->rings[cpu].page->head, __ATOMIC_ACQUIRE);
	uint32_t tail = session->rings[cpu].tail->tail, bytes = session->config.ring_bytes;

	while (tail != head) {
		uint32_t place = tail & (bytes - 1);
		const struct sysprof_record *record =
			(const void *)(session->rings[cpu].data + place);
		uint32_t size = record->size * 8U;

		if (!size || size > bytes - place || size > head - tail)
			return false;
		function(record, data);
		tail += size;
	}
	__atomic_store_n(&session->rings[cpu].tail->tail, tail, __ATOMIC_RELEASE);
	return true;
}

/* Keeps the CPU busy in both worlds for a while. */
static inline void burn_ms(unsigned ms)
{
	uint64_t until = wall_ns() + ms * NS_PER_MS;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	while (wall_ns() < until)
		for (unsigned i = 0; i < 50; i++)
			if (write(null, "", 1) != 1)
				err(1, "cannot write to /dev/null");
	close(null);
}

/* Runs @function in a child and gives its exit status, 128 + signal if one killed it. */
static inline int in_child(int (*function)(void *), void *data)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (!pid)
		_exit(function(data));
	if (waitpid(pid, &status, 0) != pid)
		err(1, "cannot wait for a child");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The build-id of 20 bytes that a file's note has. */
static inline void read_build_id(const char *path, uint8_t ret[20])
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	FILE *file = fopen(path, "re");
	uint8_t head[8192];
	size_t n = file ? fread(head, 1, sizeof(head), file) : 0;
	const uint8_t *found = memmem(head, n, note, sizeof(note));

	if (!found || found + sizeof(note) + 20 > head + n)
		errx(1, "%s has no build-id", path);
	memcpy(ret, found + sizeof(note), 20);
	fclose(file);
}

static inline uint64_t account_sum(const struct sysprof_account *account)
{
	uint64_t sum = account->delivered + account->idle + account->offline + account->excluded +
		       account->pending + account->budget;

	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		sum += account->lost[i];
	return sum;
}

static inline bool account_get(int fd, unsigned cpu, struct sysprof_account *ret)
{
	struct sysprof_stats stats = { .size = sizeof(stats), .cpu = cpu };

	if (ioctl(fd, SYSPROF_IOC_STATS, &stats))
		return false;
	*ret = stats.account;
	return true;
}

/* Periods delivered so far, on all CPUs. */
static inline uint64_t delivered_get(int fd)
{
	struct sysprof_account account;
	uint64_t sum = 0;

	for (unsigned cpu = 0; account_get(fd, cpu, &account); cpu++)
		sum += account.delivered;
	return sum;
}

/* The names of any number of kernel frames, in as many calls as it takes. */
static inline bool names_get(int fd, struct sysprof_name *names, uint32_t n)
{
	bool good = true;

	for (uint32_t at = 0; at < n; at += 4096) {
		struct sysprof_names call = { .size = sizeof(call),
					      .nr = n - at < 4096 ? n - at : 4096,
					      .names = (uintptr_t)(names + at) };

		good &= !ioctl(fd, SYSPROF_IOC_NAMES, &call);
	}
	return good;
}

#endif
