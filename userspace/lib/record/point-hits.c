/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/point-hits.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "record/arena-counts.h"
#include "record/open-calls.h"
#include "record/recorder.h"
#include "trace/points/point.h"

/* Numbers of kinds, beyond those of said.c. */
#define FIRST_KIND 8192u
#define EVERY_NS   1000000000ULL

struct SptHits {
	const GPtrArray *points;
	bool only_counts;
	SptTrace *trace;
	SptOutput *output;
	uint64_t *rows;			/* by point */
	SptTraceCount *counted;		/* by point, at @counted_ns */
	uint64_t counted_ns, accounts_ns; /* accounts_ns: of the module's; 0: there are none */
	GArray *counts;			/* SptHitCount */
	uint64_t lost;			/* of all points; at the end */
	GArray *accounts;		/* SptTraceCount, by CPU and point, of the module's */
	SptOpenCalls *calls;
	SptArenaCounts *arenas;		/* NULL: no point is about them */
	bool has_probes;		/* in programs, of calls */
	char texts[SPT_DECLARED_FIELDS][SPT_DECLARED_TEXT_BYTES];
};

SptHits *spt_hits_new(const GPtrArray *points, bool only_counts, SptTrace *trace, SptOutput *output)
{
	SptHits *hits = g_new0(SptHits, 1);

	hits->points = points;
	hits->only_counts = only_counts;
	hits->trace = trace;
	hits->output = output;
	hits->rows = g_new0(uint64_t, points->len);
	hits->counted = g_new0(SptTraceCount, points->len);
	hits->counts = g_array_new(FALSE, FALSE, sizeof(SptHitCount));
	hits->calls = spt_open_calls_new();
	hits->arenas = only_counts ? NULL : spt_arena_counts_new(points, output);
	hits->accounts = g_array_new(FALSE, TRUE, sizeof(SptTraceCount));
	for (unsigned i = 0; i < points->len; i++) {
		const SptPoint *point = points->pdata[i];

		hits->has_probes |= point->type == SPT_POINT_PROBE && point->is_timed;
	}
	return hits;
}

void spt_hits_free(SptHits *hits)
{
	if (!hits)
		return;
	spt_open_calls_free(hits->calls);
	spt_arena_counts_free(hits->arenas);
	g_free(hits->rows);
	g_free(hits->counted);
	g_array_unref(hits->counts);
	g_array_unref(hits->accounts);
	g_free(hits);
}

/* A hit that represents several counted events says how many. */
static bool has_count(const SptPoint *point)
{
	return (point->type == SPT_POINT_SOFTWARE || point->type == SPT_POINT_HARDWARE) &&
	       point->period > 1;
}

static SptDeclarationRow count_declaration(const SptPoint *point, uint32_t id)
{
	return (SptDeclarationRow){
		.id = id,
		.shape = SPT_DECLARED_COUNTER,
		.name = point->name,
		.n_fields = 1,
		.fields = { { "value", "/s", SPT_VALUE_F64 } },
	};
}

static void hits_declare(void *part)
{
	SptHits *hits = part;

	hits->counted_ns = spt_clock_ns(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < hits->points->len; i++) {
		const SptPoint *point = hits->points->pdata[i];
		SptDeclarationRow row = {
			.id = FIRST_KIND + i,
			.shape = point->is_timed ? SPT_DECLARED_INTERVAL : SPT_DECLARED_INSTANT,
			.name = point->name,
			.n_fields = point->format.n_fields,
		};

		if (hits->only_counts) {
			row = count_declaration(point, row.id);
			spt_output_put(hits->output, SPT_ROW_DECLARATION, &row);
			continue;
		}
		for (unsigned k = 0; k < row.n_fields; k++)
			row.fields[k] = point->format.fields[k].field;
		if (has_count(point))
			row.fields[row.n_fields++] =
				(SptDeclaredField){ "count", "", SPT_VALUE_U64 };
		spt_output_put(hits->output, SPT_ROW_DECLARATION, &row);
	}
}

/* The copy of the stack in a sample, which the kernel has left to us; NULL: there is none. */
static uint8_t *copy_in(const struct sysprof_sample *sample, const struct sysprof_raw **ret)
{
	if (!sample || sample->raw_bytes < sizeof(**ret))
		return NULL;
	*ret = (const void *)(sample->frames + sample->n_kernel + sample->n_user);
	return (uint8_t *)&(*ret)->regs[(*ret)->n_regs];
}

/* On x86-64 the return address is where the stack pointer leads when a function begins. */
static uint64_t caller_of(const SptPoint *point, const struct sysprof_sample *sample)
{
	uint64_t caller = 0;
#if defined(__x86_64__)
	const struct sysprof_raw *raw;
	const uint8_t *copy = point->type == SPT_POINT_PROBE ? copy_in(sample, &raw) : NULL;

	if (copy && raw->stack_bytes >= sizeof(caller))
		memcpy(&caller, copy, sizeof(caller));
#else
	(void)point;
	(void)sample;
#endif
	return caller;
}

void spt_hits_mend(const SptHits *hits, const struct sysprof_sample *sample)
{
	const struct sysprof_raw *raw;
	uint8_t *copy = hits->has_probes ? copy_in(sample, &raw) : NULL;

	if (copy)
		spt_open_calls_mend(hits->calls, sample->record.tid, raw->regs[SPT_POINT_SP], copy,
				    raw->stack_bytes);
}

/* Of the copy of the stack that is in the hit, if there is one. */
static SptValue argument_of(const SptPointField *field, const SptTraceHit *hit)
{
	const struct sysprof_raw *raw;
	const uint8_t *copy = copy_in(hit->stack, &raw);
	uint64_t sp = hit->registers ? hit->registers[SPT_POINT_SP] : 0;

	return spt_point_argument(field, hit->registers, sp, copy, copy ? raw->stack_bytes : 0);
}

/* What an event of tracefs has read.  Texts are put together, and have their place in that. */
static void take_fetched(SptHits *hits, const SptTraceHit *hit, const SptPointFormat *format,
			 SptOpenCall *call)
{
	GString *texts = NULL;
	size_t at;

	for (unsigned i = SPT_POINT_CALL_FIELDS; i < format->n_fields; i++) {
		const SptPointField *field = &format->fields[i];
		SptValue *value = &call->arguments[i - SPT_POINT_CALL_FIELDS];

		*value = spt_point_format_value(field, hit->data, hit->data ? hit->bytes : 0,
						hits->texts[i]);
		if (field->field.type != SPT_VALUE_TEXT)
			continue;
		if (!texts)
			texts = g_string_new(NULL);
		at = texts->len;
		g_string_append_len(texts, value->text, (gssize)strlen(value->text) + 1);
		value->number = at;
	}
	if (texts)
		call->texts = g_string_free(texts, FALSE);
}

static void begin_call(SptHits *hits, const SptTraceHit *hit, uint32_t thread, uint32_t node)
{
	const SptPoint *point = hits->points->pdata[hit->point];
	const SptPointFormat *format = &point->format;
	SptOpenCall call = {
		.time = hit->record.time,
		.sp = hit->sp,
		.function = hit->point,
		.cpu = hit->record.cpu,
		.thread = thread,
		.node = node,
		.caller = caller_of(point, hit->stack),
	};

	if (point->begin)
		take_fetched(hits, hit, format, &call);
	for (unsigned i = SPT_POINT_CALL_FIELDS; !point->begin && i < format->n_fields; i++)
		call.arguments[i - SPT_POINT_CALL_FIELDS] = argument_of(&format->fields[i], hit);
	spt_open_calls_begin(hits->calls, hit->record.tid, &call);
}

/* False: it began before the recording. */
static bool end_call(SptHits *hits, const SptTraceHit *hit, SptDeclaredRow *row)
{
	const SptPointFormat *format =
		&((const SptPoint *)hits->points->pdata[hit->point])->format;
	SptOpenCall call = { .sp = hit->sp, .function = hit->point, .cpu = hit->record.cpu };

	if (!spt_open_calls_end(hits->calls, hit->record.tid, hit->record.time, &call))
		return false;
	row->time = call.time;
	row->duration_ns = hit->record.time - MIN(call.time, hit->record.time);
	row->cpu = call.cpu;
	row->thread = call.thread;
	row->node = call.node;
	row->values[0].integer = hit->returned;
	row->values[1].number = row->duration_ns - MIN(call.inner_ns, row->duration_ns);
	for (unsigned i = SPT_POINT_CALL_FIELDS; i < format->n_fields; i++) {
		const SptValue *value = &call.arguments[i - SPT_POINT_CALL_FIELDS];

		row->values[i] = *value;
		if (format->fields[i].field.type != SPT_VALUE_TEXT)
			continue;
		g_strlcpy(hits->texts[i], call.texts + value->number, sizeof(hits->texts[i]));
		row->values[i].text = hits->texts[i];
	}
	g_free(call.texts);
	return true;
}

void spt_hits_take(SptHits *hits, const SptTraceHit *hit, const SptThread *thread, uint32_t node)
{
	const SptPoint *point = hits->points->pdata[hit->point];
	const SptPointFormat *format = &point->format;
	SptDeclaredRow row = {
		.time = hit->record.time,
		.kind = FIRST_KIND + hit->point,
		.cpu = hit->record.cpu,
		.thread = thread->id,
		.node = node,
	};

	if (hits->only_counts)
		return;
	if (hit->phase == SPT_TRACE_HIT_CALL) {
		begin_call(hits, hit, thread->id, node);
		return;
	}
	for (unsigned i = 0; !point->is_timed && i < format->n_fields; i++)
		row.values[i] = point->has_arguments && !point->begin ?
					argument_of(&format->fields[i], hit) :
					spt_point_format_value(&format->fields[i], hit->data,
							       hit->data ? hit->bytes : 0,
							       hits->texts[i]);
	if (hit->phase == SPT_TRACE_HIT_RETURN && !end_call(hits, hit, &row))
		return;
	if (has_count(point))
		row.values[format->n_fields].number = point->period;
	hits->rows[hit->point]++;
	spt_output_put(hits->output, SPT_ROW_DECLARED, &row);
	if (hits->arenas)
		spt_arena_counts_take(hits->arenas, hit->point, thread, &row);
}

static void hits_process(void *part, const SptProcess *process)
{
	const SptHits *hits = part;

	if (hits->arenas)
		spt_arena_counts_process(hits->arenas, process);
}

void spt_hits_account(SptHits *hits, const SptSourceAccountRow *row)
{
	SptTraceCount count = { .count = row->tallies[SPT_TALLY_SEEN].events -
					 row->tallies[SPT_TALLY_EXCLUDED].events };
	unsigned at;

	hits->accounts_ns = row->time;
	for (unsigned i = SPT_TALLY_LOST; i < SPT_TALLIES; i++)
		count.lost += row->tallies[i].events;
	for (unsigned i = 0; i < hits->points->len; i++) {
		if (((const SptPoint *)hits->points->pdata[i])->source != row->kind)
			continue;
		at = row->cpu * hits->points->len + i;
		if (at >= hits->accounts->len)
			g_array_set_size(hits->accounts, at + 1);
		g_array_index(hits->accounts, SptTraceCount, at) = count;
	}
}

/* Those that the module reports are in its accounts.  False: it is not counted. */
static bool hits_count(const SptHits *hits, unsigned point, SptTraceCount *ret)
{
	*ret = (SptTraceCount){ 0 };
	if (!((const SptPoint *)hits->points->pdata[point])->source)
		return spt_trace_count(hits->trace, point, ret);
	for (unsigned at = point; at < hits->accounts->len; at += hits->points->len) {
		ret->count += g_array_index(hits->accounts, SptTraceCount, at).count;
		ret->lost += g_array_index(hits->accounts, SptTraceCount, at).lost;
	}
	return true;
}

/* The part of the time between two readings in which it was counted: less than 1 if in turn. */
static double part_counted(const SptTraceCount *before, const SptTraceCount *now)
{
	uint64_t enabled_ns = now->enabled_ns - MIN(before->enabled_ns, now->enabled_ns),
		 running_ns = now->running_ns - MIN(before->running_ns, now->running_ns);

	return running_ns < enabled_ns ? (double)running_ns / (double)enabled_ns : 1;
}

/* How often it was hit in a second since it was last read. */
static void put_rate(SptHits *hits, unsigned point, uint64_t now_ns)
{
	SptDeclaredRow row = { .time = now_ns, .kind = FIRST_KIND + point };
	SptTraceCount count, *before = &hits->counted[point];
	double part;

	if (!hits_count(hits, point, &count))
		return;
	part = part_counted(before, &count);
	if (now_ns > hits->counted_ns && part > 0) {
		row.values[0].real =
			(double)(count.count - MIN(before->count, count.count)) * 1e9 /
			(part * (double)(now_ns - hits->counted_ns));
		hits->rows[point]++;
		spt_output_put(hits->output, SPT_ROW_DECLARED, &row);
	}
	*before = count;
}

static void put_rates(SptHits *hits, uint64_t now_ns)
{
	for (unsigned i = 0; i < hits->points->len; i++)
		put_rate(hits, i, now_ns);
	hits->counted_ns = now_ns;
}

static bool hits_step(void *part, const SptStageStep *step, G_GNUC_UNUSED GError **error)
{
	SptHits *hits = part;
	uint64_t now_ns = hits->accounts_ns ? hits->accounts_ns : step->time_ns;

	if (hits->only_counts && now_ns >= hits->counted_ns + EVERY_NS)
		put_rates(hits, now_ns);
	return true;
}

const GArray *spt_hits_counts(const SptHits *hits)
{
	return hits->counts;
}

uint64_t spt_hits_open(const SptHits *hits)
{
	return spt_open_calls_count(hits->calls);
}

uint64_t spt_hits_lost(const SptHits *hits)
{
	return hits->lost;
}

static void note_count(const SptHits *hits, unsigned i, const SptTraceCount *count)
{
	const SptPoint *point = hits->points->pdata[i];
	g_autofree char *key = g_strconcat("event ", point->name, NULL);
	g_autofree char *text =
		g_strdup_printf("count=%" PRIu64 " rows=%" PRIu64 " enabled_ns=%" PRIu64
				" running_ns=%" PRIu64,
				count->count, hits->rows[i], count->enabled_ns, count->running_ns);

	spt_output_host(hits->output, key, text);
}

static void add_shared(GString *text, const SptPoint *point, const SptTraceCount *count)
{
	if (count->running_ns >= count->enabled_ns)
		return;
	g_string_append(text, text->len ? ", " :
					  "the CPU has too few counters for all events at once; "
					  "they were counted in turn, for this part of the time: ");
	g_string_append_printf(text, "%s %.0f %%", point->name,
			       100.0 * (double)count->running_ns / (double)count->enabled_ns);
}

static void add_limited(GString *text, const SptPoint *point, const SptTraceCount *count,
			uint64_t start_ns)
{
	if (count->only_counted_from <= start_ns)
		return;
	g_string_append_printf(text, "%s%s from %.1f s on",
			       text->len ? ", " :
					   "to keep the machine usable, events that came too often were only counted: ",
			       point->name,
			       (double)(count->only_counted_from - start_ns) / 1e9);
}

static void add_count(SptHits *hits, const SptPoint *point, const SptTraceCount *count, uint64_t ns)
{
	const SptTraceCount none = { 0 };
	const SptHitCount sum = { point->name, count->count,
				  (uint64_t)((double)ns * part_counted(&none, count)) };

	g_array_append_val(hits->counts, sum);
}

char *spt_hits_finish(SptHits *hits, uint64_t start_ns, uint64_t stop_ns)
{
	g_autoptr(GString) shared = g_string_new(NULL), limited = g_string_new(NULL);
	unsigned left_out = hits->arenas ? spt_arena_counts_left_out(hits->arenas) : 0;
	g_autofree char *lost = NULL;

	if (hits->only_counts)
		put_rates(hits, stop_ns);
	for (unsigned i = 0; i < hits->points->len; i++) {
		const SptPoint *point = hits->points->pdata[i];
		SptTraceCount count;

		if (!hits_count(hits, i, &count))
			continue;
		hits->lost += count.lost;
		note_count(hits, i, &count);
		add_shared(shared, point, &count);
		add_limited(limited, point, &count, start_ns);
		if (hits->only_counts)
			add_count(hits, point, &count, stop_ns - MIN(start_ns, stop_ns));
	}
	/* Those of events that are not counted each are known by the source's records alone. */
	hits->lost = MAX(hits->lost, spt_trace_hits_lost(hits->trace));
	lost = g_strdup_printf("%" PRIu64, hits->lost);
	spt_output_host(hits->output, "hits_lost", lost);
	if (limited->len && shared->len)
		g_string_append(limited, "; ");
	g_string_append(limited, shared->str);
	if (left_out)
		g_string_append_printf(limited,
				       "%sarenas of too many processes have changed; %u of them have no counters, report --malloc-arenas has all",
				       limited->len ? "; " : "", left_out);
	return limited->len ? g_strdup(limited->str) : NULL;
}

const SptStage spt_hits_stage = {
	.begin = hits_declare,
	.process = hits_process,
	.step = hits_step,
	.free = (GDestroyNotify)spt_hits_free,
};
