/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives the module, and programs whose memory is recorded, the chains of the interpreters that are
 * mapped, by which they find the frames of scripts.  A thread of its own has them made, by a helper
 * process that reads the files.
 */
#ifndef SPT_SCRIPTS_H
#define SPT_SCRIPTS_H

#include "record/made-frames.h"
#include "record/output.h"
#include "record/script-chains.h"
#include "record/stage.h"
#include "symbols/helpers.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptScripts SptScripts;

/* Who gets them, by @to: the module, programs, and who follows copies of stacks. */
typedef struct {
	SptTrace *trace;		/* NULL: not the module */
	SptScriptChains *programs;	/* NULL: not they */
	SptMadeFrames *made;		/* NULL: not copies of stacks */
} SptScriptsTo;

/* All outlive it. */
SptScripts *spt_scripts_new(SptOutput *output, const SptScriptsTo *to);
void spt_scripts_free(SptScripts *scripts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptScripts, spt_scripts_free)

/*
 * Has the chain of @file made, if that is an interpreter, and gives it to the module and programs.
 * Any thread, until *@stop is not 0.  *@ret_said: what it is, or why it has no chain; NULL: it is
 * no interpreter.  *@ret_chain: the chain, or NULL.  The caller frees both, or does not ask.
 */
bool spt_scripts_have(SptHelpers *helpers, const SptScriptsTo *to, const SptObject *file,
		      const gint *stop, char **ret_said, GBytes **ret_chain);

extern const SptStage spt_scripts_stage;

G_END_DECLS

#endif
