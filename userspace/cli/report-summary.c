/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --summary: the essence of a recording in at most 2 KiB, for a script, a chat or a mail: a
 * verdict, how far it can be trusted, the heaviest functions, and the next commands.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "cmd.h"
#include "profile/command.h"
#include "profile/culprit.h"
#include "profile/languages.h"
#include "profile/sentences.h"
#include "profile/span.h"
#include "profile/wholeness.h"
#include "report-metric.h"
#include "report.h"
#include "symbols/plain-names.h"

#define TOP_SHOWN 5
/* Limit of the JSON, and its part that is not text. */
#define MOST_BYTES     2048
#define FIXED_BYTES    260
#define FUNCTION_BYTES 136
#define TEXT_BYTES     8
#define THROUGH_BYTES  24
/* Names are shortened if the text exceeds this. */
#define NAME_BYTES	 64
#define READABLE_NAME_BYTES 32		/* rather than shorter ones, fewer next steps */
#define LEAST_NAME_BYTES 16
#define PATH_BYTES	 110
#define FEW_SAMPLES	 200
/* Where the first function has less, its name says little. */
#define FLAT_PCT 10
#define LOST_PCT	 1
/* Less is no answer to what the time went to. */
#define LEAST_PCT	 0.05
#define CAVEAT_BYTES	 200
/* From this part of the time on, it hardly matters what a program waits for. */
#define MUCH_RUNNING 0.8

struct summary {
	GArray *top;			/* SptCulprit, heaviest first */
	unsigned name_bytes;		/* limit of a name's bytes */
	char *verdict, *file, *command; /* file: for the next commands, quoted */
	GPtrArray *caveats, *next;	/* sentences; commands */
	GArray *said;			/* SptSentence */
	uint64_t total;			/* what @top has parts of */
	bool is_rest;			/* without threads that hardly ran */
	uint32_t place;			/* of a flat profile, as in spt_culprit_place() */
	char *processes;		/* a clause; NULL: not to be said */
	SptWall wall;			/* of the command */
	bool has_wall;
	double whole_pct, lost_pct;
	bool has_whole;
};

static void free_summary(gpointer data)
{
	struct summary *summary = data;

	g_array_unref(summary->top);
	g_ptr_array_unref(summary->caveats);
	g_ptr_array_unref(summary->next);
	g_free(summary->verdict);
	g_free(summary->file);
	g_free(summary->command);
	g_array_unref(summary->said);
	g_free(summary->processes);
	g_free(summary);
}

static const SptCulprit *culprit_at(const struct spt_report *report, unsigned i)
{
	const struct summary *summary = report->found;

	return &g_array_index(summary->top, SptCulprit, i);
}

static const SptFunction *function_at(const struct spt_report *report, unsigned i)
{
	uint32_t n;

	return &spt_profile_functions(report->profile, &n)[culprit_at(report, i)->function];
}

/* The machinery that it called, where its time or memory went; NULL: none. */
static const SptFunction *through_at(const struct spt_report *report, unsigned i)
{
	uint32_t n, through = culprit_at(report, i)->through;

	return through == UINT32_MAX ? NULL : &spt_profile_functions(report->profile, &n)[through];
}

/* @text without control characters, in at most @most bytes. */
static char *cut(const char *text, unsigned most)
{
	char *name = spt_format_cut(text, most);
	char *end;

	if (strlen(name) <= most)
		return name;
	for (end = name + most - 3; (*end & 0xc0) == 0x80; end--)
		;
	strcpy(end, "...");
	return name;
}

/* The name of a function, without arguments and scopes if it is too long. */
static char *cut_name(const char *name, unsigned most)
{
	g_autofree char *fitted = spt_fit_name(name, most);

	return cut(fitted, most);
}

/* A shell word that means @function: its name, or a pattern if that is too long. */
static char *quote_function(const struct summary *summary, const SptFunction *function)
{
	g_autofree char *name = cut_name(function->name, summary->name_bytes);
	g_autoptr(GString) pattern = NULL;
	size_t bytes = strcspn(name, ".(<");

	if (strcmp(name, function->name) == 0)
		return g_shell_quote(name);
	pattern = g_string_new(strncmp(name, function->name, bytes) == 0 ? "" : "*");
	g_string_append(pattern, name);
	g_string_replace(pattern, "...", "*", 0);
	if (!g_str_has_suffix(pattern->str, "*"))
		g_string_append_c(pattern, '*');
	/* Characters that are replaced by others. */
	g_strdelimit(pattern->str, "? ", '*');
	return g_shell_quote(pattern->str);
}

static bool is_too_few(const struct spt_report *report)
{
	return report->metric->is_cpu &&
	       spt_profile_n_samples(report->profile) <= SPT_SENTENCES_FEW;
}

static void find_top(const struct spt_report *report, struct summary *summary)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autoptr(SptProfile) rest = NULL;

	rest = spt_sentences_rest(report->profile, report->capture,
				  spt_sentences_find_part(report->filter));
	summary->is_rest = rest != NULL;
	summary->total = spt_profile_total(rest ? rest : report->profile);
	summary->top = spt_culprits_new(rest ? rest : report->profile);
	/* Caveats say how much the rest is. */
	for (unsigned i = summary->top->len; i-- > 0;) {
		const SptFunction *function =
			&functions[g_array_index(summary->top, SptCulprit, i).function];

		if (!spt_culprit_is_code(function) ||
		    (report->metric->is_cpu && spt_culprit_is_late(function, report->capture)) ||
		    spt_percent(g_array_index(summary->top, SptCulprit, i).weight,
				summary->total) < LEAST_PCT)
			g_array_remove_index(summary->top, i);
	}
	/* Chance alone. */
	if (is_too_few(report))
		g_array_set_size(summary->top, 0);
	g_array_set_size(summary->top,
			 MIN(summary->top->len, MIN(report->limit, TOP_SHOWN)));
}

/* "94 % was spent in the kernel" */
static void add_kernel(const struct summary *summary, GString *text)
{
	const SptSentence *kernel = spt_sentences_find(summary->said, "kernel");
	g_autofree char *part = kernel ? spt_sentence_plain(kernel->text) : NULL;

	if (!part)
		return;
	*part = g_ascii_tolower(*part);
	g_string_append_printf(text, ", %s", part);
}

/* "of its CPU time 87 % is in serve and what it calls, 94 % was spent in the kernel" */
static bool add_place(const struct summary *summary, GString *text)
{
	const SptSentence *place = spt_sentences_find(summary->said, "place");
	g_autofree char *within = place ? spt_sentence_plain(place->text) : NULL;

	if (!within)
		return false;
	*within = g_ascii_tolower(*within);
	g_string_append_printf(text, "; of %s CPU time %s", summary->command ? "its" : "the",
			       within);
	add_kernel(summary, text);
	return true;
}

/* "48 % of its CPU time is in sin itself", "Blocked: 90 % in futex_wait below take" */
static void add_first(const struct spt_report *report, const struct summary *summary,
		      GString *text)
{
	const SptFunction *first = function_at(report, 0), *through = through_at(report, 0);
	g_autofree char *name = cut_name(first->name, summary->name_bytes);
	g_autofree char *machinery =
		through ? cut_name(through->name, summary->name_bytes / 2) : NULL;
	const SptSentence *caller = spt_sentences_find(summary->said, "caller");
	const SptSentence *more =
		!report->metric->is_cpu ? spt_sentences_find(summary->said, "lock") :
		caller			? caller :
					  spt_sentences_find(summary->said, "place");
	g_autofree char *share =
		spt_sentences_share(culprit_at(report, 0)->weight, summary->total);
	g_autofree char *part = spt_sentence_plain(share);
	g_autofree char *sum = spt_metric_text(report->metric,
					       spt_profile_total(report->profile));

	if (spt_percent(culprit_at(report, 0)->weight, summary->total) < FLAT_PCT &&
	    add_place(summary, text))
		return;
	if (report->metric->is_cpu && report->command_has_none)
		g_string_append_printf(text, ". Of all that ran %s is in ", part);
	else if (report->metric->is_cpu)
		g_string_append_printf(text, "; %s of %s CPU time is in ", part,
				       summary->command ? "its" : "the");
	else
		g_string_append_printf(text, summary->is_rest ?
				       "; %s, %s; without threads that hardly ran: %s in " :
				       "; %s, %s: %s in ",
				       spt_words(report->metric->title), sum, part);
	if (machinery)
		g_string_append_printf(text, "%s below %s", machinery, name);
	else
		g_string_append_printf(text, "%s%s", name, report->metric->is_cpu ? " itself" : "");
	if (more) {
		g_autofree char *plain = spt_sentence_plain(more->text),
				*from = cut(plain, 3 * summary->name_bytes);

		g_string_append_printf(text, ". %s", from);
		/* One function of the kernel says little of how much it does for the program. */
		if (report->metric->is_cpu && first->is_kernel)
			add_kernel(summary, text);
	}
}

/* "The system was recorded for 3.25 s"; imported files do not say whose processes they have. */
static void add_scope(const struct spt_report *report, GString *text)
{
	const char *whose = spt_capture_host(report->capture, SPT_RECORDED_WHOSE);
	g_autofree char *wall = spt_format_ns(report->summary->end_ns - report->summary->start_ns);

	if (!spt_span_is_known(report->capture))
		g_string_append(text, "The recording has no times");
	else if (!whose)
		g_string_append_printf(text, "The recording is %s long", wall);
	else
		g_string_append_printf(text, "%s recorded for %s",
				       g_str_equal(whose, "own") ? "Your processes were" :
								   "The system was",
				       wall);
}

/* "waited above all in fdatasync below commit (96 %)": before what little it ran in. */
static void add_waited(const struct summary *summary, GString *text)
{
	const SptSentence *waited = spt_sentences_find(summary->said, "waited");
	g_autofree char *plain = waited ? spt_sentence_plain(waited->text) : NULL;
	g_autofree char *shown = plain ? cut(plain, 3 * summary->name_bytes) : NULL;

	if (!shown)
		return;
	*shown = g_ascii_tolower(*shown);
	g_string_append_printf(text, "; %s", shown);
}

/* "mt ran 88 %, was ready to run 8 %, waited 4 % of 0.40 s; 48 % of its time is in sin itself" */
static void find_verdict(const struct spt_report *report, struct summary *summary)
{
	g_autofree char *name = report->command_has_none ? spt_command_name(report->capture) : NULL;
	g_autofree char *without = name ? cut(name, summary->name_bytes) : NULL;
	GString *text = g_string_new(summary->command ? summary->command : "");
	g_autofree char *wall_text = NULL, *none = spt_metric_none(report->metric);

	if (summary->command && summary->has_wall) {
		wall_text = spt_sentences_wall(&summary->wall);
		g_string_append_printf(text, " %s", wall_text);
	} else if (without && report->metric->is_cpu && summary->has_wall) {
		wall_text = spt_sentences_wall(&summary->wall);
		g_string_append_printf(text, "%s %s, and has %s", without, wall_text, none);
	} else {
		if (without)
			g_string_append_printf(text, "%s has %s. ", without, none);
		add_scope(report, text);
	}
	add_waited(summary, text);
	if (summary->command && summary->processes)
		g_string_append_printf(text, "; %s", summary->processes);
	if (summary->top->len > 0)
		add_first(report, summary, text);
	summary->verdict = g_string_free(text, FALSE);
}

static void add_caveat(struct summary *summary, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add_caveat(struct summary *summary, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(summary->caveats, g_strdup_vprintf(format, args));
	va_end(args);
}

static void find_caveats(const struct spt_report *report, struct summary *summary)
{
	const SptCapture *capture = report->capture;
	const SptSummary *sums = report->summary;
	g_autofree char *failure = spt_command_failure(capture);
	static const char *const also[] = { "idle", "recorder", "stacks", "late", "names", "python",
					    "lost" };
	g_autofree char *stacks = NULL, *missing = spt_sentences_missing(capture),
			*unknown = spt_languages_unknown(report->profile, capture);
	uint64_t n = spt_profile_n_samples(report->profile);

	summary->has_whole = spt_wholeness_of(report->profile, capture, report->filter,
					      &summary->whole_pct, &stacks);
	summary->lost_pct = spt_percent(sums->lost, sums->lost + capture->weight);
	if (failure)
		add_caveat(summary, "The command %s", failure);
	if (missing)
		add_caveat(summary, "%.*s", (int)strlen(missing) - 1, missing);
	if (unknown)
		add_caveat(summary, "An interpreter is not known: its scripts have no functions; info says which");
	if (is_too_few(report))
		add_caveat(summary, "Only %u %s: too few to say what the time went to",
			   (unsigned)n, n == 1 ? "sample" : "samples");
	else if (report->metric->is_cpu && n < FEW_SAMPLES)
		add_caveat(summary, "Only %u %s: percentages are rough; record for longer",
			   (unsigned)n, n == 1 ? "sample" : "samples");
	if (summary->lost_pct >= LOST_PCT)
		add_caveat(summary,
			   "%.1f %% of the periods were lost; --ring-bytes 16M or a lower -F helps",
			   summary->lost_pct);
	for (unsigned i = 0; i < G_N_ELEMENTS(also); i++) {
		const SptSentence *sentence = spt_sentences_find(summary->said, also[i]);
		g_autofree char *plain = sentence ? spt_sentence_plain(sentence->text) : NULL;

		if (plain)
			g_ptr_array_add(summary->caveats, cut(plain, CAVEAT_BYTES));
	}
	if (stacks)
		g_ptr_array_add(summary->caveats, cut(stacks, 3 * summary->name_bytes));
	if (sums->budget > 0)
		add_caveat(summary, "The rate was lowered: %.1f %% of the periods were sampled",
			   spt_percent(sums->delivered, sums->delivered + sums->budget));
	if (capture->damage)
		add_caveat(summary, "The recording is damaged: this is what can be read of it");
	else if (!capture->finished)
		add_caveat(summary, "The recording was cut off");
}

static void add_next(struct summary *summary, const char *command, const char *rest)
{
	g_ptr_array_add(summary->next, g_strdup_printf("%s %s %s %s", spt_cli_called(), command,
						       summary->file, rest));
}

/* What follows is about the same. */
static void add_next_of_metric(const struct spt_report *report, struct summary *summary,
			       const char *command, const char *rest)
{
	g_autofree char *both = g_strdup_printf("--metric %s %s", report->metric->name, rest);

	add_next(summary, command, report->metric->is_cpu ? rest : both);
}

/*
 * What a program that hardly ran, or whose threads took turns, waited for is not in CPU time; and
 * who records waits asks for them.
 */
static void add_waits(const struct spt_report *report, struct summary *summary)
{
	const SptWall *wall = &summary->wall;
	bool has_waits = spt_metric_is_in(spt_metric_find("blocked"), report->capture);
	bool is_of_command = summary->command || report->command_has_none;

	if (report->metric->is_cpu && has_waits)
		add_next(summary, "report", "--metric blocked --summary");
	else if (report->metric->is_cpu && is_of_command && summary->has_wall &&
		 (wall->turns || wall->running + MAX(wall->ready, 0) < MUCH_RUNNING))
		g_ptr_array_add(summary->next, g_strdup_printf("%s record --waits -- COMMAND",
							       spt_cli_called()));
}

/* A recording of memory was made to learn of memory: what holds it, and who asks for it often. */
static void add_memory(const struct spt_report *report, struct summary *summary)
{
	static const char *const names[] = { "peak", "allocations" };

	for (unsigned i = 0; report->metric->is_cpu && i < G_N_ELEMENTS(names); i++) {
		g_autofree char *rest = g_strdup_printf("--metric %s --summary", names[i]);

		if (spt_metric_is_in(spt_metric_find(names[i]), report->capture))
			add_next(summary, "report", rest);
	}
}

/* The thread that ends a wait for a lock has had that lock. */
static void summary_add_holders(const struct spt_report *report, struct summary *summary)
{
	for (unsigned i = 0; i < summary->top->len; i++) {
		const SptFunction *through = through_at(report, i);

		if (!through || !spt_culprit_takes_lock(through->name) ||
		    !(report->metric->parts & SPT_METRIC_HAS_WAKER))
			continue;
		add_next_of_metric(report, summary, "report", "--by waker");
		return;
	}
}

static void find_next(const struct spt_report *report, struct summary *summary)
{
	add_memory(report, summary);
	add_waits(report, summary);
	summary_add_holders(report, summary);
	add_next_of_metric(report, summary, "report", "--tree");
	if (summary->place != UINT32_MAX) {
		uint32_t n;
		const SptFunction *functions = spt_profile_functions(report->profile, &n);
		g_autofree char *quoted = quote_function(summary, &functions[summary->place]);
		g_autofree char *callees = g_strdup_printf("--callees %s", quoted);

		add_next(summary, "report", callees);
	}
	if (summary->top->len > 0) {
		g_autofree char *quoted = quote_function(summary, function_at(report, 0));
		g_autofree char *callers = g_strdup_printf("--callers %s", quoted);

		add_next_of_metric(report, summary, "report", callers);
		/* Code without a file has no instructions to show. */
		if (function_at(report, 0)->has_symbol)
			add_next_of_metric(report, summary, "annotate", quoted);
	}
}

/* Number of bytes of @text in JSON. */
static size_t text_bytes(const char *text)
{
	size_t n = TEXT_BYTES;

	for (; *text; text++)
		n += *text == '"' || *text == '\\' ? 2 : 1;
	return n;
}

static size_t texts_bytes(const GPtrArray *texts)
{
	size_t n = 0;

	for (unsigned i = 0; i < texts->len; i++)
		n += text_bytes(texts->pdata[i]);
	return n;
}

/* Limit of the whole in bytes, as text or JSON. */
static size_t summary_bytes(const struct spt_report *report, const struct summary *summary)
{
	size_t n = FIXED_BYTES + text_bytes(report->capture->path) + text_bytes(summary->verdict) +
		   texts_bytes(summary->caveats) + texts_bytes(summary->next);

	for (unsigned i = 0; i < summary->top->len; i++) {
		const SptFunction *function = function_at(report, i);
		g_autofree char *name = cut_name(function->name, summary->name_bytes);
		g_autofree char *object = cut(spt_report_object(function), summary->name_bytes / 2);

		n += FUNCTION_BYTES + text_bytes(name) + text_bytes(object);
		if (through_at(report, i))
			n += THROUGH_BYTES + summary->name_bytes / 2;
	}
	return n;
}

/* All texts, with names of at most @name_bytes. */
static void find_texts(const struct spt_report *report, struct summary *summary,
		       unsigned name_bytes)
{
	g_autofree char *name =
		report->filter->processes ? spt_command_name(report->capture) : NULL;

	summary->name_bytes = name_bytes;
	g_ptr_array_set_size(summary->caveats, 0);
	g_ptr_array_set_size(summary->next, 0);
	g_clear_pointer(&summary->verdict, g_free);
	g_clear_pointer(&summary->command, g_free);
	summary->command = name ? cut(name, name_bytes) : NULL;
	find_verdict(report, summary);
	find_caveats(report, summary);
	find_next(report, summary);
}

/* "97 % of the time went to cc1plus", of the command whatever else the filter has. */
static char *find_summary_processes(const struct spt_report *report,
				    const struct summary *summary, SptSentencesOf of)
{
	g_autoptr(GArray) said =
		of == SPT_SENTENCES_OF_COMMAND ?
			g_array_ref(summary->said) :
			spt_sentences_new(report->profile, report->capture, NULL,
					  SPT_SENTENCES_OF_COMMAND);
	const SptSentence *sentence = spt_sentences_find(said, "processes");
	g_autofree char *plain =
		sentence && !sentence->is_repeated ? spt_sentence_plain(sentence->text) : NULL;

	if (!plain)
		return NULL;
	*plain = g_ascii_tolower(*plain);
	return spt_format_cut(plain, 0);
}

/* What reads all samples, and does not depend on how long names may be. */
static void find_facts(const struct spt_report *report, struct summary *summary)
{
	SptSentencesOf of = spt_sentences_find_part(report->filter);

	if (report->filter->processes || report->command_has_none)
		summary->has_wall = spt_wall_find(&summary->wall, report->capture);
	summary->said = spt_sentences_new(report->profile, report->capture, report->symbols, of);
	summary->place = spt_sentences_find(summary->said, "place") ?
				 spt_culprit_place(report->profile, report->capture) :
				 UINT32_MAX;
	/* A flat profile of several programs, as that of a build, says most by their names. */
	if (report->filter->processes && report->metric->is_cpu && summary->top->len > 0 &&
	    spt_percent(culprit_at(report, 0)->weight, spt_profile_total(report->profile)) <
		    FLAT_PCT)
		summary->processes = find_summary_processes(report, summary, of);
}

/* The first steps remain, as many as have room. */
static void drop_next(const struct spt_report *report, struct summary *summary)
{
	while (summary_bytes(report, summary) > MOST_BYTES && summary->next->len > 0)
		g_ptr_array_set_size(summary->next, summary->next->len - 1);
}

static bool find(struct spt_report *report)
{
	struct summary *summary = g_new0(struct summary, 1);
	g_autofree char *path = spt_format_cut(report->capture->path, 0);
	unsigned name_bytes = NAME_BYTES;

	report->found = summary;
	summary->caveats = g_ptr_array_new_with_free_func(g_free);
	summary->next = g_ptr_array_new_with_free_func(g_free);
	summary->file = g_shell_quote(path);
	if (strlen(summary->file) > PATH_BYTES || strcmp(path, report->capture->path) != 0) {
		g_free(summary->file);
		summary->file = g_strdup("FILE");
	}
	find_top(report, summary);
	find_facts(report, summary);
	find_texts(report, summary, name_bytes);
	while (summary_bytes(report, summary) > MOST_BYTES && name_bytes > READABLE_NAME_BYTES) {
		name_bytes -= LEAST_NAME_BYTES;
		find_texts(report, summary, name_bytes);
	}
	drop_next(report, summary);
	if (summary_bytes(report, summary) > MOST_BYTES) {
		find_texts(report, summary, LEAST_NAME_BYTES);
		drop_next(report, summary);
	}
	return true;
}

static void print_text(const struct spt_report *report)
{
	const struct summary *summary = report->found;
	uint64_t all = summary->total;

	printf("%s%s%s\n", spt_color(SPT_COLOR_TITLE), summary->verdict, spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < summary->top->len; i++) {
		const SptFunction *function = function_at(report, i);
		g_autofree char *name = cut_name(function->name, summary->name_bytes);
		g_autofree char *object = cut(spt_report_object(function), summary->name_bytes / 2);

		const SptFunction *through = through_at(report, i);
		g_autofree char *machinery =
			through ? cut_name(through->name, summary->name_bytes / 2) : NULL;

		spt_report_print_share(spt_percent(culprit_at(report, i)->weight, all), 7);
		printf("%s  %s%s%s\n", name, object, machinery ? "  in " : "",
		       machinery ? machinery : "");
	}
	for (unsigned i = 0; i < summary->caveats->len; i++)
		printf("Note: %s\n", (const char *)summary->caveats->pdata[i]);
	for (unsigned i = 0; i < summary->next->len; i++)
		printf("Next: %s\n", (const char *)summary->next->pdata[i]);
}

static void add_texts(SptJson *json, const char *key, const GPtrArray *texts)
{
	spt_json_array(json, key);
	for (unsigned i = 0; i < texts->len; i++)
		spt_json_text(json, NULL, texts->pdata[i]);
	spt_json_end_array(json);
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const struct summary *summary = report->found;
	uint64_t all = summary->total, whole = spt_profile_total(report->profile);

	spt_json_text(json, "verdict", summary->verdict);
	if (summary->has_whole)
		spt_json_number(json, "whole_stacks_pct", summary->whole_pct);
	spt_json_number(json, "lost_pct", summary->lost_pct);
	spt_json_array(json, "top");
	for (unsigned i = 0; i < summary->top->len; i++) {
		const SptFunction *function = function_at(report, i);
		g_autofree char *name = cut_name(function->name, summary->name_bytes);
		g_autofree char *object = cut(spt_report_object(function), summary->name_bytes / 2);

		spt_json_object(json, NULL);
		spt_json_function(json, name, object);
		const SptFunction *through = through_at(report, i);
		g_autofree char *machinery =
			through ? cut_name(through->name, summary->name_bytes / 2) : NULL;

		if (machinery)
			spt_json_text(json, "through", machinery);
		spt_json_number(json, "self_pct", spt_percent(culprit_at(report, i)->weight, all));
		spt_json_number(json, "total_pct", spt_percent(function->total, whole));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	add_texts(json, "caveats", summary->caveats);
	add_texts(json, "next", summary->next);
}

const struct spt_report_kind spt_report_summary = {
	.option = { "summary", 0, 0, G_OPTION_ARG_NONE, NULL, "Print the result in at most 2 KiB",
		    NULL },
	.find = find,
	.is_whole_page = true,
	.text = print_text,
	.json = add_json,
	.clear = free_summary,
};
