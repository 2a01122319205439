/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up kinds and options. */
#include "events/event.h"

#define KIND(name) &spt_event_##name,
static const SptEventKind *const kinds[] = { SPT_EVENT_KINDS(KIND) };

#define OPTION(name) &spt_option_##name,
static const SptEventOption *const options[] = { SPT_EVENT_OPTIONS(OPTION) };

/* Each event that is recorded is looked up. */
static const GPtrArray *kinds_by_number(void)
{
	static GPtrArray *by_number;
	GPtrArray *made;

	if (!g_once_init_enter(&by_number))
		return by_number;
	made = g_ptr_array_new();
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (kinds[i]->number >= made->len)
			g_ptr_array_set_size(made, kinds[i]->number + 1);
		made->pdata[kinds[i]->number] = kinds[i]->number ? (gpointer)kinds[i] : NULL;
	}
	g_once_init_leave(&by_number, made);
	return made;
}

const SptEventKind *spt_event_kind(unsigned i)
{
	return i < G_N_ELEMENTS(kinds) ? kinds[i] : NULL;
}

const SptEventKind *spt_event_kind_of(uint32_t number)
{
	const GPtrArray *by_number = kinds_by_number();

	return number < by_number->len ? by_number->pdata[number] : NULL;
}

unsigned spt_event_kind_numbers(void)
{
	return kinds_by_number()->len;
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
