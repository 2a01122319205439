/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables from texts to ids find what hosts have in common.  Sums are written when there are many,
 * and those of the same stack may follow again: readers add them up.
 */
#include "import/fleet.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

#include "base/pairs.h"
#include "base/text-ids.h"
#include "capture/stream-rows.h"
#include "capture/table.h"
#include "events/event.h"
#include "events/facts.h"
#include "import/import.h"
#include "profile/groups.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"
#include "profile/waits.h"

/* Sums that are kept before they are written, stacks, and threads of all hosts. */
#define SUMS_MAX     (1u << 19)
#define SUMS_AT_ONCE (1u << 16)	/* that are written */
/* Nodes are written this many at a time, too: each takes some 50 bytes meanwhile. */
#define NODES_AT_ONCE (1u << 17)
#define NODES_MAX    (1u << 22)
#define THREADS_MAX  (1u << 19)
#define NAMES_MAX    (1u << 20)
#define NAME_BYTES   16		/* names have places of their own */
#define KEY_OF_WAITS 1u		/* states of waits follow; 0: CPU time */
#define KEY_OF_LOCKS 30u
#define KEY_OF_KMEM  31u
#define KEY_STATES   32u

struct fleet_sum {
	uint32_t thread, node, key;
	uint64_t weight;
};

struct SptFleet {
	SptCaptureWriter *writer;
	SptStash *stash;
	GHashTable *hosts;		/* name -> id of its process */
	struct spt_text_ids processes, threads, objects, names;	/* ids from 1 on */
	uint32_t n_processes;		/* with hosts */
	uint32_t n_written;		/* nodes */
	GString *text;			/* of the present search */
	struct spt_pairs cpus;		/* (host, CPU) -> index in accounts */
	GArray *accounts;		/* SptAccountRow: sums of each */
	struct spt_pairs known;		/* (thread and key, node) -> index in sums */
	GArray *sums;			/* struct fleet_sum */
	uint64_t period_ns, first_real_ns, end_ns, n_samples, n_captures, cut_stacks;
	SptSourceAccountRow locks, kmem;	/* sums; the kind is 0: there are none */
	bool has_many_kernels;
	char *kernel, *arch;		/* of all, if has_many_kernels is not set */
};

/* One capture on its way into the result. */
struct fleet_part {
	const SptCapture *capture;
	SptSymbols *symbols;
	uint32_t host;			/* process of the host */
	uint32_t *threads, *nodes;	/* new ids; UINT32_MAX: not asked for so far */
	SptFrame *frames;		/* by number; object UINT32_MAX: not asked for so far */
};

SptFleet *spt_fleet_new(const char *path, uint64_t period_ns, GError **error)
{
	SptCaptureWriter *writer = spt_capture_writer_new(path, error);
	SptFleet *fleet;

	if (!writer)
		return NULL;
	fleet = g_new0(SptFleet, 1);
	fleet->writer = writer;
	fleet->stash = spt_stash_new();
	fleet->hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	fleet->text = g_string_new(NULL);
	fleet->accounts = g_array_new(FALSE, TRUE, sizeof(SptAccountRow));
	fleet->sums = g_array_new(FALSE, FALSE, sizeof(struct fleet_sum));
	fleet->period_ns = period_ns;
	fleet->end_ns = SPT_CAPTURE_TIME_UNIT_NS;
	return fleet;
}

void spt_fleet_free(SptFleet *fleet)
{
	if (!fleet)
		return;
	spt_capture_writer_free(fleet->writer);
	spt_stash_free(fleet->stash);
	g_hash_table_unref(fleet->hosts);
	spt_text_ids_clear(&fleet->processes);
	spt_text_ids_clear(&fleet->threads);
	spt_text_ids_clear(&fleet->objects);
	spt_text_ids_clear(&fleet->names);
	g_string_free(fleet->text, TRUE);
	spt_pairs_clear(&fleet->cpus);
	spt_pairs_clear(&fleet->known);
	g_array_unref(fleet->accounts);
	g_array_unref(fleet->sums);
	g_free(fleet->kernel);
	g_free(fleet->arch);
	g_free(fleet);
	/* Who reads the result needs memory in other pieces. */
	malloc_trim(0);
}

uint64_t spt_fleet_period(const SptFleet *fleet)
{
	return fleet->period_ns;
}

uint64_t spt_fleet_common_period(const SptFleet *fleet, const SptCapture *capture)
{
	uint64_t period = spt_capture_period_ns(capture);

	return period ? spt_common_divisor(fleet->period_ns, period) : 0;
}

/* The id of the text in fleet->text; *@ret_is_new: it had none. */
static uint32_t fleet_id(SptFleet *fleet, struct spt_text_ids *ids, bool *ret_is_new)
{
	uint32_t *id = spt_text_ids_at(ids, fleet->text->str);

	*ret_is_new = *id == UINT32_MAX;
	if (*ret_is_new)
		*id = (uint32_t)spt_text_ids_count(ids);
	return *id;
}

/* A host, or a program on one, is a process without a number. */
static uint32_t put_process(SptFleet *fleet, const SptProcessRow *row)
{
	SptProcessRow process = *row;

	process.id = ++fleet->n_processes;
	process.pid = SPT_ID_EXITED;
	spt_capture_writer_process(fleet->writer, &process);
	return process.id;
}

static uint32_t fleet_host(SptFleet *fleet, const SptCapture *capture)
{
	const char *name = spt_capture_host(capture, "host");

	uint32_t id;

	name = name ? name : "[unknown]";
	id = GPOINTER_TO_UINT(g_hash_table_lookup(fleet->hosts, name));
	if (id)
		return id;
	id = put_process(fleet, &(SptProcessRow){ .flags = SPT_PROCESS_HOST, .name = name });
	g_hash_table_insert(fleet->hosts, g_strdup(name), GUINT_TO_POINTER(id));
	return id;
}

/* The process of a host whose text is in fleet->text. */
static uint32_t fleet_process(SptFleet *fleet, const SptProcessRow *row)
{
	uint32_t *id = spt_text_ids_at(&fleet->processes, fleet->text->str);

	if (*id == UINT32_MAX)
		*id = put_process(fleet, row);
	return *id;
}

/* Threads of the kernel, and those of a pool, have numbers in their names. */
static uint32_t find_thread(SptFleet *fleet, const struct fleet_part *part, uint32_t thread)
{
	const SptThreadRow *row = spt_thread_of_id(part->capture, thread);
	const SptProcessRow *of = spt_process_of_thread(part->capture, thread);
	const char *program = spt_process_label(of),
		   *name = row && row->name && *row->name ? row->name : program;
	uint32_t kernel = of ? of->flags & SPT_PROCESS_KTHREAD : 0, process, id;
	g_autoptr(GString) owner = g_string_new(NULL), own = g_string_new(NULL);
	bool is_new;

	if (spt_text_ids_count(&fleet->threads) >= THREADS_MAX)
		program = name = "[more threads]";
	if (kernel)
		spt_group_append_pattern(owner, program);
	else
		g_string_append(owner, program);
	if (kernel || strcmp(name, program) != 0)
		spt_group_append_pattern(own, name);
	else
		g_string_append(own, name);
	g_string_printf(fleet->text, "%u %u ", part->host, kernel);
	g_string_append(fleet->text, owner->str);
	process = fleet_process(fleet, &(SptProcessRow){ .parent = part->host, .flags = kernel,
							 .name = owner->str });
	g_string_printf(fleet->text, "%u ", process);
	g_string_append(fleet->text, own->str);
	id = fleet_id(fleet, &fleet->threads, &is_new);
	if (is_new)
		spt_capture_writer_put(fleet->writer, SPT_ROW_THREAD,
				       &(SptThreadRow){ .id = id, .process = process,
							.tid = SPT_ID_EXITED, .name = own->str });
	return id;
}

static uint32_t fleet_thread(SptFleet *fleet, struct fleet_part *part, uint32_t thread)
{
	if (thread == 0)
		return 0;
	if (part->threads[thread] == UINT32_MAX)
		part->threads[thread] = find_thread(fleet, part, thread);
	return part->threads[thread];
}

/* Below the name by which it was found in fleet->text. */
static uint32_t fleet_object(SptFleet *fleet, const SptObjectRow *row)
{
	SptObjectRow object = *row;
	bool is_new;

	object.id = fleet_id(fleet, &fleet->objects, &is_new);
	if (is_new)
		spt_capture_writer_object(fleet->writer, &object);
	return object.id;
}

/* A name without a place: equal ones of all hosts are one. */
static SptFrame named_frame(SptFleet *fleet, const SptObjectRow *row, const SptName *name)
{
	SptObjectRow object = { .kind = row->kind, .path = row->path,
				.language = row->language };
	bool is_module = row->kind == SPT_OBJECT_MODULES && *name->object == '[', is_new;
	g_autofree char *module = is_module ? g_strndup(name->object + 1,
							strlen(name->object + 1) - 1) :
					      g_strdup("");
	SptFrame frame = { .kind = SPT_FRAME_EXACT };

	g_string_printf(fleet->text, "n %u ", (unsigned)row->kind);
	g_string_append(fleet->text, row->path ? row->path : "");
	frame.object = fleet_object(fleet, &object);
	g_string_printf(fleet->text, "%u ", frame.object);
	g_string_append(fleet->text, module);
	g_string_append_c(fleet->text, ' ');
	g_string_append(fleet->text, name->function);
	frame.offset = (uint64_t)fleet_id(fleet, &fleet->names, &is_new) * NAME_BYTES;
	if (is_new)
		spt_capture_writer_name(fleet->writer, &(SptNameRow){
			.object = frame.object, .offset = frame.offset, .symbol = name->function,
			.symbol_bytes = 1, .module = module });
	return frame;
}

/* What a file has at a place is found when it is read; other places say nothing elsewhere. */
static SptFrame placed_frame(SptFleet *fleet, const SptObjectRow *row, const SptFrame *frame)
{
	bool is_file = row->kind == SPT_OBJECT_FILE;
	SptFrame result = { .offset = is_file ? frame->offset : 0,
			    .kind = is_file ? frame->kind : SPT_FRAME_EXACT };

	g_string_printf(fleet->text, "p %u ", (unsigned)row->kind);
	for (unsigned i = 0; is_file && i < row->build_id_bytes; i++) {
		g_string_append_c(fleet->text, "0123456789abcdef"[row->build_id[i] >> 4]);
		g_string_append_c(fleet->text, "0123456789abcdef"[row->build_id[i] & 15]);
	}
	if (!is_file || row->build_id_bytes == 0)
		g_string_append_printf(fleet->text, "%" PRIu64 " %" PRIu64 " %s",
				       is_file ? row->bytes : 0, is_file ? row->mtime_ns : 0,
				       row->path ? row->path : "");
	result.object = fleet_object(fleet, row);
	return result;
}

static SptFrame fleet_frame(SptFleet *fleet, struct fleet_part *part, uint32_t number,
			    const SptFrame *frame)
{
	SptFrame *known = &part->frames[number];
	const SptObjectRow *row = &part->capture->objects[frame->object];
	SptName name;

	if (known->object != UINT32_MAX)
		return *known;
	if (!frame->object) {
		*known = (SptFrame){ .kind = SPT_FRAME_EXACT };
		return *known;
	}
	name = spt_symbols_name(part->symbols, frame);
	*known = name.has_symbol && spt_text_ids_count(&fleet->names) < NAMES_MAX ?
			 named_frame(fleet, row, &name) :
			 placed_frame(fleet, row, frame);
	return *known;
}

/* Parents have lower numbers: they are there before. */
static uint32_t fleet_node(SptFleet *fleet, struct fleet_part *part, uint32_t node)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t at = node;

	for (; part->nodes[at] == UINT32_MAX; at = part->capture->nodes[at].parent)
		g_array_append_val(path, at);
	for (unsigned i = path->len; i-- > 0;) {
		uint32_t next = g_array_index(path, uint32_t, i);
		const SptNode *of = &part->capture->nodes[next];
		SptFrame frame = fleet_frame(fleet, part, of->key, &of->frame);

		part->nodes[next] = part->nodes[at];
		if (spt_stash_n_nodes(fleet->stash) < NODES_MAX)
			part->nodes[next] =
				spt_stash_child(fleet->stash, part->nodes[at], &frame);
		else
			fleet->cut_stacks++;
		at = next;
	}
	return part->nodes[node];
}

/* Whose the lock was, and when memory was freed, is in no sum. */
static void put_event_sum(SptFleet *fleet, const struct fleet_sum *sum)
{
	if (sum->key == KEY_OF_LOCKS)
		spt_capture_writer_put(fleet->writer, SPT_ROW_EVENT, &(SptEventRow){
			.time = fleet->end_ns, .duration_ns = sum->weight, .weight = sum->weight,
			.thread = sum->thread, .node = sum->node, .kind = spt_event_locks.number });
	else
		spt_capture_writer_put(fleet->writer, SPT_ROW_ALLOCATION, &(SptAllocationRow){
			.time = fleet->end_ns, .bytes = sum->weight, .weight = sum->weight,
			.thread = sum->thread, .node = sum->node, .flags = SPT_ALLOCATION_SLAB });
}

static void put_sum(SptFleet *fleet, const struct fleet_sum *sum)
{
	uint64_t weight = sum->weight;

	if (sum->key == KEY_OF_LOCKS || sum->key == KEY_OF_KMEM) {
		put_event_sum(fleet, sum);
		return;
	}
	if (sum->key) {
		uint8_t state = (uint8_t)(sum->key - KEY_OF_WAITS);
		bool is_woken = state == SPT_STATE_WOKEN,
		     is_runnable = is_woken || state == SPT_STATE_PREEMPTED ||
				   state == SPT_STATE_NEW;

		spt_capture_writer_put(fleet->writer, SPT_ROW_WAIT, &(SptWaitRow){
			.time = fleet->end_ns, .duration_ns = weight, .weight_ns = weight,
			.runnable_ns = is_runnable ? weight : 0, .thread = sum->thread,
			.node = sum->node, .state = is_woken ? SPT_STATE_SLEEP : state });
		return;
	}
	while (weight > 0) {
		uint32_t some = (uint32_t)MIN(weight, UINT32_MAX);

		spt_capture_writer_sample(fleet->writer, &(SptSampleRow){
			.time = fleet->end_ns, .thread = sum->thread, .node = sum->node,
			.weight = some });
		weight -= some;
	}
}

/* Nodes, names and tasks, with what there is of sums. */
static bool write_stacks(SptFleet *fleet, GError **error)
{
	fleet->n_written = spt_stash_n_nodes(fleet->stash);
	return spt_capture_writer_flush(fleet->writer, fleet->stash, error);
}

static bool write_sums(SptFleet *fleet, GError **error)
{
	bool ok = true;

	for (guint i = 0; ok && i < fleet->sums->len; i++) {
		put_sum(fleet, &g_array_index(fleet->sums, struct fleet_sum, i));
		if (i % SUMS_AT_ONCE == SUMS_AT_ONCE - 1)
			ok = write_stacks(fleet, error);
	}
	g_array_set_size(fleet->sums, 0);
	spt_pairs_clear(&fleet->known);
	return ok && write_stacks(fleet, error);
}

static void add_sum(SptFleet *fleet, struct fleet_part *part, const SptStackSum *sum, uint32_t key,
		    uint64_t weight)
{
	uint32_t thread = fleet_thread(fleet, part, sum->thread),
		 node = fleet_node(fleet, part, sum->node);
	uint32_t *known = spt_pairs_at(&fleet->known, (uint64_t)thread * KEY_STATES + key, node);

	if (*known == UINT32_MAX) {
		struct fleet_sum first = { .thread = thread, .node = node, .key = key };

		*known = fleet->sums->len;
		g_array_append_val(fleet->sums, first);
	}
	g_array_index(fleet->sums, struct fleet_sum, *known).weight += weight;
}

/* Of waits, one for each state. */
static uint32_t key_of_metric(const SptMetric *metric, const SptStackSum *sum)
{
	if (metric->is_cpu)
		return 0;
	if (strcmp(metric->name, "lock") == 0)
		return KEY_OF_LOCKS;
	if (strcmp(metric->name, "kmem") == 0)
		return KEY_OF_KMEM;
	return MIN(KEY_OF_WAITS + sum->state, KEY_OF_LOCKS - 1);
}

/* Whether the capture has it. */
static bool add_metric(SptFleet *fleet, struct fleet_part *part, const char *name)
{
	const SptMetric *metric = spt_metric_find(name);
	uint64_t scale = metric->is_cpu ?
				 spt_capture_period_ns(part->capture) / fleet->period_ns :
				 1;
	g_autoptr(GArray) sums = NULL;

	if (!spt_metric_is_in(metric, part->capture))
		return false;
	sums = spt_stack_sums_new(part->capture, part->symbols, metric, NULL);
	for (guint i = 0; i < sums->len; i++) {
		const SptStackSum *sum = &g_array_index(sums, SptStackSum, i);

		add_sum(fleet, part, sum, key_of_metric(metric, sum), sum->weight * scale);
		fleet->n_samples += metric->is_cpu ? sum->samples : 0;
	}
	return true;
}

/* Accounts are cumulative: the last one of each CPU has its sums. */
static void add_accounts(SptFleet *fleet, const struct fleet_part *part)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	uint64_t scale = spt_capture_period_ns(part->capture) / fleet->period_ns;

	for (uint64_t i = part->capture->n_accounts; i-- > 0;) {
		const SptAccountRow *row = &part->capture->accounts[i];
		uint32_t *at;

		if (!g_hash_table_add(seen, GUINT_TO_POINTER(row->cpu)))
			continue;
		at = spt_pairs_at(&fleet->cpus, part->host, row->cpu);
		if (*at == UINT32_MAX) {
			*at = fleet->accounts->len;
			g_array_set_size(fleet->accounts, *at + 1);
		}
		spt_account_add(&g_array_index(fleet->accounts, SptAccountRow, *at), row, scale);
	}
}

/* The same of a source of events, in all. */
static void add_source_account(const struct fleet_part *part, const SptEventKind *kind,
			       SptSourceAccountRow *sum)
{
	g_autoptr(GHashTable) last = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(SptStreamReader) reader =
		spt_stream_reader_new(part->capture, SPT_ROW_SOURCE_ACCOUNT);
	const SptSourceAccountRow *rows;
	GHashTableIter iter;
	gpointer row;
	uint32_t n;

	sum->kind = kind->number;
	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (rows[i].kind == kind->number)
				g_hash_table_replace(last, GUINT_TO_POINTER(rows[i].cpu),
						     g_memdup2(&rows[i], sizeof(rows[i])));
	g_hash_table_iter_init(&iter, last);
	while (g_hash_table_iter_next(&iter, NULL, &row)) {
		const SptSourceAccountRow *of = row;

		sum->cost_ns += of->cost_ns;
		sum->calls += of->calls;
		for (unsigned i = 0; i < SPT_TALLIES; i++) {
			sum->tallies[i].events += of->tallies[i].events;
			sum->tallies[i].value += of->tallies[i].value;
			sum->tallies[i].ns += of->tallies[i].ns;
			sum->tallies[i].weight += of->tallies[i].weight;
		}
	}
}

static uint64_t fact_of(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);

	return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

uint64_t spt_fleet_samples(const SptCapture *capture)
{
	return spt_capture_host(capture, SPT_FLEET_SAMPLES) ? fact_of(capture, SPT_FLEET_SAMPLES) :
							      capture->n_samples;
}

/* Instants by the clocks of the hosts, from that of the first one on. */
static void add_time(SptFleet *fleet, const SptCapture *capture)
{
	uint64_t real = fact_of(capture, "start_realtime_ns"),
		 start = fact_of(capture, "start_time"),
		 end = MAX(capture->end_time, capture->last_time),
		 length = end > start ? end - start : 0;

	if (!fleet->first_real_ns)
		fleet->first_real_ns = real;
	fleet->end_ns = MAX(fleet->end_ns, SPT_CAPTURE_TIME_UNIT_NS + length +
					   (real > fleet->first_real_ns ?
						    real - fleet->first_real_ns : 0));
}

static void add_machine(SptFleet *fleet, const SptCapture *capture)
{
	const char *kernel = spt_capture_host(capture, "kernel"),
		   *arch = spt_capture_host(capture, "arch");

	if (!fleet->n_captures++) {
		fleet->kernel = g_strdup(kernel);
		fleet->arch = g_strdup(arch);
	}
	fleet->has_many_kernels |= g_strcmp0(fleet->kernel, kernel) != 0 ||
				   g_strcmp0(fleet->arch, arch) != 0;
}

bool spt_fleet_add(SptFleet *fleet, const SptCapture *capture, GError **error)
{
	struct fleet_part part = { .capture = capture };

	if (!fleet->period_ns)
		fleet->period_ns = spt_capture_period_ns(capture);
	part.symbols = spt_symbols_new(capture, NULL);
	spt_symbols_set_detail(part.symbols, SPT_DETAIL_NO_FILES);
	part.host = fleet_host(fleet, capture);
	part.threads = g_new(uint32_t, MAX(capture->n_threads, 1));
	part.nodes = g_new(uint32_t, MAX(capture->n_nodes, 1));
	part.frames = g_new(SptFrame, MAX(capture->n_frames, 1));
	memset(part.threads, 0xff, MAX(capture->n_threads, 1) * sizeof(*part.threads));
	memset(part.nodes, 0xff, MAX(capture->n_nodes, 1) * sizeof(*part.nodes));
	memset(part.frames, 0xff, MAX(capture->n_frames, 1) * sizeof(*part.frames));
	part.nodes[0] = 0;
	add_time(fleet, capture);
	add_machine(fleet, capture);
	add_metric(fleet, &part, SPT_METRIC_CPU->name);
	add_metric(fleet, &part, "off-cpu");
	if (add_metric(fleet, &part, "lock"))
		add_source_account(&part, &spt_event_locks, &fleet->locks);
	if (add_metric(fleet, &part, "kmem"))
		add_source_account(&part, &spt_event_slab, &fleet->kmem);
	add_accounts(fleet, &part);
	spt_symbols_free(part.symbols);
	g_free(part.threads);
	g_free(part.nodes);
	g_free(part.frames);
	if (fleet->sums->len >= SUMS_MAX)
		return write_sums(fleet, error);
	return spt_stash_n_nodes(fleet->stash) - fleet->n_written < NODES_AT_ONCE ||
	       write_stacks(fleet, error);
}

static void put_number(SptFleet *fleet, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" PRIu64, value);

	spt_capture_writer_host(fleet->writer, key, text);
}

/* What the sums have not, in a sentence of the report. */
static void put_note(SptFleet *fleet)
{
	g_autoptr(GString) note = g_string_new("added up by host, thread name and stack");

	if (fleet->locks.kind)
		g_string_append(note, "; who held locks is in each recording alone");
	if (fleet->kmem.kind)
		g_string_append(note, "; sizes and frees of kernel memory are in each recording alone");
	if (fleet->cut_stacks)
		g_string_append_printf(note, "; %" PRIu64 " stacks were cut, there were too many",
				       fleet->cut_stacks);
	spt_capture_writer_host(fleet->writer, SPT_IMPORT_NOTE, note->str);
}

static void put_facts(SptFleet *fleet)
{
	unsigned hosts = g_hash_table_size(fleet->hosts);

	put_number(fleet, "period_ns", fleet->period_ns);
	put_number(fleet, "start_time", SPT_CAPTURE_TIME_UNIT_NS);
	put_number(fleet, "start_realtime_ns", fleet->first_real_ns);
	put_number(fleet, SPT_FLEET_SAMPLES, fleet->n_samples);
	put_number(fleet, SPT_FLEET_CAPTURES, fleet->n_captures);
	put_number(fleet, SPT_FLEET_HOSTS, hosts);
	if (hosts == 1) {
		GHashTableIter iter;
		gpointer name;

		g_hash_table_iter_init(&iter, fleet->hosts);
		if (g_hash_table_iter_next(&iter, &name, NULL))
			spt_capture_writer_host(fleet->writer, "host", name);
	}
	if (!fleet->has_many_kernels && fleet->kernel && fleet->arch) {
		spt_capture_writer_host(fleet->writer, "kernel", fleet->kernel);
		spt_capture_writer_host(fleet->writer, "arch", fleet->arch);
	}
	put_note(fleet);
}

static void put_source_account(SptFleet *fleet, SptSourceAccountRow *sum)
{
	sum->time = fleet->end_ns;
	if (sum->kind)
		spt_capture_writer_put(fleet->writer, SPT_ROW_SOURCE_ACCOUNT, sum);
}

bool spt_fleet_finish(SptFleet *fleet, GError **error)
{
	put_facts(fleet);
	put_source_account(fleet, &fleet->locks);
	put_source_account(fleet, &fleet->kmem);
	for (guint i = 0; i < fleet->accounts->len; i++) {
		SptAccountRow *row = &g_array_index(fleet->accounts, SptAccountRow, i);

		row->time = fleet->end_ns;
		row->cpu = i;
		spt_capture_writer_account(fleet->writer, row);
	}
	return write_sums(fleet, error) &&
	       spt_capture_writer_finish(fleet->writer, fleet->stash, fleet->end_ns, error);
}
