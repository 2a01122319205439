/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of perf record.  Their records go the way of live perf events: through trace/perf/records.h
 * into tasks and address spaces, and samples into nodes.  Of several events that count one is
 * imported: the first clock, else the first that counts cycles, else the first.  Trace points
 * become declared events, with the fields that the file has the format of.
 */
#include <stddef.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/perf-capture.h"
#include "import/perf-waits.h"
#include "import/stacks.h"
#include "import/unpack.h"
#include "import/perf-data-fields.h"
#include "import/perf-data-file.h"
#include "trace/perf/raw.h"
#include "trace/perf/records.h"

/* Of headers that are younger than the oldest systems'. */
#define RECORD_LOST_SAMPLES	13
#define RECORD_SWITCH		14
#define RECORD_SWITCH_CPU_WIDE	15
#define RECORD_KERNEL_SYMBOL	17
#define KERNEL_SYMBOL_ENDS	(1 << 0)
#define RECORD_CALLCHAIN_LATER	22
#define MISC_FORK_MADE		(1 << 13)	/* perf made it; it is no copy of its parent */
#define MISC_MAP_OF_DATA	(1 << 13)
#define RECORD_AUXTRACE		71
#define PID_KERNEL		UINT32_MAX
#define KTHREADD		2
#define PATH_BYTES		4096
#define EXIT_DELAY_NS		2000000000ull
#define BUILD_ID_BYTES		20
/* Most bytes of a packed file, unpacked: it is in memory then. */
#define UNPACKED_BYTES		(1u << 30)

struct map_head {			/* PERF_RECORD_MMAP */
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, bytes, offset;
};

struct map2_part {			/* what PERF_RECORD_MMAP2 has behind it */
	uint8_t build_id_bytes, reserved[3], build_id[BUILD_ID_BYTES];
	uint32_t protection, flags;
};

struct symbol_head { /* PERF_RECORD_KSYMBOL; the name is behind it */
	struct perf_event_header header;
	uint64_t address;
	uint32_t bytes;
	uint16_t kind, flags;
};

struct task_head {			/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct perf_import {
	SptPerfData *data;
	SptImportPerfCapture *capture;
	SptPerfRecords *records;	/* NULL: the kernel's place is not known yet */
	SptImportPerfWaits *waits;	/* likewise */
	const struct spt_perf_data_event *event;	/* the one that is imported */
	bool is_clock, has_cpus, wants_build_ids;
	bool is_foreign;		/* registers are those of another kind of machine */
	uint64_t period_ns;		/* of a clock: its first sample's */
	uint64_t n_samples, n_skipped, n_later, n_auxiliary;
	uint64_t n_lost, n_lost_samples; /* by the rings' records, and as perf counted in the end */
	uint64_t last_time, next_flush;
	GByteArray *made;		/* the present record, in one layout */
	GArray *stack;			/* the present sample's, if its user part came later */
	GByteArray *map;
	GHashTable *kinds;		/* event -> id of its declared kind */
	SptDeclaredRow hit;		/* of a trace point */
	char texts[SPT_DECLARED_FIELDS][SPT_DECLARED_TEXT_BYTES];
	const char *wrong;		/* why it cannot go on; NULL: it can */
};

/* Events. */

static bool is_point(const struct spt_perf_data_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT;
}

static int rank_of_attr(const struct spt_perf_data_event *event)
{
	const uint64_t dummy = 9;

	if (event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == dummy)
		return -1;
	if (event->attr.type == PERF_TYPE_SOFTWARE &&
	    event->attr.config <= PERF_COUNT_SW_TASK_CLOCK)
		return 3;
	if (event->attr.type == PERF_TYPE_HARDWARE &&
	    (event->attr.config & UINT32_MAX) == PERF_COUNT_HW_CPU_CYCLES)
		return 2;
	return strstr(event->name, "cycles") ? 2 : is_point(event) ? 0 : 1;
}

/* The first of the highest rank; @sampled: only of these. */
static const struct spt_perf_data_event *highest_event(const SptPerfData *data, GHashTable *sampled)
{
	const struct spt_perf_data_event *event, *highest = NULL;

	for (unsigned i = 0; (event = spt_perf_data_events(data, i)); i++)
		if ((!sampled || g_hash_table_contains(sampled, event)) &&
		    (!highest || rank_of_attr(event) > rank_of_attr(highest)))
			highest = event;
	return highest;
}

/* A recording may have events that never came: those of CPUs on which nothing ran, for example. */
static void choose_event(struct perf_import *import)
{
	const char *arch = spt_perf_data_facts(import->data)->arch;
	const struct spt_perf_data_event *highest = highest_event(import->data, NULL), *event;

	for (unsigned i = 0; (event = spt_perf_data_events(import->data, i)); i++)
		import->wants_build_ids |= event->attr.build_id;
	if (spt_perf_data_events(import->data, 1)) {
		g_autoptr(GHashTable) sampled = spt_perf_data_sampled(import->data, highest);

		import->event = highest_event(import->data, sampled);
	}
	if (!import->event)
		import->event = highest;
	import->is_clock = rank_of_attr(import->event) == 3;
	import->is_foreign = arch && strcmp(arch, spt_perf_raw_machine()) != 0;
	import->has_cpus = import->event->attr.sample_type & PERF_SAMPLE_CPU;
}

/* The imported one, or the same of CPUs of another kind: they have a number in front of it. */
static bool is_imported_event(const struct perf_import *import,
			      const struct spt_perf_data_event *event)
{
	const struct perf_event_attr *one = &import->event->attr, *other = &event->attr;

	return event == import->event ||
	       (one->type == PERF_TYPE_HARDWARE && other->type == one->type &&
		other->config != one->config &&
		(uint32_t)other->config == (uint32_t)one->config && other->freq == one->freq &&
		other->sample_period == one->sample_period &&
		other->sample_type == one->sample_type);
}

static const char *event_name(const struct spt_perf_data_event *event)
{
	if (*event->name)
		return event->name;
	return event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == 0 ? "cpu-clock" :
	       event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == 1 ? "task-clock" :
	       event->attr.type == PERF_TYPE_HARDWARE && event->attr.config == 0 ? "cycles" :
										   "its first one";
}

/* Before the first record that is not about the kernel's place. */
static void begin_records(struct perf_import *import)
{
	const struct spt_perf_sink sink = spt_import_perf_capture_sink(import->capture);
	const struct spt_perf_who idle = { .time = 0 };

	choose_event(import);
	import->records = spt_perf_records_new(
		SPT_IMPORT_CPUS, UINT_MAX,
		spt_import_perf_capture_kernel(import->capture, import->data));
	spt_perf_records_expect_file(import->records);
	spt_perf_records_expect_raw(import->records);
	import->waits = spt_import_perf_waits_new(import->capture, import->data, import->records);
	spt_perf_tasks_seen(spt_perf_records_tasks(import->records), &idle, 0, 0, true, "swapper",
			    &sink);
}

/* Hands on a record in the one layout, if that is whole. */
static bool take_made(struct perf_import *import, const struct perf_event_header *made,
		      uint32_t cpu)
{
	const struct spt_perf_sink sink = spt_import_perf_capture_sink(import->capture);
	uint64_t time;

	if (!made || !spt_perf_record_time(made, &time) || cpu >= SPT_IMPORT_CPUS)
		return false;
	spt_perf_records_take(import->records, cpu, made, &sink);
	return true;
}

/* Samples. */

/* Perf finds the period of a frequency by itself, and begins with one that is far too short. */
static uint64_t first_period(const struct spt_perf_data_event *event, uint64_t period)
{
	uint64_t wanted = event->attr.freq && event->attr.sample_freq ?
				  1000000000 / event->attr.sample_freq :
				  0;

	return period < wanted / 2 ? wanted : period;
}

static uint64_t weight_of_period(struct perf_import *import, const struct spt_perf_fields *fields)
{
	uint64_t period = fields->period ? fields->period : import->event->attr.sample_period;

	if (!import->is_clock || !period)
		return 1;
	if (!import->period_ns)
		import->period_ns = MAX(first_period(import->event, period), 1);
	return MAX((period + import->period_ns / 2) / import->period_ns, 1);
}

/* The kind of a trace point, which is declared if it is new. */
static uint32_t declare_point(struct perf_import *import, const struct spt_perf_data_event *event,
			      const struct spt_perf_data_point *point)
{
	SptDeclarationRow row = {
		.id = g_hash_table_size(import->kinds) + 1,
		.shape = SPT_DECLARED_INSTANT,
		.name = point ? point->name : event_name(event),
		.n_fields = point ? point->format.n_fields : 0,
	};

	for (unsigned i = 0; i < row.n_fields; i++)
		row.fields[i] = point->format.fields[i].field;
	g_hash_table_insert(import->kinds, (gpointer)event, GUINT_TO_POINTER(row.id));
	spt_import_perf_capture_declare(import->capture, &row);
	return row.id;
}

/* The sample that comes next is a hit of a trace point. */
static void take_point(struct perf_import *import, const struct spt_perf_data_event *event,
		       const struct spt_perf_fields *fields)
{
	const struct spt_perf_data_point *point =
		spt_perf_data_point(import->data, event->attr.config);
	uint32_t kind = GPOINTER_TO_UINT(g_hash_table_lookup(import->kinds, event));

	import->hit.kind = kind ? kind : declare_point(import, event, point);
	for (unsigned i = 0; point && i < point->format.n_fields; i++)
		import->hit.values[i] =
			spt_point_format_value(&point->format.fields[i], fields->raw,
					       fields->raw ? fields->raw_bytes : 0,
					       import->texts[i]);
	spt_import_perf_capture_event(import->capture, &import->hit);
}

/* Puts the user part where the kernel has left a word to find it by. */
static void add_later_stack(struct perf_import *import, struct spt_perf_fields *fields)
{
	uint64_t n = fields->n_frames, n_user;
	const uint64_t *user;

	if (n < 2 || fields->frames[n - 2] != SPT_PERF_CONTEXT_LATER)
		return;
	user = spt_perf_data_later_stack(import->data, fields->frames[n - 1], &n_user);
	fields->n_frames = n - 2;
	if (!user) {
		import->n_later++;
		return;
	}
	g_array_set_size(import->stack, 0);
	g_array_append_vals(import->stack, fields->frames, (guint)(n - 2));
	g_array_append_vals(import->stack, user, (guint)n_user);
	fields->frames = (const uint64_t *)(void *)import->stack->data;
	fields->n_frames = import->stack->len;
}

/* A sample of the event that is imported, or of a trace point. */
static bool take_imported_sample(struct perf_import *import, const struct perf_event_header *record,
				 const struct spt_perf_data_event *event,
				 const struct spt_perf_fields *fields)
{
	spt_import_perf_capture_weigh(import->capture, weight_of_period(import, fields),
				      fields->stack_copied > 0);
	spt_import_perf_capture_event(import->capture, NULL);
	if (is_point(event))
		take_point(import, event, fields);
	return take_made(import,
			 spt_perf_fields_sample(record, &event->attr, fields, import->made),
			 import->has_cpus ? fields->cpu : 0);
}

/* What only waits have a use for the stack of: it is looked up as a sample's is. */
static bool take_stack_alone(struct perf_import *import, const struct perf_event_header *record,
			     const struct spt_perf_data_event *event,
			     const struct spt_perf_fields *fields)
{
	spt_import_perf_capture_weigh(import->capture, 0, false);
	spt_import_perf_capture_event(import->capture, NULL);
	return take_made(import,
			 spt_perf_fields_sample(record, &event->attr, fields, import->made),
			 import->has_cpus ? fields->cpu : 0);
}

static bool take_event_sample(struct perf_import *import, const struct perf_event_header *record,
			      const struct spt_perf_data_event *event)
{
	struct spt_perf_fields fields;
	bool is_imported = is_imported_event(import, event) || is_point(event),
	     is_switch = spt_import_perf_waits_is_switch(event);

	if (!spt_perf_fields_parse(record, &event->attr, &fields))
		return false;
	if (!is_imported && !is_switch) {
		import->n_skipped++;
		return true;
	}
	if (!(event->attr.sample_type & PERF_SAMPLE_TIME))
		fields.time = ++import->n_samples * SPT_CAPTURE_TIME_UNIT_NS;
	import->last_time = MAX(import->last_time, fields.time);
	add_later_stack(import, &fields);
	if (import->is_foreign)
		fields.registers_abi = PERF_SAMPLE_REGS_ABI_NONE;
	if (is_imported ? !take_imported_sample(import, record, event, &fields) :
			  !take_stack_alone(import, record, event, &fields))
		return false;
	if (is_switch && !spt_import_perf_waits_switch(import->waits, event, &fields))
		import->n_skipped += !is_imported;
	if (is_point(event) && event->attr.sample_type & PERF_SAMPLE_TIME)
		spt_import_perf_waits_hit(import->waits, event, &fields);
	return true;
}

/* State. */

/* The part of a record before the fields of sample_id_all, if it has at least @least bytes. */
static size_t own_bytes(const struct perf_event_header *record,
			const struct spt_perf_data_event *event, size_t least)
{
	size_t end = spt_perf_fields_end_bytes(&event->attr);

	return record->size >= least + end ? record->size - end : 0;
}

/* Perf gives what was there before the recording no time, and nothing may happen at 0. */
static uint64_t time_of_state(const struct spt_perf_fields *fields)
{
	return fields->time == UINT64_MAX ? 1 : MAX(fields->time, 1);
}

static bool take_state(struct perf_import *import, const struct perf_event_header *record,
		       const struct spt_perf_data_event *event)
{
	struct spt_perf_fields fields;
	size_t bytes = own_bytes(record, event, sizeof(*record) + 8);

	if (!bytes || !spt_perf_fields_parse_end(record, &event->attr, &fields))
		return false;
	fields.time = time_of_state(&fields);
	import->last_time = MAX(import->last_time, fields.time);
	return take_made(import,
			 spt_perf_fields_state(record, bytes, &fields, import->made), 0);
}

static bool take_switch(struct perf_import *import, const struct perf_event_header *record,
			const struct spt_perf_data_event *event)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	struct spt_perf_fields fields;
	size_t bytes = own_bytes(record, event, sizeof(*record));
	const struct perf_event_header *made;

	if (!bytes || !spt_perf_fields_parse_end(record, &event->attr, &fields))
		return false;
	if (!event->attr.sample_id_all || (event->attr.sample_type & needed) != needed)
		return true;
	import->last_time = MAX(import->last_time, fields.time);
	made = spt_perf_fields_state(record, bytes, &fields, import->made);
	if (made)
		spt_import_perf_waits_state(import->waits, made, fields.cpu);
	return true;
}

/* A record that perf made of a process that was there before. */
static void take_earlier_task(struct perf_import *import, const struct task_head *task)
{
	const struct spt_perf_sink sink = spt_import_perf_capture_sink(import->capture);
	const struct spt_perf_who who = { .pid = task->pid, .tid = task->tid };
	bool is_kthread = task->pid == KTHREADD || task->parent_pid == KTHREADD;

	spt_perf_tasks_seen(spt_perf_records_tasks(import->records), &who, task->parent_pid, 0,
			    is_kthread, "", &sink);
}

/* A fork or an exit, which waits need to know of, too. */
static bool take_living_task(struct perf_import *import, const struct perf_event_header *record,
			     const struct spt_perf_data_event *event)
{
	struct spt_perf_fields fields;

	if (!take_state(import, record, event) ||
	    !spt_perf_fields_parse_end(record, &event->attr, &fields))
		return false;
	if (record->type == PERF_RECORD_EXIT && event->attr.sample_type & PERF_SAMPLE_CPU)
		spt_import_perf_waits_ends(import->waits,
					   &(struct spt_perf_who){ fields.time, fields.cpu,
								   fields.pid, fields.tid });
	spt_import_perf_waits_state(import->waits, (const void *)import->made->data, 0);
	return true;
}

static bool take_data_task(struct perf_import *import, const struct perf_event_header *record,
		      const struct spt_perf_data_event *event)
{
	const struct task_head *task = (const void *)record;

	if (!own_bytes(record, event, sizeof(*task)))
		return false;
	if (record->type == PERF_RECORD_EXIT || (task->time && !(record->misc & MISC_FORK_MADE)))
		return take_living_task(import, record, event);
	take_earlier_task(import, task);
	return true;
}

/*
 * What MMAP2 has behind what MMAP has: before Linux 3.16 its path began where the protection came
 * later, of which no bit is that high.
 */
static size_t map2_part_bytes(const struct perf_event_header *record, size_t bytes)
{
	size_t at = sizeof(struct map_head) + offsetof(struct map2_part, protection);
	char first;

	if (record->type != PERF_RECORD_MMAP2)
		return 0;
	first = bytes > at ? ((const char *)record)[at] : '\0';
	return first == '/' || first == '[' ? offsetof(struct map2_part, protection) :
					      sizeof(struct map2_part);
}

/*
 * Whether a part that is said to have a build-id has one.  perf can put them into the records of
 * events that wanted none, and then all have the same length.
 */
static bool is_identified(const struct perf_import *import, const struct map2_part *part)
{
	static const uint8_t none[sizeof(part->reserved)];

	return import->wants_build_ids ||
	       (part->build_id_bytes == BUILD_ID_BYTES &&
		memcmp(part->reserved, none, sizeof(none)) == 0);
}

/*
 * A mapping as MMAP2 with a build-id, if the record or the file's list has one.  NULL: its path has
 * no end.
 */
static const struct perf_event_header *make_map(struct perf_import *import,
						const struct perf_event_header *record,
						size_t bytes)
{
	size_t part_bytes = map2_part_bytes(record, bytes);
	size_t path_at = sizeof(struct map_head) + part_bytes;
	const char *path = (const char *)record + path_at;
	struct map2_part part = { 0 };
	const uint8_t *build_id;
	unsigned id_bytes;
	struct perf_event_header *made;

	if (bytes <= path_at || !memchr(path, '\0', bytes - path_at) || strlen(path) >= PATH_BYTES)
		return NULL;
	memcpy(&part, (const uint8_t *)record + sizeof(struct map_head), part_bytes);
	build_id = spt_perf_data_build_id(import->data, path, &id_bytes);
	g_byte_array_set_size(import->map, 0);
	g_byte_array_append(import->map, (const uint8_t *)record, sizeof(struct map_head));
	made = (void *)import->map->data;
	made->type = PERF_RECORD_MMAP2;
	if (part_bytes < sizeof(part) || !is_identified(import, &part))
		made->misc &= (uint16_t)~SPT_PERF_MAP_HAS_BUILD_ID;
	if (build_id && !(made->misc & SPT_PERF_MAP_HAS_BUILD_ID)) {
		made->misc |= SPT_PERF_MAP_HAS_BUILD_ID;
		part.build_id_bytes = (uint8_t)id_bytes;
		memcpy(part.build_id, build_id, id_bytes);
	}
	g_byte_array_append(import->map, (const uint8_t *)&part, sizeof(part));
	g_byte_array_append(import->map, (const uint8_t *)path, (guint)strlen(path) + 1);
	g_byte_array_set_size(import->map, (import->map->len + 7) / 8 * 8);
	memset(import->map->data + sizeof(struct map_head) + sizeof(part) + strlen(path), 0,
	       import->map->len - sizeof(struct map_head) - sizeof(part) - strlen(path));
	made = (void *)import->map->data;
	made->size = (uint16_t)import->map->len;
	return made;
}

static bool take_data_map(struct perf_import *import, const struct perf_event_header *record,
		     const struct spt_perf_data_event *event)
{
	const struct perf_event_header *made;
	struct spt_perf_fields fields;
	const struct map_head *map;
	size_t bytes = own_bytes(record, event, sizeof(*map));

	if (!bytes || !spt_perf_fields_parse_end(record, &event->attr, &fields))
		return false;
	made = make_map(import, record, bytes);
	if (!made)
		return false;
	map = (const void *)made;
	if (map->pid == PID_KERNEL) {
		spt_import_perf_capture_kernel_map(
			import->capture, map->address, map->bytes, map->offset,
			(const char *)made + sizeof(*map) + sizeof(struct map2_part));
		return true;
	}
	if (record->misc & MISC_MAP_OF_DATA)
		return true;
	if (!import->records)
		begin_records(import);
	fields.time = time_of_state(&fields);
	return take_made(import, spt_perf_fields_state(made, made->size, &fields, import->made), 0);
}

/* The last of a lost record's own words, which is added to @sum. */
static bool take_lost_word(const struct perf_event_header *record, unsigned at, uint64_t *sum)
{
	const uint64_t *words = (const uint64_t *)(record + 1);

	if (record->size < sizeof(*record) + 8 * ((size_t)at + 1))
		return false;
	*sum += words[at];
	return true;
}

static bool take_lost(struct perf_import *import, const struct perf_event_header *record)
{
	uint64_t before = import->n_lost;

	if (!take_lost_word(record, 1, &import->n_lost))
		return false;
	spt_import_perf_waits_gap(import->waits);
	spt_import_perf_capture_lost(import->capture, import->last_time, import->n_lost - before);
	return true;
}

static bool take_kernel_symbol(struct perf_import *import, const struct perf_event_header *record,
			       const struct spt_perf_data_event *event)
{
	const struct symbol_head *symbol = (const void *)record;
	const char *name = (const char *)(symbol + 1);
	size_t bytes = own_bytes(record, event, sizeof(*symbol) + 1);

	if (!bytes || !memchr(name, '\0', bytes - sizeof(*symbol)))
		return false;
	if (*name && !(symbol->flags & KERNEL_SYMBOL_ENDS))
		spt_import_perf_capture_symbol(import->capture, symbol->address, symbol->bytes,
					       name);
	return true;
}

static bool take_by_type(struct perf_import *import, const struct perf_event_header *record,
			 const struct spt_perf_data_event *event)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_data_map(import, record, event);
	case RECORD_CALLCHAIN_LATER:
		return true;
	case RECORD_KERNEL_SYMBOL:
		return take_kernel_symbol(import, record, event);
	case PERF_RECORD_LOST:
		return take_lost(import, record);
	case RECORD_LOST_SAMPLES:
		return take_lost_word(record, 0, &import->n_lost_samples);
	}
	if (!import->records)
		begin_records(import);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return take_event_sample(import, record, event);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return take_data_task(import, record, event);
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		return take_switch(import, record, event);
	case PERF_RECORD_COMM:
		return take_state(import, record, event);
	case PERF_RECORD_THROTTLE:
		spt_import_perf_waits_gap(import->waits);
		return true;
	default:
		return true;
	}
}

/* Exited tasks go on for a while, and what they had is not needed for ever. */
static void let_go_of_ended(struct perf_import *import)
{
	const struct spt_perf_sink sink = spt_import_perf_capture_sink(import->capture);

	if (!import->records || import->last_time < import->next_flush)
		return;
	import->next_flush = import->last_time + EXIT_DELAY_NS / 4;
	if (import->last_time > EXIT_DELAY_NS)
		spt_perf_tasks_flush_exits(spt_perf_records_tasks(import->records),
					   import->last_time - EXIT_DELAY_NS, &sink);
	spt_import_perf_capture_let_go(import->capture);
}

static bool take_data_record(const struct perf_event_header *record,
		      const struct spt_perf_data_event *event, void *data)
{
	struct perf_import *import = data;

	if (!take_by_type(import, record, event))
		import->wrong = SPT_WORDS("one of its records is damaged");
	else
		import->wrong = spt_import_perf_waits_has_excess(import->waits) ?
					SPT_WORDS("it is too large") :
					spt_import_perf_capture_excess(import->capture);
	let_go_of_ended(import);
	return !import->wrong;
}

static void count_unread_record(unsigned type, void *data)
{
	struct perf_import *import = data;

	import->n_auxiliary += type == RECORD_AUXTRACE;
}

static void note_unread(const struct perf_import *import, GString *note)
{
	if (import->n_skipped)
		g_string_append_printf(note,
				       "of several events only %s was imported; "
				       "%" G_GUINT64_FORMAT " samples of others were skipped",
				       event_name(import->event), import->n_skipped);
	spt_import_note_count(note, import->n_later, "user stacks that were to come later never did");
	spt_import_note_count(note, import->n_auxiliary, "parts of a hardware trace were not read");
}

static bool finish_perf_data(struct perf_import *import, GError **error)
{
	g_autoptr(GString) note = g_string_new(NULL);

	if (!spt_import_perf_capture_samples(import->capture) &&
	    !spt_import_perf_capture_events(import->capture)) {
		spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "%s",
			      spt_words(SPT_WORDS("it has no samples")));
		return false;
	}
	note_unread(import, note);
	/* Each is in the records of its ring, too, but for those that were followed by none. */
	if (import->n_lost_samples > import->n_lost)
		spt_import_perf_capture_lost(import->capture, import->last_time,
					     import->n_lost_samples - import->n_lost);
	if (import->waits)
		spt_import_perf_waits_finish(import->waits, import->last_time, note);
	return spt_import_perf_capture_finish(import->capture, import->data, import->records,
					      event_name(import->event), import->period_ns, note,
					      error);
}

/* *@ret_unpacked outlives it, if there is one. */
static SptPerfData *open_perf_data(int fd, GByteArray **ret_unpacked, GError **error)
{
	bool is_packed;
	char first;

	spt_import_unpack_begin(fd, &first, 1, &is_packed);
	if (!is_packed)
		return spt_perf_data_open(fd, error);
	*ret_unpacked = spt_import_unpack(fd, UNPACKED_BYTES, error);
	return *ret_unpacked ?
		       spt_perf_data_new((*ret_unpacked)->data, (*ret_unpacked)->len, error) :
		       NULL;
}

static bool read_perf_data(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(GByteArray) unpacked = NULL;
	struct perf_import import = { .data = open_perf_data(input->fd, &unpacked, error) };
	const struct spt_perf_data_sink sink = { take_data_record, count_unread_record, &import };
	bool ok;

	if (!import.data)
		return false;
	import.capture = spt_import_perf_capture_new(writer, input->questions);
	import.made = g_byte_array_new();
	import.stack = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	import.map = g_byte_array_new();
	import.kinds = g_hash_table_new(NULL, NULL);
	ok = spt_perf_data_read(import.data, &sink, error);
	if (ok && import.wrong)
		ok = spt_import_perf_capture_refuse(import.capture, import.wrong, error);
	ok = ok && finish_perf_data(&import, error);
	spt_import_perf_waits_free(import.waits);
	spt_perf_records_free(import.records);
	spt_import_perf_capture_free(import.capture);
	g_byte_array_unref(import.made);
	g_array_unref(import.stack);
	g_byte_array_unref(import.map);
	g_hash_table_unref(import.kinds);
	spt_perf_data_free(import.data);
	return ok;
}

static bool probe_perf_data(const char *begin, size_t bytes)
{
	return spt_perf_data_is(begin, bytes);
}

const SptImporter spt_import_perf_data = {
	.name = "perf-data",
	.probe = probe_perf_data,
	.read = read_perf_data,
	.unpacks = true,
};
