/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Twice a second, or as seldom as a small share of a CPU allows, a thread names and adds up new
 * samples; then texts and tables are filled again, in place and in one frame: nothing is measured
 * or laid out again.  The cost of all that is part of the measurement, so it is shown.
 */
#include "live-page.h"

#include <glib/gi18n.h>

#include "base/clock.h"
#include "base/percent.h"
#include "compat-gtk.h"
#include "narrow.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define INTERVAL_MIN_MS 500
#define INTERVAL_MAX_MS 5000
#define ONE_IN 200			/* part of a CPU's time, for the display */
#define ROWS 20
#define NUMBER_WIDTH 84
#define OBJECT_WIDTH 130

struct _SptLivePage {
	GtkBox parent_instance;
	GtkWidget *counts, *cost;
	SptTable *functions, *processes;
	SptRecordRun *recording;
	/* Its start, and the CPU time that this program had taken by then */
	uint64_t begin_ns, begin_cpu_ns;
	uint64_t shown_cpu_ns;		/* CPU time of this thread at the last update, */
	uint64_t looked_cpu_ns;		/* and of the thread that added up for it */
	unsigned timer, interval_ms;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptLivePage, spt_live_page, GTK_TYPE_BOX)

/* Results of a thread. */
struct look {
	SptLive *live;			/* owns the texts of the rows */
	SptLiveRow functions[ROWS], processes[ROWS];
	unsigned n_functions, n_processes;
	uint64_t total, cpu_ns;		/* cpu_ns: its CPU time */
};

static void free_look(gpointer data)
{
	struct look *look = data;

	spt_live_unref(look->live);
	g_free(look);
}

static gpointer take_look(G_GNUC_UNUSED SptDocument *document, gconstpointer live)
{
	struct look *look = g_new0(struct look, 1);
	uint64_t begin_ns = spt_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	look->live = spt_live_ref((SptLive *)live);
	spt_live_update(look->live);
	look->total = spt_live_total(look->live);
	look->n_functions = spt_live_functions(look->live, look->functions, ROWS);
	look->n_processes = spt_live_processes(look->live, look->processes, ROWS);
	look->cpu_ns = spt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	return look;
}

static void live_page_show_functions(SptLivePage *self, const struct look *look)
{
	for (unsigned i = 0; i < look->n_functions; i++) {
		const SptLiveRow *row = &look->functions[i];
		const SptTableCell cells[] = {
			{ .number = spt_percent(row->self, look->total) },
			{ .number = spt_percent(row->total, look->total) },
			{ .text = row->name },
			{ .text = row->object },
		};

		spt_table_set_row(self->functions, i, cells);
	}
	spt_table_set_end(self->functions, look->n_functions);
}

static void show_processes(SptLivePage *self, const struct look *look)
{
	for (unsigned i = 0; i < look->n_processes; i++) {
		const SptLiveRow *row = &look->processes[i];
		const SptTableCell cells[] = { { .number = spt_percent(row->total, look->total) },
					       { .text = row->name } };

		spt_table_set_row(self->processes, i, cells);
	}
	spt_table_set_end(self->processes, look->n_processes);
}

static void show_status(SptLivePage *self, const SptRecorderStatus *status)
{
	g_autofree char *samples = spt_text_count(status->samples),
			*lost = spt_text_count(status->lost);
	g_autofree char *rate = spt_text_rate(status->period_ns, status->delivered, status->budget);
	g_autofree char *counts = g_strdup_printf(_("Recording: %s samples, %s lost, %.1f s"),
						  samples, lost, (double)status->elapsed_ns / 1e9);
	g_autofree char *cost = NULL;
	double own = 100.0 *
		     (double)(spt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - self->begin_cpu_ns) /
		     (double)MAX(spt_clock_ns(CLOCK_MONOTONIC) - self->begin_ns, 1);

	cost = g_strdup_printf(_("Sysprof itself takes %.1f %% of a CPU; %s"), own, rate);
	gtk_inscription_set_text(GTK_INSCRIPTION(self->counts), counts);
	gtk_inscription_set_text(GTK_INSCRIPTION(self->cost), cost);
}

static void show_look(gpointer owner, gpointer answer)
{
	SptLivePage *self = owner;
	struct look *look = answer;
	SptRecorderStatus status;

	self->looked_cpu_ns = look->cpu_ns;
	if (self->recording && spt_record_run_status(self->recording, &status)) {
		show_status(self, &status);
		live_page_show_functions(self, look);
		show_processes(self, look);
	}
	free_look(look);
}

static const SptQueryKind look_query = {
	.answer = take_look,
	.show = show_look,
	.free_answer = free_look,
};

/* One update at a time, and none that waits: the next one is soon enough. */
static void live_page_ask(SptLivePage *self)
{
	if (!spt_query_is_asking(self->query))
		spt_query_ask(self->query, NULL, spt_record_run_live(self->recording),
			      (GDestroyNotify)spt_live_unref);
}

static void live_page_refresh(SptLivePage *self)
{
	SptRecorderStatus status;

	if (!spt_record_run_status(self->recording, &status)) {
		const char *mark = spt_record_run_awaited(self->recording);
		g_autofree char *text =
			mark ? g_strdup_printf(_("Waiting for the mark “%s”"), mark) :
			       g_strdup(_("Starting to record"));

		gtk_inscription_set_text(GTK_INSCRIPTION(self->counts), text);
		gtk_inscription_set_text(GTK_INSCRIPTION(self->cost), "");
		return;
	}
	live_page_ask(self);
}

static void wait_and_refresh(SptLivePage *self);

static gboolean on_time(gpointer data)
{
	SptLivePage *self = data;

	live_page_refresh(self);
	wait_and_refresh(self);
	return G_SOURCE_REMOVE;
}

/*
 * Drawing is most of this thread's work meanwhile.  The first pictures cost more than later ones.
 */
static void wait_and_refresh(SptLivePage *self)
{
	uint64_t now = spt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wanted_ms = (now - self->shown_cpu_ns + self->looked_cpu_ns) * ONE_IN / 1000000;

	self->shown_cpu_ns = now;
	self->interval_ms = (unsigned)CLAMP(wanted_ms, INTERVAL_MIN_MS,
					    MIN(2 * self->interval_ms, INTERVAL_MAX_MS));
	self->timer = g_timeout_add(self->interval_ms, on_time, self);
}

static void live_page_dispose(GObject *object)
{
	spt_live_page_set_recording(SPT_LIVE_PAGE(object), NULL);
	g_clear_pointer(&SPT_LIVE_PAGE(object)->query, spt_query_free);
	G_OBJECT_CLASS(spt_live_page_parent_class)->dispose(object);
}

static void spt_live_page_class_init(SptLivePageClass *class)
{
	G_OBJECT_CLASS(class)->dispose = live_page_dispose;
}

static SptTable *new_functions(void)
{
	static const SptTableColumn columns[] = {
		{ N_("Self"), SPT_CELL_SHARE, NUMBER_WIDTH },
		{ N_("Total"), SPT_CELL_SHARE, NUMBER_WIDTH },
		{ N_("Function"), SPT_CELL_TEXT, 0 },
		{ N_("Object"), SPT_CELL_DIM, OBJECT_WIDTH },
	};

	return SPT_TABLE(spt_table_new(_("Heaviest functions so far"), columns,
				       G_N_ELEMENTS(columns), false));
}

static SptTable *new_processes(void)
{
	static const SptTableColumn columns[] = { { N_("Total"), SPT_CELL_SHARE, NUMBER_WIDTH },
						  { N_("Process"), SPT_CELL_TEXT, 0 } };

	return SPT_TABLE(spt_table_new(_("Heaviest processes so far"), columns,
				       G_N_ELEMENTS(columns), false));
}

static GtkWidget *new_text(const char *css_class)
{
	GtkWidget *text =
		spt_compat_aligned(g_object_new(GTK_TYPE_INSCRIPTION, "hexpand", TRUE, "min-chars",
						8, "nat-chars", 40, "text-overflow",
						GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END, NULL),
				   false);

	gtk_widget_add_css_class(text, "numeric");
	gtk_widget_add_css_class(text, css_class);
	return text;
}

static void spt_live_page_init(SptLivePage *self)
{
	GtkWidget *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3),
		  *tables = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

	self->query = spt_query_new(GTK_WIDGET(self), &look_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->counts = new_text("title-4");
	self->cost = new_text("dim-label");
	gtk_widget_add_css_class(words, "live-words");
	gtk_box_append(GTK_BOX(words), self->counts);
	gtk_box_append(GTK_BOX(words), self->cost);
	self->functions = new_functions();
	self->processes = new_processes();
	gtk_box_append(GTK_BOX(tables), GTK_WIDGET(self->functions));
	gtk_box_append(GTK_BOX(tables), gtk_separator_new(GTK_ORIENTATION_VERTICAL));
	gtk_box_append(GTK_BOX(tables), GTK_WIDGET(self->processes));
	gtk_box_append(GTK_BOX(self), words);
	gtk_box_append(GTK_BOX(self), gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
	spt_narrow_stack(tables);
	gtk_box_append(GTK_BOX(self), tables);
}

void spt_live_page_set_recording(SptLivePage *self, SptRecordRun *recording)
{
	g_clear_handle_id(&self->timer, g_source_remove);
	g_set_object(&self->recording, recording);
	if (!recording)
		return;
	spt_table_set_end(self->functions, 0);
	spt_table_set_end(self->processes, 0);
	self->begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
	self->begin_cpu_ns = spt_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	self->interval_ms = INTERVAL_MIN_MS / 2;
	live_page_refresh(self);
	wait_and_refresh(self);
}
