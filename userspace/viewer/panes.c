/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ties the panes together.  What lies around a function is computed in a thread; at most one
 * question is under way, and only the last one asked meanwhile follows it, so holding down an arrow
 * key does not pile up work.
 */
#include "panes.h"

#include "callers.h"
#include "descendants.h"
#include "functions.h"

struct _SptPanes {
	GtkWidget parent_instance;
	SptFunctions *functions;
	SptCallers *callers;
	SptDescendants *descendants;
	SptDocument *document;
	uint32_t wanted;		/* function */
	/* Stale: the question under way is no longer the one to be answered */
	bool is_asking, is_stale;
	SptSurroundings *answer;	/* NULL or what is to be shown after */
	unsigned frames;
};

G_DEFINE_FINAL_TYPE(SptPanes, spt_panes, GTK_TYPE_WIDGET)

static unsigned function_selected, way_selected;

static void ask(SptPanes *self);

static void show_answer(SptPanes *self, SptSurroundings *answer)
{
	self->is_asking = false;
	if (!self->document)
		return;
	if (self->is_stale) {
		ask(self);
		return;
	}
	spt_callers_show(self->callers, self->document, self->wanted, answer->callers);
	spt_descendants_show(self->descendants, self->document, self->wanted, answer->descendants);
}

/* Called in the frame that is under way first. */
static gboolean on_frame(GtkWidget *widget, G_GNUC_UNUSED GdkFrameClock *clock,
			 G_GNUC_UNUSED gpointer data)
{
	SptPanes *self = SPT_PANES(widget);
	g_autoptr(SptSurroundings) answer = NULL;

	if (self->frames--)
		return G_SOURCE_CONTINUE;
	answer = g_steal_pointer(&self->answer);
	show_answer(self, answer);
	return G_SOURCE_REMOVE;
}

/*
 * While the user is still at it, in the frame after that of the functions: both together are much
 * for one.
 */
static void on_answer(G_GNUC_UNUSED GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(SptPanes) self = data;
	g_autoptr(SptSurroundings) answer = spt_document_surround_finish(result);

	if (!self->document || !self->document->look.is_passing ||
	    !gtk_widget_get_mapped(GTK_WIDGET(self))) {
		show_answer(self, answer);
		return;
	}
	self->answer = g_steal_pointer(&answer);
	self->frames = 1;
	gtk_widget_add_tick_callback(GTK_WIDGET(self), on_frame, NULL, NULL);
}

static void ask(SptPanes *self)
{
	self->is_stale = self->is_asking;
	if (self->is_asking)
		return;
	self->is_asking = true;
	spt_document_surround_async(self->document, self->wanted, on_answer, g_object_ref(self));
}

static void on_function_selected(G_GNUC_UNUSED SptFunctions *functions, unsigned function,
				 SptPanes *self)
{
	self->wanted = function;
	g_signal_emit(self, function_selected, 0, function);
	ask(self);
}

static void on_function_activated(G_GNUC_UNUSED SptPane *pane, unsigned function, SptPanes *self)
{
	spt_functions_select(self->functions, function);
}

static void on_way_selected(G_GNUC_UNUSED SptDescendants *descendants, GArray *way, SptPanes *self)
{
	g_signal_emit(self, way_selected, 0, way);
}

static gboolean on_escape(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
			  G_GNUC_UNUSED gpointer data)
{
	SptPanes *self = SPT_PANES(widget);

	if (self->document)
		spt_functions_step_back(self->functions);
	return TRUE;
}

static void dispose(GObject *object)
{
	SptPanes *self = SPT_PANES(object);
	GtkWidget *child;

	g_clear_pointer(&self->answer, spt_surroundings_free);
	g_clear_pointer(&self->document, spt_document_unref);
	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_PANES);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_panes_parent_class)->dispose(object);
}

static void spt_panes_class_init(SptPanesClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_FUNCTIONS);
	g_type_ensure(SPT_TYPE_CALLERS);
	g_type_ensure(SPT_TYPE_DESCENDANTS);
	G_OBJECT_CLASS(class)->dispose = dispose;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(widget_class,
						    "/io/github/sysprof_trace/Sysprof/panes.ui");
	gtk_widget_class_bind_template_child(widget_class, SptPanes, functions);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, callers);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, descendants);
	gtk_widget_class_bind_template_callback(widget_class, on_function_selected);
	gtk_widget_class_bind_template_callback(widget_class, on_function_activated);
	gtk_widget_class_bind_template_callback(widget_class, on_way_selected);
	gtk_widget_class_add_binding(widget_class, GDK_KEY_Escape, 0, on_escape, NULL);
	function_selected = g_signal_new("function-selected", SPT_TYPE_PANES, G_SIGNAL_RUN_LAST, 0,
					 NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
	way_selected = g_signal_new("way-selected", SPT_TYPE_PANES, G_SIGNAL_RUN_LAST, 0, NULL,
				    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ARRAY);
}

static void spt_panes_init(SptPanes *self)
{
	gtk_widget_init_template(GTK_WIDGET(self));
}

void spt_panes_set_document(SptPanes *self, SptDocument *document)
{
	bool is_known = self->document && spt_document_is_same(self->document, document);

	if (is_known)
		self->wanted = spt_document_translate(document, self->document, self->wanted);
	spt_document_ref(document);
	g_clear_pointer(&self->document, spt_document_unref);
	self->document = document;
	spt_functions_set_document(self->functions, document);
	if (is_known)
		ask(self);
}

void spt_panes_focus_search(SptPanes *self)
{
	spt_functions_focus_search(self->functions);
}

void spt_panes_select(SptPanes *self, uint32_t function)
{
	spt_functions_select(self->functions, function);
}

const uint32_t *spt_panes_list(SptPanes *self, uint32_t *ret_n)
{
	return spt_functions_list(self->functions, ret_n);
}

uint32_t spt_panes_selected(SptPanes *self)
{
	return self->wanted;
}
