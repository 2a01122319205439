/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that continues for days finds ever more stacks.  When they have reached the limit of
 * memory, they are dropped, and those that come again are written again: the file becomes a little
 * larger, and the recorder stays small.
 */
#include "record/output-private.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/schema.h"

#define DEFAULT_MEMORY_BYTES (1ULL << 30)
/* Memory in the worst case: for a node and the name of its frame, and for a row that waits. */
#define NODE_BYTES 192
#define ROW_BYTES 128

static void on_name(const SptNameRow *row, void *live)
{
	spt_live_put(live, SPT_ROW_NAME, row);
}

SptOutput *spt_output_new(const SptRecorderOptions *options, SptTrace *trace, GError **error)
{
	SptOutput *output = options->last_ns ? spt_output_flight_new(options) :
					       spt_output_file_new(options, error);

	if (!output)
		return NULL;
	output->trace = trace;
	output->path = g_strdup(options->output);
	output->memory_bytes = options->memory_bytes ? options->memory_bytes : DEFAULT_MEMORY_BYTES;
	output->has_default_memory = !options->memory_bytes;
	output->stash = spt_stash_new();
	output->live = options->live ? spt_live_ref(options->live) : NULL;
	output->naming = spt_naming_new(options->stream_fd > 0);
	if (output->live && output->writer)
		spt_capture_writer_watch_names(output->writer, on_name, output->live);
	return output;
}

void spt_output_free(SptOutput *output)
{
	if (!output)
		return;
	spt_capture_writer_free(output->writer);
	spt_naming_free(output->naming);
	g_clear_pointer(&output->live, spt_live_unref);
	spt_stash_free(output->stash);
	g_free(output->path);
	output->sink->free(output);
}

/* Rows. */

void spt_output_host(SptOutput *output, const char *key, const char *value)
{
	output->sink->host(output, key, value);
}

void spt_output_put_rows(SptOutput *output, SptRowKind kind, const void *rows, size_t n)
{
	output->n_waiting += n;
	for (size_t i = 0; output->live && i < n; i++)
		spt_live_put(output->live, kind, spt_nth_row(kind, rows, i));
	output->sink->put(output, kind, rows, n);
}

/*
 * The kernel reads no file: a build-id that it did not find in memory is in the file that is held.
 */
static void add_build_id(const SptOutput *output, SptObjectRow *row)
{
	const SptObject *file = spt_naming_file(output->naming, row->id);
	const uint8_t *build_id;
	unsigned n;

	if (!file || row->build_id_bytes)
		return;
	build_id = spt_object_build_id(file, &n);
	row->build_id_bytes = MIN(n, sizeof(row->build_id));
	if (build_id)
		memcpy(row->build_id, build_id, row->build_id_bytes);
}

void spt_output_object(SptOutput *output, const SptObjectRow *row, uint32_t pid)
{
	SptObjectRow whole = *row;

	spt_naming_hold(output->naming, output->trace, row, pid);
	if (row->kind == SPT_OBJECT_FILE)
		add_build_id(output, &whole);
	spt_output_put(output, SPT_ROW_OBJECT, &whole);
}

const SptObject *spt_output_file(SptOutput *output, uint32_t object)
{
	return spt_naming_file_early(output->naming, output->trace, object);
}

int spt_output_held(SptOutput *output, uint32_t object)
{
	const SptObject *file = spt_naming_file(output->naming, object);

	return file ? spt_object_fd(file) : -1;
}

const char *spt_output_path(const SptOutput *output, uint32_t object)
{
	return spt_naming_path(output->naming, object);
}

uint64_t spt_output_named(SptOutput *output, const char *name)
{
	return spt_naming_named(output->naming, name);
}

SptStash *spt_output_stash(SptOutput *output, unsigned *ret_number)
{
	*ret_number = output->n_stashes;
	return output->stash;
}

void spt_output_set_stash(SptOutput *output, SptStash *stash)
{
	spt_stash_free(output->stash);
	output->stash = stash;
	output->n_stashes++;
	spt_naming_forget(output->naming);
}

/* Memory. */

/*
 * Memory that only this process uses: rings are shared with the kernel, and programs with the disk.
 */
static uint64_t private_bytes(const SptOutput *output)
{
	g_autofree char *text = NULL;
	uint64_t all, resident, shared, bytes;

	if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &all, &resident, &shared) != 3 ||
	    shared > resident)
		return 0;
	bytes = (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
	return bytes - MIN(bytes, output->aside_bytes);
}

uint64_t spt_output_memory(const SptOutput *output)
{
	return output->memory_bytes;
}

bool spt_output_has_default_memory(const SptOutput *output)
{
	return output->has_default_memory;
}

void spt_output_set_aside(SptOutput *output, uint64_t bytes)
{
	output->aside_bytes = bytes;
}

bool spt_output_check_memory(const SptOutput *output, GError **error)
{
	uint64_t bytes;

	malloc_trim(0);
	bytes = private_bytes(output);
	if (bytes <= output->memory_bytes)
		return true;
	spt_set_error(
		error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		"The recording needs %" PRIu64 " MiB and may have %" PRIu64
		" MiB: the machine has too many processes and files for that; give it more (--memory-limit)",
		bytes >> 20, output->memory_bytes >> 20);
	return false;
}

bool spt_output_is_full(const SptOutput *output)
{
	return (uint64_t)(spt_stash_n_nodes(output->stash) - output->flushed_nodes) * NODE_BYTES >
		       output->memory_bytes / 8 ||
	       output->n_waiting * ROW_BYTES > output->memory_bytes / 16;
}

bool spt_output_is_too_large(const SptOutput *output)
{
	return (uint64_t)spt_stash_n_nodes(output->stash) * NODE_BYTES > output->memory_bytes / 4 ||
	       private_bytes(output) > output->memory_bytes / 8 * 5;
}

/* Flushing. */

void spt_output_keep(SptOutput *output)
{
	spt_naming_keep(output->naming);
}

const SptJit *spt_output_jit(const SptOutput *output)
{
	return spt_naming_jit(output->naming);
}

bool spt_output_knows_objects(SptOutput *output)
{
	return spt_naming_knows_objects(output->naming, output->stash);
}

void spt_output_publish(SptOutput *output)
{
	if (output->live)
		spt_live_publish(output->live, output->stash, output->n_stashes);
}

bool spt_output_tell(SptOutput *output, GError **error)
{
	if (!spt_naming_flush(output->naming, output->trace, output->stash, output->writer, false,
			      error))
		return false;
	spt_output_publish(output);
	return true;
}

bool spt_output_flush_into(SptOutput *output, SptCaptureWriter *writer, bool last, GError **error)
{
	return spt_naming_flush(output->naming, output->trace, output->stash, writer, last,
				error) &&
	       spt_capture_writer_flush(writer, output->stash, error);
}

bool spt_output_flush(SptOutput *output, uint64_t now, GError **error)
{
	bool ok = output->sink->flush(output, now, error);

	output->n_waiting = 0;
	output->flushed_nodes = spt_stash_n_nodes(output->stash);
	return ok;
}

bool spt_output_write_last(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	return output->sink->write_last(output, now, ret_path, error);
}

bool spt_output_finish(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	return output->sink->finish(output, now, ret_path, error);
}

uint64_t spt_output_bytes(const SptOutput *output)
{
	return output->bytes;
}
