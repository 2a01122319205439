/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Widgets and threads share it by reference, and so do all documents of it. */
#include "recording.h"

#include <glib/gi18n.h>

#include "category-rules.h"
#include "opening.h"
#include "preferences.h"
#include "profile/culprit.h"
#include "profile/declared.h"
#include "text.h"
#include "work.h"

/* Called while files are read for names, which can also be after the opening. */
static bool tell_download(const char *path, uint64_t done_bytes, uint64_t total_bytes, void *data)
{
	GCancellable *cancellable = data;
	g_autofree char *name = g_path_get_basename(path), *made = NULL,
			*done = g_format_size_full(done_bytes, G_FORMAT_SIZE_IEC_UNITS),
			*total = g_format_size_full(total_bytes, G_FORMAT_SIZE_IEC_UNITS);
	const char *shown = spt_text_name(name, &made);
	bool goes_on = total_bytes == 0 || done_bytes < total_bytes;

	g_object_set_data_full(
		G_OBJECT(cancellable), "doing",
		!goes_on ? NULL :
		total_bytes ?
			   g_strdup_printf(_("Fetching debug information of %s: %s of %s"), shown,
					   done, total) :
			   g_strdup_printf(_("Fetching debug information of %s: %s"), shown, done),
		g_free);
	return !g_cancellable_is_cancelled(cancellable) &&
	       !spt_opening_skips_downloads(cancellable);
}

/* The download lives as long as the symbols, and so does the object that cancels it. */
static void download(SptRecording *recording, GCancellable *cancellable)
{
	g_autofree char *servers = spt_preferences_servers();

	if (!servers || !cancellable)
		return;
	recording->fetches = g_object_ref(cancellable);
	spt_symbols_set_servers(recording->symbols, servers);
	spt_symbols_set_download(recording->symbols, tell_download, cancellable);
}

SptRecording *spt_recording_new(SptCapture *capture, GCancellable *fetches, SptProgress progress,
				void *data)
{
	SptRecording *recording = g_atomic_rc_box_new0(SptRecording);

	g_mutex_init(&recording->symbols_lock);
	g_mutex_init(&recording->lanes_lock);
	recording->capture = capture;
	recording->symbols = spt_symbols_new(capture, NULL);
	download(recording, fetches);
	recording->whole = spt_whole_new(
		spt_profile_new_base_watched(capture, recording->symbols, NULL, progress, data),
		spt_category_rules_read(NULL));
	spt_summary_init(&recording->summary, capture);
	recording->tracks = spt_tracks_new(capture);
	recording->coverage = spt_coverage_new(capture, recording->symbols);
	return recording;
}

SptRecording *spt_recording_ref(SptRecording *recording)
{
	return g_atomic_rc_box_acquire(recording);
}

static void recording_clear(gpointer data)
{
	SptRecording *recording = data;

	spt_whole_unref(recording->whole);
	spt_symbols_free(recording->symbols);
	g_clear_object(&recording->fetches);
	spt_summary_clear(&recording->summary);
	g_ptr_array_unref(recording->tracks);
	g_array_unref(recording->coverage);
	spt_lanes_free(recording->lanes);
	spt_capture_free(recording->capture);
	g_mutex_clear(&recording->symbols_lock);
	g_mutex_clear(&recording->lanes_lock);
}

void spt_recording_unref(SptRecording *recording)
{
	g_atomic_rc_box_release_full(recording, recording_clear);
}

const SptMetric *spt_recording_metric(const SptRecording *recording, unsigned i)
{
	const GPtrArray *declared = spt_declared_metrics(recording->capture);
	const SptMetric *metric;

	for (unsigned row = 0; (metric = spt_metric(row)); row++)
		if (spt_metric_is_in(metric, recording->capture) && i-- == 0)
			return metric;
	return i < declared->len ? declared->pdata[i] : NULL;
}

const SptLanes *spt_recording_lanes(SptRecording *recording)
{
	double begin_ms = spt_work_ms();

	g_mutex_lock(&recording->lanes_lock);
	if (!recording->lanes) {
		recording->lanes = spt_lanes_new(recording->whole->profile);
		g_debug("lanes of %u threads in %.2f ms of CPU time", recording->lanes->n_threads,
			spt_work_ms() - begin_ms);
	}
	g_mutex_unlock(&recording->lanes_lock);
	return recording->lanes;
}

static void stack_frame_free(gpointer data)
{
	SptStackFrame *frame = data;

	g_free(frame->text);
	g_free(frame);
}

static SptStackFrame *stack_frame_new(const SptName *name, bool is_kernel)
{
	SptStackFrame *frame = g_new(SptStackFrame, 1);

	*frame = (SptStackFrame){
		.text = g_strdup_printf("%s (%s)", name->function, name->object),
		.is_machinery = spt_culprit_is_machinery(name->function, name->object, is_kernel),
		.takes_lock = spt_culprit_takes_lock(name->function),
	};
	return frame;
}

GPtrArray *spt_recording_stack(SptRecording *recording, uint32_t node)
{
	const SptCapture *capture = recording->capture;
	GPtrArray *frames = g_ptr_array_new_with_free_func(stack_frame_free);

	g_mutex_lock(&recording->symbols_lock);
	for (; node; node = capture->nodes[node].parent) {
		SptNamedPlace places[SPT_INLINES_MAX];
		const SptFrame *frame = &capture->nodes[node].frame;
		unsigned n = spt_symbols_functions(recording->symbols, frame, places);

		uint32_t kind = capture->objects[frame->object].kind;
		bool is_kernel = kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES;

		for (unsigned i = 0; i < n; i++)
			g_ptr_array_add(frames, stack_frame_new(&places[i].name, is_kernel));
	}
	g_mutex_unlock(&recording->symbols_lock);
	return frames;
}
