/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the frames of a capture: by the names the capture carries, else by the file the object was, if the file at its path
 * still is that file.  Each object's file is read once, when its first frame is asked for, and closed again.
 */
#include "symbols/symbols.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define DELETED " (deleted)"
/* No view shows more, and a hostile name could have megabytes. */
#define NAME_MAX_BYTES 4096

struct object {
	const char *label;		/* interned base name; NULL until first asked for */
	bool loaded;
	SptSymtab *symtab;
	GHashTable *demangled;		/* the symtab's name (by pointer) -> interned */
	char *problem;
};

struct SptSymbols {
	const SptCapture *capture;
	char **debug_dirs;
	GHashTable *strings;		/* text -> itself */
	GHashTable *names;		/* SptNameRow by object and offset */
	struct object *objects;		/* by id */
};

static guint hash_name(gconstpointer key)
{
	const SptNameRow *row = key;
	uint64_t x = (row->offset ^ (uint64_t)row->object << 40) * 0x9e3779b97f4a7c15u;

	return x >> 32;
}

static gboolean equal_name(gconstpointer a, gconstpointer b)
{
	const SptNameRow *x = a, *y = b;

	return x->object == y->object && x->offset == y->offset;
}

static void clear_object(struct object *object)
{
	spt_symtab_free(object->symtab);
	g_clear_pointer(&object->demangled, g_hash_table_unref);
	g_free(object->problem);
}

SptSymbols *spt_symbols_new(const SptCapture *capture, const char *const *debug_dirs)
{
	SptSymbols *symbols = g_new0(SptSymbols, 1);

	symbols->capture = capture;
	symbols->debug_dirs = g_strdupv((char **)debug_dirs);
	symbols->strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	symbols->names = g_hash_table_new(hash_name, equal_name);
	symbols->objects = g_new0(struct object, capture->n_objects);
	for (uint64_t i = 0; i < capture->n_names; i++)
		g_hash_table_replace(symbols->names, &capture->names[i], &capture->names[i]);
	return symbols;
}

void spt_symbols_free(SptSymbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->capture->n_objects; i++)
		clear_object(&symbols->objects[i]);
	g_free(symbols->objects);
	g_hash_table_unref(symbols->names);
	g_hash_table_unref(symbols->strings);
	g_strfreev(symbols->debug_dirs);
	g_free(symbols);
}

const char *spt_symbols_intern(SptSymbols *symbols, const char *text)
{
	const char *known = g_hash_table_lookup(symbols->strings, text);

	if (!known) {
		/* g_strndup() takes as much memory as it is allowed to. */
		char *copy = g_strndup(text, strnlen(text, NAME_MAX_BYTES));

		/* A name that was cut may be the same as another one. */
		known = g_hash_table_lookup(symbols->strings, copy);
		if (known) {
			g_free(copy);
		} else {
			g_hash_table_add(symbols->strings, copy);
			known = copy;
		}
	}
	return known;
}

static const char *intern_demangled(SptSymbols *symbols, const char *name)
{
	g_autofree char *plain = spt_demangle(name);

	return spt_symbols_intern(symbols, plain);
}

static const SptObjectRow *row_of(const SptSymbols *symbols, uint32_t id)
{
	return id != 0 && id < symbols->capture->n_objects && symbols->capture->objects[id].id == id ?
		&symbols->capture->objects[id] : NULL;
}

/* What a view calls the object. */
static const char *make_label(SptSymbols *symbols, const SptObjectRow *row)
{
	const char *path = row->path ? row->path : "";
	const char *slash = strrchr(path, '/');
	g_autofree char *base = NULL;

	switch (row->kind) {
	case SPT_OBJECT_KERNEL:
		return spt_symbols_intern(symbols, "[kernel]");
	case SPT_OBJECT_MODULES:
		return spt_symbols_intern(symbols, "[modules]");
	case SPT_OBJECT_ANON:
		return spt_symbols_intern(symbols, "[anon]");
	case SPT_OBJECT_VDSO:
		return spt_symbols_intern(symbols, "[vdso]");
	default:
		break;
	}
	base = g_strdup(slash ? slash + 1 : path);
	if (g_str_has_suffix(base, DELETED))
		base[strlen(base) - strlen(DELETED)] = '\0';
	return spt_symbols_intern(symbols, *base ? base : "[unknown]");
}

/* NULL, or why the open file @image is not the one that was recorded. */
static const char *identity_problem(const SptObjectRow *row, const SptObject *image)
{
	struct stat st;
	unsigned n;
	const uint8_t *id = spt_object_build_id(image, &n);

	/* The device cuts long build-ids, so the recorded one may be the first part. */
	if (row->build_id_bytes > 0) {
		if (n >= row->build_id_bytes && memcmp(id, row->build_id, row->build_id_bytes) == 0)
			return NULL;
		return "is not the file that was recorded (its build-id differs)";
	}
	if (row->mtime_ns == 0)
		return "cannot be told from others (neither a build-id nor a time was recorded)";
	if (fstat(spt_object_fd(image), &st) != 0)
		return "cannot be looked at";
	if ((uint64_t)st.st_size != row->bytes)
		return "is not the file that was recorded (its size differs)";
	if ((uint64_t)st.st_mtim.tv_sec * 1000000000u + st.st_mtim.tv_nsec != row->mtime_ns)
		return "is not the file that was recorded (it was changed since)";
	return NULL;
}

/* The symtab of the file, or NULL and why not. */
static SptSymtab *load_symtab(const SptSymbols *symbols, const SptObjectRow *row, char **ret_problem)
{
	g_autoptr(SptObject) image = NULL;
	g_autoptr(SptSymtab) symtab = NULL;
	g_autoptr(GError) error = NULL;
	const char *problem;

	if (!row->path || !g_path_is_absolute(row->path)) {
		*ret_problem = g_strdup("has no path");
		return NULL;
	}
	if (g_str_has_suffix(row->path, DELETED)) {
		*ret_problem = g_strdup("was deleted or replaced while it ran");
		return NULL;
	}
	image = spt_object_open(row->path, &error);
	if (!image) {
		*ret_problem = g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT) ?
			g_strdup("no such file") : g_strdup(error->message);
		return NULL;
	}
	problem = identity_problem(row, image);
	if (problem) {
		*ret_problem = g_strdup(problem);
		return NULL;
	}
	symtab = spt_symtab_new(image, (const char *const *)symbols->debug_dirs);
	if (spt_symtab_is_empty(symtab)) {
		*ret_problem = g_strdup("has no symbols");
		return NULL;
	}
	return g_steal_pointer(&symtab);
}

static struct object *load(SptSymbols *symbols, const SptObjectRow *row)
{
	struct object *object = &symbols->objects[row->id];

	if (!object->loaded && row->kind == SPT_OBJECT_FILE) {
		object->symtab = load_symtab(symbols, row, &object->problem);
		if (object->symtab)
			object->demangled = g_hash_table_new(NULL, NULL);
	}
	object->loaded = true;
	return object;
}

static const char *find_in_file(SptSymbols *symbols, const SptObjectRow *row, uint64_t offset)
{
	struct object *object = load(symbols, row);
	SptSymbol symbol;
	const char *name;

	if (!object->symtab || !spt_symtab_find(object->symtab, offset, &symbol))
		return NULL;
	name = g_hash_table_lookup(object->demangled, symbol.name);
	if (!name) {
		name = intern_demangled(symbols, symbol.name);
		g_hash_table_insert(object->demangled, (gpointer)symbol.name, (gpointer)name);
	}
	return name;
}

static const char *name_without_symbol(SptSymbols *symbols, const SptObjectRow *row, const char *label, uint64_t offset)
{
	g_autofree char *text = NULL;

	switch (row->kind) {
	case SPT_OBJECT_KERNEL:
	case SPT_OBJECT_MODULES:
		return spt_symbols_intern(symbols, "[unknown kernel]");
	case SPT_OBJECT_ANON:
		return spt_symbols_intern(symbols, "[anon]");
	case SPT_OBJECT_UNKNOWN:
		return spt_symbols_intern(symbols, "[unresolved]");
	default:
		text = g_strdup_printf("%s+0x%" PRIx64, label, offset);
		return spt_symbols_intern(symbols, text);
	}
}

SptName spt_symbols_name(SptSymbols *symbols, const SptFrame *frame)
{
	const SptObjectRow *row = row_of(symbols, frame->object);
	const SptNameRow key = { .object = frame->object, .offset = frame->offset };
	const SptNameRow *recorded = g_hash_table_lookup(symbols->names, &key);
	struct object *object;
	SptName name = { 0 };

	if (!row) {
		name.function = spt_symbols_intern(symbols, "[unresolved]");
		name.object = spt_symbols_intern(symbols, "[unknown]");
		return name;
	}
	object = &symbols->objects[row->id];
	if (!object->label)
		object->label = make_label(symbols, row);
	name.object = object->label;

	if (recorded && recorded->module && *recorded->module) {
		g_autofree char *label = g_strdup_printf("[%s]", recorded->module);

		name.object = spt_symbols_intern(symbols, label);
	}
	if (recorded && recorded->symbol && *recorded->symbol)
		name.function = intern_demangled(symbols, recorded->symbol);
	else if (!recorded)
		name.function = find_in_file(symbols, row, frame->offset);

	name.has_symbol = name.function != NULL;
	if (!name.function)
		name.function = name_without_symbol(symbols, row, name.object, frame->offset);
	return name;
}

const char *spt_symbols_problem(SptSymbols *symbols, uint32_t id)
{
	const SptObjectRow *row = row_of(symbols, id);

	return row ? load(symbols, row)->problem : NULL;
}
