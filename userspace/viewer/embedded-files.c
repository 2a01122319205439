/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of a long file the first lines are shown; what is saved is all of it. */
#include "embedded-files.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capture/embedded.h"
#include "files.h"
#include "table.h"
#include "text.h"

#define MOST_BYTES   (1u << 20)
#define MOST_LINES   5000u
#define NUMBER_WIDTH 110
#define SAVE_MARGIN  9

struct _SptEmbeddedFiles {
	GtkBox parent_instance;
	SptTable *list, *lines;
	GtkWidget *save;
	SptRecording *recording; /* these two NULL: nothing is shown */
	GArray *files;
};

G_DEFINE_FINAL_TYPE(SptEmbeddedFiles, spt_embedded_files, GTK_TYPE_BOX)

static const SptEmbedded *selected_file(SptEmbeddedFiles *self)
{
	unsigned row = spt_table_selected(self->list);

	return self->files && row < self->files->len ?
		       &g_array_index(self->files, SptEmbedded, row) :
		       NULL;
}

static void embedded_files_complain(SptEmbeddedFiles *self, const char *text)
{
	gtk_widget_activate_action(GTK_WIDGET(self), "win.complain", "s", text);
}

static void show_file(G_GNUC_UNUSED unsigned row, gpointer data)
{
	SptEmbeddedFiles *self = data;
	const SptEmbedded *file = selected_file(self);
	SptEmbedded begin = { 0 };
	g_autoptr(GByteArray) bytes = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	unsigned n = 0;

	gtk_widget_set_sensitive(self->save, file != NULL);
	if (file)
		begin = *file;
	begin.bytes = MIN(begin.bytes, MOST_BYTES);
	if (file)
		bytes = spt_embedded_read(self->recording->capture, &begin, NULL);
	text = bytes ? g_strndup((const char *)bytes->data, bytes->len) : g_strdup("");
	lines = g_strsplit(text, "\n", (int)MOST_LINES);
	for (; lines[n] && (lines[n + 1] || *lines[n]); n++)
		spt_table_set_row(self->lines, n, &(SptTableCell){ .text = lines[n] });
	spt_table_set_end(self->lines, n);
}

struct saving {
	SptEmbeddedFiles *self;
	SptRecording *recording;
	SptEmbedded file;
};

static void saving_free(gpointer data)
{
	struct saving *saving = data;

	g_object_unref(saving->self);
	spt_recording_unref(saving->recording);
	g_free(saving);
}

static void embedded_files_on_chosen(GFile *chosen, gpointer data)
{
	struct saving *saving = data;
	g_autoptr(GError) error = NULL;
	g_autoptr(GByteArray) bytes =
		spt_embedded_read(saving->recording->capture, &saving->file, &error);
	g_autofree char *text = NULL;

	if (bytes && g_file_replace_contents(chosen, (const char *)bytes->data, bytes->len, NULL,
					     FALSE, G_FILE_CREATE_NONE, NULL, NULL, &error))
		return;
	text = g_strdup_printf(_("Cannot save the file: %s."), error->message);
	embedded_files_complain(saving->self, text);
}

static void on_save(SptEmbeddedFiles *self)
{
	const SptEmbedded *file = selected_file(self);
	g_autofree char *name = file ? g_path_get_basename(file->name) : NULL;
	struct saving *saving;

	if (!file)
		return;
	saving = g_new0(struct saving, 1);
	*saving = (struct saving){ g_object_ref(self), spt_recording_ref(self->recording), *file };
	spt_files_choose(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))), SPT_FILES_EXPORT, name,
			 embedded_files_on_chosen, saving, saving_free);
}

void spt_embedded_files_show(SptEmbeddedFiles *self, SptRecording *recording, GArray *files)
{
	unsigned n = files ? files->len : 0;

	g_clear_pointer(&self->files, g_array_unref);
	g_clear_pointer(&self->recording, spt_recording_unref);
	self->recording = spt_recording_ref(recording);
	self->files = files ? g_array_ref(files) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const SptEmbedded *file = &g_array_index(files, SptEmbedded, i);
		g_autofree char *bytes = spt_text_count(file->bytes);

		spt_table_set_row(self->list, i,
				  (const SptTableCell[]){ { .text = file->name },
							  { bytes, (double)file->bytes } });
	}
	spt_table_set_end(self->list, n);
	show_file(0, self);
}

static void embedded_files_dispose(GObject *object)
{
	SptEmbeddedFiles *self = SPT_EMBEDDED_FILES(object);

	g_clear_pointer(&self->files, g_array_unref);
	g_clear_pointer(&self->recording, spt_recording_unref);
	G_OBJECT_CLASS(spt_embedded_files_parent_class)->dispose(object);
}

static void spt_embedded_files_class_init(SptEmbeddedFilesClass *class)
{
	G_OBJECT_CLASS(class)->dispose = embedded_files_dispose;
}

static void spt_embedded_files_init(SptEmbeddedFiles *self)
{
	static const SptTableColumn files[] = { { N_("File"), SPT_CELL_TEXT, 0 },
						{ N_("Bytes"), SPT_CELL_NUMBER, NUMBER_WIDTH } };
	static const SptTableColumn lines[] = { { N_("Line"), SPT_CELL_CODE, 0 } };
	GtkWidget *paned, *above = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

	self->list = SPT_TABLE(spt_table_new(_("Files"), files, G_N_ELEMENTS(files), false));
	self->lines = SPT_TABLE(
		spt_table_new(_("Lines of the file"), lines, G_N_ELEMENTS(lines), false));
	self->save = gtk_button_new_with_label(_("Save the File…"));
	spt_table_hide_heading(self->list);
	spt_table_set_empty_text(self->list, _("No files are embedded in this recording."));
	spt_table_set_selects(self->list, show_file, self);
	gtk_widget_set_halign(self->save, GTK_ALIGN_END);
	gtk_widget_set_margin_end(self->save, SAVE_MARGIN);
	gtk_widget_set_sensitive(self->save, FALSE);
	g_signal_connect_swapped(self->save, "clicked", G_CALLBACK(on_save), self);
	/* A low window has room for it, too. */
	gtk_box_append(GTK_BOX(above), self->save);
	gtk_box_append(GTK_BOX(above), GTK_WIDGET(self->list));
	paned = g_object_new(GTK_TYPE_PANED, "orientation", GTK_ORIENTATION_VERTICAL,
			     "shrink-start-child", FALSE, "shrink-end-child", FALSE, "start-child",
			     above, "end-child", self->lines, "vexpand", TRUE, "hexpand", TRUE,
			     NULL);
	gtk_box_append(GTK_BOX(self), paned);
}

GtkWidget *spt_embedded_files_new(void)
{
	return g_object_new(SPT_TYPE_EMBEDDED_FILES, NULL);
}
