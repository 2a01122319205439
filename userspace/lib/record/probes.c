/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/probes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "object/object.h"
#include "symbols/demangle.h"
#include "symbols/helpers.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define TYPE	    "/sys/bus/event_source/devices/uprobe/type"
#define PATIENCE_MS 30000
#define MOST_PROBES 100u

struct probe {
	char *path, *base;		/* of the file, and its name */
	const char *text;
	char *texts;			/* which arguments of a mark are texts; NULL: none */
	SptHelpers *helpers;
	SptObject *file;
	uint32_t type;
};

static void probe_clear(struct probe *probe)
{
	g_free(probe->path);
	g_free(probe->base);
	g_free(probe->texts);
	spt_object_free(probe->file);
	spt_helpers_free(probe->helpers);
}

/* "libc" is the first of libc.so.6, libc.so ... where libraries are, and "libc.so.6" itself. */
static char *find_library(const char *name)
{
	static const char *const folders[] = { "/lib/x86_64-linux-gnu",	 "/lib/aarch64-linux-gnu",
					       "/usr/lib/x86_64-linux-gnu",
					       "/usr/lib/aarch64-linux-gnu",
					       "/lib64",		 "/usr/lib64",
					       "/lib",			 "/usr/lib" };
	g_autofree char *start = g_strconcat(name, ".so", NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autoptr(GDir) folder = g_dir_open(folders[i], 0, NULL);
		const char *entry, *best = NULL;

		while (folder && (entry = g_dir_read_name(folder))) {
			size_t n = strlen(start);

			if (strstr(name, ".so") && strcmp(entry, name) == 0)
				return g_build_filename(folders[i], name, NULL);
			if (strncmp(entry, start, n) == 0 && (!entry[n] || entry[n] == '.') &&
			    (!best || strcmp(entry, best) > 0))
				best = g_intern_string(entry);
		}
		if (best)
			return g_build_filename(folders[i], best, NULL);
	}
	return NULL;
}

/* The path of the file itself, which the kernel looks up again. */
static char *find_file(const char *name)
{
	g_autofree char *found = strchr(name, '/') ? g_strdup(name) : NULL;
	char *whole;

	if (!found)
		found = find_library(name);
	if (!found)
		found = g_find_program_in_path(name);
	/* What /proc/PID/root leads to has no other path here. */
	whole = found && !g_str_has_prefix(found, "/proc/") ? realpath(found, NULL) : NULL;
	return whole ? whole : g_steal_pointer(&found);
}

static bool probes_open_file(struct probe *probe, const char *name, GError **error)
{
	g_autofree char *type = NULL;

	if (!g_file_get_contents(TYPE, &type, NULL, NULL)) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "This kernel cannot probe programs (--probe): it was built without CONFIG_UPROBE_EVENTS");
		return false;
	}
	probe->type = (uint32_t)strtoul(type, NULL, 10);
	probe->path = find_file(name);
	if (!probe->path) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe %s: there is no library or program \"%s\" here; write a path, as in ./program:function",
			      probe->text, name);
		return false;
	}
	probe->base = g_path_get_basename(probe->path);
	probe->file = spt_object_open(probe->path, error);
	if (!probe->file)
		return false;
	probe->helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, NULL);
	return true;
}

static SptPoint *probes_make(const struct probe *probe, const char *name, uint64_t offset)
{
	SptPoint *point = g_new0(SptPoint, 1);

	point->type = SPT_POINT_PROBE;
	point->name = g_strdup(name);
	point->target = g_strdup(probe->path);
	point->offset = offset;
	point->perf_type = probe->type;
	point->period = 1;
	return point;
}

/* @text: of a function, as places.h has them. */
static bool take_arguments(const struct probe *probe, const char *text, SptPoint *point,
			   GError **error)
{
	const char *blank = strchr(text, ' ');

	if (*text != '!') {
		spt_point_parse_arguments(text, point);
		return spt_point_fetch_arguments(point, error);
	}
	if (!text[1])
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe %s: the arguments of %s are not known, as there is no debug information of it; install its debug package, or leave out the brackets",
			      probe->text, point->name);
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe %s: %s has no argument \"%.*s\" that is a number or an address where it begins; those are: %s (names and not types; what it returned is always recorded)",
			      probe->text, point->name, (int)strcspn(text + 1, " "), text + 1,
			      blank && blank[1] ? blank + 1 : "none");
	return false;
}

/* The note of a mark says where its arguments are, and not what: @list, "arg1:text,arg4:text", does. */
static bool take_texts(const struct probe *probe, const char *list, SptPoint *point, GError **error)
{
	g_auto(GStrv) names = g_strsplit(list, ",", -1);
	SptPointFormat *format = &point->format;

	for (char **name = names; *name; name++) {
		char *colon = strchr(g_strstrip(*name), ':');
		bool is_text = colon && strcmp(colon, ":text") == 0;
		unsigned i = 0;

		if (is_text)
			*colon = '\0';
		while (is_text && i < format->n_fields &&
		       (strcmp(format->fields[i].field.name, *name) != 0 ||
			format->fields[i].bytes != 8 ||
			format->fields[i].form == SPT_POINT_CONSTANT))
			i++;
		if (!is_text || i == format->n_fields) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "--probe %s: %s has no argument \"%s\" that may be the address of a text, as in %s(arg1:text)",
				      probe->text, point->name, *name, point->name);
			return false;
		}
		format->fields[i].field.type = SPT_VALUE_TEXT;
	}
	return spt_point_fetch_arguments(point, error);
}

/* The name at the begin of @text, as people write it; to be freed. */
static char *place_name(const char *text)
{
	g_autofree char *symbol = g_strndup(text, strcspn(text, " "));

	return spt_demangle_bare(symbol);
}

/* A line of the answer becomes a point.  A name that several places have gets a number. */
static bool probes_add(GPtrArray *points, const struct probe *probe, const char *line,
		       const char *query, unsigned number, GError **error)
{
	uint64_t offset, counter;
	int name_at = 0, arguments_at = 0;
	g_autofree char *place = NULL, *name = NULL;
	bool is_mark = g_str_has_prefix(query, "mark "), is_line = g_str_has_prefix(query, "line ");
	SptPoint *point;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n%*s %n", &offset, &counter, &name_at,
		   &arguments_at) < 2 || !name_at)
		return true;
	place = place_name(line + name_at);
	name = g_strdup_printf(number > 1 ? "%s%s%s#%u" : "%s%s%s", is_mark ? "" : probe->base,
			       is_mark ? "" : ":", place, number);
	point = probes_make(probe, name, offset);
	if (counter <= UINT32_MAX)
		point->config |= counter << SPT_POINT_COUNTER_AT;
	if (is_mark)
		spt_point_parse_arguments(arguments_at ? line + arguments_at : "", point);
	else if (!is_line)
		spt_point_set_timed(point);
	if (is_mark	   ? !probe->texts || take_texts(probe, probe->texts, point, error) :
	    arguments_at ? take_arguments(probe, line + arguments_at, point, error) :
			   true)
		return spt_point_add(points, point, error);
	spt_point_free(point);
	return false;
}

static bool probes_is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* "PROVIDER:NAME(arg1:text)", "NAME", "NAME(...)"; to be freed. */
static char *mark_query(struct probe *probe, const char *what)
{
	size_t n = strcspn(what, "(");
	g_autofree char *name = g_strndup(what, n);

	if (what[n])
		probe->texts = g_strndup(what + n + 1, strcspn(what + n + 1, ")"));
	return g_strconcat(strchr(name, ':') ? "mark " : "mark *:", name, NULL);
}

/* "file.c:12" is a line, "mark:..." a mark, and others are functions. */
static char *query_of(struct probe *probe, const char *what)
{
	const char *colon = strrchr(what, ':');

	if (g_str_has_prefix(what, "mark:"))
		return mark_query(probe, what + strlen("mark:"));
	if (colon && probes_is_number(colon + 1))
		return g_strconcat("line ", what, NULL);
	return g_strconcat("function ", what, NULL);
}

static bool add_answer(GPtrArray *points, const struct probe *probe, const char *query,
		       const char *answer, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(answer, "\n", -1);
	g_autoptr(GHashTable) numbers =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	unsigned n = g_strv_length(lines) - 1;

	if (n > MOST_PROBES) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe %s is at %u places or more, and %u are the most at a time; name fewer",
			      probe->text, n, MOST_PROBES);
		return false;
	}
	for (char **line = lines; *line; line++) {
		const char *begin = strchr(*line, ' ');
		const char *name = begin ? strchr(begin + 1, ' ') : NULL;
		char *key = name ? place_name(name + 1) : NULL;
		unsigned number;

		if (!key)
			continue;
		number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, key)) + 1;
		g_hash_table_replace(numbers, key, GUINT_TO_POINTER(number));
		if (!probes_add(points, probe, *line, query, number, error))
			return false;
	}
	return true;
}

/* The shortest name of an answer's; NULL: there is none.  To be freed. */
static char *shortest_place(const char *answer)
{
	g_auto(GStrv) lines = g_strsplit(answer, "\n", -1);
	char *shortest = NULL;

	for (char **line = lines; *line; line++) {
		const char *at = strchr(*line, ' ');
		char *name;

		at = at ? strchr(at + 1, ' ') : NULL;
		if (!at)
			continue;
		name = place_name(at + 1);
		if (shortest && strlen(shortest) <= strlen(name)) {
			g_free(name);
			continue;
		}
		g_free(shortest);
		shortest = name;
	}
	return shortest;
}

/* A function whose name has the last part of @what in it; NULL: there is none.  To be freed. */
static char *similar_place(const struct probe *probe, const char *what)
{
	const char *begin = g_strrstr(what, "::");
	const char *word = begin ? begin + strlen("::") : what;
	/* "operator()" has brackets of its own. */
	size_t n = g_str_has_prefix(word, "operator") ? strlen(word) : strcspn(word, "@%+(");
	g_autofree char *name = g_strndup(word, n);
	g_autofree char *query = g_strconcat("function *", name, "*", NULL);
	g_autofree char *answer =
		n && !strpbrk(name, "*?:") ?
			spt_helpers_places(probe->helpers, probe->file, query, NULL) :
			NULL;

	return answer ? shortest_place(answer) : NULL;
}

/* What people write who know perf or bpftrace. */
static const char *probe_help(const char *what)
{
	const char *colon = strrchr(what, ':');

	if (g_str_has_suffix(what, "%return"))
		return "calls are recorded with their returns: write the name alone";
	if (strchr(what, '@') && !g_str_has_prefix(what, "mark:"))
		return "names are written without a version";
	if (strchr(what, '+') || g_str_has_prefix(what, "0x"))
		return "an instruction is named by its line, as in parser.c:120";
	if (colon && probes_is_number(colon + 1))
		return "no code begins with that line, or the file has no debug information";
	return "it may have been inlined, or the file has no symbols or debug information";
}

static void probes_set_unknown(const struct probe *probe, const char *what, GError **error)
{
	g_autofree char *similar = similar_place(probe, what);

	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "--probe %s: %s has no function, line or mark \"%s\"; %s%s%s%s", probe->text,
		      probe->path, what, probe_help(what), similar ? "; did you mean \"" : "",
		      similar ? similar : "", similar ? "\"?" : "");
}

static bool find_places(GPtrArray *points, struct probe *probe, const char *what, GError **error)
{
	g_autofree char *query = query_of(probe, what);
	g_autofree char *answer = spt_helpers_places(probe->helpers, probe->file, query, error);
	g_autofree char *mark = NULL;

	if (!answer)
		return false;
	/* A provider and a name are written as a function of a C++ class would be. */
	if (!*answer && g_str_has_prefix(query, "function ")) {
		mark = mark_query(probe, what);
		g_free(answer);
		answer = spt_helpers_places(probe->helpers, probe->file, mark, error);
		if (!answer)
			return false;
	}
	if (*answer)
		return add_answer(points, probe, mark ? mark : query, answer, error);
	probes_set_unknown(probe, what, error);
	return false;
}

/* bpftrace's words for the same; of "usdt:" the rest is a mark. */
static const char *skip_foreign(const char *text)
{
	static const char *const words[] = { "uprobe:", "uretprobe:", "usdt:" };

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_has_prefix(text, words[i]))
			return text + strlen(words[i]);
	return text;
}

static unsigned count_signs(const char *text, char sign)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == sign;
	return n;
}

bool spt_probes_find(GPtrArray *points, const char *whole, GError **error)
{
	const char *text = skip_foreign(whole);
	const char *colon = strchr(text, ':');
	g_autofree char *name = colon ? g_strndup(text, (size_t)(colon - text)) : NULL;
	struct probe probe = { .text = text };
	unsigned n = 1;
	bool ok;

	for (const char *at = strchr(text, '('); at && *at; at++)
		n += *at == ',';
	if (n > SPT_POINT_ARGUMENTS) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe %s: a call is recorded with %u arguments at most; leave some of these out",
			      text, SPT_POINT_ARGUMENTS);
		return false;
	}
	if (count_signs(text, '(') != count_signs(text, ')')) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe %s: a bracket is missing", text);
		return false;
	}
	if (!colon || colon == text || !colon[1]) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--probe takes a file and a function, line or mark in it, as in ./program:parse or libc:malloc, not \"%s\"",
			      text);
		return false;
	}
	ok = probes_open_file(&probe, name, error) && find_places(points, &probe, colon + 1, error);
	probe_clear(&probe);
	return ok;
}
