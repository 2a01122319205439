/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of waits share: a session with sources, its records kept in arrays, and sums over
 * them.
 */
#ifndef WAITS_H
#define WAITS_H

#include "abi.h"

#include <stddef.h>
#include <sys/resource.h>

#include "sysprof-event.h"

#define STACKS (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER | SYSPROF_STACKS_WAKER)

/* Copies of records, each behind the other. */
struct kept {
	uint8_t *bytes;
	size_t n, room;
};

struct waits {
	struct session session;
	struct kept events, threads, lanes, accounts;
	uint64_t samples, resyncs;
	uint64_t start;
	unsigned n_sources;
};

static inline void keep(struct kept *kept, const struct sysprof_record *record)
{
	size_t size = record->size * 8U;

	if (kept->n + size > kept->room) {
		kept->room = 2 * kept->room + size + (1U << 20);
		kept->bytes = realloc(kept->bytes, kept->room);
		if (!kept->bytes)
			err(1, "no memory");
	}
	memcpy(kept->bytes + kept->n, record, size);
	kept->n += size;
}

/* Events of @source that the session got, or would have got with room for them. */
static inline uint64_t source_events(int fd, uint32_t source)
{
	struct sysprof_source_stats stats = { .size = sizeof(stats), .source = source };
	uint64_t n = 0;

	for (; !ioctl(fd, SYSPROF_IOC_SOURCE_STATS, &stats); stats.cpu++)
		n += stats.account.delivered.events +
		     stats.account.lost[SYSPROF_LOST_RING_FULL].events;
	return n;
}

#define for_each_kept(record, kept)                                                                \
	for (const uint8_t *at_ = (kept).bytes, *end_ = at_ + (kept).n;                            \
	     at_ < end_ && ((record) = (const void *)at_, true);                                   \
	     at_ += ((const struct sysprof_record *)at_)->size * 8U)

static inline void take_record(const struct sysprof_record *record, void *data)
{
	struct waits *waits = data;

	switch (record->type) {
	case SYSPROF_EVENT:
		keep(&waits->events, record);
		break;
	case SYSPROF_THREAD:
		keep(&waits->threads, record);
		break;
	case SYSPROF_LANE:
		keep(&waits->lanes, record);
		break;
	case SYSPROF_SOURCE_ACCOUNT:
		keep(&waits->accounts, record);
		break;
	case SYSPROF_SAMPLE:
		waits->samples++;
		break;
	case SYSPROF_RESYNC:
		waits->resyncs++;
		break;
	}
}

static inline void waits_drain(struct waits *waits)
{
	for (unsigned cpu = 0; cpu < waits->session.cpus; cpu++)
		if (!session_drain(&waits->session, cpu, take_record, waits))
			errx(1, "the ring of CPU %u cannot be walked", cpu);
}

/* Asks for @sources; 0 or an errno. */
static inline int waits_ask(struct waits *waits, struct sysprof_source *sources, unsigned n)
{
	struct sysprof_sources arg = { .size = sizeof(arg),
				       .nr = n,
				       .source_bytes = sizeof(*sources),
				       .sources = (uintptr_t)sources };

	waits->n_sources = n;
	return ioctl(waits->session.fd, SYSPROF_IOC_SOURCES, &arg) ? errno : 0;
}

static inline void waits_start(struct waits *waits)
{
	if (ioctl(waits->session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	waits->start = wall_ns();
}

/* THREAD of every thread, as it is now. */
static inline bool waits_snapshot(struct waits *waits, struct kept *ret)
{
	static uint8_t buffer[64U << 10];
	struct sysprof_snapshot arg = { .size = sizeof(arg),
					.part = SYSPROF_SNAPSHOT_THREADS,
					.buffer = (uintptr_t)buffer,
					.buffer_bytes = sizeof(buffer) };

	do {
		if (ioctl(waits->session.fd, SYSPROF_IOC_SNAPSHOT, &arg))
			return false;
		for (uint32_t at = 0; at < arg.filled_bytes;) {
			const struct sysprof_record *record = (const void *)(buffer + at);

			keep(ret, record);
			at += record->size * 8U;
		}
	} while (arg.filled_bytes);
	return true;
}

static inline const struct sysprof_part_wait *part_wait(const struct sysprof_event *event)
{
	const struct sysprof_part *part =
		(const void *)(event->frames + event->n_kernel + event->n_user);

	for (unsigned i = 0; i < event->n_parts; i++) {
		if (part->type == SYSPROF_PART_WAIT)
			return (const void *)part;
		part = (const void *)((const uint64_t *)part + part->size);
	}
	return NULL;
}

/* Sums over waits of a thread, of those in a state, or all (-1). */
struct sum {
	uint64_t events, ns, value, weight, longest;
	uint64_t by;	/* woken by that thread */
	uint64_t wakes, kernel, user;	/* with a WAKE; with frames */
};

static inline bool has_wake(const struct waits *waits, uint64_t key, uint32_t tid)
{
	const struct sysprof_event *event;

	for_each_kept(event, waits->events)
		if (event->source == waits->n_sources + 1 && event->key == key)
			return event->record.tid == tid && event->n_kernel;
	return false;
}

static inline struct sum sum_of(const struct waits *waits, uint32_t tid, int state, uint32_t by)
{
	const struct sysprof_event *event;
	struct sum sum = { 0 };

	for_each_kept(event, waits->events) {
		const struct sysprof_part_wait *part = part_wait(event);

		if (event->source != 1 || event->record.tid != tid || !part ||
		    (state >= 0 && event->state != state))
			continue;
		sum.events++;
		sum.ns += event->duration;
		sum.value += event->value;
		sum.weight += event->weight;
		sum.longest = event->duration > sum.longest ? event->duration : sum.longest;
		sum.kernel += event->n_kernel > 0;
		sum.user += event->n_user > 0;
		if (part->waker_tid != by)
			continue;
		sum.by++;
		if (part->wake && sum.wakes < 16)
			sum.wakes += has_wake(waits, part->wake, by);
	}
	return sum;
}

/* Waits for futexes: how many, and how many of them have an address, and that one. */
struct futexes {
	uint64_t n, told, right;
};

static inline struct futexes futexes_of(const struct waits *waits, uint32_t tid,
					const void *address)
{
	const struct sysprof_event *event;
	struct futexes futexes = { 0 };

	for_each_kept(event, waits->events) {
		const struct sysprof_part_wait_futex *part = (const void *)part_wait(event);

		if (event->source != 1 || event->record.tid != tid || !part ||
		    part->wait.part.b != SYSPROF_CALL_FUTEX)
			continue;
		futexes.n++;
		if (part->wait.part.size * 8u < sizeof(*part))
			continue;
		futexes.told++;
		futexes.right += part->address == (uintptr_t)address;
	}
	return futexes;
}

/* Waits that the thread went into of its own, as its nvcsw counts them, whatever for. */
static inline uint64_t blocked_of(const struct waits *waits, uint32_t tid)
{
	uint64_t events = 0;

	for (int state = SYSPROF_STATE_SLEEP; state <= SYSPROF_STATE_OTHER; state++)
		events += sum_of(waits, tid, state, 0).events;
	return events;
}

static inline uint64_t switches_now(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		err(1, "getrusage");
	return (uint64_t)usage.ru_nvcsw;
}

/* The last THREAD of that thread, NULL if there is none. */
static inline const struct sysprof_thread *thread_of(const struct kept *kept, uint32_t tid)
{
	const struct sysprof_thread *thread, *last = NULL;

	for_each_kept(thread, *kept)
		if (thread->record.tid == tid)
			last = thread;
	return last;
}

static inline uint64_t thread_sum(const struct sysprof_thread *thread)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SYSPROF_STATES; i++)
		sum += thread->ns[i];
	return sum;
}

static inline bool tally_law(const struct sysprof_source_account *account, size_t column)
{
#define COLUMN(tally) (*(const __u64 *)((const uint8_t *)&(tally) + column))
	uint64_t sum = COLUMN(account->delivered) + COLUMN(account->not_picked) +
		       COLUMN(account->below) + COLUMN(account->excluded);

	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		sum += COLUMN(account->lost[i]);
	return sum == COLUMN(account->seen);
#undef COLUMN
}

static inline bool account_law(const struct sysprof_source_account *account)
{
	return tally_law(account, offsetof(struct sysprof_tally, events)) &&
	       tally_law(account, offsetof(struct sysprof_tally, value)) &&
	       tally_law(account, offsetof(struct sysprof_tally, ns)) &&
	       tally_law(account, offsetof(struct sysprof_tally, weight));
}

/* The accounts of a source on all CPUs; false if one breaks the law. */
static inline bool account_total(const struct waits *waits, unsigned source,
				 struct sysprof_source_account *ret)
{
	bool good = true;

	memset(ret, 0, sizeof(*ret));
	for (unsigned cpu = 0; cpu < waits->session.cpus; cpu++) {
		struct sysprof_source_stats stats = { .size = sizeof(stats),
						      .cpu = cpu,
						      .source = source };
		const __u64 *from = (const __u64 *)&stats.account;
		__u64 *to = (__u64 *)ret;

		if (ioctl(waits->session.fd, SYSPROF_IOC_SOURCE_STATS, &stats))
			err(1, "SOURCE_STATS");
		good &= account_law(&stats.account);
		for (unsigned i = 0; i < sizeof(*ret) / sizeof(*to); i++)
			to[i] += from[i];
	}
	return good;
}

static inline uint64_t lost_events(const struct sysprof_source_account *account)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		sum += account->lost[i].events;
	return sum;
}

#endif
