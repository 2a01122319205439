/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only kinds with at least one percent are mentioned, and never more than three. */
#include "profile/words.h"

#include <math.h>

#include "base/words.h"
#include "profile/command.h"
#include "profile/profile-private.h"
#include "profile/wall.h"

#define MOST 3
#define LEAST_SHARE 0.01
#define NAME_BYTES 48
#define ELLIPSIS "\xe2\x80\xa6"
/* A number stays on the line of its unit. */
#define NO_BREAK "\xc2\xa0"

struct ranking {
	const SptFunction *functions[MOST];	/* the heaviest, heaviest first */
	unsigned n;
};

static bool is_before(const SptFunction *a, const SptFunction *b, bool by_self)
{
	return by_self ? a->self > b->self : a->total > b->total;
}

static void rank(struct ranking *ranking, const SptFunction *function, bool by_self)
{
	unsigned at = ranking->n;

	while (at > 0 && is_before(function, ranking->functions[at - 1], by_self))
		at--;
	if (at == MOST)
		return;
	if (ranking->n < MOST)
		ranking->n++;
	for (unsigned i = ranking->n - 1; i > at; i--)
		ranking->functions[i] = ranking->functions[i - 1];
	ranking->functions[at] = function;
}

static char *tell_share(uint64_t weight, uint64_t total)
{
	double percent = 100.0 * (double)weight / (double)total;

	if (weight == total)
		return g_strdup(spt_words("all"));
	return percent < 10 ? g_strdup_printf("%.1f" NO_BREAK "%%", percent) :
			      g_strdup_printf("%.0f" NO_BREAK "%%", MIN(percent, 99));
}

/* The longest name that fits a sentence. */
static char *short_name(const char *name)
{
	int bytes = NAME_BYTES;

	if (strlen(name) <= NAME_BYTES)
		return g_strdup(name);
	/* Does not cut within a character. */
	while (bytes > 0 && ((unsigned char)name[bytes] & 0xc0) == 0x80)
		bytes--;
	return g_strdup_printf("%.*s" ELLIPSIS, bytes, name);
}

static void append_processes(GString *text, const struct ranking *processes, uint64_t total,
			     bool is_cpu)
{
	for (unsigned i = 0; i < processes->n; i++) {
		const SptFunction *process = processes->functions[i];

		g_autofree char *share = tell_share(process->total, total),
				*name = short_name(process->name);

		if (i > 0 && (double)process->total < LEAST_SHARE * (double)total)
			break;
		if (process->total == total)
			g_string_append_printf(text,
					       is_cpu ? spt_words("All of the time went to %s") :
							spt_words("All of it went to %s"),
					       name);
		else
			g_string_append_printf(text,
					       i      ? spt_words(", %s to %s") :
					       is_cpu ? spt_words("%s of the time went to %s") :
							spt_words("%s of it went to %s"),
					       share, name);
	}
	g_string_append(text, processes->n ? ".  " : "");
}

static void append_functions(GString *text, const struct ranking *functions, uint64_t total)
{
	for (unsigned i = 0; i < functions->n; i++) {
		const SptFunction *function = functions->functions[i];

		g_autofree char *share = tell_share(function->self, total),
				*name = short_name(function->name);

		if ((double)function->self < LEAST_SHARE * (double)total)
			break;
		g_string_append_printf(text, "%s%s (%s)",
				       i ? ", " : spt_words("  Busiest functions: "), name, share);
	}
	g_string_append(text, text->str[text->len - 1] == '.' ? "" : ".");
}

/* CPU time alone would make a program that waits look busy. */
static void append_wall(GString *text, const SptCapture *capture)
{
	SptWall wall;

	if (!spt_wall_find(&wall, capture))
		return;

	bool has_ready = wall.ready >= 0, has_many = wall.cpus >= SPT_WALL_MANY;
	double ran = round(100 * wall.running), was_ready = has_ready ? round(100 * wall.ready) : 0;
	g_autofree char *running = g_strdup_printf("%.0f" NO_BREAK "%%", ran),
			*ready = g_strdup_printf("%.0f" NO_BREAK "%%", was_ready),
			*waiting = g_strdup_printf("%.0f" NO_BREAK "%%", 100 - ran - was_ready),
			*all = g_strdup_printf("%.2f" NO_BREAK "s", (double)wall.wall_ns / 1e9);

	if (has_many && wall.running >= SPT_WALL_ALL)
		g_string_append_printf(text, spt_words("Ran on %.1f CPUs at a time, for %s.  "),
				       wall.cpus, all);
	else if (has_many && has_ready)
		g_string_append_printf(text,
				       spt_words("Ran %s on %.1f CPUs at a time, was ready to run "
						 "%s, waited %s of %s.  "),
				       running, wall.cpus, ready, waiting, all);
	else if (has_many)
		g_string_append_printf(text,
				       spt_words("Ran %s on %.1f CPUs at a time, waited %s of %s.  "),
				       running, wall.cpus, waiting, all);
	else if (has_ready)
		g_string_append_printf(text,
				       spt_words("Ran %s, was ready to run %s, waited %s of %s.  "),
				       running, ready, waiting, all);
	else
		g_string_append_printf(text, spt_words("Ran %s, waited %s of %s.  "), running,
				       waiting, all);
}

char *spt_words_command(const SptCapture *capture, uint64_t weight)
{
	g_autofree char *name = spt_command_name(capture);
	g_autofree char *shown = name ? short_name(name) : NULL,
			*share = capture->weight ? tell_share(weight, capture->weight) : NULL,
			*failure = name ? spt_command_failure(capture) : NULL;
	GString *text = g_string_new(NULL);

	if (shown && share)
		g_string_append_printf(text, spt_words("%s: %s of all that ran.  "), shown, share);
	if (shown && failure)
		g_string_append_printf(text, "%s %s.  ", shown, failure);
	append_wall(text, capture);
	return g_string_free(text, FALSE);
}

char *spt_words_where(const SptProfile *profile)
{
	uint64_t total = spt_profile_total(profile), kernel = 0;
	struct ranking processes = { .n = 0 }, functions = { .n = 0 };
	GString *text = g_string_new(NULL);
	g_autofree char *in_kernel = NULL;
	const SptFunction *all;
	uint32_t n;

	if (total == 0)
		return g_string_free(g_string_append(text, spt_words("There are no samples.")),
				     FALSE);
	all = spt_profile_functions(profile, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (all[i].is_kernel)
			kernel += all[i].self;
		if (all[i].is_process && all[i].total > 0)
			rank(&processes, &all[i], false);
		else if (!all[i].is_process && all[i].has_symbol && all[i].self > 0)
			rank(&functions, &all[i], true);
	}
	/* Only a base, which has all samples, knows it: for a part it is not known. */
	if (profile->capture && profile->metric->is_cpu)
		append_wall(text, profile->capture);
	if (!profile->metric->is_cpu)
		g_string_append_printf(text, "%s: ", spt_words(profile->metric->title));
	append_processes(text, &processes, total, profile->metric->is_cpu);
	in_kernel = tell_share(kernel, total);
	if (kernel == 0 || kernel == total)
		g_string_append(text, kernel ? spt_words("All was spent in the kernel.") :
					       spt_words("Nothing was spent in the kernel."));
	else
		g_string_append_printf(text, spt_words("%s was spent in the kernel."), in_kernel);
	append_functions(text, &functions, total);
	return g_string_free(text, FALSE);
}
