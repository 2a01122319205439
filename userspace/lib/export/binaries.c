/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ended where in one program or library, for tools that make it faster: text for
 * llvm-profgen, which writes the profile that clang takes, and for llvm-bolt.  Both prefer
 * branches, which a timer does not see.
 */
#include <inttypes.h>

#include "base/words.h"
#include "export/export.h"
#include "export/files.h"
#include "profile/stack-sums.h"

/* A place where stacks end, in the file. */
struct binary_place {
	const SptFrame *frame;
	uint64_t weight;
};

struct binary_weights {
	const SptExportInput *input;
	GArray *places;			/* struct binary_place, in the order of their first use */
	uint32_t object;		/* of all places; UINT32_MAX: none yet */
};

/* By object: the weight of the stacks that end there; the caller frees it. */
static uint64_t *binary_sums(const struct binary_weights *weights, const GArray *sums)
{
	const SptCapture *capture = weights->input->capture;
	uint64_t *of_object = g_new0(uint64_t, (size_t)capture->n_objects + 1);

	for (guint i = 0; i < sums->len; i++) {
		const SptStackSum *sum = &g_array_index(sums, SptStackSum, i);
		const SptFrame *frame = &capture->nodes[sum->node].frame;

		if (sum->node && spt_export_wanted_file_of(weights->input, frame))
			of_object[frame->object] += sum->weight;
	}
	return of_object;
}

/* The one whose places are written: these formats know a single file. */
static bool find_binary(struct binary_weights *weights, const GArray *sums, GError **error)
{
	const SptCapture *capture = weights->input->capture;
	const SptFilter *filter = weights->input->filter;
	g_autofree uint64_t *of_object = binary_sums(weights, sums);
	uint32_t most = UINT32_MAX;
	unsigned n = 0;
	g_autofree char *name = NULL;

	for (uint32_t i = 0; i < capture->n_objects; i++) {
		n += of_object[i] != 0;
		if (of_object[i] && (most == UINT32_MAX || of_object[i] > of_object[most]))
			most = i;
	}
	if (n == 0) {
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
			    "No stack ends in a program or library");
		return false;
	}
	name = g_path_get_basename(capture->objects[most].path);
	if (n > 1 && (!filter || !filter->object)) {
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
			    "This format has the places of one file: choose it with --object, "
			    "as in --object '%s'",
			    name);
		return false;
	}
	if (n > 1) {
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
			    "%u files of this name ran, and this format has the places of one "
			    "file: choose it with --process or --time",
			    n);
		return false;
	}
	weights->object = most;
	return true;
}

static void add_binary_places(struct binary_weights *weights, const GArray *sums)
{
	const SptCapture *capture = weights->input->capture;
	g_autofree uint32_t *of_frame = g_new0(uint32_t, (size_t)capture->n_frames + 1);

	for (guint i = 0; i < sums->len; i++) {
		const SptStackSum *sum = &g_array_index(sums, SptStackSum, i);
		const SptNode *node = &capture->nodes[sum->node];

		if (!sum->node || node->frame.object != weights->object)
			continue;
		if (of_frame[node->key] == 0) {
			struct binary_place place = { .frame = &node->frame };

			g_array_append_val(weights->places, place);
			of_frame[node->key] = weights->places->len;
		}
		g_array_index(weights->places, struct binary_place, of_frame[node->key] - 1)
			.weight += sum->weight;
	}
}

static bool read_binary(struct binary_weights *weights, const SptExportInput *input,
			GError **error)
{
	g_autoptr(GArray) sums = spt_stack_sums_new(input->capture, input->symbols,
						    spt_profile_metric(input->profile),
						    input->filter);

	*weights = (struct binary_weights){
		.input = input,
		.places = g_array_new(FALSE, FALSE, sizeof(struct binary_place)),
		.object = UINT32_MAX,
	};
	if (!find_binary(weights, sums, error)) {
		g_array_unref(weights->places);
		return false;
	}
	add_binary_places(weights, sums);
	return true;
}

/*
 * A function that only its own file knows has a number behind its name there, the first one 1.  The
 * symbol table here does not say which they are, so both names are written: one of them is unknown
 * there, and skipped.
 */
static void put_fdata(SptOut *out, const char *name, uint64_t distance, uint64_t weight)
{
	GString *text = spt_out_text(out);

	g_string_append_printf(text, "1 %s %" PRIx64 " %" PRIu64 "\n", name, distance, weight);
	g_string_append_printf(text, "1 %s/1 %" PRIx64 " %" PRIu64 "\n", name, distance, weight);
}

static bool write_fdata(const SptExportInput *input, SptOut *out, GError **error)
{
	SptPlace places[SPT_INLINES_MAX];
	struct binary_weights weights;
	SptSymbol symbol;
	bool has_any = false;

	if (!read_binary(&weights, input, error))
		return false;
	g_string_append_printf(spt_out_text(out), "no_lbr %s:\n",
			       spt_profile_metric(input->profile)->name);
	for (guint i = 0; i < weights.places->len; i++) {
		const struct binary_place *place =
			&g_array_index(weights.places, struct binary_place, i);

		spt_symbols_raw(input->symbols, place->frame, places, &symbol);
		if (symbol.source == SPT_SOURCE_PLT || !symbol.name || !spt_is_word(symbol.name))
			continue;
		put_fdata(out, symbol.name, symbol.distance, place->weight);
		has_any = true;
	}
	g_array_unref(weights.places);
	if (!has_any)
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
			    "The file has no symbol table, which llvm-bolt needs");
	return has_any;
}

/* Ranges of instructions, here of one each, and how often they ran; then branches: none. */
static bool write_autofdo(const SptExportInput *input, SptOut *out, GError **error)
{
	struct binary_weights weights;
	g_autofree uint64_t *addresses = NULL;
	uint32_t n = 0;

	if (!read_binary(&weights, input, error))
		return false;
	addresses = g_new0(uint64_t, weights.places->len + 1);
	for (guint i = 0; i < weights.places->len; i++) {
		const struct binary_place *place =
			&g_array_index(weights.places, struct binary_place, i);
		g_autofree char *problem = NULL;
		g_autoptr(SptCode) code =
			spt_symbols_code(input->symbols, place->frame, 1, &problem);

		addresses[i] = code ? code->address : UINT64_MAX;
		n += code != NULL;
	}
	g_string_append_printf(spt_out_text(out), "%" PRIu32 "\n", n);
	for (guint i = 0; i < weights.places->len; i++)
		if (addresses[i] != UINT64_MAX)
			g_string_append_printf(
				spt_out_text(out), "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n",
				addresses[i], addresses[i],
				g_array_index(weights.places, struct binary_place, i).weight);
	g_string_append(spt_out_text(out), "0\n");
	g_array_unref(weights.places);
	if (n == 0)
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
			    "The file that was recorded is not here any more, or has changed");
	return n > 0;
}

const SptExport spt_export_autofdo = {
	.name = "autofdo",
	.ending = ".autofdo",
	.help = "instructions of one program for llvm-profgen --unsymbolized-profile",
	.menu = SPT_WORDS("Export Profile for Comp_ilers…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_ADDRESSES,
	.write = write_autofdo,
};

const SptExport spt_export_fdata = {
	.name = "fdata",
	.ending = ".fdata",
	.help = "the same for llvm-bolt, without branches",
	.menu = SPT_WORDS("Export Profile for _BOLT…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_ADDRESSES,
	.write = write_fdata,
};
