/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images of one process with one name count as one, as among the processes. */
#include "maps-table.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#define TIME_WIDTH 110
#define ADDRESSES_WIDTH 230
#define OFFSET_WIDTH 120
#define MAX_ROWS 5000
#define BUILD_ID_BYTES 64

GtkWidget *spt_maps_table_new(void)
{
	static const SptTableColumn columns[] = {
		{ N_("From"), SPT_CELL_NUMBER, TIME_WIDTH },
		{ N_("Until"), SPT_CELL_NUMBER, TIME_WIDTH },
		{ N_("Addresses"), SPT_CELL_CODE, ADDRESSES_WIDTH },
		{ N_("Offset"), SPT_CELL_NUMBER, OFFSET_WIDTH },
		{ N_("Object"), SPT_CELL_TEXT, 0 },
		{ N_("Build ID"), SPT_CELL_DIM, 0 },
	};
	GtkWidget *table = spt_table_new(_("Executable mappings of the process"), columns,
					 G_N_ELEMENTS(columns), true);

	spt_table_set_empty_text(SPT_TABLE(table), _("None are known"));
	return table;
}

/*
 * A state that existed before a time is shown as "by" that time; no time is shown for before the
 * recording, or for its end.
 */
static char *maps_table_moment(uint64_t time, uint64_t start_ns, bool is_by)
{
	g_autofree char *seconds =
		g_strdup_printf("%.4f s", time > start_ns ? (double)(time - start_ns) / 1e9 : 0);

	if (time == UINT64_MAX || (time <= start_ns && is_by))
		return g_strdup("");
	return is_by ? g_strdup_printf(_("by %s"), seconds) : g_steal_pointer(&seconds);
}

static void set_row(SptTable *table, unsigned at, const SptCapture *capture, const SptMapSpan *span,
		    uint64_t start_ns)
{
	const SptObjectRow *object = &capture->objects[span->map.object];
	g_autofree char *from = maps_table_moment(span->map.from, start_ns, span->map.is_seen),
			*until = maps_table_moment(span->until, start_ns, span->is_gone_by);
	g_autofree char *addresses =
		g_strdup_printf("%" PRIx64 "\xe2\x80\x93%" PRIx64, span->map.start, span->map.end);
	g_autofree char *offset = g_strdup_printf("%" PRIx64, span->map.offset);
	char build_id[2 * BUILD_ID_BYTES + 1] = "";

	for (unsigned i = 0; i < object->build_id_bytes; i++)
		g_snprintf(build_id + 2 * i, 3, "%02x", object->build_id[i]);
	spt_table_set_row(table, at,
			  (const SptTableCell[]){
				  { from, (double)span->map.from },
				  { until, (double)span->until },
				  { .text = addresses },
				  { offset, (double)span->map.offset },
				  { .text = *object->path ? object->path : "?" },
				  { .text = build_id },
			  });
}

void spt_maps_table_show(SptTable *table, const SptCapture *capture, const SptMapIndex *index,
			 uint64_t start_ns, uint32_t pid, const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 1; id < capture->n_processes; id++) {
		const SptProcessRow *process = &capture->processes[id];
		g_autoptr(GArray) spans = NULL;
		bool is_cut;

		if (!process->id || process->pid != pid || strcmp(process->name, name) != 0)
			continue;
		spans = spt_map_index_spans(index, id, &is_cut);
		for (unsigned i = 0; i < spans->len && n < MAX_ROWS; i++)
			set_row(table, n++, capture, &g_array_index(spans, SptMapSpan, i),
				start_ns);
		if (is_cut)
			spt_table_set_row(
				table, n++,
				(const SptTableCell[]){
					{ 0 },
					{ 0 },
					{ 0 },
					{ 0 },
					{ .text = _("There were more, which were not recorded") },
					{ 0 } });
	}
	spt_table_set_end(table, n);
}
