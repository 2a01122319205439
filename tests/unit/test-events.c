/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kinds of events: whole, without doubles, and what is made of it agrees with it. */
#include <string.h>

#include "capture/event-streams.h"
#include "events/event.h"
#include "profile/metric.h"
#include "sysprof-event.h"

static void test_names(void)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
	const SptEventKind *kind;

	for (unsigned i = 0; (kind = spt_event_kind(i)); i++) {
		g_assert_true(g_hash_table_add(names, (gpointer)kind->name));
		if (!kind->number)
			continue;
		g_assert_true(g_hash_table_add(numbers, GUINT_TO_POINTER(kind->number)));
		g_assert_true(spt_event_kind_of(kind->number) == kind);
		g_assert_cmpuint(kind->number, <, spt_event_kind_numbers());
	}
	g_assert_null(spt_event_kind_of(0));
	g_assert_null(spt_event_kind_of(spt_event_kind_numbers()));
	g_assert_null(spt_event_kind_of(UINT32_MAX));
}

/* Each kind of the device has a name, and can be requested, or comes with another one. */
static void test_device(void)
{
	static const uint16_t all[] = {
		SYSPROF_SOURCE_WAIT,	    SYSPROF_SOURCE_WAKE,       SYSPROF_SOURCE_LANE,
		SYSPROF_SOURCE_IRQ,	    SYSPROF_SOURCE_SOFTIRQ,    SYSPROF_SOURCE_IRQS_OFF,
		SYSPROF_SOURCE_SLAB,	    SYSPROF_SOURCE_PAGE,       SYSPROF_SOURCE_PERCPU,
		SYSPROF_SOURCE_VMALLOC,	    SYSPROF_SOURCE_FAULT,      SYSPROF_SOURCE_BLOCK,
		SYSPROF_SOURCE_PAGE_CACHE,  SYSPROF_SOURCE_LOCK,       SYSPROF_SOURCE_HOLD,
		SYSPROF_SOURCE_STALL,	    SYSPROF_SOURCE_BLOCK_DONE, SYSPROF_SOURCE_SLAB_FREE,
		SYSPROF_SOURCE_PAGE_FREE,   SYSPROF_SOURCE_FRAGMENT,   SYSPROF_SOURCE_PERCPU_FREE,
		SYSPROF_SOURCE_PREEMPT_OFF, SYSPROF_SOURCE_VMALLOC_FREE,
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
		const SptEventKind *kind = spt_event_kind_of(all[i]);

		g_assert_nonnull(kind);
		g_assert_nonnull(kind->option);
		g_assert_true(kind->request || kind == &spt_event_wakings);
		/* The device refuses a threshold with a grid. */
		g_assert_true(!kind->request || !kind->request->period ||
			      !kind->request->threshold);
	}
}

static void test_options(void)
{
	const SptEventOption *option;
	const SptEventKind *kind;
	unsigned bits = 0;

	for (unsigned i = 0; (option = spt_event_option(i)); i++) {
		bool is_used = false;

		g_assert_cmpstr(option->flag + 2, ==, option->name);
		g_assert_true(!option->bit || !(bits & option->bit));
		bits |= option->bit;
		for (unsigned k = 0; (kind = spt_event_kind(k)); k++)
			is_used |= kind->option == option;
		g_assert_true(is_used);
	}
}

/* What has a stream has a metric, which its weights are, and no part of it twice. */
static void test_streams(void)
{
	const SptEventKind *kind;

	for (unsigned i = 0; (kind = spt_event_kind(i)); i++) {
		const SptStreamType *type = spt_event_stream(kind);
		unsigned parts = 0, n = 0;

		g_assert_true(!type == !kind->fields);
		for (const SptEventField *field = kind->fields; field && field->name; field++) {
			g_assert_false(parts & 1u << field->part);
			parts |= 1u << field->part;
			n++;
		}
		if (!type)
			continue;
		g_assert_true(parts & 1u << kind->detail);
		g_assert_cmpint(kind->metrics->weight, ==, SPT_EVENT_WEIGHT);
		g_assert_cmpstr(type->metric, ==, kind->metrics->name);
		g_assert_cmpuint(type->n_columns, ==, n + 6);
		for (unsigned k = 0; k < SPT_ROWS; k++)
			g_assert_true(!spt_row_types[k].stream ||
				      strcmp(spt_row_types[k].stream->name, kind->name) != 0);
		for (const SptEventMetric *metric = kind->metrics; metric->name; metric++)
			g_assert_true(metric->weight == SPT_EVENT_WEIGHT ||
				      parts & 1u << metric->weight);
	}
}

/* Each metric of a kind is one of the library's, in this order, and all of them are. */
static void test_metrics(void)
{
	const SptEventKind *kind;
	unsigned n = 0;

	for (unsigned i = 0; (kind = spt_event_kind(i)); i++)
		for (const SptEventMetric *of = kind->metrics; of && of->name; of++) {
			const SptMetric *metric = spt_metric(n++);

			g_assert_nonnull(metric);
			g_assert_cmpstr(metric->name, ==, of->name);
			g_assert_true(spt_metric_find(of->name) == metric);
			g_assert_cmpuint(metric->parts, ==, of->parts);
			/* What can be recorded has a title, and what has a title a source. */
			g_assert_true(!metric->source == !metric->title);
			g_assert_true(!of->by_holder || kind->holders);
		}
	g_assert_null(spt_metric(n));
	g_assert_true(SPT_METRIC_CPU->is_cpu);
	g_assert_cmpstr(spt_metric_find("lock-held")->option, ==, "--locks");
	g_assert_cmpstr(spt_metric_find("delay")->option, ==, "--source module");
	g_assert_null(spt_metric_find("latency")->option);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/events/names", test_names);
	g_test_add_func("/events/device", test_device);
	g_test_add_func("/events/options", test_options);
	g_test_add_func("/events/streams", test_streams);
	g_test_add_func("/events/metrics", test_metrics);
	return g_test_run();
}
