/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel that can be probed.  Root reads them in tracefs; kallsyms, which
 * everybody reads, has some that cannot be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define PROBED	 SPT_POINT_TRACEFS "/available_filter_functions"
#define KALLSYMS "/proc/kallsyms"
#define TYPE	 "/sys/bus/event_source/devices/kprobe/type"

typedef void (*name_func)(const char *name, void *data);

/* "vfs_read" or "ext4_getattr [ext4]"; in kallsyms behind address and type. */
static bool each_function(const char *path, bool is_kallsyms, name_func func, void *data)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return false;
	while (getline(&line, &room, file) > 0) {
		char *name = line;

		if (is_kallsyms) {
			char *type = strchr(line, ' ');

			if (!type || !strchr("tTwW", type[1]) || type[2] != ' ')
				continue;
			name = type + 3;
		}
		name[strcspn(name, " \t\n")] = '\0';
		/* Compilers' own names have dots and dollars. */
		if (*name && !strchr(name, '$') && !g_str_has_prefix(name, "__pfx_"))
			func(name, data);
	}
	free(line);
	fclose(file);
	return true;
}

static bool each_probed(name_func func, void *data)
{
	return each_function(PROBED, false, func, data) ||
	       each_function(KALLSYMS, true, func, data);
}

struct search {
	const char *glob;
	GHashTable *found;		/* name -> how many have it */
	const char *wanted;
	char *nearest;
	unsigned least;
};

static void take_matching(const char *name, void *data)
{
	struct search *search = data;
	unsigned n;

	if (search->glob && !g_pattern_match_simple(search->glob, name))
		return;
	n = GPOINTER_TO_UINT(g_hash_table_lookup(search->found, name));
	g_hash_table_replace(search->found, g_strdup(name), GUINT_TO_POINTER(n + 1));
}

static void take_nearest(const char *name, void *data)
{
	struct search *search = data;

	if (!spt_is_nearer(search->wanted, name, &search->least))
		return;
	g_free(search->nearest);
	search->nearest = g_strdup(name);
}

static GHashTable *find_matching(const char *glob)
{
	struct search search = {
		.glob = glob,
		.found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};

	each_probed(take_matching, &search);
	return search.found;
}

/* To find the arguments of each of many takes long. */
static char *functions_help(const char *name, unsigned n_called_so, bool with_arguments)
{
	g_autofree char *arguments = NULL;

	if (n_called_so > 1)
		return g_strdup_printf("%u functions have this name", n_called_so);
	arguments = with_arguments ? spt_point_arguments_of(name) : NULL;
	return arguments ? g_strdup_printf("(%s)", arguments) : g_strdup("");
}

void spt_point_list_functions(GPtrArray *names, const char *glob)
{
	g_autoptr(GHashTable) found = find_matching(glob);
	unsigned n_found = g_hash_table_size(found);
	GList *keys = g_list_sort(g_hash_table_get_keys(found), (GCompareFunc)strcmp);

	for (const GList *key = keys; key; key = key->next) {
		SptPointName *name = g_new0(SptPointName, 1);
		unsigned n = GPOINTER_TO_UINT(g_hash_table_lookup(found, key->data));

		name->type = SPT_POINT_FUNCTION;
		name->name = g_strdup(key->data);
		name->help = functions_help(key->data, n, n_found <= SPT_POINT_FUNCTIONS_MAX);
		g_ptr_array_add(names, name);
	}
	g_list_free(keys);
}

/* The type of such events; 0: this kernel has none. */
static uint32_t kprobe_type(void)
{
	g_autofree char *text = NULL;

	return g_file_get_contents(TYPE, &text, NULL, NULL) ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static SptPoint *functions_make(const char *name, uint32_t type)
{
	SptPoint *point = g_new0(SptPoint, 1);

	point->type = SPT_POINT_FUNCTION;
	point->name = g_strdup(name);
	point->target = g_strdup(name);
	point->perf_type = type;
	point->period = 1;
	spt_point_set_timed(point);
	return point;
}

static void functions_set_unknown(const char *text, GError **error)
{
	struct search search = { .wanted = text, .least = UINT_MAX };

	each_probed(take_nearest, &search);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "The kernel has no function \"%s\" that can be probed: it may have been inlined into its callers%s%s%s",
		      text, search.nearest ? "; did you mean \"" : "",
		      search.nearest ? search.nearest : "", search.nearest ? "\"?" : "");
	g_free(search.nearest);
}

static bool check_found(const char *text, GHashTable *found, GError **error)
{
	unsigned n = g_hash_table_size(found);

	if (!n)
		functions_set_unknown(text, error);
	else if (n > SPT_POINT_FUNCTIONS_MAX)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--function %s matches %u functions, and %u are the most at a time; \"sysprof-cli events --functions '%s'\" lists them",
			      text, n, SPT_POINT_FUNCTIONS_MAX, text);
	return n && n <= SPT_POINT_FUNCTIONS_MAX;
}

/* Cuts "(count, pos)" off the end of @text: what is in the brackets, or NULL.  False: an error. */
static bool cut_arguments(char *text, char **ret, GError **error)
{
	char *begin = strchr(text, '(');
	size_t n = strlen(text);

	*ret = NULL;
	if (!begin)
		return true;
	if (text[n - 1] != ')' || begin == text || begin + 2 == text + n) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--function %s: in brackets behind a function are the names of arguments, as in 'vfs_read(count, pos)'",
			      text);
		return false;
	}
	text[n - 1] = *begin = '\0';
	*ret = begin + 1;
	g_strchomp(text);
	if (!strpbrk(text, "*?"))
		return true;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "--function %s: each function has arguments of its own; name one, without * and ?",
		      text);
	return false;
}

/* @arguments NULL: none. */
static bool functions_add(GPtrArray *points, const char *name, uint32_t type,
			  const char *arguments, GError **error)
{
	SptPoint *point = functions_make(name, type);

	if (arguments && !spt_point_add_arguments(point, arguments, error)) {
		spt_point_free(point);
		return false;
	}
	return spt_point_add(points, point, error);
}

/* As perf and bpftrace write a function or its return; a call is recorded with both. */
static char *bare_function(const char *text)
{
	static const char *const words[] = { "kprobe:", "kretprobe:", "fentry:", "fexit:" };
	const char *end = strstr(text, "%return");

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_has_prefix(text, words[i]))
			text += strlen(words[i]);
	return end && !end[strlen("%return")] ? g_strndup(text, (size_t)(end - text)) :
						g_strdup(text);
}

bool spt_point_find_functions(GPtrArray *points, const char *pattern, GError **error)
{
	g_autofree char *text = bare_function(pattern);
	g_autoptr(GHashTable) found = NULL;
	uint32_t type = kprobe_type();
	GHashTableIter at;
	gpointer name, n;
	char *arguments;

	g_strstrip(text);
	if (!cut_arguments(text, &arguments, error))
		return false;
	found = find_matching(text);
	if (!type) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "This kernel cannot probe its functions (--function): it was built without CONFIG_KPROBE_EVENTS");
		return false;
	}
	if (!check_found(text, found, error))
		return false;
	g_hash_table_iter_init(&at, found);
	while (g_hash_table_iter_next(&at, &name, &n)) {
		if (GPOINTER_TO_UINT(n) > 1 && !strpbrk(text, "*?")) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "%u functions of the kernel are called %s: a probe needs a name that only one has",
				      GPOINTER_TO_UINT(n), text);
			return false;
		}
		/* Of a pattern, those that can be probed. */
		if (GPOINTER_TO_UINT(n) == 1 &&
		    !functions_add(points, name, type, arguments, error))
			return false;
	}
	return true;
}
