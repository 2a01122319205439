/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains for the programs whose memory or calls are recorded (rings/chains.h): libraries in them
 * find the frames of scripts by themselves.
 */
#ifndef SPT_SCRIPT_CHAINS_H
#define SPT_SCRIPT_CHAINS_H

#include "object/object.h"

G_BEGIN_DECLS

typedef struct SptScriptChains SptScriptChains;

/* NULL: there is no memory for it, or the kernel cannot seal it. */
SptScriptChains *spt_script_chains_new(void);
void spt_script_chains_free(SptScriptChains *chains);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptScriptChains, spt_script_chains_free)

/* What programs open. */
const char *spt_script_chains_path(const SptScriptChains *chains);
/* Gives them the chain of @file; false: it is none, or there are too many.  Any thread. */
bool spt_script_chains_put(SptScriptChains *chains, const SptObject *file, GBytes *chain);

G_END_DECLS

#endif
