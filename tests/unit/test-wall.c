/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the time that passed something ran: threads that take turns, that run side by side,
 * and other processes beside the command.
 */
#include "profile/wall.h"

#include "captures.h"

#define PERIOD_NS 1000000u
#define SECOND_NS 1000000000u

static GHashTable *host_of(struct fake *fake, const char *ran_ns, const char *pid)
{
	GHashTable *host = g_hash_table_new(g_str_hash, g_str_equal);

	fake_capture(fake);
	g_hash_table_insert(host, (gpointer) "period_ns", (gpointer) "1000000");
	g_hash_table_insert(host, (gpointer) "ran_ns", (gpointer)ran_ns);
	g_hash_table_insert(host, (gpointer) "wall_ns", (gpointer) "1000000000");
	if (pid)
		g_hash_table_insert(host, (gpointer) "command_pid", (gpointer)pid);
	fake->capture.host = host;
	return host;
}

/* A sample at the end of each period of [@begin, @end), a little late. */
static void run(struct fake *fake, uint32_t thread, unsigned begin, unsigned end)
{
	const unsigned function = thread;

	for (unsigned i = begin; i < end; i++)
		fake_sample(fake, thread, &function, 1,
			    (i + 1) * (uint64_t)PERIOD_NS + thread * 1000, 1);
}

static void check(struct fake *fake, const char *ran_ns, const char *pid, double running,
		  double cpus)
{
	g_autoptr(GHashTable) host = host_of(fake, ran_ns, pid);
	SptWall wall;

	g_assert_true(spt_wall_find(&wall, &fake->capture));
	g_assert_cmpuint(wall.wall_ns, ==, SECOND_NS);
	g_assert_cmpfloat_with_epsilon(wall.running, running, 0.003);
	g_assert_cmpfloat_with_epsilon(wall.cpus, cpus, 0.01);
	fake_clear(fake);
}

static void test_one(void)
{
	struct fake fake;

	fake_init(&fake);
	run(&fake, 1, 0, 280);
	/* What ran beside it is none of it. */
	run(&fake, 2, 0, 900);
	check(&fake, "280000000", "10", 0.28, 1);
}

/* Before it executed the command it was another process of the file, with the same number. */
static void test_executed(void)
{
	g_autoptr(GHashTable) host = NULL;
	struct fake fake;
	SptWall wall;

	fake_init(&fake);
	fake.processes[2].pid = fake.processes[1].pid;
	fake.processes[1].end_time = fake.processes[2].start_time = 100 * (uint64_t)PERIOD_NS;
	run(&fake, 1, 0, 100);
	run(&fake, 2, 100, 900);
	host = host_of(&fake, NULL, "10");
	g_hash_table_remove(host, "wall_ns");
	g_hash_table_insert(host, (gpointer) "grid_start", (gpointer) "0");
	g_assert_true(spt_wall_find(&wall, &fake.capture));
	g_assert_cmpuint(wall.wall_ns, >, 880 * (uint64_t)PERIOD_NS);
	fake_clear(&fake);
}

static void test_turns(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.processes[2].parent = 1;
	run(&fake, 1, 0, 250);
	run(&fake, 2, 500, 750);
	check(&fake, "500000000", "10", 0.5, 1);
}

/* Samples that waited for an unwind table come behind later ones. */
static void test_late(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.processes[2].parent = 1;
	run(&fake, 2, 500, 750);
	run(&fake, 1, 0, 250);
	check(&fake, "500000000", "10", 0.5, 1);
}

/* Two at the same time for half of it: it is not the whole that it ran. */
static void test_beside(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.processes[2].parent = 1;
	for (unsigned i = 0; i < 500; i++) {
		run(&fake, 1, i, i + 1);
		run(&fake, 2, i, i + 1);
	}
	check(&fake, "1000000000", "10", 0.5, 2);
}

/* Of some processes, all that was sampled counts; a child of a child whose number is smaller. */
/* The kernel counts no children that nobody waits for; those that go on later have other times. */
static void test_not_waited_for(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.processes[2].parent = 1;
	fake.processes[1].end_time = 1000 * (uint64_t)PERIOD_NS + 1;
	run(&fake, 1, 0, 10);
	run(&fake, 2, 10, 500);
	run(&fake, 2, 1001, 1500);
	check(&fake, "10000000", "10", 0.5, 1);
	/* A little more than it says is what ticks represent. */
	fake_init(&fake);
	fake.processes[2].parent = 1;
	run(&fake, 1, 0, 10);
	run(&fake, 2, 10, 500);
	check(&fake, "480000000", "10", 0.48, 1);
}

static void test_all(void)
{
	struct fake fake;

	fake_init(&fake);
	for (unsigned i = 0; i < 1000; i++) {
		run(&fake, 1, i, i + 1);
		if (i % 2)
			run(&fake, 3, i, i + 1);
	}
	check(&fake, "1500000000", NULL, 1, 1.5);

	fake_init(&fake);
	fake.processes[3].parent = 4;
	fake.processes[2].parent = 3;
	fake.processes[4].pid = 77;
	for (unsigned i = 0; i < 100; i++) {
		run(&fake, 2, i, i + 1);
		run(&fake, 3, i, i + 1);
	}
	check(&fake, "200000000", "77", 0.1, 2);
}

/* More than its samples know of: they were fewer than ought to be. */
static void test_more(void)
{
	struct fake fake;

	fake_init(&fake);
	run(&fake, 1, 0, 10);
	check(&fake, "1800000000", NULL, 1, 1.8);
}

static void test_none(void)
{
	struct fake fake;
	SptWall wall;

	fake_init(&fake);
	run(&fake, 1, 0, 10);
	fake_capture(&fake);
	g_assert_false(spt_wall_find(&wall, &fake.capture));
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wall/one", test_one);
	g_test_add_func("/wall/executed", test_executed);
	g_test_add_func("/wall/turns", test_turns);
	g_test_add_func("/wall/late", test_late);
	g_test_add_func("/wall/beside", test_beside);
	g_test_add_func("/wall/not-waited-for", test_not_waited_for);
	g_test_add_func("/wall/all", test_all);
	g_test_add_func("/wall/more", test_more);
	g_test_add_func("/wall/none", test_none);
	return g_test_run();
}
