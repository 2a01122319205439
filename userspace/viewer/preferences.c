/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each choice takes effect at once, but known names are not looked up again. */
#include "preferences.h"

#include <glib/gi18n.h>

#include "category-rules.h"
#include "files.h"
#include "record-choices.h"
#include "state.h"

#define SOURCE_PATHS "source-paths"
#define SERVERS	     "debuginfod-servers"
#define DOWNLOAD     "debuginfod"
#define STYLE	     "style"
#define COLORS	     "flame-colors"

static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
					  ADW_COLOR_SCHEME_FORCE_DARK };

/* Cached, as it is read for each box that is drawn: -1, not yet. */
static int colors = -1;
/* Activated for those who watch. */
static GSimpleAction *changes;

struct preferences {
	GtkWidget *window, *paths;
	GPtrArray *path_rows;
	GtkWidget *rules, *forget_rules;
};

void spt_preferences_apply_style(void)
{
	int style = CLAMP(spt_state_get(STYLE, 0), 0, (int)G_N_ELEMENTS(schemes) - 1);

	adw_style_manager_set_color_scheme(adw_style_manager_get_default(), schemes[style]);
}

char **spt_preferences_source_paths(void)
{
	return spt_state_get_list(SOURCE_PATHS);
}

/* The system's, until the user has named others. */
static char *servers(void)
{
	const char *system = g_getenv("DEBUGINFOD_URLS");

	return spt_state_get_text(SERVERS, system ? system : "");
}

char *spt_preferences_servers(void)
{
	g_autofree char *all = servers();

	return spt_state_get(DOWNLOAD, 0) && *all ? g_steal_pointer(&all) : NULL;
}

SptColors spt_preferences_colors(void)
{
	if (colors < 0)
		colors = CLAMP(spt_state_get(COLORS, 0), SPT_COLORS_OBJECT, SPT_COLORS_CATEGORY);
	return (SptColors)colors;
}

static GSimpleAction *preferences_changes(void)
{
	if (!changes)
		changes = g_simple_action_new("changes", NULL);
	return changes;
}

void spt_preferences_watch(gpointer owner, GCallback func)
{
	g_signal_connect_object(preferences_changes(), "activate", func, owner, G_CONNECT_SWAPPED);
}

static GtkWidget *switch_row(const char *title, const char *subtitle, const char *key,
			     int otherwise)
{
	GtkWidget *toggle = gtk_switch_new(),
		  *row = g_object_new(ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle,
				      "activatable-widget", toggle, NULL);

	gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER);
	spt_record_choices_bind(GTK_SWITCH(toggle), key, otherwise);
	adw_action_row_add_suffix(ADW_ACTION_ROW(row), toggle);
	return row;
}

static GtkWidget *group(AdwPreferencesPage *page, const char *title, const char *description)
{
	GtkWidget *widget = g_object_new(ADW_TYPE_PREFERENCES_GROUP, "title", title, "description",
					 description, NULL);

	adw_preferences_page_add(page, ADW_PREFERENCES_GROUP(widget));
	return widget;
}

static AdwPreferencesPage *page(struct preferences *self, const char *title, const char *icon)
{
	GtkWidget *widget =
		g_object_new(ADW_TYPE_PREFERENCES_PAGE, "title", title, "icon-name", icon, NULL);

	adw_preferences_window_add(ADW_PREFERENCES_WINDOW(self->window),
				   ADW_PREFERENCES_PAGE(widget));
	return ADW_PREFERENCES_PAGE(widget);
}

static void add_recording(struct preferences *self)
{
	static const struct {
		const char *title;
		SptChoice choice;
	} rows[] = { { N_("Rate"), SPT_CHOICE_RATE }, { N_("Stacks"), SPT_CHOICE_STACKS } };
	AdwPreferencesGroup *all = ADW_PREFERENCES_GROUP(
		group(page(self, _("Recording"), "media-record-symbolic"), NULL, NULL));

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		GtkWidget *row = g_object_new(ADW_TYPE_COMBO_ROW, "title", _(rows[i].title),
					      "use-subtitle", TRUE, NULL);

		spt_record_choices_fill(ADW_COMBO_ROW(row), rows[i].choice);
		adw_preferences_group_add(all, row);
	}
	adw_preferences_group_add(all, switch_row(_("Record the command lines of processes"),
						  _("Arguments can be secrets"), "command-lines",
						  1));
}

static void list_paths(struct preferences *self);

static void on_remove_path(GtkButton *button, struct preferences *self)
{
	const char *removed = g_object_get_data(G_OBJECT(button), "path");
	g_auto(GStrv) paths = spt_preferences_source_paths();
	g_autoptr(GPtrArray) kept = g_ptr_array_new();

	for (unsigned i = 0; paths[i]; i++)
		if (g_strcmp0(paths[i], removed) != 0)
			g_ptr_array_add(kept, paths[i]);
	g_ptr_array_add(kept, NULL);
	spt_state_set_list(SOURCE_PATHS, (const char *const *)kept->pdata);
	list_paths(self);
}

static void add_path_row(struct preferences *self, const char *path)
{
	g_autofree char *shown = g_filename_display_name(path),
			*name = g_strdup_printf(_("Remove %s"), shown);
	GtkWidget *button = gtk_button_new_from_icon_name("list-remove-symbolic"),
		  *row = g_object_new(ADW_TYPE_ACTION_ROW, "use-markup", FALSE, "title", shown,
				      NULL);

	gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
	gtk_widget_add_css_class(button, "flat");
	gtk_widget_set_tooltip_text(button, name);
	gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
				       -1);
	g_object_set_data_full(G_OBJECT(button), "path", g_strdup(path), g_free);
	g_signal_connect(button, "clicked", G_CALLBACK(on_remove_path), self);
	adw_action_row_add_suffix(ADW_ACTION_ROW(row), button);
	adw_preferences_group_add(ADW_PREFERENCES_GROUP(self->paths), row);
	g_ptr_array_add(self->path_rows, row);
}

static void list_paths(struct preferences *self)
{
	g_auto(GStrv) paths = spt_preferences_source_paths();

	for (unsigned i = 0; i < self->path_rows->len; i++)
		adw_preferences_group_remove(ADW_PREFERENCES_GROUP(self->paths),
					     self->path_rows->pdata[i]);
	g_ptr_array_set_size(self->path_rows, 0);
	for (unsigned i = 0; paths[i]; i++)
		add_path_row(self, paths[i]);
}

static void on_path_chosen(GFile *file, gpointer window)
{
	g_auto(GStrv) paths = spt_preferences_source_paths();
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	if (!g_file_peek_path(file) ||
	    g_strv_contains((const char *const *)paths, g_file_peek_path(file)))
		return;
	for (unsigned i = 0; paths[i]; i++)
		g_ptr_array_add(all, paths[i]);
	g_ptr_array_add(all, (char *)g_file_peek_path(file));
	g_ptr_array_add(all, NULL);
	spt_state_set_list(SOURCE_PATHS, (const char *const *)all->pdata);
	list_paths(g_object_get_data(G_OBJECT(window), "preferences"));
}

static void on_add_path(G_GNUC_UNUSED GtkButton *button, struct preferences *self)
{
	spt_files_choose(GTK_WINDOW(self->window), SPT_FILES_DIRECTORY, NULL, on_path_chosen,
			 g_object_ref(self->window), g_object_unref);
}

static void on_servers(GtkEditable *entry, G_GNUC_UNUSED gpointer data)
{
	spt_state_set_text(SERVERS, gtk_editable_get_text(entry));
}

static void preferences_add_names(struct preferences *self)
{
	AdwPreferencesPage *names = page(self, _("Sources and Names"), "spt-source-symbolic");
	GtkWidget *add = gtk_button_new_with_label(_("Add…")), *row, *download;
	g_autofree char *all = servers();

	self->paths = group(
		names, _("Source paths"),
		_("Directories to search for sources that are not where they were compiled"));
	gtk_widget_add_css_class(add, "flat");
	gtk_accessible_update_property(GTK_ACCESSIBLE(add), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       _("Add a directory of sources"), -1);
	g_signal_connect(add, "clicked", G_CALLBACK(on_add_path), self);
	adw_preferences_group_set_header_suffix(ADW_PREFERENCES_GROUP(self->paths), add);
	list_paths(self);
	download = group(
		names, _("Debug information"),
		_("Servers see the build-ids of what is recorded.  Only files with a hundredth of the time or more are asked for, when a recording is opened."));
	adw_preferences_group_add(ADW_PREFERENCES_GROUP(download),
				  switch_row(_("Download what is not installed"), NULL, DOWNLOAD, 0));
	row = g_object_new(ADW_TYPE_ENTRY_ROW, "title", _("Debuginfod servers"), "text", all, NULL);
	g_signal_connect(row, "changed", G_CALLBACK(on_servers), NULL);
	adw_preferences_group_add(ADW_PREFERENCES_GROUP(download), row);
}

static void redraw(GtkWidget *widget)
{
	gtk_widget_queue_draw(widget);
	for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
	     child = gtk_widget_get_next_sibling(child))
		redraw(child);
}

static void redraw_all(GtkWindow *window)
{
	GList *at = gtk_application_get_windows(gtk_window_get_application(window));

	for (; at; at = at->next)
		redraw(at->data);
}

static void on_style(AdwComboRow *row, G_GNUC_UNUSED GParamSpec *spec, G_GNUC_UNUSED gpointer data)
{
	spt_state_set(STYLE, (int)adw_combo_row_get_selected(row));
	spt_preferences_apply_style();
}

static void on_colors(AdwComboRow *row, G_GNUC_UNUSED GParamSpec *spec, struct preferences *self)
{
	colors = (int)adw_combo_row_get_selected(row);
	spt_state_set(COLORS, colors);
	g_action_activate(G_ACTION(preferences_changes()), NULL);
	redraw_all(gtk_window_get_transient_for(GTK_WINDOW(self->window)));
}

/* What is wrong with the rules is said in their place. */
static void show_rules(struct preferences *self)
{
	g_autofree char *path = spt_category_rules_path(),
			*shown = g_filename_display_name(path);
	g_autoptr(GError) error = NULL;

	spt_category_rules_read(&error);
	g_object_set(self->rules, "subtitle",
		     error   ? error->message :
		     *path   ? shown :
			       _("A file of rules: “category = function” or “category = function @ object”"),
		     NULL);
	gtk_widget_set_visible(self->forget_rules, *path != '\0');
}

static void use_rules(struct preferences *self, const char *path)
{
	spt_category_rules_set_path(path);
	show_rules(self);
	g_action_activate(G_ACTION(preferences_changes()), NULL);
}

static void on_rules_chosen(GFile *file, gpointer window)
{
	if (g_file_peek_path(file))
		use_rules(g_object_get_data(G_OBJECT(window), "preferences"),
			  g_file_peek_path(file));
}

static void on_choose_rules(G_GNUC_UNUSED GtkButton *button, struct preferences *self)
{
	spt_files_choose(GTK_WINDOW(self->window), SPT_FILES_RULES, NULL, on_rules_chosen,
			 g_object_ref(self->window), g_object_unref);
}

static void on_forget_rules(G_GNUC_UNUSED GtkButton *button, struct preferences *self)
{
	use_rules(self, "");
}

static void preferences_add_rules(struct preferences *self, AdwPreferencesGroup *all)
{
	GtkWidget *choose = gtk_button_new_with_label(_("Choose…"));

	self->rules = g_object_new(ADW_TYPE_ACTION_ROW, "use-markup", FALSE, "title",
				   _("Categories of functions"), NULL);
	self->forget_rules = gtk_button_new_from_icon_name("list-remove-symbolic");
	gtk_widget_set_tooltip_text(self->forget_rules, _("Without categories"));
	gtk_accessible_update_property(GTK_ACCESSIBLE(self->forget_rules),
				       GTK_ACCESSIBLE_PROPERTY_LABEL, _("Without categories"), -1);
	gtk_accessible_update_property(GTK_ACCESSIBLE(choose), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       _("Choose a file of rules"), -1);
	g_signal_connect(choose, "clicked", G_CALLBACK(on_choose_rules), self);
	g_signal_connect(self->forget_rules, "clicked", G_CALLBACK(on_forget_rules), self);
	for (unsigned i = 0; i < 2; i++) {
		GtkWidget *button = i ? choose : self->forget_rules;

		gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
		gtk_widget_add_css_class(button, "flat");
		adw_action_row_add_suffix(ADW_ACTION_ROW(self->rules), button);
	}
	adw_preferences_group_add(all, self->rules);
	show_rules(self);
}

static GtkWidget *combo(const char *title, const char *const *items, unsigned selected)
{
	g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

	for (; *items; items++)
		gtk_string_list_append(names, _(*items));
	return g_object_new(ADW_TYPE_COMBO_ROW, "title", title, "use-subtitle", TRUE, "model",
			    names, "selected", selected, NULL);
}

static void add_looks(struct preferences *self)
{
	static const char *const styles[] = { N_("As the System"), N_("Light"), N_("Dark"), NULL };
	static const char *const kinds[] = { N_("One for each object, blue for the kernel"),
					      N_("Orange for user code, blue for the kernel"),
					      N_("One for each category"), NULL };
	AdwPreferencesGroup *all = ADW_PREFERENCES_GROUP(
		group(page(self, _("Appearance"), "applications-graphics-symbolic"), NULL, NULL));
	int style = spt_state_get(STYLE, 0);
	GtkWidget *row = combo(_("Style"), styles,
			       style > 0 && style < (int)G_N_ELEMENTS(schemes) ? (unsigned)style :
										 0);

	g_signal_connect(row, "notify::selected", G_CALLBACK(on_style), NULL);
	adw_preferences_group_add(all, row);
	row = combo(_("Colours of the flame graph"), kinds, spt_preferences_colors());
	g_signal_connect(row, "notify::selected", G_CALLBACK(on_colors), self);
	adw_preferences_group_add(all, row);
	preferences_add_rules(self, all);
}

static void free_preferences(gpointer data)
{
	struct preferences *self = data;

	g_ptr_array_unref(self->path_rows);
	g_free(self);
}

void spt_preferences_show(GtkWindow *parent)
{
	struct preferences *self = g_new0(struct preferences, 1);

	self->window = g_object_new(ADW_TYPE_PREFERENCES_WINDOW, "transient-for", parent, "modal",
				    TRUE, "title", _("Preferences"), "search-enabled", FALSE, NULL);
	self->path_rows = g_ptr_array_new();
	g_object_set_data_full(G_OBJECT(self->window), "preferences", self, free_preferences);
	add_recording(self);
	preferences_add_names(self);
	add_looks(self);
	gtk_window_present(GTK_WINDOW(self->window));
}
