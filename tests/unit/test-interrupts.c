/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's source of interrupts (module/sources/interrupts.c) in user space: NMIs within its
 * hooks, and soft interrupts that preempt each other, as on an RT kernel.
 */
#define CONFIG_PREEMPT_RT 1
#include <glib.h>

#include "shim.h"

/* What the headers of the module declare that this file needs. */
#define _SYSPROF_IMMEDIATE_H
#include "sysprof-event.h"
enum sysprof_immediate { SYSPROF_IMMEDIATE_IRQ, SYSPROF_IMMEDIATE_SOFTIRQ };
struct sysprof_immediate_event {
	u64 begin, end, value;
	const struct sysprof_part *part;
	enum sysprof_immediate immediate;
	u8 context;
};
struct sysprof_hook {
	const char *name;
	void *probe;
	void *data;
	bool is_optional;
};
struct sysprof_hooking {
	int arming;
	struct sysprof_hook *hooks;
	int n;
	int (*begin)(void);
};
#define SYSPROF_HOOKING_ARMING(hooking) 0
struct irqaction {
	const char *name;
};
enum { HI_SOFTIRQ, TIMER_SOFTIRQ, NET_TX_SOFTIRQ, NET_RX_SOFTIRQ, BLOCK_SOFTIRQ, IRQ_POLL_SOFTIRQ,
       TASKLET_SOFTIRQ, SCHED_SOFTIRQ, HRTIMER_SOFTIRQ, RCU_SOFTIRQ };
#define check_trace_callback_type_irq_handler_entry(hit) ((void)(hit))
#define check_trace_callback_type_irq_handler_exit(hit) ((void)(hit))
#define check_trace_callback_type_softirq_entry(hit) ((void)(hit))
#define check_trace_callback_type_softirq_exit(hit) ((void)(hit))
#define __maybe_unused __attribute__((unused))
#define strscpy(to, from, bytes) g_strlcpy(to, from, bytes)
#undef in_nmi
#define in_nmi() is_nmi
#undef current
#define current (&tasks[running])

static bool is_nmi;
static struct task_struct tasks[16];
static unsigned running;
static struct {
	enum sysprof_immediate immediate;
	u64 begin, value;
} seen[16];
static unsigned n_seen, n_missed;

static void sysprof_immediate_tell(const struct sysprof_immediate_event *event)
{
	g_assert_cmpuint(n_seen, <, G_N_ELEMENTS(seen));
	seen[n_seen].immediate = event->immediate;
	seen[n_seen].begin = event->begin;
	seen[n_seen++].value = event->value;
}

static void sysprof_immediate_missed(enum sysprof_immediate immediate)
{
	g_assert_cmpint(immediate, ==, SYSPROF_IMMEDIATE_SOFTIRQ);
	n_missed++;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "interrupts.c"
#pragma GCC diagnostic warning "-Wunused-parameter"
#pragma GCC diagnostic warning "-Wmissing-field-initializers"

unsigned int shim_cpu;
static u64 now_ns;

void shim_step(void)
{
}

static void come_as_nmi(void);
static bool nmi_comes;

/* Where the hook of an interrupt's end reads the clock, an NMI may come. */
u64 ktime_get_mono_fast_ns(void)
{
	if (nmi_comes) {
		nmi_comes = false;
		come_as_nmi();
	}
	return now_ns;
}

static void come_as_nmi(void)
{
	struct irqaction action = { "pmu" };

	is_nmi = true;
	irq_entry_hit(NULL, 2, &action);
	now_ns += 7;
	irq_exit_hit(NULL, 2, &action, 0);
	is_nmi = false;
}

static void set_up(void)
{
	interrupts_begin();
	n_seen = n_missed = 0;
	now_ns = 1000;
	is_nmi = false;
	running = 0;
}

static void softirq(unsigned task, bool begins)
{
	running = task;
	if (begins)
		interrupts_softirq_entry_hit(NULL, TIMER_SOFTIRQ);
	else
		interrupts_softirq_exit_hit(NULL, TIMER_SOFTIRQ);
}

/* NMIs that have an action come within an interrupt, and within the hook of its end. */
static void test_nmis(void)
{
	struct irqaction action = { "eth0" };

	set_up();
	irq_entry_hit(NULL, 1, &action);
	now_ns += 100;
	come_as_nmi();
	now_ns += 100;
	nmi_comes = true;
	irq_exit_hit(NULL, 1, &action, 0);
	g_assert_cmpuint(n_seen, ==, 1);
	g_assert_cmpuint(n_missed, ==, 0);
	g_assert_cmpuint(seen[0].begin, ==, 1000);
	g_assert_cmpuint(seen[0].value, ==, 214);
}

/* An interrupt within a soft one; the one that was under way when the hooks came is not known. */
static void test_nested(void)
{
	struct irqaction action = { "eth0" };

	set_up();
	irq_exit_hit(NULL, 1, &action, 0);
	g_assert_cmpuint(n_seen, ==, 0);
	softirq(1, true);
	now_ns += 10;
	irq_entry_hit(NULL, 1, &action);
	now_ns += 100;
	irq_exit_hit(NULL, 1, &action, 0);
	now_ns += 20;
	softirq(1, false);
	g_assert_cmpuint(n_seen, ==, 2);
	g_assert_cmpuint(seen[0].value, ==, 100);
	g_assert_cmpint(seen[1].immediate, ==, SYSPROF_IMMEDIATE_SOFTIRQ);
	g_assert_cmpuint(seen[1].value, ==, 30);
}

/* Each ends with its own beginning; one too many is counted. */
static void test_preempted(void)
{
	set_up();
	for (unsigned task = 0; task < SOFTIRQS; task++, now_ns += 10)
		softirq(task, true);
	softirq(SOFTIRQS, true);
	g_assert_cmpuint(n_missed, ==, 1);
	softirq(SOFTIRQS, false);
	g_assert_cmpuint(n_seen, ==, 0);
	for (unsigned task = SOFTIRQS; task-- > 0;)
		softirq(task, false);
	g_assert_cmpuint(n_seen, ==, SOFTIRQS);
	for (unsigned i = 0; i < SOFTIRQS; i++)
		g_assert_cmpuint(seen[i].begin, ==, 1000 + 10 * (SOFTIRQS - 1 - i));
	softirq(3, false);
	g_assert_cmpuint(n_seen, ==, SOFTIRQS);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/interrupts/nmis", test_nmis);
	g_test_add_func("/interrupts/nested", test_nested);
	g_test_add_func("/interrupts/preempted", test_preempted);
	return g_test_run();
}
