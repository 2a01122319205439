/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parents come before their children. */
#include "export/places.h"

#include <stdio.h>

#include "profile/command.h"
#include "profile/stack-sums.h"
#include "profile/summary.h"

uint64_t spt_object_room(const SptObjectRow *object)
{
	if (object->kind != SPT_OBJECT_FILE && object->kind != SPT_OBJECT_VDSO)
		return 0;
	return object->bytes && object->bytes >> SPT_ADDRESS_BITS == 0 ? object->bytes :
									 1ull << SPT_ADDRESS_BITS;
}

void spt_object_build_id_text(const SptObjectRow *object, char ret[SPT_BUILD_ID_TEXT_BYTES])
{
	*ret = '\0';
	for (unsigned i = 0; i < MIN(object->build_id_bytes, sizeof(object->build_id)); i++)
		snprintf(ret + 2 * i, 3, "%02x", object->build_id[i]);
}

char *spt_place_file(const SptNamedPlace *place)
{
	if (!place->file || !place->directory || g_path_is_absolute(place->file))
		return g_strdup(place->file ? place->file : "");
	return g_build_filename(place->directory, place->file, NULL);
}

uint16_t *spt_places_depths(const SptCapture *capture)
{
	uint16_t *depths = g_new0(uint16_t, MAX(capture->n_nodes, 1));

	for (uint32_t i = 1; i < capture->n_nodes; i++)
		depths[i] = MIN(depths[capture->nodes[i].parent] + 1, SPT_PLACES_DEEPEST + 1);
	return depths;
}

bool *spt_places_used(const SptCapture *capture, const uint16_t *depths, const GArray *sums)
{
	g_autofree bool *used = g_new0(bool, MAX(capture->n_nodes, 1));
	bool *frames = g_new0(bool, MAX(capture->n_frames, 1));

	for (guint i = 0; i < sums->len; i++) {
		uint32_t node = g_array_index(sums, SptStackSum, i).node;

		used[node] = depths[node] <= SPT_PLACES_DEEPEST;
	}
	for (uint32_t id = capture->n_nodes; id-- > 1;) {
		used[capture->nodes[id].parent] |= used[id];
		frames[capture->nodes[id].key] |= used[id];
	}
	return frames;
}

void spt_places_time(const SptExportInput *input, uint64_t *ret_begin_ns,
		     uint64_t *ret_duration_ns)
{
	const SptFilter *filter = input->filter;
	uint64_t start_ns = spt_command_fact(input->capture, "start_realtime_ns"), begin_ns, end_ns;
	SptSummary summary;

	spt_summary_init(&summary, input->capture);
	begin_ns = MAX(filter ? filter->begin_ns : 0, summary.start_ns);
	end_ns = filter && filter->end_ns ? MIN(filter->end_ns, summary.end_ns) : summary.end_ns;
	*ret_begin_ns = start_ns ? start_ns + (begin_ns - summary.start_ns) : 0;
	*ret_duration_ns = MAX(begin_ns, end_ns) - begin_ns;
	spt_summary_clear(&summary);
}
