/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that goes on for days meets ever more stacks.  When they have grown to the memory
 * that is allowed they are forgotten, and those that come again are written again: the file is a
 * little larger, and the recorder is small.
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
#include "stash/stash.h"

#define DEFAULT_MEMORY_BYTES (1ULL << 30)
#define COMPACT_NODES 4096		/* fewer are not worth it */
/* Of memory, at the worst: for a node and the name of its frame, and for a row that waits. */
#define NODE_BYTES 192
#define ROW_BYTES 128

struct SptOutput {
	SptTrace *trace;
	char *path;
	SptCaptureWriter *writer;	/* one of these two */
	SptFlight *flight;
	SptLive *live;			/* NULL: nobody looks on */
	SptStash *stash;
	SptNaming *naming;
	GArray *maps;			/* SptMapRow, for the writer */
	uint32_t node_base, kept_nodes, flushed_nodes;
	uint64_t memory_bytes, last_ns, period_ns, bytes;
	uint64_t n_waiting;		/* rows since the last flush */
	unsigned n_stashes;		/* before this one */
	unsigned n_written;
};

static void on_name(const SptNameRow *row, void *live)
{
	spt_live_name(live, row);
}

static SptCaptureWriter *new_writer(const char *path, GError **error)
{
	SptCaptureWriter *writer = spt_capture_writer_new(path, error);

	if (writer)
		spt_capture_writer_keep_old(writer);
	return writer;
}

SptOutput *spt_output_new(const SptRecorderOptions *options, SptTrace *trace, GError **error)
{
	g_autoptr(SptOutput) output = g_new0(SptOutput, 1);

	output->trace = trace;
	output->path = g_strdup(options->output);
	output->memory_bytes = options->memory_bytes ? options->memory_bytes : DEFAULT_MEMORY_BYTES;
	output->last_ns = options->last_ns;
	output->stash = spt_stash_new();
	output->maps = g_array_new(FALSE, FALSE, sizeof(SptMapRow));
	output->live = options->live ? spt_live_ref(options->live) : NULL;
	output->naming = spt_naming_new(options->stream_fd > 0);
	if (options->last_ns)
		output->flight = spt_flight_new();
	else if (options->stream_fd > 0)
		output->writer =
			spt_capture_writer_new_stream(options->stream_fd, options->output, error);
	else
		output->writer = new_writer(options->output, error);
	if (output->live && output->writer)
		spt_capture_writer_watch_names(output->writer, on_name, output->live);
	return output->flight || output->writer ? g_steal_pointer(&output) : NULL;
}

void spt_output_free(SptOutput *output)
{
	if (!output)
		return;
	spt_capture_writer_free(output->writer);
	spt_flight_free(output->flight);
	spt_naming_free(output->naming);
	g_clear_pointer(&output->live, spt_live_unref);
	spt_stash_free(output->stash);
	g_array_unref(output->maps);
	g_free(output->path);
	g_free(output);
}

/* Rows. */

void spt_output_host(SptOutput *output, const char *key, const char *value)
{
	if (strcmp(key, "period_ns") == 0)
		output->period_ns = g_ascii_strtoull(value, NULL, 10);
	if (output->flight)
		spt_flight_host(output->flight, key, value);
	else
		spt_capture_writer_host(output->writer, key, value);
}

void spt_output_process(SptOutput *output, const SptProcessRow *row)
{
	output->n_waiting++;
	if (output->live)
		spt_live_process(output->live, row);
	if (output->flight)
		spt_flight_process(output->flight, row);
	else
		spt_capture_writer_process(output->writer, row);
}

void spt_output_thread(SptOutput *output, const SptThreadRow *row)
{
	output->n_waiting++;
	if (output->live)
		spt_live_thread(output->live, row);
	if (output->flight)
		spt_flight_thread(output->flight, row);
	else
		spt_capture_writer_thread(output->writer, row);
}

void spt_output_command_line(SptOutput *output, const SptCommandLineRow *row)
{
	output->n_waiting++;
	if (output->flight)
		spt_flight_command_line(output->flight, row);
	else
		spt_capture_writer_command_line(output->writer, row);
}

void spt_output_map(SptOutput *output, const SptMapRow *row)
{
	output->n_waiting++;
	if (output->flight)
		spt_flight_map(output->flight, row);
	else
		g_array_append_vals(output->maps, row, 1);
}

void spt_output_account(SptOutput *output, const SptAccountRow *row)
{
	output->n_waiting++;
	if (output->flight)
		spt_flight_account(output->flight, row);
	else
		spt_capture_writer_account(output->writer, row);
}

void spt_output_loss(SptOutput *output, const SptLossRow *row)
{
	output->n_waiting++;
	if (output->flight)
		spt_flight_loss(output->flight, row);
	else
		spt_capture_writer_loss(output->writer, row);
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

/* The kernel reads no file: what it did not find in memory, the file that is held tells. */
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

	output->n_waiting++;
	spt_naming_hold(output->naming, output->trace, row, pid);
	if (row->kind == SPT_OBJECT_FILE)
		add_build_id(output, &whole);
	if (output->live)
		spt_live_object(output->live, &whole);
	if (output->flight)
		spt_flight_object(output->flight, &whole);
	else
		spt_capture_writer_object(output->writer, &whole);
}

SptStash *spt_output_stash(SptOutput *output, unsigned *ret_number)
{
	*ret_number = output->n_stashes;
	return output->stash;
}

void spt_output_sample(SptOutput *output, const SptSampleRow *row)
{
	SptSampleRow sample = *row;

	output->n_waiting++;
	if (output->live)
		spt_live_sample(output->live, row);
	sample.node += sample.node ? output->node_base : 0;
	if (output->flight)
		spt_flight_sample(output->flight, &sample);
	else
		spt_capture_writer_sample(output->writer, &sample);
}

/* Memory. */

/*
 * What this process has for itself alone: rings are shared with the kernel, and programs with the
 * disk.
 */
static uint64_t private_bytes(void)
{
	g_autofree char *text = NULL;
	uint64_t all, resident, shared;

	if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &all, &resident, &shared) != 3 ||
	    shared > resident)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool check_memory(const SptOutput *output, GError **error)
{
	uint64_t bytes;

	malloc_trim(0);
	bytes = private_bytes();
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

/* What may come until the next flush has room above it. */
static bool is_too_large(const SptOutput *output)
{
	return (uint64_t)spt_stash_n_nodes(output->stash) * NODE_BYTES > output->memory_bytes / 4 ||
	       private_bytes() > output->memory_bytes / 8 * 5;
}

/* A stash of those stacks only that are still needed. */
static void compact(SptOutput *output)
{
	SptStash *stash = spt_flight_new_stash(output->flight, output->stash);

	spt_stash_free(output->stash);
	output->stash = stash;
	output->n_stashes++;
	output->kept_nodes = spt_stash_n_nodes(stash);
	spt_naming_forget(output->naming);
}

static bool trim_flight(SptOutput *output, uint64_t now, GError **error)
{
	uint64_t keep_ns = output->last_ns;

	spt_flight_forget(output->flight, now - MIN(keep_ns, now));
	if (spt_stash_n_nodes(output->stash) > 2 * output->kept_nodes + COMPACT_NODES ||
	    is_too_large(output))
		compact(output);
	if (!is_too_large(output))
		return true;
	/* The half of what there is has to do. */
	keep_ns = MIN(spt_flight_span(output->flight, now), keep_ns) / 2;
	spt_flight_forget(output->flight, now - keep_ns);
	compact(output);
	spt_flight_host(
		output->flight, "notice",
		"the memory that was allowed did not last for all of the time that was asked for");
	return check_memory(output, error);
}

static bool trim_stash(SptOutput *output, GError **error)
{
	if (!is_too_large(output))
		return true;
	spt_stash_free(output->stash);
	output->stash = spt_stash_new();
	output->n_stashes++;
	output->node_base = spt_capture_writer_next_stash(output->writer);
	spt_naming_forget(output->naming);
	return check_memory(output, error);
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

static void publish(SptOutput *output)
{
	if (output->live)
		spt_live_publish(output->live, output->stash, output->n_stashes);
}

bool spt_output_tell(SptOutput *output, GError **error)
{
	if (!spt_naming_flush(output->naming, output->trace, output->stash, output->writer, false,
			      error))
		return false;
	publish(output);
	return true;
}

static void put_maps(SptOutput *output)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < output->maps->len; i++) {
		const SptMapRow *row = &g_array_index(output->maps, SptMapRow, i);

		if (!row->object || spt_naming_path(output->naming, row->object))
			spt_capture_writer_map(output->writer, row);
		else
			g_array_index(output->maps, SptMapRow, kept++) = *row;
	}
	g_array_set_size(output->maps, kept);
}

static bool flush_into(SptOutput *output, SptCaptureWriter *writer, bool last, GError **error)
{
	return spt_naming_flush(output->naming, output->trace, output->stash, writer, last,
				error) &&
	       spt_capture_writer_flush(writer, output->stash, error);
}

static bool flush_or_trim(SptOutput *output, uint64_t now, GError **error)
{
	if (output->flight)
		return trim_flight(output, now, error);
	put_maps(output);
	if (!flush_into(output, output->writer, false, error))
		return false;
	output->bytes = spt_capture_writer_bytes(output->writer);
	/* Before there is another stash. */
	publish(output);
	return trim_stash(output, error);
}

bool spt_output_flush(SptOutput *output, uint64_t now, GError **error)
{
	bool ok = flush_or_trim(output, now, error);

	output->n_waiting = 0;
	output->flushed_nodes = spt_stash_n_nodes(output->stash);
	return ok;
}

/* "a.capture", "a-2.capture", "a-3.capture". */
static char *next_path(const SptOutput *output)
{
	const char *dot = strrchr(output->path, '.'), *slash = strrchr(output->path, '/');
	size_t stem = dot && dot != output->path && (!slash || dot > slash + 1) ?
			      (size_t)(dot - output->path) :
			      strlen(output->path);

	if (!output->n_written)
		return g_strdup(output->path);
	return g_strdup_printf("%.*s-%u%s", (int)stem, output->path, output->n_written + 1,
			       output->path + stem);
}

bool spt_output_write_last(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	g_autofree char *path = next_path(output);
	g_autoptr(SptCaptureWriter) writer = NULL;

	spt_flight_forget(output->flight, now - MIN(output->last_ns, now));
	compact(output);
	writer = new_writer(path, error);
	if (!writer)
		return false;
	spt_flight_put(output->flight, writer, output->period_ns);
	if (!flush_into(output, writer, true, error) ||
	    !spt_capture_writer_finish(writer, output->stash, now, error))
		return false;
	output->bytes = spt_capture_writer_bytes(writer);
	output->n_written++;
	*ret_path = g_steal_pointer(&path);
	return true;
}

bool spt_output_finish(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	if (output->flight)
		return spt_output_write_last(output, now, ret_path, error);
	put_maps(output);
	if (!flush_into(output, output->writer, true, error) ||
	    !spt_capture_writer_finish(output->writer, output->stash, now, error))
		return false;
	output->bytes = spt_capture_writer_bytes(output->writer);
	*ret_path = g_strdup(output->path);
	return true;
}

uint64_t spt_output_bytes(const SptOutput *output)
{
	return output->bytes;
}
