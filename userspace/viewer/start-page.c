/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buttons activate the window's actions. */
#include "start-page.h"

#include "recents.h"
#include "record-form.h"
#include "text.h"
#include "trace/module-check.h"
#include "trace/trace.h"
#include "trace/verdict.h"

struct _SptStartPage {
	GtkWidget parent_instance;
	GtkWidget *hint, *recents_title, *recents;
};

G_DEFINE_FINAL_TYPE(SptStartPage, spt_start_page, GTK_TYPE_WIDGET)

static void start_page_dispose(GObject *object)
{
	SptStartPage *self = SPT_START_PAGE(object);
	GtkWidget *child;

	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_START_PAGE);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_start_page_parent_class)->dispose(object);
}

static void spt_start_page_class_init(SptStartPageClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_RECORD_FORM);
	G_OBJECT_CLASS(class)->dispose = start_page_dispose;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/start-page.ui");
	gtk_widget_class_bind_template_child(widget_class, SptStartPage, hint);
	gtk_widget_class_bind_template_child(widget_class, SptStartPage, recents_title);
	gtk_widget_class_bind_template_child(widget_class, SptStartPage, recents);
}

static void spt_start_page_init(SptStartPage *self)
{
	gtk_widget_init_template(GTK_WIDGET(self));
}

static void on_found(SptFinding finding, const char *fix, G_GNUC_UNUSED const char *text,
		     void *data)
{
	char **first_fix = data;

	if (finding == SPT_FINDING_MISSING && fix && !*first_fix)
		*first_fix = g_strdup(fix);
}

/* Uses the texts of sysprof-cli doctor. */
static char *find_hint(void)
{
	g_autofree char *fix = NULL;
	g_autoptr(SptTrace) perf = NULL;
	g_autoptr(GString) named = NULL;

	if (spt_module_check(on_found, &fix))
		return NULL;
	perf = spt_trace_open_source(SPT_TRACE_PERF, NULL);
	named = g_string_new(fix);
	g_string_replace(named, SPT_CLI, spt_text_cli(), 0);
	return spt_verdict(false, perf, fix ? named->str : NULL);
}

void spt_start_page_check(SptStartPage *self)
{
	g_autofree char *text = find_hint();

	gtk_label_set_text(GTK_LABEL(self->hint), text ? text : "");
	gtk_widget_set_visible(self->hint, text != NULL);
}

static void append_recent(SptStartPage *self, const char *path)
{
	g_autofree char *name = g_filename_display_basename(path), *dir = g_path_get_dirname(path);
	g_autofree char *shown_dir = g_filename_display_name(dir);
	GtkWidget *button = gtk_button_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
	GtkWidget *title = g_object_new(GTK_TYPE_LABEL, "label", name, "xalign", 0.0, NULL);
	GtkWidget *place = g_object_new(GTK_TYPE_LABEL, "label", shown_dir, "xalign", 1.0,
					"hexpand", TRUE, "ellipsize", PANGO_ELLIPSIZE_START, NULL);

	gtk_widget_add_css_class(place, "dim-label");
	gtk_box_append(GTK_BOX(box), title);
	gtk_box_append(GTK_BOX(box), place);
	gtk_button_set_child(GTK_BUTTON(button), box);
	gtk_button_set_has_frame(GTK_BUTTON(button), FALSE);
	gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.open-path");
	gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "^ay", path);
	gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
				       -1);
	gtk_box_append(GTK_BOX(self->recents), button);
}

void spt_start_page_refresh(SptStartPage *self)
{
	g_auto(GStrv) paths = spt_recents_list();
	GtkWidget *child;

	while ((child = gtk_widget_get_first_child(self->recents)))
		gtk_box_remove(GTK_BOX(self->recents), child);
	for (unsigned i = 0; paths[i]; i++)
		append_recent(self, paths[i]);
	gtk_widget_set_visible(self->recents_title, paths[0] != NULL);
}
