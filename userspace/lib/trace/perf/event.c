/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/event.h"

#include <string.h>

/* It stays as large as it was needed once: an event's size is in its header. */
static struct sysprof_event *event_with_room(GByteArray *made, size_t bytes)
{
	if (made->len < bytes)
		g_byte_array_set_size(made, (guint)bytes);
	return (void *)made->data;
}

static void event_append(GByteArray *made, const void *words, unsigned n)
{
	struct sysprof_event *event = (void *)made->data;
	unsigned at = event->record.size;

	event = event_with_room(made, ((size_t)at + n) * 8);
	memcpy((uint64_t *)(void *)event + at, words, n * (size_t)8);
	event->record.size += n;
}

struct sysprof_event *spt_perf_event_begin(GByteArray *made, SptPerfRecords *records,
					   const struct spt_perf_who *who,
					   const struct perf_event_header *stack,
					   const struct spt_perf_sink *sink)
{
	const struct sysprof_sample *sample =
		stack ? spt_perf_records_stack(records, stack, who, sink) : NULL;
	struct sysprof_event *event = event_with_room(made, sizeof(*event));
	unsigned n;

	if (!sample) {
		*event = (struct sysprof_event){
			.record.size = sizeof(*event) / 8,
			.mm = spt_perf_tasks_get(spt_perf_records_tasks(records), who, sink)->mm,
		};
		return event;
	}
	*event = (struct sysprof_event){
		.record.size = sizeof(*event) / 8,
		.record.flags = sample->record.flags,
		.mm = sample->mm,
		.n_kernel = sample->n_kernel,
		.n_user = sample->n_user,
		.kernel_end = sample->kernel_end,
		.user_end = sample->user_end,
		.user_mode = sample->user_mode,
		.n_parts = sample->raw_bytes ? 1 : 0,
	};
	n = sample->n_kernel + sample->n_user;
	event_append(made, sample->frames, n);
	if (sample->raw_bytes) {
		struct sysprof_part part = { SYSPROF_PART_RAW, 1 + sample->raw_bytes / 8, 0, 0 };

		event_append(made, &part, sizeof(part) / 8);
		event_append(made, sample->frames + n, sample->raw_bytes / 8);
	}
	return (void *)made->data;
}

struct sysprof_event *spt_perf_event_add_frame(GByteArray *made, uint64_t frame)
{
	event_append(made, &frame, 1);
	((struct sysprof_event *)made->data)->n_user++;
	return (void *)made->data;
}

void spt_perf_event_add(GByteArray *made, const struct sysprof_part *part)
{
	event_append(made, part, part->size);
	((struct sysprof_event *)made->data)->n_parts++;
}

void spt_perf_event_put(GByteArray *made, const struct spt_perf_who *who,
			const struct spt_perf_sink *sink)
{
	struct sysprof_event *event = (void *)made->data;

	event->record = spt_perf_record(SYSPROF_EVENT, event->record.flags,
					event->record.size * (size_t)8, who);
	sink->func(&event->record, sink->data);
}
