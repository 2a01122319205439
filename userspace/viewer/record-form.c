/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There are several of these; each shows what was chosen in another one when it comes up. */
#include "record-form.h"

#include <glib/gi18n.h>
#include <unistd.h>

#include "files.h"
#include "process-list.h"
#include "state.h"
#include "text.h"
#include "trace/trace.h"

#define RATE "rate"
#define STACKS "call-stacks"
#define COMMAND_LINES "command-lines"
#define WAITS	      "waits"

/* As in the list of rates; the first is that of the library. */
static const unsigned rates_hz[] = { 0, 100, 1000, 4000, 10000 };

struct _SptRecordForm {
	GtkWidget parent_instance;
	GtkWidget *command, *directory, *environment, *rate, *stacks, *command_lines, *waits,
		*process, *run;
	GArray *pids; /* uint32_t: of the list of processes */
};

G_DEFINE_FINAL_TYPE(SptRecordForm, spt_record_form, GTK_TYPE_WIDGET)

static const char *text_of(GtkWidget *entry)
{
	return gtk_editable_get_text(GTK_EDITABLE(entry));
}

static void on_run(SptRecordForm *self)
{
	if (*text_of(self->command))
		gtk_widget_activate_action(GTK_WIDGET(self), "win.record-command", "(sss)",
					   text_of(self->command), text_of(self->directory),
					   text_of(self->environment));
}

static void on_command_changed(SptRecordForm *self)
{
	gtk_widget_set_sensitive(self->run, *text_of(self->command) != '\0');
}

static void on_directory(GFile *file, gpointer data)
{
	SptRecordForm *self = data;

	if (g_file_peek_path(file))
		gtk_editable_set_text(GTK_EDITABLE(self->directory), g_file_peek_path(file));
}

static void on_choose_directory(SptRecordForm *self)
{
	spt_files_choose(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))), SPT_FILES_DIRECTORY,
			 NULL, on_directory, g_object_ref(self), g_object_unref);
}

static void on_chosen(GtkWidget *list, G_GNUC_UNUSED GParamSpec *spec, SptRecordForm *self)
{
	spt_state_set(list == self->rate ? RATE : STACKS,
		      (int)gtk_drop_down_get_selected(GTK_DROP_DOWN(list)));
}

static void on_toggled(GtkWidget *button, SptRecordForm *self)
{
	spt_state_set(button == self->waits ? WAITS : COMMAND_LINES,
		      gtk_check_button_get_active(GTK_CHECK_BUTTON(button)));
}

static unsigned recall(const char *key, unsigned n)
{
	int value = spt_state_get(key, 0);

	return value >= 0 && (unsigned)value < n ? (unsigned)value : 0;
}

/* NULL: they can be recorded. */
static const char *why_no_waits(void)
{
	g_autoptr(SptTrace) module = spt_trace_open_source(SPT_TRACE_MODULE, NULL);

	return module || geteuid() == 0 ? NULL : _("Waits need the kernel module, or root");
}

void spt_record_form_recall(SptRecordingOptions *options)
{
	options->rate_hz = rates_hz[recall(RATE, G_N_ELEMENTS(rates_hz))];
	options->stacks = recall(STACKS, SPT_STACKS_NONE + 1);
	options->no_command_lines = !spt_state_get(COMMAND_LINES, 1);
	options->waits = spt_state_get(WAITS, 0) && !why_no_waits();
}

/* The line for a terminal that records what the form says. */
static char *command_line(SptRecordForm *self)
{
	SptRecordingOptions options = { 0 };
	GString *line = g_string_new(spt_text_cli());

	g_string_append(line, " record");
	spt_record_form_recall(&options);
	if (options.rate_hz)
		g_string_append_printf(line, " -F %u", options.rate_hz);
	if (options.stacks != SPT_STACKS_AUTO)
		g_string_append(line, options.stacks == SPT_STACKS_FP ? " --stacks fp" :
									" --stacks none");
	if (options.waits)
		g_string_append(line, " --waits");
	if (options.no_command_lines)
		g_string_append(line, " --no-command-lines");
	if (*text_of(self->command))
		g_string_append_printf(line, " -- %s", text_of(self->command));
	return g_string_free(line, FALSE);
}

static void on_copy(SptRecordForm *self)
{
	g_autofree char *line = command_line(self), *said = g_strdup_printf(_("Copied: %s"), line);

	gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), line);
	gtk_widget_activate_action(GTK_WIDGET(self), "win.toast", "s", said);
}

static void on_run_process(SptRecordForm *self)
{
	unsigned at = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->process));

	if (self->pids && at < self->pids->len)
		gtk_widget_activate_action(GTK_WIDGET(self), "win.record-process", "u",
					   g_array_index(self->pids, uint32_t, at));
}

static void list_processes(SptRecordForm *self)
{
	g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

	g_clear_pointer(&self->pids, g_array_unref);
	self->pids = spt_process_list(names);
	gtk_drop_down_set_model(GTK_DROP_DOWN(self->process), G_LIST_MODEL(names));
}

static void map(GtkWidget *widget)
{
	SptRecordForm *self = SPT_RECORD_FORM(widget);
	const char *why = why_no_waits();

	gtk_drop_down_set_selected(GTK_DROP_DOWN(self->rate), recall(RATE, G_N_ELEMENTS(rates_hz)));
	gtk_drop_down_set_selected(GTK_DROP_DOWN(self->stacks),
				   recall(STACKS, SPT_STACKS_NONE + 1));
	gtk_check_button_set_active(GTK_CHECK_BUTTON(self->command_lines),
				    spt_state_get(COMMAND_LINES, 1) != 0);
	/* What is not to be had here is said, and stays as it was chosen. */
	gtk_widget_set_sensitive(self->waits, !why);
	gtk_check_button_set_label(GTK_CHECK_BUTTON(self->waits),
				   why ? why : _("Waits: where threads do not run"));
	if (!why)
		gtk_check_button_set_active(GTK_CHECK_BUTTON(self->waits),
					    spt_state_get(WAITS, 0) != 0);
	list_processes(self);
	GTK_WIDGET_CLASS(spt_record_form_parent_class)->map(widget);
}

static gboolean grab_focus(GtkWidget *widget)
{
	return gtk_widget_grab_focus(SPT_RECORD_FORM(widget)->command);
}

static void dispose(GObject *object)
{
	GtkWidget *child;

	g_clear_pointer(&SPT_RECORD_FORM(object)->pids, g_array_unref);
	gtk_widget_dispose_template(GTK_WIDGET(object), SPT_TYPE_RECORD_FORM);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(object))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_record_form_parent_class)->dispose(object);
}

static void spt_record_form_class_init(SptRecordFormClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = dispose;
	widget_class->map = map;
	widget_class->grab_focus = grab_focus;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/record-form.ui");
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, command);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, directory);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, environment);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, rate);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, stacks);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, command_lines);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, waits);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, process);
	gtk_widget_class_bind_template_child(widget_class, SptRecordForm, run);
	gtk_widget_class_bind_template_callback(widget_class, on_run);
	gtk_widget_class_bind_template_callback(widget_class, on_command_changed);
	gtk_widget_class_bind_template_callback(widget_class, on_choose_directory);
	gtk_widget_class_bind_template_callback(widget_class, on_chosen);
	gtk_widget_class_bind_template_callback(widget_class, on_toggled);
	gtk_widget_class_bind_template_callback(widget_class, on_copy);
	gtk_widget_class_bind_template_callback(widget_class, on_run_process);
}

static void spt_record_form_init(SptRecordForm *self)
{
	gtk_widget_init_template(GTK_WIDGET(self));
}
