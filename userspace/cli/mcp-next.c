/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Next: sysprof-cli report 'a.capture' --callers 'f'" is for a shell.  Who asks by tools reads
 * "Next: tree {"file":"a.capture","above":"f"}" instead.
 */
#include <string.h>

#include "mcp.h"

#define NEXT "Next: "

struct step {
	const char *tool;
	struct json_object *arguments;
};

static void step_add(struct step *step, const char *name, const char *value)
{
	json_object_object_add(step->arguments, name, json_object_new_string(value));
}

/* The words behind the file, as report-summary.c writes them. */
static void take_words(struct step *step, char **words)
{
	const char *metric = NULL, *by = NULL;
	bool is_blocked;

	for (; *words; words++) {
		if (strcmp(*words, "--metric") == 0 && words[1])
			metric = *++words;
		else if (strcmp(*words, "--by") == 0 && words[1])
			by = *++words;
		else if (strcmp(*words, "--callers") == 0 && words[1])
			step_add(step, "above", *++words);
		else if (strcmp(*words, "--callees") == 0 && words[1])
			step_add(step, "below", *++words);
		else if (strcmp(*words, "--summary") == 0)
			step->tool = "summary";
		else if (**words != '-')
			step_add(step, "function", *words);
	}
	is_blocked = g_strcmp0(metric, "blocked") == 0;
	if (is_blocked && (by || strcmp(step->tool, "summary") == 0))
		step->tool = "waits";
	else if (metric)
		step_add(step, "metric", metric);
	if (by)
		step_add(step, "by", by);
}

/* The step in terms of tools; NULL: it is none of a summary's. */
static char *translate(const char *line)
{
	struct step step = { .tool = "tree" };
	g_auto(GStrv) words = NULL;
	char *text = NULL;

	if (!g_shell_parse_argv(line + strlen(NEXT), NULL, &words, NULL) || !words[1] || !words[2])
		return NULL;
	step.arguments = json_object_new_object();
	if (strcmp(words[1], "record") == 0) {
		text = g_strdup(NEXT "record {\"command\":[...],\"waits\":true}");
	} else if (strcmp(words[1], "report") == 0 || strcmp(words[1], "annotate") == 0) {
		step.tool = strcmp(words[1], "annotate") == 0 ? "annotate" : "tree";
		step_add(&step, "file", words[2]);
		take_words(&step, words + 3);
		text = g_strdup_printf(NEXT "%s %s", step.tool,
				       json_object_to_json_string_ext(
					       step.arguments, JSON_C_TO_STRING_PLAIN |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	}
	json_object_put(step.arguments);
	return text;
}

char *spt_mcp_next(char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	char *all;

	for (char **line = lines; *line; line++) {
		char *step = g_str_has_prefix(*line, NEXT) ? translate(*line) : NULL;

		if (!step)
			continue;
		g_free(*line);
		*line = step;
	}
	all = g_strjoinv("\n", lines);
	g_free(text);
	return all;
}
