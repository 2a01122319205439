/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each entry of the outermost message is decoded by itself, as a profile with nothing else in it,
 * so that memory is that of the tables and one entry.
 */
#ifdef SPT_HAS_PPROF

#include "import/pprof-tables.h"

#include <string.h>

#include "base/words.h"
#include "formats/pprof.pb-c.h"

/* How a field is encoded, by the lowest bits of its tag. */
enum { NUMBER = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };
#define WIRE_BITS    3
#define SAMPLE_FIELD 2

struct pprof_entry {
	const uint8_t *at; /* with its tag */
	size_t bytes;
	uint64_t field;
};

static bool take_number(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The entry at *@at, which is moved behind it; false: it is not well-formed. */
static bool next_entry(const uint8_t **at, const uint8_t *end, struct pprof_entry *ret)
{
	uint64_t tag, bytes = 0;

	ret->at = *at;
	if (!take_number(at, end, &tag))
		return false;
	ret->field = tag >> WIRE_BITS;
	switch (tag & ((1 << WIRE_BITS) - 1)) {
	case NUMBER:
		if (!take_number(at, end, &bytes))
			return false;
		bytes = 0;
		break;
	case FIXED_64:
		bytes = 8;
		break;
	case FIXED_32:
		bytes = 4;
		break;
	case BYTES:
		if (!take_number(at, end, &bytes))
			return false;
		break;
	default:
		return false;
	}
	if (bytes > (size_t)(end - *at))
		return false;
	*at += bytes;
	ret->bytes = (size_t)(*at - ret->at);
	return true;
}

/* Entries of @field, or with @field 0 all but samples; NULL: with a clause, or at the end. */
static SptPprofProfile *next_part(const struct pprof_tables *tables, const uint8_t **at,
				  uint64_t field, GError **error)
{
	struct pprof_entry entry;
	SptPprofProfile *part;

	do {
		if (*at == tables->end)
			return NULL;
		if (!next_entry(at, tables->end, &entry)) {
			spt_import_refuse(error, SPT_WORDS("it is damaged, or no profile of pprof"));
			return NULL;
		}
	} while (field ? entry.field != field : entry.field == SAMPLE_FIELD);
	if (entry.bytes > SPT_IMPORT_LINE_BYTES) {
		spt_import_refuse(error, SPT_WORDS("it has an entry that is too long"));
		return NULL;
	}
	part = spt_pprof_profile__unpack(NULL, entry.bytes, entry.at);
	if (!part)
		spt_import_refuse(error, SPT_WORDS("it is damaged, or no profile of pprof"));
	return part;
}

const char *spt_pprof_text(const struct pprof_tables *tables, int64_t number)
{
	return number >= 0 && number < tables->texts->len ? tables->texts->pdata[number] : "";
}

/* Tables refer to texts that may come later: until all are there, a text is its number. */
static const char *text_to_come(int64_t number)
{
	return (const char *)(uintptr_t)(number > 0 ? number : 0);
}

static void find_text(const struct pprof_tables *tables, const char **text)
{
	*text = spt_pprof_text(tables, (int64_t)(uintptr_t)*text);
}

/* Gives the next place in a table to @id; of two with one id, the first counts. */
static void add_id(struct spt_pairs *ids, uint64_t id, uint32_t index)
{
	uint32_t *known = spt_pairs_at(ids, id, 0);

	if (*known == UINT32_MAX)
		*known = index;
}

static void add_function(struct pprof_tables *tables, const SptPprofFunction *from)
{
	const struct pprof_function function = {
		.name = text_to_come(from->name ? from->name : from->system_name),
		.file = text_to_come(from->filename),
	};

	add_id(&tables->function_ids, from->id, tables->functions->len);
	g_array_append_val(tables->functions, function);
}

static void add_mapping(struct pprof_tables *tables, const SptPprofMapping *from)
{
	const struct pprof_mapping mapping = {
		.start = from->memory_start,
		.limit = from->memory_limit,
		.offset = from->file_offset,
		.file = text_to_come(from->filename),
		.build_id = text_to_come(from->build_id),
	};

	add_id(&tables->mapping_ids, from->id, tables->mappings->len);
	g_array_append_val(tables->mappings, mapping);
}

static void add_location(struct pprof_tables *tables, const SptPprofLocation *from)
{
	const struct pprof_location location = {
		.mapping = from->mapping_id,
		.address = from->address,
		.first_line = tables->lines->len,
		.n_lines = (uint32_t)from->n_line,
	};

	add_id(&tables->location_ids, from->id, tables->locations->len);
	g_array_append_val(tables->locations, location);
	for (size_t i = 0; i < from->n_line; i++) {
		const struct pprof_line line = {
			.function = from->line[i]->function_id,
			.line = (uint32_t)CLAMP(from->line[i]->line, 0, UINT32_MAX),
		};

		g_array_append_val(tables->lines, line);
	}
}

static struct pprof_type type_to_come(const SptPprofType *from)
{
	return (struct pprof_type){ text_to_come(from->type), text_to_come(from->unit) };
}

static void add_part(struct pprof_tables *tables, const SptPprofProfile *part, int64_t *shown)
{
	for (size_t i = 0; i < part->n_string_table; i++)
		g_ptr_array_add(tables->texts,
				g_string_chunk_insert(tables->chunk, part->string_table[i]));
	for (size_t i = 0; i < part->n_function; i++)
		add_function(tables, part->function[i]);
	for (size_t i = 0; i < part->n_mapping; i++)
		add_mapping(tables, part->mapping[i]);
	for (size_t i = 0; i < part->n_location; i++)
		add_location(tables, part->location[i]);
	for (size_t i = 0; i < part->n_sample_type && tables->n_types < SPT_PPROF_TYPES_MAX; i++)
		tables->types[tables->n_types++] = type_to_come(part->sample_type[i]);
	if (part->period_type)
		tables->period_type = type_to_come(part->period_type);
	if (part->period > 0)
		tables->period = (uint64_t)part->period;
	if (part->time_nanos > 0)
		tables->time_ns = (uint64_t)part->time_nanos;
	if (part->duration_nanos > 0)
		tables->duration_ns = (uint64_t)part->duration_nanos;
	if (part->default_sample_type > 0)
		*shown = part->default_sample_type;
}

/* Turns the numbers of texts into texts. */
static void find_texts(struct pprof_tables *tables, int64_t shown)
{
	for (guint i = 0; i < tables->functions->len; i++) {
		find_text(tables, &g_array_index(tables->functions, struct pprof_function, i).name);
		find_text(tables, &g_array_index(tables->functions, struct pprof_function, i).file);
	}
	for (guint i = 0; i < tables->mappings->len; i++) {
		struct pprof_mapping *mapping =
			&g_array_index(tables->mappings, struct pprof_mapping, i);

		find_text(tables, &mapping->file);
		find_text(tables, &mapping->build_id);
	}
	tables->shown = tables->n_types - 1;
	for (unsigned i = 0; i < tables->n_types; i++) {
		find_text(tables, &tables->types[i].name);
		find_text(tables, &tables->types[i].unit);
		if (shown && strcmp(tables->types[i].name, spt_pprof_text(tables, shown)) == 0)
			tables->shown = i;
	}
	find_text(tables, &tables->period_type.name);
	find_text(tables, &tables->period_type.unit);
}

static bool has_too_much(const struct pprof_tables *tables)
{
	return tables->texts->len > SPT_IMPORT_FUNCTIONS ||
	       tables->functions->len > SPT_IMPORT_FUNCTIONS ||
	       tables->mappings->len > SPT_IMPORT_FUNCTIONS ||
	       tables->locations->len > SPT_IMPORT_FUNCTIONS ||
	       tables->lines->len > SPT_IMPORT_FUNCTIONS;
}

static bool read_tables(struct pprof_tables *tables, GError **error)
{
	const uint8_t *at = tables->bytes;
	GError *problem = NULL;
	SptPprofProfile *part;
	int64_t shown = 0;

	while ((part = next_part(tables, &at, 0, &problem))) {
		add_part(tables, part, &shown);
		spt_pprof_profile__free_unpacked(part, NULL);
		if (has_too_much(tables))
			return spt_import_refuse(error,
					    SPT_WORDS("it has more names than can be imported"));
	}
	if (problem) {
		g_propagate_error(error, problem);
		return false;
	}
	if (tables->n_types == 0)
		return spt_import_refuse(error, SPT_WORDS("it does not say what its samples count"));
	find_texts(tables, shown);
	return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A SptPprofTake. */
static const char *measure_sample(const SptPprofSample *sample, void *data)
{
	struct pprof_tables *tables = data;

	if (sample->n_value != tables->n_types)
		return SPT_WORDS("does not have a value of each type");
	if (sample->n_location_id > SPT_IMPORT_FRAMES)
		return SPT_WORDS("has too many frames");
	for (unsigned i = 0; i < tables->n_types; i++) {
		if (sample->value[i] < 0)
			return SPT_WORDS("has a negative value, as in a comparison");
		tables->divisors[i] =
			common_divisor(tables->divisors[i], (uint64_t)sample->value[i]);
	}
	tables->n_samples++;
	return NULL;
}

bool spt_pprof_each_sample(const struct pprof_tables *tables, SptPprofTake take, void *data,
			   GError **error)
{
	const uint8_t *at = tables->bytes;
	const char *wrong = NULL;
	GError *problem = NULL;
	SptPprofProfile *part;
	unsigned n = 0;

	while (!wrong && (part = next_part(tables, &at, SAMPLE_FIELD, &problem))) {
		for (size_t i = 0; i < part->n_sample && !wrong; i++, n++)
			wrong = take(part->sample[i], data);
		spt_pprof_profile__free_unpacked(part, NULL);
	}
	if (problem) {
		g_propagate_error(error, problem);
		return false;
	}
	if (wrong)
		spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "sample %u %s", n,
			      spt_words(wrong));
	return !wrong;
}

bool spt_pprof_tables_init(struct pprof_tables *tables, const uint8_t *bytes, size_t n,
			   GError **error)
{
	*tables = (struct pprof_tables){
		.bytes = bytes,
		.end = bytes + n,
		.chunk = g_string_chunk_new(1 << 16),
		.texts = g_ptr_array_new(),
		.functions = g_array_new(FALSE, FALSE, sizeof(struct pprof_function)),
		.mappings = g_array_new(FALSE, FALSE, sizeof(struct pprof_mapping)),
		.locations = g_array_new(FALSE, FALSE, sizeof(struct pprof_location)),
		.lines = g_array_new(FALSE, FALSE, sizeof(struct pprof_line)),
	};
	if (read_tables(tables, error) &&
	    spt_pprof_each_sample(tables, measure_sample, tables, error))
		return true;
	spt_pprof_tables_clear(tables);
	return false;
}

void spt_pprof_tables_clear(struct pprof_tables *tables)
{
	g_string_chunk_free(tables->chunk);
	g_ptr_array_unref(tables->texts);
	g_array_unref(tables->functions);
	g_array_unref(tables->mappings);
	g_array_unref(tables->locations);
	g_array_unref(tables->lines);
	spt_pairs_clear(&tables->function_ids);
	spt_pairs_clear(&tables->mapping_ids);
	spt_pairs_clear(&tables->location_ids);
}

const struct pprof_function *spt_pprof_function(const struct pprof_tables *tables, uint64_t id)
{
	uint32_t at = spt_pairs_get(&tables->function_ids, id, 0);

	return at == UINT32_MAX ? NULL :
				  &g_array_index(tables->functions, struct pprof_function, at);
}

const struct pprof_mapping *spt_pprof_mapping(const struct pprof_tables *tables, uint64_t id)
{
	uint32_t at = id ? spt_pairs_get(&tables->mapping_ids, id, 0) : UINT32_MAX;

	return at == UINT32_MAX ? NULL : &g_array_index(tables->mappings, struct pprof_mapping, at);
}

uint32_t spt_pprof_location(const struct pprof_tables *tables, uint64_t id)
{
	return spt_pairs_get(&tables->location_ids, id, 0);
}

#endif
