/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every view shows the same document: the recording, or the part of it that the last of a history of restrictions leaves.  Parts are
 * computed in a thread; at most one is under way, and only the last one wanted meanwhile follows it, so that
 * dragging in the timeline does not pile up work.
 */
#include "views.h"

#include <string.h>

#include "crumbs.h"
#include "flame-pane.h"
#include "panes.h"
#include "text.h"
#include "timeline-view.h"

struct _SptViews {
	GtkWidget parent_instance;
	GtkWidget *words;
	SptTimelineView *timeline;
	SptCrumbs *crumbs;
	GtkStack *stack;
	SptPanes *panes;
	SptFlamePane *flame;
	SptDocument *whole, *shown;
	GPtrArray *history;		/* SptRestrictions */
	unsigned at;			/* of it */
	SptRestrictions *wanted;	/* not in the history while the user is still at it */
	bool is_asking, is_stale;
};

G_DEFINE_FINAL_TYPE(SptViews, spt_views, GTK_TYPE_WIDGET)

static void show_document(SptViews *self, SptDocument *document)
{
	g_autofree char *made = NULL;

	spt_document_ref(document);
	g_clear_pointer(&self->shown, spt_document_unref);
	self->shown = document;
	gtk_label_set_text(GTK_LABEL(self->words), spt_text_name(document->words, &made));
	spt_timeline_view_set_document(self->timeline, document);
	spt_crumbs_show(self->crumbs, document);
	spt_panes_set_document(self->panes, document);
	spt_flame_pane_set_document(self->flame, document);
}

static void set_actions(SptViews *self)
{
	GtkWidget *widget = GTK_WIDGET(self);

	gtk_widget_action_set_enabled(widget, "views.undo", self->at > 0);
	gtk_widget_action_set_enabled(widget, "views.redo", self->at + 1 < self->history->len);
	gtk_widget_action_set_enabled(widget, "views.everything", self->wanted && spt_restrictions_n(self->wanted) > 0);
}

static void ask(SptViews *self);

static void on_answer(G_GNUC_UNUSED GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(SptViews) self = data;
	g_autoptr(SptDocument) document = spt_document_restrict_finish(result);

	self->is_asking = false;
	/* Closed meanwhile, or another recording was opened. */
	if (!self->whole)
		return;
	if (spt_document_is_same(document, self->whole))
		show_document(self, document);
	if (self->is_stale)
		ask(self);
}

static void ask(SptViews *self)
{
	self->is_stale = self->is_asking;
	if (self->is_asking)
		return;
	self->is_asking = true;
	spt_document_restrict_async(self->whole, self->wanted, on_answer, g_object_ref(self));
}

static void want(SptViews *self, SptRestrictions *restrictions)
{
	spt_restrictions_ref(restrictions);
	g_clear_pointer(&self->wanted, spt_restrictions_unref);
	self->wanted = restrictions;
	set_actions(self);
	ask(self);
}

/* What comes to stand in the history, unless the user is still at it.  Takes over @restrictions. */
static void restrict_to(SptViews *self, SptRestrictions *restrictions, bool is_final)
{
	if (is_final) {
		g_ptr_array_set_size(self->history, (int)self->at + 1);
		g_ptr_array_add(self->history, spt_restrictions_ref(restrictions));
		self->at++;
	}
	want(self, restrictions);
	spt_restrictions_unref(restrictions);
}

static const SptRestrictions *present(SptViews *self)
{
	return self->history->pdata[self->at];
}

static void add(SptViews *self, const SptRestriction *restriction)
{
	restrict_to(self, spt_restrictions_add(present(self), restriction), true);
}

static void on_range(SptViews *self, guint64 begin_ns, guint64 end_ns, gboolean is_final)
{
	const SptRestriction range = { .kind = SPT_RESTRICT_TIME, .begin_ns = begin_ns, .end_ns = end_ns };

	if (end_ns)
		restrict_to(self, spt_restrictions_add(present(self), &range), is_final);
	else if (spt_restrictions_find(present(self), SPT_RESTRICT_TIME))
		restrict_to(self, spt_restrictions_without(present(self), SPT_RESTRICT_TIME), is_final);
}

static void on_cpu(SptViews *self, unsigned cpu)
{
	add(self, &(SptRestriction){ .kind = SPT_RESTRICT_CPU, .number = cpu });
}

static void on_function_activated(SptViews *self, unsigned function)
{
	spt_views_show(self, "functions");
	spt_panes_select(self->panes, function);
}

/* Actions. */

static void on_undo(GtkWidget *widget, G_GNUC_UNUSED const char *action, G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *self = SPT_VIEWS(widget);

	want(self, self->history->pdata[--self->at]);
}

static void on_redo(GtkWidget *widget, G_GNUC_UNUSED const char *action, G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *self = SPT_VIEWS(widget);

	want(self, self->history->pdata[++self->at]);
}

static void on_everything(GtkWidget *widget, G_GNUC_UNUSED const char *action, G_GNUC_UNUSED GVariant *parameter)
{
	restrict_to(SPT_VIEWS(widget), spt_restrictions_new(), true);
}

static void on_remove(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *index)
{
	SptViews *self = SPT_VIEWS(widget);

	restrict_to(self, spt_restrictions_remove(present(self), g_variant_get_uint32(index)), true);
}

static void on_only(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *function)
{
	SptViews *self = SPT_VIEWS(widget);
	uint32_t at = g_variant_get_uint32(function);
	const SptFunction *only = at < self->whole->n_functions ? &self->whole->functions[at] : NULL;

	if (only)
		add(self, &(SptRestriction){ .kind = only->is_process ? SPT_RESTRICT_PROCESS : SPT_RESTRICT_FUNCTION,
					     .text = only->name });
}

static void on_only_selected(GtkWidget *widget, G_GNUC_UNUSED const char *action, G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *self = SPT_VIEWS(widget);
	bool is_flame = strcmp(gtk_stack_get_visible_child_name(self->stack), "flame") == 0;
	uint32_t function = is_flame ? spt_flame_pane_selected(self->flame) : spt_panes_selected(self->panes);

	if (function != UINT32_MAX)
		gtk_widget_activate_action(widget, "views.only", "u", function);
}

static void on_only_side(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *side)
{
	add(SPT_VIEWS(widget), &(SptRestriction){ .kind = SPT_RESTRICT_SIDE, .number = g_variant_get_uint32(side) });
}

static void on_copy(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *text)
{
	gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), g_variant_get_string(text, NULL));
}

/* Life. */

static void dispose(GObject *object)
{
	SptViews *self = SPT_VIEWS(object);
	GtkWidget *child;

	g_clear_pointer(&self->wanted, spt_restrictions_unref);
	g_clear_pointer(&self->shown, spt_document_unref);
	g_clear_pointer(&self->whole, spt_document_unref);
	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_VIEWS);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_views_parent_class)->dispose(object);
}

static void finalize(GObject *object)
{
	g_ptr_array_unref(SPT_VIEWS(object)->history);
	G_OBJECT_CLASS(spt_views_parent_class)->finalize(object);
}

static void install_actions(GtkWidgetClass *class)
{
	gtk_widget_class_install_action(class, "views.undo", NULL, on_undo);
	gtk_widget_class_install_action(class, "views.redo", NULL, on_redo);
	gtk_widget_class_install_action(class, "views.everything", NULL, on_everything);
	gtk_widget_class_install_action(class, "views.remove", "u", on_remove);
	gtk_widget_class_install_action(class, "views.only", "u", on_only);
	gtk_widget_class_install_action(class, "views.copy", "s", on_copy);
	gtk_widget_class_install_action(class, "views.only-selected", NULL, on_only_selected);
	gtk_widget_class_install_action(class, "views.only-side", "u", on_only_side);
}

static void spt_views_class_init(SptViewsClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_TIMELINE_VIEW);
	g_type_ensure(SPT_TYPE_CRUMBS);
	g_type_ensure(SPT_TYPE_PANES);
	g_type_ensure(SPT_TYPE_FLAME_PANE);
	G_OBJECT_CLASS(class)->dispose = dispose;
	G_OBJECT_CLASS(class)->finalize = finalize;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(widget_class, "/io/github/sysprof_trace/Sysprof/views.ui");
	gtk_widget_class_bind_template_child(widget_class, SptViews, words);
	gtk_widget_class_bind_template_child(widget_class, SptViews, timeline);
	gtk_widget_class_bind_template_child(widget_class, SptViews, crumbs);
	gtk_widget_class_bind_template_child(widget_class, SptViews, stack);
	gtk_widget_class_bind_template_child(widget_class, SptViews, panes);
	gtk_widget_class_bind_template_child(widget_class, SptViews, flame);
	gtk_widget_class_bind_template_callback(widget_class, on_range);
	gtk_widget_class_bind_template_callback(widget_class, on_cpu);
	gtk_widget_class_bind_template_callback(widget_class, on_function_activated);
	install_actions(widget_class);
}

static void add_key(GtkEventController *keys, guint key, GdkModifierType modifiers, const char *action)
{
	gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
					     gtk_shortcut_new(gtk_keyval_trigger_new(key, modifiers), gtk_named_action_new(action)));
}

static void spt_views_init(SptViews *self)
{
	GtkEventController *keys = gtk_shortcut_controller_new();

	self->history = g_ptr_array_new_with_free_func((GDestroyNotify)spt_restrictions_unref);
	gtk_widget_init_template(GTK_WIDGET(self));
	/* Wherever in the window the keyboard is. */
	gtk_shortcut_controller_set_scope(GTK_SHORTCUT_CONTROLLER(keys), GTK_SHORTCUT_SCOPE_GLOBAL);
	add_key(keys, GDK_KEY_z, GDK_CONTROL_MASK, "views.undo");
	add_key(keys, GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "views.redo");
	add_key(keys, GDK_KEY_e, GDK_CONTROL_MASK, "views.only-selected");
	add_key(keys, GDK_KEY_e, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "views.everything");
	gtk_widget_add_controller(GTK_WIDGET(self), keys);
	set_actions(self);
}

void spt_views_set_document(SptViews *self, SptDocument *document)
{
	spt_document_ref(document);
	g_clear_pointer(&self->whole, spt_document_unref);
	self->whole = document;
	g_ptr_array_set_size(self->history, 0);
	g_ptr_array_add(self->history, spt_restrictions_ref(document->restrictions));
	self->at = 0;
	self->is_stale = false;
	g_clear_pointer(&self->wanted, spt_restrictions_unref);
	self->wanted = spt_restrictions_ref(document->restrictions);
	set_actions(self);
	show_document(self, document);
}

void spt_views_focus_search(SptViews *self)
{
	if (strcmp(gtk_stack_get_visible_child_name(self->stack), "flame") == 0)
		spt_flame_pane_focus_search(self->flame);
	else
		spt_panes_focus_search(self->panes);
}

void spt_views_show(SptViews *self, const char *name)
{
	gtk_stack_set_visible_child_name(self->stack, name);
	gtk_widget_child_focus(gtk_stack_get_visible_child(self->stack), GTK_DIR_TAB_FORWARD);
}

GtkStack *spt_views_stack(SptViews *self)
{
	return self->stack;
}

SptDocument *spt_views_document(SptViews *self)
{
	return self->shown;
}
