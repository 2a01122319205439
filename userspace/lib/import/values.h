/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of a profile, by the name of their unit.  Times become CPU time, bytes become memory
 * that was allocated and not freed, anything else a number of periods of no length.
 */
#ifndef SPT_IMPORT_VALUES_H
#define SPT_IMPORT_VALUES_H

#include "import/stacks.h"

G_BEGIN_DECLS

typedef enum { SPT_VALUES_TIME, SPT_VALUES_MEMORY, SPT_VALUES_NUMBER } SptValuesKind;

typedef struct {
	SptValuesKind kind;
	double scale;			/* of a value, in ns; else 1 */
	uint64_t period_ns;		/* of which times are multiples; 0: of none so far */
	uint64_t carried_ns;		/* the rest of a period, for the next sample */
	double sum;			/* of all so far */
} SptImportValues;

/* Nanoseconds in a unit of time; 0: it is none. */
uint64_t spt_import_time_unit(const char *unit);
void spt_import_values_init(SptImportValues *values, const char *unit);
/* Before any is put: the period divides @value, if it is no less than a microsecond. */
void spt_import_values_measure(SptImportValues *values, double value);
/* Behind the last one that was measured: the fact of the period goes to the capture. */
void spt_import_values_begin(SptImportValues *values, SptCaptureWriter *writer);
/*
 * A sample of @value; @row has its time (0: a microsecond after the last one), thread, CPU and
 * node.  NULL, or what is wrong with the sample, as spt_import_stacks_excess() says it.
 */
const char *spt_import_values_put(SptImportValues *values, SptImportStacks *stacks,
				  const SptSampleRow *row, double value);
/*
 * The same for a time from @begin_ns to @end_ns, in which @row was on the CPU: as samples at the
 * ends of its parts, none longer than @part_ns.
 */
const char *spt_import_values_put_span(SptImportValues *values, SptImportStacks *stacks,
				       const SptSampleRow *row, uint64_t begin_ns, uint64_t end_ns,
				       uint64_t part_ns);

G_END_DECLS

#endif
