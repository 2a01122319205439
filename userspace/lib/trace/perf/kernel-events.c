/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From hits to EVENT records, with an account of them. */
#include <string.h>

#include "trace/perf/kernel-hooks.h"
#include "trace/perf/open.h"

/* Waits, faults and stalls under way; blocks of memory that were picked and not freed. */
#define MOST_PAIRS  65536u
#define MOST_BLOCKS 262144u
/* Nothing that ends lasts longer, unless its end was lost. */
#define STALE_NS    60000000000ULL

/* Bits in the third byte of a trace point's record. */
#define IN_HARDIRQ 0x08
#define IN_SOFTIRQ 0x10
#define IN_NMI	   0x40

SptKernelState *spt_kernel_state_new(SptPerfRecords *records, SptKallsyms *kallsyms,
				     const SptTraceFilter *filter)
{
	SptKernelState *state = g_new0(SptKernelState, 1);

	state->records = records;
	state->kallsyms = kallsyms;
	state->filter = filter;
	state->made = g_byte_array_new();
	state->n_cpus = spt_perf_records_n_cpus(records);
	state->accounts =
		g_new0(struct sysprof_source_account, (gsize)SPT_KERNEL_KINDS * state->n_cpus);
	state->interrupts = g_new0(struct spt_interrupt_cpu, state->n_cpus);
	state->locks = spt_pairs_new(MOST_PAIRS, STALE_NS);
	state->faults = spt_pairs_new(MOST_PAIRS, STALE_NS);
	state->stalls = spt_pairs_new(MOST_PAIRS, STALE_NS);
	state->memory = spt_pairs_new(MOST_BLOCKS, 0);
	spt_kernel_block_init(state);
	return state;
}

void spt_kernel_state_free(SptKernelState *state)
{
	if (!state)
		return;
	spt_kernel_block_clear(state);
	spt_pairs_free(state->locks);
	spt_pairs_free(state->faults);
	spt_pairs_free(state->stalls);
	spt_pairs_free(state->memory);
	g_byte_array_unref(state->made);
	g_free(state->interrupts);
	g_free(state->accounts);
	g_free(state);
}

struct sysprof_source_account *spt_kernel_account(SptKernelState *state, unsigned kind,
						  unsigned cpu)
{
	return &state->accounts[kind * state->n_cpus + cpu];
}

uint64_t spt_hit_number(const struct spt_kernel_hit *hit, unsigned field)
{
	const SptPointField *of = hit->fields[field];

	if (!of || !hit->data || of->form != SPT_POINT_NUMBER)
		return 0;
	return spt_point_format_value(of, hit->data, hit->bytes, NULL).number;
}

void spt_hit_text(const struct spt_kernel_hit *hit, unsigned field, char *to, size_t bytes)
{
	char text[SPT_DECLARED_TEXT_BYTES];
	const SptPointField *of = hit->fields[field];
	SptValue value = { .text = "" };

	if (of && hit->data && of->form != SPT_POINT_NUMBER)
		value = spt_point_format_value(of, hit->data, hit->bytes, text);
	g_strlcpy(to, value.text, bytes);
}

uint64_t spt_hit_thread(const struct spt_kernel_hit *hit)
{
	return hit->who.tid ? hit->who.tid : SPT_IDLE_OF(hit->who.cpu);
}

static uint8_t hit_bits(const struct spt_kernel_hit *hit)
{
	return hit->data && hit->bytes > 2 ? hit->data[2] : 0;
}

bool spt_hit_in_softirq(const struct spt_kernel_hit *hit)
{
	return hit_bits(hit) & IN_SOFTIRQ;
}

uint8_t spt_hit_context(const struct spt_kernel_hit *hit)
{
	uint8_t bits = hit_bits(hit);

	if (bits & IN_NMI)
		return SYSPROF_CONTEXT_NMI;
	if (bits & IN_HARDIRQ)
		return SYSPROF_CONTEXT_IRQ;
	if (bits & IN_SOFTIRQ)
		return SYSPROF_CONTEXT_SOFTIRQ;
	return hit->who.tid ? SYSPROF_CONTEXT_TASK : SYSPROF_CONTEXT_IDLE;
}

static void tally_add(struct sysprof_tally *tally, const struct sysprof_event *event)
{
	tally->events++;
	tally->value += event->value;
	tally->ns += event->duration;
	tally->weight += event->weight;
}

bool spt_kernel_tell(SptKernelState *state, const struct spt_kernel_hit *hit,
		     const struct spt_kernel_event *from)
{
	struct sysprof_source_account *account =
		spt_kernel_account(state, from->kind, hit->who.cpu);
	uint64_t begin = from->begin ? MIN(from->begin, hit->who.time) : hit->who.time;
	struct sysprof_event *event;

	if (!spt_perf_wants_cpu(state->filter, hit->who.cpu)) {
		account->excluded.events++;
		return false;
	}
	event = spt_perf_event_begin(state->made, state->records, &hit->who,
				     from->has_stack ? hit->sample : NULL, hit->sink);
	event->record.flags |= from->flags;
	event->begin = begin;
	event->duration = hit->who.time - begin;
	event->value = from->value;
	event->key = from->key;
	event->weight = from->weight;
	event->source = SPT_TRACE_KERNEL + from->kind;
	event->phase = from->phase;
	event->state = from->context;
	tally_add(&account->delivered, event);
	if (from->part)
		spt_perf_event_add(state->made, from->part);
	spt_perf_event_put(state->made, &hit->who, hit->sink);
	return true;
}

void spt_kernel_tell_unpaired(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	struct sysprof_source_account *account =
		spt_kernel_account(state, hit->hook->kind, hit->who.cpu);

	if (state->has_lost || spt_pairs_was_full(state->locks) ||
	    spt_pairs_was_full(state->stalls))
		account->lost[SYSPROF_LOST_NO_SLOT].events++;
}
