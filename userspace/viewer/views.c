/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every view shows the same document: the recording, or the part of it that the last of a history
 * of restrictions leaves.
 */
#include "views.h"

#include <glib/gi18n.h>
#include <string.h>

#include "category-rules.h"
#include "compare-pane.h"
#include "compat-gtk.h"
#include "crumbs.h"
#include "flame-pane.h"
#include "heat-view.h"
#include "lanes-pane.h"
#include "look-query.h"
#include "metrics.h"
#include "narrow.h"
#include "panes.h"
#include "preferences.h"
#include "profile/span.h"
#include "query.h"
#include "record-again.h"
#include "shown-pages.h"
#include "split.h"
#include "text.h"
#include "timeline-view.h"
#include "view-keys.h"
#include "work.h"

struct _SptViews {
	GtkWidget parent_instance;
	GtkWidget *top, *title_row, *title, *origin, *words, *again;
	GtkDropDown *metric;		/* if there are several */
	GMenu *roots;			/* menu of the functions */
	GtkPaned *split;		/* what is over time, and the rest */
	SptTimelineView *timeline;
	SptLanesPane *lanes_pane;
	SptHeatView *heat;
	SptCrumbs *crumbs;
	AdwViewStack *stack;
	SptPanes *panes;
	SptFlamePane *flame;
	SptComparePane *compare;
	SptShownPages *pages;
	SptDocument *shown;
	GPtrArray *history;		/* SptRestrictions */
	unsigned at;			/* of it */
	/* Its restrictions are not in the history while the user still changes it */
	SptLook wanted;
	SptQuery *query;		/* another part */
	SptGroupKind lanes;		/* of the timeline */
};

G_DEFINE_FINAL_TYPE(SptViews, spt_views, GTK_TYPE_WIDGET)

enum {
	PROP_ROOTS = 1,
	PROP_HIDES_SYSTEM,
	PROP_BOTTOM_UP,
	PROP_LANES,
	PROP_HEAT_MAP,
	PROP_THREAD_LANES,
	N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static const char *const lanes_names[] = {
	[SPT_GROUP_PROCESS] = "process", [SPT_GROUP_THREAD] = "thread", [SPT_GROUP_CPU] = "cpu"
};

/* What is below has the room of what is hidden. */
static void give_room_to_time(SptViews *self)
{
	bool has_lanes = gtk_widget_get_visible(GTK_WIDGET(self->lanes_pane));

	gtk_widget_set_visible(gtk_paned_get_start_child(self->split),
			       has_lanes || gtk_widget_get_visible(GTK_WIDGET(self->timeline)));
	spt_split_give(self->split, has_lanes);
}

/* Takes over @surroundings. */
static void views_show(SptViews *self, SptDocument *document, SptSurroundings *surroundings)
{
	g_autofree char *made = NULL;
	double begin_ms = spt_work_ms();

	spt_document_replace(&self->shown, document);
	gtk_inscription_set_text(GTK_INSCRIPTION(self->words),
				 spt_text_name(document->words, &made));
	gtk_widget_set_visible(self->again,
			       spt_record_again_helps(document->recording->capture));
	gtk_widget_set_visible(GTK_WIDGET(self->timeline),
			       spt_span_is_known(document->recording->capture));
	give_room_to_time(self);
	spt_timeline_view_set_document(self->timeline, document);
	spt_lanes_pane_set_document(self->lanes_pane, document);
	spt_heat_view_set_document(self->heat, document);
	spt_crumbs_show(self->crumbs, document);
	spt_panes_expect(self->panes, surroundings);
	spt_shown_pages_set_document(self->pages, document);
	spt_shown_pages_set_function(self->pages, spt_panes_selected(self->panes));
	g_debug("shown in %.2f ms of CPU time", spt_work_ms() - begin_ms);
}

static void views_set_actions(SptViews *self)
{
	GtkWidget *widget = GTK_WIDGET(self);

	gtk_widget_action_set_enabled(widget, "views.undo", self->at > 0);
	gtk_widget_action_set_enabled(widget, "views.redo", self->at + 1 < self->history->len);
	gtk_widget_action_set_enabled(widget, "views.everything",
				      self->wanted.restrictions &&
					      spt_restrictions_n(self->wanted.restrictions) > 0);
}

static void views_show_answer(gpointer owner, gpointer data)
{
	SptLookAnswer *answer = data;

	views_show(owner, answer->document, g_steal_pointer(&answer->surroundings));
	spt_look_answer_free(answer);
}

static const SptQueryKind document_query = {
	.answer = spt_look_answer,
	.show = views_show_answer,
	.free_answer = spt_look_answer_free,
	.shows_progress = true,
};

static void views_ask(SptViews *self)
{
	bool are_seen = adw_view_stack_get_visible_child(self->stack) == GTK_WIDGET(self->panes);
	uint32_t selected = spt_panes_selected(self->panes);

	spt_query_ask(self->query, self->shown,
		      spt_look_question_new(&self->wanted, selected, are_seen),
		      spt_look_question_free);
}

static void want(SptViews *self, SptRestrictions *restrictions, bool is_passing)
{
	spt_restrictions_ref(restrictions);
	g_clear_pointer(&self->wanted.restrictions, spt_restrictions_unref);
	self->wanted.restrictions = restrictions;
	self->wanted.is_passing = is_passing;
	views_set_actions(self);
	views_ask(self);
}

/* Adds to the history, unless the user is still changing it.  Takes over @restrictions. */
static void restrict_to(SptViews *self, SptRestrictions *restrictions, bool is_final)
{
	if (is_final) {
		g_ptr_array_set_size(self->history, (int)self->at + 1);
		g_ptr_array_add(self->history, spt_restrictions_ref(restrictions));
		self->at++;
	}
	want(self, restrictions, !is_final);
	spt_restrictions_unref(restrictions);
}

static const SptRestrictions *present(SptViews *self)
{
	return self->history->pdata[self->at];
}

static void views_add(SptViews *self, const SptRestriction *restriction)
{
	restrict_to(self, spt_restrictions_add(present(self), restriction), true);
}

static void views_on_range(SptViews *self, guint64 begin_ns, guint64 end_ns, gboolean is_final)
{
	const SptRestriction range = { .kind = SPT_RESTRICT_TIME,
				       .begin_ns = begin_ns,
				       .end_ns = end_ns };

	if (end_ns)
		restrict_to(self, spt_restrictions_add(present(self), &range), is_final);
	else if (spt_restrictions_find(present(self), SPT_RESTRICT_TIME))
		restrict_to(self, spt_restrictions_without(present(self), SPT_RESTRICT_TIME),
			    is_final);
}

static void offer_groupings(SptViews *self, const SptDocument *document)
{
	SptArrangement *arrangement = &self->wanted.arrangement;

	spt_metrics_offer_groupings(self->roots, self->wanted.metric,
				    document->recording->capture, arrangement->categories);
	if (arrangement->roots != SPT_ROOTS_CATEGORY || arrangement->categories)
		return;
	arrangement->roots = SPT_ROOTS_PROGRAM;
	g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_ROOTS]);
}

static void on_rules_changed(SptViews *self)
{
	const SptCategories *rules = spt_category_rules_read(NULL);

	if (!self->shown || rules == self->wanted.arrangement.categories)
		return;
	self->wanted.arrangement.categories = rules;
	offer_groupings(self, self->shown);
	views_ask(self);
}

/* A grouping that needs fields that a metric's rows lack is replaced by programs. */
static void want_metric(SptViews *self, const SptDocument *document, const SptMetric *metric)
{
	SptArrangement *arrangement = &self->wanted.arrangement;
	SptGroupKind kind;

	self->wanted.metric = metric;
	offer_groupings(self, document);
	if (!spt_grouping_find(spt_roots_name(arrangement->roots), &kind) ||
	    spt_grouping_fits(spt_grouping(kind), metric))
		return;
	arrangement->roots = SPT_ROOTS_PROGRAM;
	g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_ROOTS]);
}

static void on_metric(SptViews *self)
{
	const SptMetric *metric =
		!self->shown ? NULL :
			       spt_recording_metric(self->shown->recording,
						    gtk_drop_down_get_selected(self->metric));

	if (!metric || metric == self->wanted.metric)
		return;
	want_metric(self, self->shown, metric);
	views_ask(self);
}

/* The timeline leaves room for the lanes' names, too. */
static void on_lanes_visible(SptViews *self)
{
	bool is_visible = gtk_widget_get_visible(GTK_WIDGET(self->lanes_pane));

	spt_timeline_view_set_gutter(self->timeline, is_visible ? SPT_LANES_GUTTER : 0);
	give_room_to_time(self);
	g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_THREAD_LANES]);
}

static void views_on_function_selected(SptViews *self, unsigned function)
{
	spt_timeline_view_light(self->timeline, function);
	spt_shown_pages_set_function(self->pages, function);
}

static void views_on_way_selected(SptViews *self, GArray *way)
{
	spt_shown_pages_set_path(self->pages, way);
}

static void views_on_function_activated(SptViews *self, unsigned function)
{
	spt_views_show(self, "functions");
	spt_panes_select(self->panes, function);
}

/* Actions. */

static void on_stop_comparing(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			      G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *self = SPT_VIEWS(widget);

	spt_views_show(self, "functions");
	spt_compare_pane_set_before(self->compare, NULL, NULL);
	spt_shown_pages_set_mode(self->pages, "compare", false);
}

/* Undo, or redo. */
static void on_step(GtkWidget *widget, const char *action, G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *self = SPT_VIEWS(widget);

	self->at += g_str_equal(action, "views.undo") ? -1 : 1;
	want(self, self->history->pdata[self->at], false);
}

static void on_everything(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			  G_GNUC_UNUSED GVariant *parameter)
{
	restrict_to(SPT_VIEWS(widget), spt_restrictions_new(), true);
}

static void on_remove(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *index)
{
	SptViews *self = SPT_VIEWS(widget);

	restrict_to(self, spt_restrictions_remove(present(self), g_variant_get_uint32(index)),
		    true);
}

/* Name and category of marks, how long they took at least, and less than. */
static bool restriction_to_marks(SptViews *self, GVariant *value, SptRestriction *ret)
{
	SptMarkQuery marks = { 0 };
	guint64 least_ns, below_ns;

	g_variant_get(value, "(&s&stt)", &marks.exact_name, &marks.category, &least_ns,
		      &below_ns);
	marks.least_ns = least_ns;
	marks.below_ns = below_ns;
	return spt_restriction_to_mark(self->shown->recording->capture, &marks, ret);
}

static void on_only_time(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *value)
{
	guint64 begin_ns, end_ns;

	g_variant_get(value, "(tt)", &begin_ns, &end_ns);
	views_on_range(SPT_VIEWS(widget), begin_ns, end_ns, TRUE);
}

static void views_on_only(GtkWidget *widget, const char *action, GVariant *value)
{
	SptViews *self = SPT_VIEWS(widget);
	SptRestriction only = { .kind = SPT_RESTRICT_SIDE };
	bool ok = true;

	if (g_str_equal(action, "views.only-mark"))
		ok = restriction_to_marks(self, value, &only);
	else if (g_str_equal(action, "views.only-side"))
		only.number = g_variant_get_uint32(value);
	else
		ok = spt_restriction_to(self->shown->profile, g_variant_get_uint32(value),
					self->shown->calls.categories, &only);
	if (ok)
		views_add(self, &only);
	spt_restriction_clear(&only);
}

static void on_shape(GtkWidget *widget, const char *action, GVariant *function)
{
	SptViews *self = SPT_VIEWS(widget);
	uint32_t at = g_variant_get_uint32(function);
	SptRestriction shape = { .kind = g_str_equal(action, "views.hide") ? SPT_RESTRICT_HIDDEN :
									      SPT_RESTRICT_ROOT };

	if (at >= self->shown->calls.n_functions || self->shown->calls.functions[at].is_process)
		return;
	shape.text = self->shown->calls.functions[at].name;
	views_add(self, &shape);
}

/* views.NAME-selected is views.NAME for the selected function. */
static void views_on_selected(GtkWidget *widget, const char *action, G_GNUC_UNUSED GVariant *none)
{
	SptViews *self = SPT_VIEWS(widget);
	GtkWidget *seen;
	const SptPage *page = spt_shown_pages_seen(self->pages, &seen);
	uint32_t function = page->selected ? page->selected(seen) :
					     spt_panes_selected(self->panes);
	g_autofree char *name = g_strndup(action, strlen(action) - strlen("-selected"));

	if (function != UINT32_MAX)
		gtk_widget_activate_action(widget, name, "u", function);
}

/* The page's own selection, and not an entry above it. */
static void on_focus_page(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			  G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *self = SPT_VIEWS(widget);
	GtkWidget *page = adw_view_stack_get_visible_child(self->stack);

	if (page == GTK_WIDGET(self->panes))
		spt_panes_focus_list(self->panes);
	else if (!gtk_widget_grab_focus(page))
		gtk_widget_child_focus(page, GTK_DIR_TAB_FORWARD);
}

static void on_fold(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		    G_GNUC_UNUSED GVariant *parameter)
{
	spt_split_fold(SPT_VIEWS(widget)->split);
}

/* A thread of the capture at a time, in the lanes. */
static void on_go_to_moment(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *target)
{
	SptViews *self = SPT_VIEWS(widget);
	uint32_t thread;
	uint64_t time;

	g_variant_get(target, "(ut)", &thread, &time);
	gtk_widget_set_visible(GTK_WIDGET(self->lanes_pane), TRUE);
	spt_lanes_view_go_to(spt_lanes_pane_view(self->lanes_pane), thread, time);
}

/* A function of a list, and where to see more of it. */
static void views_go_to(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *target)
{
	SptViews *self = SPT_VIEWS(widget);
	const char *view;
	uint32_t function;

	g_variant_get(target, "(&su)", &view, &function);
	if (function >= self->shown->calls.n_functions)
		return;
	spt_panes_select(self->panes, function);
	if (strcmp(view, "flame") == 0)
		spt_flame_pane_highlight(self->flame, self->shown->calls.functions[function].name);
	spt_views_show(self, view);
}

/* The functions of another metric. */
static void on_choose_metric(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *name)
{
	SptViews *self = SPT_VIEWS(widget);

	spt_metrics_choose(self->metric, self->shown, g_variant_get_string(name, NULL));
	spt_views_show(self, "functions");
}

/* Arrangement of stacks: actions with a state. */
static void views_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
	const SptLook *look = &SPT_VIEWS(object)->wanted;

	switch (id) {
	case PROP_ROOTS:
		g_value_set_string(value, spt_roots_name(look->arrangement.roots));
		break;
	case PROP_HIDES_SYSTEM:
		g_value_set_boolean(value, look->arrangement.hides_system);
		break;
	case PROP_BOTTOM_UP:
		g_value_set_boolean(value, look->is_bottom_up);
		break;
	case PROP_LANES:
		g_value_set_string(value, lanes_names[SPT_VIEWS(object)->lanes]);
		break;
	case PROP_THREAD_LANES:
		g_value_set_boolean(value, gtk_widget_get_visible(
						   GTK_WIDGET(SPT_VIEWS(object)->lanes_pane)));
		break;
	case PROP_HEAT_MAP:
		g_value_set_boolean(value,
				    gtk_widget_get_visible(GTK_WIDGET(SPT_VIEWS(object)->heat)));
		break;
	default:
		G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
	}
}

static void views_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
	SptViews *self = SPT_VIEWS(object);

	switch (id) {
	case PROP_ROOTS:
		self->wanted.arrangement.roots = spt_roots_named(g_value_get_string(value));
		break;
	case PROP_HIDES_SYSTEM:
		self->wanted.arrangement.hides_system = g_value_get_boolean(value);
		break;
	case PROP_BOTTOM_UP:
		self->wanted.is_bottom_up = g_value_get_boolean(value);
		break;
	case PROP_LANES:
		self->lanes = (SptGroupKind)spt_view_number_of(value, lanes_names,
							       G_N_ELEMENTS(lanes_names));
		spt_timeline_view_set_lanes(self->timeline, self->lanes);
		g_object_notify_by_pspec(object, spec);
		return;
	case PROP_THREAD_LANES:
		gtk_widget_set_visible(GTK_WIDGET(self->lanes_pane), g_value_get_boolean(value));
		return;
	case PROP_HEAT_MAP:
		gtk_widget_set_visible(GTK_WIDGET(self->heat), g_value_get_boolean(value));
		g_object_notify_by_pspec(object, spec);
		return;
	default:
		G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
	}
	g_object_notify_by_pspec(object, spec);
	if (self->shown)
		views_ask(self);
}

/* Life. */

static void views_dispose(GObject *object)
{
	SptViews *self = SPT_VIEWS(object);
	GtkWidget *child;

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->pages, spt_shown_pages_free);
	g_clear_pointer(&self->wanted.restrictions, spt_restrictions_unref);
	g_clear_pointer(&self->shown, spt_document_unref);
	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_VIEWS);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_views_parent_class)->dispose(object);
}

static void views_finalize(GObject *object)
{
	g_ptr_array_unref(SPT_VIEWS(object)->history);
	G_OBJECT_CLASS(spt_views_parent_class)->finalize(object);
}

static void install_properties(GObjectClass *class)
{
	const GParamFlags flags =
		G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

	class->get_property = views_get_property;
	class->set_property = views_set_property;
	properties[PROP_ROOTS] = g_param_spec_string("roots", NULL, NULL, "program", flags);
	properties[PROP_HIDES_SYSTEM] =
		g_param_spec_boolean("hides-system", NULL, NULL, FALSE, flags);
	properties[PROP_BOTTOM_UP] = g_param_spec_boolean("bottom-up", NULL, NULL, FALSE, flags);
	properties[PROP_LANES] = g_param_spec_string("lanes", NULL, NULL, "cpu", flags);
	properties[PROP_HEAT_MAP] = g_param_spec_boolean("heat-map", NULL, NULL, FALSE, flags);
	properties[PROP_THREAD_LANES] =
		g_param_spec_boolean("thread-lanes", NULL, NULL, FALSE, flags);
	g_object_class_install_properties(class, N_PROPS, properties);
}

static void install_actions(GtkWidgetClass *class)
{
	gtk_widget_class_install_property_action(class, "views.roots", "roots");
	gtk_widget_class_install_property_action(class, "views.hides-system", "hides-system");
	gtk_widget_class_install_property_action(class, "views.bottom-up", "bottom-up");
	gtk_widget_class_install_property_action(class, "views.lanes", "lanes");
	gtk_widget_class_install_property_action(class, "views.heat-map", "heat-map");
	gtk_widget_class_install_action(class, "views.fold", NULL, on_fold);
	gtk_widget_class_install_action(class, "views.stop-comparing", NULL, on_stop_comparing);
	gtk_widget_class_install_property_action(class, "views.thread-lanes", "thread-lanes");
	gtk_widget_class_install_action(class, "views.undo", NULL, on_step);
	gtk_widget_class_install_action(class, "views.redo", NULL, on_step);
	gtk_widget_class_install_action(class, "views.everything", NULL, on_everything);
	gtk_widget_class_install_action(class, "views.remove", "u", on_remove);
	gtk_widget_class_install_action(class, "views.only", "u", views_on_only);
	gtk_widget_class_install_action(class, "views.only-mark", "(sstt)", views_on_only);
	gtk_widget_class_install_action(class, "views.only-time", "(tt)", on_only_time);
	gtk_widget_class_install_action(class, "views.show-function", "(su)", views_go_to);
	gtk_widget_class_install_action(class, "views.copy", "s", spt_view_copy);
	gtk_widget_class_install_action(class, "views.metric", "s", on_choose_metric);
	gtk_widget_class_install_action(class, "views.go-to-moment", "(ut)", on_go_to_moment);
	gtk_widget_class_install_action(class, "views.hide", "u", on_shape);
	gtk_widget_class_install_action(class, "views.begin-at", "u", on_shape);
	gtk_widget_class_install_action(class, "views.only-selected", NULL, views_on_selected);
	gtk_widget_class_install_action(class, "views.hide-selected", NULL, views_on_selected);
	gtk_widget_class_install_action(class, "views.begin-at-selected", NULL, views_on_selected);
	gtk_widget_class_install_action(class, "views.focus-page", NULL, on_focus_page);
	gtk_widget_class_install_action(class, "views.only-side", "u", views_on_only);
}

static void spt_views_class_init(SptViewsClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_TIMELINE_VIEW);
	g_type_ensure(SPT_TYPE_CRUMBS);
	g_type_ensure(SPT_TYPE_HEAT_VIEW);
	g_type_ensure(SPT_TYPE_LANES_PANE);
	G_OBJECT_CLASS(class)->dispose = views_dispose;
	G_OBJECT_CLASS(class)->finalize = views_finalize;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(widget_class,
						    "/io/github/sysprof_trace/Sysprof/views.ui");
	gtk_widget_class_bind_template_child(widget_class, SptViews, words);
	gtk_widget_class_bind_template_child(widget_class, SptViews, again);
	gtk_widget_class_bind_template_child(widget_class, SptViews, metric);
	gtk_widget_class_bind_template_child(widget_class, SptViews, roots);
	gtk_widget_class_bind_template_child(widget_class, SptViews, split);
	gtk_widget_class_bind_template_child(widget_class, SptViews, timeline);
	gtk_widget_class_bind_template_child(widget_class, SptViews, crumbs);
	gtk_widget_class_bind_template_child(widget_class, SptViews, heat);
	gtk_widget_class_bind_template_child(widget_class, SptViews, lanes_pane);
	gtk_widget_class_bind_template_child(widget_class, SptViews, stack);
	gtk_widget_class_bind_template_child(widget_class, SptViews, top);
	gtk_widget_class_bind_template_child(widget_class, SptViews, title_row);
	gtk_widget_class_bind_template_child(widget_class, SptViews, title);
	gtk_widget_class_bind_template_child(widget_class, SptViews, origin);
	gtk_widget_class_bind_template_callback(widget_class, spt_record_again);
	gtk_widget_class_bind_template_callback(widget_class, on_metric);
	gtk_widget_class_bind_template_callback(widget_class, views_on_range);
	gtk_widget_class_bind_template_callback(widget_class, views_add);
	install_properties(G_OBJECT_CLASS(class));
	install_actions(widget_class);
}

static void connect(SptViews *self, gpointer page, const char *signal, GCallback func)
{
	g_signal_connect_object(page, signal, func, self, G_CONNECT_SWAPPED);
}

static void add_pages(SptViews *self)
{
	self->pages = spt_shown_pages_new(self->stack);
	self->panes = SPT_PANES(spt_shown_pages_get(self->pages, "functions"));
	self->flame = SPT_FLAME_PANE(spt_shown_pages_get(self->pages, "flame"));
	self->compare = SPT_COMPARE_PANE(spt_shown_pages_get(self->pages, "compare"));
	connect(self, self->panes, "function-selected", G_CALLBACK(views_on_function_selected));
	connect(self, self->panes, "way-selected", G_CALLBACK(views_on_way_selected));
	connect(self, self->flame, "function-activated", G_CALLBACK(views_on_function_activated));
}

static void spt_views_init(SptViews *self)
{
	GtkScrolledWindow *scroller;

	self->query = spt_query_new(GTK_WIDGET(self), &document_query);
	self->history = g_ptr_array_new_with_free_func((GDestroyNotify)spt_restrictions_unref);
	self->lanes = SPT_GROUP_CPU;
	gtk_widget_init_template(GTK_WIDGET(self));
	spt_compat_aligned(self->words, false);
	add_pages(self);
	spt_split_fit(self->split, "timeline-height");
	spt_narrow_stack(self->top);
	spt_narrow_show(self->title_row, false);
	scroller = GTK_SCROLLED_WINDOW(
		gtk_widget_get_ancestor(GTK_WIDGET(self->timeline), GTK_TYPE_SCROLLED_WINDOW));
	spt_narrow_limit_height(scroller);
	spt_timeline_view_set_room(self->timeline, gtk_scrolled_window_get_vadjustment(scroller));
	spt_lanes_view_set_axis(spt_lanes_pane_view(self->lanes_pane),
				spt_timeline_view_axis(self->timeline));
	spt_flame_pane_set_axis(self->flame, spt_timeline_view_axis(self->timeline));
	spt_heat_view_set_axis(self->heat, spt_timeline_view_axis(self->timeline));
	g_signal_connect_object(self->lanes_pane, "notify::visible", G_CALLBACK(on_lanes_visible),
				self, G_CONNECT_SWAPPED);
	gtk_widget_add_controller(GTK_WIDGET(self), spt_view_keys_new());
	spt_preferences_watch(self, G_CALLBACK(on_rules_changed));
	views_set_actions(self);
}

void spt_views_set_document(SptViews *self, SptDocument *document)
{
	g_ptr_array_set_size(self->history, 0);
	/* A recording that is opened as a part has all of it behind it. */
	if (spt_restrictions_n(document->look.restrictions))
		g_ptr_array_add(self->history, spt_restrictions_new());
	g_ptr_array_add(self->history, spt_restrictions_ref(document->look.restrictions));
	self->at = self->history->len - 1;
	spt_query_cancel(self->query);
	g_clear_pointer(&self->wanted.restrictions, spt_restrictions_unref);
	self->wanted.restrictions = spt_restrictions_ref(document->look.restrictions);
	self->wanted.arrangement.categories = document->look.arrangement.categories;
	want_metric(self, document, document->look.metric);
	spt_metrics_offer(self->metric, document);
	spt_metrics_choose(self->metric, document, document->look.metric->name);
	views_set_actions(self);
	views_show(self, document, NULL);
	/* In the arrangement of the last one. */
	if (self->wanted.is_bottom_up || self->wanted.arrangement.roots ||
	    self->wanted.arrangement.hides_system)
		views_ask(self);
}

void spt_views_focus_search(SptViews *self)
{
	GtkWidget *seen;
	const SptPage *page = spt_shown_pages_seen(self->pages, &seen);

	if (page->focus_search)
		page->focus_search(seen);
	else
		spt_panes_focus_search(self->panes);
}

void spt_views_set_title(SptViews *self, const char *name, const char *origin)
{
	gtk_label_set_text(GTK_LABEL(self->title), name);
	gtk_label_set_text(GTK_LABEL(self->origin), origin);
}

void spt_views_show(SptViews *self, const char *name)
{
	spt_shown_pages_show(self->pages, name);
}

void spt_views_compare(SptViews *self, SptDocument *before, const char *name)
{
	spt_compare_pane_set_before(self->compare, before, name);
	spt_shown_pages_set_mode(self->pages, "compare", true);
	spt_views_show(self, "compare");
}

const uint32_t *spt_views_list(SptViews *self, uint32_t *ret_n)
{
	spt_shown_pages_get(self->pages, "functions");
	return spt_panes_list(self->panes, ret_n);
}

GtkWidget *spt_views_picture(SptViews *self)
{
	GtkWidget *seen;
	const SptPage *page = spt_shown_pages_seen(self->pages, &seen);

	if (page->picture)
		return page->picture(seen);
	if (gtk_widget_get_mapped(GTK_WIDGET(self->lanes_pane)))
		return GTK_WIDGET(self->lanes_pane);
	spt_shown_pages_get(self->pages, "flame");
	return spt_flame_pane_picture(self->flame);
}

AdwViewStack *spt_views_stack(SptViews *self)
{
	return self->stack;
}

SptDocument *spt_views_document(SptViews *self)
{
	return self->shown;
}
