/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/record-check.h"

#include <glib.h>

#include "sysprof-event.h"
#include "trace/once.h"

/* The least size of a record of @type, so that its body can be read. */
static size_t record_least_bytes(unsigned type)
{
	switch (type) {
	case SYSPROF_SAMPLE:
		return sizeof(struct sysprof_sample);
	case SYSPROF_TASK:
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_COMM:
	case SYSPROF_EXIT:
		return sizeof(struct sysprof_task);
	case SYSPROF_MAP:
		return sizeof(struct sysprof_map);
	case SYSPROF_OBJECT:
		return sizeof(struct sysprof_object);
	case SYSPROF_REGION:
		return sizeof(struct sysprof_region);
	case SYSPROF_ACCOUNT:
		return sizeof(struct sysprof_account_record);
	case SYSPROF_LOST:
		return sizeof(struct sysprof_lost);
	case SYSPROF_TIME:
		return sizeof(struct sysprof_time);
	case SYSPROF_EVENT:
		return sizeof(struct sysprof_event);
	case SYSPROF_THREAD:
		return sizeof(struct sysprof_thread);
	case SYSPROF_LANE:
		return sizeof(struct sysprof_lane);
	case SYSPROF_SOURCE_ACCOUNT:
		return sizeof(struct sysprof_source_account_record);
	default:
		return sizeof(struct sysprof_record);
	}
}

/* What it defines is there. */
static bool record_has_outer(const struct sysprof_record *record, unsigned n_user)
{
	uint64_t cookie = spt_once_cookie(record);

	return cookie & SYSPROF_STACK_REFERS || SYSPROF_STACK_FRAMES(cookie) <= n_user;
}

bool spt_record_is_valid(const struct sysprof_record *record, size_t bytes)
{
	size_t size = (size_t)record->size * 8;

	if (size < record_least_bytes(record->type) || size > bytes)
		return false;
	if (record->type == SYSPROF_SAMPLE) {
		const struct sysprof_sample *sample = (const void *)record;

		if (sample->raw_bytes % 8 ||
		    (sample->raw_bytes && sample->raw_bytes < sizeof(struct sysprof_raw)))
			return false;
		return sizeof(*sample) + ((size_t)sample->n_kernel + sample->n_user) * 8 +
			       sample->raw_bytes <=
			       size &&
		       record_has_outer(record, sample->n_user);
	}
	if (record->type == SYSPROF_EVENT) {
		const struct sysprof_event *event = (const void *)record;

		return sizeof(*event) + ((size_t)event->n_kernel + event->n_user) * 8 <= size &&
		       record_has_outer(record, event->n_user);
	}
	if (record->type == SYSPROF_OBJECT) {
		const struct sysprof_object *object = (const void *)record;

		return sizeof(*object) + object->path_bytes < size &&
		       !object->path[object->path_bytes];
	}
	return true;
}
