/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's lines of source and its instructions, each with its weight.
 *
 * A sample weighs upon the line and instruction that ran (self), and upon those of the function's
 * calls that led there (total): each counts it once, however often it is on the stack.  A function
 * that is inlined weighs upon the line that calls it as any other does; it may be asked for itself,
 * and is then shown wherever it was inlined.
 */
#ifndef SPT_ANNOTATE_H
#define SPT_ANNOTATE_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint32_t number;		/* from 1 */
	bool has_code;			/* of this function */
	/* Without its end of line; NULL if the file was not found or is shorter */
	const char *text;
	uint64_t self, total;
} SptAnnotatedLine;

typedef struct {
	char *path;			/* as debug information has it */
	char *found;			/* where it was read; NULL: nowhere */
	/* Why it was not, or why it may not be what was compiled; NULL */
	const char *problem;
	char *content;			/* memory of the lines' texts */
	uint64_t self, total;		/* of its lines; total may count a sample several times */
	/* SptAnnotatedLine, from the function's first to its last */
	GArray *lines;
} SptAnnotatedFile;

typedef struct {
	uint64_t address, offset;	/* in the file's own address space; as in frames */
	uint32_t bytes;
	uint32_t line;			/* 0: not known */
	/* Address it goes to; 0: the next one, or not known */
	uint64_t target;
	/* Of the line, as debug information has it; lives as long as the symbols */
	const char *file;
	char *text;
	uint64_t self, total;
} SptInstruction;

/* A piece of code that has some of the function. */
typedef struct {
	/* What it belongs to: the function itself, or what that is inlined into */
	const char *function, *object;
	uint64_t start, bytes;		/* all of it, in offsets as in frames */
	char *problem;			/* why there are no instructions; NULL */
	uint64_t self, total;		/* of its instructions, as in SptAnnotatedFile */
	GArray *instructions;		/* SptInstruction, those of the function */
} SptAnnotatedCode;

typedef struct {
	uint64_t all, n_samples;	/* weight and number of what the filter has left */
	uint64_t self, total;		/* of the function */
	GPtrArray *files;		/* SptAnnotatedFile, heaviest first */
	GPtrArray *code;		/* SptAnnotatedCode, likewise */
} SptAnnotation;

/*
 * Of @metric (NULL: CPU time), as far as @filter leaves it (NULL: all).  @function is a name as
 * shown, else a pattern (glob.h), in objects that match the pattern @object, unless that is NULL.
 * Source is looked for where debug information says, and below each of @source_dirs
 * (NULL-terminated or NULL) under ever shorter ends of that path.  NULL: the samples have no such
 * function.  Of @symbols, which have to name functions without their lines.
 */
SptAnnotation *spt_annotation_new(const SptCapture *capture, SptSymbols *symbols,
				  const SptMetric *metric, const SptFilter *filter,
				  const char *function, const char *object,
				  const char *const *source_dirs);
void spt_annotation_free(SptAnnotation *annotation);

/* The line with spaces for its tabs, valid; to be freed. */
char *spt_annotated_line_text(const SptAnnotatedLine *line);
/*
 * Whether the line at @index is worth showing: it has code or weight, or is near to one that has,
 * and there is something to be shown.
 */
bool spt_annotated_file_shows(const SptAnnotatedFile *file, unsigned index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptAnnotation, spt_annotation_free)

G_END_DECLS

#endif
