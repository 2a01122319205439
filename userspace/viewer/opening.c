/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far it is, is said on its cancellable: the window has nothing else of it yet. */
#include "opening.h"

#include "import/import.h"
#include "profile/command.h"

/* Approximate part of each step. */
#define READING_SHARE 0.2
#define FOLDING_SHARE 0.6

struct step {
	GCancellable *cancellable; /* or NULL */
	double begin, share;
};

static bool tell_step(double done, void *data)
{
	const struct step *step = data;
	double all = step->begin + step->share * done;

	if (!step->cancellable)
		return true;
	g_object_set_data(G_OBJECT(step->cancellable), "permille",
			  GUINT_TO_POINTER((unsigned)(1000 * all)));
	/* A download that was given up has not said that it ended. */
	g_object_set_data(G_OBJECT(step->cancellable), "doing", NULL);
	return !g_cancellable_is_cancelled(step->cancellable);
}

double spt_opening_done(GCancellable *cancellable)
{
	return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(cancellable), "permille")) / 1000.0;
}

static gpointer copy_text(gpointer text, G_GNUC_UNUSED gpointer data)
{
	return g_strdup(text);
}

char *spt_opening_doing(GCancellable *cancellable)
{
	return g_object_dup_data(G_OBJECT(cancellable), "doing", copy_text, NULL);
}

void spt_opening_skip_downloads(GCancellable *cancellable)
{
	g_object_set_data(G_OBJECT(cancellable), "skips-downloads", GUINT_TO_POINTER(1));
}

bool spt_opening_skips_downloads(GCancellable *cancellable)
{
	return g_object_get_data(G_OBJECT(cancellable), "skips-downloads");
}

/* Takes over @whole.  A command without samples is not shown at first. */
static SptDocument *begin_with_command(SptDocument *whole)
{
	const SptCapture *capture = whole->recording->capture;
	g_autoptr(SptRestrictions) everything = spt_restrictions_new(), restrictions = NULL;
	g_autoptr(SptDocument) all = whole, part = NULL;
	SptRestriction command;
	SptLook look;

	if (!spt_command_leads(capture) || !spt_restriction_to_command(capture, &command))
		return g_steal_pointer(&all);
	restrictions = spt_restrictions_add(everything, &command);
	g_free((char *)command.text);
	g_free((bool *)command.processes);
	look = whole->look;
	look.restrictions = restrictions;
	part = spt_document_look(whole, &look);
	return part->calls.total ? g_steal_pointer(&part) : g_steal_pointer(&all);
}

/*
 * Who records memory asks what holds it: what was allocated most may have been freed at once.  CPU
 * time of such a recording is not least that of the library which follows the allocations.
 */
static SptDocument *begin_with_subject(SptDocument *begin)
{
	const SptCapture *capture = begin->recording->capture;
	g_autoptr(SptDocument) first = begin, of_memory = NULL;
	SptLook look = first->look;

	look.metric = spt_metric_find("peak");
	if (!spt_capture_host(capture, "memory_mean_bytes") ||
	    !spt_metric_is_in(look.metric, capture))
		return g_steal_pointer(&first);
	of_memory = spt_document_look(first, &look);
	return of_memory->calls.total ? g_steal_pointer(&of_memory) : g_steal_pointer(&first);
}

static void open_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer path,
			   GCancellable *cancellable)
{
	struct step reading = { cancellable, 0, READING_SHARE },
		    folding = { cancellable, READING_SHARE, FOLDING_SHARE };
	g_autoptr(SptRecording) recording = NULL;
	GError *error = NULL;
	SptCapture *capture = spt_capture_open_watched(path, tell_step, &reading, &error);

	if (!capture)
		capture = spt_import_instead(path, &error);
	if (!capture) {
		g_task_return_error(task, error);
		return;
	}
	recording = spt_recording_new(capture, cancellable, tell_step, &folding);
	g_task_return_pointer(task,
			      begin_with_subject(begin_with_command(spt_document_new(recording))),
			      (GDestroyNotify)spt_document_unref);
}

void spt_opening_start(const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
		       gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, data);

	g_task_set_task_data(task, g_strdup(path), g_free);
	g_task_run_in_thread(task, open_in_thread);
}

SptDocument *spt_opening_finish(GAsyncResult *result, GError **error)
{
	return g_task_propagate_pointer(G_TASK(result), error);
}
