/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame-view.c draws and controls the picture; this file has the widgets around it. */
#include "flame-pane.h"

#include <glib/gi18n.h>
#include <string.h>

#include "chart-view.h"
#include "flame-legend.h"
#include "flame-view.h"
#include "narrow.h"
#include "pages.h"
#include "preferences.h"
#include "profile/where-expression.h"
#include "query.h"
#include "text.h"
#include "view-keys.h"

#define MAX_THREADS 200

struct _SptFlamePane {
	GtkWidget parent_instance;
	GtkWidget *content, *header, *detail, *found, *search, *upward, *empty, *popover, *scrolled;
	GtkWidget *chart_scrolled, *pictures, *by_time, *threads, *legend;
	SptFlameView *view;
	SptChartView *chart;
	SptDocument *document;
	GArray *tids;			/* uint32_t: threads that can be chosen in @threads */
	GHashTable *names; /* their names by tid, as they were first listed; or NULL */
	/* The search, if only matches and nodes below them are shown */
	char *rooted;
	SptQuery *query;		/* threads, and: */
	bool lacks_lengths, lacks_threads; /* of what is shown in the order of time */
};

G_DEFINE_FINAL_TYPE(SptFlamePane, spt_flame_pane, GTK_TYPE_WIDGET)

static unsigned function_activated;

static uint32_t flame_pane_function(SptFlamePane *self)
{
	return spt_flame_view_function(self->view);
}

static void flame_pane_set_actions(SptFlamePane *self)
{
	bool is_selected = flame_pane_function(self) != UINT32_MAX;
	bool is_zoomed = self->document && spt_flame_view_zoomed(self->view) != 0;

	gtk_widget_action_set_enabled(GTK_WIDGET(self), "flame.show-function", is_selected);
	gtk_widget_action_set_enabled(GTK_WIDGET(self), "flame.show-source", is_selected);
	gtk_widget_action_set_enabled(GTK_WIDGET(self), "flame.copy-name", is_selected);
	gtk_widget_action_set_enabled(GTK_WIDGET(self), "flame.zoom", is_selected);
	gtk_widget_action_set_enabled(GTK_WIDGET(self), "flame.zoom-out", is_zoomed);
	gtk_widget_action_set_enabled(GTK_WIDGET(self), "flame.back", is_zoomed);
}

static void on_changed(SptFlamePane *self)
{
	uint32_t node = spt_flame_view_selected(self->view);
	g_autofree char *detail = spt_flame_view_describe(
		self->view, node == UINT32_MAX ? spt_flame_view_zoomed(self->view) : node);
	const char *search = gtk_editable_get_text(GTK_EDITABLE(self->search));
	uint64_t all, lit = spt_flame_view_lit(self->view, &all);
	g_autofree char *found = g_strdup_printf(_("%.2f %% highlighted"),
						 all ? 100.0 * (double)lit / (double)all : 0);

	gtk_label_set_text(GTK_LABEL(self->detail),
			   gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->by_time)) ?
				   _("In the order of time") :
				   detail);
	gtk_label_set_text(GTK_LABEL(self->found), *search ? found : "");
	flame_pane_set_actions(self);
}

/* The whole text, as the label may have to cut it. */
static gboolean flame_pane_on_query_tooltip(GtkWidget *detail, G_GNUC_UNUSED int x,
					    G_GNUC_UNUSED int y, G_GNUC_UNUSED gboolean by_keyboard,
					    GtkTooltip *tooltip, G_GNUC_UNUSED gpointer data)
{
	gtk_tooltip_set_text(tooltip, gtk_label_get_text(GTK_LABEL(detail)));
	return TRUE;
}

/*
 * By tree node: whether it or a caller matches the search: an expression, or words.  NULL: no
 * search.
 */
static bool *find_holds(SptFlamePane *self)
{
	const char *search = gtk_editable_get_text(GTK_EDITABLE(self->search));
	g_autoptr(SptExpression) expression = strstr(search, " and ") || strstr(search, " or ") ?
						      spt_expression_parse(search, NULL) :
						      NULL;
	g_autofree bool *matches = NULL;
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(self->document->profile, &n);
	bool *holds;

	if (expression)
		return spt_expression_holds(expression, nodes, n, self->document->calls.functions,
					    self->document->calls.n_functions);
	matches = spt_order_match(self->document->order, search);
	if (!matches)
		return NULL;
	holds = g_new0(bool, n);
	for (uint32_t i = 1; i < n; i++)
		holds[i] = matches[nodes[i].function];
	return holds;
}

/* Everything, or the part below the matches. */
static void flame_pane_show_tree(SptFlamePane *self)
{
	g_autofree bool *holds = self->rooted ? find_holds(self) : NULL;
	g_autoptr(GArray) below =
		holds ? spt_profile_descendants_where(self->document->profile, holds) : NULL;

	spt_flame_view_show(self->view, &self->document->calls,
			    below ? below : self->document->calls.tree);
}

static void light(SptFlamePane *self)
{
	const char *search = gtk_editable_get_text(GTK_EDITABLE(self->search));

	spt_flame_view_light(self->view,
			     self->rooted ? NULL : spt_order_match(self->document->order, search));
	spt_chart_view_light(self->chart, spt_order_match(self->document->order, search));
	on_changed(self);
}

static void flame_pane_on_search_changed(SptFlamePane *self)
{
	/* Comes a moment after the text changed; Enter may have been pressed already. */
	if (!self->document ||
	    g_strcmp0(self->rooted, gtk_editable_get_text(GTK_EDITABLE(self->search))) == 0)
		return;
	if (self->rooted) {
		g_clear_pointer(&self->rooted, g_free);
		flame_pane_show_tree(self);
	}
	light(self);
}

static void on_search_activated(SptFlamePane *self)
{
	const char *search = gtk_editable_get_text(GTK_EDITABLE(self->search));

	if (!self->document)
		return;
	g_free(self->rooted);
	self->rooted = *search ? g_strdup(search) : NULL;
	flame_pane_show_tree(self);
	light(self);
}

/* The order of time. */

/* UINT32_MAX: none, or the first of them. */
static uint32_t chosen_thread(SptFlamePane *self)
{
	unsigned at = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->threads));

	return at < self->tids->len ? g_array_index(self->tids, uint32_t, at) : UINT32_MAX;
}

static void show_chart(SptFlamePane *self)
{
	uint32_t chosen = chosen_thread(self);

	if (!self->document || !gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->by_time)))
		return;
	if (chosen != UINT32_MAX)
		spt_chart_view_show(self->chart, self->document, &chosen, 1);
	else
		spt_chart_view_show(self->chart, self->document,
				    (const uint32_t *)(gpointer)self->tids->data,
				    MIN(self->tids->len, SPT_CHART_MAX_THREADS));
}

static void on_thread_chosen(SptFlamePane *self)
{
	show_chart(self);
	if (self->document)
		light(self);
}

static bool are_listed(SptFlamePane *self, const GArray *threads)
{
	unsigned n = MIN(threads->len, MAX_THREADS), listed = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < self->tids->len; j++)
			listed += g_array_index(self->tids, uint32_t, j) ==
				  g_array_index(threads, SptGroupRow, i).tid;
	}
	return n == self->tids->len && listed == n;
}

/*
 * A thread has had several names when it ran other programs; it keeps the one of its heaviest when
 * it was first listed, whatever part is shown later.
 */
static const char *name_of_thread(SptFlamePane *self, const SptGroupRow *thread)
{
	const char *known = g_hash_table_lookup(self->names, GUINT_TO_POINTER(thread->tid));
	g_autofree char *made = NULL;
	char *name;

	if (known)
		return known;
	name = g_strdup_printf("%.40s (%u)", spt_text_name(thread->name, &made), thread->tid);
	g_hash_table_insert(self->names, GUINT_TO_POINTER(thread->tid), name);
	return name;
}

/* The heaviest first, if there are too many for all; the present one stays if it is among them. */
static void list_threads(SptFlamePane *self, const GArray *threads)
{
	g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
	uint32_t seen = chosen_thread(self);
	bool are_several = self->tids->len > 1 && seen == UINT32_MAX;
	unsigned chosen = 0;

	/* A different list is more than a frame's work for GTK. */
	if (are_listed(self, threads))
		return;
	if (!self->names)
		self->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_array_set_size(self->tids, 0);
	for (unsigned i = 0; i < MIN(threads->len, MAX_THREADS); i++) {
		const SptGroupRow *thread = &g_array_index(threads, SptGroupRow, i);

		gtk_string_list_append(names, name_of_thread(self, thread));
		g_array_append_val(self->tids, thread->tid);
		if (thread->tid == seen)
			chosen = i;
	}
	if (threads->len > 1) {
		g_autofree char *several =
			g_strdup_printf(_("The first %u threads"),
					MIN(threads->len, SPT_CHART_MAX_THREADS));

		gtk_string_list_append(names, several);
		if (are_several)
			chosen = MIN(threads->len, MAX_THREADS);
	}
	g_signal_handlers_block_by_func(self->threads, on_thread_chosen, self);
	gtk_drop_down_set_model(GTK_DROP_DOWN(self->threads), G_LIST_MODEL(names));
	gtk_drop_down_set_selected(GTK_DROP_DOWN(self->threads), chosen);
	g_signal_handlers_unblock_by_func(self->threads, on_thread_chosen, self);
	if (are_several || chosen_thread(self) != seen)
		on_thread_chosen(self);
}

/* Says why there is nothing to be seen, or nothing. */
static void flame_pane_show_reason(SptFlamePane *self)
{
	bool is_chart = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->by_time));
	const char *reason =
		self->document->calls.total == 0 ? _("There are no samples") :
		!is_chart			 ? NULL :
		self->lacks_lengths ?
			_("What this metric counts takes no time: it has no place in the order of time") :
		self->lacks_threads ?
			_("These threads had exited, and are not known one by one") :
			NULL;

	gtk_label_set_text(GTK_LABEL(self->empty), reason ? reason : "");
	gtk_widget_set_visible(self->empty, reason != NULL);
}

struct in_time {
	GArray *threads;		/* SptGroupRow */
	bool lacks_lengths;
};

static void free_in_time(gpointer data)
{
	struct in_time *in_time = data;

	g_array_unref(in_time->threads);
	g_free(in_time);
}

static gpointer find_in_time(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	struct in_time *in_time = g_new(struct in_time, 1);

	*in_time = (struct in_time){ spt_document_threads(document),
				     !spt_chart_has_lengths(document->whole->profile) };
	return in_time;
}

static void show_in_time(gpointer owner, gpointer answer)
{
	SptFlamePane *self = owner;
	struct in_time *in_time = answer;

	self->lacks_lengths = in_time->lacks_lengths;
	self->lacks_threads = in_time->threads->len == 0;
	list_threads(self, in_time->threads);
	flame_pane_show_reason(self);
	free_in_time(in_time);
}

static const SptQueryKind threads_query = {
	.answer = find_in_time,
	.show = show_in_time,
	.free_answer = free_in_time,
};

static void on_by_time_toggled(SptFlamePane *self)
{
	gboolean is_chart = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->by_time));

	gtk_stack_set_visible_child_name(GTK_STACK(self->pictures), is_chart ? "chart" : "graph");
	gtk_widget_set_visible(self->threads, is_chart);
	gtk_widget_set_visible(self->upward, !is_chart);
	if (!self->document)
		return;
	if (is_chart) {
		spt_query_ask(self->query, self->document, NULL, NULL);
		show_chart(self);
	}
	flame_pane_show_reason(self);
	light(self);
}

static void flame_pane_on_stop_search(SptFlamePane *self)
{
	gtk_editable_set_text(GTK_EDITABLE(self->search), "");
	gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

static gboolean flame_pane_on_escape(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
				     G_GNUC_UNUSED gpointer data)
{
	SptFlamePane *self = SPT_FLAME_PANE(widget);

	if (!self->document)
		return FALSE;
	if (*gtk_editable_get_text(GTK_EDITABLE(self->search)))
		gtk_editable_set_text(GTK_EDITABLE(self->search), "");
	else
		spt_flame_view_zoom(self->view, 0);
	return TRUE;
}

static gboolean flame_pane_grab_focus(GtkWidget *widget)
{
	/* A chart has no keys. */
	return gtk_widget_grab_focus(spt_flame_pane_picture(SPT_FLAME_PANE(widget))) ||
	       gtk_widget_grab_focus(SPT_FLAME_PANE(widget)->by_time);
}

/* To the root, at any depth. */
static gboolean scroll_to_root(gpointer data)
{
	SptFlamePane *self = data;
	GtkAdjustment *adjustment =
		gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->scrolled));
	bool is_upward = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->upward));

	gtk_adjustment_set_value(adjustment, is_upward ? gtk_adjustment_get_upper(adjustment) : 0);
	return G_SOURCE_REMOVE;
}

static void on_upward_toggled(SptFlamePane *self)
{
	spt_flame_view_set_upward(self->view,
				  gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->upward)));
	scroll_to_root(self);
}

static void on_menu(SptFlamePane *self, double x, double y)
{
	double at_x, at_y;

	gtk_widget_translate_coordinates(GTK_WIDGET(self->view), GTK_WIDGET(self), x, y, &at_x,
					 &at_y);
	gtk_popover_set_pointing_to(GTK_POPOVER(self->popover),
				    &(GdkRectangle){ (int)at_x, (int)at_y, 1, 1 });
	gtk_popover_popup(GTK_POPOVER(self->popover));
}

static void flame_pane_on_function_activated(SptFlamePane *self, unsigned function)
{
	g_signal_emit(self, function_activated, 0, function);
}

static void flame_pane_on_show_function(GtkWidget *widget, G_GNUC_UNUSED const char *action,
					G_GNUC_UNUSED GVariant *parameter)
{
	flame_pane_on_function_activated(SPT_FLAME_PANE(widget),
					 flame_pane_function(SPT_FLAME_PANE(widget)));
}

static void on_show_source(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			   G_GNUC_UNUSED GVariant *parameter)
{
	gtk_widget_activate_action(widget, "views.show-function", "(su)", "source",
				   flame_pane_function(SPT_FLAME_PANE(widget)));
}

static void on_copy_name(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			 G_GNUC_UNUSED GVariant *parameter)
{
	SptFlamePane *self = SPT_FLAME_PANE(widget);
	g_autofree char *made = NULL;

	gtk_widget_activate_action(
		widget, "views.copy", "s",
		spt_text_name(self->document->calls.functions[flame_pane_function(self)].name,
			      &made));
}

static void on_zoom(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		    G_GNUC_UNUSED GVariant *parameter)
{
	SptFlameView *view = SPT_FLAME_PANE(widget)->view;

	spt_flame_view_zoom(view, spt_flame_view_selected(view));
}

static void on_zoom_out(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			G_GNUC_UNUSED GVariant *parameter)
{
	spt_flame_view_zoom(SPT_FLAME_PANE(widget)->view, 0);
}

static void on_back(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		    G_GNUC_UNUSED GVariant *parameter)
{
	spt_flame_view_step_back(SPT_FLAME_PANE(widget)->view);
}

static void flame_pane_dispose(GObject *object)
{
	SptFlamePane *self = SPT_FLAME_PANE(object);
	GtkWidget *child;

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_pointer(&self->tids, g_array_unref);
	g_clear_pointer(&self->names, g_hash_table_unref);
	g_clear_pointer(&self->rooted, g_free);
	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_FLAME_PANE);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_flame_pane_parent_class)->dispose(object);
}

static void flame_pane_bind_children(GtkWidgetClass *class)
{
	gtk_widget_class_bind_template_child(class, SptFlamePane, content);
	gtk_widget_class_bind_template_child(class, SptFlamePane, header);
	gtk_widget_class_bind_template_child(class, SptFlamePane, detail);
	gtk_widget_class_bind_template_child(class, SptFlamePane, found);
	gtk_widget_class_bind_template_child(class, SptFlamePane, search);
	gtk_widget_class_bind_template_child(class, SptFlamePane, upward);
	gtk_widget_class_bind_template_child(class, SptFlamePane, empty);
	gtk_widget_class_bind_template_child(class, SptFlamePane, popover);
	gtk_widget_class_bind_template_child(class, SptFlamePane, scrolled);
	gtk_widget_class_bind_template_child(class, SptFlamePane, view);
	gtk_widget_class_bind_template_child(class, SptFlamePane, chart);
	gtk_widget_class_bind_template_child(class, SptFlamePane, chart_scrolled);
	gtk_widget_class_bind_template_child(class, SptFlamePane, pictures);
	gtk_widget_class_bind_template_child(class, SptFlamePane, by_time);
	gtk_widget_class_bind_template_child(class, SptFlamePane, threads);
	gtk_widget_class_bind_template_callback(class, on_search_activated);
	gtk_widget_class_bind_template_callback(class, on_thread_chosen);
	gtk_widget_class_bind_template_callback(class, on_by_time_toggled);
	gtk_widget_class_bind_template_callback(class, on_changed);
	gtk_widget_class_bind_template_callback(class, flame_pane_on_search_changed);
	gtk_widget_class_bind_template_callback(class, flame_pane_on_stop_search);
	gtk_widget_class_bind_template_callback(class, on_upward_toggled);
	gtk_widget_class_bind_template_callback(class, on_menu);
	gtk_widget_class_bind_template_callback(class, flame_pane_on_function_activated);
}

static void spt_flame_pane_class_init(SptFlamePaneClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_FLAME_VIEW);
	g_type_ensure(SPT_TYPE_CHART_VIEW);
	G_OBJECT_CLASS(class)->dispose = flame_pane_dispose;
	widget_class->grab_focus = flame_pane_grab_focus;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/flame-pane.ui");
	flame_pane_bind_children(widget_class);
	gtk_widget_class_install_action(widget_class, "flame.show-function", NULL,
					flame_pane_on_show_function);
	gtk_widget_class_install_action(widget_class, "flame.show-source", NULL, on_show_source);
	gtk_widget_class_install_action(widget_class, "flame.copy-name", NULL, on_copy_name);
	gtk_widget_class_install_action(widget_class, "flame.zoom", NULL, on_zoom);
	gtk_widget_class_install_action(widget_class, "flame.zoom-out", NULL, on_zoom_out);
	gtk_widget_class_install_action(widget_class, "flame.back", NULL, on_back);
	gtk_widget_class_add_binding(widget_class, GDK_KEY_Escape, 0, flame_pane_on_escape, NULL);
	function_activated =
		g_signal_new("function-activated", SPT_TYPE_FLAME_PANE, G_SIGNAL_RUN_LAST, 0, NULL,
			     NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void on_colors_changed(SptFlamePane *self)
{
	if (self->document)
		spt_flame_legend_show(self->legend, &self->document->calls);
}

static void spt_flame_pane_init(SptFlamePane *self)
{
	self->query = spt_query_new(GTK_WIDGET(self), &threads_query);
	self->tids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	gtk_widget_init_template(GTK_WIDGET(self));
	self->legend = spt_flame_legend_new();
	gtk_box_append(GTK_BOX(self->content), self->legend);
	spt_preferences_watch(self, G_CALLBACK(on_colors_changed));
	spt_narrow_stack(self->header);
	spt_view_stay(self->scrolled);
	spt_view_stay(self->chart_scrolled);
	g_signal_connect_object(
		gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->chart_scrolled)),
		"value-changed", G_CALLBACK(gtk_widget_queue_draw), self->chart, G_CONNECT_SWAPPED);
	/* The drawing depends on the visible part. */
	g_signal_connect_object(
		gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->scrolled)),
		"value-changed", G_CALLBACK(gtk_widget_queue_draw), self->view, G_CONNECT_SWAPPED);
	/* No tooltip over the menu of a box. */
	g_object_bind_property(self->popover, "visible", self->view, "has-tooltip",
			       G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
	gtk_widget_set_has_tooltip(self->detail, TRUE);
	g_signal_connect(self->detail, "query-tooltip", G_CALLBACK(flame_pane_on_query_tooltip),
			 NULL);
	flame_pane_set_actions(self);
}

static void flame_pane_show_document(GtkWidget *page, SptDocument *document)
{
	SptFlamePane *self = SPT_FLAME_PANE(page);
	bool is_known = self->document && spt_document_is_same(self->document, document);
	bool is_legend_known =
		is_known && self->document->calls.categories == document->calls.categories;

	spt_document_replace(&self->document, document);
	if (!is_known) {
		spt_query_cancel(self->query);
		g_array_set_size(self->tids, 0);
		g_clear_pointer(&self->names, g_hash_table_unref);
		g_clear_pointer(&self->rooted, g_free);
		gtk_editable_set_text(GTK_EDITABLE(self->search), "");
	}
	if (!is_legend_known)
		on_colors_changed(self);
	flame_pane_show_tree(self);
	if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->by_time))) {
		if (!document->look.is_passing)
			spt_query_ask(self->query, document, NULL, NULL);
		show_chart(self);
	}
	/* Other functions, if the arrangement differs. */
	light(self);
	flame_pane_show_reason(self);
}

void spt_flame_pane_set_axis(SptFlamePane *self, SptTimeAxis *axis)
{
	spt_chart_view_set_axis(self->chart, axis);
}

void spt_flame_pane_highlight(SptFlamePane *self, const char *name)
{
	gtk_editable_set_text(GTK_EDITABLE(self->search), name);
}

GtkWidget *spt_flame_pane_picture(SptFlamePane *self)
{
	return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->by_time)) ?
		       GTK_WIDGET(self->chart) :
		       GTK_WIDGET(self->view);
}

static GtkWidget *flame_pane_new(void)
{
	return g_object_new(SPT_TYPE_FLAME_PANE, NULL);
}

static void flame_pane_focus_search(GtkWidget *page)
{
	gtk_widget_grab_focus(SPT_FLAME_PANE(page)->search);
}

static uint32_t flame_pane_page_function(GtkWidget *page)
{
	return flame_pane_function(SPT_FLAME_PANE(page));
}

static GtkWidget *flame_pane_page_picture(GtkWidget *page)
{
	return spt_flame_pane_picture(SPT_FLAME_PANE(page));
}

const SptPage spt_page_flame = {
	.name = "flame",
	.title = N_("Flame Graph"),
	.help = N_("Flame graph"),
	.key = "<Alt>2",
	.new = flame_pane_new,
	.show_document = flame_pane_show_document,
	.may_wait = true,
	.icon = "spt-flame-symbolic",
	.focus_search = flame_pane_focus_search,
	.selected = flame_pane_page_function,
	.picture = flame_pane_page_picture,
};
