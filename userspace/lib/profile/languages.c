/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/languages.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/language.h"

/* The function that runs all others, and what -X perf puts before the names of those. */
#define PYTHON_LOOP   "_PyEval_EvalFrameDefault"
#define PYTHON_PREFIX "py::"

uint64_t spt_languages_find_python(const SptProfile *profile, unsigned *ret_minor)
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
	return loop ? loop->total : 0;
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
