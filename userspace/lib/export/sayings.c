/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts are kept, each once, since formats that write column by column come back to them.  What
 * there is no more room for has no text, and the name of its kind.
 */
#include "export/sayings.h"

#include <string.h>

#include "profile/selection.h"

#define CATEGORY	"category"
#define FLOW_KIND	"flow"
#define MOST_NAMES	16384u
#define MOST_TEXT_BYTES (64u << 20)
#define TEXT_BYTES	256u		/* of one */
#define MOST_OUTER	(1u << 20)

/* An interval that is within no other one of its thread, so far. */
struct outer {
	uint64_t begin, end;
};

struct SptSayings {
	const SptCapture *capture;
	struct spt_selection selection;
	unsigned next_kind;
	const SptDeclared *kind;	/* these two NULL: between kinds */
	SptDeclaredReader *reader;
	const SptDeclaredRow *rows;
	uint32_t n_rows;
	GHashTable *numbers;		/* name -> its number, plus one */
	GPtrArray *names;
	GStringChunk *texts;
	GHashTable *known;		/* texts that are kept */
	uint64_t text_bytes;
	GHashTable *outer;		/* thread -> GArray of struct outer, by time */
	unsigned n_outer;
};

SptSayings *spt_sayings_new(const SptCapture *capture, const SptFilter *filter)
{
	SptSayings *sayings = g_new0(SptSayings, 1);

	sayings->capture = capture;
	sayings->names = g_ptr_array_new();
	sayings->texts = g_string_chunk_new(4096);
	sayings->numbers = g_hash_table_new(g_str_hash, g_str_equal);
	sayings->known = g_hash_table_new(g_str_hash, g_str_equal);
	sayings->outer = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	spt_selection_init(&sayings->selection, capture, filter);
	return sayings;
}

void spt_sayings_free(SptSayings *sayings)
{
	if (!sayings)
		return;
	spt_declared_reader_free(sayings->reader);
	spt_selection_clear(&sayings->selection);
	g_ptr_array_unref(sayings->names);
	g_hash_table_unref(sayings->numbers);
	g_hash_table_unref(sayings->known);
	g_hash_table_unref(sayings->outer);
	g_string_chunk_free(sayings->texts);
	g_free(sayings);
}

const GPtrArray *spt_sayings_names(const SptSayings *sayings)
{
	return sayings->names;
}

/* NULL: there is no room. */
static const char *sayings_keep(SptSayings *sayings, const char *text)
{
	const char *known = g_hash_table_lookup(sayings->known, text);
	size_t bytes = strlen(text) + 1;

	if (known || sayings->text_bytes + bytes > MOST_TEXT_BYTES)
		return known;
	known = g_string_chunk_insert(sayings->texts, text);
	g_hash_table_add(sayings->known, (gpointer)known);
	sayings->text_bytes += bytes;
	return known;
}

static void set_name(SptSayings *sayings, SptSaying *saying, const char *name)
{
	const char *kept = sayings_keep(sayings, name);
	uint32_t number =
		kept ? GPOINTER_TO_UINT(g_hash_table_lookup(sayings->numbers, kept)) : 0;

	if (kept && !number &&
	    (sayings->names->len < MOST_NAMES || name == saying->kind->name)) {
		g_ptr_array_add(sayings->names, (gpointer)kept);
		number = sayings->names->len;
		g_hash_table_insert(sayings->numbers, (gpointer)kept, GUINT_TO_POINTER(number));
	}
	if (!number && name != saying->kind->name) {
		set_name(sayings, saying, saying->kind->name);
		return;
	}
	saying->name = kept ? kept : saying->kind->name;
	saying->name_number = number ? number - 1 : 0;
}

/* "sent=4096 bytes, to=10.0.0.1": without the fields that are the name and the category. */
static void set_texts(SptSayings *sayings, SptSaying *saying, const SptDeclaredRow *row)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const SptDeclared *kind = saying->kind;
	const char *name = kind->name;

	saying->category = saying->text = "";
	for (unsigned i = 0; i < kind->n_fields; i++) {
		const SptDeclaredField *field = &kind->fields[i];
		g_autofree char *value = NULL;

		if (i == 0 && field->type == SPT_VALUE_TEXT) {
			name = row->values[i].text && *row->values[i].text ? row->values[i].text :
									     name;
		} else if (strcmp(field->name, CATEGORY) == 0 && field->type == SPT_VALUE_TEXT) {
			saying->category = sayings_keep(sayings, row->values[i].text);
		} else if (text->len < TEXT_BYTES) {
			value = spt_value_describe(field, row->values[i]);
			if (*value)
				g_string_append_printf(text, "%s%s=%s", text->len ? ", " : "",
						       field->name, value);
		}
	}
	if (text->len > TEXT_BYTES)
		g_string_truncate(text, TEXT_BYTES);
	set_name(sayings, saying, name);
	saying->text = sayings_keep(sayings, text->str);
	saying->text = saying->text ? saying->text : "";
	saying->category = saying->category ? saying->category : "";
}

static void set_flow(SptSaying *saying, const SptDeclaredRow *row)
{
	unsigned id, side;

	if (strcmp(saying->kind->name, FLOW_KIND) != 0 ||
	    !spt_declared_find_field(saying->kind, "id", &id) ||
	    saying->kind->fields[id].type != SPT_VALUE_ID ||
	    !spt_declared_find_field(saying->kind, "side", &side) ||
	    saying->kind->fields[side].type != SPT_VALUE_TEXT)
		return;
	saying->flow = row->values[id].number;
	saying->side = strcmp(row->values[side].text, "end") == 0 ? SPT_FLOW_END : SPT_FLOW_BEGIN;
}

/*
 * Rows of a thread come in the order of their ends, so an interval crosses an earlier one if it
 * begins within it.  In another order only more of them count as crossing.
 */
static bool sayings_crosses(SptSayings *sayings, const SptSaying *saying)
{
	struct outer this = { saying->begin_ns, saying->begin_ns + saying->duration_ns };
	GArray *outer = g_hash_table_lookup(sayings->outer, GUINT_TO_POINTER(saying->thread));
	const struct outer *last;

	if (!saying->duration_ns)
		return false;
	if (!outer) {
		outer = g_array_new(FALSE, FALSE, sizeof(this));
		g_hash_table_insert(sayings->outer, GUINT_TO_POINTER(saying->thread), outer);
	}
	while (outer->len && g_array_index(outer, struct outer, outer->len - 1).begin >=
				     this.begin) {
		g_array_set_size(outer, outer->len - 1);
		sayings->n_outer--;
	}
	last = outer->len ? &g_array_index(outer, struct outer, outer->len - 1) : NULL;
	if ((last && last->end > this.begin) || sayings->n_outer >= MOST_OUTER)
		return true;
	g_array_append_val(outer, this);
	sayings->n_outer++;
	return false;
}

/* False: the last row of the last kind was returned. */
static bool sayings_fill(SptSayings *sayings)
{
	while (!sayings->n_rows) {
		if (sayings->reader) {
			sayings->rows = spt_declared_reader_next(sayings->reader, &sayings->n_rows);
			if (sayings->rows)
				continue;
			sayings->n_rows = 0;
			g_clear_pointer(&sayings->reader, spt_declared_reader_free);
		}
		sayings->kind = spt_declared(sayings->capture, sayings->next_kind);
		if (!sayings->kind) {
			sayings->next_kind = 0;
			return false;
		}
		sayings->next_kind++;
		g_hash_table_remove_all(sayings->outer);
		sayings->n_outer = 0;
		if (sayings->kind->shape != SPT_DECLARED_COUNTER)
			sayings->reader = spt_declared_reader_new(sayings->capture, sayings->kind);
	}
	return true;
}

static bool sayings_is_wanted(const SptSayings *sayings, const SptDeclaredRow *row)
{
	const struct spt_selection *selection = &sayings->selection;

	return spt_selection_has_place(selection, row->thread, row->cpu) &&
	       row->time + row->duration_ns >= selection->begin_ns &&
	       row->time < selection->end_ns &&
	       (!selection->moments ||
		spt_moments_have(selection->moments, row->thread, row->time));
}

bool spt_sayings_next(SptSayings *sayings, SptSaying *ret)
{
	while (sayings_fill(sayings)) {
		const SptDeclaredRow *row = sayings->rows++;

		sayings->n_rows--;
		if (!sayings_is_wanted(sayings, row))
			continue;
		*ret = (SptSaying){
			.begin_ns = row->time,
			.duration_ns = MIN(row->duration_ns, UINT64_MAX - row->time),
			.kind = sayings->kind,
			.thread = row->thread,
			.cpu = row->cpu,
		};
		set_texts(sayings, ret, row);
		set_flow(ret, row);
		ret->crosses = sayings_crosses(sayings, ret);
		return true;
	}
	return false;
}
