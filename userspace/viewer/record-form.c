/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There are several of these; when one is shown, it takes over the choices made in another. */
#include "record-form.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "files.h"
#include "process-picker.h"
#include "reach.h"
#include "record-choices.h"
#include "state.h"
#include "trace/trace.h"

#define WHAT "what"

/* In the order in which they are saved. */
enum { SYSTEM, COMMAND, PROCESS, N_WHATS };

/* A row of "Also record". */
struct also {
	const SptEventOption *source;		/* either one */
	const SptStatementOption *statement;
	const char *key, *note;			/* of that */
	GtkWidget *row, *toggle;
};

struct _SptRecordForm {
	GtkWidget parent_instance;
	GtkWidget *whats[N_WHATS], *of_what, *where, *command, *directory, *environment, *process,
		*run, *everything, *what_is_recorded, *also_group, *said_group;
	AdwComboRow *rate, *stacks, *event;
	GtkWidget *names;		/* of events */
	GtkWidget *start_at, *stop_at;	/* names of marks */
	GtkSwitch *command_lines, *only_command, *only_count;
	GArray *also;			/* struct also, of what is recorded and of what is said */
	uint32_t pid; /* 0: none was chosen yet */
	SptReach reach;
	bool may_ask;			/* polkit, for everything */
};

G_DEFINE_FINAL_TYPE(SptRecordForm, spt_record_form, GTK_TYPE_WIDGET)

static const char *record_form_text_of(GtkWidget *entry)
{
	return gtk_editable_get_text(GTK_EDITABLE(entry));
}

static unsigned what_of(const SptRecordForm *self)
{
	for (unsigned i = 0; i < N_WHATS; i++)
		if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->whats[i])))
			return i;
	return SYSTEM;
}

static void on_run(SptRecordForm *self)
{
	GtkWidget *widget = GTK_WIDGET(self);
	unsigned what = what_of(self);

	if (what == SYSTEM)
		gtk_widget_activate_action(widget, "win.record", NULL);
	else if (what == PROCESS && self->pid)
		gtk_widget_activate_action(widget, "win.record-process", "u", self->pid);
	else if (what == COMMAND && *record_form_text_of(self->command))
		gtk_widget_activate_action(widget, "win.record-command", "(sss)",
					   record_form_text_of(self->command),
					   record_form_text_of(self->directory),
					   record_form_text_of(self->environment));
}

static char *record_form_problem_of(SptRecordForm *self, const struct also *also)
{
	if (also->statement)
		return spt_record_statement_problem(also->statement);
	if (also->source->of_command && what_of(self) != COMMAND)
		return g_strdup(_("Only of a command"));
	return spt_record_source_problem(also->source);
}

/* A source that cannot be recorded has the reason in its row, and keeps its choice. */
static void show_also(SptRecordForm *self)
{
	for (unsigned i = 0; i < self->also->len; i++) {
		const struct also *also = &g_array_index(self->also, struct also, i);
		g_autofree char *problem = record_form_problem_of(self, also);

		gtk_widget_set_sensitive(also->row, !problem);
		adw_action_row_set_subtitle(ADW_ACTION_ROW(also->row),
					    problem ? problem : _(also->note));
	}
}

static void show_events(SptRecordForm *self)
{
	g_autofree char *problem = spt_record_counters_problem();

	gtk_widget_set_sensitive(GTK_WIDGET(self->event), !problem);
	adw_action_row_set_subtitle(ADW_ACTION_ROW(self->event),
				    problem ? problem :
					      _("The event that triggers samples; all but the timer are counters of the CPU"));
}

static void record_form_update(SptRecordForm *self)
{
	bool is_own = self->reach == SPT_REACH_OWN || self->reach == SPT_REACH_OWN_USER;
	const char *const names[] = { is_own ? N_("Record Your Processes") :
					       N_("Record the Whole System"),
				      N_("Record Command"), N_("Record Process") };
	static const char *const pages[] = { "system", "command", "process" };
	unsigned what = what_of(self);

	gtk_stack_set_visible_child_name(GTK_STACK(self->of_what), pages[what]);
	gtk_widget_set_visible(self->where, what == COMMAND);
	gtk_button_set_label(GTK_BUTTON(self->run), _(names[what]));
	gtk_widget_set_visible(self->everything,
			       what == SYSTEM && self->may_ask &&
				       (is_own || self->reach == SPT_REACH_UNKNOWN));
	gtk_label_set_text(GTK_LABEL(self->what_is_recorded),
			   what == SYSTEM ? spt_reach_promise(self->reach) :
					    spt_reach_sides(self->reach));
	gtk_widget_set_sensitive(self->run,
				 what == SYSTEM ||
					 (what == COMMAND && *record_form_text_of(self->command)) ||
					 (what == PROCESS && self->pid));
}

static void on_what(GtkToggleButton *button, SptRecordForm *self)
{
	if (!gtk_toggle_button_get_active(button))
		return;
	spt_state_set(WHAT, (int)what_of(self));
	record_form_update(self);
	show_also(self);
	if (what_of(self) == COMMAND)
		gtk_widget_grab_focus(self->command);
}

static void on_directory(GFile *file, gpointer data)
{
	SptRecordForm *self = data;

	if (g_file_peek_path(file))
		gtk_editable_set_text(GTK_EDITABLE(self->directory), g_file_peek_path(file));
}

static GtkWindow *window_of(SptRecordForm *self)
{
	return GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self)));
}

static void on_choose_directory(SptRecordForm *self)
{
	spt_files_choose(window_of(self), SPT_FILES_DIRECTORY, NULL, on_directory,
			 g_object_ref(self), g_object_unref);
}

static void on_process(uint32_t pid, const char *name, gpointer data)
{
	SptRecordForm *self = data;
	g_autofree char *text = g_markup_printf_escaped("%s (%u)", name, pid);

	self->pid = pid;
	adw_action_row_set_subtitle(ADW_ACTION_ROW(self->process), text);
	record_form_update(self);
}

static void on_choose_process(SptRecordForm *self)
{
	spt_process_picker_show(window_of(self), on_process, G_OBJECT(self));
}

static void on_copy(SptRecordForm *self)
{
	unsigned what = what_of(self);
	const SptRecordOptions options = {
		.command = what == COMMAND && *record_form_text_of(self->command) ?
				   (char *)record_form_text_of(self->command) :
				   NULL,
		.directory = (char *)record_form_text_of(self->directory),
		.environment = (char *)record_form_text_of(self->environment),
		.pid = what == PROCESS ? self->pid : 0,
	};
	g_autofree char *line = spt_record_choices_line(&options),
			*said = g_strdup_printf(_("Copied: %s"), line);

	gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), line);
	gtk_widget_activate_action(GTK_WIDGET(self), "win.toast", "s", said);
}

/* Names of events and marks. */

static void on_names_changed(SptRecordForm *self)
{
	spt_state_set_text(SPT_CHOICE_NAMES, record_form_text_of(self->names));
}

static void on_start_at_changed(SptRecordForm *self)
{
	spt_state_set_text(SPT_CHOICE_START_AT, record_form_text_of(self->start_at));
}

static void on_stop_at_changed(SptRecordForm *self)
{
	spt_state_set_text(SPT_CHOICE_STOP_AT, record_form_text_of(self->stop_at));
}

static void recall_text(GtkWidget *entry, const char *key)
{
	g_autofree char *names = spt_state_get_text(key, "");

	if (strcmp(record_form_text_of(entry), names) != 0)
		gtk_editable_set_text(GTK_EDITABLE(entry), names);
}

static void record_form_map(GtkWidget *widget)
{
	SptRecordForm *self = SPT_RECORD_FORM(widget);
	int what = spt_state_get(WHAT, SYSTEM);

	gtk_toggle_button_set_active(
		GTK_TOGGLE_BUTTON(self->whats[CLAMP(what, 0, N_WHATS - 1)]), TRUE);
	spt_record_choices_recall(self->rate, SPT_CHOICE_RATE);
	spt_record_choices_recall(self->stacks, SPT_CHOICE_STACKS);
	spt_record_choices_recall(self->event, SPT_CHOICE_EVENT);
	recall_text(self->names, SPT_CHOICE_NAMES);
	recall_text(self->start_at, SPT_CHOICE_START_AT);
	recall_text(self->stop_at, SPT_CHOICE_STOP_AT);
	gtk_switch_set_active(self->command_lines, spt_state_get("command-lines", 1) != 0);
	gtk_switch_set_active(self->only_command, spt_state_get("only-command", 0) != 0);
	gtk_switch_set_active(self->only_count, spt_state_get("only-count", 0) != 0);
	for (unsigned i = 0; i < self->also->len; i++) {
		const struct also *also = &g_array_index(self->also, struct also, i);

		gtk_switch_set_active(GTK_SWITCH(also->toggle),
				      spt_state_get(also->key, 0) != 0);
	}
	self->reach = spt_reach_here();
	self->may_ask = spt_trace_may_ask_for_system();
	record_form_update(self);
	show_also(self);
	show_events(self);
	GTK_WIDGET_CLASS(spt_record_form_parent_class)->map(widget);
	/* Without grab_focus(): with it, Tab would skip everything else. */
	if (what_of(self) == COMMAND)
		gtk_widget_grab_focus(self->command);
}

static void record_form_dispose(GObject *object)
{
	GtkWidget *child;

	g_clear_pointer(&SPT_RECORD_FORM(object)->also, g_array_unref);
	gtk_widget_dispose_template(GTK_WIDGET(object), SPT_TYPE_RECORD_FORM);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(object))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_record_form_parent_class)->dispose(object);
}

static void record_form_bind_children(GtkWidgetClass *class)
{
	gtk_widget_class_bind_template_child(class, SptRecordForm, of_what);
	gtk_widget_class_bind_template_child(class, SptRecordForm, where);
	gtk_widget_class_bind_template_child(class, SptRecordForm, command);
	gtk_widget_class_bind_template_child(class, SptRecordForm, directory);
	gtk_widget_class_bind_template_child(class, SptRecordForm, environment);
	gtk_widget_class_bind_template_child(class, SptRecordForm, process);
	gtk_widget_class_bind_template_child(class, SptRecordForm, rate);
	gtk_widget_class_bind_template_child(class, SptRecordForm, stacks);
	gtk_widget_class_bind_template_child(class, SptRecordForm, event);
	gtk_widget_class_bind_template_child(class, SptRecordForm, names);
	gtk_widget_class_bind_template_child(class, SptRecordForm, start_at);
	gtk_widget_class_bind_template_child(class, SptRecordForm, stop_at);
	gtk_widget_class_bind_template_child(class, SptRecordForm, said_group);
	gtk_widget_class_bind_template_child(class, SptRecordForm, command_lines);
	gtk_widget_class_bind_template_child(class, SptRecordForm, only_command);
	gtk_widget_class_bind_template_child(class, SptRecordForm, only_count);
	gtk_widget_class_bind_template_child(class, SptRecordForm, also_group);
	gtk_widget_class_bind_template_child(class, SptRecordForm, run);
	gtk_widget_class_bind_template_child(class, SptRecordForm, everything);
	gtk_widget_class_bind_template_child(class, SptRecordForm, what_is_recorded);
	gtk_widget_class_bind_template_child_full(class, "what_system", FALSE,
						  G_STRUCT_OFFSET(SptRecordForm, whats[SYSTEM]));
	gtk_widget_class_bind_template_child_full(class, "what_command", FALSE,
						  G_STRUCT_OFFSET(SptRecordForm, whats[COMMAND]));
	gtk_widget_class_bind_template_child_full(class, "what_process", FALSE,
						  G_STRUCT_OFFSET(SptRecordForm, whats[PROCESS]));
}

static void spt_record_form_class_init(SptRecordFormClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = record_form_dispose;
	widget_class->map = record_form_map;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/record-form.ui");
	record_form_bind_children(widget_class);
	gtk_widget_class_bind_template_callback(widget_class, on_run);
	gtk_widget_class_bind_template_callback(widget_class, on_what);
	gtk_widget_class_bind_template_callback_full(widget_class, "on_command_changed",
						     G_CALLBACK(record_form_update));
	gtk_widget_class_bind_template_callback(widget_class, on_choose_directory);
	gtk_widget_class_bind_template_callback(widget_class, on_choose_process);
	gtk_widget_class_bind_template_callback(widget_class, on_copy);
	gtk_widget_class_bind_template_callback(widget_class, on_names_changed);
	gtk_widget_class_bind_template_callback(widget_class, on_start_at_changed);
	gtk_widget_class_bind_template_callback(widget_class, on_stop_at_changed);
}

static void add_also(SptRecordForm *self, GtkWidget *group, struct also *also, const char *title,
		     const char *flag)
{
	also->toggle = gtk_switch_new();
	also->row = g_object_new(ADW_TYPE_ACTION_ROW, "title", title, "tooltip-text", flag,
				 "activatable-widget", also->toggle, NULL);
	gtk_widget_set_valign(also->toggle, GTK_ALIGN_CENTER);
	spt_record_choices_bind(GTK_SWITCH(also->toggle), also->key, 0);
	adw_action_row_add_suffix(ADW_ACTION_ROW(also->row), also->toggle);
	adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), also->row);
	g_array_append_vals(self->also, also, 1);
}

static void spt_record_form_init(SptRecordForm *self)
{
	const SptEventOption *source;

	self->also = g_array_new(FALSE, FALSE, sizeof(struct also));
	gtk_widget_init_template(GTK_WIDGET(self));
	spt_record_choices_fill(self->rate, SPT_CHOICE_RATE);
	spt_record_choices_fill(self->stacks, SPT_CHOICE_STACKS);
	spt_record_choices_fill(self->event, SPT_CHOICE_EVENT);
	spt_record_choices_bind(self->command_lines, "command-lines", 1);
	spt_record_choices_bind(self->only_command, "only-command", 0);
	spt_record_choices_bind(self->only_count, "only-count", 0);
	for (unsigned i = 0; (source = spt_event_option(i)); i++)
		add_also(self, self->also_group,
			 &(struct also){ .source = source,
					 .key = source->key,
					 .note = source->note },
			 _(source->title), source->flag);
	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++) {
		const SptStatementOption *said = spt_statement_option(i);

		add_also(self, self->said_group,
			 &(struct also){ .statement = said, .key = said->key, .note = said->note },
			 _(said->title), said->flag);
	}
}
