/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs allocated: sums, who held it when it was most, sizes, lifetimes and threads.  Each
 * sum is that of a metric, in the part of the recording that is shown, and its button leads to the
 * functions of that metric.
 */
#include <glib/gi18n.h>

#include "base/micro.h"
#include "base/percent.h"
#include "narrow.h"
#include "pages.h"
#include "profile/allocations.h"
#include "profile/culprit.h"
#include "profile/groups.h"
#include "profile/memory-use.h"
#include "profile/selection.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define SHARE_WIDTH  100
#define NUMBER_WIDTH 95
#define TABLE_HEIGHT 120
#define MAX_ROWS     1000
#define HOLDERS	     100
/* More than there are classes of sizes, or of lifetimes. */
#define CLASSES	     40
#define LIFETIME_AT  8

#define SPT_TYPE_MEMORY_PANE (spt_memory_pane_get_type())
G_DECLARE_FINAL_TYPE(SptMemoryPane, spt_memory_pane, SPT, MEMORY_PANE, GtkBox)

enum { ALLOCATED, CALLS, TEMPORARY, PEAK, LIVE, METRICS, RESIDENT = METRICS, SUMS };

static const struct {
	const char *title;
	const char *metric; /* NULL: it is none */
} sums[] = {
	[ALLOCATED] = { N_("Allocated"), "allocated" },
	[CALLS] = { N_("Calls"), "allocations" },
	[TEMPORARY] = { N_("Temporary"), "temporary" },
	[PEAK] = { N_("In use at most"), "peak" },
	[LIVE] = { N_("Not freed at the end"), "live" },
	[RESIDENT] = { N_("Resident at most"), NULL },
};

struct _SptMemoryPane {
	GtkBox parent_instance;
	GtkWidget *titles[SUMS], *values[SUMS], *notes[SUMS];
	SptTable *holders, *sizes, *lifetimes, *threads;
	SptDocument *document;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptMemoryPane, spt_memory_pane, GTK_TYPE_BOX)

/* What is computed. */

struct holder {
	const char *function, *object; /* of the symbols */
	uint64_t bytes;
};

struct group {
	char *name;
	unsigned order;
	uint64_t bytes, calls;
};

struct answer {
	uint64_t sums[SUMS], peak_time;
	bool has_temporary;
	SptMemoryUse use;
	GArray *holders;			   /* struct holder */
	GArray *sizes, *lifetimes, *threads;	   /* struct group */
};

static void clear_group(gpointer data)
{
	g_free(((struct group *)data)->name);
}

static void memory_pane_free_answer(gpointer data)
{
	struct answer *answer = data;

	g_array_unref(answer->holders);
	g_array_unref(answer->sizes);
	g_array_unref(answer->lifetimes);
	g_array_unref(answer->threads);
	g_free(answer);
}

static GArray *new_groups(void)
{
	GArray *groups = g_array_new(FALSE, TRUE, sizeof(struct group));

	g_array_set_clear_func(groups, clear_group);
	return groups;
}

static bool is_class(const char *name, bool is_size, uint32_t i)
{
	return strcmp(name, is_size ? spt_allocation_size_name(i) :
				      spt_allocation_lifetime_name(i << LIFETIME_AT)) == 0;
}

/* The place of a class in its order. */
static unsigned order_of(const char *name, bool is_size)
{
	unsigned i = 0;

	while (i < CLASSES && !is_class(name, is_size, i))
		i++;
	return i;
}

static struct group *group_named(GArray *groups, const char *name, unsigned order)
{
	struct group added = { .order = order };

	for (unsigned i = 0; i < groups->len; i++)
		if (strcmp(g_array_index(groups, struct group, i).name, name) == 0)
			return &g_array_index(groups, struct group, i);
	added.name = g_strdup(name);
	g_array_append_val(groups, added);
	return &g_array_index(groups, struct group, groups->len - 1);
}

/* What is counted in groups: bytes and, where each call is a row, calls; or calls alone. */
enum counted { NOTHING, BYTES, BYTES_AND_CALLS, ONLY_CALLS };

static void add_groups(GArray *groups, const GArray *rows, SptGroupKind kind, const char *name_of,
		       enum counted counted)
{
	bool is_thread = kind == SPT_GROUP_THREAD;

	for (unsigned i = 0; i < MIN(rows->len, MAX_ROWS); i++) {
		const SptGroupRow *row = &g_array_index(rows, SptGroupRow, i);
		g_autofree char *name = is_thread ? spt_group_describe(row, kind, true) :
						    g_strdup(row->name);
		struct group *group =
			group_named(groups, name,
				    is_thread ? i : order_of(name, strcmp(name_of, "size") == 0));

		if (counted != ONLY_CALLS)
			group->bytes += row->weight;
		if (counted != BYTES)
			group->calls += counted == ONLY_CALLS ? row->weight : row->samples;
	}
}

static void add_holders(GArray *holders, const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autoptr(GArray) culprits = spt_culprits_new(profile);

	for (unsigned i = 0; i < culprits->len && holders->len < HOLDERS; i++) {
		const SptCulprit *culprit = &g_array_index(culprits, SptCulprit, i);
		const SptFunction *function = &functions[culprit->function];
		const struct holder holder = { function->name, function->object,
					       culprit->weight };

		g_array_append_val(holders, holder);
	}
}

enum { SIZES, LIFETIMES, THREADS, KINDS };

/*
 * Sums of a metric in the part that is shown, in all and in groups.  Only conditions on stacks need
 * stacks.
 */
static void memory_pane_sum_up(const SptDocument *document, unsigned sum, enum counted counted,
			       struct answer *answer)
{
	static const char *const names[KINDS] = { "size", "lifetime", "thread" };
	GArray *const groups[KINDS] = { answer->sizes, answer->lifetimes, answer->threads };
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	const SptMetric *metric = spt_metric_find(sums[sum].metric);
	SptGroupKind kinds[KINDS];
	GArray *rows[KINDS];

	for (unsigned i = 0; i < KINDS; i++)
		spt_grouping_find(names[i], &kinds[i]);
	if (spt_filter_is_about_stacks(filter)) {
		g_autoptr(SptProfile) base =
			spt_profile_new_base(document->recording->capture,
					     document->recording->symbols, metric);

		for (unsigned i = 0; i < KINDS; i++)
			rows[i] = spt_groups_new(base, filter, kinds[i]);
	} else {
		spt_groups_of_rows(document->recording->capture, metric, filter, kinds, KINDS,
				   rows);
	}
	for (unsigned i = 0; i < rows[THREADS]->len; i++)
		answer->sums[sum] += g_array_index(rows[THREADS], SptGroupRow, i).weight;
	for (unsigned i = 0; i < KINDS; i++) {
		if (counted != NOTHING)
			add_groups(groups[i], rows[i], kinds[i], names[i], counted);
		g_array_unref(rows[i]);
	}
}

static void find_holders(const SptDocument *document, struct answer *answer)
{
	g_autoptr(SptProfile) profile =
		spt_profile_new(document->recording->capture, document->recording->symbols,
				spt_metric_find(sums[PEAK].metric),
				spt_restrictions_filter(document->look.restrictions));

	answer->sums[PEAK] = spt_profile_total(profile);
	add_holders(answer->holders, profile);
}

static gpointer memory_pane_find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	struct answer *answer = g_new0(struct answer, 1);
	SptAllocationSums all;
	const char *mean = spt_capture_host(document->recording->capture, "memory_mean_bytes");
	bool is_each = mean && strcmp(mean, "0") == 0;

	answer->holders = g_array_new(FALSE, FALSE, sizeof(struct holder));
	answer->sizes = new_groups();
	answer->lifetimes = new_groups();
	answer->threads = new_groups();
	spt_allocation_sums(document->recording->capture, &all);
	answer->peak_time = all.most_time;
	answer->has_temporary = all.has_temporary;
	if (spt_resident_use(document->recording->capture, &answer->use))
		answer->sums[RESIDENT] = answer->use.most;
	memory_pane_sum_up(document, ALLOCATED, is_each ? BYTES_AND_CALLS : BYTES, answer);
	find_holders(document, answer);
	if (!is_each || answer->sums[ALLOCATED] != all.bytes) {
		memory_pane_sum_up(document, CALLS, is_each ? NOTHING : ONLY_CALLS, answer);
		if (all.has_temporary)
			memory_pane_sum_up(document, TEMPORARY, NOTHING, answer);
		memory_pane_sum_up(document, LIVE, NOTHING, answer);
	} else {
		/* That takes no more passes over millions of rows. */
		answer->sums[CALLS] = all.calls;
		answer->sums[TEMPORARY] = all.temporary;
		answer->sums[LIVE] = all.live;
	}
	return answer;
}

/* What is shown. */

static char *text_of_bytes(uint64_t bytes)
{
	return spt_text_weight(spt_metric_find("allocated"), bytes);
}

static char *note_of(const struct answer *answer, unsigned sum, uint64_t start_ns)
{
	g_autofree char *moment = NULL, *first = NULL, *last = NULL;

	switch (sum) {
	case TEMPORARY:
	case LIVE:
		return g_strdup_printf(_("%.1f %% of what was allocated"),
				       spt_percent(answer->sums[sum], answer->sums[ALLOCATED]));
	case PEAK:
		moment = spt_text_moment(answer->peak_time, start_ns);
		return g_strdup_printf(_("at %s"), moment);
	case RESIDENT:
		moment = spt_text_moment(answer->use.most_time, start_ns);
		first = text_of_bytes(answer->use.first);
		last = text_of_bytes(answer->use.last);
		return g_strdup_printf(_("at %s; %s at first, %s at last"), moment, first, last);
	default:
		return g_strdup("");
	}
}

static void set_visible(SptMemoryPane *self, unsigned sum, bool is_visible)
{
	gtk_widget_set_visible(self->titles[sum], is_visible);
	gtk_widget_set_visible(self->values[sum], is_visible);
	gtk_widget_set_visible(self->notes[sum], is_visible);
}

static void show_sums(SptMemoryPane *self, const struct answer *answer)
{
	uint64_t start_ns = spt_query_document(self->query)->recording->summary.start_ns;

	for (unsigned i = 0; i < SUMS; i++) {
		g_autofree char *value = i == CALLS ? spt_text_count(answer->sums[i]) :
						      text_of_bytes(answer->sums[i]);
		g_autofree char *note = note_of(answer, i, start_ns);

		gtk_label_set_text(GTK_LABEL(self->values[i]), value);
		gtk_label_set_text(GTK_LABEL(self->notes[i]), note);
	}
	set_visible(self, RESIDENT, answer->use.most > 0);
	set_visible(self, TEMPORARY, answer->has_temporary);
}

static int by_order(gconstpointer a, gconstpointer b)
{
	const struct group *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static void memory_pane_show_groups(SptTable *table, GArray *groups, const struct answer *answer,
				    bool has_words)
{
	g_array_sort(groups, by_order);
	for (unsigned i = 0; i < groups->len; i++) {
		const struct group *group = &g_array_index(groups, struct group, i);
		g_autofree char *bytes = text_of_bytes(group->bytes),
				*calls = spt_text_count(group->calls),
				*written = spt_micro_text(has_words ? _(group->name) : "");

		spt_table_set_row(
			table, i,
			(const SptTableCell[]){
				{ .number = spt_percent(group->bytes, answer->sums[ALLOCATED]) },
				{ bytes, (double)group->bytes },
				{ calls, (double)group->calls },
				{ has_words ? written : group->name, group->order },
			});
	}
	spt_table_set_end(table, groups->len);
}

static void show_holders(SptTable *table, const struct answer *answer)
{
	for (unsigned i = 0; i < answer->holders->len; i++) {
		const struct holder *holder = &g_array_index(answer->holders, struct holder, i);
		g_autofree char *bytes = text_of_bytes(holder->bytes);

		spt_table_set_row(table, i,
				  (const SptTableCell[]){
					  { .number = spt_percent(holder->bytes,
								  answer->sums[PEAK]) },
					  { bytes, (double)holder->bytes },
					  { .text = holder->function },
					  { .text = holder->object },
				  });
	}
	spt_table_set_end(table, answer->holders->len);
}

static void memory_pane_show(gpointer owner, gpointer data)
{
	SptMemoryPane *self = owner;
	struct answer *answer = data;

	show_sums(self, answer);
	show_holders(self->holders, answer);
	memory_pane_show_groups(self->sizes, answer->sizes, answer, true);
	memory_pane_show_groups(self->lifetimes, answer->lifetimes, answer, true);
	memory_pane_show_groups(self->threads, answer->threads, answer, false);
	memory_pane_free_answer(answer);
}

static const SptQueryKind memory_query = {
	.answer = memory_pane_find,
	.show = memory_pane_show,
	.free_answer = memory_pane_free_answer,
	.needs_map = true,
};

static void memory_pane_dispose(GObject *object)
{
	SptMemoryPane *self = SPT_MEMORY_PANE(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_memory_pane_parent_class)->dispose(object);
}

static void spt_memory_pane_class_init(SptMemoryPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = memory_pane_dispose;
}

static GtkWidget *memory_pane_new_label(bool is_number)
{
	GtkWidget *label = gtk_label_new("");

	gtk_label_set_xalign(GTK_LABEL(label), is_number ? 1 : 0);
	gtk_label_set_wrap(GTK_LABEL(label), !is_number);
	gtk_widget_add_css_class(label, is_number ? "numeric" : "dim-label");
	return label;
}

static GtkWidget *new_title(unsigned sum)
{
	GtkWidget *title;

	if (!sums[sum].metric) {
		title = gtk_label_new(_(sums[sum].title));
		gtk_label_set_xalign(GTK_LABEL(title), 0);
		gtk_widget_add_css_class(title, "memory-sum");
		return title;
	}
	title = gtk_button_new_with_label(_(sums[sum].title));
	gtk_label_set_xalign(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(title))), 0);
	gtk_widget_add_css_class(title, "flat");
	gtk_widget_set_tooltip_text(title, _("Show the functions"));
	gtk_actionable_set_action_name(GTK_ACTIONABLE(title), "views.metric");
	gtk_actionable_set_action_target(GTK_ACTIONABLE(title), "s", sums[sum].metric);
	return title;
}

/* In a narrow window notes are below the values: beside them they would have a word a line. */
static GtkWidget *new_value_with_note(GtkWidget *value, GtkWidget *note, GtkSizeGroup *values)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

	gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
	gtk_widget_set_halign(value, GTK_ALIGN_START);
	gtk_size_group_add_widget(values, value);
	gtk_widget_set_margin_start(note, 12);
	gtk_widget_set_hexpand(note, TRUE);
	gtk_box_append(GTK_BOX(box), value);
	gtk_box_append(GTK_BOX(box), note);
	spt_narrow_stack(box);
	return box;
}

static GtkWidget *new_sums(SptMemoryPane *self)
{
	g_autoptr(GtkSizeGroup) values = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
	GtkWidget *grid = gtk_grid_new();

	gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
	gtk_widget_set_margin_start(grid, 6);
	gtk_widget_set_margin_end(grid, 6);
	for (unsigned i = 0; i < SUMS; i++) {
		self->titles[i] = new_title(i);
		self->values[i] = memory_pane_new_label(true);
		self->notes[i] = memory_pane_new_label(false);
		gtk_grid_attach(GTK_GRID(grid), self->titles[i], 0, (int)i, 1, 1);
		gtk_grid_attach(GTK_GRID(grid),
				new_value_with_note(self->values[i], self->notes[i], values), 1,
				(int)i, 1, 1);
	}
	return grid;
}

static SptTable *new_groups_table(const char *heading, const SptTableColumn *columns,
				  const char *none)
{
	GtkWidget *table = spt_table_new(heading, columns, 4, true);

	gtk_widget_set_vexpand(table, TRUE);
	gtk_widget_set_size_request(table, -1, TABLE_HEIGHT);
	spt_table_set_empty_text(SPT_TABLE(table), none);
	return SPT_TABLE(table);
}

#define COLUMNS(name)                                                        \
	{                                                                    \
		{ N_("Share"), SPT_CELL_SHARE, SHARE_WIDTH },                \
		{ N_("Bytes"), SPT_CELL_NUMBER, NUMBER_WIDTH },              \
		{ N_("Calls"), SPT_CELL_NUMBER, NUMBER_WIDTH },              \
		{ name, SPT_CELL_TEXT, 0 },                                  \
	}

static void spt_memory_pane_init(SptMemoryPane *self)
{
	static const SptTableColumn holders[] = {
		{ N_("Share"), SPT_CELL_SHARE, SHARE_WIDTH },
		{ N_("Bytes"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Function"), SPT_CELL_TEXT, 0 },
		{ N_("Object"), SPT_CELL_DIM, 0 },
	};
	static const SptTableColumn sizes[] = COLUMNS(N_("Size")),
				    lifetimes[] = COLUMNS(N_("Lifetime")),
				    threads[] = COLUMNS(N_("Thread"));
	GtkWidget *columns = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6),
		  *left = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6),
		  *right = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
	const char *none = _("No allocation is in this part of the recording");

	self->query = spt_query_new(GTK_WIDGET(self), &memory_query);
	gtk_box_set_homogeneous(GTK_BOX(columns), TRUE);
	spt_narrow_stack(columns);
	self->holders = new_groups_table(_("In use when it was most"), holders, none);
	self->sizes = new_groups_table(_("Sizes"), sizes, none);
	self->lifetimes = new_groups_table(_("Lifetimes"), lifetimes, none);
	self->threads = new_groups_table(_("Threads that allocated"), threads, none);
	gtk_box_append(GTK_BOX(left), new_sums(self));
	gtk_box_append(GTK_BOX(left), GTK_WIDGET(self->holders));
	gtk_box_append(GTK_BOX(left), GTK_WIDGET(self->threads));
	gtk_box_append(GTK_BOX(right), GTK_WIDGET(self->sizes));
	gtk_box_append(GTK_BOX(right), GTK_WIDGET(self->lifetimes));
	gtk_box_append(GTK_BOX(columns), left);
	gtk_box_append(GTK_BOX(columns), right);
	gtk_box_append(GTK_BOX(self),
		       g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", columns, "hscrollbar-policy",
				    GTK_POLICY_NEVER, "hexpand", TRUE, "vexpand", TRUE, NULL));
}

static GtkWidget *memory_pane_new(void)
{
	return g_object_new(SPT_TYPE_MEMORY_PANE, NULL);
}

static bool memory_pane_is_for(const SptDocument *document)
{
	return spt_metric_is_in(spt_metric_find("allocated"), document->recording->capture);
}

static void memory_pane_set_function(GtkWidget *pane, SptDocument *document,
				     G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptMemoryPane *self = SPT_MEMORY_PANE(pane);

	/* Whichever function is selected. */
	if (document == self->document || !memory_pane_is_for(document))
		return;
	spt_document_replace(&self->document, document);
	spt_query_ask(self->query, document, NULL, NULL);
}

const SptPage spt_page_memory = {
	.name = "memory",
	.title = N_("Memory"),
	.help = N_("Memory that programs allocated"),
	.key = "<Alt>9",
	.icon = "spt-memory-symbolic",
	.new = memory_pane_new,
	.show = memory_pane_set_function,
	.is_for = memory_pane_is_for,
};
