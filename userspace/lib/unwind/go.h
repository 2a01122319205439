/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for programs of Go's compiler, for x86-64.  They have no .eh_frame, but .gopclntab, by
 * which Go itself walks its stacks, and which strip keeps.  Reads the format of Go 1.18 and later.
 */
#ifndef SPT_UNWIND_GO_H
#define SPT_UNWIND_GO_H

#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct {
	/* A function, [start, end), by rising addresses.  False: skip its rows. */
	bool (*function)(uint64_t start, uint64_t end, void *data);
	/* Its rows, by rising addresses. */
	void (*row)(uint64_t address, const SptUnwindRule *rule, void *data);
	void *data;
} SptGoSink;

/*
 * Reads any bytes.  @text is where the code begins, for formats that do not have that.  False: the
 * format is not known.
 */
bool spt_go_read(const uint8_t *bytes, size_t n, uint64_t text, const SptGoSink *sink);

G_END_DECLS

#endif
