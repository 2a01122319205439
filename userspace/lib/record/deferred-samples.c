/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/deferred-samples.h"

struct SptDeferred {
	GPtrArray *samples; /* of SptDeferredSample */
	uint64_t bytes, max_bytes;
};

static void sample_free(void *data)
{
	SptDeferredSample *sample = data;

	g_free((void *)sample->sample);
	g_free((void *)sample->comm);
	g_free(sample);
}

SptDeferred *spt_deferred_new(uint64_t max_bytes)
{
	SptDeferred *deferred = g_new0(SptDeferred, 1);

	deferred->samples = g_ptr_array_new();
	deferred->max_bytes = max_bytes;
	return deferred;
}

void spt_deferred_free(SptDeferred *deferred)
{
	if (!deferred)
		return;
	g_ptr_array_set_free_func(deferred->samples, sample_free);
	g_ptr_array_unref(deferred->samples);
	g_free(deferred);
}

static uint64_t bytes_of(const SptDeferredSample *sample)
{
	return sample->sample->record.size * 8u;
}

bool spt_deferred_put(SptDeferred *deferred, const SptDeferredSample *sample, uint64_t mm)
{
	struct sysprof_sample *record;
	SptDeferredSample *copy;

	if (deferred->bytes + bytes_of(sample) > deferred->max_bytes)
		return false;
	record = g_memdup2(sample->sample, bytes_of(sample));
	record->mm = mm;
	copy = g_memdup2(sample, sizeof(*sample));
	copy->sample = record;
	copy->comm = g_strdup(sample->comm);
	deferred->bytes += bytes_of(sample);
	g_ptr_array_add(deferred->samples, copy);
	return true;
}

void spt_deferred_take(SptDeferred *deferred, bool (*take)(SptDeferredSample *sample, void *data),
		       void *data)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < deferred->samples->len; i++) {
		SptDeferredSample *sample = deferred->samples->pdata[i];

		if (take(sample, data)) {
			deferred->bytes -= bytes_of(sample);
			sample_free(sample);
		} else {
			deferred->samples->pdata[kept++] = sample;
		}
	}
	g_ptr_array_set_size(deferred->samples, kept);
}

bool spt_deferred_is_empty(const SptDeferred *deferred)
{
	return deferred->samples->len == 0;
}

uint64_t spt_deferred_count(const SptDeferred *deferred, unsigned cpu, uint64_t time,
			    uint64_t *ret_weight)
{
	uint64_t n = 0;

	*ret_weight = 0;
	for (unsigned i = 0; i < deferred->samples->len; i++) {
		const SptDeferredSample *sample = deferred->samples->pdata[i];
		const SptSampleRow *row = &sample->row;

		if (row->cpu != cpu || row->time > time)
			continue;
		*ret_weight += row->weight;
		n++;
	}
	return n;
}
