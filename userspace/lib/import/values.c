/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/values.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"

#define NS_PER_US 1000
/* Most of a sample, in periods or bytes, and of all together, time in ns. */
#define WEIGHT_MAX (UINT32_MAX * 1000ull)
#define SUM_MAX	   4e18

uint64_t spt_import_time_unit(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "nanoseconds", 1 },	     { "nanosecond", 1 },	 { "ns", 1 },
		{ "microseconds", 1000 },    { "microsecond", 1000 },	 { "us", 1000 },
		{ "milliseconds", 1000000 }, { "millisecond", 1000000 }, { "ms", 1000000 },
		{ "seconds", 1000000000 },   { "second", 1000000000 },	 { "s", 1000000000 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(units); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

void spt_import_values_init(SptImportValues *values, const char *unit)
{
	uint64_t ns = spt_import_time_unit(unit);

	*values = (SptImportValues){
		.kind = ns			     ? SPT_VALUES_TIME :
			strcmp(unit, "bytes") == 0 ? SPT_VALUES_MEMORY :
						     SPT_VALUES_NUMBER,
		.scale = ns ? (double)ns : 1,
	};
}

void spt_import_values_measure(SptImportValues *values, double value)
{
	double scaled = value * values->scale;
	uint64_t rest = scaled >= 1 && scaled < SUM_MAX ? (uint64_t)llround(scaled) : 0;

	while (rest) {
		uint64_t next = values->period_ns % rest;

		values->period_ns = rest;
		rest = next;
	}
}

void spt_import_values_begin(SptImportValues *values, SptCaptureWriter *writer)
{
	g_autofree char *text = NULL;

	if (values->kind != SPT_VALUES_TIME)
		return;
	values->period_ns = MAX(values->period_ns, NS_PER_US);
	text = g_strdup_printf("%" PRIu64, values->period_ns);
	spt_capture_writer_host(writer, "period_ns", text);
}

static uint64_t weight_of_value(SptImportValues *values, uint64_t scaled)
{
	uint64_t all = scaled + values->carried_ns;

	if (values->kind != SPT_VALUES_TIME)
		return scaled;
	values->carried_ns = all % values->period_ns;
	return all / values->period_ns;
}

const char *spt_import_values_put(SptImportValues *values, SptImportStacks *stacks,
				  const SptSampleRow *row, double value)
{
	double scaled = value * values->scale;
	uint64_t weight;

	if (scaled < 0)
		return SPT_WORDS("has a negative value, as in a comparison");
	values->sum += scaled;
	if (!(values->sum < SUM_MAX))
		return SPT_WORDS("has a value that is too large");
	weight = weight_of_value(values, (uint64_t)llround(scaled));
	if (values->kind != SPT_VALUES_MEMORY && weight > WEIGHT_MAX)
		return SPT_WORDS("has a value that is too large");
	if (values->kind == SPT_VALUES_MEMORY)
		spt_import_stacks_memory(stacks, row, weight);
	else
		spt_import_stacks_sample(stacks, row, weight);
	return spt_import_stacks_excess(stacks);
}

const char *spt_import_values_put_span(SptImportValues *values, SptImportStacks *stacks,
				       const SptSampleRow *row, uint64_t begin_ns, uint64_t end_ns,
				       uint64_t part_ns)
{
	SptSampleRow part = *row;
	const char *wrong = NULL;

	while (begin_ns < end_ns && !wrong) {
		uint64_t length = MIN(MAX(part_ns, 1), end_ns - begin_ns);

		begin_ns += length;
		part.time = begin_ns;
		wrong = spt_import_values_put(values, stacks, &part,
					      (double)length / values->scale);
	}
	return wrong;
}
