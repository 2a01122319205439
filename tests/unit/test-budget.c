/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's budget (module/budget.c), in user space: the rate that follows from the cost of
 * ticks.
 */
#include <glib.h>

#include "budget.c"

#define PERIOD_NS 1000000ull
#define COLD_NS 612000ull
#define WARM_NS 6000ull
#define LONGEST_STRETCH 1000

unsigned int shim_cpu;

void shim_step(void)
{
}

static u64 now;

static void start(u32 ppm)
{
	memset(costs, 0, sizeof(costs));
	agreed_ns = 0;
	look_time.value = 0;
	budget_ppm = ppm;
	shim_cpu = 0;
	now = 1000 * NSEC_PER_SEC;
}

/* For @seconds on one CPU: the first @n_cold ticks cost @cold_ns, the others @cost_ns.  Ticks. */
static unsigned run(unsigned n_cold, u64 cold_ns, u64 cost_ns, unsigned seconds)
{
	u64 end = now + seconds * NSEC_PER_SEC;
	unsigned ticks = 0;

	while (now < end) {
		now += PERIOD_NS * sysprof_budget_stretch(PERIOD_NS);
		sysprof_budget_spent(ticks++ < n_cold ? cold_ns : cost_ns, now);
	}
	return ticks;
}

/* The median swings by a step about what all ticks cost. */
static void assert_stretch(u32 expected)
{
	u32 stretch = sysprof_budget_stretch(PERIOD_NS);

	g_assert_cmpuint(stretch, >=, expected);
	g_assert_cmpuint(stretch, <=, expected + expected / 5);
}

static void assert_stretch_at(u64 cost_ns, u32 expected)
{
	run(0, 0, cost_ns, 5);
	assert_stretch(expected);
}

static void test_keeps(void)
{
	start(10000);
	assert_stretch_at(9000, 1);
	start(10000);
	assert_stretch_at(50000, 5);
	/* Half of the share: as seldom at half of the cost. */
	start(5000);
	assert_stretch_at(25000, 5);
	start(0);
	assert_stretch_at(1000000, 1);
}

/* 100 Hz are taken, unless that were more than a quarter of the CPU. */
static void test_floor(void)
{
	start(10000);
	assert_stretch_at(612000, 10);
	start(10000);
	assert_stretch_at(5000000, 20);
	start(1);
	assert_stretch_at(6000, 10);
	/* At most a thousand periods, whatever it costs. */
	start(1);
	assert_stretch_at(NSEC_PER_SEC, LONGEST_STRETCH);
}

/* The first ticks of a recording, or after a pause, say nothing about the others. */
static void test_cold(void)
{
	start(10000);
	g_assert_cmpuint(run(8, COLD_NS, WARM_NS, 2), >, 1990);
	now += 10 * NSEC_PER_SEC;
	g_assert_cmpuint(run(8, COLD_NS, WARM_NS, 2), >, 1990);
	assert_stretch(1);
	/* A cost that is high for longer counts, soon. */
	g_assert_cmpuint(run(0, 0, 100000, 1), <, 1000);
	g_assert_cmpuint(sysprof_budget_stretch(PERIOD_NS), >, 7);
}

/* The CPU whose ticks cost most sets the rate, but not while it is cold. */
static void test_cpus(void)
{
	start(10000);
	run(0, 0, WARM_NS, 1);
	shim_cpu = 1;
	sysprof_budget_spent(COLD_NS, now);
	shim_cpu = 0;
	run(0, 0, WARM_NS, 1);
	assert_stretch(1);
	shim_cpu = 1;
	run(0, 0, 50000, 1);
	shim_cpu = 0;
	run(0, 0, WARM_NS, 1);
	assert_stretch(5);
	/* It sampled nothing for long. */
	run(0, 0, WARM_NS, 3);
	assert_stretch(1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/budget/keeps to its share", test_keeps);
	g_test_add_func("/budget/100 Hz as long as a quarter of the CPU holds", test_floor);
	g_test_add_func("/budget/cold ticks", test_cold);
	g_test_add_func("/budget/of several CPUs", test_cpus);
	return g_test_run();
}
