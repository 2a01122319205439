/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/malloc-arenas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/words.h"
#include "object/needed.h"
#include "record/probes.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define MARKS  "libc:memory_"
#define ARENA  { "arena", SPT_VALUE_ID }
#define HEAP   { "heap", SPT_VALUE_ID }
#define BYTES  { "bytes", SPT_VALUE_BYTES }
#define NEW    { "new", SPT_VALUE_BYTES }
#define OLD    { "old", SPT_VALUE_BYTES }

/* Arguments, as the manual of glibc has them (Internal Probes). */
static const struct {
	const char *mark;
	struct {
		const char *name;
		SptValueType type;
	} arguments[3];
} arena_marks[] = {
	{ "heap_new", { HEAP, BYTES } },
	{ "heap_free", { HEAP, BYTES } },
	{ "heap_more", { HEAP, BYTES } },
	{ "heap_less", { HEAP, BYTES } },
	{ "sbrk_more", { { "address", SPT_VALUE_ID }, BYTES } },
	{ "sbrk_less", { { "address", SPT_VALUE_ID }, BYTES } },
	{ "arena_new", { ARENA, BYTES } },
	{ "arena_reuse", { ARENA, { "before", SPT_VALUE_ID } } },
	{ "arena_reuse_wait", { { "lock", SPT_VALUE_ID }, ARENA, { "before", SPT_VALUE_ID } } },
	{ "arena_reuse_free_list", { ARENA } },
	{ "arena_retry", { BYTES, ARENA } },
	{ "malloc_retry", { BYTES } },
	{ "calloc_retry", { BYTES } },
	{ "realloc_retry", { BYTES, { "address", SPT_VALUE_ID } } },
	{ "memalign_retry", { BYTES, { "alignment", SPT_VALUE_BYTES } } },
	{ "mallopt_free_dyn_thresholds",
	  { { "mmap_threshold", SPT_VALUE_BYTES }, { "trim_threshold", SPT_VALUE_BYTES } } },
	{ "mallopt_mmap_threshold", { NEW, OLD } },
	{ "mallopt_trim_threshold", { NEW, OLD } },
	{ "tunable_tcache_max_bytes", { NEW, OLD } },
	{ "tunable_tcache_count",
	  { { "new", SPT_VALUE_U64 }, { "old", SPT_VALUE_U64 } } },
};

/* "libc:memory_heap_new#2" is another place of the same mark. */
static bool is_of_mark(const char *name, const char *mark)
{
	size_t n = strlen(mark);

	return g_str_has_prefix(name, MARKS) && strncmp(name + strlen(MARKS), mark, n) == 0 &&
	       (!name[strlen(MARKS) + n] || name[strlen(MARKS) + n] == '#');
}

/* False: it is none of these. */
static bool name_arguments(SptPoint *point)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(arena_marks); i++) {
		if (!is_of_mark(point->name, arena_marks[i].mark))
			continue;
		for (unsigned k = 0; k < point->format.n_fields; k++) {
			SptDeclaredField *field = &point->format.fields[k].field;
			/* "arg1" is the first. */
			unsigned number = (unsigned)(field->name[strlen("arg")] - '1');

			if (number >= G_N_ELEMENTS(arena_marks[i].arguments) ||
			    !arena_marks[i].arguments[number].name)
				continue;
			field->name = arena_marks[i].arguments[number].name;
			field->type = arena_marks[i].arguments[number].type;
		}
		return true;
	}
	return false;
}

/* "libc.so.6", "libc-2.31.so". */
static bool is_glibc(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return strcmp(base, "libc.so.6") == 0 ||
	       (g_str_has_prefix(base, "libc-2.") && g_str_has_suffix(base, ".so"));
}

static char *file_of_command(const char *command)
{
	g_autofree char *path = g_find_program_in_path(command);
	g_autoptr(GPtrArray) files = path ? spt_needed_files(path) : NULL;

	for (unsigned i = 0; files && i < files->len; i++)
		if (is_glibc(files->pdata[i]))
			return g_strdup(files->pdata[i]);
	return g_strdup(files && files->len ? files->pdata[0] : "libc");
}

/* As the process sees its files: it may be in a container. */
static char *file_of_pid(uint32_t pid)
{
	g_autofree char *maps = g_strdup_printf("/proc/%u/maps", pid);
	FILE *file = fopen(maps, "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	while (file && !found && getline(&line, &room, file) > 0) {
		const char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (path && is_glibc(path))
			found = g_strdup_printf("/proc/%u/root%s", pid, path);
	}
	free(line);
	if (file)
		fclose(file);
	return found ? found : g_strdup_printf("/proc/%u/exe", pid);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

char *spt_malloc_arenas_file(const char *command, const uint32_t *pids, unsigned n, GError **error)
{
	g_autofree char *file = NULL;

	if (command && *command)
		return file_of_command(command);
	if (!n)
		return g_strdup("libc");
	file = file_of_pid(pids[0]);
	for (unsigned i = 1; i < n; i++) {
		g_autofree char *other = file_of_pid(pids[i]);

		if (is_same_file(file, other))
			continue;
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--malloc-arenas is of one C library at a time, and processes %u and %u have different ones; name it: --malloc-arenas=%s",
			      pids[0], pids[i], file);
		return NULL;
	}
	return g_steal_pointer(&file);
}

bool spt_malloc_arenas_find(GPtrArray *points, const char *file, GError **error)
{
	g_autofree char *text = g_strconcat(file, ":mark:" MARKS "*", NULL);
	g_autoptr(GError) failed = NULL;
	const unsigned first = points->len;

	if (!spt_probes_find(points, text, &failed) && strchr(file, '/') && !is_glibc(file)) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--malloc-arenas: %s uses no shared glibc, and has no marks of an allocator of its own, as static programs have that were linked with a libc.a with such marks (%s); --malloc-arenas=libc is of this machine's C library",
			      file, failed->message);
		return false;
	}
	if (failed) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--malloc-arenas needs a C library with marks of its allocator: glibc that was built with those for SystemTap, as Debian's since 14 and Fedora's (%s)",
			      failed->message);
		return false;
	}
	/* Each costs time at the end, while the kernel takes it away. */
	for (unsigned i = points->len; i-- > first;)
		if (!name_arguments(points->pdata[i]))
			g_ptr_array_remove_index(points, i);
	return true;
}
