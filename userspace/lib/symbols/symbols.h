/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frame -> name: SptSymbols names the frames of a capture, from the names the capture carries and
 * from the files on this machine.
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
	 * Demangled.  Without a symbol "object+0xoffset", with the offset of the function's start
	 * as far as that is known; but "[unknown kernel]" for a kernel frame, "[anon]" for memory without a file (one region's offset says nothing about
	 * another's), and "[unresolved]" where nothing is known.
	 */
	const char *function;
	const char *
		object; /* base name: "libc.so.6", "[kernel]", "[ext4]", "[vdso]", "[anon]", "[unknown]" */
	SptSource source;		/* of the name */
	bool has_symbol;
	bool is_unique;			/* no other place is called so */
} SptName;

typedef struct SptSymbols SptSymbols;

/* @debug_dirs as in dwarf/symtab.h.  @capture must outlive it. */
SptSymbols *spt_symbols_new(const SptCapture *capture, const char *const *debug_dirs);
void spt_symbols_free(SptSymbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSymbols, spt_symbols_free)
/*
 * The capture, which is one in memory, has more objects or names than before; answers use
 * them from now on.  With SPT_DETAIL_NO_FILES.
 */
void spt_symbols_follow(SptSymbols *symbols);
/* How far the debug information of @path's file is downloaded; false: no more downloads. */
typedef bool (*SptDownloadProgress)(const char *path, uint64_t done_bytes, uint64_t total_bytes,
				    void *data);
/*
 * From now on debug information that is not here comes from the servers of $DEBUGINFOD_URLS, for
 * objects that a hundredth of the weight ends in.  Without this nothing is asked of anybody.
 */
void spt_symbols_set_download(SptSymbols *symbols, SptDownloadProgress progress, void *data);
/* Those of @servers, with spaces between them, instead; before anything is named. */
void spt_symbols_set_servers(SptSymbols *symbols, const char *servers);
/* A descriptor of the file of an object, which stays the opener's; -1: look by its path. */
typedef int (*SptObjectOpener)(uint32_t object, void *data);
/* Who holds files that may be nowhere else any more; before anything is named. */
void spt_symbols_set_opener(SptSymbols *symbols, SptObjectOpener opener, void *data);
/*
 * Names a frame; the strings live as long as @symbols, and what has the same name has the same
 * pointer, but what is unique has another each time.  All but "object+0xoffset" are interned.
 */
SptName spt_symbols_name(SptSymbols *symbols, const SptFrame *frame);

/*
 * The image of the kernel that was recorded, with debug information; without this (or with NULL) it
 * is looked for where distributions put it, and so are modules.  Before anything is named.
 */
void spt_symbols_set_vmlinux(SptSymbols *symbols, const char *path);
/* Why there is no debug information of the kernel, or NULL. */
const char *spt_symbols_vmlinux_problem(SptSymbols *symbols);

/* What a frame is taken apart into. */
enum {
	/* Functions inlined there, where there is debug information */
	SPT_DETAIL_INLINES = 1 << 0,
	SPT_DETAIL_LINES = 1 << 1,	/* "function (file.c:12)" instead of the function */
	/* Names without the arguments of templates; before anything is named */
	SPT_DETAIL_SHORT_TEMPLATES = 1 << 3,
	/* Nothing but what the capture says: spt_symbols_name() alone */
	SPT_DETAIL_NO_FILES = 1 << 2,
};

/* From now on; SPT_DETAIL_INLINES is what new SptSymbols do. */
void spt_symbols_set_detail(SptSymbols *symbols, unsigned detail);

typedef struct {
	SptName name;
	const char *file, *directory;	/* as in debug-info.h */
	uint32_t line;
} SptNamedPlace;

/*
 * The functions of a frame, innermost first: what is inlined there, then the one that
 * spt_symbols_name() names; lines where there is debug information.  How many, at least 1.  Strings
 * live as long as @symbols.
 */
unsigned spt_symbols_places(SptSymbols *symbols, const SptFrame *frame,
			    SptNamedPlace ret[SPT_INLINES_MAX]);
/* The same where nobody looks at files and lines, which may be missing. */
unsigned spt_symbols_functions(SptSymbols *symbols, const SptFrame *frame,
			       SptNamedPlace ret[SPT_INLINES_MAX]);

/* What a function without a symbol is called that begins at @frame. */
const char *spt_symbols_place(SptSymbols *symbols, const SptFrame *frame);

/*
 * What files, or what was bundled of them, say of a frame, in their own words, for who stores it:
 * places as those of debug-info.h (how many; 0: there is no debug information), and the symbol,
 * which has no name where there is none or the recording itself has it, but may have its place.
 */
unsigned spt_symbols_raw(SptSymbols *symbols, const SptFrame *frame, SptPlace ret[SPT_INLINES_MAX],
			 SptSymbol *ret_symbol);

/*
 * Start and size of the code of the function around a frame, in offsets as the
 * frame's.  False: not known.
 */
bool spt_symbols_extent(SptSymbols *symbols, const SptFrame *frame, uint64_t *ret_start,
			uint64_t *ret_bytes);
/*
 * Has a file read at once for @n places (ascending, each once) that are going to be asked
 * for one by one.
 */
void spt_symbols_prepare(SptSymbols *symbols, uint32_t object, const uint64_t *offsets, uint32_t n);
/*
 * Up to @bytes of instructions from a frame on, of the file that was recorded; NULL, and in
 * @ret_problem (to be freed) why not.
 */
SptCode *spt_symbols_code(SptSymbols *symbols, const SptFrame *frame, uint64_t bytes,
			  char **ret_problem);
/*
 * What lies at @address of the file of a kernel frame's code: "kfree+0x10", to be freed; NULL: it
 * is not known, or that frame is of no kernel.
 */
char *spt_symbols_kernel_target(SptSymbols *symbols, const SptFrame *frame, uint64_t address);

/* @text as one of the strings that names are made of. */
const char *spt_symbols_intern(SptSymbols *symbols, const char *text);
/*
 * Why what an object's file says could not be read, or not all of it: what reads it crashed, or
 * found no end.  NULL: it was, or nobody asked.
 */
const char *spt_symbols_failure(SptSymbols *symbols, uint32_t object);
/*
 * Why an object's functions have no names ("no such file", "is not the file that was recorded (its
 * build-id differs)", "has no symbols"), or NULL.
 */
const char *spt_symbols_problem(SptSymbols *symbols, uint32_t object);

G_END_DECLS

#endif
