/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that must be in the file during the recording, since they cannot be found later: those of
 * kernel frames, of the vdso, of code made at run time, and of programs that are deleted or
 * replaced meanwhile.
 */
#ifndef SPT_NAMING_H
#define SPT_NAMING_H

#include "capture/sink.h"
#include "object/object.h"
#include "record/jit.h"
#include "record/script-names.h"
#include "sysprof.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptNaming SptNaming;

/* @all: names every function, for a file that will be read elsewhere. */
SptNaming *spt_naming_new(bool all);
void spt_naming_free(SptNaming *naming);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptNaming, spt_naming_free)

/* The file at @path if it is that of @row, else NULL. */
SptObject *spt_naming_open(const char *path, const SptObjectRow *row);

/* Begins anew with another stash.  Files stay open. */
void spt_naming_forget(SptNaming *naming);

/*
 * A file was mapped, last by @pid.  Opens it and holds it, if it can be found, so that it can be
 * named even when it is deleted.
 */
void spt_naming_hold(SptNaming *naming, SptTrace *trace, const SptObjectRow *row, uint32_t pid);
/* The file that is held for an object, or the image of the vdso; NULL: there is none. */
const SptObject *spt_naming_file(SptNaming *naming, uint32_t id);
/* The same for an object that may be mapped, but is not reported yet. */
const SptObject *spt_naming_file_early(SptNaming *naming, SptTrace *trace, uint32_t id);
/* The path of an object; NULL: it was not reported. */
const char *spt_naming_path(const SptNaming *naming, uint32_t id);
/* The offset of @name in the object SPT_STACKS_NAMED. */
uint64_t spt_naming_named(SptNaming *naming, const char *name);
/* Called often between flushes: holds the files in which programs describe code that they make. */
void spt_naming_keep(SptNaming *naming);
/* The functions of scripts, which get their names from what the module copied. */
SptScriptNames *spt_naming_scripts(SptNaming *naming);
/* The descriptions of that code. */
const SptJit *spt_naming_jit(const SptNaming *naming);
/* Whether all objects of the frames of @stash have been reported. */
bool spt_naming_knows_objects(SptNaming *naming, SptStash *stash);
/*
 * Called before a flush: puts names of @stash's new frames into @to that would be lost
 * otherwise.
 */
bool spt_naming_flush(SptNaming *naming, SptTrace *trace, SptStash *stash, SptSink *to, bool last,
		      GError **error);

G_END_DECLS

#endif
