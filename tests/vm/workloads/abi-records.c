// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes out of the rings: records that are whole and consistent, the loss law at every moment,
 * no kernel address anywhere, names for kernel frames; and what a hostile or a stalled reader can
 * do: nothing to others.
 */
#include "abi.h"

#include "sysprof-event.h"

#include <sched.h>

#define KERNEL_SPACE	0xffff800000000000ULL

struct seen {
	unsigned cpu;
	uint64_t records, samples, weight, pads, wrong, unlawful, addresses, kernel_frames,
		wrong_kernel_objects;
	uint64_t last_time;
	uint64_t frames[4096];
	unsigned n_frames;
};

static bool sample_is_consistent(const struct sysprof_sample *sample)
{
	size_t bytes = sizeof(*sample) + (sample->n_kernel + sample->n_user) * sizeof(uint64_t) +
		       (sample->raw_bytes + 7) / 8 * 8;

	return bytes == sample->record.size * 8U && sample->weight && sample->context &&
	       sample->context <= SYSPROF_CONTEXT_IDLE + 1 &&
	       sample->kernel_end <= SYSPROF_END_UNRELIABLE &&
	       sample->user_end <= SYSPROF_END_UNRELIABLE && (sample->n_kernel || sample->n_user);
}

static void look_at_sample(struct seen *seen, const struct sysprof_sample *sample)
{
	seen->samples++;
	seen->weight += sample->weight;
	seen->wrong += !sample_is_consistent(sample);
	for (unsigned i = 0; i < sample->n_kernel; i++) {
		uint64_t frame = sample->frames[i], object = frame >> SYSPROF_FRAME_OBJECT_SHIFT;

		seen->kernel_frames++;
		seen->wrong_kernel_objects +=
			object != SYSPROF_OBJECT_KERNEL && object != SYSPROF_OBJECT_MODULES;
		if (seen->n_frames < sizeof(seen->frames) / sizeof(seen->frames[0]))
			seen->frames[seen->n_frames++] = i ? frame - 1 : frame;
	}
}

static void look_at(const struct sysprof_record *record, void *data)
{
	static const size_t least[] = {
		[SYSPROF_PAD] = 8,
		[SYSPROF_SAMPLE] = sizeof(struct sysprof_sample),
		[SYSPROF_TASK] = sizeof(struct sysprof_task),
		[SYSPROF_FORK] = sizeof(struct sysprof_task),
		[SYSPROF_EXEC] = sizeof(struct sysprof_task),
		[SYSPROF_COMM] = sizeof(struct sysprof_task),
		[SYSPROF_EXIT] = sizeof(struct sysprof_task),
		[SYSPROF_MAP] = sizeof(struct sysprof_map),
		[SYSPROF_OBJECT] = sizeof(struct sysprof_object),
		[SYSPROF_ACCOUNT] = sizeof(struct sysprof_account_record),
		[SYSPROF_LOST] = sizeof(struct sysprof_lost),
		[SYSPROF_RESYNC] = sizeof(struct sysprof_record),
		[SYSPROF_REGION] = sizeof(struct sysprof_region),
		[SYSPROF_TIME] = sizeof(struct sysprof_time),
	};
	const uint64_t *words = (const uint64_t *)record;
	struct seen *seen = data;

	seen->records++;
	if (record->type >= sizeof(least) / sizeof(least[0]) || !least[record->type] ||
	    record->size * 8U < least[record->type]) {
		seen->wrong++;
		return;
	}
	if (record->type == SYSPROF_PAD) {
		seen->pads++;
		return;
	}
	/* The clock that is read in interrupts may be a little ahead of the one of system calls. */
	seen->wrong += record->cpu != seen->cpu || record->time > wall_ns() + NS_PER_MS;
	if (record->type == SYSPROF_SAMPLE)
		look_at_sample(seen, (const struct sysprof_sample *)record);
	/* A build-id or a path may hold any bits. */
	if (record->type != SYSPROF_OBJECT)
		for (unsigned i = 0; i < record->size; i++)
			seen->addresses += words[i] >= KERNEL_SPACE;
	if (record->type == SYSPROF_ACCOUNT) {
		const struct sysprof_account *account =
			&((const struct sysprof_account_record *)record)->account;

		seen->unlawful += account->grid != account_sum(account);
	}
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void test_records(void)
{
	struct session session = session_open(NS_PER_MS / 2, 1U << 14);
	struct sysprof_account account = { 0 };
	struct seen seen[2] = { { .cpu = 0 }, { .cpu = 1 } };
	unsigned cpus = session.cpus < 2 ? session.cpus : 2, unlawful = 0, unreadable = 0,
		 overdue = 0;
	uint64_t delivered = 0, counted = 0, addresses = 0, wrong = 0, objects = 0, kernel = 0,
		 pads = 0;

	ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL), "START");
	for (unsigned round = 0; round < 100; round++) {
		pin(round % cpus);
		burn_ms(20);
		for (unsigned cpu = 0; cpu < cpus; cpu++) {
			unreadable += !session_drain(&session, cpu, look_at, &seen[cpu]);
			/* On a busy host a tick may be late at any look, but it comes. */
			for (unsigned look = 0; look < 10000; look++) {
				unlawful += !account_get(session.fd, cpu, &account) ||
					    account.grid != account_sum(&account);
				if (account.pending <= 1)
					break;
			}
			overdue += account.pending > 1;
		}
	}
	ioctl(session.fd, SYSPROF_IOC_STOP);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		unreadable += !session_drain(&session, cpu, look_at, &seen[cpu]);
		unlawful += !account_get(session.fd, cpu, &account) ||
			    account.grid != account_sum(&account);
		delivered += account.delivered;
		counted += seen[cpu].weight;
		addresses += seen[cpu].addresses;
		wrong += seen[cpu].wrong;
		unlawful += seen[cpu].unlawful;
		objects += seen[cpu].wrong_kernel_objects;
		kernel += seen[cpu].kernel_frames;
		pads += seen[cpu].pads;
	}
	ok(!unlawful, "the loss law holds at each of 200 looks and in every ACCOUNT (%u broke it)",
	   unlawful);
	ok(!overdue, "... and a tick that is overdue comes (%u did not)", overdue);
	ok(!unreadable, "records never wrap and fill the ring without a gap");
	ok(pads > 0, "the ring went around and pads were skipped (%u)", (unsigned)pads);
	ok(!wrong, "every record is whole, of its CPU and not from the future (%u are not)",
	   (unsigned)wrong);
	ok(delivered == counted, "the samples' weight is what the account delivered (%u, %u)",
	   (unsigned)counted, (unsigned)delivered);
	timed(counted > 500, "... and there are enough of them");
	ok(kernel > 100 && !objects, "kernel frames are {kernel or modules, offset} (%u frames)",
	   (unsigned)kernel);
	ok(!addresses, "no word of any record is a kernel address (%u are)", (unsigned)addresses);
	session_close(&session);

	if (seen[0].n_frames) {
		struct sysprof_names names = { .size = sizeof(names), .nr = seen[0].n_frames };
		struct sysprof_name *name = calloc(names.nr, sizeof(*name));
		unsigned named = 0, addressed = 0;
		int fd = device_open();

		memset(name, 0xa5, names.nr * sizeof(*name));
		for (unsigned i = 0; i < names.nr; i++)
			name[i].frame = seen[0].frames[i];
		names.names = (uintptr_t)name;
		ok(!ioctl(fd, SYSPROF_IOC_NAMES, &names), "NAMES of %u kernel frames", names.nr);
		for (unsigned i = 0; i < names.nr; i++) {
			named += name[i].symbol[0] &&
				 memchr(name[i].symbol, 0, sizeof(name[i].symbol)) &&
				 memchr(name[i].module, 0, sizeof(name[i].module));
			addressed += strstr(name[i].symbol, "0x") != NULL;
		}
		ok(named >= names.nr * 99ULL / 100, "at least 99 %% of them have a name (%u of %u)",
		   named, names.nr);
		ok(!addressed, "none is an address");
		for (unsigned i = 0; i < names.nr; i++)
			name[i].frame = (i & 1 ? 7ULL << SYSPROF_FRAME_OBJECT_SHIFT :
						 0xffff888000000000ULL) +
					i * 4096ULL;
		addressed = 0;
		ok(!ioctl(fd, SYSPROF_IOC_NAMES, &names), "NAMES of what are no kernel frames");
		for (unsigned i = 0; i < names.nr; i++)
			addressed += name[i].symbol[0] != 0;
		ok(!addressed, "... gives no names (%u)", addressed);
		free(name);
		close(fd);
	}
}

static void test_hostile_tail(void)
{
	struct session session = session_open(NS_PER_MS, PAGE),
		       other = session_open(NS_PER_MS, 1U << 20);
	struct sysprof_account account = { 0 };
	struct seen seen = { 0 };
	static const uint32_t tails[] = { 0x80000000, 0xfffffff8, 12345, 1 };
	unsigned broken = 0, unlawful = 0;

	ok(!ioctl(other.fd, SYSPROF_IOC_START, NULL), "START of a second session");
	pin(0);
	for (unsigned i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		ioctl(session.fd, SYSPROF_IOC_START, NULL);
		session.rings[0].tail->tail = tails[i] + session.rings[0].page->head + PAGE;
		burn_ms(50);
		broken += (session.rings[0].page->flags & SYSPROF_RING_BROKEN) != 0;
		unlawful += !account_get(session.fd, 0, &account) ||
			    account.grid != account_sum(&account);
		ioctl(session.fd, SYSPROF_IOC_STOP);
	}
	ok(broken == sizeof(tails) / sizeof(tails[0]),
	   "a tail that cannot be right breaks the ring (%u of 4)", broken);
	ok(!unlawful, "... and the loss law still holds");
	ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL) &&
		   !(session.rings[0].page->flags & SYSPROF_RING_BROKEN),
	   "START mends it");
	/* On a busy host ticks are few: until the page is full. */
	for (unsigned i = 0; i < 25 && !(account_get(session.fd, 0, &account) &&
					 account.lost[SYSPROF_LOST_RING_FULL]);
	     i++)
		burn_ms(200);
	ok(account.lost[SYSPROF_LOST_RING_FULL] > 0 && account.grid == account_sum(&account),
	   "a reader that stalls loses, and is told how much (%u periods)",
	   (unsigned)account.lost[SYSPROF_LOST_RING_FULL]);
	account_get(other.fd, 0, &account);
	ok(account.delivered > 0 && !account.lost[SYSPROF_LOST_RING_FULL],
	   "... which costs another session nothing");
	ok(session_drain(&session, 0, look_at, &seen) && seen.samples, "what did fit is whole");
	session_close(&other);
	session_close(&session);
}

static void test_read(void)
{
	static uint8_t buffer[1 << 18];
	uint64_t samples = 0, broken = 0;
	int fd = device_open();

	pin(0);
	for (unsigned i = 0; i < 20; i++) {
		ssize_t n = read(fd, buffer, sizeof(buffer));

		for (ssize_t at = 0; at < n;) {
			const struct sysprof_record *record = (const void *)(buffer + at);

			if (record->size * 8 < (ssize_t)sizeof(*record) ||
			    at + record->size * 8 > n) {
				broken++;
				break;
			}
			samples += record->type == SYSPROF_SAMPLE;
			at += record->size * 8;
		}
		burn_ms(20);
	}
	ok(samples > 0 && !broken,
	   "read() without CONFIGURE samples by itself and gives whole records (%u samples)",
	   (unsigned)samples);
	refuses(read(fd, buffer, 8), EINVAL, "read() into less than a record");
	close(fd);
}

static void test_rates(void)
{
	struct session fast = session_open(NS_PER_MS, 1U << 20),
		       slow = session_open(10 * NS_PER_MS, 1U << 20);
	struct sysprof_account quick, lazy;
	double ratio;

	ioctl(fast.fd, SYSPROF_IOC_START, NULL);
	ioctl(slow.fd, SYSPROF_IOC_START, NULL);
	pin(0);
	burn_ms(1000);
	account_get(fast.fd, 0, &quick);
	account_get(slow.fd, 0, &lazy);
	ratio = lazy.delivered ? (double)quick.delivered / lazy.delivered : 0;
	timed(ratio > 8 && ratio < 13,
	      "two sessions each have their own rate (%.1f : 1, asked for 10 : 1)", ratio);
	session_close(&slow);
	session_close(&fast);
}

int main(void)
{
	test_records();
	test_hostile_tail();
	test_read();
	test_rates();
	return tests_end();
}
