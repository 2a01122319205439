/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boxes are laid out anew when another one is zoomed to.  Boxes that would be narrower than a
 * pixel of a wide window are not drawn, and more when there are too many for one picture.
 */
#include "flame-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "flame-draw.h"
#include "text.h"

#define MAX_BOXES 5000
#define MIN_SHARE (1.0 / 2000)
#define NONE UINT32_MAX
/* Of a percentage: less is nothing, and has no sign. */
#define LEAST_CHANGE 0.005

struct _SptFlameView {
	GtkWidget parent_instance;
	SptCallTree *calls;
	GArray *nodes;			/* SptTreeNode */
	GArray *boxes;			/* SptFlameBox; NULL: to be laid out */
	bool *matches;
	uint32_t zoomed, selected, hovered;
	int row_height;
	bool is_upward;
};

G_DEFINE_FINAL_TYPE(SptFlameView, spt_flame_view, GTK_TYPE_WIDGET)

static unsigned changed, menu, function_activated;

static const SptTreeNode *node_at(const SptFlameView *self, uint32_t node)
{
	return &g_array_index(self->nodes, SptTreeNode, node);
}

static uint32_t flame_view_depth_of(const SptFlameView *self, uint32_t node)
{
	uint32_t depth = 0;

	for (; node != 0; node = node_at(self, node)->parent)
		depth++;
	return depth;
}

static SptFlameDrawing flame_view_drawing_of(SptFlameView *self)
{
	GtkWidget *scrolled = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
	GtkAdjustment *adjustment =
		scrolled ? gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled)) :
			   NULL;
	double top = adjustment ? gtk_adjustment_get_value(adjustment) : 0;

	return (SptFlameDrawing){
		.widget = GTK_WIDGET(self),
		.functions = self->calls->functions,
		.nodes = node_at(self, 0),
		.boxes = self->boxes,
		.weight = node_at(self, self->zoomed)->total,
		.zoomed_depth = flame_view_depth_of(self, self->zoomed),
		.selected = self->selected,
		.hovered = self->hovered,
		.matches = self->matches,
		.categories = spt_flame_categories(self->calls),
		.is_bottom_up = self->calls->is_bottom_up,
		.changes = self->calls->differences ?
				   (const double *)self->calls->differences->changes->data :
				   NULL,
		.is_upward = self->is_upward,
		.top = top,
		.bottom = adjustment ? top + gtk_adjustment_get_page_size(adjustment) :
				       gtk_widget_get_height(GTK_WIDGET(self)),
		.row_height = self->row_height,
	};
}

static void flame_view_lay_out(SptFlameView *self)
{
	double share = MIN_SHARE;

	if (!self->nodes || self->boxes)
		return;
	do {
		g_clear_pointer(&self->boxes, g_array_unref);
		self->boxes = spt_flame_layout_focus(node_at(self, 0), self->zoomed, share);
		share *= 2;
	} while (self->boxes->len > MAX_BOXES);
}

static void lay_out_anew(SptFlameView *self)
{
	g_clear_pointer(&self->boxes, g_array_unref);
	gtk_widget_queue_resize(GTK_WIDGET(self));
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static uint32_t flame_view_rows_of(SptFlameView *self)
{
	flame_view_lay_out(self);
	return self->boxes && self->boxes->len ?
		       g_array_index(self->boxes, SptFlameBox, self->boxes->len - 1).depth + 1 :
		       0;
}

static void flame_view_measure(GtkWidget *widget, GtkOrientation orientation,
			       G_GNUC_UNUSED int for_size, int *minimum, int *natural,
			       G_GNUC_UNUSED int *minimum_baseline,
			       G_GNUC_UNUSED int *natural_baseline)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);

	*minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ?
				      100 :
				      (int)flame_view_rows_of(self) * self->row_height;
}

static void flame_view_snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);
	SptFlameDrawing drawing;

	if (!self->nodes)
		return;
	flame_view_lay_out(self);
	drawing = flame_view_drawing_of(self);
	spt_flame_draw(&drawing, snapshot);
}

static const SptFlameBox *flame_view_box_near(SptFlameView *self, double x, double y)
{
	SptFlameDrawing drawing;

	if (!self->nodes)
		return NULL;
	flame_view_lay_out(self);
	drawing = flame_view_drawing_of(self);
	return spt_flame_box_near(&drawing, x, y);
}

/* For several in one box there is no single target, only their caller. */
static uint32_t node_near(SptFlameView *self, double x, double y)
{
	const SptFlameBox *box = flame_view_box_near(self, x, y);

	if (!box)
		return NONE;
	return box->n_more ? node_at(self, box->node)->parent : box->node;
}

static const SptFlameBox *box_of(SptFlameView *self, uint32_t node)
{
	flame_view_lay_out(self);
	for (unsigned i = 0; i < self->boxes->len; i++) {
		const SptFlameBox *box = &g_array_index(self->boxes, SptFlameBox, i);

		if (box->node == node && !box->n_more)
			return box;
	}
	return NULL;
}

/* Where colours are those of categories, the category of a function's box; else NULL. */
static const char *category_of_box(const SptFlameView *self, uint32_t at)
{
	const uint32_t *categories = spt_flame_categories(self->calls);
	const SptTreeNode *node = node_at(self, at);

	if (!categories || node->function == NONE ||
	    self->calls->functions[node->function].is_process)
		return NULL;
	return spt_category_name(self->calls->categories,
				 spt_flame_category(categories,
						    (const SptTreeNode *)self->calls->tree->data,
						    at, self->calls->is_bottom_up));
}

char *spt_flame_view_describe(SptFlameView *self, uint32_t at)
{
	const SptTreeNode *node = node_at(self, at);
	const SptFunction *function =
		node->function == NONE ? NULL : &self->calls->functions[node->function];
	double percent = self->calls->total ? 100.0 / (double)self->calls->total : 0;
	g_autofree char *made_name = NULL, *made_object = NULL, *made_category = NULL, *text = NULL;
	const char *category = category_of_box(self, at);

	if (self->calls->differences) {
		double change =
			100 * g_array_index(self->calls->differences->changes, double, at);

		return g_strdup_printf("%s: %+.2f",
				       function ? spt_text_name(function->name, &made_name) :
						  _("All"),
				       fabs(change) < LEAST_CHANGE ? 0.0 : change);
	}
	if (!function)
		return g_strdup_printf(_("All: total %.2f %%, self %.2f %%"),
				       percent * (double)node->total, percent * (double)node->self);
	text = g_strdup_printf(_("%s (%s): total %.2f %%, self %.2f %%"),
			       spt_text_name(function->name, &made_name),
			       function->is_process ? _("process") :
						      spt_text_name(function->object, &made_object),
			       percent * (double)node->total, percent * (double)node->self);
	return category ? g_strdup_printf(_("%s, category %s"), text,
					  spt_text_name(category, &made_category)) :
			  g_steal_pointer(&text);
}

/* The picture's text for a screen reader. */
static void flame_view_tell(SptFlameView *self)
{
	uint32_t at = self->selected == NONE ? self->zoomed : self->selected;
	g_autofree char *what = spt_flame_view_describe(self, at);
	g_autofree char *text =
		g_strdup_printf(_("Flame graph, %s, depth %u of %u%s"), what,
				flame_view_depth_of(self, at), flame_view_rows_of(self) - 1,
				at != 0 && at == self->zoomed ? _(", zoomed") : "");

	gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
				       -1);
	gtk_widget_queue_draw(GTK_WIDGET(self));
	g_signal_emit(self, changed, 0);
}

static void scroll_to(SptFlameView *self, uint32_t node)
{
	GtkWidget *scrolled = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
	const SptFlameBox *box = box_of(self, node);
	SptFlameDrawing drawing = flame_view_drawing_of(self);
	graphene_rect_t area;

	if (!scrolled || !box)
		return;
	area = spt_flame_place(&drawing, box);
	gtk_adjustment_clamp_page(gtk_scrolled_window_get_vadjustment(
					  GTK_SCROLLED_WINDOW(scrolled)),
				  area.origin.y, area.origin.y + area.size.height);
}

static void select_node(SptFlameView *self, uint32_t node)
{
	self->selected = node;
	if (node != NONE)
		scroll_to(self, node);
	flame_view_tell(self);
}

void spt_flame_view_zoom(SptFlameView *self, uint32_t node)
{
	self->zoomed = node;
	self->selected = node == 0 ? NONE : node;
	lay_out_anew(self);
	flame_view_tell(self);
}

gboolean spt_flame_view_step_back(SptFlameView *self)
{
	if (!self->nodes || self->zoomed == 0)
		return FALSE;
	spt_flame_view_zoom(self, node_at(self, self->zoomed)->parent);
	return TRUE;
}

/* Keys. */

/* The heaviest child, if it is wide enough to be visible. */
static uint32_t inward(SptFlameView *self, uint32_t from)
{
	const SptTreeNode *node = node_at(self, from);
	uint32_t best = node->n_children ? node->first_child : NONE;

	/* Above the zoomed box there is one path. */
	for (uint32_t at = self->zoomed; at != 0; at = node_at(self, at)->parent) {
		if (node_at(self, at)->parent == from)
			return at;
	}
	return best != NONE && box_of(self, best) ? best : NONE;
}

static uint32_t beside(SptFlameView *self, uint32_t from, int step)
{
	const SptTreeNode *parent = node_at(self, node_at(self, from)->parent);
	uint32_t to = from + (uint32_t)step;
	bool is_sibling = from != 0 && to >= parent->first_child &&
			  to < parent->first_child + parent->n_children;

	return is_sibling && box_of(self, to) ? to : NONE;
}

static gboolean on_move(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);
	int across, along;
	uint32_t from, to = NONE;

	if (!self->nodes)
		return FALSE;
	g_variant_get(arguments, "(ii)", &across, &along);
	from = self->selected;
	if (from == NONE)
		to = self->zoomed;
	else if (across)
		to = beside(self, from, across);
	else if ((along > 0) != self->is_upward)
		to = inward(self, from);
	else if (from != 0)
		to = node_at(self, from)->parent;
	if (to != NONE)
		select_node(self, to);
	return TRUE;
}

static gboolean flame_view_on_zoom_key(GtkWidget *widget, GVariant *arguments,
				       G_GNUC_UNUSED gpointer data)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);
	int direction;

	if (!self->nodes)
		return FALSE;
	g_variant_get(arguments, "(i)", &direction);
	if (direction > 0 && self->selected != NONE)
		spt_flame_view_zoom(self, self->selected);
	else if (direction < 0)
		spt_flame_view_step_back(self);
	else if (direction == 0)
		spt_flame_view_zoom(self, 0);
	return TRUE;
}

static gboolean on_menu_key(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
			    G_GNUC_UNUSED gpointer data)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);
	const SptFlameBox *box =
		self->nodes && self->selected != NONE ? box_of(self, self->selected) : NULL;
	SptFlameDrawing drawing;
	graphene_rect_t area;

	if (!box)
		return FALSE;
	drawing = flame_view_drawing_of(self);
	area = spt_flame_place(&drawing, box);
	g_signal_emit(self, menu, 0, (double)(area.origin.x + MIN(area.size.width, 80) / 2),
		      (double)(area.origin.y + area.size.height));
	return TRUE;
}

static gboolean on_activate_key(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
				G_GNUC_UNUSED gpointer data)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);

	if (!self->nodes || self->selected == NONE ||
	    node_at(self, self->selected)->function == NONE)
		return FALSE;
	g_signal_emit(self, function_activated, 0, node_at(self, self->selected)->function);
	return TRUE;
}

/* Mouse. */

static void flame_view_on_pressed(GtkGestureClick *click, G_GNUC_UNUSED int n, double x, double y,
				  SptFlameView *self)
{
	uint32_t node = node_near(self, x, y);

	gtk_widget_grab_focus(GTK_WIDGET(self));
	if (node == NONE)
		return;
	if (gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(click)) ==
	    GDK_BUTTON_SECONDARY) {
		select_node(self, node);
		g_signal_emit(self, menu, 0, x, y);
		return;
	}
	spt_flame_view_zoom(self, node);
}

static void flame_view_on_motion(G_GNUC_UNUSED GtkEventControllerMotion *motion, double x, double y,
				 SptFlameView *self)
{
	uint32_t node = node_near(self, x, y);

	if (node == self->hovered)
		return;
	self->hovered = node;
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void on_leave(G_GNUC_UNUSED GtkEventControllerMotion *motion, SptFlameView *self)
{
	self->hovered = NONE;
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* As in the label, and how much that is. */
static char *describe_with_amount(SptFlameView *self, uint32_t at)
{
	const SptTreeNode *node = node_at(self, at);
	g_autofree char *text = spt_flame_view_describe(self, at), *total = NULL, *own = NULL,
			*amounts = NULL;

	if (self->calls->differences)
		return g_steal_pointer(&text);
	total = spt_call_tree_amount(self->calls, node->total * MAX(self->calls->worth, 1));
	own = spt_call_tree_amount(self->calls, node->self * MAX(self->calls->worth, 1));
	amounts = g_strdup_printf(_("%s in total, %s in itself"), total, own);
	return g_strdup_printf("%s\n%s", text, amounts);
}

static gboolean flame_view_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard,
					 GtkTooltip *tooltip)
{
	SptFlameView *self = SPT_FLAME_VIEW(widget);
	const SptFlameBox *box = by_keyboard ? NULL : flame_view_box_near(self, x, y);
	uint32_t node = box ? box->node : by_keyboard ? self->selected : NONE;
	g_autofree char *text = NULL;

	if (box && box->n_more)
		text = g_strdup_printf(_("%u too small to be seen: zoom in"),
				       box->n_more);
	else if (node != NONE)
		text = describe_with_amount(self, node);
	gtk_tooltip_set_text(tooltip, text);
	return text != NULL;
}

static void flame_view_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
	GTK_WIDGET_CLASS(spt_flame_view_parent_class)->css_changed(widget, change);
	SPT_FLAME_VIEW(widget)->row_height = spt_flame_row_height(widget);
	gtk_widget_queue_resize(widget);
}

/* Life. */

static void flame_view_dispose(GObject *object)
{
	SptFlameView *self = SPT_FLAME_VIEW(object);

	g_clear_pointer(&self->boxes, g_array_unref);
	g_clear_pointer(&self->nodes, g_array_unref);
	g_clear_pointer(&self->matches, g_free);
	g_clear_pointer(&self->calls, spt_call_tree_unref);
	G_OBJECT_CLASS(spt_flame_view_parent_class)->dispose(object);
}

static void flame_view_add_keys(GtkWidgetClass *class)
{
	static const struct {
		guint key;
		int across, along;
	} moves[] = { { GDK_KEY_Left, -1, 0 },
		      { GDK_KEY_Right, 1, 0 },
		      { GDK_KEY_Up, 0, -1 },
		      { GDK_KEY_Down, 0, 1 } };
	static const struct {
		guint key;
		int direction;
	} zooms[] = { { GDK_KEY_Return, 1 },	   { GDK_KEY_KP_Enter, 1 },   { GDK_KEY_plus, 1 },
		      { GDK_KEY_KP_Add, 1 },	   { GDK_KEY_BackSpace, -1 }, { GDK_KEY_minus, -1 },
		      { GDK_KEY_KP_Subtract, -1 }, { GDK_KEY_Home, 0 },	      { GDK_KEY_0, 0 } };

	for (unsigned i = 0; i < G_N_ELEMENTS(moves); i++)
		gtk_widget_class_add_binding(class, moves[i].key, 0, on_move, "(ii)",
					     moves[i].across, moves[i].along);
	for (unsigned i = 0; i < G_N_ELEMENTS(zooms); i++)
		gtk_widget_class_add_binding(class, zooms[i].key, 0, flame_view_on_zoom_key, "(i)",
					     zooms[i].direction);
	gtk_widget_class_add_binding(class, GDK_KEY_Menu, 0, on_menu_key, NULL);
	gtk_widget_class_add_binding(class, GDK_KEY_F10, GDK_SHIFT_MASK, on_menu_key, NULL);
	gtk_widget_class_add_binding(class, GDK_KEY_space, 0, on_activate_key, NULL);
}

static void spt_flame_view_class_init(SptFlameViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = flame_view_dispose;
	widget_class->measure = flame_view_measure;
	widget_class->snapshot = flame_view_snapshot_view;
	widget_class->css_changed = flame_view_css_changed;
	widget_class->query_tooltip = flame_view_query_tooltip;
	gtk_widget_class_set_css_name(widget_class, "flame");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
	flame_view_add_keys(widget_class);
	changed = g_signal_new("changed", SPT_TYPE_FLAME_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
			       NULL, G_TYPE_NONE, 0);
	menu = g_signal_new("menu", SPT_TYPE_FLAME_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			    G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
	function_activated =
		g_signal_new("function-activated", SPT_TYPE_FLAME_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
			     NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void spt_flame_view_init(SptFlameView *self)
{
	GtkGesture *click = gtk_gesture_click_new();
	GtkEventController *motion = gtk_event_controller_motion_new();

	self->selected = self->hovered = NONE;
	self->row_height = 20;
	gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
	gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
	gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
	gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), 0);
	g_signal_connect(click, "pressed", G_CALLBACK(flame_view_on_pressed), self);
	g_signal_connect(motion, "motion", G_CALLBACK(flame_view_on_motion), self);
	g_signal_connect(motion, "leave", G_CALLBACK(on_leave), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
	gtk_widget_add_controller(GTK_WIDGET(self), motion);
}

void spt_flame_view_show(SptFlameView *self, SptCallTree *calls, GArray *nodes)
{
	bool is_known = self->calls && self->calls->subject == calls->subject;
	uint32_t zoomed = is_known && self->nodes ? spt_tree_find((const SptTreeNode *)nodes->data,
								  node_at(self, 0), self->zoomed) :
						    0;

	spt_call_tree_replace(&self->calls, calls);
	g_array_ref(nodes);
	g_clear_pointer(&self->nodes, g_array_unref);
	g_clear_pointer(&self->matches, g_free);
	self->nodes = nodes;
	self->hovered = NONE;
	spt_flame_view_zoom(self, zoomed == NONE ? 0 : zoomed);
}

void spt_flame_view_set_upward(SptFlameView *self, gboolean is_upward)
{
	self->is_upward = is_upward;
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

void spt_flame_view_light(SptFlameView *self, bool *matches)
{
	g_free(self->matches);
	self->matches = matches;
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

uint64_t spt_flame_view_lit(SptFlameView *self, uint64_t *ret_all)
{
	*ret_all = node_at(self, self->zoomed)->total;
	return self->matches ? spt_flame_matched(node_at(self, 0), self->nodes->len, self->zoomed,
						 self->matches) :
			       0;
}

uint32_t spt_flame_view_function(SptFlameView *self)
{
	return self->nodes && self->selected != NONE ? node_at(self, self->selected)->function :
						       NONE;
}

uint32_t spt_flame_view_selected(SptFlameView *self)
{
	return self->selected;
}

uint32_t spt_flame_view_zoomed(SptFlameView *self)
{
	return self->zoomed;
}
