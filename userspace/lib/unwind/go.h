/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get to the caller in programs that Go's compiler made, for x86-64: they have no .eh_frame,
 * but what Go itself walks its stacks by, .gopclntab, which strip leaves where it is.  As Go 1.18
 * and later write it.
 */
#ifndef SPT_UNWIND_GO_H
#define SPT_UNWIND_GO_H

#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct {
	/* A function, [start, end), by rising addresses.  False: its rows are not of interest. */
	bool (*function)(uint64_t start, uint64_t end, void *data);
	/* Its rows, by rising addresses. */
	void (*row)(uint64_t address, const SptUnwindRule *rule, void *data);
	void *data;
} SptGoSink;

/* Any bytes; @text is where the code begins if they do not say it.  False: they are none of it. */
bool spt_go_read(const uint8_t *bytes, size_t n, uint64_t text, const SptGoSink *sink);

G_END_DECLS

#endif
