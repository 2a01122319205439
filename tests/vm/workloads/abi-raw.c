// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw stacks: abi-raw VICTIM-DIRECTORY, or abi-raw pmu.  Of one's own tasks the bytes are those of the stack and the registers those of the moment; of somebody
 * else's, and of one's own that may not be traced, there are none.  Root has all.  By counters: the first alone.
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
static uint64_t stack_top;
static uint32_t victim, undumpable;

struct seen {
	unsigned own, whole, at_top, wrong, victims, victim_raw, secrets, undumpables, undumpable_raw;
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
	__asm__ volatile("" : : "r"(pattern) : "memory");
	return sum;
}

static bool holds(const uint8_t *pattern, unsigned i)
{
	return !memcmp(pattern + i * 8, &(uint64_t){ PATTERN + i }, 8);
}

static void look_at_own(struct seen *seen, const struct sysprof_sample *sample, const struct sysprof_raw *raw)
{
	const uint8_t *stack = (const uint8_t *)(raw->regs + raw->n_regs);
	uint64_t sp = raw->regs[REG_SP], end = sp + raw->stack_bytes;
	uint64_t offset = (uintptr_t)words - sp;
	bool right = raw->arch == EM_X86_64 && raw->n_regs == 24 && raw->stack_bytes <= raw->wanted_bytes && !raw->reserved &&
		     sample->raw_bytes == sizeof(*raw) + raw->n_regs * 8U + (raw->stack_bytes + 7) / 8 * 8 &&
		     sample->user_mode == SYSPROF_USER_RAW && end <= stack_top && raw->regs[REG_IP];

	seen->own++;
	/* The last word is written last, and overwritten first by what runs when the spinning is over. */
	if (right && sp <= (uintptr_t)words && (uintptr_t)(words + WORDS) <= end && holds(stack + offset, WORDS - 1)) {
		for (unsigned i = 0; i < WORDS && right; i++)
			right = holds(stack + offset, i);
		seen->whole += right;
	}
	seen->at_top += end == stack_top;

	seen->wrong += !right;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const struct sysprof_raw *raw;
	struct seen *seen = data;

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
 * Between a program's environment and its first frame the kernel leaves a gap of up to 8 KiB at random, in which a page may lie
 * that nobody has touched: copying would end there.
 */
static void find_stack_top(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			stack_top = end;
	fclose(maps);
	for (uintptr_t page = (uintptr_t)line / PAGE * PAGE; page < stack_top; page += PAGE)
		*(volatile const char *)page;
}

static bool configure_raw(struct session *session, uint32_t clock, uint32_t raw_bytes)
{
	struct sysprof_config config = {
		.size = sizeof(config), .clock = clock, .period_ns = clock == SYSPROF_CLOCK_TIMER ? NS_PER_MS : 0, .ring_bytes = session->config.ring_bytes,
		.user_mode = SYSPROF_USER_RAW + 1, .raw_bytes = raw_bytes,
	};

	return !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) && config.raw_bytes == raw_bytes;
}

static void drain(struct session *session, struct seen *seen)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		session_drain(session, cpu, look_at, seen);
}

static void judge_own(const struct seen *seen)
{
	ok(seen->whole >= 100, "the bytes of one's own stack are right (%u of %u samples)", seen->whole, seen->own);
	ok(!seen->wrong, "... in every sample that has them, and the record's sizes (%u are wrong)", seen->wrong);
	ok(seen->at_top >= seen->own / 2, "... and end where the stack does (%u)", seen->at_top);
}

static void test_overflows(void)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct seen seen = { 0 };

	ok(configure_raw(&session, SYSPROF_CLOCK_PMU, 65536) && !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START of a session with raw stacks and counters");
	for (unsigned round = 0; round < 1000 && seen.whole < 100; round++) {
		spin_on_pattern(100);
		drain(&session, &seen);
	}
	judge_own(&seen);
	session_close(&session);
}

static void test_stacks(bool is_root)
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
	ok(configure_raw(&session, SYSPROF_CLOCK_TIMER, 65536) && !ioctl(session.fd, SYSPROF_IOC_START, NULL), "START of a session with raw stacks");
	/* Three want two CPUs: until all of them were seen. */
	for (unsigned round = 0; round < 200 && (seen.whole < 100 || seen.victims < 100 || seen.undumpables < 100); round++) {
		spin_on_pattern(100);
		drain(&session, &seen);
	}
	ioctl(session.fd, SYSPROF_IOC_STOP);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	judge_own(&seen);
	ok(seen.victims >= 100 && seen.undumpables >= 100, "others ran, too (%u, %u samples)", seen.victims, seen.undumpables);
	if (is_root) {
		ok(seen.victim_raw > seen.victims / 2 && seen.secrets > 100, "root has somebody else's (%u secrets)", seen.secrets);
		ok(seen.undumpable_raw > seen.undumpables / 2, "... and of those that may not be traced");
	} else {
		ok(!seen.victim_raw, "somebody else's are not had (%u)", seen.victim_raw);
		ok(!seen.undumpable_raw, "nor those of one's own tasks that may not be traced (%u)", seen.undumpable_raw);
	}
	session_close(&session);
}

static void test_limits(void)
{
	struct session session = session_open(NS_PER_MS, PAGE);
	struct sysprof_config config = { .size = sizeof(config), .raw_bytes = 4096 };
	struct sysprof_account account = { 0 };
	uint64_t too_big = 0, unlawful = 0;

	refuses(ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL, "raw bytes without raw stacks");
	config.user_mode = SYSPROF_USER_RAW + 1;
	config.raw_bytes = 12;
	refuses(ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL, "12 raw bytes");
	config.raw_bytes = 65544;
	refuses(ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config), EINVAL, "more raw bytes than there can be");
	ok(configure_raw(&session, SYSPROF_CLOCK_TIMER, 16384) && !ioctl(session.fd, SYSPROF_IOC_START, NULL), "raw stacks and a small ring");
	spin_on_pattern(300);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++) {
		unlawful += !account_get(session.fd, cpu, &account) || account.grid != account_sum(&account);
		too_big += account.lost[SYSPROF_LOST_TOO_BIG];
	}
	ok(too_big && !unlawful, "samples that are too large are lost, and counted (%u)", (unsigned)too_big);
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
	test_stacks(!geteuid());
	test_limits();
	return tests_end();
}
