/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/languages.h"

#include <stdlib.h>
#include <string.h>

#include "scripts/interpreter.h"
#include "symbols/language.h"

/* The function that runs all others, and what -X perf puts before the names of those. */
#define PYTHON_LOOP   "_PyEval_EvalFrameDefault"
#define PYTHON_PREFIX "py::"

/* What is compiled at run time runs in no file: these two do that. */
static bool is_compiled(const char *language)
{
	return strcmp(language, "JavaScript") == 0 || strcmp(language, "Java") == 0;
}

/* The weight of functions in the files of interpreters of @language. */
static uint64_t weight_in(const SptFunction *functions, uint32_t n, const char *language)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!functions[i].is_process && functions[i].self && functions[i].object &&
		    spt_language_has_interpreter(language, functions[i].object))
			weight += functions[i].self;
	return weight;
}

/* Of those that have no function that runs all others, the one with the most weight. */
static uint64_t find_others(const SptFunction *functions, uint32_t n, const char **ret_language)
{
	const SptInterpreter *interpreter;
	uint64_t most = 0;

	for (unsigned k = 0; (interpreter = spt_interpreter_nth(k)); k++) {
		const char *language = interpreter->language;
		uint64_t weight = strcmp(language, SPT_LANGUAGE_PYTHON) == 0 ||
						  is_compiled(language) ?
					  0 :
					  weight_in(functions, n, language);

		if (weight <= most)
			continue;
		*ret_language = language;
		most = weight;
	}
	return most;
}

/* A sentence about a file begins with its path, of which functions have the end. */
static bool is_about_any(const char *sentence, const SptFunction *functions, uint32_t n)
{
	const char *end = strstr(sentence, " is ");
	g_autofree char *path = g_strndup(sentence, end ? (size_t)(end - sentence) : 0),
			*base = g_path_get_basename(path);

	for (uint32_t i = 0; i < n; i++)
		if (!functions[i].is_process && functions[i].object &&
		    (strcmp(functions[i].object, path) == 0 ||
		     strcmp(functions[i].object, base) == 0))
			return true;
	return false;
}

char *spt_languages_unknown(const SptProfile *profile, const SptCapture *capture)
{
	const char *said = spt_capture_host(capture, "no_scripts");
	g_auto(GStrv) sentences = said ? g_strsplit(said, "; ", -1) : NULL;
	g_autoptr(GString) text = g_string_new(NULL);
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (char **sentence = sentences; sentence && *sentence; sentence++)
		if (is_about_any(*sentence, functions, n))
			g_string_append_printf(text, "%s%s", text->len ? "; " : "", *sentence);
	return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

bool spt_languages_have_compiler(const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].object &&
		    (spt_language_has_interpreter("JavaScript", functions[i].object) ||
		     spt_language_has_interpreter("Java", functions[i].object)))
			return true;
	return false;
}

uint64_t spt_languages_find_scripts(const SptProfile *profile, const char **ret_language,
				    unsigned *ret_minor)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n), *loop = NULL;
	const char *version;

	for (uint32_t i = 0; i < n; i++) {
		if (functions[i].is_script ||
		    g_str_has_prefix(functions[i].name, PYTHON_PREFIX))
			return 0;
		if (strcmp(functions[i].name, PYTHON_LOOP) == 0 &&
		    (!loop || functions[i].total > loop->total))
			loop = &functions[i];
	}
	version = loop && loop->object ? strstr(loop->object, "python3.") : NULL;
	*ret_minor = version ? (unsigned)strtoul(version + strlen("python3."), NULL, 10) : 0;
	*ret_language = SPT_LANGUAGE_PYTHON;
	return loop ? loop->total : find_others(functions, n, ret_language);
}

static bool is_native(const SptFunction *function)
{
	return g_strcmp0(function->language, SPT_LANGUAGE_NATIVE) == 0;
}

void spt_languages_find_go(SptFunction *functions, uint32_t n)
{
	g_autoptr(GHashTable) objects = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < n; i++)
		if (is_native(&functions[i]) && spt_language_is_go_runtime(functions[i].name))
			g_hash_table_add(objects, (gpointer)functions[i].object);
	for (uint32_t i = 0; g_hash_table_size(objects) > 0 && i < n; i++)
		if (is_native(&functions[i]) && functions[i].has_symbol &&
		    g_hash_table_contains(objects, functions[i].object) &&
		    spt_language_is_go(functions[i].name))
			functions[i].language = SPT_LANGUAGE_GO;
}

/* Whether @function may be one of an interpreter's own file. */
static bool may_interpret(const SptFunction *function)
{
	return function->language && !function->is_script && !function->is_kernel;
}

const char *spt_languages_of_node(const SptTreeNode *nodes, const SptFunction *functions,
				  uint32_t node)
{
	const SptFunction *leaf, *script;
	uint32_t at;

	/* What a kernel's event was about is no code; its file, or lock, is above it. */
	while (node && spt_function_is_event(&functions[nodes[node].function]))
		node = nodes[node].parent;
	leaf = node ? &functions[nodes[node].function] : NULL;
	if (!leaf || leaf->is_process || leaf->is_no_stack)
		return SPT_NO_STACK;
	for (at = node; at && may_interpret(&functions[nodes[at].function]) &&
			functions[nodes[at].function].object == leaf->object;)
		at = nodes[at].parent;
	script = at && at != node ? &functions[nodes[at].function] : NULL;
	if (script && script->is_script &&
	    spt_language_has_interpreter(script->language, leaf->object))
		return script->language;
	return leaf->language ? leaf->language : SPT_LANGUAGE_UNKNOWN;
}
