// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules of event sources: what is refused, the grid, the threshold, filters, full rings, sums
 * in snapshots, and what a member of the group sees: abi-waits-rules PID-FILE exact|none.  The file
 * names a process of root's that sleeps again and again: abi-waits-rules PID-FILE sleep.
 */
#include "waits.h"

#include <signal.h>

static void sleeper(unsigned rounds)
{
	const struct timespec time = { .tv_nsec = 20 * NS_PER_MS };

	for (unsigned i = 0; i < rounds; i++)
		nanosleep(&time, NULL);
}

/* How often the last child was off its CPU of its own will, as the kernel has it. */
static unsigned child_waits;

/*
 * A child that sleeps 20 ms @rounds times, whose records are there when it is over.  One that lost
 * its CPU just before it would have slept, for as long as that, has not slept.
 */
static pid_t sleep_in_child(struct waits *waits, unsigned rounds)
{
	pid_t pid = fork();
	uint64_t before;
	int status;

	if (pid < 0)
		err(1, "cannot fork");
	if (!pid) {
		before = switches_now();
		sleeper(rounds);
		_exit((int)(switches_now() - before));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		errx(1, "a child of the test failed");
	child_waits = (unsigned)WEXITSTATUS(status);
	waits_drain(waits);
	return pid;
}

static struct waits opened(uint32_t ring_bytes)
{
	return (struct waits){ .session = session_open(NS_PER_MS, ring_bytes) };
}

static void closed(struct waits *waits)
{
	session_close(&waits->session);
	free(waits->events.bytes);
	free(waits->threads.bytes);
	free(waits->lanes.bytes);
	free(waits->accounts.bytes);
}

static void test_refusals(void)
{
	struct waits waits = opened(0);
	struct sysprof_source wait = { .kind = SYSPROF_SOURCE_WAIT }, both[2] = { wait, wait }, one;
	struct sysprof_source_stats stats = { .size = sizeof(stats), .source = 1 };
	struct sysprof_sources arg = { .size = sizeof(arg),
				       .nr = 1,
				       .source_bytes = sizeof(wait) - 8,
				       .sources = (uintptr_t)&wait };
	struct kept none = { 0 };

	ok(waits_ask(&waits, both, 2) == EEXIST && both[0].error == 0 && both[1].error == -EEXIST,
	   "a kind twice: EEXIST, of the second");
	one = (struct sysprof_source){ .kind = 999 };
	ok(waits_ask(&waits, &one, 1) == EOPNOTSUPP && one.why == SYSPROF_WHY_UNKNOWN,
	   "a kind that is not known: EOPNOTSUPP, and why");
	one.flags = SYSPROF_SOURCE_OPTIONAL;
	ok(waits_ask(&waits, &one, 1) == 0 && one.error == -EOPNOTSUPP, "... unless it is optional");
	one = (struct sysprof_source){ .kind = SYSPROF_SOURCE_WAKE };
	ok(waits_ask(&waits, &one, 1) == EOPNOTSUPP, "WAKE cannot be asked for");
	one = (struct sysprof_source){ .kind = SYSPROF_SOURCE_WAIT, .period = 1, .threshold = 1 };
	ok(waits_ask(&waits, &one, 1) == EINVAL, "period and threshold: EINVAL");
	one = (struct sysprof_source){ .kind = SYSPROF_SOURCE_WAIT, .reserved = 1 };
	ok(waits_ask(&waits, &one, 1) == EINVAL, "reserved: EINVAL");
	one = (struct sysprof_source){ .kind = SYSPROF_SOURCE_WAIT,
				       .stacks = SYSPROF_STACKS_WAKER };
	ok(waits_ask(&waits, &one, 1) == EINVAL, "stacks of wakers of no kind: EINVAL");
	one = (struct sysprof_source){ .kind = SYSPROF_SOURCE_LANE, .period = 1 };
	ok(waits_ask(&waits, &one, 1) == EINVAL, "lanes with a period: EINVAL");
	refuses(ioctl(waits.session.fd, SYSPROF_IOC_SOURCES, &arg), EINVAL, "too short a stride");
	arg.source_bytes = sizeof(wait);
	arg.nr = SYSPROF_SOURCES_MAX + 1;
	refuses(ioctl(waits.session.fd, SYSPROF_IOC_SOURCES, &arg), EINVAL, "too many sources");
	one = (struct sysprof_source){ .kind = SYSPROF_SOURCE_WAIT, .period = 2600000 };
	ok(waits_ask(&waits, &one, 1) == 0 && one.period == 3 * NS_PER_MS &&
		   one.unit == SYSPROF_UNIT_NS,
	   "a period of 2.6 ms is granted as 3 ms");
	ok(!waits_snapshot(&waits, &none) && errno == EINVAL, "THREADS before START: EINVAL");
	waits_start(&waits);
	ok(waits_ask(&waits, &one, 1) == EBUSY, "SOURCES while running: EBUSY");
	stats.source = 2;
	refuses(ioctl(waits.session.fd, SYSPROF_IOC_SOURCE_STATS, &stats), EINVAL,
		"the account of a source that is not there");
	closed(&waits);
}

static void test_info(bool hides)
{
	struct sysprof_source_info infos[32];
	struct sysprof_source_infos arg = { .size = sizeof(arg),
					    .nr = 32,
					    .info_bytes = sizeof(infos[0]),
					    .infos = (uintptr_t)infos };
	int fd = device_open();
	bool good = !ioctl(fd, SYSPROF_IOC_SOURCE_INFO, &arg) && arg.nr < 32;

	/* Each kind once. */
	for (unsigned i = 0; good && i < arg.nr; i++)
		for (unsigned k = 0; k < i; k++)
			good = good && infos[i].kind && infos[i].kind != infos[k].kind;
	ok(good && arg.nr > 4 &&
		   infos[0].kind == SYSPROF_SOURCE_WAIT && infos[0].stacks == STACKS &&
		   infos[0].min_period == NS_PER_MS && infos[0].why == SYSPROF_WHY_OK &&
		   infos[3].kind == SYSPROF_SOURCE_IRQ &&
		   infos[3].why == SYSPROF_WHY_OK && infos[4].kind == SYSPROF_SOURCE_SOFTIRQ &&
		   infos[2].kind == SYSPROF_SOURCE_LANE &&
		   infos[2].why == (hides ? SYSPROF_WHY_RIGHTS : SYSPROF_WHY_OK),
	   "SOURCE_INFO: %u kinds, waits have a grid of %lu ns", arg.nr,
	   (uint64_t)infos[0].min_period);
	close(fd);
}

static void test_grid(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT };

	for (unsigned period = 1; period <= 3; period += 2) {
		struct sysprof_source_account account = { 0 };
		struct waits waits = opened(4U << 20);
		struct sum sum;
		uint64_t ms;
		bool good;
		pid_t pid;

		source.period = period * NS_PER_MS;
		if (waits_ask(&waits, &source, 1))
			err(1, "SOURCES");
		waits_start(&waits);
		pid = sleep_in_child(&waits, 50);
		ioctl(waits.session.fd, SYSPROF_IOC_STOP);
		sum = sum_of(&waits, pid, SYSPROF_STATE_SLEEP, 0);
		ms = sum.weight * period;
		/*
		 * Each wait has its share to within one instant; they are drawn each by itself.
		 * On a host that stands still a sleep may be over before it has begun.
		 */
		timed(blocked_of(&waits, (uint32_t)pid) == child_waits,
		      "a grid of %u ms: %lu of %u sleeps", period,
		      blocked_of(&waits, (uint32_t)pid), child_waits);
		timed(sum.events >= 45 && ms >= sum.ns / NS_PER_MS * 95 / 100 &&
			      ms <= sum.ns / NS_PER_MS * 105 / 100 + period,
		      "... weights stand for %lu ms of waits of %lu", ms,
		      (uint64_t)(sum.ns / NS_PER_MS));
		good = account_total(&waits, 1, &account);
		ok(good && account.seen.events >= child_waits &&
			   account.seen.weight == account.delivered.weight,
		   "... %lu of %lu are not picked; the law holds", (uint64_t)account.not_picked.events,
		   (uint64_t)account.seen.events);
		closed(&waits);
	}
}

static void test_threshold(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT,
					 .threshold = 15 * NS_PER_MS };
	struct sysprof_source_account account = { 0 };
	struct waits waits = opened(4U << 20);
	const struct sysprof_event *event;
	unsigned shorter = 0;
	uint64_t told;
	pid_t pid;
	bool good;

	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	waits_start(&waits);
	pid = sleep_in_child(&waits, 20);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	for_each_kept(event, waits.events)
		shorter += event->duration < source.threshold || event->weight != 1;
	good = account_total(&waits, 1, &account);
	told = sum_of(&waits, pid, SYSPROF_STATE_SLEEP, 0).events;
	ok(told <= child_waits && !shorter && good,
	   "a threshold of 15 ms: %lu of %u sleeps are told, and none that is shorter", told,
	   child_waits);
	timed(told >= 18 && account.below.events, "... nearly all; %lu others are only counted",
	      (uint64_t)account.below.events);
	closed(&waits);
}

/* No event is written, and the accounts are all the same. */
static void test_accounts(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .threshold = 100 * NS_PER_S };
	const struct sysprof_source_account_record *record;
	struct waits waits = opened(4U << 20);
	unsigned n = 0;

	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	waits_start(&waits);
	burn_ms(3500);
	waits_drain(&waits);
	for_each_kept(record, waits.accounts)
		n += record->source == 1 && record->account.seen.events;
	ok(n >= 2 && !waits.events.n,
	   "events that are only counted are in the accounts of each second (%u records)", n);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	closed(&waits);
}

/* What hooks do for others before START and after STOP is not in a session's account. */
static void test_costs(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .threshold = 100 * NS_PER_S };
	struct waits waits = opened(1U << 20), other = opened(1U << 20);
	struct sysprof_source_account before = { 0 }, ended = { 0 }, later = { 0 };

	if (waits_ask(&other, &source, 1))
		err(1, "SOURCES");
	waits_start(&other);
	sleeper(20);
	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	account_total(&waits, 1, &before);
	waits_start(&waits);
	sleeper(20);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	account_total(&waits, 1, &ended);
	sleeper(20);
	account_total(&waits, 1, &later);
	ok(!before.calls && ended.calls >= 20 && later.calls == ended.calls &&
	   later.cost_ns == ended.cost_ns,
	   "calls of hooks are a session's while it runs: %lu before, %lu at the end, %lu later",
	   (uint64_t)before.calls, (uint64_t)ended.calls, (uint64_t)later.calls);
	closed(&waits);
	closed(&other);
}

static void test_filter(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .stacks = STACKS };
	struct sysprof_source_account account = { 0 };
	struct waits waits = opened(4U << 20);
	const struct sysprof_event *event;
	unsigned own = 0, others = 0;
	uint32_t pid = getpid();
	bool good;

	waits.session.config.pids = (uintptr_t)&pid;
	waits.session.config.nr_pids = 1;
	if (ioctl(waits.session.fd, SYSPROF_IOC_CONFIGURE, &waits.session.config) ||
	    waits_ask(&waits, &source, 1))
		err(1, "CONFIGURE and SOURCES");
	waits_start(&waits);
	sleeper(5);
	sleep_in_child(&waits, 5);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	for_each_kept(event, waits.events)
		if (event->source == 1)
			*(event->record.pid == pid ? &own : &others) += 1;
	good = account_total(&waits, 1, &account);
	ok(own >= 5 && !others && good && account.excluded.events,
	   "of one process: %u waits, %u of others; %lu are excluded", own, others,
	   (uint64_t)account.excluded.events);
	closed(&waits);
}

/* Registers and stack of this process, whose memory is its own to see; and no one else's. */
static void test_raw(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .stacks = STACKS };
	struct waits waits = opened(8U << 20);
	unsigned own = 0, raw = 0, others = 0, wakes = 0;
	const struct sysprof_event *event;

	waits.session.config.user_mode = SYSPROF_USER_RAW + 1;
	waits.session.config.raw_bytes = 8192;
	if (ioctl(waits.session.fd, SYSPROF_IOC_CONFIGURE, &waits.session.config) ||
	    waits_ask(&waits, &source, 1))
		err(1, "CONFIGURE and SOURCES");
	waits_start(&waits);
	sleeper(10);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	waits_drain(&waits);
	for_each_kept(event, waits.events) {
		const struct sysprof_part *part =
			(const void *)(event->frames + event->n_kernel + event->n_user);
		const struct sysprof_raw *copy = (const void *)(part + 1);
		bool has_raw = event->n_parts && part->type == SYSPROF_PART_RAW;

		wakes += event->source == 2 && has_raw;
		others += has_raw && event->record.pid != (uint32_t)getpid();
		if (event->source != 1 || event->record.pid != (uint32_t)getpid() || !event->mm)
			continue;
		own++;
		raw += has_raw && event->user_mode == SYSPROF_USER_RAW && copy->n_regs &&
		       copy->stack_bytes >= 256 && part_wait(event);
	}
	ok(own >= 10 && raw == own, "raw stacks: of %u waits of this process %u have one", own,
	   raw);
	ok(!wakes && (!others || !geteuid()), "... of wakers %u, of others %u", wakes, others);
	closed(&waits);
}

/* Switches that are missing between two records of a CPU: the second one says so. */
static void check_gaps(struct waits *waits)
{
	unsigned gaps = 0, missed = 0;

	for (unsigned cpu = 0; cpu < waits->session.cpus; cpu++) {
		const struct sysprof_lane *lane;
		uint32_t tid = UINT32_MAX;

		for_each_kept(lane, waits->lanes) {
			bool has_gap = lane->record.flags & SYSPROF_LANE_GAP;

			if (lane->record.cpu != cpu)
				continue;
			gaps += has_gap;
			missed += !has_gap && tid != UINT32_MAX && tid != lane->tid;
			tid = lane->entries[lane->n - 1] & SYSPROF_LANE_TID_MASK;
		}
	}
	ok(gaps && !missed, "%u records of lanes say that switches before them were lost, %u do not",
	   gaps, missed);
}

/* Nobody reads: events fill half of each ring, and what comes is lost, but samples go on. */
static void test_full_ring(void)
{
	struct sysprof_source sources[] = { { .kind = SYSPROF_SOURCE_WAIT },
					    { .kind = SYSPROF_SOURCE_LANE } };
	struct sysprof_source_account account = { 0 }, lanes = { 0 };
	struct waits waits = { .session = session_open(50 * NS_PER_MS, 256U << 10) };
	uint64_t before, after;
	pid_t pid;
	bool good;

	if (waits_ask(&waits, sources, 2))
		err(1, "SOURCES");
	waits_start(&waits);
	pid = fork();
	if (!pid)
		for (;;)
			usleep(100);
	for (unsigned i = 0; i < 400; i++) {
		usleep(10000);
		account_total(&waits, 1, &account);
		account_total(&waits, 2, &lanes);
		if (lost_events(&account) > 1000 && lost_events(&lanes))
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	before = delivered_get(waits.session.fd);
	burn_ms(500);
	after = delivered_get(waits.session.fd);
	/* There is room again for what comes until STOP. */
	waits_drain(&waits);
	usleep(10000);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	good = account_total(&waits, 1, &account);
	ok(good && after > before, "nobody reads: the law holds, and %lu more samples are there",
	   after - before);
	timed(account.lost[SYSPROF_LOST_RING_FULL].events > 1000, "... %lu events are lost",
	      lost_events(&account));
	waits_drain(&waits);
	check_gaps(&waits);
	closed(&waits);
}

static void test_snapshot(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .threshold = UINT64_MAX };
	const struct sysprof_thread *thread, *first, *last;
	struct waits waits = opened(0);
	struct kept begin = { 0 }, end = { 0 };
	unsigned threads = 0, wrong = 0;

	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	waits_start(&waits);
	ok(waits_snapshot(&waits, &begin), "THREADS after START");
	sleeper(10);
	burn_ms(50);
	ok(waits_snapshot(&waits, &end), "THREADS before STOP");
	for_each_kept(thread, end) {
		threads++;
		wrong += thread_sum(thread) != thread->at - thread->since;
	}
	first = thread_of(&begin, getpid());
	last = thread_of(&end, getpid());
	ok(threads > 10 && !wrong, "%u threads, the sums of %u are not their time", threads, wrong);
	timed(first && last && last->since == first->since &&
		      last->ns[SYSPROF_STATE_SLEEP] - first->ns[SYSPROF_STATE_SLEEP] >=
			      200 * NS_PER_MS &&
		      last->ns[SYSPROF_STATE_RUNNING] - first->ns[SYSPROF_STATE_RUNNING] >=
			      30 * NS_PER_MS &&
		      last->state == SYSPROF_STATE_RUNNING,
	      "in between this one slept 200 ms and ran 50");
	free(begin.bytes);
	free(end.bytes);
	closed(&waits);
}

/* The hooks stay for a while: who was born between two sessions was not found, but seen. */
static void test_between(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT };
	const struct sysprof_thread *thread;
	struct kept threads = { 0 };
	pid_t pid = 0;

	for (unsigned session = 0; session < 2; session++) {
		struct waits waits = opened(1U << 20);

		if (waits_ask(&waits, &source, 1))
			err(1, "SOURCES");
		waits_start(&waits);
		if (pid && !waits_snapshot(&waits, &threads))
			err(1, "SNAPSHOT");
		closed(&waits);
		if (pid)
			continue;
		pid = fork();
		if (pid < 0)
			err(1, "cannot fork");
		if (!pid)
			for (;;)
				pause();
	}
	thread = thread_of(&threads, pid);
	ok(thread && !(thread->flags & SYSPROF_THREAD_FOUND) && thread->since == thread->start_time,
	   "hooks stay between sessions: the whole life of who was born there is known");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free(threads.bytes);
}

/* Of somebody else's process; with no address and no key that is one. */
static void test_rights(uint32_t other, bool hides)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .stacks = STACKS };
	struct waits waits = opened(4U << 20);
	unsigned events = 0, frames = 0, bad = 0;
	const struct sysprof_event *event;
	struct kept threads = { 0 };

	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	waits_start(&waits);
	for (unsigned i = 0; i < 100 && events < 20; i++) {
		usleep(20000);
		waits_drain(&waits);
		events = sum_of(&waits, other, -1, 0).events;
		if (hides && i == 50)
			break;
	}
	waits_snapshot(&waits, &threads);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	for_each_kept(event, waits.events) {
		for (unsigned i = 0; i < event->n_kernel + event->n_user; i++) {
			uint64_t object = event->frames[i] >> SYSPROF_FRAME_OBJECT_SHIFT;
			bool is_kernel = object == SYSPROF_OBJECT_KERNEL ||
					 object == SYSPROF_OBJECT_MODULES;

			frames++;
			bad += i < event->n_kernel ? !is_kernel :
						     object < SYSPROF_OBJECT_ANON ||
							     object >= 1U << 23;
		}
		bad += event->key >> 48 || event->record.flags & SYSPROF_SAMPLE_ADDRESSES;
	}
	if (hides)
		ok(!events && !thread_of(&threads, other), "somebody else's waits are not told");
	else
		timed(events >= 20 && thread_of(&threads, other),
		      "somebody else's waits are told (%u)", events);
	ok(frames && !bad, "of %u frames and the keys %u are none that may be told", frames, bad);
	free(threads.bytes);
	closed(&waits);
}

static bool has_close(const struct waits *waits, uint64_t key)
{
	const struct sysprof_event *event;

	for_each_kept(event, waits->events)
		if (event->phase == SYSPROF_PHASE_CLOSE && event->key == key)
			return true;
	return false;
}

/* The keys of the kernel's memory join, and are no addresses. */
static void test_keys(void)
{
	struct sysprof_source sources[] = { { .kind = SYSPROF_SOURCE_SLAB },
					    { .kind = SYSPROF_SOURCE_SLAB_FREE },
					    { .kind = SYSPROF_SOURCE_PAGE },
					    { .kind = SYSPROF_SOURCE_PAGE_FREE } };
	unsigned opens = 0, closes = 0, joined = 0, addresses = 0;
	const struct sysprof_event *event;
	struct waits waits = opened(4U << 20);

	if (waits_ask(&waits, sources, 4))
		err(1, "SOURCES");
	waits_start(&waits);
	for (unsigned i = 0; i < 20; i++) {
		if (close(open("/dev/null", O_RDONLY | O_CLOEXEC)))
			err(1, "/dev/null");
		free(calloc(1, 1U << 20));
	}
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	waits_drain(&waits);
	for_each_kept(event, waits.events) {
		opens += event->phase == SYSPROF_PHASE_OPEN;
		closes += event->phase == SYSPROF_PHASE_CLOSE;
		/* The upper half of the address space has the kernel. */
		addresses += event->key >> 47 == (1U << 17) - 1;
		joined += event->phase == SYSPROF_PHASE_OPEN && joined < 20 &&
			  has_close(&waits, event->key);
	}
	ok(opens > 20 && closes > 20 && joined >= 20,
	   "allocations (%u) and frees (%u) of the kernel have the same keys (%u)", opens, closes,
	   joined);
	ok(addresses * 100 < opens + closes, "none is an address (%u by chance)", addresses);
	closed(&waits);
}

int main(int argc, char **argv)
{
	bool hides;
	unsigned other;
	FILE *file;

	if (argc != 3)
		errx(2, "usage: abi-waits-rules PID-FILE exact|none|sleep");
	if (!strcmp(argv[2], "sleep")) {
		file = fopen(argv[1], "we");
		if (!file || fprintf(file, "%u", getpid()) < 1 || fclose(file))
			err(1, "cannot write %s", argv[1]);
		for (;;)
			sleeper(1);
	}
	file = fopen(argv[1], "re");
	if (!file || fscanf(file, "%u", &other) != 1)
		err(1, "cannot read %s", argv[1]);
	fclose(file);
	hides = !strcmp(argv[2], "none") && geteuid();
	test_info(hides);
	if (strcmp(argv[2], "none")) {
		test_refusals();
		test_grid();
		test_threshold();
		test_accounts();
		test_costs();
		test_filter();
		test_raw();
		test_full_ring();
		test_snapshot();
		test_between();
		test_keys();
	}
	test_rights(other, hides);
	return tests_end();
}
