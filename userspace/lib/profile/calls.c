/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics of all functions whose calls were recorded: how many, and for how long.  A call's time
 * is that outside of other recorded calls, so that each moment of a thread counts once.
 */
#include <string.h>

#include "capture/declared.h"
#include "profile/weights.h"

#define RETURN_FIELD 0
#define OWN_FIELD    1

struct calls {
	const SptCapture *capture;
	SptDeclaredReader *reader;	/* of the kind before @kind; NULL: none */
	unsigned kind;
	const SptDeclaredRow *rows;
	uint32_t n;
	bool is_timed;
};

static bool calls_is_of(const SptDeclared *kind)
{
	return kind->shape == SPT_DECLARED_INTERVAL && kind->n_fields > OWN_FIELD &&
	       strcmp(kind->fields[RETURN_FIELD].name, SPT_DECLARED_RETURN) == 0 &&
	       strcmp(kind->fields[OWN_FIELD].name, SPT_DECLARED_OWN) == 0 &&
	       kind->fields[OWN_FIELD].type == SPT_VALUE_NS;
}

static bool calls_are_in(const SptCapture *capture)
{
	const SptDeclared *kind;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (calls_is_of(kind))
			return true;
	return false;
}

static uint64_t calls_count(const SptCapture *capture)
{
	const SptDeclared *kind;
	uint64_t n = 0;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		n += calls_is_of(kind) ? kind->rows : 0;
	return n;
}

static struct calls *new_calls(const SptCapture *capture, bool is_timed)
{
	struct calls *calls = g_new0(struct calls, 1);

	calls->capture = capture;
	calls->is_timed = is_timed;
	return calls;
}

static gpointer begin_calls(const SptCapture *capture)
{
	return new_calls(capture, false);
}

static gpointer begin_durations(const SptCapture *capture)
{
	return new_calls(capture, true);
}

static void calls_end(gpointer data)
{
	struct calls *calls = data;

	g_clear_pointer(&calls->reader, spt_declared_reader_free);
	g_free(calls);
}

/* The next rows of a function, of whichever has some; false: there are no more. */
static bool read_more(struct calls *calls)
{
	const SptDeclared *kind;

	for (;;) {
		if (calls->reader)
			calls->rows = spt_declared_reader_next(calls->reader, &calls->n);
		if (calls->reader && calls->rows && calls->n)
			return true;
		g_clear_pointer(&calls->reader, spt_declared_reader_free);
		calls->n = 0;
		kind = spt_declared(calls->capture, calls->kind);
		if (!kind)
			return false;
		calls->kind++;
		if (calls_is_of(kind))
			calls->reader = spt_declared_reader_new(calls->capture, kind);
	}
}

static uint32_t calls_next(gpointer data, SptWeightRow *rows)
{
	struct calls *calls = data;
	uint32_t n = 0;

	while (n < SPT_WEIGHTS_BATCH && (calls->n || read_more(calls))) {
		const SptDeclaredRow *row = calls->rows++;

		calls->n--;
		rows[n++] = (SptWeightRow){
			.time = row->time + (calls->is_timed ? row->duration_ns : 0),
			.duration_ns = calls->is_timed ? row->duration_ns : 0,
			.weight = calls->is_timed ? row->values[OWN_FIELD].number : 1,
			.thread = row->thread,
			.cpu = row->cpu,
			.node = row->node,
		};
	}
	return n;
}

const SptWeightSource spt_weights_calls = {
	.is_in = calls_are_in,
	.count = calls_count,
	.begin = begin_calls,
	.next = calls_next,
	.end = calls_end,
};

const SptWeightSource spt_weights_durations = {
	.is_in = calls_are_in,
	.count = calls_count,
	.begin = begin_durations,
	.next = calls_next,
	.end = calls_end,
};
