/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of recordings of every kind: by the module and by perf events, with and without the
 * kernel, other users, waits and memory, of a command, a part and everything.  A sentence is said
 * only if it is true there.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "capture/capture.h"
#include "profile/culprit.h"
#include "profile/diff.h"
#include "profile/order.h"
#include "profile/sentences.h"
#include "sentences-fixture.h"

/* @process: a filter. */
static char *say(const struct mode *mode, const char *metric, const char *process,
		 SptSentencesOf of)
{
	struct fixture fixture;
	char *line;

	set_up(&fixture, mode);

	g_autoptr(SptProfile) profile =
		spt_profile_new(fixture.capture, fixture.symbols, spt_metric_find(metric),
				&(SptFilter){ .process = process });

	line = spt_sentences_line(profile, fixture.capture, fixture.symbols, of);
	tear_down(&fixture);
	return line;
}

#define KNOWN .sides = "both", .whose = "all"
#define TIMES .ran_ns = "300000000", .wall_ns = "1000000000"

static void test_modes(void)
{
	static const struct {
		struct mode mode;
		const char *metric, *process;
		SptSentencesOf of;
		const char *text;
	} cases[] = {
		/* Everything, of root or the module, and of before the scope was noted. */
		{ { KNOWN }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "75" NB "% of the time went to convoy, 25" NB "% to other.  12" NB
		  "% was spent in the kernel.  Busiest functions: busy (88" NB
		  "%), futex_wait (12" NB "%)." },
		{ { 0 }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "75" NB "% of the time went to convoy, 25" NB "% to other.  12" NB
		  "% was spent in the kernel.  Busiest functions: busy (88" NB
		  "%), futex_wait (12" NB "%)." },
		/* Functions that the timer finds late are not the busiest. */
		{ { KNOWN, .is_late = true }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "90" NB "% of the time went to convoy, 10" NB "% to other.  65" NB
		  "% was spent in the kernel.  Busiest functions: busy (35" NB "%), futex_wait (5.0" NB
		  "%).  60" NB "% is in functions that turn interrupts on again, above all "
		  "finish_task_switch: the timer cannot look at what runs just before." },
		{ { KNOWN, .is_late = true, .clock = "pmu" }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "90" NB "% of the time went to convoy, 10" NB "% to other.  65" NB
		  "% was spent in the kernel.  Busiest functions: finish_task_switch.isra.0 (40" NB
		  "%), busy (35" NB "%), _raw_spin_unlock_irqrestore (20" NB "%)." },
		/* Ten samples have no shares, eleven have. */
		{ { KNOWN, .n_samples = 10 }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "Samples: 10, too few to say what the time went to." },
		{ { KNOWN, .n_samples = 1, .has_command = true, TIMES }, "cpu", NULL,
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: few samples.  Ran 30" NB "%, was off the CPUs 70" NB "% of 1.00" NB
		  "s.  Samples: 1, too few to say what the time went to." },
		{ { KNOWN, .n_samples = 11 }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "All of the time went to convoy.  Nothing was spent in the kernel.  Busiest "
		  "functions: busy (all)." },
		/* Perf events without rights: nothing is said of the kernel. */
		{ { .sides = "user", .whose = "own", .no_kernel = true }, "cpu", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "Only your processes were recorded, without the kernel.  75" NB
		  "% of the time went to convoy, 25" NB
		  "% to other.  Busiest functions: busy (all)." },
		{ { .sides = "both", .whose = "own" }, "cpu", "convoy", SPT_SENTENCES_OF_PART,
		  "Only your processes were recorded.  All of the time went to convoy.  "
		  "Nothing was spent in the kernel.  Busiest functions: busy (all)." },
		{ { .sides = "user", .whose = "all", .no_kernel = true }, "cpu", "convoy",
		  SPT_SENTENCES_OF_PART,
		  "The kernel was not recorded.  All of the time went to convoy.  "
		  "Busiest functions: busy (all)." },
		{ { .no_kernel = true }, "cpu", "convoy", SPT_SENTENCES_OF_PART,
		  "All of the time went to convoy.  Busiest functions: busy (all)." },
		/* A command: what is not known of the time it did not run is no waiting. */
		{ { KNOWN, TIMES, .has_command = true }, "cpu", "convoy", SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  Ran 30" NB "%, was off the CPUs 70" NB
		  "% of 1.00" NB "s.  Nothing was spent in the "
		  "kernel.  Busiest functions: busy (all)." },
		{ { KNOWN, TIMES, .ready_ns = "500000000", .has_command = true, .is_single = true },
		  "cpu", "convoy", SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  Ran 30" NB "%, was ready to run 50" NB
		  "%, waited 20" NB "% of 1.00" NB "s.  Nothing "
		  "was spent in the kernel.  Busiest functions: busy (all)." },
		/* What the first of two threads was ready is not the time of both. */
		{ { KNOWN, TIMES, .ready_ns = "500000000", .has_command = true }, "cpu", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  Ran 30" NB "%, was off the CPUs 70" NB
		  "% of 1.00" NB "s.  Nothing was spent in the "
		  "kernel.  Busiest functions: busy (all)." },
		{ { KNOWN, TIMES, .has_command = true, .has_waits = true }, "cpu", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  Ran 30" NB "%, was ready to run 5" NB
		  "%, waited 65" NB "% of 1.00" NB "s.  Waited above all in pthread_mutex_lock "
		  "below update_table (89" NB "%).  Nothing "
		  "was spent in the kernel.  Busiest functions: busy (all)." },
		/* A thread alone was ready whatever its ticks say of the time before them. */
		{ { KNOWN, TIMES, .has_command = true, .has_waits = true, .is_single = true },
		  "cpu", "convoy", SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  Ran 30" NB "%, was ready to run 10" NB
		  "%, waited 60" NB "% of 1.00" NB "s.  Waited above all in pthread_mutex_lock "
		  "below update_table (89" NB "%).  Nothing "
		  "was spent in the kernel.  Busiest functions: busy (all)." },
		/* Nobody counted, as in the viewer: the samples are counted. */
		{ { KNOWN, .has_command = true, .status = "3" }, "cpu", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  convoy failed with status 3.  Ran 30" NB
		  "%, was off the CPUs 70" NB "% of 1.00" NB "s.  "
		  "Nothing was spent in the kernel.  Busiest functions: busy (all)." },
		/* The times of a command are neither those of everything nor those of a part. */
		{ { KNOWN, TIMES, .has_command = true }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "75" NB "% of the time went to convoy, 25" NB "% to other.  12" NB
		  "% was spent in the kernel.  Busiest functions: busy (88" NB
		  "%), futex_wait (12" NB "%)." },
		{ { KNOWN, TIMES, .has_command = true }, "cpu", "other", SPT_SENTENCES_OF_PART,
		  "All of the time went to other.  50" NB "% was spent in the kernel.  Busiest "
		  "functions: busy (50" NB "%), futex_wait (50" NB "%)." },
		/* Processes that were chosen by their numbers. */
		{ { KNOWN, TIMES }, "cpu", NULL, SPT_SENTENCES_OF_ALL,
		  "Ran 30" NB "%, was off the CPUs 70" NB "% of 1.00" NB "s.  75" NB
		  "% of the time went to convoy, 25" NB "% to other.  12" NB
		  "% was spent in the kernel.  Busiest functions: busy (88" NB
		  "%), futex_wait (12" NB "%)." },
		/* Waits and memory are of the program, not of the scheduler or libc. */
		{ { KNOWN, .has_waits = true }, "blocked", NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 450.00" NB "ms, all of it by convoy.  89" NB "% in pthread_mutex_lock below "
		  "update_table, 11" NB "% in main." },
		{ { KNOWN, .has_waits = true, .has_losses = true }, "blocked", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "Blocked: 450.00" NB "ms, all of it by convoy.  89" NB "% in pthread_mutex_lock below "
		  "update_table, 11" NB "% in main.  12 of all 120 events were lost." },
		/* Where the program's functions have no names, what they wait in has one. */
		{ { KNOWN, .has_waits = true, .has_nameless = true }, "blocked", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "Blocked: 450.00" NB "ms, all of it by convoy.  89" NB "% in pthread_mutex_lock below "
		  "nowhere+0x9000, 11" NB "% in main.  In functions without names: 89" NB
		  "%, above all in nowhere: no such file." },
		/* What has no stack is no function, however much it is. */
		{ { KNOWN, .has_waits = true, .has_stackless_wait = true }, "blocked", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "Blocked: 1.45" NB "s, all of it by convoy.  28" NB "% in pthread_mutex_lock below "
		  "update_table, 3.4" NB "% in main.  Of 69" NB "% no stack was recorded." },
		{ { KNOWN, .has_stackless_wait = true }, "blocked", NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 1.00" NB "s, all of it by convoy.  No stack was recorded of it." },
		/* A thread that only waits: said of whole threads, and if others ran. */
		{ { KNOWN, .has_command = true, .has_waits = true, .has_idle = true }, "blocked",
		  "convoy", SPT_SENTENCES_OF_COMMAND,
		  "Blocked: 1.45" NB "s, all of it by convoy.  Threads that hardly ran have 69" NB
		  "% of it: 1 of 2.  Of the rest, 89" NB "% is in pthread_mutex_lock below "
		  "update_table, 11" NB "% in main." },
		{ { KNOWN, .has_command = true, .has_waits = true, .has_idle = true,
		    .clock = "pmu" }, "blocked", "convoy", SPT_SENTENCES_OF_COMMAND,
		  "Blocked: 1.45" NB "s, all of it by convoy.  72" NB "% in main, 28" NB
		  "% in pthread_mutex_lock below update_table." },
		{ { KNOWN, .has_waits = true, .has_idle = true }, "blocked", "convoy",
		  SPT_SENTENCES_OF_PART,
		  "Blocked: 1.45" NB "s, all of it by convoy.  72" NB "% in main, 28" NB
		  "% in pthread_mutex_lock below update_table." },
		/* The other one does not have to be busy, if it did some work. */
		{ { KNOWN, .has_command = true, .has_waits = true, .has_idle = true,
		    .runs_little = true }, "blocked", "convoy", SPT_SENTENCES_OF_COMMAND,
		  "Blocked: 1.45" NB "s, all of it by convoy.  Threads that hardly ran have 69" NB
		  "% of it: 1 of 2.  Of the rest, 89" NB "% is in pthread_mutex_lock below "
		  "update_table, 11" NB "% in main." },
		/* Who waits for a lock or for the disk has work. */
		{ { KNOWN, .has_command = true, .has_waits = true, .has_idle = true,
		    .is_idle_locked = true }, "blocked", "convoy", SPT_SENTENCES_OF_COMMAND,
		  "Blocked: 1.45" NB "s, all of it by convoy.  97" NB "% in pthread_mutex_lock below "
		  "update_table, 3.4" NB "% in main." },
		{ { KNOWN, .has_command = true, .has_waits = true, .has_idle = true,
		    .idle_state = SYSPROF_STATE_IOWAIT }, "blocked", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "Blocked: 1.45" NB "s, all of it by convoy.  72" NB "% in main, 28" NB
		  "% in pthread_mutex_lock below update_table." },
		/* The recorder's own threads wait for what they record. */
		{ { KNOWN, .has_waits = true, .has_idle = true, .recorder = "10" }, "blocked",
		  NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 1.45" NB "s, all of it by convoy.  72" NB "% in main, 28" NB
		  "% in pthread_mutex_lock below update_table." },
		{ { KNOWN, .has_waits = true, .has_other_wait = true, .recorder = "20" },
		  "blocked", NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 1.25" NB "s, 64" NB "% of it by other, 36" NB "% by convoy.  The "
		  "recorder has 64" NB "% of it.  Of the rest, 89" NB "% is in pthread_mutex_lock "
		  "below update_table, 11" NB "% in main." },
		/* What a program that hardly ran waited for comes before what it ran in. */
		{ { KNOWN, .ran_ns = "30000000", .wall_ns = "1000000000", .has_command = true,
		    .has_waits = true, .is_single = true, .runs_little = true }, "cpu", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: 7.5" NB "% of all that ran.  Ran 3" NB "%, was ready to run 10" NB
		  "%, waited 87" NB "% of 1.00" NB "s.  Waited above all in pthread_mutex_lock "
		  "below update_table (89" NB "%).  Nothing "
		  "was spent in the kernel.  Busiest functions: busy (all)." },
		{ { KNOWN, .ran_ns = "30000000", .wall_ns = "1000000000", .has_command = true,
		    .has_waits = true, .has_idle = true, .runs_little = true }, "cpu", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: 7.5" NB "% of all that ran.  Ran 3" NB "%, was ready to run 10" NB
		  "%, waited 87" NB "% of 1.00" NB "s.  Threads that ran waited above all in "
		  "pthread_mutex_lock below update_table (89" NB "%).  Nothing "
		  "was spent in the kernel.  Busiest functions: busy (all)." },
		{ { KNOWN, .has_idle = true }, "blocked", NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 1.00" NB "s, all of it by convoy.  All of it in main." },
		/* Python's interpreter works for the function of a script, if there is one. */
		{ { KNOWN, .has_waits = true, .python = "/usr/bin/python3.11" }, "blocked", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "Blocked: 450.00" NB "ms, all of it by convoy.  89" NB "% in pthread_mutex_lock "
		  "below PyObject_Vectorcall, 11" NB "% in main.  89" NB "% is in or below Python's "
		  "interpreter: with --waits=calls functions of scripts have names." },
		{ { KNOWN, .has_waits = true, .python = "/usr/bin/python3.11", .waits = "calls" },
		  "blocked", NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 450.00" NB "ms, all of it by convoy.  89" NB "% in pthread_mutex_lock "
		  "below PyObject_Vectorcall, 11" NB "% in main." },
		{ { KNOWN, .has_waits = true, .python = "/usr/bin/python3.11",
		    .has_script = true }, "blocked", NULL, SPT_SENTENCES_OF_ALL,
		  "Blocked: 450.00" NB "ms, all of it by convoy.  89" NB "% in pthread_mutex_lock "
		  "below lookup, 11" NB "% in main." },
		{ { KNOWN, .has_memory = true }, "allocated", NULL, SPT_SENTENCES_OF_ALL,
		  "Allocated Memory: 3.9" NB "KiB, all of it by convoy.  75" NB
		  "% in malloc below load, 25" NB "% in malloc below main." },
		{ { KNOWN, .has_memory = true, .has_two_ways = true }, "allocated", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "Allocated Memory: 3.9" NB "KiB, all of it by convoy.  75" NB
		  "% in malloc and others below load, 25" NB "% in malloc below main." },
		/* Our library is no function of the program. */
		{ { KNOWN, .no_kernel = true, .has_memory_calls = true }, "cpu", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "86" NB "% of the time went to convoy, 14" NB "% to other.  Busiest functions: "
		  "busy (57" NB "%).  43" NB "% was spent on recording calls." },
		/* A part of it has no names, as its file is not there. */
		{ { KNOWN, .no_kernel = true, .has_nameless = true }, "cpu", NULL,
		  SPT_SENTENCES_OF_ALL,
		  "80" NB "% of the time went to convoy, 20" NB "% to other.  The busiest function "
		  "that has a name: busy (80" NB "%).  In functions without names: 20" NB "%, above "
		  "all in nowhere: no such file." },
		/* Two threads, two CPUs, and never both. */
		{ { KNOWN, TIMES, .has_command = true, .takes_turns = true }, "cpu", "convoy",
		  SPT_SENTENCES_OF_COMMAND,
		  "convoy: 75" NB "% of all that ran.  Ran 30" NB "%, one of 2 threads at a time, "
		  "was off the CPUs 70" NB "% of 1.00" NB "s.  Nothing was spent in the kernel.  "
		  "Busiest functions: busy (all)." },
		{ { KNOWN, .no_samples = true, .has_memory = true }, "cpu", NULL,
		  SPT_SENTENCES_OF_ALL, "There are no samples." },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line = say(&cases[i].mode, cases[i].metric, cases[i].process,
					    cases[i].of);

		g_test_message("case %u", i);
		g_assert_cmpstr(line, ==, cases[i].text);
	}
}

/* The first function is the user's own, whatever the metric. */
static void test_first(void)
{
	static const struct {
		const char *metric, *function;
	} cases[] = { { "cpu", "busy" }, { "blocked", "update_table" }, { "allocated", "load" } };
	struct fixture fixture;

	set_up(&fixture, &(struct mode){ .has_waits = true, .has_stackless_wait = true,
					 .has_memory = true });
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptProfile) profile =
			spt_profile_new(fixture.capture, fixture.symbols,
					spt_metric_find(cases[i].metric), NULL);
		uint32_t n, first = spt_culprit_first(profile, fixture.capture);

		g_assert_cmpstr(spt_profile_functions(profile, &n)[first].name, ==,
				cases[i].function);
	}
	tear_down(&fixture);
}

/* Without code of the user's, no function that the timer finds late, nor one without a name. */
static void test_first_of_system(void)
{
	struct fixture fixture;
	uint32_t n, first;

	set_up(&fixture, &(struct mode){ .has_command = true,
					 .has_no_own = true,
					 .is_late = true,
					 .has_nameless = true });

	g_autoptr(SptProfile) profile = spt_profile_new(fixture.capture, fixture.symbols,
							spt_metric_find("cpu"), NULL);

	first = spt_culprit_first(profile, fixture.capture);
	g_assert_cmpstr(spt_profile_functions(profile, &n)[first].name, ==, "busy");
	tear_down(&fixture);
}

/* Lists of waits and memory begin with it, and what functions have of their own is all there is. */
static void test_own(void)
{
	static const struct {
		const char *metric, *function;
	} cases[] = { { "blocked", "update_table" }, { "allocated", "load" } };
	struct fixture fixture;

	set_up(&fixture, &(struct mode){ .has_waits = true, .has_memory = true });
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptProfile) profile =
			spt_profile_new(fixture.capture, fixture.symbols,
					spt_metric_find(cases[i].metric), NULL);
		g_autoptr(SptCulprits) culprits = spt_culprits_know(profile);
		g_autofree uint64_t *own = spt_culprits_own(culprits, profile);
		g_autofree uint32_t *order = spt_culprits_order(profile, own, NULL), *listed = NULL;
		g_autoptr(SptOrder) table = spt_order_new(profile);
		uint32_t n, n_listed;
		const SptFunction *all = spt_profile_functions(profile, &n);
		uint64_t sum = 0;

		for (uint32_t function = 0; function < n; function++)
			sum += own[function];
		g_assert_cmpuint(sum, ==, spt_profile_total(profile));
		g_assert_cmpstr(all[order[0]].name, ==, cases[i].function);
		/* The viewer's. */
		listed = spt_order_list(table, SPT_ORDER_SELF, true, NULL, &n_listed);
		g_assert_true(spt_order_is_own(table));
		g_assert_cmpuint(listed[0], ==, order[0]);
		g_assert_cmpuint(spt_order_self(table, order[0]), ==, own[order[0]]);
	}
	tear_down(&fixture);
}

/* A comparison has the same, so that nobody sees a change of the scheduler. */
static void test_compared(void)
{
	struct fixture fixture;
	double shares[2] = { 0 }, all = 0;

	set_up(&fixture, &(struct mode){ .has_waits = true });

	g_autoptr(SptProfile) profile = spt_profile_new(fixture.capture, fixture.symbols,
							spt_metric_find("blocked"), NULL);
	g_autoptr(GArray) rows = spt_diff_functions(profile, profile);

	for (unsigned i = 0; i < rows->len; i++) {
		const SptDiffRow *row = &g_array_index(rows, SptDiffRow, i);

		all += row->self[SPT_AFTER];
		if (strcmp(row->name, "update_table") == 0)
			shares[0] = row->self[SPT_AFTER];
		if (strcmp(row->name, "schedule") == 0)
			shares[1] = row->self[SPT_AFTER];
	}
	g_assert_cmpfloat_with_epsilon(shares[0], 400.0 / 450, 0.001);
	g_assert_cmpfloat(shares[1], ==, 0);
	g_assert_cmpfloat_with_epsilon(all, 1, 0.001);
	tear_down(&fixture);
}

/* Of CPU time the innermost function is the truth. */
static void test_self(void)
{
	struct fixture fixture;

	set_up(&fixture, &(struct mode){ .has_waits = true });

	g_autoptr(SptProfile) profile = spt_profile_new(fixture.capture, fixture.symbols,
							spt_metric_find("cpu"), NULL);
	g_autoptr(SptOrder) table = spt_order_new(profile);

	g_assert_null(spt_culprits_know(profile));
	g_assert_false(spt_order_is_own(table));
	tear_down(&fixture);
}

/* Weights of culprits are those of the profile. */
static void test_sums(void)
{
	static const char *const metrics[] = { "cpu", "blocked", "wall", "allocated" };
	struct fixture fixture;

	set_up(&fixture, &(struct mode){ .has_waits = true, .has_memory = true });
	for (unsigned i = 0; i < G_N_ELEMENTS(metrics); i++) {
		g_autoptr(SptProfile) profile = spt_profile_new(
			fixture.capture, fixture.symbols, spt_metric_find(metrics[i]), NULL);
		g_autoptr(GArray) culprits = spt_culprits_new(profile);
		uint64_t sum = 0;

		for (unsigned row = 0; row < culprits->len; row++)
			sum += g_array_index(culprits, SptCulprit, row).weight;
		g_assert_cmpuint(sum, ==, spt_profile_total(profile));
	}
	tear_down(&fixture);
}

static void test_missing(void)
{
	static const struct {
		const char *sides, *whose, *text;
	} cases[] = {
		{ "both", "all", NULL },
		{ NULL, NULL, NULL },
		{ "user", "all", "The kernel was not recorded." },
		{ "kernel", "all", "Only the kernel was recorded." },
		{ "both", "own", "Only your processes were recorded." },
		{ "user", "own", "Only your processes were recorded, without the kernel." },
		{ "nonsense", "nobody", NULL },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct fixture fixture;

		set_up(&fixture,
		       &(struct mode){ .sides = cases[i].sides, .whose = cases[i].whose });

		g_autofree char *text = spt_sentences_missing(fixture.capture);

		g_assert_cmpstr(text, ==, cases[i].text);
		tear_down(&fixture);
	}
}

static void test_wall(void)
{
	static const struct {
		SptWall wall;
		const char *text;
	} cases[] = {
		{ { 2400000000, 0.28, -1, 1, 0 }, "ran 28 %, was off the CPUs 72 % of 2.40 s" },
		{ { 2400000000, 0.28, 0.5, 1, 0 },
		  "ran 28 %, was ready to run 50 %, waited 22 % of 2.40 s" },
		{ { 2400000000, 1, -1, 3.5, 0 }, "ran on 3.5 CPUs at a time, for 2.40 s" },
		{ { 2400000000, 0.5, -1, 2, 0 },
		  "ran 50 % on 2.0 CPUs at a time, was off the CPUs 50 % of 2.40 s" },
		{ { 2400000000, 0.5, 0.25, 2, 0 },
		  "ran 50 % on 2.0 CPUs at a time, was ready to run 25 %, waited 25 % of 2.40 s" },
		{ { 2400000000, 1, -1, 1, 0 }, "ran 100 %, was off the CPUs 0 % of 2.40 s" },
		/* It may be over in no time. */
		{ { 99900000, 0.28, -1, 1, 0 }, "ran 28 %, was off the CPUs 72 % of 99.9 ms" },
		{ { 1234567, 1, -1, 1, 0 }, "ran 100 %, was off the CPUs 0 % of 1.2 ms" },
		{ { 2400000000, 0.5, 0.25, 1, 6 },
		  "ran 50 %, one of 6 threads at a time, was ready to run 25 %, waited 25 % of "
		  "2.40 s" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = spt_sentences_wall(&cases[i].wall);

		g_assert_cmpstr(text, ==, cases[i].text);
	}
}

/* The 48th and 49th bytes are one character. */
static void test_long_name(void)
{
	struct fixture fixture;
	uint32_t n;

	set_up(&fixture, &(struct mode){ .no_kernel = true });

	g_autoptr(SptProfile) profile =
		spt_profile_new(fixture.capture, fixture.symbols, SPT_METRIC_CPU, NULL);
	SptFunction *all = (SptFunction *)spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(all[i].name, "busy") == 0)
			all[i].name =
				"a_function_whose_name_is_longer_than_a_sentence\xc3\xa9_bears";

	g_autofree char *text =
		spt_sentences_line(profile, fixture.capture, fixture.symbols, SPT_SENTENCES_OF_ALL);

	g_assert_true(g_utf8_validate(text, -1, NULL));
	g_assert_nonnull(
		strstr(text, " a_function_whose_name_is_longer_than_a_sentence\xe2\x80\xa6 (all"));
	tear_down(&fixture);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sentences/modes", test_modes);
	g_test_add_func("/sentences/missing", test_missing);
	g_test_add_func("/sentences/wall", test_wall);
	g_test_add_func("/sentences/long-name", test_long_name);
	g_test_add_func("/culprit/first", test_first);
	g_test_add_func("/culprit/first-of-system", test_first_of_system);
	g_test_add_func("/culprit/sums", test_sums);
	g_test_add_func("/culprit/own", test_own);
	g_test_add_func("/culprit/self", test_self);
	g_test_add_func("/culprit/compared", test_compared);
	return g_test_run();
}
