/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of Callgrind: costs of lines of functions, and of calls with all that was called.  Stacks
 * are not in it, and are made of the calls (import/call-graph.h).  Of several events the first one
 * is imported, and of several parts all are.
 */
#include <string.h>

#include "base/words.h"
#include "import/call-graph.h"
#include "import/import.h"
#include "import/lines.h"
#include "import/values.h"

#define COST_MAX (1ull << 61)

struct callgrind_reader {
	SptImportStacks *stacks;
	SptImportCallGraph *graph;
	GHashTable *names[2];		/* of objects and functions: number -> name */
	GHashTable *functions;		/* "object;name" -> its number in the graph, and one */
	GString *key;
	char *event, *unit, *process;	/* NULL: not known yet */
	unsigned n_positions;
	uint32_t object, callee_object;	/* ids of the capture */
	uint32_t function, callee;	/* in the graph; UINT32_MAX: none */
	bool is_call;			/* the next costs are those of a call */
	bool is_ours;
	uint64_t sum;
};

enum callgrind_names { CALLGRIND_OBJECTS, CALLGRIND_FUNCTIONS };

/* "(number) name" gives the number its name, "(number)" is that name; others have no number. */
static const char *callgrind_name(struct callgrind_reader *reader, enum callgrind_names what,
				  const char *text)
{
	char *end;
	uint64_t number;
	const char *known;

	if (*text != '(' || !g_ascii_isdigit(text[1]))
		return text;
	number = g_ascii_strtoull(text + 1, &end, 10);
	if (*end != ')')
		return text;
	end += 1 + strspn(end + 1, " ");
	if (*end)
		g_hash_table_insert(reader->names[what], g_memdup2(&number, sizeof(number)),
				    g_strdup(end));
	known = g_hash_table_lookup(reader->names[what], &number);
	return known ? known : "[unknown]";
}

static uint32_t callgrind_object(struct callgrind_reader *reader, const char *text)
{
	const char *name = callgrind_name(reader, CALLGRIND_OBJECTS, text);

	return spt_import_stacks_object(
		reader->stacks,
		strcmp(name, "[kernel]") == 0 ? SPT_OBJECT_KERNEL : SPT_OBJECT_UNKNOWN,
		strcmp(name, "???") == 0 ? "" : name);
}

/* A function below itself has a number behind its name, "rec'2": it stays another one here. */
static uint32_t callgrind_function(struct callgrind_reader *reader, uint32_t object,
				   const char *text)
{
	const char *whole = callgrind_name(reader, CALLGRIND_FUNCTIONS, text);
	const char *mark = strrchr(whole, '\'');
	bool is_below = mark && mark > whole && mark[1] &&
			mark[1 + strspn(mark + 1, "0123456789")] == '\0';
	g_autofree char *name = is_below ? g_strndup(whole, (size_t)(mark - whole)) :
					   g_strdup(whole);
	uint32_t number;
	SptFrame frame;

	g_string_printf(reader->key, "%x;%s", object, whole);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(reader->functions, reader->key->str));
	if (number)
		return number - 1;
	frame = spt_import_stacks_frame(reader->stacks, object, name);
	number = spt_import_call_graph_function(reader->graph, &frame, name);
	g_hash_table_insert(reader->functions, g_strdup(reader->key->str),
			    GUINT_TO_POINTER(number + 1));
	return number;
}

/* Lines. */

/* "key=name"; false: it is none that counts. */
static bool take_callgrind_name(struct callgrind_reader *reader, const char *key, const char *text)
{
	if (strcmp(key, "fn") == 0)
		reader->function = callgrind_function(reader, reader->object, text);
	else if (strcmp(key, "cfn") == 0)
		reader->callee = callgrind_function(reader, reader->callee_object, text);
	else if (strcmp(key, "ob") == 0)
		reader->object = reader->callee_object = callgrind_object(reader, text);
	else if (strcmp(key, "cob") == 0)
		reader->callee_object = callgrind_object(reader, text);
	else if (strcmp(key, "calls") == 0)
		reader->is_call = true;
	else
		return false;
	return true;
}

/* The first cost behind the positions; false: the line is of something else. */
static bool callgrind_cost(const struct callgrind_reader *reader, const char *line, uint64_t *ret)
{
	*ret = 0;
	for (unsigned i = 0; i < reader->n_positions; i++) {
		size_t bytes = strcspn(line, " \t");

		if (!g_ascii_isdigit(*line) && !strchr("+-*", *line))
			return false;
		line += bytes + strspn(line + bytes, " \t");
	}
	if (*line && !g_ascii_isdigit(*line))
		return false;
	*ret = g_ascii_strtoull(line, NULL, 10);
	return true;
}

static const char *take_callgrind_cost(struct callgrind_reader *reader, const char *line)
{
	uint64_t cost;
	bool is_call = reader->is_call;

	if (!callgrind_cost(reader, line, &cost))
		return SPT_WORDS("is not as Callgrind writes it");
	reader->is_call = false;
	if (cost >= COST_MAX || reader->sum + (is_call ? 0 : cost) >= COST_MAX)
		return SPT_WORDS("has a value that is too large");
	if (reader->function == UINT32_MAX || (is_call && reader->callee == UINT32_MAX))
		return SPT_WORDS("has a cost of no function");
	if (is_call) {
		spt_import_call_graph_call(reader->graph, reader->function, reader->callee, cost);
		reader->callee_object = reader->object;
		return NULL;
	}
	reader->sum += cost;
	spt_import_call_graph_self(reader->graph, reader->function, cost);
	return NULL;
}

/* Our own files have one event, with its unit: "cpu : cpu (ns)". */
static char *callgrind_unit(const char *event)
{
	const char *open = strrchr(event, '(');

	return open ? g_strndup(open + 1, strcspn(open + 1, ")")) : NULL;
}

/* "key: value" of the head. */
static bool take_callgrind_head(struct callgrind_reader *reader, char *line)
{
	char *colon = strchr(line, ':'), *value = colon ? colon + 1 : NULL;

	if (!colon || line + strspn(line, "abcdefghijklmnopqrstuvwxyz") != colon)
		return false;
	*colon = '\0';
	value = g_strstrip(value);
	if (strcmp(line, "events") == 0 && !reader->event)
		reader->event = g_strndup(value, strcspn(value, " \t"));
	else if (strcmp(line, "event") == 0 && !reader->unit)
		reader->unit = callgrind_unit(value);
	else if (strcmp(line, "positions") == 0)
		reader->n_positions = 1 + (strchr(value, ' ') != NULL);
	else if (strcmp(line, "creator") == 0)
		reader->is_ours = g_str_has_prefix(value, "Sysprof");
	else if (strcmp(line, "cmd") == 0 && !reader->process) {
		value[strcspn(value, " \t")] = '\0';
		reader->process = g_path_get_basename(value);
	}
	return true;
}

static const char *take_callgrind_line(struct callgrind_reader *reader, char *line)
{
	char *equals;

	if (!*line || *line == '#' || take_callgrind_head(reader, line))
		return NULL;
	if (g_ascii_isdigit(*line) || strchr("+-*", *line))
		return take_callgrind_cost(reader, line);
	equals = strchr(line, '=');
	if (!equals)
		return SPT_WORDS("is not as Callgrind writes it");
	*equals = '\0';
	take_callgrind_name(reader, line, equals + 1);
	if (spt_import_call_graph_functions(reader->graph) > SPT_IMPORT_FUNCTIONS ||
	    g_hash_table_size(reader->names[CALLGRIND_FUNCTIONS]) > SPT_IMPORT_FUNCTIONS ||
	    g_hash_table_size(reader->names[CALLGRIND_OBJECTS]) > SPT_IMPORT_FUNCTIONS)
		return SPT_WORDS("is one more name than can be imported");
	return spt_import_stacks_excess(reader->stacks);
}

static bool read_callgrind_lines(struct callgrind_reader *reader, int fd, GError **error)
{
	g_autoptr(SptImportLines) lines = spt_import_lines_new(fd);
	const char *wrong = NULL;
	char *line;
	size_t bytes;

	while (!wrong && (line = spt_import_lines_next(lines, &bytes, &wrong)))
		wrong = take_callgrind_line(reader, line);
	if (wrong)
		spt_import_lines_refuse(lines, wrong, error);
	return !wrong;
}

static bool put_callgrind(struct callgrind_reader *reader, SptCaptureWriter *writer, GError **error)
{
	SptImportValues values;
	const char *wrong, *process = reader->process ? reader->process : "[unknown]";

	spt_import_values_init(&values, reader->unit ? reader->unit : "none");
	spt_import_call_graph_measure(reader->graph, &values);
	spt_import_values_begin(&values, writer);
	if (values.kind != SPT_VALUES_TIME)
		values.period_ns = 0;
	spt_capture_writer_host(writer, "source", "Callgrind");
	spt_capture_writer_host(writer, "event", reader->event ? reader->event : "[unknown]");
	wrong = spt_import_call_graph_put(reader->graph, &values, reader->stacks,
					  reader->is_ours ? NULL : process, error);
	if (wrong)
		return spt_import_stacks_refuse(reader->stacks, wrong, error);
	return !*error && spt_import_stacks_finish(reader->stacks, error);
}

static bool read_callgrind(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	struct callgrind_reader reader = {
		.stacks = spt_import_stacks_new(writer),
		.graph = spt_import_call_graph_new(),
		.functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.key = g_string_new(NULL),
		.n_positions = 1,
		.function = UINT32_MAX,
		.callee = UINT32_MAX,
	};
	bool ok;

	for (unsigned i = 0; i < G_N_ELEMENTS(reader.names); i++)
		reader.names[i] =
			g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	reader.object = reader.callee_object = callgrind_object(&reader, "???");
	ok = read_callgrind_lines(&reader, input->fd, error) &&
	     put_callgrind(&reader, writer, error);
	for (unsigned i = 0; i < G_N_ELEMENTS(reader.names); i++)
		g_hash_table_unref(reader.names[i]);
	g_hash_table_unref(reader.functions);
	g_string_free(reader.key, TRUE);
	g_free(reader.event);
	g_free(reader.unit);
	g_free(reader.process);
	spt_import_call_graph_free(reader.graph);
	spt_import_stacks_free(reader.stacks);
	return ok;
}

/* Whether one of the lines begins so. */
static bool has_line(const char *begin, size_t bytes, const char *head)
{
	const char *end = begin + bytes, *at = begin;

	while (at && (size_t)(end - at) >= strlen(head)) {
		if (memcmp(at, head, strlen(head)) == 0)
			return true;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return false;
}

/* The first line says so, or the head has the line of events, which none other has. */
static bool probe_callgrind(const char *begin, size_t bytes)
{
	static const char head[] = "# callgrind format";

	if (bytes >= strlen(head) && memcmp(begin, head, strlen(head)) == 0)
		return true;
	return has_line(begin, bytes, "events:") && has_line(begin, bytes, "fn=");
}

const SptImporter spt_import_callgrind = {
	.name = "callgrind",
	.probe = probe_callgrind,
	.read = read_callgrind,
	.unpacks = true,
};
