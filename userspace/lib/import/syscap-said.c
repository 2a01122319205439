/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds have the numbers and fields that recordings give them. */
#include "import/syscap-said.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "formats/syscap.h"
#include "record/said.h"

struct SptSyscapSaid {
	SptImportStacks *stacks;
	SptCaptureWriter *writer;
	uint64_t begin_ns;
	bool has_mark, has_log;
	GHashTable *counters;		/* number in the file -> struct known_counter */
	GHashTable *names;		/* name -> number of the kind */
};

struct known_counter {
	uint32_t kind;
	bool is_double;
};

SptSyscapSaid *spt_syscap_said_new(SptImportStacks *stacks, SptCaptureWriter *writer,
				   uint64_t begin_ns)
{
	SptSyscapSaid *said = g_new0(SptSyscapSaid, 1);

	said->stacks = stacks;
	said->writer = writer;
	said->begin_ns = begin_ns;
	said->counters = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	said->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return said;
}

void spt_syscap_said_free(SptSyscapSaid *said)
{
	if (!said)
		return;
	g_hash_table_unref(said->counters);
	g_hash_table_unref(said->names);
	g_free(said);
}

/* A text of at most @bytes that need not end. */
static char *said_copy_text(const char *text, size_t bytes)
{
	return g_strndup(text, strnlen(text, bytes));
}

static void declare_said(SptSyscapSaid *said, bool *is_declared, const SptDeclarationRow *kind)
{
	if (!*is_declared)
		spt_capture_writer_put(said->writer, SPT_ROW_DECLARATION, kind);
	*is_declared = true;
}

static uint64_t said_time_of(const SptSyscapSaid *said, int64_t time)
{
	return (uint64_t)MAX(time, 0) - MIN((uint64_t)MAX(time, 0), said->begin_ns);
}

/* GTK has marks that begin with the machine: they count from the begin of the capture on. */
static const char *take_said_mark(SptSyscapSaid *said, int64_t time, uint32_t thread,
			     const uint8_t *data, size_t bytes)
{
	struct syscap_mark mark;
	g_autofree char *group = NULL, *name = NULL, *message = NULL;
	uint64_t end;

	if (bytes < sizeof(mark))
		return SPT_WORDS("is cut off");
	memcpy(&mark, data, sizeof(mark));
	group = said_copy_text(mark.group, sizeof(mark.group));
	name = said_copy_text(mark.name, sizeof(mark.name));
	message = said_copy_text((const char *)data + sizeof(mark), bytes - sizeof(mark));
	end = (uint64_t)MAX(time, 0) + (uint64_t)CLAMP(mark.duration_ns, 0, INT64_MAX / 2);
	end -= MIN(end, said->begin_ns);
	declare_said(said, &said->has_mark, &spt_said_mark_kind);
	spt_import_stacks_event(said->stacks,
				&(SptDeclaredRow){
					.time = said_time_of(said, time),
					.duration_ns = end - said_time_of(said, time),
					.kind = spt_said_mark_kind.id,
					.thread = thread,
					.values = { { .text = name },
						    { .text = group },
						    { .text = message } },
				});
	return spt_import_stacks_excess(said->stacks);
}

static const char *take_said_line(SptSyscapSaid *said, int64_t time, uint32_t thread,
			     const uint8_t *data, size_t bytes)
{
	struct syscap_line line;
	g_autofree char *domain = NULL, *text = NULL;

	if (bytes < sizeof(line))
		return SPT_WORDS("is cut off");
	memcpy(&line, data, sizeof(line));
	domain = said_copy_text(line.domain, sizeof(line.domain));
	text = said_copy_text((const char *)data + sizeof(line), bytes - sizeof(line));
	if (!*text)
		return NULL;
	declare_said(said, &said->has_log, &spt_said_log_kind);
	spt_import_stacks_event(
		said->stacks,
		&(SptDeclaredRow){
			.time = said_time_of(said, time),
			.kind = spt_said_log_kind.id,
			.thread = thread,
			.values = { { .text = text },
				    { .number = spt_said_severity(line.level) },
				    { .text = domain } },
		});
	return spt_import_stacks_excess(said->stacks);
}

/* Counters of the same name in several processes are one kind, as in a recording. */
static uint32_t said_counter_kind(SptSyscapSaid *said, const char *name)
{
	uint32_t kind = GPOINTER_TO_UINT(g_hash_table_lookup(said->names, name));
	SptDeclarationRow row = {
		.shape = SPT_DECLARED_COUNTER,
		.name = name,
		.n_fields = 1,
		.fields = { { "value", "", SPT_VALUE_F64 } },
	};

	if (kind || !*name || g_hash_table_size(said->names) >= SPT_SAID_COUNTERS)
		return kind;
	kind = row.id = SPT_SAID_FIRST_COUNTER + g_hash_table_size(said->names);
	g_hash_table_insert(said->names, g_strdup(name), GUINT_TO_POINTER(kind));
	spt_capture_writer_put(said->writer, SPT_ROW_DECLARATION, &row);
	return kind;
}

static void define_said_counter(SptSyscapSaid *said, const struct syscap_counter *counter)
{
	g_autofree char *category = said_copy_text(counter->category, sizeof(counter->category)),
			*own = said_copy_text(counter->name, sizeof(counter->name)),
			*name = *category && strcmp(category, SYSCAP_OWN_COUNTERS) != 0 ?
					g_strdup_printf("%s: %s", category, own) :
					g_strdup(own);
	struct known_counter known = { .kind = said_counter_kind(said, name),
				       .is_double = counter->id_and_type >> 24 };

	if (known.kind && g_hash_table_size(said->counters) < 2 * SPT_SAID_COUNTERS)
		g_hash_table_insert(said->counters,
				    GUINT_TO_POINTER(counter->id_and_type & 0xffffff),
				    g_memdup2(&known, sizeof(known)));
}

static void take_said_value(SptSyscapSaid *said, int64_t time, uint32_t thread, uint32_t id,
		       double real)
{
	const struct known_counter *known =
		g_hash_table_lookup(said->counters, GUINT_TO_POINTER(id & 0xffffff));
	int64_t whole;

	memcpy(&whole, &real, sizeof(whole));
	real = known && !known->is_double ? (double)whole : real;
	if (known && isfinite(real))
		spt_import_stacks_event(said->stacks,
					&(SptDeclaredRow){ .time = said_time_of(said, time),
							   .kind = known->kind,
							   .thread = thread,
							   .values = { { .real = real } } });
}

/* Both frames begin with a number of elements, in eight bytes. */
static const char *take_said_counters(SptSyscapSaid *said, unsigned type, int64_t time,
				      uint32_t thread,
				 const uint8_t *data, size_t bytes)
{
	uint16_t n = 0;
	size_t each = type == SYSCAP_COUNTERS ? sizeof(struct syscap_counter) :
						sizeof(struct syscap_value);

	if (bytes >= sizeof(uint64_t))
		memcpy(&n, data, sizeof(n));
	if (sizeof(uint64_t) + n * each > MAX(bytes, sizeof(uint64_t)))
		return SPT_WORDS("is cut off");
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *at = data + sizeof(uint64_t) + i * each;
		struct syscap_counter counter;
		struct syscap_value values;

		if (type == SYSCAP_COUNTERS) {
			memcpy(&counter, at, sizeof(counter));
			define_said_counter(said, &counter);
			continue;
		}
		memcpy(&values, at, sizeof(values));
		for (unsigned k = 0; k < G_N_ELEMENTS(values.ids) && values.ids[k]; k++)
			take_said_value(said, time, thread, values.ids[k], values.values[k]);
	}
	return spt_import_stacks_excess(said->stacks);
}

bool spt_syscap_said_is(unsigned type)
{
	return type == SYSCAP_MARK || type == SYSCAP_LINE || type == SYSCAP_COUNTERS ||
	       type == SYSCAP_VALUES;
}

const char *spt_syscap_said_take(SptSyscapSaid *said, unsigned type, int64_t time, uint32_t thread,
				 const uint8_t *data, size_t bytes)
{
	if (type == SYSCAP_MARK)
		return take_said_mark(said, time, thread, data, bytes);
	if (type == SYSCAP_LINE)
		return take_said_line(said, time, thread, data, bytes);
	if (type == SYSCAP_COUNTERS || type == SYSCAP_VALUES)
		return take_said_counters(said, type, time, thread, data, bytes);
	return NULL;
}
