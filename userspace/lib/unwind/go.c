/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table has for each function how far the stack pointer is from where it was on entry, by
 * ranges of instructions.  A function with a frame keeps its caller's frame pointer below the
 * return address.
 *
 * Functions that set the stack pointer to another stack, as systemstack() does for work that a
 * goroutine has no room for, are marked.  From them the frame pointer leads to the caller's frame,
 * on a stack that may be anywhere.  That one caller is skipped, since the address of its return
 * address is not known.
 */
#include "unwind/go.h"

#include <string.h>

#include "base/bytes.h"

#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u
#define FLAG_TOP (1 << 0)		/* it has no caller */
#define FLAG_SETS_SP (1 << 1)
/* Registers and slots, as in arch.c. */
#define SP 7
#define FP 6
#define FP_SLOT 1
/* Limit of one frame; Go's own largest are some hundred KiB. */
#define FRAME_MAX_BYTES (1 << 28)

struct table {
	const uint8_t *bytes;
	size_t n;
	uint64_t text, names, values, functions;
	uint64_t n_functions;
	unsigned flags_at;		/* in a function's record */
	uint8_t quantum;
	size_t left;			/* rows; a table has fewer than bytes */
};

struct function {
	uint64_t start;
	uint32_t values;
	uint8_t flags;
	const char *name;		/* "": not known */
};

/* 0 beyond the end. */
static uint64_t go_number_at(const struct table *table, uint64_t at, unsigned bytes)
{
	uint64_t number = 0;

	if (at <= table->n && table->n - at >= bytes)
		memcpy(&number, table->bytes + at, bytes);
	return number;
}

static bool go_read_head(struct table *table, uint64_t text)
{
	uint32_t magic = go_number_at(table, 0, 4);

	if (table->n < 72 || (magic != MAGIC_1_18 && magic != MAGIC_1_20) ||
	    go_number_at(table, 7, 1) != 8)
		return false;
	table->flags_at = magic == MAGIC_1_20 ? 41 : 37;
	table->quantum = go_number_at(table, 6, 1);
	table->n_functions = go_number_at(table, 8, 8);
	table->text = go_number_at(table, 24, 8);
	if (!table->text)
		table->text = text;
	table->names = go_number_at(table, 32, 8);
	table->values = go_number_at(table, 56, 8);
	table->functions = go_number_at(table, 64, 8);
	return table->names <= table->n && table->values <= table->n &&
	       table->functions <= table->n &&
	       table->n_functions < (table->n - table->functions) / 8;
}

static const char *name_at(const struct table *table, uint64_t at)
{
	return at < table->n && memchr(table->bytes + at, 0, table->n - at) ?
		       (const char *)table->bytes + at :
		       "";
}

static void read_function(const struct table *table, uint64_t i, struct function *function)
{
	uint64_t record = table->functions + go_number_at(table, table->functions + 8 * i + 4, 4);

	*function = (struct function){
		.start = table->text + go_number_at(table, table->functions + 8 * i, 4),
		.name = "",
	};
	/* The last one is none: it marks the end of the code. */
	if (i == table->n_functions)
		return;
	function->values = go_number_at(table, record + 16, 4);
	function->flags = go_number_at(table, record + table->flags_at, 1);
	function->name = name_at(table, table->names + go_number_at(table, record + 4, 4));
}

static bool go_is_called(const struct function *function, const char *name)
{
	size_t n = strlen(name);

	return strncmp(function->name, name, n) == 0 &&
	       (!function->name[n] || function->name[n] == '.' || function->name[n] == '_');
}

/* The kernel returns to it from a signal handler. */
static bool returns_from_signal(const struct function *function)
{
	return go_is_called(function, "runtime.sigreturn");
}

static SptUnwindRule go_rule_of(const struct function *function, int64_t depth)
{
	SptUnwindRule rule = {
		.cfa = SYSPROF_CFA_REGISTER,
		.cfa_register = SP,
		.cfa_offset = (int32_t)depth + 8,
		.ra = SYSPROF_RA_MEMORY,
		.ra_offset = -8,
	};

	if (returns_from_signal(function))
		return (SptUnwindRule){ .cfa = SYSPROF_CFA_SIGNAL, .is_signal = 1 };
	/* The function that mcall() calls runs the thread's next goroutine. */
	if (function->flags & FLAG_TOP || go_is_called(function, "runtime.mcall"))
		return (SptUnwindRule){ .cfa = SYSPROF_CFA_REGISTER,
					.cfa_register = SP,
					.ra = SYSPROF_RA_NONE };
	if (function->flags & FLAG_SETS_SP) {
		rule.cfa = SYSPROF_CFA_SWITCH;
		rule.cfa_register = FP;
		rule.cfa_offset = 16;
	}
	if (depth > 0 || function->flags & FLAG_SETS_SP) {
		rule.at_cfa = 1 << FP_SLOT;
		rule.saved[FP_SLOT] = -2;
	}
	return rule;
}

/* LEB128, as all numbers are here. */
static bool go_take(struct spt_bytes *from, uint64_t *ret)
{
	*ret = spt_take_leb(from);
	return !from->is_bad;
}

static void tell_rows(struct table *table, const struct function *function, uint64_t end,
		      const SptGoSink *sink)
{
	uint64_t at = table->values + function->values, address = function->start, change, bytes;
	struct spt_bytes from;
	SptUnwindRule rule;
	int64_t depth = -1;

	/* The rule of a signal's frame is that of its return address, one byte before. */
	if (returns_from_signal(function)) {
		rule = go_rule_of(function, 0);
		sink->row(function->start - 1, &rule, sink->data);
		return;
	}
	if (!function->values || at >= table->n)
		return;
	from = spt_bytes_of(table->bytes + at, table->n - at);
	while (address < end && table->left && go_take(&from, &change) && (change || depth == -1) &&
	       go_take(&from, &bytes) && bytes && bytes < end) {
		depth += change & 1 ? ~(int64_t)(change >> 1) : (int64_t)(change >> 1);
		if (depth < 0 || depth >= FRAME_MAX_BYTES)
			return;
		rule = go_rule_of(function, depth);
		sink->row(address, &rule, sink->data);
		table->left--;
		address += bytes * table->quantum;
	}
}

bool spt_go_read(const uint8_t *bytes, size_t n, uint64_t text, const SptGoSink *sink)
{
	struct table table = { .bytes = bytes, .n = n, .left = n };
	struct function function, next;

	if (!go_read_head(&table, text))
		return false;
	read_function(&table, 0, &function);
	for (uint64_t i = 0; i < table.n_functions; i++, function = next) {
		uint64_t start = function.start, end;

		read_function(&table, i + 1, &next);
		if (next.start <= start)
			continue;
		end = next.start - returns_from_signal(&next);
		start -= returns_from_signal(&function);
		if (start < end && sink->function(start, end, sink->data))
			tell_rows(&table, &function, end, sink);
	}
	return true;
}
