// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drain FORM HZ FILE [TABLE BUILD_ID]: the plainest reader of the device: copies all rings to
 * FILE until SIGTERM.  FORM: objects, addresses, tables (TABLE is a file of sysprof-cli's cache of
 * unwind tables, for the program that has that build-id), whole (the same, each stack as a whole),
 * raw and a number of KiB, or, of objects, of tables- or of whole- with waits, waits-none (none is
 * picked), waits-grid, waits-all (without stacks), waits-stacks, waits-wakers (all, with these),
 * waits-lanes; or, of objects with one of the kernel's sources,
 * slab, fault, block, irq, lock and -none (none is picked) or -stacks (all), and kmem-64k.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sysprof-event.h"
#include "sysprof-table.h"

#define PAGE	4096
#define CPUS	64

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static void put(int out, const void *from, size_t bytes)
{
	if (bytes && write(out, from, bytes) != (ssize_t)bytes)
		err(1, "cannot write");
}

/* As userspace/lib/record/table-cache.c writes them. */
struct cached {
	char magic[8];
	uint32_t crc;
	uint8_t key_bytes, kind, reserved[2], key[64];
	uint8_t table[];
};

static void give_table(int fd, const char *path, const char *build_id)
{
	struct sysprof_table arg = { .size = sizeof(arg) };
	static struct cached *cached;
	FILE *file = fopen(path, "re");
	size_t bytes;

	cached = malloc(SYSPROF_TABLE_MAX_BYTES);
	bytes = file && cached ? fread(cached, 1, SYSPROF_TABLE_MAX_BYTES, file) : 0;
	if (bytes < sizeof(*cached))
		err(1, "cannot read %s", path);
	arg.table = (uintptr_t)cached->table;
	arg.bytes = bytes - sizeof(*cached);
	while (arg.build_id_bytes < sizeof(arg.build_id) &&
	       sscanf(build_id + 2 * arg.build_id_bytes, "%2hhx",
		      &arg.build_id[arg.build_id_bytes]) == 1)
		arg.build_id_bytes++;
	if (ioctl(fd, SYSPROF_IOC_TABLE, &arg))
		err(1, "cannot hand %s over", path);
	free(cached);
}

#define OWN	(SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER)

static const struct {
	const char *form;
	struct sysprof_source sources[4];
} waits[] = {
	{ "waits-none", { { .kind = SYSPROF_SOURCE_WAIT, .threshold = UINT64_MAX } } },
	{ "waits-grid",
	  { { .kind = SYSPROF_SOURCE_WAIT,
	      .period = 1000000,
	      .stacks = OWN | SYSPROF_STACKS_WAKER } } },
	{ "waits-all", { { .kind = SYSPROF_SOURCE_WAIT } } },
	{ "waits-stacks", { { .kind = SYSPROF_SOURCE_WAIT, .stacks = OWN } } },
	{ "waits-wakers",
	  { { .kind = SYSPROF_SOURCE_WAIT, .stacks = OWN | SYSPROF_STACKS_WAKER } } },
	{ "slab-none",
	  { { .kind = SYSPROF_SOURCE_SLAB, .period = UINT32_MAX, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_SLAB_FREE } } },
	{ "slab-stacks",
	  { { .kind = SYSPROF_SOURCE_SLAB, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_SLAB_FREE } } },
	{ "kmem-64k",
	  { { .kind = SYSPROF_SOURCE_SLAB, .period = 65536, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_SLAB_FREE },
	    { .kind = SYSPROF_SOURCE_PAGE, .period = 65536, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_PAGE_FREE } } },
	{ "fault-none",
	  { { .kind = SYSPROF_SOURCE_FAULT, .period = UINT32_MAX, .stacks = OWN } } },
	{ "fault-stacks", { { .kind = SYSPROF_SOURCE_FAULT, .stacks = OWN } } },
	{ "block-none",
	  { { .kind = SYSPROF_SOURCE_BLOCK, .period = UINT32_MAX, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_BLOCK_DONE } } },
	{ "block-stacks",
	  { { .kind = SYSPROF_SOURCE_BLOCK, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_BLOCK_DONE } } },
	{ "irq-none",
	  { { .kind = SYSPROF_SOURCE_IRQ, .threshold = UINT64_MAX, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_SOFTIRQ, .threshold = UINT64_MAX, .stacks = OWN } } },
	{ "irq-stacks",
	  { { .kind = SYSPROF_SOURCE_IRQ, .stacks = OWN },
	    { .kind = SYSPROF_SOURCE_SOFTIRQ, .stacks = OWN } } },
	{ "lock-none",
	  { { .kind = SYSPROF_SOURCE_LOCK, .threshold = UINT64_MAX, .stacks = OWN } } },
	{ "lock-stacks", { { .kind = SYSPROF_SOURCE_LOCK, .stacks = OWN } } },
	{ "waits-lanes",
	  { { .kind = SYSPROF_SOURCE_WAIT, .threshold = UINT64_MAX },
	    { .kind = SYSPROF_SOURCE_LANE } } },
};

static uint32_t ask_for_waits(int fd, const char *form)
{
	struct sysprof_sources arg = { .size = sizeof(arg),
				       .source_bytes = sizeof(struct sysprof_source) };

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (!strcmp(form, waits[i].form)) {
			struct sysprof_source sources[4];

			memcpy(sources, waits[i].sources, sizeof(sources));
			while (arg.nr < 4 && sources[arg.nr].kind)
				arg.nr++;
			arg.sources = (uintptr_t)sources;
			if (ioctl(fd, SYSPROF_IOC_SOURCES, &arg))
				err(1, "cannot ask for %s", form);
			/* Wakings have a number of their own. */
			return arg.nr + !!(sources[0].stacks & SYSPROF_STACKS_WAKER);
		}
	return 0;
}

static uint64_t lost_of(const struct sysprof_source_account *account)
{
	uint64_t lost = 0;

	for (int i = 0; i < SYSPROF_LOST_REASONS; i++)
		lost += account->lost[i].events;
	return lost;
}

/* Sum of all its sources on a CPU: events delivered, and lost. */
static void count_events(int fd, uint32_t cpu, uint32_t sources, uint64_t *events, uint64_t *lost)
{
	struct sysprof_source_stats stats = { .size = sizeof(stats), .cpu = cpu };

	for (stats.source = 1; stats.source <= sources; stats.source++) {
		if (ioctl(fd, SYSPROF_IOC_SOURCE_STATS, &stats))
			err(1, "cannot get the account of source %u", stats.source);
		*events += stats.account.delivered.events;
		*lost += lost_of(&stats.account);
	}
}

struct ring {
	struct sysprof_ring_page *page;
	struct sysprof_ring_tail *tail;
	uint8_t *data;
};

static void drain(const struct ring *ring, uint32_t bytes, int out)
{
	uint32_t head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE),
		 tail = ring->tail->tail;
	uint32_t at = tail & (bytes - 1), n = head - tail, first = n < bytes - at ? n : bytes - at;

	put(out, ring->data + at, first);
	put(out, ring->data, n - first);
	__atomic_store_n(&ring->tail->tail, head, __ATOMIC_RELEASE);
}

/* Whether @form is @way, or begins with it; then the rest is left. */
static bool is_way(const char **form, const char *way)
{
	size_t n = strlen(way);

	if (strncmp(*form, way, n) || ((*form)[n] && (*form)[n] != '-'))
		return false;
	*form += n + ((*form)[n] == '-');
	return true;
}

int main(int argc, char **argv)
{
	struct sysprof_config config = { .size = sizeof(config) };
	struct sysprof_info info = { .size = sizeof(info) };
	struct sysprof_stats stats = { .size = sizeof(stats) };
	struct ring rings[CPUS];
	struct pollfd poll_fd;
	uint64_t lost = 0, samples = 0, events = 0;
	const char *form = argv[1];
	uint32_t sources;
	bool is_once;
	int fd, out;

	if (argc != 4 && argc != 6)
		errx(1, "usage: drain FORM HZ FILE [TABLE BUILD_ID]");
	signal(SIGTERM, end);
	fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);
	out = open(argv[3], O_CREAT | O_TRUNC | O_WRONLY, 0600);
	config.form = strcmp(form, "addresses") ? SYSPROF_FORM_OBJECT : SYSPROF_FORM_ADDRESS;
	is_once = is_way(&form, "tables");
	if (is_once || is_way(&form, "whole"))
		config.user_mode = SYSPROF_USER_TABLE + 1;
	if (is_once)
		config.flags |= SYSPROF_CONFIG_STACKS_ONCE;
	if (!strncmp(form, "raw", 3)) {
		config.user_mode = SYSPROF_USER_RAW + 1;
		config.raw_bytes = atoi(form + 3) * 1024;
		config.ring_bytes = 8 << 20;
	}
	if (strchr(form, '-') && strncmp(form, "waits", 5))
		config.ring_bytes = 8 << 20;
	config.period_ns = 1000000000 / atoi(argv[2]);
	if (fd < 0 || out < 0 || ioctl(fd, SYSPROF_IOC_INFO, &info) ||
	    ioctl(fd, SYSPROF_IOC_CONFIGURE, &config) || info.cpus > CPUS)
		err(1, "cannot open and configure");
	if (config.user_mode == SYSPROF_USER_TABLE + 1 && argc == 6)
		give_table(fd, argv[4], argv[5]);
	sources = ask_for_waits(fd, form);
	for (uint32_t cpu = 0; cpu < info.cpus; cpu++) {
		off_t at = cpu * config.ring_stride;

		rings[cpu].page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, at);
		rings[cpu].tail =
			mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at + PAGE);
		rings[cpu].data =
			mmap(NULL, config.ring_bytes, PROT_READ, MAP_SHARED, fd, at + 2 * PAGE);
		if (rings[cpu].page == MAP_FAILED || rings[cpu].tail == MAP_FAILED ||
		    rings[cpu].data == MAP_FAILED)
			err(1, "cannot map");
	}
	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		err(1, "cannot start");
	poll_fd = (struct pollfd){ .fd = fd, .events = POLLIN };
	while (!ended) {
		poll(&poll_fd, 1, 1000);
		for (uint32_t cpu = 0; cpu < info.cpus; cpu++)
			drain(&rings[cpu], config.ring_bytes, out);
	}
	for (stats.cpu = 0; stats.cpu < info.cpus; stats.cpu++) {
		if (ioctl(fd, SYSPROF_IOC_STATS, &stats))
			err(1, "cannot get the account");
		samples += stats.account.samples;
		for (int i = 0; i < SYSPROF_LOST_REASONS; i++)
			lost += stats.account.lost[i];
		count_events(fd, stats.cpu, sources, &events, &lost);
	}
	printf("%llu %llu", (unsigned long long)samples, (unsigned long long)lost);
	if (sources)
		printf(" %llu", (unsigned long long)events);
	printf("\n");
	return 0;
}
