// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks that are sent once: abi-once SECONDS.  Of two sessions that share all ticks and waits, one
 * takes whole stacks and the other one refers to those it had: they must be the same, frame by
 * frame, also where the ring was full, and after a STOP and START.  What runs, and has tables, is
 * the caller's.
 */
#include "abi.h"

#include "sysprof-event.h"

#define MAX_FRAMES	2048
#define SMALL_RING	(64U << 10)
#define LARGE_RING	(8U << 20)
#define MAX_CPUS	64
/* How far apart in time the same can be in two rings: it is written to one after the other. */
#define APART_NS	10000000ULL

/* A record as the reader knows it, its frames at @at among those of the ring. */
struct taken {
	uint64_t time;
	uint64_t key[4];
	uint64_t head;			/* numbers of frames, ends, flags */
	uint64_t mm;
	size_t at;
	unsigned n;
};

struct outer {
	uint64_t number;
	unsigned n;
	uint64_t frames[MAX_FRAMES];
};

/* What was read of one ring. */
struct reading {
	struct taken *taken;
	uint64_t *frames;
	size_t n_taken, n_frames, room_taken, room_frames;
	struct outer outer[SYSPROF_STACK_PLACES];
	uint64_t bytes;
	unsigned defined, referred, unknown, hidden;
};

static void *grown(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = n + *room + 4096;
	array = realloc(array, *room * size);
	if (!array)
		err(1, "no memory");
	return array;
}

static void put_frames(struct reading *to, const uint64_t *frames, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		to->frames = grown(to->frames, to->n_frames, &to->room_frames, sizeof(*frames));
		to->frames[to->n_frames++] = frames[i];
	}
}

static void put_user(struct reading *to, uint64_t cookie, const uint64_t *frames, unsigned n)
{
	struct outer *outer = &to->outer[SYSPROF_STACK_PLACE(cookie)];
	uint64_t number = cookie & SYSPROF_STACK_NUMBER_MASK;
	unsigned n_outer = SYSPROF_STACK_FRAMES(cookie);

	put_frames(to, frames, n);
	if (!cookie)
		return;
	if (!(cookie & SYSPROF_STACK_REFERS)) {
		to->defined++;
		if (n_outer > n || n_outer > MAX_FRAMES)
			errx(1, "a stack of %u frames is among %u", n_outer, n);
		outer->number = number;
		outer->n = n_outer;
		memcpy(outer->frames, frames + n - n_outer, n_outer * sizeof(*frames));
		return;
	}
	to->referred++;
	if (outer->number == number && outer->n == n_outer)
		put_frames(to, outer->frames, outer->n);
	else
		to->unknown++;
}

static struct taken *reading_new(struct reading *to, uint64_t mm,
				 const struct sysprof_record *record)
{
	struct taken *taken;

	to->taken = grown(to->taken, to->n_taken, &to->room_taken, sizeof(*taken));
	taken = &to->taken[to->n_taken++];
	*taken = (struct taken){
		.time = record->time, .mm = mm, .at = to->n_frames, .head = record->flags
	};
	return taken;
}

static void take_sample(struct reading *to, const struct sysprof_sample *sample)
{
	struct taken *taken = reading_new(to, sample->mm, &sample->record);

	if (sample->record.flags & SYSPROF_SAMPLE_FUNCTIONS && sample->cookie)
		to->hidden++;
	taken->key[0] = sample->record.tid;
	taken->key[1] = sample->delay_ns;
	taken->key[2] = sample->weight;
	taken->head |= (uint64_t)sample->n_kernel << 16 | (uint64_t)sample->kernel_end << 32 |
		       (uint64_t)sample->user_end << 40 | (uint64_t)sample->user_mode << 48;
	put_frames(to, (const uint64_t *)sample->frames, sample->n_kernel);
	put_user(to, sample->cookie, (const uint64_t *)sample->frames + sample->n_kernel,
		 sample->n_user);
}

static void take_event(struct reading *to, const struct sysprof_event *event)
{
	const struct sysprof_part_stack *part =
		(const void *)(event->frames + event->n_kernel + event->n_user);
	bool has_part = event->n_parts && part->type == SYSPROF_PART_STACK;
	struct taken *taken = reading_new(to, event->mm, &event->record);

	taken->key[0] = event->record.tid;
	taken->key[1] = event->begin;
	taken->key[2] = event->duration;
	taken->key[3] = event->source;
	taken->head |= (uint64_t)event->n_kernel << 16 | (uint64_t)event->kernel_end << 32 |
		       (uint64_t)event->user_end << 40 | (uint64_t)event->user_mode << 48;
	put_frames(to, (const uint64_t *)event->frames, event->n_kernel);
	put_user(to, has_part ? part->cookie : 0, (const uint64_t *)event->frames + event->n_kernel,
		 event->n_user);
}

static void take_record(const struct sysprof_record *record, void *data)
{
	struct reading *to = data;

	if (record->type != SYSPROF_SAMPLE && record->type != SYSPROF_EVENT)
		return;
	to->bytes += record->size * 8U;
	if (record->type == SYSPROF_SAMPLE)
		take_sample(to, (const struct sysprof_sample *)record);
	else
		take_event(to, (const struct sysprof_event *)record);
	to->taken[to->n_taken - 1].n = (unsigned)(to->n_frames - to->taken[to->n_taken - 1].at);
}

static void drain_all(struct session *session, struct reading *readings)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		if (!session_drain(session, cpu, take_record, &readings[cpu]))
			errx(1, "the ring of CPU %u cannot be walked", cpu);
}

static bool configure_once(struct session *session, uint32_t flags)
{
	struct sysprof_config config = {
		.size = sizeof(config),
		.flags = flags,
		.period_ns = NS_PER_MS,
		.ring_bytes = session->config.ring_bytes,
		.user_mode = SYSPROF_USER_TABLE + 1,
		.max_user_frames = 1024,
	};

	return !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config);
}

static bool ask_for_waits(struct session *session)
{
	struct sysprof_source source = {
		.kind = SYSPROF_SOURCE_WAIT,
		.stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER | SYSPROF_STACKS_WAKER,
	};
	struct sysprof_sources sources = { .size = sizeof(sources),
					   .nr = 1,
					   .source_bytes = sizeof(source),
					   .sources = (uintptr_t)&source };

	return !ioctl(session->fd, SYSPROF_IOC_SOURCES, &sources);
}

/* The same one in @in from *@from on, or later; their number if there is none. */
static size_t find(const struct reading *in, size_t *from, const struct taken *taken)
{
	while (*from < in->n_taken && in->taken[*from].time + APART_NS < taken->time)
		(*from)++;
	for (size_t i = *from; i < in->n_taken && in->taken[i].time < taken->time + APART_NS; i++)
		if (!memcmp(in->taken[i].key, taken->key, sizeof(taken->key)))
			return i;
	return in->n_taken;
}

static bool is_same(const struct reading *one, const struct taken *a, const struct reading *other,
		    const struct taken *b)
{
	return a->mm == b->mm && a->head == b->head && a->n == b->n &&
	       !memcmp(one->frames + a->at, other->frames + b->at, a->n * sizeof(uint64_t));
}

struct sums {
	size_t pairs, alone, others;
	unsigned defined, referred, unknown, hidden;
	uint64_t once_bytes, whole_bytes;
};

static struct sums compare(const struct reading *once, const struct reading *whole, unsigned cpus)
{
	struct sums sums = {};

	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		const struct reading *a = &once[cpu], *b = &whole[cpu];
		size_t at = 0, found;

		for (size_t i = 0; i < a->n_taken; i++) {
			found = find(b, &at, &a->taken[i]);
			if (found == b->n_taken) {
				sums.alone++;
				continue;
			}
			at = found + 1;
			sums.pairs++;
			sums.others += !is_same(a, &a->taken[i], b, &b->taken[found]);
		}
		sums.defined += a->defined;
		sums.referred += a->referred;
		sums.unknown += a->unknown;
		sums.hidden += a->hidden;
		sums.once_bytes += a->bytes;
		sums.whole_bytes += b->bytes;
		if (b->defined || b->referred)
			ok(false, "CPU %u: a number for who did not ask for any", cpu);
	}
	return sums;
}

static void judge(const char *what, const struct sums *sums)
{
	printf("# %s: %zu the same of %zu, %zu in one only; %u defined, %u referred to; %" PRIu64
	       " and %" PRIu64 " bytes\n",
	       what, sums->pairs - sums->others, sums->pairs, sums->alone, sums->defined,
	       sums->referred, sums->once_bytes, sums->whole_bytes);
	ok(sums->others == 0, "%s: each stack is as a whole one", what);
	ok(sums->unknown == 0, "%s: ... and refers to what came before", what);
	ok(sums->hidden == 0, "%s: what is hidden has no number", what);
	ok(sums->referred > sums->defined && sums->defined > 0,
	   "%s: most are referred to, and each was there once", what);
	/* Whether the other ring has it, too, its reader's turns decide. */
	timed(sums->pairs > 100 && sums->alone < sums->pairs / 4 + 20,
	      "%s: both sessions have them", what);
}

/* Forgets what was defined: after START nothing may refer to it. */
static void start(struct session *session, struct reading *readings)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		memset(readings[cpu].outer, 0, sizeof(readings[cpu].outer));
	if (ioctl(session->fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
}

static void try_both(const char *what, unsigned ms, uint32_t ring_bytes, bool has_waits)
{
	struct session once = session_open(NS_PER_MS, ring_bytes),
		       whole = session_open(NS_PER_MS, LARGE_RING);
	struct reading *a = calloc(once.cpus, sizeof(*a)), *b = calloc(once.cpus, sizeof(*b));
	bool is_lossy = ring_bytes == SMALL_RING;
	struct sums sums;

	ok(configure_once(&once, SYSPROF_CONFIG_STACKS_ONCE) && configure_once(&whole, 0),
	   "%s: two sessions", what);
	if (has_waits)
		ok(ask_for_waits(&once) && ask_for_waits(&whole), "%s: ... with waits", what);
	start(&whole, b);
	for (unsigned run = 0; run < 2; run++) {
		start(&once, a);
		for (unsigned i = 0; i < ms / 100; i++) {
			usleep(100000);
			drain_all(&whole, b);
			/* Only from time to time: there is no room in between. */
			if (!is_lossy || i % 10 == 9)
				drain_all(&once, a);
		}
		if (ioctl(once.fd, SYSPROF_IOC_STOP))
			err(1, "STOP");
		drain_all(&once, a);
	}
	if (ioctl(whole.fd, SYSPROF_IOC_STOP))
		err(1, "STOP");
	drain_all(&whole, b);
	sums = compare(a, b, once.cpus);
	judge(what, &sums);
	if (!is_lossy)
		ok(sums.once_bytes < sums.whole_bytes, "%s: they take less room", what);
	session_close(&once);
	session_close(&whole);
}

int main(int argc, char **argv)
{
	unsigned ms = argc == 2 ? (unsigned)atoi(argv[1]) * 500 : 0;
	struct sysprof_info info = { .size = sizeof(info) };
	int fd;

	if (!ms)
		errx(1, "usage: abi-once SECONDS");
	fd = device_open();
	if (ioctl(fd, SYSPROF_IOC_INFO, &info) || info.cpus > MAX_CPUS)
		err(1, "INFO");
	close(fd);
	ok(info.features & SYSPROF_FEATURE_STACKS_ONCE, "stacks can be sent once");
	try_both("ticks", ms, LARGE_RING, false);
	try_both("ticks and waits", ms, LARGE_RING, true);
	try_both("a ring that is full", ms < 2000 ? 2000 : ms, SMALL_RING, true);
	return tests_end();
}
