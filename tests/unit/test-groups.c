/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups: whatever the kind and the filter, they add up to what the profile has, and each to what
 * the filter of its own says.
 */
#include "profile/groups.h"
#include "profile/selection.h"

#include "captures.h"
#include "sysprof-event.h"

static const SptFilter *filters(unsigned i)
{
	static const bool cpus[] = { true };
	static const SptFilter all[] = {
		{ 0 },
		{ .process = "even" },
		{ .begin_ns = 1100, .end_ns = 1400 },
		{ .thread = "12" },
		{ .cpus = cpus, .n_cpus = 1 },
		{ .object = "[kernel]" },
		{ .side = SPT_SIDE_USER },
	};

	return i < G_N_ELEMENTS(all) ? &all[i] : NULL;
}

static void check_group(const SptCapture *capture, SptSymbols *symbols, const SptGroupRow *row,
			SptGroupKind kind)
{
	g_autofree char *number =
		g_strdup_printf("%u", kind == SPT_GROUP_PROCESS ? row->pid : row->tid);
	SptFilter filter = { 0 };
	g_autofree bool *cpus = g_new0(bool, row->cpu + 1);
	g_autoptr(SptProfile) alone = NULL;

	cpus[row->cpu] = true;
	if (kind == SPT_GROUP_PROCESS)
		filter.process = number;
	else if (kind == SPT_GROUP_THREAD)
		filter.thread = number;
	else if (kind == SPT_GROUP_CPU)
		filter = (SptFilter){ .cpus = cpus, .n_cpus = row->cpu + 1 };
	else if (kind == SPT_GROUP_OBJECT && row->name[1] != 'n') /* "[no stack]" has no filter */
		filter.object = row->name;
	else
		return;
	alone = spt_profile_new(capture, symbols, NULL, &filter);
	g_assert_cmpuint(row->weight, ==, spt_profile_total(alone));
	g_assert_cmpuint(row->samples, ==, spt_profile_n_samples(alone));
}

/* Without stacks the groups are the same. */
static void check_of_rows(const SptCapture *capture, const SptFilter *filter, SptGroupKind kind,
			  const GArray *expected)
{
	g_autoptr(GArray) rows = NULL;

	spt_groups_of_rows(capture, SPT_METRIC_CPU, filter, &kind, 1, &rows);
	g_assert_cmpuint(rows->len, ==, expected->len);
	for (unsigned i = 0; i < rows->len; i++) {
		const SptGroupRow *row = &g_array_index(rows, SptGroupRow, i),
				  *other = &g_array_index(expected, SptGroupRow, i);

		g_assert_cmpstr(row->name, ==, other->name);
		g_assert_cmpuint(row->pid, ==, other->pid);
		g_assert_cmpuint(row->tid, ==, other->tid);
		g_assert_cmpuint(row->cpu, ==, other->cpu);
		g_assert_cmpuint(row->weight, ==, other->weight);
		g_assert_cmpuint(row->samples, ==, other->samples);
	}
}

static void test_sums(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_random_on_cpus(&fake, 800);

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);

	for (unsigned i = 0; filters(i); i++) {
		g_autoptr(SptProfile) profile = spt_profile_refilter(base, filters(i), NULL);

		for (unsigned kind = 0; spt_grouping(kind); kind++) {
			g_autoptr(GArray) rows = spt_groups_new(base, filters(i), kind);
			uint64_t weight = 0, samples = 0;

			if (kind <= SPT_GROUP_CPU && !spt_filter_is_about_stacks(filters(i)))
				check_of_rows(capture, filters(i), kind, rows);
			for (unsigned k = 0; k < rows->len; k++) {
				const SptGroupRow *row = &g_array_index(rows, SptGroupRow, k);

				weight += row->weight;
				samples += row->samples;
				g_assert_true(k == 0 || row->weight <= row[-1].weight);
				/* Within what can be a filter: CPUs by a list. */
				if (i == 0 && row->cpu < 100)
					check_group(capture, symbols, row, kind);
			}
			g_assert_cmpuint(weight, ==, spt_profile_total(profile));
			g_assert_cmpuint(samples, ==, spt_profile_n_samples(profile));
		}
	}
	fake_clear(&fake);
}

/* Images of one process are one group as long as they have one name. */
static void test_images(void)
{
	struct fake fake;
	const unsigned function = 1;

	fake_init(&fake);
	fake.processes[2].pid = fake.processes[3].pid = fake.processes[1].pid;
	for (uint32_t thread = 1; thread < 4; thread++)
		fake_sample(&fake, thread, &function, 1, thread, 10 * thread);

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);
	g_autoptr(GArray) rows = spt_groups_new(base, NULL, SPT_GROUP_PROCESS);
	const SptGroupRow *row = (const SptGroupRow *)rows->data;

	g_assert_cmpuint(rows->len, ==, 2);
	g_assert_cmpstr(row[0].name, ==, "even");
	g_assert_cmpuint(row[0].weight, ==, 40);
	g_assert_cmpuint(row[0].samples, ==, 2);
	g_assert_cmpstr(row[1].name, ==, "odd");
	g_assert_cmpuint(row[1].pid, ==, row[0].pid);
	fake_clear(&fake);
}

/* What perf events report of a thread past its end has no number worth telling. */
static void test_exited(void)
{
	struct fake fake;
	const unsigned function = 1;

	fake_init(&fake);
	fake.processes[1].pid = fake.threads[1].tid = UINT32_MAX;
	fake.processes[1].name = fake.threads[1].name = NULL;
	fake_sample(&fake, 1, &function, 1, 1, 10);

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);

	for (unsigned kind = SPT_GROUP_PROCESS; kind <= SPT_GROUP_THREAD; kind++) {
		g_autoptr(GArray) rows = spt_groups_new(base, NULL, kind);
		g_autofree char *text =
			spt_group_describe(&g_array_index(rows, SptGroupRow, 0), kind, false);

		g_assert_cmpuint(rows->len, ==, 1);
		g_assert_cmpstr(text, ==, "[exited]");
	}
	fake_clear(&fake);
}

static uint64_t weight_of(const GArray *rows, const char *name)
{
	uint64_t weight = 0;

	for (unsigned i = 0; i < rows->len; i++)
		if (strcmp(g_array_index(rows, SptGroupRow, i).name, name) == 0)
			weight += g_array_index(rows, SptGroupRow, i).weight;
	return weight;
}

static void check_contexts(const char *source, const char *clock, uint64_t task, uint64_t softirq,
			   uint64_t unknown)
{
	static const uint8_t contexts[] = {
		0,
		SPT_CONTEXT_KERNEL,
		SPT_CONTEXT_KERNEL | SPT_CONTEXT_IRQ,
		(SYSPROF_CONTEXT_TASK + 1) << SPT_CONTEXT_AT | SPT_CONTEXT_KERNEL,
		(SYSPROF_CONTEXT_SOFTIRQ + 1) << SPT_CONTEXT_AT | SPT_CONTEXT_KERNEL,
		(SYSPROF_CONTEXT_IRQ + 1) << SPT_CONTEXT_AT | SPT_CONTEXT_KERNEL,
	};
	g_autoptr(GHashTable) host = g_hash_table_new(g_str_hash, g_str_equal);
	const unsigned function = 1;
	SptGroupKind kind;
	struct fake fake;

	fake_init(&fake);
	for (unsigned i = 0; i < G_N_ELEMENTS(contexts); i++) {
		fake_sample(&fake, 1, &function, 1, 1 + i, 1 << i);
		g_array_index(fake.samples, SptSampleRow, i).context = contexts[i];
	}
	SptCapture capture = *fake_capture(&fake);

	g_hash_table_insert(host, (gpointer) "source", (gpointer)source);
	g_hash_table_insert(host, (gpointer) "clock", (gpointer)clock);
	capture.host = host;
	g_assert_true(spt_grouping_find("context", &kind));

	g_autoptr(SptSymbols) symbols = spt_symbols_new(&capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&capture, symbols, NULL);
	g_autoptr(GArray) rows = spt_groups_new(base, NULL, kind);

	g_assert_cmpuint(weight_of(rows, "task"), ==, task);
	g_assert_cmpuint(weight_of(rows, "soft interrupt"), ==, softirq);
	g_assert_cmpuint(weight_of(rows, "not known"), ==, unknown);
	g_assert_cmpuint(weight_of(rows, "interrupt"), ==, 32);
	fake_clear(&fake);
}

/* Old recordings have one bit, which is right for the timer only; perf events have none. */
static void test_contexts(void)
{
	check_contexts("module", "timer", 1 + 2 + 8, 4 + 16, 0);
	check_contexts("module", "cycles", 1 + 8, 16, 2 + 4);
	check_contexts("perf", "timer", 1 + 8, 16, 2 + 4);
}

static void check_file(const SptObjectRow *object, const char *expected)
{
	static const unsigned file_and_call[] = { 1, 2 };
	SptGroupKind kind;
	struct fake fake;

	fake_init(&fake);
	fake.objects[1] = *object;
	fake_sample(&fake, 1, file_and_call, G_N_ELEMENTS(file_and_call), 1, 5);
	g_assert_true(spt_grouping_find("file", &kind));

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);
	g_autoptr(GArray) rows = spt_groups_new(base, NULL, kind);

	g_assert_cmpuint(rows->len, ==, 1);
	g_assert_cmpuint(weight_of(rows, expected), ==, 5);
	fake_clear(&fake);
}

/* A wait in a call on a file ends in the names of both, another one in a function. */
static void test_files(void)
{
	check_file(&(SptObjectRow){ .id = 1, .path = SPT_EVENT_OBJECT }, "f1");
	check_file(&(SptObjectRow){ .id = 1, .kind = SPT_OBJECT_KERNEL }, SPT_NO_FILE_KNOWN);
}

/* Numbers in names of threads do not matter, wherever they stand. */
static void test_names_of_threads(void)
{
	static const char *const names[] = { NULL, "kworker/12:3-mm", "9pool",
					     "kworker/0:11-mm", "9pool" };
	static const unsigned function = 1;
	SptGroupKind kind;
	struct fake fake;

	fake_init(&fake);
	for (unsigned i = 1; i < G_N_ELEMENTS(names); i++) {
		fake.threads[i].name = names[i];
		fake_sample(&fake, i, &function, 1, 1 + i, 1 << i);
	}
	g_assert_true(spt_grouping_find("comm", &kind));

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);
	g_autoptr(GArray) rows = spt_groups_new(base, NULL, kind);

	g_assert_cmpuint(rows->len, ==, 2);
	g_assert_cmpuint(weight_of(rows, "kworker/#:#-mm"), ==, 2 + 8);
	g_assert_cmpuint(weight_of(rows, "#pool"), ==, 4 + 16);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/groups/sums", test_sums);
	g_test_add_func("/groups/images", test_images);
	g_test_add_func("/groups/exited", test_exited);
	g_test_add_func("/groups/contexts", test_contexts);
	g_test_add_func("/groups/files", test_files);
	g_test_add_func("/groups/names-of-threads", test_names_of_threads);
	return g_test_run();
}
