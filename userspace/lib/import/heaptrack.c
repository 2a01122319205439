/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of heaptrack: a letter and hexadecimal numbers a line.  Strings, places of code, stacks and
 * kinds of allocations (bytes, stack) are defined before a line refers to them by their number;
 * then "+ kind" and "- kind" are allocations and frees.  A free is that of the last block of its
 * kind.  Between two lines with a time, events are spread evenly.
 */
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/stacks.h"
#include "import/unpack.h"

#define HEAPTRACK_MAX_BYTES (1u << 30)
#define NS_PER_MS	    1000000ull
#define TIME_MAX_MS	    (1ull << 40)
#define NO_BLOCK	    UINT32_MAX
/* The version of files in which strings have their length. */
#define VERSION_LENGTHS 3

struct heap_place {
	uint32_t first, n;		/* of its functions, innermost first */
};

struct heap_stack {
	uint32_t node;
	unsigned depth;
};

struct heap_kind {
	uint64_t bytes;
	uint32_t node;
	uint32_t last;			/* of its blocks that are not freed; NO_BLOCK: none */
};

struct heap_block {
	uint64_t time;
	uint32_t before;		/* an older one of the same kind; of a free one the next */
};

struct heap_interval {
	uint64_t end_ns;
	uint32_t n_events;
};

struct heap_reader {
	SptImportStacks *stacks;
	const char *at, *end;		/* of the present line, and of the file */
	unsigned version;
	uint32_t thread;		/* 0: not known yet */
	GPtrArray *strings;		/* with numbers from 1 */
	GArray *functions;		/* SptFrame */
	GArray *places, *all_stacks;	/* numbers from 1 */
	GArray *kinds;			/* numbers from 0 */
	GArray *blocks;			/* struct heap_block */
	uint32_t free_block;		/* the first one; NO_BLOCK: none */
	uint32_t last_kind;		/* if no allocation came after it */
	GArray *intervals;		/* struct heap_interval, until each line with a time */
	guint interval;			/* the next one */
	uint64_t begin_ns;		/* of the present one */
	struct heap_interval present;
	uint32_t n_events;		/* so far, in it */
};

/* Lines. */

/* The next number of the line; false: there is none. */
static bool heap_number(struct heap_reader *reader, uint64_t *ret)
{
	unsigned digits = 0;

	while (reader->at < reader->end && *reader->at == ' ')
		reader->at++;
	for (*ret = 0; reader->at < reader->end && g_ascii_isxdigit(*reader->at); digits++)
		*ret = *ret << 4 | (uint64_t)g_ascii_xdigit_value(*reader->at++);
	return digits > 0 && digits <= 16;
}

/* The same as an index below @n; @n: there is none. */
static uint32_t heap_index(struct heap_reader *reader, uint32_t n)
{
	uint64_t number;

	return heap_number(reader, &number) && number < n ? (uint32_t)number : n;
}

static const char *heap_rest(const struct heap_reader *reader)
{
	const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));

	return end ? end : reader->end;
}

static const char *heap_string(const struct heap_reader *reader, uint64_t number)
{
	return number > 0 && number <= reader->strings->len ? reader->strings->pdata[number - 1] :
							      "";
}

/* What the events refer to. */

static const char *take_heap_string(struct heap_reader *reader)
{
	const char *end = heap_rest(reader);
	uint64_t bytes;

	if (reader->version >= VERSION_LENGTHS && !heap_number(reader, &bytes))
		return SPT_WORDS("is not as heaptrack writes it");
	if (reader->at < end)
		reader->at++;
	if (end - reader->at > (gssize)SPT_IMPORT_LINE_BYTES)
		return SPT_WORDS("is too long");
	g_ptr_array_add(reader->strings, g_strndup(reader->at, (size_t)(end - reader->at)));
	return reader->strings->len > SPT_IMPORT_FUNCTIONS ?
		       SPT_WORDS("is one more name than can be imported") :
		       NULL;
}

static void add_heap_function(struct heap_reader *reader, uint32_t object, const char *name,
			      uint64_t address)
{
	g_autofree char *unnamed = *name ? NULL : g_strdup_printf("0x%" G_GINT64_MODIFIER "x",
								  address);
	SptFrame frame =
		spt_import_stacks_frame(reader->stacks, object, unnamed ? unnamed : name);

	g_array_append_val(reader->functions, frame);
}

/* "address module function file line ...": without debug information no function. */
static const char *take_heap_place(struct heap_reader *reader)
{
	struct heap_place place = { .first = reader->functions->len };
	uint64_t address, module = 0, function, file, line;
	uint32_t object;

	if (!heap_number(reader, &address))
		return SPT_WORDS("is not as heaptrack writes it");
	heap_number(reader, &module);
	object = spt_import_stacks_object(reader->stacks, SPT_OBJECT_UNKNOWN,
					  heap_string(reader, module));
	while (heap_number(reader, &function)) {
		add_heap_function(reader, object, heap_string(reader, function), address);
		if (!heap_number(reader, &file) || !heap_number(reader, &line))
			break;
	}
	if (reader->functions->len == place.first)
		add_heap_function(reader, object, "", address);
	place.n = reader->functions->len - place.first;
	g_array_append_val(reader->places, place);
	return spt_import_stacks_excess(reader->stacks);
}

/* "place caller". */
static const char *take_heap_stack(struct heap_reader *reader)
{
	uint32_t place = heap_index(reader, reader->places->len + 1);
	uint32_t caller = heap_index(reader, reader->all_stacks->len + 1);
	struct heap_stack stack = { .node = 0 };
	const struct heap_place *of;

	if (place == 0 || place > reader->places->len || caller > reader->all_stacks->len)
		return SPT_WORDS("refers to something that is not there");
	if (caller > 0)
		stack = g_array_index(reader->all_stacks, struct heap_stack, caller - 1);
	of = &g_array_index(reader->places, struct heap_place, place - 1);
	stack.depth += of->n;
	if (stack.depth > SPT_IMPORT_FRAMES)
		return SPT_WORDS("has too many frames");
	for (uint32_t i = of->n; i-- > 0;)
		stack.node = spt_import_stacks_child(
			reader->stacks, stack.node,
			&g_array_index(reader->functions, SptFrame, of->first + i));
	g_array_append_val(reader->all_stacks, stack);
	return spt_import_stacks_excess(reader->stacks);
}

/* "bytes stack". */
static const char *take_heap_kind(struct heap_reader *reader)
{
	struct heap_kind kind = { .last = NO_BLOCK };
	uint32_t stack;

	if (!heap_number(reader, &kind.bytes))
		return SPT_WORDS("is not as heaptrack writes it");
	stack = heap_index(reader, reader->all_stacks->len + 1);
	if (stack > reader->all_stacks->len)
		return SPT_WORDS("refers to something that is not there");
	if (kind.bytes > UINT32_MAX * 1000ull)
		return SPT_WORDS("has a value that is too large");
	if (stack > 0)
		kind.node = g_array_index(reader->all_stacks, struct heap_stack, stack - 1).node;
	g_array_append_val(reader->kinds, kind);
	return reader->kinds->len > SPT_IMPORT_NODES ?
		       SPT_WORDS("is one more stack than can be imported") :
		       NULL;
}

/* Events. */

static uint64_t next_heap_time(struct heap_reader *reader)
{
	double part = (double)++reader->n_events / (double)(reader->present.n_events + 1);

	return reader->begin_ns +
	       (uint64_t)(part * (double)(reader->present.end_ns - reader->begin_ns));
}

static void begin_heap_interval(struct heap_reader *reader)
{
	reader->begin_ns = reader->present.end_ns;
	reader->n_events = 0;
	if (reader->interval < reader->intervals->len)
		reader->present = g_array_index(reader->intervals, struct heap_interval,
						reader->interval++);
}

static const char *take_heap_allocation(struct heap_reader *reader)
{
	uint32_t i = heap_index(reader, reader->kinds->len), at = reader->free_block;
	struct heap_block *block, fresh = { 0 };
	struct heap_kind *kind;

	if (i == reader->kinds->len)
		return SPT_WORDS("refers to something that is not there");
	if (reader->blocks->len >= SPT_IMPORT_NODES && at == NO_BLOCK)
		return SPT_WORDS("is one more block than can be imported");
	if (at == NO_BLOCK) {
		at = reader->blocks->len;
		g_array_append_val(reader->blocks, fresh);
	} else {
		reader->free_block = g_array_index(reader->blocks, struct heap_block, at).before;
	}
	kind = &g_array_index(reader->kinds, struct heap_kind, i);
	block = &g_array_index(reader->blocks, struct heap_block, at);
	*block = (struct heap_block){ next_heap_time(reader), kind->last };
	kind->last = at;
	reader->last_kind = i;
	return NULL;
}

static void put_heap_block(struct heap_reader *reader, const struct heap_kind *kind,
			   const struct heap_block *block, uint64_t freed, uint32_t flags)
{
	spt_import_stacks_allocation(reader->stacks,
				     &(SptAllocationRow){ .time = block->time,
							  .duration_ns = freed - block->time,
							  .bytes = kind->bytes,
							  .weight = kind->bytes,
							  .thread = reader->thread,
							  .node = kind->node,
							  .flags = flags });
}

static const char *take_heap_free(struct heap_reader *reader)
{
	uint32_t i = heap_index(reader, reader->kinds->len), at;
	uint64_t time = next_heap_time(reader);
	struct heap_block *block;
	struct heap_kind *kind;

	if (i == reader->kinds->len)
		return SPT_WORDS("refers to something that is not there");
	kind = &g_array_index(reader->kinds, struct heap_kind, i);
	at = kind->last;
	/* It was there before. */
	if (at == NO_BLOCK)
		return NULL;
	block = &g_array_index(reader->blocks, struct heap_block, at);
	put_heap_block(reader, kind, block, time,
		       reader->last_kind == i ? SPT_ALLOCATION_TEMPORARY : 0);
	reader->last_kind = UINT32_MAX;
	kind->last = block->before;
	block->before = reader->free_block;
	reader->free_block = at;
	return spt_import_stacks_excess(reader->stacks);
}

static void take_heap_command(struct heap_reader *reader)
{
	const char *end = heap_rest(reader);
	g_autofree char *command = g_strndup(reader->at, (size_t)(end - reader->at));
	g_autofree char *name = NULL;

	g_strstrip(command);
	command[strcspn(command, " ")] = '\0';
	name = g_path_get_basename(command);
	reader->thread = spt_import_stacks_thread(reader->stacks, 0, 0, name, name);
}

/* NULL, or what is wrong with the line; others than these are not needed. */
static const char *take_heap_line(struct heap_reader *reader)
{
	uint64_t program, version = 0;

	switch (*reader->at++) {
	case 'v':
		if (heap_number(reader, &program) && heap_number(reader, &version) && version > 0) {
			reader->version = (unsigned)MIN(version, UINT32_MAX);
			return NULL;
		}
		return SPT_WORDS("is of heaptrack before 1.1");
	case 'X':
		take_heap_command(reader);
		return NULL;
	case 's':
		return take_heap_string(reader);
	case 'i':
		return take_heap_place(reader);
	case 't':
		return take_heap_stack(reader);
	case 'a':
		return take_heap_kind(reader);
	case '+':
		return take_heap_allocation(reader);
	case '-':
		return take_heap_free(reader);
	case 'c':
		begin_heap_interval(reader);
		return NULL;
	}
	return NULL;
}

/* The file. */

/* At least, so that each has a time of its own: if there are too many, times run ahead. */
static uint64_t heap_events_ns(uint32_t n)
{
	return (n + 1ull) * SPT_CAPTURE_TIME_UNIT_NS;
}

/* Lines with a time, and how many events are before each of them; times do not go back. */
static void find_heap_intervals(struct heap_reader *reader, const GByteArray *bytes)
{
	struct heap_interval interval = { .end_ns = 0 };
	uint64_t ms;

	reader->at = (const char *)bytes->data;
	for (reader->end = reader->at + bytes->len; reader->at < reader->end; reader->at++) {
		const char *rest = heap_rest(reader);
		char kind = *reader->at;

		interval.n_events += kind == '+' || kind == '-';
		if (kind == 'c') {
			reader->at++;
			interval.end_ns += heap_events_ns(interval.n_events);
			if (heap_number(reader, &ms) && ms < TIME_MAX_MS)
				interval.end_ns = MAX(interval.end_ns, ms * NS_PER_MS);
			g_array_append_val(reader->intervals, interval);
			interval.n_events = 0;
		}
		reader->at = rest;
	}
	interval.end_ns += heap_events_ns(interval.n_events);
	g_array_append_val(reader->intervals, interval);
}

static const char *take_heap_lines(struct heap_reader *reader, const GByteArray *bytes,
				   unsigned *ret_line, GError **error)
{
	const char *wrong = NULL, *next = (const char *)bytes->data;

	reader->end = next + bytes->len;
	for (*ret_line = 0; next < reader->end && !wrong; (*ret_line)++) {
		reader->at = next;
		next = heap_rest(reader);
		if (next > reader->at)
			wrong = take_heap_line(reader);
		next = MIN(next + 1, reader->end);
		if (!spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	return wrong;
}

/* What was not freed. */
static void put_heap_leaks(struct heap_reader *reader)
{
	for (guint i = 0; i < reader->kinds->len; i++) {
		const struct heap_kind *kind = &g_array_index(reader->kinds, struct heap_kind, i);
		uint32_t at = kind->last;

		while (at != NO_BLOCK) {
			const struct heap_block *block =
				&g_array_index(reader->blocks, struct heap_block, at);

			put_heap_block(reader, kind, block, block->time, SPT_ALLOCATION_OPEN);
			at = block->before;
		}
	}
}

static bool import_heaptrack(struct heap_reader *reader, const GByteArray *bytes, GError **error)
{
	const char *wrong;
	unsigned line;

	find_heap_intervals(reader, bytes);
	begin_heap_interval(reader);
	wrong = take_heap_lines(reader, bytes, &line, error);
	if (wrong)
		spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "line %u %s",
			      line, spt_words(wrong));
	if (*error)
		return false;
	put_heap_leaks(reader);
	return spt_import_stacks_finish(reader->stacks, error);
}

static bool read_heaptrack(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(GByteArray) bytes = spt_import_unpack(input->fd, HEAPTRACK_MAX_BYTES, error);
	struct heap_reader reader = {
		.free_block = NO_BLOCK,
		.last_kind = UINT32_MAX,
	};
	bool ok;

	if (!bytes)
		return false;
	reader.stacks = spt_import_stacks_new(writer);
	reader.thread = spt_import_stacks_thread(reader.stacks, 0, 0, "[unknown]", "[unknown]");
	reader.strings = g_ptr_array_new_with_free_func(g_free);
	reader.functions = g_array_new(FALSE, FALSE, sizeof(SptFrame));
	reader.places = g_array_new(FALSE, FALSE, sizeof(struct heap_place));
	reader.all_stacks = g_array_new(FALSE, FALSE, sizeof(struct heap_stack));
	reader.kinds = g_array_new(FALSE, FALSE, sizeof(struct heap_kind));
	reader.blocks = g_array_new(FALSE, FALSE, sizeof(struct heap_block));
	reader.intervals = g_array_new(FALSE, FALSE, sizeof(struct heap_interval));
	spt_capture_writer_host(writer, "source", "heaptrack");
	ok = import_heaptrack(&reader, bytes, error);
	spt_import_stacks_free(reader.stacks);
	g_ptr_array_unref(reader.strings);
	g_array_unref(reader.functions);
	g_array_unref(reader.places);
	g_array_unref(reader.all_stacks);
	g_array_unref(reader.kinds);
	g_array_unref(reader.blocks);
	g_array_unref(reader.intervals);
	return ok;
}

/* The version of the program, and that of the file. */
static bool probe_heaptrack(const char *begin, size_t bytes)
{
	const char *end = memchr(begin, '\n', MIN(bytes, 32));

	return end && bytes > 6 && begin[0] == 'v' && begin[1] == ' ' &&
	       g_ascii_isxdigit(begin[2]) &&
	       strspn(begin + 2, "0123456789abcdef ") == (size_t)(end - begin - 2) &&
	       (end[1] == 'X' || end[1] == 'A');
}

const SptImporter spt_import_heaptrack = {
	.name = "heaptrack",
	.probe = probe_heaptrack,
	.read = read_heaptrack,
	.unpacks = true,
};
