/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures of many hosts, added up: as much as they have together, whatever ids, periods and
 * addresses each of them has, in memory that does not grow with their number.
 */
#include "import/fleet.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/event.h"
#include "import/import.h"
#include "profile/groups.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

static char *directory;

struct host {
	const char *name, *period_ns;
	uint32_t shift;			/* of ids and of the kernel's addresses */
	unsigned n_samples, n_stacks;
	uint64_t inode;
};

static void put_tasks(SptCaptureWriter *writer, const struct host *host)
{
	uint32_t id = host->shift + 1;

	spt_capture_writer_process(writer, &(SptProcessRow){ .id = id, .pid = 10 + host->shift,
							     .name = "server2" });
	spt_capture_writer_process(writer, &(SptProcessRow){
		.id = id + 1, .pid = 3, .flags = SPT_PROCESS_KTHREAD, .name = "kworker/0:1" });
	spt_capture_writer_thread(writer, &(SptThreadRow){ .id = id, .process = id,
							   .tid = 10 + host->shift });
	spt_capture_writer_thread(writer, &(SptThreadRow){ .id = id + 1, .process = id,
							   .tid = 12, .name = "pool-7" });
	spt_capture_writer_thread(writer, &(SptThreadRow){ .id = id + 2, .process = id + 1,
							   .tid = 3 });
}

/* A wait for a lock and memory of the kernel, of the first sample's stack. */
static void put_events(SptCaptureWriter *writer, const struct host *host, uint32_t node)
{
	spt_capture_writer_put(writer, SPT_ROW_EVENT, &(SptEventRow){
		.time = 3000000, .duration_ns = 400, .weight = 500, .thread = host->shift + 1,
		.node = node, .kind = spt_event_locks.number, .holder = host->shift + 2 });
	spt_capture_writer_put(writer, SPT_ROW_SOURCE_ACCOUNT, &(SptSourceAccountRow){
		.time = 5000000, .kind = spt_event_locks.number,
		.tallies[SPT_TALLY_LOST] = { .events = 7 } });
	spt_capture_writer_put(writer, SPT_ROW_SOURCE_ACCOUNT, &(SptSourceAccountRow){
		.time = 5000000, .kind = spt_event_slab.number });
	for (unsigned open = 0; open < 2; open++)
		spt_capture_writer_put(writer, SPT_ROW_ALLOCATION, &(SptAllocationRow){
			.time = 3000000, .bytes = 64, .weight = 4096, .thread = host->shift + 1,
			.node = node, .handle = open,
			.flags = SPT_ALLOCATION_SLAB | (open ? SPT_ALLOCATION_OPEN : 0) });
}

/* A file by its build-id, and a kernel by names; each sample is of another stack and thread. */
static void put_samples(SptCaptureWriter *writer, SptStash *stash, const struct host *host)
{
	uint32_t kernel = host->shift + 1, file = host->shift + 2;

	spt_capture_writer_object(writer, &(SptObjectRow){ .id = kernel,
							   .kind = SPT_OBJECT_KERNEL });
	spt_capture_writer_object(writer, &(SptObjectRow){
		.id = file, .kind = SPT_OBJECT_FILE, .path = "/no/such/file",
		.build_id = { 1, 2, 3 }, .build_id_bytes = 20, .inode = host->inode });
	spt_capture_writer_name(writer, &(SptNameRow){
		.object = kernel, .offset = 64 + 16 * host->shift, .symbol = "do_work",
		.symbol_bytes = 16, .module = "" });
	for (unsigned i = 0; i < host->n_samples; i++) {
		const SptFrame frames[] = {
			{ 64 + 16 * host->shift, kernel, SPT_FRAME_EXACT },
			{ 4096 + 8 * (i % host->n_stacks), file, SPT_FRAME_CALL },
		};

		spt_capture_writer_sample(writer, &(SptSampleRow){
			.time = 2000000 + 1000 * i, .thread = host->shift + 1 + i % 3,
			.cpu = i % 2, .weight = 2, .node = spt_stash_add(stash, 0, frames, 2) });
		if (i == 0)
			put_events(writer, host, spt_stash_add(stash, 0, frames, 2));
	}
}

static char *write_host(const struct host *host)
{
	g_autofree char *name = g_strconcat(host->name, ".capture", NULL);
	char *path = g_build_filename(directory, name, NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, &error);

	g_assert_no_error(error);
	spt_capture_writer_host(writer, "period_ns", host->period_ns);
	spt_capture_writer_host(writer, "host", host->name);
	spt_capture_writer_host(writer, "start_time", "1000000");
	put_tasks(writer, host);
	put_samples(writer, stash, host);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		spt_capture_writer_account(writer, &(SptAccountRow){
			.time = 5000000, .cpu = cpu, .grid = host->n_samples + 3,
			.delivered = host->n_samples, .lost = { 3 },
			.samples = host->n_samples / 2 });
	g_assert_true(spt_capture_writer_finish(writer, stash, 5000000, &error));
	g_assert_no_error(error);
	return path;
}

static SptCapture *open_path(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture = spt_capture_open(path, &error);

	g_assert_no_error(error);
	g_assert_null(capture->damage);
	return capture;
}

/* Each host @times times. */
static SptCapture *add_up(const struct host *hosts, unsigned n, unsigned times, uint64_t period_ns)
{
	g_autofree char *path = g_build_filename(directory, "sum.capture", NULL);
	g_autoptr(GError) error = NULL;
	SptFleet *fleet = spt_fleet_new(path, period_ns, &error);
	SptCapture *sum;

	g_assert_no_error(error);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *one = write_host(&hosts[i]);
		g_autoptr(SptCapture) capture = open_path(one);

		for (unsigned k = 0; k < times; k++)
			g_assert_true(spt_fleet_add(fleet, capture, &error));
		g_unlink(one);
	}
	g_assert_true(spt_fleet_finish(fleet, &error));
	g_assert_no_error(error);
	spt_fleet_free(fleet);
	sum = open_path(path);
	g_unlink(path);
	return sum;
}

static SptGroupRow group_called(const GArray *groups, const char *name)
{
	for (unsigned i = 0; i < groups->len; i++)
		if (strcmp(g_array_index(groups, SptGroupRow, i).name, name) == 0)
			return g_array_index(groups, SptGroupRow, i);
	return (SptGroupRow){ 0 };
}

static GArray *groups_by(const SptProfile *base, const char *name)
{
	SptGroupKind kind;

	g_assert_true(spt_grouping_find(name, &kind));
	return spt_groups_new(base, NULL, kind);
}

static const struct host two[] = {
	{ "alpha", "10000000", 0, 300, 5, 77 },
	{ "beta-1", "10000000", 9, 600, 5, 78 },
};

static void test_sums(void)
{
	g_autoptr(SptCapture) sum = add_up(two, 2, 2, 0);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(sum, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(sum, symbols, SPT_METRIC_CPU);
	g_autoptr(GArray) hosts = groups_by(base, "host");
	g_autoptr(GArray) processes = groups_by(base, "process");
	g_autoptr(GArray) threads = groups_by(base, "thread");
	g_autoptr(GArray) objects = groups_by(base, "object");

	g_assert_cmpuint(sum->weight, ==, 2 * 2 * 900);
	g_assert_cmpuint(hosts->len, ==, 2);
	g_assert_cmpuint(group_called(hosts, "alpha").weight, ==, 2 * 2 * 300);
	g_assert_cmpuint(group_called(hosts, "beta-1").weight, ==, 2 * 2 * 600);
	g_assert_cmpuint(group_called(processes, "server2").weight, ==, 2 * 2 * 600);
	g_assert_cmpuint(group_called(processes, "kworker/#:#").weight, ==, 2 * 2 * 300);
	g_assert_cmpuint(group_called(threads, "pool-#").weight, ==, 2 * 2 * 300);
	g_assert_cmpuint(group_called(objects, "[kernel]").weight, ==, sum->weight);
	g_assert_cmpstr(spt_capture_host(sum, SPT_FLEET_SAMPLES), ==, "1800");
	g_assert_cmpstr(spt_capture_host(sum, SPT_FLEET_CAPTURES), ==, "4");
	g_assert_cmpstr(spt_capture_host(sum, SPT_FLEET_HOSTS), ==, "2");
}

static uint64_t weight_at(SptCapture *sum, SptSymbols *symbols, const char *metric)
{
	g_autoptr(SptProfile) base = spt_profile_new_base(sum, symbols, spt_metric_find(metric));
	g_autoptr(GArray) hosts = groups_by(base, "host");

	g_assert_cmpuint(hosts->len, ==, 2);
	g_assert_cmpuint(group_called(hosts, "alpha").weight, ==,
			 group_called(hosts, "beta-1").weight);
	return group_called(hosts, "alpha").weight;
}

static void test_events(void)
{
	g_autoptr(SptCapture) sum = add_up(two, 2, 3, 0);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(sum, NULL);

	g_assert_cmpuint(weight_at(sum, symbols, "lock"), ==, 3 * 500);
	g_assert_cmpuint(weight_at(sum, symbols, "kmem"), ==, 3 * 2 * 4096);
	g_assert_nonnull(strstr(spt_capture_host(sum, SPT_IMPORT_NOTE), "who held locks"));
}

/* Equal files of hosts are one, and so are names of kernels at other addresses. */
static void test_identity(void)
{
	g_autoptr(SptCapture) sum = add_up(two, 2, 1, 0);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(sum, NULL);
	unsigned files = 0;

	for (uint32_t i = 1; i < sum->n_objects; i++)
		files += sum->objects[i].id && sum->objects[i].kind == SPT_OBJECT_FILE;
	g_assert_cmpuint(files, ==, 1);
	g_assert_cmpuint(sum->n_nodes, ==, 1 + 5 + 5);
	for (uint32_t i = 1; i < sum->n_nodes; i++)
		if (sum->objects[sum->nodes[i].frame.object].kind == SPT_OBJECT_KERNEL)
			g_assert_cmpstr(spt_symbols_name(symbols, &sum->nodes[i].frame).function,
					==, "do_work");
}

static void test_law(void)
{
	g_autoptr(SptCapture) sum = add_up(two, 2, 3, 0);

	g_assert_cmpuint(sum->n_accounts, ==, 4);
	for (uint64_t i = 0; i < sum->n_accounts; i++) {
		g_assert_cmpint(spt_account_residue(&sum->accounts[i]), ==, 0);
		g_assert_cmpuint(spt_account_lost(&sum->accounts[i]), ==, 9);
	}
}

static void test_periods(void)
{
	const struct host hosts[] = {
		{ "alpha", "10000000", 0, 30, 5, 1 },
		{ "beta", "15000000", 0, 30, 5, 1 },
		{ "gamma", "0", 0, 1, 1, 1 },
	};
	g_autofree char *first = write_host(&hosts[0]), *second = write_host(&hosts[1]),
			*third = write_host(&hosts[2]),
			*path = g_build_filename(directory, "none.capture", NULL);
	g_autoptr(SptCapture) alpha = open_path(first);
	g_autoptr(SptCapture) beta = open_path(second);
	g_autoptr(SptCapture) gamma = open_path(third);
	g_autoptr(SptFleet) fleet = spt_fleet_new(path, 0, NULL);
	g_autoptr(SptCapture) sum = NULL;

	g_assert_cmpuint(spt_fleet_common_period(fleet, alpha), ==, 10000000);
	g_assert_true(spt_fleet_add(fleet, alpha, NULL));
	g_assert_cmpuint(spt_fleet_common_period(fleet, beta), ==, 5000000);
	g_assert_cmpuint(spt_fleet_common_period(fleet, gamma), ==, 0);
	sum = add_up(hosts, 2, 1, 5000000);
	g_assert_cmpuint(spt_capture_period_ns(sum), ==, 5000000);
	g_assert_cmpuint(sum->weight, ==, 30 * 2 * 2 + 30 * 2 * 3);
	g_unlink(third);
}

static uint64_t resident_bytes(void)
{
	g_autofree char *text = NULL;
	unsigned long all, resident = 0;

	g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
	g_assert_cmpint(sscanf(text, "%lu %lu", &all, &resident), ==, 2);
	return resident * 4096ull;
}

#ifdef __SANITIZE_ADDRESS__
/* What was freed would count as memory for long. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1:allocator_release_to_os_interval_ms=0";
}
#endif

/* $FLEET_TIMES captures of each of $FLEET_HOSTS hosts: many more need hardly more memory. */
static void test_memory(void)
{
	const char *n_hosts = g_getenv("FLEET_HOSTS"), *n_times = g_getenv("FLEET_TIMES");
	unsigned n = n_hosts ? (unsigned)atoi(n_hosts) : 20,
		 times = n_times ? (unsigned)atoi(n_times) : 50;
	g_autofree struct host *hosts = g_new0(struct host, n);
	g_auto(GStrv) names = g_new0(char *, n + 1);
	uint64_t before = resident_bytes(), after;

	for (unsigned i = 0; i < n; i++) {
		names[i] = g_strdup_printf("host%u", i);
		hosts[i] = (struct host){ names[i], "10000000", i % 7, 1000, 900, i };
	}
	for (unsigned i = 0; i < 2; i++) {
		g_autoptr(SptCapture) sum = add_up(hosts, n, i ? times : 1, 0);

		g_assert_cmpuint(sum->weight, ==, 2000ull * n * (i ? times : 1));
		after = resident_bytes();
		g_test_message("%u captures: %.1f MiB more", n * (i ? times : 1),
			       (double)(after - before) / 1048576);
		if (i)
			g_assert_cmpuint(after - before, <, 64u << 20);
		before = i ? before : after;
	}
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("fleet-XXXXXX", NULL);
	g_test_add_func("/fleet/sums", test_sums);
	g_test_add_func("/fleet/events", test_events);
	g_test_add_func("/fleet/identity", test_identity);
	g_test_add_func("/fleet/law", test_law);
	g_test_add_func("/fleet/periods", test_periods);
	g_test_add_func("/fleet/memory", test_memory);
	status = g_test_run();
	g_rmdir(directory);
	g_free(directory);
	return status;
}
