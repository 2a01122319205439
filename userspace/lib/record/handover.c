/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/handover.h"

#include <errno.h>

#include "record/tables.h"

#define SETTLE_US 500000
#define SETTLE_STEP_US 5000

struct SptHandover {
	SptOutput *output;
	SptTrace *trace;
	SptTables *tables;
	bool is_frugal;
	GArray *waiting;		/* object ids, whose tables are being made */
	GHashTable *known;		/* ids of those that wait, and of those that were offered */
	unsigned n_given, n_refused;
	int problem;			/* of the last one that was refused */
};

SptHandover *spt_handover_new(SptOutput *output, SptTrace *trace, SptTables *tables,
			      bool is_frugal)
{
	SptHandover *handover = g_new0(SptHandover, 1);

	handover->output = output;
	handover->trace = trace;
	handover->is_frugal = is_frugal;
	handover->tables = tables;
	handover->waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	handover->known = g_hash_table_new(NULL, NULL);
	return handover;
}

void spt_handover_free(SptHandover *handover)
{
	if (!handover)
		return;
	g_array_unref(handover->waiting);
	g_hash_table_unref(handover->known);
	g_free(handover);
}

static void handover_expect(SptHandover *handover, uint32_t object, bool is_kept_only)
{
	if (object != SYSPROF_OBJECT_VDSO && object < SYSPROF_OBJECT_FIRST)
		return;
	spt_tables_expect(handover->tables, object, is_kept_only);
	if (g_hash_table_add(handover->known, GUINT_TO_POINTER(object)))
		g_array_append_val(handover->waiting, object);
}

void spt_handover_mapped(SptHandover *handover, uint32_t object)
{
	if (!handover->is_frugal)
		handover_expect(handover, object, true);
}

void spt_handover_missed(SptHandover *handover, const struct sysprof_sample *sample)
{
	uint32_t last = SYSPROF_OBJECT_UNKNOWN;

	/* The innermost frame is always right: its mapping comes first. */
	for (unsigned i = 0; i < sample->n_user; i++) {
		uint32_t object =
			sample->frames[sample->n_kernel + i] >> SYSPROF_FRAME_OBJECT_SHIFT;

		if (object != last &&
		    !spt_script_names_is(sample->frames[sample->n_kernel + i]))
			handover_expect(handover, object, false);
		last = object;
	}
}

static void handover_give(SptHandover *handover, uint32_t object, const SptUnwindTable *table)
{
	const SptObject *file = spt_output_file(handover->output, object);
	int problem = file ? spt_tables_give(handover->trace, file, table) : ENODATA;

	if (problem == 0) {
		handover->n_given++;
		return;
	}
	handover->n_refused++;
	handover->problem = problem;
}

unsigned spt_handover_count(const SptHandover *handover)
{
	return handover->n_given;
}

char *spt_handover_refusals(const SptHandover *handover)
{
	if (handover->n_refused == 0)
		return NULL;
	return g_strdup_printf("%u: %s", handover->n_refused,
			       handover->problem == ENODATA ? "without a build-id" :
			       handover->problem == EPERM ?
			       "of files that others than root could have written" :
			       handover->problem == ENOSPC ? "beyond the module's table_limit_mib" :
							     g_strerror(handover->problem));
}

void spt_handover_step(SptHandover *handover)
{
	for (guint i = 0; i < handover->waiting->len;) {
		uint32_t object = g_array_index(handover->waiting, uint32_t, i);
		const SptUnwindTable *table;

		if (!spt_tables_is_done(handover->tables, object, &table)) {
			i++;
			continue;
		}
		if (table)
			handover_give(handover, object, table);
		else
			g_hash_table_remove(handover->known, GUINT_TO_POINTER(object));
		g_array_remove_index_fast(handover->waiting, i);
	}
}

void spt_handover_settle(SptHandover *handover)
{
	gint64 until = g_get_monotonic_time() + SETTLE_US;

	for (spt_handover_step(handover);
	     handover->waiting->len > 0 && g_get_monotonic_time() < until;
	     spt_handover_step(handover))
		g_usleep(SETTLE_STEP_US);
}
