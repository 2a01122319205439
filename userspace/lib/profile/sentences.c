/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First the conditions that hold are found, and the texts of all numbers and names.  Then the table
 * (sentences-table.c) is read: in each group the first sentence is said whose conditions hold.
 */
#include "profile/sentences.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "profile/amounts.h"
#include "profile/command.h"
#include "profile/culprit.h"
#include "profile/idle.h"
#include "profile/languages.h"
#include "profile/profile-private.h"
#include "profile/selection.h"
#include "profile/sentences-private.h"
#include "profile/source-sums.h"
#include "symbols/plain-names.h"

#define MOST 3
#define LEAST_SHARE 0.01
#define MUCH_NAMELESS 0.1		/* less does not change what the named ones say */
#define MUCH_LOCKED 0.1			/* less is no lock that anybody has to look for */
#define MUCH_SELF 0.2			/* less is hardly asked about */
#define MUCH_CALLED 0.5			/* less is one of several that call it */
#define MUCH_WAITED 0.5			/* of the time that it was not kept from running */
#define MUCH_WAITED_IN 0.2		/* of that; less is one of many places */
#define NEARLY_ALL 0.95			/* less is said to be part of something */
#define PYTHON_TELLS_PERF 12		/* this minor version and later can describe functions */
#define NAME_BYTES 48
#define NS_PER_MS 1000000u
#define ELLIPSIS "\xe2\x80\xa6"
/* A number stays on the line of its unit. */
#define NO_BREAK "\xc2\xa0"

SptSentencesOf spt_sentences_find_part(const SptFilter *filter)
{
	if (!filter)
		return SPT_SENTENCES_OF_ALL;
	if (filter->process || filter->thread || spt_filter_is_about_time(filter) || filter->cpus ||
	    filter->most_parallelism || spt_filter_is_about_stacks(filter))
		return SPT_SENTENCES_OF_PART;
	return filter->processes ? SPT_SENTENCES_OF_COMMAND : SPT_SENTENCES_OF_ALL;
}

/* What is true of a profile, and the texts that sentences refer to. */
struct facts {
	uint64_t holds;			/* conditions */
	GHashTable *texts;		/* by name */
};

static void facts_init(struct facts *facts)
{
	*facts = (struct facts){ .texts = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
								g_free) };
}

/* Takes over @text. */
static void facts_add(struct facts *facts, const char *name, char *text)
{
	g_hash_table_insert(facts->texts, (gpointer)name, text);
}

char *spt_sentences_share(uint64_t weight, uint64_t total)
{
	double percent = 100.0 * (double)weight / (double)total;

	if (weight == total)
		return g_strdup(spt_words("all"));
	return percent < 10 ? g_strdup_printf("%.1f" NO_BREAK "%%", percent) :
			      g_strdup_printf("%.0f" NO_BREAK "%%", MIN(percent, 99));
}

/* The longest name that fits a sentence. */
static char *short_name(const char *whole)
{
	g_autofree char *name = spt_fit_name(whole, NAME_BYTES);
	int bytes = NAME_BYTES;

	if (strlen(name) <= NAME_BYTES)
		return g_steal_pointer(&name);
	/* Does not cut within a character. */
	while (bytes > 0 && ((unsigned char)name[bytes] & 0xc0) == 0x80)
		bytes--;
	return g_strdup_printf("%.*s" ELLIPSIS, bytes, name);
}

/* The recording as a whole. */

static bool has_kernel_functions(const SptCapture *capture)
{
	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		uint32_t object = capture->nodes[i].frame.object;
		SptObjectKind kind = object < capture->n_objects ? capture->objects[object].kind :
								   SPT_OBJECT_UNKNOWN;

		if (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES)
			return true;
	}
	return false;
}

static void find_scope(struct facts *facts, const SptCapture *capture)
{
	const char *sides = spt_capture_host(capture, SPT_RECORDED_SIDES),
		   *whose = spt_capture_host(capture, SPT_RECORDED_WHOSE);

	if (g_strcmp0(sides, "user") == 0)
		facts->holds |= USER_ONLY;
	if (g_strcmp0(sides, "kernel") == 0)
		facts->holds |= KERNEL_ONLY;
	if (g_strcmp0(whose, "own") == 0)
		facts->holds |= OWN_ONLY;
	if (has_kernel_functions(capture))
		facts->holds |= KERNEL_SEEN;
}

/* A program of a millisecond has not run for 0.00 s. */
static char *tell_time(uint64_t ns)
{
	if (ns >= 100 * NS_PER_MS)
		return g_strdup_printf("%.2f" NO_BREAK "s", (double)ns / 1e9);
	return g_strdup_printf("%.1f" NO_BREAK "ms", (double)ns / NS_PER_MS);
}

static void add_wall(struct facts *facts, const SptWall *wall)
{
	bool has_ready = wall->ready >= 0;
	double ran = round(100 * wall->running), ready = has_ready ? round(100 * wall->ready) : 0;

	facts->holds |= HAS_WALL | (has_ready ? HAS_READY : 0) |
			(wall->cpus >= SPT_WALL_MANY ? MANY_CPUS : 0) |
			(wall->running >= SPT_WALL_ALL ? ALL_RUNNING : 0) |
			(wall->turns ? TAKES_TURNS : 0);
	facts_add(facts, "threads", g_strdup_printf("%u", wall->turns));
	facts_add(facts, "ran", g_strdup_printf("%.0f" NO_BREAK "%%", ran));
	facts_add(facts, "ready", g_strdup_printf("%.0f" NO_BREAK "%%", ready));
	facts_add(facts, "waited", g_strdup_printf("%.0f" NO_BREAK "%%", 100 - ran - ready));
	facts_add(facts, "off", g_strdup_printf("%.0f" NO_BREAK "%%", 100 - ran));
	facts_add(facts, "cpus", g_strdup_printf("%.1f", wall->cpus));
	facts_add(facts, "wall", tell_time(wall->wall_ns));
}

/* The profile. */

static gint compare_processes(gconstpointer a, gconstpointer b)
{
	const SptFunction *x = *(const SptFunction *const *)a, *y = *(const SptFunction *const *)b;

	return (x->total < y->total) - (x->total > y->total);
}

static bool is_worth_a_word(uint64_t weight, uint64_t total)
{
	return (double)weight >= LEAST_SHARE * (double)total;
}

static void find_processes(struct facts *facts, const SptFunction *functions, uint32_t n,
			   uint64_t total)
{
	static const char *const names[][MOST] = { { "process1", "process2", "process3" },
						   { "share1", "share2", "share3" } };
	static const unsigned conditions[MOST] = { 0, TWO_PROCESSES, THREE_PROCESSES };
	g_autoptr(GPtrArray) processes = g_ptr_array_new();

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].is_process && functions[i].total > 0)
			g_ptr_array_add(processes, (gpointer)&functions[i]);
	g_ptr_array_sort(processes, compare_processes);
	for (unsigned i = 0; i < MIN(processes->len, MOST); i++) {
		const SptFunction *process = processes->pdata[i];

		if (i > 0 && !is_worth_a_word(process->total, total))
			break;
		facts->holds |= conditions[i] | (process->total == total ? ONE_PROCESS : 0);
		facts_add(facts, names[0][i], short_name(process->name));
		facts_add(facts, names[1][i], spt_sentences_share(process->total, total));
	}
}

/* "pthread_mutex_lock below update_table", or "usleep and others below serve" */
static char *name_place(const SptFunction *functions, const SptCulprit *culprit)
{
	g_autofree char *name = short_name(functions[culprit->function].name), *through = NULL;
	bool is_one = (double)culprit->through_weight >= NEARLY_ALL * (double)culprit->weight;

	if (culprit->through == UINT32_MAX)
		return g_steal_pointer(&name);
	through = short_name(functions[culprit->through].name);
	return g_strdup_printf(is_one ? spt_words("%s below %s") :
					spt_words("%s and others below %s"),
			       through, name);
}

/* All of them, of which the heaviest one is named, without what compilers add. */
static void find_late(struct facts *facts, const GArray *culprits, const SptFunction *functions,
		      const SptCapture *capture, uint64_t total)
{
	const SptFunction *latest = NULL;
	uint64_t late = 0;

	for (unsigned i = 0; i < culprits->len; i++) {
		const SptCulprit *culprit = &g_array_index(culprits, SptCulprit, i);
		const SptFunction *function = &functions[culprit->function];

		if (!spt_culprit_is_late(function, capture))
			continue;
		latest = latest ? latest : function;
		late += culprit->weight;
	}
	if (!is_worth_a_word(late, total))
		return;
	facts->holds |= IS_LATE;
	facts_add(facts, "latest", g_strndup(latest->name, strcspn(latest->name, ".")));
	facts_add(facts, "late", spt_sentences_share(late, total));
}

/* People know functions of their own, and not those of libraries that do the work. */
static void find_caller(struct facts *facts, const SptProfile *profile, const SptCapture *capture,
			uint32_t function)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	uint64_t weight, self = functions[function].self;
	uint32_t caller = spt_culprit_caller(profile, capture, function, &weight);

	if (caller == UINT32_MAX || (double)weight < MUCH_CALLED * (double)self)
		return;
	facts->holds |= HAS_CALLER;
	facts_add(facts, "caller", short_name(functions[caller].name));
	facts_add(facts, "called", spt_sentences_share(weight, self));
}

/* Where no function has much by itself, what most of it is done for says more. */
static void find_place(struct facts *facts, const SptProfile *profile, const SptCapture *capture,
		       uint64_t total)
{
	uint32_t n, place = spt_culprit_place(profile, capture);
	const SptFunction *functions = spt_profile_functions(profile, &n);

	if (place == UINT32_MAX)
		return;
	facts->holds |= HAS_PLACE;
	facts_add(facts, "place", short_name(functions[place].name));
	facts_add(facts, "within", spt_sentences_share(functions[place].total, total));
}

static void find_functions(struct facts *facts, const SptProfile *profile,
			   const GArray *culprits, const SptCapture *capture, uint64_t total)
{
	static const char *const names[][MOST] = { { "function1", "function2", "function3" },
						   { "self1", "self2", "self3" } };
	static const unsigned conditions[MOST] = { ONE_FUNCTION, TWO_FUNCTIONS, THREE_FUNCTIONS };
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	if (facts->holds & OF_CPU)
		find_late(facts, culprits, functions, capture, total);
	for (unsigned i = 0, said = 0; i < culprits->len && said < MOST; i++) {
		const SptCulprit *culprit = &g_array_index(culprits, SptCulprit, i);

		if (!is_worth_a_word(culprit->weight, total))
			break;
		if (!culprit->is_code)
			break;
		if ((facts->holds & OF_CPU) &&
		    spt_culprit_is_late(&functions[culprit->function], capture))
			continue;
		/* What it waits in has a name. */
		if (!functions[culprit->function].has_symbol && culprit->through == UINT32_MAX)
			continue;
		if (said == 0 && (facts->holds & OF_CPU)) {
			if ((double)culprit->weight >= MUCH_SELF * (double)total)
				find_caller(facts, profile, capture, culprit->function);
			else
				find_place(facts, profile, capture, total);
		}
		facts->holds |= conditions[said] | (culprit->weight == total ? ALL_IN_ONE : 0);
		facts_add(facts, names[0][said], name_place(functions, culprit));
		facts_add(facts, names[1][said++], spt_sentences_share(culprit->weight, total));
	}
}

/* By object, what its functions have that have no names; *@ret_all: their sum. */
static GHashTable *weigh_nameless(const SptProfile *profile, const GArray *culprits,
				  uint64_t *ret_all)
{
	GHashTable *weights = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	*ret_all = 0;
	for (unsigned i = 0; i < culprits->len; i++) {
		const SptCulprit *culprit = &g_array_index(culprits, SptCulprit, i);
		const SptFunction *function = &functions[culprit->function];
		uint64_t *weight;

		if (function->has_symbol || function->is_process || !function->object ||
		    !culprit->is_code)
			continue;
		weight = g_hash_table_lookup(weights, function->object);
		if (!weight) {
			weight = g_new0(uint64_t, 1);
			g_hash_table_insert(weights, (gpointer)function->object, weight);
		}
		*weight += culprit->weight;
		*ret_all += culprit->weight;
	}
	return weights;
}

/* Why functions of the file @object have no names; NULL: that is not known, or it is no file. */
static const char *find_problem(const SptProfile *profile, const char *object)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].object == object && functions[i].problem)
			return functions[i].problem;
	return NULL;
}

/* @problem says something of its file, "has no symbols", or just what happened, "no such file". */
static char *tell_problem(const char *problem)
{
	bool has_verb = g_str_has_prefix(problem, "is ") || g_str_has_prefix(problem, "has ") ||
			g_str_has_prefix(problem, "was ") || g_str_has_prefix(problem, "cannot ");

	if (!*problem)
		return g_strdup(spt_words("it has no symbols for them, but its debug package may"));
	return has_verb ? g_strdup_printf(spt_words("it %s"), spt_words(problem)) :
			  g_strdup(spt_words(problem));
}

/* A rebuilt program, and one without symbols, should not look like one that did nothing else. */
static void find_nameless(struct facts *facts, const SptProfile *profile, const GArray *culprits,
			  uint64_t total)
{
	uint64_t all, most = 0, *weight;
	g_autoptr(GHashTable) weights = weigh_nameless(profile, culprits, &all);
	const char *object = NULL, *problem;
	GHashTableIter iter;
	gpointer key;

	if ((double)all < MUCH_NAMELESS * (double)total)
		return;
	g_hash_table_iter_init(&iter, weights);
	while (g_hash_table_iter_next(&iter, &key, (gpointer *)&weight))
		if (!object || *weight > most ||
		    (*weight == most && strcmp(key, object) < 0)) {
			object = key;
			most = *weight;
		}
	problem = find_problem(profile, object);
	facts->holds |= NAMELESS | (problem ? HAS_REASON : 0);
	facts_add(facts, "nameless", spt_sentences_share(all, total));
	facts_add(facts, "file", short_name(object));
	if (problem)
		facts_add(facts, "reason", tell_problem(problem));
}

static void find_python(struct facts *facts, const SptProfile *profile, const SptCapture *capture,
			uint64_t total)
{
	unsigned minor, parts = spt_profile_metric(profile)->parts;
	const char *language;
	uint64_t python = spt_languages_find_scripts(profile, &language, &minor);

	if (!python || (double)python < MUCH_NAMELESS * (double)total)
		return;
	if ((facts->holds & OF_CPU) && minor >= PYTHON_TELLS_PERF)
		facts->holds |= NAMED_BY_PERF;
	else if ((facts->holds & OF_CPU) &&
		 g_strcmp0(spt_capture_host(capture, "source"), "perf") == 0)
		facts->holds |= NAMED_BY_MODULE;
	else if ((parts & SPT_METRIC_HAS_WAKER) && strcmp(language, SPT_LANGUAGE_PYTHON) == 0 &&
		 g_strcmp0(spt_capture_host(capture, "waits"), "calls") != 0)
		facts->holds |= NAMED_BY_CALLS;
	facts_add(facts, "python", spt_sentences_share(python, total));
	facts_add(facts, "language", g_strdup(language));
}

/* The processes whose sentences are about; NULL: all.  The caller frees it. */
static bool *find_wanted(const SptCapture *capture, SptSentencesOf of)
{
	return of == SPT_SENTENCES_OF_COMMAND ? spt_command_processes(capture) : NULL;
}

SptProfile *spt_sentences_rest(const SptProfile *profile, const SptCapture *capture,
			       SptSentencesOf of)
{
	g_autofree bool *processes = find_wanted(capture, of);

	/* A part of the samples is not of whole threads. */
	if (!(spt_profile_metric(profile)->parts & SPT_METRIC_HAS_STATE) ||
	    of == SPT_SENTENCES_OF_PART)
		return NULL;
	return spt_idle_rest(profile, capture, processes);
}

uint64_t *spt_sentences_lead(const SptProfile *profile, const SptCapture *capture,
			     SptSentencesOf of)
{
	g_autoptr(SptCulprits) culprits = spt_culprits_know(profile);
	g_autoptr(SptProfile) rest = culprits ? spt_sentences_rest(profile, capture, of) : NULL;
	g_autofree uint64_t *own = rest ? spt_culprits_own(culprits, rest) : NULL;
	uint32_t n, n_rest;
	uint64_t *lead;

	if (!own)
		return NULL;
	/* The rest has fewer processes, which come last. */
	spt_profile_functions(profile, &n);
	spt_profile_functions(rest, &n_rest);
	lead = g_new0(uint64_t, MAX(n, 1));
	memcpy(lead, own, MIN(n, n_rest) * sizeof(*own));
	return lead;
}

static void find_idle(struct facts *facts, const SptProfile *profile, const SptCapture *capture,
		      SptSentencesOf of)
{
	const SptMetric *metric = spt_profile_metric(profile);
	g_autofree bool *processes = find_wanted(capture, of);
	SptIdle idle;

	if (!(metric->parts & SPT_METRIC_HAS_STATE) || of == SPT_SENTENCES_OF_PART)
		return;
	spt_idle_find(&idle, profile, capture, processes);
	if (!idle.waiters)
		return;
	if (is_worth_a_word(idle.recorder, idle.weight)) {
		facts->holds |= HAS_OWN_WAITS;
		facts_add(facts, "ownwaits", spt_sentences_share(idle.recorder, idle.weight));
	}
	if (!idle.idlers || idle.idlers == idle.waiters ||
	    !is_worth_a_word(idle.idle, idle.weight))
		return;
	facts->holds |= HAS_IDLE;
	facts_add(facts, "idle", spt_sentences_share(idle.idle, idle.weight));
	facts_add(facts, "idlers", g_strdup_printf("%u", idle.idlers));
	facts_add(facts, "waiters", g_strdup_printf("%u", idle.waiters));
}

/* Locks of programs are known by the futex that a wait is for. */
static void find_lock(struct facts *facts, const SptProfile *profile)
{
	uint64_t weight, total = spt_profile_total(profile);
	uint32_t n, lock = spt_culprit_lock(profile, &weight);
	const SptFunction *functions = spt_profile_functions(profile, &n);

	if (lock == UINT32_MAX || (double)weight < MUCH_LOCKED * (double)total)
		return;
	facts->holds |= HAS_LOCK;
	facts_add(facts, "lock", short_name(functions[lock].name));
	facts_add(facts, "locked", spt_sentences_share(weight, total));
}

/* What is of no function of the program. */
static void find_rest(struct facts *facts, const SptProfile *profile, uint64_t total)
{
	uint64_t stackless = spt_profile_without_stack(profile),
		 recorder = spt_culprit_recorder(profile);

	if (stackless && is_worth_a_word(stackless, total)) {
		facts->holds |= NO_STACKS | (stackless == total ? NO_STACK_AT_ALL : 0);
		facts_add(facts, "stackless", spt_sentences_share(stackless, total));
	}
	if (recorder && is_worth_a_word(recorder, total)) {
		facts->holds |= OF_RECORDER;
		facts_add(facts, "recorder", spt_sentences_share(recorder, total));
	}
}

static void find_profile(struct facts *facts, const SptProfile *profile, const SptCapture *capture,
			 SptSentencesOf of)
{
	const SptMetric *metric = spt_profile_metric(profile);
	uint64_t total = spt_profile_total(profile), kernel = 0, events = 0;
	g_autoptr(GArray) culprits = NULL;
	g_autoptr(SptProfile) rest = NULL;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	facts->holds |= (metric->is_cpu ? OF_CPU : 0) |
			(spt_culprits_matter(profile) ? PLACES : 0);
	facts_add(facts, "metric", g_strdup(spt_words(metric->title)));
	facts_add(facts, "sum", spt_amount_text((double)total, metric->unit));
	if (total == 0) {
		facts->holds |= EMPTY;
		return;
	}
	if (metric->is_cpu && spt_profile_n_samples(profile) <= SPT_SENTENCES_FEW) {
		facts->holds |= TOO_FEW;
		facts_add(facts, "samples",
			  g_strdup_printf("%" G_GUINT64_FORMAT, spt_profile_n_samples(profile)));
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		kernel += functions[i].is_kernel ? functions[i].self : 0;
		if (spt_function_is_event(&functions[i]))
			events += functions[i].self;
	}
	/* The kernel's own work has names such as a lock's in place of functions. */
	if (!events)
		facts->holds |= (kernel > 0 ? IN_KERNEL : 0) | (kernel < total ? IN_USER : 0);
	facts_add(facts, "kernel", spt_sentences_share(kernel, total));
	find_processes(facts, functions, n, total);
	rest = spt_sentences_rest(profile, capture, of);
	facts->holds |= rest ? OF_REST : 0;
	culprits = spt_culprits_new(rest ? rest : profile);
	find_functions(facts, profile, culprits, capture,
		       rest ? spt_profile_total(rest) : total);
	find_lock(facts, rest ? rest : profile);
	find_nameless(facts, profile, culprits, rest ? spt_profile_total(rest) : total);
	find_python(facts, profile, capture, total);
	find_rest(facts, profile, total);
}

/*
 * What the command's threads waited for, if they did for most of the time: no busy function says
 * why it took long.
 */
static void find_waited(struct facts *facts, const SptWall *wall, const SptCapture *capture,
			SptSymbols *symbols)
{
	/* Calls that wait include what a thread was ready. */
	bool is_of_calls = g_strcmp0(spt_capture_host(capture, "waits"), "calls") == 0;
	const SptMetric *blocked = spt_metric_find(is_of_calls ? "off-cpu" : "blocked");
	g_autofree bool *processes = spt_command_processes(capture);
	const SptFilter filter = { .processes = processes };
	g_autoptr(SptProfile) all = NULL, rest = NULL;
	g_autoptr(GArray) culprits = NULL;
	const SptCulprit *first;
	uint64_t total;

	if (!symbols || !processes || wall->running > MUCH_WAITED * (1 - MAX(wall->ready, 0)) ||
	    !spt_metric_is_in(blocked, capture))
		return;
	all = spt_profile_new(capture, symbols, blocked, &filter);
	rest = spt_idle_rest(all, capture, processes);
	culprits = spt_culprits_new(rest ? rest : all);
	total = spt_profile_total(rest ? rest : all);
	first = culprits->len ? &g_array_index(culprits, SptCulprit, 0) : NULL;
	if (!first || !first->is_code || (double)first->weight < MUCH_WAITED_IN * (double)total)
		return;
	facts->holds |= HAS_WAITED | (rest ? WAITED_REST : 0);
	facts_add(facts, "waitedin",
		  name_place(spt_profile_functions(rest ? rest : all, &(uint32_t){ 0 }), first));
	facts_add(facts, "waitedpart", spt_sentences_share(first->weight, total));
}

/* After find_profile().  Of everything, the time of a command is not the time. */
static void find_command(struct facts *facts, const SptProfile *profile,
			 const SptCapture *capture, SptSymbols *symbols, SptSentencesOf of)
{
	g_autofree char *name = spt_command_name(capture);
	char *failure = spt_command_failure(capture);
	bool is_all = of == SPT_SENTENCES_OF_ALL && !spt_command_fact(capture, "command_pid");
	SptWall wall;

	/* All samples are read for it, so it is found only for what says it. */
	if ((facts->holds & OF_CPU) && (is_all || of == SPT_SENTENCES_OF_COMMAND) &&
	    spt_wall_find(&wall, capture)) {
		add_wall(facts, &wall);
		find_waited(facts, &wall, capture, symbols);
	}
	if (failure)
		facts->holds |= HAS_FAILED;
	facts_add(facts, "failure", failure);
	if (!name || of != SPT_SENTENCES_OF_COMMAND)
		return;
	facts->holds |= OF_COMMAND |
			(spt_profile_total(profile) == capture->weight ? COMMAND_ALONE : 0);
	if (g_strcmp0(g_hash_table_lookup(facts->texts, "process1"), name) == 0)
		facts->holds |= ITS_OWN_NAME;
	facts_add(facts, "command", short_name(name));
	facts_add(facts, "part",
		  spt_sentences_share(spt_profile_total(profile), MAX(capture->weight, 1)));
}

/* Samples have an account of their own. */
static void find_losses(struct facts *facts, const SptMetric *metric, const SptCapture *capture)
{
	unsigned kinds = 1;
	uint64_t seen, lost = metric->is_cpu ? 0 : spt_metric_lost(metric, capture, &seen, &kinds);

	if (!lost)
		return;
	facts->holds |= EVENTS_LOST | (kinds > 1 ? OF_MANY_KINDS : 0);
	facts_add(facts, "lost", g_strdup_printf("%" G_GUINT64_FORMAT, lost));
	facts_add(facts, "seen", g_strdup_printf("%" G_GUINT64_FORMAT, seen));
}

/* What is said. */

/* "all" may be the first word. */
static void begin_with_capital(GString *sentence)
{
	const char *all = spt_words("all");
	char first[6];
	gssize bytes;

	if (!g_str_has_prefix(sentence->str, all) || sentence->str[strlen(all)] != ' ')
		return;
	bytes = g_unichar_to_utf8(g_unichar_toupper(g_utf8_get_char(all)), first);
	g_string_erase(sentence, 0, g_utf8_next_char(all) - all);
	g_string_prepend_len(sentence, first, bytes);
}

static char *fill_in(const struct facts *facts, const char *text)
{
	GString *sentence = g_string_new(NULL);
	bool is_share = *text == '{' && !g_str_has_prefix(text, "{command}");
	const char *end;

	for (; *text; text++) {
		g_autofree char *name = NULL;
		const char *value;

		if (*text != '{' || !(end = strchr(text, '}'))) {
			g_string_append_c(sentence, *text);
			continue;
		}
		name = g_strndup(text + 1, (size_t)(end - text - 1));
		value = g_hash_table_lookup(facts->texts, name);
		g_string_append(sentence, value ? value : "?");
		text = end;
	}
	if (is_share)
		begin_with_capital(sentence);
	return g_string_free(sentence, FALSE);
}

static void clear_sentence(gpointer data)
{
	g_free(((SptSentence *)data)->text);
}

/* Frees the facts. */
static GArray *say(struct facts *facts)
{
	GArray *said = g_array_new(FALSE, FALSE, sizeof(SptSentence));
	unsigned done = 0;

	g_array_set_clear_func(said, clear_sentence);
	for (unsigned i = 0; i < spt_sentence_n_rows; i++) {
		const SptSentenceRow *row = &spt_sentence_rows[i];

		if ((done & 1u << row->group) || (facts->holds & row->needs) != row->needs ||
		    (facts->holds & row->forbids))
			continue;
		done |= 1u << row->group;
		g_array_append_vals(said,
				    &(SptSentence){ row->name,
						    fill_in(facts, spt_words(row->text)),
						    row->needs & ITS_OWN_NAME },
				    1);
	}
	g_hash_table_unref(facts->texts);
	return said;
}

GArray *spt_sentences_new(const SptProfile *profile, const SptCapture *capture,
			  SptSymbols *symbols, SptSentencesOf of)
{
	struct facts facts;

	facts_init(&facts);
	find_scope(&facts, capture);
	find_profile(&facts, profile, capture, of);
	find_command(&facts, profile, capture, symbols, of);
	find_idle(&facts, profile, capture, of);
	find_losses(&facts, spt_profile_metric(profile), capture);
	return say(&facts);
}

char *spt_sentences_line(const SptProfile *profile, const SptCapture *capture,
			 SptSymbols *symbols, SptSentencesOf of)
{
	g_autoptr(GArray) said = spt_sentences_new(profile, capture, symbols, of);
	GString *line = g_string_new(NULL);

	for (unsigned i = 0; i < said->len; i++)
		if (!g_array_index(said, SptSentence, i).is_repeated)
			g_string_append_printf(line, "%s%s", i ? "  " : "",
					       g_array_index(said, SptSentence, i).text);
	return g_string_free(line, FALSE);
}

/* The one sentence of such facts; NULL: there is none. */
static char *say_one(struct facts *facts)
{
	g_autoptr(GArray) said = say(facts);

	return said->len ? g_strdup(g_array_index(said, SptSentence, 0).text) : NULL;
}

char *spt_sentences_missing(const SptCapture *capture)
{
	struct facts facts;

	facts_init(&facts);
	find_scope(&facts, capture);
	facts.holds = (facts.holds & (OWN_ONLY | USER_ONLY | KERNEL_ONLY)) | EMPTY | OF_CPU;
	if (facts.holds != (EMPTY | OF_CPU))
		return say_one(&facts);
	g_hash_table_unref(facts.texts);
	return NULL;
}

char *spt_sentence_plain(const char *sentence)
{
	g_auto(GStrv) parts = g_strsplit(sentence, NO_BREAK, -1);
	char *plain = g_strjoinv(" ", parts);

	if (g_str_has_suffix(plain, "."))
		plain[strlen(plain) - 1] = '\0';
	return plain;
}

char *spt_sentences_wall(const SptWall *wall)
{
	g_autofree char *sentence = NULL;
	struct facts facts;
	char *clause;

	facts_init(&facts);
	facts.holds = OF_CPU;
	add_wall(&facts, wall);
	sentence = say_one(&facts);
	clause = spt_sentence_plain(sentence);
	*clause = g_ascii_tolower(*clause);
	return clause;
}

const SptSentence *spt_sentences_find(const GArray *said, const char *name)
{
	for (unsigned i = 0; i < said->len; i++) {
		const SptSentence *sentence = &g_array_index(said, SptSentence, i);

		if (strcmp(sentence->name, name) == 0)
			return sentence;
	}
	return NULL;
}

char *spt_sentences_lost(const SptMetric *metric, const SptCapture *capture)
{
	g_autoptr(GArray) said = NULL;
	const SptSentence *sentence;
	struct facts facts;

	facts_init(&facts);
	facts.holds = EMPTY | OF_CPU;
	find_losses(&facts, metric, capture);
	said = say(&facts);
	sentence = spt_sentences_find(said, "lost");
	return sentence ? spt_sentence_plain(sentence->text) : NULL;
}

const char *spt_sentences_name(unsigned i)
{
	return i < spt_sentence_n_rows ? spt_sentence_rows[i].name : NULL;
}
