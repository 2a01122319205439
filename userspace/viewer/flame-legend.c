/* SPDX-License-Identifier: GPL-2.0-or-later */
/* It scrolls sideways in a narrow window, as the lanes' legend does. */
#include "flame-legend.h"

#include <glib/gi18n.h>

#include "flame-draw.h"
#include "preferences.h"

#define SAMPLE_PIXELS 10

#define SPT_TYPE_FLAME_SAMPLE (spt_flame_sample_get_type())
G_DECLARE_FINAL_TYPE(SptFlameSample, spt_flame_sample, SPT, FLAME_SAMPLE, GtkWidget)

struct _SptFlameSample {
	GtkWidget parent_instance;
	SptFlameColor color;
};

G_DEFINE_FINAL_TYPE(SptFlameSample, spt_flame_sample, GTK_TYPE_WIDGET)

static void flame_sample_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
	spt_flame_draw_sample(SPT_FLAME_SAMPLE(widget)->color, snapshot,
			      gtk_widget_get_width(widget), gtk_widget_get_height(widget));
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

static GtkWidget *add_color(GtkWidget *legend, SptFlameColor color, const char *name)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 5);
	SptFlameSample *sample = g_object_new(SPT_TYPE_FLAME_SAMPLE, NULL);
	int width = color == SPT_FLAME_OBJECTS ? 3 * SAMPLE_PIXELS : SAMPLE_PIXELS;

	sample->color = color;
	gtk_widget_set_size_request(GTK_WIDGET(sample), width, SAMPLE_PIXELS);
	gtk_box_append(GTK_BOX(box), GTK_WIDGET(sample));
	gtk_box_append(GTK_BOX(box), gtk_label_new(name));
	gtk_box_append(GTK_BOX(legend), box);
	return box;
}

/* Which of both is meant depends on the preferences, which may have changed meanwhile. */
static void show_meaning(GtkWidget *legend)
{
	bool by_side = spt_preferences_colors_by_side();

	gtk_widget_set_visible(g_object_get_data(G_OBJECT(legend), "user"), by_side);
	gtk_widget_set_visible(g_object_get_data(G_OBJECT(legend), "objects"), !by_side);
	gtk_widget_set_visible(g_object_get_data(G_OBJECT(legend), "nameless"), !by_side);
}

static void add_functions(GtkWidget *legend)
{
	GObject *object = G_OBJECT(legend);

	g_object_set_data(object, "user", add_color(legend, SPT_FLAME_USER, _("user code")));
	g_object_set_data(object, "objects",
			  add_color(legend, SPT_FLAME_OBJECTS,
				    _("user code, by object")));
	g_object_set_data(object, "nameless",
			  add_color(legend, SPT_FLAME_NAMELESS, _("without a name")));
	add_color(legend, SPT_FLAME_KERNEL, _("kernel"));
	add_color(legend, SPT_FLAME_PROCESS, _("process"));
	add_color(legend, SPT_FLAME_FOUND, _("highlighted"));
	g_signal_connect(legend, "map", G_CALLBACK(show_meaning), NULL);
	show_meaning(legend);
}

static void add_changes(GtkWidget *legend)
{
	add_color(legend, SPT_FLAME_LESS, _("less than before"));
	add_color(legend, SPT_FLAME_SAME, _("as before"));
	add_color(legend, SPT_FLAME_MORE, _("more than before"));
	add_color(legend, SPT_FLAME_FOUND, _("highlighted"));
}

GtkWidget *spt_flame_legend_new(bool of_changes)
{
	GtkWidget *legend = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 21);

	gtk_widget_add_css_class(legend, "legend");
	if (of_changes)
		add_changes(legend);
	else
		add_functions(legend);
	return g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", legend, "hscrollbar-policy",
			    GTK_POLICY_EXTERNAL, "vscrollbar-policy", GTK_POLICY_NEVER,
			    "propagate-natural-height", TRUE, NULL);
}
