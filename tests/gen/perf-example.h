/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files as perf record writes them, without perf: the program "busy" and the kernel, on two
 * CPUs, in one round and what comes after it.
 */
#ifndef SPT_TESTS_PERF_EXAMPLE_H
#define SPT_TESTS_PERF_EXAMPLE_H

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#define PERF_EXAMPLE_SAMPLES	6	/* of the first event */
#define PERF_EXAMPLE_PERIOD_NS	1000000ull
#define PERF_EXAMPLE_PID	70
#define PERF_EXAMPLE_ID		7	/* of the first event; the next one's follows */
#define PERF_EXAMPLE_MAIN	0x401000ull
#define PERF_EXAMPLE_KERNEL	0xffffffff81000000ull
#define PERF_EXAMPLE_COPY_BYTES 64
#define PERF_EXAMPLE_REGISTERS	0xff0fffull
#define PERF_EXAMPLE_COOKIE	0x100000001ull
#define PERF_EXAMPLE_CONTEXT_LATER ((uint64_t)-640)	/* PERF_CONTEXT_USER_DEFERRED */
#define PERF_EXAMPLE_FEATURES	((1ull << 3) | (1ull << 4) | (1ull << 6) | (1ull << 12))

enum {
	PERF_EXAMPLE_PIPE = 1 << 0,
	PERF_EXAMPLE_PACKED = 1 << 1,
	PERF_EXAMPLE_COPIES = 1 << 2,	/* stacks are copied, with registers */
	PERF_EXAMPLE_EVENTS = 1 << 3,	/* two of them */
	PERF_EXAMPLE_LATER = 1 << 4,	/* user stacks come after their samples */
	PERF_EXAMPLE_NEVER = 1 << 5,	/* as the one before; the last one does not come */
	PERF_EXAMPLE_OLD = 1 << 6,	/* mappings as before Linux 3.16 */
	PERF_EXAMPLE_CPUS = 1 << 7,	/* with two: both count cycles, on CPUs of two kinds */
	PERF_EXAMPLE_ONE_KIND = 1 << 8,	/* those of the first kind were idle */
};

/* A record of @type, with what is behind its header. */
static inline void perf_example_put(GByteArray *to, unsigned type, unsigned misc, const void *bytes,
				    size_t n)
{
	const struct perf_event_header header = { type, (uint16_t)misc,
						  (uint16_t)(sizeof(header) + (n + 7) / 8 * 8) };
	const uint64_t zero = 0;

	g_byte_array_append(to, (const void *)&header, sizeof(header));
	g_byte_array_append(to, bytes, (guint)n);
	g_byte_array_append(to, (const void *)&zero, (guint)(header.size - sizeof(header) - n));
}

static inline void perf_example_words(GByteArray *to, const uint64_t *words, size_t n)
{
	g_byte_array_append(to, (const void *)words, (guint)(8 * n));
}

#define PERF_EXAMPLE_WORDS(to, ...)                                                                \
	perf_example_words(to, (const uint64_t[]){ __VA_ARGS__ },                                  \
			   sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)
#define PERF_EXAMPLE_TASK ((uint64_t)PERF_EXAMPLE_PID << 32 | PERF_EXAMPLE_PID)

/* A text with at least one nul, in whole words. */
static inline void perf_example_text(GByteArray *to, const char *text)
{
	uint64_t words[8] = { 0 };

	g_strlcpy((char *)words, text, sizeof(words));
	perf_example_words(to, words, strlen(text) / 8 + 1);
}

static inline void perf_example_end(GByteArray *to, uint64_t time)
{
	PERF_EXAMPLE_WORDS(to, PERF_EXAMPLE_TASK, time, 0, PERF_EXAMPLE_ID);
}

static inline struct perf_event_attr perf_example_attr(unsigned flags, unsigned i)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = i ? 1 : PERF_EXAMPLE_PERIOD_NS,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
	};

	if (flags & PERF_EXAMPLE_CPUS) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = (i ? 4ull : 10ull) << 32 | PERF_COUNT_HW_CPU_CYCLES;
		attr.sample_period = PERF_EXAMPLE_PERIOD_NS;
	}
	if (flags & PERF_EXAMPLE_COPIES) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = PERF_EXAMPLE_REGISTERS;
		attr.sample_stack_user = PERF_EXAMPLE_COPY_BYTES;
	}
	return attr;
}

static inline void perf_example_map(GByteArray *to, unsigned flags, uint64_t task, uint64_t address,
				    uint64_t bytes, const char *path)
{
	g_autoptr(GByteArray) map = g_byte_array_new();

	PERF_EXAMPLE_WORDS(map, task, address, bytes, task == PERF_EXAMPLE_TASK ? 0x1000 : address);
	if (task == PERF_EXAMPLE_TASK)
		PERF_EXAMPLE_WORDS(map, 0, 5, 0);
	if (task == PERF_EXAMPLE_TASK && !(flags & PERF_EXAMPLE_OLD))
		PERF_EXAMPLE_WORDS(map, 5);
	perf_example_text(map, path);
	perf_example_end(map, 0);
	perf_example_put(to, task == PERF_EXAMPLE_TASK ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
			 task == PERF_EXAMPLE_TASK ? PERF_RECORD_MISC_USER :
						     PERF_RECORD_MISC_KERNEL,
			 map->data, map->len);
}

/* In main and what it called, every second one in the kernel. */
static inline void perf_example_sample(GByteArray *to, unsigned flags, uint64_t id, unsigned i)
{
	g_autoptr(GByteArray) sample = g_byte_array_new();
	bool in_kernel = i % 2;
	uint64_t ip = in_kernel ? PERF_EXAMPLE_KERNEL + 0x10 : PERF_EXAMPLE_MAIN + 0x20;

	PERF_EXAMPLE_WORDS(sample, id, ip, PERF_EXAMPLE_TASK, 5000000000ull + i * 1000003ull, i % 2,
			   PERF_EXAMPLE_PERIOD_NS);
	if (flags & PERF_EXAMPLE_LATER && in_kernel)
		PERF_EXAMPLE_WORDS(sample, 4, PERF_CONTEXT_KERNEL, ip, PERF_EXAMPLE_CONTEXT_LATER,
				   PERF_EXAMPLE_COOKIE + i);
	else if (flags & PERF_EXAMPLE_LATER)
		PERF_EXAMPLE_WORDS(sample, 2, PERF_EXAMPLE_CONTEXT_LATER, PERF_EXAMPLE_COOKIE + i);
	else if (in_kernel)
		PERF_EXAMPLE_WORDS(sample, 5, PERF_CONTEXT_KERNEL, ip, PERF_CONTEXT_USER,
				   PERF_EXAMPLE_MAIN + 0x20, PERF_EXAMPLE_MAIN + 0x8);
	else
		PERF_EXAMPLE_WORDS(sample, 3, PERF_CONTEXT_USER, ip, PERF_EXAMPLE_MAIN + 0x8);
	if (flags & PERF_EXAMPLE_COPIES) {
		PERF_EXAMPLE_WORDS(sample, PERF_SAMPLE_REGS_USER);
		for (unsigned bit = 0; bit < 64; bit++)
			if (PERF_EXAMPLE_REGISTERS >> bit & 1)
				PERF_EXAMPLE_WORDS(sample, bit == 8 ? PERF_EXAMPLE_MAIN : 0x7000);
		PERF_EXAMPLE_WORDS(sample, PERF_EXAMPLE_COPY_BYTES, 1, PERF_EXAMPLE_MAIN + 8, 3, 4,
				   5, 6, 7, 8, PERF_EXAMPLE_COPY_BYTES);
	}
	perf_example_put(to, PERF_RECORD_SAMPLE,
			 in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, sample->data,
			 sample->len);
}

/* The user stack of that sample, when the kernel goes back to the program. */
static inline void perf_example_later(GByteArray *to, unsigned i)
{
	const unsigned callchain_deferred = 22;
	g_autoptr(GByteArray) chain = g_byte_array_new();

	PERF_EXAMPLE_WORDS(chain, PERF_EXAMPLE_COOKIE + i, 3, PERF_CONTEXT_USER,
			   PERF_EXAMPLE_MAIN + 0x20, PERF_EXAMPLE_MAIN + 0x8);
	perf_example_end(chain, 5000000000ull + i * 1000003ull + 500);
	perf_example_put(to, callchain_deferred, PERF_RECORD_MISC_USER, chain->data, chain->len);
}

static inline void perf_example_task(GByteArray *to, unsigned type, uint32_t tid, uint64_t time)
{
	g_autoptr(GByteArray) task = g_byte_array_new();
	const uint32_t ids[] = { PERF_EXAMPLE_PID, PERF_EXAMPLE_PID, tid, PERF_EXAMPLE_PID };

	g_byte_array_append(task, (const void *)ids, sizeof(ids));
	PERF_EXAMPLE_WORDS(task, time);
	perf_example_end(task, time);
	perf_example_put(to, type, 0, task->data, task->len);
}

static inline void perf_example_records(GByteArray *to, unsigned flags)
{
	const unsigned finished_round = 68;
	g_autoptr(GByteArray) comm = g_byte_array_new();

	perf_example_map(to, flags, UINT32_MAX, PERF_EXAMPLE_KERNEL, 0x1000000,
			 "[kernel.kallsyms]_text");
	PERF_EXAMPLE_WORDS(comm, PERF_EXAMPLE_TASK);
	perf_example_text(comm, "busy");
	perf_example_end(comm, 4000000000ull);
	perf_example_put(to, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, comm->data, comm->len);
	perf_example_map(to, flags, PERF_EXAMPLE_TASK, PERF_EXAMPLE_MAIN, 0x3000, "/usr/bin/busy");
	perf_example_task(to, PERF_RECORD_FORK, PERF_EXAMPLE_PID + 1, 4500000000ull);
	for (unsigned i = 0; i < PERF_EXAMPLE_SAMPLES; i++) {
		if (!(flags & PERF_EXAMPLE_ONE_KIND))
			perf_example_sample(to, flags, PERF_EXAMPLE_ID, i);
		if (flags & PERF_EXAMPLE_EVENTS)
			perf_example_sample(to, flags, PERF_EXAMPLE_ID + 1, i);
		if (i == PERF_EXAMPLE_SAMPLES / 2)
			perf_example_put(to, finished_round, 0, NULL, 0);
	}
	/* After a round, and the last one first. */
	for (unsigned i = PERF_EXAMPLE_SAMPLES; flags & PERF_EXAMPLE_LATER && i-- > 0;)
		if (!(flags & PERF_EXAMPLE_NEVER && i == PERF_EXAMPLE_SAMPLES - 1))
			perf_example_later(to, i);
	perf_example_task(to, PERF_RECORD_EXIT, PERF_EXAMPLE_PID + 1, 6000000000ull);
}

/* What -z makes of records. */
static inline void perf_example_pack(GByteArray *records)
{
	const unsigned compressed = 81;
	char packed[16384];
	size_t n = ZSTD_compress(packed, sizeof(packed), records->data, records->len, 1);

	g_assert_false(ZSTD_isError(n));
	g_byte_array_set_size(records, 0);
	/* Its size is not rounded up, unlike those of all others. */
	perf_example_put(records, compressed, 0, packed, n);
	((struct perf_event_header *)(void *)records->data)->size = (uint16_t)(8 + n);
	g_byte_array_set_size(records, (guint)(8 + n));
}

/* The text of a feature; of the last one the names of the events. */
static inline void perf_example_feature(GByteArray *to, unsigned bit, unsigned flags)
{
	static const char *const texts[] = { [3] = "example", [4] = "6.1.0", [6] = "x86_64" };
	const uint32_t events[] = { flags & PERF_EXAMPLE_EVENTS ? 2 : 1,
				    sizeof(struct perf_event_attr) };
	const uint32_t length = 64;
	char text[64] = "";

	if (bit < G_N_ELEMENTS(texts)) {
		g_strlcpy(text, texts[bit], sizeof(text));
		g_byte_array_append(to, (const void *)&length, sizeof(length));
		g_byte_array_append(to, (const void *)text, sizeof(text));
		return;
	}
	g_byte_array_append(to, (const void *)events, sizeof(events));
	for (unsigned i = 0; i < events[0]; i++) {
		const struct perf_event_attr attr = perf_example_attr(flags, i);
		const uint64_t id = PERF_EXAMPLE_ID + i;
		const uint32_t one = 1;

		if (flags & PERF_EXAMPLE_CPUS)
			g_strlcpy(text, i ? "cpu_core/cycles/" : "cpu_atom/cycles/", sizeof(text));
		else
			g_strlcpy(text, i ? "page-faults" : "cpu-clock", sizeof(text));
		g_byte_array_append(to, (const void *)&attr, sizeof(attr));
		g_byte_array_append(to, (const void *)&one, sizeof(one));
		g_byte_array_append(to, (const void *)&length, sizeof(length));
		g_byte_array_append(to, (const void *)text, sizeof(text));
		g_byte_array_append(to, (const void *)&id, sizeof(id));
	}
}

static inline void perf_example_pipe(GByteArray *to, unsigned flags, const GByteArray *records)
{
	const unsigned header_attr = 64, header_feature = 80;

	g_byte_array_append(to, (const void *)"PERFILE2", 8);
	PERF_EXAMPLE_WORDS(to, 16);
	for (unsigned i = 0; i < (flags & PERF_EXAMPLE_EVENTS ? 2 : 1); i++) {
		const struct perf_event_attr attr = perf_example_attr(flags, i);
		g_autoptr(GByteArray) both = g_byte_array_new();

		g_byte_array_append(both, (const void *)&attr, sizeof(attr));
		PERF_EXAMPLE_WORDS(both, PERF_EXAMPLE_ID + i);
		perf_example_put(to, header_attr, 0, both->data, both->len);
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		g_autoptr(GByteArray) feature = g_byte_array_new();

		if (!(PERF_EXAMPLE_FEATURES >> bit & 1))
			continue;
		PERF_EXAMPLE_WORDS(feature, bit);
		perf_example_feature(feature, bit, flags);
		perf_example_put(to, header_feature, 0, feature->data, feature->len);
	}
	g_byte_array_append(to, records->data, records->len);
}

/* Header, ids, attributes, records, places of features, features. */
static inline void perf_example_file(GByteArray *to, unsigned flags, const GByteArray *records)
{
	const unsigned n_events = flags & PERF_EXAMPLE_EVENTS ? 2 : 1, head = 104;
	const uint64_t ids = head, attrs = ids + 8ull * n_events,
		       attr_bytes = sizeof(struct perf_event_attr) + 16,
		       at = attrs + n_events * attr_bytes;
	g_autoptr(GByteArray) features = g_byte_array_new();
	uint64_t next = at + records->len + 16ull * 4;

	g_byte_array_append(to, (const void *)"PERFILE2", 8);
	PERF_EXAMPLE_WORDS(to, head, attr_bytes, attrs, n_events * attr_bytes, at, records->len, 0,
			   0, PERF_EXAMPLE_FEATURES, 0, 0, 0);
	for (unsigned i = 0; i < n_events; i++)
		PERF_EXAMPLE_WORDS(to, PERF_EXAMPLE_ID + i);
	for (unsigned i = 0; i < n_events; i++) {
		const struct perf_event_attr attr = perf_example_attr(flags, i);

		g_byte_array_append(to, (const void *)&attr, sizeof(attr));
		PERF_EXAMPLE_WORDS(to, ids + 8ull * i, 8);
	}
	g_byte_array_append(to, records->data, records->len);
	for (unsigned bit = 0; bit < 64; bit++) {
		guint before = features->len;

		if (!(PERF_EXAMPLE_FEATURES >> bit & 1))
			continue;
		perf_example_feature(features, bit, flags);
		PERF_EXAMPLE_WORDS(to, next, features->len - before);
		next += features->len - before;
	}
	g_byte_array_append(to, features->data, features->len);
}

/* A file as the flags say; the caller's to free. */
static inline GByteArray *perf_example_new(unsigned flags)
{
	g_autoptr(GByteArray) records = g_byte_array_new();
	GByteArray *file = g_byte_array_new();

	perf_example_records(records, flags);
	if (flags & PERF_EXAMPLE_PACKED)
		perf_example_pack(records);
	if (flags & PERF_EXAMPLE_PIPE)
		perf_example_pipe(file, flags, records);
	else
		perf_example_file(file, flags, records);
	return file;
}

#endif
