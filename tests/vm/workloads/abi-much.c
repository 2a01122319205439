// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More than is followed: regions without end, and more executable mappings than an index has.  What
 * is skipped is reported, and what was there before is still known.
 */
#include "abi.h"
#include "files.h"

#define REGIONS_EVER 4096
#define RANGES_MAX   8192

struct seen {
	uint32_t pid;
	unsigned regions;
	uint64_t coarse;
	uint64_t resolved;
	uint64_t samples;
};

static void count(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	struct seen *seen = data;

	if (record->pid != seen->pid)
		return;
	if (record->type == SYSPROF_REGION)
		seen->regions++;
	if (record->type != SYSPROF_SAMPLE || !(record->flags & SYSPROF_SAMPLE_USER_EXACT))
		return;
	seen->samples++;
	seen->coarse += !!(record->flags & SYSPROF_SAMPLE_COARSE);
	seen->resolved += sample->n_user > 0;
}

static struct seen end(struct session *session)
{
	struct seen seen = { .pid = getpid() };

	ioctl(session->fd, SYSPROF_IOC_STOP, NULL);
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		if (!session_drain(session, cpu, count, &seen))
			ok(false, "the ring of CPU %u can be walked", cpu);
	session_close(session);
	return seen;
}

/* Code without a file ends where a file is mapped: what comes there next is another region. */
static void test_regions(void)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct seen seen;

	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	for (unsigned i = 0; i < REGIONS_EVER + 1000; i++) {
		mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		     0);
		mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	}
	close(fd);
	seen = end(&session);
	ok(seen.regions > REGIONS_EVER / 2 && seen.regions <= REGIONS_EVER,
	   "an address space has no more than %u regions ever (%u)", REGIONS_EVER, seen.regions);
}

static struct seen spin_for(uint64_t ns)
{
	struct session session = session_open(NS_PER_MS, 0);
	uint64_t begin = thread_cpu_ns();

	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	while (thread_cpu_ns() - begin < ns)
		spin(1000000, 1);
	return end(&session);
}

static void test_ranges(void)
{
	size_t bytes = (RANGES_MAX + 1000) * 2UL * PAGE;
	uint8_t *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct seen seen;

	for (size_t i = 0; i < bytes; i += 2 * PAGE)
		if (mprotect(at + i, PAGE, PROT_READ | PROT_EXEC))
			err(1, "cannot make so much memory executable");
	/* What is large is not looked at at once. */
	spin_for(1000 * NS_PER_MS);
	seen = spin_for(500 * NS_PER_MS);
	timed(seen.samples > 100 && seen.coarse > seen.samples / 2,
	      "more than %u executable mappings are said to be too many (%" PRIu64 " of %" PRIu64
	      " samples)",
	      RANGES_MAX, seen.coarse, seen.samples);
	ok(seen.resolved > seen.samples / 2,
	   "... and code of files is known all the same (%" PRIu64 " samples)", seen.resolved);
	munmap(at, bytes);
	/* It is looked at once a second. */
	spin_for(2000 * NS_PER_MS);
	seen = spin_for(500 * NS_PER_MS);
	timed(seen.samples > 100 && !seen.coarse && seen.resolved > seen.samples / 2,
	      "... nothing is missing when they are gone (%" PRIu64 " of %" PRIu64 " samples)",
	      seen.coarse, seen.samples);
}

int main(void)
{
	test_regions();
	test_ranges();
	return tests_end();
}
