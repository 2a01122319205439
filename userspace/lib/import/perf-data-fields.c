/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf-data-fields.h"

#include <string.h>

#include "trace/perf/raw.h"
#include "trace/perf/records.h"

/* Since Linux 5.7, 6.0 and 6.8; older headers lack them. */
#define BRANCH_HW_INDEX	 (1u << 17)
#define BRANCH_COUNTERS	 (1u << 19)
#define BRANCH_CALLS	 PERF_SAMPLE_BRANCH_CALL_STACK
#define FORMAT_LOST	 (1u << 4)
#define BRANCH_WORDS	 3

/* The 64-bit words of a record that are left. */
struct words {
	const uint64_t *at;
	size_t n;
	bool is_short;			/* more were wanted than there are */
};

static uint64_t next_word(struct words *words)
{
	if (words->n == 0) {
		words->is_short = true;
		return 0;
	}
	words->n--;
	return *words->at++;
}

static const uint64_t *next_words(struct words *words, uint64_t n)
{
	const uint64_t *at = words->at;

	if (n > words->n) {
		words->is_short = true;
		return NULL;
	}
	words->n -= n;
	words->at += n;
	return at;
}

static struct words words_of(const struct perf_event_header *record, size_t from)
{
	size_t bytes = record->size > from ? record->size - from : 0;

	return (struct words){ (const uint64_t *)((const uint8_t *)record + from), bytes / 8,
			       false };
}

static void take_task_word(struct spt_perf_fields *fields, uint64_t word)
{
	uint32_t both[2];

	memcpy(both, &word, sizeof(both));
	fields->pid = both[0];
	fields->tid = both[1];
}

static void skip_counts(struct words *words, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
	uint64_t n = format & PERF_FORMAT_GROUP ? next_word(words) : 1;

	next_words(words, n > UINT16_MAX ? UINT16_MAX : times + n * each);
}

static void take_raw(struct words *words, struct spt_perf_fields *fields)
{
	const uint8_t *at = (const uint8_t *)words->at;
	uint32_t bytes;

	if (words->n == 0) {
		words->is_short = true;
		return;
	}
	memcpy(&bytes, words->at, sizeof(bytes));
	if (!next_words(words, ((uint64_t)bytes + sizeof(bytes) + 7) / 8))
		return;
	fields->raw = at + sizeof(bytes);
	fields->raw_bytes = bytes;
}

static void take_branches(struct words *words, uint64_t type, struct spt_perf_fields *fields)
{
	uint64_t n = next_word(words);
	const uint64_t *branches;

	n = MIN(n, UINT16_MAX);
	if (type & BRANCH_HW_INDEX)
		next_word(words);
	branches = next_words(words, n * (BRANCH_WORDS + !!(type & BRANCH_COUNTERS)));
	if (branches && type & BRANCH_CALLS) {
		fields->calls = branches;
		fields->n_calls = n;
	}
}

static void take_stack_words(struct words *words, struct spt_perf_fields *fields)
{
	fields->stack_bytes = next_word(words);
	if (fields->stack_bytes == 0)
		return;
	fields->stack = next_words(words, fields->stack_bytes / 8);
	fields->stack_copied = next_word(words);
	if (fields->stack_bytes % 8 || fields->stack_copied > fields->stack_bytes)
		words->is_short = true;
}

bool spt_perf_fields_parse(const struct perf_event_header *record,
			   const struct perf_event_attr *attr, struct spt_perf_fields *ret)
{
	struct words words = words_of(record, sizeof(*record));
	const uint64_t type = attr->sample_type;

	*ret = (struct spt_perf_fields){ 0 };
	if (type & PERF_SAMPLE_IDENTIFIER)
		ret->id = next_word(&words);
	if (type & PERF_SAMPLE_IP)
		ret->ip = next_word(&words);
	if (type & PERF_SAMPLE_TID)
		take_task_word(ret, next_word(&words));
	if (type & PERF_SAMPLE_TIME)
		ret->time = next_word(&words);
	if (type & PERF_SAMPLE_ADDR)
		next_word(&words);
	if (type & PERF_SAMPLE_ID)
		ret->id = next_word(&words);
	if (type & PERF_SAMPLE_STREAM_ID)
		next_word(&words);
	if (type & PERF_SAMPLE_CPU)
		ret->cpu = (uint32_t)next_word(&words);
	if (type & PERF_SAMPLE_PERIOD)
		ret->period = next_word(&words);
	if (type & PERF_SAMPLE_READ)
		skip_counts(&words, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		ret->n_frames = next_word(&words);
		ret->frames = next_words(&words, ret->n_frames);
	}
	if (type & PERF_SAMPLE_RAW)
		take_raw(&words, ret);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(&words, attr->branch_sample_type, ret);
	if (type & PERF_SAMPLE_REGS_USER) {
		ret->registers_abi = next_word(&words);
		if (ret->registers_abi)
			ret->registers = next_words(
				&words, (uint64_t)__builtin_popcountll(attr->sample_regs_user));
	}
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack_words(&words, ret);
	return !words.is_short;
}

size_t spt_perf_fields_end_bytes(const struct perf_event_attr *attr)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return attr->sample_id_all ?
		       8 * (size_t)__builtin_popcountll(attr->sample_type & fields) :
		       0;
}

bool spt_perf_fields_parse_end(const struct perf_event_header *record,
			       const struct perf_event_attr *attr, struct spt_perf_fields *ret)
{
	size_t bytes = spt_perf_fields_end_bytes(attr);
	const uint64_t type = attr->sample_type;
	struct words words;

	*ret = (struct spt_perf_fields){ 0 };
	if (record->size < sizeof(*record) + bytes)
		return false;
	if (bytes == 0)
		return true;
	words = words_of(record, record->size - bytes);
	if (type & PERF_SAMPLE_TID)
		take_task_word(ret, next_word(&words));
	if (type & PERF_SAMPLE_TIME)
		ret->time = next_word(&words);
	if (type & PERF_SAMPLE_ID)
		ret->id = next_word(&words);
	if (type & PERF_SAMPLE_STREAM_ID)
		next_word(&words);
	if (type & PERF_SAMPLE_CPU)
		ret->cpu = (uint32_t)next_word(&words);
	if (type & PERF_SAMPLE_IDENTIFIER)
		ret->id = next_word(&words);
	return !words.is_short;
}

static bool nth_word(const struct perf_event_header *record, unsigned n, uint64_t *ret)
{
	if (record->size < sizeof(*record) + (n + 1) * sizeof(*ret))
		return false;
	*ret = ((const uint64_t *)(record + 1))[n];
	return true;
}

bool spt_perf_fields_id(const struct perf_event_header *record, const struct perf_event_attr *attr,
			uint64_t *ret)
{
	const uint64_t type = attr->sample_type;
	unsigned before = !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
			  !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);

	return type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID) &&
	       nth_word(record, type & PERF_SAMPLE_IDENTIFIER ? 0 : before, ret);
}

bool spt_perf_fields_time(const struct perf_event_header *record,
			  const struct perf_event_attr *attr, uint64_t *ret)
{
	const uint64_t type = attr->sample_type;
	unsigned before = !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP) +
			  !!(type & PERF_SAMPLE_TID);

	*ret = 0;
	return !(type & PERF_SAMPLE_TIME) || nth_word(record, before, ret);
}

/* In the one layout. */

/*
 * A record that is being made: its words are written where there is room for all of them.  The
 * buffer stays as large as it was needed once: a record's size is in its header.
 */
struct made {
	GByteArray *buffer;
	uint64_t *at;
};

/* @bytes: no fewer than it gets. */
static struct made begin_record(GByteArray *buffer, size_t bytes)
{
	bytes += sizeof(struct perf_event_header);
	if (buffer->len < bytes)
		g_byte_array_set_size(buffer, (guint)bytes);
	return (struct made){ buffer, (uint64_t *)(void *)buffer->data + 1 };
}

static size_t bytes_of_made(const struct made *made)
{
	return (size_t)((const uint8_t *)made->at - made->buffer->data);
}

static void append_words(struct made *made, const void *words, uint64_t n)
{
	memcpy(made->at, words, n * 8);
	made->at += n;
}

static void append_word(struct made *made, uint64_t word)
{
	*made->at++ = word;
}

/* The registers that this machine's unwinder takes, if the sample has all of them. */
static bool put_registers(const struct perf_event_attr *attr, const struct spt_perf_fields *fields,
			  struct made *made)
{
	const uint64_t wanted = spt_perf_raw_registers(), there = attr->sample_regs_user;

	if (!wanted || (there & wanted) != wanted ||
	    fields->registers_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	append_word(made, fields->registers_abi);
	for (unsigned bit = 0, at = 0; bit < 64; bit++) {
		if (wanted >> bit & 1)
			append_word(made, fields->registers[at]);
		at += there >> bit & 1;
	}
	return true;
}

/* A sample without a stack has its instruction, in the mode that its header has. */
static void put_instruction(const struct perf_event_header *record,
			    const struct spt_perf_fields *fields, struct made *made)
{
	bool is_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			 PERF_RECORD_MISC_KERNEL;

	append_word(made, 2);
	append_word(made, is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
	append_word(made, fields->ip);
}

/*
 * The user part of a stack that hardware recorded.  A caller's frame is a return address elsewhere:
 * one more than where the call is.
 */
static void put_calls(const struct perf_event_header *record, const struct spt_perf_fields *fields,
		      struct made *made)
{
	bool is_user = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	uint64_t n = 0;

	while (n < fields->n_frames && fields->frames[n] != PERF_CONTEXT_USER)
		n++;
	append_word(made, n + 2 + fields->n_calls);
	append_words(made, fields->frames, n);
	append_word(made, PERF_CONTEXT_USER);
	append_word(made, is_user ? fields->ip : fields->calls[1]);
	for (uint64_t i = 0; i < fields->n_calls; i++)
		append_word(made, fields->calls[i * BRANCH_WORDS] + 1);
}

static const struct perf_event_header *end_record(struct made *made, unsigned type, unsigned misc)
{
	struct perf_event_header *header = (void *)made->buffer->data;
	size_t bytes = bytes_of_made(made);

	if (bytes > UINT16_MAX)
		return NULL;
	*header = (struct perf_event_header){
		.type = type, .misc = (uint16_t)misc, .size = (uint16_t)bytes
	};
	return header;
}

static void put_task_and_time(const struct spt_perf_fields *fields, struct made *made)
{
	const uint32_t task[2] = { fields->pid, fields->tid };

	append_words(made, task, 1);
	append_word(made, fields->time);
}

/* More than any sample in the one layout has: frames or calls, 80 words, and all behind them. */
static size_t bytes_of_sample(const struct spt_perf_fields *fields)
{
	return (size_t)(fields->n_frames + fields->n_calls + 16 + 64) * 8 + fields->stack_bytes;
}

const struct perf_event_header *spt_perf_fields_sample(const struct perf_event_header *record,
						       const struct perf_event_attr *attr,
						       const struct spt_perf_fields *fields,
						       GByteArray *buffer)
{
	struct made made = begin_record(buffer, bytes_of_sample(fields));
	uint64_t *before;

	put_task_and_time(fields, &made);
	if (fields->n_calls) {
		put_calls(record, fields, &made);
	} else if (fields->n_frames) {
		append_word(&made, fields->n_frames);
		append_words(&made, fields->frames, fields->n_frames);
	} else {
		put_instruction(record, fields, &made);
	}
	before = made.at;
	if (fields->stack_copied && put_registers(attr, fields, &made)) {
		append_word(&made, fields->stack_bytes);
		append_words(&made, fields->stack, fields->stack_bytes / 8);
		append_word(&made, fields->stack_copied);
	}
	if (bytes_of_made(&made) > UINT16_MAX)
		made.at = before;
	return end_record(&made, PERF_RECORD_SAMPLE, record->misc);
}

const struct perf_event_header *spt_perf_fields_state(const struct perf_event_header *record,
						      size_t own_bytes,
						      const struct spt_perf_fields *fields,
						      GByteArray *buffer)
{
	struct made made = begin_record(buffer, own_bytes + 16);

	append_words(&made, record + 1, (own_bytes - sizeof(*record)) / 8);
	put_task_and_time(fields, &made);
	return end_record(&made, record->type, record->misc);
}
