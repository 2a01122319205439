/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's lines of source and its instructions, each with its weight.
 *
 * A sample counts for the line and instruction that ran (self), and for those of the function's
 * calls that led there (total).  Each counts it once, however often it is on the stack.  An inlined
 * function counts for the line that calls it, like any other.  It can also be named itself, and is
 * then shown wherever it was inlined.
 */
#ifndef SPT_ANNOTATE_H
#define SPT_ANNOTATE_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint32_t number;		/* from 1 */
	bool has_code;			/* of this function */
	/* Without its end of line; NULL: the file was not found, or is shorter. */
	const char *text;
	uint64_t self, total;
} SptAnnotatedLine;

typedef struct {
	char *path;			/* as debug information has it */
	char *found;			/* path from which it was read; NULL: it was not found */
	/* Why it was not found, or why it may differ from what was compiled; NULL. */
	const char *problem;
	char *content;			/* memory of the lines' texts */
	uint64_t self, total;		/* of its lines; total may count a sample several times */
	/* SptAnnotatedLine, from the function's first line to its last. */
	GArray *lines;
} SptAnnotatedFile;

typedef struct {
	uint64_t address, offset;	/* in the file's own address space; as in frames */
	uint32_t bytes;
	uint32_t line;			/* 0: not known */
	/* Address to which it jumps; 0: the next one, or not known. */
	uint64_t target;
	/* File of the line, as in debug information; valid as long as the symbols. */
	const char *file;
	char *text;
	uint64_t self, total;
} SptInstruction;

/* A piece of code that contains some of the function. */
typedef struct {
	/*
	 * The function that the code belongs to: the function itself, or one into which it is
	 * inlined.
	 */
	const char *function, *object;
	uint64_t start, bytes;		/* the whole piece, in offsets as in frames */
	char *problem;			/* why there are no instructions; NULL */
	uint64_t self, total;		/* of its instructions, as in SptAnnotatedFile */
	GArray *instructions;		/* SptInstruction, those of the function only */
} SptAnnotatedCode;

typedef struct {
	uint64_t all, n_samples;	/* weight and number of the selected samples */
	uint64_t self, total;		/* of the function */
	GPtrArray *files;		/* SptAnnotatedFile, heaviest first */
	GPtrArray *code;		/* SptAnnotatedCode, likewise */
} SptAnnotation;

/*
 * Annotates a function by @metric (NULL: CPU time), for the samples that @filter selects (NULL:
 * all).  @function is a name as shown, or else a pattern (glob.h); its objects must match the
 * pattern @object (NULL: any).  Source is looked for where debug information says, and below each
 * of @source_dirs (NULL-terminated or NULL) under ever shorter ends of that path.  @symbols must
 * name functions without their lines.  NULL: no sample has such a function.
 */
SptAnnotation *spt_annotation_new(const SptCapture *capture, SptSymbols *symbols,
				  const SptMetric *metric, const SptFilter *filter,
				  const char *function, const char *object,
				  const char *const *source_dirs);
void spt_annotation_free(SptAnnotation *annotation);

/* The line as valid UTF-8 with spaces for its tabs; the caller frees it. */
char *spt_annotated_line_text(const SptAnnotatedLine *line);
/*
 * Whether the line at @index is worth showing: it has text, and it or a line near it has code or
 * weight.
 */
bool spt_annotated_file_shows(const SptAnnotatedFile *file, unsigned index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptAnnotation, spt_annotation_free)

G_END_DECLS

#endif
