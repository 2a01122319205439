/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each file of the command line gets a window, and so does a command after "--", which is recorded
 * at once; with neither there is an empty window.  libadwaita loads style.css, and follows the
 * system's dark style.
 */
#include "application.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "pages.h"
#include "preferences.h"
#include "window.h"

#define APPLICATION_ID "io.github.sysprof_trace.Sysprof"

struct _SptApplication {
	AdwApplication parent_instance;
	char *command;			/* command to record; NULL: none */
};

G_DEFINE_FINAL_TYPE(SptApplication, spt_application, ADW_TYPE_APPLICATION)

static void on_about(G_GNUC_UNUSED GSimpleAction *action, G_GNUC_UNUSED GVariant *parameter,
		     gpointer data)
{
	adw_show_about_window(gtk_application_get_active_window(GTK_APPLICATION(data)),
			      "application-name", "Sysprof", "version", SPT_VERSION,
			      "application-icon", APPLICATION_ID, "comments",
			      _("Where the whole system spends its time"), "license-type",
			      GTK_LICENSE_GPL_2_0, NULL);
}

static void on_preferences(G_GNUC_UNUSED GSimpleAction *action,
			   G_GNUC_UNUSED GVariant *parameter, gpointer data)
{
	spt_preferences_show(gtk_application_get_active_window(GTK_APPLICATION(data)));
}

static void on_help(G_GNUC_UNUSED GSimpleAction *action, G_GNUC_UNUSED GVariant *parameter,
		    gpointer data)
{
	spt_help_show(gtk_application_get_active_window(GTK_APPLICATION(data)));
}

static void on_quit(G_GNUC_UNUSED GSimpleAction *action, G_GNUC_UNUSED GVariant *parameter,
		    gpointer data)
{
	GList *windows;

	/* Closing lets each window end its activity. */
	while ((windows = gtk_application_get_windows(GTK_APPLICATION(data)))) {
		GtkWindow *window = windows->data;

		gtk_window_close(window);
		if (g_list_find(gtk_application_get_windows(GTK_APPLICATION(data)), window))
			return;
	}
}

static void application_add_keys(GtkApplication *application)
{
	static const struct {
		const char *action;
		const char *keys[3];
	} table[] = {
		{ "win.open", { "<Control>o" } },
		{ "win.record-or-stop", { "<Control>r" } },
		{ "win.reset", { "<Control><Shift>r" } },
		{ "win.save-as", { "<Control>s", "<Control><Shift>s" } },
		{ "win.search", { "<Control>f" } },
		{ "win.copy-list", { "<Control><Shift>c" } },
		{ "win.print", { "<Control>p" } },
		{ "window.close", { "<Control>w" } },
		{ "app.preferences", { "<Control>comma" } },
		{ "app.help", { "F1" } },
		{ "win.show-help-overlay", { "<Control>question", "<Control>F1" } },
		{ "app.quit", { "<Control>q" } },
	};
	const SptPage *page;

	for (unsigned i = 0; i < G_N_ELEMENTS(table); i++)
		gtk_application_set_accels_for_action(application, table[i].action, table[i].keys);
	for (unsigned i = 0; (page = spt_page(i)); i++) {
		g_autofree char *action = g_strconcat("win.show-view::", page->name, NULL);
		const char *const keys[] = { page->key, NULL };

		gtk_application_set_accels_for_action(application, action, keys);
	}
}

static void startup(GApplication *application)
{
	static const GActionEntry actions[] = {
		{ .name = "about", .activate = on_about },
		{ .name = "preferences", .activate = on_preferences },
		{ .name = "help", .activate = on_help },
		{ .name = "quit", .activate = on_quit },
	};

	G_APPLICATION_CLASS(spt_application_parent_class)->startup(application);
	g_action_map_add_action_entries(G_ACTION_MAP(application), actions, G_N_ELEMENTS(actions),
					application);
	application_add_keys(GTK_APPLICATION(application));
	spt_preferences_apply_style();
	gtk_window_set_default_icon_name(APPLICATION_ID);
}

/* Once. */
static void record_command(SptApplication *self, SptWindow *window)
{
	g_autofree char *command = g_steal_pointer(&self->command);

	if (command)
		gtk_widget_activate_action(GTK_WIDGET(window), "win.record-command", "(sss)",
					   command, "", "");
}

static void activate(GApplication *application)
{
	SptWindow *window = spt_window_new(GTK_APPLICATION(application));

	spt_window_start(window);
	gtk_window_present(GTK_WINDOW(window));
	record_command(SPT_APPLICATION(application), window);
}

static void open_files(GApplication *application, GFile **files, int n,
		       G_GNUC_UNUSED const char *hint)
{
	for (int i = 0; i < n; i++) {
		SptWindow *window = spt_window_new(GTK_APPLICATION(application));

		spt_window_open(window, files[i]);
		gtk_window_present(GTK_WINDOW(window));
	}
	if (SPT_APPLICATION(application)->command)
		activate(application);
}

static char *quote_words(char **words)
{
	GString *line = g_string_new(NULL);

	for (; *words; words++) {
		g_autofree char *word = g_shell_quote(*words);

		g_string_append_printf(line, "%s%s", line->len ? " " : "", word);
	}
	return g_string_free(line, FALSE);
}

/* GLib's message about an unknown option. */
static char *refused;

static void keep_message(const char *text)
{
	if (refused || !strstr(text, " -")) {
		fputs(text, stderr);
		return;
	}
	refused = g_strchomp(g_strdup(text));
}

/* GLib's message has neither the program's name nor a remedy. */
static void print_refused(void)
{
	const char *name = g_get_prgname();

	if (refused)
		g_printerr(_("%s: %s; \"%s --help\" lists the options\n"), name, refused, name);
	g_clear_pointer(&refused, g_free);
}

/*
 * The command runs in this process's directory and environment, so no other running viewer is asked
 * to do it.
 */
static gboolean local_command_line(GApplication *application, char ***arguments, int *status)
{
	GPrintFunc previous;
	gboolean is_done;
	unsigned at = 1;

	while ((*arguments)[at] && strcmp((*arguments)[at], "--") != 0)
		at++;
	if ((*arguments)[at] && (*arguments)[at + 1]) {
		SPT_APPLICATION(application)->command = quote_words(*arguments + at + 1);
		g_application_set_flags(application, g_application_get_flags(application) |
							     G_APPLICATION_NON_UNIQUE);
		for (; (*arguments)[at]; at++)
			g_clear_pointer(&(*arguments)[at], g_free);
	}
	previous = g_set_printerr_handler(keep_message);
	is_done = G_APPLICATION_CLASS(spt_application_parent_class)
			  ->local_command_line(application, arguments, status);
	g_set_printerr_handler(previous);
	print_refused();
	return is_done;
}

static int handle_local_options(G_GNUC_UNUSED GApplication *application, GVariantDict *options)
{
	if (!g_variant_dict_contains(options, "version"))
		return -1;
	g_print("%s %s\n", g_get_prgname(), SPT_VERSION);
	return 0;
}

static void application_finalize(GObject *object)
{
	g_free(SPT_APPLICATION(object)->command);
	G_OBJECT_CLASS(spt_application_parent_class)->finalize(object);
}

static void spt_application_class_init(SptApplicationClass *class)
{
	GApplicationClass *application_class = G_APPLICATION_CLASS(class);

	G_OBJECT_CLASS(class)->finalize = application_finalize;
	application_class->local_command_line = local_command_line;
	application_class->startup = startup;
	application_class->activate = activate;
	application_class->open = open_files;
	application_class->handle_local_options = handle_local_options;
}

static void spt_application_init(SptApplication *self)
{
	g_application_add_main_option(G_APPLICATION(self), "version", 0, 0, G_OPTION_ARG_NONE,
				      _("Print the version and end"), NULL);
	g_application_set_option_context_parameter_string(
		G_APPLICATION(self), _("[FILE...] [-- COMMAND [ARGUMENT...]]"));
	g_application_set_option_context_summary(
		G_APPLICATION(self),
		_("Records where the whole system spends its time, and shows recordings."));
}

SptApplication *spt_application_new(void)
{
	return g_object_new(SPT_TYPE_APPLICATION, "application-id", APPLICATION_ID,
			    "resource-base-path", "/io/github/sysprof_trace/Sysprof", "flags",
			    G_APPLICATION_HANDLES_OPEN, NULL);
}
