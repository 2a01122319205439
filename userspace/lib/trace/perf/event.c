/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/event.h"

#include <string.h>

struct sysprof_event *spt_perf_event_begin(GByteArray *made, SptPerfRecords *records,
					   const struct spt_perf_who *who,
					   const struct perf_event_header *stack,
					   const struct spt_perf_sink *sink)
{
	const struct sysprof_sample *sample = NULL;
	struct sysprof_event *event;
	size_t frames = 0;

	if (stack)
		sample = spt_perf_records_stack(records, stack, who, sink);
	if (sample)
		frames = ((size_t)sample->n_kernel + sample->n_user) * 8;
	g_byte_array_set_size(made, (guint)(sizeof(*event) + frames));
	event = (void *)made->data;
	if (!sample) {
		*event = (struct sysprof_event){
			.mm = spt_perf_tasks_get(spt_perf_records_tasks(records), who, sink)->mm,
		};
		return event;
	}
	*event = (struct sysprof_event){
		.record.flags = sample->record.flags,
		.mm = sample->mm,
		.n_kernel = sample->n_kernel,
		.n_user = sample->n_user,
		.kernel_end = sample->kernel_end,
		.user_end = sample->user_end,
		.user_mode = sample->user_mode,
	};
	memcpy(event->frames, sample->frames, frames);
	if (sample->raw_bytes) {
		struct sysprof_part part = { SYSPROF_PART_RAW, 1 + sample->raw_bytes / 8, 0, 0 };

		event->n_parts = 1;
		g_byte_array_append(made, (const void *)&part, sizeof(part));
		g_byte_array_append(made, (const uint8_t *)sample->frames + frames,
				    sample->raw_bytes);
	}
	return (void *)made->data;
}

void spt_perf_event_add(GByteArray *made, const struct sysprof_part *part)
{
	g_byte_array_append(made, (const uint8_t *)part, part->size * 8u);
	((struct sysprof_event *)made->data)->n_parts++;
}

void spt_perf_event_put(GByteArray *made, const struct spt_perf_who *who,
			const struct spt_perf_sink *sink)
{
	struct sysprof_event *event = (void *)made->data;

	event->record = spt_perf_record(SYSPROF_EVENT, event->record.flags, made->len, who);
	sink->func(&event->record, sink->data);
}
