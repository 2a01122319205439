/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions for a linker, as it takes them with --symbol-ordering-file: by their names in
 * the symbol table, a line each, the objects of the recording one after the other.  A function that
 * is inlined everywhere is in no symbol table.
 */
#include <inttypes.h>
#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "export/export.h"
#include "export/files.h"
#include "profile/stack-sums.h"
#include "stash/frames.h"

#define ORDER_NONE UINT32_MAX

struct order_object {
	const char *path;
	uint64_t weight;		/* of the stacks that end there */
	uint32_t first;			/* which of them all was there first, from 1; 0: no stack */
};

struct order_symbol {
	const char *name;		/* the linker's, interned */
	uint32_t object;		/* in objects */
	uint64_t weight;		/* of the stacks that end there */
	uint32_t first;			/* as in struct order_object */
};

struct order_writer {
	const SptExportInput *input;
	bool is_by_first;		/* by first use; else by weight */
	GArray *objects;		/* struct order_object */
	GArray *symbols;		/* struct order_symbol */
	struct spt_pairs object_numbers; /* (interned path, 0) -> in objects */
	struct spt_pairs symbol_numbers; /* (interned path, interned name) -> in symbols */
	uint32_t *of_frame;		/* by frame: in symbols, or ORDER_NONE */
	GArray *path;			/* uint32_t: symbols of a stack, innermost first */
	bool *is_walked;		/* by node: its stack was looked at for first uses */
	uint32_t n_used;		/* symbols that have a first use */
	uint32_t n_unnamed;		/* places of files whose functions have no such name */
};

static struct order_symbol *order_symbol_at(struct order_writer *writer, uint32_t i)
{
	return &g_array_index(writer->symbols, struct order_symbol, i);
}

/* Whether a line of the list can hold the name; a line that begins with '#' is a comment. */
static bool is_order_name(const char *name)
{
	return *name != '#' && spt_is_word(name);
}

/* The linker's name of the function around a frame, interned; NULL: it is not known. */
static const char *find_order_name(SptSymbols *symbols, const SptFrame *frame)
{
	SptPlace places[SPT_INLINES_MAX];
	SptName name = spt_symbols_name(symbols, frame);
	SptSymbol symbol;

	spt_symbols_raw(symbols, frame, places, &symbol);
	if (symbol.name && symbol.source != SPT_SOURCE_PLT)
		return is_order_name(symbol.name) ? spt_symbols_intern(symbols, symbol.name) : NULL;
	/* A recorded name is shown demangled, which a name of C is, too. */
	if (name.has_symbol && name.source == SPT_SOURCE_CAPTURE && is_order_name(name.function) &&
	    !strpbrk(name.function, "(<:"))
		return name.function;
	return NULL;
}

static uint32_t add_order_symbol(struct order_writer *writer, const char *text, const char *name)
{
	const char *path = spt_symbols_intern(writer->input->symbols, text);
	uint32_t *object = spt_pairs_at(&writer->object_numbers, (uintptr_t)path, 0);
	uint32_t *symbol = spt_pairs_at(&writer->symbol_numbers, (uintptr_t)path, (uintptr_t)name);

	if (*object == UINT32_MAX) {
		*object = writer->objects->len;
		g_array_append_val(writer->objects, (struct order_object){ .path = path });
	}
	if (*symbol == UINT32_MAX) {
		struct order_symbol added = { .name = name, .object = *object };

		*symbol = writer->symbols->len;
		g_array_append_val(writer->symbols, added);
	}
	return *symbol;
}

/* The symbols of all places in files that stacks have, in the order of their addresses. */
static void find_order_symbols(struct order_writer *writer, const GArray *sums)
{
	const SptCapture *capture = writer->input->capture;
	g_autofree bool *frames = spt_stack_sums_frames(capture, sums);
	uint32_t n;
	g_autofree struct spt_item *items =
		spt_sort_frames(capture->nodes, capture->n_nodes, capture->n_frames, frames, &n);

	for (uint32_t i = 0; i < n; i++) {
		const SptNode *node = &capture->nodes[items[i].index];
		const SptObjectRow *file = spt_export_wanted_file_of(writer->input, &node->frame);
		const char *name;

		writer->of_frame[node->key] = ORDER_NONE;
		if (!file)
			continue;
		name = find_order_name(writer->input->symbols, &node->frame);
		if (name)
			writer->of_frame[node->key] = add_order_symbol(writer, file->path, name);
		else
			writer->n_unnamed++;
	}
}

/* Functions call from the outermost to the innermost; what was walked before is known below it. */
static void find_order_uses(struct order_writer *writer, uint32_t node)
{
	const SptNode *nodes = writer->input->capture->nodes;

	g_array_set_size(writer->path, 0);
	for (; node != 0 && !writer->is_walked[node]; node = nodes[node].parent) {
		uint32_t symbol = writer->of_frame[nodes[node].key];

		writer->is_walked[node] = true;
		if (symbol != ORDER_NONE)
			g_array_append_val(writer->path, symbol);
	}
	for (guint i = writer->path->len; i > 0; i--) {
		struct order_symbol *symbol =
			order_symbol_at(writer, g_array_index(writer->path, uint32_t, i - 1));
		struct order_object *object =
			&g_array_index(writer->objects, struct order_object, symbol->object);

		if (symbol->first == 0)
			symbol->first = ++writer->n_used;
		if (object->first == 0)
			object->first = symbol->first;
	}
}

static void add_order_sum(struct order_writer *writer, const SptStackSum *sum)
{
	uint32_t key = writer->input->capture->nodes[sum->node].key;
	uint32_t at = sum->node ? writer->of_frame[key] : ORDER_NONE;
	struct order_symbol *symbol;

	find_order_uses(writer, sum->node);
	if (at == ORDER_NONE)
		return;
	symbol = order_symbol_at(writer, at);
	symbol->weight += sum->weight;
	g_array_index(writer->objects, struct order_object, symbol->object).weight += sum->weight;
}

static int compare_order(uint64_t x_weight, uint32_t x_first, uint64_t y_weight, uint32_t y_first,
			 bool is_by_first)
{
	if (!is_by_first && x_weight != y_weight)
		return x_weight > y_weight ? -1 : 1;
	return x_first < y_first ? -1 : x_first > y_first;
}

static int compare_order_symbols(const void *a, const void *b, void *data)
{
	const struct order_writer *writer = data;
	const struct order_symbol *x = a, *y = b;
	const struct order_object *objects = (const struct order_object *)writer->objects->data;
	const struct order_object *of_x = &objects[x->object], *of_y = &objects[y->object];

	if (x->object != y->object)
		return compare_order(of_x->weight, of_x->first, of_y->weight, of_y->first,
				     writer->is_by_first);
	return compare_order(x->weight, x->first, y->weight, y->first, writer->is_by_first);
}

static void put_order_lines(struct order_writer *writer, SptOut *out)
{
	const struct order_object *objects = (const struct order_object *)writer->objects->data;
	uint32_t last = ORDER_NONE;

	g_string_append_printf(spt_out_text(out),
			       "# Functions for --symbol-ordering-file of ld.lld, %s\n"
			       "# Places without a name in a symbol table: %" PRIu32 "\n",
			       writer->is_by_first ? "by their first use" : "the hottest first",
			       writer->n_unnamed);
	g_array_sort_with_data(writer->symbols, compare_order_symbols, writer);
	for (guint i = 0; i < writer->symbols->len; i++) {
		const struct order_symbol *symbol = order_symbol_at(writer, i);
		GString *text = spt_out_text(out);

		if (symbol->first == 0)
			continue;
		if (symbol->object != last) {
			g_string_append(text, "# ");
			spt_append_one_line(text, objects[symbol->object].path);
			g_string_append_c(text, '\n');
		}
		last = symbol->object;
		g_string_append_printf(text, "%s\n", symbol->name);
	}
}

static void write_order_by(const SptExportInput *input, SptOut *out, bool is_by_first)
{
	const SptCapture *capture = input->capture;
	g_autoptr(GArray) sums = spt_stack_sums_new(capture, input->symbols,
						    spt_profile_metric(input->profile),
						    input->filter);
	struct order_writer writer = {
		.input = input,
		.is_by_first = is_by_first,
		.objects = g_array_new(FALSE, FALSE, sizeof(struct order_object)),
		.symbols = g_array_new(FALSE, FALSE, sizeof(struct order_symbol)),
		.of_frame = g_new(uint32_t, MAX(capture->n_frames, 1)),
		.path = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.is_walked = g_new0(bool, MAX(capture->n_nodes, 1)),
	};

	find_order_symbols(&writer, sums);
	for (guint i = 0; i < sums->len; i++)
		add_order_sum(&writer, &g_array_index(sums, SptStackSum, i));
	put_order_lines(&writer, out);
	g_array_unref(writer.objects);
	g_array_unref(writer.symbols);
	g_array_unref(writer.path);
	g_free(writer.of_frame);
	g_free(writer.is_walked);
	spt_pairs_clear(&writer.object_numbers);
	spt_pairs_clear(&writer.symbol_numbers);
}

static bool write_order(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	write_order_by(input, out, false);
	return true;
}

static bool write_order_first(const SptExportInput *input, SptOut *out,
			      G_GNUC_UNUSED GError **error)
{
	write_order_by(input, out, true);
	return true;
}

const SptExport spt_export_order = {
	.name = "order",
	.ending = ".order",
	.help = "hot functions for a linker's --symbol-ordering-file",
	.menu = SPT_WORDS("Export Linker O_rder…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_OBJECTS,
	.write = write_order,
};

const SptExport spt_export_order_first = {
	.name = "order-first",
	.ending = ".order",
	.help = "the same, by first use",
	.menu = SPT_WORDS("Export Linker Order by First _Use…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_OBJECTS,
	.write = write_order_first,
};
