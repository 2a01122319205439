/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How regularly threads are woken and how soon they run after that, for two of them side by side.
 * Above all threads that were woken; below the histograms of the selected one, and beside them
 * those of the one that was selected before; at the beginning, of the first two.
 */
#include <glib/gi18n.h>

#include "jitter-view.h"
#include "lanes-draw.h"
#include "narrow.h"
#include "pages.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 124
#define DELAY_WIDTH 170
#define MAX_ROWS     1000
#define N_SIDES	     2

#define SPT_TYPE_WAKEUPS_PANE (spt_wakeups_pane_get_type())
G_DECLARE_FINAL_TYPE(SptWakeupsPane, spt_wakeups_pane, SPT, WAKEUPS_PANE, GtkBox)

/* A thread with wake-ups. */
struct woken {
	uint32_t lane; /* in SptLanes.threads */
	SptJitter *delay, *period;
};

struct _SptWakeupsPane {
	GtkBox parent_instance;
	SptTable *table;
	GtkWidget *below;		/* the sides */
	struct {
		GtkWidget *name;
		SptJitterView *delay, *period;
		unsigned row; /* UINT_MAX: none */
	} sides[N_SIDES];
	SptDocument *document, *shown;
	const SptLanes *lanes; /* of the shown document */
	GArray *threads;       /* struct woken */
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptWakeupsPane, spt_wakeups_pane, GTK_TYPE_BOX)

/* Computing. */

struct answer {
	const SptLanes *lanes;
	GArray *threads;
};

static void clear_woken(gpointer data)
{
	struct woken *woken = data;

	spt_jitter_free(woken->delay);
	spt_jitter_free(woken->period);
}

static void wakeups_pane_free_answer(gpointer data)
{
	struct answer *answer = data;

	g_clear_pointer(&answer->threads, g_array_unref);
	g_free(answer);
}

static int most_woken_first(gconstpointer a, gconstpointer b)
{
	const struct woken *x = a, *y = b;

	if (x->delay->n != y->delay->n)
		return x->delay->n > y->delay->n ? -1 : 1;
	return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static gpointer wakeups_pane_find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);
	uint64_t begin = time ? time->begin_ns : 0, end = time ? time->end_ns : UINT64_MAX;
	struct answer *answer = g_new0(struct answer, 1);
	g_autoptr(GHashTable) tids = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) chosen = spt_document_threads(document);

	answer->lanes = spt_recording_lanes(document->recording);
	answer->threads = g_array_new(FALSE, FALSE, sizeof(struct woken));
	g_array_set_clear_func(answer->threads, clear_woken);
	for (unsigned i = 0; i < chosen->len; i++)
		g_hash_table_add(tids, GUINT_TO_POINTER(g_array_index(chosen, SptGroupRow, i).tid));
	for (uint32_t i = 0; i < answer->lanes->n_threads; i++) {
		uint32_t thread = answer->lanes->threads[i].thread;
		struct woken woken = { .lane = i };

		/* Those that other views show, if not all are. */
		if (spt_restrictions_n(document->look.restrictions) > (time ? 1 : 0) &&
		    !g_hash_table_contains(
			    tids,
			    GUINT_TO_POINTER(document->recording->capture->threads[thread].tid)))
			continue;
		woken.delay =
			spt_jitter_new(answer->lanes->waits, thread, SPT_JITTER_DELAY, begin, end);
		woken.period =
			spt_jitter_new(answer->lanes->waits, thread, SPT_JITTER_PERIOD, begin, end);
		if (woken.delay->n)
			g_array_append_val(answer->threads, woken);
		else
			clear_woken(&woken);
	}
	g_array_sort(answer->threads, most_woken_first);
	return answer;
}

/* Showing. */

static char *wakeups_pane_name_of(const SptLanes *lanes, const struct woken *woken)
{
	return spt_lane_line_name(lanes,
				  &(SptLaneLine){ .wanted = { SPT_LANE_OF_THREAD, woken->lane } });
}

static const struct woken *wakeups_pane_side_of(SptWakeupsPane *self, unsigned side)
{
	unsigned row = self->sides[side].row;

	return row < self->threads->len ? &g_array_index(self->threads, struct woken, row) : NULL;
}

static const SptJitter *jitter_of(const struct woken *woken, SptJitterKind kind)
{
	return !woken ? NULL : kind == SPT_JITTER_DELAY ? woken->delay : woken->period;
}

/* One scale for both sides, with room for nearly all values. */
static void find_scale(SptWakeupsPane *self, SptJitterKind kind, uint64_t *ret_from,
		       uint64_t *ret_to)
{
	uint64_t from = UINT64_MAX, to = 0;

	for (unsigned i = 0; i < N_SIDES; i++) {
		const SptJitter *jitter = jitter_of(wakeups_pane_side_of(self, i), kind);

		if (!jitter || !jitter->n)
			continue;
		from = MIN(from, jitter->low_ns);
		to = MAX(to, jitter->high_ns);
	}
	*ret_from = kind == SPT_JITTER_DELAY || from > to ? 0 : from - MIN((to - from) / 10, from);
	*ret_to = MAX(to, *ret_from + 1) + (to - MIN(to, *ret_from)) / 10 + 1;
}

static void show_sides(SptWakeupsPane *self)
{
	uint64_t start_ns = self->shown->recording->summary.start_ns, delay[2], period[2];

	find_scale(self, SPT_JITTER_DELAY, &delay[0], &delay[1]);
	find_scale(self, SPT_JITTER_PERIOD, &period[0], &period[1]);
	for (unsigned i = 0; i < N_SIDES; i++) {
		const struct woken *woken = wakeups_pane_side_of(self, i);
		g_autofree char *name =
			woken ? wakeups_pane_name_of(self->lanes, woken) : g_strdup("");
		uint32_t thread = woken ? self->lanes->threads[woken->lane].thread : 0;

		gtk_widget_set_visible(gtk_widget_get_parent(self->sides[i].name), woken != NULL);
		gtk_label_set_text(GTK_LABEL(self->sides[i].name), name);
		spt_jitter_view_show(self->sides[i].delay, _("Woken until it ran"),
				     jitter_of(woken, SPT_JITTER_DELAY), thread, start_ns, delay[0],
				     delay[1]);
		spt_jitter_view_show(self->sides[i].period, _("From one waking to the next"),
				     jitter_of(woken, SPT_JITTER_PERIOD), thread, start_ns,
				     period[0], period[1]);
	}
}

static void wakeups_pane_on_selected(unsigned row, gpointer data)
{
	SptWakeupsPane *self = data;

	if (row >= self->threads->len || row == self->sides[0].row)
		return;
	self->sides[1].row = self->sides[0].row;
	self->sides[0].row = row;
	show_sides(self);
}

static void wakeups_pane_show_row(SptWakeupsPane *self, unsigned row)
{
	const struct woken *woken = &g_array_index(self->threads, struct woken, row);
	g_autofree char *name = wakeups_pane_name_of(self->lanes, woken),
			*n = spt_text_count(woken->delay->n),
			*median = spt_text_duration(woken->delay->median_ns),
			*high = spt_text_duration(woken->delay->high_ns),
			*most = spt_text_duration(woken->delay->most_ns),
			*period = spt_text_duration(woken->period->median_ns);
	bool is_regular = woken->period->is_regular;

	spt_table_set_row(self->table, row,
			  (const SptTableCell[]){
				  { .text = name },
				  { n, woken->delay->n },
				  { median, (double)woken->delay->median_ns },
				  { high, (double)woken->delay->high_ns },
				  { most, (double)woken->delay->most_ns },
				  { is_regular ? period : "",
				    is_regular ? (double)woken->period->median_ns : 0 },
			  });
}

static void wakeups_pane_show(gpointer owner, gpointer data)
{
	SptWakeupsPane *self = owner;
	struct answer *answer = data;
	SptDocument *shown = spt_document_ref(spt_query_document(self->query));

	g_clear_pointer(&self->shown, spt_document_unref);
	g_clear_pointer(&self->threads, g_array_unref);
	self->shown = shown;
	self->lanes = answer->lanes;
	self->threads = g_steal_pointer(&answer->threads);
	wakeups_pane_free_answer(answer);
	for (unsigned i = 0; i < MIN(self->threads->len, MAX_ROWS); i++)
		wakeups_pane_show_row(self, i);
	spt_table_set_end(self->table, MIN(self->threads->len, MAX_ROWS));
	for (unsigned i = 0; i < N_SIDES; i++)
		self->sides[i].row = i;
	gtk_widget_set_visible(self->below, self->threads->len > 0);
	show_sides(self);
}

static const SptQueryKind wakeups_query = {
	.answer = wakeups_pane_find,
	.show = wakeups_pane_show,
	.free_answer = wakeups_pane_free_answer,
	.needs_map = true,
};

static void wakeups_pane_dispose(GObject *object)
{
	SptWakeupsPane *self = SPT_WAKEUPS_PANE(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_pointer(&self->shown, spt_document_unref);
	G_OBJECT_CLASS(spt_wakeups_pane_parent_class)->dispose(object);
}

static void wakeups_pane_finalize(GObject *object)
{
	g_array_unref(SPT_WAKEUPS_PANE(object)->threads);
	G_OBJECT_CLASS(spt_wakeups_pane_parent_class)->finalize(object);
}

static void spt_wakeups_pane_class_init(SptWakeupsPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = wakeups_pane_dispose;
	G_OBJECT_CLASS(class)->finalize = wakeups_pane_finalize;
}

static GtkWidget *new_side(SptWakeupsPane *self, unsigned side)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

	self->sides[side].row = UINT_MAX;
	self->sides[side].name = gtk_label_new("");
	self->sides[side].delay = SPT_JITTER_VIEW(spt_jitter_view_new());
	self->sides[side].period = SPT_JITTER_VIEW(spt_jitter_view_new());
	gtk_label_set_xalign(GTK_LABEL(self->sides[side].name), 0);
	gtk_label_set_ellipsize(GTK_LABEL(self->sides[side].name), PANGO_ELLIPSIZE_END);
	gtk_widget_add_css_class(self->sides[side].name, "heading");
	gtk_box_append(GTK_BOX(box), self->sides[side].name);
	gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->sides[side].delay));
	gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->sides[side].period));
	return box;
}

static void spt_wakeups_pane_init(SptWakeupsPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("Thread"), SPT_CELL_TEXT, 0 },
		{ N_("Wake-ups"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("Median delay"), SPT_CELL_NUMBER, -DELAY_WIDTH },
		{ N_("99 %"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("Longest delay"), SPT_CELL_NUMBER, DELAY_WIDTH },
		{ N_("Period"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
	};
	GtkWidget *sides = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 18),
		  *scrolled = gtk_scrolled_window_new();

	self->query = spt_query_new(GTK_WIDGET(self), &wakeups_query);
	self->threads = g_array_new(FALSE, FALSE, sizeof(struct woken));
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->table = SPT_TABLE(spt_table_new(_("Wake-ups"), columns, G_N_ELEMENTS(columns), true));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("No waking was recorded; record with --waits=all to see "
						"them"));
	spt_table_set_selects(self->table, wakeups_pane_on_selected, self);
	gtk_widget_set_margin_start(sides, 9);
	gtk_widget_set_margin_end(sides, 9);
	gtk_widget_set_margin_top(sides, 6);
	gtk_box_set_homogeneous(GTK_BOX(sides), TRUE);
	for (unsigned i = 0; i < N_SIDES; i++)
		gtk_box_append(GTK_BOX(sides), new_side(self, i));
	spt_narrow_stack(sides);
	gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), sides);
	g_object_set(scrolled, "propagate-natural-height", TRUE, NULL);
	self->below = scrolled;
	gtk_box_append(GTK_BOX(self),
		       g_object_new(GTK_TYPE_PANED, "orientation", GTK_ORIENTATION_VERTICAL,
				    "shrink-start-child", FALSE, "position", 120, "start-child",
				    self->table, "end-child", scrolled, "vexpand", TRUE, NULL));
}

static GtkWidget *wakeups_pane_new(void)
{
	return g_object_new(SPT_TYPE_WAKEUPS_PANE, NULL);
}

static void wakeups_pane_set_function(GtkWidget *pane, SptDocument *document,
				      G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptWakeupsPane *self = SPT_WAKEUPS_PANE(pane);

	/* For any selected function. */
	if (document == self->document)
		return;
	spt_document_replace(&self->document, document);
	spt_query_ask(self->query, document, NULL, NULL);
}

const SptPage spt_page_wakeups = {
	.name = "wakeups",
	.title = N_("Wake-ups"),
	.key = "<Alt>8",
	.new = wakeups_pane_new,
	.show = wakeups_pane_set_function,
};
