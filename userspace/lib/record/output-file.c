/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An output whose rows go into a capture as they come: a file, or a stream. */
#include "record/output-private.h"

struct file {
	SptOutput output;
	GArray *maps;			/* SptMapRow: its object is not written yet */
};

static void file_free(SptOutput *output)
{
	g_array_unref(((struct file *)output)->maps);
	g_free(output);
}

static void file_host(SptOutput *output, const char *key, const char *value)
{
	spt_capture_writer_host(output->writer, key, value);
}

static void file_put(SptOutput *output, SptRowKind kind, const void *rows, size_t n)
{
	if (kind == SPT_ROW_MAP)
		g_array_append_vals(((struct file *)output)->maps, rows, (guint)n);
	else
		spt_capture_writer_put_rows(output->writer, kind, rows, n);
}

static void put_maps(struct file *file)
{
	SptOutput *output = &file->output;
	unsigned kept = 0;

	for (unsigned i = 0; i < file->maps->len; i++) {
		const SptMapRow *row = &g_array_index(file->maps, SptMapRow, i);

		if (!row->object || spt_naming_path(output->naming, row->object))
			spt_capture_writer_map(output->writer, row);
		else
			g_array_index(file->maps, SptMapRow, kept++) = *row;
	}
	g_array_set_size(file->maps, kept);
}

static bool trim_stash(struct file *file, GError **error)
{
	SptOutput *output = &file->output;

	if (!spt_output_is_too_large(output))
		return true;
	spt_capture_writer_next_stash(output->writer);
	spt_output_set_stash(output, spt_stash_new());
	return spt_output_check_memory(output, error);
}

static bool file_flush(SptOutput *output, uint64_t now, GError **error)
{
	struct file *file = (struct file *)output;

	(void)now;
	put_maps(file);
	if (!spt_output_flush_into(output, output->writer, false, error))
		return false;
	output->bytes = spt_capture_writer_bytes(output->writer);
	spt_output_publish(output);
	return trim_stash(file, error);
}

static bool file_finish(SptOutput *output, uint64_t now, char **ret_path, GError **error)
{
	put_maps((struct file *)output);
	if (!spt_output_flush_into(output, output->writer, true, error) ||
	    !spt_capture_writer_finish(output->writer, output->stash, now, error))
		return false;
	output->bytes = spt_capture_writer_bytes(output->writer);
	*ret_path = g_strdup(output->path);
	return true;
}

static const struct spt_output_sink sink = {
	.free = file_free,
	.host = file_host,
	.put = file_put,
	.flush = file_flush,
	.finish = file_finish,
};

SptOutput *spt_output_file_new(const SptRecorderOptions *options, GError **error)
{
	SptCaptureWriter *writer =
		options->stream_fd > 0 ? spt_capture_writer_new_stream(options->stream_fd,
								       options->output, error) :
					 spt_capture_writer_new(options->output, error);
	struct file *file;

	if (!writer)
		return NULL;
	if (options->stream_fd <= 0)
		spt_capture_writer_keep_old(writer);
	file = g_new0(struct file, 1);
	file->output.sink = &sink;
	file->output.writer = writer;
	file->maps = g_array_new(FALSE, FALSE, sizeof(SptMapRow));
	return &file->output;
}
