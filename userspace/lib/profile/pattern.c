/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names are compared as everywhere; regular expressions are GLib's, which bound their steps. */
#include "profile/pattern.h"

#include <string.h>

#include "base/words.h"
#include "profile/glob.h"

struct SptPattern {
	char *text;
	GRegex *regex;			/* or NULL, and these: */
	GPtrArray *names;
	bool is_exact;			/* nothing in the names is wild */
};

G_DEFINE_QUARK(spt-pattern-error-quark, spt_pattern_error)

/* The end of the name at @begin: '|' separates, except in operator| and its relatives. */
static const char *end_of_name(const char *begin)
{
	const char *at = begin;

	while (*at && *at != '|') {
		at++;
		if (*at == '|' && at - begin >= 8 && strncmp(at - 8, "operator", 8) == 0)
			at += at[1] == '|' ? 2 : 1;
	}
	return at;
}

static bool add_names(SptPattern *pattern, GError **error)
{
	const char *at = pattern->text;

	pattern->names = g_ptr_array_new_with_free_func(g_free);
	while (true) {
		const char *end = end_of_name(at);

		if (end == at) {
			spt_set_error(error, SPT_PATTERN_ERROR, SPT_PATTERN_ERROR_SYNTAX,
				      "a function's name is missing");
			return false;
		}
		g_ptr_array_add(pattern->names, g_strndup(at, (size_t)(end - at)));
		if (!*end)
			return true;
		at = end + 1;
	}
}

static bool add_regex(SptPattern *pattern, GError **error)
{
	g_autofree char *inner = g_strndup(pattern->text + 1, strlen(pattern->text) - 2);
	g_autoptr(GError) reason = NULL;

	pattern->regex = g_regex_new(inner, G_REGEX_OPTIMIZE | G_REGEX_RAW, 0, &reason);
	if (pattern->regex)
		return true;
	spt_set_error(error, SPT_PATTERN_ERROR, SPT_PATTERN_ERROR_SYNTAX, "%s", reason->message);
	return false;
}

SptPattern *spt_pattern_new(const char *text, GError **error)
{
	g_autoptr(SptPattern) pattern = g_new0(SptPattern, 1);
	size_t length = strlen(text);
	bool is_regex = length > 2 && text[0] == '/' && text[length - 1] == '/';

	pattern->text = g_strdup(text);
	if (!(is_regex ? add_regex(pattern, error) : add_names(pattern, error)))
		return NULL;
	return g_steal_pointer(&pattern);
}

SptPattern *spt_pattern_new_names(const char *const *names, uint32_t n)
{
	SptPattern *pattern = g_new0(SptPattern, 1);

	pattern->is_exact = true;
	pattern->names = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t i = 0; i < n; i++)
		g_ptr_array_add(pattern->names, g_strdup(names[i]));
	return pattern;
}

void spt_pattern_free(SptPattern *pattern)
{
	if (!pattern)
		return;
	g_clear_pointer(&pattern->regex, g_regex_unref);
	g_clear_pointer(&pattern->names, g_ptr_array_unref);
	g_free(pattern->text);
	g_free(pattern);
}

const char *spt_pattern_text(const SptPattern *pattern)
{
	return pattern->text;
}

bool spt_pattern_matches(const SptPattern *pattern, const char *function)
{
	if (pattern->regex)
		return g_regex_match(pattern->regex, function, 0, NULL);
	for (guint i = 0; i < pattern->names->len; i++) {
		const char *name = g_ptr_array_index(pattern->names, i);

		if (!pattern->is_exact && spt_glob_is_pattern(name) ?
			    spt_glob_match(name, function) :
			    spt_glob_is_called(function, name))
			return true;
	}
	return false;
}
