/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that all threads of a Firefox profile share: strings, functions, frames, stacks.  They
 * are column by column, so each column is a pass over the functions or the tree.  A frame is its
 * function: folding has merged the addresses, and a function that was inlined is one like others.
 */
#include <inttypes.h>
#include <string.h>

#include "export/firefox.h"
#include "export/json-text.h"

/* A value of a column: of function @i, or of node @i of the tree. */
typedef void (*firefox_append)(const struct spt_firefox *firefox, GString *text, uint32_t i);

void spt_firefox_repeat(struct spt_firefox *firefox, const char *key, const char *value, uint32_t n)
{
	g_string_append_printf(spt_out_text(firefox->out), "\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		g_string_append_printf(spt_out_text(firefox->out), "%s%s", i ? "," : "", value);
	g_string_append(spt_out_text(firefox->out), "],\n");
}

/* @number: of each of @n things; those without a number are skipped. */
static void firefox_write_column(struct spt_firefox *firefox, const char *key,
				 const uint32_t *number, uint32_t n, firefox_append append)
{
	bool is_first = true;

	g_string_append_printf(spt_out_text(firefox->out), "\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++) {
		GString *text = spt_out_text(firefox->out);

		if (number[i] == SPT_NO_NUMBER)
			continue;
		if (!is_first)
			g_string_append_c(text, ',');
		is_first = false;
		append(firefox, text, i);
	}
	g_string_append(spt_out_text(firefox->out), "],\n");
}

static void firefox_of_functions(struct spt_firefox *firefox, const char *key,
				 firefox_append append)
{
	firefox_write_column(firefox, key, firefox->numbers.function, firefox->numbers.n_functions,
			     append);
}

static void firefox_of_nodes(struct spt_firefox *firefox, const char *key, firefox_append append)
{
	firefox_write_column(firefox, key, firefox->numbers.node, firefox->numbers.n_nodes, append);
}

static uint32_t firefox_count_numbers(const uint32_t *number, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += number[i] != SPT_NO_NUMBER;
	return count;
}

static void firefox_append_number(const struct spt_firefox *firefox, GString *text, uint32_t i)
{
	g_string_append_printf(text, "%" PRIu32, firefox->numbers.function[i]);
}

static void firefox_append_function_name(const struct spt_firefox *firefox, GString *text,
					 uint32_t i)
{
	spt_json_append_text(text, firefox->numbers.functions[i].name);
}

static void firefox_append_category(const struct spt_firefox *firefox, GString *text, uint32_t i)
{
	const SptFunction *function = &firefox->numbers.functions[i];

	g_string_append_printf(text, "%u",
			       function->is_no_stack ? FIREFOX_OTHER :
			       function->is_kernel   ? FIREFOX_KERNEL :
						       FIREFOX_USER);
}

static void firefox_append_resource(const struct spt_firefox *firefox, GString *text, uint32_t i)
{
	uint32_t object = spt_numbers_object(&firefox->numbers, &firefox->numbers.functions[i]);

	g_string_append_printf(text, "%d", object == SPT_NO_NUMBER ? -1 : (int)object);
}

static void firefox_append_frame(const struct spt_firefox *firefox, GString *text, uint32_t i)
{
	firefox_append_number(firefox, text, firefox->numbers.nodes[i].function);
}

static void firefox_append_prefix(const struct spt_firefox *firefox, GString *text, uint32_t i)
{
	uint32_t parent = spt_numbers_parent(&firefox->numbers, i);

	if (parent == SPT_NO_NUMBER)
		g_string_append(text, "null");
	else
		g_string_append_printf(text, "%" PRIu32, parent);
}

/* The file that an object's name means, if it is one alone. */
static const SptObjectRow *firefox_file_of(const struct spt_firefox *firefox, const char *object)
{
	uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(firefox->files, object));

	return row ? &firefox->input->capture->objects[row] : NULL;
}

static void firefox_append_build_id(GString *text, const SptObjectRow *file)
{
	for (unsigned i = 0; i < MIN(file->build_id_bytes, sizeof(file->build_id)); i++)
		g_string_append_printf(text, "%02x", file->build_id[i]);
}

/* 16 bytes of the build-id as the number of a debug file: its first three fields are swapped. */
static void firefox_append_debug_id(GString *text, const SptObjectRow *file)
{
	static const unsigned char order[16] = { 3, 2, 1,  0,  5,  4,  7,  6,
						 8, 9, 10, 11, 12, 13, 14, 15 };

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++)
		g_string_append_printf(text, "%02X", file->build_id[order[i]]);
	g_string_append_c(text, '0');
}

static void firefox_append_lib(GString *text, const SptObjectRow *file, const char *name,
			       const char *arch)
{
	g_string_append(text, "{\"arch\":");
	spt_json_append_text(text, arch ? arch : "");
	for (unsigned i = 0; i < 2; i++) {
		g_string_append(text, i ? ",\"debugName\":" : ",\"name\":");
		spt_json_append_text(text, name);
		g_string_append(text, i ? ",\"debugPath\":" : ",\"path\":");
		spt_json_append_text(text, file->path);
	}
	g_string_append(text, ",\"breakpadId\":\"");
	firefox_append_debug_id(text, file);
	g_string_append(text, "\",\"codeId\":");
	if (file->build_id_bytes) {
		g_string_append_c(text, '"');
		firefox_append_build_id(text, file);
		g_string_append(text, "\"}");
	} else {
		g_string_append(text, "null}");
	}
}

void spt_firefox_write_libs(struct spt_firefox *firefox)
{
	const GPtrArray *objects = firefox->numbers.objects;
	const char *arch = spt_capture_host(firefox->input->capture, "arch");
	bool is_first = true;

	g_string_append(spt_out_text(firefox->out), "\"libs\":[");
	for (unsigned i = 0; i < objects->len; i++) {
		const SptObjectRow *file = firefox_file_of(firefox, objects->pdata[i]);
		GString *text = spt_out_text(firefox->out);

		if (!file)
			continue;
		g_string_append(text, is_first ? "" : ",\n");
		firefox_append_lib(text, file, objects->pdata[i], arch);
		is_first = false;
	}
	g_string_append(spt_out_text(firefox->out), "],\n");
}

/* Strings: names of functions, of objects, and of markers. */
static void firefox_write_strings(struct spt_firefox *firefox)
{
	const GPtrArray *objects = firefox->numbers.objects;
	bool is_first = true;

	g_string_append(spt_out_text(firefox->out), "\"stringArray\":[");
	for (uint32_t i = 0; i < firefox->numbers.n_functions; i++) {
		if (firefox->numbers.function[i] == SPT_NO_NUMBER)
			continue;
		g_string_append(spt_out_text(firefox->out), is_first ? "" : ",\n");
		firefox_append_function_name(firefox, spt_out_text(firefox->out), i);
		is_first = false;
	}
	for (unsigned i = 0; i < objects->len; i++) {
		g_string_append(spt_out_text(firefox->out), ",\n");
		spt_json_append_text(spt_out_text(firefox->out), objects->pdata[i]);
	}
	firefox->first_marker_name =
		firefox_count_numbers(firefox->numbers.function, firefox->numbers.n_functions) +
		objects->len;
	spt_firefox_append_marker_names(firefox, is_first);
	g_string_append(spt_out_text(firefox->out), "],\n");
}

static void firefox_write_resources(struct spt_firefox *firefox, uint32_t n_functions)
{
	const GPtrArray *objects = firefox->numbers.objects;
	int lib = 0;

	g_string_append(spt_out_text(firefox->out), "\"resourceTable\":{\"lib\":[");
	for (unsigned i = 0; i < objects->len; i++)
		g_string_append_printf(spt_out_text(firefox->out), "%s%d", i ? "," : "",
				       firefox_file_of(firefox, objects->pdata[i]) ? lib++ : -1);
	g_string_append(spt_out_text(firefox->out), "],\n\"name\":[");
	for (unsigned i = 0; i < objects->len; i++)
		g_string_append_printf(spt_out_text(firefox->out), "%s%u", i ? "," : "",
				       n_functions + i);
	g_string_append(spt_out_text(firefox->out), "],\n");
	spt_firefox_repeat(firefox, "host", "null", objects->len);
	spt_firefox_repeat(firefox, "type", "1", objects->len);
	g_string_append_printf(spt_out_text(firefox->out), "\"length\":%u},\n", objects->len);
}

static void firefox_write_functions(struct spt_firefox *firefox, uint32_t n)
{
	g_string_append(spt_out_text(firefox->out), "\"funcTable\":{");
	firefox_of_functions(firefox, "name", firefox_append_number);
	firefox_of_functions(firefox, "resource", firefox_append_resource);
	spt_firefox_repeat(firefox, "isJS", "false", n);
	spt_firefox_repeat(firefox, "relevantForJS", "false", n);
	spt_firefox_repeat(firefox, "source", "null", n);
	spt_firefox_repeat(firefox, "lineNumber", "null", n);
	spt_firefox_repeat(firefox, "columnNumber", "null", n);
	g_string_append_printf(spt_out_text(firefox->out), "\"length\":%" PRIu32 "},\n", n);
	g_string_append(spt_out_text(firefox->out), "\"frameTable\":{");
	firefox_of_functions(firefox, "func", firefox_append_number);
	firefox_of_functions(firefox, "category", firefox_append_category);
	spt_firefox_repeat(firefox, "subcategory", "0", n);
	spt_firefox_repeat(firefox, "address", "-1", n);
	spt_firefox_repeat(firefox, "inlineDepth", "0", n);
	spt_firefox_repeat(firefox, "nativeSymbol", "null", n);
	spt_firefox_repeat(firefox, "innerWindowID", "null", n);
	spt_firefox_repeat(firefox, "line", "null", n);
	spt_firefox_repeat(firefox, "column", "null", n);
	g_string_append_printf(spt_out_text(firefox->out), "\"length\":%" PRIu32 "},\n", n);
}

void spt_firefox_write_shared(struct spt_firefox *firefox)
{
	const SptNumbers *numbers = &firefox->numbers;
	uint32_t n_functions = firefox_count_numbers(numbers->function, numbers->n_functions);

	g_string_append(spt_out_text(firefox->out), "\"shared\":{");
	firefox_write_strings(firefox);
	firefox_write_resources(firefox, n_functions);
	firefox_write_functions(firefox, n_functions);
	g_string_append(spt_out_text(firefox->out), "\"stackTable\":{");
	firefox_of_nodes(firefox, "frame", firefox_append_frame);
	firefox_of_nodes(firefox, "prefix", firefox_append_prefix);
	g_string_append_printf(spt_out_text(firefox->out), "\"length\":%" PRIu32 "},\n",
			       firefox_count_numbers(numbers->node, numbers->n_nodes));
	g_string_append(spt_out_text(firefox->out),
			"\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
			"\"functionSize\":[],\"length\":0},\n"
			"\"sources\":{\"uuid\":[],\"filename\":[],\"length\":0}},\n");
}
