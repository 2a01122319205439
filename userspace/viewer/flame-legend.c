/* SPDX-License-Identifier: GPL-2.0-or-later */
/* It scrolls sideways in a narrow window, as the lanes' legend does. */
#include "flame-legend.h"

#include <glib/gi18n.h>

#include "flame-draw.h"
#include "preferences.h"
#include "text.h"

#define SAMPLE_PIXELS 10

#define SPT_TYPE_FLAME_SAMPLE (spt_flame_sample_get_type())
G_DECLARE_FINAL_TYPE(SptFlameSample, spt_flame_sample, SPT, FLAME_SAMPLE, GtkWidget)

struct _SptFlameSample {
	GtkWidget parent_instance;
	SptFlameColor color;
	uint32_t category;
};

G_DEFINE_FINAL_TYPE(SptFlameSample, spt_flame_sample, GTK_TYPE_WIDGET)

static void flame_sample_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptFlameSample *self = SPT_FLAME_SAMPLE(widget);

	spt_flame_draw_sample(self->color, self->category, snapshot, gtk_widget_get_width(widget),
			      gtk_widget_get_height(widget));
}

static void spt_flame_sample_class_init(SptFlameSampleClass *class)
{
	GTK_WIDGET_CLASS(class)->snapshot = flame_sample_snapshot;
	gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class),
					     GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void spt_flame_sample_init(SptFlameSample *self)
{
	gtk_widget_set_valign(GTK_WIDGET(self), GTK_ALIGN_CENTER);
}

static SptFlameSample *add_color(GtkWidget *legend, SptFlameColor color, const char *name)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 5);
	SptFlameSample *sample = g_object_new(SPT_TYPE_FLAME_SAMPLE, NULL);
	int width = color == SPT_FLAME_OBJECTS ? 3 * SAMPLE_PIXELS : SAMPLE_PIXELS;

	sample->color = color;
	gtk_widget_set_size_request(GTK_WIDGET(sample), width, SAMPLE_PIXELS);
	gtk_box_append(GTK_BOX(box), GTK_WIDGET(sample));
	gtk_box_append(GTK_BOX(box), gtk_label_new(name));
	gtk_box_append(GTK_BOX(legend), box);
	return sample;
}

/* Only those that occur: a file of rules may have many. */
static bool *legend_find_categories(const SptCallTree *calls, const uint32_t *category_of)
{
	uint32_t n = 0;
	bool *occur;

	while (spt_category_name(calls->categories, n))
		n++;
	occur = g_new0(bool, n);
	for (uint32_t i = 0; i < calls->n_functions; i++)
		if (category_of[i] != UINT32_MAX && calls->functions[i].total > 0)
			occur[category_of[i]] = true;
	return occur;
}

static void add_categories(GtkWidget *legend, const SptCallTree *calls,
			   const uint32_t *category_of)
{
	g_autofree bool *occur = legend_find_categories(calls, category_of);
	const char *name;

	for (uint32_t i = SPT_CATEGORY_OTHER + 1; (name = spt_category_name(calls->categories, i));
	     i++) {
		g_autofree char *made = NULL;

		if (occur[i])
			add_color(legend, SPT_FLAME_CATEGORY, spt_text_name(name, &made))
				->category = i;
	}
	add_color(legend, SPT_FLAME_CATEGORY, spt_category_name(NULL, SPT_CATEGORY_OTHER));
	add_color(legend, SPT_FLAME_HATCHES, _("kernel"));
}

static void add_sides(GtkWidget *legend)
{
	if (spt_preferences_colors() == SPT_COLORS_SIDE) {
		add_color(legend, SPT_FLAME_USER, _("user code"));
	} else {
		add_color(legend, SPT_FLAME_OBJECTS, _("user code, by object"));
		add_color(legend, SPT_FLAME_NAMELESS, _("without a name"));
	}
	add_color(legend, SPT_FLAME_KERNEL, _("kernel"));
}

/* Of the whole that each side is: a function may take as long and have a larger share. */
static void add_changed_shares(GtkWidget *legend)
{
	add_color(legend, SPT_FLAME_LESS, _("a smaller share than before"));
	add_color(legend, SPT_FLAME_SAME, _("the same share"));
	add_color(legend, SPT_FLAME_MORE, _("a larger share than before"));
}

static void add_changed_amounts(GtkWidget *legend)
{
	add_color(legend, SPT_FLAME_LESS, _("less than before"));
	add_color(legend, SPT_FLAME_SAME, _("as before"));
	add_color(legend, SPT_FLAME_MORE, _("more than before"));
}

/* Empty. */
static GtkWidget *begin(GtkWidget *scrolled)
{
	GtkWidget *legend = g_object_get_data(G_OBJECT(scrolled), "legend"), *child;

	while ((child = gtk_widget_get_first_child(legend)))
		gtk_box_remove(GTK_BOX(legend), child);
	return legend;
}

GtkWidget *spt_flame_legend_new(void)
{
	GtkWidget *legend = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 21), *scrolled;

	gtk_widget_add_css_class(legend, "legend");
	scrolled =
		g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", legend, "hscrollbar-policy",
			     GTK_POLICY_EXTERNAL, "vscrollbar-policy", GTK_POLICY_NEVER,
			     "propagate-natural-height", TRUE, NULL);
	g_object_set_data(G_OBJECT(scrolled), "legend", legend);
	return scrolled;
}

void spt_flame_legend_show(GtkWidget *scrolled, const SptCallTree *calls)
{
	GtkWidget *legend = begin(scrolled);
	const uint32_t *category_of = spt_flame_categories(calls);

	if (category_of)
		add_categories(legend, calls, category_of);
	else
		add_sides(legend);
	add_color(legend, SPT_FLAME_PROCESS, _("process"));
	add_color(legend, SPT_FLAME_FOUND, _("highlighted"));
}

void spt_flame_legend_show_changes(GtkWidget *scrolled, bool by_time)
{
	GtkWidget *legend = begin(scrolled);

	if (by_time)
		add_changed_amounts(legend);
	else
		add_changed_shares(legend);
	add_color(legend, SPT_FLAME_FOUND, _("highlighted"));
}
