/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes in the function are a forest: each hangs below the nearest one above it.  One
 * walk through it sums up lines and instructions, each once per stack.
 */
#include "annotate/annotate-private.h"

#include <string.h>

#include "annotate/node-weights.h"
#include "annotate/source.h"

#define NOT_HERE UINT32_MAX
/* No function has more lines than this; debug information may be damaged. */
#define LINES_MAX 20000
#define HEAD_LINES 2

/* The index of the node's address, NOT_HERE if it is not in the function. */
static uint32_t annotate_place_of(struct spt_annotator *annotator, const SptFrame *frame)
{
	SptNamedPlace names[SPT_INLINES_MAX];
	unsigned n = spt_symbols_places(annotator->symbols, frame, names);
	struct spt_place place = { .frame = *frame, .first_line = annotator->place_lines->len };

	if (!spt_annotator_lines(annotator, names, n, annotator->place_lines, &place.is_innermost))
		return NOT_HERE;
	place.n_lines = annotator->place_lines->len - place.first_line;
	g_array_append_val(annotator->places, place);
	return annotator->places->len - 1;
}

/* Sets the index of each node with weight; false if no node is in the function. */
static bool annotate_find_places(struct spt_annotator *annotator, const SptNodeWeights *weights,
				 uint32_t *place_of_node)
{
	const SptCapture *capture = annotator->capture;
	struct spt_pairs seen = { 0 };

	for (uint32_t id = 1; id < capture->n_nodes; id++) {
		const SptFrame *frame = &capture->nodes[id].frame;
		uint32_t *at;

		place_of_node[id] = NOT_HERE;
		if (!weights->total[id])
			continue;
		at = spt_pairs_at(&seen, frame->object, frame->offset);
		/* One more slot, since UINT32_MAX means that there is none. */
		if (*at == UINT32_MAX)
			*at = annotate_place_of(annotator, frame) + 1;
		place_of_node[id] = *at - 1;
	}
	spt_pairs_clear(&seen);
	return annotator->places->len > 0;
}

/* The numbers of nodes in the function, by node; 0: none. */
struct forest {
	uint32_t *up, *first, *next;
};

static void plant(struct forest *forest, const SptCapture *capture, const uint32_t *place_of_node)
{
	uint32_t n = MAX(capture->n_nodes, 1);

	forest->up = g_new0(uint32_t, n);
	forest->first = g_new0(uint32_t, n);
	forest->next = g_new0(uint32_t, n);
	for (uint32_t id = 1; id < n; id++) {
		uint32_t parent = capture->nodes[id].parent;

		forest->up[id] =
			parent && place_of_node[parent] != NOT_HERE ? parent : forest->up[parent];
		if (place_of_node[id] == NOT_HERE)
			continue;
		forest->next[id] = forest->first[forest->up[id]];
		forest->first[forest->up[id]] = id;
	}
}

/* @step 1: enters the node, -1: leaves it. */
static void annotate_pass(struct spt_annotator *annotator, struct spt_place *place, uint64_t self,
			  uint64_t total, int step)
{
	bool enters = step > 0;

	place->self += enters ? self : 0;
	place->total += enters && place->depth == 0 ? total : 0;
	place->depth += step;
	for (uint32_t i = 0; i < place->n_lines; i++) {
		uint32_t index =
			g_array_index(annotator->place_lines, uint32_t, place->first_line + i);
		struct spt_line *line = &g_array_index(annotator->lines, struct spt_line, index);

		line->self += enters && i == 0 && place->is_innermost ? self : 0;
		line->total += enters && line->depth == 0 ? total : 0;
		line->depth += step;
	}
}

static void annotate_weigh(struct spt_annotator *annotator, const SptNodeWeights *weights,
			   const uint32_t *place_of_node)
{
	SptAnnotation *annotation = annotator->annotation;
	struct forest forest;
	uint32_t node;

	plant(&forest, annotator->capture, place_of_node);
	for (node = forest.first[0]; node != 0;) {
		struct spt_place *place =
			&g_array_index(annotator->places, struct spt_place, place_of_node[node]);

		annotate_pass(annotator, place, weights->self[node], weights->total[node], 1);
		annotation->self += place->is_innermost ? weights->self[node] : 0;
		annotation->total += forest.up[node] == 0 ? weights->total[node] : 0;
		if (forest.first[node]) {
			node = forest.first[node];
			continue;
		}
		for (; node != 0; node = forest.up[node]) {
			annotate_pass(annotator,
				      &g_array_index(annotator->places, struct spt_place,
						     place_of_node[node]),
				      0, 0, -1);
			if (forest.next[node]) {
				node = forest.next[node];
				break;
			}
		}
	}
	g_free(forest.up);
	g_free(forest.first);
	g_free(forest.next);
}

static int annotate_compare_lines(gconstpointer a, gconstpointer b)
{
	const SptAnnotatedLine *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Adds the lines between those that have code, and the function's head, which often has none. */
static void fill_gaps(SptAnnotatedFile *file)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(SptAnnotatedLine));

	g_array_sort(file->lines, annotate_compare_lines);
	for (unsigned i = 0; i < file->lines->len; i++) {
		SptAnnotatedLine line = g_array_index(file->lines, SptAnnotatedLine, i);
		SptAnnotatedLine gap = {
			.number =
				i > 0 ? g_array_index(file->lines, SptAnnotatedLine, i - 1).number :
					line.number - MIN(line.number, HEAD_LINES + 1),
		};

		while (++gap.number < line.number && line.number - gap.number < LINES_MAX &&
		       all->len < LINES_MAX)
			g_array_append_val(all, gap);
		g_array_append_val(all, line);
	}
	g_array_unref(file->lines);
	file->lines = all;
}

static int heavier_file(gconstpointer a, gconstpointer b)
{
	const SptAnnotatedFile *x = *(SptAnnotatedFile *const *)a,
			       *y = *(SptAnnotatedFile *const *)b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* When the newest of the objects that have the function was written. */
static uint64_t built_at(const struct spt_annotator *annotator)
{
	uint64_t built_ns = 0;

	for (unsigned i = 0; i < annotator->places->len; i++) {
		uint32_t object =
			g_array_index(annotator->places, struct spt_place, i).frame.object;

		built_ns = MAX(built_ns, annotator->capture->objects[object].mtime_ns);
	}
	return built_ns;
}

static void add_sources(struct spt_annotator *annotator, const char *const *source_dirs)
{
	GPtrArray *files = annotator->annotation->files;
	uint64_t built_ns = built_at(annotator);

	for (unsigned i = 0; i < annotator->lines->len; i++) {
		const struct spt_line *line = &g_array_index(annotator->lines, struct spt_line, i);
		SptAnnotatedFile *file = files->pdata[line->file];
		SptAnnotatedLine row = { .number = line->number,
					 .has_code = line->has_code,
					 .self = line->self,
					 .total = line->total };

		file->self += line->self;
		file->total += line->total;
		g_array_append_val(file->lines, row);
	}
	for (unsigned i = 0; i < files->len; i++) {
		fill_gaps(files->pdata[i]);
		spt_source_read(files->pdata[i], source_dirs, built_ns);
		spt_source_cut_lines(files->pdata[i]);
	}
	g_ptr_array_sort(files, heavier_file);
}

static void free_file(gpointer data)
{
	SptAnnotatedFile *file = data;

	g_array_unref(file->lines);
	g_free(file->path);
	g_free(file->found);
	g_free(file->content);
	g_free(file);
}

static void free_code(gpointer data)
{
	SptAnnotatedCode *code = data;

	for (unsigned i = 0; i < code->instructions->len; i++)
		g_free(g_array_index(code->instructions, SptInstruction, i).text);
	g_array_unref(code->instructions);
	g_free(code->problem);
	g_free(code);
}

void spt_annotation_free(SptAnnotation *annotation)
{
	if (!annotation)
		return;
	g_ptr_array_unref(annotation->files);
	g_ptr_array_unref(annotation->code);
	g_free(annotation);
}

static void annotator_clear(struct spt_annotator *annotator)
{
	g_array_unref(annotator->places);
	g_array_unref(annotator->place_lines);
	g_array_unref(annotator->lines);
	spt_pairs_clear(&annotator->line_numbers);
	spt_pairs_clear(&annotator->file_numbers);
	g_hash_table_unref(annotator->files);
	spt_annotation_free(annotator->annotation);
}

SptAnnotation *spt_annotation_new(const SptCapture *capture, SptSymbols *symbols,
				  const SptMetric *metric, const SptFilter *filter,
				  const char *function, const char *object,
				  const char *const *source_dirs)
{
	g_autofree uint32_t *place_of_node = g_new(uint32_t, MAX(capture->n_nodes, 1));
	struct spt_annotator annotator = {
		.capture = capture,
		.symbols = symbols,
		.function = function,
		.object = object,
		.annotation = g_new0(SptAnnotation, 1),
		.places = g_array_new(FALSE, FALSE, sizeof(struct spt_place)),
		.place_lines = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.lines = g_array_new(FALSE, FALSE, sizeof(struct spt_line)),
		.files = g_hash_table_new(g_str_hash, g_str_equal),
	};
	SptAnnotation *annotation = annotator.annotation;
	SptNodeWeights weights;

	annotation->files = g_ptr_array_new_with_free_func(free_file);
	annotation->code = g_ptr_array_new_with_free_func(free_code);
	spt_node_weights_init(&weights, capture, symbols, metric ? metric : SPT_METRIC_CPU, filter);
	annotation->all = weights.total[0];
	annotation->n_samples = weights.n_samples;
	annotator.is_pattern = !annotate_find_places(&annotator, &weights, place_of_node);
	if (!annotator.is_pattern || annotate_find_places(&annotator, &weights, place_of_node)) {
		annotate_weigh(&annotator, &weights, place_of_node);
		spt_annotator_add_code(&annotator);
		add_sources(&annotator, source_dirs);
		annotator.annotation = NULL;
	} else {
		annotation = NULL;
	}
	spt_node_weights_clear(&weights);
	annotator_clear(&annotator);
	return annotation;
}
