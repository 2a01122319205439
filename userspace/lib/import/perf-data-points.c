/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a file of perf that is a copy of tracefs: a magic and a version, the formats of pages
 * and of common fields, then those of ftrace's own events and of each system's.  Lengths are before
 * what they are of; the file is not trusted.
 */
#include <string.h>

#include "import/perf-data-private.h"

#define MAGIC "\x17\x08\x44tracing"
/* Behind the version: the byte order, the size of a long, and that of a page. */
#define SIZES_BYTES  6u
#define FORMAT_BYTES (64u << 10)
#define POINTS_MAX   (1u << 14)
#define SYSTEMS_MAX  4096u

/* A text with its nul; NULL: it has none. */
static const char *points_take_text(struct spt_perf_section *copy)
{
	const uint8_t *end = copy->left ? memchr(copy->at, '\0', copy->left) : NULL;

	if (!end)
		return NULL;
	return (const char *)spt_perf_section_take(copy, (uint64_t)(end - copy->at) + 1);
}

static bool points_skip_file(struct spt_perf_section *copy, const char *name)
{
	const char *found = points_take_text(copy);

	return found && strcmp(found, name) == 0 &&
	       spt_perf_section_take(copy, spt_perf_section_number(copy, sizeof(uint64_t)));
}

static const char *points_name(const char *text)
{
	const char *name = g_str_has_prefix(text, "name: ") ? text + strlen("name: ") : NULL;

	return name && strcspn(name, "\n") ? name : NULL;
}

static void points_add(SptPerfData *data, const char *system, const char *text)
{
	struct spt_perf_data_point *point = g_new0(struct spt_perf_data_point, 1);
	const char *name = points_name(text);
	g_autofree char *whole = NULL;
	uint32_t id;

	if (!name || !spt_point_format_parse(text, &point->format, &id)) {
		g_free(point);
		return;
	}
	whole = g_strdup_printf("%s:%.*s", system, (int)strcspn(name, "\n"), name);
	point->name = g_utf8_make_valid(whole, -1);
	g_hash_table_replace(data->formats, GSIZE_TO_POINTER(id), point);
}

static void points_take_system(SptPerfData *data, struct spt_perf_section *copy, const char *system)
{
	uint64_t n = spt_perf_section_number(copy, sizeof(uint32_t));

	for (; n > 0 && copy->left; n--) {
		uint64_t bytes = spt_perf_section_number(copy, sizeof(uint64_t));
		const uint8_t *at = spt_perf_section_take(copy, bytes);
		g_autofree char *text = NULL;

		if (!at || bytes > FORMAT_BYTES || g_hash_table_size(data->formats) >= POINTS_MAX)
			return;
		text = g_strndup((const char *)at, bytes);
		points_add(data, system, text);
	}
}

void spt_perf_data_take_points(SptPerfData *data, struct spt_perf_section copy)
{
	const uint8_t *magic = spt_perf_section_take(&copy, strlen(MAGIC));
	uint64_t systems;

	if (!magic || memcmp(magic, MAGIC, strlen(MAGIC)) || !points_take_text(&copy) ||
	    !spt_perf_section_take(&copy, SIZES_BYTES) || !points_skip_file(&copy, "header_page") ||
	    !points_skip_file(&copy, "header_event"))
		return;
	points_take_system(data, &copy, "ftrace");
	systems = spt_perf_section_number(&copy, sizeof(uint32_t));
	for (uint64_t i = 0; i < MIN(systems, SYSTEMS_MAX); i++) {
		const char *system = points_take_text(&copy);

		if (!system)
			return;
		points_take_system(data, &copy, system);
	}
}

void spt_perf_data_free_point(gpointer point)
{
	g_free(((struct spt_perf_data_point *)point)->name);
	g_free(point);
}
