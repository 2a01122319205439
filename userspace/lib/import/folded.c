/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: "process;outermost;...;innermost weight".  The first name is the process, as in
 * what export writes.  Times are not known: samples follow each other by a microsecond.  Weights
 * may have fractions: then a period is the unit of the last digit of all.
 */
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/lines.h"
#include "import/stacks.h"

/* Most digits of a fraction, and of a number before one. */
#define FRACTION_DIGITS 9
#define WHOLE_DIGITS	18

/* Most of a line, in periods. */
#define WEIGHT_MAX (UINT32_MAX * 1000ull)

struct folded_reader {
	SptImportStacks *stacks;
	uint32_t object;
	uint64_t scale;			/* periods of a weight of 1: a power of ten */
};

struct folded_weight {
	size_t at;			/* behind the blank before it */
	uint64_t whole, fraction;	/* fraction: in units of 10 ^ -decimals */
	unsigned decimals;		/* more than FRACTION_DIGITS: it is not read */
};

/* The digits before @end, as a number; where they end. */
static const char *read_folded_digits(const char *at, const char *end, uint64_t *ret)
{
	for (*ret = 0; at < end && g_ascii_isdigit(*at); at++)
		*ret = *ret * 10 + (uint64_t)(*at - '0');
	return at;
}

/* The weight at the end of a line; false: there is none. */
static bool find_folded_weight(const char *line, size_t bytes, struct folded_weight *ret)
{
	const char *blank = memrchr(line, ' ', bytes), *end = line + bytes, *point;

	*ret = (struct folded_weight){ .at = blank ? (size_t)(blank + 1 - line) : 0 };
	if (ret->at < 2 || blank + 1 == end || !g_ascii_isdigit(blank[1]))
		return false;
	point = memchr(blank, '.', (size_t)(end - blank));
	if ((point ? point : end) - blank - 1 > WHOLE_DIGITS)
		return false;
	if (read_folded_digits(blank + 1, end, &ret->whole) != (point ? point : end))
		return false;
	if (!point)
		return true;
	while (end[-1] == '0')
		end--;
	ret->decimals = (unsigned)MIN(end - point - 1, FRACTION_DIGITS + 1);
	return read_folded_digits(point + 1, end, &ret->fraction) == end;
}

static bool probe_folded(const char *begin, size_t bytes)
{
	const char *stop = begin + bytes, *end;
	struct folded_weight weight;

	while (begin < stop && (*begin == '\n' || *begin == '\r'))
		begin++;
	end = memchr(begin, '\n', (size_t)(stop - begin));
	/* A last line may have no end. */
	if (!end && bytes < SPT_IMPORT_PROBE_BYTES)
		end = stop;
	if (!end || end == begin || memchr(begin, '\0', (size_t)(end - begin)) ||
	    *begin == '{' || *begin == '<')
		return false;
	end -= end[-1] == '\r';
	return find_folded_weight(begin, (size_t)(end - begin), &weight);
}

static uint64_t ten_to(unsigned power)
{
	return power == 0 ? 1 : 10 * ten_to(power - 1);
}

/* NULL, or what is wrong with it. */
static const char *take_folded_line(struct folded_reader *reader, char *line, size_t bytes)
{
	SptImportStacks *stacks = reader->stacks;
	struct folded_weight weight;
	const char *process;
	char *next = line;
	uint32_t node = 0;
	unsigned n = 0;

	if (!find_folded_weight(line, bytes, &weight))
		return SPT_WORDS("does not end with a blank and a weight");
	if (weight.whole > WEIGHT_MAX / reader->scale)
		return SPT_WORDS("has a weight that is too large");
	weight.whole = weight.whole * reader->scale +
		       weight.fraction * (reader->scale / ten_to(weight.decimals));
	line[weight.at - 1] = '\0';
	process = strsep(&next, ";");
	while (next) {
		SptFrame frame =
			spt_import_stacks_frame(stacks, reader->object, strsep(&next, ";"));

		if (++n > SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
		node = spt_import_stacks_child(stacks, node, &frame);
	}
	spt_import_stacks_sample(stacks, &(SptSampleRow){
		.thread = spt_import_stacks_thread(stacks, 0, 0, process, process),
		.node = node }, weight.whole);
	return spt_import_stacks_excess(stacks);
}

/* What all weights are multiples of.  False with an error. */
static bool find_folded_scale(struct folded_reader *reader, int fd, GError **error)
{
	g_autoptr(SptImportLines) lines = spt_import_lines_new(fd);
	const char *wrong = NULL;
	unsigned decimals = 0;
	char *line;
	size_t bytes;

	while ((line = spt_import_lines_next(lines, &bytes, &wrong))) {
		struct folded_weight weight;

		if (!find_folded_weight(line, bytes, &weight))
			continue;
		if (weight.decimals > FRACTION_DIGITS)
			wrong = SPT_WORDS("has a weight with more than nine digits behind the point");
		if (wrong)
			break;
		decimals = MAX(decimals, weight.decimals);
	}
	reader->scale = ten_to(decimals);
	if (wrong)
		spt_import_lines_refuse(lines, wrong, error);
	return !wrong;
}

static void note_folded_scale(const struct folded_reader *reader, SptCaptureWriter *writer)
{
	g_autofree char *text = NULL;

	if (reader->scale == 1)
		return;
	text = g_strdup_printf("weights in the file have fractions: 1 there is %" G_GUINT64_FORMAT
			       " periods here",
			       reader->scale);
	spt_capture_writer_host(writer, SPT_IMPORT_NOTE, text);
}

static bool read_folded_lines(struct folded_reader *reader, int fd, GError **error)
{
	g_autoptr(SptImportLines) lines = spt_import_lines_new(fd);
	const char *wrong = NULL;
	char *line;
	size_t bytes;

	while ((line = spt_import_lines_next(lines, &bytes, &wrong))) {
		if (bytes > 0)
			wrong = take_folded_line(reader, line, bytes);
		if (wrong || !spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	if (wrong)
		spt_import_lines_refuse(lines, wrong, error);
	return !wrong && !line && spt_import_stacks_finish(reader->stacks, error);
}

static bool read_folded(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(SptImportStacks) stacks = spt_import_stacks_new(writer);
	struct folded_reader reader = {
		.stacks = stacks,
		.object = spt_import_stacks_object(stacks, SPT_OBJECT_UNKNOWN, ""),
	};

	if (!find_folded_scale(&reader, input->fd, error))
		return false;
	note_folded_scale(&reader, writer);
	return read_folded_lines(&reader, input->fd, error);
}

const SptImporter spt_import_folded = {
	.name = "folded",
	.probe = probe_folded,
	.read = read_folded,
	.unpacks = true,
};
