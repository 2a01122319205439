/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that use everything at once, for fuzz-device: all sources beside counters or ticks,
 * copies of stacks of changing size, filters and lists of CPUs.  A team of three threads has one
 * descriptor, which they configure, start, stop, read and take snapshots with under each other.
 * One team is root's, the other one a member's, to whom the first is another user.
 */
#ifndef FUZZ_CROSSED_H
#define FUZZ_CROSSED_H

#include "fuzz-hand.h"

#include <grp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sysprof-event.h"
#include "sysprof-named.h"

#define TEAMS		2
#define MATES		3
#define CROSSED_PAGES	16
#define MOST_LEADS	50
#define NOBODY		65534

static struct team {
	int fd;
	bool is_member;
	unsigned leads;			/* times that its leader has begun */
	uint64_t sessions, samples, events, copies, wrong;
} teams[TEAMS];

/* This thread alone becomes another user, who stays in the group of the device. */
static void become_member(void)
{
	struct stat node;
	gid_t gid;

	if (stat(SYSPROF_DEVICE, &node))
		err(1, "cannot look at %s", SYSPROF_DEVICE);
	gid = node.st_gid;
	if (syscall(SYS_setgroups, 1, &gid) || syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		err(1, "cannot become another user");
}

static int team_fd(const struct team *team)
{
	return __atomic_load_n(&team->fd, __ATOMIC_RELAXED);
}

static void configure_crossed(struct hand *hand, const struct team *team)
{
	static const uint32_t rings[] = { 8192, 65536, 262144, 262144 };
	uint32_t pids[] = { (uint32_t)getpid() }, uids[] = { 0, NOBODY };
	uint64_t cpus = 1 + below(hand, 3);
	bool is_raw = !one_in(hand, 4), is_tabled = one_in(hand, 4);
	struct sysprof_config config = {
		.size = sizeof(config),
		.clock = one_in(hand, 3) ? SYSPROF_CLOCK_TIMER : SYSPROF_CLOCK_PMU,
		.period_ns = NS_PER_MS * (1 + below(hand, 4)),
		.ring_bytes = rings[below(hand, 4)],
		.user_mode = is_tabled ? SYSPROF_USER_TABLE + 1 : is_raw ? SYSPROF_USER_RAW + 1 : 0,
		.raw_bytes = is_raw ? 65536 : 0,
		.nr_pids = one_in(hand, 3),
		.pids = (uintptr_t)pids,
		.nr_uids = below(hand, 3),
		.uids = (uintptr_t)uids,
		.cpus_bytes = one_in(hand, 3) ? 8 : 0,
		.cpus = (uintptr_t)&cpus,
	};

	/* Not every machine has counters. */
	if (ioctl(team_fd(team), SYSPROF_IOC_CONFIGURE, &config) && errno == ENODEV) {
		config.clock = SYSPROF_CLOCK_TIMER;
		ioctl(team_fd(team), SYSPROF_IOC_CONFIGURE, &config);
	}
}

static void ask_for_all(struct hand *hand, const struct team *team)
{
	struct sysprof_source sources[SYSPROF_SOURCES_MAX];
	struct sysprof_sources arg = { .size = sizeof(arg),
				       .source_bytes = sizeof(sources[0]),
				       .sources = (uintptr_t)sources };

	for (unsigned kind = 1; kind <= SYSPROF_SOURCE_DROPPED; kind++) {
		bool is_lane = kind == SYSPROF_SOURCE_LANE,
		     is_close = kind >= SYSPROF_SOURCE_BLOCK_DONE && kind < SYSPROF_SOURCE_MIGRATE;

		if (kind == SYSPROF_SOURCE_WAKE || one_in(hand, 8))
			continue;
		sources[arg.nr++] = (struct sysprof_source){
			.kind = kind,
			.flags = SYSPROF_SOURCE_OPTIONAL,
			.stacks = is_lane		     ? 0 :
				  kind == SYSPROF_SOURCE_WAIT ? 7 :
								below(hand, 4),
			.period = is_lane || is_close || one_in(hand, 2) ? 0 : 5000,
		};
	}
	ioctl(team_fd(team), SYSPROF_IOC_SOURCES, &arg);
}

/* Something for the sources to see. */
static void stir(uint8_t *pages)
{
	int pipes[2], zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (unsigned i = 0; i < CROSSED_PAGES; i++)
		pages[i * PAGE]++;
	madvise(pages, CROSSED_PAGES * PAGE, MADV_DONTNEED);
	if (!pipe2(pipes, O_CLOEXEC)) {
		close(pipes[0]);
		close(pipes[1]);
	}
	if (read(zero, pages, PAGE) != PAGE)
		err(1, "cannot read zeros");
	close(zero);
	usleep(200);
}

static void look_at_crossed(struct team *team, const uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at < n;) {
		const struct sysprof_record *record = (const void *)(bytes + at);
		const struct sysprof_sample *sample = (const void *)record;
		const struct sysprof_event *event = (const void *)record;
		size_t size = record->size * 8U;

		if (!size || size > n - at) {
			team->wrong++;
			return;
		}
		if (record->type == SYSPROF_SAMPLE) {
			team->samples++;
			team->copies += sample->raw_bytes != 0;
			team->wrong += sizeof(*sample) + sample->raw_bytes +
					       (sample->n_kernel + sample->n_user) * 8U !=
				       size;
		} else if (record->type == SYSPROF_EVENT) {
			team->events++;
			team->copies += event->user_mode == SYSPROF_USER_RAW;
			team->wrong += sizeof(*event) +
					       (event->n_kernel + event->n_user) * 8U >
				       size;
		}
		at += size;
	}
}

static void take_snapshot(struct hand *hand, const struct team *team, uint32_t part)
{
	struct sysprof_snapshot call = { .size = sizeof(call),
					 .part = part,
					 .buffer = (uintptr_t)hand->buffer,
					 .buffer_bytes = BUFFER_BYTES };

	for (unsigned i = 0; i < 4; i++)
		if (ioctl(team_fd(team), SYSPROF_IOC_SNAPSHOT, &call) || !call.filled_bytes)
			break;
}

/* On a slow machine a team may have seen nothing yet when the time is up. */
static bool goes_on(const struct team *team)
{
	return !time_is_up() || (team->leads < MOST_LEADS && !team->events);
}

/* Opens, and reads what comes. */
static void lead(struct hand *hand, struct team *team, uint8_t *pages)
{
	ssize_t n;
	int old;

	team->leads++;
	old = __atomic_exchange_n(&team->fd, open_for_one(O_RDWR | O_NONBLOCK), __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
	for (unsigned turn = 1 + below(hand, 3); turn--;) {
		configure_crossed(hand, team);
		ask_for_all(hand, team);
		team->sessions += !ioctl(team_fd(team), SYSPROF_IOC_START, NULL);
		for (unsigned i = 0; i < 100 && goes_on(team); i++) {
			stir(pages);
			n = read(team_fd(team), hand->buffer, BUFFER_BYTES);
			if (n > 0)
				look_at_crossed(team, hand->buffer, (size_t)n);
		}
		ioctl(team_fd(team), SYSPROF_IOC_STOP);
	}
}

/* How much of a stack is requested, while hooks and overflows look. */
static void change_wishes(struct hand *hand, const struct team *team)
{
	struct sysprof_raw_wish wish = { .size = sizeof(wish) };

	if (one_in(hand, 2))
		strcpy(wish.comm, "fuzz-device");
	for (unsigned i = 0; i < 100 && !time_is_up(); i++) {
		wish.bytes = i % 2 ? 1024 : 65536;
		ioctl(team_fd(team), SYSPROF_IOC_RAW_WISH, &wish);
	}
	usleep(1000);
}

/* What the leader does, at another time. */
static void interfere(struct hand *hand, const struct team *team)
{
	struct sysprof_account account;

	switch (below(hand, 8)) {
	case 0: configure_crossed(hand, team); break;
	case 1: ioctl(team_fd(team), SYSPROF_IOC_START, NULL); break;
	case 2:
		if (one_in(hand, 4))
			ioctl(team_fd(team), SYSPROF_IOC_STOP);
		break;
	case 3: take_snapshot(hand, team, SYSPROF_SNAPSHOT_TASKS); break;
	case 4: account_get(team_fd(team), below(hand, 3), &account); break;
	default: take_snapshot(hand, team, SYSPROF_SNAPSHOT_THREADS); break;
	}
	usleep(500);
}

static void *cross(void *data)
{
	uintptr_t number = (uintptr_t)data;
	struct team *team = &teams[number / MATES];
	uint8_t *pages = mmap(NULL, CROSSED_PAGES * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hand hand;

	if (pages == MAP_FAILED)
		err(1, "cannot have memory");
	hand_make(&hand, 1000 + number);
	if (team->is_member)
		become_member();
	while (number % MATES ? !time_is_up() : goes_on(team)) {
		switch (number % MATES) {
		case 0: lead(&hand, team, pages); break;
		case 1: change_wishes(&hand, team); break;
		default: interfere(&hand, team);
		}
	}
	return NULL;
}

static pthread_t mates[TEAMS * MATES];

static void crossed_start(void)
{
	for (unsigned i = 0; i < TEAMS; i++) {
		teams[i].fd = -1;
		teams[i].is_member = i;
	}
	for (uintptr_t i = 0; i < TEAMS * MATES; i++)
		if (pthread_create(&mates[i], NULL, cross, (void *)i))
			errx(1, "cannot make a thread");
}

static void crossed_end(void)
{
	for (unsigned i = 0; i < TEAMS * MATES; i++)
		pthread_join(mates[i], NULL);
	for (unsigned i = 0; i < TEAMS; i++) {
		struct team *team = &teams[i];

		close(team->fd);
		printf("# crossed %u: %" PRIu64 " sessions, %" PRIu64 " samples, %" PRIu64
		       " events, %" PRIu64 " copies\n",
		       i, team->sessions, team->samples, team->events, team->copies);
		/* It may be a mate that has started each of them. */
		ok(team->events && !team->wrong,
		   "crossed sessions of %s have events (%" PRIu64 "), and whole records (%" PRIu64
		   " are not)",
		   team->is_member ? "a member" : "root", team->events, team->wrong);
	}
}

#endif
