/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian and Fedora put images and modules below /usr/lib/debug, who builds a kernel has the image in the build directory.  A build-id that the
 * recording has decides whether it is that kernel; without one, whether its functions lie as they were recorded.
 */
#include "symbols/kernel.h"

#include <string.h>

#include "symbols/elf-parts.h"

#define DEPTH_MAX 16
#define BUILD_ID_MAX_BYTES 64

struct part {
	SptKernelCode *code;		/* NULL: it is not here */
	const char *problem;
};

struct SptKernel {
	const SptCapture *capture;
	char **debug_dirs, *vmlinux;
	const char *release;		/* NULL: not known, or no name of a directory */
	GHashTable *parts[SPT_KERNEL_INSTRUCTIONS + 1];	/* module's name, "" for the image -> struct part */
};

static void free_part(gpointer data)
{
	struct part *part = data;

	spt_kernel_code_free(part->code);
	g_free(part);
}

SptKernel *spt_kernel_new(const SptCapture *capture, const char *const *debug_dirs, const char *vmlinux)
{
	SptKernel *kernel = g_new0(SptKernel, 1);

	kernel->capture = capture;
	kernel->debug_dirs = g_strdupv((char **)debug_dirs);
	kernel->vmlinux = g_strdup(vmlinux);
	kernel->release = spt_capture_host(capture, "kernel");
	if (kernel->release && (strchr(kernel->release, '/') || kernel->release[0] == '.'))
		kernel->release = NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(kernel->parts); i++)
		kernel->parts[i] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_part);
	return kernel;
}

void spt_kernel_free(SptKernel *kernel)
{
	if (!kernel)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(kernel->parts); i++)
		g_hash_table_unref(kernel->parts[i]);
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
		found = if_there(g_strdup_printf("%s/lib/modules/%s/vmlinux", *dirs, kernel->release));
		if (!found)
			found = if_there(g_strdup_printf("%s/boot/vmlinux-%s", *dirs, kernel->release));
	}
	return found ? found : if_there(g_strdup_printf("/lib/modules/%s/build/vmlinux", kernel->release));
}

/* Modules are called with '_', their files as somebody liked. */
static bool is_file_of(const char *file, const char *module)
{
	static const char *const ends[] = { ".ko", ".ko.debug", ".ko.xz", ".ko.zst", ".ko.gz", NULL };

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
		else if (depth < DEPTH_MAX && !strchr(name, '.') && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			found = find_below(path, module, depth + 1);
	}
	return found;
}

/* "build-id" or "build-id MODULE" of the recording's facts, in hexadecimal; how many bytes. */
static unsigned build_id_of(const SptKernel *kernel, const char *module, uint8_t ret[BUILD_ID_MAX_BYTES])
{
	g_autofree char *key = g_strdup_printf("build-id%s%s", *module ? " " : "", module);
	const char *text = spt_capture_host(kernel->capture, key);
	unsigned n = 0;

	for (; text && n < BUILD_ID_MAX_BYTES && g_ascii_isxdigit(text[0]) && g_ascii_isxdigit(text[1]); text += 2)
		ret[n++] = (uint8_t)(g_ascii_xdigit_value(text[0]) << 4 | g_ascii_xdigit_value(text[1]));
	return n;
}

static bool is_of(const SptCapture *capture, const SptNameRow *name, const char *module)
{
	SptObjectKind kind = capture->objects[name->object].kind;

	return (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES) && strcmp(name->module ? name->module : "", module) == 0;
}

/* Whether @opened has become the file at @path, which it takes. */
static bool open_file(const SptKernel *kernel, struct part *opened, SptKernelPart part, const char *module, char *path)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *taken = path;
	uint8_t build_id[BUILD_ID_MAX_BYTES];

	if (!path)
		return false;
	for (uint64_t i = 0; i < kernel->capture->n_names; i++) {
		if (is_of(kernel->capture, &kernel->capture->names[i], module))
			g_ptr_array_add(names, &kernel->capture->names[i]);
	}
	opened->code = spt_kernel_code_new(path, part, (const SptNameRow *const *)names->pdata, names->len, build_id,
					   build_id_of(kernel, module, build_id), &opened->problem);
	return opened->code;
}

/* What runs is where it is loaded from; what has debug information may lie elsewhere. */
static void open_module(const SptKernel *kernel, struct part *opened, SptKernelPart part, const char *module)
{
	const char *const *dirs = spt_debug_dirs((const char *const *)kernel->debug_dirs);
	g_autofree char *loaded = g_strdup_printf("/lib/modules/%s", kernel->release);
	bool is_open = part == SPT_KERNEL_INSTRUCTIONS && open_file(kernel, opened, part, module, find_below(loaded, module, 0));

	for (; *dirs && !is_open; dirs++) {
		g_autofree char *root = g_strdup_printf("%s/lib/modules/%s", *dirs, kernel->release);

		is_open = open_file(kernel, opened, part, module, find_below(root, module, 0));
	}
	/* Who builds his own leaves debug information in it. */
	if (!is_open && part == SPT_KERNEL_LINES)
		open_file(kernel, opened, part, module, find_below(loaded, module, 0));
}

static void open_part(const SptKernel *kernel, struct part *opened, SptKernelPart part, const char *module)
{
	opened->problem = part == SPT_KERNEL_LINES ? "was not found with debug information" : "was not found with its instructions";
	if (!*module)
		open_file(kernel, opened, part, module, find_image(kernel));
	else if (kernel->release)
		open_module(kernel, opened, part, module);
}

SptKernelCode *spt_kernel_get(SptKernel *kernel, const SptNameRow *name, SptKernelPart part, const char **ret_problem)
{
	const char *module = name->module ? name->module : "";
	struct part *opened = g_hash_table_lookup(kernel->parts[part], module);

	if (!opened) {
		opened = g_new0(struct part, 1);
		g_hash_table_insert(kernel->parts[part], g_strdup(module), opened);
		open_part(kernel, opened, part, module);
	}
	if (ret_problem)
		*ret_problem = opened->code ? NULL : opened->problem;
	return opened->code;
}
