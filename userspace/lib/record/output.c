/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that continues for days finds ever more stacks.  When they have reached the limit of
 * memory, they are dropped, and those that come again are written again: the file becomes a little
 * larger, and the recorder stays small.
 */
#include "record/output.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "record/flight.h"
#include "record/live.h"
#include "record/naming.h"

#define DEFAULT_MEMORY_BYTES (1ULL << 30)
/* Memory in the worst case: for a node and the name of its frame, and for a row that waits. */
#define NODE_BYTES 192
#define ROW_BYTES 128
#define MOST_BUSY_NAMES 99

struct SptOutput {
	SptSink all;			/* hands on to all of the others */
	SptSink *sinks[2];		/* the recording itself, then the live view */
	unsigned n_sinks;
	SptTrace *trace;
	char *path;
	SptStash *stash;
	SptNaming *naming;
	uint32_t flushed_nodes;
	uint64_t memory_bytes, bytes;
	uint64_t reserved_bytes; /* in budgets of others */
	bool has_default_memory;
	uint64_t n_waiting;		/* rows since the last flush */
	/* As many rows, or nodes since the last flush, do not last until the next one. */
	uint64_t most_waiting, most_nodes;
	unsigned n_stashes;		/* before this one */
	unsigned n_written;		/* files of the last seconds */
};

static void output_fact_to_all(SptSink *sink, const char *key, const char *value)
{
	SptOutput *output = (SptOutput *)sink;

	for (unsigned i = 0; i < output->n_sinks; i++)
		spt_sink_fact(output->sinks[i], key, value);
}

static void output_put_all(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	SptOutput *output = (SptOutput *)sink;

	for (unsigned i = 0; i < output->n_sinks; i++)
		spt_sink_put_rows(output->sinks[i], kind, rows, n);
}

static const struct spt_sink_type all_type = { .fact = output_fact_to_all, .put = output_put_all };

static SptSink *open_file_sink(const char *path, GError **error)
{
	SptCaptureWriter *writer = spt_capture_writer_new(path, error);

	if (!writer)
		return NULL;
	spt_capture_writer_keep_old(writer);
	return spt_writer_sink_new(writer);
}

static SptSink *open_stream_sink(int fd, const char *name, GError **error)
{
	SptCaptureWriter *writer = spt_capture_writer_new_stream(fd, name, error);

	return writer ? spt_writer_sink_new(writer) : NULL;
}

static SptSink *open_recording_sink(const SptRecorderOptions *options, GError **error)
{
	if (options->by_windows)
		return spt_flight_new_windows();
	if (options->last_ns)
		return spt_flight_new(options->last_ns);
	return options->stream_fd > 0 ?
		       open_stream_sink(options->stream_fd, options->output, error) :
		       open_file_sink(options->output, error);
}

SptOutput *spt_output_new(const SptRecorderOptions *options, SptTrace *trace, GError **error)
{
	SptSink *recording = open_recording_sink(options, error);
	SptOutput *output;

	if (!recording)
		return NULL;
	output = g_new0(SptOutput, 1);
	output->all.type = &all_type;
	output->sinks[output->n_sinks++] = recording;
	if (options->live)
		output->sinks[output->n_sinks++] = spt_live_sink(options->live);
	output->trace = trace;
	output->path = g_strdup(options->output);
	output->memory_bytes = options->memory_bytes ? options->memory_bytes : DEFAULT_MEMORY_BYTES;
	output->has_default_memory = !options->memory_bytes;
	output->most_nodes = output->memory_bytes / 8 / NODE_BYTES;
	output->most_waiting = output->memory_bytes / 16 / ROW_BYTES;
	output->stash = spt_stash_new();
	output->naming = spt_naming_new(options->stream_fd > 0);
	return output;
}

void spt_output_free(SptOutput *output)
{
	if (!output)
		return;
	for (unsigned i = 0; i < output->n_sinks; i++)
		spt_sink_free(output->sinks[i]);
	spt_naming_free(output->naming);
	spt_stash_free(output->stash);
	g_free(output->path);
	g_free(output);
}

/* Rows. */

void spt_output_host(SptOutput *output, const char *key, const char *value)
{
	spt_sink_fact(&output->all, key, value);
}

void spt_output_put_rows(SptOutput *output, SptRowKind kind, const void *rows, size_t n)
{
	output->n_waiting += n;
	if (output->n_sinks == 1)
		spt_sink_put_rows(output->sinks[0], kind, rows, n);
	else
		output_put_all(&output->all, kind, rows, n);
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

/* By @stash, if there is one. */
static void output_replace_stash(SptOutput *output, SptStash *stash)
{
	if (!stash)
		return;
	for (unsigned i = 0; i < output->n_sinks; i++)
		spt_sink_next_stash(output->sinks[i]);
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
	return bytes - MIN(bytes, output->reserved_bytes);
}

uint64_t spt_output_memory(const SptOutput *output)
{
	return output->memory_bytes;
}

bool spt_output_has_default_memory(const SptOutput *output)
{
	return output->has_default_memory;
}

void spt_output_set_reserved(SptOutput *output, uint64_t bytes)
{
	output->reserved_bytes = bytes;
}

/* Whether the necessary data fits into the allowed memory after everything else is dropped. */
static bool output_check_memory(const SptOutput *output, GError **error)
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
	return output->n_waiting > output->most_waiting ||
	       spt_stash_n_nodes(output->stash) - output->flushed_nodes > output->most_nodes;
}

/* Whether the rows until the next flush may not fit into the memory beside the stash. */
static bool output_is_too_large(const SptOutput *output)
{
	return (uint64_t)spt_stash_n_nodes(output->stash) * NODE_BYTES > output->memory_bytes / 4 ||
	       private_bytes(output) > output->memory_bytes / 8 * 5;
}

static bool output_shrink(SptOutput *output, uint64_t now, GError **error)
{
	SptSink *recording = output->sinks[0];
	bool is_large = output_is_too_large(output);
	SptStash *smaller = spt_sink_shrink(recording, output->stash, now,
					    is_large ? SPT_SINK_TOO_LARGE : SPT_SINK_IF_WORTH_IT);

	if (!is_large && !smaller)
		return true;
	output_replace_stash(output, smaller);
	/* What was freed lies between blocks that stay: it is returned only if asked for. */
	if (is_large)
		malloc_trim(0);
	if (!output_is_too_large(output))
		return true;
	output_replace_stash(output, spt_sink_shrink(recording, output->stash, now,
						     SPT_SINK_STILL_TOO_LARGE));
	return output_check_memory(output, error);
}

/* Flushing. */

void spt_output_keep(SptOutput *output)
{
	spt_naming_keep(output->naming);
}

SptScriptNames *spt_output_scripts(SptOutput *output)
{
	return spt_naming_scripts(output->naming);
}

const SptJit *spt_output_jit(const SptOutput *output)
{
	return spt_naming_jit(output->naming);
}

bool spt_output_knows_objects(SptOutput *output)
{
	return spt_naming_knows_objects(output->naming, output->stash);
}

/* Puts names that would be lost otherwise into @to. */
static bool output_put_names(SptOutput *output, SptSink *to, bool last, GError **error)
{
	return spt_naming_flush(output->naming, output->trace, output->stash, to, last, error);
}

bool spt_output_tell(SptOutput *output, GError **error)
{
	if (!output_put_names(output, &output->all, false, error))
		return false;
	for (unsigned i = 0; i < output->n_sinks; i++)
		spt_sink_publish(output->sinks[i], output->stash);
	return true;
}

static bool output_flush(SptOutput *output, uint64_t now, GError **error)
{
	/* Rows that are kept are named when they are given away. */
	if (!spt_sink_keeps_rows(output->sinks[0]) &&
	    !output_put_names(output, &output->all, false, error))
		return false;
	for (unsigned i = 0; i < output->n_sinks; i++)
		if (!spt_sink_flush(output->sinks[i], output->stash, now, error))
			return false;
	if (!spt_sink_keeps_rows(output->sinks[0]))
		output->bytes = spt_sink_bytes(output->sinks[0]);
	return output_shrink(output, now, error);
}

bool spt_output_flush(SptOutput *output, uint64_t now, GError **error)
{
	bool ok = output_flush(output, now, error);

	output->n_waiting = 0;
	output->flushed_nodes = spt_stash_n_nodes(output->stash);
	return ok;
}

static bool output_complete(SptOutput *output, SptSink *sink, uint64_t now, GError **error)
{
	if (!output_put_names(output, sink, true, error) ||
	    !spt_sink_finish(sink, output->stash, now, error))
		return false;
	output->bytes = spt_sink_bytes(sink);
	return true;
}

/* "a.capture", "a-2.capture", "a-3.capture". */
static char *next_path(const SptOutput *output)
{
	const char *path = output->path, *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	size_t stem = dot && dot != path && (!slash || dot > slash + 1) ? (size_t)(dot - path) :
									  strlen(path);

	if (!output->n_written)
		return g_strdup(path);
	return g_strdup_printf("%.*s-%u%s", (int)stem, path, output->n_written + 1, path + stem);
}

/* A name that another recorder writes is left to it: the last seconds come only once. */
static SptSink *open_next_file(SptOutput *output, char **ret_path, GError **error)
{
	unsigned last = output->n_written + MOST_BUSY_NAMES;

	for (;; output->n_written++) {
		g_autofree char *path = next_path(output);
		g_autoptr(GError) why = NULL;
		SptSink *file = open_file_sink(path, &why);

		if (!file && output->n_written < last &&
		    g_error_matches(why, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_BUSY))
			continue;
		if (file)
			*ret_path = g_steal_pointer(&path);
		else
			g_propagate_error(error, g_steal_pointer(&why));
		return file;
	}
}

static void output_drop_nodes(SptOutput *output, uint64_t now)
{
	output_replace_stash(output, spt_sink_shrink(output->sinks[0], output->stash, now,
						     SPT_SINK_TOO_LARGE));
}

static bool output_give(SptOutput *output, SptSink *file, uint64_t now, GError **error)
{
	spt_sink_give(output->sinks[0], file);
	return output_complete(output, file, now, error);
}

bool spt_output_write_window(SptOutput *output, uint64_t now, const char *path, GError **error)
{
	g_autoptr(SptSink) file = NULL;
	bool ok;

	output_drop_nodes(output, now);
	file = open_file_sink(path, error);
	if (!file)
		return false;
	ok = output_give(output, file, now, error);
	output_drop_nodes(output, now);
	return ok;
}

bool spt_output_write_last(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	SptSink *kept = output->sinks[0];
	g_autoptr(SptSink) file = NULL;
	g_autofree char *path = NULL;

	if (!spt_sink_flush(kept, output->stash, now, error))
		return false;
	output_drop_nodes(output, now);
	file = open_next_file(output, &path, error);
	if (!file || !output_give(output, file, now, error))
		return false;
	output->n_written++;
	*ret_path = g_steal_pointer(&path);
	return true;
}

bool spt_output_finish(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	if (spt_sink_keeps_rows(output->sinks[0]))
		return spt_output_write_last(output, now, ret_path, error);
	if (!output_complete(output, output->sinks[0], now, error))
		return false;
	*ret_path = g_strdup(output->path);
	return true;
}

uint64_t spt_output_bytes(const SptOutput *output)
{
	return output->bytes;
}
