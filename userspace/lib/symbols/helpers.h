/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helper processes read the files of programs, one file at a time each.  A file that makes a parser
 * crash, hang or take all memory only costs the helper.  That file counts as unreadable, and the
 * next one has a new helper.  Not for two threads at a time.
 */
#ifndef SPT_HELPER_H
#define SPT_HELPER_H

#include "capture/capture.h"
#include "symbols/place-table.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct {
	int fd; /* of the file; the caller keeps it */
	/* path of the file, for debug files beside it and for messages */
	const char *path;
	const SptObjectRow *row; /* the object that the file must be; NULL: any */
	const uint64_t *offsets; /* ascending */
	uint32_t n;
	/*
	 * Download its debug information from $DEBUGINFOD_URLS if it is not here; only by the
	 * build-id of @row.
	 */
	bool download;
	SptReadDepth depth;
	/* keep symbols, since there will be more requests for this file; with SPT_READ_SYMBOLS */
	bool keep;
	/*
	 * the names of a kernel or module, to which the offsets belong then (kernel-answer.h);
	 * NULL: it is neither
	 */
	const GByteArray *names;
} SptReadRequest;

/* The problem of a table begins so if the helper failed. */
#define SPT_HELPER_FAILED "cannot be read: "

typedef struct SptHelpers SptHelpers;

/*
 * @program: NULL for the helper of this program.  At most @n_helpers run; @patience_ms is the most
 * time for one file.  @debug_dirs as in dwarf/symtab.h.  Starts nothing yet.
 */
SptHelpers *spt_helpers_new(const char *program, unsigned n_helpers, unsigned patience_ms,
			    const char *const *debug_dirs);
void spt_helpers_free(SptHelpers *helpers);
/*
 * A program calls this with its own path if it is a helper, too, when it is started as
 * SPT_HELPER_NAME.  It is used if no other helper is installed.
 */
#define SPT_HELPER_NAME "sysprof-helper"
void spt_helpers_set_own(const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptHelpers, spt_helpers_free)

/* Reports the progress of a download; false: stop it. */
typedef bool (*SptHelperProgress)(uint32_t tag, uint64_t done_bytes, uint64_t total_bytes,
				  void *data);
/*
 * Downloads come from these servers, instead of those of $DEBUGINFOD_URLS; called before the first
 * request.
 */
void spt_helpers_set_servers(SptHelpers *helpers, const char *servers);
/* Called from spt_helpers_wait(). */
void spt_helpers_set_progress(SptHelpers *helpers, SptHelperProgress progress, void *data);
/* Whether another request can begin. */
bool spt_helpers_has_room(const SptHelpers *helpers);
/* Sorts offsets (uint64_t) as a request needs them: ascending, each once. */
void spt_helper_sort(GArray *offsets);
/* Begins a request; @tag identifies it when it is done.  There must be room. */
void spt_helpers_begin(SptHelpers *helpers, uint32_t tag, const SptReadRequest *request);
/*
 * Waits for one of the requests; if a file could not be read, its table says why.  NULL: there are
 * no requests.
 */
SptPlaceTable *spt_helpers_wait(SptHelpers *helpers, uint32_t *ret_tag);
/* The same; NULL also if none is done after @timeout_ms; -1: no limit. */
SptPlaceTable *spt_helpers_wait_for(SptHelpers *helpers, int timeout_ms, uint32_t *ret_tag);

/*
 * The unwind table of @file, which has a descriptor, with the part of its debug file
 * (*@ret_has_debug: there is one).  Waits for it, while nothing else is read, until *@stop is not 0
 * (NULL: no @stop).  NULL and an SPT_UNWIND_ERROR: it has none, or its helper failed
 * (SPT_UNWIND_ERROR_UNREADABLE, with a part of a sentence).
 */
SptUnwindTable *spt_helpers_unwind_table(SptHelpers *helpers, const SptObject *file,
					 const gint *stop, bool *ret_has_debug, GError **error);

/* The answer to @query about @file (places.h), to be freed; waits for it as above. */
char *spt_helpers_places(SptHelpers *helpers, const SptObject *file, const char *query,
			 GError **error);

/*
 * The chain of @file, by the interpreter of its name (scripts/interpreter.h); as
 * spt_helpers_unwind_table().  NULL: it is none, or, with an SPT_INTERPRETER_ERROR, is not known.
 */
GBytes *spt_helpers_chain(SptHelpers *helpers, const SptObject *file, const gint *stop,
			  GError **error);

/* Reports the progress of a download; false: give up. */
typedef bool (*SptHelperGoesOn)(uint64_t done_bytes, uint64_t total_bytes, void *data);
/*
 * Returns the path of the debug file for a build-id, which the caller frees; NULL: there is none,
 * or the download was stopped.
 */
typedef char *(*SptHelperFetch)(const uint8_t *build_id, unsigned bytes, SptHelperGoesOn goes_on,
				void *data);
/*
 * Runs a program that is started as SPT_HELPER_NAME, with its arguments; @socket leads to the
 * program that started it.  Without arguments it confines itself (confine.h) and reads files until
 * the end.  "--fetch BUILD-ID": downloads by @fetch, which may be NULL, separately from reading.
 * "--protections": confines itself and reports the protections.  False: the arguments are none of
 * these.
 */
bool spt_helper_run(int socket, int argc, char **argv, SptHelperFetch fetch);
/*
 * The protections that a helper of this program gets, SPT_CONFINE_ bits; false: it cannot be run.
 */
bool spt_helper_protections(unsigned *ret);
/* The program that helpers run; the caller frees it. */
char *spt_helper_program(void);

G_END_DECLS

#endif
