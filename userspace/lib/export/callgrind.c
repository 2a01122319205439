/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callgrind's profiles, for callgrind_annotate and KCachegrind: for each line of a function the
 * weight there, and that of the functions which it calls.
 *
 * Readers take the sum of a function's calls for its total, those to it or those from it.  So that
 * no sample counts twice there, what a function does below itself belongs to another function,
 * whose name ends in "'2" as Callgrind's own does.  The first one has the total of the report.  The
 * outermost functions are called by their process.
 */
#include <inttypes.h>
#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "export/export.h"
#include "export/files.h"
#include "profile/command.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"
#include "stash/frames.h"

/* Deeper stacks count for one function, as in profiles. */
#define STACK_MAX_FRAMES 2048
/* Instead of a called place: the weight of the place itself. */
#define CALLGRIND_SELF UINT64_MAX
#define UNKNOWN	       "???"

struct callgrind_function {
	const char *name, *object;	/* interned; object: a path or a label */
	uint32_t file;			/* number, from 1; 0: not known yet */
	/* If @walk is the number of the stack that is walked, the function is on it. */
	uint32_t walk;
	uint32_t at_repeat;		/* length of the path with it below itself; 0: it is not */
};

struct callgrind_place {
	uint32_t function, line;
	bool is_repeat;			/* below itself */
};

struct callgrind_range {
	uint32_t first, end;
};

struct callgrind_writer {
	const SptExportInput *input;
	const SptMetric *metric;
	uint64_t worth;			/* of a weight of 1, in the metric's unit; at least 1 */
	GArray *functions;		/* struct callgrind_function */
	struct spt_pairs known;		/* (name, object), interned -> in functions */
	GHashTable *files;		/* name -> number, from 1 */
	GPtrArray *file_names;		/* by number, less 1 */
	GArray *places;			/* struct callgrind_place: outermost first in a frame */
	struct callgrind_range *of_frame; /* in places */
	uint32_t raw[STACK_MAX_FRAMES];	/* nodes of the stack that is walked, innermost first */
	GArray *path;			/* struct callgrind_place: of that stack, outermost first */
	uint32_t n_walks;
	uint32_t n_fixed;		/* so much of the path is not shortened */
	SptOut *out;
	struct spt_pairs objects;	/* interned name -> number, from 1 */
	struct spt_pairs written;	/* (kind of name, number) */
	/* (packed place, function that it calls by its number or CALLGRIND_SELF) -> in weights */
	struct spt_pairs costs;
	GArray *weights;		/* uint64_t */
};

static struct callgrind_function *callgrind_function_at(struct callgrind_writer *writer, uint32_t i)
{
	return &g_array_index(writer->functions, struct callgrind_function, i);
}

static uint32_t callgrind_function_number(struct callgrind_writer *writer, const char *name,
					  const char *label, const char *object)
{
	uint32_t *known = spt_pairs_at(&writer->known, (uintptr_t)name, (uintptr_t)label);
	struct callgrind_function function = { .name = name, .object = object };

	if (*known == UINT32_MAX) {
		*known = writer->functions->len;
		g_array_append_val(writer->functions, function);
	}
	return *known;
}

static uint32_t callgrind_file_number(struct callgrind_writer *writer, const SptNamedPlace *place)
{
	bool is_whole = !place->directory || g_path_is_absolute(place->file);
	g_autofree char *path = is_whole ? g_strdup(place->file) :
					   g_build_filename(place->directory, place->file, NULL);
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(writer->files, path));

	if (number == 0) {
		g_ptr_array_add(writer->file_names, path);
		number = writer->file_names->len;
		g_hash_table_insert(writer->files, g_steal_pointer(&path),
				    GUINT_TO_POINTER(number));
	}
	return number;
}

/* A function has one file, where readers look for it: lines of others have no number. */
static void add_callgrind_place(struct callgrind_writer *writer, const SptNamedPlace *from,
				const char *object)
{
	uint32_t file = from->file && *from->file ? callgrind_file_number(writer, from) : 0;
	struct callgrind_place place = {
		.function = callgrind_function_number(writer, from->name.function,
						      from->name.object, object),
	};
	struct callgrind_function *function = callgrind_function_at(writer, place.function);

	if (function->file == 0)
		function->file = file;
	if (file == function->file)
		place.line = from->line;
	g_array_append_val(writer->places, place);
}

static void add_callgrind_frame(struct callgrind_writer *writer, const SptFrame *frame)
{
	const SptObjectRow *file = spt_export_file_of(writer->input->capture, frame);
	SptNamedPlace places[SPT_INLINES_MAX];

	for (unsigned n = spt_symbols_places(writer->input->symbols, frame, places); n > 0; n--)
		add_callgrind_place(writer, &places[n - 1],
				    file ? file->path : places[n - 1].name.object);
}

/* All frames that have weight or call one that has, in the order of their addresses. */
static void find_callgrind_places(struct callgrind_writer *writer, const GArray *sums)
{
	const SptCapture *capture = writer->input->capture;
	g_autofree bool *frames = spt_stack_sums_frames(capture, sums);
	uint32_t n;
	g_autofree struct spt_item *items =
		spt_sort_frames(capture->nodes, capture->n_nodes, capture->n_frames, frames, &n);

	for (uint32_t i = 0; i < n; i++) {
		const SptNode *node = &capture->nodes[items[i].index];

		writer->of_frame[node->key].first = writer->places->len;
		add_callgrind_frame(writer, &node->frame);
		writer->of_frame[node->key].end = writer->places->len;
	}
}

/*
 * What a repeated function calls until it is repeated again is skipped, unless a function is there
 * for the first time: else it would count for each round.
 */
static void push_callgrind_place(struct callgrind_writer *writer, struct callgrind_place place)
{
	struct callgrind_function *function = callgrind_function_at(writer, place.function);
	const GArray *path = writer->path;
	const struct callgrind_place *before;

	place.is_repeat = function->walk == writer->n_walks;
	if (!place.is_repeat) {
		function->walk = writer->n_walks;
		function->at_repeat = 0;
		writer->n_fixed = path->len + 1;
	} else {
		before = function->at_repeat > writer->n_fixed && function->at_repeat <= path->len ?
				 &g_array_index(path, struct callgrind_place,
						function->at_repeat - 1) :
				 NULL;
		if (before && before->function == place.function)
			g_array_set_size(writer->path, function->at_repeat - 1);
		function->at_repeat = path->len + 1;
	}
	g_array_append_val(writer->path, place);
}

/* The number of a function in the file, from 2; odd for the one that has what is below itself. */
static uint64_t callgrind_id(const struct callgrind_place *place)
{
	return 2 * ((uint64_t)place->function + 1) + place->is_repeat;
}

static uint64_t callgrind_pack(const struct callgrind_place *place)
{
	return callgrind_id(place) << 32 | place->line;
}

static void add_callgrind_cost(struct callgrind_writer *writer, uint64_t from, uint64_t to,
			       uint64_t weight)
{
	uint32_t *at = spt_pairs_at(&writer->costs, from, to);

	if (*at == UINT32_MAX) {
		*at = writer->weights->len;
		g_array_set_size(writer->weights, writer->weights->len + 1);
	}
	g_array_index(writer->weights, uint64_t, *at) += weight;
}

/* A place for what has no frame. */
static struct callgrind_place name_callgrind_place(struct callgrind_writer *writer,
						   const char *text, const char *object)
{
	const char *name = spt_symbols_intern(writer->input->symbols, text);
	const char *label = spt_symbols_intern(writer->input->symbols, object);

	return (struct callgrind_place){
		.function = callgrind_function_number(writer, name, label, label),
	};
}

static void push_callgrind_stack(struct callgrind_writer *writer, uint32_t node)
{
	const SptNode *nodes = writer->input->capture->nodes;
	const char *missing = node ? "[stack too deep]" : SPT_NO_STACK;
	unsigned n = 0;

	for (; node != 0 && n < STACK_MAX_FRAMES; node = nodes[node].parent)
		writer->raw[n++] = node;
	if (n == 0 || node != 0) {
		push_callgrind_place(writer, name_callgrind_place(writer, missing, missing));
		return;
	}
	while (n-- > 0) {
		const struct callgrind_range *range = &writer->of_frame[nodes[writer->raw[n]].key];

		for (uint32_t i = range->first; i < range->end; i++)
			push_callgrind_place(writer, g_array_index(writer->places,
								   struct callgrind_place, i));
	}
}

static void add_callgrind_sum(struct callgrind_writer *writer, const SptStackSum *sum)
{
	const SptProcessRow *process = spt_process_of_thread(writer->input->capture, sum->thread);
	const struct callgrind_place *path;
	guint n;

	writer->n_walks++;
	writer->n_fixed = 0;
	g_array_set_size(writer->path, 0);
	push_callgrind_place(writer, name_callgrind_place(writer, spt_process_label(process), ""));
	push_callgrind_stack(writer, sum->node);
	path = (const struct callgrind_place *)writer->path->data;
	n = writer->path->len;
	for (guint i = 0; i + 1 < n; i++)
		add_callgrind_cost(writer, callgrind_pack(&path[i]), callgrind_id(&path[i + 1]),
				   sum->weight);
	add_callgrind_cost(writer, callgrind_pack(&path[n - 1]), CALLGRIND_SELF, sum->weight);
}

/* By function; in one its own lines come first. */
static int compare_callgrind_costs(const void *a, const void *b)
{
	const struct spt_pair *x = a, *y = b;
	uint64_t x_id = x->a >> 32, y_id = y->a >> 32;
	bool x_calls = x->b != CALLGRIND_SELF, y_calls = y->b != CALLGRIND_SELF;

	if (x_id != y_id)
		return x_id < y_id ? -1 : 1;
	if (x_calls != y_calls)
		return x_calls ? 1 : -1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* A name is written whole only where it is first needed. */
static void put_callgrind_name(struct callgrind_writer *writer, const char *key, uint64_t id,
			       const char *name, const char *end)
{
	/* The last letter is that of the kind of name: cfn and fn have the same numbers. */
	uint32_t *written = spt_pairs_at(&writer->written, (uint64_t)key[strlen(key) - 1], id);
	GString *text = spt_out_text(writer->out);

	g_string_append_printf(text, "%s=(%" PRIu64 ")", key, id);
	if (*written == UINT32_MAX) {
		g_string_append_c(text, ' ');
		spt_append_one_line(text, name);
		g_string_append(text, end);
	}
	*written = 0;
	g_string_append_c(text, '\n');
}

static void put_callgrind_function(struct callgrind_writer *writer, uint64_t id, bool is_called)
{
	const struct callgrind_function *function =
		callgrind_function_at(writer, (uint32_t)(id / 2 - 1));
	const char *file = function->file ?
				   g_ptr_array_index(writer->file_names, function->file - 1) :
				   UNKNOWN;
	uint32_t *object = spt_pairs_at(&writer->objects, (uintptr_t)function->object, 0);

	if (*object == UINT32_MAX)
		*object = (uint32_t)writer->objects.n;
	put_callgrind_name(writer, is_called ? "cob" : "ob", *object,
			   *function->object ? function->object : UNKNOWN, "");
	put_callgrind_name(writer, is_called ? "cfl" : "fl", function->file + 1ull, file, "");
	put_callgrind_name(writer, is_called ? "cfn" : "fn", id, function->name,
			   id % 2 ? "'2" : "");
}

static void put_callgrind_costs(struct callgrind_writer *writer)
{
	struct spt_pair *costs = writer->costs.pairs;
	uint64_t last = 0;

	if (writer->costs.n > 0)
		qsort(costs, writer->costs.n, sizeof(*costs), compare_callgrind_costs);
	for (uint64_t i = 0; i < writer->costs.n; i++) {
		uint64_t weight = g_array_index(writer->weights, uint64_t, costs[i].value);
		uint64_t id = costs[i].a >> 32;
		uint32_t line = (uint32_t)costs[i].a;

		if (id != last) {
			g_string_append_c(spt_out_text(writer->out), '\n');
			put_callgrind_function(writer, id, false);
		}
		last = id;
		if (costs[i].b != CALLGRIND_SELF) {
			put_callgrind_function(writer, costs[i].b, true);
			g_string_append(spt_out_text(writer->out), "calls=1 0\n");
		}
		g_string_append_printf(spt_out_text(writer->out), "%" PRIu32 " %" PRIu64 "\n", line,
				       MIN(weight, UINT64_MAX / writer->worth) * writer->worth);
	}
}

/* Names of events are one word. */
static void put_callgrind_head(struct callgrind_writer *writer)
{
	GString *text = spt_out_text(writer->out);
	uint64_t total = spt_profile_total(writer->input->profile);
	g_autofree char *event = g_strdelimit(g_strdup(writer->metric->name), "- ", '_');
	g_autofree char *command = spt_command_name(writer->input->capture);

	g_string_append(text, "# callgrind format\nversion: 1\ncreator: Sysprof " SPT_VERSION
			      "\n");
	if (command) {
		g_string_append(text, "cmd: ");
		spt_append_one_line(text, command);
		g_string_append_c(text, '\n');
	}
	g_string_append_printf(text,
			       "desc: Calls: not counted; a line with calls=1 is of any number\n"
			       "positions: line\nevent: %s : %s (%s)\nevents: %s\n"
			       "summary: %" PRIu64 "\n",
			       event, writer->metric->name,
			       spt_metric_unit_name(writer->metric, writer->input->capture), event,
			       MIN(total, UINT64_MAX / writer->worth) * writer->worth);
}

static void put_callgrind_all(struct callgrind_writer *writer)
{
	const SptExportInput *input = writer->input;
	g_autoptr(GArray) sums = spt_stack_sums_new(input->capture, input->symbols, writer->metric,
						    input->filter);

	find_callgrind_places(writer, sums);
	for (guint i = 0; i < sums->len; i++)
		add_callgrind_sum(writer, &g_array_index(sums, SptStackSum, i));
	put_callgrind_head(writer);
	put_callgrind_costs(writer);
}

static bool write_callgrind(const SptExportInput *input, SptOut *out,
			    G_GNUC_UNUSED GError **error)
{
	g_autofree struct callgrind_writer *writer = g_new0(struct callgrind_writer, 1);

	writer->input = input;
	writer->out = out;
	writer->metric = spt_profile_metric(input->profile);
	writer->worth = MAX(spt_metric_worth(writer->metric, input->capture), 1);
	writer->functions = g_array_new(FALSE, FALSE, sizeof(struct callgrind_function));
	writer->places = g_array_new(FALSE, FALSE, sizeof(struct callgrind_place));
	writer->path = g_array_new(FALSE, FALSE, sizeof(struct callgrind_place));
	writer->weights = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	writer->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	writer->file_names = g_ptr_array_new();
	writer->of_frame = g_new0(struct callgrind_range, MAX(input->capture->n_frames, 1));
	put_callgrind_all(writer);
	g_array_unref(writer->functions);
	g_array_unref(writer->places);
	g_array_unref(writer->path);
	g_array_unref(writer->weights);
	g_hash_table_unref(writer->files);
	g_ptr_array_unref(writer->file_names);
	g_free(writer->of_frame);
	spt_pairs_clear(&writer->known);
	spt_pairs_clear(&writer->objects);
	spt_pairs_clear(&writer->written);
	spt_pairs_clear(&writer->costs);
	return true;
}

const SptExport spt_export_callgrind = {
	.name = "callgrind",
	.ending = ".callgrind",
	.help = "functions, lines and calls for callgrind_annotate and KCachegrind",
	.menu = SPT_WORDS("Export Call_grind…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_OBJECTS | SPT_EXPORT_CARRIES_LINES,
	.write = write_callgrind,
};
