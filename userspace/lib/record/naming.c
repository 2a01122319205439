/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that the stash has numbered are listed by object.  Kernel frames are named at the next
 * flush, by the source of the records, and so is code made at run time, as far as it is known by
 * then.  A file's frames are only named once its path no longer leads to it; until then readers of
 * the recording can name them.
 */
#include "record/naming.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "object/object.h"
#include "record/file-names.h"
#include "record/stacks.h"
#include "symbols/dwarf/symtab.h"
#include "symbols/identity.h"

#define NAMES_AT_ONCE 256
#define MOST_NAMES 65536

struct object {
	uint32_t id;
	SptObjectKind kind;
	char *path;
	/* Held open; NULL: could not be opened, or it is no ELF file */
	SptObject *file;
	bool is_gone;			/* path does not lead to it any more */
	GArray *offsets;		/* uint64_t: offsets of all frames */
	unsigned n_named;		/* those of them that are in the file */
};

/* Files are held for one part in this number of the time, and for two seconds' worth at once. */
#define HOLD_PART 10
#define HOLD_AHEAD_NS (HOLD_PART * 2000000000ull)

struct SptNaming {
	GHashTable *objects;		/* id -> struct object */
	SptJit *jit;
	SptScriptNames *scripts;
	SptFileNames *file_names;
	SptSymtab *vdso;		/* once a name of it was needed */
	uint32_t next_frame;
	GHashTable *identified; /* kernel modules whose build-id is noted; "": the kernel's */
	unsigned n_held, max_held;
	/* CLOCK_MONOTONIC: the time spent on names is paid for up to then */
	uint64_t files_paid_ns, regions_paid_ns;
	bool all;			/* also names of files that can be found */
	GHashTable *numbers;		/* name -> its place in names, from 1 */
	GPtrArray *names;		/* of SPT_STACKS_NAMED; borrowed from numbers */
};

static void naming_object_free(void *data)
{
	struct object *object = data;

	spt_object_free(object->file);
	g_array_unref(object->offsets);
	g_free(object->path);
	g_free(object);
}

/* The number of files that can be held, with some to spare for the rest of the program. */
static unsigned raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 256;
	limit.rlim_cur = MIN(limit.rlim_max, 65536);
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return MIN(limit.rlim_cur, 65536) * 3 / 4;
}

SptNaming *spt_naming_new(bool all)
{
	SptNaming *naming = g_new0(SptNaming, 1);

	naming->objects = g_hash_table_new_full(NULL, NULL, NULL, naming_object_free);
	naming->jit = spt_jit_new();
	naming->scripts = spt_script_names_new();
	naming->file_names = spt_file_names_new();
	naming->identified = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	naming->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	naming->names = g_ptr_array_new();
	naming->next_frame = 1;
	naming->all = all;
	naming->max_held = raise_file_limit();
	return naming;
}

void spt_naming_free(SptNaming *naming)
{
	if (!naming)
		return;
	spt_jit_free(naming->jit);
	spt_script_names_free(naming->scripts);
	spt_file_names_free(naming->file_names);
	spt_symtab_free(naming->vdso);
	g_hash_table_unref(naming->identified);
	g_ptr_array_unref(naming->names);
	g_hash_table_unref(naming->numbers);
	g_hash_table_unref(naming->objects);
	g_free(naming);
}

void spt_naming_forget(SptNaming *naming)
{
	GHashTableIter iter;
	void *value;

	naming->next_frame = 1;
	spt_jit_forget(naming->jit);
	spt_script_names_forget(naming->scripts);
	spt_file_names_forget(naming->file_names);
	g_hash_table_remove_all(naming->identified);
	g_hash_table_iter_init(&iter, naming->objects);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct object *object = value;

		g_array_unref(object->offsets);
		object->offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		object->n_named = 0;
	}
}

static struct object *get_object(SptNaming *naming, uint32_t id)
{
	struct object *object = g_hash_table_lookup(naming->objects, GUINT_TO_POINTER(id));

	if (!object) {
		object = g_new0(struct object, 1);
		object->id = id;
		object->offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		g_hash_table_insert(naming->objects, GUINT_TO_POINTER(id), object);
	}
	return object;
}

SptObject *spt_naming_open(const char *path, const SptObjectRow *row)
{
	g_autoptr(SptObject) file = spt_object_open(path, NULL);

	return file && !spt_identity_problem(row, file) ? g_steal_pointer(&file) : NULL;
}

/* Opens the very file, through the kernel that mapped it. */
static SptObject *open_mapped(SptTrace *trace, const SptObjectRow *row)
{
	int fd = spt_trace_map_fd(trace, row->id);

	return fd < 0 ? NULL : spt_object_open_fd(fd, row->path, NULL);
}

/*
 * Opens it by its path, or, for a file that is deleted or in a container, through a process that
 * has it.
 */
static SptObject *open_recorded(const SptObjectRow *row, uint32_t pid)
{
	g_autofree char *in_root = g_strdup_printf("/proc/%u/root%s", pid, row->path);
	g_autofree char *exe = g_strdup_printf("/proc/%u/exe", pid);
	SptObject *file = spt_naming_open(row->path, row);

	if (!file && pid)
		file = spt_naming_open(in_root, row);
	if (!file && pid)
		file = spt_naming_open(exe, row);
	return file;
}

/*
 * Whether there is time for one more: anybody can map any number of new files and regions, most of
 * them removed again.
 */
static bool may_spend(uint64_t *paid_ns, uint64_t *ret_begin)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC);

	*paid_ns = MAX(*paid_ns, now);
	*ret_begin = spt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return *paid_ns - now <= HOLD_AHEAD_NS;
}

static void naming_spend(uint64_t *paid_ns, uint64_t begin)
{
	*paid_ns += (spt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) * HOLD_PART;
}

static void hold_file(SptNaming *naming, SptTrace *trace, struct object *object,
		      const SptObjectRow *row, uint32_t pid)
{
	uint64_t begin;

	if (object->file || row->path[0] != '/' || naming->n_held >= naming->max_held ||
	    !may_spend(&naming->files_paid_ns, &begin))
		return;
	object->file = open_mapped(trace, row);
	if (!object->file)
		object->file = open_recorded(row, pid);
	naming->n_held += object->file != NULL;
	naming_spend(&naming->files_paid_ns, begin);
}

static void hold_region(SptNaming *naming, SptTrace *trace, uint32_t id, uint32_t pid)
{
	uint64_t begin;

	if (!may_spend(&naming->regions_paid_ns, &begin))
		return;
	spt_jit_region(naming->jit, trace, id, pid);
	naming_spend(&naming->regions_paid_ns, begin);
}

void spt_naming_hold(SptNaming *naming, SptTrace *trace, const SptObjectRow *row, uint32_t pid)
{
	struct object *object = get_object(naming, row->id);

	if (object->path)
		return;
	object->kind = row->kind;
	object->path = g_strdup(row->path);
	if (row->kind == SPT_OBJECT_ANON)
		hold_region(naming, trace, row->id, pid);
	if (row->kind != SPT_OBJECT_FILE)
		return;
	spt_jit_file(naming->jit, trace, row, pid);
	hold_file(naming, trace, object, row, pid);
}

void spt_naming_keep(SptNaming *naming)
{
	spt_jit_keep(naming->jit);
}

SptScriptNames *spt_naming_scripts(SptNaming *naming)
{
	return naming->scripts;
}

const SptJit *spt_naming_jit(const SptNaming *naming)
{
	return naming->jit;
}

/* The vdso of this process represents all: they are the same pages. */
static SptObject *open_vdso(void)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	g_autoptr(GBytes) bytes = NULL;
	const Elf64_Ehdr *header = (const void *)image;

	if (!image || memcmp(image, ELFMAG, SELFMAG) || image[EI_CLASS] != ELFCLASS64)
		return NULL;
	/* The section headers are the last part of the image. */
	bytes = g_bytes_new(image, header->e_shoff + (size_t)header->e_shnum * header->e_shentsize);
	return spt_object_open_bytes(bytes, "[vdso]", NULL);
}

const SptObject *spt_naming_file(SptNaming *naming, uint32_t id)
{
	struct object *object = get_object(naming, id);

	if (id == SYSPROF_OBJECT_VDSO && !object->file)
		object->file = open_vdso();
	return object->file;
}

const SptObject *spt_naming_file_early(SptNaming *naming, SptTrace *trace, uint32_t id)
{
	struct object *object = get_object(naming, id);
	int fd;

	if (!object->path && !object->file && id >= SYSPROF_OBJECT_FIRST &&
	    naming->n_held < naming->max_held) {
		fd = spt_trace_map_fd(trace, id);
		object->file = fd < 0 ? NULL : spt_object_open_fd(fd, "(not reported yet)", NULL);
		naming->n_held += object->file != NULL;
	}
	return spt_naming_file(naming, id);
}

const char *spt_naming_path(const SptNaming *naming, uint32_t id)
{
	const struct object *object = g_hash_table_lookup(naming->objects, GUINT_TO_POINTER(id));

	return object ? object->path : NULL;
}

uint64_t spt_naming_named(SptNaming *naming, const char *name)
{
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(naming->numbers, name));
	char *copy;

	if (number)
		return number;
	/* The last slot is for all others. */
	if (naming->names->len >= MOST_NAMES)
		return MOST_NAMES;
	if (naming->names->len == MOST_NAMES - 1)
		name = "[other]";
	copy = g_strdup(name);
	g_ptr_array_add(naming->names, copy);
	g_hash_table_insert(naming->numbers, copy, GUINT_TO_POINTER(naming->names->len));
	return naming->names->len;
}

static void name_named(const SptNaming *naming, struct object *object, SptSink *to)
{
	for (; object->n_named < object->offsets->len; object->n_named++) {
		uint64_t offset = g_array_index(object->offsets, uint64_t, object->n_named);
		SptNameRow row = { .object = object->id,
				   .offset = offset,
				   .symbol = naming->names->pdata[offset - 1],
				   .symbol_bytes = 1,
				   .module = "" };

		spt_sink_put(to, SPT_ROW_NAME, &row);
	}
}

/* The recorder's own name for a part of a stack. */
static void name_by_path(struct object *object, SptSink *to)
{
	SptNameRow row = { .object = object->id, .symbol = object->path, .module = "" };

	spt_sink_put(to, SPT_ROW_NAME, &row);
	object->n_named = object->offsets->len;
}

/*
 * Whether @object's path leads to another file by now.  For a file that could not be held that is
 * not known.
 */
static bool check_gone(struct object *object)
{
	struct stat held, found;

	if (object->is_gone || !object->file)
		return object->is_gone;
	object->is_gone = fstat(spt_object_fd(object->file), &held) == 0 &&
			  (stat(object->path, &found) < 0 || found.st_dev != held.st_dev ||
			   found.st_ino != held.st_ino);
	return object->is_gone;
}

/* The kernel's own object, and not a file that could be handed to anybody. */
static void name_from_vdso(SptNaming *naming, struct object *object, SptSink *to)
{
	if (!naming->vdso)
		naming->vdso = spt_symtab_new(object->file, NULL);
	for (; object->n_named < object->offsets->len; object->n_named++) {
		SptNameRow row = { .object = object->id, .symbol = "", .module = "" };
		SptSymbol symbol;

		row.offset = g_array_index(object->offsets, uint64_t, object->n_named);
		if (!spt_symtab_find(naming->vdso, row.offset, &symbol))
			continue;
		row.symbol = symbol.name;
		row.distance = symbol.distance;
		row.symbol_bytes = symbol.bytes;
		spt_sink_put(to, SPT_ROW_NAME, &row);
	}
}

/* For readers that look for the debug information of the code that ran; everybody may read it. */
static void note_build_id(const char *module, SptSink *to)
{
	g_autofree char *path =
		*module ? g_strdup_printf("/sys/module/%s/notes/.note.gnu.build-id", module) :
			  g_strdup("/sys/kernel/notes");
	g_autofree char *key = g_strdup_printf("build-id%s%s", *module ? " " : "", module);
	g_autofree char *notes = NULL;
	g_autoptr(GString) text = g_string_new(NULL);
	uint8_t id[SPT_BUILD_ID_MAX];
	size_t bytes = 0;
	unsigned n;

	if (strchr(module, '/') || !g_file_get_contents(path, &notes, &bytes, NULL))
		return;
	n = spt_notes_build_id(notes, bytes, id);
	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(text, "%02x", id[i]);
	if (n > 0)
		spt_sink_fact(to, key, text->str);
}

/* The next @n of the object's frames. */
static bool name_some(SptNaming *naming, struct object *object, unsigned n, SptTrace *trace,
		      SptSink *to, GError **error)
{
	g_autofree struct sysprof_name *names = g_new(struct sysprof_name, n);

	/* Texts are not cleared beyond their ends, which takes as long as all else. */
	for (unsigned i = 0; i < n; i++) {
		names[i].frame = (uint64_t)object->id << SYSPROF_FRAME_OBJECT_SHIFT |
				 g_array_index(object->offsets, uint64_t, object->n_named + i);
		names[i].offset = names[i].symbol_bytes = 0;
		*names[i].module = *names[i].symbol = '\0';
	}
	if (!spt_trace_names(trace, names, n, error))
		return false;
	for (unsigned i = 0; i < n; i++) {
		SptNameRow row = {
			.object = object->id,
			.offset = names[i].frame & SYSPROF_FRAME_OFFSET_MASK,
			.symbol = names[i].symbol,
			.distance = names[i].offset,
			.symbol_bytes = names[i].symbol_bytes,
			.module = names[i].module,
		};

		spt_sink_put(to, SPT_ROW_NAME, &row);
		if (*row.symbol && !g_hash_table_contains(naming->identified, row.module)) {
			g_hash_table_add(naming->identified, g_strdup(row.module));
			note_build_id(row.module, to);
		}
	}
	object->n_named += n;
	return true;
}

static bool name_from_source(SptNaming *naming, struct object *object, SptTrace *trace, SptSink *to,
			     GError **error)
{
	while (object->n_named < object->offsets->len)
		if (!name_some(naming, object,
			       MIN(object->offsets->len - object->n_named, NAMES_AT_ONCE), trace,
			       to, error))
			return false;
	return true;
}

static void want_from_jit(SptNaming *naming, struct object *object)
{
	for (; object->n_named < object->offsets->len; object->n_named++)
		spt_jit_want(naming->jit, object->id,
			     g_array_index(object->offsets, uint64_t, object->n_named));
}

static void name_script(SptNaming *naming, struct object *object, SptSink *to)
{
	for (; object->n_named < object->offsets->len; object->n_named++)
		spt_script_names_put(naming->scripts, object->id,
				     g_array_index(object->offsets, uint64_t, object->n_named), to);
}

static void want_from_file(SptNaming *naming, struct object *object)
{
	for (; object->n_named < object->offsets->len; object->n_named++)
		spt_file_names_want(naming->file_names, object->id, object->file,
				    g_array_index(object->offsets, uint64_t, object->n_named));
}

/*
 * An address that is both called from and interrupted is listed twice: that costs less than a table
 * of all of them.
 */
static void collect_new_frames(SptNaming *naming, SptStash *stash)
{
	struct object *object = NULL;

	for (uint32_t n = spt_stash_number_frames(stash); naming->next_frame < n;
	     naming->next_frame++) {
		const SptFrame *frame = spt_stash_frame(stash, naming->next_frame);

		if (!object || object->id != frame->object)
			object = get_object(naming, frame->object);
		g_array_append_val(object->offsets, frame->offset);
	}
}

bool spt_naming_knows_objects(SptNaming *naming, SptStash *stash)
{
	GHashTableIter iter;
	void *value;

	collect_new_frames(naming, stash);
	g_hash_table_iter_init(&iter, naming->objects);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct object *object = value;

		if (object->id && object->offsets->len && !object->path)
			return false;
	}
	return true;
}

bool spt_naming_flush(SptNaming *naming, SptTrace *trace, SptStash *stash, SptSink *to, bool last,
		      GError **error)
{
	GHashTableIter iter;
	void *value;

	collect_new_frames(naming, stash);
	g_hash_table_iter_init(&iter, naming->objects);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct object *object = value;

		if (object->offsets->len == object->n_named)
			continue;
		if (object->id == SYSPROF_OBJECT_KERNEL || object->id == SYSPROF_OBJECT_MODULES) {
			if (!name_from_source(naming, object, trace, to, error))
				return false;
			continue;
		}
		if (object->id == SPT_STACKS_CUT || object->id == SPT_STACKS_INCOMPLETE ||
		    object->id == SPT_STACKS_SCRIPT) {
			name_by_path(object, to);
			continue;
		}
		if (object->id == SPT_STACKS_NAMED) {
			name_named(naming, object, to);
			continue;
		}
		if (object->kind == SPT_OBJECT_ANON) {
			want_from_jit(naming, object);
			continue;
		}
		if (object->kind == SPT_OBJECT_SOURCE) {
			name_script(naming, object, to);
			continue;
		}
		if (object->id == SYSPROF_OBJECT_VDSO) {
			if (spt_naming_file(naming, object->id))
				name_from_vdso(naming, object, to);
			continue;
		}
		if (check_gone(object) || (naming->all && object->file))
			want_from_file(naming, object);
	}
	spt_jit_flush(naming->jit, last, to);
	spt_file_names_flush(naming->file_names, to, last);
	return true;
}
