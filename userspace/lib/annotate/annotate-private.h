/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by annotate.c, which finds the places of a function, code.c, which disassembles it, and
 * lines.c, which serves both.
 */
#ifndef SPT_ANNOTATE_PRIVATE_H
#define SPT_ANNOTATE_PRIVATE_H

#include "annotate/annotate.h"
#include "base/pairs.h"

/* A place of the function in the capture: one instruction, in any number of nodes. */
struct spt_place {
	SptFrame frame;
	/* In annotator->place_lines: lines of the function, innermost first. */
	uint32_t first_line, n_lines;
	bool is_innermost;		/* no function is inlined there */
	uint32_t depth;			/* on the stack that is being walked */
	uint64_t self, total;
};

struct spt_line {
	uint32_t file, number;		/* file: in the annotation */
	bool has_code;
	uint32_t depth;
	uint64_t self, total;
};

struct spt_annotator {
	const SptCapture *capture;
	SptSymbols *symbols;
	const char *function, *object;
	bool is_pattern;
	SptAnnotation *annotation;
	GArray *places;			/* struct spt_place */
	GArray *place_lines;		/* uint32_t: in lines */
	GArray *lines;			/* struct spt_line */
	struct spt_pairs line_numbers;	/* (file, number) -> in lines */
	/* (file, directory) as debug information has them -> file */
	struct spt_pairs file_numbers;
	GHashTable *files;		/* path -> file, from 1 */
};

/*
 * lines.c: appends the lines of the function among @places (as spt_symbols_places() returns them
 * for one frame) to @ret (uint32_t: in annotator->lines; may be NULL).  Returns whether one of them
 * is in the function; @ret_innermost: whether the first one is.
 */
bool spt_annotator_lines(struct spt_annotator *annotator, const SptNamedPlace *places, unsigned n,
			 GArray *ret, bool *ret_innermost);

/* code.c: fills in annotation->code, and marks the lines that have code. */
void spt_annotator_add_code(struct spt_annotator *annotator);

#endif
