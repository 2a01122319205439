/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each file is read once for all addresses that the capture has in it.  While one is waited for,
 * idle helpers read the next ones.
 */
#include "symbols/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "object/regular.h"
#include "stash/frames.h"
#include "symbols/identity.h"
#include "symbols/helpers.h"

#define DELETED " (deleted)"
#define PATIENCE_MS 120000
#define HELPERS_MAX 16
/* A file is worth a download if one part in this number of the weight ends in it. */
#define HEAVY_PART 100

struct file {
	uint32_t first, n;		/* its offsets among all */
	/* SptPlaceTable, the last one first asked; the first one's problem is the file's */
	GPtrArray *tables;
	bool is_read, is_being_read;
	SptReadDepth depth;
};

struct SptFiles {
	const SptCapture *capture;
	SptHelpers *helpers;
	uint64_t *offsets; /* offsets of all nodes, by object, each once and ascending */
	struct file *files;		/* by object */
	uint32_t n_files;		/* number of objects at the beginning */
	/* NULL: no downloads */
	bool (*progress)(const char *path, uint64_t done_bytes, uint64_t total_bytes, void *data);
	void *progress_data;
	bool *is_heavy;			/* by object: worth a download */
	SptObjectOpener opener;		/* NULL: all are opened by their paths */
	void *opener_data;
	uint32_t next;			/* object that is read in advance */
};

static void list_offsets(SptFiles *files)
{
	const SptCapture *capture = files->capture;
	g_autofree struct spt_item *items = NULL;
	uint32_t n_items, n = 0;

	items = spt_sort_frames(capture->nodes, capture->n_nodes, capture->n_frames, NULL,
				&n_items);
	files->offsets = g_new(uint64_t, MAX(n_items, 1));
	for (uint32_t i = 0; i < n_items; i++) {
		const SptFrame *frame = &capture->nodes[items[i].index].frame;
		struct file *file = &files->files[frame->object];

		if (file->n > 0 && files->offsets[n - 1] == frame->offset)
			continue;
		if (file->n++ == 0)
			file->first = n;
		files->offsets[n++] = frame->offset;
	}
}

static void free_table(void *table)
{
	spt_place_table_free(table);
}

SptFiles *spt_files_new(const SptCapture *capture, const char *const *debug_dirs)
{
	SptFiles *files = g_new0(SptFiles, 1);

	files->capture = capture;
	files->n_files = capture->n_objects;
	files->files = g_new0(struct file, MAX(files->n_files, 1));
	files->helpers = spt_helpers_new(NULL, MIN(g_get_num_processors(), HELPERS_MAX),
					 PATIENCE_MS, debug_dirs);
	return files;
}

void spt_files_free(SptFiles *files)
{
	if (!files)
		return;
	for (uint32_t i = 0; i < files->n_files; i++)
		g_clear_pointer(&files->files[i].tables, g_ptr_array_unref);
	spt_helpers_free(files->helpers);
	g_free(files->offsets);
	g_free(files->is_heavy);
	g_free(files->files);
	g_free(files);
}

static bool tell_progress(uint32_t object, uint64_t done_bytes, uint64_t total_bytes, void *data)
{
	SptFiles *files = data;

	if (files->progress && !files->progress(files->capture->objects[object].path, done_bytes,
						total_bytes, files->progress_data))
		files->progress = NULL;
	return files->progress != NULL;
}

static void find_heavy(SptFiles *files)
{
	const SptCapture *capture = files->capture;
	g_autofree uint64_t *nodes = spt_capture_weigh_nodes(capture),
			    *objects = g_new0(uint64_t, MAX(capture->n_objects, 1));

	files->is_heavy = g_new0(bool, MAX(capture->n_objects, 1));
	for (uint32_t i = 1; i < capture->n_nodes; i++)
		objects[capture->nodes[i].frame.object] += nodes[i];
	for (uint32_t i = 0; i < capture->n_objects; i++)
		files->is_heavy[i] = objects[i] > 0 && objects[i] >= capture->weight / HEAVY_PART;
}

void spt_files_set_servers(SptFiles *files, const char *servers)
{
	spt_helpers_set_servers(files->helpers, servers);
}

void spt_files_set_download(SptFiles *files, SptDownloadProgress progress, void *data)
{
	files->progress = progress;
	files->progress_data = data;
	if (!files->is_heavy)
		find_heavy(files);
	spt_helpers_set_progress(files->helpers, tell_progress, files);
}

void spt_files_set_opener(SptFiles *files, SptObjectOpener opener, void *data)
{
	files->opener = opener;
	files->opener_data = data;
}

/*
 * A regular file, or -1 and the reason.  The path comes from a capture, and anybody may have made
 * that.
 */
static int open_image(const SptObjectRow *row, char **ret_problem)
{
	int fd;

	if (!row->path || !g_path_is_absolute(row->path)) {
		*ret_problem = g_strdup(SPT_WORDS("has no path"));
		return -1;
	}
	if (g_str_has_suffix(row->path, DELETED)) {
		*ret_problem = g_strdup(SPT_WORDS("was deleted or replaced while it ran"));
		return -1;
	}
	fd = spt_open_regular(row->path);
	if (fd < 0)
		*ret_problem = errno == EINVAL ? g_strdup(SPT_WORDS("is not a regular file")) :
			       errno == ENOENT ? g_strdup(SPT_WORDS("no such file")) :
						 g_strdup_printf("cannot be opened: %s",
								 g_strerror(errno));
	return fd;
}

static void files_add_table(struct file *file, SptPlaceTable *table)
{
	if (!file->tables)
		file->tables = g_ptr_array_new_with_free_func(free_table);
	g_ptr_array_add(file->tables, table);
	file->is_read = true;
	file->is_being_read = false;
}

/* There must be room; whether an answer is outstanding. */
static void files_begin(SptFiles *files, uint32_t object, const uint64_t *offsets, uint32_t n,
			SptReadDepth depth)
{
	const SptObjectRow *row = &files->capture->objects[object];
	struct file *file = &files->files[object];
	g_autofree char *problem = NULL;
	int held = files->opener ? files->opener(object, files->opener_data) : -1;
	int fd = held >= 0 ? fcntl(held, F_DUPFD_CLOEXEC, 0) : open_image(row, &problem);

	file->depth = depth;
	file->is_being_read = fd >= 0;
	if (fd < 0) {
		files_add_table(file, spt_place_table_new(spt_place_table_write_problem(problem, n),
							  offsets, n));
		return;
	}
	spt_helpers_begin(files->helpers, object,
			  &(SptReadRequest){
				  .fd = fd,
				  .path = row->path,
				  .row = row,
				  .offsets = offsets,
				  .n = n,
				  .depth = depth,
				  .download = files->progress && files->is_heavy[object],
			  });
	close(fd);
}

static bool wait_for_one(SptFiles *files)
{
	uint32_t object;
	SptPlaceTable *table = spt_helpers_wait(files->helpers, &object);

	if (table)
		files_add_table(&files->files[object], table);
	return table != NULL;
}

/* Gives idle helpers something to read. */
static void read_ahead(SptFiles *files, SptReadDepth depth)
{
	for (; files->next < files->n_files && spt_helpers_has_room(files->helpers);
	     files->next++) {
		struct file *file = &files->files[files->next];

		if (file->n > 0 && files->capture->objects[files->next].kind == SPT_OBJECT_FILE &&
		    !file->is_read && !file->is_being_read)
			files_begin(files, files->next, files->offsets + file->first, file->n,
				    depth);
	}
}

static void read_places(SptFiles *files, uint32_t object, const uint64_t *offsets, uint32_t n,
			SptReadDepth depth)
{
	struct file *file = &files->files[object];
	unsigned before;

	while (!spt_helpers_has_room(files->helpers) && !file->is_being_read)
		wait_for_one(files);
	before = file->tables ? file->tables->len : 0;
	if (!file->is_being_read)
		files_begin(files, object, offsets, n, depth);
	while (file->is_being_read && (!file->tables || file->tables->len == before)) {
		read_ahead(files, depth);
		if (!wait_for_one(files))
			break;
	}
}

static SptPlaceTable *good_table(const struct file *file, uint64_t offset, uint32_t *ret_row)
{
	/* The last ones have more information. */
	for (unsigned i = file->tables->len; i-- > 0;) {
		SptPlaceTable *table = file->tables->pdata[i];
		SptSymbol symbol;

		*ret_row = spt_place_table_find(table, offset);
		/* What has no symbols has functions all the same. */
		if (*ret_row != UINT32_MAX && (!spt_place_table_problem(table) ||
					       spt_place_table_symbol(table, *ret_row, &symbol)))
			return table;
	}
	return NULL;
}

static bool is_last_good(const struct file *file)
{
	return !spt_place_table_problem(file->tables->pdata[file->tables->len - 1]);
}

static struct file *files_read_file(SptFiles *files, uint32_t object, SptReadDepth depth)
{
	struct file *file = &files->files[object];

	if (!files->offsets)
		list_offsets(files);
	if (file->is_read && file->depth >= depth)
		return file;
	while (!file->is_read || file->depth < depth)
		read_places(files, object, files->offsets + file->first, file->n, depth);
	/* Debug information that cannot be read does not hide symbols. */
	if (depth > SPT_READ_SYMBOLS && !is_last_good(file)) {
		read_places(files, object, files->offsets + file->first, file->n, SPT_READ_SYMBOLS);
		file->depth = depth;
	}
	return file;
}

const SptPlaceTable *spt_files_find(SptFiles *files, uint32_t object, uint64_t offset,
				    SptReadDepth depth, uint32_t *ret_row)
{
	struct file *file = files_read_file(files, object, depth);
	SptPlaceTable *table = good_table(file, offset, ret_row);

	if (table || !is_last_good(file))
		return table;
	read_places(files, object, &offset, 1, file->depth);
	return good_table(file, offset, ret_row);
}

void spt_files_prepare(SptFiles *files, uint32_t object, const uint64_t *offsets, uint32_t n)
{
	struct file *file = files_read_file(files, object, SPT_READ_LINES);

	if (is_last_good(file))
		read_places(files, object, offsets, n, SPT_READ_LINES);
}

SptObject *spt_files_open(const SptFiles *files, uint32_t object, char **ret_problem)
{
	const SptObjectRow *row = &files->capture->objects[object];
	int fd = open_image(row, ret_problem);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) image = fd >= 0 ? spt_object_open_fd(fd, row->path, &error) : NULL;
	const char *problem = image ? spt_identity_problem(row, image) :
			      error ? error->message :
				      NULL;

	if (!problem)
		return g_steal_pointer(&image);
	*ret_problem = g_strdup(problem);
	return NULL;
}

static const char *files_problem_of(const struct file *file)
{
	for (unsigned i = 0; file->tables && i < file->tables->len; i++)
		if (spt_place_table_problem(file->tables->pdata[i]))
			return spt_place_table_problem(file->tables->pdata[i]);
	return NULL;
}

const char *spt_files_failure(const SptFiles *files, uint32_t object)
{
	const char *problem = files_problem_of(&files->files[object]);

	return problem && g_str_has_prefix(problem, SPT_HELPER_FAILED) ? problem : NULL;
}

const char *spt_files_problem(SptFiles *files, uint32_t object)
{
	return files_problem_of(files_read_file(files, object, SPT_READ_SYMBOLS));
}
