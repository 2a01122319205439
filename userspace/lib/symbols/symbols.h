/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for frames: SptSymbols names the frames of a capture, from the names in the capture and the
 * files on this machine.
 */
#ifndef SPT_SYMBOLS_H
#define SPT_SYMBOLS_H

#include "capture/capture.h"
#include "object/object.h"
#include "symbols/code.h"
#include "symbols/dwarf/debug-info.h"
#include "symbols/dwarf/symtab.h"

G_BEGIN_DECLS

/*
 * "recording", "symbol table", "debug file", "MiniDebugInfo", "debug information", "exported
 * symbols", "stubs", "symbols bundled in the capture"; "none".
 */
const char *spt_source_name(SptSource source);

typedef struct {
	/*
	 * Demangled.  Without a symbol it is "object+0xoffset", with the offset of the function's
	 * start, if that is known.  But it is "[unknown kernel]" for a kernel frame, "[anon]" for
	 * memory without a file (offsets in different regions are unrelated), and "[unresolved]" if
	 * nothing is known.
	 */
	const char *function;
	const char *
		object; /* base name: "libc.so.6", "[kernel]", "[ext4]", "[vdso]", "[anon]", "[unknown]" */
	SptSource source;		/* of the name */
	bool has_symbol;
	bool is_unique;			/* no other place has this name */
} SptName;

typedef struct SptSymbols SptSymbols;

/* @debug_dirs as in dwarf/symtab.h.  @capture must outlive it. */
SptSymbols *spt_symbols_new(const SptCapture *capture, const char *const *debug_dirs);
void spt_symbols_free(SptSymbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSymbols, spt_symbols_free)
/*
 * The capture, which is in memory, has more objects or names than before, which are used from now
 * on.  With SPT_DETAIL_NO_FILES.
 */
void spt_symbols_follow(SptSymbols *symbols);
/* Reports the progress of downloading debug information for @path; false: no more downloads. */
typedef bool (*SptDownloadProgress)(const char *path, uint64_t done_bytes, uint64_t total_bytes,
				    void *data);
/*
 * From now on, missing debug information is downloaded from the servers of $DEBUGINFOD_URLS, for
 * objects in which a hundredth of the weight ends.  Without this no server is contacted.
 */
void spt_symbols_set_download(SptSymbols *symbols, SptDownloadProgress progress, void *data);
/* Downloads from @servers instead, separated by spaces.  Called before anything is named. */
void spt_symbols_set_servers(SptSymbols *symbols, const char *servers);
/* Returns a descriptor of an object's file, which it keeps; -1: open the file by its path. */
typedef int (*SptObjectOpener)(uint32_t object, void *data);
/*
 * Sets an opener that holds files which may exist nowhere else.  Called before anything is named.
 */
void spt_symbols_set_opener(SptSymbols *symbols, SptObjectOpener opener, void *data);
/*
 * Names a frame.  The strings are valid as long as @symbols.  Equal names have the same pointer,
 * except unique ones.  All but "object+0xoffset" are interned.
 */
SptName spt_symbols_name(SptSymbols *symbols, const SptFrame *frame);

/*
 * Sets the image of the recorded kernel, with debug information.  Without this (or with NULL) it is
 * looked for in the usual places of distributions, as modules are.  Called before anything is
 * named.
 */
void spt_symbols_set_vmlinux(SptSymbols *symbols, const char *path);
/* Why there is no debug information of the kernel, or NULL. */
const char *spt_symbols_vmlinux_problem(SptSymbols *symbols);

/* The details that a frame is given. */
enum {
	/* Functions inlined there, if there is debug information. */
	SPT_DETAIL_INLINES = 1 << 0,
	SPT_DETAIL_LINES = 1 << 1,	/* "function (file.c:12)" instead of the function */
	/* Names without the arguments of templates; set before anything is named. */
	SPT_DETAIL_SHORT_TEMPLATES = 1 << 3,
	/* Names of C++ as compilers write them, with default arguments; likewise. */
	SPT_DETAIL_FULL_NAMES = 1 << 4,
	/* Names of the capture only, no files: only spt_symbols_name() may be used. */
	SPT_DETAIL_NO_FILES = 1 << 2,
};

/*
 * Sets the details from now on; the default is SPT_DETAIL_INLINES.  0: symbols alone, and no debug
 * information is read.
 */
void spt_symbols_set_detail(SptSymbols *symbols, unsigned detail);

typedef struct {
	SptName name;
	const char *file, *directory;	/* as in debug-info.h */
	uint32_t line;
} SptNamedPlace;

/*
 * The functions of a frame, innermost first: inlined ones, then the one that spt_symbols_name()
 * names; with lines if there is debug information.  Returns their number, at least 1.  Strings are
 * valid as long as @symbols.
 */
unsigned spt_symbols_places(SptSymbols *symbols, const SptFrame *frame,
			    SptNamedPlace ret[SPT_INLINES_MAX]);
/* The same for callers that do not use files and lines, which may be missing. */
unsigned spt_symbols_functions(SptSymbols *symbols, const SptFrame *frame,
			       SptNamedPlace ret[SPT_INLINES_MAX]);

/* The name of a function without a symbol that begins at @frame. */
const char *spt_symbols_place(SptSymbols *symbols, const SptFrame *frame);

/*
 * The unchanged information of files, or bundled from them, about a frame, for storing.  Places are
 * as in debug-info.h (returns their number; 0: there is no debug information).  The symbol has no
 * name if there is none, or if the recording has it, but may have a place.  Its neighbours (@before
 * and @behind) are known with no detail only: others have other lines.
 */
unsigned spt_symbols_raw(SptSymbols *symbols, const SptFrame *frame, SptPlace ret[SPT_INLINES_MAX],
			 SptSymbol *ret_symbol);

/*
 * Start and size of the code of the function around a frame, as offsets like the frame's.  False:
 * not known.
 */
bool spt_symbols_extent(SptSymbols *symbols, const SptFrame *frame, uint64_t *ret_start,
			uint64_t *ret_bytes);
/* Reads @n places of a file at once (ascending, each once) that will be needed one by one. */
void spt_symbols_prepare(SptSymbols *symbols, uint32_t object, const uint64_t *offsets, uint32_t n);
/*
 * Up to @bytes of instructions from a frame on, from the recorded file.  NULL: @ret_problem (the
 * caller frees it) says why.
 */
SptCode *spt_symbols_code(SptSymbols *symbols, const SptFrame *frame, uint64_t bytes,
			  char **ret_problem);
/*
 * The name of @address in the file of a kernel frame's code: "kfree+0x10"; the caller frees it.
 * NULL: it is not known, or the frame is not of a kernel.
 */
char *spt_symbols_kernel_target(SptSymbols *symbols, const SptFrame *frame, uint64_t address);

/* @text as an interned string, like those of names. */
const char *spt_symbols_intern(SptSymbols *symbols, const char *text);
/*
 * Why an object's file could not be read, or not completely: its reader crashed, or did not end.
 * NULL: it was read, or not needed.
 */
const char *spt_symbols_failure(SptSymbols *symbols, uint32_t object);
/*
 * Why an object's functions have no names ("no such file", "is not the file that was recorded (its
 * build-id differs)", "has no symbols"), or NULL.
 */
const char *spt_symbols_problem(SptSymbols *symbols, uint32_t object);

G_END_DECLS

#endif
