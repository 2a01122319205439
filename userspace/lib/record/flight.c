/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples and accounts wait by CPU, in the order in which they came.  Accounts of a CPU are
 * cumulative: later ones are counted from the last one before the kept time, and the samples after
 * it are those that it does not count.
 */
#include "record/flight.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/schema.h"
#include "record/flight-declared.h"

#define COMPACT_NODES 4096		/* fewer are not worth it */

struct account {
	SptAccountRow row;
	uint64_t samples_before;	/* of this CPU, since the start */
};

/* What /proc said of a process. */
struct said {
	char *command_line, *cgroup;
};

struct cpu {
	GArray *samples;		/* SptSampleRow */
	uint64_t n_forgotten;		/* samples before those */
	/* Struct account; the first is what the others are counted from, */
	GArray *accounts;
	bool has_base;			/* ... if anything was forgotten */
};

struct flight {
	SptSink sink;
	bool by_windows;
	uint64_t last_ns, period_ns;
	uint32_t kept_nodes;		/* of the last stash that was made smaller */
	GHashTable *host;
	GHashTable *objects, *processes, *threads;	/* id -> row */
	GHashTable *command_lines;	/* id of a process -> struct said */
	GHashTable *maps;		/* id of a process -> GArray of SptMapRow */
	GPtrArray *files;		/* SptFileRow and its bytes, in one piece of memory */
	GPtrArray *cpus;		/* struct cpu by number, or NULL */
	SptFlightDeclared *declared;
	GArray *others[SPT_ROWS];	/* rows of kinds that are kept by CPU and time, or NULL */
};

static void cpu_free(void *data)
{
	struct cpu *cpu = data;

	if (!cpu)
		return;
	g_array_unref(cpu->samples);
	g_array_unref(cpu->accounts);
	g_free(cpu);
}

static void said_free(void *data)
{
	struct said *said = data;

	g_free(said->command_line);
	g_free(said->cgroup);
	g_free(said);
}

static const char *flight_text_at(const void *row, size_t at)
{
	const char *text = at ? *(const char *const *)((const uint8_t *)row + at) : NULL;

	return text ? text : "";
}

/* A row and its texts, in one piece of memory.  @second_at: 0 if there is one text. */
static void *keep_row(const void *row, size_t bytes, size_t first_at, size_t second_at)
{
	const char *first = flight_text_at(row, first_at), *second = flight_text_at(row, second_at);
	size_t first_bytes = strlen(first) + 1, second_bytes = strlen(second) + 1;
	char *kept = g_malloc(bytes + first_bytes + second_bytes), *texts = kept + bytes;

	memcpy(kept, row, bytes);
	memcpy(texts, first, first_bytes);
	memcpy(texts + first_bytes, second, second_bytes);
	*(char **)(kept + first_at) = texts;
	if (second_at)
		*(char **)(kept + second_at) = texts + first_bytes;
	return kept;
}

static void *flight_row_of(GHashTable *rows, uint32_t id)
{
	return g_hash_table_lookup(rows, GUINT_TO_POINTER(id));
}

static void replace_row(GHashTable *rows, uint32_t id, void *row)
{
	g_hash_table_replace(rows, GUINT_TO_POINTER(id), row);
}

static struct cpu *cpu_at(const struct flight *flight, uint32_t number)
{
	return number < flight->cpus->len ? flight->cpus->pdata[number] : NULL;
}

static struct cpu *get_cpu(struct flight *flight, uint32_t number)
{
	struct cpu *cpu = cpu_at(flight, number);

	if (cpu)
		return cpu;
	if (number >= flight->cpus->len)
		g_ptr_array_set_size(flight->cpus, (int)number + 1);
	cpu = flight->cpus->pdata[number] = g_new0(struct cpu, 1);
	cpu->samples = g_array_new(FALSE, FALSE, sizeof(SptSampleRow));
	cpu->accounts = g_array_new(FALSE, FALSE, sizeof(struct account));
	return cpu;
}

static void flight_fact(SptSink *sink, const char *key, const char *value)
{
	struct flight *flight = (struct flight *)sink;

	if (strcmp(key, "period_ns") == 0)
		flight->period_ns = g_ascii_strtoull(value, NULL, 10);
	g_hash_table_replace(flight->host, g_strdup(key), g_strdup(value));
}

static void flight_put_object(struct flight *flight, const SptObjectRow *row)
{
	replace_row(flight->objects, row->id,
		    keep_row(row, sizeof(*row), G_STRUCT_OFFSET(SptObjectRow, path), 0));
}

static void put_file(struct flight *flight, const SptFileRow *row)
{
	SptFileRow *kept = g_malloc(sizeof(*row) + row->data.bytes);

	*kept = *row;
	memcpy(kept + 1, row->data.data, row->data.bytes);
	kept->data.data = kept + 1;
	g_ptr_array_add(flight->files, kept);
}

static void flight_put_process(struct flight *flight, const SptProcessRow *row)
{
	replace_row(flight->processes, row->id,
		    keep_row(row, sizeof(*row), G_STRUCT_OFFSET(SptProcessRow, name), 0));
}

static void flight_put_thread(struct flight *flight, const SptThreadRow *row)
{
	replace_row(flight->threads, row->id,
		    keep_row(row, sizeof(*row), G_STRUCT_OFFSET(SptThreadRow, name),
			     G_STRUCT_OFFSET(SptThreadRow, former)));
}

static void put_command_line(struct flight *flight, const SptCommandLineRow *row)
{
	struct said *said = g_new(struct said, 1);

	*said = (struct said){ g_strdup(row->text), g_strdup(row->cgroup) };
	replace_row(flight->command_lines, row->process, said);
}

static void flight_put_map(struct flight *flight, const SptMapRow *row)
{
	GArray *rows = flight_row_of(flight->maps, row->process);

	if (!rows) {
		rows = g_array_new(FALSE, FALSE, sizeof(SptMapRow));
		replace_row(flight->maps, row->process, rows);
	}
	g_array_append_vals(rows, row, 1);
}

static void flight_put_sample(struct flight *flight, const SptSampleRow *row)
{
	g_array_append_vals(get_cpu(flight, row->cpu)->samples, row, 1);
}

static void flight_put_account(struct flight *flight, const SptAccountRow *row)
{
	struct cpu *cpu = get_cpu(flight, row->cpu);
	struct account account = { *row, cpu->n_forgotten + cpu->samples->len };

	/* A requested one is written after rows that came in the meantime. */
	for (unsigned n = cpu->samples->len;
	     n && g_array_index(cpu->samples, SptSampleRow, n - 1).time > row->time; n--)
		account.samples_before--;
	g_array_append_val(cpu->accounts, account);
}

static void flight_put_row(struct flight *flight, SptRowKind kind, const void *row)
{
	switch (kind) {
	case SPT_ROW_OBJECT:
		flight_put_object(flight, row);
		break;
	case SPT_ROW_FILE:
		put_file(flight, row);
		break;
	case SPT_ROW_PROCESS:
		flight_put_process(flight, row);
		break;
	case SPT_ROW_THREAD:
		flight_put_thread(flight, row);
		break;
	case SPT_ROW_COMMAND_LINE:
		put_command_line(flight, row);
		break;
	case SPT_ROW_MAP:
		flight_put_map(flight, row);
		break;
	case SPT_ROW_SAMPLE:
		flight_put_sample(flight, row);
		break;
	case SPT_ROW_ACCOUNT:
		flight_put_account(flight, row);
		break;
	case SPT_ROW_DECLARATION:
		spt_flight_declared_declare(flight->declared, row);
		break;
	case SPT_ROW_DECLARED:
		spt_flight_declared_put(flight->declared, row);
		break;
	default:
		if (flight->others[kind])
			g_array_append_vals(flight->others[kind], row, 1);
	}
}

static void flight_put(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		flight_put_row((struct flight *)sink, kind, spt_nth_row(kind, rows, i));
}

/* Forgetting. */

static void forget_of_cpu(struct cpu *cpu, uint64_t begin)
{
	unsigned base = 0;
	uint64_t n;

	while (base + 1 < cpu->accounts->len &&
	       g_array_index(cpu->accounts, struct account, base + 1).row.time <= begin)
		base++;
	if (!cpu->accounts->len ||
	    g_array_index(cpu->accounts, struct account, base).row.time > begin)
		return;
	n = g_array_index(cpu->accounts, struct account, base).samples_before - cpu->n_forgotten;
	cpu->n_forgotten += n;
	cpu->has_base = true;
	if (base)
		g_array_remove_range(cpu->accounts, 0, base);
	if (n > cpu->samples->len / 2) {
		g_autoptr(GArray) old = g_steal_pointer(&cpu->samples);

		/* The same with less memory. */
		cpu->samples = g_array_new(FALSE, FALSE, sizeof(SptSampleRow));
		g_array_append_vals(cpu->samples, &g_array_index(old, SptSampleRow, n),
				    old->len - (guint)n);
	} else if (n) {
		g_array_remove_range(cpu->samples, 0, (guint)n);
	}
}

/* Where a CPU's rows begin. */
static uint64_t begin_of_cpu(const struct cpu *cpu)
{
	return cpu && cpu->has_base ? g_array_index(cpu->accounts, struct account, 0).row.time : 0;
}

static void forget_others(struct flight *flight, SptRowKind kind)
{
	const SptRowType *type = &spt_row_types[kind];
	size_t bytes = type->schema->row_bytes;
	GArray *rows = flight->others[kind];
	unsigned n = 0;

	for (unsigned i = 0; rows && i < rows->len; i++) {
		const char *row = rows->data + i * bytes;
		uint64_t time;
		uint32_t cpu;

		memcpy(&time, row + type->time_at, sizeof(time));
		memcpy(&cpu, row + type->cpu_at, sizeof(cpu));
		if (time >= begin_of_cpu(cpu_at(flight, cpu)))
			memmove(rows->data + n++ * bytes, row, bytes);
	}
	if (rows)
		g_array_set_size(rows, n);
}

/* Of the rows of waits, events, lanes and declared kinds, too. */
static void flight_add_threads(const struct flight *flight, GHashTable *threads)
{
	const GArray *waits = flight->others[SPT_ROW_WAIT], *lanes = flight->others[SPT_ROW_LANE],
		     *events = flight->others[SPT_ROW_EVENT];

	for (unsigned i = 0; i < waits->len; i++) {
		const SptWaitRow *row = &g_array_index(waits, SptWaitRow, i);

		g_hash_table_add(threads, GUINT_TO_POINTER(row->thread));
		g_hash_table_add(threads, GUINT_TO_POINTER(row->waker));
	}
	for (unsigned i = 0; i < events->len; i++) {
		const SptEventRow *row = &g_array_index(events, SptEventRow, i);

		g_hash_table_add(threads, GUINT_TO_POINTER(row->thread));
		g_hash_table_add(threads, GUINT_TO_POINTER(row->holder));
	}
	for (unsigned i = 0; i < lanes->len; i++)
		g_hash_table_add(threads,
				 GUINT_TO_POINTER(g_array_index(lanes, SptLaneRow, i).thread));
	spt_flight_declared_add_threads(flight->declared, threads);
}

static GHashTable *threads_with_samples(const struct flight *flight)
{
	GHashTable *threads = g_hash_table_new(NULL, NULL);

	flight_add_threads(flight, threads);
	for (unsigned i = 0; i < flight->cpus->len; i++) {
		const struct cpu *cpu = flight->cpus->pdata[i];

		for (unsigned n = 0; cpu && n < cpu->samples->len; n++)
			g_hash_table_add(
				threads,
				GUINT_TO_POINTER(
					g_array_index(cpu->samples, SptSampleRow, n).thread));
	}
	return threads;
}

/* Processes that live or have samples may still be referred to, and so may their ancestors. */
static void forget_tasks(struct flight *flight)
{
	g_autoptr(GHashTable) threads = threads_with_samples(flight),
			      processes = g_hash_table_new(NULL, NULL);
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, flight->threads);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const SptThreadRow *row = value;
		const SptProcessRow *process;

		if (row->end_time && !g_hash_table_contains(threads, GUINT_TO_POINTER(row->id))) {
			g_hash_table_iter_remove(&iter);
			continue;
		}
		for (process = flight_row_of(flight->processes, row->process);
		     process && g_hash_table_add(processes, GUINT_TO_POINTER(process->id));
		     process = flight_row_of(flight->processes, process->parent))
			;
	}
	g_hash_table_iter_init(&iter, flight->processes);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		if (((SptProcessRow *)value)->end_time &&
		    !g_hash_table_contains(processes,
					   GUINT_TO_POINTER(((SptProcessRow *)value)->id))) {
			g_hash_table_remove(flight->command_lines,
					    GUINT_TO_POINTER(((SptProcessRow *)value)->id));
			g_hash_table_remove(flight->maps,
					    GUINT_TO_POINTER(((SptProcessRow *)value)->id));
			g_hash_table_iter_remove(&iter);
		}
}

/*
 * Drops rows from before @begin.  A CPU's rows begin with an account, so samples a little older
 * than @begin stay.
 */
static void flight_forget(struct flight *flight, uint64_t begin)
{
	for (unsigned i = 0; i < flight->cpus->len; i++)
		if (flight->cpus->pdata[i])
			forget_of_cpu(flight->cpus->pdata[i], begin);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		forget_others(flight, kind);
	spt_flight_declared_forget(flight->declared, begin);
	forget_tasks(flight);
}

static bool flight_flush(SptSink *sink, SptStash *stash, uint64_t now, GError **error)
{
	struct flight *flight = (struct flight *)sink;

	(void)stash;
	(void)error;
	if (!flight->by_windows)
		flight_forget(flight, now - MIN(flight->last_ns, now));
	return true;
}

static uint32_t move_node(SptStash *to, const SptStash *from, uint32_t *moved, uint32_t id)
{
	SptNode node;

	if (!id || moved[id])
		return moved[id];
	node = *spt_stash_node(from, id);
	moved[id] = spt_stash_child(to, move_node(to, from, moved, node.parent), &node.frame);
	return moved[id];
}

struct move {
	SptStash *to;
	const SptStash *from;
	uint32_t *moved;
};

static uint32_t move_declared(uint32_t node, void *data)
{
	const struct move *move = data;

	return move_node(move->to, move->from, move->moved, node);
}

/* Moves the stacks of the remaining rows to a new stash.  @old has their nodes so far. */
static SptStash *flight_move_stacks(struct flight *flight, const SptStash *old)
{
	g_autofree uint32_t *moved = g_new0(uint32_t, spt_stash_n_nodes(old));
	SptStash *stash = spt_stash_new();

	for (unsigned i = 0; i < flight->cpus->len; i++) {
		struct cpu *cpu = flight->cpus->pdata[i];

		for (unsigned n = 0; cpu && n < cpu->samples->len; n++) {
			SptSampleRow *row = &g_array_index(cpu->samples, SptSampleRow, n);

			row->node = move_node(stash, old, moved, row->node);
		}
	}
	for (unsigned i = 0; i < flight->others[SPT_ROW_WAIT]->len; i++) {
		SptWaitRow *row = &g_array_index(flight->others[SPT_ROW_WAIT], SptWaitRow, i);

		row->node = move_node(stash, old, moved, row->node);
		row->waker_node = move_node(stash, old, moved, row->waker_node);
	}
	for (unsigned i = 0; i < flight->others[SPT_ROW_EVENT]->len; i++) {
		SptEventRow *row = &g_array_index(flight->others[SPT_ROW_EVENT], SptEventRow, i);

		row->node = move_node(stash, old, moved, row->node);
		row->holder_node = move_node(stash, old, moved, row->holder_node);
	}
	spt_flight_declared_move_nodes(flight->declared, move_declared,
				       &(struct move){ stash, old, moved });
	flight->kept_nodes = spt_stash_n_nodes(stash);
	return stash;
}

/* Time from the oldest sample to @now. */
static uint64_t flight_span(const struct flight *flight, uint64_t now)
{
	uint64_t first = now;

	for (unsigned i = 0; i < flight->cpus->len; i++) {
		const struct cpu *cpu = flight->cpus->pdata[i];

		if (cpu && cpu->samples->len)
			first = MIN(first, g_array_index(cpu->samples, SptSampleRow, 0).time);
	}
	return now - first;
}

static SptStash *flight_shrink(SptSink *sink, const SptStash *stash, uint64_t now, SptSinkNeed need)
{
	struct flight *flight = (struct flight *)sink;

	if (need == SPT_SINK_IF_WORTH_IT &&
	    spt_stash_n_nodes(stash) <= 2 * flight->kept_nodes + COMPACT_NODES)
		return NULL;
	if (need == SPT_SINK_STILL_TOO_LARGE) {
		flight_forget(flight, now - MIN(flight_span(flight, now), flight->last_ns) / 2);
		flight_fact(sink, "notice",
			    "the memory that was allowed did not last for all of the time that was asked for");
	}
	return flight_move_stacks(flight, stash);
}

/* Giving out. */

/* @row counted from @base on.  Periods that were pending then are part of the grid now. */
static SptAccountRow since(const SptAccountRow *row, const SptAccountRow *base)
{
	SptAccountRow result = *row;

	result.grid -= base->grid - base->pending;
	result.delivered -= base->delivered;
	result.idle -= base->idle;
	result.offline -= base->offline;
	result.excluded -= base->excluded;
	result.budget -= base->budget;
	result.samples -= base->samples;
	result.state_lost -= base->state_lost;
	result.cost_ns -= base->cost_ns;
	result.ticks -= base->ticks;
	result.filtered -= base->filtered;
	for (unsigned i = 0; i < SPT_LOST_REASONS; i++)
		result.lost[i] -= base->lost[i];
	return result;
}

/*
 * A CPU that slept for long has an old account: the part of its sleep before @begin is dropped,
 * too.
 */
static SptAccountRow base_of_cpu(const struct cpu *cpu, uint64_t begin, uint64_t period_ns)
{
	SptAccountRow base = g_array_index(cpu->accounts, struct account, 0).row, next;
	uint64_t periods;

	if (cpu->accounts->len < 2 || base.time >= begin || !period_ns ||
	    (cpu->samples->len && g_array_index(cpu->samples, SptSampleRow, 0).time < begin))
		return base;
	next = since(&g_array_index(cpu->accounts, struct account, 1).row, &base);
	periods = MIN((begin - base.time) / period_ns, next.idle);
	base.grid += periods;
	base.idle += periods;
	return base;
}

static void give_accounts(const struct flight *flight, SptSink *to, uint64_t begin)
{
	for (unsigned i = 0; i < flight->cpus->len; i++) {
		const struct cpu *cpu = flight->cpus->pdata[i];
		SptAccountRow base = { 0 };

		if (!cpu)
			continue;
		if (cpu->has_base)
			base = base_of_cpu(cpu, begin, flight->period_ns);
		for (unsigned n = cpu->has_base; n < cpu->accounts->len; n++) {
			SptAccountRow row =
				since(&g_array_index(cpu->accounts, struct account, n).row, &base);

			spt_sink_put(to, SPT_ROW_ACCOUNT, &row);
		}
	}
}

static int compare_samples(const void *a, const void *b)
{
	const SptSampleRow *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* Samples of a CPU that its last account counts: later ones belong to another window. */
static unsigned n_accounted(const struct cpu *cpu)
{
	if (!cpu->accounts->len)
		return 0;
	return MIN(cpu->samples->len,
		   g_array_index(cpu->accounts, struct account, cpu->accounts->len - 1)
				   .samples_before -
			   cpu->n_forgotten);
}

/* In order of time; returns the time of the first. */
static uint64_t give_samples(const struct flight *flight, SptSink *to)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(SptSampleRow));

	for (unsigned i = 0; i < flight->cpus->len; i++) {
		const struct cpu *cpu = flight->cpus->pdata[i];

		if (cpu)
			g_array_append_vals(all, cpu->samples->data, n_accounted(cpu));
	}
	g_array_sort(all, compare_samples);
	for (unsigned i = 0; i < all->len; i++)
		spt_sink_put(to, SPT_ROW_SAMPLE, &g_array_index(all, SptSampleRow, i));
	return all->len ? g_array_index(all, SptSampleRow, 0).time : UINT64_MAX;
}

static uint64_t flight_fact_number(const struct flight *flight, const char *key)
{
	const char *text = g_hash_table_lookup(flight->host, key);

	return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

/* Both clocks of the start are moved by the same time. */
static void give_host(const struct flight *flight, SptSink *to, uint64_t begin)
{
	uint64_t start = flight_fact_number(flight, "start_time"),
		 later = begin > start ? begin - start : 0;
	GHashTableIter iter;
	void *key, *value;

	g_hash_table_iter_init(&iter, flight->host);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		g_autofree char *text = NULL;

		if (strcmp(key, "start_time") == 0 || strcmp(key, "start_realtime_ns") == 0)
			text = g_strdup_printf("%" PRIu64, flight_fact_number(flight, key) + later);
		spt_sink_fact(to, key, text ? text : value);
	}
}

static void give_maps(const struct flight *flight, SptSink *to)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, flight->maps);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const GArray *rows = value;

		for (unsigned i = 0; i < rows->len; i++) {
			const SptMapRow *row = &g_array_index(rows, SptMapRow, i);

			if (!row->object || flight_row_of(flight->objects, row->object))
				spt_sink_put(to, SPT_ROW_MAP, row);
		}
	}
}

static void give_tasks_and_objects(const struct flight *flight, SptSink *to)
{
	GHashTableIter iter;
	void *key, *value;

	g_hash_table_iter_init(&iter, flight->objects);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		spt_sink_put(to, SPT_ROW_OBJECT, value);
	for (unsigned i = 0; i < flight->files->len; i++)
		spt_sink_put(to, SPT_ROW_FILE, flight->files->pdata[i]);
	g_hash_table_iter_init(&iter, flight->processes);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		SptProcessRow row = *(SptProcessRow *)value;

		if (!flight_row_of(flight->processes, row.parent))
			row.parent = 0;
		spt_sink_put(to, SPT_ROW_PROCESS, &row);
	}
	g_hash_table_iter_init(&iter, flight->command_lines);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		const struct said *said = value;

		spt_sink_put(to, SPT_ROW_COMMAND_LINE,
			     &(SptCommandLineRow){ GPOINTER_TO_UINT(key), said->command_line,
						   said->cgroup });
	}
	g_hash_table_iter_init(&iter, flight->threads);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		spt_sink_put(to, SPT_ROW_THREAD, value);
}

static void give_others(const struct flight *flight, SptSink *to, SptRowKind kind)
{
	const GArray *rows = flight->others[kind];

	for (unsigned i = 0; rows && i < rows->len; i++)
		spt_sink_put(to, kind, rows->data + i * spt_row_types[kind].schema->row_bytes);
}

/* The next window begins where the accounts that were given end. */
static void begin_window(struct flight *flight)
{
	for (unsigned i = 0; i < flight->cpus->len; i++)
		if (flight->cpus->pdata[i])
			forget_of_cpu(flight->cpus->pdata[i], UINT64_MAX);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (flight->others[kind])
			g_array_set_size(flight->others[kind], 0);
	spt_flight_declared_forget(flight->declared, UINT64_MAX);
	forget_tasks(flight);
}

static void flight_give(SptSink *sink, SptSink *to)
{
	struct flight *flight = (struct flight *)sink;
	uint64_t begin = 0, first;

	give_tasks_and_objects(flight, to);
	give_maps(flight, to);
	/* The CPU that was busy longest determines where the window begins. */
	for (unsigned i = 0; i < flight->cpus->len; i++)
		begin = MAX(begin, begin_of_cpu(flight->cpus->pdata[i]));
	first = give_samples(flight, to);
	begin = MIN(begin, first);
	give_accounts(flight, to, begin);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		give_others(flight, to, kind);
	spt_flight_declared_give(flight->declared, to);
	give_host(flight, to, begin);
	if (flight->by_windows)
		begin_window(flight);
}

static void flight_free(SptSink *sink)
{
	struct flight *flight = (struct flight *)sink;

	g_hash_table_unref(flight->host);
	g_hash_table_unref(flight->objects);
	g_hash_table_unref(flight->processes);
	g_hash_table_unref(flight->threads);
	g_hash_table_unref(flight->command_lines);
	g_hash_table_unref(flight->maps);
	g_ptr_array_unref(flight->files);
	g_ptr_array_unref(flight->cpus);
	spt_flight_declared_free(flight->declared);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		g_clear_pointer(&flight->others[kind], g_array_unref);
	g_free(flight);
}

static const struct spt_sink_type flight_type = {
	.fact = flight_fact,
	.put = flight_put,
	.flush = flight_flush,
	.shrink = flight_shrink,
	.give = flight_give,
	.free = flight_free,
};

SptSink *spt_flight_new_windows(void)
{
	SptSink *sink = spt_flight_new(UINT64_MAX);

	((struct flight *)sink)->by_windows = true;
	return sink;
}

SptSink *spt_flight_new(uint64_t last_ns)
{
	struct flight *flight = g_new0(struct flight, 1);

	flight->sink.type = &flight_type;
	flight->last_ns = last_ns;
	flight->host = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	flight->objects = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	flight->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	flight->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	flight->command_lines = g_hash_table_new_full(NULL, NULL, NULL, said_free);
	flight->maps = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	flight->files = g_ptr_array_new_with_free_func(g_free);
	flight->cpus = g_ptr_array_new_with_free_func(cpu_free);
	flight->declared = spt_flight_declared_new();
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (spt_row_types[kind].by_time)
			flight->others[kind] = g_array_new(FALSE, FALSE,
							   spt_row_types[kind].schema->row_bytes);
	return &flight->sink;
}
