/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing is computed while a page is hidden.  Counting processes and threads takes a pass over the
 * samples.
 */
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "base/percent.h"
#include "capture/embedded.h"
#include "embedded-files.h"
#include "maps-table.h"
#include "pages.h"
#include "process-facts.h"
#include "profile/groups.h"
#include "profile/selection.h"
#include "query.h"
#include "recording-facts.h"
#include "table.h"
#include "text.h"
#include "thread-states.h"

#define SPT_TYPE_DETAILS (spt_details_get_type())
G_DECLARE_FINAL_TYPE(SptDetails, spt_details, SPT, DETAILS, GtkBox)

#define SHARE_WIDTH 90
#define NUMBER_WIDTH 90
#define NAME_WIDTH 200
#define PROCESS_WIDTH 150
#define MAX_ROWS 5000			/* heaviest first; more are of no use */

/* Columns of threads: ran, was ready, waited. */
#define FIRST_STATE 6
#define N_STATES    3

enum page { PROCESSES, THREADS, OBJECTS, CPUS, RECORDING, N_PAGES };

struct _SptDetails {
	GtkBox parent_instance;
	SptTable *tables[N_PAGES], *maps;
	SptEmbeddedFiles *files;
	struct answer *counted;		/* document of the shown processes, or NULL */
	GtkStack *stack;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptDetails, spt_details, GTK_TYPE_BOX)

/* When a process or thread was created and when it ended, as far as the recording knows. */
struct life {
	uint64_t begin, end;
};

struct answer {
	SptRecording *recording;
	const SptMetric *metric;
	GHashTable *times;		/* spt_thread_states_new() */
	GArray *processes, *threads;	/* SptGroupRow */
	GHashTable *lives;		/* id of a task -> struct life */
	GHashTable *facts;		/* of processes */
	SptMapIndex *maps;		/* likewise */
	GArray *files;			/* SptEmbedded, or NULL */
};

static void details_free_answer(gpointer data)
{
	struct answer *answer = data;

	g_clear_pointer(&answer->processes, g_array_unref);
	g_clear_pointer(&answer->threads, g_array_unref);
	g_clear_pointer(&answer->lives, g_hash_table_unref);
	g_clear_pointer(&answer->times, g_hash_table_unref);
	g_clear_pointer(&answer->facts, g_hash_table_unref);
	spt_map_index_free(answer->maps);
	g_clear_pointer(&answer->files, g_array_unref);
	spt_recording_unref(answer->recording);
	g_free(answer);
}

static void add_life(GHashTable *lives, uint32_t tid, uint64_t begin, uint64_t end)
{
	struct life *life = g_hash_table_lookup(lives, GUINT_TO_POINTER(tid));

	if (!life) {
		life = g_new0(struct life, 1);
		life->begin = begin;
		g_hash_table_insert(lives, GUINT_TO_POINTER(tid), life);
	}
	life->begin = MIN(life->begin, begin);
	life->end = end;
}

static GHashTable *find_lives(const SptCapture *capture)
{
	GHashTable *lives = g_hash_table_new_full(NULL, NULL, NULL, g_free);

	for (uint32_t i = 1; i < capture->n_threads; i++)
		if (capture->threads[i].id)
			add_life(lives, capture->threads[i].tid, capture->threads[i].start_time,
				 capture->threads[i].end_time);
	return lives;
}

static gpointer details_count(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	struct answer *answer = g_new0(struct answer, 1);
	SptRecording *recording = document->recording;

	answer->recording = spt_recording_ref(recording);
	answer->metric = document->look.metric;
	answer->processes = spt_document_groups(document, SPT_GROUP_PROCESS);
	answer->threads = spt_document_groups(document, SPT_GROUP_THREAD);
	answer->times = spt_thread_states_new(recording->capture);
	answer->lives = find_lives(recording->capture);
	answer->facts = spt_process_facts_new(recording->capture);
	answer->maps = spt_map_index_new(recording->capture);
	answer->files = spt_embedded_list(recording->capture, NULL);
	return answer;
}

/* "" for what has no number of its own. */
static char *write_id(uint32_t id)
{
	return id == SPT_ID_EXITED ? g_strdup("") : g_strdup_printf("%" PRIu32, id);
}

static char *write_sum(const struct answer *answer, const SptGroupRow *row)
{
	return answer->metric->is_cpu ? spt_text_count(row->samples) :
					spt_text_weight(answer->metric, row->weight);
}

static void show_process(SptDetails *self, const struct answer *answer, unsigned i, uint64_t total)
{
	const SptGroupRow *row = &g_array_index(answer->processes, SptGroupRow, i);
	uint64_t start_ns = answer->recording->summary.start_ns;
	const struct life *life = g_hash_table_lookup(answer->lives, GUINT_TO_POINTER(row->pid));
	const SptProcessFacts *facts = spt_process_facts_find(answer->facts, row->pid, row->name);
	g_autofree char *pid = write_id(row->pid), *sum = write_sum(answer, row),
			*begin = spt_text_moment(life ? life->begin : 0, start_ns),
			*end = spt_text_moment(life ? life->end : 0, start_ns);

	spt_table_set_row(self->tables[PROCESSES], i,
			  (const SptTableCell[]){
				  { .number = spt_percent(row->weight, total) },
				  { .text = row->name },
				  { pid, row->pid },
				  { begin, life ? (double)life->begin : 0 },
				  { end, life ? (double)life->end : 0 },
				  { sum, (double)row->weight },
				  { .text = facts ? facts->objects : NULL },
				  { .text = facts ? facts->command_line : NULL } });
}

static void show_thread(SptDetails *self, const struct answer *answer, unsigned i, uint64_t total)
{
	const SptGroupRow *row = &g_array_index(answer->threads, SptGroupRow, i);
	uint64_t start_ns = answer->recording->summary.start_ns;
	const struct life *life = g_hash_table_lookup(answer->lives, GUINT_TO_POINTER(row->tid));
	const SptThreadStates *times =
		answer->times ? g_hash_table_lookup(answer->times, GUINT_TO_POINTER(row->tid)) :
				NULL;
	g_autofree char *pid = write_id(row->pid), *tid = write_id(row->tid),
			*sum = write_sum(answer, row),
			*begin = spt_text_moment(life ? life->begin : 0, start_ns),
			*end = spt_text_moment(life ? life->end : 0, start_ns),
			*ran = times ? spt_text_duration(times->running_ns) : NULL,
			*ready = times ? spt_text_duration(times->runnable_ns) : NULL,
			*waited = times ? spt_text_duration(times->waiting_ns) : NULL;

	spt_table_set_row(self->tables[THREADS], i,
			  (const SptTableCell[]){
				  { .number = spt_percent(row->weight, total) },
				  { .text = row->name },
				  { pid, row->pid },
				  { tid, row->tid },
				  { begin, life ? (double)life->begin : 0 },
				  { end, life ? (double)life->end : 0 },
				  { ran, times ? (double)times->running_ns : 0 },
				  { ready, times ? (double)times->runnable_ns : 0 },
				  { waited, times ? (double)times->waiting_ns : 0 },
				  { sum, (double)row->weight } });
}

static void details_show_groups(SptDetails *self, const struct answer *answer, enum page page)
{
	const GArray *rows = page == THREADS ? answer->threads : answer->processes;
	unsigned n = MIN(rows->len, MAX_ROWS);
	uint64_t total = 0;

	for (unsigned i = 0; i < rows->len; i++)
		total += g_array_index(rows, SptGroupRow, i).weight;
	for (unsigned i = 0; i < n; i++) {
		if (page == THREADS)
			show_thread(self, answer, i, total);
		else
			show_process(self, answer, i, total);
	}
	spt_table_set_end(self->tables[page], n);
}

static int details_compare_weights(const void *a, const void *b)
{
	const SptCoverageRow *x = a, *y = b;

	return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) :
					g_strcmp0(x->name, y->name);
}

/*
 * Heaviest first, as in all tables here: the recording begins with the object that lacks most
 * names.
 */
static void show_objects(SptDetails *self, const SptRecording *recording)
{
	g_autoptr(GArray) rows = g_array_copy(recording->coverage);
	unsigned n = MIN(rows->len, MAX_ROWS);

	g_array_sort(rows, details_compare_weights);
	for (unsigned i = 0; i < n; i++) {
		const SptCoverageRow *row = &g_array_index(rows, SptCoverageRow, i);
		const char *path = row->object ? recording->capture->objects[row->object].path : "";
		const SptTableCell cells[] = {
			{ .number = spt_percent(row->weight, recording->summary.weight) },
			{ .number = spt_percent(row->named, row->weight) },
			{ .text = row->name },
			{ .text = path },
			{ .text = row->problem },
		};

		spt_table_set_row(self->tables[OBJECTS], i, cells);
	}
	spt_table_set_end(self->tables[OBJECTS], n);
}

static void show_cpus(SptDetails *self, const SptRecording *recording)
{
	const GArray *cpus = recording->summary.cpus;
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < cpus->len; cpu++) {
		const SptAccountRow *row = g_array_index(cpus, SptCpuSummary, cpu).account;
		uint64_t counts[7];
		g_autofree char *number = g_strdup_printf("%u", cpu);
		SptTableCell cells[G_N_ELEMENTS(counts) + 1] = { { number, cpu } };

		if (!row)
			continue;
		memcpy(counts,
		       (const uint64_t[]){ row->grid, row->delivered, spt_account_lost(row),
					   row->idle, row->offline, row->excluded, row->budget },
		       sizeof(counts));
		for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++)
			cells[i + 1] =
				(SptTableCell){ spt_text_count(counts[i]), (double)counts[i] };
		spt_table_set_row(self->tables[CPUS], n++, cells);
		for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++)
			g_free((char *)cells[i + 1].text);
	}
	spt_table_set_end(self->tables[CPUS], n);
}

static void show_facts(SptDetails *self, const SptRecording *recording)
{
	g_autoptr(GPtrArray) facts = spt_recording_facts(recording->capture);
	unsigned n = MIN(facts->len / 2, MAX_ROWS);

	for (unsigned i = 0; i < n; i++)
		spt_table_set_row(self->tables[RECORDING], i,
				  (const SptTableCell[]){ { .text = facts->pdata[2 * i] },
							  { .text = facts->pdata[2 * i + 1] } });
	spt_table_set_end(self->tables[RECORDING], n);
}

/* For the selected process. */
static void show_maps(unsigned row, gpointer data)
{
	SptDetails *self = data;
	const struct answer *answer = self->counted;
	const SptGroupRow *process;

	if (!answer || row >= answer->processes->len) {
		spt_table_set_end(self->maps, 0);
		return;
	}
	process = &g_array_index(answer->processes, SptGroupRow, row);
	spt_maps_table_show(self->maps, answer->recording->capture, answer->maps,
			    answer->recording->summary.start_ns, process->pid, process->name);
}

static void show_counted(gpointer owner, gpointer answer)
{
	SptDetails *self = owner;

	g_clear_pointer(&self->counted, details_free_answer);
	self->counted = answer;
	show_objects(self, self->counted->recording);
	show_cpus(self, self->counted->recording);
	show_facts(self, self->counted->recording);
	spt_embedded_files_show(self->files, self->counted->recording, self->counted->files);
	details_show_groups(self, answer, PROCESSES);
	/* Another process may be in the same row. */
	show_maps(spt_table_selected(self->tables[PROCESSES]), self);
	spt_table_show_columns(self->tables[THREADS], FIRST_STATE, N_STATES,
			       self->counted->times != NULL);
	details_show_groups(self, answer, THREADS);
}

static const SptQueryKind groups_query = {
	.answer = details_count,
	.show = show_counted,
	.free_answer = details_free_answer,
	.shows_progress = true,
	.needs_map = true,
};

static void details_dispose(GObject *object)
{
	g_clear_pointer(&SPT_DETAILS(object)->query, spt_query_free);
	g_clear_pointer(&SPT_DETAILS(object)->counted, details_free_answer);
	G_OBJECT_CLASS(spt_details_parent_class)->dispose(object);
}

static void spt_details_class_init(SptDetailsClass *class)
{
	G_OBJECT_CLASS(class)->dispose = details_dispose;
}

/* The processes, and below them the mappings of one. */
static GtkWidget *with_maps(SptDetails *self)
{
	self->maps = SPT_TABLE(spt_maps_table_new());
	spt_table_set_selects(self->tables[PROCESSES], show_maps, self);
	return g_object_new(GTK_TYPE_PANED, "orientation", GTK_ORIENTATION_VERTICAL,
			    "shrink-start-child", FALSE, "shrink-end-child", FALSE, "start-child",
			    self->tables[PROCESSES], "end-child", self->maps, "vexpand", TRUE,
			    NULL);
}

static void spt_details_init(SptDetails *self)
{
	static const SptTableColumn columns[N_PAGES][SPT_TABLE_COLUMNS_MAX] = {
		[PROCESSES] = {
			{ N_("Share"), SPT_CELL_SHARE, SHARE_WIDTH }, { N_("Process"), SPT_CELL_TEXT, PROCESS_WIDTH },
			{ N_("Pid"), SPT_CELL_NUMBER, NUMBER_WIDTH }, { N_("Began"), SPT_CELL_NUMBER, NUMBER_WIDTH },
			{ N_("Ended"), SPT_CELL_NUMBER, NUMBER_WIDTH }, { N_("Sum"), SPT_CELL_NUMBER, NUMBER_WIDTH },
			{ N_("What it executed"), SPT_CELL_DIM, 0 }, { N_("Command line"), SPT_CELL_TEXT, 0 },
		},
		[THREADS] = {
			{ N_("Share"), SPT_CELL_SHARE, SHARE_WIDTH }, { N_("Thread"), SPT_CELL_TEXT, 0 }, { N_("Pid"), SPT_CELL_NUMBER, NUMBER_WIDTH },
			{ N_("Tid"), SPT_CELL_NUMBER, NUMBER_WIDTH }, { N_("Began"), SPT_CELL_NUMBER, NUMBER_WIDTH },
			{ N_("Ended"), SPT_CELL_NUMBER, NUMBER_WIDTH }, { N_("Ran"), SPT_CELL_NUMBER, NUMBER_WIDTH },
			{ N_("Was Ready"), SPT_CELL_NUMBER, NUMBER_WIDTH }, { N_("Waited"), SPT_CELL_NUMBER, NUMBER_WIDTH },
			{ N_("Sum"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		},
		[OBJECTS] = {
			{ N_("Self"), SPT_CELL_SHARE, SHARE_WIDTH }, { N_("Named"), SPT_CELL_SHARE, SHARE_WIDTH }, { N_("Object"), SPT_CELL_TEXT, NAME_WIDTH },
			{ N_("Path"), SPT_CELL_DIM, 0 }, { N_("Why names are missing"), SPT_CELL_TEXT, 0 },
		},
		[CPUS] = {
			{ N_("CPU"), SPT_CELL_NUMBER, NUMBER_WIDTH }, { N_("Periods"), SPT_CELL_NUMBER, 0 }, { N_("Sampled"), SPT_CELL_NUMBER, 0 },
			{ N_("Lost"), SPT_CELL_NUMBER, 0 }, { N_("Idle"), SPT_CELL_NUMBER, 0 }, { N_("Offline"), SPT_CELL_NUMBER, 0 },
			{ N_("Excluded"), SPT_CELL_NUMBER, 0 }, { N_("Budget"), SPT_CELL_NUMBER, 0 },
		},
		[RECORDING] = { { N_("Fact"), SPT_CELL_TEXT, NAME_WIDTH }, { N_("Value"), SPT_CELL_TEXT, 0 } },
	};
	static const struct {
		const char *title;
		unsigned n_columns;
	} pages[N_PAGES] = {
		[PROCESSES] = { N_("Processes"), 8 }, [THREADS] = { N_("Threads"), 10 },
		[OBJECTS] = { N_("Objects"), 5 },     [CPUS] = { N_("CPUs"), 8 },
		[RECORDING] = { N_("Recording"), 2 },
	};
	GtkWidget *stack = gtk_stack_new();

	self->stack = GTK_STACK(stack);
	gtk_stack_set_vhomogeneous(self->stack, FALSE);
	self->query = spt_query_new(GTK_WIDGET(self), &groups_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_box_append(GTK_BOX(self), spt_pages_switcher(self->stack));
	gtk_box_append(GTK_BOX(self), stack);
	for (unsigned i = 0; i < N_PAGES; i++) {
		self->tables[i] = SPT_TABLE(
			spt_table_new(_(pages[i].title), columns[i], pages[i].n_columns, true));
		spt_table_hide_heading(self->tables[i]);
		gtk_stack_add_titled(self->stack,
				     i == PROCESSES ? with_maps(self) : GTK_WIDGET(self->tables[i]),
				     pages[i].title, _(pages[i].title));
	}
	self->files = SPT_EMBEDDED_FILES(spt_embedded_files_new());
	gtk_stack_add_titled(self->stack, GTK_WIDGET(self->files), "Files", _("Files"));
}

static GtkWidget *details_new(void)
{
	return g_object_new(SPT_TYPE_DETAILS, NULL);
}

/* Processes and threads are those of @document, the rest is of the whole recording. */
static void details_show_document(GtkWidget *page, SptDocument *document)
{
	spt_query_ask(SPT_DETAILS(page)->query, document, NULL, NULL);
}

const SptPage spt_page_details = {
	.name = "details",
	.title = N_("Details"),
	.help = N_("Processes, threads, objects, CPUs"),
	.key = "<Alt>5",
	.new = details_new,
	.show_document = details_show_document,
	.icon = "help-about-symbolic",
};
