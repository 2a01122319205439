/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/said.h"

#include <math.h>
#include <string.h>

#include "base/words.h"

enum { MARK_KIND = 1, LOG_KIND, FLOW_KIND, CALL_KIND, SIGNAL_KIND };
G_STATIC_ASSERT(SIGNAL_KIND < SPT_SAID_FIRST_COUNTER);

struct SptSaid {
	SptOutput *output;
	bool has_mark, has_log, has_flow, has_call, has_signal;
	SptFlowEnds *flows;
	GHashTable *counters;		/* name -> number of the kind */
};

const SptDeclarationRow spt_said_mark_kind = {
	.id = MARK_KIND,
	.shape = SPT_DECLARED_INTERVAL,
	.name = SPT_SAID_MARK,
	.title = SPT_WORDS("Marks"),
	.n_fields = 3,
	.fields = { { "name", "", SPT_VALUE_TEXT },
		    { "category", "", SPT_VALUE_TEXT },
		    { "message", "", SPT_VALUE_TEXT } },
};

const SptDeclarationRow spt_said_log_kind = {
	.id = LOG_KIND,
	.shape = SPT_DECLARED_INSTANT,
	.name = SPT_SAID_LOG,
	.title = SPT_WORDS("Log"),
	.n_fields = 3,
	.fields = { { "text", "", SPT_VALUE_TEXT },
		    { "severity", "", SPT_VALUE_ID },
		    { "source", "", SPT_VALUE_TEXT } },
};

static const SptDeclarationRow flow_kind = {
	.id = FLOW_KIND,
	.shape = SPT_DECLARED_INSTANT,
	.name = SPT_SAID_FLOW,
	.title = SPT_WORDS("Flows"),
	.n_fields = 3,
	.fields = { { "name", "", SPT_VALUE_TEXT },
		    { "side", "", SPT_VALUE_TEXT },
		    { "id", "", SPT_VALUE_ID } },
};

static const SptDeclarationRow call_kind = {
	.id = CALL_KIND,
	.shape = SPT_DECLARED_INTERVAL,
	.name = SPT_SAID_CALL,
	.title = SPT_WORDS("Calls on D-Bus"),
	.n_fields = 9,
	.fields = { { "name", "", SPT_VALUE_TEXT },
		    { "category", "", SPT_VALUE_TEXT },
		    { "client", "", SPT_VALUE_TEXT },
		    { "server", "", SPT_VALUE_TEXT },
		    { "error", "", SPT_VALUE_TEXT },
		    { "client_pid", "", SPT_VALUE_ID },
		    { "server_pid", "", SPT_VALUE_ID },
		    { "bytes", "bytes", SPT_VALUE_BYTES },
		    { "reply_bytes", "bytes", SPT_VALUE_BYTES } },
};

static const SptDeclarationRow signal_kind = {
	.id = SIGNAL_KIND,
	.shape = SPT_DECLARED_INSTANT,
	.name = SPT_SAID_SIGNAL,
	.title = SPT_WORDS("Signals on D-Bus"),
	.n_fields = 6,
	.fields = { { "name", "", SPT_VALUE_TEXT },
		    { "category", "", SPT_VALUE_TEXT },
		    { "sender", "", SPT_VALUE_TEXT },
		    { "destination", "", SPT_VALUE_TEXT },
		    { "sender_pid", "", SPT_VALUE_ID },
		    { "bytes", "bytes", SPT_VALUE_BYTES } },
};

SptSaid *spt_said_new(SptOutput *output)
{
	SptSaid *said = g_new0(SptSaid, 1);

	said->output = output;
	said->flows = spt_flow_ends_new();
	said->counters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return said;
}

void spt_said_free(SptSaid *said)
{
	if (!said)
		return;
	g_hash_table_unref(said->counters);
	spt_flow_ends_free(said->flows);
	g_free(said);
}

static void declare_once(SptSaid *said, bool *is_declared, const SptDeclarationRow *kind)
{
	if (!*is_declared)
		spt_output_put(said->output, SPT_ROW_DECLARATION, kind);
	*is_declared = true;
}

void spt_said_mark(SptSaid *said, const SptSaidMark *mark)
{
	const SptDeclaredRow row = {
		.time = mark->time,
		.duration_ns = mark->duration_ns,
		.kind = MARK_KIND,
		.thread = mark->thread,
		.values = { { .text = mark->name },
			    { .text = mark->category },
			    { .text = mark->message } },
	};

	declare_once(said, &said->has_mark, &spt_said_mark_kind);
	spt_output_put(said->output, SPT_ROW_DECLARED, &row);
}

/* Error, critical, warning, message, info, debug. */
unsigned spt_said_severity(unsigned level)
{
	static const struct {
		unsigned bit, severity;
	} levels[] = { { 4, 2 }, { 8, 3 }, { 16, 4 }, { 32, 5 }, { 64, 6 }, { 128, 7 } };

	for (unsigned i = 0; i < G_N_ELEMENTS(levels); i++)
		if (level & levels[i].bit)
			return levels[i].severity;
	return 6;
}

void spt_said_line(SptSaid *said, uint64_t time, uint32_t thread, unsigned severity,
		   const char *source, const char *text)
{
	const SptDeclaredRow row = {
		.time = time,
		.kind = LOG_KIND,
		.thread = thread,
		.values = { { .text = text }, { .number = severity }, { .text = source } },
	};

	if (!text || !*text)
		return;
	declare_once(said, &said->has_log, &spt_said_log_kind);
	spt_output_put(said->output, SPT_ROW_DECLARED, &row);
}

void spt_said_call(SptSaid *said, const SptSaidCall *call)
{
	const SptDeclaredRow row = {
		.time = call->time,
		.duration_ns = call->duration_ns,
		.kind = CALL_KIND,
		.thread = call->thread,
		.values = { { .text = call->name },
			    { .text = call->bus },
			    { .text = call->client },
			    { .text = call->server },
			    { .text = call->error },
			    { .number = call->client_pid },
			    { .number = call->server_pid },
			    { .number = call->bytes },
			    { .number = call->reply_bytes } },
	};

	declare_once(said, &said->has_call, &call_kind);
	spt_output_put(said->output, SPT_ROW_DECLARED, &row);
}

void spt_said_signal(SptSaid *said, const SptSaidCall *call)
{
	const SptDeclaredRow row = {
		.time = call->time,
		.kind = SIGNAL_KIND,
		.thread = call->thread,
		.values = { { .text = call->name },
			    { .text = call->bus },
			    { .text = call->client },
			    { .text = call->server },
			    { .number = call->client_pid },
			    { .number = call->bytes } },
	};

	declare_once(said, &said->has_signal, &signal_kind);
	spt_output_put(said->output, SPT_ROW_DECLARED, &row);
}

SptFlowEnds *spt_said_flows(SptSaid *said)
{
	return said->flows;
}

bool spt_said_flow(SptSaid *said, SptFlowEnds *flows, uint64_t time, uint32_t thread,
		   const char *name, uint64_t id, bool is_end)
{
	uint32_t number = spt_flow_ends_pair(flows, name, id, is_end, time);
	const SptDeclaredRow row = {
		.time = time,
		.kind = FLOW_KIND,
		.thread = thread,
		.values = { { .text = name },
			    { .text = is_end ? "end" : "begin" },
			    { .number = number } },
	};

	if (!number)
		return false;
	declare_once(said, &said->has_flow, &flow_kind);
	spt_output_put(said->output, SPT_ROW_DECLARED, &row);
	return true;
}

static bool is_size(const SptSaidCounter *counter)
{
	return strcmp(counter->unit, "bytes") == 0;
}

/* The number of the counter's kind; 0: there is no room for another one. */
static uint32_t find_counter(SptSaid *said, const SptSaidCounter *counter)
{
	uint32_t kind = GPOINTER_TO_UINT(g_hash_table_lookup(said->counters, counter->name));
	SptDeclarationRow row = {
		.shape = SPT_DECLARED_COUNTER,
		.name = counter->name,
		.title = counter->title,
		.n_fields = 1,
		.fields = { { "value", is_size(counter) ? "" : counter->unit,
			      is_size(counter) ? SPT_VALUE_BYTES : SPT_VALUE_F64 } },
	};

	if (kind || !*counter->name || g_hash_table_size(said->counters) >= SPT_SAID_COUNTERS)
		return kind;
	kind = row.id = SPT_SAID_FIRST_COUNTER + g_hash_table_size(said->counters);
	g_hash_table_insert(said->counters, g_strdup(counter->name), GUINT_TO_POINTER(kind));
	spt_output_put(said->output, SPT_ROW_DECLARATION, &row);
	return kind;
}

bool spt_said_count(SptSaid *said, const SptSaidCounter *counter, uint64_t time, uint32_t thread,
		    double value)
{
	SptDeclaredRow row = { .time = time, .thread = thread };

	if (!isfinite(value))
		return false;
	row.kind = find_counter(said, counter);
	if (!row.kind)
		return false;
	if (is_size(counter))
		row.values[0].number = value > 0 ? (uint64_t)value : 0;
	else
		row.values[0].real = value;
	spt_output_put(said->output, SPT_ROW_DECLARED, &row);
	return true;
}
