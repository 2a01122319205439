// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw stacks: abi-raw VICTIM-DIRECTORY, or abi-raw pmu.  Of your own tasks the bytes are those of
 * the stack and the registers those of the moment; of somebody else's, and of your own that may
 * not be traced, there are none.  Root has all.  By counters: the first alone.
 */
#include "abi.h"
#include "secret.h"

#include <elf.h>
#include <signal.h>
#include <sys/prctl.h>

#define WORDS		512
#define PATTERN		0x7061747465726e00ULL
#define REG_SP		7
#define REG_IP		8

static uint64_t *words;		/* what lies on the stack of the spinning thread */
/* @copies_end: where what is mapped right behind the stack ends; by chance that is [vvar]. */
static uint64_t stack_top, copies_end;
static uint32_t victim, undumpable;
static const void *mapped;	/* code, once the session ran */

struct seen {
	unsigned own, whole, at_top, wrong, wrong_bytes, victims, victim_raw, secrets, undumpables,
		undumpable_raw;
	unsigned own_maps, new_maps, victim_maps, undumpable_maps;
};

struct sizes {
	unsigned samples, copies, frames, most;
};

FUNCTION static uint64_t spin_on_pattern(unsigned ms)
{
	uint64_t pattern[WORDS], until = wall_ns() + ms * NS_PER_MS, sum = 0;

	for (unsigned i = 0; i < WORDS; i++)
		pattern[i] = PATTERN + i;
	words = pattern;
	__asm__ volatile("" : : "r"(pattern) : "memory");
	while (wall_ns() < until)
		spin(10000, sum++);
	/* What is left in the stack is no pattern when this is called again, until it is whole. */
	pattern[WORDS - 1] = 0;
	__asm__ volatile("" : : "r"(pattern) : "memory");
	return sum;
}

static bool holds(const uint8_t *pattern, unsigned i)
{
	return !memcmp(pattern + i * 8, &(uint64_t){ PATTERN + i }, 8);
}

static void look_at_own(struct seen *seen, const struct sysprof_sample *sample,
			const struct sysprof_raw *raw)
{
	const uint8_t *stack = (const uint8_t *)(raw->regs + raw->n_regs);
	uint64_t sp = raw->regs[REG_SP], end = sp + raw->stack_bytes;
	uint64_t offset = (uintptr_t)words - sp;
	bool right = raw->arch == EM_X86_64 && raw->n_regs == 24 &&
		     raw->stack_bytes <= raw->wanted_bytes && !raw->reserved &&
		     sample->raw_bytes ==
			     sizeof(*raw) + raw->n_regs * 8U + (raw->stack_bytes + 7) / 8 * 8 &&
		     sample->user_mode == SYSPROF_USER_RAW && end <= copies_end &&
		     raw->regs[REG_IP];

	seen->own++;
	/*
	 * The last word is written last, and overwritten first by what runs when the spinning is
	 * over.
	 */
	if (right && sp <= (uintptr_t)words && (uintptr_t)(words + WORDS) <= end &&
	    holds(stack + offset, WORDS - 1)) {
		for (unsigned i = 0; i < WORDS && right; i++)
			right = holds(stack + offset, i);
		seen->whole += right;
		seen->wrong_bytes += !right;
	}
	seen->at_top += end >= stack_top;

	seen->wrong += !right;
}

static void look_at_map(struct seen *seen, const struct sysprof_map *map)
{
	uintptr_t code = (uintptr_t)look_at_map;

	if (map->record.pid == (uint32_t)getpid()) {
		seen->own_maps += map->start <= code && code < map->end &&
				  map->object >= SYSPROF_OBJECT_FIRST;
		seen->new_maps += map->start == (uintptr_t)mapped;
	}
	seen->victim_maps += map->record.pid == victim;
	seen->undumpable_maps += map->record.pid == undumpable;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const struct sysprof_raw *raw;
	struct seen *seen = data;

	if (record->type == SYSPROF_MAP) {
		look_at_map(seen, (const void *)record);
		return;
	}
	if (record->type != SYSPROF_SAMPLE)
		return;
	raw = (const void *)(sample->frames + sample->n_kernel + sample->n_user);
	if (record->pid == (uint32_t)getpid() && sample->raw_bytes) {
		look_at_own(seen, sample, raw);
	} else if (record->pid == victim) {
		const uint32_t *halves = (const uint32_t *)raw;

		seen->victims++;
		seen->victim_raw += sample->raw_bytes != 0;
		for (unsigned i = 0; i < sample->raw_bytes / 4; i++)
			seen->secrets += is_secret(halves[i]);
	} else if (record->pid == undumpable) {
		seen->undumpables++;
		seen->undumpable_raw += sample->raw_bytes != 0;
	}
}

/*
 * Between a program's environment and its first frame the kernel leaves a gap of up to 8 KiB at
 * random, in which a page may lie that nobody has touched: copying would end there.
 */
static void find_stack_top(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		if (strstr(line, "[stack]"))
			stack_top = end;
		if (stack_top && (stack_top == end || start == copies_end))
			copies_end = end;
	}
	fclose(maps);
	for (uintptr_t page = (uintptr_t)line / PAGE * PAGE; page < stack_top; page += PAGE)
		*(volatile const char *)page;
}

static bool configure(struct session *session, uint32_t mode, uint32_t clock, uint32_t raw_bytes)
{
	struct sysprof_config config = {
		.size = sizeof(config),
		.clock = clock,
		.period_ns = clock == SYSPROF_CLOCK_TIMER ? NS_PER_MS : 0,
		.ring_bytes = session->config.ring_bytes,
		.user_mode = mode + 1,
		.raw_bytes = raw_bytes,
	};

	return !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) && config.raw_bytes == raw_bytes;
}

static bool configure_raw(struct session *session, uint32_t clock, uint32_t raw_bytes)
{
	return configure(session, SYSPROF_USER_RAW, clock, raw_bytes);
}

static void drain(struct session *session, struct seen *seen)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		session_drain(session, cpu, look_at, seen);
}

/* What lies where, of whose stacks are given: at the beginning, and as it changes. */
static void look_at_maps(struct session *session, struct seen *seen)
{
	static uint8_t buffer[64 << 10];
	struct sysprof_snapshot snapshot = {
		.size = sizeof(snapshot),
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = sizeof(buffer),
	};

	mapped = NULL;
	while (!ioctl(session->fd, SYSPROF_IOC_SNAPSHOT, &snapshot) && snapshot.filled_bytes)
		for (size_t at = 0; at < snapshot.filled_bytes;
		     at += ((struct sysprof_record *)(buffer + at))->size * 8U)
			look_at((const struct sysprof_record *)(buffer + at), seen);
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapped == MAP_FAILED)
		err(1, "cannot map code");
}

static void judge_own(const struct seen *seen)
{
	ok(seen->whole >= 100, "the bytes of one's own stack are right (%u of %u samples)",
	   seen->whole, seen->own);
	ok(!seen->wrong,
	   "... in every sample that has them, and the record's sizes (%u are wrong, %u of them by bytes)",
	   seen->wrong, seen->wrong_bytes);
	ok(seen->at_top >= seen->own / 2, "... and end where the stack does (%u)", seen->at_top);
}

static void test_overflows(void)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct seen seen = { 0 };

	ok(configure_raw(&session, SYSPROF_CLOCK_PMU, 65536) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START of a session with raw stacks and counters");
	for (unsigned round = 0; round < 1000 && seen.whole < 100; round++) {
		spin_on_pattern(100);
		drain(&session, &seen);
	}
	judge_own(&seen);
	session_close(&session);
}

/* @mode: SYSPROF_USER_RAW, or SYSPROF_USER_TABLE: there are no tables, so that copies are made. */
static void test_stacks(bool is_root, uint32_t mode)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct seen seen = { 0 };
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC))
		err(1, "cannot make a pipe");
	pid = fork();
	if (!pid) {
		if (prctl(PR_SET_DUMPABLE, 0) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			spin(1000, 1);
	}
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		errx(1, "cannot make a child that may not be traced");
	undumpable = pid;
	ok(configure(&session, mode, SYSPROF_CLOCK_TIMER, 65536) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START of a session with raw stacks%s",
	   mode == SYSPROF_USER_TABLE ? " where tables are missing" : "");
	look_at_maps(&session, &seen);
	/* Three want two CPUs: until all of them were seen. */
	for (unsigned round = 0;
	     round < 200 && (seen.whole < 100 || seen.victims < 100 || seen.undumpables < 100);
	     round++) {
		spin_on_pattern(100);
		drain(&session, &seen);
	}
	ioctl(session.fd, SYSPROF_IOC_STOP);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	judge_own(&seen);
	ok(seen.victims >= 100 && seen.undumpables >= 100, "others ran, too (%u, %u samples)",
	   seen.victims, seen.undumpables);
	ok(seen.own_maps && seen.new_maps == 1,
	   "where one's own code lies is told (%u), and what is mapped (%u)", seen.own_maps,
	   seen.new_maps);
	if (is_root) {
		ok(seen.victim_maps && seen.undumpable_maps, "root is told of others (%u, %u)",
		   seen.victim_maps, seen.undumpable_maps);
		ok(seen.victim_raw > seen.victims / 2 && seen.secrets > 100,
		   "root has somebody else's (%u secrets)", seen.secrets);
		ok(seen.undumpable_raw > seen.undumpables / 2,
		   "... and of those that may not be traced");
	} else {
		ok(!seen.victim_maps && !seen.undumpable_maps,
		   "where others' code lies is not told (%u, %u)", seen.victim_maps,
		   seen.undumpable_maps);
		ok(!seen.victim_raw, "somebody else's are not had (%u)", seen.victim_raw);
		ok(!seen.undumpable_raw, "nor those of one's own tasks that may not be traced (%u)",
		   seen.undumpable_raw);
	}
	/* The next one is not to be merged with it. */
	munmap((void *)mapped, PAGE);
	session_close(&session);
}

static void test_limits(void)
{
	struct session session = session_open(NS_PER_MS, PAGE);
	struct sysprof_config config = { .size = sizeof(config), .raw_bytes = 4096 };
	struct sysprof_account account = { 0 };
	uint64_t too_big = 0, unlawful = 0;

	refuses(ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL,
		"raw bytes without raw stacks");
	config.user_mode = SYSPROF_USER_RAW + 1;
	config.raw_bytes = 12;
	refuses(ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL, "12 raw bytes");
	config.raw_bytes = 65544;
	refuses(ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL,
		"more raw bytes than there can be");
	ok(configure_raw(&session, SYSPROF_CLOCK_TIMER, 16384) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "raw stacks and a small ring");
	spin_on_pattern(300);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++) {
		unlawful += !account_get(session.fd, cpu, &account) ||
			    account.grid != account_sum(&account);
		too_big += account.lost[SYSPROF_LOST_TOO_BIG];
	}
	ok(too_big && !unlawful, "samples that are too large are lost, and counted (%u)",
	   (unsigned)too_big);
	session_close(&session);
}

/* Beside tables a copy never costs a sample. */
static void test_instead(void)
{
	struct session session = session_open(NS_PER_MS, PAGE);
	struct sysprof_account account = { 0 };
	uint64_t lost = 0, samples = 0;
	struct seen seen = { 0 };

	ok(configure(&session, SYSPROF_USER_TABLE, SYSPROF_CLOCK_TIMER, 16384) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "copies where tables are missing, and a small ring");
	spin_on_pattern(300);
	drain(&session, &seen);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		if (account_get(session.fd, cpu, &account)) {
			lost += account.lost[SYSPROF_LOST_TOO_BIG];
			samples += account.samples;
		}
	ok(samples && !seen.own && !lost, "samples have no copy then, and none is lost (%u of %u)",
	   (unsigned)lost, (unsigned)samples);
	session_close(&session);
}

static void look_at_size(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const struct sysprof_raw *raw;
	struct sizes *sizes = data;

	if (record->type != SYSPROF_SAMPLE || record->pid != (uint32_t)getpid() || !sample->n_user)
		return;
	raw = (const void *)(sample->frames + sample->n_kernel + sample->n_user);
	sizes->samples++;
	sizes->copies += sample->raw_bytes != 0;
	sizes->frames += !sample->raw_bytes && sample->user_mode == SYSPROF_USER_FP;
	if (sample->raw_bytes && raw->wanted_bytes > sizes->most)
		sizes->most = raw->wanted_bytes;
}

/*
 * What there is in samples once the request was taken.  A tick that was overdue when its CPU
 * switched tasks has frames alone, lawfully; on a busy host many are.
 */
static struct sizes sizes_after(struct session *session, const char *comm, uint32_t bytes)
{
	struct sysprof_raw_wish wish = { .size = sizeof(wish), .bytes = bytes };
	struct sizes before = { 0 }, after = { 0 };

	strncpy(wish.comm, comm, sizeof(wish.comm) - 1);
	ok(!ioctl(session->fd, SYSPROF_IOC_RAW_WISH, &wish), "RAW_WISH of %u bytes for \"%s\"",
	   bytes, comm);
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		session_drain(session, cpu, look_at_size, &before);
	for (unsigned round = 0; round < 100 && after.samples < 20; round++) {
		spin_on_pattern(50);
		for (unsigned cpu = 0; cpu < session->cpus; cpu++)
			session_drain(session, cpu, look_at_size, &after);
	}
	return after;
}

static void test_wishes(void)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct sysprof_raw_wish wish = { .size = sizeof(wish), .bytes = 4096 };
	struct sizes sizes;

	refuses(ioctl(session.fd, SYSPROF_IOC_RAW_WISH, &wish), EINVAL,
		"RAW_WISH of a session without raw stacks");
	ok(configure_raw(&session, SYSPROF_CLOCK_TIMER, 16384) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "raw stacks of 16 KiB");
	wish.bytes = 16385;
	refuses(ioctl(session.fd, SYSPROF_IOC_RAW_WISH, &wish), EINVAL,
		"RAW_WISH of more than was configured");
	sizes = sizes_after(&session, "somebody", 1024);
	ok(sizes.copies > sizes.samples / 2 && sizes.most == 16384,
	   "somebody else's wish changes nothing (%u)", sizes.most);
	sizes = sizes_after(&session, "", 4000);
	ok(sizes.copies > sizes.samples / 2 && sizes.most == 4096,
	   "for all, up to a whole KiB (%u)", sizes.most);
	sizes = sizes_after(&session, "abi-raw", 8192);
	ok(sizes.copies > sizes.samples / 2 && sizes.most == 8192, "by name, instead (%u)",
	   sizes.most);
	sizes = sizes_after(&session, "abi-raw", 0);
	ok(sizes.samples && sizes.frames == sizes.samples,
	   "none: frames by frame pointers (%u of %u)", sizes.frames, sizes.samples);
	session_close(&session);
}

int main(int argc, char **argv)
{
	char path[256];
	FILE *file;

	find_stack_top();
	if (argc == 2 && !strcmp(argv[1], "pmu")) {
		test_overflows();
		return tests_end();
	}
	snprintf(path, sizeof(path), "%s/ready", argc == 2 ? argv[1] : "");
	file = fopen(path, "re");
	if (!file || fscanf(file, "%u", &victim) != 1)
		err(1, "cannot read %s", path);
	fclose(file);
	test_stacks(!geteuid(), SYSPROF_USER_RAW);
	test_stacks(!geteuid(), SYSPROF_USER_TABLE);
	test_limits();
	test_instead();
	test_wishes();
	return tests_end();
}
