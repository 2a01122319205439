// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The leak scan: abi-scan MAPS SECONDS.  MAPS is /proc/PID/maps of a victim that keeps CPU 0 busy.
 * Every word that an ordinary user gets to see is looked at, in records and snapshots and, by a
 * thread of its own, in the mapped rings around the place that is just being written: none is an
 * address of the kernel or of the victim, none is a secret of its stack.  Root, who may have the
 * latter two, finds them.
 */
#include "abi.h"
#include "secret.h"

#include <pthread.h>
#include <sched.h>

#define MAX_RANGES	512
#define MAX_SUSPECTS	4096
#define WINDOW_BYTES	8192U

/* Raw stacks of the scan itself must not hold what it looks for: it keeps addresses shifted. */
#define SHIFT		0x1234567890abULL

struct finds {
	uint64_t bytes, secrets;
	uint64_t suspects[MAX_SUSPECTS];	/* shifted words that look like addresses */
	unsigned n_suspects;
};

static struct ranges {
	unsigned n;
	struct { uint64_t shifted, bytes; } range[MAX_RANGES];
} *ranges;

/* Words that may be anything: ids of address spaces, contents of OBJECT records */
static uint64_t known[1 << 16];
static unsigned n_known;
static volatile bool stop;

static int read_maps(void *path)
{
	FILE *file = fopen(path, "re");
	unsigned long start, end;
	char line[512];

	while (file && fgets(line, sizeof(line), file) && ranges->n < MAX_RANGES) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2 || (int64_t)start < 0)
			continue;
		ranges->range[ranges->n].shifted = start + SHIFT;
		ranges->range[ranges->n++].bytes = end - start;
	}
	return !ranges->n;
}

static bool is_victims(uint64_t word)
{
	for (unsigned i = 0; i < ranges->n; i++)
		if (word + SHIFT - ranges->range[i].shifted < ranges->range[i].bytes)
			return true;
	return false;
}

/* The upper half of the address space, but for small negative numbers. */
static bool is_kernels(uint64_t word)
{
	return (int64_t)word >> 47 == -1 && word < -4096ULL;
}

static void suspect(struct finds *finds, uint64_t word)
{
	for (unsigned i = 0; i < finds->n_suspects; i++)
		if (finds->suspects[i] == word + SHIFT)
			return;
	if (finds->n_suspects < MAX_SUSPECTS)
		finds->suspects[finds->n_suspects++] = word + SHIFT;
}

/*
 * What no user part can be is passed over at once: the victim lies above 2^40 as every program
 * does.
 */
static void scan(struct finds *finds, const void *at, size_t bytes, bool kernels)
{
	const volatile uint64_t *words = at;

	for (size_t i = 0; i < bytes / 8; i++) {
		uint64_t word = words[i];

		if (!word)
			continue;
		if (is_secret(word) || is_secret(word >> 32))
			finds->secrets++;
		if (word >> 40 && ((kernels && is_kernels(word)) || is_victims(word)))
			suspect(finds, word);
	}
	finds->bytes += bytes;
}

static void know(uint64_t word)
{
	for (unsigned i = 0; i < n_known; i++)
		if (known[i] == word)
			return;
	if (n_known < sizeof(known) / sizeof(known[0]))
		known[n_known++] = word;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const struct sysprof_task *task = (const void *)record;
	const uint64_t *words = (const void *)record;
	size_t bytes = record->size * 8U, raw = 0;

	switch (record->type) {
	case SYSPROF_SAMPLE:
		know(sample->mm);
		raw = sample->raw_bytes;
		break;
	case SYSPROF_TASK:
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_COMM:
	case SYSPROF_EXIT:
		know(task->parent_mm);
		/* fall through */
	case SYSPROF_REGION:
		know(task->mm);
		break;
	case SYSPROF_OBJECT:
		for (unsigned i = 3; i < record->size; i++)
			know(words[i]);
		break;
	case SYSPROF_PAD:
		return;
	}
	scan(data, record, bytes - raw, true);
	scan(data, (const uint8_t *)record + bytes - raw, raw, false);
}

struct watch {
	struct session *session;
	struct finds finds;
	bool kernels;
};

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Looks over the writer's shoulder. */
static void *watch(void *data)
{
	struct watch *watch = data;
	struct session *session = watch->session;
	uint32_t bytes = session->config.ring_bytes;

	pin(1);
	for (unsigned turn = 0; !stop; turn++) {
		uint32_t head = __atomic_load_n(&session->rings[0].page->head, __ATOMIC_RELAXED) &
				(bytes - 1) & ~7U;
		uint32_t first = bytes - head < WINDOW_BYTES ? bytes - head : WINDOW_BYTES;

		scan(&watch->finds, session->rings[0].data + head, first, watch->kernels);
		scan(&watch->finds, session->rings[0].data, WINDOW_BYTES - first, watch->kernels);
		for (unsigned cpu = 0; cpu < session->cpus && turn % 256 == 0; cpu++) {
			scan(&watch->finds, session->rings[cpu].page, PAGE, watch->kernels);
			scan(&watch->finds, session->rings[cpu].data, bytes, watch->kernels);
		}
	}
	return NULL;
}

static void scan_snapshot(int fd, struct finds *finds)
{
	static uint8_t buffer[1 << 18];

	for (unsigned part = SYSPROF_SNAPSHOT_TASKS; part <= SYSPROF_SNAPSHOT_OBJECTS; part++) {
		struct sysprof_snapshot snapshot = {
			.size = sizeof(snapshot),
			.part = part,
			.buffer = (uintptr_t)buffer,
			.buffer_bytes = sizeof(buffer),
		};

		while (!ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot) && snapshot.filled_bytes)
			for (size_t at = 0; at < snapshot.filled_bytes;
			     at += ((struct sysprof_record *)(buffer + at))->size * 8U)
				look_at((struct sysprof_record *)(buffer + at), finds);
	}
}

/* Suspects that are none of the words that may be anything; reports the first. */
static void judge(const struct finds *finds, unsigned *kernels, unsigned *victims)
{
	for (unsigned i = 0; i < finds->n_suspects; i++) {
		uint64_t word = finds->suspects[i] - SHIFT;
		bool may = false;

		for (unsigned j = 0; j < n_known && !may; j++)
			may = known[j] == word;
		if (may)
			continue;
		if (*kernels + *victims < 10)
			printf("# %#llx\n", (unsigned long long)word);
		++*(is_kernels(word) ? kernels : victims);
	}
}

static void test_scan(const char *what, uint32_t user_mode, uint32_t form, unsigned seconds,
		      bool expect)
{
	struct session session = session_open(NS_PER_MS / 4, 1U << 18);
	struct sysprof_config config = {
		.size = sizeof(config),
		.period_ns = NS_PER_MS / 4,
		.ring_bytes = session.config.ring_bytes,
		.user_mode = user_mode + 1,
		.raw_bytes = user_mode == SYSPROF_USER_RAW ? 8192 : 0,
		.form = form,
	};
	struct finds *finds = calloc(1, sizeof(*finds));
	struct watch *watcher = calloc(1, sizeof(*watcher));
	uint64_t until = wall_ns() + seconds * NS_PER_S;
	unsigned kernels = 0, victims = 0;
	pthread_t thread;

	watcher->session = &session;
	watcher->kernels = user_mode != SYSPROF_USER_RAW;
	stop = false;
	ok(!ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START with %s", what);
	pthread_create(&thread, NULL, watch, watcher);
	while (wall_ns() < until || (finds->bytes + watcher->finds.bytes < 8U << 20 &&
				     wall_ns() < until + 60 * NS_PER_S)) {
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_at, finds);
		scan_snapshot(session.fd, finds);
		usleep(20000);
	}
	stop = true;
	pthread_join(thread, NULL);
	ioctl(session.fd, SYSPROF_IOC_STOP);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, look_at, finds);
	judge(finds, &kernels, &victims);
	judge(&watcher->finds, &kernels, &victims);
	timed(finds->bytes > 1U << 19 && watcher->finds.bytes > 4U << 20,
	      "... %u KiB of records and %u MiB of rings were scanned",
	      (unsigned)(finds->bytes >> 10), (unsigned)(watcher->finds.bytes >> 20));
	ok(!kernels, "... kernel addresses: %u", kernels);
	if (expect) {
		ok(victims, "... addresses of somebody else: %u, as root should find", victims);
		ok(finds->secrets, "... words of somebody else's stack: %u, as root should find",
		   (unsigned)finds->secrets);
	} else {
		ok(!victims, "... addresses of somebody else: %u", victims);
		ok(!finds->secrets && !watcher->finds.secrets,
		   "... words of somebody else's stack: %u",
		   (unsigned)(finds->secrets + watcher->finds.secrets));
	}
	session_close(&session);
	free(finds);
	free(watcher);
}

/* That it would find what there is to find. */
static void test_scan_itself(void)
{
	struct finds *finds = calloc(1, sizeof(*finds));
	uint64_t words[] = { 1, 0xffff888000001000ULL, 0xffffffff81000000ULL,
			     ranges->range[0].shifted - SHIFT + 8, secret_word(1) };
	unsigned kernels = 0, victims = 0;

	scan(finds, words, sizeof(words), true);
	judge(finds, &kernels, &victims);
	ok(kernels == 2 && victims == 1 && finds->secrets, "the scan sees what is put there");
	memset(words, 0, sizeof(words));
	__asm__ volatile("" : : "r"(words) : "memory");
	free(finds);
}

int main(int argc, char **argv)
{
	unsigned seconds = argc == 3 ? atoi(argv[2]) : 0;

	if (!seconds)
		errx(2, "usage: abi-scan MAPS SECONDS");
	ranges = mmap(NULL, sizeof(*ranges), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	/* In a child, so that no address of the victim was ever on this stack. */
	if (in_child(read_maps, argv[1]))
		errx(1, "cannot read %s", argv[1]);
	if (!geteuid()) {
		test_scan_itself();
		test_scan("addresses and raw stacks", SYSPROF_USER_RAW, SYSPROF_FORM_ADDRESS,
			  seconds, true);
	} else {
		test_scan("frames", SYSPROF_USER_FP, SYSPROF_FORM_OBJECT, seconds, false);
		test_scan("raw stacks", SYSPROF_USER_RAW, SYSPROF_FORM_OBJECT, seconds, false);
	}
	return tests_end();
}
