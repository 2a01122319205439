/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf-capture.h"

#include <string.h>

#include "base/sorted-starts.h"
#include "base/words.h"
#include "import/import.h"
#include "import/perf-unwinding.h"
#include "import/questions.h"
#include "import/stacks.h"
#include "process/task-records.h"
#include "record/jit.h"
#include "record/stacks.h"

#define FLUSH_SAMPLES	(1u << 18)
/* Most mappings of all processes at a time, and kernel maps. */
#define MAPS_MAX	(1u << 23)
#define KERNEL_MAPS_MAX (1u << 14)
#define MADE_SYMBOLS_MAX (1u << 16)
#define MADE_MODULE	 "bpf"
#define KERNEL_PATH	"[kernel.kallsyms]"

struct kernel_map {
	uint64_t start, end;
	char *module;			/* "": the kernel itself */
};

/* Code that the kernel made while it ran: a program of BPF, for example. */
struct made_symbol {
	uint64_t start, end; /* start: first, for spt_sorted_starts */
	char *name;
};

struct SptImportPerfCapture {
	SptCaptureWriter *writer;
	int questions;
	SptTasks *tasks;
	SptSpaces *spaces;
	SptJit *jit;			/* knows no code */
	SptStacks *stacks;
	SptStash *stash;
	SptImportUnwinding *unwinding;
	GHashTable *files;		/* object -> SptObjectRow */
	GArray *gone_spaces;		/* mm ids */
	GArray *kernel_maps;		/* struct kernel_map */
	GArray *made_symbols;		/* struct made_symbol, in the order of the file */
	uint64_t kernel_symbol;		/* address of _text or _stext; 0: not known */
	char *kernel_symbol_name;
	SptKallsyms *kallsyms;
	bool has_kernel_names, has_kernel_frames;
	uint64_t weight;		/* of the next sample */
	const SptDeclaredRow *event;	/* what the next one is instead; NULL: a sample */
	bool had_copy;
	uint32_t node;			/* of the last one; 0: it had no stack */
	/* n_rows: samples and events */
	uint64_t n_samples, n_rows, n_flushed, n_copies, n_lost;
	uint64_t n_maps;		/* of all living spaces */
	uint32_t n_tasks, n_nameless;	/* n_nameless: files that cannot be identified */
	uint64_t last_time;
	GError *failure;
};

/* Tasks. */

static void import_process(const SptProcess *process, void *data)
{
	SptImportPerfCapture *capture = data;

	spt_capture_writer_process(capture->writer, &(SptProcessRow){
		.id = process->id,
		.pid = process->pid,
		.parent = process->parent,
		.flags = process->is_kthread ? SPT_PROCESS_KTHREAD : 0,
		.start_time = process->start_time,
		.end_time = process->end_time,
		.name = process->name });
}

static void import_thread(const SptThread *thread, void *data)
{
	SptImportPerfCapture *capture = data;

	capture->n_tasks = MAX(capture->n_tasks, thread->id);
	spt_capture_writer_thread(capture->writer, &(SptThreadRow){
		.id = thread->id,
		.process = thread->process->id,
		.tid = thread->tid,
		.start_time = thread->start_time,
		.end_time = thread->end_time,
		.name = thread->name,
		.former = thread->former });
}

static void import_space_gone(uint64_t mm, void *data)
{
	SptImportPerfCapture *capture = data;

	g_array_append_val(capture->gone_spaces, mm);
}

static unsigned count_maps(const SptImportPerfCapture *capture, uint64_t mm)
{
	const SptSpace *space = spt_spaces_get(capture->spaces, mm);
	unsigned n = 0;

	if (space)
		spt_space_maps(space, &n);
	return n;
}

static void drop_imported_spaces(SptImportPerfCapture *capture)
{
	for (guint i = 0; i < capture->gone_spaces->len; i++) {
		uint64_t mm = g_array_index(capture->gone_spaces, uint64_t, i);

		if (spt_tasks_use_space(capture->tasks, mm))
			continue;
		capture->n_maps -= MIN(count_maps(capture, mm), capture->n_maps);
		spt_spaces_drop(capture->spaces, mm);
	}
	g_array_set_size(capture->gone_spaces, 0);
}

/* Objects. */

static void put_import_objects(SptImportPerfCapture *capture)
{
	static const SptObjectRow rows[] = {
		{ .id = SYSPROF_OBJECT_KERNEL, .kind = SPT_OBJECT_KERNEL, .path = "[kernel]" },
		{ .id = SYSPROF_OBJECT_MODULES, .kind = SPT_OBJECT_MODULES, .path = "[modules]" },
		{ .id = SYSPROF_OBJECT_ANON, .kind = SPT_OBJECT_ANON, .path = "[anon]" },
		{ .id = SYSPROF_OBJECT_VDSO, .kind = SPT_OBJECT_VDSO, .path = "[vdso]" },
		{ .id = SPT_STACKS_VDSO32, .kind = SPT_OBJECT_VDSO, .path = "[vdso32]" },
		{ .id = SPT_STACKS_CUT, .path = SPT_STACK_CUT_OFF },
		{ .id = SPT_STACKS_INCOMPLETE, .path = "[stack incomplete]" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		spt_capture_writer_object(capture->writer, &rows[i]);
		if (rows[i].kind == SPT_OBJECT_UNKNOWN)
			spt_capture_writer_name(capture->writer, &(SptNameRow){
				.object = rows[i].id, .symbol = rows[i].path, .module = "" });
	}
}

static void import_object(SptImportPerfCapture *capture, const struct sysprof_object *object)
{
	SptObjectRow *row = g_new0(SptObjectRow, 1);

	row->id = object->object;
	row->kind = SPT_OBJECT_FILE;
	row->path = g_strdup(object->path);
	row->build_id_bytes = (uint8_t)MIN(object->build_id_bytes, SYSPROF_BUILD_ID_BYTES);
	memcpy(row->build_id, object->build_id, row->build_id_bytes);
	if (!row->build_id_bytes)
		spt_import_ask_identity(capture->questions, row);
	capture->n_nameless += !row->build_id_bytes && !row->mtime_ns;
	spt_capture_writer_object(capture->writer, row);
	g_hash_table_insert(capture->files, GUINT_TO_POINTER(row->id), row);
}

static void import_region(SptImportPerfCapture *capture, const struct sysprof_region *region)
{
	spt_capture_writer_object(capture->writer, &(SptObjectRow){
		.id = region->object,
		.kind = SPT_OBJECT_ANON,
		.path = "[anon]",
		.bytes = region->bytes });
}

static void free_import_file(gpointer data)
{
	SptObjectRow *row = data;

	g_free((char *)row->path);
	g_free(row);
}

static SptUnwindTable *import_table_of(uint32_t object, void *data, bool *ret_is_file)
{
	SptImportPerfCapture *capture = data;
	const SptObjectRow *row = g_hash_table_lookup(capture->files, GUINT_TO_POINTER(object));

	*ret_is_file = row;
	return row ? spt_import_ask_table(capture->questions, row) : NULL;
}

static void import_map(SptImportPerfCapture *capture, const struct sysprof_map *record)
{
	const SptMap map = {
		.start = record->start,
		.end = record->end,
		.offset = record->offset,
		.object = record->object,
	};

	unsigned before = count_maps(capture, record->mm);

	spt_spaces_map(capture->spaces, record->mm, record->record.time, &map,
		       record->record.flags & SYSPROF_MAP_FRESH);
	/* It may have replaced some. */
	capture->n_maps += count_maps(capture, record->mm);
	capture->n_maps -= MIN(before, capture->n_maps);
}

static void import_task(SptImportPerfCapture *capture, const struct sysprof_task *task)
{
	char name[SYSPROF_COMM_BYTES + 1];

	spt_task_records_take(capture->tasks, capture->spaces, task, name);
	if (task->record.type == SYSPROF_FORK && task->mm != task->parent_mm)
		capture->n_maps += count_maps(capture, task->mm);
}

/* Samples. */

static void put_import_sample(SptImportPerfCapture *capture, SptSampleRow *row)
{
	uint64_t weight = capture->weight;

	capture->last_time = MAX(capture->last_time, row->time);
	while (weight > 0) {
		row->weight = (uint32_t)MIN(weight, UINT32_MAX);
		spt_capture_writer_sample(capture->writer, row);
		weight -= row->weight;
		capture->n_samples++;
		capture->n_rows++;
	}
}

static void put_import_event(SptImportPerfCapture *capture, const SptSampleRow *sample)
{
	SptDeclaredRow row = *capture->event;

	row.time = sample->time;
	row.cpu = sample->cpu;
	row.thread = sample->thread;
	row.node = sample->node;
	capture->last_time = MAX(capture->last_time, row.time);
	capture->event = NULL;
	capture->n_rows++;
	spt_capture_writer_put(capture->writer, SPT_ROW_DECLARED, &row);
}

static void import_sample(SptImportPerfCapture *capture, const struct sysprof_sample *sample)
{
	const struct sysprof_record *record = &sample->record;
	const SptThread *thread = spt_tasks_sampled(capture->tasks, record->pid, record->tid,
						    sample->mm, record->time);
	SptProcess *process = thread->process;
	SptSampleRow row = {
		.time = record->time,
		.cpu = record->cpu,
		.thread = thread->id,
		.context = sample->n_kernel ? SPT_CONTEXT_KERNEL : 0,
		.kernel_end = sample->kernel_end,
	};
	SptStackView view;
	SptStackEnd end;

	capture->has_kernel_frames |= sample->n_kernel > 0;
	/* The file has a copy, which cannot be unwound here. */
	capture->n_copies += capture->had_copy && !sample->raw_bytes;
	if (sample->raw_bytes)
		sample = spt_import_unwinding_take(capture->unwinding, sample);
	view = spt_stack_of_sample(sample);
	row.node = spt_stacks_node(capture->stacks, capture->stash, &view,
				   sample->n_kernel && !process->has_run, &end);
	process->has_run |= end.has_user;
	row.user_end = end.user_end;
	capture->node = sample->n_kernel || sample->n_user ? row.node : 0;
	if (capture->event)
		put_import_event(capture, &row);
	else
		put_import_sample(capture, &row);
}

static void take_made_record(const struct sysprof_record *record, void *data)
{
	SptImportPerfCapture *capture = data;

	spt_tasks_pass(capture->tasks, record->time);
	switch (record->type) {
	case SYSPROF_SAMPLE:
		import_sample(capture, (const struct sysprof_sample *)record);
		break;
	case SYSPROF_TASK:
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_COMM:
	case SYSPROF_EXIT:
		import_task(capture, (const struct sysprof_task *)record);
		break;
	case SYSPROF_MAP:
		import_map(capture, (const struct sysprof_map *)record);
		break;
	case SYSPROF_OBJECT:
		import_object(capture, (const struct sysprof_object *)record);
		break;
	case SYSPROF_REGION:
		import_region(capture, (const struct sysprof_region *)record);
		break;
	}
}

struct spt_perf_sink spt_import_perf_capture_sink(SptImportPerfCapture *capture)
{
	return (struct spt_perf_sink){ take_made_record, capture };
}

void spt_import_perf_capture_weigh(SptImportPerfCapture *capture, uint64_t weight, bool had_copy)
{
	capture->weight = MIN(weight, UINT32_MAX * 1000ull);
	capture->had_copy = had_copy;
}

void spt_import_perf_capture_event(SptImportPerfCapture *capture, const SptDeclaredRow *row)
{
	capture->event = row;
}

void spt_import_perf_capture_declare(SptImportPerfCapture *capture, const SptDeclarationRow *row)
{
	spt_capture_writer_put(capture->writer, SPT_ROW_DECLARATION, row);
}

uint32_t spt_import_perf_capture_node(const SptImportPerfCapture *capture)
{
	return capture->node;
}

uint32_t spt_import_perf_capture_waiter(SptImportPerfCapture *capture,
					const struct sysprof_record *record, uint64_t mm)
{
	return spt_tasks_sampled(capture->tasks, record->pid, record->tid, mm, record->time)->id;
}

uint32_t spt_import_perf_capture_thread(const SptImportPerfCapture *capture, uint32_t tid,
					uint32_t *ret_pid)
{
	const SptThread *thread = spt_tasks_find(capture->tasks, tid);

	*ret_pid = thread ? thread->process->pid : 0;
	return thread ? thread->id : 0;
}

void spt_import_perf_capture_put(SptImportPerfCapture *capture, SptRowKind type, const void *row,
				 uint64_t time)
{
	capture->last_time = MAX(capture->last_time, time);
	capture->n_rows++;
	spt_capture_writer_put(capture->writer, type, row);
}

uint64_t spt_import_perf_capture_events(const SptImportPerfCapture *capture)
{
	return capture->n_rows - capture->n_samples;
}

uint64_t spt_import_perf_capture_samples(const SptImportPerfCapture *capture)
{
	return capture->n_samples;
}

void spt_import_perf_capture_lost(SptImportPerfCapture *capture, uint64_t time, uint64_t n)
{
	if (n == 0)
		return;
	capture->n_lost += n;
	spt_capture_writer_loss(capture->writer, &(SptLossRow){
		.first_time = time, .last_time = time, .weight = n });
}

/* The kernel. */

static void clear_kernel_map(gpointer data)
{
	g_free(((struct kernel_map *)data)->module);
}

static void clear_made_symbol(gpointer data)
{
	g_free(((struct made_symbol *)data)->name);
}

void spt_import_perf_capture_symbol(SptImportPerfCapture *capture, uint64_t start, uint64_t bytes,
				    const char *name)
{
	const struct made_symbol symbol = { start, start + bytes, g_strdup(name) };

	if (capture->made_symbols->len < MADE_SYMBOLS_MAX)
		g_array_append_val(capture->made_symbols, symbol);
	else
		g_free(symbol.name);
}

/* "[ext4]" or "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" as "ext4". */
static char *module_of_map(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = g_strdup(*path == '[' ? path + 1 : slash ? slash + 1 : path);

	name[strcspn(name, "].")] = '\0';
	return g_strdelimit(name, "-", '_');
}

void spt_import_perf_capture_kernel_map(SptImportPerfCapture *capture, uint64_t start,
					uint64_t bytes, uint64_t symbol, const char *path)
{
	bool is_kernel = g_str_has_prefix(path, KERNEL_PATH);
	struct kernel_map map = { .start = start, .end = start + bytes };

	if (capture->kernel_maps->len >= KERNEL_MAPS_MAX || bytes == 0 || map.end <= start)
		return;
	if (is_kernel && !capture->kernel_symbol) {
		capture->kernel_symbol = symbol;
		capture->kernel_symbol_name = g_strdup(path + strlen(KERNEL_PATH));
	}
	map.module = is_kernel ? g_strdup("") : module_of_map(path);
	g_array_append_val(capture->kernel_maps, map);
}

/* The symbols of this machine's kernel, at the addresses that it had then; NULL: it is another. */
static SptKallsyms *ask_kernel(const SptImportPerfCapture *capture, const SptPerfData *data)
{
	unsigned bytes;
	const uint8_t *id = spt_perf_data_build_id(data, KERNEL_PATH, &bytes);
	const char *name = capture->kernel_symbol_name;
	const char *release = spt_perf_data_facts(data)->kernel;
	char *text = name && (id || release) ?
			     spt_import_ask_kernel(capture->questions, id, bytes, release) :
			     NULL;
	SptKallsyms *kallsyms;
	uint64_t now;

	if (!text)
		return NULL;
	kallsyms = spt_kallsyms_new_text(text);
	now = spt_kallsyms_address(kallsyms, name);
	/* Another build of that release has its symbols elsewhere. */
	if (!now || (!id && now != capture->kernel_symbol)) {
		spt_kallsyms_free(kallsyms);
		return NULL;
	}
	spt_kallsyms_move(kallsyms, capture->kernel_symbol - now);
	return kallsyms;
}

SptKallsyms *spt_import_perf_capture_kernel(SptImportPerfCapture *capture, const SptPerfData *data)
{
	const struct kernel_map *map;

	capture->kallsyms = ask_kernel(capture, data);
	capture->has_kernel_names = capture->kallsyms;
	for (guint i = 0; !capture->kallsyms && i < capture->kernel_maps->len; i++) {
		map = &g_array_index(capture->kernel_maps, struct kernel_map, i);
		if (!*map->module)
			capture->kallsyms = spt_kallsyms_new_range(map->start, map->end);
	}
	if (!capture->kallsyms)
		capture->kallsyms = spt_kallsyms_new_range(UINT64_MAX << 47, 0);
	return capture->kallsyms;
}

/* Whether the file has this module where the symbols have it: it may have been loaded again. */
static bool was_there(const SptImportPerfCapture *capture, const char *module, uint64_t address)
{
	for (guint i = 0; i < capture->kernel_maps->len; i++) {
		const struct kernel_map *map =
			&g_array_index(capture->kernel_maps, struct kernel_map, i);

		if (address >= map->start && address < map->end)
			return strcmp(map->module, module) == 0;
	}
	return false;
}

static bool put_symbol_name(SptImportPerfCapture *capture, const SptFrame *frame, uint64_t address)
{
	struct sysprof_name name = { .frame = (uint64_t)frame->object
						      << SYSPROF_FRAME_OBJECT_SHIFT |
					      frame->offset };

	spt_kallsyms_name(capture->kallsyms, &name);
	if (!name.symbol[0] || (name.module[0] && !was_there(capture, name.module, address)))
		return false;
	spt_capture_writer_name(capture->writer, &(SptNameRow){
		.object = frame->object,
		.offset = frame->offset,
		.symbol = name.symbol,
		.distance = name.offset,
		.symbol_bytes = name.symbol_bytes,
		.module = name.module });
	return true;
}

static gint compare_made_symbols(gconstpointer a, gconstpointer b)
{
	const struct made_symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Of several at one place it has the name of the last one. */
static void put_made_name(SptImportPerfCapture *capture, const struct spt_sorted_starts *symbols,
			  const SptFrame *frame, uint64_t address)
{
	uint32_t n = spt_sorted_starts_until(symbols, address);
	const struct made_symbol *symbol =
		n ? (const struct made_symbol *)symbols->rows + n - 1 : NULL;

	if (!symbol || address >= symbol->end)
		return;
	spt_capture_writer_name(capture->writer,
				&(SptNameRow){ .object = frame->object,
					       .offset = frame->offset,
					       .symbol = symbol->name,
					       .distance = address - symbol->start,
					       .symbol_bytes = symbol->end - symbol->start,
					       .module = MADE_MODULE });
}

static void put_kernel_names(SptImportPerfCapture *capture)
{
	uint32_t n = spt_stash_number_frames(capture->stash);
	GArray *made = capture->made_symbols;
	struct spt_sorted_starts symbols;

	/* Of several at one place the order remains. */
	g_array_sort(made, compare_made_symbols);
	spt_sorted_starts_init(&symbols,
			       g_memdup2(made->data, made->len * sizeof(struct made_symbol)),
			       sizeof(struct made_symbol), made->len);
	for (uint32_t i = 1; i < n && capture->kallsyms; i++) {
		const SptFrame *frame = spt_stash_frame(capture->stash, i);
		uint64_t address;

		if (frame->object != SYSPROF_OBJECT_KERNEL &&
		    frame->object != SYSPROF_OBJECT_MODULES)
			continue;
		address = spt_kallsyms_frame_address(
			capture->kallsyms,
			(uint64_t)frame->object << SYSPROF_FRAME_OBJECT_SHIFT | frame->offset);
		if (!capture->has_kernel_names || !put_symbol_name(capture, frame, address))
			put_made_name(capture, &symbols, frame, address);
	}
	spt_sorted_starts_clear(&symbols);
}

/* The file. */

SptImportPerfCapture *spt_import_perf_capture_new(SptCaptureWriter *writer, int questions)
{
	SptImportPerfCapture *capture = g_new0(SptImportPerfCapture, 1);
	const SptTasksListener listener = { import_process, import_thread, import_space_gone,
					    capture };

	capture->writer = writer;
	capture->questions = questions;
	capture->tasks = spt_tasks_new(&listener);
	capture->spaces = spt_spaces_new();
	capture->jit = spt_jit_new();
	capture->stacks = spt_stacks_new(capture->spaces, capture->jit, NULL, SPT_IMPORT_CPUS);
	capture->stash = spt_stash_new();
	capture->unwinding = spt_import_unwinding_new(capture->spaces, import_table_of, capture);
	capture->files = g_hash_table_new_full(NULL, NULL, NULL, free_import_file);
	capture->gone_spaces = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	capture->kernel_maps = g_array_new(FALSE, FALSE, sizeof(struct kernel_map));
	g_array_set_clear_func(capture->kernel_maps, clear_kernel_map);
	capture->made_symbols = g_array_new(FALSE, FALSE, sizeof(struct made_symbol));
	g_array_set_clear_func(capture->made_symbols, clear_made_symbol);
	put_import_objects(capture);
	return capture;
}

void spt_import_perf_capture_free(SptImportPerfCapture *capture)
{
	if (!capture)
		return;
	spt_import_unwinding_free(capture->unwinding);
	spt_stacks_free(capture->stacks);
	spt_jit_free(capture->jit);
	spt_tasks_free(capture->tasks);
	spt_spaces_free(capture->spaces);
	spt_stash_free(capture->stash);
	spt_kallsyms_free(capture->kallsyms);
	g_hash_table_unref(capture->files);
	g_array_unref(capture->gone_spaces);
	g_array_unref(capture->kernel_maps);
	g_array_unref(capture->made_symbols);
	g_free(capture->kernel_symbol_name);
	g_clear_error(&capture->failure);
	g_free(capture);
}

void spt_import_perf_capture_let_go(SptImportPerfCapture *capture)
{
	drop_imported_spaces(capture);
	if (capture->n_rows - capture->n_flushed < FLUSH_SAMPLES || capture->failure)
		return;
	capture->n_flushed = capture->n_rows;
	spt_capture_writer_flush(capture->writer, capture->stash, &capture->failure);
}

const char *spt_import_perf_capture_excess(const SptImportPerfCapture *capture)
{
	if (capture->failure)
		return capture->failure->message;
	return capture->n_maps > MAPS_MAX || capture->n_tasks > SPT_IMPORT_FUNCTIONS ||
			       g_hash_table_size(capture->files) > SPT_IMPORT_FUNCTIONS ||
			       capture->n_rows > SPT_IMPORT_SAMPLES ||
			       spt_stash_n_nodes(capture->stash) > SPT_IMPORT_NODES ?
		       SPT_WORDS("it is too large") :
		       NULL;
}

bool spt_import_perf_capture_refuse(const SptImportPerfCapture *capture, const char *why,
				    GError **error)
{
	if (capture->failure)
		g_propagate_error(error, g_error_copy(capture->failure));
	else
		spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "%s",
			      spt_words(why));
	return false;
}

static void note_fact(SptImportPerfCapture *capture, const char *key, const char *value)
{
	if (value && *value)
		spt_capture_writer_host(capture->writer, key, value);
}

static void note_facts(SptImportPerfCapture *capture, const SptPerfData *data)
{
	const struct spt_perf_data_facts *facts = spt_perf_data_facts(data);
	g_autofree char *perf = facts->perf ? g_strdup_printf("perf %s", facts->perf) : NULL;
	unsigned bytes;
	const uint8_t *id = spt_perf_data_build_id(data, KERNEL_PATH, &bytes);
	g_autoptr(GString) text = g_string_new(NULL);

	note_fact(capture, "source", "perf record");
	note_fact(capture, "host", facts->host);
	note_fact(capture, "kernel", facts->kernel);
	note_fact(capture, "arch", facts->arch);
	note_fact(capture, "recorder", perf);
	note_fact(capture, "recorder_command", facts->command);
	for (unsigned i = 0; i < bytes; i++)
		g_string_append_printf(text, "%02x", id[i]);
	note_fact(capture, "build-id", text->str);
}

static void note_stacks(SptImportPerfCapture *capture, GString *note)
{
	g_autofree char *part = NULL;
	uint64_t all, cut;

	spt_import_unwinding_counts(capture->unwinding, &all, &cut);
	part = g_strdup_printf("of %" G_GUINT64_FORMAT
			       " copied stacks could not be followed to their end",
			       all);
	spt_import_note_count(note, cut, part);
	spt_import_note_count(note, spt_import_unwinding_missing(capture->unwinding),
			      "files on stacks are not on this machine as they were recorded");
	spt_import_note_count(note, capture->n_copies,
			      "samples with copied stacks have only their first frame");
	if (!capture->has_kernel_names && capture->has_kernel_frames)
		g_string_append_printf(note,
				       "%sthe kernel's functions have no names, since it is not "
				       "the kernel that runs here", note->len ? "; " : "");
	if (all)
		note_fact(capture, "stacks", "dwarf");
}

bool spt_import_perf_capture_finish(SptImportPerfCapture *capture, const SptPerfData *data,
				    SptPerfRecords *records, const char *event, uint64_t period_ns,
				    GString *note, GError **error)
{
	const struct spt_perf_sink sink = spt_import_perf_capture_sink(capture);
	g_autofree char *period = g_strdup_printf("%" G_GUINT64_FORMAT, period_ns);

	if (records)
		spt_perf_tasks_flush_exits(spt_perf_records_tasks(records), UINT64_MAX, &sink);
	put_kernel_names(capture);
	note_facts(capture, data);
	note_fact(capture, "event", event);
	note_fact(capture, "period_ns", period_ns ? period : NULL);
	note_stacks(capture, note);
	note_fact(capture, SPT_IMPORT_NOTE, note->str);
	if (capture->failure)
		return spt_import_perf_capture_refuse(capture, NULL, error);
	return spt_capture_writer_finish(capture->writer, capture->stash, capture->last_time,
					 error);
}
