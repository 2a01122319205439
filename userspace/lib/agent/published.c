/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is read is a stranger's: it is copied by helper threads that nobody has to wait for
 * (proc-files.h), bounded, and read between two looks at the header, which agree if it was not
 * written meanwhile.
 */
#include "agent/published.h"

#include <string.h>

#include "base/clock.h"
#include "base/proc-files.h"
#include "base/words.h"

#ifdef SPT_HAS_AGENT

#include "formats/otlp.pb-c.h"

#define SIGNATURE	"OTEL_CTX"
#define VERSION		2
#define MAPS_BYTES	(1u << 20)
#define PAYLOAD_MAX	(64u << 10)
#define ATTEMPTS	3
#define CONTEXTS_MAX	16		/* mappings with such a name that are looked at */
#define KEPT_BYTES	(16u << 20)	/* of what all processes say */
#define WINDOW_NS	(2 * 1000000000ull)
#define FIRST_WAIT_NS	(10 * 1000000000ull)
#define LONGEST_WAIT_NS (600 * 1000000000ull)
#define KNOWN_WAIT_NS	(60 * 1000000000ull)
#define SPAN_KEYS	"threadlocal.attribute_key_map"
#define SPAN_KEYS_MAX	256		/* numbers are bytes */

/* In the process's memory, in its byte order, which is ours. */
struct context {
	char signature[8];
	uint32_t version, bytes;
	uint64_t published_ns;		/* CLOCK_BOOTTIME; 0 while it is written */
	uint64_t address;		/* of the message */
};

/* A process, by its number and the time of its start. */
struct entry {
	uint32_t pid;
	uint64_t start_time;
	uint64_t next_ns, wait_ns;	/* when to look, and how long after that again */
	uint64_t seen_ns;		/* end of the last window that has it */
	bool is_there;			/* in the window that is looked at */
	SptLabelSet set;		/* values are the entry's */
	GPtrArray *keys;		/* of attributes of spans; NULL: none are known */
	size_t bytes, *kept_bytes;	/* of both, and of all entries */
};

struct SptPublished {
	SptProcFiles *files;
	GHashTable *entries;		/* struct entry, by itself */
	size_t kept_bytes;
};

static const char *const taken[] = { "deployment.environment.name", "service.instance.id",
				     "service.name", "service.namespace", "service.version" };

static guint hash_entry(gconstpointer data)
{
	const struct entry *entry = data;

	return entry->pid ^ (guint)(entry->start_time >> 10);
}

static gboolean is_same_entry(gconstpointer a, gconstpointer b)
{
	const struct entry *x = a, *y = b;

	return x->pid == y->pid && x->start_time == y->start_time;
}

static void clear_set(struct entry *entry)
{
	for (unsigned i = 0; i < entry->set.n; i++)
		g_free((char *)entry->set.labels[i].value);
	entry->set.n = 0;
	g_clear_pointer(&entry->keys, g_ptr_array_unref);
	*entry->kept_bytes -= entry->bytes;
	entry->bytes = 0;
}

/* Its text, on one line, as the entry's. */
static char *keep_text(struct entry *entry, const char *text)
{
	char *line = spt_one_line(text);
	size_t bytes = strlen(line) + 1 + sizeof(line);

	entry->bytes += bytes;
	*entry->kept_bytes += bytes;
	return line;
}

static void entry_free(void *data)
{
	clear_set(data);
	g_free(data);
}

SptPublished *spt_published_new(const char *root)
{
	SptPublished *published = g_new0(SptPublished, 1);

	published->files = spt_proc_files_new(root);
	published->entries = g_hash_table_new_full(hash_entry, is_same_entry, entry_free, NULL);
	return published;
}

void spt_published_free(SptPublished *published)
{
	if (!published)
		return;
	spt_proc_files_free(published->files);
	g_hash_table_unref(published->entries);
	g_free(published);
}

/* Its name: of a memfd, of memory that was named, or of both. */
static bool is_context_name(const char *name)
{
	static const char *const names[] = { "[anon_shmem:" SIGNATURE "]", "[anon:" SIGNATURE "]",
					     "/memfd:" SIGNATURE };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_has_prefix(name, names[i]))
			return true;
	return false;
}

/* Where the next such mapping behind *@at begins, a place in a text of /proc/PID/maps; 0: none. */
static uint64_t next_context(char **at)
{
	while (**at) {
		char *line = *at, *end = strchr(line, '\n'), *name;

		*at = end ? end + 1 : line + strlen(line);
		if (!end)
			return 0;
		*end = '\0';
		/* Behind address, rights, offset, device and inode, none of which has these. */
		name = strpbrk(line, "/[");
		if (name && is_context_name(name))
			return g_ascii_strtoull(line, NULL, 16);
	}
	return 0;
}

/* False: there is none, or it is just written. */
static bool read_header(SptPublished *published, uint32_t pid, uint64_t address,
			struct context *ret)
{
	size_t bytes = 0;
	g_autofree char *raw = spt_proc_files_read_at(published->files, pid, "mem", address,
						      sizeof(*ret), &bytes);

	if (!raw || bytes != sizeof(*ret))
		return false;
	memcpy(ret, raw, sizeof(*ret));
	return memcmp(ret->signature, SIGNATURE, sizeof(ret->signature)) == 0 &&
	       ret->version == VERSION && ret->published_ns && ret->bytes &&
	       ret->bytes <= PAYLOAD_MAX;
}

/* The message, the caller's; NULL: none that stayed the same while it was read. */
static char *read_payload(SptPublished *published, uint32_t pid, uint64_t address,
			  size_t *ret_bytes)
{
	struct context before, after;

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		g_autofree char *raw = NULL;

		if (!read_header(published, pid, address, &before))
			continue;
		raw = spt_proc_files_read_at(published->files, pid, "mem", before.address,
					     before.bytes, ret_bytes);
		if (raw && *ret_bytes == before.bytes &&
		    read_header(published, pid, address, &after) &&
		    memcmp(&before, &after, sizeof(before)) == 0)
			return g_steal_pointer(&raw);
	}
	return NULL;
}

static void take_attribute(struct entry *entry, const SptOtlpAttribute *attribute)
{
	const char *text = attribute->value &&
					   attribute->value->value_case ==
						   SPT_OTLP_VALUE__VALUE_TEXT ?
				   attribute->value->text :
				   NULL;
	SptLabelSet *set = &entry->set;

	for (unsigned i = 0; text && *text && i < G_N_ELEMENTS(taken); i++)
		if (strcmp(attribute->key, taken[i]) == 0 && !spt_label_set_value(set, taken[i]))
			set->labels[set->n++] = (SptLabel){ taken[i], keep_text(entry, text) };
}

static void take_keys(struct entry *entry, const SptOtlpAttribute *attribute)
{
	const SptOtlpList *list = attribute->value &&
						  attribute->value->value_case ==
							  SPT_OTLP_VALUE__VALUE_LIST ?
					  attribute->value->list :
					  NULL;

	if (!list || entry->keys || strcmp(attribute->key, SPAN_KEYS) != 0)
		return;
	entry->keys = g_ptr_array_new_with_free_func(g_free);
	for (size_t i = 0; i < list->n_values && i < SPAN_KEYS_MAX; i++)
		g_ptr_array_add(entry->keys, keep_text(entry, list->values[i]->text));
}

/* Programs have the keys beside the resource, as it is described, or in it. */
static void take_payload(struct entry *entry, const char *raw, size_t bytes)
{
	SptOtlpProcessContext *context =
		spt_otlp_process_context__unpack(NULL, bytes, (const uint8_t *)raw);

	clear_set(entry);
	if (!context)
		return;
	for (size_t i = 0; i < context->n_extra; i++)
		take_keys(entry, context->extra[i]);
	for (size_t i = 0; context->resource && i < context->resource->n_attributes; i++) {
		take_attribute(entry, context->resource->attributes[i]);
		take_keys(entry, context->resource->attributes[i]);
	}
	if (*entry->kept_bytes > KEPT_BYTES)
		clear_set(entry);
	spt_otlp_process_context__free_unpacked(context, NULL);
}

/*
 * What could not be read now may still be there: what was known is replaced by what was read, and
 * forgotten where nothing is published any more, as by a program that was executed since.
 */
static void look_at(SptPublished *published, struct entry *entry)
{
	size_t bytes = 0;
	g_autofree char *maps = spt_proc_files_read(published->files, entry->pid, "maps",
						    MAPS_BYTES, &bytes);
	char *at = maps;
	uint64_t address;
	unsigned i;

	for (i = 0; at && i < CONTEXTS_MAX && (address = next_context(&at)); i++) {
		size_t n = 0;
		g_autofree char *raw = read_payload(published, entry->pid, address, &n);

		if (!raw)
			continue;
		take_payload(entry, raw, n);
		return;
	}
	if (maps && i == 0 && bytes < MAPS_BYTES)
		clear_set(entry);
}

static struct entry *entry_of(SptPublished *published, const SptProcessRow *process)
{
	struct entry key = { .pid = process->pid, .start_time = process->start_time }, *entry;

	entry = g_hash_table_lookup(published->entries, &key);
	if (entry)
		return entry;
	entry = g_memdup2(&key, sizeof(key));
	entry->wait_ns = FIRST_WAIT_NS;
	entry->kept_bytes = &published->kept_bytes;
	g_hash_table_add(published->entries, entry);
	return entry;
}

/* Its place in the table is free again.  A profile is made of windows from before it began, too. */
static gboolean has_ended(gpointer data, G_GNUC_UNUSED gpointer value, gpointer window)
{
	const SptCapture *capture = window;
	struct entry *entry = data;
	bool was_there = entry->is_there;

	entry->is_there = false;
	return !was_there && entry->seen_ns <= capture->end_time;
}

void spt_published_look(SptPublished *published, const SptCapture *capture)
{
	uint64_t begin = spt_clock_ns(CLOCK_MONOTONIC), now = begin;
	unsigned looks = 0;

	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const SptProcessRow *process = &capture->processes[i];
		struct entry *entry;

		if (!process->pid || process->flags & SPT_PROCESS_KTHREAD)
			continue;
		entry = entry_of(published, process);
		entry->is_there = true;
		entry->seen_ns = MAX(entry->seen_ns, capture->end_time);
		if (process->end_time || now < entry->next_ns || looks == SPT_PUBLISHED_LOOKS ||
		    now > begin + WINDOW_NS)
			continue;
		looks++;
		look_at(published, entry);
		now = spt_clock_ns(CLOCK_MONOTONIC);
		entry->next_ns = now + (entry->set.n || entry->keys ? KNOWN_WAIT_NS :
								      entry->wait_ns);
		entry->wait_ns = MIN(2 * entry->wait_ns, LONGEST_WAIT_NS);
	}
	g_hash_table_foreach_remove(published->entries, has_ended, (gpointer)capture);
}

static const struct entry *find_entry(const SptPublished *published, const SptProcessRow *process)
{
	const struct entry key = { .pid = process->pid, .start_time = process->start_time };

	return g_hash_table_lookup(published->entries, &key);
}

const SptLabelSet *spt_published_find(const SptProcessRow *process, void *published)
{
	const struct entry *entry = find_entry(published, process);

	return entry && entry->set.n ? &entry->set : NULL;
}

const char *spt_published_find_key(const SptProcessRow *process, unsigned key, void *published)
{
	const struct entry *entry = find_entry(published, process);
	const char *name = entry && entry->keys && key < entry->keys->len ?
				   entry->keys->pdata[key] :
				   NULL;

	return name && *name ? name : NULL;
}

#endif
