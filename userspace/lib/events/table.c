/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up kinds and options. */
#include "events/event.h"

#define KIND(name) &spt_event_##name,
static const SptEventKind *const kinds[] = { SPT_EVENT_KINDS(KIND) };

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

const char *spt_unit_name(SptUnit unit)
{
	static const char *const names[] = {
		[SPT_UNIT_NS] = "ns",
		[SPT_UNIT_BYTES] = "bytes",
		[SPT_UNIT_EVENTS] = "events",
		[SPT_UNIT_NUMBER] = "number",
	};

	return names[unit];
}

const SptEventOption *spt_event_option(unsigned i)
{
	return i < G_N_ELEMENTS(options) ? options[i] : NULL;
}
