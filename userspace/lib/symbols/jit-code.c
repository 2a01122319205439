/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions are sorted by start, and do not overlap.  A new one removes those at its addresses,
 * which jit-past.c keeps.
 */
#include "symbols/jit-code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 1024
#define CHUNK_BYTES (256u << 10)	/* a line must fit */
/* Memory of a function besides its name, first while it is current, then as past code. */
#define FUNCTION_BYTES 320
#define OTHER_RECORD_BYTES 64		/* so that the skipped part has a limit, too */
struct SptJitCode {
	GSequence *functions;		/* of SptJitFunction, by start */
	GStringChunk *names;
	uint64_t since_ns;
	SptJitPast *past;
};

SptJitCode *spt_jit_code_new(uint64_t since_ns)
{
	SptJitCode *code = g_new0(SptJitCode, 1);

	code->since_ns = since_ns;
	code->past = spt_jit_past_new();
	code->functions = g_sequence_new(g_free);
	code->names = g_string_chunk_new(1 << 14);
	return code;
}

void spt_jit_code_free(SptJitCode *code)
{
	if (!code)
		return;
	spt_jit_past_free(code->past);
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
	if (time_ns > code->since_ns)
		spt_jit_past_add(code->past, function, time_ns);
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
		/* The same function, written again. */
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
	return spt_jit_past_epoch(code->past, time_ns);
}

uint32_t spt_jit_code_generation(const SptJitCode *code, uint64_t address, uint64_t time_ns)
{
	return spt_jit_past_at(code->past, address, time_ns, UINT32_MAX, NULL);
}

bool spt_jit_code_find_generation(const SptJitCode *code, uint64_t address, uint32_t generation,
				  SptJitFunction *ret)
{
	return spt_jit_past_at(code->past, address, UINT64_MAX, generation + 1, ret) > generation ||
	       spt_jit_code_find(code, address, ret);
}

/* perf-PID.map. */

/* These return what it takes of the budget, 0: nothing was added. */
static uint64_t jit_code_take_line(SptJitCode *code, uint64_t time_ns, const char *line,
				   const char *end)
{
	char numbers[48] = "", *rest;
	uint64_t start, bytes;

	/* strtoull() must not read beyond the line. */
	memcpy(numbers, line, MIN((size_t)(end - line), sizeof(numbers) - 1));
	start = strtoull(numbers, &rest, 16);
	if (rest == numbers || *rest != ' ')
		return 0;
	bytes = strtoull(rest + 1, &rest, 16);
	if (*rest != ' ' || rest[-1] == ' ')
		return 0;
	line += rest + 1 - numbers;
	spt_jit_code_add(code, time_ns, start, bytes, line, end - line);
	return FUNCTION_BYTES + (end - line);
}

static void jit_code_spend(uint64_t *budget, uint64_t bytes)
{
	*budget -= MIN(*budget, bytes);
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
		uint64_t most = MIN(CHUNK_BYTES, *budget);
		ssize_t n;

		if (!chunk)
			chunk = g_malloc(CHUNK_BYTES);
		n = pread(fd, chunk, most, *at);
		if (n <= 0)
			break;
		for (line = chunk; *budget && (end = memchr(line, '\n', chunk + n - line));
		     line = end + 1) {
			uint64_t taken = jit_code_take_line(code, time_ns, line, end);

			jit_code_spend(budget, taken ? taken : (uint64_t)(end + 1 - line));
			any |= taken > 0;
		}
		/*
		 * The last line may still be incomplete; one that fills the whole room is invalid.
		 */
		if (line == chunk && (uint64_t)n < most)
			break;
		if (line == chunk)
			jit_code_spend(budget, n);
		*at += line == chunk ? n : line - chunk;
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

static uint64_t take_load(SptJitCode *code, const struct dump_load *load, size_t bytes)
{
	size_t room, name_bytes;

	if (bytes < offsetof(struct dump_load, name))
		return 0;
	room = MIN(bytes, sizeof(*load)) - offsetof(struct dump_load, name);
	name_bytes = strnlen(load->name, room);
	spt_jit_code_add(code, load->record.time, load->start, load->code_bytes, load->name,
			 name_bytes);
	return FUNCTION_BYTES + name_bytes;
}

/* The name at the address that it was moved from. */
static uint64_t take_move(SptJitCode *code, const struct dump_move *move, size_t bytes)
{
	SptJitFunction function;

	if (bytes < sizeof(*move) || !spt_jit_code_find(code, move->old_start, &function) ||
	    function.start != move->old_start)
		return 0;
	keep_past(code, &function, move->record.time);
	g_sequence_remove(g_sequence_iter_prev(behind(code, move->old_start)));
	spt_jit_code_add(code, move->record.time, move->start, move->code_bytes, function.name,
			 strlen(function.name));
	return FUNCTION_BYTES;
}

static bool jit_code_read_header(int fd, uint64_t *at)
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

	if (fstat(fd, &stat) < 0 || (!*at && !jit_code_read_header(fd, at)))
		return false;
	while (*budget) {
		union dump_any record;
		uint64_t taken = 0;
		ssize_t n = pread(fd, &record, sizeof(record), *at);
		size_t bytes = n < 0 ? 0 :
				       MIN((size_t)n, n < (ssize_t)sizeof(struct dump_record) ?
							      0 :
							      record.record.bytes);

		if (bytes < sizeof(struct dump_record) ||
		    *at + record.record.bytes > (uint64_t)stat.st_size)
			break;
		if (record.record.id == DUMP_LOAD)
			taken = take_load(code, &record.load, bytes);
		else if (record.record.id == DUMP_MOVE)
			taken = take_move(code, &record.move, bytes);
		else if (record.record.id == DUMP_CLOSE)
			break;
		any |= taken > 0;
		*at += record.record.bytes;
		jit_code_spend(budget, taken ? taken : OTHER_RECORD_BYTES);
	}
	return any;
}
