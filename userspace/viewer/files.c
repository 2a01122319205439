/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses the desktop's own dialog where there is one. */
#include "files.h"

#include <glib/gi18n.h>
#include <stdbool.h>

struct question {
	SptFilesFunc func;
	gpointer data;
	GDestroyNotify destroy;
};

static void on_response(GtkNativeDialog *dialog, int response, gpointer data)
{
	struct question *question = data;
	g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));

	if (response == GTK_RESPONSE_ACCEPT && file)
		question->func(file, question->data);
	/* The initial reference; nobody else keeps it alive. */
	g_object_unref(dialog);
}

static void files_free_question(gpointer data, G_GNUC_UNUSED GClosure *closure)
{
	struct question *question = data;

	if (question->destroy)
		question->destroy(question->data);
	g_free(question);
}

static void add_filter(GtkFileChooser *chooser, const char *name, const char *const *patterns)
{
	g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();

	gtk_file_filter_set_name(filter, name);
	for (; *patterns; patterns++)
		gtk_file_filter_add_pattern(filter, *patterns);
	gtk_file_chooser_add_filter(chooser, filter);
}

void spt_files_choose(GtkWindow *parent, SptFilesPurpose purpose, const char *name,
		      SptFilesFunc func, gpointer data, GDestroyNotify destroy)
{
	static const char *const titles[] = {
		N_("Open a Recording"),
		N_("Save the Recording"),
		N_("Export"),
		N_("Choose a Directory"),
		N_("Choose a File of Rules"),
	};
	bool is_saving = purpose == SPT_FILES_SAVE || purpose == SPT_FILES_EXPORT,
	     is_directory = purpose == SPT_FILES_DIRECTORY;
	struct question *question = g_new(struct question, 1);
	GtkFileChooserNative *dialog;

	*question = (struct question){ func, data, destroy };
	dialog = gtk_file_chooser_native_new(_(titles[purpose]), parent,
					     is_directory ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER :
					     is_saving	  ? GTK_FILE_CHOOSER_ACTION_SAVE :
							    GTK_FILE_CHOOSER_ACTION_OPEN,
					     is_saving ? _("_Save") : _("_Open"), _("_Cancel"));
	gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
	if (is_saving)
		gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
	if (purpose == SPT_FILES_OPEN || purpose == SPT_FILES_SAVE)
		add_filter(GTK_FILE_CHOOSER(dialog), _("Recordings, unfinished ones too"),
			   (const char *const[]){ "*.capture", "*.part", NULL });
	if (!is_directory)
		add_filter(GTK_FILE_CHOOSER(dialog), _("All files"),
			   (const char *const[]){ "*", NULL });
	g_signal_connect_data(dialog, "response", G_CALLBACK(on_response), question,
			      files_free_question, 0);
	gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}
