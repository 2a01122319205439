/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One widget that draws both bar and number.  A table makes hundreds of these each time its order
 * changes, and child widgets would take most of that time.
 */
#include "share-cell.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define BAR_OPACITY 0.35f
#define BAR_RADIUS 3

struct _SptShareCell {
	GtkWidget parent_instance;
	PangoLayout *layout;		/* made when first drawn or measured */
	double percent;
	char text[16];
};

G_DEFINE_FINAL_TYPE(SptShareCell, spt_share_cell, GTK_TYPE_WIDGET)

static PangoLayout *layout_of(SptShareCell *cell)
{
	if (!cell->layout)
		cell->layout = gtk_widget_create_pango_layout(GTK_WIDGET(cell), cell->text);
	return cell->layout;
}

static void share_cell_measure(GtkWidget *widget, GtkOrientation orientation,
			       G_GNUC_UNUSED int for_size, int *minimum, int *natural,
			       G_GNUC_UNUSED int *minimum_baseline,
			       G_GNUC_UNUSED int *natural_baseline)
{
	int width, height;

	pango_layout_get_pixel_size(layout_of(SPT_SHARE_CELL(widget)), &width, &height);
	*minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? width : height;
}

static void draw_bar(SptShareCell *cell, GtkSnapshot *snapshot, bool is_mirrored)
{
	GtkWidget *widget = GTK_WIDGET(cell);
	float width = (float)gtk_widget_get_width(widget),
	      height = (float)gtk_widget_get_height(widget);
	float length = roundf(width * (float)CLAMP(cell->percent, 0, 100) / 100);
	graphene_rect_t area =
		GRAPHENE_RECT_INIT(is_mirrored ? width - length : 0, 0, length, height);
	GskRoundedRect shape;
	GdkRGBA color;

	if (length < 1)
		return;
	gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
	color.alpha *= BAR_OPACITY;
	gsk_rounded_rect_init_from_rect(&shape, &area, MIN(BAR_RADIUS, length / 2));
	gtk_snapshot_push_rounded_clip(snapshot, &shape);
	gtk_snapshot_append_color(snapshot, &color, &area);
	gtk_snapshot_pop(snapshot);
}

static void snapshot_cell(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptShareCell *cell = SPT_SHARE_CELL(widget);
	bool is_mirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
	graphene_point_t at = { 0 };
	int width, height;
	GdkRGBA color;

	draw_bar(cell, snapshot, is_mirrored);
	/* The cell's own colour is the bar's; the number has the colour of all other text. */
	gtk_style_context_get_color(gtk_widget_get_style_context(gtk_widget_get_parent(widget)),
				    &color);
	pango_layout_get_pixel_size(layout_of(cell), &width, &height);
	if (!is_mirrored)
		at.x = (float)(gtk_widget_get_width(widget) - width);
	at.y = floorf((float)(gtk_widget_get_height(widget) - height) / 2);
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(snapshot, &at);
	gtk_snapshot_append_layout(snapshot, cell->layout, &color);
	gtk_snapshot_restore(snapshot);
}

/* Fonts and colours may have changed. */
static void share_cell_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
	GTK_WIDGET_CLASS(spt_share_cell_parent_class)->css_changed(widget, change);
	g_clear_object(&SPT_SHARE_CELL(widget)->layout);
	gtk_widget_queue_resize(widget);
}

static void share_cell_finalize(GObject *object)
{
	g_clear_object(&SPT_SHARE_CELL(object)->layout);
	G_OBJECT_CLASS(spt_share_cell_parent_class)->finalize(object);
}

static void spt_share_cell_class_init(SptShareCellClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->finalize = share_cell_finalize;
	widget_class->measure = share_cell_measure;
	widget_class->snapshot = snapshot_cell;
	widget_class->css_changed = share_cell_css_changed;
	gtk_widget_class_set_css_name(widget_class, "share");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void spt_share_cell_init(SptShareCell *cell)
{
	gtk_widget_set_hexpand(GTK_WIDGET(cell), TRUE);
}

GtkWidget *spt_share_cell_new(void)
{
	return g_object_new(SPT_TYPE_SHARE_CELL, NULL);
}

void spt_share_cell_set_percent(SptShareCell *cell, double percent)
{
	char text[sizeof(cell->text)];

	cell->percent = percent;
	g_snprintf(text, sizeof(text), percent < 0 ? "" : "%.2f %%", percent);
	if (strcmp(text, cell->text) == 0)
		return;
	strcpy(cell->text, text);
	if (cell->layout)
		pango_layout_set_text(cell->layout, cell->text, -1);
	gtk_accessible_update_property(GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       cell->text, -1);
	gtk_widget_queue_draw(GTK_WIDGET(cell));
}
