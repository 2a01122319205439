/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each box is a colour, hatched in the kernel, and as much of a name as fits. */
#include "flame-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#include "palette.h"
#include "preferences.h"
#include "profile/diff.h"
#include "symbols/plain-names.h"
#include "text.h"

#define TEXT_MIN_WIDTH 28
#define TEXT_MARGIN 4
#define HATCH_MIN_WIDTH 6
#define HATCH_STEP 7
#define FADED 0.35f

static const GdkRGBA ink = { 0.1f, 0.1f, 0.1f, 1 }, hatch = { 0.1f, 0.25f, 0.5f, 0.16f },
		     clear = { 0.1f, 0.25f, 0.5f, 0 };
static const GdkRGBA lit = { 0.85f, 0.45f, 0.95f, 1 }, above = { 0.68f, 0.7f, 0.72f, 1 };
/* Readable on either background. */
static const GdkRGBA many = { 0.5f, 0.5f, 0.5f, 0.25f };

graphene_rect_t spt_flame_place(const SptFlameDrawing *drawing, const SptFlameBox *box)
{
	double scale = MAX(gtk_widget_get_width(drawing->widget) - drawing->left, 1) /
		       (double)MAX(drawing->weight, 1);
	int row = (int)box->depth * drawing->row_height;
	int y = drawing->is_upward ?
			gtk_widget_get_height(drawing->widget) - row - drawing->row_height :
			row;
	double x = drawing->left + (double)box->begin * scale, width = (double)box->weight * scale;

	return GRAPHENE_RECT_INIT((float)x, (float)(y + drawing->down), (float)width,
				  (float)drawing->row_height);
}

const SptFlameBox *spt_flame_box_near(const SptFlameDrawing *drawing, double x, double y)
{
	for (unsigned i = 0; i < drawing->boxes->len; i++) {
		const SptFlameBox *box = &g_array_index(drawing->boxes, SptFlameBox, i);
		graphene_rect_t area = spt_flame_place(drawing, box);

		if (graphene_rect_contains_point(&area, &GRAPHENE_POINT_INIT((float)x, (float)y)))
			return box;
	}
	return NULL;
}

int spt_flame_row_height(GtkWidget *widget)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, "Mg");
	int height;

	pango_layout_get_pixel_size(layout, NULL, &height);
	return height + 5;
}

static const SptFunction *flame_draw_function_of(const SptFlameDrawing *drawing,
						 const SptFlameBox *box)
{
	uint32_t function = drawing->nodes[box->node].function;

	return function == UINT32_MAX ? NULL : &drawing->functions[function];
}

/* Other functions are highlighted; the background is seen through it. */
static bool is_faded(const SptFlameDrawing *drawing, const SptFlameBox *box,
		     const SptFunction *function)
{
	return drawing->matches && (!function || box->n_more ||
				    !drawing->matches[function - drawing->functions]);
}

const uint32_t *spt_flame_categories(const SptCallTree *calls)
{
	return spt_preferences_colors() == SPT_COLORS_CATEGORY ? calls->category_of : NULL;
}

uint32_t spt_flame_category(const uint32_t *categories, const SptTreeNode *nodes, uint32_t node,
			    bool is_bottom_up)
{
	uint32_t own;

	if (!is_bottom_up)
		return spt_category_of_node(categories, nodes, node);
	own = categories[nodes[node].function];
	return own == UINT32_MAX ? SPT_CATEGORY_OTHER : own;
}

static GdkRGBA category_color(const SptFlameDrawing *drawing, const SptFlameBox *box,
			      const SptFunction *function)
{
	if (!function || function->is_process)
		return spt_palette_color(function);
	return spt_palette_category(spt_flame_category(drawing->categories, drawing->nodes,
						       box->node, drawing->is_bottom_up));
}

static GdkRGBA flame_draw_color_of(const SptFlameDrawing *drawing, const SptFlameBox *box,
				   const SptFunction *function)
{
	GdkRGBA color =
		box->depth < drawing->zoomed_depth ? above :
		box->n_more			   ? many :
		drawing->changes ? spt_palette_change(drawing->changes[box->node] * SPT_DIFF_WHOLE /
						      (double)MAX(box->weight, 1)) :
		drawing->categories ? category_color(drawing, box, function) :
				   spt_palette_color(function);

	if (!drawing->matches)
		return color;
	if (!is_faded(drawing, box, function))
		return lit;
	color.alpha = FADED;
	return color;
}

/* Does not depend on colour. */
static void draw_hatches(GtkSnapshot *snapshot, const graphene_rect_t *area)
{
	const graphene_point_t begin = area->origin;
	const graphene_point_t end = { begin.x + HATCH_STEP, begin.y + HATCH_STEP };
	const GskColorStop stops[] = {
		{ 0, hatch }, { 0.3f, hatch }, { 0.3f, clear }, { 1, clear }
	};

	gtk_snapshot_append_repeating_linear_gradient(snapshot, area, &begin, &end, stops,
						      G_N_ELEMENTS(stops));
}

static void draw_name(const SptFlameDrawing *drawing, GtkSnapshot *snapshot, PangoLayout *layout,
		      const graphene_rect_t *area, const SptFlameBox *box,
		      const SptFunction *function)
{
	g_autofree char *made = box->n_more ? g_strdup_printf(_("%u smaller"), box->n_more) : NULL;
	g_autofree char *fitted =
		function && !made ?
			spt_fit_name(function->name,
				     (unsigned)(area->size.width / drawing->char_width)) :
			NULL;
	const char *name = made ? made : fitted ? spt_text_name(fitted, &made) : _("All");
	GdkRGBA color = ink;
	int height;

	if (box->n_more || is_faded(drawing, box, function))
		gtk_style_context_get_color(gtk_widget_get_style_context(drawing->widget), &color);
	pango_layout_set_text(layout, name, -1);
	pango_layout_set_width(layout, (int)(area->size.width - 2 * TEXT_MARGIN) * PANGO_SCALE);
	pango_layout_get_pixel_size(layout, NULL, &height);
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(
		snapshot,
		&GRAPHENE_POINT_INIT(area->origin.x + TEXT_MARGIN,
				     area->origin.y +
					     floorf((area->size.height - (float)height) / 2)));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

static void draw_edge(GtkSnapshot *snapshot, const graphene_rect_t *area, const GdkRGBA *color,
		      float width)
{
	const GdkRGBA colors[] = { *color, *color, *color, *color };
	const float widths[] = { width, width, width, width };
	GskRoundedRect outline;

	gsk_rounded_rect_init_from_rect(&outline, area, 0);
	gtk_snapshot_append_border(snapshot, &outline, widths, colors);
}

static void draw_box(const SptFlameDrawing *drawing, GtkSnapshot *snapshot, PangoLayout *layout,
		     const SptFlameBox *box)
{
	const SptFunction *function = flame_draw_function_of(drawing, box);
	graphene_rect_t area = spt_flame_place(drawing, box);
	GdkRGBA color = flame_draw_color_of(drawing, box, function);

	/* A gap between neighbours, where there is room for one. */
	area.size.height -= 1;
	area.size.width = MAX(area.size.width > 3 ? area.size.width - 1 : area.size.width, 0.5f);
	gtk_snapshot_append_color(snapshot, &color, &area);
	if (function && function->is_kernel && !box->n_more && area.size.width >= HATCH_MIN_WIDTH)
		draw_hatches(snapshot, &area);
	if (area.size.width >= TEXT_MIN_WIDTH)
		draw_name(drawing, snapshot, layout, &area, box, function);
	if (!box->n_more && (box->node == drawing->selected || box->node == drawing->hovered)) {
		GdkRGBA edge;

		gtk_style_context_get_color(gtk_widget_get_style_context(drawing->widget), &edge);
		draw_edge(snapshot, &area, &edge, box->node == drawing->selected ? 2 : 1);
	}
}

static GdkRGBA sample_color(SptFlameColor color, uint32_t category)
{
	switch (color) {
	case SPT_FLAME_KERNEL:
		return spt_palette_color(&(SptFunction){ .name = "", .is_kernel = true });
	case SPT_FLAME_CATEGORY:
		return spt_palette_category(category);
	case SPT_FLAME_HATCHES:
		return spt_palette_category(SPT_CATEGORY_OTHER);
	case SPT_FLAME_FOUND:
		return lit;
	case SPT_FLAME_LESS:
		return spt_palette_change(-1);
	case SPT_FLAME_SAME:
		return spt_palette_change(0);
	case SPT_FLAME_MORE:
		return spt_palette_change(1);
	case SPT_FLAME_NAMELESS:
		return spt_palette_color(&(SptFunction){ .name = "" });
	case SPT_FLAME_USER:
		return spt_palette_color(&(SptFunction){ .name = "", .has_symbol = true });
	default:
		return spt_palette_color(NULL);
	}
}

void spt_flame_draw_sample(SptFlameColor color, uint32_t category, GtkSnapshot *snapshot, int width,
			   int height)
{
	unsigned n = color == SPT_FLAME_OBJECTS ? 3 : 1;
	float part = (float)width / (float)n;

	for (unsigned i = 0; i < n; i++) {
		const graphene_rect_t area =
			GRAPHENE_RECT_INIT((float)i * part, 0, part, (float)height);
		GdkRGBA of_area = color == SPT_FLAME_OBJECTS ? spt_palette_object(i) :
							       sample_color(color, category);

		gtk_snapshot_append_color(snapshot, &of_area, &area);
		if (color == SPT_FLAME_KERNEL || color == SPT_FLAME_HATCHES)
			draw_hatches(snapshot, &area);
	}
}

static double char_width_of(PangoLayout *layout)
{
	PangoContext *context = pango_layout_get_context(layout);
	PangoFontMetrics *metrics = pango_context_get_metrics(context, NULL, NULL);
	int width = pango_font_metrics_get_approximate_char_width(metrics);

	pango_font_metrics_unref(metrics);
	return MAX((double)width / PANGO_SCALE, 1);
}

void spt_flame_draw(SptFlameDrawing *drawing, GtkSnapshot *snapshot)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(drawing->widget, NULL);

	drawing->char_width = char_width_of(layout);

	pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
	pango_layout_set_single_paragraph_mode(layout, TRUE);
	for (unsigned i = 0; i < drawing->boxes->len; i++) {
		const SptFlameBox *box = &g_array_index(drawing->boxes, SptFlameBox, i);
		graphene_rect_t area = spt_flame_place(drawing, box);

		if (area.origin.y + area.size.height > drawing->top &&
		    area.origin.y < drawing->bottom)
			draw_box(drawing, snapshot, layout, box);
	}
}
