/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/aside.h"

struct SptAside {
	GPtrArray *samples;		/* of SptAsideSample */
	uint64_t bytes, max_bytes;
};

static void sample_free(void *data)
{
	SptAsideSample *sample = data;

	g_free((void *)sample->sample);
	g_free((void *)sample->comm);
	g_free(sample);
}

SptAside *spt_aside_new(uint64_t max_bytes)
{
	SptAside *aside = g_new0(SptAside, 1);

	aside->samples = g_ptr_array_new();
	aside->max_bytes = max_bytes;
	return aside;
}

void spt_aside_free(SptAside *aside)
{
	if (!aside)
		return;
	g_ptr_array_set_free_func(aside->samples, sample_free);
	g_ptr_array_unref(aside->samples);
	g_free(aside);
}

static uint64_t bytes_of(const SptAsideSample *sample)
{
	return sample->sample->record.size * 8u;
}

bool spt_aside_put(SptAside *aside, const SptAsideSample *sample, uint64_t mm)
{
	struct sysprof_sample *record;
	SptAsideSample *copy;

	if (aside->bytes + bytes_of(sample) > aside->max_bytes)
		return false;
	record = g_memdup2(sample->sample, bytes_of(sample));
	record->mm = mm;
	copy = g_memdup2(sample, sizeof(*sample));
	copy->sample = record;
	copy->comm = g_strdup(sample->comm);
	aside->bytes += bytes_of(sample);
	g_ptr_array_add(aside->samples, copy);
	return true;
}

void spt_aside_take(SptAside *aside, bool (*take)(SptAsideSample *sample, void *data), void *data)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < aside->samples->len; i++) {
		SptAsideSample *sample = aside->samples->pdata[i];

		if (take(sample, data)) {
			aside->bytes -= bytes_of(sample);
			sample_free(sample);
		} else {
			aside->samples->pdata[kept++] = sample;
		}
	}
	g_ptr_array_set_size(aside->samples, kept);
}

bool spt_aside_is_empty(const SptAside *aside)
{
	return aside->samples->len == 0;
}

uint64_t spt_aside_count(const SptAside *aside, unsigned cpu, uint64_t time, uint64_t *ret_weight)
{
	uint64_t n = 0;

	*ret_weight = 0;
	for (unsigned i = 0; i < aside->samples->len; i++) {
		const SptAsideSample *sample = aside->samples->pdata[i];
		const SptSampleRow *row = &sample->row;

		if (row->cpu != cpu || row->time > time)
			continue;
		*ret_weight += row->weight;
		n++;
	}
	return n;
}
