/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-recorded OUT flood|last SAMPLES MIB: what the recorder makes, with so much memory, of SAMPLES
 * stacks of 20 frames that it has never seen and that are in its rings all at once; last: of those
 * that it can keep.  Prints the most memory that it had for itself, in KiB.
 * gen-recorded OUT paced SECONDS HZ frames|addresses|outer [waits] [again]: of a load like a
 * build's, HZ samples a second on each of two CPUs; outer: frames, of which the outer ones are sent
 * once.  waits: instead of samples, waits and their wakers.  again: the stacks of the first 5,120
 * come again and again, as a server's.  Prints what a sample took of a CPU, in ns, and how many
 * there were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/recorder.h"
#include "sysprof-event.h"
#include "trace/trace-private.h"

#define CPUS 2
#define FRAMES 20
#define KERNEL_FRAMES 5			/* of those in the kernel */
#define THREADS 64
#define SLICE 40			/* samples of a thread in a row */
#define FILE_BYTES (16u << 20)
#define FILE_START 0x400000u
#define LOOK_SAMPLES 256
#define AGAIN (CPUS * SLICE * THREADS)	/* samples until stacks come again: all threads' */
#define PLACES 4			/* threads whose stacks are remembered, of each CPU */

struct record {
	struct sysprof_sample sample;
	__u64 frames[FRAMES];
};

struct event {
	struct sysprof_event event;
	__u64 frames[FRAMES];
	__u64 parts[8];
};

enum { WAIT = 1, WAKE };		/* the sources of waits */

/* A source of samples that were thought out beforehand. */
struct made {
	SptTrace trace;
	uint64_t start, period_ns, random;
	uint64_t n, next;		/* samples: all, and the next one to be reported */
	bool is_flood, has_addresses, has_outer, has_waits, has_again;
	uint64_t delivered[CPUS];
	struct record *records;		/* paced: all of them */
	unsigned long most_kib;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t random_below(struct made *made, uint64_t n)
{
	made->random ^= made->random << 13;
	made->random ^= made->random >> 7;
	made->random ^= made->random << 17;
	return (made->random >> 11) % n;
}

static struct sysprof_record head(unsigned type, size_t bytes, uint64_t time, unsigned cpu,
				  unsigned pid)
{
	return (struct sysprof_record){
		.type = type, .size = bytes / 8, .cpu = cpu, .time = time, .pid = pid, .tid = pid
	};
}

static uint64_t frame_of(const struct made *made, bool in_kernel, uint64_t offset)
{
	if (in_kernel)
		return (uint64_t)SYSPROF_OBJECT_KERNEL << SYSPROF_FRAME_OBJECT_SHIFT |
		       (offset & SYSPROF_FRAME_OFFSET_MASK);
	return made->has_addresses ?
		       FILE_START + offset % FILE_BYTES :
		       (uint64_t)SYSPROF_OBJECT_FIRST << SYSPROF_FRAME_OBJECT_SHIFT | offset;
}

static void begin_sample(struct made *made, struct record *record, uint64_t i)
{
	unsigned cpu = i % CPUS, pid = 100 + (unsigned)(i / CPUS / SLICE * 7 + cpu * 13) % THREADS;

	record->sample = (struct sysprof_sample){
		.record = head(SYSPROF_SAMPLE, sizeof(*record),
			       made->start + (i / CPUS + 1) * made->period_ns + cpu, cpu, pid),
		.mm = pid,
		.weight = 1,
		.user_mode = SYSPROF_USER_FP,
	};
	record->sample.record.flags = SYSPROF_SAMPLE_KERNEL_EXACT | SYSPROF_SAMPLE_USER_EXACT |
				      (made->has_addresses ? SYSPROF_SAMPLE_ADDRESSES : 0);
}

/* Frames that no sample before had. */
static void make_new(struct made *made, struct record *record, uint64_t i)
{
	begin_sample(made, record, i);
	record->sample.n_kernel = KERNEL_FRAMES;
	record->sample.n_user = FRAMES - KERNEL_FRAMES;
	for (unsigned k = 0; k < FRAMES; k++)
		record->frames[k] = frame_of(made, k < KERNEL_FRAMES,
					     ((i + 1) * FRAMES + k) * 0x9e3779b97f4a7c15u >> 27);
}

/*
 * The thread's stack before, but for some of the innermost frames; every function calls a few
 * others, one of them mostly.
 */
static void make_next(struct made *made, struct record *record, uint64_t i, uint64_t paths[FRAMES])
{
	unsigned changed = 1, kernel = random_below(made, 4) == 0 ? KERNEL_FRAMES : 0;

	while (changed < FRAMES && random_below(made, 4))
		changed++;
	begin_sample(made, record, i);
	record->sample.n_kernel = kernel;
	record->sample.n_user = FRAMES - kernel;
	for (unsigned k = changed; k-- > 0;) {
		uint64_t callee = random_below(made, 8) ? 0 : 1 + random_below(made, 5);

		paths[k] = ((k + 1 < FRAMES ? paths[k + 1] : 0) * 8 + callee + k + 1) *
				   0x9e3779b97f4a7c15u >>
			   8;
	}
	for (unsigned k = 0; k < FRAMES; k++)
		record->frames[k] = frame_of(made, k < kernel, (paths[k] >> 20) % FILE_BYTES);
	/* Where it is in the innermost one. */
	record->frames[0] += random_below(made, 16) * 4;
}

/* The stack of AGAIN samples before, which is one of the same thread's. */
static void make_again(struct made *made, struct record *record, uint64_t i,
		       const struct record *frames)
{
	const struct record *before = &frames[i % AGAIN];

	begin_sample(made, record, i);
	record->sample.n_kernel = before->sample.n_kernel;
	record->sample.n_user = before->sample.n_user;
	memcpy(record->frames, before->frames, sizeof(record->frames));
}

/* What is remembered of a thread's stack, as in recall.h. */
struct place {
	unsigned pid, n_user, n_outer, n_again;
	uint64_t number;		/* of the outer frames */
	__u64 frames[FRAMES];
};

/* Refers to the outer frames that are the same as before. */
static void send_once(struct place *places, struct record *record)
{
	struct sysprof_sample *sample = &record->sample;
	unsigned n = sample->n_user, n_kernel = sample->n_kernel, common = 0;
	unsigned at = sample->record.cpu * PLACES + sample->record.pid % PLACES;
	struct place *place = &places[at];
	const __u64 *end = record->frames + n_kernel + n, *last = place->frames + place->n_user;

	sample->user_mode = SYSPROF_USER_TABLE;
	sample->user_end = SYSPROF_END_ROOT;
	while (place->pid == sample->record.pid && common + 1 < MIN(n, place->n_user) &&
	       end[-1 - (int)common] == last[-1 - (int)common])
		common++;
	if (!common) {
		place->n_outer = 0;
	} else if (common < place->n_outer || !place->n_outer ||
		   (place->n_again += common - place->n_outer) >= common) {
		place->n_outer = common;
		place->n_again = 0;
		place->number = (place->number | (at % PLACES)) + SYSPROF_STACK_PLACES;
		sample->cookie = place->number | (uint64_t)common << SYSPROF_STACK_FRAMES_SHIFT;
	} else {
		sample->cookie = SYSPROF_STACK_REFERS | place->number |
				 (uint64_t)place->n_outer << SYSPROF_STACK_FRAMES_SHIFT;
	}
	place->pid = sample->record.pid;
	place->n_user = n;
	memcpy(place->frames, record->frames + n_kernel, n * sizeof(*place->frames));
	if (!(sample->cookie & SYSPROF_STACK_REFERS))
		return;
	sample->n_user -= place->n_outer;
	sample->record.size -= place->n_outer;
}

static void put_part(struct event *event, unsigned at, const void *part, size_t bytes)
{
	memcpy(event->event.frames + at, part, bytes);
	event->event.record.size = (sizeof(event->event) + bytes) / 8 + at;
	event->event.n_parts++;
}

/* With the stack of sample @i: who ends a wait, and then the wait. */
static void make_event(struct event *event, const struct sysprof_sample *sample, uint64_t i)
{
	unsigned n = sample->n_kernel + sample->n_user;
	struct sysprof_part_wait wait = {
		.part = { .type = SYSPROF_PART_WAIT, .size = sizeof(wait) / 8 },
		.wake = i,
	};
	struct sysprof_part_stack stack = { SYSPROF_PART_STACK, 2, 0, sample->cookie };
	bool is_wait = i & 1;

	event->event = (struct sysprof_event){
		.record = sample->record,
		.begin = sample->record.time,
		.duration = 1000,
		.value = 500,
		.key = is_wait ? 0 : i + 1,
		.mm = sample->mm,
		.weight = is_wait,
		.source = is_wait ? WAIT : WAKE,
		.state = is_wait ? SYSPROF_STATE_SLEEP : SYSPROF_CONTEXT_TASK,
		.n_kernel = sample->n_kernel,
		.n_user = sample->n_user,
		.kernel_end = sample->kernel_end,
		.user_end = sample->user_end,
		.user_mode = sample->user_mode,
	};
	event->event.record.type = SYSPROF_EVENT;
	event->event.record.flags = 0;
	event->event.record.size = sizeof(event->event) / 8 + n;
	memcpy(event->event.frames, sample->frames, n * sizeof(*sample->frames));
	if (sample->cookie) {
		put_part(event, n, &stack, sizeof(stack));
		n += sizeof(stack) / 8;
	}
	if (is_wait)
		put_part(event, n, &wait, sizeof(wait));
}

static void made_free(SptTrace *trace)
{
	spt_once_free(trace->once);
	g_free(((struct made *)trace)->records);
}

static bool made_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		       GError **error)
{
	struct made *made = (struct made *)trace;

	(void)config;
	(void)error;
	trace->events[WAIT] = (SptTraceEvents){ .kind = SYSPROF_SOURCE_WAIT };
	trace->events[WAKE] = (SptTraceEvents){ .kind = SYSPROF_SOURCE_WAKE };
	*ret = (struct sysprof_start){ .size = sizeof(*ret),
				       .grid_start = made->start,
				       .period_ns = made->period_ns };
	return true;
}

static bool made_stop(SptTrace *trace, GError **error)
{
	(void)trace;
	(void)error;
	return true;
}

static void made_wait(SptTrace *trace, int timeout_ms)
{
	if (!((struct made *)trace)->is_flood)
		g_usleep((gulong)timeout_ms * 1000);
}

static void look_at_memory(struct made *made)
{
	g_autofree char *text = NULL;
	unsigned long all, resident, shared;

	if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL) ||
	    sscanf(text, "%lu %lu %lu", &all, &resident, &shared) != 3)
		g_error("/proc/self/statm cannot be read");
	made->most_kib = MAX(made->most_kib,
			     (resident - shared) * ((unsigned long)sysconf(_SC_PAGESIZE) / 1024));
}

static struct sysprof_account account_of(const struct made *made, unsigned cpu)
{
	uint64_t n = made->delivered[cpu];

	return (struct sysprof_account){ .grid = n, .delivered = n, .samples = n };
}

/* Behind @record. */
static void put_account(const struct made *made, const struct sysprof_record *record,
			SptTraceFunc func, void *data)
{
	struct sysprof_account_record account = {
		.record = head(SYSPROF_ACCOUNT, sizeof(account), record->time, record->cpu, 0),
		.account = account_of(made, record->cpu),
	};

	func(&account.record, data);
}

static bool made_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct made *made = (struct made *)trace;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct record made_now;
	struct event event;

	(void)error;
	for (; made->next < made->n; made->next++) {
		const struct sysprof_record *handed;
		const struct record *record = &made_now;

		if (made->is_flood)
			make_new(made, &made_now, made->next);
		else
			record = &made->records[made->next];
		if (!made->is_flood && !all && record->sample.record.time >= now)
			break;
		handed = &record->sample.record;
		made->delivered[handed->cpu] += !made->has_waits;
		if (made->has_waits) {
			make_event(&event, &record->sample, made->next);
			handed = &event.event.record;
		}
		func(trace->once ? spt_once_take(trace->once, handed) : handed, data);
		if (made->is_flood && made->next % LOOK_SAMPLES < CPUS) {
			look_at_memory(made);
			put_account(made, &record->sample.record, func, data);
		}
	}
	return true;
}

static bool made_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			  GError **error)
{
	static const char path[] = "/nowhere/made";
	struct made *made = (struct made *)trace;
	size_t bytes = (sizeof(struct sysprof_object) + sizeof(path) + 7) / 8 * 8;
	g_autofree struct sysprof_object *object = g_malloc0(bytes);

	(void)error;
	*ret_busy = 0;
	for (unsigned pid = 100; pid < 100 + THREADS; pid++) {
		struct sysprof_task task = { .record = head(SYSPROF_TASK, sizeof(task), made->start,
							    0, pid),
					     .mm = pid,
					     .comm = "made" };
		struct sysprof_map map = {
			.record = head(SYSPROF_MAP, sizeof(map), made->start, 0, pid),
			.mm = pid,
			.start = FILE_START,
			.end = FILE_START + 2 * FILE_BYTES,
			.object = SYSPROF_OBJECT_FIRST,
		};

		func(&task.record, data);
		func(&map.record, data);
	}
	object->record = head(SYSPROF_OBJECT, bytes, made->start, 0, 0);
	object->object = SYSPROF_OBJECT_FIRST;
	object->path_bytes = sizeof(path) - 1;
	memcpy(object->path, path, sizeof(path));
	func(&object->record, data);
	return true;
}

static bool made_has_cpu(const SptTrace *trace, unsigned cpu)
{
	return cpu < trace->n_cpus;
}

static bool made_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error)
{
	(void)error;
	*ret = (struct sysprof_stats){ .size = sizeof(*ret),
				       .cpu = cpu,
				       .time = clock_ns(CLOCK_MONOTONIC) };
	ret->account = account_of((struct made *)trace, cpu);
	return true;
}

static bool made_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error)
{
	(void)trace;
	(void)error;
	for (unsigned i = 0; i < n; i++)
		snprintf(names[i].symbol, sizeof(names[i].symbol), "made_%llx",
			 (unsigned long long)names[i].frame);
	return true;
}

static int made_map_fd(SptTrace *trace, uint32_t object)
{
	(void)trace;
	(void)object;
	return -1;
}

static bool made_region_start(SptTrace *trace, uint32_t object, uint64_t *ret)
{
	(void)trace;
	(void)object;
	(void)ret;
	return false;
}

static const struct spt_trace_source made_source = {
	.abilities = { .name = "made" },
	.clock = "made",
	.records = {
		.free = made_free,
		.start = made_start,
		.stop = made_stop,
		.wait = made_wait,
		.drain = made_drain,
		.snapshot = made_snapshot,
		.has_cpu = made_has_cpu,
		.stats = made_stats,
	},
	.services = {
		.names = made_names,
		.map_fd = made_map_fd,
		.region_start = made_region_start,
	},
};

static void make_records(struct made *made)
{
	uint64_t (*paths)[FRAMES] = g_malloc0_n(THREADS, sizeof(*paths));
	g_autofree struct place *places = g_new0(struct place, CPUS * PLACES);
	/* Before their outer frames are removed. */
	g_autofree struct record *frames = g_new(struct record, AGAIN);

	made->records = g_new(struct record, made->n);
	for (uint64_t i = 0; i < made->n; i++) {
		unsigned pid = 100 + (unsigned)(i / CPUS / SLICE * 7 + i % CPUS * 13) % THREADS;

		if (made->has_again && i >= AGAIN)
			make_again(made, &made->records[i], i, frames);
		else
			make_next(made, &made->records[i], i, paths[pid - 100]);
		if (i < AGAIN)
			frames[i] = made->records[i];
		if (made->has_outer)
			send_once(places, &made->records[i]);
	}
	g_free(paths);
}

int main(int argc, char **argv)
{
	bool is_last = argc == 5 && !strcmp(argv[2], "last");
	bool is_flood = is_last || (argc == 5 && !strcmp(argv[2], "flood"));
	bool is_paced = argc >= 6 && argc <= 8 && !strcmp(argv[2], "paced");
	SptRecorderOptions options = { 0 };
	g_autoptr(SptRecorder) recorder = NULL;
	g_autoptr(GError) error = NULL;
	struct made made = { .trace = { .source = &made_source, .n_cpus = CPUS },
			     .random = 88172645463325252,
			     .is_flood = is_flood };
	uint64_t begin;

	if (!is_flood && !is_paced) {
		fprintf(stderr,
			"Usage: gen-recorded OUT flood|last SAMPLES MIB, or gen-recorded OUT paced SECONDS HZ frames|addresses|outer [waits] [again]\n");
		return 2;
	}
	made.period_ns = is_flood ? 1000000 : (uint64_t)(1e9 / atof(argv[4]));
	made.n = is_flood ? strtoull(argv[3], NULL, 10) :
			    (uint64_t)(atof(argv[3]) * atof(argv[4])) * CPUS;
	made.has_addresses = is_paced && !strcmp(argv[5], "addresses");
	made.has_outer = is_paced && !strcmp(argv[5], "outer");
	options.waits.is_on = made.has_waits = is_paced && argc > 6 && !strcmp(argv[6], "waits");
	made.has_again = is_paced && argc > 6 && !strcmp(argv[argc - 1], "again");
	if (made.has_outer)
		made.trace.once = spt_once_new(CPUS);
	/* A flood has lasted for a while. */
	made.start = clock_ns(CLOCK_MONOTONIC) - (is_flood ? made.n / CPUS * made.period_ns : 0);
	if (is_paced)
		make_records(&made);
	options.trace = &made.trace;
	options.output = argv[1];
	options.last_ns = is_last ? made.n * made.period_ns : 0;
	options.memory_bytes = is_flood ? strtoull(argv[4], NULL, 10) << 20 : 0;
	recorder = spt_recorder_new(&options, &error);
	if (!recorder || !spt_recorder_start(recorder, &error))
		g_error("%s", error->message);
	begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (made.next < made.n)
		if (!spt_recorder_step(recorder, 20, &error))
			g_error("%s", error->message);
	if (is_paced)
		printf("recorder_%s %.0f ns\nrecorder_samples %llu -\n", argv[5],
		       (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) / (double)made.n,
		       (unsigned long long)made.n);
	if (!spt_recorder_finish(recorder, NULL, &error))
		g_error("%s", error->message);
	look_at_memory(&made);
	if (is_flood)
		printf("%lu\n", made.most_kib);
	return 0;
}
