/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggests names for one that nothing in a recording has. */
#include <limits.h>
#include <string.h>

#include "base/suggest.h"
#include "base/words.h"
#include "cmd.h"
#include "profile/glob.h"
#include "report-filter.h"

#define SUGGESTIONS 5

char *spt_report_suggest(const SptProfile *profile, const char *wanted, bool processes)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autofree uint32_t *order = spt_profile_order(profile, false);
	g_autofree char *folded = g_utf8_casefold(wanted, -1);
	g_autoptr(GString) text = g_string_new(NULL);
	unsigned found = 0, least = UINT_MAX;
	const char *nearest = NULL;

	for (uint32_t i = 0; i < n && found < SUGGESTIONS; i++) {
		const SptFunction *function = &functions[order[i]];
		g_autofree char *valid = g_utf8_make_valid(function->name, -1);
		g_autofree char *name = g_utf8_casefold(valid, -1), *quoted = NULL;

		/* An address would match any letters. */
		if (function->is_process != processes || function->total == 0 ||
		    !(processes || function->has_symbol))
			continue;
		if (!strstr(name, folded)) {
			if (spt_is_nearer(folded, name, &least))
				nearest = function->name;
			continue;
		}
		quoted = g_strdup_printf("\"%s\"", valid);
		if (!strstr(text->str, quoted))
			g_string_append_printf(text, "%s%s", found++ ? ", " : "; did you mean ",
					       quoted);
	}
	if (!found && nearest) {
		g_autofree char *valid = g_utf8_make_valid(nearest, -1);

		g_string_append_printf(text, "; did you mean \"%s\"", valid);
	}
	if (text->len)
		g_string_append_c(text, '?');
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Takes names that people may have meant, one at a time. */
struct wanted {
	const char *word;
	bool is_there;			/* the name exists */
	const char *nearest;
	unsigned least; /* number of mistakes of each name in @nearest */
};

static void compare(struct wanted *wanted, const char *name)
{
	if (!name || wanted->is_there)
		return;
	wanted->is_there = spt_glob_match(wanted->word, name);
	if (spt_is_nearer(wanted->word, name, &wanted->least))
		wanted->nearest = name;
}

/* "no thread is called "wroker", did you mean "worker"?"; NULL: there is one. */
static char *tell(const struct wanted *wanted, const char *kind)
{
	g_autofree char *nearest = wanted->nearest ? g_utf8_make_valid(wanted->nearest, -1) : NULL;

	if (wanted->is_there)
		return NULL;
	if (!nearest)
		return g_strdup_printf("no %s is called \"%s\"", kind, wanted->word);
	return g_strdup_printf("no %s is called \"%s\", did you mean \"%s\"?", kind, wanted->word,
			       nearest);
}

/* Names of functions, or of their objects. */
static char *suggest_function(const SptProfile *profile, const char *name, bool objects)
{
	struct wanted wanted = { .word = name, .least = UINT_MAX };
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!functions[i].is_process)
			compare(&wanted, objects ? functions[i].object : functions[i].name);
	return tell(&wanted, objects ? "object" : "function");
}

static char *suggest_thread(const SptCapture *capture, const char *name)
{
	struct wanted wanted = { .word = name, .least = UINT_MAX };
	guint64 tid;

	/* A number shows which one was meant. */
	if (g_ascii_string_to_unsigned(name, 10, 0, UINT64_MAX, &tid, NULL))
		return NULL;
	for (uint32_t i = 0; i < capture->n_threads; i++) {
		const char *former = capture->threads[i].former;

		compare(&wanted, capture->threads[i].name);
		wanted.is_there |= former && spt_lines_have(former, name);
	}
	return tell(&wanted, "thread");
}

char *spt_report_suggest_condition(const struct spt_filter_options *options,
				   const SptCapture *capture, const SptProfile *whole)
{
	char *text = NULL;

	for (char **name = options->with; !text && name && *name; name++)
		text = suggest_function(whole, *name, false);
	if (!text && options->object)
		text = suggest_function(whole, options->object, true);
	if (!text && options->thread)
		text = suggest_thread(capture, options->thread);
	return text;
}
