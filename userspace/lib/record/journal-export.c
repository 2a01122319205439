/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A field is "NAME=VALUE" in a line; or its name in a line, then the length in 8 bytes, the value,
 * and the end of a line.  An empty line ends the entry.
 */
#include "record/journal-export.h"

#include <string.h>

#define NAME_BYTES 64
#define INFO	   6u

enum place { IN_NAME, IN_LINE, IN_LENGTH, IN_VALUE, BEHIND_VALUE };
enum field { MONOTONIC, SOURCE_MONOTONIC, PRIORITY, PID, IDENTIFIER, COMM, MESSAGE, TRANSPORT, BOOT,
	     FIELDS };

static const char *const names[FIELDS] = {
	[MONOTONIC] = "__MONOTONIC_TIMESTAMP",
	[SOURCE_MONOTONIC] = "_SOURCE_MONOTONIC_TIMESTAMP",
	[PRIORITY] = "PRIORITY",
	[PID] = "_PID",
	[IDENTIFIER] = "SYSLOG_IDENTIFIER",
	[COMM] = "_COMM",
	[MESSAGE] = "MESSAGE",
	[TRANSPORT] = "_TRANSPORT",
	[BOOT] = "_BOOT_ID",
};

struct SptJournalExport {
	SptJournalFunc func;
	void *data;
	enum place place;
	char name[NAME_BYTES + 1];
	unsigned name_bytes;
	enum field field;		/* FIELDS: one that nobody wants */
	uint64_t left;			/* of the value */
	unsigned length_bytes;
	bool has_field;			/* since the last entry */
	char values[FIELDS][SPT_JOURNAL_TEXT + 1];
	unsigned value_bytes[FIELDS];
};

SptJournalExport *spt_journal_export_new(SptJournalFunc func, void *data)
{
	SptJournalExport *export = g_new0(SptJournalExport, 1);

	export->func = func;
	export->data = data;
	return export;
}

void spt_journal_export_free(SptJournalExport *export)
{
	g_free(export);
}

static uint64_t number_of(const SptJournalExport *export, enum field field)
{
	return g_ascii_strtoull(export->values[field], NULL, 10);
}

static void end_entry(SptJournalExport *export)
{
	uint64_t us = number_of(export, SOURCE_MONOTONIC), pid = number_of(export, PID);
	SptJournalEntry entry;

	if (!us)
		us = number_of(export, MONOTONIC);
	entry = (SptJournalEntry){
		.time_ns = us > UINT64_MAX / 1000 ? 0 : us * 1000,
		.pid = pid > UINT32_MAX ? 0 : (uint32_t)pid,
		.severity = *export->values[PRIORITY] ?
				    (unsigned)MIN(number_of(export, PRIORITY), 7) :
				    INFO,
		.is_kernel = strcmp(export->values[TRANSPORT], "kernel") == 0,
		.source = *export->values[IDENTIFIER] ? export->values[IDENTIFIER] :
							export->values[COMM],
		.text = export->values[MESSAGE],
		.boot = export->values[BOOT],
	};
	if (export->has_field)
		export->func(&entry, export->data);
	export->has_field = false;
	for (unsigned i = 0; i < FIELDS; i++) {
		export->values[i][0] = '\0';
		export->value_bytes[i] = 0;
	}
}

static void begin_value(SptJournalExport *export)
{
	export->name[export->name_bytes] = '\0';
	export->field = 0;
	while (export->field < FIELDS && strcmp(names[export->field], export->name) != 0)
		export->field++;
	/* The first of several values counts. */
	if (export->field < FIELDS && export->value_bytes[export->field])
		export->field = FIELDS;
	export->name_bytes = 0;
	export->has_field = true;
}

static void add_value(SptJournalExport *export, const char *data, size_t bytes)
{
	unsigned *have = export->field < FIELDS ? &export->value_bytes[export->field] : NULL;
	size_t taken = have ? MIN(bytes, SPT_JOURNAL_TEXT - *have) : 0;

	if (!taken)
		return;
	memcpy(export->values[export->field] + *have, data, taken);
	*have += (unsigned)taken;
	export->values[export->field][*have] = '\0';
}

static void take_name(SptJournalExport *export, char byte)
{
	if (byte == '=') {
		begin_value(export);
		export->place = IN_LINE;
	} else if (byte != '\n') {
		if (export->name_bytes < NAME_BYTES)
			export->name[export->name_bytes++] = byte;
	} else if (export->name_bytes == 0) {
		end_entry(export);
	} else {
		begin_value(export);
		export->place = IN_LENGTH;
		export->left = 0;
		export->length_bytes = 0;
	}
}

static void take_length(SptJournalExport *export, char byte)
{
	export->left |= (uint64_t)(uint8_t)byte << 8 * export->length_bytes;
	if (++export->length_bytes == sizeof(uint64_t))
		export->place = export->left ? IN_VALUE : BEHIND_VALUE;
}

/* Returns how many bytes belong to the value. */
static size_t take_value(SptJournalExport *export, const char *data, size_t bytes)
{
	size_t now;

	if (export->place == IN_LINE) {
		const char *end = memchr(data, '\n', bytes);

		now = end ? (size_t)(end - data) : bytes;
		add_value(export, data, now);
		export->place = end ? IN_NAME : IN_LINE;
		return now + (end ? 1 : 0);
	}
	now = (size_t)MIN(export->left, bytes);
	add_value(export, data, now);
	export->left -= now;
	if (!export->left)
		export->place = BEHIND_VALUE;
	return now;
}

void spt_journal_export_feed(SptJournalExport *export, const char *data, size_t bytes)
{
	while (bytes) {
		size_t taken = 1;

		switch (export->place) {
		case IN_NAME:
			take_name(export, *data);
			break;
		case IN_LENGTH:
			take_length(export, *data);
			break;
		case BEHIND_VALUE:
			export->place = IN_NAME;
			break;
		default:
			taken = take_value(export, data, bytes);
		}
		data += taken;
		bytes -= taken;
	}
}
