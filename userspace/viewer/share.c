/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file appears whole or not at all. */
#include "share.h"

#include <string.h>

#include "export/export.h"
#include "files.h"

static const struct format {
	const char *name, *ending;
	void (*write)(const SptProfile *profile, GString *out);
} formats[] = {
	{ "svg", ".svg", spt_export_svg },
	{ "folded", ".folded", spt_export_folded },
};

struct work {
	GtkWindow *parent;
	SptDocument *document;
	const struct format *format;
	char *path;
};

static void free_work(gpointer data)
{
	struct work *work = data;

	g_object_unref(work->parent);
	spt_document_unref(work->document);
	g_free(work->path);
	g_free(work);
}

static void write_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data, G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct work *work = data;
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;

	work->format->write(work->document->profile, text);
	if (g_file_set_contents(work->path, text->str, (gssize)text->len, &error))
		g_task_return_boolean(task, TRUE);
	else
		g_task_return_error(task, error);
}

static void on_written(G_GNUC_UNUSED GObject *source, GAsyncResult *result, G_GNUC_UNUSED gpointer data)
{
	const struct work *work = g_task_get_task_data(G_TASK(result));
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	if (g_task_propagate_boolean(G_TASK(result), &error))
		return;
	text = g_strdup_printf("Cannot export to %s: %s.", work->path, error->message);
	gtk_widget_activate_action(GTK_WIDGET(work->parent), "win.complain", "s", text);
}

static void on_chosen(GFile *file, gpointer data)
{
	struct work *work = data;
	g_autoptr(GTask) task = g_task_new(NULL, NULL, on_written, NULL);
	struct work *own = g_memdup2(work, sizeof(*work));

	own->path = g_file_get_path(file);
	g_object_ref(own->parent);
	spt_document_ref(own->document);
	g_task_set_task_data(task, own, free_work);
	if (own->path)
		g_task_run_in_thread(task, write_in_thread);
	else
		g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "it is not a place of this machine");
}

void spt_share_export(GtkWindow *parent, SptDocument *document, const char *format, const char *stem)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autofree char *name = g_strconcat(stem, formats[i].ending, NULL);
		struct work *work;

		if (strcmp(format, formats[i].name) != 0)
			continue;
		work = g_new0(struct work, 1);
		*work = (struct work){ g_object_ref(parent), spt_document_ref(document), &formats[i], NULL };
		spt_files_choose(parent, SPT_FILES_EXPORT, name, on_chosen, work, free_work);
	}
}
