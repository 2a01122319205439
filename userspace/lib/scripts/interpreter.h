/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interpreters of which the frames of scripts can be found: how to describe their files to the
 * module, and how to read what it copied of a script's code.  A row for each; files and copies may
 * be hostile.
 */
#ifndef SPT_INTERPRETER_H
#define SPT_INTERPRETER_H

#include "object/object.h"
#include "sysprof-chain.h"

G_BEGIN_DECLS

#define SPT_INTERPRETER_ERROR (spt_interpreter_error_quark())
GQuark spt_interpreter_error_quark(void);
enum {
	SPT_INTERPRETER_ERROR_UNKNOWN,	/* the file is one of a version that is not known */
	SPT_INTERPRETER_ERROR_UNREADABLE, /* the process that reads it for us failed */
};

/* Number of an interpreter, and its version, in the tag of its chains. */
#define SPT_TAG(number, major, minor) ((uint32_t)(number) << 24 | (major) << 16 | (minor) << 8)
#define SPT_TAG_NUMBER(tag) ((tag) >> 24)
#define SPT_TAG_MAJOR(tag) ((tag) >> 16 & 0xff)
#define SPT_TAG_MINOR(tag) ((tag) >> 8 & 0xff)

typedef struct {
	const void *data;
	unsigned bytes;
} SptSpan;

/* The @bytes at @at of what was copied, at most 8; 0 if not all of them were. */
uint64_t spt_span_word(const SptSpan *span, unsigned at, unsigned bytes);

/* What a function of those that come in addition can be instead. */
typedef enum {
	SPT_SCRIPT_IS_THERE,
	SPT_SCRIPT_IS_SPARE,		/* one too many: its frame is removed */
	SPT_SCRIPT_IS_NOTHING,		/* not known: all of those are removed */
} SptScriptLack;

/* A function of a script. */
typedef struct {
	char *name, *file;
	uint32_t first_line;		/* 0: not known */
	GBytes *lines;			/* in the interpreter's own form; NULL: none */
	/* Instead of a line: at which character of the source, and how many that has; 0: neither */
	uint32_t begins_at, source_chars;
	SptScriptLack lack;
} SptScriptFunction;

void spt_script_function_clear(SptScriptFunction *function);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SptScriptFunction, spt_script_function_clear)

typedef struct {
	const char *name, *language;
	unsigned number;		/* from 1 */
	const char *file;		/* a part of the names of its files */
	const char *symbol;		/* that a file has which has it in itself */
	const char *command;		/* that runs it */
	/* Where the file is, from the command's directory; NULL: the command is it, or links it */
	const char *beside;
	bool has_steps;			/* its chains are of steps */
	/* Its frames with position 0 come in addition: without a name they are removed */
	bool has_additions;
	/* Its chain; NULL: the file is none, or, with an SPT_INTERPRETER_ERROR, is not known. */
	GBytes *(*describe)(const SptObject *file, GError **error);
	/* What the spans of the chain are; false: no function. */
	bool (*read)(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		     SptScriptFunction *ret);
	/* The line of a position; 0: not known. */
	uint32_t (*line)(uint32_t tag, const SptScriptFunction *function, uint32_t position);
} SptInterpreter;

/*
 * Each is an SptInterpreter spt_interpreter_NAME.  A file is described by the first one that has a
 * part of its name.
 */
#define SPT_INTERPRETERS(ROW)                                                                      \
	ROW(cpython) ROW(ruby) ROW(perl) ROW(php) ROW(v8) ROW(hotspot) ROW(lua)

#define SPT_INTERPRETER_DECLARE(name) extern const SptInterpreter spt_interpreter_##name;
SPT_INTERPRETERS(SPT_INTERPRETER_DECLARE)
#undef SPT_INTERPRETER_DECLARE

/* Each of them once; NULL: there are no more. */
const SptInterpreter *spt_interpreter_nth(unsigned n);
/* The interpreter whose file may be at @path; NULL: it is none. */
const SptInterpreter *spt_interpreter_of_path(const char *path);
/* The interpreter that a file of another name has in itself; NULL: none. */
const SptInterpreter *spt_interpreter_in_file(const SptObject *file);
/* The interpreter and its version, by its chain; the caller frees it. */
char *spt_interpreter_title(const SptInterpreter *interpreter, GBytes *chain);
/* That of a tag, or of a chain; NULL: it is not known. */
const SptInterpreter *spt_interpreter_of_tag(uint32_t tag);
const SptInterpreter *spt_interpreter_of_chain(GBytes *chain);

G_END_DECLS

#endif
