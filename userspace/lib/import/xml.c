/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The XML that Sysprof saved until version 1.2: names, then the nodes of one call tree, of which
 * the outermost are processes.  Each refers to others by their ids; 0 is none.  There are no times,
 * and nothing is known of files.
 */
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/lines.h"
#include "import/stacks.h"

#define WEIGHT_MAX (UINT32_MAX * 1000ull)

/* Elements whose text counts. */
enum xml_field { XML_NONE, XML_NAME, XML_OBJECT, XML_PARENT, XML_SELF };

struct xml_node {
	uint64_t object, parent, self;	/* ids; a number of periods */
};

struct xml_reader {
	GHashTable *names;		/* id -> name, which is the chunk's */
	GStringChunk *chunk;
	GHashTable *nodes;		/* id -> its place in tree, from 1 */
	GArray *tree;			/* struct xml_node */
	bool is_profile;		/* the outermost element is one */
	uint64_t id;			/* of the present record */
	struct xml_node node;		/* the present one */
	enum xml_field field;
	GString *text;			/* of the present field */
};

static uint64_t xml_number(const char *text)
{
	return g_ascii_strtoull(text, NULL, 10);
}

static enum xml_field xml_field_of(const char *element)
{
	static const char *const names[] = { [XML_NAME] = "name",
					     [XML_OBJECT] = "object",
					     [XML_PARENT] = "parent",
					     [XML_SELF] = "self" };

	for (enum xml_field i = XML_NAME; i <= XML_SELF; i++)
		if (strcmp(element, names[i]) == 0)
			return i;
	return XML_NONE;
}

/* An "object" is a record in one list, and a field of a record in the other. */
static void begin_xml_element(G_GNUC_UNUSED GMarkupParseContext *context, const char *element,
			      const char **keys, const char **values, gpointer data,
			      GError **error)
{
	struct xml_reader *reader = data;

	reader->field = xml_field_of(element);
	g_string_truncate(reader->text, 0);
	if (!reader->is_profile && strcmp(element, "profile") != 0) {
		spt_import_refuse(error, SPT_WORDS("it is XML, but no profile of Sysprof"));
		return;
	}
	reader->is_profile = true;
	for (; *keys; keys++, values++)
		if (strcmp(*keys, "id") == 0)
			reader->id = xml_number(*values);
	if (strcmp(element, "node") == 0)
		reader->node = (struct xml_node){ 0 };
}

static void take_xml_text(G_GNUC_UNUSED GMarkupParseContext *context, const char *text,
			  gsize bytes, gpointer data, G_GNUC_UNUSED GError **error)
{
	struct xml_reader *reader = data;

	if (reader->field != XML_NONE && reader->text->len < SPT_IMPORT_LINE_BYTES)
		g_string_append_len(reader->text, text, (gssize)bytes);
}

/* Names are in quotes. */
static void take_xml_name(struct xml_reader *reader)
{
	char *name = g_strstrip(reader->text->str);
	size_t n = strlen(name);

	if (n >= 2 && name[0] == '"' && name[n - 1] == '"') {
		name[n - 1] = '\0';
		name++;
	}
	g_hash_table_insert(reader->names, g_memdup2(&reader->id, sizeof(reader->id)),
			    g_string_chunk_insert(reader->chunk, name));
}

static void put_xml_node(struct xml_reader *reader)
{
	g_array_append_val(reader->tree, reader->node);
	g_hash_table_insert(reader->nodes, g_memdup2(&reader->id, sizeof(reader->id)),
			    GUINT_TO_POINTER(reader->tree->len));
}

static void end_xml_element(G_GNUC_UNUSED GMarkupParseContext *context, const char *element,
			    gpointer data, GError **error)
{
	struct xml_reader *reader = data;
	uint64_t number = xml_number(g_strstrip(reader->text->str));

	if (reader->field == XML_NAME)
		take_xml_name(reader);
	else if (reader->field == XML_OBJECT)
		reader->node.object = number;
	else if (reader->field == XML_PARENT)
		reader->node.parent = number;
	else if (reader->field == XML_SELF)
		reader->node.self = number;
	reader->field = XML_NONE;
	if (strcmp(element, "node") == 0)
		put_xml_node(reader);
	if (reader->tree->len > SPT_IMPORT_NODES ||
	    g_hash_table_size(reader->names) > SPT_IMPORT_FUNCTIONS)
		spt_import_refuse(error, SPT_WORDS("it is too large"));
}

/* The tree. */

static const char *xml_node_name(const struct xml_reader *reader, const struct xml_node *node)
{
	const char *name = g_hash_table_lookup(reader->names, &node->object);

	return name ? name : "[unknown]";
}

static const struct xml_node *xml_parent(const struct xml_reader *reader,
					 const struct xml_node *node)
{
	guint at = GPOINTER_TO_UINT(g_hash_table_lookup(reader->nodes, &node->parent));

	return at ? &g_array_index(reader->tree, struct xml_node, at - 1) : NULL;
}

static const char *put_xml_sample(const struct xml_reader *reader, SptImportStacks *stacks,
				  const struct xml_node *node)
{
	const struct xml_node *path[SPT_IMPORT_FRAMES];
	uint32_t object = spt_import_stacks_object(stacks, SPT_OBJECT_UNKNOWN, "");
	SptSampleRow row = { .node = 0 };
	uint64_t weight = node->self;
	const char *process;
	unsigned n = 0;

	for (; node; node = xml_parent(reader, node)) {
		if (n == SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
		path[n++] = node;
	}
	process = xml_node_name(reader, path[--n]);
	while (n-- > 0) {
		SptFrame frame =
			spt_import_stacks_frame(stacks, object, xml_node_name(reader, path[n]));

		row.node = spt_import_stacks_child(stacks, row.node, &frame);
	}
	if (weight > WEIGHT_MAX)
		return SPT_WORDS("has a weight that is too large");
	row.thread = spt_import_stacks_thread(stacks, 0, 0, process, process);
	spt_import_stacks_sample(stacks, &row, weight);
	return spt_import_stacks_excess(stacks);
}

static bool put_xml_samples(const struct xml_reader *reader, SptImportStacks *stacks,
			    GError **error)
{
	for (guint i = 0; i < reader->tree->len; i++) {
		const struct xml_node *node = &g_array_index(reader->tree, struct xml_node, i);
		const char *wrong =
			node->self ? put_xml_sample(reader, stacks, node) : NULL;

		if (wrong)
			return spt_import_stacks_refuse(stacks, wrong, error);
		if (!spt_import_stacks_flush(stacks, error))
			return false;
	}
	return true;
}

/* The file. */

static bool parse_xml(struct xml_reader *reader, SptImportLines *lines, GError **error)
{
	const GMarkupParser parser = { begin_xml_element, end_xml_element, take_xml_text, NULL,
				       NULL };
	g_autoptr(GMarkupParseContext) context =
		g_markup_parse_context_new(&parser, 0, reader, NULL);
	g_autoptr(GError) problem = NULL;
	const char *wrong;
	char *line;
	size_t bytes;

	while ((line = spt_import_lines_next(lines, &bytes, &wrong))) {
		line[bytes] = '\n';
		if (!g_markup_parse_context_parse(context, line, (gssize)bytes + 1, &problem))
			break;
	}
	if (wrong)
		spt_import_lines_refuse(lines, wrong, error);
	else if (!line)
		g_markup_parse_context_end_parse(context, &problem);
	if (g_error_matches(problem, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED))
		g_propagate_error(error, g_steal_pointer(&problem));
	else if (problem)
		spt_import_refuse(error, SPT_WORDS("its XML is damaged"));
	return !wrong && !*error;
}

static bool read_xml(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(SptImportLines) lines = spt_import_lines_new(input->fd);
	g_autoptr(SptImportStacks) stacks = spt_import_stacks_new(writer);
	struct xml_reader reader = {
		.names = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
		.nodes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
		.chunk = g_string_chunk_new(1 << 16),
		.tree = g_array_new(FALSE, FALSE, sizeof(struct xml_node)),
		.text = g_string_new(NULL),
	};
	bool ok;

	spt_capture_writer_host(writer, "source", "Sysprof 1");
	ok = parse_xml(&reader, lines, error) && put_xml_samples(&reader, stacks, error) &&
	     spt_import_stacks_finish(stacks, error);
	g_hash_table_unref(reader.names);
	g_hash_table_unref(reader.nodes);
	g_string_chunk_free(reader.chunk);
	g_array_unref(reader.tree);
	g_string_free(reader.text, TRUE);
	return ok;
}

/* What may be before the outermost element: blanks, comments, declarations. */
static const char *skip_xml_prologue(const char *at, const char *end)
{
	while (at < end) {
		const char *stop = NULL;

		if (g_ascii_isspace(*at)) {
			at++;
			continue;
		}
		if (end - at > 4 && memcmp(at, "<!--", 4) == 0)
			stop = memmem(at + 4, (size_t)(end - at - 4), "-->", 3);
		else if (end - at > 2 && at[0] == '<' && (at[1] == '?' || at[1] == '!'))
			stop = memchr(at, '>', (size_t)(end - at));
		else
			break;
		at = !stop ? end : *stop == '>' ? stop + 1 : stop + 3;
	}
	return at;
}

static bool probe_xml(const char *begin, size_t bytes)
{
	static const char tag[] = "<profile";
	const char *end = begin + bytes, *at = skip_xml_prologue(begin, end);

	return (size_t)(end - at) > strlen(tag) && memcmp(at, tag, strlen(tag)) == 0 &&
	       (at[strlen(tag)] == '>' || g_ascii_isspace(at[strlen(tag)]));
}

const SptImporter spt_import_xml = {
	.name = "xml",
	.probe = probe_xml,
	.read = read_xml,
	.unpacks = true,
};
