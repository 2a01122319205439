/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of scripts, by what the module copied of their code (the uapi header sysprof-chain.h).
 * Each file of a script is an object of the capture; format.md has its offsets.
 */
#ifndef SPT_SCRIPT_NAMES_H
#define SPT_SCRIPT_NAMES_H

#include "capture/capture.h"
#include "capture/sink.h"
#include "sysprof-chain.h"

G_BEGIN_DECLS

typedef struct SptScriptNames SptScriptNames;

SptScriptNames *spt_script_names_new(void);
void spt_script_names_free(SptScriptNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptScriptNames, spt_script_names_free)

/* The id of an object that neither the source nor a script has. */
uint32_t spt_script_names_new_id(SptScriptNames *names);
/* A number of a code that the module does not give; 0: there are no more. */
uint64_t spt_script_names_new_number(SptScriptNames *names);
/* Takes a SYSPROF_CODE.  True: @ret is the object of a file that is new. */
bool spt_script_names_take(SptScriptNames *names, const struct sysprof_code *code,
			   SptObjectRow *ret);
/* The number will not come again. */
void spt_script_names_drop(SptScriptNames *names, uint64_t number);
/* The number of codes that were taken, and of those that had no name or were too many. */
unsigned spt_script_names_count(const SptScriptNames *names, unsigned *ret_unnamed);
/* Whether @frame of a sample is that of a script. */
static inline bool spt_script_names_is(uint64_t frame)
{
	return (frame & SYSPROF_FRAME_SCRIPT) == SYSPROF_FRAME_SCRIPT;
}
/* What @frame is in the capture; false: its code is not known. */
bool spt_script_names_frame(const SptScriptNames *names, uint64_t frame, SptFrame *ret);
/*
 * @sample without frames that are no functions and, but @with_loops, the native frames that
 * execute its scripts: itself if it has none, else a copy that is valid until the next call.
 */
const struct sysprof_sample *spt_script_names_fold(SptScriptNames *names,
						   const struct sysprof_sample *sample,
						   bool with_loops);

/* Puts the name of the function at @offset in @object, unless it was put already. */
void spt_script_names_put(SptScriptNames *names, uint32_t object, uint64_t offset, SptSink *to);
/* All names are to be put again. */
void spt_script_names_forget(SptScriptNames *names);

G_END_DECLS

#endif
