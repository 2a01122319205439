/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects the panes.  Drawing all of them anew is too much for one frame: functions, and the
 * surroundings of the selected one, take turns.  That is so while the user drags, too, and
 * documents come quickly.
 */
#include "panes.h"

#include <glib/gi18n.h>

#include "callers.h"
#include "descendants.h"
#include "functions.h"
#include "narrow.h"
#include "pages.h"
#include "query.h"
#include "split.h"

#define LEAST_SPEED 200 /* of a swipe, pixels a second */
/* Of the height, before the callers get more than a row; and pixels at least: five rows. */
#define FUNCTIONS_SHARE 0.62
#define FUNCTIONS_LEAST 176

struct _SptPanes {
	GtkWidget parent_instance;
	/* In a narrow window one of the panes is visible, and buttons choose it. */
	GtkWidget *choice, *choose_functions, *choose_callers, *choose_descendants, *left, *across;
	SptFunctions *functions;
	SptCallers *callers;
	SptDescendants *descendants;
	SptDocument *document;
	uint32_t wanted;		/* function */
	uint32_t wanted_top_down;	/* selection before the tree went bottom-up */
	SptQuery *query;
	SptSurroundings *expected;	/* in the next document; or NULL */
	/* For the document to be shown in the next frame; NULL: shown, or being computed */
	SptSurroundings *surroundings;
	/*
	 * The last document that came while these waited, and the surroundings of the function in
	 * it.
	 */
	SptDocument *next_document;
	SptSurroundings *next_surroundings;
	unsigned tick;
	bool is_first_tick; /* the functions were shown in the present frame */
};

G_DEFINE_FINAL_TYPE(SptPanes, spt_panes, GTK_TYPE_WIDGET)

static unsigned function_selected, way_selected;

static void show_surroundings(SptPanes *self, SptSurroundings *surroundings)
{
	spt_callers_show(self->callers, self->document, surroundings->function,
			 surroundings->callers);
	spt_descendants_show(self->descendants, self->document, surroundings->function,
			     surroundings->descendants);
	spt_surroundings_free(surroundings);
}

static gpointer panes_find(SptDocument *document, gconstpointer function)
{
	return spt_document_surround(document, GPOINTER_TO_UINT(function));
}

static void show_found(gpointer owner, gpointer surroundings)
{
	show_surroundings(owner, surroundings);
}

static const SptQueryKind surroundings_query = {
	.answer = panes_find,
	.show = show_found,
	.free_answer = (GDestroyNotify)spt_surroundings_free,
};

/* Nothing waits for its turn any more. */
static void end_turns(SptPanes *self)
{
	if (self->tick)
		gtk_widget_remove_tick_callback(GTK_WIDGET(self), self->tick);
	self->tick = 0;
	g_clear_pointer(&self->surroundings, spt_surroundings_free);
	g_clear_pointer(&self->next_document, spt_document_unref);
	g_clear_pointer(&self->next_surroundings, spt_surroundings_free);
}

/* Takes over @document. */
static void panes_show_functions(SptPanes *self, SptDocument *document)
{
	spt_query_cancel(self->query);
	g_clear_pointer(&self->document, spt_document_unref);
	self->document = document;
	spt_functions_set_document(self->functions, document);
}

static gboolean panes_on_frame(GtkWidget *widget, G_GNUC_UNUSED GdkFrameClock *clock,
			       G_GNUC_UNUSED gpointer data)
{
	SptPanes *self = SPT_PANES(widget);

	if (self->is_first_tick) {
		self->is_first_tick = false;
		return G_SOURCE_CONTINUE;
	}
	if (!self->surroundings) {
		panes_show_functions(self, g_steal_pointer(&self->next_document));
		self->surroundings = g_steal_pointer(&self->next_surroundings);
		return G_SOURCE_CONTINUE;
	}
	show_surroundings(self, g_steal_pointer(&self->surroundings));
	if (self->next_document)
		return G_SOURCE_CONTINUE;
	self->tick = 0;
	return G_SOURCE_REMOVE;
}

static void panes_on_function_selected(G_GNUC_UNUSED SptFunctions *functions, unsigned function,
				       SptPanes *self)
{
	self->wanted = function;
	g_signal_emit(self, function_selected, 0, function);
	spt_query_ask(self->query, self->document, GUINT_TO_POINTER(function), NULL);
}

static void on_function_opened(SptPanes *self, unsigned function)
{
	gtk_widget_activate_action(GTK_WIDGET(self), "views.show-function", "(su)", "source",
				   function);
}

static void panes_on_function_activated(G_GNUC_UNUSED SptPane *pane, unsigned function,
					SptPanes *self)
{
	spt_functions_select(self->functions, function);
}

static void panes_on_way_selected(G_GNUC_UNUSED SptDescendants *descendants, GArray *way,
				  SptPanes *self)
{
	g_signal_emit(self, way_selected, 0, way);
}

static gboolean is_chosen(GtkWidget *button)
{
	return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(button));
}

static void panes_arrange(SptPanes *self)
{
	bool has_choice = gtk_widget_get_visible(self->choice);

	gtk_widget_set_visible(GTK_WIDGET(self->functions),
			       !has_choice || is_chosen(self->choose_functions));
	gtk_widget_set_visible(GTK_WIDGET(self->callers),
			       !has_choice || is_chosen(self->choose_callers));
	gtk_widget_set_visible(self->left, !has_choice || !is_chosen(self->choose_descendants));
	gtk_widget_set_visible(GTK_WIDGET(self->descendants),
			       !has_choice || is_chosen(self->choose_descendants));
}

/* To the pane beside the visible one, in a narrow window. */
static void on_swiped(SptPanes *self, double speed, double speed_down)
{
	GtkWidget *const buttons[] = { self->choose_functions, self->choose_callers,
				       self->choose_descendants };
	bool is_forward = (speed < 0) ==
			  (gtk_widget_get_direction(GTK_WIDGET(self)) != GTK_TEXT_DIR_RTL);
	unsigned at = 0, n = G_N_ELEMENTS(buttons);

	if (!gtk_widget_get_visible(self->choice) || ABS(speed) < LEAST_SPEED ||
	    ABS(speed) < 2 * ABS(speed_down))
		return;
	while (at + 1 < n && !is_chosen(buttons[at]))
		at++;
	at = is_forward ? MIN(at + 1, n - 1) : MAX(at, 1) - 1;
	gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(buttons[at]), TRUE);
}

static gboolean panes_on_escape(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
				G_GNUC_UNUSED gpointer data)
{
	SptPanes *self = SPT_PANES(widget);

	if (self->document)
		spt_functions_step_back(self->functions);
	return TRUE;
}

static void panes_dispose(GObject *object)
{
	SptPanes *self = SPT_PANES(object);
	GtkWidget *child;

	end_turns(self);
	spt_panes_expect(self, NULL);
	g_clear_pointer(&self->query, spt_query_free);
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
	G_OBJECT_CLASS(class)->dispose = panes_dispose;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(widget_class,
						    "/io/github/sysprof_trace/Sysprof/panes.ui");
	gtk_widget_class_bind_template_child(widget_class, SptPanes, choice);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, choose_functions);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, choose_callers);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, choose_descendants);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, left);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, across);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, functions);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, callers);
	gtk_widget_class_bind_template_child(widget_class, SptPanes, descendants);
	gtk_widget_class_bind_template_callback(widget_class, panes_arrange);
	gtk_widget_class_bind_template_callback(widget_class, panes_on_function_selected);
	gtk_widget_class_bind_template_callback(widget_class, panes_on_function_activated);
	gtk_widget_class_bind_template_callback(widget_class, on_function_opened);
	gtk_widget_class_bind_template_callback(widget_class, panes_on_way_selected);
	gtk_widget_class_add_binding(widget_class, GDK_KEY_Escape, 0, panes_on_escape, NULL);
	function_selected = g_signal_new("function-selected", SPT_TYPE_PANES, G_SIGNAL_RUN_LAST, 0,
					 NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
	way_selected = g_signal_new("way-selected", SPT_TYPE_PANES, G_SIGNAL_RUN_LAST, 0, NULL,
				    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ARRAY);
}

static void spt_panes_init(SptPanes *self)
{
	GtkGesture *swipe = gtk_gesture_swipe_new();

	gtk_widget_init_template(GTK_WIDGET(self));
	/* Before lists, which take fingers for themselves in order to scroll. */
	gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(swipe), GTK_PHASE_CAPTURE);
	g_signal_connect_object(swipe, "swipe", G_CALLBACK(on_swiped), self, G_CONNECT_SWAPPED);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(swipe));
	self->query = spt_query_new(GTK_WIDGET(self), &surroundings_query);
	g_signal_connect_object(self->choice, "notify::visible", G_CALLBACK(panes_arrange), self,
				G_CONNECT_SWAPPED);
	spt_narrow_show(self->choice, true);
	spt_split_share(GTK_PANED(self->left), "functions-height", FUNCTIONS_SHARE,
			FUNCTIONS_LEAST);
	spt_split_keep(GTK_PANED(self->across), "functions-width");
}

/*
 * Bottom-up starts with all functions by self.  In the other direction the earlier selection is
 * restored, unless something else is selected by then.
 */
static void turn_tree(SptPanes *self, bool is_bottom_up)
{
	if (is_bottom_up) {
		self->wanted_top_down = self->wanted;
		spt_functions_select(self->functions, UINT32_MAX);
	} else if (self->wanted == UINT32_MAX) {
		spt_functions_select(self->functions, self->wanted_top_down);
	}
}

static void panes_show_document(SptPanes *self, SptDocument *document,
				SptSurroundings *surroundings)
{
	bool is_known = self->document && spt_document_is_same(self->document, document);

	end_turns(self);
	if (is_known && self->document->look.is_bottom_up != document->look.is_bottom_up)
		turn_tree(self, document->look.is_bottom_up);
	if (is_known)
		self->wanted = spt_document_translate(document, self->document, self->wanted);
	panes_show_functions(self, spt_document_ref(document));
	if (surroundings && surroundings->function != self->wanted)
		g_clear_pointer(&surroundings, spt_surroundings_free);
	if (!surroundings) {
		/* In another recording, the list has selected a function. */
		if (is_known)
			spt_query_ask(self->query, document, GUINT_TO_POINTER(self->wanted), NULL);
	} else if (gtk_widget_get_mapped(GTK_WIDGET(self))) {
		self->surroundings = surroundings;
		self->is_first_tick = true;
		self->tick =
			gtk_widget_add_tick_callback(GTK_WIDGET(self), panes_on_frame, NULL, NULL);
	} else {
		show_surroundings(self, surroundings);
	}
}

void spt_panes_expect(SptPanes *self, SptSurroundings *surroundings)
{
	g_clear_pointer(&self->expected, spt_surroundings_free);
	self->expected = surroundings;
}

static void panes_set_document(GtkWidget *page, SptDocument *document)
{
	SptPanes *self = SPT_PANES(page);
	SptSurroundings *surroundings = g_steal_pointer(&self->expected);

	if (!self->tick || !document->look.is_passing || !surroundings) {
		panes_show_document(self, document, surroundings);
		return;
	}
	g_clear_pointer(&self->next_document, spt_document_unref);
	g_clear_pointer(&self->next_surroundings, spt_surroundings_free);
	self->next_document = spt_document_ref(document);
	self->next_surroundings = surroundings;
}

void spt_panes_focus_search(SptPanes *self)
{
	spt_functions_focus_search(self->functions);
}

void spt_panes_focus_list(SptPanes *self)
{
	gtk_widget_grab_focus(GTK_WIDGET(spt_pane_view(SPT_PANE(self->functions))));
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

static GtkWidget *panes_new(void)
{
	return g_object_new(SPT_TYPE_PANES, NULL);
}

const SptPage spt_page_functions = {
	.name = "functions",
	.title = N_("Functions"),
	.key = "<Alt>1",
	.new = panes_new,
	.show_document = panes_set_document,
	.may_wait = true,
	.icon = "spt-functions-symbolic",
};
