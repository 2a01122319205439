/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU profiles of V8 (node --cpu-prof, Deno, DevTools): a tree of functions, of which each sample
 * has one, and the time from each sample to the next.  A sample counts until the next one, as it
 * does in DevTools; where nothing was to be done, "(idle)", that is a wait.
 */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "capture/stream-rows.h"
#include "events/facts.h"
#include "import/import.h"
#include "import/json-file.h"
#include "import/values.h"

#define NS_PER_US 1000
/* Times are exact as far as that. */
#define TIME_MAX_US 4e15
#define NO_NODE	    UINT32_MAX
#define V8_NAME	    "V8"

struct v8_node {
	struct json_object *json;
	uint32_t parent;		/* its number in the table; NO_NODE: none */
	uint32_t node, depth;		/* of the stack */
	bool is_made;
	bool is_idle;			/* not a function, but a wait */
};

struct v8_sample {
	double us;			/* from the start */
	uint32_t node;			/* its number in the table */
};

struct v8_reader {
	SptCaptureWriter *writer;
	SptImportStacks *stacks;
	SptImportValues values;
	GHashTable *numbers;		/* id of a node -> its number, from 1 */
	struct v8_node *nodes;
	size_t n_nodes;
	GArray *samples;		/* struct v8_sample, by time */
	double end_us;			/* of the last sample, from the start */
	uint32_t thread;
};

/* The tree. */

static uint32_t v8_number(const struct v8_reader *reader, struct json_object *id)
{
	size_t number = spt_import_json_index(id, UINT32_MAX);
	gpointer found = number == UINT32_MAX ?
				 NULL :
				 g_hash_table_lookup(reader->numbers, GUINT_TO_POINTER(number));

	return found ? GPOINTER_TO_UINT(found) - 1 : NO_NODE;
}

static const char *v8_function_name(const struct v8_node *node)
{
	struct json_object *frame = spt_import_json_member(node->json, "callFrame");
	const char *name = spt_import_json_text(spt_import_json_member(frame, "functionName"), "");

	return *name ? name : "(anonymous)";
}

static void read_v8_nodes(struct v8_reader *reader, struct json_object *list)
{
	reader->n_nodes = MIN(spt_import_json_length(list), UINT32_MAX - 1);
	reader->nodes = g_new0(struct v8_node, reader->n_nodes + 1);
	for (size_t i = 0; i < reader->n_nodes; i++) {
		struct json_object *node = spt_import_json_at(list, i);
		size_t id = spt_import_json_index(spt_import_json_member(node, "id"), UINT32_MAX);

		reader->nodes[i] = (struct v8_node){ .json = node, .parent = NO_NODE };
		reader->nodes[i].is_idle =
			strcmp(v8_function_name(&reader->nodes[i]), "(idle)") == 0;
		g_hash_table_insert(reader->numbers, GUINT_TO_POINTER(id),
				    GUINT_TO_POINTER((guint)i + 1));
	}
}

/* Callers are known by lists of those that they call, or by a number in these. */
static void find_v8_callers(struct v8_reader *reader)
{
	for (size_t i = 0; i < reader->n_nodes; i++) {
		struct json_object *node = reader->nodes[i].json;
		struct json_object *children = spt_import_json_list(node, "children");
		struct json_object *parent = spt_import_json_member(node, "parent");

		if (parent)
			reader->nodes[i].parent = v8_number(reader, parent);
		for (size_t child = 0; child < spt_import_json_length(children); child++) {
			uint32_t at = v8_number(reader, spt_import_json_at(children, child));

			if (at != NO_NODE)
				reader->nodes[at].parent = (uint32_t)i;
		}
	}
}

/* Numbers are from 0 there, and -1 where there is none. */
static uint32_t v8_position(struct json_object *frame, const char *key)
{
	size_t at = spt_import_json_index(spt_import_json_member(frame, key), UINT32_MAX - 1);

	return at < UINT32_MAX - 1 ? (uint32_t)at + 1 : 0;
}

static SptFrame v8_frame(struct v8_reader *reader, const struct v8_node *node)
{
	struct json_object *frame = spt_import_json_member(node->json, "callFrame");
	const char *url = spt_import_json_text(spt_import_json_member(frame, "url"), "");
	g_autofree char *path = g_filename_from_uri(url, NULL, NULL);
	SptImportSource source = {
		.file = path ? path : url,
		.line = v8_position(frame, "lineNumber"),
		.column = v8_position(frame, "columnNumber"),
	};
	uint32_t object = spt_import_stacks_object(reader->stacks, SPT_OBJECT_UNKNOWN, source.file);

	return spt_import_stacks_function(reader->stacks, object, v8_function_name(node), &source);
}

/* The stack of one whose caller has one. */
static void make_v8_node(struct v8_reader *reader, struct v8_node *node)
{
	const struct v8_node *caller =
		node->parent == NO_NODE ? NULL : &reader->nodes[node->parent];
	const char *name = v8_function_name(node);
	SptFrame frame;

	node->is_made = true;
	if (!caller && strcmp(name, "(root)") == 0)
		return;
	frame = v8_frame(reader, node);
	node->depth = caller ? caller->depth + 1 : 1;
	node->node = spt_import_stacks_child(reader->stacks, caller ? caller->node : 0, &frame);
}

/* That of number @at, whose callers may stand behind it.  NULL, or what is wrong with it. */
static const char *make_v8_stack(struct v8_reader *reader, uint32_t at)
{
	uint32_t chain[SPT_IMPORT_FRAMES + 1];
	unsigned n = 0;

	for (; at != NO_NODE && !reader->nodes[at].is_made; at = reader->nodes[at].parent) {
		/* Also where functions call each other in a circle. */
		if (n == G_N_ELEMENTS(chain))
			return SPT_WORDS("has too many frames");
		chain[n++] = at;
	}
	while (n > 0) {
		struct v8_node *node = &reader->nodes[chain[--n]];

		make_v8_node(reader, node);
		if (node->depth > SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
	}
	return spt_import_stacks_excess(reader->stacks);
}

/* Samples. */

static gint compare_v8_samples(gconstpointer a, gconstpointer b)
{
	const struct v8_sample *left = a, *right = b;

	return left->us < right->us ? -1 : left->us > right->us;
}

/* V8 may write a sample of a signal behind one that came later.  False: a clause about the file. */
static bool read_v8_samples(struct v8_reader *reader, struct json_object *file, GError **error)
{
	struct json_object *ids = spt_import_json_list(file, "samples");
	struct json_object *deltas = spt_import_json_list(file, "timeDeltas");
	double start = spt_import_json_number(spt_import_json_member(file, "startTime"), 0), us = 0;
	size_t n = spt_import_json_length(ids);

	if (spt_import_json_member(file, "head"))
		return spt_import_refuse(
			error, SPT_WORDS("it is a heap profile of V8, or a CPU profile in V8's old format"));
	if (n == 0)
		return spt_import_refuse(error, SPT_WORDS("it has no samples"));
	if (spt_import_json_length(deltas) != n)
		return spt_import_refuse(error, SPT_WORDS("it has not one time for each sample"));
	for (size_t i = 0; i < n; i++) {
		struct v8_sample sample = { .node = v8_number(reader, spt_import_json_at(ids, i)) };

		us += spt_import_json_number(spt_import_json_at(deltas, i), 0);
		sample.us = us;
		if (!(fabs(us) < TIME_MAX_US))
			return spt_import_refuse(error,
						 SPT_WORDS("it has a time that is too large"));
		if (sample.node == NO_NODE)
			return spt_import_refuse(
				error,
				SPT_WORDS("it has a sample of a function that is not there"));
		g_array_append_val(reader->samples, sample);
	}
	g_array_sort(reader->samples, compare_v8_samples);
	us = spt_import_json_number(spt_import_json_member(file, "endTime"), 0) - start;
	reader->end_us = us < TIME_MAX_US ? us : 0;
	return true;
}

static uint64_t v8_ns(double us)
{
	return us > 0 ? (uint64_t)llround(us * NS_PER_US) : 0;
}

/* How long sample @i counts, and until when; the last one until the profile ends. */
static double v8_length(const struct v8_reader *reader, guint i, double *ret_end)
{
	double begin = g_array_index(reader->samples, struct v8_sample, i).us;
	double end = i + 1 < reader->samples->len ?
			     g_array_index(reader->samples, struct v8_sample, i + 1).us :
			     reader->end_us;

	*ret_end = MAX(begin, end);
	return *ret_end - begin;
}

static bool is_v8_idle(const struct v8_reader *reader, guint i)
{
	return reader->nodes[g_array_index(reader->samples, struct v8_sample, i).node].is_idle;
}

/* All of one wait has many samples: *@i becomes the last one. */
static void put_v8_wait(struct v8_reader *reader, guint *i)
{
	double begin = g_array_index(reader->samples, struct v8_sample, *i).us, end;
	const struct v8_node *node =
		&reader->nodes[g_array_index(reader->samples, struct v8_sample, *i).node];
	uint64_t ns;

	while (*i + 1 < reader->samples->len && is_v8_idle(reader, *i + 1))
		++*i;
	v8_length(reader, *i, &end);
	ns = (uint64_t)llround((end - begin) * NS_PER_US);
	if (ns > 0)
		spt_import_stacks_wait(reader->stacks,
				       &(SptWaitRow){ .time = MAX(v8_ns(end), ns),
						      .duration_ns = ns,
						      .weight_ns = ns,
						      .state = SPT_STATE_SLEEP,
						      .thread = reader->thread,
						      .node = node->node,
						      .flags = SPT_WAIT_NO_WAKING });
}

/* NULL, or what is wrong with it. */
static const char *put_v8_sample(struct v8_reader *reader, guint *i)
{
	uint32_t at = g_array_index(reader->samples, struct v8_sample, *i).node;
	const char *wrong = make_v8_stack(reader, at);
	double end, us;

	if (wrong)
		return wrong;
	if (is_v8_idle(reader, *i)) {
		put_v8_wait(reader, i);
		return NULL;
	}
	us = v8_length(reader, *i, &end);
	return spt_import_values_put(&reader->values, reader->stacks,
				     &(SptSampleRow){ .time = MAX(v8_ns(end), 1),
						      .thread = reader->thread,
						      .node = reader->nodes[at].node },
				     us);
}

static bool take_v8_samples(struct v8_reader *reader, GError **error)
{
	const char *wrong = NULL;
	double end;

	spt_import_values_init(&reader->values, "us");
	for (guint i = 0; i < reader->samples->len; i++)
		spt_import_values_measure(&reader->values, v8_length(reader, i, &end));
	spt_import_values_begin(&reader->values, reader->writer);
	reader->thread = spt_import_stacks_thread(reader->stacks, 0, 0, V8_NAME, V8_NAME);
	for (guint i = 0; i < reader->samples->len && !wrong; i++) {
		wrong = put_v8_sample(reader, &i);
		if (!wrong && !spt_import_stacks_flush(reader->stacks, error))
			return false;
	}
	return wrong ? spt_import_stacks_refuse(reader->stacks, wrong, error) :
		       spt_import_stacks_finish(reader->stacks, error);
}

/* The file. */

static bool read_cpuprofile(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	struct json_object *file = spt_import_json(input->fd, error);
	struct v8_reader reader = { .writer = writer };
	bool ok;

	if (!file)
		return false;
	reader.stacks = spt_import_stacks_new(writer);
	reader.numbers = g_hash_table_new(NULL, NULL);
	reader.samples = g_array_new(FALSE, FALSE, sizeof(struct v8_sample));
	spt_capture_writer_host(writer, "source", V8_NAME);
	read_v8_nodes(&reader, spt_import_json_list(file, "nodes"));
	find_v8_callers(&reader);
	ok = read_v8_samples(&reader, file, error) && take_v8_samples(&reader, error);
	spt_import_stacks_free(reader.stacks);
	g_hash_table_unref(reader.numbers);
	g_array_unref(reader.samples);
	g_free(reader.nodes);
	json_object_put(file);
	return ok;
}

/* As a rule the tree comes first, and may fill what there is.  "head" is that of other profiles. */
static bool probe_cpuprofile(const char *begin, size_t bytes)
{
	return (spt_import_json_has(begin, bytes, 1, "head") &&
		spt_import_json_has(begin, bytes, 2, "children")) ||
	       spt_import_json_has(begin, bytes, 1, "timeDeltas") ||
	       (spt_import_json_has(begin, bytes, 1, "nodes") &&
		spt_import_json_has(begin, bytes, 3, "callFrame"));
}

const SptImporter spt_import_cpuprofile = {
	.name = "cpuprofile",
	.probe = probe_cpuprofile,
	.read = read_cpuprofile,
	.unpacks = true,
};
