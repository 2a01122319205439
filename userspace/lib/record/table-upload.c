/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/table-upload.h"

#include <errno.h>

#include "record/tables.h"

#define SETTLE_US      500000
#define SETTLE_STEP_US 5000
/* A table that is kept is found in a moment. */
#define HURRY_MS 5
#define HURRY_US 50000

struct SptTableUpload {
	SptOutput *output;
	SptTrace *trace;
	SptTables *tables;
	bool is_frugal;
	GArray *waiting;      /* object ids, whose tables are being made */
	GHashTable *known;    /* ids of those that wait, and of those that were offered */
	gint64 hurries_until; /* steps are short until then */
	unsigned n_given, n_refused;
	int problem; /* of the last one that was refused */
};

SptTableUpload *spt_table_upload_new(SptOutput *output, SptTrace *trace, SptTables *tables,
				     bool is_frugal)
{
	SptTableUpload *upload = g_new0(SptTableUpload, 1);

	upload->output = output;
	upload->trace = trace;
	upload->is_frugal = is_frugal;
	upload->tables = tables;
	upload->waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	upload->known = g_hash_table_new(NULL, NULL);
	return upload;
}

void spt_table_upload_free(SptTableUpload *upload)
{
	if (!upload)
		return;
	g_array_unref(upload->waiting);
	g_hash_table_unref(upload->known);
	g_free(upload);
}

static void upload_expect(SptTableUpload *upload, uint32_t object, bool is_kept_only)
{
	if (object != SYSPROF_OBJECT_VDSO && object < SYSPROF_OBJECT_FIRST)
		return;
	spt_tables_expect(upload->tables, object, is_kept_only);
	if (!g_hash_table_add(upload->known, GUINT_TO_POINTER(object)))
		return;
	g_array_append_val(upload->waiting, object);
	upload->hurries_until = g_get_monotonic_time() + HURRY_US;
}

static void upload_object(void *part, const SptObjectRow *row)
{
	SptTableUpload *upload = part;

	if (!upload->is_frugal)
		upload_expect(upload, row->id, true);
}

void spt_table_upload_missed(SptTableUpload *upload, const struct sysprof_sample *sample)
{
	uint32_t last = SYSPROF_OBJECT_UNKNOWN;

	/* The innermost frame is always right: its mapping comes first. */
	for (unsigned i = 0; i < sample->n_user; i++) {
		uint32_t object =
			sample->frames[sample->n_kernel + i] >> SYSPROF_FRAME_OBJECT_SHIFT;

		if (object != last && !spt_script_names_is(sample->frames[sample->n_kernel + i]))
			upload_expect(upload, object, false);
		last = object;
	}
}

static void upload_give(SptTableUpload *upload, uint32_t object, const SptUnwindTable *table)
{
	const SptObject *file = spt_output_file(upload->output, object);
	int problem = file ? spt_tables_give(upload->trace, file, table, object) : ENODATA;

	if (problem == 0) {
		upload->n_given++;
		return;
	}
	upload->n_refused++;
	upload->problem = problem;
}

static char *upload_refusals(const SptTableUpload *upload)
{
	if (upload->n_refused == 0)
		return NULL;
	return g_strdup_printf(
		"%u: %s", upload->n_refused,
		upload->problem == ENODATA ? "without a build-id" :
		upload->problem == EPERM   ? "of files that others than root could have written" :
		upload->problem == ENOSPC  ? "beyond the module's table_limit_mib" :
		upload->problem == ESTALE || upload->problem == ENOENT ?
					    "of files that are not those that were mapped" :
					    g_strerror(upload->problem));
}

static void upload_give_made(SptTableUpload *upload)
{
	for (guint i = 0; i < upload->waiting->len;) {
		uint32_t object = g_array_index(upload->waiting, uint32_t, i);
		const SptUnwindTable *table;

		if (!spt_tables_is_done(upload->tables, object, &table)) {
			i++;
			continue;
		}
		if (table)
			upload_give(upload, object, table);
		else
			g_hash_table_remove(upload->known, GUINT_TO_POINTER(object));
		g_array_remove_index_fast(upload->waiting, i);
	}
}

static int upload_step_ms(const void *part, int timeout_ms)
{
	const SptTableUpload *upload = part;
	bool hurries = upload->waiting->len > 0 &&
		       g_get_monotonic_time() < upload->hurries_until;

	return hurries ? MIN(timeout_ms, HURRY_MS) : timeout_ms;
}

static void upload_settle(void *part)
{
	SptTableUpload *upload = part;
	gint64 until = g_get_monotonic_time() + SETTLE_US;

	for (upload_give_made(upload); upload->waiting->len > 0 && g_get_monotonic_time() < until;
	     upload_give_made(upload))
		g_usleep(SETTLE_STEP_US);
}

static bool upload_step(void *part, G_GNUC_UNUSED const SptStageStep *step,
			G_GNUC_UNUSED GError **error)
{
	upload_give_made(part);
	return true;
}

static void upload_note(void *part, SptOutput *output)
{
	const SptTableUpload *upload = part;
	g_autofree char *refusals = upload_refusals(upload),
			*n = g_strdup_printf("%u", upload->n_given);

	spt_output_host(output, "tables", n);
	if (refusals)
		spt_output_host(output, "no_tables", refusals);
}

const SptStage spt_table_upload_stage = {
	.settle = upload_settle,
	.object = upload_object,
	.step_ms = upload_step_ms,
	.step = upload_step,
	.note = upload_note,
	.free = (GDestroyNotify)spt_table_upload_free,
};
