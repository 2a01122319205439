/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of /proc say no size, and a pipe would wait: only regular files are read, up to a bound.
 * "topology" is no file but many: a line of each, with its path.
 */
#include "record/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/words.h"

#define PART_BYTES	  65536u
#define TOPOLOGY_NAME	  "topology"
#define MOST_CPUS	  4096u
#define MOST_LINE_BYTES	  4096u
#define CUT_FACT	  "embedded_cut"

struct embedding {
	SptOutput *output;
	const char *root;
	GString *cut;			/* names of files that were too long */
	uint64_t bytes;			/* of those that the user named */
};

/* Up to @most bytes and one, which says that there are more.  NULL: see errno. */
static GByteArray *read_regular(const char *path, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	GByteArray *data;
	struct stat stat_of;
	ssize_t got = 1;
	int failure = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &stat_of) < 0 || !S_ISREG(stat_of.st_mode)) {
		close(fd);
		errno = S_ISDIR(stat_of.st_mode) ? EISDIR : EINVAL;
		return NULL;
	}
	data = g_byte_array_new();
	while (got > 0 && data->len <= most) {
		guint at = data->len, now = (guint)MIN(PART_BYTES, most + 1 - at);

		g_byte_array_set_size(data, at + now);
		got = read(fd, data->data + at, now);
		failure = got < 0 ? errno : 0;
		g_byte_array_set_size(data, at + (guint)MAX(got, 0));
	}
	close(fd);
	if (failure)
		g_clear_pointer(&data, g_byte_array_unref);
	errno = failure;
	return data;
}

static void put_data(struct embedding *embedding, const char *name, const uint8_t *data,
		     size_t bytes)
{
	uint32_t id = spt_script_names_new_id(spt_output_scripts(embedding->output));
	size_t at = 0;

	spt_output_put(embedding->output, SPT_ROW_OBJECT,
		       &(SptObjectRow){ .id = id, .kind = SPT_OBJECT_EMBEDDED, .path = name,
					.bytes = bytes });
	/* An empty file has a piece, too: it is embedded. */
	do {
		size_t now = MIN(bytes - at, SPT_FILE_PIECE_BYTES);

		spt_output_put(embedding->output, SPT_ROW_FILE,
			       &(SptFileRow){ .object = id, .position = at,
					      .data = { data + at, now } });
		at += now;
	} while (at < bytes);
}

/* Of the system; true: it is there. */
static bool put_system_file(struct embedding *embedding, const char *path)
{
	g_autofree char *whole = g_build_filename(embedding->root, path, NULL);
	g_autoptr(GByteArray) data = read_regular(whole, SPT_EMBED_SYSTEM_BYTES);

	if (!data)
		return false;
	if (data->len > SPT_EMBED_SYSTEM_BYTES)
		g_string_append_printf(embedding->cut, "%s%s", embedding->cut->len ? ", " : "",
				       path);
	put_data(embedding, path, data->data, MIN(data->len, SPT_EMBED_SYSTEM_BYTES));
	return true;
}

/* False: there is no such file. */
static bool add_line(struct embedding *embedding, GString *text, const char *path)
{
	g_autofree char *whole = g_build_filename(embedding->root, path, NULL);
	g_autoptr(GByteArray) data = read_regular(whole, MOST_LINE_BYTES);

	if (!data)
		return false;
	g_string_append_printf(text, "%s: %.*s\n", path,
			       (int)strcspn((g_byte_array_append(data, (const guint8 *)"\n", 1),
					     (const char *)data->data), "\n"),
			       (const char *)data->data);
	return true;
}

static void put_topology(struct embedding *embedding)
{
	static const char *const of_all[] = {
		"/sys/devices/system/cpu/online",	"/sys/devices/system/cpu/offline",
		"/sys/devices/system/cpu/isolated",	"/sys/devices/system/cpu/smt/active",
		"/sys/devices/system/node/online",
	};
	static const char *const of_cpu[] = {
		"topology/physical_package_id", "topology/die_id",
		"topology/core_id",		"topology/thread_siblings_list",
		"cpufreq/scaling_governor",	"cpufreq/cpuinfo_max_freq",
	};
	g_autoptr(GString) text = g_string_new(NULL);
	bool is_there = true;

	for (unsigned i = 0; i < G_N_ELEMENTS(of_all); i++)
		add_line(embedding, text, of_all[i]);
	for (unsigned node = 0; is_there && node < MOST_CPUS; node++) {
		g_autofree char *path =
			g_strdup_printf("/sys/devices/system/node/node%u/cpulist", node);

		is_there = add_line(embedding, text, path);
	}
	is_there = true;
	for (unsigned cpu = 0; is_there && cpu < MOST_CPUS; cpu++) {
		is_there = false;
		for (unsigned i = 0; i < G_N_ELEMENTS(of_cpu); i++) {
			g_autofree char *path = g_strdup_printf("/sys/devices/system/cpu/cpu%u/%s",
								cpu, of_cpu[i]);

			is_there |= add_line(embedding, text, path);
		}
	}
	if (text->len)
		put_data(embedding, TOPOLOGY_NAME, (const uint8_t *)text->str,
			 MIN(text->len, SPT_EMBED_SYSTEM_BYTES));
}

static void put_kernel_config(struct embedding *embedding)
{
	g_autofree char *path = NULL;
	struct utsname name;

	if (uname(&name) < 0)
		return;
	path = g_strconcat("/boot/config-", name.release, NULL);
	if (!put_system_file(embedding, path))
		put_system_file(embedding, "/proc/config.gz");
}

static void put_system(struct embedding *embedding)
{
	static const char *const files[] = { "/etc/os-release", "/proc/cpuinfo", "/proc/meminfo",
					     "/proc/self/mounts" };

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
		put_system_file(embedding, files[i]);
	put_topology(embedding);
	put_kernel_config(embedding);
}

static bool put_named(struct embedding *embedding, const char *path, GError **error)
{
	g_autoptr(GByteArray) data = read_regular(path, SPT_EMBED_FILE_BYTES);

	if (!data) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot embed %s: %s", path,
			      errno == EINVAL ? "it is not a regular file" : g_strerror(errno));
		return false;
	}
	embedding->bytes += data->len;
	if (data->len > SPT_EMBED_FILE_BYTES || embedding->bytes > SPT_EMBED_ALL_BYTES) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot embed %s: a file may have %u MiB, and all of them %u", path,
			      SPT_EMBED_FILE_BYTES >> 20, SPT_EMBED_ALL_BYTES >> 20);
		return false;
	}
	put_data(embedding, path, data->data, data->len);
	return true;
}

bool spt_embed(const SptEmbedOptions *options, SptOutput *output, GError **error)
{
	g_autoptr(GString) cut = g_string_new(NULL);
	struct embedding embedding = { output, options->root ? options->root : "/", cut, 0 };
	unsigned n = options->files ? g_strv_length((char **)options->files) : 0;

	if (n > SPT_EMBED_FILES) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--embed was given %u files, and a recording can have %u", n,
			      SPT_EMBED_FILES);
		return false;
	}
	if (options->has_system)
		put_system(&embedding);
	for (unsigned i = 0; i < n; i++)
		if (!put_named(&embedding, options->files[i], error))
			return false;
	if (cut->len)
		spt_output_host(output, CUT_FACT, cut->str);
	return true;
}
