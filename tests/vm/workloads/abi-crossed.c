// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters and sources in one session: overflows are NMIs, which interrupt the hooks of the same
 * session on the same CPU.  Meanwhile another thread changes how much of a stack is requested: what
 * a hook has begun to write must not become larger.  With NMIs on CPU 0 (tests/vm/run --nmi).
 */
#include "waits.h"

#include <pthread.h>
#include <sched.h>

#define LITTLE		1024U
#define MOST		16384U
#define NMIS		2000
#define DEEP		128
#define PAGES		64
#define RING_BYTES	(256U << 10)
#define NAME		"abi-crossed"

struct seen {
	unsigned events, copies, little, most, wrong;
};

static struct session *session;
static struct seen seen;
static bool is_over, is_whole;
static uint8_t *pages;

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot go to CPU %u", cpu);
}

static void *change_wish(void *unused)
{
	struct sysprof_raw_wish wish = { .size = sizeof(wish), .comm = NAME };

	(void)unused;
	pin(1);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		wish.bytes = wish.bytes == LITTLE ? MOST : LITTLE;
		if (ioctl(session->fd, SYSPROF_IOC_RAW_WISH, &wish))
			err(1, "RAW_WISH");
	}
	return NULL;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_event *event = (const void *)record;
	const struct sysprof_part *part;
	const struct sysprof_raw *raw;
	uint32_t bytes;

	(void)data;
	if (record->type != SYSPROF_EVENT)
		return;
	seen.events++;
	part = (const void *)(event->frames + event->n_kernel + event->n_user);
	if (event->user_mode != SYSPROF_USER_RAW)
		return;
	raw = (const void *)(part + 1);
	bytes = sizeof(*part) + sizeof(*raw) + raw->n_regs * 8U + (raw->stack_bytes + 7) / 8 * 8;
	seen.copies++;
	seen.little += raw->wanted_bytes == LITTLE;
	seen.most += raw->wanted_bytes == MOST;
	seen.wrong += part->type != SYSPROF_PART_RAW || part->size * 8U != bytes ||
		       (raw->wanted_bytes != LITTLE && raw->wanted_bytes != MOST) ||
		       raw->stack_bytes > raw->wanted_bytes ||
		       (const uint8_t *)part + bytes > (const uint8_t *)record + record->size * 8;
}

/* Each page is a fault; the stack is deep, and as large as a copy can be. */
FUNCTION static unsigned fault_deep(unsigned depth)
{
	uint8_t room[MOST / DEEP];
	unsigned sum = 0;

	memset(room, (int)depth, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth)
		return fault_deep(depth - 1) + room[depth % sizeof(room)];
	for (unsigned i = 0; i < PAGES; i++) {
		sum += pages[i * PAGE]++;
		is_whole &= session_drain(session, 0, look_at, NULL);
	}
	madvise(pages, PAGES * PAGE, MADV_DONTNEED);
	return sum;
}

static void test_wishes(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_FAULT,
					 .period = 1,
					 .stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER };
	struct waits waits = { .session = session_open(NS_PER_MS, RING_BYTES) };
	struct sysprof_config config = { .size = sizeof(config),
					 .clock = SYSPROF_CLOCK_PMU,
					 .ring_bytes = RING_BYTES,
					 .user_mode = SYSPROF_USER_RAW + 1,
					 .max_user_frames = DEEP,
					 .raw_bytes = MOST };
	struct sysprof_account overflows = { 0 };
	struct sysprof_source_account account;
	pthread_t thread;
	bool is_law;

	session = &waits.session;
	seen = (struct seen){ 0 };
	is_over = false;
	is_whole = true;
	ok(!ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) && !waits_ask(&waits, &source, 1) &&
		   !ioctl(session->fd, SYSPROF_IOC_START, NULL),
	   "START of a session with counters, copies of stacks and faults: %s", strerror(errno));
	if (pthread_create(&thread, NULL, change_wish, NULL))
		errx(1, "cannot make a thread");
	do {
		fault_deep(DEEP);
	} while (account_get(session->fd, 0, &overflows) && overflows.grid < NMIS);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ioctl(session->fd, SYSPROF_IOC_STOP);
	is_whole &= session_drain(session, 0, look_at, NULL);
	ok(is_whole, "the ring can be walked");
	ok(seen.little > 50 && seen.most > 50,
	   "%u events have copies, small ones and large ones (%u, %u)", seen.events, seen.little,
	   seen.most);
	ok(!seen.wrong, "... as large as they were to be (%u of %u are not)", seen.wrong,
	   seen.copies);
	is_law = account_total(&waits, 1, &account);
	ok(is_law && account.delivered.events >= seen.events,
	   "the account of faults adds up (%" PRIu64 " of %" PRIu64 " were sent)",
	   (uint64_t)account.delivered.events, (uint64_t)account.seen.events);
	is_law = account_get(session->fd, 0, &overflows) &&
		 account_sum(&overflows) == overflows.grid;
	ok(is_law, "... and that of %" PRIu64 " overflows", (uint64_t)overflows.grid);
	session_close(session);
}

int main(void)
{
	pin(0);
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (pages == MAP_FAILED)
		err(1, "cannot have memory");
	test_wishes();
	return tests_end();
}
