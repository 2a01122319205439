/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: "process;outermost;...;innermost weight".  The first name is the process, as in
 * what export writes.  Times are not known: samples follow each other by a microsecond.
 */
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/lines.h"
#include "import/stacks.h"

/* The weight at the end of a line, and where it begins; false: there is none. */
static bool find_folded_weight(const char *line, size_t bytes, size_t *ret_at, uint64_t *ret)
{
	size_t at = bytes;
	uint64_t scale = 1;

	for (*ret = 0; at > 0 && g_ascii_isdigit(line[at - 1]) && bytes - at < 19; scale *= 10)
		*ret += scale * (uint64_t)(line[--at] - '0');
	*ret_at = at;
	return at < bytes && at > 1 && line[at - 1] == ' ';
}

static bool probe_folded(const char *begin, size_t bytes)
{
	const char *stop = begin + bytes, *end;
	uint64_t weight;
	size_t at;

	while (begin < stop && (*begin == '\n' || *begin == '\r'))
		begin++;
	end = memchr(begin, '\n', (size_t)(stop - begin));
	if (!end || memchr(begin, '\0', (size_t)(end - begin)) || *begin == '{' || *begin == '<')
		return false;
	end -= end[-1] == '\r';
	return find_folded_weight(begin, (size_t)(end - begin), &at, &weight);
}

/* NULL, or what is wrong with it. */
static const char *take_folded_line(SptImportStacks *stacks, uint32_t object, char *line,
				    size_t bytes)
{
	uint64_t weight;
	size_t at;
	const char *process;
	char *next = line;
	uint32_t node = 0;
	unsigned n = 0;

	if (!find_folded_weight(line, bytes, &at, &weight))
		return SPT_WORDS("does not end with a blank and a weight");
	if (weight > UINT32_MAX * 1000ull)
		return SPT_WORDS("has a weight that is too large");
	line[at - 1] = '\0';
	process = strsep(&next, ";");
	while (next) {
		SptFrame frame = spt_import_stacks_frame(stacks, object, strsep(&next, ";"));

		if (++n > SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
		node = spt_import_stacks_child(stacks, node, &frame);
	}
	spt_import_stacks_sample(stacks, &(SptSampleRow){
		.thread = spt_import_stacks_thread(stacks, 0, 0, process, process),
		.node = node }, weight);
	return spt_import_stacks_excess(stacks);
}

static bool read_folded(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(SptImportStacks) stacks = spt_import_stacks_new(writer);
	g_autoptr(SptImportLines) lines = spt_import_lines_new(input->fd);
	uint32_t object = spt_import_stacks_object(stacks, SPT_OBJECT_UNKNOWN, "");
	const char *wrong = NULL;
	char *line;
	size_t bytes;

	while ((line = spt_import_lines_next(lines, &bytes, &wrong))) {
		if (bytes > 0)
			wrong = take_folded_line(stacks, object, line, bytes);
		if (wrong || !spt_import_stacks_flush(stacks, error))
			break;
	}
	if (wrong)
		spt_import_lines_refuse(lines, wrong, error);
	return !wrong && !line && spt_import_stacks_finish(stacks, error);
}

const SptImporter spt_import_folded = {
	.name = "folded",
	.probe = probe_folded,
	.read = read_folded,
};
