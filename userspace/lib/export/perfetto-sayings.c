/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks, lines of logs, flows and the like in a trace of Perfetto.  Each kind has a track below
 * that of its thread, and what crosses another interval there, or belongs to no thread, one of its
 * own.
 */
#include "export/perfetto.h"

#ifdef SPT_HAS_PPROF

#include "base/pairs.h"
#include "capture/capture.h"
#include "export/sayings.h"

#define TRACK_BITS 56
/* Ids of flows that are no wakings (perfetto-spans.c). */
#define OWN_FLOWS  (1ULL << 63)
#define BEGIN	   SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_BEGIN
#define END	   SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_END
#define INSTANT	   SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_INSTANT

struct perfetto_sayings {
	struct spt_perfetto *perfetto;
	struct spt_pairs tracks;	/* (first thread, stream of the kind) -> number */
	uint64_t n_crossing;
};

static uint64_t saying_track(struct perfetto_sayings *sayings, const SptSaying *saying)
{
	struct spt_perfetto *perfetto = sayings->perfetto;
	g_autofree char *title = g_utf8_make_valid(saying->kind->title, -1);
	uint64_t parent = saying->thread ?
				  (uint64_t)SPT_PERFETTO_TRACK_THREAD << TRACK_BITS |
					  perfetto->first[saying->thread] :
				  0;
	SptPerfettoTrack track = SPT_PERFETTO_TRACK__INIT;
	uint32_t *known;

	track.name = title;
	if (saying->duration_ns && (saying->crosses || !saying->thread))
		return spt_perfetto_put_track(perfetto, SPT_PERFETTO_TRACK_CROSSING,
					      sayings->n_crossing++, parent, &track);
	known = spt_pairs_at(&sayings->tracks, perfetto->first[saying->thread],
			     saying->kind->stream);
	if (*known != UINT32_MAX)
		return (uint64_t)SPT_PERFETTO_TRACK_SAID << TRACK_BITS | *known;
	*known = (uint32_t)sayings->tracks.n - 1;
	return spt_perfetto_put_track(perfetto, SPT_PERFETTO_TRACK_SAID, *known, parent, &track);
}

static void perfetto_write_saying(struct perfetto_sayings *sayings, const SptSaying *saying)
{
	const char *category = *saying->category ? saying->category : saying->kind->name;
	g_autofree char *name = g_utf8_make_valid(saying->name, -1),
			*valid_category = g_utf8_make_valid(category, -1),
			*text = g_utf8_make_valid(saying->text, -1);
	uint64_t track = saying_track(sayings, saying), flow = saying->flow | OWN_FLOWS;
	SptPerfettoNote note = SPT_PERFETTO_NOTE__INIT, *notes = &note;
	SptPerfettoEvent event = SPT_PERFETTO_EVENT__INIT, end = SPT_PERFETTO_EVENT__INIT;

	note.name = (char *)"text";
	note.string_value = text;
	event.n_debug_annotations = *text != 0;
	event.debug_annotations = &notes;
	event.n_categories = 1;
	event.categories = &valid_category;
	event.name = name;
	event.n_flow_ids = saying->side == SPT_FLOW_BEGIN;
	event.n_terminating_flow_ids = saying->side == SPT_FLOW_END;
	event.flow_ids = event.terminating_flow_ids = &flow;
	spt_perfetto_put_event(sayings->perfetto, &event, saying->duration_ns ? BEGIN : INSTANT,
			       track, saying->begin_ns);
	if (saying->duration_ns)
		spt_perfetto_put_event(sayings->perfetto, &end, END, track,
				       saying->begin_ns + saying->duration_ns);
}

void spt_perfetto_write_sayings(struct spt_perfetto *perfetto)
{
	g_autoptr(SptSayings) walk =
		spt_sayings_new(perfetto->input->capture, perfetto->input->filter);
	struct perfetto_sayings sayings = { .perfetto = perfetto };
	SptSaying saying;

	while (spt_sayings_next(walk, &saying)) {
		perfetto->is_seen[saying.thread] |= saying.thread != 0;
		perfetto_write_saying(&sayings, &saying);
	}
	spt_pairs_clear(&sayings.tracks);
}

#endif
