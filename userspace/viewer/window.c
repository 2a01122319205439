/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One window shows one recording, or makes one.  A new recording is a file in the user's cache, and
 * is opened from there when it ends, complete or not.  The newest few stay until newer ones come
 * (cache.c).
 */
#include "window.h"

#include <glib/gi18n.h>
#include <string.h>

#include "about.h"
#include "busy-page.h"
#include "cache.h"
#include "document.h"
#include "files.h"
#include "live-page.h"
#include "narrow.h"
#include "opening.h"
#include "record-controls.h"
#include "record-again.h"
#include "record-choices.h"
#include "recents.h"
#include "reach.h"
#include "record-run.h"
#include "export-menu.h"
#include "shortcuts.h"
#include "start-page.h"
#include "state.h"
#include "text.h"
#include "views.h"
#include "work.h"

#define DEFAULT_WIDTH 1280
#define DEFAULT_HEIGHT 800
#define PROGRAM "Sysprof"
#define TICK_MS 100
#define BAR_AFTER_TICKS 2
#define MUCH_LOST_ONE_IN 10 /* samples */

struct _SptWindow {
	AdwApplicationWindow parent_instance;
	GMenu *exports;
	AdwViewSwitcherTitle *switcher;
	AdwViewSwitcherBar *switcher_bar;
	unsigned bar_source;
	AdwToastOverlay *toasts;
	AdwToast *toast;		/* the last recording, while it exists */
	GtkWidget *message_bar, *message, *stack, *status;
	SptBusyPage *busy;
	SptRecordControls *controls;
	SptStartPage *start_page;
	SptLivePage *live_page;
	SptViews *views;
	char *path;			/* file of the shown recording; NULL: nothing is */
	char *about;			/* recorded command or process, and output file */
	char *what;			/* as one text */
	char *opening;			/* path */
	bool is_opening_to_compare;
	GCancellable *open_cancellable;
	unsigned opening_source, opening_ticks;
	SptRecordRun *recording;
	bool is_narrow;
};

G_DEFINE_FINAL_TYPE(SptWindow, spt_window, ADW_TYPE_APPLICATION_WINDOW)

enum { PROP_NARROW = 1 };

/* Messages. */

static void complain(SptWindow *self, const char *text)
{
	gtk_label_set_text(GTK_LABEL(self->message), text);
	gtk_info_bar_set_revealed(GTK_INFO_BAR(self->message_bar), TRUE);
}

static void on_message_closed(SptWindow *self)
{
	gtk_info_bar_set_revealed(GTK_INFO_BAR(self->message_bar), FALSE);
}

/* The window's state. */

static void window_set_actions(SptWindow *self)
{
	static const struct {
		const char *action;
		bool while_recording, needs_document;
	} rules[] = {
		{ "win.open", false, false },
		{ "win.open-path", false, false },
		{ "win.export", false, true },
		{ "win.record", false, false },
		{ "win.record-command", false, false },
		{ "win.record-process", false, false },
		{ "win.record-everything", false, false },
		{ "win.stop", true, false },
		{ "win.reset", true, false },
		{ "win.discard", true, false },
		{ "win.save-as", false, true },
		{ "win.search", false, true },
		{ "win.show-view", false, true },
		{ "win.compare", false, true },
		{ "win.copy-list", false, true },
		{ "win.print", false, true },
		{ "win.save-picture", false, true },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rules); i++)
		gtk_widget_action_set_enabled(GTK_WIDGET(self), rules[i].action,
					      rules[i].while_recording ==
							      (self->recording != NULL) &&
						      (self->path || !rules[i].needs_document));
	if (self->recording && !spt_record_run_can_reset(self->recording))
		gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.reset", FALSE);
	spt_record_controls_set_recording(self->controls, self->recording != NULL);
}

/* The switcher is at the bottom where the header has no room for it. */
static void show_bar(SptWindow *self)
{
	bool is_shown = adw_view_switcher_title_get_title_visible(self->switcher) &&
			adw_view_switcher_title_get_view_switcher_enabled(self->switcher);

	adw_view_switcher_bar_set_reveal(self->switcher_bar, is_shown);
	/* GTK 4.8 complains about the height of a bar that is there and not revealed. */
	gtk_widget_set_visible(GTK_WIDGET(self->switcher_bar), is_shown);
}

static gboolean show_bar_now(gpointer data)
{
	SptWindow *self = data;

	self->bar_source = 0;
	show_bar(self);
	return G_SOURCE_REMOVE;
}

/* The title says so while the window is laid out, when a bar that goes would leave a gap. */
static void queue_bar(SptWindow *self)
{
	if (!self->bar_source)
		self->bar_source =
			g_idle_add_full(G_PRIORITY_HIGH_IDLE, show_bar_now, self, NULL);
}

static void window_show_page(SptWindow *self, const char *name)
{
	gtk_stack_set_visible_child_name(GTK_STACK(self->stack), name);
	adw_view_switcher_title_set_view_switcher_enabled(self->switcher,
							  strcmp(name, "panes") == 0);
	show_bar(self);
}

static void set_status(SptWindow *self, const char *text)
{
	gtk_label_set_text(GTK_LABEL(self->status), text);
	gtk_widget_show(self->status);
}

static void show_title(SptWindow *self, const char *title, const char *subtitle)
{
	g_autofree char *window_title = g_strdup_printf("%s - Sysprof", title);

	gtk_window_set_title(GTK_WINDOW(self), window_title);
	adw_view_switcher_title_set_title(self->switcher, title);
	adw_view_switcher_title_set_subtitle(self->switcher, subtitle);
}

/* Name of the shown recording: that of its file, unless it has no name yet. */
static char *window_name_of(SptWindow *self)
{
	char *name = spt_cache_title(self->path, self->what);

	return name ? name : g_filename_display_basename(self->path);
}

static void set_title(SptWindow *self)
{
	g_autofree char *name = window_name_of(self);
	g_autofree char *subtitle = spt_cache_owns(self->path) ?
					    g_strdup_printf(_("%s, not saved"), self->about) :
					    g_strdup(self->about);

	show_title(self, name, subtitle);
	spt_views_set_title(self->views, name, subtitle);
}

/* Back to the state before an opening or a recording that failed. */
static void show_last(SptWindow *self)
{
	window_show_page(self, self->path ? "panes" : "start");
	gtk_widget_set_visible(self->status, self->path != NULL);
	if (self->path) {
		set_title(self);
	} else {
		gtk_window_set_title(GTK_WINDOW(self), PROGRAM);
		adw_view_switcher_title_set_title(self->switcher, PROGRAM);
		adw_view_switcher_title_set_subtitle(self->switcher, NULL);
	}
}

/* Opening. */

/* No activity, or none of interest. */
static void end_opening(SptWindow *self)
{
	if (self->open_cancellable)
		g_cancellable_cancel(self->open_cancellable);
	g_clear_object(&self->open_cancellable);
	g_clear_handle_id(&self->opening_source, g_source_remove);
}

/* Quick operations need no progress bar. */
static gboolean window_show_progress(gpointer data)
{
	SptWindow *self = data;

	spt_busy_page_update(self->busy);
	if (++self->opening_ticks == BAR_AFTER_TICKS) {
		window_show_page(self, "busy");
		gtk_widget_hide(self->status);
		gtk_widget_grab_focus(GTK_WIDGET(self->busy));
	}
	return G_SOURCE_CONTINUE;
}

static void compare_with(SptWindow *self, SptDocument *before)
{
	g_autofree char *path = g_steal_pointer(&self->opening), *name = g_path_get_basename(path);

	show_last(self);
	spt_views_compare(self->views, before, name);
}

/* Losses of a recording are shown where they are seen first. */
static void warn(SptWindow *self, const SptDocument *document)
{
	const SptSummary *summary = &document->recording->summary;
	uint64_t all = summary->samples + summary->lost;
	g_autofree char *text = NULL;

	if (document->recording->capture->damage)
		text = g_strdup_printf(_("This file is damaged, and part of it is missing: %s"),
				       document->recording->capture->damage);
	else if (summary->lost * MUCH_LOST_ONE_IN > all)
		text = g_strdup_printf(
			_("%.0f %% of the samples were lost: what follows is about the rest"),
			100 * (double)summary->lost / (double)all);
	if (text)
		complain(self, text);
}

static void on_opened(G_GNUC_UNUSED GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(SptWindow) self = data;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptDocument) document = spt_opening_finish(result, &error);
	g_autofree char *text = NULL;

	/* The window was closed meanwhile, or something else is being opened. */
	if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
		return;
	g_clear_object(&self->open_cancellable);
	g_clear_handle_id(&self->opening_source, g_source_remove);
	if (!document) {
		g_clear_pointer(&self->opening, g_free);
		complain(self, error->message);
		show_last(self);
		return;
	}
	if (self->is_opening_to_compare) {
		compare_with(self, document);
		return;
	}
	g_free(self->path);
	self->path = g_steal_pointer(&self->opening);
	g_free(self->about);
	self->about = spt_about_origin(document);
	g_free(self->what);
	self->what = spt_about_word(document);
	text = spt_about_numbers(document);
	set_status(self, text);
	set_title(self);
	warn(self, document);
	spt_views_set_document(self->views, document);
	spt_work_is_complete();
	spt_recents_add(self->path);
	window_show_page(self, "panes");
	window_set_actions(self);
}

static void open_path(SptWindow *self, const char *path, bool to_compare)
{
	g_autofree char *title = NULL, *name = g_filename_display_basename(path);

	end_opening(self);
	self->open_cancellable = g_cancellable_new();
	self->is_opening_to_compare = to_compare;
	self->opening_ticks = 0;
	self->opening_source = g_timeout_add(TICK_MS, window_show_progress, self);
	g_free(self->opening);
	self->opening = g_strdup(path);
	title = g_strdup_printf(_("Opening %s"), name);
	spt_busy_page_begin(self->busy, self->open_cancellable, title);
	spt_opening_start(path, self->open_cancellable, on_opened, g_object_ref(self));
}

void spt_window_open(SptWindow *self, GFile *file)
{
	const char *path = g_file_peek_path(file);
	g_autofree char *uri = NULL, *text = NULL;

	on_message_closed(self);
	if (path) {
		open_path(self, path, false);
		return;
	}
	uri = g_file_get_uri(file);
	text = g_strdup_printf(
		_("Cannot open %s: it is not a file of this machine. Copy it here first."), uri);
	complain(self, text);
}

/* Recording. */

static void end_recording(SptWindow *self)
{
	spt_live_page_set_recording(self->live_page, NULL);
	g_signal_handlers_disconnect_by_data(self->recording, self);
	g_clear_object(&self->recording);
}

static void on_recording_ended(SptRecordRun *recording, SptWindow *self)
{
	g_autofree char *path = g_strdup(spt_record_run_path(recording));
	g_autofree char *part = g_strconcat(path, ".part", NULL);
	g_autofree char *ending = spt_record_run_how_it_ended(recording);
	const GError *error = spt_record_run_error(recording);

	if (error)
		complain(self, error->message);
	else if (ending)
		complain(self, ending);
	end_recording(self);
	window_set_actions(self);
	if (g_file_test(path, G_FILE_TEST_EXISTS))
		open_path(self, path, false);
	else if (g_file_test(part, G_FILE_TEST_EXISTS))
		open_path(self, part, false);
	else
		show_last(self);
}

static void start_recording(SptWindow *self, SptRecordOptions *options)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = spt_cache_new_path(&error), *program = NULL;

	on_message_closed(self);
	spt_record_choices_apply(options);
	if (path)
		self->recording = spt_record_run_start(path, options, &error);
	if (!self->recording) {
		complain(self, error->message);
		return;
	}
	end_opening(self);
	g_signal_connect(self->recording, "ended", G_CALLBACK(on_recording_ended), self);
	spt_live_page_set_recording(self->live_page, self->recording);
	window_set_actions(self);
	gtk_widget_hide(self->status);
	program = spt_about_request(options);
	show_title(self, program, _("Recording"));
	window_show_page(self, "live");
}

/* Actions. */

static void on_record(GtkWidget *widget, const char *action, G_GNUC_UNUSED GVariant *parameter)
{
	g_auto(SptRecordOptions) options = { .everything = g_str_equal(action, "win.record-everything") };

	start_recording(SPT_WINDOW(widget), &options);
}

static void on_record_command(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			      GVariant *command)
{
	g_auto(SptRecordOptions) options = { 0 };

	spt_record_again_keep(command);
	g_variant_get(command, "(sss)", &options.command, &options.directory, &options.environment);
	start_recording(SPT_WINDOW(widget), &options);
}

static void on_record_process(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *pid)
{
	g_auto(SptRecordOptions) options = { .pid = g_variant_get_uint32(pid) };

	start_recording(SPT_WINDOW(widget), &options);
}

static void on_stop(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		    G_GNUC_UNUSED GVariant *parameter)
{
	spt_record_run_stop(SPT_WINDOW(widget)->recording);
}

static void on_reset(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		     G_GNUC_UNUSED GVariant *parameter)
{
	spt_record_run_reset(SPT_WINDOW(widget)->recording);
	spt_live_page_set_recording(SPT_WINDOW(widget)->live_page, SPT_WINDOW(widget)->recording);
}

static void on_discard(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		       G_GNUC_UNUSED GVariant *parameter)
{
	spt_record_run_discard(SPT_WINDOW(widget)->recording);
}

/* One key starts and stops. */
static void on_toggle(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		      G_GNUC_UNUSED GVariant *parameter)
{
	gtk_widget_activate_action(widget,
				   SPT_WINDOW(widget)->recording ? "win.stop" : "win.record", NULL);
}

static void on_cancel(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		      G_GNUC_UNUSED GVariant *parameter)
{
	end_opening(SPT_WINDOW(widget));
	show_last(SPT_WINDOW(widget));
}

static void window_on_search(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			     G_GNUC_UNUSED GVariant *parameter)
{
	spt_views_focus_search(SPT_WINDOW(widget)->views);
}

static void on_show_view(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *name)
{
	spt_views_show(SPT_WINDOW(widget)->views, g_variant_get_string(name, NULL));
}

/* Name of a file made from it. */
static char *stem_of(const SptWindow *self)
{
	char *name = spt_cache_title(self->path, self->what), *ending;

	if (name)
		return name;
	name = g_path_get_basename(self->path);
	ending = strrchr(name, '.');
	if (ending && ending != name)
		*ending = '\0';
	return name;
}

static void on_copy_list(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			 G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *views = SPT_WINDOW(widget)->views;
	uint32_t n;
	const uint32_t *list = spt_views_list(views, &n);

	spt_share_copy(widget, spt_views_document(views), list, n);
}

static void on_print(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		     G_GNUC_UNUSED GVariant *parameter)
{
	SptViews *views = SPT_WINDOW(widget)->views;
	uint32_t n;
	const uint32_t *list = spt_views_list(views, &n);

	spt_share_print(GTK_WINDOW(widget), spt_views_document(views), list, n);
}

static void on_save_picture(GtkWidget *widget, G_GNUC_UNUSED const char *action,
			    G_GNUC_UNUSED GVariant *parameter)
{
	g_autofree char *name = stem_of(SPT_WINDOW(widget));

	spt_share_picture(GTK_WINDOW(widget), spt_views_picture(SPT_WINDOW(widget)->views), name);
}

static void on_export(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *format)
{
	SptWindow *self = SPT_WINDOW(widget);
	g_autofree char *name = stem_of(self);

	spt_share_export(GTK_WINDOW(self), spt_views_document(self->views),
			 g_variant_get_string(format, NULL), name);
}

static void on_complain(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *text)
{
	complain(SPT_WINDOW(widget), g_variant_get_string(text, NULL));
}

/* Reports success where no other place in the window does. */
static void on_toast(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *text)
{
	SptWindow *self = SPT_WINDOW(widget);
	g_autofree char *title = g_markup_escape_text(g_variant_get_string(text, NULL), -1);

	/* The last message counts; it disappears by itself. */
	if (self->toast)
		adw_toast_dismiss(self->toast);
	g_set_weak_pointer(&self->toast, adw_toast_new(title));
	adw_toast_overlay_add_toast(self->toasts, self->toast);
}

static void on_open_path(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *path)
{
	g_autoptr(GFile) file = g_file_new_for_path(g_variant_get_bytestring(path));

	spt_window_open(SPT_WINDOW(widget), file);
}

static void on_file_chosen(GFile *file, gpointer window)
{
	if (!SPT_WINDOW(window)->recording)
		spt_window_open(window, file);
}

static void on_open(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		    G_GNUC_UNUSED GVariant *parameter)
{
	spt_files_choose(GTK_WINDOW(widget), SPT_FILES_OPEN, NULL, on_file_chosen, widget, NULL);
}

static void on_before_chosen(GFile *file, gpointer window)
{
	const char *path = g_file_peek_path(file);

	if (!path) {
		complain(
			window,
			_("Cannot compare with that: it is not a file of this machine. Copy it here first."));
		return;
	}
	/* A choice that was made while something else was started. */
	if (!SPT_WINDOW(window)->recording && SPT_WINDOW(window)->path)
		open_path(window, path, true);
}

static void on_compare(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		       G_GNUC_UNUSED GVariant *parameter)
{
	spt_files_choose(GTK_WINDOW(widget), SPT_FILES_OPEN, NULL, on_before_chosen, widget, NULL);
}

struct copy {
	SptWindow *window;
	char *target;
};

static void on_copied(GObject *source, GAsyncResult *result, gpointer data)
{
	struct copy *copy = data;
	SptWindow *self = copy->window;
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	if (!g_file_copy_finish(G_FILE(source), result, &error)) {
		text = g_strdup_printf(_("Cannot save the recording as %s: %s."), copy->target,
				       error->message);
		complain(self, text);
	} else if (g_strcmp0(self->path, g_file_peek_path(G_FILE(source))) == 0) {
		g_free(self->path);
		self->path = g_strdup(copy->target);
		set_title(self);
	}
	g_object_unref(copy->window);
	g_free(copy->target);
	g_free(copy);
}

static void on_target_chosen(GFile *file, gpointer window)
{
	SptWindow *self = window;
	g_autoptr(GFile) source = g_file_new_for_path(self->path);
	const char *target = g_file_peek_path(file);
	struct copy *copy;

	if (!target || g_file_equal(source, file)) {
		complain(
			self,
			_("Cannot save the recording there: choose another file, on this machine."));
		return;
	}
	copy = g_new(struct copy, 1);
	*copy = (struct copy){ g_object_ref(self), g_strdup(target) };
	g_file_copy_async(source, file, G_FILE_COPY_OVERWRITE, G_PRIORITY_DEFAULT, NULL, NULL, NULL,
			  on_copied, copy);
}

static void on_save_as(GtkWidget *widget, G_GNUC_UNUSED const char *action,
		       G_GNUC_UNUSED GVariant *parameter)
{
	SptWindow *self = SPT_WINDOW(widget);
	g_autofree char *title = spt_cache_title(self->path, self->what);
	g_autofree char *name = title ? g_strconcat(title, ".capture", NULL) :
					g_path_get_basename(self->path);

	spt_files_choose(GTK_WINDOW(widget), SPT_FILES_SAVE, name, on_target_chosen, widget, NULL);
}

/* Files dropped on the window: the first one here, more in windows of their own. */
static gboolean on_drop(G_GNUC_UNUSED GtkDropTarget *target, const GValue *value,
			G_GNUC_UNUSED double x, G_GNUC_UNUSED double y, SptWindow *self)
{
	g_autoptr(GSList) files = gdk_file_list_get_files(g_value_get_boxed(value));

	if (self->recording || !files)
		return FALSE;
	spt_window_open(self, files->data);
	for (GSList *at = files->next; at; at = at->next) {
		SptWindow *other = spt_window_new(gtk_window_get_application(GTK_WINDOW(self)));

		spt_window_open(other, at->data);
		gtk_window_present(GTK_WINDOW(other));
	}
	return TRUE;
}

/* Life. */

static void remember_size(GtkWindow *window)
{
	int width, height;

	gtk_window_get_default_size(window, &width, &height);
	spt_state_set("width", width);
	spt_state_set("height", height);
	spt_state_set("maximized", gtk_window_is_maximized(window));
}

static void recall_size(GtkWindow *window)
{
	gtk_window_set_default_size(window,
				    CLAMP(spt_state_get("width", DEFAULT_WIDTH), 320, 16384),
				    CLAMP(spt_state_get("height", DEFAULT_HEIGHT), 240, 16384));
	if (spt_state_get("maximized", 0))
		gtk_window_maximize(window);
}

static gboolean close_request(GtkWindow *window)
{
	SptWindow *self = SPT_WINDOW(window);

	remember_size(window);

	/* A recorder that is killed leaves less than one that ends. */
	if (self->recording) {
		spt_record_run_stop(self->recording);
		spt_record_run_wait(self->recording);
	}
	return GTK_WINDOW_CLASS(spt_window_parent_class)->close_request(window);
}

static void window_dispose(GObject *object)
{
	SptWindow *self = SPT_WINDOW(object);

	end_opening(self);
	if (self->recording)
		end_recording(self);
	g_clear_handle_id(&self->bar_source, g_source_remove);
	g_clear_weak_pointer(&self->toast);
	g_clear_pointer(&self->path, g_free);
	g_clear_pointer(&self->opening, g_free);
	g_clear_pointer(&self->about, g_free);
	g_clear_pointer(&self->what, g_free);
	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_WINDOW);
	G_OBJECT_CLASS(spt_window_parent_class)->dispose(object);
}

static void window_get_property(GObject *object, G_GNUC_UNUSED guint id, GValue *value,
				G_GNUC_UNUSED GParamSpec *spec)
{
	g_value_set_boolean(value, SPT_WINDOW(object)->is_narrow);
}

static void window_set_property(GObject *object, G_GNUC_UNUSED guint id, const GValue *value,
				GParamSpec *spec)
{
	SptWindow *self = SPT_WINDOW(object);

	if (self->is_narrow == g_value_get_boolean(value))
		return;
	self->is_narrow = g_value_get_boolean(value);
	g_object_notify_by_pspec(object, spec);
}

static void window_bind_children(GtkWidgetClass *class)
{
	gtk_widget_class_bind_template_child(class, SptWindow, exports);
	gtk_widget_class_bind_template_child(class, SptWindow, toasts);
	gtk_widget_class_bind_template_child(class, SptWindow, message_bar);
	gtk_widget_class_bind_template_child(class, SptWindow, message);
	gtk_widget_class_bind_template_child(class, SptWindow, stack);
	gtk_widget_class_bind_template_child(class, SptWindow, start_page);
	gtk_widget_class_bind_template_child(class, SptWindow, live_page);
	gtk_widget_class_bind_template_child(class, SptWindow, busy);
	gtk_widget_class_bind_template_child(class, SptWindow, status);
	gtk_widget_class_bind_template_child(class, SptWindow, switcher);
	gtk_widget_class_bind_template_child(class, SptWindow, switcher_bar);
	gtk_widget_class_bind_template_child(class, SptWindow, controls);
	gtk_widget_class_bind_template_child(class, SptWindow, views);
	gtk_widget_class_bind_template_callback(class, on_message_closed);
}

static void spt_window_class_init(SptWindowClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_BUSY_PAGE);
	g_type_ensure(SPT_TYPE_START_PAGE);
	g_type_ensure(SPT_TYPE_VIEWS);
	g_type_ensure(SPT_TYPE_RECORD_CONTROLS);
	g_type_ensure(SPT_TYPE_LIVE_PAGE);
	G_OBJECT_CLASS(class)->dispose = window_dispose;
	G_OBJECT_CLASS(class)->get_property = window_get_property;
	G_OBJECT_CLASS(class)->set_property = window_set_property;
	g_object_class_install_property(G_OBJECT_CLASS(class), PROP_NARROW,
		g_param_spec_boolean("narrow", NULL, NULL, FALSE,
							     G_PARAM_READWRITE |
								     G_PARAM_STATIC_STRINGS |
					     G_PARAM_EXPLICIT_NOTIFY));
	GTK_WINDOW_CLASS(class)->close_request = close_request;
	gtk_widget_class_set_template_from_resource(widget_class,
						    "/io/github/sysprof_trace/Sysprof/window.ui");
	window_bind_children(widget_class);
	gtk_widget_class_install_action(widget_class, "win.open", NULL, on_open);
	gtk_widget_class_install_action(widget_class, "win.record", NULL, on_record);
	gtk_widget_class_install_action(widget_class, "win.record-command", "(sss)",
					on_record_command);
	gtk_widget_class_install_action(widget_class, "win.record-process", "u", on_record_process);
	gtk_widget_class_install_action(widget_class, "win.record-everything", NULL, on_record);
	gtk_widget_class_install_action(widget_class, "win.stop", NULL, on_stop);
	gtk_widget_class_install_action(widget_class, "win.reset", NULL, on_reset);
	gtk_widget_class_install_action(widget_class, "win.discard", NULL, on_discard);
	gtk_widget_class_install_action(widget_class, "win.record-or-stop", NULL, on_toggle);
	gtk_widget_class_install_action(widget_class, "win.save-as", NULL, on_save_as);
	gtk_widget_class_install_action(widget_class, "win.open-path", "ay", on_open_path);
	gtk_widget_class_install_action(widget_class, "win.export", "s", on_export);
	gtk_widget_class_install_action(widget_class, "win.complain", "s", on_complain);
	gtk_widget_class_install_action(widget_class, "win.toast", "s", on_toast);
	gtk_widget_class_install_action(widget_class, "win.cancel-opening", NULL, on_cancel);
	gtk_widget_class_install_action(widget_class, "win.search", NULL, window_on_search);
	gtk_widget_class_install_action(widget_class, "win.compare", NULL, on_compare);
	gtk_widget_class_install_action(widget_class, "win.copy-list", NULL, on_copy_list);
	gtk_widget_class_install_action(widget_class, "win.print", NULL, on_print);
	gtk_widget_class_install_action(widget_class, "win.save-picture", NULL, on_save_picture);
	gtk_widget_class_install_action(widget_class, "win.show-view", "s", on_show_view);
}

static void spt_window_init(SptWindow *self)
{
	GtkDropTarget *drop = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

	gtk_widget_init_template(GTK_WIDGET(self));
	spt_share_add_formats(self->exports);
	g_signal_connect(drop, "drop", G_CALLBACK(on_drop), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drop));
	recall_size(GTK_WINDOW(self));
	spt_narrow_watch(GTK_WINDOW(self));
	adw_view_switcher_title_set_stack(self->switcher, spt_views_stack(self->views));
	adw_view_switcher_bar_set_stack(self->switcher_bar, spt_views_stack(self->views));
	g_signal_connect_object(self->switcher, "notify::title-visible", G_CALLBACK(queue_bar), self,
				G_CONNECT_SWAPPED);
	window_set_actions(self);
	spt_work_watch(GTK_WIDGET(self));
	/* Not a label whose text can be selected. */
	gtk_widget_grab_focus(GTK_WIDGET(self->controls));
}

SptWindow *spt_window_new(GtkApplication *application)
{
	SptWindow *window = g_object_new(SPT_TYPE_WINDOW, "application", application, NULL);

	spt_shortcuts_set(GTK_APPLICATION_WINDOW(window));
	return window;
}

void spt_window_start(SptWindow *self)
{
	spt_start_page_check(self->start_page);
	spt_start_page_refresh(self->start_page);
}
