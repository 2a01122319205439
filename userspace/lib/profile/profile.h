/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: node weights folded into functions and trees, for views.  Pure: no I/O, no clock.
 *
 * Weights are those of a metric (metric.h): periods of the capture's sampling clock for CPU time,
 * else in the metric's unit.  The tree's first level is the process (its name), below it are the
 * functions from the outermost to the innermost.  A function is a (name, object) pair.
 */
#ifndef SPT_PROFILE_H
#define SPT_PROFILE_H

#include "profile/metric.h"
#include "profile/moments.h"
#include "symbols/symbols.h"

G_BEGIN_DECLS

typedef enum {
	SPT_SIDE_ANY = 0,
	SPT_SIDE_KERNEL,		/* modules included */
	SPT_SIDE_USER,
} SptSide;

typedef struct SptExpression SptExpression;	/* where-expression.h */
typedef struct SptPattern SptPattern;		/* pattern.h */
typedef struct SptCategories SptCategories;	/* categories.h */

/* Selects samples; all members zero: all samples. */
typedef struct {
	const char *process;		/* name or, if all digits, pid; NULL for all */
	/* by id: wanted (for instance from command.h); NULL for all */
	const bool *processes;
	uint64_t begin_ns, end_ns;	/* times in the capture; end 0: open */
	const SptMoments *moments;	/* one of these, too; NULL: any time */
	const char *thread;		/* name or, if all digits, tid; NULL for all */
	const bool *threads;		/* by id: wanted; NULL for all */
	/* by number: wanted; CPUs from n_cpus on are not; NULL for all */
	const bool *cpus;
	uint32_t n_cpus;
	const SptExpression *where;	/* must hold for the functions on the stack; NULL for all */
	const SptPattern *root;		/* one of these functions is on the stack; NULL for all */
	/* A pattern (glob.h) for the name of the innermost frame's object; NULL for all. */
	const char *object;
	SptSide side;			/* side of the innermost frame */
	const char *language;		/* of the stack's end, as in languages.h; NULL for all */
	const SptCategories *categories;
	const char *category;		/* of the stack, by @categories; NULL for all */
	/* Number of threads that ran at the time, for metrics that have it; most 0: any. */
	uint32_t least_parallelism, most_parallelism;
} SptFilter;

/* What stands where a process has weight without a stack, as function and as object. */
#define SPT_NO_STACK "[no stack]"

typedef struct {
	const char *name, *object;	/* interned by SptSymbols; processes have object "" */
	bool is_process, has_symbol, is_kernel;
	bool is_inlined;		/* wherever it was seen */
	bool is_script;
	/* It represents all stacks that are not known: filters do not apply to its name. */
	bool is_no_stack;
	/*
	 * Why it has no symbol, if its object is a file: what is wrong with that file, or "" if its
	 * symbols are too few.  Interned by SptSymbols; NULL otherwise.
	 */
	const char *problem;
	const char *language; /* as in symbols/language.h; NULL: it is no function */
	/* @total counts a sample once, however often the function is on its stack. */
	uint64_t self, total;
} SptFunction;

/*
 * A folded tree: nodes[0] is the root (function UINT32_MAX); parents are before children.  A node
 * without a selected sample has a total of 0.
 */
typedef struct {
	uint32_t parent, function;
	/* Children are nodes[first_child ... ], heaviest first unless refiltered */
	uint32_t first_child, n_children;
	uint64_t self, total;
} SptTreeNode;

typedef struct {
	uint32_t function;
	uint64_t weight;		/* of the edge */
	/* Of a caller 0; of a callee, the samples whose innermost frame it is, directly below. */
	uint64_t self;
} SptEdge;

typedef struct SptProfile SptProfile;

/*
 * Adds to @weights, by raw node, the weight of the selected samples that end there.  Returns their
 * number.  @metric, here and below: one that @capture has; NULL: CPU time.
 */
uint64_t spt_profile_weigh_nodes(const SptCapture *capture, SptSymbols *symbols,
				 const SptMetric *metric, const SptFilter *filter,
				 uint64_t *weights);
/* @symbols must outlive it. */
SptProfile *spt_profile_new(const SptCapture *capture, SptSymbols *symbols,
			    const SptMetric *metric, const SptFilter *filter);
/*
 * The same for the whole recording.  It remembers the place of each sample (24 bytes for each, 48
 * for metrics other than CPU time), for spt_profile_refilter().  @capture must outlive it.
 * Profiles that are folded with the same @symbols have the same function numbers, whatever the
 * metric.
 */
SptProfile *spt_profile_new_base(const SptCapture *capture, SptSymbols *symbols,
				 const SptMetric *metric);
/* The same for the samples that @filter will select: a metric may depend on the other threads. */
SptProfile *spt_profile_new_base_for(const SptCapture *capture, SptSymbols *symbols,
				     const SptMetric *metric, const SptFilter *filter);
/*
 * The same without the places: they are found again, in each pass over the samples (row-walk.h), so
 * that memory does not grow with their number.  What rows.h, weigh.c, timelines, lanes and
 * arrangements by program need works with it, and nothing else.
 */
SptProfile *spt_profile_new_reread(const SptCapture *capture, SptSymbols *symbols,
				   const SptMetric *metric, const SptFilter *filter);
SptProfile *spt_profile_new_base_watched(const SptCapture *capture, SptSymbols *symbols,
					 const SptMetric *metric, SptProgress progress,
					 void *data);
/*
 * @base as it is with @filter, by one pass over the samples of its time and one over the tree.
 * Functions and tree nodes keep their places: indices mean the same as in @base, and siblings stay
 * in its order, whatever their weights now.  @reuse: an earlier result for the same @base, which
 * becomes the new one; NULL: make one.  @base does not change, and must outlive the result.
 * Threads may refilter it at the same time, each into its own result.
 */
SptProfile *spt_profile_refilter(const SptProfile *base, const SptFilter *filter,
				 SptProfile *reuse);
void spt_profile_free(SptProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptProfile, spt_profile_free)

const SptMetric *spt_profile_metric(const SptProfile *profile);
/* Weight of all samples folded */
uint64_t spt_profile_total(const SptProfile *profile);
/* Weight of those whose stack was not recorded */
uint64_t spt_profile_without_stack(const SptProfile *profile);
uint64_t spt_profile_n_samples(const SptProfile *profile);		/* rows of the metric */
typedef struct {
	uint64_t weight;
	uint64_t held;			/* of that, for locks and for the disk: not for work */
} SptThreadWeight;

/*
 * By thread of the capture, what it has of the selected processes, threads, CPUs and time, of a
 * metric with states (SPT_METRIC_HAS_STATE); NULL for others.  If the profile was refiltered or
 * arranged, what the one that it was made from has.
 */
const SptThreadWeight *spt_profile_threads(const SptProfile *profile);
/* It stands above stacks whose outer part is not known: "[stack cut off]", "[stack incomplete]". */
bool spt_function_is_cut(const SptFunction *function);
/* Whether it is the name of what an event was about, and no code. */
bool spt_function_is_event(const SptFunction *function);
/* Of these, that a wait was for a futex: what seems to call it is the futex's own name. */
bool spt_function_is_futex(const SptFunction *function);
const SptFunction *spt_profile_functions(const SptProfile *profile, uint32_t *ret_n);
const SptTreeNode *spt_profile_tree(const SptProfile *profile, uint32_t *ret_n);

/*
 * Index of the function called @name (in several objects: the heaviest); UINT32_MAX: no sample has
 * one.
 */
uint32_t spt_profile_find(const SptProfile *profile, const char *name);
/*
 * Indices (uint32_t) of the functions with samples, without processes, whose name matches a
 * pattern (glob.h).
 */
GArray *spt_profile_match(const SptProfile *profile, const char *pattern);

/*
 * The callers of @function, by its outermost occurrence on each stack: the edges' weights add up to
 * its total.  Heaviest first.  Elements are SptEdge.
 */
GArray *spt_profile_callers(const SptProfile *profile, uint32_t function);
/* The direct callees of @function; a sample counts once for each callee.  Elements are SptEdge. */
GArray *spt_profile_callees(const SptProfile *profile, uint32_t function);
/*
 * The same for several functions taken as one: a sample counts once, however many of them are on
 * its stack.
 */
GArray *spt_profile_callers_of(const SptProfile *profile, const uint32_t *functions, uint32_t n);
GArray *spt_profile_callees_of(const SptProfile *profile, const uint32_t *functions, uint32_t n);
void spt_profile_sums_of(const SptProfile *profile, const uint32_t *functions, uint32_t n,
			 uint64_t *ret_self, uint64_t *ret_total);
/*
 * The tree of everything below @function (its outermost occurrences merged), heaviest first.
 * Elements are SptTreeNode; element 0 is @function.  UINT32_MAX: the tree of everything that has
 * weight.
 */
GArray *spt_profile_descendants(const SptProfile *profile, uint32_t function);

/* The child of @node for @function, or UINT32_MAX. */
uint32_t spt_tree_child(const SptTreeNode *nodes, uint32_t node, uint32_t function);
/* The node of @nodes with the same path of functions as @node in @others, or UINT32_MAX. */
uint32_t spt_tree_find(const SptTreeNode *nodes, const SptTreeNode *others, uint32_t node);

/*
 * The tree of everything from the place on each stack where @holds (by tree node) is first true.
 * The functions there are below the root, which is not a function.  Elements are SptTreeNode,
 * heaviest first.
 */
GArray *spt_profile_descendants_where(const SptProfile *profile, const bool *holds);

/* Function indices, heaviest @by_self or by total first; ties by name.  n = number of functions. */
uint32_t *spt_profile_order(const SptProfile *profile, bool by_self);

G_END_DECLS

#endif
