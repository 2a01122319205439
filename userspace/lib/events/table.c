/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kinds and that of options: a line for each. */
#include "events/event.h"

/* In the order of their metrics in lists and menus. */
static const SptEventKind *const kinds[] = {
	&spt_event_clock,
	&spt_event_waits,
	&spt_event_wakings,
	&spt_event_lanes,
	&spt_event_irq,
	&spt_event_softirq,
	&spt_event_irqs_off,
	&spt_event_preempt_off,
	&spt_event_faults,
	&spt_event_slab,
	&spt_event_slab_free,
	&spt_event_pages,
	&spt_event_pages_free,
	&spt_event_percpu,
	&spt_event_percpu_free,
	&spt_event_vmalloc,
	&spt_event_vmalloc_free,
	&spt_event_stalls,
	&spt_event_fragmentation,
	&spt_event_block,
	&spt_event_block_done,
	&spt_event_page_cache,
	&spt_event_locks,
	&spt_event_holders,
	&spt_event_memory,
	&spt_event_calls,
};

static const SptEventOption *const options[] = {
	&spt_option_waits, &spt_option_interrupts, &spt_option_locks,  &spt_option_faults,
	&spt_option_kmem,  &spt_option_block,	   &spt_option_memory,
};

const SptEventKind *spt_event_kind(unsigned i)
{
	return i < G_N_ELEMENTS(kinds) ? kinds[i] : NULL;
}

const SptEventKind *spt_event_kind_of(uint32_t number)
{
	for (unsigned i = 0; number && i < G_N_ELEMENTS(kinds); i++)
		if (kinds[i]->number == number)
			return kinds[i];
	return NULL;
}

unsigned spt_event_kind_numbers(void)
{
	unsigned most = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		most = MAX(most, kinds[i]->number);
	return most + 1;
}

const char *spt_event_shape_name(SptEventShape shape)
{
	static const char *const names[] = {
		[SPT_EVENT_SPAN] = "spans",
		[SPT_EVENT_INSTANT] = "marks",
		[SPT_EVENT_SWITCH] = "switches",
	};

	return names[shape];
}

const SptEventOption *spt_event_option(unsigned i)
{
	return i < G_N_ELEMENTS(options) ? options[i] : NULL;
}
