/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buttons activate the window's actions. */
#include "record-controls.h"

#include "narrow.h"
#include "record-form.h"

struct _SptRecordControls {
	GtkBox parent_instance;
	GtkWidget *record, *menu, *popover, *stop, *reset, *discard;
	/* A narrow window has room for pictures only. */
	GtkWidget *record_icon, *record_label, *stop_icon, *stop_label, *reset_icon, *reset_label,
		*discard_icon, *discard_label;
};

G_DEFINE_FINAL_TYPE(SptRecordControls, spt_record_controls, GTK_TYPE_BOX)

static gboolean record_controls_grab_focus(GtkWidget *widget)
{
	return gtk_widget_grab_focus(SPT_RECORD_CONTROLS(widget)->record);
}

static void record_controls_dispose(GObject *object)
{
	gtk_widget_dispose_template(GTK_WIDGET(object), SPT_TYPE_RECORD_CONTROLS);
	G_OBJECT_CLASS(spt_record_controls_parent_class)->dispose(object);
}

static void spt_record_controls_class_init(SptRecordControlsClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_RECORD_FORM);
	G_OBJECT_CLASS(class)->dispose = record_controls_dispose;
	widget_class->grab_focus = record_controls_grab_focus;
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/record-controls.ui");
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, record);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, menu);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, stop);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, popover);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, reset);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, discard);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, record_icon);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, record_label);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, stop_icon);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, stop_label);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, reset_icon);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, reset_label);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, discard_icon);
	gtk_widget_class_bind_template_child(widget_class, SptRecordControls, discard_label);
}

static void for_narrow(GtkWidget *icon, GtkWidget *label)
{
	spt_narrow_show(icon, true);
	spt_narrow_show(label, false);
}

static void spt_record_controls_init(SptRecordControls *self)
{
	gtk_widget_init_template(GTK_WIDGET(self));
	for_narrow(self->record_icon, self->record_label);
	for_narrow(self->stop_icon, self->stop_label);
	for_narrow(self->reset_icon, self->reset_label);
	for_narrow(self->discard_icon, self->discard_label);
}

void spt_record_controls_set_recording(SptRecordControls *self, gboolean is_recording)
{
	gtk_widget_set_visible(self->record, !is_recording);
	gtk_widget_set_visible(self->menu, !is_recording);
	gtk_widget_set_visible(self->stop, is_recording);
	gtk_widget_set_visible(self->reset, is_recording);
	gtk_widget_set_visible(self->discard, is_recording);
	gtk_popover_popdown(GTK_POPOVER(self->popover));
}
