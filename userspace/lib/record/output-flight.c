/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An output whose rows stay in memory for some time; they become a capture on request. */
#include "record/output-private.h"

#include <string.h>

#include "capture/schema.h"
#include "record/flight.h"

#define COMPACT_NODES 4096		/* fewer are not worth it */
#define MOST_BUSY_NAMES 99

struct flight {
	SptOutput output;
	SptFlight *rows;
	uint64_t last_ns, period_ns;
	uint32_t kept_nodes;
	unsigned n_written;
};

static void flight_free(SptOutput *output)
{
	spt_flight_free(((struct flight *)output)->rows);
	g_free(output);
}

static void flight_host(SptOutput *output, const char *key, const char *value)
{
	struct flight *flight = (struct flight *)output;

	if (strcmp(key, "period_ns") == 0)
		flight->period_ns = g_ascii_strtoull(value, NULL, 10);
	spt_flight_host(flight->rows, key, value);
}

static void flight_put(SptOutput *output, SptRowKind kind, const void *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		spt_flight_put(((struct flight *)output)->rows, kind, spt_nth_row(kind, rows, i));
}

/* Makes a stash of only the stacks that are still needed. */
static void compact(struct flight *flight)
{
	SptStash *stash = spt_flight_new_stash(flight->rows, flight->output.stash);

	flight->kept_nodes = spt_stash_n_nodes(stash);
	spt_output_set_stash(&flight->output, stash);
}

static bool flight_flush(SptOutput *output, uint64_t now, GError **error)
{
	struct flight *flight = (struct flight *)output;
	uint64_t keep_ns = flight->last_ns;

	spt_flight_forget(flight->rows, now - MIN(keep_ns, now));
	if (spt_stash_n_nodes(output->stash) > 2 * flight->kept_nodes + COMPACT_NODES ||
	    spt_output_is_too_large(output))
		compact(flight);
	if (!spt_output_is_too_large(output))
		return true;
	/* The half of the memory has to be enough. */
	keep_ns = MIN(spt_flight_span(flight->rows, now), keep_ns) / 2;
	spt_flight_forget(flight->rows, now - keep_ns);
	compact(flight);
	spt_flight_host(
		flight->rows, "notice",
		"the memory that was allowed did not last for all of the time that was asked for");
	return spt_output_check_memory(output, error);
}

/* "a.capture", "a-2.capture", "a-3.capture". */
static char *next_path(const struct flight *flight)
{
	const char *dot = strrchr(flight->output.path, '.'),
		   *slash = strrchr(flight->output.path, '/');
	size_t stem = dot && dot != flight->output.path && (!slash || dot > slash + 1) ?
			      (size_t)(dot - flight->output.path) :
			      strlen(flight->output.path);

	if (!flight->n_written)
		return g_strdup(flight->output.path);
	return g_strdup_printf("%.*s-%u%s", (int)stem, flight->output.path, flight->n_written + 1,
			       flight->output.path + stem);
}

/* A name that another recorder writes is left to it: the last seconds come only once. */
static SptCaptureWriter *make_writer(struct flight *flight, char **ret_path, GError **error)
{
	unsigned last = flight->n_written + MOST_BUSY_NAMES;

	for (;; flight->n_written++) {
		g_autofree char *path = next_path(flight);
		g_autoptr(GError) why = NULL;
		SptCaptureWriter *writer = spt_capture_writer_new(path, &why);

		if (!writer && flight->n_written < last &&
		    g_error_matches(why, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_BUSY))
			continue;
		if (writer)
			*ret_path = g_steal_pointer(&path);
		else
			g_propagate_error(error, g_steal_pointer(&why));
		return writer;
	}
}

static bool flight_write_last(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	struct flight *flight = (struct flight *)output;
	g_autoptr(SptCaptureWriter) writer = NULL;
	g_autofree char *path = NULL;

	spt_flight_forget(flight->rows, now - MIN(flight->last_ns, now));
	compact(flight);
	writer = make_writer(flight, &path, error);
	if (!writer)
		return false;
	spt_capture_writer_keep_old(writer);
	spt_flight_give(flight->rows, writer, flight->period_ns);
	if (!spt_output_flush_into(output, writer, true, error) ||
	    !spt_capture_writer_finish(writer, output->stash, now, error))
		return false;
	output->bytes = spt_capture_writer_bytes(writer);
	flight->n_written++;
	*ret_path = g_steal_pointer(&path);
	return true;
}

static const struct spt_output_sink sink = {
	.free = flight_free,
	.host = flight_host,
	.put = flight_put,
	.flush = flight_flush,
	.write_last = flight_write_last,
	.finish = flight_write_last,
};

SptOutput *spt_output_flight_new(const SptRecorderOptions *options)
{
	struct flight *flight = g_new0(struct flight, 1);

	flight->output.sink = &sink;
	flight->rows = spt_flight_new();
	flight->last_ns = options->last_ns;
	return &flight->output;
}
