/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian and Fedora put images and modules below /usr/lib/debug; a kernel that was built here has
 * its image in the build directory.  A build-id in the recording decides whether it is that kernel;
 * without one, the addresses of its functions decide.
 */
#include "symbols/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/kernel-answer.h"
#include "symbols/helpers.h"

#define DEPTH_MAX 16
#define BUILD_ID_MAX_BYTES 64
#define PATIENCE_MS 120000

/* The data of one file. */
struct part {
	int fd; /* descriptor of the file with debug information; -1: none */
	char *path;
	/* SptPlaceTable: data that was read, the first request's last */
	GPtrArray *tables;
	SptKernelCode *code;		/* instructions; NULL: they are not available */
	const char *problem;
};

struct SptKernel {
	const SptCapture *capture;
	char **debug_dirs, *vmlinux;
	const char *release;		/* NULL: not known, or not valid as a directory's name */
	SptKernelLister list;
	void *list_data;
	SptHelpers *helpers;
	GHashTable *parts[SPT_KERNEL_INSTRUCTIONS +
			  1]; /* module's name, "" for the image -> struct part */
};

static void free_part(gpointer data)
{
	struct part *part = data;

	if (part->fd >= 0)
		close(part->fd);
	g_clear_pointer(&part->tables, g_ptr_array_unref);
	spt_kernel_code_free(part->code);
	g_free(part->path);
	g_free(part);
}

SptKernel *spt_kernel_new(const SptCapture *capture, const char *const *debug_dirs,
			  const char *vmlinux, SptKernelLister list, void *data)
{
	SptKernel *kernel = g_new0(SptKernel, 1);

	kernel->capture = capture;
	kernel->debug_dirs = g_strdupv((char **)debug_dirs);
	kernel->vmlinux = g_strdup(vmlinux);
	kernel->list = list;
	kernel->list_data = data;
	kernel->helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, debug_dirs);
	kernel->release = spt_capture_host(capture, "kernel");
	if (kernel->release && (strchr(kernel->release, '/') || kernel->release[0] == '.'))
		kernel->release = NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(kernel->parts); i++)
		kernel->parts[i] =
			g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_part);
	return kernel;
}

void spt_kernel_free(SptKernel *kernel)
{
	if (!kernel)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(kernel->parts); i++)
		g_hash_table_unref(kernel->parts[i]);
	spt_helpers_free(kernel->helpers);
	g_strfreev(kernel->debug_dirs);
	g_free(kernel->vmlinux);
	g_free(kernel);
}

static char *if_there(char *path)
{
	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return path;
	g_free(path);
	return NULL;
}

static char *find_image(const SptKernel *kernel)
{
	const char *const *dirs = spt_debug_dirs((const char *const *)kernel->debug_dirs);
	char *found = NULL;

	if (kernel->vmlinux || !kernel->release)
		return g_strdup(kernel->vmlinux);
	for (; *dirs && !found; dirs++) {
		found = if_there(
			g_strdup_printf("%s/lib/modules/%s/vmlinux", *dirs, kernel->release));
		if (!found)
			found = if_there(
				g_strdup_printf("%s/boot/vmlinux-%s", *dirs, kernel->release));
	}
	return found ? found :
		       if_there(g_strdup_printf("/lib/modules/%s/build/vmlinux", kernel->release));
}

/* Names of modules have '_'; those of their files have '_' or '-'. */
static bool is_file_of(const char *file, const char *module)
{
	static const char *const ends[] = {
		".ko", ".ko.debug", ".ko.xz", ".ko.zst", ".ko.gz", NULL
	};

	for (; *module; file++, module++) {
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	}
	return g_strv_contains(ends, file);
}

static char *find_below(const char *dir, const char *module, unsigned depth)
{
	g_autoptr(GDir) entries = g_dir_open(dir, 0, NULL);
	const char *name;
	char *found = NULL;

	while (entries && !found && (name = g_dir_read_name(entries))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);

		if (is_file_of(name, module))
			found = g_steal_pointer(&path);
		else if (depth < DEPTH_MAX && !strchr(name, '.') &&
			 !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			found = find_below(path, module, depth + 1);
	}
	return found;
}

/*
 * "build-id" or "build-id MODULE" of the recording's facts, in hexadecimal; returns the number of
 * bytes.
 */
static unsigned build_id_of(const SptKernel *kernel, const char *module,
			    uint8_t ret[BUILD_ID_MAX_BYTES])
{
	g_autofree char *key = g_strdup_printf("build-id%s%s", *module ? " " : "", module);
	const char *text = spt_capture_host(kernel->capture, key);
	unsigned n = 0;

	for (; text && n < BUILD_ID_MAX_BYTES && g_ascii_isxdigit(text[0]) &&
	       g_ascii_isxdigit(text[1]);
	     text += 2)
		ret[n++] = (uint8_t)(g_ascii_xdigit_value(text[0]) << 4 |
				     g_ascii_xdigit_value(text[1]));
	return n;
}

static bool kernel_is_of(const SptCapture *capture, const SptNameRow *name, const char *module)
{
	SptObjectKind kind = capture->objects[name->object].kind;

	return (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES) &&
	       strcmp(name->module ? name->module : "", module) == 0;
}

/* Names of the recording in @module. */
static GPtrArray *names_of(const SptKernel *kernel, const char *module)
{
	GPtrArray *names = g_ptr_array_new();

	for (uint64_t i = 0; i < kernel->capture->n_names; i++) {
		if (kernel_is_of(kernel->capture, &kernel->capture->names[i], module))
			g_ptr_array_add(names, &kernel->capture->names[i]);
	}
	return names;
}

/* Does not block on a FIFO or a terminal at the path. */
static int open_regular(const char *path, const char **ret_problem)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	*ret_problem = fd >= 0 ? SPT_WORDS("is not a regular file") :
		       errno == ENOENT ? SPT_WORDS("is not there") : SPT_WORDS("cannot be opened");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Whether @part, which belongs to @module, knows these offsets. */
static bool kernel_ask(SptKernel *kernel, struct part *part, const char *module,
		       const uint64_t *offsets, uint32_t n)
{
	g_autoptr(GPtrArray) names = names_of(kernel, module);
	uint8_t build_id[BUILD_ID_MAX_BYTES];
	unsigned build_id_bytes = build_id_of(kernel, module, build_id);
	g_autoptr(GByteArray) packed =
		spt_kernel_pack_names((const SptNameRow *const *)names->pdata, names->len, build_id,
				      build_id_bytes);
	SptPlaceTable *table;
	uint32_t tag;

	spt_helpers_begin(kernel->helpers, 0,
			  &(SptReadRequest){ .fd = part->fd,
					     .path = part->path,
					     .offsets = offsets,
					     .n = n,
					     .depth = SPT_READ_LINES,
					     .names = packed });
	table = spt_helpers_wait(kernel->helpers, &tag);
	g_ptr_array_add(part->tables, table);
	part->problem = spt_place_table_problem(table);
	return !part->problem;
}

/* Whether @opened is now the file at @path, which it takes over. */
static bool kernel_open_file(SptKernel *kernel, struct part *opened, SptKernelPart part,
			     const char *module, char *path)
{
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(GArray) offsets = NULL;
	uint8_t build_id[BUILD_ID_MAX_BYTES];
	int fd = path ? open_regular(path, &opened->problem) : -1;

	g_free(opened->path);
	opened->path = path;
	if (fd < 0)
		return false;
	if (part == SPT_KERNEL_INSTRUCTIONS) {
		names = names_of(kernel, module);
		opened->code = spt_kernel_code_new(
			fd, path, part, (const SptNameRow *const *)names->pdata, names->len,
			build_id, build_id_of(kernel, module, build_id), &opened->problem);
		return opened->code;
	}
	offsets = kernel->list(module, kernel->list_data);
	opened->fd = fd;
	if (kernel_ask(kernel, opened, module, (const uint64_t *)offsets->data, offsets->len))
		return true;
	close(fd);
	opened->fd = -1;
	return false;
}

/*
 * The code that runs is in the file it is loaded from; the file with debug information may be
 * elsewhere.
 */
static void open_module(SptKernel *kernel, struct part *opened, SptKernelPart part,
			const char *module)
{
	const char *const *dirs = spt_debug_dirs((const char *const *)kernel->debug_dirs);
	g_autofree char *loaded = g_strdup_printf("/lib/modules/%s", kernel->release);
	bool is_open =
		part == SPT_KERNEL_INSTRUCTIONS &&
		kernel_open_file(kernel, opened, part, module, find_below(loaded, module, 0));

	for (; *dirs && !is_open; dirs++) {
		g_autofree char *root =
			g_strdup_printf("%s/lib/modules/%s", *dirs, kernel->release);

		is_open =
			kernel_open_file(kernel, opened, part, module, find_below(root, module, 0));
	}
	/* Users who build a kernel leave debug information in it. */
	if (!is_open && part == SPT_KERNEL_LINES)
		kernel_open_file(kernel, opened, part, module, find_below(loaded, module, 0));
}

static void kernel_open_part(SptKernel *kernel, struct part *opened, SptKernelPart part,
			     const char *module)
{
	opened->problem = part == SPT_KERNEL_LINES ?
				  SPT_WORDS("was not found with debug information") :
				  SPT_WORDS("was not found with its instructions");
	if (!*module)
		kernel_open_file(kernel, opened, part, module, find_image(kernel));
	else if (kernel->release)
		open_module(kernel, opened, part, module);
}

static const char *module_of(const SptNameRow *name)
{
	return name->module ? name->module : "";
}

static struct part *get_part(SptKernel *kernel, const SptNameRow *name, SptKernelPart part)
{
	struct part *opened = g_hash_table_lookup(kernel->parts[part], module_of(name));

	if (!opened) {
		opened = g_new0(struct part, 1);
		opened->fd = -1;
		opened->tables =
			g_ptr_array_new_with_free_func((GDestroyNotify)spt_place_table_free);
		g_hash_table_insert(kernel->parts[part], g_strdup(module_of(name)), opened);
		kernel_open_part(kernel, opened, part, module_of(name));
	}
	return opened;
}

static const SptPlaceTable *kernel_find_table(const struct part *part, uint64_t offset,
					      uint32_t *ret_row)
{
	for (unsigned i = part->tables->len; i-- > 0;) {
		*ret_row = spt_place_table_find(part->tables->pdata[i], offset);
		if (*ret_row != UINT32_MAX)
			return part->tables->pdata[i];
	}
	return NULL;
}

unsigned spt_kernel_places(SptKernel *kernel, const SptNameRow *name, uint64_t offset,
			   SptPlace ret[SPT_INLINES_MAX], const char **ret_problem)
{
	struct part *part = get_part(kernel, name, SPT_KERNEL_LINES);
	const SptPlaceTable *table =
		part->fd >= 0 ? kernel_find_table(part, offset, &(uint32_t){ 0 }) : NULL;
	uint32_t row;

	if (!table && part->fd >= 0 && !part->problem)
		kernel_ask(kernel, part, module_of(name), &offset, 1);
	*ret_problem = part->problem;
	table = part->fd >= 0 ? kernel_find_table(part, offset, &row) : NULL;
	return table ? spt_place_table_places(table, row, ret) : 0;
}

void spt_kernel_prepare(SptKernel *kernel, const SptNameRow *name, const uint64_t *offsets,
			uint32_t n)
{
	struct part *part = get_part(kernel, name, SPT_KERNEL_LINES);

	if (part->fd >= 0 && !part->problem)
		kernel_ask(kernel, part, module_of(name), offsets, n);
}

const char *spt_kernel_failure(const SptKernel *kernel, bool modules)
{
	GHashTableIter iter;
	gpointer module, part;

	g_hash_table_iter_init(&iter, kernel->parts[SPT_KERNEL_LINES]);
	while (g_hash_table_iter_next(&iter, &module, &part)) {
		const char *problem = ((struct part *)part)->problem;

		if (problem && (*(char *)module != '\0') == modules &&
		    g_str_has_prefix(problem, SPT_HELPER_FAILED))
			return problem;
	}
	return NULL;
}

SptKernelCode *spt_kernel_get(SptKernel *kernel, const SptNameRow *name, const char **ret_problem)
{
	struct part *opened = get_part(kernel, name, SPT_KERNEL_INSTRUCTIONS);

	*ret_problem = opened->code ? NULL : opened->problem;
	return opened->code;
}
