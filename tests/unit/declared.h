/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: two declared kinds of three and of two fields, and their events. */
#ifndef SPT_TESTS_DECLARED_H
#define SPT_TESTS_DECLARED_H

#include "capture/declared.h"

static const SptDeclarationRow request_kind = {
	.id = 7,
	.shape = SPT_DECLARED_INTERVAL,
	.name = "request",
	.title = "Requests",
	.n_fields = 3,
	.fields = { { "path", "", SPT_VALUE_TEXT },
		    { "sent", "", SPT_VALUE_BYTES },
		    { "delta", "pages", SPT_VALUE_I64 } },
};

static const SptDeclarationRow load_kind = {
	.id = 8,
	.shape = SPT_DECLARED_COUNTER,
	.name = "load",
	.n_fields = 2,
	.fields = { { "level", "%", SPT_VALUE_F64 }, { "queue", "", SPT_VALUE_U64 } },
};

/* Request @i: of @time, 10 us long; every third is for "/b", the others are for "/a". */
static inline SptDeclaredRow request_row(unsigned i, uint64_t time, uint32_t thread, uint32_t node)
{
	return (SptDeclaredRow){
		.time = time,
		.duration_ns = 10000,
		.kind = request_kind.id,
		.cpu = 1,
		.thread = thread,
		.node = node,
		.values = { { .text = i % 3 ? "/a" : "/b" },
			    { .number = 1000 * (uint64_t)i },
			    { .integer = -(int64_t)i } },
	};
}

static inline SptDeclaredRow load_row(unsigned i, uint64_t time)
{
	return (SptDeclaredRow){ .time = time,
				 .kind = load_kind.id,
				 .values = { { .real = i / 4.0 }, { .number = i } } };
}

#endif
