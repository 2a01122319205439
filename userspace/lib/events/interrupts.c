/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What interrupts do, and stretches in which they, or preemption, are off. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

#define PERIOD_NS    1000000
#define THRESHOLD_NS 100000

const SptEventOption spt_option_interrupts = {
	.name = "interrupts",
	.flag = "--interrupts",
	.key = "interrupts",
	.title = SPT_WORDS("Interrupts"),
	.note = SPT_WORDS("The time of interrupt handlers, and what they interrupt"),
	.help = "Also record the time of interrupt and softirq handlers, and what they interrupt",
	.bit = 1u << 0,
};

static const SptEventField fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ 0 },
};

static const SptEventRequest handlers = {
	.has_stacks = true,
	.period = PERIOD_NS,
};

static const SptEventMetric irq_metrics[] = {
	{
		.name = "irq",
		.title = SPT_WORDS("Interrupts"),
		.value = "handling interrupts",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT | SPT_METRIC_HAS_VECTOR,
	},
	{ 0 },
};

const SptEventKind spt_event_irq = {
	.name = "interrupts",
	.number = SYSPROF_SOURCE_IRQ,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_interrupts,
	.request = &handlers,
	.metrics = irq_metrics,
};

static const SptEventMetric softirq_metrics[] = {
	{
		.name = "softirq",
		.title = SPT_WORDS("Soft Interrupts"),
		.value = "handling soft interrupts",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT | SPT_METRIC_HAS_VECTOR,
	},
	{ 0 },
};

const SptEventKind spt_event_softirq = {
	.name = "softirqs",
	.number = SYSPROF_SOURCE_SOFTIRQ,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_interrupts,
	.request = &handlers,
	.metrics = softirq_metrics,
};

static const SptEventRequest irqs_off = {
	.has_stacks = true,
	.is_optional = true,
	.threshold = THRESHOLD_NS,
	.part = "stretches with interrupts off",
	.in_part = "sees a stretch with interrupts off if a tick is due in it",
};

static const SptEventMetric irqs_off_metrics[] = {
	{
		.name = "irqs-off",
		.title = SPT_WORDS("Interrupts Off"),
		.value = "stretches with interrupts off, where they ended",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
	},
	{ 0 },
};

const SptEventKind spt_event_irqs_off = {
	.name = "irqs-off",
	.number = SYSPROF_SOURCE_IRQS_OFF,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_interrupts,
	.request = &irqs_off,
	.metrics = irqs_off_metrics,
};

static const SptEventRequest preempt_off = {
	.has_stacks = true,
	.is_optional = true,
	.is_rare = true,
	.threshold = THRESHOLD_NS,
	.part = "stretches with preemption off",
};

static const SptEventMetric preempt_off_metrics[] = {
	{
		.name = "preempt-off",
		.title = SPT_WORDS("Preemption Off"),
		.value = "stretches with preemption off, where they ended",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
	},
	{ 0 },
};

const SptEventKind spt_event_preempt_off = {
	.name = "preempt-off",
	.number = SYSPROF_SOURCE_PREEMPT_OFF,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_interrupts,
	.request = &preempt_off,
	.metrics = preempt_off_metrics,
};
