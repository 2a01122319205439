/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records are collected in a batch without a lock, which is handed over some times a second.  The
 * other side keeps a capture in memory that has no samples: only the rows that their names need,
 * and for each node of the stash its parent and its function.
 */
#include "record/live.h"

#include <string.h>

#include "base/pairs.h"
#include "capture/schema.h"
#include "profile/selection.h"
#include "record/naming.h"
#include "symbols/demangle.h"
#include "symbols/plain-names.h"
#include "symbols/helpers.h"

#define PATIENCE_MS 10000		/* until the process that reads a file counts as hung */
#define NO_FUNCTION UINT32_MAX

struct sample {
	uint32_t thread, node, weight;
};

struct batch {
	GArray *objects, *processes, *threads, *names;	/* rows */
	GArray *nodes;			/* SptNode */
	GArray *samples;		/* struct sample */
	GStringChunk *texts;		/* of the rows; NULL: they have none */
	bool forgets_nodes;		/* node 1 is the first of these nodes */
};

/* The requests to it grow with the recording: the helper that reads it keeps its data. */
struct file {
	/* It is not the recorded file, does not exist, or its reader failed */
	bool is_unreadable;
	GArray *offsets; /* uint64_t: requests for the present nodes; NULL: there were none */
	SptPlaceTable *table;		/* answers for them; NULL: none */
};

struct node {
	uint32_t parent, function;
};

struct function {
	const char *name, *object;	/* interned; object of a process: NULL */
	uint64_t self, total;
	uint64_t seen;			/* number of the sample it was last counted for */
};

struct SptLive {
	/* The recording side's data. */
	SptSink sink;
	struct batch *collecting;
	uint32_t n_published;		/* nodes of the stash; 0: it is another one */

	GMutex mutex;
	GQueue published;		/* struct batch */

	/* The showing side's data. */
	SptCapture capture;
	/* What the capture's rows point to; by id, but for names */
	GArray *objects, *processes, *threads, *names;
	GPtrArray *texts;		/* owns their strings */
	SptSymbols *symbols;		/* the capture's own rows */
	GArray *files;			/* struct file, by object id */
	SptHelpers *helpers;
	GArray *nodes;			/* struct node, by id */
	GArray *functions;		/* struct function */
	struct spt_pairs function_of;	/* (name, object) -> its index */
	uint64_t total, n_samples;
};

static struct batch *batch_new(void)
{
	struct batch *batch = g_new0(struct batch, 1);

	batch->objects = g_array_new(FALSE, FALSE, sizeof(SptObjectRow));
	batch->processes = g_array_new(FALSE, FALSE, sizeof(SptProcessRow));
	batch->threads = g_array_new(FALSE, FALSE, sizeof(SptThreadRow));
	batch->names = g_array_new(FALSE, FALSE, sizeof(SptNameRow));
	batch->nodes = g_array_new(FALSE, FALSE, sizeof(SptNode));
	batch->samples = g_array_new(FALSE, FALSE, sizeof(struct sample));
	return batch;
}

static void batch_free(void *data)
{
	struct batch *batch = data;

	g_array_unref(batch->objects);
	g_array_unref(batch->processes);
	g_array_unref(batch->threads);
	g_array_unref(batch->names);
	g_array_unref(batch->nodes);
	g_array_unref(batch->samples);
	if (batch->texts)
		g_string_chunk_free(batch->texts);
	g_free(batch);
}

static void free_texts(void *texts)
{
	g_string_chunk_free(texts);
}

/* As the rows of a capture: by id, row 0 is unused. */
static GArray *rows_new(unsigned row_bytes)
{
	GArray *rows = g_array_new(FALSE, TRUE, row_bytes);

	return g_array_set_size(rows, 1);
}

SptLive *spt_live_new(void)
{
	SptLive *live = g_atomic_rc_box_new0(SptLive);

	live->collecting = batch_new();
	g_mutex_init(&live->mutex);
	g_queue_init(&live->published);
	live->objects = rows_new(sizeof(SptObjectRow));
	live->processes = rows_new(sizeof(SptProcessRow));
	live->threads = rows_new(sizeof(SptThreadRow));
	live->names = g_array_new(FALSE, FALSE, sizeof(SptNameRow));
	live->texts = g_ptr_array_new_with_free_func(free_texts);
	live->files = rows_new(sizeof(struct file));
	live->helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, NULL);
	live->nodes = rows_new(sizeof(struct node));
	live->functions = g_array_new(FALSE, FALSE, sizeof(struct function));
	live->symbols = spt_symbols_new(&live->capture, NULL);
	spt_symbols_set_detail(live->symbols, SPT_DETAIL_NO_FILES);
	return live;
}

SptLive *spt_live_ref(SptLive *live)
{
	return g_atomic_rc_box_acquire(live);
}

static void live_clear(gpointer data)
{
	SptLive *live = data;

	for (unsigned i = 0; i < live->files->len; i++)
		spt_place_table_free(g_array_index(live->files, struct file, i).table);
	g_array_unref(live->files);
	spt_helpers_free(live->helpers);
	spt_symbols_free(live->symbols);
	spt_pairs_clear(&live->function_of);
	g_array_unref(live->functions);
	g_array_unref(live->nodes);
	g_array_unref(live->objects);
	g_array_unref(live->processes);
	g_array_unref(live->threads);
	g_array_unref(live->names);
	g_ptr_array_unref(live->texts);
	g_queue_clear_full(&live->published, batch_free);
	g_mutex_clear(&live->mutex);
	batch_free(live->collecting);
}

void spt_live_unref(SptLive *live)
{
	g_atomic_rc_box_release_full(live, live_clear);
}

/* The recording side. */

static const char *live_keep_text(struct batch *batch, const char *text)
{
	if (!text || !*text)
		return "";
	if (!batch->texts)
		batch->texts = g_string_chunk_new(1024);
	return g_string_chunk_insert(batch->texts, text);
}

static void live_put_object(SptLive *live, const SptObjectRow *row)
{
	SptObjectRow copy = *row;

	copy.path = live_keep_text(live->collecting, row->path);
	g_array_append_val(live->collecting->objects, copy);
}

static void live_put_process(SptLive *live, const SptProcessRow *row)
{
	SptProcessRow copy = *row;

	copy.name = live_keep_text(live->collecting, row->name);
	g_array_append_val(live->collecting->processes, copy);
}

static void live_put_thread(SptLive *live, const SptThreadRow *row)
{
	SptThreadRow copy = *row;

	copy.name = copy.former = "";
	g_array_append_val(live->collecting->threads, copy);
}

static void put_name(SptLive *live, const SptNameRow *row)
{
	SptNameRow copy = *row;

	copy.symbol = live_keep_text(live->collecting, row->symbol);
	copy.module = live_keep_text(live->collecting, row->module);
	g_array_append_val(live->collecting->names, copy);
}

static void live_put_sample(SptLive *live, const SptSampleRow *row)
{
	struct sample sample = { row->thread, row->node, row->weight };

	g_array_append_val(live->collecting->samples, sample);
}

static void live_put_row(SptLive *live, SptRowKind kind, const void *row)
{
	switch (kind) {
	case SPT_ROW_OBJECT:
		live_put_object(live, row);
		break;
	case SPT_ROW_PROCESS:
		live_put_process(live, row);
		break;
	case SPT_ROW_THREAD:
		live_put_thread(live, row);
		break;
	case SPT_ROW_NAME:
		put_name(live, row);
		break;
	case SPT_ROW_SAMPLE:
		live_put_sample(live, row);
		break;
	default:
		break;
	}
}

static void live_put(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		live_put_row((SptLive *)sink, kind, spt_nth_row(kind, rows, i));
}

static void live_publish(SptSink *sink, const SptStash *stash)
{
	SptLive *live = (SptLive *)sink;
	struct batch *batch = live->collecting;
	uint32_t n = spt_stash_n_nodes(stash);

	if (live->n_published == 0) {
		batch->forgets_nodes = true;
		live->n_published = 1;
	}
	if (n > live->n_published)
		g_array_append_vals(batch->nodes, spt_stash_node(stash, live->n_published),
				    n - live->n_published);
	live->n_published = n;
	live->collecting = batch_new();
	g_mutex_lock(&live->mutex);
	g_queue_push_tail(&live->published, batch);
	g_mutex_unlock(&live->mutex);
}

static bool live_flush(SptSink *sink, SptStash *stash, uint64_t now, GError **error)
{
	(void)now;
	(void)error;
	live_publish(sink, stash);
	return true;
}

static void live_next_stash(SptSink *sink)
{
	((SptLive *)sink)->n_published = 0;
}

static void live_free(SptSink *sink)
{
	spt_live_unref((SptLive *)sink);
}

static const struct spt_sink_type live_type = {
	.put = live_put,
	.publish = live_publish,
	.flush = live_flush,
	.next_stash = live_next_stash,
	.free = live_free,
};

SptSink *spt_live_sink(SptLive *live)
{
	live->sink.type = &live_type;
	return &spt_live_ref(live)->sink;
}

/* The showing side. */

static uint32_t live_function_for(SptLive *live, const char *name, const char *object)
{
	uint32_t *index = spt_pairs_at(&live->function_of, (uintptr_t)name, (uintptr_t)object);

	if (*index == UINT32_MAX) {
		struct function function = { .name = name, .object = object };

		*index = live->functions->len;
		g_array_append_val(live->functions, function);
	}
	return *index;
}

static struct function *live_function_at(const SptLive *live, uint32_t index)
{
	return &g_array_index(live->functions, struct function, index);
}

/* Row @id of @rows, made if it does not exist. */
static void *live_row_at(GArray *rows, uint32_t id)
{
	if (id >= rows->len)
		g_array_set_size(rows, id + 1);
	return rows->data + (size_t)id * g_array_get_element_size(rows);
}

/* Whether there are new rows that names depend on. */
static bool live_take_rows(SptLive *live, struct batch *batch)
{
	for (unsigned i = 0; i < batch->objects->len; i++) {
		const SptObjectRow *row = &g_array_index(batch->objects, SptObjectRow, i);

		*(SptObjectRow *)live_row_at(live->objects, row->id) = *row;
	}
	for (unsigned i = 0; i < batch->processes->len; i++) {
		const SptProcessRow *row = &g_array_index(batch->processes, SptProcessRow, i);

		*(SptProcessRow *)live_row_at(live->processes, row->id) = *row;
	}
	for (unsigned i = 0; i < batch->threads->len; i++) {
		const SptThreadRow *row = &g_array_index(batch->threads, SptThreadRow, i);

		*(SptThreadRow *)live_row_at(live->threads, row->id) = *row;
	}
	if (batch->texts)
		g_ptr_array_add(live->texts, g_steal_pointer(&batch->texts));
	g_array_append_vals(live->names, batch->names->data, batch->names->len);
	return batch->objects->len || batch->names->len;
}

/* All names are sorted anew, so this is done once for all new ones. */
static void live_follow(SptLive *live)
{
	live->capture.objects = (SptObjectRow *)live->objects->data;
	live->capture.n_objects = live->objects->len;
	live->capture.names = (SptNameRow *)live->names->data;
	live->capture.n_names = live->names->len;
	spt_symbols_follow(live->symbols);
}

/* NULL: there is none for @frame's object. */
static struct file *live_file_of(SptLive *live, const SptFrame *frame)
{
	struct file *file;

	if (frame->object >= live->objects->len ||
	    ((SptObjectRow *)live_row_at(live->objects, frame->object))->kind != SPT_OBJECT_FILE)
		return NULL;
	file = live_row_at(live->files, frame->object);
	return file->is_unreadable ? NULL : file;
}

static void live_read_file(SptLive *live, const SptObjectRow *row, struct file *file)
{
	g_autoptr(SptObject) image = spt_naming_open(row->path, row);
	const char *problem;
	uint32_t tag;

	file->is_unreadable = !image;
	if (!image)
		return;
	spt_helper_sort(file->offsets);
	spt_helpers_begin(live->helpers, 0,
			  &(SptReadRequest){
				  .fd = spt_object_fd(image),
				  .path = row->path,
				  .offsets = (const uint64_t *)(void *)file->offsets->data,
				  .n = file->offsets->len,
				  .depth = SPT_READ_SYMBOLS,
				  .keep = true,
			  });
	g_clear_pointer(&file->table, spt_place_table_free);
	file->table = spt_helpers_wait(live->helpers, &tag);
	problem = file->table ? spt_place_table_problem(file->table) : NULL;
	file->is_unreadable = problem && g_str_has_prefix(problem, SPT_HELPER_FAILED);
}

/* The answers of files for the nodes of @batch. */
static void live_read_files(SptLive *live, const struct batch *batch)
{
	for (unsigned i = 0; i < batch->nodes->len; i++) {
		const SptFrame *frame = &g_array_index(batch->nodes, SptNode, i).frame;
		struct file *file = spt_symbols_name(live->symbols, frame).has_symbol ?
					    NULL :
					    live_file_of(live, frame);

		if (file && !file->offsets)
			file->offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		if (file)
			g_array_append_val(file->offsets, frame->offset);
	}
	for (unsigned i = 0; i < live->files->len; i++) {
		struct file *file = &g_array_index(live->files, struct file, i);

		if (file->offsets)
			live_read_file(live, live_row_at(live->objects, i), file);
		g_clear_pointer(&file->offsets, g_array_unref);
	}
}

static const char *name_in_file(SptLive *live, const SptFrame *frame)
{
	const struct file *file = live_file_of(live, frame);
	g_autofree char *name = NULL, *plain = NULL;
	SptSymbol symbol;
	uint32_t row;

	if (!file || !file->table)
		return NULL;
	row = spt_place_table_find(file->table, frame->offset);
	if (row == UINT32_MAX || !spt_place_table_symbol(file->table, row, &symbol))
		return NULL;
	if (!symbol.name)
		return spt_symbols_place(live->symbols, &(SptFrame){
			.object = frame->object, .offset = frame->offset - symbol.distance });
	name = spt_demangle(symbol.name);
	plain = spt_plain_name(name);
	return spt_symbols_intern(live->symbols, plain ? plain : name);
}

static uint32_t live_function_of_frame(SptLive *live, const SptFrame *frame)
{
	SptName name = spt_symbols_name(live->symbols, frame);
	const char *in_file = name.has_symbol ? NULL : name_in_file(live, frame);

	return live_function_for(live, in_file ? in_file : name.function, name.object);
}

static void live_take_nodes(SptLive *live, const struct batch *batch)
{
	if (batch->forgets_nodes)
		g_array_set_size(live->nodes, 1);
	live_read_files(live, batch);
	for (unsigned i = 0; i < batch->nodes->len; i++) {
		const SptNode *node = &g_array_index(batch->nodes, SptNode, i);
		struct node known = { node->parent, live_function_of_frame(live, &node->frame) };

		g_array_append_val(live->nodes, known);
	}
}

static uint32_t live_function_of_process(SptLive *live, uint32_t thread)
{
	const SptThreadRow *row = live_row_at(live->threads, thread);
	const SptProcessRow *process =
		row->process ? live_row_at(live->processes, row->process) : NULL;

	return live_function_for(live,
				 spt_symbols_intern(live->symbols, spt_process_label(process)),
				 NULL);
}

/* As in a profile of the recording. */
static uint32_t function_of_no_stack(SptLive *live)
{
	const char *name = spt_symbols_intern(live->symbols, SPT_NO_STACK);

	return live_function_for(live, name, name);
}

static void live_count(SptLive *live, const struct sample *sample)
{
	const struct node *nodes = (const struct node *)live->nodes->data;
	uint32_t node = sample->node < live->nodes->len ? sample->node : 0,
		 no_stack = node ? 0 : function_of_no_stack(live);
	struct function *process = live_function_at(live,
						    live_function_of_process(live, sample->thread)),
			*leaf = node ? process : live_function_at(live, no_stack);

	live->n_samples++;
	live->total += sample->weight;
	process->total += sample->weight;
	if (node)
		leaf = live_function_at(live, nodes[node].function);
	else
		leaf->total += sample->weight;
	leaf->self += sample->weight;
	for (; node; node = nodes[node].parent) {
		struct function *function = live_function_at(live, nodes[node].function);

		if (function->seen != live->n_samples)
			function->total += sample->weight;
		function->seen = live->n_samples;
	}
}

bool spt_live_update(SptLive *live)
{
	GQueue batches = G_QUEUE_INIT;
	bool is_new = false, has_names = false;

	g_mutex_lock(&live->mutex);
	batches = live->published;
	g_queue_init(&live->published);
	g_mutex_unlock(&live->mutex);
	for (GList *at = batches.head; at; at = at->next)
		has_names |= live_take_rows(live, at->data);
	if (has_names)
		live_follow(live);
	for (struct batch *batch; (batch = g_queue_pop_head(&batches)); batch_free(batch)) {
		live_take_nodes(live, batch);
		for (unsigned i = 0; i < batch->samples->len; i++)
			live_count(live, &g_array_index(batch->samples, struct sample, i));
		is_new |= batch->samples->len > 0;
	}
	return is_new;
}

uint64_t spt_live_total(const SptLive *live)
{
	return live->total;
}

/* Inserts it in order among the @n heaviest so far; ties stay in the order of appearance. */
static unsigned live_rank(SptLiveRow *rows, unsigned n, unsigned max,
			  const struct function *function, bool by_self)
{
	uint64_t weight = by_self ? function->self : function->total;
	unsigned at = n;

	while (at > 0 && weight > (by_self ? rows[at - 1].self : rows[at - 1].total))
		at--;
	if (at == max)
		return n;
	n = MIN(n + 1, max);
	memmove(&rows[at + 1], &rows[at], (n - at - 1) * sizeof(*rows));
	rows[at] =
		(SptLiveRow){ function->name, function->object, function->self, function->total };
	return n;
}

unsigned spt_live_functions(const SptLive *live, SptLiveRow *ret, unsigned max)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < live->functions->len; i++) {
		const struct function *function = live_function_at(live, i);

		if (function->object && function->self)
			n = live_rank(ret, n, max, function, true);
	}
	return n;
}

unsigned spt_live_processes(const SptLive *live, SptLiveRow *ret, unsigned max)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < live->functions->len; i++) {
		const struct function *function = live_function_at(live, i);

		if (!function->object && function->total)
			n = live_rank(ret, n, max, function, false);
	}
	return n;
}
