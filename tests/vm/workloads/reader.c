// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A known answer from end to end, where there is nothing but a kernel, the module and this program:
 * it records a child that divides its time 50 : 30 : 20 between three functions and then sits in
 * the kernel, knows its own functions' places in its file, and judges what comes out of the rings.
 * Links statically, for machines without a user space.
 */
#include "abi.h"

#include <elf.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define ROUNDS_NS	(2 * NS_PER_S)
#define MAX_NAMES	32768

enum function { FIFTY, THIRTY, TWENTY, READING, WORK, FUNCTIONS };

static const char *const function_names[FUNCTIONS] = { "burn_fifty", "burn_thirty", "burn_twenty",
						       "sit_in_kernel", "work" };

/* Where a function is in this program's file. */
static struct place {
	uint64_t begin;
	uint64_t end;
} places[FUNCTIONS];

struct truth {
	uint64_t ns[FUNCTIONS];
};

/* What the samples of the child say. */
static struct {
	uint32_t object, pid;
	uint64_t weight, by_leaf[FUNCTIONS], with_work, in_kernel, in_kernel_with_work, exact,
		resolved;
	uint64_t unrooted, kernel_unrooted, delayed, tasks, objects, accounts;
	uint64_t names_of[MAX_NAMES], stack_ids[MAX_NAMES];
	unsigned n_names;
	bool in_tasks;
} seen;

static uint64_t turns;

/* A function that calls none has no frame otherwise, whatever the options of the compiler. */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

FUNCTION static void burn_fifty(void)
{
	KEEP_FRAME();
	spin(turns * 5, 50);
}

FUNCTION static void burn_thirty(void)
{
	KEEP_FRAME();
	spin(turns * 3, 30);
}

FUNCTION static void burn_twenty(void)
{
	KEEP_FRAME();
	spin(turns * 2, 20);
}

FUNCTION static void sit_in_kernel(void)
{
	static char buffer[1 << 20];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (zero < 0 || read(zero, buffer, sizeof(buffer)) != sizeof(buffer))
		err(1, "cannot read /dev/zero");
	close(zero);
}

FUNCTION static void work(struct truth *truth)
{
	static void (*const functions[])(void) = { burn_fifty, burn_thirty, burn_twenty,
						   sit_in_kernel };
	uint64_t now = thread_cpu_ns(), until = now + ROUNDS_NS, begin;

	while (now < until) {
		for (unsigned i = FIFTY; i <= TWENTY; i++) {
			begin = now;
			functions[i]();
			now = thread_cpu_ns();
			truth->ns[i] += now - begin;
		}
	}
	begin = now;
	while (now < until + ROUNDS_NS / 4) {
		functions[READING]();
		now = thread_cpu_ns();
	}
	truth->ns[READING] = now - begin;
}

/* The program's own symbols, from its file. */
static void find_functions(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	const uint8_t *file;
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segments;
	const Elf64_Shdr *sections;

	if (fd < 0 || fstat(fd, &st))
		err(1, "cannot open /proc/self/exe");
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		err(1, "cannot map /proc/self/exe");
	header = (const void *)file;
	segments = (const void *)(file + header->e_phoff);
	sections = (const void *)(file + header->e_shoff);
	for (unsigned s = 0; s < header->e_shnum; s++) {
		const Elf64_Sym *symbols = (const void *)(file + sections[s].sh_offset);
		const char *strings;

		if (sections[s].sh_type != SHT_SYMTAB)
			continue;
		strings = (const char *)file + sections[sections[s].sh_link].sh_offset;
		for (unsigned i = 0; i < sections[s].sh_size / sizeof(*symbols); i++)
			for (unsigned f = 0; f < FUNCTIONS; f++)
				if (!strcmp(strings + symbols[i].st_name, function_names[f]))
					places[f] = (struct place){ symbols[i].st_value,
								    symbols[i].st_value +
									    symbols[i].st_size };
	}
	for (unsigned f = 0; f < FUNCTIONS; f++)
		for (unsigned s = 0; s < header->e_phnum; s++)
			if (segments[s].p_type == PT_LOAD &&
			    places[f].begin - segments[s].p_vaddr < segments[s].p_filesz) {
				places[f].begin += segments[s].p_offset - segments[s].p_vaddr;
				places[f].end += segments[s].p_offset - segments[s].p_vaddr;
				break;
			}
	close(fd);
}

static bool is_in(__u64 frame, bool exact, enum function function)
{
	uint64_t offset = (frame & SYSPROF_FRAME_OFFSET_MASK) - !exact;

	return frame >> SYSPROF_FRAME_OBJECT_SHIFT == seen.object &&
	       offset >= places[function].begin && offset < places[function].end;
}

static void look_at_sample(const struct sysprof_sample *sample)
{
	const __u64 *user = sample->frames + sample->n_kernel;
	bool has_work = false;

	if (sample->record.pid != seen.pid)
		return;
	seen.weight += sample->weight;
	seen.exact += sample->weight * !!(sample->record.flags & SYSPROF_SAMPLE_USER_EXACT);
	seen.resolved += sample->weight * (sample->n_user > 0);
	seen.unrooted += sample->weight * (sample->user_end != SYSPROF_END_ROOT);
	for (unsigned i = 0; i < sample->n_user; i++)
		has_work |= is_in(user[i], i == 0, WORK);
	seen.with_work += sample->weight * has_work;
	for (unsigned f = 0; f < FUNCTIONS && sample->n_user; f++)
		seen.by_leaf[f] += sample->weight * (is_in(user[0], true, f) && !sample->n_kernel);
	if (!sample->n_kernel)
		return;
	seen.in_kernel += sample->weight;
	seen.in_kernel_with_work += sample->weight * has_work;
	seen.kernel_unrooted += sample->weight * (sample->kernel_end != SYSPROF_END_ROOT);
	for (unsigned i = 0; i < sample->n_kernel && seen.n_names < MAX_NAMES; i++) {
		bool exact = i == 0 && sample->record.flags & SYSPROF_SAMPLE_KERNEL_EXACT;

		seen.stack_ids[seen.n_names] = sample->record.time;
		seen.names_of[seen.n_names++] = sample->frames[i] - !exact;
	}
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_object *object = (const void *)record;
	const char *path = data;

	switch (record->type) {
	case SYSPROF_SAMPLE:
		look_at_sample((const void *)record);
		break;
	case SYSPROF_OBJECT:
		seen.objects++;
		if (!strcmp(object->path, path))
			seen.object = object->object;
		break;
	case SYSPROF_TASK:
		seen.tasks++;
		seen.in_tasks |= record->pid == (uint32_t)getpid() &&
				 !strcmp(((const struct sysprof_task *)record)->comm, "reader");
		break;
	case SYSPROF_ACCOUNT:
		seen.accounts++;
		break;
	}
}

static void take_snapshot(int fd, uint32_t part, const char *path)
{
	static uint64_t buffer[1 << 15];
	struct sysprof_snapshot snapshot = { .size = sizeof(snapshot), .part = part };

	do {
		snapshot.buffer = (uintptr_t)buffer;
		snapshot.buffer_bytes = sizeof(buffer);
		if (ioctl(fd, SYSPROF_IOC_SNAPSHOT, &snapshot))
			err(1, "SNAPSHOT");
		for (uint32_t at = 0; at < snapshot.filled_bytes;) {
			const struct sysprof_record *record =
				(const void *)((uint8_t *)buffer + at);

			look_at(record, (void *)(uintptr_t)path);
			at += record->size * 8U;
		}
	} while (snapshot.filled_bytes);
}

/* Records the child from its beginning to its end. */
static void record(struct session *session, struct truth *truth, const char *path)
{
	unsigned unlawful = 0, unreadable = 0;
	struct sysprof_account account;
	uint64_t lost = 0;
	int status, go[2];

	if (pipe(go))
		err(1, "pipe");
	fflush(stdout);
	seen.pid = fork();
	if (!seen.pid) {
		char byte;

		close(go[1]);
		if (read(go[0], &byte, 1) < 0)
			_exit(1);
		work(truth);
		_exit(0);
	}
	ok(!ioctl(session->fd, SYSPROF_IOC_START, NULL), "START");
	take_snapshot(session->fd, SYSPROF_SNAPSHOT_TASKS, path);
	usleep(200000);
	take_snapshot(session->fd, SYSPROF_SNAPSHOT_OBJECTS, path);
	close(go[0]);
	close(go[1]);
	while (!waitpid(seen.pid, &status, WNOHANG)) {
		usleep(20000);
		for (unsigned cpu = 0; cpu < session->cpus; cpu++)
			unreadable +=
				!session_drain(session, cpu, look_at, (void *)(uintptr_t)path);
	}
	ioctl(session->fd, SYSPROF_IOC_STOP);
	for (unsigned cpu = 0; cpu < session->cpus; cpu++) {
		unreadable += !session_drain(session, cpu, look_at, (void *)(uintptr_t)path);
		unlawful += !account_get(session->fd, cpu, &account) ||
			    account.grid != account_sum(&account);
		for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
			lost += account.lost[i];
	}
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "the child did its work");
	ok(!unreadable && !unlawful, "the loss law adds up on each CPU, and the rings are whole");
	ok(!lost && seen.accounts, "nothing was lost (%u), as %u accounts say", (unsigned)lost,
	   (unsigned)seen.accounts);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/*
 * An emulator's counters interrupt late, where it looks for interrupts: a system call that ends a
 * turn gets some of its share.
 */
static void judge_user(const struct session *session, const struct truth *truth, double tolerance)
{
	uint64_t burnt = seen.by_leaf[FIFTY] + seen.by_leaf[THIRTY] + seen.by_leaf[TWENTY];
	uint64_t spent = truth->ns[FIFTY] + truth->ns[THIRTY] + truth->ns[TWENTY];
	double all = percent(seen.weight * session->config.period_ns, spent + truth->ns[READING]);

	ok(seen.object >= SYSPROF_OBJECT_FIRST, "the program's own file is among %u objects",
	   (unsigned)seen.objects);
	ok(seen.in_tasks, "... and the program among %u tasks, by name", (unsigned)seen.tasks);
	timed(all > 90 && all < 115, "the child's weight is %.1f %% of the CPU time it had", all);
	for (unsigned f = FIFTY; f <= TWENTY; f++) {
		double got = percent(seen.by_leaf[f], burnt),
		       expected = percent(truth->ns[f], spent);

		timed(fabs(got - expected) < tolerance, "%s has %.2f %%, should be %.2f +- %.0f",
		      function_names[f], got, expected, tolerance);
	}
	/* Where the child begins and ends it has no user context. */
	ok(percent(seen.exact, seen.weight) > 97 && percent(seen.resolved, seen.weight) > 97,
	   "user stacks begin with the very instruction, in its object (%.2f %%)",
	   percent(seen.resolved, seen.weight));
	ok(percent(seen.with_work, seen.weight) > 95,
	   "the frame of work() is on %.2f %% of the stacks", percent(seen.with_work, seen.weight));
	/* A C library without frame pointers has no root to lead to. */
#ifdef __aarch64__
	ok(percent(seen.unrooted, seen.weight) < 3, "stacks lead to their root (%.2f %% do not)",
	   percent(seen.unrooted, seen.weight));
#endif
}

static void judge_kernel(const struct session *session, const struct truth *truth, bool nmi)
{
	struct sysprof_name *names = calloc(seen.n_names + 1, sizeof(*names));
	double got = percent(seen.in_kernel * session->config.period_ns, truth->ns[READING]);
	unsigned named = 0, reading = 0, ours = 0, stacks = 0;

	timed(got > 80 && got < 200, "the kernel has %.1f %% of the time the child sat in it", got);
	ok(percent(seen.in_kernel_with_work, seen.in_kernel) > 75,
	   "... with work() below %.2f %% of it",
	   percent(seen.in_kernel_with_work, seen.in_kernel));
	ok(percent(seen.kernel_unrooted, seen.in_kernel) < 1,
	   "kernel stacks lead to their root (%.2f %% do not)",
	   percent(seen.kernel_unrooted, seen.in_kernel));
	for (unsigned i = 0; i < seen.n_names; i++)
		names[i].frame = seen.names_of[i];
	ok(seen.n_names > 100 && names_get(session->fd, names, seen.n_names), "NAMES of %u frames",
	   seen.n_names);
	for (unsigned i = 0; i < seen.n_names; i++) {
		named += names[i].symbol[0] != 0;
		stacks += i == 0 || seen.stack_ids[i] != seen.stack_ids[i - 1];
		reading += !strcmp(names[i].symbol, "vfs_read");
		ours += !strcmp(names[i].module, "sysprof") ||
			!strcmp(names[i].symbol, "__hrtimer_run_queues");
		if (!names[i].symbol[0])
			printf("# nameless: %#llx\n", (unsigned long long)names[i].frame);
	}
	ok(named * 100ULL >= seen.n_names * 99ULL, "99 %% have names (%u)", named);
	ok(reading * 4 > stacks, "reading is on %u of %u stacks", reading, stacks);
	/* An NMI finds other interrupts at work. */
	if (nmi)
		ok(ours > 0, "ticks of timers are on some (%u)", ours);
	else
		ok(ours * 100 <= stacks, "nothing of the tick's own is on them (%u)", ours);
	free(names);
}

/* The same session by cycles instead of time.  An emulator's have one nanosecond each. */
static void use_counter(struct session *session)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .clock = SYSPROF_CLOCK_PMU,
					 .event_period = NS_PER_MS,
					 .ring_bytes = session->config.ring_bytes };
	struct sysprof_info info = { .size = sizeof(info) };

	ok(!ioctl(session->fd, SYSPROF_IOC_INFO, &info) && info.features & SYSPROF_FEATURE_PMU,
	   "INFO tells of counters");
	ok(!ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config), "CONFIGURE by cycles: %s",
	   strerror(errno));
	session->config = config;
}

/* reader [pmu [nmi]]: by a counter's interrupts, which are NMIs */
int main(int argc, char **argv)
{
	struct truth *truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct session session;
	bool by_counter = argc > 1 && !strcmp(argv[1], "pmu");
	char path[4096] = "";

	if (truth == MAP_FAILED || readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		err(1, "cannot prepare");
	find_functions();
	turns = turns_for_ns(2 * NS_PER_MS / 10);
	session = session_open(NS_PER_MS, 1U << 20);
	if (by_counter)
		use_counter(&session);
	record(&session, truth, path);
	judge_user(&session, truth, by_counter ? 8 : 4);
	judge_kernel(&session, truth, argc > 2 && !strcmp(argv[2], "nmi"));
	session_close(&session);
	return tests_end();
}
