/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: "process;outermost;...;innermost weight".  The first name is the process, as in
 * what export writes.  Times are not known: samples follow each other by a microsecond.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "import/import.h"

#define CODE_OBJECT 1
/* Names have places of their own. */
#define FUNCTION_BYTES 16

struct folded_reader {
	SptCaptureWriter *writer;
	SptStash *stash;
	GHashTable *functions, *processes;	/* name -> number, from 1 */
	uint64_t n_samples;
};

/* The weight at the end of a line, and where it begins; false: there is none. */
static bool find_folded_weight(const char *line, size_t bytes, size_t *ret_at, uint64_t *ret)
{
	size_t at = bytes;
	uint64_t scale = 1;

	for (*ret = 0; at > 0 && g_ascii_isdigit(line[at - 1]) && bytes - at < 19; scale *= 10)
		*ret += scale * (uint64_t)(line[--at] - '0');
	*ret_at = at;
	return at < bytes && at > 1 && line[at - 1] == ' ';
}

static bool probe_folded(const char *begin, size_t bytes)
{
	const char *end = memchr(begin, '\n', bytes);
	uint64_t weight;
	size_t at;

	return end && !memchr(begin, '\0', bytes) && *begin != '{' && *begin != '<' &&
	       find_folded_weight(begin, (size_t)(end - begin), &at, &weight);
}

static uint32_t folded_number(GHashTable *table, const char *name, bool *ret_is_new)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(table, name));

	*ret_is_new = number == 0;
	if (number == 0) {
		number = g_hash_table_size(table) + 1;
		g_hash_table_insert(table, g_strdup(name), GUINT_TO_POINTER(number));
	}
	return number;
}

/* The thread, the only one of its process. */
static uint32_t folded_thread(struct folded_reader *reader, const char *name)
{
	bool is_new;
	uint32_t id = folded_number(reader->processes, name, &is_new);

	if (is_new) {
		spt_capture_writer_process(reader->writer,
					   &(SptProcessRow){ .id = id, .pid = id, .name = name });
		spt_capture_writer_thread(
			reader->writer,
			&(SptThreadRow){ .id = id, .process = id, .tid = id, .name = name });
	}
	return id;
}

static uint32_t folded_frame(struct folded_reader *reader, uint32_t parent, const char *name)
{
	bool is_new;
	uint32_t number = folded_number(reader->functions, name, &is_new);
	const SptFrame frame = { (uint64_t)number * FUNCTION_BYTES, CODE_OBJECT, SPT_FRAME_EXACT };

	if (is_new)
		spt_capture_writer_name(reader->writer, &(SptNameRow){ .object = CODE_OBJECT,
								       .offset = frame.offset,
								       .symbol = name,
								       .symbol_bytes = 1 });
	return spt_stash_child(reader->stash, parent, &frame);
}

/* A sample has 32 bits of weight. */
static void put_folded_samples(struct folded_reader *reader, uint32_t thread, uint32_t node,
			       uint64_t weight)
{
	while (weight > 0) {
		uint32_t part = (uint32_t)MIN(weight, UINT32_MAX);

		spt_capture_writer_sample(
			reader->writer,
			&(SptSampleRow){ .time = ++reader->n_samples * SPT_CAPTURE_TIME_UNIT_NS,
					 .thread = thread,
					 .node = node,
					 .weight = part });
		weight -= part;
	}
}

/* NULL, or what is wrong with it. */
static const char *take_folded_line(struct folded_reader *reader, char *line, size_t bytes)
{
	uint64_t weight;
	size_t at;
	char *next = line;
	uint32_t thread, node = 0;
	unsigned n = 0;

	if (bytes > SPT_IMPORT_LINE_BYTES)
		return SPT_WORDS("is too long");
	if (!find_folded_weight(line, bytes, &at, &weight))
		return SPT_WORDS("does not end with a blank and a weight");
	if (weight > UINT32_MAX * 1000ull)
		return SPT_WORDS("has a weight that is too large");
	line[at - 1] = '\0';
	thread = folded_thread(reader, strsep(&next, ";"));
	while (next) {
		if (++n > SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
		node = folded_frame(reader, node, strsep(&next, ";"));
	}
	if (g_hash_table_size(reader->functions) > SPT_IMPORT_FUNCTIONS ||
	    g_hash_table_size(reader->processes) > SPT_IMPORT_FUNCTIONS)
		return SPT_WORDS("is one more name than can be imported");
	put_folded_samples(reader, thread, node, weight);
	return NULL;
}

static bool read_folded_lines(struct folded_reader *reader, FILE *file, GError **error)
{
	const size_t room = SPT_IMPORT_LINE_BYTES + 2;	/* with line end and nul */
	g_autofree char *line = g_malloc(room);
	const char *wrong = NULL;
	unsigned n = 0;

	while (!wrong && fgets(line, (int)room, file)) {
		size_t bytes = strlen(line);

		n++;
		if (bytes > 0 && line[bytes - 1] == '\n')
			line[--bytes] = '\0';
		if (bytes > 0)
			wrong = take_folded_line(reader, line, bytes);
	}
	if (!wrong)
		return true;
	spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "line %u %s", n,
		      spt_words(wrong));
	return false;
}

static bool read_folded(int fd, SptCaptureWriter *writer, GError **error)
{
	struct folded_reader reader = {
		.writer = writer,
		.stash = spt_stash_new(),
		.functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.processes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};
	FILE *file = fdopen(fd, "r");
	bool ok;

	spt_capture_writer_object(writer,
				  &(SptObjectRow){ .id = CODE_OBJECT, .kind = SPT_OBJECT_ANON });
	ok = file && read_folded_lines(&reader, file, error) &&
	     spt_capture_writer_finish(writer, reader.stash,
				       reader.n_samples * SPT_CAPTURE_TIME_UNIT_NS, error);
	if (file)
		fclose(file);
	spt_stash_free(reader.stash);
	g_hash_table_unref(reader.functions);
	g_hash_table_unref(reader.processes);
	return ok;
}

const SptImporter spt_import_folded = {
	.name = "folded",
	.probe = probe_folded,
	.read = read_folded,
};
