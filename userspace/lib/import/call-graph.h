/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of a profile that has none, but says what each function cost, and what each of its calls
 * cost with all that they called.  As far as such a profile knows, a function does the same for all
 * of its callers: the costs of one call are divided like the costs of all calls.  So the own cost
 * of each function is exact.  Its total is, too, where no function calls itself by way of others.
 */
#ifndef SPT_IMPORT_CALL_GRAPH_H
#define SPT_IMPORT_CALL_GRAPH_H

#include "import/values.h"

G_BEGIN_DECLS

typedef struct SptImportCallGraph SptImportCallGraph;

SptImportCallGraph *spt_import_call_graph_new(void);
void spt_import_call_graph_free(SptImportCallGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptImportCallGraph, spt_import_call_graph_free)

/* The number of a function, from 0. */
uint32_t spt_import_call_graph_function(SptImportCallGraph *graph, const SptFrame *frame,
					const char *name);
uint32_t spt_import_call_graph_functions(const SptImportCallGraph *graph);
/* Adds to what a function cost itself, and to what its calls of another one cost. */
void spt_import_call_graph_self(SptImportCallGraph *graph, uint32_t function, uint64_t cost);
void spt_import_call_graph_call(SptImportCallGraph *graph, uint32_t caller, uint32_t callee,
				uint64_t cost);
/* Measures all costs for the period of @values. */
void spt_import_call_graph_measure(const SptImportCallGraph *graph, SptImportValues *values);
/*
 * Puts all costs as samples of @process; NULL: what nobody calls is no function, but a process.
 * NULL, or what is wrong with a sample.
 */
const char *spt_import_call_graph_put(SptImportCallGraph *graph, SptImportValues *values,
				      SptImportStacks *stacks, const char *process,
				      GError **error);

G_END_DECLS

#endif
