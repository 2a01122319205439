/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header says where the events' attributes and the records are.  Behind the records are
 * sections, one for each bit of the header, by rising bits.  A file from a pipe has all of that as
 * records.
 */
#include "import/perf-data-file.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/words.h"
#include "import/perf-data-private.h"

#define MAGIC	      "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define MAGIC_OLD     "PERFFILE"
#define MAGIC_BYTES   8
#define EVENTS_MAX    4096
#define IDS_MAX	      (1u << 22)
#define BUILD_IDS_MAX (1u << 18)
#define TEXT_MAX      4096u
#define BUILD_ID_MAX  20
/* Build-id records say their length only with this bit; else it is that of SHA-1. */
#define MISC_HAS_SIZE (1 << 15)

enum feature {
	FEATURE_TRACING = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOST = 3,
	FEATURE_KERNEL = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPU_NAME = 8,
	FEATURE_COMMAND = 11,
	FEATURE_EVENTS = 12,
	FEATURES = 256,
};

struct part {
	uint64_t at, bytes;
};

struct file_header {
	char magic[MAGIC_BYTES];
	uint64_t bytes, attr_bytes;
	struct part attrs, records, types;
	uint64_t features[FEATURES / 64];
};

struct build_id_record {
	struct perf_event_header header;
	uint32_t pid;
	uint8_t id[24];			/* id[BUILD_ID_MAX]: its length */
};

bool spt_perf_data_refuse(GError **error, const char *why)
{
	spt_set_error(error, SPT_PERF_DATA_ERROR, SPT_PERF_DATA_ERROR_REFUSED, "%s",
		      spt_words(why));
	return false;
}

G_DEFINE_QUARK(spt-perf-data-error-quark, spt_perf_data_error)

bool spt_perf_data_is(const void *begin, size_t bytes)
{
	return bytes >= MAGIC_BYTES && (!memcmp(begin, MAGIC, MAGIC_BYTES) ||
					!memcmp(begin, MAGIC_SWAPPED, MAGIC_BYTES) ||
					!memcmp(begin, MAGIC_OLD, MAGIC_BYTES));
}

/* The bytes of a part of the file; NULL: it is not in it. */
static const uint8_t *data_part(const SptPerfData *data, struct part part)
{
	return part.at <= data->n_bytes && part.bytes <= data->n_bytes - part.at ?
		       data->bytes + part.at :
		       NULL;
}

/* Events. */

static struct spt_perf_data_event *add_data_event(SptPerfData *data, const void *attr, size_t bytes)
{
	struct spt_perf_data_event *event;

	if (data->events->len >= EVENTS_MAX || bytes < PERF_ATTR_SIZE_VER0)
		return NULL;
	event = g_new0(struct spt_perf_data_event, 1);
	memcpy(&event->attr, attr, MIN(bytes, sizeof(event->attr)));
	g_ptr_array_add(data->events, event);
	return event;
}

static void add_ids(SptPerfData *data, struct spt_perf_data_event *event, const uint8_t *ids,
		    uint64_t n)
{
	for (uint64_t i = 0; i < n && g_hash_table_size(data->by_id) < IDS_MAX; i++)
		g_hash_table_insert(data->by_id, g_memdup2(ids + 8 * i, 8), event);
}

/* The attributes of the file's events, each with the place of its ids behind it. */
static bool read_attrs(SptPerfData *data, const struct file_header *header)
{
	const uint8_t *at = data_part(data, header->attrs);
	uint64_t bytes = header->attr_bytes;

	if (!at || bytes < PERF_ATTR_SIZE_VER0 + sizeof(struct part) || bytes > TEXT_MAX)
		return false;
	for (uint64_t n = header->attrs.bytes / bytes; n > 0; n--, at += bytes) {
		struct spt_perf_data_event *event =
			add_data_event(data, at, bytes - sizeof(struct part));
		struct part ids;
		const uint8_t *list;

		memcpy(&ids, at + bytes - sizeof(ids), sizeof(ids));
		list = data_part(data, ids);
		if (!event || !list)
			return false;
		add_ids(data, event, list, ids.bytes / 8);
	}
	return data->events->len > 0;
}

bool spt_perf_data_take_attr(SptPerfData *data, const struct perf_event_header *record)
{
	const uint8_t *attr = (const uint8_t *)(record + 1);
	size_t left = record->size - sizeof(*record);
	struct spt_perf_data_event *event;
	uint32_t bytes;

	if (left < PERF_ATTR_SIZE_VER0)
		return false;
	memcpy(&bytes, attr + offsetof(struct perf_event_attr, size), sizeof(bytes));
	if (bytes < PERF_ATTR_SIZE_VER0 || bytes > left)
		return false;
	event = add_data_event(data, attr, bytes);
	if (event)
		add_ids(data, event, attr + bytes, (left - bytes) / 8);
	return event;
}

void spt_perf_data_take_update(SptPerfData *data, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(record + 1);
	const uint64_t is_name = 2;
	size_t left = record->size - sizeof(*record);
	struct spt_perf_data_event *event;

	if (left < 24 || words[0] != is_name)
		return;
	event = g_hash_table_lookup(data->by_id, &words[1]);
	if (event)
		g_strlcpy(event->name, (const char *)&words[2],
			  MIN(sizeof(event->name), left - 16));
}

/* Sections. */

/* A copy of the next text, which has its length before it, or NULL. */
static char *take_text(struct spt_perf_section *section)
{
	uint64_t bytes = spt_perf_section_number(section, 4);
	const uint8_t *text = spt_perf_section_take(section, bytes);
	char *copy = text && bytes ? g_strndup((const char *)text, MIN(bytes, TEXT_MAX)) : NULL;
	char *valid = copy ? g_utf8_make_valid(copy, -1) : NULL;

	g_free(copy);
	return valid;
}

static void set_fact(char **to, struct spt_perf_section section)
{
	g_free(*to);
	*to = take_text(&section);
}

static void read_command(SptPerfData *data, struct spt_perf_section section)
{
	GString *text = g_string_new(NULL);

	for (uint64_t n = spt_perf_section_number(&section, 4); n > 0 && text->len < TEXT_MAX;
	     n--) {
		g_autofree char *word = take_text(&section);

		if (!word)
			break;
		g_string_append_printf(text, "%s%s", text->len ? " " : "", word);
	}
	g_free(data->facts.command);
	data->facts.command = g_string_free(text, FALSE);
}

/* The names of the events, in the order of their attributes. */
static void read_event_names(SptPerfData *data, struct spt_perf_section section)
{
	uint64_t n = spt_perf_section_number(&section, 4),
		 bytes = spt_perf_section_number(&section, 4);

	for (uint32_t i = 0; i < n && i < data->events->len; i++) {
		struct spt_perf_data_event *event = data->events->pdata[i];
		const uint8_t *attr = spt_perf_section_take(&section, bytes);
		uint64_t n_ids = spt_perf_section_number(&section, 4);
		g_autofree char *name = attr ? take_text(&section) : NULL;

		if (!name || !spt_perf_section_take(&section, 8 * n_ids))
			return;
		g_strlcpy(event->name, name, sizeof(event->name));
	}
}

void spt_perf_data_take_build_id(SptPerfData *data, const void *record, uint64_t bytes)
{
	struct build_id_record from;
	unsigned n = BUILD_ID_MAX;

	if (bytes <= sizeof(from) || g_hash_table_size(data->build_ids) >= BUILD_IDS_MAX)
		return;
	memcpy(&from, record, sizeof(from));
	if (from.header.misc & MISC_HAS_SIZE)
		n = MIN(from.id[BUILD_ID_MAX], BUILD_ID_MAX);
	g_hash_table_insert(data->build_ids,
			    g_strndup((const char *)record + sizeof(from),
				      MIN(bytes - sizeof(from), TEXT_MAX)),
			    g_bytes_new(from.id, n));
}

static void read_build_ids(SptPerfData *data, struct spt_perf_section section)
{
	struct perf_event_header header;
	const uint8_t *at;

	while (section.left > sizeof(struct build_id_record)) {
		memcpy(&header, section.at, sizeof(header));
		at = spt_perf_section_take(&section, header.size);
		if (!at || header.size < sizeof(struct build_id_record))
			return;
		spt_perf_data_take_build_id(data, at, header.size);
	}
}

static void read_data_section(SptPerfData *data, unsigned feature, struct spt_perf_section section)
{
	struct spt_perf_data_facts *facts = &data->facts;

	switch (feature) {
	case FEATURE_TRACING:
		spt_perf_data_take_points(data, section);
		break;
	case FEATURE_BUILD_ID:
		read_build_ids(data, section);
		break;
	case FEATURE_HOST:
		set_fact(&facts->host, section);
		break;
	case FEATURE_KERNEL:
		set_fact(&facts->kernel, section);
		break;
	case FEATURE_VERSION:
		set_fact(&facts->perf, section);
		break;
	case FEATURE_ARCH:
		set_fact(&facts->arch, section);
		break;
	case FEATURE_CPU_NAME:
		set_fact(&facts->cpus, section);
		break;
	case FEATURE_COMMAND:
		read_command(data, section);
		break;
	case FEATURE_EVENTS:
		read_event_names(data, section);
		break;
	}
}

void spt_perf_data_take_feature(SptPerfData *data, const struct perf_event_header *record)
{
	const uint8_t *at = (const uint8_t *)(record + 1);
	uint64_t feature;

	if (record->size < sizeof(*record) + sizeof(feature))
		return;
	memcpy(&feature, at, sizeof(feature));
	if (feature < FEATURES)
		read_data_section(data, (unsigned)feature,
			     (struct spt_perf_section){ at + sizeof(feature),
					       record->size - sizeof(*record) - sizeof(feature) });
}

/* A file that was cut off has none of them. */
static void read_sections(SptPerfData *data, const struct file_header *header)
{
	uint64_t at = header->records.at + header->records.bytes;

	for (unsigned bit = 0; bit < FEATURES; bit++) {
		struct part part, place = { at, sizeof(part) };
		const uint8_t *from = data_part(data, place);

		if (!(header->features[bit / 64] >> bit % 64 & 1))
			continue;
		if (!from)
			return;
		memcpy(&part, from, sizeof(part));
		from = data_part(data, part);
		if (from)
			read_data_section(data, bit, (struct spt_perf_section){ from, part.bytes });
		at += sizeof(part);
	}
}

/* The file. */

static bool read_data_header(SptPerfData *data, GError **error)
{
	struct file_header header = { .bytes = 0 };

	if (data->n_bytes < 2 * sizeof(uint64_t))
		return spt_perf_data_refuse(error, SPT_WORDS("its header is damaged"));
	memcpy(&header, data->bytes, MIN(data->n_bytes, sizeof(header)));
	if (!memcmp(header.magic, MAGIC_SWAPPED, MAGIC_BYTES))
		return spt_perf_data_refuse(
			error, SPT_WORDS("it is from a machine of the other byte order"));
	if (memcmp(header.magic, MAGIC, MAGIC_BYTES))
		return spt_perf_data_refuse(error, SPT_WORDS("it is of perf before Linux 3.4"));
	if (header.bytes == 2 * sizeof(uint64_t)) {
		data->is_pipe = true;
		data->begin = header.bytes;
		data->end = data->n_bytes;
		return true;
	}
	if (header.bytes != sizeof(header) || !read_attrs(data, &header) ||
	    header.records.at > data->n_bytes || header.records.at % 8)
		return spt_perf_data_refuse(error, SPT_WORDS("its header is damaged"));
	data->begin = header.records.at;
	data->end = data->n_bytes;
	if (header.records.bytes && header.records.bytes <= data->n_bytes - data->begin)
		data->end = data->begin + header.records.bytes;
	if (header.records.bytes)
		read_sections(data, &header);
	return true;
}

SptPerfData *spt_perf_data_new(const uint8_t *bytes, size_t n, GError **error)
{
	g_autoptr(SptPerfData) data = g_new0(SptPerfData, 1);

	data->events = g_ptr_array_new_with_free_func(g_free);
	data->by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	data->formats = g_hash_table_new_full(NULL, NULL, NULL, spt_perf_data_free_point);
	data->build_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						(GDestroyNotify)g_bytes_unref);
	data->bytes = bytes;
	data->n_bytes = n;
	return read_data_header(data, error) ? g_steal_pointer(&data) : NULL;
}

SptPerfData *spt_perf_data_open(int fd, GError **error)
{
	SptPerfData *data;
	struct stat stat;
	void *bytes;

	if (fstat(fd, &stat) < 0 || stat.st_size == 0) {
		spt_perf_data_refuse(error, SPT_WORDS("its header is damaged"));
		return NULL;
	}
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		spt_perf_data_refuse(error, SPT_WORDS("there is no memory for it"));
		return NULL;
	}
	data = spt_perf_data_new(bytes, (size_t)stat.st_size, error);
	if (data)
		data->is_mapped = true;
	else
		munmap(bytes, (size_t)stat.st_size);
	return data;
}

void spt_perf_data_free(SptPerfData *data)
{
	if (!data)
		return;
	if (data->is_mapped)
		munmap((void *)data->bytes, data->n_bytes);
	g_ptr_array_unref(data->events);
	g_hash_table_unref(data->by_id);
	g_hash_table_unref(data->build_ids);
	g_hash_table_unref(data->formats);
	g_clear_pointer(&data->chains, g_hash_table_unref);
	g_free(data->facts.host);
	g_free(data->facts.kernel);
	g_free(data->facts.arch);
	g_free(data->facts.perf);
	g_free(data->facts.cpus);
	g_free(data->facts.command);
	g_free(data);
}

const struct spt_perf_data_event *spt_perf_data_events(const SptPerfData *data, unsigned i)
{
	return i < data->events->len ? data->events->pdata[i] : NULL;
}

const struct spt_perf_data_point *spt_perf_data_point(const SptPerfData *data, uint64_t id)
{
	return id <= UINT32_MAX ? g_hash_table_lookup(data->formats, GSIZE_TO_POINTER(id)) : NULL;
}

const struct spt_perf_data_facts *spt_perf_data_facts(const SptPerfData *data)
{
	return &data->facts;
}

const uint8_t *spt_perf_data_build_id(const SptPerfData *data, const char *path,
				      unsigned *ret_bytes)
{
	GBytes *id = g_hash_table_lookup(data->build_ids, path);
	gsize bytes = 0;
	const uint8_t *at = id ? g_bytes_get_data(id, &bytes) : NULL;

	*ret_bytes = (unsigned)bytes;
	return at;
}
