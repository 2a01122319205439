/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/stacks.h"

#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "profile/span.h"

/* Names have places of their own. */
#define FUNCTION_BYTES 16
#define FLUSH_SAMPLES  (1u << 18)

struct SptImportStacks {
	SptCaptureWriter *writer;
	SptStash *stash;
	GHashTable *functions;		/* "object;name" -> number, from 1 */
	GHashTable *objects, *processes, *threads;	/* likewise */
	GString *key;			/* of the present search */
	uint64_t n_samples, n_flushed, last_time;
	bool has_times;			/* of one sample or event at least */
};

static GHashTable *new_numbers(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

SptImportStacks *spt_import_stacks_new(SptCaptureWriter *writer)
{
	SptImportStacks *stacks = g_new0(SptImportStacks, 1);

	stacks->writer = writer;
	stacks->stash = spt_stash_new();
	stacks->functions = new_numbers();
	stacks->objects = new_numbers();
	stacks->processes = new_numbers();
	stacks->threads = new_numbers();
	stacks->key = g_string_new(NULL);
	return stacks;
}

void spt_import_stacks_free(SptImportStacks *stacks)
{
	if (!stacks)
		return;
	spt_stash_free(stacks->stash);
	g_hash_table_unref(stacks->functions);
	g_hash_table_unref(stacks->objects);
	g_hash_table_unref(stacks->processes);
	g_hash_table_unref(stacks->threads);
	g_string_free(stacks->key, TRUE);
	g_free(stacks);
}

/* Of the name in stacks->key. */
static uint32_t number_of_key(SptImportStacks *stacks, GHashTable *table, bool *ret_is_new)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(table, stacks->key->str));

	*ret_is_new = number == 0;
	if (number == 0) {
		number = g_hash_table_size(table) + 1;
		g_hash_table_insert(table, g_strdup(stacks->key->str), GUINT_TO_POINTER(number));
	}
	return number;
}

uint32_t spt_import_stacks_object(SptImportStacks *stacks, SptObjectKind kind, const char *name)
{
	bool is_new;
	uint32_t id;

	g_string_assign(stacks->key, name);
	id = number_of_key(stacks, stacks->objects, &is_new);
	if (is_new)
		spt_capture_writer_object(stacks->writer, &(SptObjectRow){
			.id = id, .kind = kind, .path = name });
	return id;
}

/* The place of the function in stacks->key. */
static SptFrame frame_of_key(SptImportStacks *stacks, uint32_t object, const char *name,
			     bool *ret_is_new)
{
	uint64_t offset =
		(uint64_t)number_of_key(stacks, stacks->functions, ret_is_new) * FUNCTION_BYTES;

	if (*ret_is_new)
		spt_capture_writer_name(stacks->writer, &(SptNameRow){
			.object = object, .offset = offset, .symbol = name, .symbol_bytes = 1 });
	return (SptFrame){ offset, object, SPT_FRAME_EXACT };
}

SptFrame spt_import_stacks_frame(SptImportStacks *stacks, uint32_t object, const char *name)
{
	bool is_new;

	/* An object's number has no ';'. */
	g_string_printf(stacks->key, "%x;", object);
	g_string_append(stacks->key, name);
	return frame_of_key(stacks, object, name, &is_new);
}

SptFrame spt_import_stacks_function(SptImportStacks *stacks, uint32_t object, const char *name,
				    const SptImportSource *source)
{
	bool is_new;
	SptFrame frame;

	g_string_printf(stacks->key, "%x;%u;%u;", object, source->line, source->column);
	g_string_append(stacks->key, source->file);
	g_string_append_c(stacks->key, ';');
	g_string_append(stacks->key, name);
	frame = frame_of_key(stacks, object, name, &is_new);
	if (is_new && *source->file)
		spt_capture_writer_bundled(stacks->writer, &(SptBundledRow){
			.object = object, .offset = frame.offset, .function = name,
			.directory = "", .file = source->file, .line = source->line });
	return frame;
}

uint32_t spt_import_stacks_child(SptImportStacks *stacks, uint32_t parent, const SptFrame *frame)
{
	return spt_stash_child(stacks->stash, parent, frame);
}

uint32_t spt_import_stacks_thread(SptImportStacks *stacks, uint32_t pid, uint32_t tid,
				  const char *process, const char *name)
{
	bool is_new;
	uint32_t owner, id;

	g_string_printf(stacks->key, "%x;", pid);
	g_string_append(stacks->key, process);
	owner = number_of_key(stacks, stacks->processes, &is_new);
	if (is_new)
		spt_capture_writer_process(stacks->writer, &(SptProcessRow){
			.id = owner, .pid = pid ? pid : tid ? tid : owner, .name = process });
	g_string_printf(stacks->key, "%x;%x;", owner, tid);
	g_string_append(stacks->key, name);
	id = number_of_key(stacks, stacks->threads, &is_new);
	if (is_new)
		spt_capture_writer_thread(stacks->writer, &(SptThreadRow){
			.id = id, .process = owner, .tid = tid ? tid : owner, .name = name });
	return id;
}

void spt_import_stacks_sample(SptImportStacks *stacks, const SptSampleRow *row, uint64_t weight)
{
	SptSampleRow part = *row;

	stacks->has_times |= row->time != 0;
	if (!row->time)
		part.time = (stacks->n_samples + 1) * SPT_CAPTURE_TIME_UNIT_NS;
	while (weight > 0) {
		part.weight = (uint32_t)MIN(weight, UINT32_MAX);
		spt_capture_writer_sample(stacks->writer, &part);
		weight -= part.weight;
		stacks->n_samples++;
	}
	stacks->last_time = MAX(stacks->last_time, part.time);
}

void spt_import_stacks_wait(SptImportStacks *stacks, const SptWaitRow *row)
{
	spt_capture_writer_put(stacks->writer, SPT_ROW_WAIT, row);
	stacks->has_times = true;
	stacks->n_samples++;
	stacks->last_time = MAX(stacks->last_time, row->time);
}

void spt_import_stacks_event(SptImportStacks *stacks, const SptDeclaredRow *row)
{
	spt_capture_writer_put(stacks->writer, SPT_ROW_DECLARED, row);
	stacks->has_times = true;
	stacks->n_samples++;
	stacks->last_time = MAX(stacks->last_time, row->time + row->duration_ns);
}

void spt_import_stacks_allocation(SptImportStacks *stacks, const SptAllocationRow *row)
{
	SptAllocationRow block = *row;

	if (block.bytes == 0)
		return;
	stacks->n_samples++;
	stacks->has_times |= block.time != 0;
	if (!block.time)
		block.time = stacks->n_samples * SPT_CAPTURE_TIME_UNIT_NS;
	if (block.flags & SPT_ALLOCATION_OPEN)
		block.handle = stacks->n_samples;
	spt_capture_writer_put(stacks->writer, SPT_ROW_ALLOCATION, &block);
	stacks->last_time = MAX(stacks->last_time, block.time + block.duration_ns);
}

void spt_import_stacks_memory(SptImportStacks *stacks, const SptSampleRow *row, uint64_t bytes)
{
	spt_import_stacks_allocation(stacks, &(SptAllocationRow){ .time = row->time,
								  .bytes = bytes,
								  .weight = bytes,
								  .thread = row->thread,
								  .node = row->node,
								  .flags = SPT_ALLOCATION_OPEN });
}

uint64_t spt_import_stacks_samples(const SptImportStacks *stacks)
{
	return stacks->n_samples;
}

const char *spt_import_stacks_excess(const SptImportStacks *stacks)
{
	if (g_hash_table_size(stacks->functions) > SPT_IMPORT_FUNCTIONS ||
	    g_hash_table_size(stacks->objects) > SPT_IMPORT_FUNCTIONS ||
	    g_hash_table_size(stacks->processes) > SPT_IMPORT_FUNCTIONS ||
	    g_hash_table_size(stacks->threads) > SPT_IMPORT_FUNCTIONS)
		return SPT_WORDS("is one more name than can be imported");
	if (spt_stash_n_nodes(stacks->stash) > SPT_IMPORT_NODES)
		return SPT_WORDS("is one more stack than can be imported");
	return stacks->n_samples > SPT_IMPORT_SAMPLES ?
		       SPT_WORDS("is one more sample than can be imported") :
		       NULL;
}

bool spt_import_stacks_refuse(const SptImportStacks *stacks, const char *wrong, GError **error)
{
	spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "sample %u %s",
		      (unsigned)(stacks->n_samples + 1), spt_words(wrong));
	return false;
}

bool spt_import_stacks_flush(SptImportStacks *stacks, GError **error)
{
	if (stacks->n_samples - stacks->n_flushed < FLUSH_SAMPLES)
		return true;
	stacks->n_flushed = stacks->n_samples;
	return spt_capture_writer_flush(stacks->writer, stacks->stash, error);
}

bool spt_import_stacks_finish(SptImportStacks *stacks, GError **error)
{
	if (stacks->n_samples > 0 && !stacks->has_times)
		spt_capture_writer_host(stacks->writer, SPT_SPAN_TIMES, SPT_SPAN_NONE);
	return spt_capture_writer_finish(stacks->writer, stacks->stash, stacks->last_time, error);
}

void spt_import_note_count(GString *note, uint64_t n, const char *what)
{
	if (n)
		g_string_append_printf(note, "%s%" G_GUINT64_FORMAT " %s", note->len ? "; " : "", n,
				       what);
}

void spt_import_note_skipped(SptCaptureWriter *writer, const char *event, uint64_t n)
{
	g_autofree char *text = NULL;

	if (n == 0)
		return;
	text = g_strdup_printf(
		"of several events only %s was imported; %" G_GUINT64_FORMAT
		" samples of others were skipped",
		event, n);
	spt_capture_writer_host(writer, SPT_IMPORT_NOTE, text);
}
