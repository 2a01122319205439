/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a capture in memory are overwritten; everything else is removed from the written file. */
#include "rewrite/anonymize.h"

#include <string.h>
#include <unistd.h>

#include "capture/format.h"

/* Characters that end a path in a text. */
#define BOUNDS "\\s=:,;\"'()"
#define DIRECTORIES "[^" BOUNDS "]*/"
/* Only in absolute paths: names have other slashes. */
#define ROOTED_DIRECTORIES "(?<![^" BOUNDS "])/(?:[^" BOUNDS "]*/)?"

/* Names that have got numbers. */
struct numbers {
	const char *prefix;
	GHashTable *names;
};

struct sharing {
	SptCapture *capture;
	struct numbers processes, threads, objects, functions, files;
};

static const char *share_keep(SptCapture *capture, char *text)
{
	g_ptr_array_add(capture->texts, text);
	return text;
}

static const char *share_base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *without(SptCapture *capture, const GRegex *directories, const char *text)
{
	return text && strchr(text, '/') ?
		       share_keep(capture,
				  g_regex_replace_literal(directories, text, -1, 0, "", 0, NULL)) :
		       text;
}

static bool share_is_kernel(const SptObjectRow *row)
{
	return row->kind == SPT_OBJECT_KERNEL || row->kind == SPT_OBJECT_MODULES;
}

static void strip_facts(SptCapture *capture, const GRegex *directories)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, capture->host);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_hash_table_iter_replace(&iter, (gpointer)without(capture, directories, value));
}

void spt_drop_files(SptCapture *capture)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < capture->n_places; i++)
		if (capture->places[i].type != SPT_BLOCK_FILE)
			capture->places[kept++] = capture->places[i];
	if (kept == 0 && capture->n_places > 0) {
		close(capture->fd);
		capture->fd = -1;
	}
	capture->n_places = kept;
}

void spt_strip_paths(SptCapture *capture)
{
	g_autoptr(GRegex) directories =
		g_regex_new(DIRECTORIES, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
	g_autoptr(GRegex) rooted =
		g_regex_new(ROOTED_DIRECTORIES, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);

	spt_drop_files(capture);
	strip_facts(capture, directories);
	for (uint32_t i = 1; i < capture->n_objects; i++)
		capture->objects[i].path = share_base_of(capture->objects[i].path);
	for (uint64_t i = 0; i < capture->n_command_lines; i++)
		capture->command_lines[i].text =
			without(capture, directories, capture->command_lines[i].text);
	for (uint64_t i = 0; i < capture->n_names; i++)
		if (!share_is_kernel(&capture->objects[capture->names[i].object]))
			capture->names[i].symbol =
				without(capture, rooted, capture->names[i].symbol);
	for (uint64_t i = 0; i < capture->n_bundled; i++) {
		capture->bundled[i].directory = "";
		capture->bundled[i].file = share_base_of(capture->bundled[i].file);
	}
}

static bool is_harmless(const char *key)
{
	static const char *const whole[] = { "kernel",	   "arch",	  "cpus",
					     "clock",	   "period_ns",	  "periods_ns",
					     "grid_start", "start_time",  "start_realtime_ns",
					     "source",	   "recorder",	  "cost_ns",
					     "ticks",	   "exit_status", "stacks",
					     "build-id",   "ran_ns",	  "wall_ns",	"command_pid",
					     "pid",	   "sides",	  "whose",
					     "ready_ns",   "times",	  "command_ids",
					     "recorder_pid", NULL };
	static const char *const beginnings[] = { "build-id ", "pause@", "suspend@", "resume@",
						  "clock set@" };

	for (unsigned i = 0; i < G_N_ELEMENTS(beginnings); i++)
		if (g_str_has_prefix(key, beginnings[i]))
			return true;
	return g_strv_contains(whole, key);
}

static gboolean is_telling(gpointer key, G_GNUC_UNUSED gpointer value, G_GNUC_UNUSED gpointer data)
{
	return !is_harmless(key);
}

static bool is_system_library(const SptObjectRow *row)
{
	static const char *const places[] = { "/usr/lib/",    "/usr/lib32/", "/usr/lib64/",
					      "/usr/libx32/", "/lib/",	     "/lib32/",
					      "/lib64/",      "/libx32/" };
	const char *end = strstr(share_base_of(row->path), ".so");

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		if (g_str_has_prefix(row->path, places[i]) && end &&
		    (!end[3] || end[3] == '.' || end[3] == ' '))
			return true;
	return false;
}

static const char *share_number(SptCapture *capture, struct numbers *numbers, const char *name)
{
	const char *known = name && *name ? g_hash_table_lookup(numbers->names, name) : name;

	if (known || !name)
		return known;
	known = share_keep(capture, g_strdup_printf("%s-%u", numbers->prefix,
						    g_hash_table_size(numbers->names) + 1));
	g_hash_table_insert(numbers->names, (gpointer)name, (gpointer)known);
	return known;
}

static bool is_of_kernel(const SptProcessRow *process)
{
	return process->flags & SPT_PROCESS_KTHREAD || process->pid == 0;
}

static void number_tasks(struct sharing *sharing)
{
	SptCapture *capture = sharing->capture;

	capture->n_command_lines = 0;
	capture->n_maps = 0;
	for (uint32_t i = 1; i < capture->n_threads; i++) {
		SptThreadRow *thread = &capture->threads[i];
		const SptProcessRow *process = &capture->processes[thread->process];
		bool is_named_alike = g_strcmp0(thread->name, process->name) == 0;

		thread->former = "";
		if (thread->process == 0 || !is_of_kernel(process))
			thread->name = share_number(capture,
						    is_named_alike ? &sharing->processes :
								     &sharing->threads,
						    thread->name);
	}
	for (uint32_t i = 1; i < capture->n_processes; i++) {
		SptProcessRow *process = &capture->processes[i];

		if (!is_of_kernel(process))
			process->name = share_number(capture, &sharing->processes, process->name);
	}
}

/* True: code in the object keeps its names. */
static bool number_object(struct sharing *sharing, SptObjectRow *row)
{
	SptObjectRow bare = { .id = row->id, .kind = row->kind, .path = "" };

	if (share_is_kernel(row) || row->kind == SPT_OBJECT_VDSO)
		return true;
	if (row->kind == SPT_OBJECT_FILE && is_system_library(row)) {
		row->dev_major = row->dev_minor = row->generation = 0;
		row->inode = 0;
		return true;
	}
	if (row->kind == SPT_OBJECT_FILE)
		bare.path = share_number(sharing->capture, &sharing->objects, row->path);
	/* The recorder's own name for a part of a stack. */
	if (row->kind == SPT_OBJECT_UNKNOWN && g_str_has_prefix(row->path, "[stack "))
		return true;
	/* Its names can be those of files. */
	if (row->kind == SPT_OBJECT_UNKNOWN && strcmp(row->path, SPT_EVENT_OBJECT) == 0)
		bare.path = SPT_EVENT_OBJECT;
	*row = bare;
	return false;
}

static void share_number_functions(struct sharing *sharing, const bool *is_known)
{
	SptCapture *capture = sharing->capture;

	for (uint64_t i = 0; i < capture->n_names; i++) {
		SptNameRow *name = &capture->names[i];

		if (!is_known[name->object])
			name->symbol = share_number(capture, &sharing->functions, name->symbol);
		if (!share_is_kernel(&capture->objects[name->object]))
			name->module = "";
	}
	for (uint64_t i = 0; i < capture->n_bundled; i++) {
		SptBundledRow *row = &capture->bundled[i];

		if (is_known[row->object])
			continue;
		row->function = share_number(capture, &sharing->functions, row->function);
		row->file = share_number(capture, &sharing->files, row->file);
	}
}

static void drop_streams(SptCapture *capture)
{
	if (capture->n_places > 0 && capture->fd >= 0)
		close(capture->fd);
	capture->fd = -1;
	capture->n_places = 0;
	capture->n_streams = 0;
	capture->n_columns = 0;
}

static struct numbers numbers_new(const char *prefix)
{
	return (struct numbers){ prefix, g_hash_table_new(g_str_hash, g_str_equal) };
}

void spt_anonymize(SptCapture *capture)
{
	struct sharing sharing = {
		.capture = capture,
		.processes = numbers_new("process"),
		.threads = numbers_new("thread"),
		.objects = numbers_new("object"),
		.functions = numbers_new("function"),
		.files = numbers_new("file"),
	};
	g_autofree bool *is_known = g_new0(bool, MAX(capture->n_objects, 1));

	g_hash_table_foreach_remove(capture->host, is_telling, NULL);
	number_tasks(&sharing);
	for (uint32_t i = 1; i < capture->n_objects; i++)
		is_known[i] =
			capture->objects[i].id && number_object(&sharing, &capture->objects[i]);
	share_number_functions(&sharing, is_known);
	drop_streams(capture);
	spt_strip_paths(capture);
	g_hash_table_unref(sharing.processes.names);
	g_hash_table_unref(sharing.threads.names);
	g_hash_table_unref(sharing.objects.names);
	g_hash_table_unref(sharing.functions.names);
	g_hash_table_unref(sharing.files.names);
}
