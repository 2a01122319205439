/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes in /proc, which may change while it is read.  Processes that have exited by then
 * are skipped, and so are threads of the kernel, which have no command line.  The youngest process
 * comes first.
 */
#include "process-picker.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"

#define WIDTH  520
#define HEIGHT 560
/* Limit of a command line: more does not fit a list. */
#define LINE_CHARACTERS 200

struct picker {
	GtkWidget *window, *list, *search;
	char *wanted; /* the search text, in the form that is compared */
	SptProcessFunc func;
	GObject *data;
};

static int process_picker_compare(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* With spaces for the nuls between its arguments; to be freed, NULL: it is none, or has exited. */
static char *process_picker_read_file(uint32_t pid, const char *name)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/%s", pid, name);
	char *text = NULL;
	size_t bytes;

	if (!g_file_get_contents(path, &text, &bytes, NULL))
		return NULL;
	for (size_t i = 0; i < bytes; i++)
		if (text[i] == '\0' || text[i] == '\n')
			text[i] = ' ';
	return g_strchomp(text);
}

static char *user_of(uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u", pid);
	struct stat status;
	const struct passwd *user;

	if (stat(path, &status) != 0)
		return g_strdup("");
	user = getpwuid(status.st_uid);
	return user ? g_strdup(user->pw_name) : g_strdup_printf("%u", status.st_uid);
}

static void process_picker_add(struct picker *picker, uint32_t pid)
{
	g_autofree char *line = process_picker_read_file(pid, "cmdline"),
			*name = process_picker_read_file(pid, "comm"), *made = NULL,
			*made_line = NULL, *user = NULL, *numbers = NULL, *cut = NULL, *key = NULL,
			*title = NULL, *subtitle = NULL;
	const char *shown, *shown_line;
	GtkWidget *row, *label;

	if (!line || !*line || !name)
		return;
	user = user_of(pid);
	shown = spt_text_name(name, &made);
	shown_line = spt_text_name(line, &made_line);
	cut = g_utf8_substring(shown_line, 0, MIN(g_utf8_strlen(shown_line, -1), LINE_CHARACTERS));
	/* Versions differ in which of the two is markup: both are escaped. */
	title = g_markup_escape_text(shown, -1);
	subtitle = g_markup_escape_text(cut, -1);
	row = g_object_new(ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, "title-lines",
			   1, "subtitle-lines", 1, "activatable", TRUE, NULL);
	numbers = g_strdup_printf("%s  %u", user, pid);
	label = gtk_label_new(numbers);
	gtk_widget_add_css_class(label, "dim-label");
	gtk_widget_add_css_class(label, "numeric");
	adw_action_row_add_suffix(ADW_ACTION_ROW(row), label);
	key = g_strdup_printf("%s %s %s", shown, shown_line, numbers);
	g_object_set_data(G_OBJECT(row), "pid", GUINT_TO_POINTER(pid));
	g_object_set_data_full(G_OBJECT(row), "name", g_strdup(shown), g_free);
	g_object_set_data_full(G_OBJECT(row), "key", g_utf8_casefold(key, -1), g_free);
	gtk_list_box_append(GTK_LIST_BOX(picker->list), row);
}

static void process_picker_fill(struct picker *picker)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		uint32_t pid = (uint32_t)g_ascii_strtoull(entry, NULL, 10);

		if (pid)
			g_array_append_val(all, pid);
	}
	g_array_sort(all, process_picker_compare);
	for (unsigned i = 0; i < all->len; i++)
		process_picker_add(picker, g_array_index(all, uint32_t, i));
}

static gboolean process_picker_is_shown(GtkListBoxRow *row, gpointer data)
{
	const struct picker *picker = data;

	return !picker->wanted ||
	       strstr(g_object_get_data(G_OBJECT(row), "key"), picker->wanted) != NULL;
}

static void process_picker_on_search(GtkSearchEntry *entry, struct picker *picker)
{
	g_free(picker->wanted);
	picker->wanted = g_utf8_casefold(gtk_editable_get_text(GTK_EDITABLE(entry)), -1);
	gtk_list_box_invalidate_filter(GTK_LIST_BOX(picker->list));
}

static void process_picker_choose(struct picker *picker, GtkListBoxRow *row)
{
	uint32_t pid = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(row), "pid"));
	g_autofree char *name = g_strdup(g_object_get_data(G_OBJECT(row), "name"));

	picker->func(pid, name, picker->data);
	gtk_window_close(GTK_WINDOW(picker->window));
}

static void process_picker_on_row(G_GNUC_UNUSED GtkListBox *list, GtkListBoxRow *row,
				  struct picker *picker)
{
	process_picker_choose(picker, row);
}

/* Enter in the search takes the first match. */
static void on_enter(G_GNUC_UNUSED GtkSearchEntry *entry, struct picker *picker)
{
	GtkListBox *list = GTK_LIST_BOX(picker->list);
	GtkListBoxRow *row;

	for (int at = 0; (row = gtk_list_box_get_row_at_index(list, at)); at++)
		if (process_picker_is_shown(row, picker)) {
			process_picker_choose(picker, row);
			return;
		}
}

static void free_picker(gpointer data, G_GNUC_UNUSED GClosure *closure)
{
	struct picker *picker = data;

	g_object_unref(picker->data);
	g_free(picker->wanted);
	g_free(picker);
}

static GtkWidget *nothing_found(void)
{
	GtkWidget *label = gtk_label_new(_("No process has that in its name or command line"));

	gtk_widget_set_margin_top(label, 18);
	gtk_widget_set_margin_bottom(label, 18);
	gtk_widget_add_css_class(label, "dim-label");
	gtk_widget_show(label);
	return label;
}

void spt_process_picker_show(GtkWindow *parent, SptProcessFunc func, GObject *data)
{
	struct picker *picker = g_new0(struct picker, 1);
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12), *bar = adw_header_bar_new(),
		  *scrolled = gtk_scrolled_window_new(),
		  *top = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
	int width = gtk_widget_get_width(GTK_WIDGET(parent));

	picker->func = func;
	picker->data = g_object_ref(data);
	picker->window = g_object_new(ADW_TYPE_WINDOW, "title", _("Choose a Process"),
				      "transient-for", parent, "modal", TRUE, "default-width",
				      MIN(WIDTH, width), "default-height", HEIGHT, NULL);
	picker->search = gtk_search_entry_new();
	g_object_set(picker->search, "placeholder-text", _("Name, command line, user or number"),
		     NULL);
	gtk_accessible_update_property(GTK_ACCESSIBLE(picker->search),
				       GTK_ACCESSIBLE_PROPERTY_LABEL, _("Search for a process"),
				       -1);
	picker->list = gtk_list_box_new();
	gtk_widget_add_css_class(picker->list, "boxed-list");
	gtk_widget_set_valign(picker->list, GTK_ALIGN_START);
	gtk_list_box_set_selection_mode(GTK_LIST_BOX(picker->list), GTK_SELECTION_NONE);
	gtk_list_box_set_placeholder(GTK_LIST_BOX(picker->list), nothing_found());
	gtk_list_box_set_filter_func(GTK_LIST_BOX(picker->list), process_picker_is_shown, picker,
				     NULL);
	process_picker_fill(picker);
	gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), picker->list);
	g_object_set(scrolled, "vexpand", TRUE, "hscrollbar-policy", GTK_POLICY_NEVER, NULL);
	g_object_set(box, "margin-top", 12, "margin-bottom", 12, "margin-start", 12, "margin-end",
		     12, NULL);
	gtk_box_append(GTK_BOX(box), picker->search);
	gtk_box_append(GTK_BOX(box), scrolled);
	gtk_box_append(GTK_BOX(top), bar);
	gtk_box_append(GTK_BOX(top), box);
	adw_window_set_content(ADW_WINDOW(picker->window), top);
	g_signal_connect_data(picker->list, "row-activated", G_CALLBACK(process_picker_on_row),
			      picker, free_picker, 0);
	g_signal_connect(picker->search, "search-changed", G_CALLBACK(process_picker_on_search),
			 picker);
	g_signal_connect(picker->search, "activate", G_CALLBACK(on_enter), picker);
	g_signal_connect_swapped(picker->search, "stop-search", G_CALLBACK(gtk_window_close),
				 picker->window);
	gtk_window_present(GTK_WINDOW(picker->window));
	gtk_widget_grab_focus(picker->search);
}
