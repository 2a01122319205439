/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/malloc-arenas.h"

#include <string.h>

#include "base/words.h"
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

bool spt_malloc_arenas_find(GPtrArray *points, const char *file, GError **error)
{
	g_autofree char *text = g_strconcat(file, ":mark:" MARKS "*", NULL);
	g_autoptr(GError) failed = NULL;
	const unsigned first = points->len;

	if (!spt_probes_find(points, text, &failed)) {
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
