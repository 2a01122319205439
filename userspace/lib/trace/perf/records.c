/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function for each type of perf record. */
#include "trace/perf/records.h"

#include <string.h>

#include "trace/perf/raw.h"

struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time, n;
	uint64_t frames[];
};

/* The fields that sample_id_all adds to records that are no samples. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

struct task_record {			/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct map_record {			/* PERF_RECORD_MMAP2 */
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, bytes, offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
};

struct SptPerfRecords {
	SptPerfTasks *tasks;
	SptPerfObjects *objects;
	SptKallsyms *kallsyms;
	unsigned n_cpus, max_frames;
	bool has_raw;
	bool is_of_file;		/* no clock ticks here, and files are not opened */
	struct spt_perf_clock *clocks;	/* by CPU */
	GByteArray *buffer;		/* for the sample being made */
};

SptPerfRecords *spt_perf_records_new(unsigned n_cpus, unsigned max_frames, SptKallsyms *kallsyms)
{
	SptPerfRecords *records = g_new0(SptPerfRecords, 1);

	records->tasks = spt_perf_tasks_new();
	records->objects = spt_perf_objects_new();
	records->kallsyms = kallsyms;
	records->n_cpus = n_cpus;
	records->max_frames = max_frames;
	records->clocks = g_new0(struct spt_perf_clock, n_cpus);
	records->buffer = g_byte_array_new();
	return records;
}

SptKallsyms *spt_perf_records_kallsyms(const SptPerfRecords *records)
{
	return records->kallsyms;
}

void spt_perf_records_free(SptPerfRecords *records)
{
	if (!records)
		return;
	spt_perf_tasks_free(records->tasks);
	spt_perf_objects_free(records->objects);
	g_byte_array_unref(records->buffer);
	g_free(records->clocks);
	g_free(records);
}

void spt_perf_records_expect_raw(SptPerfRecords *records)
{
	records->has_raw = true;
}

void spt_perf_records_expect_file(SptPerfRecords *records)
{
	records->is_of_file = true;
	spt_perf_objects_close(records->objects);
}

struct spt_perf_clock *spt_perf_records_clock(SptPerfRecords *records, unsigned cpu)
{
	return &records->clocks[cpu];
}

SptPerfTasks *spt_perf_records_tasks(SptPerfRecords *records)
{
	return records->tasks;
}

SptPerfObjects *spt_perf_records_objects(SptPerfRecords *records)
{
	return records->objects;
}

/* The least size of a record's own part; 0 for those that are not used. */
static size_t records_least_bytes(unsigned type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
		return sizeof(struct sample);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return sizeof(struct task_record);
	case PERF_RECORD_COMM:
		return sizeof(struct comm_record) + 8;
	case PERF_RECORD_MMAP2:
		return sizeof(struct map_record) + 8;
	case PERF_RECORD_LOST:
		return sizeof(struct lost_record);
	case PERF_RECORD_SWITCH:
		return sizeof(struct perf_event_header);
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_KSYMBOL:
		return sizeof(struct perf_event_header) + 8;
	default:
		return 0;
	}
}

static const struct sample_id *sample_id(const struct perf_event_header *header)
{
	return (const void *)((const uint8_t *)header + header->size - sizeof(struct sample_id));
}

/* Text of a record, up to its sample_id: ends within it. */
static bool has_end(const struct perf_event_header *header, const char *text)
{
	return memchr(text, '\0', (const char *)sample_id(header) - text);
}

bool spt_perf_record_time(const struct perf_event_header *header, uint64_t *ret_time)
{
	const struct sample *sample = (const void *)header;
	size_t bytes = records_least_bytes(header->type);

	*ret_time = 0;
	if (!bytes)
		return true;
	if (header->type == PERF_RECORD_SAMPLE) {
		if (header->size < bytes || sample->n > (header->size - bytes) / 8)
			return false;
		*ret_time = sample->time;
		return true;
	}
	if (header->size < bytes + sizeof(struct sample_id))
		return false;
	*ret_time = sample_id(header)->time;
	if (header->type == PERF_RECORD_COMM)
		return has_end(header, ((const struct comm_record *)header)->name);
	if (header->type == PERF_RECORD_MMAP2)
		return has_end(header, ((const struct map_record *)header)->path);
	return true;
}

struct sample_with_id {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time, n;
	uint64_t frames[];
};

bool spt_perf_record_time_with_id(const struct perf_event_header *header, uint64_t *ret_time)
{
	const struct sample_with_id *sample = (const void *)header;

	*ret_time = 0;
	if (header->type == PERF_RECORD_SAMPLE) {
		if (header->size < sizeof(*sample) ||
		    sample->n > (header->size - sizeof(*sample)) / 8)
			return false;
		*ret_time = sample->time;
	} else if (header->type == PERF_RECORD_LOST) {
		if (header->size < sizeof(struct lost_record) + sizeof(struct sample_id) + 8)
			return false;
		/* Behind it there is the id. */
		memcpy(ret_time, (const uint8_t *)header + header->size - 16, sizeof(*ret_time));
	}
	return true;
}

uint64_t spt_perf_sample_id(const struct perf_event_header *header)
{
	return ((const struct sample_with_id *)header)->id;
}

void spt_perf_sample_without_id(const struct perf_event_header *header, GByteArray *to)
{
	struct perf_event_header without = *header;
	size_t rest = offsetof(struct sample_with_id, pid);

	without.size -= (uint16_t)sizeof(((struct sample_with_id *)NULL)->id);
	g_byte_array_set_size(to, 0);
	g_byte_array_append(to, (const uint8_t *)&without, sizeof(without));
	g_byte_array_append(to, (const uint8_t *)header + rest, (guint)(header->size - rest));
}

uint64_t spt_perf_record_lost(const struct perf_event_header *header)
{
	return ((const struct lost_record *)header)->n;
}

/* Samples. */

/*
 * Sorts the frames of @from into kernel and user part of @to, by the markers between them.  The
 * user part comes last: a marker in it is a value from the program's stack.
 */
static void split_stack(SptPerfRecords *records, const struct sample *from,
			struct sysprof_sample *to)
{
	uint64_t context = 0, i = 0, begin;
	unsigned n = 0;

	while (i < from->n && context != PERF_CONTEXT_USER) {
		for (begin = i; i < from->n && from->frames[i] < PERF_CONTEXT_MAX; i++)
			;
		if (context == PERF_CONTEXT_KERNEL)
			n = spt_kallsyms_frames(records->kallsyms, &from->frames[begin],
						(unsigned)(i - begin), to->frames, n);
		if (i < from->n)
			context = from->frames[i++];
	}
	to->n_kernel = n;
	to->n_user = from->n - i;
	memcpy(&to->frames[n], &from->frames[i], to->n_user * sizeof(*to->frames));
	to->user_mode = to->n_user ? SYSPROF_USER_FP : SYSPROF_USER_NONE;
	if (n + to->n_user >= records->max_frames)
		*(to->n_user ? &to->user_end : &to->kernel_end) = SYSPROF_END_LIMIT;
}

static void put_loss(const struct spt_perf_loss *loss, const struct spt_perf_who *who,
		     const struct spt_perf_sink *sink)
{
	struct spt_perf_who nobody = { .time = who->time, .cpu = who->cpu };
	struct sysprof_lost lost = {
		.record = spt_perf_record(SYSPROF_LOST, 0, sizeof(lost), &nobody),
		.first_time = loss->first_time,
		.last_time = loss->last_time,
		.periods = loss->periods,
		.reason = loss->reason,
	};

	if (loss->periods)
		sink->func(&lost.record, sink->data);
}

/*
 * Puts registers and stack, which are at @raw, behind the frames of the sample in records->buffer,
 * which may move.
 */
static void append_raw(SptPerfRecords *records, const struct sample *from, const uint64_t *raw)
{
	struct sysprof_sample *to = (void *)records->buffer->data;
	uint32_t bytes;

	g_byte_array_set_size(records->buffer,
			      sizeof(*to) + ((size_t)to->n_kernel + to->n_user) * 8);
	bytes = spt_perf_raw_take(raw, (const char *)from + from->header.size - (const char *)raw,
				  records->buffer);
	to = (void *)records->buffer->data;
	to->raw_bytes = bytes;
	if (bytes)
		to->user_mode = SYSPROF_USER_RAW;
}

/*
 * Converts @from to a sample of the device; registers and stack are at @raw, NULL: there are none.
 */
static struct sysprof_sample *make_sample(SptPerfRecords *records, const struct sample *from,
					  const struct spt_perf_who *who, const uint64_t *raw,
					  const struct spt_perf_sink *sink)
{
	const struct spt_perf_process *process = spt_perf_tasks_get(records->tasks, who, sink);
	unsigned flags =
		SYSPROF_SAMPLE_KERNEL_EXACT | SYSPROF_SAMPLE_USER_EXACT | SYSPROF_SAMPLE_ADDRESSES;
	struct sysprof_sample *to;

	if (process->is_32bit)
		flags |= SYSPROF_SAMPLE_USER_32BIT;
	if (records->buffer->len < sizeof(*to) + from->n * 8)
		g_byte_array_set_size(records->buffer, sizeof(*to) + from->n * 8);
	to = (void *)records->buffer->data;
	*to = (struct sysprof_sample){ .mm = process->mm, .weight = 1 };
	split_stack(records, from, to);
	if (raw && (const char *)raw < (const char *)from + from->header.size)
		append_raw(records, from, raw);
	to = (void *)records->buffer->data;
	to->record = spt_perf_record(SYSPROF_SAMPLE, flags,
				     sizeof(*to) + ((size_t)to->n_kernel + to->n_user) * 8 +
					     to->raw_bytes,
				     who);
	return to;
}

static void records_take_sample(SptPerfRecords *records, unsigned cpu, const struct sample *from,
				const struct spt_perf_sink *sink)
{
	struct spt_perf_who who = {
		.time = from->time, .cpu = cpu, .pid = from->pid, .tid = from->tid
	};
	struct spt_perf_loss loss = { .weight = 1 };
	struct sysprof_sample *to;

	if (!records->is_of_file)
		loss = spt_perf_clock_tick(&records->clocks[cpu], from->time);

	/* Before the loss. */
	if (loss.periods)
		spt_perf_tasks_get(records->tasks, &who, sink);
	put_loss(&loss, &who, sink);
	to = make_sample(records, from, &who, records->has_raw ? from->frames + from->n : NULL,
			 sink);
	to->weight = loss.weight;
	sink->func(&to->record, sink->data);
}

struct spt_perf_who spt_perf_sample_who(const void *from, unsigned cpu)
{
	const struct sample *sample = from;

	return (struct spt_perf_who){
		.time = sample->time, .cpu = cpu, .pid = sample->pid, .tid = sample->tid
	};
}

const uint8_t *spt_perf_sample_raw(const struct perf_event_header *header, size_t *ret_bytes)
{
	const struct sample *sample = (const void *)header;
	const uint8_t *raw = (const uint8_t *)(sample->frames + sample->n);
	size_t left = (const uint8_t *)header + header->size - raw;
	uint32_t bytes = 0;

	if (left >= sizeof(bytes))
		memcpy(&bytes, raw, sizeof(bytes));
	*ret_bytes = bytes;
	return left >= sizeof(bytes) && bytes <= left - sizeof(bytes) ? raw + sizeof(bytes) : NULL;
}

const struct sysprof_sample *spt_perf_records_stack(SptPerfRecords *records,
						    const struct perf_event_header *header,
						    const struct spt_perf_who *who,
						    const struct spt_perf_sink *sink)
{
	size_t bytes;
	const uint8_t *raw = spt_perf_sample_raw(header, &bytes);

	return make_sample(records, (const void *)header, who,
			   raw ? (const uint64_t *)(raw + bytes) : NULL, sink);
}

unsigned spt_perf_records_n_cpus(const SptPerfRecords *records)
{
	return records->n_cpus;
}

/* It is not known which of the lost records were samples: the state is requested in any case. */
static void take_lost(SptPerfRecords *records, unsigned cpu, const struct lost_record *lost,
		      const struct spt_perf_sink *sink)
{
	struct spt_perf_who nobody = { .time = sample_id(&lost->header)->time, .cpu = cpu };
	struct sysprof_record resync = spt_perf_record(SYSPROF_RESYNC, 0, sizeof(resync), &nobody);

	spt_perf_clock_lost(&records->clocks[cpu], lost->n);
	spt_perf_tasks_lose_maps(records->tasks);
	sink->func(&resync, sink->data);
}

/* State. */

static void put_region(const struct spt_perf_process *process, const struct spt_perf_who *who,
		       const struct sysprof_map *map, const struct spt_perf_sink *sink)
{
	struct sysprof_region region = {
		.record = spt_perf_record(SYSPROF_REGION, 0, sizeof(region), who),
		.mm = process->mm,
		.bytes = map->end - map->start,
		.object = map->object,
	};

	sink->func(&region.record, sink->data);
}

void spt_perf_records_map(SptPerfRecords *records, struct spt_perf_process *process,
			  const struct spt_perf_who *who, const struct spt_perf_file *file,
			  uint64_t offset, const struct spt_perf_sink *sink)
{
	g_autofree struct sysprof_object *object = NULL;
	struct sysprof_map map = {
		.record = spt_perf_record(SYSPROF_MAP, process->is_fresh ? SYSPROF_MAP_FRESH : 0,
					  sizeof(map), who),
		.mm = process->mm,
		.start = file->start,
		.end = file->end,
		.offset = offset,
		.object = spt_perf_objects_get(records->objects, file, &object),
	};
	bool is_new_region = false;

	if (map.object == SYSPROF_OBJECT_ANON) {
		map.object = spt_perf_objects_region(records->objects, process->mm, file->start,
						     &offset, &is_new_region);
		map.offset = offset;
	}
	process->is_fresh = false;
	if (map.object == SYSPROF_OBJECT_VDSO)
		process->is_32bit = file->end <= UINT32_MAX;
	/* Before its mapping: by then it is known that this is no file. */
	if (is_new_region)
		put_region(process, who, &map, sink);
	sink->func(&map.record, sink->data);
	if (!object)
		return;
	object->record.cpu = who->cpu;
	object->record.time = who->time;
	sink->func(&object->record, sink->data);
}

/* Where a record says the file's build-id, that is in the place of device and inode. */
static struct spt_perf_file identified_file(const struct map_record *map)
{
	const struct {
		uint8_t bytes, reserved[3], id[20];
	} *said = (const void *)&map->dev_major;

	G_STATIC_ASSERT(sizeof(*said) == offsetof(struct map_record, protection) -
						 offsetof(struct map_record, dev_major));
	return (struct spt_perf_file){
		.build_id = said->id,
		.build_id_bytes = MIN(said->bytes, sizeof(said->id)),
		.has_generation = true,
		.path = map->path,
		.pid = map->pid,
		.start = map->address,
		.end = map->address + map->bytes,
	};
}

/* Ours never want build-ids. */
static struct spt_perf_file mapped_file(const SptPerfRecords *records, const struct map_record *map)
{
	if (records->is_of_file && map->header.misc & SPT_PERF_MAP_HAS_BUILD_ID)
		return identified_file(map);
	return (struct spt_perf_file){
		.dev_major = map->dev_major,
		.dev_minor = map->dev_minor,
		.inode = map->inode,
		.generation = map->generation,
		.has_generation = true,
		.path = map->path,
		.pid = map->pid,
		.start = map->address,
		.end = map->address + map->bytes,
	};
}

void spt_perf_records_look(SptPerfRecords *records, const struct perf_event_header *header)
{
	struct spt_perf_file file;

	if (header->type != PERF_RECORD_MMAP2)
		return;
	file = mapped_file(records, (const struct map_record *)header);
	spt_perf_objects_look(records->objects, &file);
}

static void take_map(SptPerfRecords *records, unsigned cpu, const struct map_record *map,
		     const struct spt_perf_sink *sink)
{
	struct spt_perf_who who = { sample_id(&map->header)->time, cpu, map->pid, map->tid };
	struct spt_perf_file file = mapped_file(records, map);

	if (file.end > file.start)
		spt_perf_records_map(records, spt_perf_tasks_get(records->tasks, &who, sink), &who,
				     &file, map->offset, sink);
}

static void take_comm(SptPerfRecords *records, unsigned cpu, const struct comm_record *comm,
		      const struct spt_perf_sink *sink)
{
	struct spt_perf_who who = { sample_id(&comm->header)->time, cpu, comm->pid, comm->tid };

	if (comm->header.misc & PERF_RECORD_MISC_COMM_EXEC)
		spt_perf_tasks_exec(records->tasks, &who, comm->name, sink);
	else
		spt_perf_tasks_rename(records->tasks, &who, comm->name, sink);
}

void spt_perf_records_take(SptPerfRecords *records, unsigned cpu,
			   const struct perf_event_header *header, const struct spt_perf_sink *sink)
{
	const struct task_record *task = (const void *)header;
	struct spt_perf_who who;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		records_take_sample(records, cpu, (const struct sample *)header, sink);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		who = (struct spt_perf_who){ sample_id(header)->time, cpu, task->pid, task->tid };
		if (header->type == PERF_RECORD_FORK)
			spt_perf_tasks_fork(records->tasks, &who, task->parent_pid,
					    task->parent_tid, sink);
		else
			spt_perf_tasks_exit(records->tasks, &who);
		break;
	case PERF_RECORD_COMM:
		take_comm(records, cpu, (const struct comm_record *)header, sink);
		break;
	case PERF_RECORD_MMAP2:
		take_map(records, cpu, (const struct map_record *)header, sink);
		break;
	case PERF_RECORD_LOST:
		take_lost(records, cpu, (const struct lost_record *)header, sink);
		break;
	case PERF_RECORD_UNTHROTTLE:
		spt_perf_clock_unthrottled(&records->clocks[cpu]);
		break;
	case PERF_RECORD_KSYMBOL:
		spt_kallsyms_set_stale(records->kallsyms);
		break;
	}
}
