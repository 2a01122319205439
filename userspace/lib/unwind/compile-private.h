/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the compiler of unwind tables share: compile.c and gaps.c. */
#ifndef SPT_UNWIND_COMPILE_PRIVATE_H
#define SPT_UNWIND_COMPILE_PRIVATE_H

#include "unwind/table.h"

#define SPT_COMPILE_SECTION_MAX_BYTES (64u << 20)	/* the largest programs have 20 */

struct row {
	uint32_t offset;
	uint16_t rule;
};

struct function {
	uint32_t start, end;		/* offsets in the file */
	uint32_t first, n;		/* rows */
	uint32_t number;		/* in order of appearance */
	uint32_t step;			/* size of each of its functions; 0: it is a single one */
	bool is_part;			/* it may be a part of one */
};

/* A section of entries of one size. */
struct plt {
	uint64_t start, end;		/* addresses */
	uint32_t step;
};

struct compiler {
	const SptObject *object;
	const SptUnwindArch *arch;
	GArray *rows;			/* struct row */
	GArray *functions;		/* struct function */
	GArray *rules;			/* SptUnwindRule */
	GHashTable *known;		/* number + 1 of an equal rule, by its content */
	GArray *plts;			/* struct plt */
	GArray *labels;			/* SptLabel, by their offsets in the file */
	uint64_t address;		/* of the present function */
	uint64_t entry;			/* offset in the file of the program's entry */
	bool is_signal;
};

/* The number of a rule like this one; the number of "nothing is known" if there are too many. */
uint16_t spt_compile_intern(struct compiler *compiler, const SptUnwindRule *rule);
/* The rule of code that nothing has called. */
SptUnwindRule spt_compile_no_caller(const struct compiler *compiler);
/* Of struct function, by their places. */
int spt_compile_compare_functions(const void *a, const void *b);
/* Adds functions where those that are known leave gaps; these are sorted. */
void spt_compile_gaps(struct compiler *compiler);

#endif
