/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions are a sequence by start, none of which overlaps another; each that is added takes
 * away those in its place.  What was taken away is kept in the order of that, and found by the
 * pages it lay on.
 */
#include "symbols/jit-code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 1024
#define CHUNK_BYTES (256u << 10)	/* a line must fit */
#define PAGE_BITS 12
/* Larger functions are none, and a program may replace its code for days. */
#define PAST_PAGES_MAX 1024
#define PAST_MAX (1u << 20)

/* What lies there no more. */
struct past {
	SptJitFunction function;
	uint64_t end_ns;
};

struct SptJitCode {
	GSequence *functions;		/* of SptJitFunction, by start */
	GStringChunk *names;
	uint64_t since_ns;
	GArray *past;			/* struct past, by end */
	GHashTable *past_on;		/* page -> GArray of uint32_t, numbers in it */
};

static void free_numbers(void *numbers)
{
	g_array_unref(numbers);
}

SptJitCode *spt_jit_code_new(uint64_t since_ns)
{
	SptJitCode *code = g_new0(SptJitCode, 1);

	code->since_ns = since_ns;
	code->past = g_array_new(FALSE, FALSE, sizeof(struct past));
	code->past_on = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_numbers);
	code->functions = g_sequence_new(g_free);
	code->names = g_string_chunk_new(1 << 14);
	return code;
}

void spt_jit_code_free(SptJitCode *code)
{
	if (!code)
		return;
	g_array_unref(code->past);
	g_hash_table_unref(code->past_on);
	g_sequence_free(code->functions);
	g_string_chunk_free(code->names);
	g_free(code);
}

static int compare_start(const void *a, const void *b, void *data)
{
	const SptJitFunction *x = a, *y = b;

	(void)data;
	return (x->start > y->start) - (x->start < y->start);
}

/* The first function that begins behind @address. */
static GSequenceIter *behind(const SptJitCode *code, uint64_t address)
{
	return g_sequence_search(code->functions, &(SptJitFunction){ .start = address },
				 compare_start, NULL);
}

static const char *clean(SptJitCode *code, const char *name, size_t bytes)
{
	g_autofree char *copy = g_strndup(name, MIN(bytes, NAME_MAX_BYTES)),
			*text = g_utf8_make_valid(copy, -1);

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return g_string_chunk_insert_const(code->names, g_strstrip(text));
}

static void keep_past(SptJitCode *code, const SptJitFunction *function, uint64_t time_ns)
{
	uint64_t first = function->start >> PAGE_BITS,
		 last = (function->start + function->bytes - 1) >> PAGE_BITS;
	struct past past = { *function, time_ns };
	uint32_t number = code->past->len;

	if (time_ns <= code->since_ns || number == PAST_MAX || last - first >= PAST_PAGES_MAX)
		return;
	if (number > 0)
		past.end_ns =
			MAX(time_ns, g_array_index(code->past, struct past, number - 1).end_ns);
	g_array_append_val(code->past, past);
	for (uint64_t page = first; page <= last; page++) {
		GArray *numbers = g_hash_table_lookup(code->past_on, &page);

		if (!numbers) {
			numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
			g_hash_table_insert(code->past_on, g_memdup2(&page, sizeof(page)), numbers);
		}
		g_array_append_val(numbers, number);
	}
}

void spt_jit_code_add(SptJitCode *code, uint64_t time_ns, uint64_t start, uint64_t bytes,
		      const char *name, size_t name_bytes)
{
	SptJitFunction *function;
	GSequenceIter *next;

	if (!bytes || start + bytes < start)
		return;
	name = clean(code, name, name_bytes);
	next = behind(code, start + bytes - 1);
	while (!g_sequence_iter_is_begin(next)) {
		GSequenceIter *before = g_sequence_iter_prev(next);

		function = g_sequence_get(before);
		if (function->start + function->bytes <= start)
			break;
		/* Told once more it is the same. */
		if (function->start != start || function->name != name)
			keep_past(code, function, time_ns);
		g_sequence_remove(before);
	}
	function = g_new(SptJitFunction, 1);
	*function = (SptJitFunction){ .start = start, .bytes = bytes, .name = name };
	g_sequence_insert_before(next, function);
}

bool spt_jit_code_find(const SptJitCode *code, uint64_t address, SptJitFunction *ret)
{
	GSequenceIter *next = behind(code, address);
	const SptJitFunction *function;

	if (g_sequence_iter_is_begin(next))
		return false;
	function = g_sequence_get(g_sequence_iter_prev(next));
	if (address - function->start >= function->bytes)
		return false;
	*ret = *function;
	return true;
}

uint32_t spt_jit_code_epoch(const SptJitCode *code, uint64_t time_ns)
{
	uint32_t low = 0, high = code->past->len;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g_array_index(code->past, struct past, middle).end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The first @n at most of what lay at @address until @time_ns: how many, and in @ret, unless NULL,
 * the last of them.
 */
static uint32_t past_at(const SptJitCode *code, uint64_t address, uint64_t time_ns, uint32_t n,
			SptJitFunction *ret)
{
	uint64_t page = address >> PAGE_BITS;
	const GArray *numbers = g_hash_table_lookup(code->past_on, &page);
	uint32_t found = 0;

	for (unsigned i = 0; numbers && i < numbers->len && found < n; i++) {
		const struct past *past = &g_array_index(code->past, struct past,
							 g_array_index(numbers, uint32_t, i));

		if (past->end_ns > time_ns)
			break;
		if (address - past->function.start >= past->function.bytes)
			continue;
		found++;
		if (ret)
			*ret = past->function;
	}
	return found;
}

uint32_t spt_jit_code_generation(const SptJitCode *code, uint64_t address, uint64_t time_ns)
{
	return past_at(code, address, time_ns, UINT32_MAX, NULL);
}

bool spt_jit_code_find_generation(const SptJitCode *code, uint64_t address, uint32_t generation,
				  SptJitFunction *ret)
{
	return past_at(code, address, UINT64_MAX, generation + 1, ret) > generation ||
	       spt_jit_code_find(code, address, ret);
}

/* perf-PID.map. */

static bool take_line(SptJitCode *code, uint64_t time_ns, const char *line, const char *end)
{
	char numbers[48] = "", *rest;
	uint64_t start, bytes;

	/* strtoull() must not run on into what follows the line. */
	memcpy(numbers, line, MIN((size_t)(end - line), sizeof(numbers) - 1));
	start = strtoull(numbers, &rest, 16);
	if (rest == numbers || *rest != ' ')
		return false;
	bytes = strtoull(rest + 1, &rest, 16);
	if (*rest != ' ' || rest[-1] == ' ')
		return false;
	line += rest + 1 - numbers;
	spt_jit_code_add(code, time_ns, start, bytes, line, end - line);
	return true;
}

bool spt_jit_read_map(SptJitCode *code, int fd, uint64_t now_ns, uint64_t *at, uint64_t *budget)
{
	uint64_t time_ns = *at ? now_ns : 0;
	g_autofree char *chunk = NULL;
	bool any = false;
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return false;
	if ((uint64_t)stat.st_size < *at)
		*at = 0;
	while (*at < (uint64_t)stat.st_size && *budget) {
		const char *line, *end;
		ssize_t n;

		if (!chunk)
			chunk = g_malloc(CHUNK_BYTES);
		n = pread(fd, chunk, MIN(CHUNK_BYTES, *budget), *at);
		if (n <= 0)
			break;
		for (line = chunk; (end = memchr(line, '\n', chunk + n - line)); line = end + 1)
			any = take_line(code, time_ns, line, end) || any;
		/*
		 * The last line may still be written on; one that fills all there is room for is
		 * none.
		 */
		if (line == chunk && (uint64_t)n < MIN(CHUNK_BYTES, *budget))
			break;
		n = line == chunk ? n : line - chunk;
		*at += n;
		*budget -= n;
	}
	return any;
}

/* jitdump, as Linux's tools/perf/Documentation/jitdump-specification.txt has it. */

#define DUMP_MAGIC 0x4a695444
#define DUMP_VERSION 1

enum { DUMP_LOAD = 0, DUMP_MOVE = 1, DUMP_CLOSE = 3 };

struct dump_header {
	uint32_t magic, version, bytes, machine, padding, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t id, bytes;
	uint64_t time;
};

struct dump_load {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t address, start, code_bytes, index;
	char name[NAME_MAX_BYTES];	/* or less; the code follows it */
};

struct dump_move {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t address, old_start, start, code_bytes, index;
};

union dump_any {
	struct dump_record record;
	struct dump_load load;
	struct dump_move move;
};

static bool take_load(SptJitCode *code, const struct dump_load *load, size_t bytes)
{
	size_t room;

	if (bytes < offsetof(struct dump_load, name))
		return false;
	room = MIN(bytes, sizeof(*load)) - offsetof(struct dump_load, name);
	spt_jit_code_add(code, load->record.time, load->start, load->code_bytes, load->name,
			 strnlen(load->name, room));
	return true;
}

/* What the place it came from was called. */
static bool take_move(SptJitCode *code, const struct dump_move *move, size_t bytes)
{
	SptJitFunction function;

	if (bytes < sizeof(*move) || !spt_jit_code_find(code, move->old_start, &function) ||
	    function.start != move->old_start)
		return false;
	keep_past(code, &function, move->record.time);
	g_sequence_remove(g_sequence_iter_prev(behind(code, move->old_start)));
	spt_jit_code_add(code, move->record.time, move->start, move->code_bytes, function.name,
			 strlen(function.name));
	return true;
}

static bool read_header(int fd, uint64_t *at)
{
	struct dump_header header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) || header.magic != DUMP_MAGIC ||
	    header.version != DUMP_VERSION || header.bytes < sizeof(header))
		return false;
	*at = header.bytes;
	return true;
}

bool spt_jit_read_dump(SptJitCode *code, int fd, uint64_t *at, uint64_t *budget)
{
	bool any = false;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || (!*at && !read_header(fd, at)))
		return false;
	while (*budget >= sizeof(union dump_any)) {
		union dump_any record;
		ssize_t n = pread(fd, &record, sizeof(record), *at);
		size_t bytes = n < 0 ? 0 :
				       MIN((size_t)n, n < (ssize_t)sizeof(struct dump_record) ?
							      0 :
							      record.record.bytes);

		if (bytes < sizeof(struct dump_record) ||
		    *at + record.record.bytes > (uint64_t)stat.st_size)
			break;
		if (record.record.id == DUMP_LOAD)
			any = take_load(code, &record.load, bytes) || any;
		else if (record.record.id == DUMP_MOVE)
			any = take_move(code, &record.move, bytes) || any;
		else if (record.record.id == DUMP_CLOSE)
			break;
		*at += record.record.bytes;
		*budget -= bytes;
	}
	return any;
}
