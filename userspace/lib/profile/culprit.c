/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each tree node has the innermost function of its path that is no machinery: one pass. */
#include "profile/culprit.h"

#include <string.h>

#include "base/pairs.h"
#include "profile/command.h"
#include "profile/glob.h"
#include "profile/tree.h"
#include "symbols/language.h"

/* Too little to be looked at first, in parts of the whole. */
#define LITTLE 100

/* Objects whose functions work for their callers. */
static const char *const runtimes[] = {
	"libc.so*",	  "libc-2.*",	   "libpthread*",   "ld-linux*",     "ld-2.*",
	"ld-musl*",	  "libstdc++*",	   "libc++*",	    "libgcc_s*",     "libspt-*",
	"libjemalloc*",	  "libtcmalloc*",  "libmimalloc*",  "libglib-2.0*",  "libgobject-2.0*",
	"libgio-2.0*",	  "libdbus-1*",	   "libsystemd*",   "[vdso]",
};

/* Functions of allocators and templates that are compiled into programs. */
static const char *const helpers[] = {
	"std::*",     "__gnu_cxx::*", "operator new*", "operator delete*", "malloc",
	"calloc",     "realloc",      "xmalloc",       "xcalloc",	   "xrealloc",
	"g_malloc*",  "g_realloc*",   "g_slice_*",     "je_*",		   "*@plt",
	"__gthread_*",
};

/*
 * Where the kernel enters, is interrupted and switches, the innermost or outermost of each stack:
 * nobody calls these, so they say nothing of what is waited for.
 */
static const char *const entries[] = {
	"schedule*",	   "__schedule*",    "io_schedule*",	"preempt_schedule*",
	"finish_task_switch*", "context_switch*", "__switch_to*", "entry_SYSCALL*",
	"do_syscall_*",	   "x64_sys_call*",  "el0*",		"invoke_syscall*",
	"ret_from_fork*",  "asm_*",	     "kthread",		"__x64_sys_*",
	"__arm64_sys_*",   "sysvec_*",	     "irqentry_*",	"exit_to_user_mode*",
	"exc_*",	   "common_interrupt*", "irq_exit*",	"el1*",
};

/* Where the kernel turns interrupts on again. */
static const char *const ends[] = {
	"finish_task_switch*",	 "_raw_spin_unlock_irq*",	"irqentry_exit*",
	"exit_to_user_mode*",	 "syscall_exit_to_user_mode*",	"handle_softirqs*",
	"__do_softirq*",
};

/* Most names begin otherwise than most patterns. */
static bool is_one_of(const char *const *patterns, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if ((*patterns[i] == *name || *patterns[i] == '*') &&
		    spt_glob_match(patterns[i], name))
			return true;
	return false;
}

/* A template's name may begin with what it returns. */
static const char *without_result(const char *name)
{
	const char *std = strchr(name, ' ') ? strstr(name, " std::") : NULL;

	if (std && (size_t)(std - name) + strlen(" std::") > strcspn(name, "<("))
		std = NULL;

	return std ? std + 1 : name;
}

static bool is_runtime(const char *object)
{
	return object && is_one_of(runtimes, G_N_ELEMENTS(runtimes), object);
}

static bool is_helper(const SptFunction *function)
{
	return is_one_of(helpers, G_N_ELEMENTS(helpers), without_result(function->name));
}

static bool is_entry(const SptFunction *function)
{
	return spt_function_is_event(function) ||
	       (function->is_kernel &&
		is_one_of(entries, G_N_ELEMENTS(entries), function->name));
}

bool spt_culprits_matter(const SptProfile *profile)
{
	const SptMetric *metric = spt_profile_metric(profile);

	return (metric->parts & SPT_METRIC_HAS_STATE) ||
	       (metric->option && g_str_has_prefix(metric->option, "--memory"));
}

bool spt_culprit_is_machinery(const char *function, const char *object, bool is_kernel)
{
	const SptFunction plain = { .name = function, .object = object, .is_kernel = is_kernel };

	return is_kernel || spt_function_is_event(&plain) || is_runtime(object) ||
	       is_helper(&plain);
}

/* A thread that is woken in one of these was woken by the one that had the lock. */
bool spt_culprit_takes_lock(const char *function)
{
	static const char *const locks[] = { "*pthread_mutex_lock*", "*pthread_mutex_timedlock*",
					     "*pthread_mutex_clocklock*", "*lll_lock_wait*",
					     "g_mutex_lock*" };

	return is_one_of(locks, G_N_ELEMENTS(locks), function);
}

bool *spt_culprits_take_locks(const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	bool *take = g_new(bool, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		take[i] = spt_culprit_takes_lock(functions[i].name);
	return take;
}

/* What is known of each function, so that its name is compared once. */
enum {
	IS_MACHINERY = 1 << 0,
	IS_ENTRY = 1 << 1,
	IS_HELPER = 1 << 2,
	IS_CUT = 1 << 3,
	IS_SCRIPT = 1 << 4,
	IS_INTERPRETER = 1 << 5,	/* below a script's function it is machinery */
};

/* What the file says of its functions.  Those of one file are mostly one behind the other. */
struct file {
	const char *object;
	bool is_runtime;
	bool is_interpreter;		/* its own file, or a module that belongs to it */
};

static void file_init(struct file *file, const char *object)
{
	*file = (struct file){ object, is_runtime(object),
			       spt_language_has_interpreter(NULL, object ? object : "") ||
				       spt_glob_match("_*.cpython-*", object ? object : "") };
}

static uint8_t kind_of(const SptFunction *function, const struct file *file)
{
	if (spt_function_is_cut(function))
		return IS_CUT;
	if (function->is_kernel || spt_function_is_event(function) || file->is_runtime)
		return IS_MACHINERY | (is_entry(function) ? IS_ENTRY : 0);
	if (function->is_script)
		return IS_SCRIPT;
	/* Without a name it says nothing of what it does. */
	if (file->is_interpreter)
		return IS_INTERPRETER | (function->has_symbol ? IS_HELPER : IS_ENTRY);
	return is_helper(function) ? IS_MACHINERY | IS_HELPER : 0;
}

static uint8_t *find_kinds(const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	uint8_t *kinds = g_new(uint8_t, MAX(n, 1));
	struct file file;

	file_init(&file, NULL);
	for (uint32_t i = 0; i < n; i++) {
		if (functions[i].object != file.object)
			file_init(&file, functions[i].object);
		kinds[i] = kind_of(&functions[i], &file);
	}
	return kinds;
}

/* The path down to a tree node. */
struct path {
	uint32_t own, through;		/* as in SptCulprit; own UINT32_MAX: none so far */
	uint32_t other;			/* innermost one that is no entry */
	bool is_vague;			/* through is a helper: what that calls says more */
	bool is_cut;			/* nobody knows whether it began in machinery */
	bool has_script;		/* what an interpreter does, it does for that */
};

static struct path step(struct path path, uint32_t function, uint8_t kind, bool is_process)
{
	if (is_process)
		return path;
	if (kind & IS_CUT) {
		path.is_cut = true;
		return path;
	}
	path.has_script |= (kind & IS_SCRIPT) != 0;
	if ((kind & IS_INTERPRETER) && path.has_script)
		kind |= IS_MACHINERY;
	if (!(kind & IS_MACHINERY)) {
		path.own = function;
		path.through = UINT32_MAX;
	} else if (!(kind & IS_ENTRY) && (path.through == UINT32_MAX || path.is_vague)) {
		path.through = function;
		path.is_vague = kind & IS_HELPER;
	}
	if (!(kind & IS_ENTRY) || path.other == UINT32_MAX)
		path.other = function;
	return path;
}

/* Who has what ends at a path, and through what. */
static uint32_t blame(const struct path *path, uint32_t *ret_through)
{
	*ret_through = UINT32_MAX;
	if (path->own != UINT32_MAX) {
		*ret_through = path->through;
		return path->own;
	}
	/* The outermost that is known is the nearest to its caller. */
	return path->is_cut && path->through != UINT32_MAX ? path->through : path->other;
}

static bool is_of_recorder(const SptFunction *function)
{
	return function->object && g_str_has_prefix(function->object, "libspt-");
}

uint64_t spt_culprit_recorder(const SptProfile *profile)
{
	uint64_t weight = 0;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].self && is_of_recorder(&functions[i]))
			weight += functions[i].self;
	return weight;
}

bool spt_culprit_is_late(const SptFunction *function, const SptCapture *capture)
{
	const char *event = spt_capture_host(capture, "event");

	/* Counters of the CPU interrupt it at any time. */
	return function->is_kernel && is_one_of(ends, G_N_ELEMENTS(ends), function->name) &&
	       g_strcmp0(spt_capture_host(capture, "clock"), "pmu") != 0 &&
	       !(event && strstr(event, "cycles"));
}

bool spt_culprit_is_code(const SptFunction *function)
{
	return !function->is_no_stack && !is_of_recorder(function);
}

static gint compare_culprits(gconstpointer a, gconstpointer b, gpointer functions)
{
	const SptCulprit *x = a, *y = b;
	const SptFunction *all = functions;

	if (x->is_code != y->is_code)
		return x->is_code ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(all[x->function].name, all[y->function].name);
}

/* By function, its weight; the heaviest machinery of each counts.  The caller frees it. */
static SptCulprit *gather(const SptProfile *profile, const struct path *paths,
			  uint32_t n_functions)
{
	struct spt_pairs edges = { 0 };	/* (function, through) -> in weights */
	g_autoptr(GArray) weights = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	SptCulprit *sums = g_new0(SptCulprit, MAX(n_functions, 1));
	uint32_t n;
	const SptTreeNode *tree = spt_profile_tree(profile, &n);

	for (uint32_t i = 1; i < n; i++) {
		uint32_t through, function = blame(&paths[i], &through);
		uint32_t *edge;
		uint64_t *weight, none = 0;

		if (function == UINT32_MAX || tree[i].self == 0)
			continue;
		edge = spt_pairs_at(&edges, function, through);
		if (*edge == UINT32_MAX) {
			*edge = weights->len;
			g_array_append_val(weights, none);
		}
		weight = &g_array_index(weights, uint64_t, *edge);
		*weight += tree[i].self;
		sums[function].weight += tree[i].self;
		if (*weight > sums[function].through_weight) {
			sums[function].through_weight = *weight;
			sums[function].through = through;
		}
	}
	spt_pairs_clear(&edges);
	return sums;
}

/* Of all tree nodes. */
static struct path *find_paths(const SptProfile *profile, const uint8_t *kinds)
{
	uint32_t n, n_functions;
	const SptFunction *functions = spt_profile_functions(profile, &n_functions);
	const SptTreeNode *tree = spt_profile_tree(profile, &n);
	struct path *paths = g_new(struct path, MAX(n, 1));

	paths[0] = (struct path){ .own = UINT32_MAX, .through = UINT32_MAX, .other = UINT32_MAX };
	for (uint32_t i = 1; i < n; i++) {
		uint32_t function = tree[i].function, parent = tree[i].parent;

		/* The lock is no function, but has a name in its program. */
		if (spt_function_is_futex(&functions[function]))
			paths[i] = paths[tree[parent].parent];
		else
			paths[i] = step(paths[parent], function, kinds[function],
					functions[function].is_process);
	}
	return paths;
}

/* By function, likewise, where no function is machinery: what it has by itself. */
static SptCulprit *take_selfs(const SptFunction *functions, uint32_t n)
{
	SptCulprit *sums = g_new0(SptCulprit, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++) {
		sums[i].weight = functions[i].is_process ? 0 : functions[i].self;
		sums[i].through = UINT32_MAX;
	}
	return sums;
}

GArray *spt_culprits_new(const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	GArray *culprits = g_array_new(FALSE, FALSE, sizeof(SptCulprit));
	g_autofree SptCulprit *sums = NULL;

	if (spt_culprits_matter(profile)) {
		g_autofree uint8_t *kinds = find_kinds(profile);
		g_autofree struct path *paths = find_paths(profile, kinds);

		sums = gather(profile, paths, n);
	} else {
		sums = take_selfs(functions, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!sums[i].weight)
			continue;
		sums[i].function = i;
		sums[i].is_code = spt_culprit_is_code(&functions[i]);
		g_array_append_val(culprits, sums[i]);
	}
	g_array_sort_with_data(culprits, compare_culprits, (gpointer)functions);
	return culprits;
}

/* Weights by function. */

struct SptCulprits {
	gatomicrefcount refs;
	uint8_t *kinds;			/* of each function */
};

SptCulprits *spt_culprits_know(const SptProfile *profile)
{
	SptCulprits *culprits;

	if (!spt_culprits_matter(profile))
		return NULL;
	culprits = g_new0(SptCulprits, 1);
	g_atomic_ref_count_init(&culprits->refs);
	culprits->kinds = find_kinds(profile);
	return culprits;
}

SptCulprits *spt_culprits_ref(SptCulprits *culprits)
{
	g_atomic_ref_count_inc(&culprits->refs);
	return culprits;
}

void spt_culprits_unref(SptCulprits *culprits)
{
	if (!culprits || !g_atomic_ref_count_dec(&culprits->refs))
		return;
	g_free(culprits->kinds);
	g_free(culprits);
}

uint64_t *spt_culprits_own(const SptCulprits *culprits, const SptProfile *profile)
{
	g_autofree struct path *paths = find_paths(profile, culprits->kinds);
	uint32_t n, n_functions;
	const SptTreeNode *tree = spt_profile_tree(profile, &n);
	uint64_t *own;

	spt_profile_functions(profile, &n_functions);
	own = g_new0(uint64_t, MAX(n_functions, 1));
	for (uint32_t i = 1; i < n; i++) {
		uint32_t through, function = blame(&paths[i], &through);

		if (function != UINT32_MAX)
			own[function] += tree[i].self;
	}
	return own;
}

struct weighed {
	const SptFunction *functions;
	const uint64_t *own, *lead;
};

static gint compare_own(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct weighed *weighed = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const SptFunction *p = &weighed->functions[x], *q = &weighed->functions[y];

	if (weighed->lead && weighed->lead[x] != weighed->lead[y])
		return weighed->lead[x] > weighed->lead[y] ? -1 : 1;
	if (weighed->own[x] != weighed->own[y])
		return weighed->own[x] > weighed->own[y] ? -1 : 1;
	if (p->total != q->total)
		return p->total > q->total ? -1 : 1;
	if (p->self != q->self)
		return p->self > q->self ? -1 : 1;
	return spt_function_compare(p, q);
}

uint32_t *spt_culprits_order(const SptProfile *profile, const uint64_t *own,
			     const uint64_t *lead)
{
	uint32_t n;
	struct weighed weighed = { spt_profile_functions(profile, &n), own, lead };
	uint32_t *order;

	if (!own)
		return spt_profile_order(profile, true);
	order = g_new(uint32_t, MAX(n, 1));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	g_qsort_with_data(order, (int)n, sizeof(*order), compare_own, &weighed);
	return order;
}

/* The first view. */

static bool is_of_system(const char *path)
{
	return !path || *path != '/' || g_str_has_prefix(path, "/usr/") ||
	       g_str_has_prefix(path, "/lib") || g_str_has_prefix(path, "/opt/");
}

/* Objects that are more likely the user's than others. */
enum own {
	OWN_COMMAND,  /* the program of the command that was recorded */
	OWN_FILES,    /* all that no package has installed */
	OWN_PROGRAMS, /* programs that the command started, as a build starts compilers */
	N_OWN,
};

/* A function knows the last part of its object's path only: a copy of libc is libc. */
static void add_own_files(GHashTable *own, const SptCapture *capture)
{
	for (unsigned of_system = 0; of_system < 2; of_system++)
		for (uint32_t i = 1; i < capture->n_objects; i++) {
			const char *path = capture->objects[i].path;

			if (is_of_system(path) != of_system || !path)
				continue;
			if (of_system)
				g_hash_table_remove(own, strrchr(path, '/') ?
								 strrchr(path, '/') + 1 : path);
			else
				g_hash_table_add(own, g_path_get_basename(path));
		}
}

/* Their names. */
static GHashTable *find_own_objects(const SptCapture *capture, enum own which)
{
	GHashTable *own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	const char *command = spt_capture_host(capture, "command");
	g_autofree bool *processes =
		which == OWN_PROGRAMS ? spt_command_processes(capture) : NULL;
	g_auto(GStrv) words = NULL;

	if (which == OWN_COMMAND && command && g_shell_parse_argv(command, NULL, &words, NULL))
		g_hash_table_add(own, g_path_get_basename(words[0]));
	if (which == OWN_FILES)
		add_own_files(own, capture);
	for (uint32_t i = 1; processes && i < capture->n_processes; i++)
		if (processes[i] && capture->processes[i].name)
			g_hash_table_add(own, g_strdup(capture->processes[i].name));
	return own;
}

/* By total, of those that have @least of their own. */
static uint32_t heaviest(const SptFunction *functions, uint32_t n, uint64_t least)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++)
		if (!functions[i].is_process && functions[i].self >= least &&
		    (best == UINT32_MAX || functions[i].total > functions[best].total))
			best = i;
	return best;
}

/* Of what sentences name as busiest the first; or else the first of all. */
static uint32_t busiest(const SptProfile *profile, const SptCapture *capture,
			const GArray *culprits)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	bool matter = spt_culprits_matter(profile);

	for (unsigned i = 0; i < culprits->len; i++) {
		const SptCulprit *culprit = &g_array_index(culprits, SptCulprit, i);
		const SptFunction *function = &functions[culprit->function];

		if (culprit->is_code &&
		    (function->has_symbol || culprit->through != UINT32_MAX) &&
		    (matter || !spt_culprit_is_late(function, capture)))
			return culprit->function;
	}
	return culprits->len ? g_array_index(culprits, SptCulprit, 0).function : UINT32_MAX;
}

/*
 * Functions that a user may have written: those with a name, of own objects and of scripts.  What
 * templates of the standard library are compiled to is not.
 */
static bool *find_own(const SptProfile *profile, const SptCapture *capture)
{
	g_autoptr(GHashTable) command = find_own_objects(capture, OWN_COMMAND),
			      files = find_own_objects(capture, OWN_FILES);
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	bool *own = g_new0(bool, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		own[i] = functions[i].is_script ||
			 (functions[i].has_symbol && functions[i].object &&
			  !functions[i].is_kernel && spt_culprit_is_code(&functions[i]) &&
			  !is_helper(&functions[i]) &&
			  !spt_language_has_interpreter(NULL, functions[i].object) &&
			  (g_hash_table_contains(command, functions[i].object) ||
			   g_hash_table_contains(files, functions[i].object)));
	return own;
}

/* Every program has these, and everything is below them. */
static bool is_outermost(const SptFunction *function)
{
	static const char *const names[] = { "main", "_start", "<module>", "start_thread" };

	return is_one_of(names, G_N_ELEMENTS(names), function->name);
}

uint32_t spt_culprit_place(const SptProfile *profile, const SptCapture *capture)
{
	uint32_t n, best = UINT32_MAX;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	uint64_t least = spt_profile_total(profile) / 2;
	g_autofree bool *own = find_own(profile, capture);

	/* What is below another one has no more than that. */
	for (uint32_t i = 0; i < n; i++)
		if (own[i] && functions[i].total > least && !is_outermost(&functions[i]) &&
		    (best == UINT32_MAX || functions[i].total < functions[best].total))
			best = i;
	return best;
}

uint32_t spt_culprit_first(const SptProfile *profile, const SptCapture *capture)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autoptr(GArray) culprits = spt_culprits_new(profile);
	uint64_t least = spt_profile_total(profile) / LITTLE;
	uint32_t best;

	for (enum own which = 0; which < N_OWN; which++) {
		g_autoptr(GHashTable) own = find_own_objects(capture, which);

		for (unsigned i = 0; i < culprits->len; i++) {
			const SptCulprit *culprit = &g_array_index(culprits, SptCulprit, i);
			const SptFunction *function = &functions[culprit->function];

			if (culprit->weight >= MAX(least, 1) && !function->is_kernel &&
			    culprit->is_code && !is_helper(function) &&
			    function->has_symbol && g_hash_table_contains(own, function->object))
				return culprit->function;
		}
	}
	/* What templates are compiled to works for a function that they wrote. */
	if (!spt_culprits_matter(profile)) {
		best = spt_culprit_place(profile, capture);
		if (best != UINT32_MAX)
			return best;
	}
	/* Where the functions of a command have no names, it is the busiest one that has. */
	if (spt_culprits_matter(profile) || spt_command_fact(capture, "command_pid")) {
		best = busiest(profile, capture, culprits);
		if (best != UINT32_MAX)
			return best;
	}
	best = heaviest(functions, n, least);
	return best != UINT32_MAX ? best : heaviest(functions, n, 0);
}

/* The number of the largest weight; UINT32_MAX: all are 0. */
static uint32_t most_of(const uint64_t *weights, uint32_t n, uint64_t *ret_weight)
{
	uint32_t best = UINT32_MAX;

	*ret_weight = 0;
	for (uint32_t i = 0; i < n; i++)
		if (weights[i] > *ret_weight) {
			*ret_weight = weights[i];
			best = i;
		}
	return best;
}

uint32_t spt_culprit_caller(const SptProfile *profile, const SptCapture *capture,
			    uint32_t function, uint64_t *ret_weight)
{
	uint32_t n, n_functions;
	const SptTreeNode *tree = spt_profile_tree(profile, &n);
	g_autofree bool *own = find_own(profile, capture);
	g_autofree uint64_t *weights = NULL;

	spt_profile_functions(profile, &n_functions);
	*ret_weight = 0;
	if (own[function])
		return UINT32_MAX;
	weights = g_new0(uint64_t, n_functions);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t at = i;

		if (tree[i].function != function || !tree[i].self)
			continue;
		while (at && !own[tree[at].function])
			at = tree[at].parent;
		if (at)
			weights[tree[at].function] += tree[i].self;
	}
	return most_of(weights, n_functions, ret_weight);
}

uint32_t spt_culprit_lock(const SptProfile *profile, uint64_t *ret_weight)
{
	uint32_t n, n_functions;
	const SptTreeNode *tree = spt_profile_tree(profile, &n);
	const SptFunction *functions = spt_profile_functions(profile, &n_functions);
	g_autofree uint64_t *weights = g_new0(uint64_t, MAX(n_functions, 1));

	for (uint32_t i = 1; i < n; i++) {
		uint32_t lock = tree[tree[i].parent].function;

		if (!tree[i].parent || !spt_function_is_futex(&functions[tree[i].function]))
			continue;
		/* Some have no name but where they are. */
		if (!spt_function_is_event(&functions[lock]))
			weights[lock] += tree[i].total;
	}
	return most_of(weights, n_functions, ret_weight);
}
