/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computed when it is first shown, once for each recording. */
#include "heat-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "picture/heat.h"
#include "text.h"

#define LEAST_LEFT 56		/* room for the axis of the parts of a second */
#define HEIGHT 120
#define LEAST_HEIGHT 60
#define FADED 0.2f
#define SHADES 32
#define AXIS_HEIGHT 18		/* seconds, below the cells */
#define LABEL_WIDTH 70
#define SECOND_NS   1000000000

struct _SptHeatView {
	GtkWidget parent_instance;
	SptDocument *document;
	SptHeat *heat;			/* NULL: to be computed */
	/* Everything but the selection; NULL: to be drawn, of this size */
	GskRenderNode *picture;
	int width, height;
	SptTimeAxis *axis;		/* of the timeline above: seconds are below its own */
	double left;			/* of the picture */
	uint32_t from_column, from_row;	/* start of a drag */
};

G_DEFINE_FINAL_TYPE(SptHeatView, spt_heat_view, GTK_TYPE_WIDGET)

static unsigned range;

static double left_of(SptHeatView *self)
{
	return MAX(self->axis ? self->axis->left : 0, LEAST_LEFT);
}

/* That of a second of the whole recording; the last column can be cut off. */
static double column_width(SptHeatView *self)
{
	const SptSummary *summary = &self->document->recording->summary;
	double ns = MAX((double)(summary->end_ns - summary->start_ns), (double)SECOND_NS);

	return MAX(gtk_widget_get_width(GTK_WIDGET(self)) - left_of(self), 1) * SECOND_NS / ns;
}

static double row_height(SptHeatView *self)
{
	return (gtk_widget_get_height(GTK_WIDGET(self)) - AXIS_HEIGHT) /
	       (double)self->heat->n_rows;
}

static void heat_view_compute(SptHeatView *self)
{
	const SptDocument *document = self->document;

	if (!self->heat && document)
		self->heat = spt_heat_new(document->whole->profile,
					  document->recording->summary.start_ns,
					  document->recording->summary.end_ns);
}

/* Cells of one shade are one path of whole pixels: thousands of them cost as much as a few. */
static GskRenderNode *draw_cells(SptHeatView *self)
{
	GtkSnapshot *snapshot = gtk_snapshot_new();
	cairo_t *cairo =
		gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)self->width,
									(float)self->height));
	const SptHeat *heat = self->heat;
	double left = left_of(self), width = column_width(self), height = row_height(self);
	GdkRGBA color;
	float opacity;

	cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &color);
	opacity = color.alpha;
	for (unsigned shade = 1; shade <= SHADES; shade++) {
		for (uint32_t column = 0; column < heat->n_columns; column++) {
			for (uint32_t row = 0; row < heat->n_rows; row++) {
				uint64_t weight =
					heat->weights[(size_t)column * heat->n_rows + row];

				if (ceil(SHADES * sqrt((double)weight / (double)heat->most)) ==
				    shade)
					cairo_rectangle(cairo, left + column * width, row * height,
							width, height);
			}
		}
		color.alpha = opacity * (float)shade / SHADES;
		gdk_cairo_set_source_rgba(cairo, &color);
		cairo_fill(cairo);
	}
	cairo_destroy(cairo);
	return gtk_snapshot_free_to_node(snapshot);
}

static void heat_view_draw_label(SptHeatView *self, GtkSnapshot *snapshot, const char *text,
				 double x, double y)
{
	GtkWidget *widget = GTK_WIDGET(self);
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
	GdkRGBA color;

	if (!gtk_style_context_lookup_color(gtk_widget_get_style_context(widget),
					    "window_fg_color", &color))
		gdk_rgba_parse(&color, "gray");
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

/* A column is a second, and its rows are parts of the second, from the top. */
static void heat_view_draw_axis(SptHeatView *self, GtkSnapshot *snapshot)
{
	double bottom = self->height - AXIS_HEIGHT + 1;
	uint32_t step = (uint32_t)MAX(ceil(LABEL_WIDTH / column_width(self)), 1);

	for (uint32_t column = 0; column < self->heat->n_columns; column += step) {
		g_autofree char *text = g_strdup_printf("%u s", column);

		heat_view_draw_label(self, snapshot, text,
				     left_of(self) + column * column_width(self), bottom);
	}
	heat_view_draw_label(self, snapshot, "+0 ms", 4, 0);
	heat_view_draw_label(self, snapshot, "+500", 4, (self->height - AXIS_HEIGHT) / 2.0 - 6);
}

/* From one cell to before the other one, in the order of time. */
static void veil_cells(SptHeatView *self, GtkSnapshot *snapshot, uint32_t from, uint32_t to)
{
	uint32_t rows = self->heat->n_rows;
	GdkRGBA veil;

	if (!gtk_style_context_lookup_color(gtk_widget_get_style_context(GTK_WIDGET(self)),
					    "window_bg_color", &veil))
		gdk_rgba_parse(&veil, "white");
	veil.alpha = 1 - FADED;
	while (from < to) {
		uint32_t column = from / rows, row = from % rows,
			 n_columns = row == 0 && to - from > rows ? (to - from) / rows : 1;
		uint32_t n_rows = n_columns > 1 ? rows : MIN(rows - row, to - from);

		gtk_snapshot_append_color(
			snapshot, &veil,
			&GRAPHENE_RECT_INIT((float)(left_of(self) + column * column_width(self)),
					    (float)(row * row_height(self)),
					    (float)(n_columns * column_width(self)),
					    (float)(n_rows * row_height(self))));
		from += n_columns > 1 ? n_columns * rows : n_rows;
	}
}

/* While a range is dragged only the veil over the picture changes. */
static void heat_view_snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptHeatView *self = SPT_HEAT_VIEW(widget);
	int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
	uint32_t n, begin = 0, end;
	const SptRestriction *time;

	heat_view_compute(self);
	if (!self->heat || self->heat->most == 0)
		return;
	if (width != self->width || height != self->height || self->left != left_of(self))
		g_clear_pointer(&self->picture, gsk_render_node_unref);
	self->width = width;
	self->height = height;
	self->left = left_of(self);
	if (!self->picture)
		self->picture = draw_cells(self);
	if (self->picture)
		gtk_snapshot_append_node(snapshot, self->picture);
	heat_view_draw_axis(self, snapshot);
	time = spt_restrictions_find(self->document->look.restrictions, SPT_RESTRICT_TIME);
	if (!time)
		return;
	n = self->heat->n_columns * self->heat->n_rows;
	while (begin < n && spt_heat_time(self->heat, (begin + 1) / self->heat->n_rows,
					  (begin + 1) % self->heat->n_rows) <= time->begin_ns)
		begin++;
	for (end = begin; end < n && spt_heat_time(self->heat, end / self->heat->n_rows,
						   end % self->heat->n_rows) < time->end_ns;
	     end++)
		;
	veil_cells(self, snapshot, 0, begin);
	veil_cells(self, snapshot, end, n);
}

/* The colour may have changed. */
static void heat_view_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
	GTK_WIDGET_CLASS(spt_heat_view_parent_class)->css_changed(widget, change);
	g_clear_pointer(&SPT_HEAT_VIEW(widget)->picture, gsk_render_node_unref);
	gtk_widget_queue_draw(widget);
}

static void heat_view_measure(G_GNUC_UNUSED GtkWidget *widget, GtkOrientation orientation,
			      G_GNUC_UNUSED int for_size, int *minimum, int *natural,
			      G_GNUC_UNUSED int *minimum_baseline,
			      G_GNUC_UNUSED int *natural_baseline)
{
	bool is_width = orientation == GTK_ORIENTATION_HORIZONTAL;

	*minimum = is_width ? LEAST_LEFT + 100 : LEAST_HEIGHT;
	*natural = is_width ? LEAST_LEFT + 100 : HEIGHT;
}

static void find_cell(SptHeatView *self, double x, double y, uint32_t *ret_column,
		      uint32_t *ret_row)
{
	*ret_column = (uint32_t)CLAMP((x - left_of(self)) / column_width(self), 0,
				      self->heat->n_columns - 1);
	*ret_row = (uint32_t)CLAMP(y / row_height(self), 0, self->heat->n_rows - 1);
}

static void heat_view_on_drag_begin(G_GNUC_UNUSED GtkGestureDrag *drag, double x, double y,
				    SptHeatView *self)
{
	heat_view_compute(self);
	if (self->heat)
		find_cell(self, x, y, &self->from_column, &self->from_row);
}

/* From one cell to the other, in the order of time. */
static void select_cells(SptHeatView *self, GtkGestureDrag *drag, double dx, double dy,
			 bool is_final)
{
	uint32_t column, row;
	double x, y;
	uint64_t from, to;

	if (!self->heat || !gtk_gesture_drag_get_start_point(drag, &x, &y))
		return;
	find_cell(self, x + dx, y + dy, &column, &row);
	from = spt_heat_time(self->heat, self->from_column, self->from_row);
	to = spt_heat_time(self->heat, column, row);
	g_signal_emit(self, range, 0, MIN(from, to),
		      from > to ? spt_heat_time(self->heat, self->from_column, self->from_row + 1) :
				  spt_heat_time(self->heat, column, row + 1),
		      is_final);
}

static void heat_view_on_drag_update(GtkGestureDrag *drag, double dx, double dy, SptHeatView *self)
{
	select_cells(self, drag, dx, dy, false);
}

static void heat_view_on_drag_end(GtkGestureDrag *drag, double dx, double dy, SptHeatView *self)
{
	select_cells(self, drag, dx, dy, true);
}

static gboolean heat_view_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard,
					GtkTooltip *tooltip)
{
	SptHeatView *self = SPT_HEAT_VIEW(widget);
	g_autofree char *text = NULL, *weight = NULL;
	uint32_t column, row;

	if (!self->heat || by_keyboard || x < left_of(self))
		return FALSE;
	find_cell(self, x, y, &column, &row);
	weight = spt_text_weight(self->document->look.metric,
				 self->heat->weights[(size_t)column * self->heat->n_rows + row]);
	text = g_strdup_printf(_("%.3f s: %s"),
			       (double)(spt_heat_time(self->heat, column, row) -
					self->document->recording->summary.start_ns) /
				       1e9,
			       weight);
	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

static void heat_view_dispose(GObject *object)
{
	SptHeatView *self = SPT_HEAT_VIEW(object);

	g_clear_pointer(&self->picture, gsk_render_node_unref);
	g_clear_pointer(&self->heat, spt_heat_free);
	g_clear_object(&self->axis);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_heat_view_parent_class)->dispose(object);
}

static void spt_heat_view_class_init(SptHeatViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = heat_view_dispose;
	widget_class->measure = heat_view_measure;
	widget_class->snapshot = heat_view_snapshot_view;
	widget_class->css_changed = heat_view_css_changed;
	widget_class->query_tooltip = heat_view_query_tooltip;
	gtk_widget_class_set_css_name(widget_class, "heat");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
	range = g_signal_new("range", SPT_TYPE_HEAT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			     G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_BOOLEAN);
}

static void spt_heat_view_init(SptHeatView *self)
{
	GtkGesture *drag = gtk_gesture_drag_new();

	gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
	gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
	gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       _("Heat map of the parts of each second"), -1);
	g_signal_connect(drag, "drag-begin", G_CALLBACK(heat_view_on_drag_begin), self);
	g_signal_connect(drag, "drag-update", G_CALLBACK(heat_view_on_drag_update), self);
	g_signal_connect(drag, "drag-end", G_CALLBACK(heat_view_on_drag_end), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
}

void spt_heat_view_set_axis(SptHeatView *self, SptTimeAxis *axis)
{
	g_set_object(&self->axis, axis);
	g_signal_connect_object(axis, "changed", G_CALLBACK(gtk_widget_queue_draw), self,
				G_CONNECT_SWAPPED);
}

void spt_heat_view_set_document(SptHeatView *self, SptDocument *document)
{
	bool is_known = self->document && spt_document_is_same(self->document, document);

	spt_document_replace(&self->document, document);
	if (!is_known) {
		g_clear_pointer(&self->picture, gsk_render_node_unref);
		g_clear_pointer(&self->heat, spt_heat_free);
	}
	gtk_widget_queue_draw(GTK_WIDGET(self));
}
